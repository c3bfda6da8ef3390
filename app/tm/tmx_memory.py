"""Reading and writing translation memories as TMX; inline codes are numbered tags in the texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from xml.sax.saxutils import quoteattr

from app import VERSION
from app.errors import DocumentError
from app.formats.bilingual.tmx import own_place
from app.formats.xml_text import Node, decode_xml, escape, tree
from app.i18n import Message
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
            Message("{name} is not a TMX file (root element: <{root}>): choose another file", name=name, root=root.name)
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


def write_tmx(entries: Iterable[MemoryEntry], source_language: str, target_language: str) -> bytes:
    """A TMX 1.4 file with these entries, each pair of texts once."""
    source_language, target_language = (tag.replace("_", "-") for tag in (source_language, target_language))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<tmx version="1.4">',
        _HEADER.format(quoteattr(source_language)),
        "<body>",
    ]
    for entry in each_pair_once(entries):
        changed_at = datetime.fromtimestamp(entry.changed_ms / 1000, UTC)
        date = f' changedate="{changed_at:%Y%m%dT%H%M%SZ}"' if entry.changed_ms else ""
        origin = f'<prop type="x-origin">{escape(entry.origin)}</prop>' if entry.origin else ""
        variants = (
            f"<tuv xml:lang={quoteattr(language)}>{seg(text, pairs_in(text))}</tuv>"
            for language, text in ((source_language, entry.source), (target_language, entry.target))
        )
        lines.append(f"<tu{date}>{origin}{''.join(variants)}</tu>")
    return "\n".join([*lines, "</body>", "</tmx>", ""]).encode("utf-8")
