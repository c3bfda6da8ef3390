"""Figures from the records of all cells: BLEU, chrF, model scores, satisfaction, placement, times.

Works on the cells as they are stored, so that a finished run can be summarised again without decoding.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from benchmarks.dba.constraints import draw, num_met, size_of
from benchmarks.dba.decoding import Cell, Pair

NUM_RESAMPLES = 1000
Content = Mapping[str, Any]


def summarise(
    decoded: Mapping[Cell, Content],
    reference_scores: Sequence[tuple[float, float] | None],
    pairs: Sequence[Pair],
    seed: int,
) -> dict[str, Any]:
    """All figures: of the constraint sets, of the references, of every cell."""
    references = [pair.reference for pair in pairs]
    bleu, chrf = BLEU(), CHRF()
    cells = [cell_figures(cell, content, references, bleu, chrf) for cell, content in decoded.items()]
    scored = [scores for scores in reference_scores if scores is not None]
    return {
        "metrics": {"BLEU": str(bleu.get_signature()), "chrF": str(chrf.get_signature())},
        "sets": set_figures(decoded, pairs, seed),
        "references": {
            "num_scored": len(scored),
            "sum_score": _rounded(sum(score for score, _ in scored), 2),
            "mean_score": _rounded(_mean([score for score, _ in scored]), 4),
            "mean_log_prob": _rounded(_mean([log_prob for _, log_prob in scored]), 3),
        },
        "cells": cells,
    }


def cell_figures(cell: Cell, content: Content, references: Sequence[str], bleu: BLEU, chrf: CHRF) -> dict[str, Any]:
    """The figures of one cell. A sentence without a hypothesis counts as an empty output for BLEU and chrF."""
    records, timings = content["records"], content["timings"]
    outputs = [record["text"] for record in records]
    bleu_score = bleu.corpus_score(outputs, [list(references)], n_bootstrap=NUM_RESAMPLES)
    scores = [record["score"] for record in records if record["score"] is not None]
    places = [place for record in records for place in record["places"]]
    references_by_line = {record["line"]: text for record, text in zip(records, references, strict=True)}
    return {
        "set": cell.set_name,
        "beam": cell.beam,
        "pruning": cell.pruning,
        "bleu": round(bleu_score.score, 2),
        "bleu_ci95": round(bleu_score._ci, 2) if len(references) > 1 else None,
        "chrf": round(chrf.corpus_score(outputs, [list(references)]).score, 2),
        "sum_score": _rounded(sum(scores), 2),
        "mean_score": _rounded(_mean(scores), 4),
        "mean_log_prob": _rounded(_mean([r["log_prob"] for r in records if r["log_prob"] is not None]), 3),
        "mean_output_tokens": _rounded(_mean([record["num_output_tokens"] for record in records]), 2),
        "mean_steps": _rounded(_mean([record["num_steps"] for record in records]), 2),
        "satisfaction": satisfaction(records),
        "placement": {
            "r": pearson([(place["reference"], place["output"]) for place in places]),
            "num": len(places),
            "r_unique": pearson([(p["reference"], p["output"]) for p in places if p["is_unique"]]),
            "num_unique": sum(place["is_unique"] for place in places),
        },
        "by_width": {
            "C < k": group_figures([r for r in records if r["num_constraint_tokens"] < cell.beam], references_by_line),
            "C >= k": group_figures(
                [r for r in records if r["num_constraint_tokens"] >= cell.beam], references_by_line
            ),
        },
        "wall_s": content["wall_s"],
        "times": times(timings),
    }


def group_figures(records: Sequence[Content], references: Mapping[int, str]) -> dict[str, Any]:
    """BLEU and placement of some sentences of a cell; the mean place is a share of the text's length."""
    places = [(place["reference"], place["output"]) for record in records for place in record["places"]]
    outputs = [record["text"] for record in records]
    expected = [references[record["line"]] for record in records]
    return {
        "num": len(records),
        "bleu": round(BLEU().corpus_score(outputs, [expected]).score, 2) if records else None,
        "r": pearson(places),
        "mean_place_in_reference": _rounded(_mean([place for place, _ in places]), 3),
        "mean_place_in_output": _rounded(_mean([place for _, place in places]), 3),
    }


