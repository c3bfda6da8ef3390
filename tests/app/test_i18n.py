"""What Python says, in the languages of the page."""

from __future__ import annotations

import ast
import copy
import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import app.checks
import app.i18n
from app.access.actor import OWNER
from app.errors import ApiError, AppError, CommandError
from app.i18n import Message, counted, joined, translated
from app.text.encoding import shortened_list
from app.ui.api import Api
from tests.app.ui.test_api import api, message  # noqa: F401 (a fixture)

APP = Path(app.__file__).parent
FILES = sorted((APP / "i18n").glob("messages.*.json"))


def error_names() -> set[str]:
    """The classes whose first argument is a message or its template; messages of `ApiError` are English."""
    found, waiting = {"AppError"}, AppError.__subclasses__()
    while waiting:
        error = waiting.pop()
        if error is not ApiError:
            found.add(error.__name__)
            waiting += error.__subclasses__()
    return found


def calls_of(names: set[str]) -> Iterator[tuple[Path, ast.Call]]:
    """The calls of functions and classes with these names in the sources of the app."""
    for path in APP.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                yield path, node


def templates() -> set[str]:
    """Every template in the sources; each must be spelt out where it is used, or nobody could translate it."""
    found = set(app.checks._TEMPLATES.values())
    made_elsewhere = (APP / "i18n" / "__init__.py", APP / "checks" / "__init__.py", APP / "errors.py")
    for path, call in calls_of({"Message", *error_names()}):
        is_message = isinstance(call.func, ast.Name) and call.func.id == "Message"
        if path in made_elsewhere or not (is_message or isinstance(call.args[0], ast.Constant)):
            continue
        assert isinstance(call.args[0], ast.Constant), f"{path}:{call.lineno}"
        names = {name for _, name, _, _ in Formatter().parse(call.args[0].value) if name}
        assert names == {keyword.arg for keyword in call.keywords}, f"{path}:{call.lineno}"
        found.add(call.args[0].value)
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_language_has_every_template_of_the_sources_with_the_same_values(file: Path):
    texts = json.loads(file.read_text(encoding="utf-8"))
    assert sorted(templates() - set(texts)) == []
    for english, other in texts.items():
        assert sorted(set(re.findall(r"\{.*?\}", english))) == sorted(set(re.findall(r"\{.*?\}", other)))


# Messages with a number and a plural noun whose number is never 1. A number above a limit is not, either.
NEVER_ONE = {
    "; none of the {count:,} rows can be used",
    "found {count} columns",
    "Only the sheet “{sheet}” is read; {name} has {count} sheets.",
    "{name!r} is not a valid name for a key: give 1 to {count} characters",
    "{name!r} is not a valid name: give 1 to {count} characters",
    "{name} is too large when unpacked ({count:,} files, {size:,.0f} MiB): remove large pictures or split the document",
    "{path} and {count} other logs in its folder are damaged: choose another file with --log FILE",
}


def test_message_with_a_number_has_no_plural_noun_behind_it():
    counted_noun = re.compile(r"\{(?:count|num|num_\w+|total)(?::,)?\}(?: more| other)? (?!is\b|was\b)\w+s\b")
    found = {text for text in templates() if counted_noun.search(text) and "{limit" not in text}
    assert found == NEVER_ONE


def test_number_with_its_noun_is_singular_only_for_one():
    assert [counted(num, "event") for num in (0, 1, 2, 1200)] == ["0 events", "1 event", "2 events", "1,200 events"]


def test_every_error_of_the_app_is_raised_with_a_translatable_message():
    wrong = [
        f"{path.relative_to(APP)}:{call.lineno}"
        for path, call in calls_of(error_names())
        if isinstance(call.args[0], ast.JoinedStr | ast.BinOp)
    ]
    assert wrong == []


def test_error_keeps_the_template_of_its_message_and_texts_from_elsewhere_as_they_are():
    assert CommandError("Segment {number:,} does not exist.", number=1200).args[0].values == {"number": 1200}
    assert CommandError("Not in your text.").args[0].in_language("de") == "Nicht in Ihrem Text."
    assert str(CommandError("{0} and {name}")) == CommandError("{0} and {name}").args[0].in_language("de")
    assert str(CommandError("{0} and {name}")) == "{0} and {name}"


def test_message_is_english_text_until_it_is_translated():
    template = "{name} is too large ({size:.1f} MiB, limit {limit} MiB): split the file and open the parts one by one"
    shown = Message(template, name="{x}.txt", size=1234.56, limit=64)
    assert shown == "{x}.txt is too large (1234.6 MiB, limit 64 MiB): split the file and open the parts one by one"
    assert shown.in_language("de").startswith("{x}.txt ist zu groß (1234,6 MiB")
    assert (
        Message("Segments in the source language: {count:,}.", count=1200)
        .in_language("de")
        .startswith("Segmente in der")
    )
    assert copy.deepcopy([shown])[0] is shown
    assert sqlite3.connect(":memory:").execute("select ?", (shown,)).fetchone() == (str(shown),)


def test_nested_messages_are_translated_and_user_texts_are_not():
    both = joined(
        " ",
        [Message("Not in your text."), "Not in your text.", Message("Not in the translation: {texts}", texts="a, b")],
    )
    assert both == "Not in your text. Not in your text. Not in the translation: a, b"
    reply = {"rows": [{"attention": both, "target": "Not in your text.", "index": 3}]}
    german = "Nicht in Ihrem Text. Not in your text. Nicht in der Übersetzung: a, b"
    assert translated(reply, "de") == {"rows": [{"attention": german, "target": "Not in your text.", "index": 3}]}
    assert translated(reply, "en") is reply
    assert translated(reply, "../../x") is reply


def test_errors_reach_a_german_page_in_german(api: Api):  # noqa: F811
    wrong = message(api, "edit", segment=7, text="x", origin="typed")
    assert api.command(OWNER, wrong)["error"]["message"] == "Segment 8 does not exist (segments in the document: 2)."
    german = api.command(OWNER, {**wrong, "language": "de"})
    assert german["error"]["message"] == "Segment 8 gibt es nicht (Segmente im Dokument: 2)."
    assert str(CommandError(Message("Not in your text."))) == "Not in your text."


def test_messages_in_a_shortened_list_are_translated():
    columns = [Message("column {number}", number=number) for number in range(1, 8)]
    note = Message("Not offered: {list}.", list=shortened_list(columns, 2))
    assert note == "Not offered: column 1, column 2 and 5 more."
    assert note.in_language("de") == "Nicht angeboten: Spalte 1, Spalte 2 und 5 weitere."
