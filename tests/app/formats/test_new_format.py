"""A new format is one object: everything else opens, shows, edits and exports its files without knowing it."""

from __future__ import annotations

import ast
import gc
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from app.access.actor import OWNER
from app.errors import LogError
from app.formats import FORMATS, Format, Reading, kept_file, stored_format
from app.formats.base import Comment, RawTags, Unit, UnitTranslation, WrittenFile
from app.formats.documents import Document
from app.formats.kept_file import KeptFile
from app.formats.parsed_file import ParsedFile
from app.formats.preview import preview_of
from app.formats.read_file import read_document
from app.formats.split_merge import merge_segments, split_segment
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from app.text.placeholder_conventions import LARAVEL
from app.workspace.workspace_exports import DOCUMENT
from tests.app.hand_decoder import HandDecoder, ready_model

ROOT = Path(__file__).parents[3]
# Modules that work with documents of any format, beside those of the rooms above `formats`.
GENERIC = ("documents", "read_file", "split_merge", "preview", "coverage", "kept_file", "parsed_file", "file_format")
ROOMS = ("sessions", "reports", "ui", "serving", "workspace", "reading", "log")


@dataclass(frozen=True)
class CardFile(ParsedFile):
    """Lines of "key: text"; a place is a text."""

    content: str
    units: Sequence[Unit] = field(repr=False)

    def source(self, start: int, end: int) -> str:
        return self.content[start:end]

    def describe(self, start: int) -> str:
        return f"card {self.content.count(chr(10), 0, start) + 1}"

    def tags(self, start: int, end: int) -> RawTags:
        return {"1": ("<card>", None)}

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        return self.write_with_comments(translations, (), language)

    def write_with_comments(
        self, translations: Sequence[UnitTranslation], comments: Sequence[Comment], language: str | None
    ) -> WrittenFile:
        text, edits = self.content, [(t.start, t.end, t.text) for t in translations]
        edits += [(c.end, c.end, f" # {c.text}") for c in comments]
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        return WrittenFile(text.encode())


def parse_cards(data: bytes, name: str, rules: Sequence[str] = ()) -> CardFile:
    text, units, position = data.decode(), [], 0
    for line in text.splitlines(keepends=True):
        start = position + line.index(":") + 2
        if line.partition(":")[0] not in rules:
            units.append(Unit(start, position + len(line) - 1, text[start : position + len(line) - 1], note="Card"))
        position += len(line)
    return CardFile(text, units)


CARDS = Format(
    "cards",
    "cards",
    (".cards",),
    parse_cards,
    max_bytes=200,
    takes_comments=True,
    rules=list,
    conventions=(LARAVEL,),
    visible_texts=lambda document: ["title", document.data.decode()],
)
DATA = b"one: The door is open. Close it.\ntwo: The house of :name\n"


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Format:
    monkeypatch.setitem(FORMATS, CARDS.key, CARDS)
    return CARDS


def test_new_format_needs_one_object_to_be_opened_edited_and_exported(cards: Format, store: LogStore) -> None:
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    try:
        workspace = sessions.open_document(OWNER, DATA, "a.cards")
        assert [segment.source for segment in workspace.segments] == [
            "The door is open.",
            "Close it.",
            "The house of :name",
        ]
        workspace.edit(OWNER, 2, "Das Haus von :name", "typed")
        workspace.comment(OWNER, 0, "look")
        exported = sessions.exports.make(OWNER, workspace, DOCUMENT)
        assert exported.name == "a.de.cards"
        assert exported.data == DATA.replace(b"open.", b"open. # look").replace(b"The house of", b"Das Haus von")
        again = store.load_session(OWNER, workspace.session_id).document
        assert again == replace(workspace.document, notes=()) and again.parsed.describe(40) == "card 2"
    finally:
        sessions.close()


def test_new_format_is_split_merged_shown_and_counted(cards: Format) -> None:
    document = read_document(DATA, "a.cards")
    first, second = split_segment(document, 0, 9)
    assert (first.source, second.source) == ("The door", "is open.")
    merged, _ = merge_segments(document, 0, 1)
    assert merged.source == "The door is open. Close it."
    assert [block["segments"] for block in preview_of(document)] == [[0, 1], [2]]
    assert document.segments[2].placeholders == (":name",)
    assert document.coverage is not None and document.coverage.example == "title"
    assert document.can_be_reread and not document.extras


