"""The figures of latency.py as Markdown tables, and a chart."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import bars
from benchmarks.charts import Point, chart
from benchmarks.dba.report import table
from benchmarks.speed.roofline import least_step_ms
from engine.model.config import Precision

Figures = dict[str, Any]
OURS: tuple[Precision, ...] = ("float32", "int8")
PINNED = tuple(f"{precision}, {threads}" for precision in OURS for threads in (1, 2))
DRAWN = ("float32, 1", "int8, 1", "int8, 2", "CTranslate2 int8, 1", "CTranslate2 int8, 2")


def write_report(folder: Path, results: Figures) -> str:
    """Write report.md and the chart, and return the report."""
    environment, settings = results["environment"], results["settings"]
    sections = [
        "# Latency on a CPU",
        f"Model {settings['model']}, beam {settings['beam']}, {len(settings['sentences'])} sentences, "
        f"{settings['rounds']} interleaved runs; {environment['processor']}, load {environment['load_average']}; "
        f"torch {environment['torch']}; commit {environment['commit']}.",
        pins_section("A changed pin", results["pins"]),
        *(
            pins_section(f"A changed pin, {what}", results[name])
            for name, what in (("firefox_pins", "a Firefox model"), ("opus_pins", "random weights of OPUS-MT's size"))
            if name in results
        ),
        loops_section(results["loops"]),
        batches_section(results["batches"]),
        start_section(results["start"]),
    ]
    text = "\n\n".join(sections) + "\n"
    (folder / "report.md").write_text(text, encoding="utf-8")
    (folder / "changed_pins.svg").write_text(pins_chart(results["pins"]), encoding="utf-8")
    return text


def pins_section(title: str, rows: Sequence[Figures]) -> str:
    """A changed pin: latency, and the ratio to each peer at the same steps."""
    latency, ratios = [], []
    for name in PINNED:
        times = walls(rows, name)
        per_step = [min(row["times"][name]["wall_ms"]) / row["num_steps"] for row in rows]
        latency.append(
            (
                name,
                f"{statistics.median(times):.0f}",
                f"{percentile_95(times):.0f}",
                f"{statistics.median(per_step):.2f}",
            )
        )
    peers = [name for name in rows[0]["times"] if name.startswith("CTranslate2") and not name.endswith("one step")]
    for peer in peers:
        encoder = statistics.median(encoder_ms(row, peer) for row in rows)
        cells = [f"{peer} threads" if not peer.endswith("1") else f"{peer} thread", f"{encoder:.1f}"]
        for precision in OURS:
            name = f"{precision}, {peer[-1]}"
            clocks = ("wall_ms", "cpu_ms")
            cells += [f"{statistics.median(ratio(row, name, peer, clock) for row in rows):.2f}" for clock in clocks]
        ratios.append(cells)
    steps, pieces = (statistics.median(row[name] for row in rows) for name in ("num_steps", "num_pieces"))
    parts = [
        f"## {title}",
        f"`translate()`, the sentence translated before without pins and with another pin; {len(rows)} pins, medians "
        f"of {steps:.0f} steps and {pieces:.0f} source pieces.",
        table(("weights, threads", "p50 ms", "p95 ms", "best ms a step"), latency),
    ]
    if ratios:
        parts += [
            "Its time over that of CTranslate2 (unconstrained, exactly as many steps, as many threads), best of each, "
            "median over all pins. CTranslate2 encodes anew each time: its encoder's time stands apart, and is part of "
            "the time that the ratios divide by.",
            table(
                ("peer", "its encoder, ms", "float32", "float32, processor time", "int8", "int8, processor time"),
                ratios,
            ),
        ]
    return "\n\n".join(parts)


def pins_chart(rows: Sequence[Figures]) -> str:
    """Each pin's best time by its number of steps."""
    series: dict[str, list[Point]] = {
        name if name.startswith("CTranslate2") else f"Pinpoint {name}": [
            (float(row["num_steps"]), min(row["times"][name]["wall_ms"])) for row in rows
        ]
        for name in DRAWN
    }
    return chart("A changed pin", "steps", "ms", series, has_lines=False, from_zero=True)


