"""The words of a translation that continue a text, as far as the model is certain."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from app.segments.completion import completion_of
from engine import Hypothesis, Placement


def hypothesis(*pieces: tuple[str, float]) -> Hypothesis:
    """A hypothesis of these pieces, with the space before each, and their probabilities."""
    text, spans = "", []
    for piece, _ in pieces:
        text += piece
        spans.append((len(text) - len(piece.lstrip()), len(text)))
    log_probs = tuple(math.log(probability) for _, probability in pieces)
    ids = tuple(range(len(pieces)))
    return Hypothesis(text, -1.0, -1.0, ids, log_probs, tuple(spans))


@pytest.mark.parametrize(
    ("text", "found", "completion", "why"),
    [
        ("Das ", "Das Haus.", "Haus.", "goes on"),
        ("", "Das Haus.", "Das Haus.", "nothing typed yet"),
        ("Cafe\u0301", "Café am Markt", " am Markt", "the same letters in other code points"),
        ("Die", "Das Haus.", "", "another sentence"),
        ("Das Haus.", "Das Haus.", "", "nothing follows"),
    ],
)
def test_completion_is_the_rest_after_the_text(text: str, found: str, completion: str, why: str):
    assert completion_of(text, hypothesis((found, 1.0))) == completion, why


PIECES = (("Der", 0.1), (" alte", 0.9), (" Rou", 0.7), ("ter", 0.7), (" geht", 0.3), (" aus", 0.9), (".", 0.9))


@pytest.mark.parametrize(
    ("text", "certainty", "completion", "why"),
    [
        ("", 0.4, "", "the first word is too unlikely"),
        ("D", 0.4, "", "the rest of a word begun is as unlikely"),
        ("Der ", 0.5, "alte", "0.7 * 0.7 is below 0.5: the probabilities of a word's pieces are multiplied"),
        ("Der alte R", 0.4, "outer", "the rest of a word begun is the first word"),
        ("Der alte Rou", 0.6, "ter", "only what is still to be written counts"),
        ("Der alte R", 0.2, "outer geht aus.", "a full stop belongs to its word"),
        ("Der alte Router", 0.9, "", "the first word behind a finished one is too unlikely"),
    ],
)
def test_completion_ends_before_the_first_word_that_the_model_is_not_certain_of(
    text: str, certainty: float, completion: str, why: str
):
    assert completion_of(text, hypothesis(*PIECES), certainty) == completion, why


def test_requested_completion_has_a_first_word_however_unlikely_it_is():
    found = hypothesis(*PIECES)
    assert completion_of("", found, 0.4, is_requested=True) == "Der alte Router"
    assert completion_of("Der alte Router", found, 0.4, is_requested=True) == " geht aus."


def test_required_words_are_certain():
    found = hypothesis(*PIECES)
    pinned = replace(found, placements=(Placement(0, "Der", 0, 3),))
    assert completion_of("", pinned, 0.4) == "Der alte Router"
    assert completion_of("Der alte Router", replace(found, locked=((16, 24),)), 0.4) == " geht aus."


def test_completion_in_a_script_without_spaces_ends_within_a_clause():
    found = hypothesis(("打开", 0.9), ("文", 0.9), ("件", 0.1), ("。", 0.9))
    assert completion_of("打", found, 0.4) == "开文"
