"""Rewrites reports and charts from the kept results, without measuring."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import page, stopping, time_against_constraints
from benchmarks.dba.report import write_report as write_dba_report
from benchmarks.simulation import report as simulation
from benchmarks.speed import report as latency


def write_paper_dba(folder: Path, results: Any) -> None:
    """Writes all but the chart `placement`, whose points come from sentences that are not kept."""
    write_dba_report(folder, results, decoded={})


REPORTS: dict[str, Callable[[Path, Any], object]] = {
    "latency": latency.write_report,
    "page": page.write_report,
    **{f"paper_dba/{name}": write_paper_dba for name in ("beams", "pruning", "satisfaction", "wide_beams")},
    "simulation": simulation.write_report,
    **{
        f"simulation/{name}": simulation.write_report
        for name in ("completion", "completion_held_out", "offers", "pt-en")
    },
    "stopping": stopping.write_report,
    "time_against_constraints": time_against_constraints.write_report,
    "time_against_constraints/every_count": time_against_constraints.write_report,
}


def redraw(results: Path) -> None:
    """Rewrites reports and charts of all results that the folder contains."""
    for name, write_report in REPORTS.items():
        path = results / name / "results.json"
        if path.exists():
            write_report(path.parent, json.loads(path.read_text(encoding="utf-8")))
