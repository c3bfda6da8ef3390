"""All readers of untrusted input, each with the operations on a file after reading.

A reader must either read a file or reject it with an AppError. The properties of a file that was read are asserted
here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from app.access.actor import OWNER
from app.errors import AppError, CommandError
from app.formats import Reading, srx
from app.formats.archive import Archive
from app.formats.documents import Document
from app.formats.read_file import read_document, read_file
from app.formats.split_merge import merge_segments, split_segment
from app.formats.srx import RuleFile
from app.glossary.index.matcher import term_matcher
from app.glossary.lemmas import with_forms
from app.glossary.reading.glossary_file import read_glossary
from app.log.records import FIRST_HASH, event_hash, to_json
from app.log.rescue import rescue_log
from app.log.store import LogStore
from app.reports.interchange import session_tmx
from app.reports.jsonl import import_jsonl, session_jsonl
from app.reports.spreadsheets import session_csv, session_workbook
from app.reports.translated_document import translated_document
from app.reports.views import replay_view, report_view
from app.segments.stored_state import restore_segment
from app.tm.entries import MemoryEntry
from app.tm.index import MemoryIndex
from app.tm.memory_file import read_memory
from app.tm.tmx_memory import write_tmx
from tests.fuzz import models_and_messages as other
from tests.fuzz import samples
from tests.fuzz.damage import damaged

Read = Callable[[bytes], object]
_ODD_VALUES: tuple[object, ...] = (
    None, True, False, 0, -1, 2**63, 2**70, 0.5, 1e308, "", "0", "\x00", "\ud83d", "confirmed", "x" * 5000, [], [[]],
    {},    {"text": None}, ["a", 1], [{"text": "a"}],
)  # fmt: skip


@dataclass(frozen=True)
class Reader:
    """One reader with its sample files and the function that damages them."""

    name: str
    samples: list[bytes]
    read: Read
    damage: Callable[[bytes, list[bytes], Random], bytes] = damaged

    def case(self, number: int) -> bytes:
        """The damaged file of this case number, always the same."""
        random = Random(f"{self.name}:{number}")
        return self.damage(random.choice(self.samples), self.samples, random)


def readers() -> dict[str, Reader]:
    """The readers of files and messages by name."""
    found = [Reader(ending, files, partial(_document, f"a.{ending}")) for ending, files in samples.documents().items()]
    found += [Reader(f"glossary-{kind}", files, _glossary) for kind, files in samples.glossaries().items()]
    found.append(Reader("docx-extras", [samples.word_with_extras()], _document_with_extras))
    for ending, rules in _PART_RULES.items():
        read = partial(_document, f"a.{ending}", reading=Reading(rules=rules))
        found.append(Reader(f"{ending}-rules", samples.documents()[ending], read))
    for ending in ("arb", "pot", "json", "yml", "stringsdict", "xcstrings", "xml"):
        found.append(Reader(f"{ending}-forms", samples.documents()[ending], partial(_added_forms, f"a.{ending}")))
    found.append(Reader("memory", samples.memories(), _memory))
    found.append(Reader("trados-memory", samples.trados_memories(), _trados_memory))
    found.append(Reader("segmentation-rules", samples.segmentation_rules(), _segmentation_rules))
    found.append(Reader("archive", samples.archives(), _archive))
    found.append(Reader("rescue", samples.databases(), _rescue))
    read_log = _log_reader()
    found.append(Reader("log", samples.logs(), read_log))
    found.append(Reader("log-rewritten", samples.logs(), read_log, _rewritten_log))
    found.append(Reader("message", other.messages(), other.message_reader(), _rewritten_object))
    return {reader.name: reader for reader in found}


READERS_WITH_MODELS = ("model-firefox", "model-marian", "model-own", "request")


def readers_with_models() -> dict[str, Reader]:
    """The readers `READERS_WITH_MODELS`, whose samples take seconds to make, by name."""
    found = [Reader(kind, files, other.read_model) for kind, files in other.models().items()]
    found.append(Reader("request", other.lines(), other.line_reader(), _rewritten_object))
    return {reader.name: reader for reader in found}


def _document(name: str, data: bytes, reading: Reading | None = None) -> None:
    document = read_document(data, name, reading=reading)
    assert document.export({}) == data, "export without translations changed the bytes"
    translations = {s.index: f"Übersetzung {s.source[::-1]}" for s in document.segments}
    written = document.export_file(translations, "de", drafts=range(0, len(translations), 2)).data
    again = read_document(written, name, reading=reading)
    if document.format.key != "html":  # a translation may contain text that looks like the end of a raw text element
        assert len(again.segments) > 0
    _split_and_merge(document)


_PART_RULES = {
    "json": ("skip *", "translate **.title", "translate *e*.*"),
    "yml": ("skip *", "translate **.title", "translate *.*e*"),
    "dita": ("skip codeblock", "paragraph note", "inline b", "translate @navtitle"),
}


def _added_forms(name: str, data: bytes) -> None:
    """Translates a file into a language with more plural forms than the file has."""
    document = read_document(data, name, target="pl")
    written = document.export_file({s.index: f"Nowy {s.index} tekst" for s in document.segments}, "pl").data
    again = read_document(written, name, target="pl")
    assert len(again.segments) >= len({segment.source for segment in document.segments}) > 0


def _document_with_extras(data: bytes) -> None:
    """Reads a Word file with its comments, charts, diagrams and properties, as far as it has them."""
    extras = tuple(read_document(data, "a.docx").extras)
    _document("a.docx", data, Reading(extras=extras) if extras else None)


def _split_and_merge(document: Document) -> None:
    for segment in document.segments[:3]:
        with suppress(CommandError):
            first, second = split_segment(
                document, segment.index, segment.source.find(" ", len(segment.source) // 2) + 1
            )
            assert first.source and second.source
        if segment.index + 1 < len(document.segments):
            with suppress(CommandError):
                merge_segments(document, segment.index, segment.index + 1)


def _glossary(data: bytes) -> None:
    imported = read_glossary(data, "g", "en-de")
    terms = with_forms(imported.terms[:50], "de")
    assert all(term.source and term.targets for term in terms)
    glossary = term_matcher(terms, language="en")
    for line in samples.lines(0, 5).decode().split("\n"):
        assert all(0 <= hit.start < hit.end <= len(line) for hit in glossary.find(line))


def _memory(data: bytes) -> None:
    pairs = read_memory(data, "m.tmx", "en", "de").pairs
    index = MemoryIndex()
    for number, (source, target) in enumerate(pairs):
        index.add(number, MemoryEntry(source, target))
    assert index.matches(pairs[0][0])[0].rate == 100
    index.concordance(pairs[0][1])
    assert read_memory(write_tmx(index.entries(), "en", "de"), "m.tmx", "en", "de").pairs == list(dict.fromkeys(pairs))


def _trados_memory(data: bytes) -> None:
    assert all(source and target for source, target in read_memory(data, "m.sdltm", "en", "de").pairs)


def _rescue(data: bytes) -> None:
    """Copies what can be read of a damaged log: the copy is a log that opens, with only whole sessions."""
    with TemporaryDirectory() as folder:
        damaged_log, new = Path(folder) / "damaged.sqlite", Path(folder) / "new.sqlite"
        damaged_log.write_bytes(data)
        found = rescue_log(damaged_log, new)
        assert damaged_log.read_bytes() == data
        store = LogStore.open(new)
        try:
            sessions = [store.load_session(OWNER, summary.id) for summary in store.sessions(OWNER)]
        finally:
            store.close()
        assert len(sessions) == found.num_sessions


def _segmentation_rules(data: bytes) -> None:
    assert srx.read(data, "a.srx").maps
    text = "Mr. Smith left, e.g. at 3. Mai. (He came back.) Fertig usw.\n一。二！ End"
    for language in ("en", "de", "ja", "fr"):
        document = read_file(text.encode(), "a.txt").document(language, RuleFile("a.srx", data))
        assert "".join(segment.source for segment in document.segments).replace(" ", "") == "".join(text.split())


def _archive(data: bytes) -> None:
    archive = Archive(data, "a.sdlppx")
    translated = {member.index: b"<new/>" for member in archive.members if member.problem is None}
    again = Archive(archive.with_translations(translated), "a.sdlppx")
    assert [member.path for member in again.members] == [member.path for member in archive.members]
    for member, before in zip(again.members, archive.members, strict=True):
        if member.index in translated and member.problem is None:
            assert again.read(member) == b"<new/>"
        elif before.is_memory and member.is_memory:
            assert again.read(member) == archive.read(before)
    Archive(data, "a.zip").rewritten({})


def _log_reader() -> Read:
    new_store = cache(other.temporary_store)

    def read(data: bytes) -> None:
        store = new_store()
        number = import_jsonl(store, data, "a.log.jsonl")
        try:
            assert store.verify_chain(number).is_intact
            session = store.load_session(OWNER, number)
            assert session_jsonl(OWNER, store, number).data
            translated_document(session.document, map(restore_segment, session.segments), "de")
            for segment in session.segments:
                restore_segment(segment)
            for view in (report_view, replay_view, session_csv, session_workbook, session_tmx):
                view(OWNER, store, number)
        finally:
            store.delete_session(number)

    return read


def _rewritten_log(data: bytes, _: list[bytes], random: Random) -> bytes:
    """An export with some values changed and valid hashes, as after deliberate tampering."""
    lines = [json.loads(line) for line in data.decode().splitlines()]
    for _ in range(random.choice((1, 1, 2, 5))):
        _change_value(random.choice(lines[:1] * 3 + lines), random)
    previous = FIRST_HASH
    for line in lines[1:]:
        if not isinstance(line, dict) or "hash" not in line:
            continue
        try:
            line["previous_hash"] = previous
            fields = (line[name] for name in ("seq", "wall_ms", "monotonic_ms", "type", "segment", "segment_version"))
            previous = line["hash"] = event_hash(previous, *fields, to_json(line["payload"]))
        except (KeyError, TypeError, ValueError):
            continue
    if isinstance(lines[0], dict):
        lines[0]["last_hash"] = previous
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _rewritten_object(data: bytes, others: list[bytes], random: Random) -> bytes:
    """A JSON object with some values changed; one in ten has damaged bytes instead."""
    if random.random() < 0.1:
        return damaged(data, others, random)
    found = json.loads(data)
    for _ in range(random.choice((1, 1, 2, 5))):
        _change_value(found, random)
    return json.dumps(found).encode()


def _change_value(value: object, random: Random) -> None:
    """Changes or removes one nested value."""
    while isinstance(value, dict | list) and value:
        key = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
        inner = value[key]  # type: ignore[index]
        if isinstance(inner, dict | list) and inner and random.random() < 0.8:
            value = inner
            continue
        if random.random() < 0.2:
            del value[key]  # type: ignore[arg-type]
        else:
            value[key] = deepcopy(random.choice(_ODD_VALUES))  # type: ignore[index]
        return


def problem_of(read: Read, data: bytes) -> BaseException | None:
    """The unexpected exception for these bytes; None if they were read or rejected with a message."""
    try:
        read(data)
    except AppError as refusal:
        message = str(refusal)
        if not message or re.search(r"Traceback|object at 0x", message):
            return refusal
        return None
    except Exception as problem:
        return problem
    return None
