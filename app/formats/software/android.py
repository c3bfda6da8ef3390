"""Android resources (strings.xml): strings, plural forms and arrays, without those with translatable="false".

Inline elements are shown as numbered placeholders (`app.formats.inline`), escapes as their characters, and line breaks
and tabs as `\\n` and `\\t`. An element `xliff:g` with its content is one placeholder: it marks text that is not
translated. Tags of HTML in CDATA are shown as they are; a translation has them in CDATA again.
Other quotation marks that are not escaped keep white space and are not text. If a value has some, each of its texts is
written in quotation marks. References to other resources (`@string/name`) are not offered. The comment above a resource
is its note. Plural forms that only the target language has are added (`app.formats.added_forms`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from app.formats.added_forms import AddedForm, Place, added_forms, by_place, space_before
from app.formats.base import Unit, one_line
from app.formats.escapes import from_shown, from_utf16, repeated_keys_note, shown
from app.formats.inline import Shown, pieces_of, show
from app.formats.software.xml_strings import XmlStrings, XmlValue
from app.formats.unit_notes import key_note
from app.formats.xml_text import Node, Text, decode_xml, escape, escape_cdata, tree

_PAIRED = ("b", "i", "u", "em", "strong", "big", "small", "sup", "sub", "strike", "tt", "font", "a", "annotation")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|([\s\S]))")
_COMMENT_ABOVE = re.compile(r"<!--((?:(?!-->)[\s\S])*)-->\s*\Z")
_OTHER = re.compile(r"""\squantity\s*=\s*["'](other)["']""")
_MAX_COMMENT = 2_000  # characters before a resource in which its comment is looked for
_QUOTE = re.compile(r'(\\[\s\S])|"')
_REFERENCE = re.compile(r"@(?:null|empty|\+?(?:[\w.]+:)?\w+/[\w.]+)|\?(?:[\w.]+:)?attr/[\w.]+")
_CDATA = re.compile(r"<!\[CDATA\[((?:(?!\]\]>)[\s\S])*)\]\]>")
_CDATA_START = "<![CDATA["
_CDATA_END = "]]>"
_TAG = re.compile(r"<(/?)[A-Za-z][^<>]*>")  # of HTML in CDATA
_GAP = re.compile(r"(<[^<>]*>)?(\s+)(?=(<[^<>]*>)?)")  # white space, and the tags beside it
_KINDS = ("string", "plurals", "string-array")


@dataclass(frozen=True, slots=True)
class _Html:
    """The tags of HTML in the CDATA sections of a value: as in the file, by the text that is shown for them.

    `joins`: a section contains a tag and text, so that CDATA goes from a start tag to its end tag.
    """

    tags: Mapping[str, str]
    joins: bool


@dataclass(frozen=True, slots=True)
class _Value:
    """The content of a resource. `is_quoted`: it contains quotation marks, which keep white space and apostrophes.

    `is_cdata`: all of it is one CDATA section. `lines` has the white space with line breaks of such a section, by the
    tags beside it.
    """

    shown: Shown
    is_quoted: bool
    is_cdata: bool
    html: _Html
    lines: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The text to translate."""
        return _as_shown(self.shown.text)

    def raw(self, translation: str) -> str:
        """The content with this translation, as XML."""
        text = one_line(translation)
        if self.is_cdata:
            return self._joined(self.shown.lead + self._with_lines(self._escaped(text)) + self.shown.trail)
        raw = self.shown.raw(text, self._escaped)
        is_at_start = not self.is_quoted and not self.shown.lead.strip() and text.startswith(("@", "?"))
        return f"{self.shown.lead}\\{raw.removeprefix(self.shown.lead)}" if is_at_start else self._joined(raw)

    def _with_lines(self, raw: str) -> str:
        """The content of CDATA with the line breaks of the source beside the same tags."""
        left = {beside: list(spaces) for beside, spaces in self.lines.items()}

        def spaces(gap: re.Match[str]) -> str:
            tag, blank, following = gap.group(1, 2, 3)
            given = left.get((tag or "", following or ""))
            return (tag or "") + (given.pop(0) if given else blank)

        return _GAP.sub(spaces, raw) if left else raw

    def _escaped(self, text: str) -> str:
        """The text with the escapes of Android and of XML, and its tags of HTML as in the file, in CDATA."""
        parts: list[str] = []
        position = depth = 0
        for tag in _TAG.finditer(text):
            if (raw := self.html.tags.get(tag.group())) is None:
                continue
            parts.append(self._escaped_text(text[position : tag.start()], is_cdata=depth > 0))
            position = tag.end()
            is_open = self.html.joins and not raw.endswith("/>")
            begins = depth == 0
            depth = max(0, depth + (-1 if tag[1] else 1)) if is_open else depth
            parts += [_CDATA_START] * (begins and not self.is_cdata)
            parts.append(escape_cdata(raw))
            parts += [_CDATA_END] * (depth == 0 and not self.is_cdata)
        parts.append(self._escaped_text(text[position:], is_cdata=depth > 0))
        parts += [_CDATA_END] * (depth > 0 and not self.is_cdata)
        return f'"{"".join(parts)}"' if self.is_quoted and text else "".join(parts)

    def _escaped_text(self, text: str, *, is_cdata: bool) -> str:
        value = from_shown(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        value = value if self.is_quoted else value.replace("'", "\\'")
        return escape_cdata(value) if is_cdata or self.is_cdata else escape(value)

    def _joined(self, raw: str) -> str:
        """The content with quoted white space at its ends in the quotation marks of the text beside it."""
        lead, trail = self.shown.lead, self.shown.trail
        inner = raw[len(lead) : len(raw) - len(trail)]
        if lead.endswith('"') and inner.startswith('"'):
            lead, inner = lead[:-1], inner[1:]
        if trail.startswith('"') and inner.endswith('"'):
            inner, trail = inner[:-1], trail[1:]
        return lead + inner + trail


def parse(data: bytes, name: str) -> XmlStrings:
    """Parses a strings.xml file. Raises DocumentError if it is not XML or has another root element."""
    decoded = decode_xml(data, name)
    root = tree(decoded.text)
    values: dict[Place, XmlValue] = {}
    units: list[Unit] = []
    added: list[AddedForm] = []
    for node, key in _resources(root):
        start, end = _place(node, decoded.text)
        value = _value_of(node, decoded.text)
        if any(map(str.isalpha, value.source)) and not _REFERENCE.fullmatch(decoded.text, start, end):
            note = " · ".join(filter(None, [key_note(key), _comment_above(node, decoded.text)]))
            blank = re.sub(r"\s", " ", decoded.text[start:end])
            form = node.attributes.get("quantity", "") if node.local == "item" else ""
            units.append(Unit(start, end, blank, note=note, whole=((0, end - start),), form=form))
            values[start, end] = value
            added += _added(node, units[-1], decoded.text)
    # One name may have a text for each product, such as a tablet.
    named = Counter((node.attributes.get("name", ""), node.attributes.get("product")) for node in root.nodes(*_KINDS))
    repeats = repeated_keys_note(name for (name, _), count in named.items() if name and count > 1)
    return XmlStrings(decoded, values, units, by_place(added), (repeats,) if repeats else ())


def _added(item: Node, unit: Unit, text: str) -> Iterator[AddedForm]:
    """The forms that a language may need beside the form "other" of a plural."""
    plurals = item.parent
    keyword = _OTHER.search(text, item.start, item.inner_start)
    if plurals is None or plurals.local != "plurals" or item.local != "item" or keyword is None:
        return
    yield from added_forms(
        text,
        unit,
        (item.start, item.end),
        keyword.start(1),
        given={each.attributes.get("quantity", "") for each in plurals.nodes("item")},
        joint=space_before(text, item.start),
        note=lambda category: unit.note.replace("[other]", f"[{category}]", 1),
    )


def _resources(root: Node) -> Iterator[tuple[Node, str]]:
    """All strings and items, each with the name of its key."""
    for node in root.nodes(*_KINDS):
        if node.attributes.get("translatable") == "false" or node.attributes.get("translate") == "false":
            continue
        name = node.attributes.get("name", "")
        if node.local == "string":
            yield node, name
            continue
        for number, item in enumerate(node.nodes("item")):
            yield item, f"{name}[{item.attributes.get('quantity', number)}]"


def _place(node: Node, text: str) -> tuple[int, int]:
    """The content of an element without the white space at its ends."""
    raw = text[node.inner_start : node.inner_end]
    start = node.inner_start + len(raw) - len(raw.lstrip())
    return start, max(start, node.inner_start + len(raw.rstrip()))


def _value_of(node: Node, text: str) -> _Value:
    start, end = _place(node, text)
    html = _html_in(node, text)
    cdata = _CDATA.fullmatch(text, start, end)
    lines: dict[tuple[str, str], tuple[str, ...]] = {}
    if cdata:
        raw, inner = cdata[1], cdata[1].strip()
        start = raw.index(inner)
        lead, trail = _CDATA_START + raw[:start], raw[start + len(inner) :] + _CDATA_END
        content = Shown(one_line(node.content()).strip(), lead, trail)
        lines = _lines_in(inner)
    else:
        content = show(pieces_of(node, text, _PAIRED, keeps_lines=False))
        content.lead, content.trail = content.lead.lstrip(), content.trail.rstrip()
    bare = _QUOTE.sub(lambda match: match[1] or "", content.text)
    is_quoted = bare != content.text
    if is_quoted:
        start, end = len(bare) - len(bare.lstrip()), len(bare.rstrip())
        end += (end - len(bare[:end].rstrip("\\"))) % 2  # an escaped space is text
        content.text = bare[start:end]
        content.lead += f'"{bare[:start]}"' if start else ""
        content.trail = (f'"{bare[end:]}"' if bare[end:] else "") + content.trail
    return _Value(content, is_quoted, cdata is not None, html, lines)


def _lines_in(content: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """The white space with line breaks beside tags in the content of CDATA, by these tags."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for gap in _GAP.finditer(content):
        beside = gap[1] or "", gap[3] or ""
        if "\n" in gap[2] and any(beside):
            found[beside] = (*found.get(beside, ()), gap[2])
    return found


def _html_in(node: Node, text: str) -> _Html:
    """The tags of HTML in the CDATA sections of an element, whose quotation marks are escaped there."""
    tags: dict[str, str] = {}
    joins = False

    def escaped(tag: re.Match[str]) -> str:
        value = _QUOTE.sub(lambda mark: mark[1] or '\\"', " ".join(tag.group().split()))
        tags.setdefault(_as_shown(value), tag.group())
        return value

    for parent in (node, *node.walk()):
        for child in parent.children:
            if isinstance(child, Text) and text.startswith(_CDATA_START, child.start):
                joins = joins or any(map(str.isalpha, _TAG.sub("", child.value)))
                child.value = _TAG.sub(escaped, child.value)
    return _Html(tags, joins)


def _as_shown(raw: str) -> str:
    return one_line(shown(_unescaped(raw)))


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return {"n": "\n", "t": "\t"}.get(match[2], match[2])

    return from_utf16(_ESCAPE.sub(character, text))


def _comment_above(node: Node, text: str) -> str:
    before = text[max(0, node.start - _MAX_COMMENT) : node.start]
    found = _COMMENT_ABOVE.search(before, max(before.rfind("<!--"), 0))
    return " ".join(found[1].split()) if found else ""
