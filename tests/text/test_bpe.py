"""Our merging is subword-nmt's, only with a generator of the caller's and bounded time."""

from __future__ import annotations

import random
import sys
from collections import Counter
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword_nmt.apply_bpe import BPE

from engine.errors import ModelError, TrainingError
from engine.text.bpe import BytePairs, learn_merges
from engine.text.tokens import chunk_tokens, cut


def joined(pieces: list[str]) -> str:
    assert all(piece.endswith("@@") for piece in pieces[:-1])
    return "".join(piece.removesuffix("@@") for piece in pieces)


@pytest.fixture(scope="module")
def words(corpus_sample):
    chunks = [chunk for line in corpus_sample for _, chunk in cut(line.text)]
    return Counter(token.text for chunk in chunks for token in chunk_tokens(chunk) if token.is_word)


@pytest.fixture(scope="module")
def merges(words):
    return BytePairs(tuple(learn_merges(words, 500)))


def test_pieces_of_every_word_equal_subword_nmt(words, merges, tmp_path):
    path = tmp_path / "bpe.codes"
    merges.save(path)
    with path.open(encoding="utf-8") as codes:
        theirs = BPE(codes)
    assert [merges.split(word) for word in words] == [theirs.segment_tokens([word]) for word in words]


@given(st.text("aabn", min_size=1, max_size=12))
def test_repeated_letters_are_merged_as_subword_nmt_does(word):
    codes = "a a\na a</w>\naa aa\na n\nan an</w>\nb an"
    ours = BytePairs(tuple((first, second) for first, second in map(str.split, codes.splitlines())))
    assert ours.split(word) == BPE(StringIO(f"#version: 0.2\n{codes}\n")).segment_tokens([word])


@given(st.text(min_size=1), st.floats(0, 1), st.integers(0, 5))
def test_pieces_join_to_the_word_with_any_dropout(word, dropout, seed):
    merges = BytePairs((("a", "b"), ("ab", "c</w>"), ("0", "0")))
    assert joined(merges.split(word, dropout, random.Random(seed))) == word


def test_full_dropout_spells_by_character(merges):
    assert merges.split("the", dropout=1.0) == ["t@@", "h@@", "e"]
    assert merges.split("the") == ["the"]


def test_dropout_is_the_same_for_the_same_seed_and_varies_otherwise(merges, words):
    def split(seed: int) -> list[list[str]]:
        rng = random.Random(seed)
        return [merges.split(word, 0.1, rng) for word in list(words)[:300]]

    assert split(1) == split(1) != split(2)


def test_endless_word_is_split_in_stretches_that_join_to_it(merges):
    word = "the" * 5_000
    assert joined(merges.split(word)) == word


def test_learned_merges_do_not_depend_on_the_order(words):
    shuffled = list(words.items())
    random.Random(0).shuffle(shuffled)
    assert learn_merges(dict(shuffled), 200) == learn_merges(words, 200)


def test_learning_without_subword_nmt_names_the_extra(words, monkeypatch):
    monkeypatch.setitem(sys.modules, "subword_nmt.learn_bpe", None)
    with pytest.raises(TrainingError, match=r"needs subword-nmt.*pinpoint\[train\]"):
        learn_merges(words, 200)


@pytest.mark.parametrize("counts", [{}, {"a": 5}, {"ab": 1}, {"ab": 9}])
def test_tiny_dictionaries_are_learnt_as_far_as_they_go(counts):
    assert len(learn_merges(counts, 100)) == (1 if counts.get("ab", 0) >= 2 else 0)


def test_merges_survive_saving_and_loading(merges, tmp_path):
    merges.save(tmp_path / "bpe.codes")
    assert BytePairs.load(tmp_path / "bpe.codes") == merges


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"line 1: expected '#version: 0.2', found ''"),
        (b"a b\n", r"line 1: expected '#version: 0.2', found 'a b'"),
        (b"#version: 0.2\na b\nabc\n", r"line 3: expected two symbols and a space between, found 'abc'"),
        (b"#version: 0.2\n\na b\n", r"line 2: expected two symbols and a space between, found ''"),
        (b"\xff\xfe\x00", r"cannot be read .*use the file that belongs to the model"),
        (None, r"cannot be read"),
    ],
)
def test_broken_file_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "bpe.codes"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=rf"bpe\.codes.*{message}"):
        BytePairs.load(path)
