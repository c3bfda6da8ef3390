"""The comparison as Markdown tables, with machine and versions."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import torch

from benchmarks.constrained.grid import GridRow
from benchmarks.constrained.trackers import TrackerRow
from benchmarks.constrained.traps import BatchRow, TrapRow

ROOT = Path(__file__).resolve().parents[2]


def environment() -> dict[str, Any]:
    """Machine, versions and commit, as far as figures depend on them."""
    return {
        "processor": _processor(),
        "num_processors": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load_average": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("torch", "transformers", "numpy")},
        "commit": _commit(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _commit() -> str:
    """The commit, marked where what runs here has changed since; "unknown" outside a checkout."""
    git = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT)]
    used = ["engine/search", "engine/text", "engine/search_options.py", "tests/reference", "benchmarks"]
    try:
        head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
        status = subprocess.run(
            [*git, "status", "--porcelain", "--untracked-files=no", *used], check=True, capture_output=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + (" with changes" if status else "")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; bars inside cells are escaped."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def report(
    facts: dict[str, Any],
    settings: dict[str, Any],
    trackers: Sequence[TrackerRow],
    traps: Sequence[TrapRow],
    grid: Sequence[GridRow],
    batches: Sequence[BatchRow],
) -> str:
    """The whole report as Markdown."""
    sections = [
        "# Constrained search: Pinpoint and transformers",
        f"{facts['processor']}, {facts['num_processors']} processors, {facts['threads']} thread(s) used, load "
        f"average {facts['load_average']} at the start; {facts['system']}, Python {facts['python']}, torch "
        f"{facts['torch']}, transformers {facts['transformers']}, commit {facts['commit']}. {settings['sentences']} "
        f"sentences a cell, seed {settings['seed']}, {settings['seconds']:.0f} s in all.",
        "## Trackers\n\nRandom strings of pieces with random phrases: of those that hold all phrases, how many each "
        "tracker finds so, on the text and where even the pieces stand in a row; and of those that do not hold them on "
        "the text, how many it takes for met. (Pieces in a row inside a longer word are not the phrase.)\n\n"
        + _trackers(trackers),
        "## Named cases\n\nThe model is made to want one sentence. Does it hold the phrases, who sees that, and what "
        "comes out at beam 10, with its score per piece.\n\n" + _traps(traps),
    ]
    for world, rows in groupby(grid, key=lambda row: row.world):
        sections.append(f"## Random sentences: {world}\n\n" + _grid(list(rows)))
    sections.append(
        "## Batches\n\nBeam 10. Met: sentences whose best item meets its own phrases on the text. As alone: "
        "sentences with the same n-best list as in a call of their own.\n\n" + _batches(batches)
    )
    return "\n\n".join(sections) + "\n"


def _trackers(rows: Sequence[TrackerRow]) -> str:
    columns = ["vocabulary", "tracker", "strings", "refused", "found on the text", "found in pieces", "taken wrongly"]
    return table(
        columns,
        [
            (
                row.vocabulary,
                row.tracker,
                row.strings,
                row.refused,
                _of(row.standing_seen, row.standing),
                _of(row.standing_in_pieces_seen, row.standing_in_pieces),
                _of(row.absent_seen, row.absent),
            )
            for row in rows
        ],
    )


def _traps(rows: Sequence[TrapRow]) -> str:
    columns = ["case", "phrases", "wanted", "holds them", "ours sees", "theirs sees", "ours wrote", "theirs wrote"]
    return table(
        columns,
        [
            (
                row.name,
                ", ".join(f"`{phrase}`" for phrase in row.phrases),
                f"`{row.wanted}`",
                _yes(row.stands),
                row.pinpoint_sees,
                row.transformers_sees,
                _wrote(row.pinpoint_wrote, row.pinpoint_met, row.pinpoint_score),
                _wrote(row.transformers_wrote, row.transformers_met, row.transformers_score),
            )
            for row in rows
        ],
    )


def _wrote(text: str, met: bool, score: float | None) -> str:
    if score is None:
        return text
    return f"`{text}` {score:.2f}" + ("" if met else " **misses**")


def _grid(rows: Sequence[GridRow]) -> str:
    columns = [
        "phrases (pieces)",
        "beam",
        "engine",
        "met: best item",
        "in pieces",
        "any item",
        "n-best items",
        "misses untold",
        "best score",
        "its log-prob, pieces",
        "better / worse",
        "ms of processor time",
        "errors",
    ]
    return table(
        columns,
        [
            (
                f"{row.phrases} ({row.constraint_tokens:.1f})",
                row.beam,
                row.engine,
                f"{row.best_on_text:.0%}",
                f"{row.best_on_pieces:.0%}",
                f"{row.any_on_text:.0%}",
                f"{row.items_on_text:.0%} of {row.items}",
                f"{row.silent:.0%}",
                "" if row.best_score is None else f"{row.best_score:.2f}",
                "" if row.best_length is None else f"{row.best_log_prob:.1f}, {row.best_length:.0f}",
                "" if row.engine == "transformers" else f"{row.wins} / {row.losses}",
                f"{row.milliseconds:.0f}",
                row.errors,
            )
            for row in rows
        ],
    )


def _batches(rows: Sequence[BatchRow]) -> str:
    columns = ["case", "engine", "calls", "met", "as alone", "seconds", "errors"]
    return table(
        columns,
        [
            (
                row.name,
                row.engine,
                row.calls,
                f"{row.met} of {row.sentences}",
                "" if row.as_alone is None else f"{row.as_alone} of {row.sentences}",
                f"{row.seconds:.2f}",
                row.error,
            )
            for row in rows
        ],
    )


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.1%})" if whole else "0 of 0"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
