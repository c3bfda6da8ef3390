"""What a corpus must look like, and what is said of one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import TrainingError
from engine.train.corpus import Selection, SentencePair, read_licences, read_pairs, read_set
from tests.train.corpora import PAIRS, write_corpus

GOOD = "Yes.\tJa.\tmade-up\teveryday"


def test_every_line_becomes_a_pair(tmp_path: Path) -> None:
    pairs = list(read_pairs(write_corpus(tmp_path / "corpus")))
    assert [(pair.first, pair.second) for pair in pairs] == PAIRS * 2
    assert pairs[21] == SentencePair("The cat sleeps.", "Die Katze schläft.", "made-up", "everyday")


def test_odd_line_separators_inside_a_line_do_not_break_it(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", ["One\u2028two\x0bthree\x85\tDrei\tmade-up\tdocs", GOOD])
    assert [pair.first for pair in read_pairs(corpus)] == ["One\u2028two\x0bthree\x85", "Yes."]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Yes.\tJa.\tmade-up", "found 3 columns"),
        ("Yes.", "found 1 columns"),
        ("Yes.\tJa.\tmade-up\teveryday\tmore", "found 5 columns"),
        ("Yes.\t \tmade-up\teveryday", "target is empty"),
        ("\tJa.\tmade-up\teveryday", "source is empty"),
        ("Yes.\tJa.\tmade-up\t", "domain is empty"),
    ],
)
def test_a_bad_line_is_named_by_file_and_number(tmp_path: Path, line: str, message: str) -> None:
    corpus = write_corpus(tmp_path / "corpus", [GOOD, GOOD, line])
    with pytest.raises(TrainingError, match=rf"train\.01\.tsv\.gz line 3: .*{message}"):
        list(read_pairs(corpus))


@pytest.mark.parametrize("content", [b"", b"no gzip", b"\x1f\x8b\x08\x00\x00\x00\x00\x00"])
def test_error_names_a_file_that_is_not_gzip(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "train.01.tsv.gz").write_bytes(content)
    if content:
        with pytest.raises(TrainingError, match=r"train\.01\.tsv\.gz cannot be read"):
            list(read_pairs(tmp_path))
    else:
        assert list(read_pairs(tmp_path)) == []


def test_a_folder_without_training_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"does not contain train\.\*\.tsv\.gz"):
        list(read_pairs(tmp_path))


def test_a_selection_counts_words_and_leaves_sources_out() -> None:
    selection = Selection({"docs": 3}, frozenset({"bad"}))
    assert selection.wants(SentencePair("one two three", "eins zwei drei", "good", "docs"))
    assert not selection.wants(SentencePair("one two three four", "eins", "good", "docs"))
    assert not selection.wants(SentencePair("one", "eins", "bad", "docs"))
    assert not selection.wants(SentencePair("one", "eins", "good", "news"))


def test_a_set_must_match_line_by_line(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    assert read_set(corpus, "dev/tiny", ("de", "en")) == [(de, en) for en, de in PAIRS]
    with (corpus / "dev" / "tiny.de").open("a", encoding="utf-8") as file:
        file.write("Noch eine.\n")
    with pytest.raises(TrainingError, match=r"20 lines in \.en, 21 in \.de"):
        read_set(corpus, "dev/tiny", ("en", "de"))
    with pytest.raises(TrainingError, match=r"tiny\.fr is missing"):
        read_set(corpus, "dev/tiny", ("en", "fr"))


def test_licences_are_quoted_word_for_word(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    assert read_licences(corpus) == {"made-up": ("here | there", "CC0")}
    (corpus / "SOURCES.tsv").write_text("source_id\trepo\nmade-up\there\n", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"SOURCES\.tsv line 2: domain is missing"):
        read_licences(corpus)
    (corpus / "SOURCES.tsv").unlink()
    with pytest.raises(TrainingError, match=r"SOURCES\.tsv cannot be read"):
        read_licences(corpus)
