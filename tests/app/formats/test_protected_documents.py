"""Documents with tags and addresses, translated and exported, then validated with independent parsers.

The fake model reverses the order of the words, so that the right place of each tag is known.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest
from docx import Document as WordDocument

from app.__main__ import main
from tests.app.mirror import MirrorTranslator

XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en"
 target-language="de" datatype="plaintext"><body><trans-unit id="1">
<source>Press <g id="7" ctype="bold">the <g id="8">OK</g> button</g> at https://harbor.example/download<x id="9"/>
 now.</source>
</trans-unit></body></file></xliff>
"""


@pytest.fixture
def translated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr("app.cli.translate.load_translator", lambda *_: MirrorTranslator())

    def translate(name: str, data: bytes) -> bytes:
        path, output = tmp_path / name, tmp_path / f"out.{name}"
        path.write_bytes(data)
        assert main(["translate", str(path), "-o", str(output)]) == 0, "nothing needs a look"
        return output.read_bytes()

    return translate


def test_xliff(translated):
    root = ElementTree.fromstring(translated("a.xlf", XLIFF.encode()))
    name = "{urn:oasis:names:tc:xliff:document:1.2}"
    target = root.find(f".//{name}target")
    assert "".join(target.itertext()) == "now https://harbor.example/download at button OK the Press."
    mark, outer = target
    assert (target.text, mark.tag, mark.tail) == ("now https://harbor.example/download", f"{name}x", " at ")
    assert (outer.get("id"), outer.text, outer.tail) == ("7", "button ", " Press.")
    assert [(inner.get("id"), inner.text, inner.tail) for inner in outer] == [("8", "OK", " the")]


def test_word(translated):
    word = WordDocument()
    paragraph = word.add_paragraph("Press ")
    paragraph.add_run("the OK").bold = True
    paragraph.add_run(" button in ")
    paragraph.add_run("/etc/fstab/").italic = True
    paragraph.add_run(" now.")
    stream = io.BytesIO()
    word.save(stream)
    (written,) = WordDocument(io.BytesIO(translated("a.docx", stream.getvalue()))).paragraphs
    assert written.text == "now /etc/fstab/ in button OK the Press."
    assert [run.text for run in written.runs if run.bold] == ["OK the"]
    assert [run.text for run in written.runs if run.italic] == ["/etc/fstab/"]


class _Reader(HTMLParser):
    """The content of a page in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.seen.append(f"<{tag}>" if not attrs else f"<{tag} {dict(attrs)}>")

    def handle_endtag(self, tag):
        self.seen.append(f"</{tag}>")

    def handle_data(self, data):
        self.seen.append(data)


def test_html(translated):
    page = b'<p>Open <a href="x.html"><b>this</b> page</a> &amp; wait for a@harbor.example.</p>'
    seen = ["<p>", "a@harbor.example for wait & ", "<a {'href': 'x.html'}>", "page ", "<b>", "this", "</b>", "</a>"]
    assert _Reader(translated("a.html", page).decode()).seen == [*seen, " Open.", "</p>"]


@pytest.mark.parametrize(("label", "turned"), [("Save &as", "&as Save"), ("Now E_xit", "_Exit Now"), ("AT&T", "AT&T")])
def test_access_keys_go_with_their_words(translated, label, turned):
    po = f'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "{label}"\nmsgstr ""\n'
    assert f'msgstr "{turned}"' in translated("a.po", po.encode()).decode()


def test_po(translated, tmp_path):
    po = (
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        '#, c-format\nmsgid "Copy %s to <b>%d files</b>\\n"\nmsgstr ""\n'
    )
    written = translated("a.po", po.encode()).decode()
    assert 'msgstr "<b>files %d</b> to %s Copy\\n"' in written
    if shutil.which("msgfmt"):
        (tmp_path / "written.po").write_text(written.replace("#, fuzzy, c-format", "#, no-c-format"), encoding="utf-8")
        checked = subprocess.run(
            ["msgfmt", "--check-format", "-o", str(tmp_path / "a.mo"), str(tmp_path / "written.po")], check=False
        )
        assert checked.returncode == 0
