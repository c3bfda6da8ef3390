"""Words in little memory: they are found as in Python's own sets and dictionaries."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.text.packed_words import PackedEntries, WordSet

WORDS = st.text(min_size=1, max_size=4).filter(lambda word: "\t" not in word)


@given(st.lists(WORDS), st.lists(WORDS), st.lists(WORDS))
def test_a_set_has_the_words_that_were_added(own: list[str], others: list[str], asked: list[str]) -> None:
    added, more = WordSet(), WordSet()
    added.add(own)
    more.add(others)
    added.update(more)
    for word in (*own, *others, *asked):
        assert (word in added) == (word in {*own, *others})


@given(st.lists(st.tuples(WORDS, st.text())), st.lists(WORDS))
def test_entries_are_those_of_a_dictionary(items: list[tuple[str, str]], asked: list[str]) -> None:
    packed = PackedEntries()
    for word, text in items:
        packed.add(word, text)
    assert dict(packed) == dict(items) and len(packed) == len(dict(items))
    for word in asked:
        assert packed.get(word) == dict(items).get(word)
