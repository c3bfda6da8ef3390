"""Directions that are never written out against the list of all pairs, and the names of languages."""

from __future__ import annotations

import doctest
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.model import Directions, ModelConfig, directions
from engine.model.directions import languages_of
from engine.text import languages as language_codes
from engine.text.languages import short_names


@given(st.lists(st.text("abc_", min_size=1, max_size=4), min_size=2, max_size=6, unique=True))
def test_directions_are_all_pairs_of_two_languages(languages: list[str]) -> None:
    pairs = [f"{source}-{target}" for source, target in permutations(languages, 2)]
    found = Directions(languages)
    assert list(found) == pairs and len(found) == len(pairs)
    assert [found[place - len(pairs)] for place in range(len(pairs))] == pairs
    assert found[1:5] == pairs[1:5] and found[::-2] == pairs[::-2]
    assert all(pair in found for pair in pairs)
    assert not any(wrong in found for wrong in (f"{languages[0]}-{languages[0]}", languages[0], "", "-", 3))
    with pytest.raises(IndexError):
        found[len(pairs)]


@given(st.lists(st.from_regex(r"(eng|deu|zho|ace|en|de|fur)(_(Latn|Hans|Hant))?", fullmatch=True), unique=True))
def test_every_code_has_a_unique_name_and_is_understood(codes: list[str]) -> None:
    names = short_names(codes)
    assert sorted(names.values()) == sorted(codes)
    assert list(names)[: ("en" in names)] == ["en"] * ("en" in names)
    found = Directions(tuple(names), tuple(names.values()))
    for source, target in permutations(codes, 2):
        assert f"{source}-{target}" in found
    for direction in found:
        assert all(name in names for name in languages_of(direction))


def test_examples_are_true() -> None:
    assert doctest.testmod(directions).failed == doctest.testmod(language_codes).failed == 0


def test_a_configuration_of_many_languages_is_saved_without_their_pairs(tmp_path: Path) -> None:
    config = ModelConfig(9, languages={"en": "__en__", "de": "__de__"}, start="</s>", hidden_pieces=("<mask>",))
    config.save(tmp_path / "config.json")
    assert ModelConfig.load(tmp_path / "config.json") == config
    assert '"directions"' not in (tmp_path / "config.json").read_text(encoding="utf-8")
    assert list(config.directions) == ["en-de", "de-en"]
    assert config.language_pieces("__de__-en") == ("__de__", "__en__")
    with pytest.raises(ModelError, match="direction 'a-b-a-b' is not of the form"):
        ModelConfig(9, languages={"a-b": "x", "c": "y"})
