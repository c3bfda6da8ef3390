"""What Python says, in the languages of the page."""

from __future__ import annotations

import ast
import copy
import json
import re
import sqlite3
from pathlib import Path
from string import Formatter

import pytest

import app.checks
import app.i18n
from app.errors import CommandError
from app.i18n import Message, joined, translated
from app.ui.api import Api
from tests.app.ui.test_api import api, message  # noqa: F401 (a fixture)

APP = Path(app.__file__).parent
FILES = sorted((APP / "i18n").glob("messages.*.json"))


def templates() -> set[str]:
    """Every template in the sources; each must be spelt out where it is used, or nobody could translate it."""
    found = set(app.checks._TEMPLATES.values())
    for path in APP.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_message = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Message"
            if not is_message or path in (APP / "i18n" / "__init__.py", APP / "checks" / "__init__.py"):
                continue
            assert isinstance(node, ast.Call) and isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno}"
            names = {name for _, name, _, _ in Formatter().parse(node.args[0].value) if name}
            assert names == {keyword.arg for keyword in node.keywords}, f"{path}:{node.lineno}"
            found.add(node.args[0].value)
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_language_has_every_template_of_the_sources_with_the_same_values(file: Path):
    texts = json.loads(file.read_text(encoding="utf-8"))
    assert sorted(templates() - set(texts)) == []
    for english, other in texts.items():
        assert sorted(set(re.findall(r"\{.*?\}", english))) == sorted(set(re.findall(r"\{.*?\}", other)))


def test_every_error_of_the_app_is_raised_with_a_translatable_message():
    names = {"DocumentError", "GlossaryError", "LogError", "CommandError", "DownloadError"}
    wrong = [
        f"{path.relative_to(APP)}:{node.lineno}"
        for path in APP.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
        if node.args and isinstance(node.args[0], ast.Constant | ast.JoinedStr | ast.BinOp)
    ]
    assert wrong == []


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
    assert api.command(wrong)["error"]["message"] == "Segment 8 does not exist: the document has 2 segments."
    german = api.command({**wrong, "language": "de"})
    assert german["error"]["message"] == "Segment 8 gibt es nicht: Das Dokument hat 2 Segmente."
    assert str(CommandError(Message("Not in your text."))) == "Not in your text."
