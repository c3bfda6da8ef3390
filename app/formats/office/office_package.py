"""The archive of an Office file (.docx, .pptx, .xlsx, .odt): its parts, unpacked within limits, and writing new parts.

Only parts with new content change; the others, their order and their dates stay as they are.
"""

from __future__ import annotations

import copy
import io
import lzma
import posixpath
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.errors import DocumentError
from app.formats.xml_text import decode_xml, tree
from app.i18n import Message
from app.text.encoding import DecodedText

MAX_PARTS: Final = 10_000
MAX_PART_BYTES: Final = 50 * 2**20
MAX_TOTAL_BYTES: Final = 200 * 2**20
_OLD_OFFICE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_TYPES: Final = "[Content_Types].xml"
# What the list of parts or the file "mimetype" has, by file ending.
_KINDS: Final = {
    ".docx": "wordprocessingml.document.main",
    ".pptx": "presentationml.presentation.main",
    ".xlsx": "spreadsheetml.sheet.main",
    ".odt": "opendocument.text",
    ".ods": "opendocument.spreadsheet",
    ".odp": "opendocument.presentation",
    ".idml": "adobe.indesign-idml",
}
# Exceptions that zipfile raises for damaged archives and other files.
DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError, OSError, RuntimeError,
    ValueError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OfficeKind:
    """A kind of Office file, for messages: the program, its file endings now and formerly, and a noun with article."""

    program: str
    ending: str
    old_ending: str
    noun: Message


@dataclass(frozen=True, slots=True)
class Relation:
    """A reference of a part to another one: the last word of its type ("slide"), and the part's name."""

    kind: str
    part: str


class OfficePackage:
    """The parts of an Office file. Raises DocumentError, with a remedy, if it cannot be opened or is too large."""

    def __init__(self, data: bytes, name: str, kind: OfficeKind) -> None:
        self.name = name
        self.kind = kind
        if data.startswith(_OLD_OFFICE):
            raise DocumentError(
                "{name} is password-protected or in the old {old_ending} format: in {program}, save it as {ending} "
                "without a password and open that file",
                name=name,
                old_ending=kind.old_ending,
                program=kind.program,
                ending=kind.ending,
            )
        if not data:
            raise DocumentError("{name} is empty (0 bytes): choose a file with text in it", name=name)
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            self._check(self._archive)
        except DAMAGE as problem:
            raise self._damaged(problem) from problem

    def read(self, part: str) -> bytes:
        """The content of a part. Raises DocumentError if it is missing, too large or damaged."""
        if not self.has(part):
            raise self.other_kind(part)
        try:
            with self._archive.open(part) as file:
                content = file.read(MAX_PART_BYTES + 1)
        except DAMAGE as problem:
            raise self._damaged(problem) from problem
        if len(content) > MAX_PART_BYTES:
            raise DocumentError(
                "{name}: {part} is larger than {limit} MiB when unpacked: split the document and open the parts "
                "one by one",
                name=self.name,
                part=part,
                limit=MAX_PART_BYTES // 2**20,
            )
        return content

    def xml(self, part: str) -> DecodedText:
        """The XML text of a part. Raises DocumentError as `read` and `decode_xml` do."""
        return decode_xml(self.read(part), f"{self.name} ({part})")

    def has(self, part: str) -> bool:
        """True if there is such a part."""
        return part in self._archive.NameToInfo

    @property
    def names(self) -> list[str]:
        """The names of all parts, in the order of the archive."""
        return list(self._archive.NameToInfo)

    def content_types(self) -> dict[str, str]:
        """The content type of each part that declares its own, and of the main part, whose type may be a default."""
        declared = tree(self.xml(_TYPES).text)
        types = {
            node.attributes["PartName"].lstrip("/"): node.attributes.get("ContentType", "")
            for node in declared.nodes("Override")
            if "PartName" in node.attributes
        }
        main = next((each.part for each in self.relations("").values() if each.kind == "officeDocument"), "")
        for node in declared.nodes("Default") if main not in types and self.has(main) else ():
            if main.lower().endswith(f".{node.attributes.get('Extension', '').lower()}"):
                types[main] = node.attributes.get("ContentType", "")
        return types

    def relations(self, part: str) -> dict[str, Relation]:
        """The other parts that a part refers to, by the id of the reference."""
        folder, _, file = part.rpartition("/")
        rels = posixpath.join(folder, "_rels", f"{file}.rels")
        if not self.has(rels):
            return {}
        found = {}
        for node in tree(self.xml(rels).text).nodes("Relationship"):
            target = node.attributes.get("Target", "")
            if "Id" in node.attributes and node.attributes.get("TargetMode") != "External":
                # A target that begins with "/" counts from the top of the archive.
                path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                found[node.attributes["Id"]] = Relation(node.attributes.get("Type", "").rpartition("/")[2], path)
        return found

    def rewritten(self, new: Mapping[str, bytes]) -> bytes:
        """The file with new content of some parts, and with parts that it did not have."""
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            archive.comment = self._archive.comment
            for info in self._archive.infolist():
                content = new[info.filename] if info.filename in new else self._archive.read(info)
                archive.writestr(copy.copy(info), content)
            for name in new.keys() - self._archive.NameToInfo.keys():
                archive.writestr(zipfile.ZipInfo(name), new[name], zipfile.ZIP_DEFLATED)
        return target.getvalue()

    def other_kind(self, missing: str = "") -> DocumentError:
        """The error for a file of another kind; a part may be missing."""
        described = b"".join(self.read(part) for part in ("mimetype", _TYPES) if self.has(part))
        ending = next((ending for ending, kind in _KINDS.items() if kind.encode() in described), "")
        if ending and ending not in self.kind.ending:
            return DocumentError(
                "{name} is a {ending} file with another ending: rename it so that it ends with {ending}, and open "
                "it again",
                name=self.name,
                ending=ending,
            )
        return DocumentError(
            "{name} is not {noun}{lack}: save it as {ending} in {program} and open that file",
            name=self.name,
            noun=self.kind.noun,
            lack=Message(" ({part} is missing)", part=missing) if missing else "",
            ending=self.kind.ending,
            program=self.kind.program,
        )

    def _check(self, archive: zipfile.ZipFile) -> None:
        infos = archive.infolist()
        size = sum(info.file_size for info in infos)
        if len(infos) > MAX_PARTS or size > MAX_TOTAL_BYTES:
            raise DocumentError(
                "{name} is too large when unpacked ({count:,} files, {size:,.0f} MiB): remove large pictures or "
                "split the document",
                name=self.name,
                count=len(infos),
                size=size / 2**20,
            )
        if any(info.flag_bits & 1 for info in infos):
            raise DocumentError(
                "{name} is password-protected: save it without a password and open it again", name=self.name
            )
        if len(infos) > len(archive.NameToInfo):
            names = Counter(info.filename for info in infos)
            raise zipfile.BadZipFile(f"{names.most_common(1)[0][0]} is there twice")
        if damaged := archive.testzip():
            raise zipfile.BadZipFile(f"{damaged} is damaged")

    def _damaged(self, problem: Exception) -> DocumentError:
        return DocumentError(
            "{name} is not a {ending} file or is damaged ({problem}): open and save it in {program}, then open it "
            "here again",
            name=self.name,
            ending=self.kind.ending,
            problem=problem,
            program=self.kind.program,
        )
