"""The page of bars agrees with the kept results, and every benchmark accepts its arguments."""

from __future__ import annotations

import importlib
import json
import re
import shutil
from operator import attrgetter
from pathlib import Path

import pytest

from benchmarks import bars
from benchmarks.__main__ import main
from benchmarks.bars import Bar
from benchmarks.figures import BARS, WITHOUT_BAR
from benchmarks.overview import page, verdict
from benchmarks.redrawing import REPORTS, redraw
from benchmarks.runs import BENCHMARKS, KEPT, Benchmark, run

CURE = "write it again: python -m benchmarks --redraw --output benchmarks/results/bars.md"
SETS = ("news", "captions", "everyday", "encyclopedia")
FILES = dict.fromkeys(
    (
        "corpus",
        "source",
        "reference",
        "documents",
        "glossary",
        "test_sets",
        "output",
        *SETS,
        *(f"{name}_reference" for name in SETS),
    ),
    "a-file",
)


def test_page_of_bars_equals_one_made_from_the_kept_results():
    assert page(KEPT) == (KEPT / "bars.md").read_text(encoding="utf-8"), CURE


def test_reports_and_charts_equal_those_made_from_the_kept_results(tmp_path):
    for name in REPORTS:
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(KEPT / name / "results.json", tmp_path / name)
    redraw(tmp_path)
    drawn = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.suffix in (".md", ".svg")]
    assert len(drawn) > len(REPORTS)
    for path in drawn:
        assert (tmp_path / path).read_bytes() == (KEPT / path).read_bytes(), f"{path}: {CURE}"


def test_every_bar_has_a_row_and_every_link_a_chapter():
    values = [own for value in vars(bars).values() for own in (value.values() if isinstance(value, dict) else [value])]
    defined = [bar for bar in values if isinstance(bar, Bar)]
    assert sorted(defined, key=attrgetter("what")) == sorted((row.bar for row in BARS), key=attrgetter("what"))
    assert len({row.what for row in (*BARS, *WITHOUT_BAR)}) == len((*BARS, *WITHOUT_BAR))
    chapters = re.findall(r"^##+ (.+)$", (KEPT.parent / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {benchmark.chapter for benchmark in BENCHMARKS} <= set(chapters)


def test_missed_bar_has_a_reason():
    told = page(KEPT).partition("## Missed bars")[2].partition("\n## ")[0]
    for row in BARS:
        is_told = f"* **{row.what}** is" in told
        assert is_told == ("**missed**" in line_of(row.what))
        assert not is_told or (row.bar.reason and row.bar.reason in told), row.what


def line_of(what: str) -> str:
    """Its line in the table of the kept page."""
    (line,) = (line for line in page(KEPT).splitlines() if line.startswith(f"| {what} |"))
    return line


def test_missing_results_are_shown_as_not_measured(tmp_path):
    """Another result gives another page, and missing figures are marked."""
    empty = page(tmp_path)
    assert empty.count("| not measured |") == len(BARS) + len(WITHOUT_BAR) - 3
    assert empty.count("| not measured (no accelerator) |") == 3
    figures = {"page_s": 11.04, "memory_large_mb": float("nan"), "pins": [{"acknowledged": ms} for ms in (1, 100, 300)]}
    environment = {"processor": "Abacus(R) Processor", "num_processors": 3, "load_average": 2.0, "commit": "a" * 40}
    (tmp_path / "page").mkdir()
    content = {"figures": figures, "environment": environment, "settings": {"model": "en-de"}}
    (tmp_path / "page" / "results.json").write_text(json.dumps(content), encoding="utf-8")
    rows = {line.split(" | ")[0][2:]: line.split(" | ")[1:] for line in page(tmp_path).splitlines() if "| " in line}
    machine = ["Abacus, 3 cores, load 2", "en-de", "`aaaaaaaa`"]
    assert rows[bars.PAGE.what][:6] == ["at most 10.0 s", "11.0 s", "**missed**", *machine]
    assert rows[bars.PIN_TO_SCREEN.what][:3] == ["at most 100 ms", "100 ms", "met"]
    assert rows[bars.MEMORY.what][1:3] == ["", "not measured"]
    assert rows[bars.TRANSLATION.what][1:3] == ["", "not measured"]


def test_cpu_result_does_not_count_for_an_accelerator_bar(tmp_path):
    for name, kept in (("streaming/accelerator", "streaming/plain"), ("kernels/accelerator", "kernels")):
        (tmp_path / name).mkdir(parents=True)
        shutil.copy(KEPT / kept / "results.json", tmp_path / name)
    assert page(tmp_path).count("| not measured (no accelerator) |") == 3
    path = tmp_path / "streaming" / "accelerator" / "results.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"device": "cpu"', '"device": "NVIDIA H0"'), "utf-8")
    assert page(tmp_path).count("| not measured (no accelerator) |") == 1


@pytest.mark.parametrize(
    ("bar", "figure", "expected"),
    [
        (Bar("", 1.15), 1.15, "met"),
        (Bar("", 1.15), 1.151, "missed"),  # as measured, though it shows as 1.15
        (Bar("", 8, is_most=False), 8.0, "met"),
        (Bar("", 8, is_most=False), 7.999, "missed"),
        (Bar("", 8), None, "not measured"),
        (Bar("", 3, is_of_accelerator=True), None, "not measured (no accelerator)"),
    ],
)
def test_verdict_uses_the_unrounded_figure(bar, figure, expected):
    row = BARS[0].of(bar, "latency", lambda _: figure)
    assert verdict(row, figure) == expected


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda benchmark: benchmark.name)
def test_every_benchmark_accepts_the_arguments_of_its_kept_result(benchmark, capsys):
    """A program may only complain about something that the machine lacks."""
    program = importlib.import_module(benchmark.module)
    words = benchmark.words(FILES)
    if hasattr(program, "parse"):
        try:
            program.parse(words)
        except SystemExit:
            assert "cuda" in capsys.readouterr().err
    else:  # the parser stands in main
        code = Path(program.__file__).read_text(encoding="utf-8")
        assert all(f'"{word}"' in code for word in words if word.startswith("--"))


def test_benchmark_that_cannot_run_is_reported_with_a_fix_and_the_others_run(tmp_path):
    told: list[str] = []
    benchmarks = [
        Benchmark("stopping", "{source} {reference} --output {output}", ""),
        Benchmark("terminology", "{source} {glossary} --output {output}", ""),
        Benchmark("no_such", "--output {output}", ""),
        Benchmark("charts", "{output}", "", environment="an-environment-that-is-not-there"),
    ]
    outcomes = run(benchmarks, tmp_path, {"source": "a-file"}, told.append)
    assert "--test-set SOURCE REFERENCE" in outcomes["stopping"]
    assert "benchmarks.terminology" in outcomes["terminology"]
    assert "No module named benchmarks.no_such" in outcomes["no_such"]
    assert outcomes["charts"] == ""
    assert [name for name in outcomes if any(line.startswith(f"{name}: not measured") for line in told)] == list(
        outcomes
    )[:3]


def test_one_command_measures_and_writes_the_page(tmp_path, capsys):
    output = tmp_path / "bars.md"
    assert main(["--run", "--only", "stopping", "--results", str(tmp_path), "--output", str(output)]) == 1
    printed = capsys.readouterr()
    assert printed.out == output.read_text(encoding="utf-8") == page(tmp_path)
    assert "stopping: not measured: it needs a source; give --test-set" in printed.err
    with pytest.raises(SystemExit):
        main(["--only", "stopping"])
    assert "give --run too" in capsys.readouterr().err
