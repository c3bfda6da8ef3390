"""Scores in a card: each where its set and direction stand, beside what others reach on the same sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import TrainingError
from engine.train.held_out import SetScore
from engine.train.score_table import GOALS, PUBLISHED, SYSTEMS, insert_scores

CARD = "# A model\n\n## Scores\n\nNot measured yet.\n\n## Training data\n\n| a | b |\n|---|---|\n| c | d |\n"


def score(name: str, direction: str, bleu: float, *, beam: int = 5) -> SetScore:
    return SetScore(name, direction, 1200, beam, bleu, 40.0, ("BLEU x", "chrF y"))


@pytest.fixture
def card(tmp_path: Path) -> Path:
    path = tmp_path / "card.md"
    path.write_text(CARD, encoding="utf-8")
    return path


def test_score_replaces_the_earlier_one_of_its_set_and_direction(card: Path) -> None:
    insert_scores(card, [score("test/a", "en-de", 12.34), score("test/b", "en-de", 20)])
    insert_scores(card, [score("test/a", "de-en", 11)])
    insert_scores(card, [score("test/c", "en-de", 30), score("test/a", "en-de", 13)])
    assert card.read_text(encoding="utf-8") == (
        "# A model\n\n## Scores\n\nHeld-out sets, none of their sentences in the training data; beam 5.\n\n"
        "| set | direction | lines | BLEU | chrF |\n|---|---|---|---|---|\n"
        "| test/a | en-de | 1,200 | 13.0 | 40.0 |\n| test/b | en-de | 1,200 | 20.0 | 40.0 |\n"
        "| test/c | en-de | 1,200 | 30.0 | 40.0 |\n| test/a | de-en | 1,200 | 11.0 | 40.0 |\n\n"
        "    BLEU x\n    chrF y\n"
        "\n## Training data\n\n| a | b |\n|---|---|\n| c | d |\n"
    )


def test_a_set_that_others_were_measured_on_has_their_scores_beside_it(card: Path) -> None:
    for _ in range(2):  # the second table is no part of the first when scores are put in again
        insert_scores(card, [score("test/newstest2014", "de-en", 8.8), score("test/software-docs", "en-de", 21.8)])
        insert_scores(card, [score("test/software-docs", "de-en", 25.6)])
    text = card.read_text(encoding="utf-8")
    assert "| test/newstest2014 | de-en | 8.8 |  | 37.4 | 39.2 | 33.5 | 35.7 | 34.0 | 25.3 | 30.0 |\n" in text
    assert "| test/software-docs | en-de | 21.8 | 35.0 |  |  |  |  |  |  |  |\n" in text
    assert text.count("| test/software-docs | de-en |") == 1, "neither a goal nor others"
    assert text.count("## ") == 2


def test_the_table_of_others_is_whole() -> None:
    assert all(len(published) == len(SYSTEMS) for published in PUBLISHED.values())
    assert all(direction in ("en-de", "de-en") for _, direction in [*PUBLISHED, *GOALS])


def test_scores_of_two_beams_are_not_mixed_in_one_table(card: Path) -> None:
    insert_scores(card, [score("test/a", "en-de", 12)])
    before = card.read_bytes()
    with pytest.raises(TrainingError, match="scores of another beam than 10; measure with one beam"):
        insert_scores(card, [score("test/a", "de-en", 12, beam=10)])
    assert card.read_bytes() == before
    insert_scores(card, [score("test/a", "en-de", 13, beam=10)])  # nothing of the other is left
    assert "; beam 10." in card.read_text(encoding="utf-8")


def test_file_that_is_not_a_card_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"card\.md cannot be read .*with `average` first"):
        insert_scores(tmp_path / "card.md", [score("test/a", "en-de", 1)])
    (tmp_path / "card.md").write_text("# Else\n", encoding="utf-8")
    with pytest.raises(TrainingError, match="has no line '## Scores'"):
        insert_scores(tmp_path / "card.md", [score("test/a", "en-de", 1)])
