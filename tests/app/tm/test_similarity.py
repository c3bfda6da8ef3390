"""The words that differ between two texts."""

from __future__ import annotations

from random import Random

import pytest

from app.text import differences
from app.tm.similarity import fold, runs_between, stems_of
from tests.app.work import growth


def rebuilt(runs: list[list[str]], *kinds: str) -> str:
    return "".join(text for kind, text in runs if kind in kinds)


@pytest.mark.parametrize("limit", [0, differences.MAX_COMPARED])
def test_runs_contain_both_texts(limit: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(differences, "MAX_COMPARED", limit)
    random = Random(1)
    for _ in range(50):
        memory, text = (" ".join(random.choices("abc", k=random.randrange(12))) for _ in range(2))
        runs = runs_between(memory, text)
        assert rebuilt(runs, "s", "i") == text
        assert rebuilt(runs, "s", "d") == memory


def test_words_of_long_texts_are_compared_in_linear_time():
    assert growth(lambda size: runs_between("a " * size, "b" + "a " * size), 1000) < 2.5


@pytest.mark.parametrize(
    ("memory", "text"), [("आज दिन है", "आज दान है"), ("ஒரு கல் இது", "ஒரு கலை இது"), ("এক তাল আছে", "এক তিল আছে")]
)
def test_words_with_vowel_signs_are_compared_whole(memory: str, text: str) -> None:
    first, old, last = memory.split()
    new = text.split()[1]
    assert runs_between(memory, text) == [["s", f"{first} "], ["d", old], ["i", new], ["s", f" {last}"]]
    assert stems_of(fold(text)) == {first[:5], new[:5], last[:5]}
    assert len(stems_of(fold(memory)) & stems_of(fold(text))) == 2
