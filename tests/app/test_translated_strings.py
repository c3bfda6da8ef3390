"""Files of software, translated by the command with the bundled model: placeholders stay, and the log keeps them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.__main__ import main
from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.glossary import Term, TermHit
from app.log.store import LogStore
from app.reports.jsonl import read_jsonl, session_jsonl
from app.segments.state import SegmentState

FILES: Mapping[str, tuple[str, str]] = {  # name: (file, pattern of its placeholders)
    "i18next.json": (
        """{
  "a": "Open the <1>file</1> now.",
  "b": "Read our <0>terms of use</0> and our <1>privacy policy</1>.",
  "c": "You have <1>{{count}}</1> unread messages.<2 /> Click <3>here<4/></3> to read them.",
  "d": "See $t(common.open) for help.",
  "e": "Read @:docs.title or @.lower:docs.help first."
}
""",
        r"</?\d+ ?/?>|\{\{\w+\}\}|\$t\([\w.]+\)|@[.:]\w+[\w.:]*\w",
    ),
    "laravel.json": (
        """{
  "a": "The :attribute must be a number.",
  "b": "Hello :Name, you have :count messages.",
  "c": "Hello !name, open the file.",
  "d": "You have new messages in [folder]."
}
""",
        r"[:!][A-Za-z]\w+|\[\w+\]",
    ),
    "symfony.yml": (
        'a: "Hello %name%, you have %count% messages."\nb: "The value must be less than :max."\n',
        r"%\w+%|:max",
    ),
    "drupal.po": (
        """msgid "The file %filename could not be saved."
msgstr "The file %filename could not be saved."

msgid "@count new messages from !user at @site-name."
msgstr ""

msgid "The file %directory was deleted by @author."
msgstr ""
""",
        r"[@%!][a-z][\w-]+",
    ),
    "qt.po": (
        """msgid "%1 of %2 files were copied."
msgstr ""

msgid "%n file(s) were deleted in %L1 seconds."
msgstr ""
""",
        r"%L?[\dn]",
    ),
    "Localizable.strings": (
        '"a" = "Delete \\(count) files from \\(folder.name)?";\n',
        r"\\\([\w.]+\)",
    ),
    "strings.xml": (
        """<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
    <string name="a">The <xliff:g id="app_name">Red Pump</xliff:g> works with water.</string>
    <string name="b">Accept our <![CDATA[<a href="%1$s">terms of use</a>]]> now.</string>
    <string name="c"><![CDATA[Accept the <a href="%1$s">terms of use</a> now.]]></string>
</resources>
""",
        r'<xliff:g id="app_name">Red Pump</xliff:g>|<!\[CDATA\[|\]\]>|<a href="%1\$s">|</a>',
    ),
}


@pytest.fixture(scope="module")
def translated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the translations of all files."""
    folder = tmp_path_factory.mktemp("strings")
    for name, (text, _) in FILES.items():
        (folder / "source").mkdir(exist_ok=True)
        (folder / "source" / name).write_text(text, encoding="utf-8")
    arguments = ["translate", str(folder / "source"), "--direction", "en-de", "-o", str(folder / "target")]
    assert main(arguments) in (0, 1)
    return folder / "target"


@pytest.mark.parametrize("name", FILES)
def test_placeholders_stay_in_the_translation(translated: Path, name: str) -> None:
    source, pattern = FILES[name]
    [path] = [path for path in translated.rglob("*") if path.name in (name, name.replace(".", ".de.", 1))]
    target = path.read_text(encoding="utf-8")
    assert target != source
    pairs = list(zip(source.splitlines(), target.splitlines(), strict=False))
    if name.endswith(".po"):
        pairs = re.findall(r'msgid "(.+)"\nmsgstr "(.+)"', target)
        assert len(pairs) == source.count("msgid")
    for before, after in pairs:
        assert sorted(re.findall(pattern, after)) == sorted(re.findall(pattern, before))


def test_pairs_of_numbered_tags_stay_around_words(translated: Path) -> None:
    [path] = translated.rglob("i18next*.json")
    for line in path.read_text(encoding="utf-8").splitlines():
        opened: list[str] = []
        for end, number, is_lone in re.findall(r"<(/?)(\d+)( ?/)?>", line):
            if end:
                assert opened.pop() == number
            elif not is_lone:
                opened.append(number)
        assert not opened and not re.search(r"<(\d+)>\s*</\1>", line)


def test_placeholders_of_a_segment_are_stored_and_exported(tmp_path: Path) -> None:
    document = read_document(FILES["laravel.json"][0].encode(), "laravel.json")
    expected = [(":attribute",), (":Name", ":count"), ("!name",), ("[folder]",)]
    assert [segment.placeholders for segment in document.segments] == expected
    store = LogStore.open(tmp_path / "log.sqlite")
    session = store.start_session(OWNER, document, "en-de")
    loaded = store.load_session(OWNER, session.token)
    assert [segment.placeholders for segment in loaded.document.segments] == expected
    assert [segment.placeholders for segment in loaded.segments] == expected
    record, _ = read_jsonl(session_jsonl(OWNER, store, session.id).data, "log.jsonl")
    store.close()
    assert [segment.placeholders for segment in record.document.segments] == expected
    assert [segment.placeholders for segment in record.segments] == expected


def test_term_in_a_placeholder_is_not_required() -> None:
    term = Term("user", "Benutzer", 1)
    hits = tuple(TermHit(term, at, at + 4) for at in (6, 15))
    segment = SegmentState(0, "Hello :user or user", 4, hits=hits, placeholders=(":user",))
    assert sorted((one.text, one.count) for one in segment.resolved.required) == [(":user", 1), ("Benutzer", 1)]
