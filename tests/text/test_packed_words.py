"""Words in little memory: they are found as in Python's own sets and dictionaries."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.text.packed_words import PackedEntries, WordSet, hash_of, hashes_of

WORDS = st.text(min_size=1, max_size=4).filter(lambda word: "\t" not in word)


@given(st.lists(WORDS), st.lists(WORDS), st.lists(WORDS))
def test_a_set_has_the_words_that_were_added(own: list[str], others: list[str], asked: list[str]) -> None:
    added = WordSet.of(own, WordSet.of(others))
    for word in (*own, *others, *asked):
        assert (word in added) == (word in {*own, *others})


@given(st.lists(st.tuples(WORDS, st.text())), st.lists(WORDS))
def test_entries_are_those_of_a_dictionary(items: list[tuple[str, str]], asked: list[str]) -> None:
    packed = PackedEntries.of(items)
    assert dict(packed) == dict(items) and len(packed) == len(dict(items))
    for word in asked:
        assert packed.get(word) == dict(items).get(word)


@given(st.lists(st.text(max_size=100)))
def test_hashes_of_many_words_are_those_of_each(words: list[str]) -> None:
    assert hashes_of(words).tolist() == [*map(hash_of, words)]


def test_hash_is_the_same_in_every_process() -> None:
    assert hash_of("") == 0xCBF29CE484222325 and hash_of("foobar") == 0x85944171F73967E8  # of the authors of FNV