def test_new_format_is_stored_with_its_import_settings(cards: Format) -> None:
    document = read_document(DATA, "a.cards", reading=Reading(rules=("one",)))
    assert [segment.source for segment in document.segments] == ["The house of :name"]
    assert document.format.stored == "cards;rules=one"
    assert stored_format(document.format.stored) == document.format != cards


def test_document_of_an_unknown_format_is_refused_with_the_cure(
    store: LogStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FORMATS, CARDS.key, CARDS)
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    session_id = sessions.open_document(OWNER, DATA, "a.cards").session_id
    sessions.close()
    monkeypatch.delitem(FORMATS, CARDS.key)
    with pytest.raises(LogError, match=r"wrong value \('cards'\): restore a backup"):
        store.load_session(OWNER, session_id)


@pytest.mark.parametrize(
    "stored", ["unknown", "txt;columns=1,2", "csv;columns=1", "csv;columns=-1,2", "txt;colour=red", "txt;encoding"]
)
def test_unknown_stored_format_is_refused(stored: str) -> None:
    with pytest.raises(LookupError):
        stored_format(stored)


# ---- the parsed file that a document keeps ----


def kept_of(documents: Sequence[Document]) -> list[bool]:
    return [document.kept.is_kept for document in documents]


def test_only_documents_used_last_keep_their_parsed_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_file, "MAX_KEPT", 3)
    documents = [read_document(b"One.\nTwo.\n", f"{number}.txt") for number in range(5)]
    assert kept_of(documents) == [False, False, True, True, True]
    first = documents[0].parsed
    assert kept_of(documents) == [True, False, False, True, True]
    assert documents[0].parsed is first, "it is parsed once"
    assert documents[2].parsed is not None and kept_of(documents) == [True, False, True, False, True]


def test_large_parsed_files_are_kept_up_to_a_number_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_file, "MAX_KEPT_BYTES", 1000)
    documents = [read_document(b"One. " * num, f"{num}.txt") for num in (20, 30, 150, 100)]
    assert kept_of(documents) == [False, False, False, True]
    assert read_document(b"One. " * 1000, "large.txt").kept.is_kept, "the one in use is kept whatever its size"


def test_parsed_file_is_shared_by_copies_and_freed_with_the_document() -> None:
    document = read_document(b"One.\n", "a.txt")
    parsed = weakref.ref(document.parsed)
    copy = replace(document, notes=("note",))
    assert copy.parsed is parsed()
    del document, copy
    gc.collect()
    assert parsed() is None


def test_document_is_equal_to_the_one_read_from_the_log_whether_it_is_parsed_or_not() -> None:
    document = read_document(b"One.\n", "a.txt")
    assert replace(document, kept=KeptFile()) == document


# ---- no format in generic code ----


def words_of(path: Path, keys: Mapping[str, Format]) -> list[str]:
    """The keys and endings of formats that a module compares values with, looks up, or imports the modules of."""
    found = []
    names = {*keys, *(ending for known in keys.values() for ending in known.endings)}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Compare) and "format" in ast.unparse(node):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("endswith"):
            parts = [*node.args]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance" and len(node.args) == 2:
            found += [name for name in (ast.unparse(node.args[1]),) if name.endswith("File") and name != "PackedFile"]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("app.formats."):
            room = (node.module or "").split(".")[2]
            found += [node.module or ""] if room in ("bilingual", "markup", "office", "software", "subtitles") else []
        constants = [one for part in parts for one in ast.walk(part) if isinstance(one, ast.Constant)]
        found += [str(one.value) for one in constants if one.value in names]
    return found


@pytest.mark.parametrize(
    "path",
    [
        *(ROOT / "app" / "formats" / f"{name}.py" for name in GENERIC),
        *(path for room in ROOMS for path in sorted((ROOT / "app" / room).rglob("*.py"))),
    ],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_generic_modules_name_no_format(path: Path) -> None:
    assert words_of(path, FORMATS) == []


def test_search_for_names_of_formats_finds_them(tmp_path: Path, cards: Format) -> None:
    code = """
from app.formats.office import docx
from app.formats.office.docx import DocxFile
if document.format.key == "docx" or name.endswith((".md", ".cards")) or isinstance(parsed, DocxFile): pass
"""
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    expected = ["app.formats.office", "app.formats.office.docx", "DocxFile", ".cards", ".md", "docx"]
    assert sorted(words_of(tmp_path / "a.py", FORMATS)) == sorted(expected)
