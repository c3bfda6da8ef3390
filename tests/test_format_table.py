"""The table of real files, over the samples of all formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import format_table
from tests.budget import is_full
from tests.fuzz.samples import documents


def test_samples_of_all_formats_open_and_are_valid_when_translated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`make test` leaves out LibreOffice, which takes 10 s; `tests.app.formats.test_libreoffice` opens a file in it."""
    samples = {ending: files[:3] for ending, files in documents().items()}
    for ending, files in samples.items():
        for number, data in enumerate(files):
            (tmp_path / f"{number}.{ending}").write_bytes(data)
    (tmp_path / "broken.json").write_text("{")
    status = format_table.main([str(tmp_path), *([] if is_full() else ["--without-office"])])
    shown = capsys.readouterr().out
    assert status == 0, shown
    for ending, files in samples.items():
        num_files = len(files) + (ending == "json")
        assert f"| {ending} | {num_files} | {len(files)} | {len(files)} | {len(files)} |" in shown
    assert "broken.json, line 1, column 2: this is not valid JSON" in shown


def test_changed_and_broken_files_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yml").write_text("a: One")

    def refused(data: bytes) -> None:
        assert data == b"a: One", "not what it was"

    monkeypatch.setitem(format_table.VALIDATORS, "yml", refused)
    assert format_table.main([str(tmp_path), "--only", "yml"]) == 1
    shown = capsys.readouterr().out
    assert "| yml | 1 | 1 | 1 | 0 |" in shown and "a.yml: AssertionError: not what it was" in shown


@pytest.mark.parametrize(("opened", "shown"), [("docx-*", "1 of 1"), ("original-*", "0 of 1"), ("nothing", "-")])
def test_translations_that_only_libreoffice_does_not_open_are_reported(
    opened: str, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.docx").write_bytes(documents()["docx"][0])
    program = tmp_path / "soffice"  # makes a PDF of some files, as their names say
    program.write_text(
        '#!/bin/sh\nwhile [ "$1" != --outdir ]; do shift; done\nfolder=$2; shift 2\nfor file; do\n'
        f'name=$(basename "$file" .docx); case $name in {opened}) touch "$folder/$name.pdf";; esac\ndone\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    status = format_table.main([str(tmp_path / "files")])
    output = capsys.readouterr().out
    assert f"| docx | 1 | 1 | 1 | 1 | {shown} |" in output
    assert status == ("LibreOffice opens the file, but not its translation" in output) == (opened == "original-*")


@pytest.mark.parametrize(
    ("text", "expected"), [("Ab {1}c{/1} %s", "aB {1}C{/1} %s"), ("<i>A</i> ß", "<i>a</i> ß"), (r"A\nb", r"a\nB")]
)
def test_case_change_keeps_tags_and_placeholders(text: str, expected: str) -> None:
    assert format_table.swapped(text) == expected
