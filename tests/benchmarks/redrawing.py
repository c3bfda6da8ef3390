"""Reports and charts of kept results, written anew without measuring anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks import page, stopping, time_against_constraints
from tests.benchmarks.speed import report as latency

REPORTS: dict[str, Callable[[Path, Any], object]] = {
    "latency": latency.write_report,
    "page": page.write_report,
    "stopping": stopping.write_report,
    "time_against_constraints": time_against_constraints.write_report,
    "time_against_constraints/every_count": time_against_constraints.write_report,
}


def redraw(results: Path) -> None:
    """Those of the results in a folder that are there."""
    for name, write_report in REPORTS.items():
        path = results / name / "results.json"
        if path.exists():
            write_report(path.parent, json.loads(path.read_text(encoding="utf-8")))
