"""Dictionary entries as training pairs: notes, synonyms, genders, other forms, rare words, and held-out sentences."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from engine.errors import TrainingError
from engine.train import statistical_links
from engine.train.corpus import HeldOut
from engine.train.data import PreparedData
from engine.train.dictionary import dictionary_licence, read_dictionary, synonym_pairs, synonyms
from engine.train.prepare import prepare
from engine.train.statistical_links import LinkedPairs, prepare_links
from tests.train.corpora import prepare_options, write_corpus

HEAD = "# Version :: devel 2023\n# License :: GPL Version 2 or later\n# URL :: there\n"
NOTHING = HeldOut(())


def dictionary(folder: Path, *entries: str, head: str = HEAD) -> Path:
    path = folder / "de-en"
    path.write_text(head + "".join(f"{entry}\n" for entry in entries), encoding="utf-8")
    return path


def pairs(path: Path, held_out: HeldOut = NOTHING) -> list[tuple[str, str]]:
    return [(pair.first, pair.second) for pair in read_dictionary(path, ("en", "de"), held_out)]


CASES = [
    (
        "Ventil {n} [techn.] :: valve",
        [("valve", "Ventil"), ("Valve", "Ventil"), ("the valve", "das Ventil")],
        "a noun as a heading and with its article",
    ),
    (
        "Kopf an Kopf gehen :: going head to head",
        [("going head to head", "Kopf an Kopf gehen")],
        "too long as a heading",
    ),
    ("zurückverwandelnd :: changing", [], "a rare German word"),
    ("ernten :: to harvest; to retransmute", [("to harvest", "ernten")], "a rare English word"),
    (
        "Ventile {pl} :: valves",
        [("valves", "Ventile"), ("Valves", "Ventile"), ("the valves", "die Ventile")],
        "the plural's article has no gender",
    ),
    (
        "öffnen {vt} | geöffnet :: to open | opened",
        [("to open", "öffnen"), ("opened", "geöffnet"), ("Opened", "Geöffnet")],
        "parts",
    ),
    (
        "schnell; rasch {adj} :: quick; fast; speedy",
        [
            *[("quick", "schnell"), ("Quick", "Schnell"), ("quick", "rasch"), ("Quick", "Rasch")],
            *[("fast", "schnell"), ("Fast", "Schnell")],
        ],
        "synonyms are paired with the first of the other side",
    ),
    (
        "Fusion (der Bilder; im Auge) [med.] :: fusion <fusing>",
        [("fusion", "Fusion"), ("Fusion", "Fusion")],
        "notes, also with a semicolon",
    ),
    ("Leute {m,f} :: the people", [("the people", "Leute")], "two genders, and an article on the other side"),
    ("etw. öffnen; aufmachen :: to open", [("to open", "aufmachen")], "abbreviations for any object"),
    (
        "Jänner {m} [Ös.]; Januar {m} :: January",
        [("January", "Januar"), ("the January", "der Januar")],
        "regional word",
    ),
    ("Kohlmeise {f} [ornith.] :: great tit", [], "names of species"),
    ("er/sie friert :: he/she is cold", [], "alternatives inside of a phrase"),
    ("Das ist’s. :: That’s it.", [("That's it.", "Das ist's.")], "a sentence; the corpus has straight apostrophes"),
]


@pytest.mark.parametrize(("entry", "expected", "reason"), CASES, ids=[reason for _, _, reason in CASES])
def test_entry_becomes_pairs(tmp_path: Path, entry: str, expected: list[tuple[str, str]], reason: str) -> None:
    assert pairs(dictionary(tmp_path, entry)) == expected, reason


def test_pair_occurs_once_and_in_the_order_of_the_languages(tmp_path: Path) -> None:
    path = dictionary(tmp_path, "öffnen :: to open", "öffnen {vt} :: to open")
    (pair,) = read_dictionary(path, ("de", "en"), NOTHING)
    assert (pair.first, pair.second, pair.source_id, pair.domain) == ("öffnen", "to open", "dictionary", "dictionary")


def test_all_synonyms_of_a_part_are_paired_but_not_those_of_names_of_animals(tmp_path: Path) -> None:
    path = dictionary(
        tmp_path,
        "Produktgarantie {f}; Garantie {f} | Garantien {pl} :: product warranty; warranty | warranties",
        "Affe {m} [zool.] :: monkey",
        "Ramme {f}; Fallwerk {n} :: monkey; pile driver",
    )
    assert [*synonym_pairs(path)] == [
        ("Produktgarantie", "product warranty"),
        ("Produktgarantie", "warranty"),
        ("Garantie", "product warranty"),
        ("Garantie", "warranty"),
        ("Garantien", "warranties"),
        ("Ramme", "pile driver"),
        ("Fallwerk", "pile driver"),
    ]


def test_pair_of_a_held_out_sentence_is_left_out(tmp_path: Path) -> None:
    held_out = HeldOut(["The dog sleeps.", "Nobody knows how old the tree really is.", "To bark!"])
    path = dictionary(
        tmp_path,
        "der Hund schläft :: the dog sleeps",
        "wie alt der Baum wirklich ist :: how old the tree really is",
        "ein alter Baum :: a very old tree",
        "bellen :: to bark",
    )
    expected = [("a very old tree", "ein alter Baum"), ("to bark", "bellen")]
    assert pairs(path, held_out) == expected, "short words are in every set"


def test_all_sets_of_the_corpus_are_held_out(tmp_path: Path) -> None:
    held_out = HeldOut.of(write_corpus(tmp_path / "corpus"), ("en", "de"))
    assert held_out.contains("das Kind liest ein Buch") and held_out.contains("THE CHILD READS A BOOK!")
    assert not held_out.contains("das Kind liest ein Heft")


@pytest.mark.parametrize("line", ["Ventil", "Ventil | Ventile :: valve"])
def test_malformed_line_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(TrainingError, match="line 5: expected `German :: English`"):
        pairs(dictionary(tmp_path, "Hund :: dog", line))


def test_dictionary_needs_german_and_english_and_a_licence(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="German and English, the corpus en and fr"):
        list(read_dictionary(dictionary(tmp_path), ("en", "fr"), NOTHING))
    assert dictionary_licence(dictionary(tmp_path)) == ("there (devel 2023)", "GPL Version 2 or later")
    with pytest.raises(TrainingError, match="License :: NAME"):
        dictionary_licence(dictionary(tmp_path, "Hund :: dog", head=""))
    with pytest.raises(TrainingError, match="cannot be read"):
        dictionary_licence(tmp_path / "missing")


def test_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(TrainingError, match=r"needs wordfreq.*pinpoint\[train\]"):
        pairs(dictionary(tmp_path, "Hund :: dog"))


def test_unclosed_bracket_makes_a_synonym_unusable() -> None:
    assert [synonym.text for synonym in synonyms("Hund [zo; Köter")] == ["Köter"]


def test_prepared_data_has_the_dictionary_as_a_domain_and_source_of_its_own(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    path = dictionary(tmp_path, "Haus {n} :: house")
    prepared = prepare(corpus, tmp_path / "work", prepare_options(dictionary=path))
    assert prepared.domains == ("docs", "everyday", "dictionary")
    assert (prepared.facts["pairs"], prepared.facts["dictionary_pairs"]) == (40, 3)
    facts = json.loads((tmp_path / "work" / "prepared.json").read_text(encoding="utf-8"))["facts"]
    (row,) = (row for row in facts["sources"] if row["source_id"] == "dictionary")
    assert (row["origin"], row["licence"], row["pairs"]) == ("there (devel 2023)", "GPL Version 2 or later", 3)


def test_word_links_are_learnt_from_sentences_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = dictionary(tmp_path, *(f"Wort{number} :: word{number}" for number in range(100)))
    work = tmp_path / "work"
    prepare(write_corpus(tmp_path / "corpus"), work, prepare_options(dictionary=path))
    monkeypatch.setattr(statistical_links, "align_texts", lambda first, second: [{(0, 0)} for _ in first])
    prepare_links(work, tmp_path / "links", 1000)
    pairs = LinkedPairs.load(tmp_path / "links" / "train", ("en", "de")).pairs
    names = PreparedData.load(work).domains
    assert sorted({names[domain] for domain in pairs.domains}) == ["docs", "everyday"] and len(pairs) == 40
