"""The pairs in data/written are complete, distinct, and what their columns say."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "data" / "written"
FILES = sorted((FOLDER / "pairs").rglob("*.tsv"))


@pytest.fixture(scope="module")
def check():
    spec = importlib.util.spec_from_file_location("check_written_pairs", FOLDER / "check.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for their module there
    spec.loader.exec_module(module)
    return module


def test_every_file_is_planned_and_in_the_folder_of_its_domain():
    planned = {line.split("\t")[0] for line in (FOLDER / "plan.tsv").read_text(encoding="utf-8").splitlines()[1:]}
    assert {path.stem for path in FILES} <= planned
    assert all(path.stem.startswith(f"{path.parent.name}-") for path in FILES)


def test_pairs_are_distinct_and_small(check):
    pairs = list(check.read([*FILES, *(FOLDER.glob("set-aside.tsv"))]))
    assert len({(pair.english, pair.german) for pair in pairs}) == len(pairs)
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.tsv")) < 6_000_000


@pytest.mark.parametrize("file", FILES[::12], ids=lambda path: path.stem)
def test_numbers_quotation_marks_and_addresses_of_a_file_agree(check, file: Path):
    numbers = ("numbers: changed", "numbers: missing", "numbers: extra")
    kinds = (*numbers, "quotation", "form of address", "straight", "empty")
    found = [(pair.place, reason) for pair in check.read([file]) for reason in check.findings(pair, None)]
    assert [item for item in found if item[1].startswith(kinds)] == []


@pytest.mark.parametrize(
    ("english", "german", "reason"),
    [
        ("It costs $1,250.00.", "Es kostet 1.520,00 $.", "numbers: changed 1,250.00 → 1.250,00 ≠ 1.520,00"),
        ('Press "Start".', "Drücken Sie „Start“.", "straight quotation mark or apostrophe"),
        ("Please sign  here.", "Hier unterschreiben.", "empty, or white space at an end or twice"),
        (
            "Please sign here.",
            "Bitte unterschreiben Sie hier.",
            "form of address '-', but the German text reads formal",
        ),
    ],
)
def test_faults_are_reported(check, english: str, german: str, reason: str):
    pair = check.WrittenPair("x.tsv", 1, "en", "-", english, german)
    assert any(found.startswith(reason) for found in check.findings(pair, None))


def test_a_pair_that_repeats_most_of_another_is_reported(check):
    first = check.WrittenPair(
        "x.tsv", 1, "en", "-", "The rent is due on the third day of each month.", "Die Miete ist fällig."
    )
    second = check.WrittenPair(
        "x.tsv", 2, "en", "-", "The fee is due on the third day of each month.", "Die Gebühr folgt."
    )
    assert [place for place, _ in check.near_duplicates([first, second])] == ["x.tsv:2"]


def test_exactly_the_number_of_pairs_is_set_aside_and_the_rest_stays(check, tmp_path: Path, monkeypatch):
    paths = [tmp_path / f"x-{number}.tsv" for number in range(120)]
    rows = {path: [f"en\t-\tText {path.stem} {row}\tText {path.stem} {row}\n" for row in range(100)] for path in paths}
    for path in paths:
        path.write_text("".join(rows[path]))
    monkeypatch.setattr(check, "SET_ASIDE", tmp_path / "set-aside.tsv")
    check.set_aside(paths)
    aside = check.SET_ASIDE.read_text().splitlines(keepends=True)
    assert len(aside) == check.NUM_SET_ASIDE
    assert {sum(row in aside for row in rows[path]) for path in paths} == {3, 4}
    left = [row for path in paths for row in path.read_text().splitlines(keepends=True)]
    assert sorted(left + aside) == sorted(row for path in paths for row in rows[path])
