"""Every text format with unusual encodings and line ends: untranslated text stays byte for byte the same."""

from __future__ import annotations

import re
from itertools import takewhile

import pytest

from app.formats.read_file import read_document
from tests.fuzz.samples import documents

OFFICE = ("docx", "pptx", "xlsx", "odt", "odp", "idml")  # no text files
SAMPLES = [(ending, data) for ending, files in documents().items() if ending not in OFFICE for data in files[:2]]
ENCODINGS = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16", "cp1252": "windows-1252"}
FILLED = "Xyz"


def written_as(data: bytes, ending: str, encoding: str, line_end: str, *, has_final: bool) -> bytes:
    """A sample in another encoding, declared in the file if the format requires that."""
    text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    text = (text if has_final else text.rstrip("\n")).replace("\n", line_end)
    text = text.encode(encoding, "ignore").decode(encoding)
    if ending == "po":
        text = text.replace("charset=UTF-8", f"charset={ENCODINGS[encoding]}")
    elif ending in ("xlf", "sdlxliff", "mqxliff", "mxliff", "tmx", "xml", "dita"):
        declared = re.sub("utf-8", ENCODINGS[encoding], text, flags=re.IGNORECASE)
        text = (
            declared if "encoding=" in declared else declared.replace("?>", f' encoding="{ENCODINGS[encoding]}"?>', 1)
        )
    return text.encode(encoding)


def num_same(one: bytes, other: bytes) -> int:
    """The length of the common prefix in bytes."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(("line_end", "has_final"), [("\n", False), ("\r\n", True)])
def test_one_translation_changes_one_place_only(encoding: str, line_end: str, has_final: bool) -> None:
    for ending, sample in SAMPLES:
        data = written_as(sample, ending, encoding, line_end, has_final=has_final)
        document = read_document(data, f"a.{ending}")
        own = {segment.index: segment.target for segment in document.segments if segment.target is not None}
        drafts = [segment.index for segment in document.segments if segment.state != "confirmed"]
        assert document.export_file(own, drafts=drafts).data == data, ending
        segment = document.segments[-1]
        written = document.export_file({segment.index: FILLED}).data
        before = num_same(data, written)
        behind = num_same(data[before:][::-1], written[before:][::-1])
        room = 4 * len(segment.source + (segment.target or "")) + 80  # with flags of an entry or an element's state
        room += 240 if ending == "sdlxliff" else 0  # its states are behind the targets
        assert len(data) - before - behind <= room, ending
        assert FILLED in written.decode(encoding), ending


def test_document_that_keeps_its_parsed_file_is_exported_like_one_that_is_parsed_again() -> None:
    for ending, sample in SAMPLES:
        kept, again = (read_document(sample, f"a.{ending}", target="pl") for _ in range(2))
        for text in (FILLED, "Other"):
            for language in ("de", None):
                again.kept.forget()
                translations = {segment.index: f"{text} {segment.index}" for segment in kept.segments}
                exported = [document.export_file(translations, language) for document in (kept, again)]
                assert exported[0] == exported[1], ending
        assert kept.export({}) == sample, ending
