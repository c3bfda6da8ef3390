"""Reading and writing translation memories as TMX; inline codes are numbered tags in the texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from xml.sax.saxutils import quoteattr

from app import VERSION
from app.errors import DocumentError
from app.formats.bilingual.tmx import own_place
from app.formats.xml_text import Node, decode_xml, escape, tree
from app.text.language_names import in_language
from app.tm.entries import MemoryEntry, each_pair_once
from app.tm.tmx_codes import pairs_in, seg, texts_of

MAX_ELEMENTS = 3_000_000  # 15 for each of 200,000 pairs, with its properties
_HEADER = (
    f'<header creationtool="Pinpoint" creationtoolversion="{VERSION}" segtype="sentence" o-tmf="Pinpoint" '
    'adminlang="en" datatype="plaintext" srclang={}/>'
)


def read_tmx(
    data: bytes, name: str, source_language: str, target_language: str, left_out: list[str]
) -> Iterator[tuple[str, str]]:
    """The (source, target) pairs of a TMX file in these languages, in file order. Raises DocumentError.

    Units without both languages are skipped; of several variants, see `in_language`. The sources of translations for
    only one place are added to `left_out`, because a memory would offer them in other places, too.
    """
    root = tree(decode_xml(data, name, MAX_ELEMENTS).text)
    if root.local != "tmx":
        raise DocumentError(
            "{name} is not a TMX file (root element: <{root}>): choose another file", name=name, root=root.name
        )
    for unit in root.walk():
        if unit.local != "tu":
            continue
        segments: dict[str, Node] = {}
        for variant in unit.nodes("tuv"):
            segment = variant.first("seg")
            if segment is not None:
                segments.setdefault(_tag_of(variant), segment)
        source, target = in_language(source_language, segments), in_language(target_language, segments)
        if source and target and all(texts := texts_of(source, target)):
            if own_place(unit):
                left_out.append(texts[0])
            else:
                yield texts


def _tag_of(variant: Node) -> str:
    """The language of a tuv: "de-at"; old files use the attribute "lang"."""
    return (variant.attributes.get("xml:lang") or variant.attributes.get("lang") or "").replace("_", "-").lower()


@dataclass(frozen=True, slots=True)
class TmxUnit:
    """The `<seg>` elements of a text and its translation. `properties` are written as `<prop>`."""

    source: str
    target: str
    changed_ms: int = 0  # since 1970; 0: unknown
    properties: Mapping[str, str] = field(default_factory=dict)


def write_tmx(entries: Iterable[MemoryEntry], source_language: str, target_language: str) -> bytes:
    """A TMX 1.4 file with these entries, each pair of texts once."""
    units = (
        TmxUnit(
            seg(entry.source, pairs_in(entry.source)),
            seg(entry.target, pairs_in(entry.target)),
            entry.changed_ms,
            {"x-origin": entry.origin} if entry.origin else {},
        )
        for entry in each_pair_once(entries)
    )
    return tmx_file(units, source_language, target_language)


def tmx_file(units: Iterable[TmxUnit], source_language: str, target_language: str) -> bytes:
    """A TMX 1.4 file with these units."""
    languages = tuple(quoteattr(tag.replace("_", "-")) for tag in (source_language, target_language))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<tmx version="1.4">', _HEADER.format(languages[0]), "<body>"]
    for unit in units:
        changed_at = datetime.fromtimestamp(unit.changed_ms / 1000, UTC)
        date = f' changedate="{changed_at:%Y%m%dT%H%M%SZ}"' if unit.changed_ms else ""
        properties = (f'<prop type="{name}">{escape(value)}</prop>' for name, value in unit.properties.items())
        variants = (
            f"<tuv xml:lang={language}>{text}</tuv>"
            for language, text in zip(languages, (unit.source, unit.target), strict=True)
        )
        lines.append(f"<tu{date}>{''.join(properties)}{''.join(variants)}</tu>")
    return "\n".join([*lines, "</body>", "</tmx>", ""]).encode("utf-8")
