"""Reading translation memories, and writing them as TMX; inline codes are numbered tags in the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar
from xml.sax.saxutils import quoteattr

from app import VERSION
from app.errors import DocumentError
from app.formats.xml_text import Node, decode_xml, escape, tree
from app.i18n import Message
from app.tm.index import MemoryEntry
from app.tm.tmx_codes import pairs_in, seg, texts_of
from app.tm.trados_memory import SQLITE_START, read_trados_memory
from engine import short_code

T = TypeVar("T")

MAX_BYTES = 50 * 2**20
MAX_PAIRS = 200_000
MAX_ELEMENTS = 15 * MAX_PAIRS  # a pair with its properties
_HEADER = (
    f'<header creationtool="Pinpoint" creationtoolversion="{VERSION}" segtype="sentence" o-tmf="Pinpoint" '
    'adminlang="en" datatype="plaintext" srclang={}/>'
)


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """The (source, target) pairs of a translation memory, and notes about units that were left out."""

    pairs: list[tuple[str, str]]
    notes: list[str]


def read_memory(data: bytes, name: str, source_language: str, target_language: str) -> MemoryFile:
    """The pairs of a TMX file or of a memory of Trados Studio (.sdltm) in these languages. Raises DocumentError.

    Inline codes become numbered tags, as in `app.tm.tmx_codes`. A regional variant counts as its language ("de-AT" as
    "de").
    """
    if len(data) > MAX_BYTES:
        raise DocumentError(
            Message(
                "{name} has {mib:.0f} MiB; Pinpoint imports memories of up to {most} MiB: split the file and import "
                "the parts one by one",
                name=name,
                mib=len(data) / 2**20,
                most=MAX_BYTES // 2**20,
            )
        )
    if data.startswith(SQLITE_START):
        return MemoryFile(*read_trados_memory(data, name, source_language, target_language, MAX_PAIRS))
    return MemoryFile(read_pairs(data, name, source_language, target_language), [])


def read_pairs(data: bytes, name: str, source_language: str, target_language: str) -> list[tuple[str, str]]:
    """The (source, target) pairs of a TMX file in these languages, in file order. Raises DocumentError.

    Another script is another language. Units without both languages are skipped.
    """
    root = tree(decode_xml(data, name, MAX_ELEMENTS).text)
    if root.local != "tmx":
        raise DocumentError(
            Message("{name} is not a TMX file (root element: <{root}>): choose another file", name=name, root=root.name)
        )
    pairs = []
    for unit in root.walk():
        if unit.local != "tu":
            continue
        segments: dict[str, Node] = {}
        for variant in unit.nodes("tuv"):
            segment = variant.first("seg")
            if segment is not None:
                segments.setdefault(_tag_of(variant), segment)
        source, target = _find(source_language, segments), _find(target_language, segments)
        if source and target and all(texts := texts_of(source, target)):
            pairs.append(texts)
        if len(pairs) > MAX_PAIRS:
            raise DocumentError(
                Message(
                    "{name} has more than {most:,} translation units: split the file and import one part",
                    name=name,
                    most=MAX_PAIRS,
                )
            )
    if not pairs:
        raise DocumentError(
            Message(
                "{name} has no units in both “{source}” and “{target}”: choose a memory in these languages",
                name=name,
                source=source_language,
                target=target_language,
            )
        )
    return pairs


def _tag_of(variant: Node) -> str:
    """The language of a tuv: "de-at"; old files use the attribute "lang"."""
    return (variant.attributes.get("xml:lang") or variant.attributes.get("lang") or "").replace("_", "-").lower()


def _find(language: str, segments: Mapping[str, T]) -> T | None:
    """The segment with exactly this language tag, else the first in the same language and script.

    >>> _find("zho_Hans", {"zh-hant": "頁", "zh-cn": "页"}), _find("de", {"de-at": "Jänner", "de": "Januar"})
    ('页', 'Januar')
    """
    tag_sought = language.replace("_", "-").lower()
    if tag_sought in segments:
        return segments[tag_sought]
    first, *others = tag_sought.split("-")
    scripts = {"", *(other for other in others if len(other) == 4)}
    for tag, segment in segments.items():
        own, *more = tag.split("-")
        script = next((other for other in more if len(other) == 4 and other.isalpha()), "")
        if short_code(own) == short_code(first) and (script in scripts or len(scripts) == 1):
            return segment
    return None


def write_tmx(entries: Iterable[MemoryEntry], source_language: str, target_language: str) -> bytes:
    """A TMX 1.4 file with these entries, each pair of texts once."""
    source_language, target_language = (tag.replace("_", "-") for tag in (source_language, target_language))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<tmx version="1.4">',
        _HEADER.format(quoteattr(source_language)),
        "<body>",
    ]
    for entry in {(entry.source, entry.target): entry for entry in entries}.values():
        origin = f'<prop type="x-origin">{escape(entry.origin)}</prop>' if entry.origin else ""
        variants = (
            f"<tuv xml:lang={quoteattr(language)}>{seg(text, pairs_in(text))}</tuv>"
            for language, text in ((source_language, entry.source), (target_language, entry.target))
        )
        lines.append(f"<tu>{origin}{''.join(variants)}</tu>")
    return "\n".join([*lines, "</body>", "</tmx>", ""]).encode("utf-8")
