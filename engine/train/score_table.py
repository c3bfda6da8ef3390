"""The scores in a model's card, for its held-out sets, beside the scores of other systems on the same sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from engine.errors import TrainingError
from engine.train.held_out import SetScore

SCORES_HEADING: Final = "## Scores"

# BLEU as mozilla/firefox-translations-models publishes it (evaluation/), for its systems in this order.
SYSTEMS: Final = ("google", "microsoft", "bergamot-tiny", "bergamot-base", "opusmt", "nllb", "argos")
PUBLISHED: Final[Mapping[tuple[str, str], Sequence[float | None]]] = {
    ("test/newstest2014", "en-de"): (30.9, 32.2, 29.8, None, 27.6, 26.2, 24.3),
    ("test/newstest2014", "de-en"): (37.4, 39.2, 33.5, 35.7, 34.0, 25.3, 30.0),
    ("test/newstest2019.en-de", "en-de"): (43.5, 43.8, 44.5, None, 40.4, 37.0, 34.6),
    ("test/newstest2019.de-en", "de-en"): (41.1, 43.8, 39.0, 40.8, 39.3, 26.3, 35.8),
    ("test/flores.devtest", "en-de"): (42.3, 42.9, 38.8, None, 36.1, 33.7, 31.8),
    ("test/flores.devtest", "de-en"): (42.8, 45.8, 39.1, 41.9, 40.6, 31.2, 36.2),
}
# BLEU goals; the first is the score of Post and Vilar 2018, trained on 5.9 million pairs, on 2,737 of these lines.
GOALS: Final[Mapping[tuple[str, str], float]] = {
    ("test/newstest2014", "en-de"): 22.3,
    ("test/software-docs", "en-de"): 35.0,
    ("test/multi30k.test_2016_flickr", "en-de"): 38.0,
    ("test/everyday.tatoeba", "en-de"): 35.0,
}

Row = tuple[str, ...]  # cells: set, direction, lines, BLEU, chrF


def insert_scores(path: Path, scores: Sequence[SetScore]) -> None:
    """Put the scores into a card; each replaces an earlier score of its set and direction.

    Raises TrainingError for a card that cannot be read, and for one whose other scores are of another beam.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise TrainingError(f"{path} cannot be read ({error}); write the model folder with `average` first") from error
    before, found, rest = text.partition(f"{SCORES_HEADING}\n")
    if not found:
        raise TrainingError(f"{path} has no line {SCORES_HEADING!r}; write the card again with `average`")
    after = rest[rest.index("\n## ") :] if "\n## " in rest else ""
    lines = rest.removesuffix(after).splitlines()
    beam = f"; beam {scores[0].beam}."
    new: dict[Row, Row] = {
        (s.set_name, s.direction): (s.set_name, s.direction, f"{s.num_lines:,}", f"{s.bleu:.1f}", f"{s.chrf:.1f}")
        for s in scores
    }
    rows = {row[:2]: row for row in _measured(lines)}
    if rows.keys() - new.keys() and not any(line.endswith(beam) for line in lines):
        raise TrainingError(f"{path} has scores of another beam than {scores[0].beam}; measure with one beam alone")
    rows.update(new)
    directions = list(dict.fromkeys(direction for _, direction in rows))
    ordered = sorted(rows.values(), key=lambda row: directions.index(row[1]))
    signatures = dict.fromkeys([line for line in lines if line.startswith("    ")])
    signatures.update(dict.fromkeys(f"    {line}" for score in scores for line in score.signatures))
    parts = [
        f"Held-out sets, none of their sentences in the training data{beam}",
        _table(("set", "direction", "lines", "BLEU", "chrF"), ordered),
        "\n".join(signatures),
        *_comparison(ordered),
    ]
    path.write_text(f"{before}{found}\n" + "\n\n".join(parts) + f"\n{after}", encoding="utf-8")


def _measured(lines: Sequence[str]) -> list[Row]:
    """The rows of a card's first table."""
    rows: list[Row] = []
    for line in lines:
        if line.startswith("|"):
            rows.append(tuple(cell.strip() for cell in line.strip("|").split("|")))
        elif rows:
            break
    return rows[2:]  # without head and rule


def _comparison(rows: Iterable[Row]) -> list[str]:
    """The rows of sets with scores of other systems or a goal; empty without any."""
    compared = []
    for name, direction, _, bleu, _ in rows:
        goal, published = GOALS.get((name, direction)), PUBLISHED.get((name, direction))
        if goal is not None or published:
            others = [goal, *(published or [None] * len(SYSTEMS))]
            compared.append((name, direction, bleu, *("" if score is None else f"{score:.1f}" for score in others)))
    if not compared:
        return []
    return [
        "BLEU beside the goal of the large model (engine/train/README.md) and beside other systems on the same sets, "
        "as\nmozilla/firefox-translations-models publishes it (evaluation/). The goal on newstest2014 is the result "
        "that Post and Vilar 2018\nreached with 5.9 million pairs, on 2,737 of these lines.",
        _table(("set", "direction", "this model", "goal", *SYSTEMS), compared),
    ]


def _table(head: Row, rows: Sequence[Row]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])
