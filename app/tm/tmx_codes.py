"""Inline codes of TMX and numbered tags of texts: `<bpt i="1">…</bpt>OK<ept i="1">…</ept>` is "{1}OK{/1}"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from xml.sax.saxutils import quoteattr

from app.formats.base import RawTags, one_line
from app.formats.xml_text import Node, Text, escape

_TAG = re.compile(r"\{(/?)(\d+)\}")
_WRAPPED = re.compile(r"\{(\d+)\}(.*)\{/\1\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Code:
    """An inline code: its end has the same `identity` as its start. `content` is its text in the other tool."""

    kind: str  # "open", "close" or "lone"
    identity: str
    content: str


def texts_of(source: Node, target: Node) -> tuple[str, str]:
    """The texts of two segments of a unit; see `texts_of_parts`."""
    return texts_of_parts(list(_parts(source)), list(_parts(target)))


def texts_of_parts(parts: list[str | Code], others: list[str | Code]) -> tuple[str, str]:
    """The texts of a source and its target, on one line, with numbered tags for codes.

    Tags are numbered in the order of the source, and skip numbers that the text has in braces, such as "{0}". A code of
    the target has the number of the code in the source with the same content, else with the same number in the file.
    Codes around both texts are left out.
    """
    taken = {match[2] for part in (*parts, *others) if isinstance(part, str) for match in _TAG.finditer(part)}
    numbers = (str(number) for number in count(1) if str(number) not in taken)
    known: dict[str, Code] = {}
    first = _numbered(parts, known, {}, numbers)
    second = _numbered(others, known, dict(known), numbers)
    while (outer := _WRAPPED.fullmatch(first)) and (same := _WRAPPED.fullmatch(second)) and outer[1] == same[1]:
        first, second = outer[2].strip(), same[2].strip()
    return first, second


def seg(text: str, tags: RawTags) -> str:
    """The element `<seg>` with a text whose tags become codes; `tags` are their raw starts and ends by number."""
    positions: dict[tuple[str, bool], int] = {}
    for match in _TAG.finditer(text):
        positions.setdefault((match[2], match[1] == "/"), match.start())
    parts: list[str] = []
    position = 0
    for match in _TAG.finditer(text):
        number, is_end = match[2], match[1] == "/"
        if number not in tags or positions[number, is_end] != match.start():
            continue  # no tag, or one more with the same number, which TMX does not allow
        start, end = tags[number]
        if is_end and end is None:
            continue
        parts.append(escape(text[position : match.start()]))
        position = match.end()
        attribute, content = quoteattr(number), escape((end or "") if is_end else start)
        if end is None:
            parts.append(f"<ph x={attribute}>{content}</ph>")
        elif positions.get((number, False), len(text)) < positions.get((number, True), -1):
            name = "ept" if is_end else "bpt"
            place = f"i={attribute}" if is_end else f"i={attribute} x={attribute}"
            parts.append(f"<{name} {place}>{content}</{name}>")
        else:
            parts.append(f'<it pos="{"end" if is_end else "begin"}" x={attribute}>{content}</it>')
    return f"<seg>{''.join(parts)}{escape(text[position:])}</seg>"


def pairs_in(text: str) -> RawTags:
    """The pairs of tags in a text whose raw tags are not known, such as "{1}OK{/1}"; lone ones may be placeholders."""
    found = {match.group() for match in _TAG.finditer(text)}
    numbers = {tag[1:-1] for tag in found if not tag.startswith("{/")}
    return {number: (f"{{{number}}}", f"{{/{number}}}") for number in sorted(numbers) if f"{{/{number}}}" in found}


def _parts(node: Node) -> Iterator[str | Code]:
    """Texts and codes of a segment in their order."""
    for number, child in enumerate(node.children):
        if isinstance(child, Text):
            yield child.value
        elif child.local == "hi":
            identity = f"hi {child.start} {number}"
            yield Code("open", identity, f"<hi {child.attributes.get('type', '')}>")
            yield from _parts(child)
            yield Code("close", identity, "</hi>")
        elif child.local in ("bpt", "ept"):
            kind = "open" if child.local == "bpt" else "close"
            yield Code(kind, f"i {child.attributes.get('i', '')}", child.content())
        else:
            yield Code("lone", f"x {child.attributes.get('x', '')}", child.content())


def _numbered(parts: list[str | Code], known: dict[str, Code], unused: dict[str, Code], numbers: Iterator[str]) -> str:
    """The text with a tag for each code. `unused` are codes of the source by number; new ones are added to `known`."""
    closed = {part.identity for part in parts if isinstance(part, Code) and part.kind == "close"}
    opened: dict[str, str] = {}
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif part.kind == "close" and part.identity in opened:
            texts.append(f"{{/{opened.pop(part.identity)}}}")
        else:
            is_pair = part.kind == "open" and part.identity in closed
            code = Code("open" if is_pair else "lone", part.identity, part.content)
            number = _number_of(code, unused)
            if number is None:
                number = next(numbers)
                known[number] = code
            unused.pop(number, None)
            if is_pair:
                opened[part.identity] = number
            texts.append(f"{{{number}}}")
    return one_line("".join(texts)).strip()


def _number_of(code: Code, unused: Mapping[str, Code]) -> str | None:
    same_kind = {number: other for number, other in unused.items() if other.kind == code.kind}
    same = [number for number, other in same_kind.items() if other.content == code.content]
    same += [number for number, other in same_kind.items() if other.identity == code.identity]
    same += [number for number in same_kind if code.kind == "open"]  # pairs without numbers, such as <hi>
    return same[0] if same else None