def walls(rows: Sequence[Figures], name: str) -> list[float]:
    """Milliseconds of every run by the clock, the least first."""
    return sorted(ms for row in rows for ms in row["times"][name]["wall_ms"])


def percentile_95(ascending: Sequence[float]) -> float:
    return ascending[int(0.95 * (len(ascending) - 1))]


def ratio(row: Figures, name: str, peer: str, clock: str) -> float:
    """The best time of ours over the peer's."""
    times = row["times"]
    return float(min(times[name][clock]) / min(times[peer][clock]))


def encoder_ms(row: Figures, peer: str) -> float:
    """What the peer takes before its first step: a call of one step less the average further one."""
    times = row["times"]
    one, whole = min(times[f"{peer}, one step"]["wall_ms"]), min(times[peer]["wall_ms"])
    return float(one - (whole - one) / max(1, row["num_steps"] - 1))


def loops_section(loops: Sequence[Figures]) -> str:
    """The decoder alone by shape, and the share of what the machine allows."""
    names = list(loops[0]["best_cpu_ms"])
    shapes = [f"{loop['shape']['size']}, {loop['shape']['vocabulary']:,} pieces" for loop in loops]
    steps = [(name, *(f"{loop['best_cpu_ms'][name]:.2f}" for loop in loops)) for name in names]
    roof = []
    for loop, shape in zip(loops, shapes, strict=True):
        for precision in loop["work"]:
            rates = loop["rates"][precision]
            least = least_step_ms(loop["work"][precision], rates, precision)
            roof.append(
                (
                    shape,
                    precision,
                    f"{loop['work'][precision]['weights_mb']:.1f}",
                    f"{rates['read_gb_s']:.1f}",
                    f"{least['reading_ms']:.2f}",
                    f"{rates[f'{precision}_gmac_s']:.0f}",
                    f"{least['computing_ms']:.2f}",
                    f"{100 * share_of_roof(loop, precision):.0f} %",
                )
            )
    return "\n\n".join(
        [
            "## The decoder alone",
            "Processor milliseconds a step, best run. Ours: the decoder's step and selection, without search; "
            "CTranslate2: a further step, its search included. The larger shape has random weights.",
            table(("engine", *shapes), steps),
            "What a step would cost if it only read its weights, or only multiplied them, at the rates of this machine "
            "(one thread; bytes read over and over, products of 1024 x 1024):",
            table(
                (
                    "shape",
                    "weights",
                    "MB read",
                    "GB/s",
                    "reading, ms",
                    "10^9 products/s",
                    "computing, ms",
                    "larger of both over measured",
                ),
                roof,
            ),
        ]
    )


def share_of_roof(loop: Figures, precision: Precision) -> float:
    """What reading the weights or multiplying them would take, whichever is longer, as a share of the measured step."""
    least = least_step_ms(loop["work"][precision], loop["rates"][precision], precision)
    return max(least.values()) / float(loop["best_cpu_ms"][precision])


def batches_section(rows: Sequence[Figures]) -> str:
    """Throughput of whole batches."""
    cells = [
        (row["beam"], row["engine"], f"{row['sentences_per_s']:.1f}", f"{row['sentences_per_cpu_s']:.1f}")
        for row in rows
    ]
    return "## Batches\n\n" + table(("beam", "engine", "sentences a second", "a second of processor time"), cells)


def start_section(starts: Sequence[Figures]) -> str:
    """The app from its command on, the best start."""
    best = {key: min(start[key] for start in starts) for key in starts[0]}
    rows = [
        (what, bar.shown(best[key]), bar)
        for what, key, bar in (
            ("a page served", "served_s", bars.PAGE),
            ("the first translation", "first_translation_s", bars.TRANSLATION),
            ("peak memory", "peak_memory_mb", bars.MEMORY),
        )
    ]
    return "## The app from its command on\n\n" + table(("until", "best start", "bar"), rows)
