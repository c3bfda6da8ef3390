"""British spelling."""

from __future__ import annotations

import pytest

from app.formats.base import splice
from app.serving.constrained_texts import PlacedPhrase, TextHypothesis
from app.text.spelling import british_edits, is_british


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The color of the gray theater.", "The colour of the grey theatre."),
        ("Colors are organized in a catalog.", "Colours are organised in a catalogue."),
        ("“Analyze it!” Traveled far. Fulfilled.", "“Analyse it!” Travelled far. Fulfilled."),
        ("COLOR SETTINGS", "COLOUR SETTINGS"),
        ("Color Settings and Favorites", "Colour Settings and Favourites"),
        ("They met in Pearl Harbor with Mr. Gray.", "They met in Pearl Harbor with Mr. Gray."),  # names
        ("Renew the license of the program.", "Renew the license of the program."),  # a verb, and software
        ("Set <b>color</b> to {color} in `color` at https://color.example/color.", None),
        ("", ""),
    ],
)
def test_words_get_british_spelling(text: str, expected: str | None) -> None:
    if expected is None:
        expected = "Set <b>colour</b> to {color} in `color` at https://color.example/color."
    assert splice(text, british_edits(text)) == expected


def test_required_texts_keep_their_spelling_and_places_move() -> None:
    text = "The color center and the color."
    places = tuple(PlacedPhrase(number, word, word, at, at + len(word)) for number, (word, at) in enumerate(
        [("center", 10), ("and", 17), ("color.", 25)]
    ))  # fmt: skip
    found = TextHypothesis(text, 0.0, 0.0, 1, places).in_british_spelling()
    assert found.text == "The colour center and the color."
    assert [found.text[place.start : place.end] for place in found.placements] == ["center", "and", "color."]


@pytest.mark.parametrize(
    ("language", "expected"),
    [("EN-GB", True), ("en_gb", True), ("en-AU", True), ("EN-US", False), ("EN", False), ("de-AT", False), ("", False)],
)
def test_regions_with_british_spelling(language: str, expected: bool) -> None:
    assert is_british(language) is expected


def test_a_long_text_takes_linear_time() -> None:
    """A quadratic algorithm would not finish."""
    assert len(british_edits("The color is gray. " * 10_000)) == 20_000
