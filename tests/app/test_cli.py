"""The commands without a browser: output, files, refusals and exit statuses."""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, get_args

import openpyxl
import pytest
import xlsxwriter
from docx import Document as WordDocument

from app.__main__ import main
from app.access.actor import OWNER
from app.cli.arguments import COMMANDS, EXPORT_KINDS, MEMORY_KINDS, build_parser, parse
from app.formats.archive import Archive, pack
from app.formats.read_file import read_document
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.glossary.reading.glossary_file import read_glossary
from app.i18n import counted
from app.log.bundle_tables import Bundle, BundlePlace, bundle_of
from app.log.store import LogStore, SegmentUpdate
from app.models.loading import SEARCH
from app.models.style import FORMALITIES
from app.reports.exports import EXPORTS
from app.serving.api_glossaries import ApiGlossaries
from app.serving.keys import ApiFile
from app.settings import add_flags
from app.tm.entries import MemoryEntry
from app.tm.library import MemoryEnding, MemoryLibrary
from app.tm.memory_file import read_memory
from app.tm.tmx_memory import write_tmx
from engine import Hypothesis, Reason, Request, SearchOptions, Translation
from tests.app.formats.srx_samples import srx
from tests.app.formats.test_packages import SDLPPX
from tests.app.hand_decoder import translation
from tests.app.review_tables import reviewed

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log with two sessions; in the second, the newest, one of two segments is confirmed."""
    path = tmp_path / "log.sqlite"
    store = LogStore.open(path)
    store.start_session(OWNER, read_document(b"Other\n", "other.txt"), "en-de")
    number = store.start_session(OWNER, read_document(b"One house.\nTwo\n", "a.txt"), "en-de").id
    store.append(OWNER, number, "focus", {}, segment=0)
    store.append(OWNER, number, "decode_result", {"number": 1, "hypotheses": [{"text": "Ein Haus."}]}, segment=0)
    payload = {"text": "Ein rotes Haus."}
    store.append(OWNER, number, "confirm", payload, segment=0, update=SegmentUpdate("confirmed", payload["text"], 1))
    store.close()
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    status = main([str(argument) for argument in arguments])
    output = capsys.readouterr()
    return status, output.out, output.err


@pytest.mark.parametrize(
    "command",
    [("people", "add", "Ana"), ("keys", "create", "Ana", "--sign-in"), ("assignments", "list")],
    ids=lambda command: command[0],
)
def test_commands_that_change_a_log_name_the_damaged_file_that_they_put_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    status, _, notes = run(capsys, *command, "--log", damaged)
    assert (status, "damaged.sqlite" in notes) == (0, True)


def test_every_command_has_a_manual_with_examples_and_exit_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        manual = capsys.readouterr().out
        assert ended.value.code == 0
        assert f"python -m app {command} " in manual.split("example")[1]
        assert "exit status:" in manual


def test_help_of_the_app_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    output = capsys.readouterr().out
    assert [command for command in COMMANDS if f"\n  {command} " not in output] == []


def test_one_flag_is_one_setting_in_all_commands_and_the_app() -> None:
    """With one type and name of its value. Every flag and argument has a help text."""
    app = argparse.ArgumentParser(add_help=False)
    add_flags(app)
    (commands,) = (action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    parsers = [app, *commands.choices.values()]
    for parser in parsers:  # those of the actions of a command are added on the way
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
    kinds: dict[str, set[Any]] = {}
    for parser in parsers:
        for action in parser._actions:
            assert action.help, f"{parser.prog} {action.dest}"
            for flag in action.option_strings:
                kinds.setdefault(flag, set()).add((action.type, action.metavar, action.nargs))
    assert {flag: found for flag, found in kinds.items() if len(found) > 1} == {}


def test_document_export_includes_logged_proposals(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recalled = {"text": "Zwei", "score": -0.5, "asked": "", "made_with": ""}
    store = LogStore.open(log)
    update = SegmentUpdate("pretranslated", None, 0, {"recalled": recalled})
    store.append(OWNER, 2, "decode_result", {}, segment=1, update=update)
    store.close()
    out = tmp_path / "out.txt"
    status, _, warning = run(capsys, "export", "2", "document", "--with-proposals", "-o", out, "--log", log)
    assert (status, out.read_text()) == (0, "Ein rotes Haus.\nZwei\n")
    assert warning == "Segments that are not confirmed: 1 of 2. Proposals that nobody has edited or confirmed: 1.\n"


def test_export_kinds_equal_the_kinds_of_the_page() -> None:
    assert set(EXPORT_KINDS.values()) == {"document", "glossary", "zip", *EXPORTS}


def test_stats_lists_sessions_with_their_figures(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "stats", "--log", log)
    head, newest, other = out.splitlines()
    assert (status, head.split()) == (0, ["session", "confirmed", "source", "net", "HTER", "document"])
    assert newest.split() == ["2", "1/2", "2", "words", "0:00:00", "0.33", "a.txt"]
    assert other.split() == ["1", "0/1", "0", "words", "0:00:00", "other.txt"]


def test_units_are_characters_for_languages_without_spaces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = LogStore.open(tmp_path / "log.sqlite")
    number = store.start_session(OWNER, read_document("你好。\n".encode(), "a.txt"), "zh-en").id
    store.append(
        OWNER, number, "confirm", {"text": "Hello."}, segment=0, update=SegmentUpdate("confirmed", "Hello.", 1)
    )
    store.close()
    assert "1/1        2 characters" in run(capsys, "stats", "--log", store.path)[1]
    out = run(capsys, "stats", "newest", "--log", store.path)[1]
    assert "source characters   2 of 2 confirmed" in out and "words from          typed 1" in out
    assert run(capsys, "export", "1", "xlsx", "--log", store.path, "-o", tmp_path / "a.xlsx")[0] == 0
    sums = {row[0].value: row[1].value for row in openpyxl.load_workbook(tmp_path / "a.xlsx")["Report"].iter_rows()}
    assert (sums["source characters confirmed"], sums["confirmed words: typed"]) == (2, 1)


def test_stats_of_one_session_as_text_and_json(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "stats", "newest", "--log", log, "--idle", "30")
    assert status == 0
    assert "excluding pauses over 30 s" in out
    assert "HTER                0.333 over 1 segment\n" in out
    assert "words from          model 2, typed 1" in out
    _, out, _ = run(capsys, "stats", "2", "--log", log, "--json")
    figures = json.loads(out)
    assert (figures["hter"], figures["segments"][0]["final_text"]) == (1 / 3, "Ein rotes Haus.")
    assert figures["repetitions"] == dict.fromkeys(
        ("num_inside", "num_words_inside", "num_elsewhere", "num_words_elsewhere"), 0
    )
    _, out, _ = run(capsys, "stats", "--log", log, "--json")
    assert [json.loads(line)["session"] for line in out.splitlines()] == [2, 1]


def test_one_repeated_word_is_counted_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = LogStore.open(tmp_path / "log.sqlite")
    store.start_session(OWNER, read_document(b"Open\nOpen\n", "a.txt"), "en-de")
    store.close()
    assert "repetitions         1 segment (1 word) in the document" in run(capsys, "stats", "1", "--log", store.path)[1]


def test_exported_session_is_imported_again(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = log.read_bytes()
    names = {}
    for kind in EXPORT_KINDS.keys() - {"glossary"}:
        status, out, _ = run(capsys, "export", "2", kind, "--log", log)
        assert status == 0
        names[kind] = out.strip()
    assert names == {
        "document": "a.de.txt", "jsonl": "a.log.jsonl", "csv": "a.log.csv", "xlsx": "a.report.xlsx", "tmx": "a.tmx",
        "xliff": "a.segments.xlf", "tbx": "a.terms.tbx", "translog": "a.translog.xml", "tprdb": "a.tprdb.zip",
        "zip": "translated.de.zip", "review": "a.de.review.docx", "review-open": "a.de.review-open.docx",
    }  # fmt: skip
    assert Path("a.de.txt").read_text() == "Ein rotes Haus.\nTwo\n"
    assert run(capsys, "export", "2", "tmx", "--with-proposals", "--log", log)[::2] == (
        2, "export: --with-proposals works with the kind “document”, not with “tmx”\n",
    )  # fmt: skip
    assert log.read_bytes() == before
    assert run(capsys, "export", "2", "csv", "--log", log)[::2] == (
        2, "export: a.log.csv already exists: remove it, or choose another file with -o\n",
    )  # fmt: skip
    other = tmp_path / "other.sqlite"
    assert run(capsys, "import-log", "a.log.jsonl", "--log", other)[:2] == (0, f"Imported as session 2 into {other}.\n")
    status, _, err = run(capsys, "import-log", "a.log.jsonl", "--log", other)
    assert status == 2 and "already in" in err and "as session 2" in err
    assert not list(tmp_path.glob(".*.part"))


def test_memory_is_exported_as_on_the_page_and_imported_into_another_log(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before, pair = log.read_bytes(), ("--direction", "en-de")
    assert set(MEMORY_KINDS) == set(get_args(MemoryEnding))
    for kind in MEMORY_KINDS:
        assert run(capsys, "memory", "export", kind, *pair, "--log", log) == (0, f"memory.en-de.{kind}\n", "")
    assert log.read_bytes() == before
    assert run(capsys, "memory", "export", "tmx", *pair, "--log", log)[0] == 2, "the file exists"
    exported = read_memory(Path("memory.en-de.tmx").read_bytes(), "a.tmx", "en", "de").pairs
    assert exported == [("One house.", "Ein rotes Haus.")]
    other = tmp_path / "other.sqlite"
    importing = ("memory", "import", "memory.en-de.tmx", *pair, "--log", other)
    assert run(capsys, *importing) == (
        0,
        f"{counted(len(exported), 'translation')} imported from memory.en-de.tmx.\n",
        "",
    )
    assert run(capsys, *importing, "--project", "7")[::2] == (
        2, "memory: there is no project 7: `people projects` lists the projects\n",
    )  # fmt: skip
    store = LogStore.open(other)
    assert [(one.source, one.target) for one in MemoryLibrary(store).index("en-de").entries()] == exported
    store.close()
    assert "empty" in run(capsys, "memory", "export", "csv", "--direction", "fr-de", "--log", other)[2]
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    status, _, notes = run(capsys, *importing[:-1], damaged)
    assert (status, "damaged.sqlite" in notes) == (0, True), "the memory is in another log"
    assert run(capsys, "memory", "import", "missing.tmx", *pair, "--log", other)[0] == 2
    assert run(capsys, "memory", "export", "csv", "--direction", "en", "--log", other)[::2] == (
        2, "memory: 'en' is not a language pair: write it as en-de\n",
    )  # fmt: skip


def test_glossary_is_exported_in_the_columns_of_another_tool(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    export = ["export", "2", "glossary", "--log", log]
    assert run(capsys, *export)[::2] == (2, "export: session 2 does not have a glossary: import one first\n")
    terms = (Term("file", "Datei", variants=("Akte",)), Term("file", "Feile", status="forbidden"))
    store = LogStore.open(log)
    glossaries = (Glossary.of(1, "a.tbx", terms), Glossary.of(2, "b.csv", [Term("one", "eins")]))
    store.glossaries.change(OWNER, 2, (), glossaries, {})
    store.close()
    status, _, err = run(capsys, *export)
    assert status == 2 and "choose one of a.tbx, b.csv with --named" in err
    assert run(capsys, *export, "--as", "memoq", "--named", "a.tbx") == (0, "a.memoq.csv\n", "")
    assert run(capsys, *export, "--as", "deepl", "--named", "a.tbx") == (
        0,
        "a.deepl.csv\n",
        "This file format cannot store (number of terms): other targets (1). "
        "Forbidden terms are left out (1), because DeepL would treat them as required terms.\n",
    )
    read = read_glossary(Path("a.memoq.csv").read_bytes(), "a.memoq.csv", "en-de").terms
    assert [(term.source, term.targets, term.status) for term in read] == [
        ("file", ("Datei", "Akte"), "preferred"), ("file", ("Feile",), "forbidden"),
    ]  # fmt: skip
    status, _, err = run(capsys, "export", "2", "tmx", "--as", "memoq", "--log", log)
    assert status == 2 and "work with the kind “glossary”" in err


def test_commands_on_the_log_run_without_torch(log: Path, tmp_path: Path) -> None:
    """PyTorch takes seconds to import, and no command on the log needs it."""
    lines = [
        ["stats"],
        ["stats", "newest", "--json"],
        *(["export", "2", kind, "-o", str(tmp_path / f"out.{kind}")] for kind in EXPORT_KINDS if kind != "glossary"),
        ["backup", str(tmp_path / "copy.sqlite")],
        ["rescue", str(tmp_path / "rescued.sqlite")],
        ["verify"],
    ]
    other = ["import-log", str(tmp_path / "out.jsonl"), "--log", str(tmp_path / "other.sqlite")]
    commands = [*([*line, "--log", str(log)] for line in lines), other]
    code = (
        f"import sys; from app.__main__ import main; print([main(line) for line in {commands}], "
        "{'torch', 'pandas', 'rich'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == f"{[0] * len(commands)} set()"


def test_import_into_a_replacement_log_is_reported(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exported = tmp_path / "a.log.jsonl"
    assert run(capsys, "export", "2", "jsonl", "--log", log, "-o", exported)[0] == 0
    (tmp_path / "notes.sqlite").write_text("my notes\n" * 100)
    status, out, err = run(capsys, "import-log", exported, "--log", tmp_path / "notes.sqlite")
    assert (status, out) == (0, f"Imported as session 2 into {tmp_path / 'notes-2.sqlite'}.\n")
    assert f"The log {tmp_path / 'notes.sqlite'} is damaged" in err


MESSY = "grinder,Mahlwerk / Mühle\nthe file,Datei\nin,in\nrouter,Router\n"


@pytest.mark.parametrize(
    ("decision", "occurring"),
    [((), 1), (("--glossary-proposals", "accept"), 3), (("--glossary-proposals", "keep"), 4)],
)
def test_messy_rows_of_a_glossary_are_used_only_if_the_flag_decides_so(
    translator: HandTranslator,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    decision: tuple[str, ...],
    occurring: int,
) -> None:
    (tmp_path / "messy.csv").write_text(MESSY, encoding="utf-8")
    (tmp_path / "a.txt").write_text("The grinder is in the file of the router.\n", encoding="utf-8")
    flags = ("--glossary", tmp_path / "messy.csv", "--direction", "en-de", "--dry-run", *decision)
    status, out, err = run(capsys, "translate", tmp_path / "a.txt", *flags)
    assert status == 0
    assert f"Terms that occur in the document: {occurring} of {occurring}" in out
    problem = "messy.csv, row 1: “Mahlwerk / Mühle” seems to list alternatives; the row is not used. Proposal: Mahlwerk"
    assert (problem in err) is (not decision)
    assert ("--glossary-proposals accept" in err) is (not decision)


def test_row_errors_name_their_glossary(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("The house\n")
    for name, text in (("good.tsv", "house\tHaus\nwindow\n"), ("bad.tsv", "house\n"), ("cut.tbx", "<tbx")):
        (tmp_path / name).write_text(text)
    for bad, message in (("bad.tsv", "bad.tsv, row 1: expected source<TAB>target"), ("cut.tbx", "cut.tbx is damaged")):
        flags = ("--glossary", tmp_path / "good.tsv", "--glossary", tmp_path / bad)
        status, _, err = run(capsys, "translate", tmp_path / "a.txt", *flags)
        assert (status, "good.tsv, row 2: expected" in err, message in err) == (2, True, True)


@pytest.mark.parametrize("number", [0, 1])
def test_deeply_nested_log_is_refused_with_its_line(
    log: Path, tmp_path: Path, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    exported = tmp_path / "a.log.jsonl"
    assert run(capsys, "export", "2", "jsonl", "--log", log, "-o", exported)[0] == 0
    lines = exported.read_bytes().splitlines()
    lines[number] = b"[" * 100_000
    exported.write_bytes(b"\n".join(lines))
    status, _, err = run(capsys, "import-log", exported, "--log", tmp_path / "other.sqlite")
    assert (status, f"line {number + 1}: not a" in err) == (2, True)
    assert not (tmp_path / "other.sqlite").exists()


def test_verify_names_the_sessions_whose_events_were_changed(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "verify", "--log", log)
    assert status == 0 and "events, complete" in out and "DAMAGED" not in out
    with sqlite3.connect(log) as connection:
        connection.execute("DELETE FROM event WHERE session_id = 2 AND seq = 2")
    connection.close()
    status, out, _ = run(capsys, "verify", "--log", log)
    assert status == 1 and "session 2: DAMAGED: event 2 is missing" in out


def test_error_for_a_damaged_log_names_the_rescue_command(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "rescued.sqlite"
    before = run(capsys, "stats", "--log", log)[1]
    with sqlite3.connect(log) as connection:
        [(place,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'glossary_term'")
        connection.execute("UPDATE segment SET source = '=1+1' WHERE session_id = 2 AND segment_index = 1")
        connection.execute("DELETE FROM segment WHERE session_id = 2 AND segment_index = 0")
    connection.close()
    data = bytearray(log.read_bytes())
    data[(place - 1) * 4096 : place * 4096] = b"\xa5" * 4096
    log.write_bytes(data)
    status, _, err = run(capsys, "stats", "--log", log)
    assert status == 2 and f"rescue rescued.sqlite --log {log}" in err
    status, out, _ = run(capsys, "rescue", new, "--log", log)
    assert status == 1
    assert "contains 1 session.\n" in out and "session 2 (" in out and "is incomplete: " in out
    assert "'=1+1" in new.with_name("rescued.sqlite.texts.csv").read_text(encoding="utf-8-sig")
    listed = run(capsys, "stats", "--log", new)
    assert listed[0] == 0 and [line for line in before.splitlines() if line in listed[1]]
    assert run(capsys, "verify", "--log", new)[0] == 0
    assert log.read_bytes() == data
    assert run(capsys, "rescue", new, "--log", log)[0] == 2


def test_backup_is_a_separate_log(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "copy.sqlite"
    status, out, _ = run(capsys, "backup", copy, "--log", log)
    assert status == 0 and "contains 2 sessions" in out
    assert run(capsys, "stats", "--log", copy)[1] == run(capsys, "stats", "--log", log)[1]
    assert run(capsys, "backup", copy, "--log", log)[0] == 2


def test_backup_has_the_keys_and_a_start_with_it_finds_them(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.sqlite"
    key = run(capsys, "keys", "create", "Ana", "--log", log)[1].strip()
    file = ApiFile.beside(log)  # as the app has it open, with the last writes in a file beside it
    glossary = ApiGlossaries(file).create("Ana", "Terms", {("en", "de"): {"file": "Akte"}})
    assert run(capsys, "backup", copy, "--log", log)[0] == 0
    file.close()
    restored = ApiFile.beside(copy)
    found = restored.find(key)
    assert found is not None and found.name == "Ana"
    assert ApiGlossaries(restored).all_of("Ana") == [glossary]
    restored.close()
    if os.name == "posix":
        assert ApiFile.path_beside(copy).stat().st_mode & 0o777 == 0o600


def test_backup_copies_both_files_or_none(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "keys", "create", "Ana", "--log", log)
    taken = tmp_path / "taken.sqlite"
    taken.write_bytes(b"another file")
    assert run(capsys, "backup", taken, "--log", log)[0] == 2
    assert taken.read_bytes() == b"another file" and not ApiFile.path_beside(taken).exists()
    taken = ApiFile.path_beside(tmp_path / "new.sqlite")
    taken.write_bytes(b"another file")
    assert run(capsys, "backup", tmp_path / "new.sqlite", "--log", log)[0] == 2
    assert taken.read_bytes() == b"another file" and not (tmp_path / "new.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stats", "7"], "does not contain the session '7'"),
        (["stats", "--log", "missing.sqlite"], "log not found"),
        (["import-log", "missing.jsonl"], "missing.jsonl cannot be read"),
        (["translate", "missing.txt"], "missing.txt cannot be read"),
    ],
)
def test_failed_command_reports_the_reason_with_status_2(
    log: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    has_log = "--log" in arguments or arguments[0] == "translate"
    status, _, err = run(capsys, *arguments, *([] if has_log else ["--log", log]))
    assert status == 2 and message in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["stats", "--idle", "0"],
        ["export", "1", "pdf"],
        ["translate"],
        ["backup"],
        ["translate", "a.txt", "--formality", "polite"],
    ],
)
def test_invalid_flags_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2


# ---- translate ----


class HandTranslator:
    """Translates "One house." to "de: One house." with every phrase behind it, but for what `refused` says."""

    name = "hand"
    directions = ("en-de", "de-en")
    formalities: ClassVar[dict[str, tuple[str, ...]]] = {"en-de": ("formal", "informal")}
    domains = ("docs",)
    refused: Sequence[str] = ()

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.options: SearchOptions | None = None

    def misspelling(self, text: str) -> str | None:
        return "⁇" if "漢" in text else None

    def translate_all(self, requests: Sequence[Any], options: Any, progress: Any) -> Iterator[Translation]:
        self.options = options
        for done, asked in enumerate(requests, 1):
            request = asked[0] if isinstance(asked, tuple) else asked  # with search options of its own
            self.requests.append(request)
            if request.source in self.refused:
                yield Translation(request, "failed", reasons=(Reason("crashed", "it broke"),))
            else:
                texts = (phrase.text for phrase in request.phrases if phrase.text not in self.refused)
                yield translation(request, " ".join(["de:", request.source, *texts]))
            progress(done)


@pytest.fixture
def translator(monkeypatch: pytest.MonkeyPatch) -> HandTranslator:
    hand = HandTranslator()
    monkeypatch.setattr("app.cli.translate.load_translator", lambda *_: hand)
    return hand


def test_a_document_is_translated_with_its_terms(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.md").write_bytes(b"# One house\r\n\r\n~~~\r\ncode\r\n~~~\r\n\r\nTwo windows.\r\n")
    (tmp_path / "terms.csv").write_text("source,target\nhouse,Gebäude\n", encoding="utf-8")
    output = tmp_path / "out" / "b.md"
    status, out, err = run(
        capsys, "translate", tmp_path / "a.md", "-o", output, "--glossary", tmp_path / "terms.csv"
    )  # fmt: skip
    assert (status, out) == (0, f"{output}\n")
    expected = "# de: One house Gebäude\r\n\r\n~~~\r\ncode\r\n~~~\r\n\r\nde: Two windows.\r\n"
    assert output.read_bytes().decode() == expected
    assert "2 of 2 segments" in err
    assert translator.options == replace(SEARCH, nbest=1)  # as the page asks, but for the best one alone


def test_unreadable_source_and_errors_of_the_checks_are_reported(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answers(requests: Sequence[Request], *_: object, **__: object) -> Iterator[Translation]:
        for request in requests:
            best = Hypothesis("Drück 6", -0.5, -0.5, (1,), (-0.1,), ((0, 7),))
            yield Translation(request, "complete", (best,), unknown_source=((0, 2),))

    monkeypatch.setattr(translator, "translate_all", answers)
    (tmp_path / "a.txt").write_text("東京 takes 5\n✓ € 7\n", encoding="utf-8")
    status, _, err = run(capsys, "translate", tmp_path / "a.txt", "-o", tmp_path / "b.txt")
    assert status == 1
    assert "segment 1 contains characters that the model cannot read: 東京\n" in err
    assert "segment 1, to check: Numbers differ from the source: 5 ≠ 6\n" in err
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == "Drück 6\n✓ € 7\n"  # nothing to translate: a copy
    status, _, err = run(capsys, "translate", tmp_path / "a.txt", "-o", tmp_path / "c.txt", "--strict")
    assert status == 3 and "0 notes about the file, 1 segment with characters that the model cannot read" in err


def test_encoding_of_a_text_can_be_given(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_bytes("Žlutý kůň".encode("cp1250"))
    output = tmp_path / "b.txt"
    assert run(capsys, "translate", tmp_path / "a.txt", "-o", output, "--encoding", "cp1250")[0] == 0
    assert output.read_bytes().decode("cp1250") == "de: Žlutý kůň"
    for encoding, message in (
        ("klingon", "not a known encoding"),
        ("utf-8", "byte 0x8E is not valid in UTF-8: choose another encoding"),
    ):
        status, _, err = run(capsys, "translate", tmp_path / "a.txt", "--encoding", encoding)
        assert status == 2 and message in err


def test_segmentation_rules_can_be_given_also_for_a_folder(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("One etc. two. Three.\n")
    rules = tmp_path / "own.srx"
    rules.write_bytes(srx(r'<rule break="yes"><beforebreak>etc\.</beforebreak></rule>'))
    given = ["--srx", rules, "-o"]
    assert run(capsys, "translate", tmp_path / "in" / "a.txt", *given, tmp_path / "b.txt")[0] == 0
    assert (tmp_path / "b.txt").read_text() == "de: One etc. de: two. Three.\n"
    assert run(capsys, "translate", tmp_path / "in", *given, tmp_path / "out")[0] == 0
    assert [file.read_text() for file in (tmp_path / "out").iterdir()] == ["de: One etc. de: two. Three.\n"]
    rules.write_bytes(srx("<rule><beforebreak>[</beforebreak></rule>"))
    status, _, err = run(capsys, "translate", tmp_path / "in", *given, tmp_path / "none")
    assert status == 2 and "own.srx, line 5: [ in [ is not supported: end the set with ]" in err
    assert not (tmp_path / "none").exists()


def test_paragraphs_can_be_segments_also_beside_files_with_targets(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("One. Two.\nThree.\n")
    (folder / "b.csv").write_text("One. Two.,\nThree.,\n")
    assert run(capsys, "translate", folder, "-o", tmp_path / "out", "--segments", "paragraph")[0] == 0
    written = {file.name[0]: file.read_text() for file in (tmp_path / "out").iterdir()}
    assert written == {"a": "de: One. Two.\nde: Three.\n", "b": "One. Two.,de: One. Two.\nThree.,de: Three.\n"}


def test_line_breaks_can_end_segments_always_or_never_also_beside_other_formats(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.html").write_text("<p>One<br>two<br>Three</p>")
    (folder / "b.txt").write_text("One\n")
    for choice, num_segments in (("automatic", 2), ("separate", 3), ("join", 1)):
        assert run(capsys, "translate", folder, "-o", tmp_path / choice, "--line-breaks", choice)[0] == 0
        (written,) = (tmp_path / choice).glob("a*.html")
        assert written.read_text().count("de") == num_segments


def test_columns_of_a_table_can_be_given(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("1,a.png,Open\n2,b.png,Save\n")
    assert run(capsys, "translate", tmp_path / "a.csv", "-o", tmp_path / "b.csv", "--columns", "3,4")[0] == 0
    assert (tmp_path / "b.csv").read_text() == "1,a.png,Open,de: Open\n2,b.png,Save,de: Save\n"
    for columns in ("3", "3,3", "0,1", "a,b"):
        with pytest.raises(SystemExit):
            parse(["translate", "a.csv", "--columns", columns])


def test_keys_to_translate_can_be_given(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.json").write_text('{"id": "home", "title": "One house."}')
    rules = ["--rule", "skip *", "--rule", "translate title"]
    assert run(capsys, "translate", tmp_path / "a.json", "-o", tmp_path / "b.json", *rules)[0] == 0
    assert (tmp_path / "b.json").read_text() == '{"id": "home", "title": "de: One house."}'
    status, _, err = run(capsys, "translate", tmp_path / "a.json", "--rule", "drop id")
    assert status == 2 and "'drop id' is not a rule: write one of translate, skip" in err


@pytest.mark.parametrize(
    ("name", "data", "status", "said"),
    [
        ("a.txt", b"One house.", 0, ""),
        ("a.txt", "Größe und Höhe".encode("cp1252"), 3, "--strict: 1 note about the file, 0 segments"),
        ("a.html", b"<p>One house.</p><pre>Two</pre>", 3, "72.7 % of the text that a reader sees is offered"),
        ("a.csv", b"id,source,target\nk,One,\n", 3, "Not offered: column 1."),
    ],
)
def test_strict_ends_with_status_3_if_anything_is_not_offered_or_guessed(
    name: str, data: bytes, status: int, said: str, translator: HandTranslator, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (tmp_path / name).write_bytes(data)
    strict, _, err = run(capsys, "translate", tmp_path / name, "-o", tmp_path / f"b{name[1:]}", "--strict")
    assert strict == status and said in err
    without, _, _ = run(capsys, "translate", tmp_path / name, "-o", tmp_path / f"c{name[1:]}")
    assert without != 3


def test_list_of_choices_that_cannot_be_translated_is_a_problem(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for items, expected in ((["One house", "Two houses"], 0), (["One house", "Two houses", "9" * 230], 1)):
        with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
            sheet = book.add_worksheet("Houses")
            sheet.write_column("A1", items[:2])
            sheet.data_validation("A1:A9", {"validate": "list", "source": items})
        status, _, err = run(capsys, "translate", tmp_path / "a.xlsx", "-o", tmp_path / f"b{expected}.xlsx")
        assert (status, "(1): sheet Houses, cells A1:A9." in err) == (expected, bool(expected))


def test_unavailable_device_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("One house.", encoding="utf-8")
    status, _, err = run(capsys, "translate", tmp_path / "a.txt", "--device", "toaster")
    assert status == 2
    assert err.startswith("translate: device toaster cannot be used")


def test_direction_of_the_document_is_reported_unless_given(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("de,en\nHallo,\n,Hello\n")
    (tmp_path / "b.csv").write_text("fr,it\nSalut,\n")
    status, out, err = run(capsys, "translate", tmp_path / "a.csv")
    assert (status, out) == (0, f"{tmp_path / 'a.en.csv'}\n")
    assert err.startswith("de-en: stated in the file (change it with --direction)\n")
    assert "--direction" not in run(capsys, "translate", tmp_path / "a.csv", "--direction", "en-de")[2]
    run(capsys, "translate", tmp_path / "b.csv", "--direction", "en-de")
    assert [request.direction for request in translator.requests] == ["de-en", "en-de", "en-de"]


@pytest.mark.parametrize(
    ("name", "text", "found", "needed"),
    [
        ("a.csv", "fr,it\nSalut,\n", "the file states fr → it", "fr-it"),
        (
            "a.txt",
            "Otwórz ustawienia, zanim zapiszesz plik. Okno zostanie zamknięte.",
            "seems to be in Polish",
            "pl-de",
        ),
    ],
)
def test_a_document_in_languages_that_the_model_lacks_is_refused(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, found: str,
    needed: str,
) -> None:  # fmt: skip
    (tmp_path / name).write_text(text, encoding="utf-8")
    status, _, err = run(capsys, "translate", tmp_path / name)
    assert status == 2
    assert found in err and f"--direction {needed}" in err
    assert not translator.requests


def test_style_is_set_in_every_request(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("One house\nTwo\n")
    for number, formality in enumerate(FORMALITIES):
        flags = ("-o", tmp_path / f"{number}.txt", "--formality", formality, "--domain", "docs")
        assert run(capsys, "translate", tmp_path / "a.txt", *flags)[0] == 0
    asked = [(request.formality, request.domain) for request in translator.requests]
    assert asked == [(formality, "docs") for formality in FORMALITIES for _ in range(2)]


def test_dry_run_reports_glossary_matches_and_writes_nothing(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("The house\nA big house\nA window\n")
    (tmp_path / "first.tsv").write_text("house\tHaus\nbig house\tVilla\nwindow\t漢\n", encoding="utf-8")
    (tmp_path / "second.tsv").write_text("house\tGebäude\ndoor\tTür\n", encoding="utf-8")
    flags = ("--glossary", tmp_path / "first.tsv", "--glossary", tmp_path / "second.tsv", "--dry-run")
    status, out, _ = run(capsys, "translate", tmp_path / "a.txt", *flags)
    assert status == 0
    assert "Segments that contain a term: 3 of 3\n" in out
    assert "Terms that occur in the document: 3 of 5; not: 2\n" in out
    assert "house → Haus [first.tsv]  (segments 1)" in out
    assert "house → Haus [first.tsv]  by big house → Villa [first.tsv], which is longer" in out
    assert "house → Gebäude [second.tsv]  by house → Haus [first.tsv], which has priority for the same words" in out
    assert "cannot write “漢”" in out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "first.tsv", "second.tsv"]


def test_exact_memory_matches_are_used_and_fuzzy_ones_are_not(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = [("The  house", "Das Haus"), ("The house", "Das Gebäude"), ("A big old window", "x"), ("%s left", "ohne")]
    (tmp_path / "m.tmx").write_bytes(write_tmx([MemoryEntry(*pair) for pair in pairs], "en", "de"))
    (tmp_path / "terms.csv").write_text("source,target\nhouse,Bau\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("The house\nA big cold window\n%s left\nthe house\n")
    flags = ("--memory", tmp_path / "m.tmx", "--glossary", tmp_path / "terms.csv")
    status, _, err = run(capsys, "translate", tmp_path / "a.txt", *flags)
    first, second, third, fourth = (tmp_path / "a.de.txt").read_text().splitlines()
    assert (first, second, fourth) == ("Das Gebäude", "de: A big cold window", "de: the house Bau")
    assert third.startswith("de: %s left")  # the memory's lacks the placeholder
    assert "Segments with exact matches in m.tmx: 1 of 4. With only fuzzy matches, which are not used: 3\n" in err
    assert (status, "segment 1, from the memory, lacks Bau" in err) == (1, True)


@pytest.mark.parametrize("used", ["fluxierte", "kleidet"])
def test_term_forms_from_the_memory_are_allowed(
    used: str, translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.tmx").write_bytes(write_tmx([MemoryEntry("It fluxed", f"Es {used}")], "en", "de"))
    (tmp_path / "terms.csv").write_text("source,target\nfluxed,fluxieren\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("It fluxed\n")
    flags = ("--memory", tmp_path / "m.tmx", "--glossary", tmp_path / "terms.csv")
    status, _, err = run(capsys, "translate", tmp_path / "a.txt", *flags)
    assert (status, "lacks fluxieren" in err) == ((0, False) if used == "fluxierte" else (1, True))


def test_existing_translations_are_kept_and_new_ones_are_drafts(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    po = 'msgid "One"\nmsgstr "Eins"\n\nmsgid "Two"\nmsgstr ""\n'
    (tmp_path / "a.po").write_text(po)
    status, out, _ = run(capsys, "translate", tmp_path / "a.po")
    assert (status, out.strip()) == (0, str(tmp_path / "a.de.po"))
    draft = '#, fuzzy\nmsgid "Two"\nmsgstr "de: Two"'
    assert (tmp_path / "a.de.po").read_text() == po.replace('msgid "Two"\nmsgstr ""', draft)


def test_problems_are_reported_by_segment_and_the_document_is_written(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("One\nThe house\nThree\n")
    (tmp_path / "terms.csv").write_text("source,target\nhouse,Gebäude\n", encoding="utf-8")
    translator.refused = ("One", "Gebäude")
    status, _, err = run(capsys, "translate", tmp_path / "a.txt", "--glossary", tmp_path / "terms.csv")
    assert status == 1
    assert "segment 1 is not translated: it broke\nsegment 2 lacks Gebäude\n" in err
    assert (tmp_path / "a.de.txt").read_text() == "One\nde: The house\nde: Three\n"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-o", "b.docx"], "must end in '.txt'"),
        (["-o", "a.txt"], "is the document itself"),
        (["--direction", "en-fr"], "it translates en-de, de-en"),
        (["--direction", "de-en", "--formality", "formal"], "hand does not support the formality 'formal' for de-en"),
        (["--domain", "law"], "domain 'law' for en-de (supported: docs): leave it out"),
    ],
)
def test_invalid_output_is_refused(
    translator: HandTranslator, tmp_path: Path, more: list[str], message: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("One\n")
    status, _, err = run(capsys, "translate", "a.txt", *more)
    assert status == 2 and message in err
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_existing_file_is_not_overwritten(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("One\n")
    (tmp_path / "a.de.txt").write_text("By hand\n")
    status, _, err = run(capsys, "translate", tmp_path / "a.txt")
    assert (status, "a.de.txt already exists" in err, "segments" in err) == (2, True, False)
    assert (tmp_path / "a.de.txt").read_text() == "By hand\n"


def test_unwritable_output_is_reported_before_translating(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("One\n")
    status, _, err = run(capsys, "translate", tmp_path / "a.txt", "-o", tmp_path / "a.txt" / "b.txt")
    assert (status, "cannot be written" in err, "segments" in err) == (2, True, False)


@pytest.mark.parametrize(("stop", "status"), [(KeyboardInterrupt(), 130), (OSError(28, "No space left on device"), 2)])
def test_interrupted_write_leaves_no_partial_file(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    stop: BaseException, status: int,
) -> None:  # fmt: skip
    def half(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise stop

    (tmp_path / "a.txt").write_text("One\n")
    monkeypatch.setattr(Path, "write_bytes", half)
    assert run(capsys, "translate", tmp_path / "a.txt")[0] == status
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_unknown_command_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["tranlsate", "a.txt"])
    error = capsys.readouterr().err
    assert (ended.value.code, "no command 'tranlsate'" in error, "translate, stats" in error) == (2, True, True)


# ---- translate: several documents ----


def test_comments_of_a_word_document_are_translated_when_asked(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    word = WordDocument()
    word.add_comment(word.add_paragraph("One house.").runs[0], "Is it so?", author="A")
    word.save(str(tmp_path / "a.docx"))
    status, _, err = run(capsys, "translate", tmp_path / "a.docx", "--also", "comments", "-o", tmp_path / "b.docx")
    assert status == 0 and "Not offered" not in err
    assert [comment.text for comment in WordDocument(str(tmp_path / "b.docx")).comments] == ["de: Is it so?"]
    status, _, err = run(capsys, "translate", tmp_path / "a.docx", "--also", "pictures", "-o", tmp_path / "c.docx")
    assert status == 2 and "'pictures' is not a kind of text: choose from comments, charts" in err


def test_locked_segments_of_a_file_stay_as_they_are_also_when_they_are_read(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    locked = '<trans-unit id="2" translate="no"><source>Acme</source></trans-unit>'
    (tmp_path / "a.xlf").write_text(
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" datatype="plaintext" '
        'source-language="en" target-language="de"><body><trans-unit id="1"><source>One.</source></trans-unit>'
        f"{locked}</body></file></xliff>",
        encoding="utf-8",
    )
    for also in ((), ("--also", "locked")):
        status, _, _ = run(capsys, "translate", tmp_path / "a.xlf", *also, "-o", tmp_path / "b.xlf")
        written = (tmp_path / "b.xlf").read_text(encoding="utf-8")
        assert (status, "de: One." in written, locked in written) == (0, True, True)
        (tmp_path / "b.xlf").unlink()


def test_archive_is_translated_with_everything_else_unchanged(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"a/one.txt": b"One house.\n", "logo.png": b"\x89PNG", "b/two.txt": b"Two.\n", "bad.docx": b"no"}
    (tmp_path / "job.zip").write_bytes(pack(files))
    status, out, err = run(capsys, "translate", tmp_path / "job.zip")
    assert (status, out) == (1, f"{tmp_path / 'job.de.zip'}\n")
    assert "logo.png is not translated: Pinpoint does not read files that end in .png.\n" in err
    assert "bad.docx is not translated: bad.docx is not a .docx file" in err
    assert "Translated: 2 documents. Not translated: 2 other files.\n" in err
    archive = Archive((tmp_path / "job.de.zip").read_bytes(), "job.de.zip")
    assert archive.with_translations({}) == archive.rewritten({})
    with zipfile.ZipFile(tmp_path / "job.de.zip") as packed:
        contents = {name: packed.read(name) for name in packed.namelist()}
    assert contents == {**files, "a/one.txt": b"de: One house.\n", "b/two.txt": b"de: Two.\n"}
    status, _, err = run(capsys, "translate", tmp_path / "job.zip")
    assert status == 2 and "already exists" in err


def test_folder_is_translated_into_a_folder_and_strict_counts_the_notes_of_all_files(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    (site / "sub").mkdir(parents=True)
    (site / ".git").mkdir()
    (site / "a.txt").write_text("One house.")
    (site / "sub" / "b.html").write_text("<p>One house.</p><pre>Two</pre>")
    (site / "sub" / "c.js").write_text("no")
    (site / "link.txt").symlink_to(site / "a.txt")
    output = tmp_path / "out"
    status, out, err = run(capsys, "translate", site, "-o", output, "--strict")
    assert (status, out) == (3, f"{output}\n")
    assert "sub/b.html: 72.7 % of the text that a reader sees is offered" in err
    assert "--strict: 1 note about the file, 0 segments" in err
    assert all(f"{name} is not translated: " in err for name in ("sub/c.js", "link.txt", ".git/"))
    assert sorted(path.relative_to(output).as_posix() for path in output.rglob("*.*")) == ["a.txt", "sub/b.html"]
    assert (output / "a.txt").read_text() == "de: One house."


def test_package_of_trados_is_translated_into_its_return_package(
    translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "job.sdlppx").write_bytes(pack(SDLPPX))
    status, out, _ = run(capsys, "translate", tmp_path / "job.sdlppx")
    assert (status, out) == (0, f"{tmp_path / 'job.sdlrpx'}\n")
    archive = Archive((tmp_path / "job.sdlrpx").read_bytes(), "job.sdlrpx")
    texts = [archive.read(member).decode() for member in archive.members if member.problem is None]
    assert ["de: Two doors." in text for text in texts] == [True, True]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "does not contain a document that Pinpoint can open"),
        (["--columns", "1,2"], "--encoding, --columns, --also and --rule are for one document"),
    ],
)
def test_folder_without_documents_and_flags_for_one_document_are_refused(
    flags: list[str], message: str, translator: HandTranslator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logo.png").write_bytes(b"\x89PNG")
    status, _, err = run(capsys, "translate", tmp_path, *flags)
    assert status == 2 and message in err


def test_documents_that_were_opened_together_are_exported_as_their_archive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pack({"a/one.txt": b"One.\n", "logo.png": b"\x89PNG", "two.txt": b"Two.\n"})
    store = LogStore.open(tmp_path / "log.sqlite")
    first = store.start_session(
        OWNER,
        read_document(b"One.\n", "one.txt"),
        "en-de",
        place=BundlePlace(Bundle(0, "job.zip", data), "a/one.txt", 0),
    )
    bundle = Bundle(bundle_of(store.connection, first.id) or 0, "job.zip")
    store.start_session(OWNER, read_document(b"Two.\n", "two.txt"), "en-de", place=BundlePlace(bundle, "two.txt", 2))
    store.append(
        OWNER, first.id, "confirm", {"text": "Eins."}, segment=0, update=SegmentUpdate("confirmed", "Eins.", 1)
    )
    store.close()
    output = tmp_path / "job.de.zip"
    status, _, err = run(capsys, "export", "newest", "zip", "-o", output, "--log", store.path)
    assert (status, err) == (
        0,
        "two.txt: Segments that are not confirmed: 1 of 1. Segments in the source language: 1.\n",
    )
    assert output.read_bytes() == Archive(data, "job.zip").rewritten({0: b"Eins.\n"})


def test_review_table_comes_back_with_its_changes(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.docx"
    assert run(capsys, "export", "newest", "review", "-o", out, "--log", log)[0] == 0
    out.write_bytes(reviewed(out.read_bytes(), {1: "Ein Haus.", 2: ""}, {2: ("Ana", "Warum?")}))
    shown = (
        "segment 1\n  before   Ein rotes Haus.\n  after    Ein Haus.\n"
        "segment 2\n  comment  Ana: Warum?\n"
    )  # fmt: skip
    assert run(capsys, "import-review", "newest", out, "--log", log) == (0, shown, "")
    assert run(capsys, "import-review", "newest", out, "--apply", "--log", log)[1] == f"{shown}2 changes taken over.\n"
    assert run(capsys, "import-review", "newest", out, "--apply", "--log", log) == (0, "", "")
    document = run(capsys, "export", "newest", "csv", "-o", tmp_path / "a.csv", "--log", log)
    assert document[0] == 0 and "Ana: Warum?" in (tmp_path / "a.csv").read_text(encoding="utf-8-sig")
    assert run(capsys, "verify", "--log", log)[0] == 0
    assert run(capsys, "export", "newest", "csv", "--with-comments", "--log", log)[0] == 2
    some = tmp_path / "some.docx"
    for flags in (("--rows", "2"), ("--states", "new,locked")):
        assert run(capsys, "export", "newest", "review", *flags, "-o", some, "--log", log)[0] == 0
        some.write_bytes(reviewed(some.read_bytes(), {1: "Zwei."}))
        assert run(capsys, "import-review", "newest", some, "--log", log)[1].startswith("segment 2\n")
        some.unlink()
    assert run(capsys, "export", "newest", "csv", "--rows", "1", "--log", log)[0] == 2
    status, _, error = run(capsys, "import-review", "1", out, "--log", log)
    assert status == 2 and "is the review table of another document" in error
