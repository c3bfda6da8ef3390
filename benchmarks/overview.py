"""All bars and measured figures, read from the kept results, as one Markdown page.

Figures are stored only in result files; a missing one is shown as not measured.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.dba.report import table
from benchmarks.figures import BARS, WITHOUT_BAR, Results, Row
from benchmarks.runs import BENCHMARKS

NOT_MEASURED = "not measured"
SHOWN = (  # of the charts; the others are linked
    "latency/changed_pins",
    "time_against_constraints/every_count/time_as_used",
    "stopping/log_prob",
    "paper_dba/beams/bleu_by_beam",
)


def page(results: Path) -> str:
    """The Markdown page of the results in a folder."""
    kept = {benchmark.name: _read(results / benchmark.name / "results.json") for benchmark in BENCHMARKS}
    figures = {row.what: figure_of(row, kept[row.benchmark]) for row in (*BARS, *WITHOUT_BAR)}
    reasons = [
        f"* **{row.what}** is {row.bar.shown(figures[row.what])}; the bar is {row.bar}. {row.bar.reason} "
        f"Figures: {_chapter(row.benchmark)}."
        for row in BARS
        if row.bar and verdict(row, figures[row.what]) == "missed"
    ]
    charts = sorted(path.relative_to(results).with_suffix("").as_posix() for path in results.rglob("*.svg"))
    sections = [
        "# Bars and figures",
        "Written by `python -m benchmarks` from the kept results in this folder. Each row has the measured "
        "figure, the machine with its load, the model, the commit and the benchmark. `python -m benchmarks --run "
        "--only NAME` runs a benchmark again with the same settings.",
        _table(BARS, figures, kept),
        "## Missed bars: reasons and what was tried" if reasons else "",
        "\n".join(reasons),
        "## Figures without a bar",
        _table(WITHOUT_BAR, figures, kept),
        "## Charts",
        "\n".join(f"![{chart}]({chart}.svg)" for chart in SHOWN if chart in charts),
        "\n".join(f"* [{chart}]({chart}.svg)" for chart in charts if chart not in SHOWN),
    ]
    return "\n\n".join(filter(None, sections)) + "\n"


def figure_of(row: Row, results: Results) -> float | str | None:
    """The measured figure; None if it is missing or not a number."""
    try:
        found = row.read(results)
    except LookupError:
        return None
    return None if isinstance(found, float) and math.isnan(found) else found


def verdict(row: Row, figure: float | str | None) -> str:
    """ "met", "missed" or "not measured"."""
    assert row.bar is not None
    if not isinstance(figure, int | float):
        return f"{NOT_MEASURED} (no accelerator)" if row.bar.is_of_accelerator else NOT_MEASURED
    return "met" if row.bar.is_met(figure) else "missed"


def machine(results: Results) -> str:
    """The machine of a result, in a few words."""
    environment = results.get("environment") or {}
    processor = environment.get("processor") or environment.get("device") or "not recorded"
    device = results.get("settings", {}).get("device", "cpu")
    parts = [re.sub(r"\(R\)| Processor", "", processor) if device == "cpu" else device]
    parts += [f"{environment['num_processors']} cores"] if "num_processors" in environment else []
    load = environment.get("load_average", results.get("load_average"))
    return ", ".join(parts + ([f"load {load:g}"] if load is not None else []))


def model(results: Results) -> str:
    """The model's checksum, shortened, otherwise its name."""
    settings = results.get("settings", {})
    known = results.get("model", {}).get("checksum") or settings.get("model_checksum")
    return f"`{known[:8]}`" if known else settings.get("model", "")


def commit(results: Results) -> str:
    """The commit, shortened, and marked if files had changed."""
    known = (
        results.get("commit") or results.get("environment", {}).get("commit") or ", ".join(results.get("commits", []))
    )
    return re.sub(r"[0-9a-f]{40}", lambda found: f"`{found[0][:8]}`", known)


def _read(path: Path) -> Results:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _table(rows: Sequence[Row], figures: dict[str, float | str | None], kept: dict[str, Results]) -> str:
    has_bars = any(row.bar for row in rows)
    lines = []
    for row in rows:
        figure, results = figures[row.what], kept[row.benchmark]
        cells = [row.what]
        if row.bar:
            cells += [str(row.bar), "" if figure is None else row.bar.shown(float(figure))]
            cells += [verdict(row, figure).replace("missed", "**missed**")]
        else:
            cells += [NOT_MEASURED if figure is None else str(figure)]
        if results:
            cells += [machine(results), model(results), commit(results)]
        else:
            cells += [""] * 3
        lines.append((*cells, _chapter(row.benchmark)))
    return table(
        (
            "figure",
            *(("bar", "measured", "result") if has_bars else ("measured",)),
            "machine",
            "model",
            "commit",
            "benchmark",
        ),
        lines,
    )


def _chapter(name: str) -> str:
    """A link from the page to the benchmark's chapter in README.md."""
    (benchmark,) = (benchmark for benchmark in BENCHMARKS if benchmark.name == name)
    anchor = re.sub(r"[^\w -]", "", benchmark.chapter.lower()).replace(" ", "-")
    return f"[{name}](../README.md#{anchor})"
