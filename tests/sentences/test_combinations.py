"""The best combinations of several lists, against all of them; a given translation divided among its sentences."""

from __future__ import annotations

import itertools
import random

import pytest

from engine import Phrase, Request
from engine.sentences.combinations import best_combinations
from engine.sentences.splitting import gaps_between, sentences_of
from engine.sentences.target_groups import grouped


def test_combinations_come_in_the_order_of_all_of_them() -> None:
    rng = random.Random(1)
    for _ in range(200):
        lists = [[rng.gauss(0, 1) for _ in range(rng.randint(1, 4))] for _ in range(rng.randint(1, 4))]
        everything = itertools.product(*(range(len(values)) for values in lists))
        sums = {places: sum(own[place] for own, place in zip(lists, places, strict=True)) for places in everything}
        found = list(best_combinations(lists))
        assert sorted(found) == sorted(sums)
        assert found == sorted(sums, key=lambda places: -sums[places])


def test_first_combinations_of_many_long_lists_come_without_the_others() -> None:
    lists = [[-0.1 * place for place in range(1000)] for _ in range(300)]
    found = list(itertools.islice(best_combinations(lists), 50))
    assert found[0] == (0,) * 300
    assert len(set(found)) == 50


def spans_of(lengths: list[int]) -> list[tuple[int, int]]:
    ends = list(itertools.accumulate(length + 1 for length in lengths))
    return [(end - 1 - length, end - 1) for end, length in zip(ends, lengths, strict=True)]


@pytest.mark.parametrize(
    ("sources", "targets", "sizes", "why"),
    [
        ([20, 30], [25, 20], [1, 1], "as many: each is the translation of one"),
        ([20, 30], [5, 16, 33], [2, 1], "two short ones are as long as the first"),
        ([20, 30], [22, 15, 16], [1, 2], "two short ones are as long as the second"),
        ([20, 30], [50], None, "fewer sentences: two became one"),
        ([20, 30], [1] * 40, None, "far more sentences"),
    ],
)
def test_translation_is_divided_by_the_lengths_of_its_sentences(sources, targets, sizes, why) -> None:
    spans = spans_of(targets)
    expected = None
    if sizes is not None:
        ends = list(itertools.accumulate(sizes))
        expected = [(spans[end - size][0], spans[end - 1][1]) for end, size in zip(ends, sizes, strict=True)]
    assert grouped(sources, spans) == expected, why


@pytest.mark.parametrize(
    ("sources", "targets", "begun", "why"),
    [
        ([20, 30], [4], [1], "in the first sentence"),
        ([20, 30, 25], [22, 4], [1, 1], "in the second one"),
        ([20, 30, 25], [22, 0], [1, 1], "behind the first one"),
        ([20, 30], [5, 14, 4], [2, 1], "the first one has two"),
        ([20, 30], [22, 31, 40], [1, 2], "all sentences are begun, so the last goes on"),
    ],
)
def test_beginning_of_a_translation_ends_in_one_of_the_sentences(sources, targets, begun, why) -> None:
    spans = spans_of(targets)
    ends = list(itertools.accumulate(begun))
    expected = [(spans[end - size][0], spans[end - 1][1]) for end, size in zip(ends, begun, strict=True)]
    assert grouped(sources, spans, is_open=True) == expected, why


def texts(source: str, **settings) -> list[str]:
    return [source[start:end] for start, end in sentences_of(Request(source, **settings), "en-de")]


def test_marks_alone_are_no_sentence() -> None:
    assert texts("Hello there. It is on. ***") == ["Hello there.", "It is on. ***"]


def test_no_sentence_ends_inside_a_term_or_placeholder_and_none_if_switched_off() -> None:
    source = "The file. Then {{a. B}} is here. It is on."
    assert len(texts(source)) == 3
    assert len(texts(source, phrases=[Phrase("x", source_span=(4, 14))])) == 2
    assert texts(source, split_sentences=False) == []


@pytest.mark.parametrize(
    ("source", "direction", "gaps"),
    [
        ("One.\n\n Two.", "en-de", ("\n\n ",)),
        ("一。二。", "zh-en", (" ",)),
        ("One. Two.", "en-ja", ("",)),
        ("One.\nTwo.", "en-zh", ("\n",)),
    ],
)
def test_white_space_between_sentences_is_the_sources(source, direction, gaps) -> None:
    assert gaps_between(source, sentences_of(Request(source), direction), direction) == gaps


@pytest.mark.parametrize(
    ("source", "cells"),
    [
        ("Weight:\t5 kg", ["Weight:", "5 kg"]),
        ("Qty.  Description     Unit price", ["Qty.", "Description", "Unit price"]),
        ("Fig. 2\tThe valve is open.", ["Fig. 2", "The valve is open."]),
        ("Chapter 3 ........ 12", ["Chapter 3", "12"]),
        ("Soup . . . . . 4.50", ["Soup", "4.50"]),
        ("Weight:\tapprox. 5 kg\t04/03/2026", ["Weight:", "approx. 5 kg", "04/03/2026"]),
        ("He waited.... Then he left.", ["He waited....", "Then he left."]),
        ("A man is riding a\tred bicycle.", ["A man is riding a\tred bicycle."]),
        ("Open the\tDoor.", ["Open the\tDoor."]),
        ("Open the  Door", ["Open the  Door"]),
        ("A \t b", ["A \t b"]),
    ],
)
def test_cells_of_a_row_are_sentences_and_untidy_sentences_are_whole(source: str, cells: list[str]) -> None:
    assert texts(source) == cells
