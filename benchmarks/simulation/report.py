"""The report of a simulation as Markdown tables, and its chart, from the results alone."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib as mpl

from benchmarks.charts import COLOURS, STYLE
from benchmarks.dba.report import table
from benchmarks.simulation.redecoding import KINDS


def write_report(folder: Path, results: Any) -> None:
    """Writes `report.md` and `seconds.svg`."""
    (folder / "report.md").write_text(report_of(results), encoding="utf-8")
    (folder / "seconds.svg").write_text(seconds_chart(results), encoding="utf-8")


def report_of(results: Any) -> str:
    settings, sets = results["settings"], results["sets"]
    waiting = "the engine's answers included" if settings["is_waiting_counted"] else "the engine's answers not counted"
    sections = [
        "# A simulated translator",
        f"Model {settings['model']} (`{settings['model_checksum'][:8]}`), {settings['direction']}, beam "
        f"{settings['search']['beam']}, seed {settings['seed']}, commit `{results['commit'][:8]}`, {waiting}. Figures "
        "are ratios to plain post-editing of the same segments: actions, seconds [95 % interval of the seconds].",
        table(
            ("set", "segments", "documents", "with 4 or more wrong words", "BLEU", "words predicted right"),
            [
                (
                    one["name"],
                    str(one["num_segments"]),
                    str(one["num_documents"]),
                    str(one["num_hard"]),
                    f"{one['bleu']:.1f}",
                    interval(one["word_prediction"], 100, 1),
                )
                for one in sets
            ],
        ),
    ]
    for person, title in (("naive", "Always uses the gesture"), ("oracle", "Uses it only where it helps")):
        for field, which in (("", ""), ("_hard", ", segments with 4 or more wrong words")):
            sections += [f"## {title}{which}", ways_table(sets, person, field)]
    sections += [
        *calibration_sections(sets),
        *breakdown_sections(sets),
        *redecoding_sections(sets),
        "## Answer times",
        table(
            ("set", "request", "number", "median, ms", "95 %, ms"),
            [
                (one["name"], kind, str(times["number"]), f"{times['median']:.0f}", f"{times['p95']:.0f}")
                for one in sets
                for kind, times in one["answer_ms"].items()
            ],
        ),
    ]
    return "\n\n".join(sections) + "\n"


def ways_table(sets: Sequence[Any], person: str, field: str) -> str:
    names = dict.fromkeys(way["way"] for one in sets for way in one["ways"] if way["person"] == person)
    rows = []
    for name in names:
        cells = [name]
        for one in sets:
            found = [way for way in one["ways"] if (way["way"], way["person"]) == (name, person)]
            seconds, actions = (found[0][f"{kind}{field}"] if found else None for kind in ("seconds", "actions"))
            cells.append(f"{actions[0]:.2f}, {interval(seconds)}" if actions and seconds else "")
        rows.append(tuple(cells))
    return table(("way of working", *(one["name"] for one in sets)), rows)


def calibration_sections(sets: Sequence[Any]) -> list[str]:
    """How often the words that completions foresee are right; nothing for results without them."""
    rows = [
        (one["name"], kind, *(f"{100 * tenth[1]:.0f} ({tenth[2]})" if tenth else "" for tenth in tenths))
        for one in sets
        for kind, tenths in one.get("calibration", {}).items()
    ]
    if not rows:
        return []
    return [
        "## Words that completions foresee",
        "Right words in percent (number of words), by the probability that the model gives a word. Next: behind a "
        "finished word. Begun: its first one or two letters are typed. Later: behind right foreseen words.",
        table(("set", "word", *(f"{low / 10:.1f} to {low / 10 + 0.1:.1f}" for low in range(10))), rows),
    ]


def breakdown_sections(sets: Sequence[Any]) -> list[str]:
    """Where the seconds of gestures go; nothing for results without it."""
    rows = []
    for one in sets:
        for name, parts in one.get("breakdown", {}).items():
            outcomes = parts["outcomes"].items()
            counted = "; ".join(f"{figures['number']} {what}: {figures['seconds']:+.3f}" for what, figures in outcomes)
            shares = (parts["gesture"], parts["reading"], parts["spoilt"], -parts["won"])
            rows.append((one["name"], name, *(f"{share:+.3f}" for share in (*shares, sum(shares))), counted))
    if not rows:
        return []
    header = ("set", "way of working", "gesture", "reading", "spoilt", "won", "together", "acts by outcome")
    return [
        "## Where the seconds go",
        "Over the seconds of plain post-editing: the gesture beyond typing the same words by hand, reading what "
        "changed, mending right words that the answer spoilt, edits that it saved; the acts with each outcome, and "
        "their seconds.",
        table(header, rows),
    ]


def redecoding_sections(sets: Sequence[Any]) -> list[str]:
    """Nothing for results without single re-decodings."""
    tables = [redecoding_table(one) for one in sets if one["redecodings"]]
    if not tables:
        return []
    return [
        "## One re-decoding, against putting the same words in by hand",
        "Placed: all words are where the goal has them. Hurt, helped: segments with more right words lost than won, or "
        "the reverse. Spoilt, won: such words, of those that were right. Time: left to edit over left after the "
        "insertion by hand.",
        *tables,
    ]


def redecoding_table(one: Any) -> str:
    header = ("given", "request", "BLEU", "by hand", "gain", "placed", "hurt", "helped", "spoilt", "won", "time")
    rows = [
        (
            KINDS[row["kind"]],
            row["requester"],
            f"{row['bleu']:.1f}",
            f"{row['bleu_by_hand']:.1f}",
            interval(row["bleu_gain"], 1, 1),
            *(f"{row[name][0]:.2f}" if row[name] else "" for name in ("placed", "hurt", "helped", "spoilt", "won")),
            interval(row["seconds_left"]),
        )
        for row in one["redecodings"]
    ]
    return f"### {one['name']}\n\n{table(header, rows)}"


def interval(figures: Sequence[float] | None, factor: float = 1, digits: int = 2) -> str:
    """A figure with its interval.

    >>> interval([0.9, 0.85, 0.96])
    '0.90 [0.85, 0.96]'
    """
    if not figures:
        return ""
    figure, low, high = (f"{factor * value:.{digits}f}" for value in figures)
    return f"{figure} [{low}, {high}]"


def seconds_chart(results: Any) -> str:
    """Ratios of seconds with their intervals, a row for each way of working, filled marks for the naive person."""
    sets = results["sets"]
    names = list(dict.fromkeys(way["way"] for one in sets for way in one["ways"]))[1:]
    from matplotlib.figure import Figure  # a second of processor time, and most who import this draw nothing

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9, 1.2 + 0.34 * len(names)), layout="constrained")
        axes = figure.subplots()
        for k, one in enumerate(sets):
            for person, face in (("naive", COLOURS[3 * k % len(COLOURS)]), ("oracle", "white")):
                found = {way["way"]: way["seconds"] for way in one["ways"] if way["person"] == person}
                points = [(found[name], y) for y, name in enumerate(names) if found.get(name)]
                if not points:
                    continue
                offset = (k - (len(sets) - 1) / 2) * 0.7 / max(1, len(sets))
                middles = [values[0] for values, _ in points]
                axes.errorbar(
                    middles,
                    [y + offset for _, y in points],
                    xerr=[
                        [max(0, values[0] - values[1]) for values, _ in points],
                        [max(0, values[2] - values[0]) for values, _ in points],
                    ],
                    fmt="o",
                    color=COLOURS[3 * k % len(COLOURS)],
                    markerfacecolor=face,
                    elinewidth=0.8,
                    label=f"{one['name']}, {person}",
                )
        axes.axvline(1, color="#444444", linewidth=1)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlabel("seconds over plain post-editing")
        figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize="small")
        svg = StringIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in svg.getvalue().splitlines()) + "\n"
