"""Pieces put together to words."""

from __future__ import annotations

import re

import pytest

from engine.text import TextCodec, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Straßenbahnhaltestelle", ["Straßenbahnhaltestelle"]),
        ("E-Mail, bitte.", ["E", "-", "Mail", ",", "bitte", "."]),
        ("C++ (3,5 %)", ["C", "+", "+", "(", "3", ",", "5", "%", ")"]),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_and_single_marks(codec: TextCodec, text: str, expected: list[str]):
    decoded = codec.decode([*codec.encode(text).ids, 2])
    found = [text[decoded.spans[first][0] : decoded.spans[last - 1][1]] for first, last in words(text, decoded.spans)]
    assert [part for item in found for part in re.findall(r"\w+|\W", item)] == expected
    assert all(re.fullmatch(r"\w+|\W+", item) for item in found), "no word holds both letters and marks"