def satisfaction(records: Sequence[Content]) -> dict[str, Any]:
    """How many constraints are met in the texts: by constraint, by n-best item, by sentence.

    A sentence is met when it has an n-best list and every item of it contains every constraint.
    """
    met = [record for record in records if record["num_items"] and record["num_items"] == record["num_items_met"]]
    return {
        "num_sentences": len(records),
        "num_sentences_met": len(met),
        "num_items": sum(record["num_items"] for record in records),
        "num_items_met": sum(record["num_items_met"] for record in records),
        "num_constraints": sum(record["num_constraints"] for record in records),
        "num_constraints_met_in_best": sum(record["num_met_in_best"] for record in records),
        "statuses": dict(sorted(Counter(record["status"] for record in records).items())),
        "lines_not_met": [record["line"] for record in records if record not in met],
    }


def set_figures(decoded: Mapping[Cell, Content], pairs: Sequence[Pair], seed: int) -> list[dict[str, Any]]:
    """Size of each constraint set (the paper's table 2), and how much of it unconstrained output contains."""
    figures = []
    for name in dict.fromkeys(cell.set_name for cell in decoded):
        if not size_of(name):
            continue
        content = next(content for cell, content in decoded.items() if cell.set_name == name)
        tokens = [record["num_constraint_tokens"] for record in content["records"]]
        drawn = [[c.text for c in draw(name, pair.reference, pair.line, seed)] for pair in pairs]
        num_drawn = sum(map(len, drawn))
        shares = {
            str(cell.beam): _rounded(_share(_num_standing(drawn, free["records"]), num_drawn), 4)
            for cell, free in decoded.items()
            if cell.set_name == "none" and cell.pruning == 20
        }
        figures.append(
            {
                "set": name,
                "num_constraints": num_drawn,
                "num_sentences_with_fewer": content["num_short"],
                "num_tokens": sum(tokens),
                "mean_tokens": _rounded(_mean(tokens), 3),
                "sentences_by_tokens": {str(count): n for count, n in sorted(Counter(tokens).items())},
                "share_in_unconstrained_by_beam": shares,
            }
        )
    return figures


def times(timings: Sequence[Content]) -> dict[str, Any] | None:
    """Milliseconds a sentence and a step, over all and by the number of constraint tokens; None if none was timed."""
    if not timings:
        return None
    by_tokens: dict[int, list[Content]] = defaultdict(list)
    for timing in timings:
        by_tokens[timing["num_constraint_tokens"]].append(timing)
    return {
        **_time_figures(timings),
        "num_same_text": sum(timing["is_same_text"] for timing in timings),
        "by_tokens": {str(count): _time_figures(group) for count, group in sorted(by_tokens.items())},
    }


def pearson(points: Sequence[tuple[float, float]]) -> float | None:
    """The correlation of two coordinates; None where there are too few points, or one coordinate never varies."""
    try:
        return round(statistics.correlation(*zip(*points, strict=True)), 4)
    except (statistics.StatisticsError, TypeError):
        return None


def _time_figures(timings: Sequence[Content]) -> dict[str, Any]:
    elapsed_ms = sum(timing["elapsed_ms"] for timing in timings)
    num_steps = sum(timing["num_steps"] for timing in timings)
    return {
        "num": len(timings),
        "ms_per_sentence": round(elapsed_ms / len(timings), 2),
        "steps_per_sentence": round(num_steps / len(timings), 2),
        "ms_per_step": _rounded(_share(elapsed_ms, num_steps), 3),
    }


def _num_standing(drawn: Sequence[Sequence[str]], records: Sequence[Content]) -> int:
    return sum(num_met(texts, record["text"]) for texts, record in zip(drawn, records, strict=True))


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
