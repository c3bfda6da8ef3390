"""HTML pages: blocks are split into sentences, inline tags become numbered placeholders, text attributes are included.

Scripts, styles, preformatted text and elements with translate="no" or class="notranslate" are not shown; `<code>` and
similar elements become one placeholder. The page need not be well-formed, because untranslated parts are copied.

The value of an attribute comes after the block with its tag, or between blocks. A place therefore refers to the shown
texts in order, in which attribute values have spans of their own.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import unescape

from app.errors import DocumentError
from app.formats.base import Edit, RawTags, Unit, UnitTranslation, WrittenFile, line_of, one_line, splice
from app.formats.blocks import Block, code
from app.formats.inline import Piece, Shown, show
from app.formats.markup.html_attributes import Value, Zones, attributes, is_translated, texts
from app.formats.markup.html_blocks import OpenBlocks
from app.formats.parsed_file import TextFile
from app.formats.xml_text import encode_xml
from app.text.encoding import DecodedText, decode_text
from app.text.writing_direction import is_right_to_left

_TOKEN = re.compile(
    r"""(?P<skip><!--.*?(?:-->|\Z)|<[!?][^>]*>)
    |</(?P<end>[A-Za-z][^\s/>]*+)[^>]*+>
    |<(?P<start>[A-Za-z][^\s/>]*+)(?P<rest>(?:=\s*+"[^"]*"|=\s*+'[^']*'|[^>])*+)>
    |(?P<text>(?:[^<]|<(?![A-Za-z/!?]))++)""",
    re.VERBOSE | re.DOTALL,
)
_TOKEN_MARKS = re.compile(r"<[/!A-Za-z][^>]*>")
_LANGUAGE = re.compile(r"<html\b[^>]*?\slang\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_BODY_TAG = re.compile(r"<body(?=[\s>])(?:[^>\"']|\"[^\"]*\"|'[^']*')*+>", re.IGNORECASE)
_HTML_TAG = re.compile(r"<html(?=[\s>])(?:[^>\"']|\"[^\"]*\"|'[^']*')*+>", re.IGNORECASE)
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_TRANSLATED = re.compile(r"""<[A-Za-z][^<>]*\stranslate\s*+=\s*+["']?yes\b""", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f]+")
INLINE = frozenset(
    {
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "data", "del", "dfn", "em", "font", "i",
        "ins", "label", "mark", "nobr", "q", "s", "small", "span", "strike", "strong", "sub", "sup", "time",
        "tt", "u",
    }
)  # fmt: skip
_EMPTY_INLINE = frozenset({"img", "wbr", "input"})
_BREAK = "br"
CODE = frozenset({"code", "kbd", "samp", "var"})
HIDDEN = frozenset({"script", "style", "pre", "textarea", "svg", "math", "template", "noscript", "object", "iframe"})
_RAW = frozenset({"script", "style", "textarea", "iframe"})  # end at their first end tag, also with other tags inside
_MAX_ZONES = 4  # deeper, elements that are not translated are copied with all that is in them
_EMPTY = _EMPTY_INLINE | {"area", "base", "br", "col", "embed", "hr", "link", "meta", "param", "source", "track"}


@dataclass(frozen=True, slots=True)
class _Token:
    """A text, a tag, a whole protected element, or an attribute value.

    `start` and `end` are its place, `at` is its offset in the file, `match` the index of the other tag of a pair or -1.
    `has_break`: a line break is between the tags of the pair, so that they may be in different segments.
    """

    piece: Piece
    start: int
    end: int
    name: str = ""
    match: int = -1
    has_break: bool = False
    at: int = -1
    value: Value | None = None


@dataclass(frozen=True)
class HtmlFile(TextFile):
    """An HTML page; a place is a span of the shown texts."""

    decoded: DecodedText
    tokens: Sequence[_Token] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    blocks: Sequence[Block] = field(repr=False)

    @cached_property
    def languages(self) -> tuple[str, str]:
        """The declared language of the page, which is the source language."""
        found = _LANGUAGE.search(self.decoded.text)
        return found[1] if found else "", ""

    def source(self, start: int, end: int) -> str:
        """The text at a place, with placeholders."""
        return self._shown(start, end, ())[2].text

    def tags(self, start: int, end: int) -> RawTags:
        """The tags of the source at a place."""
        return self._shown(start, end, ())[2].tags

    def describe(self, start: int) -> str:
        """The line number, from 1."""
        token = self.tokens[max(bisect_right(self.tokens, start, key=lambda t: t.start) - 1, 0)]
        return line_of(self.decoded.text, token.at + start - token.start)

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The page with the spans replaced; characters outside of its encoding become character references."""
        of_values: dict[int, list[Edit]] = {}
        of_text: list[UnitTranslation] = []
        for t in translations:
            index = bisect_right(self.tokens, t.start, key=lambda token: token.start) - 1
            token = self.tokens[index]
            if token.value:
                edit = t.start - token.start, t.end - token.start, one_line(t.text)
                of_values.setdefault(index, []).append(edit)
            else:
                of_text.append(t)
        values = [(self.tokens[i].value, edits) for i, edits in of_values.items()]
        inner = sorted(value.edit(edits) for value, edits in values if value)
        edits = []
        for t in of_text:
            start, end, shown = self._shown(t.start, t.end, inner)
            edits.append((start, end, shown.raw(one_line(t.text))))
        ends = [end for _, end, _ in edits]
        for edit in inner:  # except those in a tag that was already written
            at = bisect_right(ends, edit[0])
            if at == len(edits) or edit[0] < edits[at][0]:
                ends.insert(at, edit[1])
                edits.insert(at, edit)
        edits += [
            edit
            for edit in self._language_edits(language)
            if not any(at[0] < edit[1] and edit[0] < max(at[1], at[0] + 1) for at in edits)  # such as one in a value
        ]
        return WrittenFile(encode_xml(splice(self.decoded.text, edits), self.decoded))

    def _language_edits(self, language: str | None) -> Iterator[Edit]:
        """The edit that makes the page's tag declare the language of the translation."""
        tag = _HTML_TAG.search(self.decoded.text)
        if tag is None or not language:
            return
        after = tag.group()
        for name in ("lang", "xml:lang"):
            if found := _attribute(name, after):
                after = f'{after[: found.start()]} {name}="{language}"{after[found.end() :]}'
            elif name == "lang":
                after = f'{after[:5]} lang="{language}"{after[5:]}'
        direction = "rtl" if is_right_to_left(language) else "ltr"
        if found := _attribute("dir", after):
            after = f"{after[: found.start()]}{_turned(found, direction)}{after[found.end() :]}"
        elif direction == "rtl":
            after = f'{after[:-1]} dir="rtl">'
        yield *tag.span(), after
        body = _BODY_TAG.search(self.decoded.text, tag.end())
        if body and (found := _attribute("dir", body.group())):
            yield body.start() + found.start(), body.start() + found.end(), _turned(found, direction)

    def _shown(self, start: int, end: int, inner: Sequence[Edit]) -> tuple[int, int, Shown]:
        """Start and end of a place in the file, extended to complete tag pairs, and the content shown.

        Applies the edits of `inner` to the tags.
        """
        first = bisect_right(self.tokens, start, key=lambda token: token.start) - 1
        last = bisect_left(self.tokens, end, key=lambda token: token.start)
        if first < 0:
            raise LookupError(start)
        matches = [token.match for token in self.tokens[first:last] if token.match >= 0 and not token.has_break]
        if matches and min(matches) < first:
            first, start = min(matches), self.tokens[min(matches)].start
        if matches and max(matches) >= last:
            last, end = max(matches) + 1, self.tokens[max(matches)].end
        pieces = []
        for token in self.tokens[first:last]:
            shift = token.at - token.start
            if token.piece.kind == "text":
                part = self.decoded.text[max(token.start, start) + shift : min(token.end, end) + shift]
                pieces.append(Piece("text", _SPACE.sub(" ", unescape(part))))
            else:
                low, high = (bisect_left(inner, (place + shift,)) for place in (token.start, token.end))
                edits = [(s - token.at, e - token.at, text) for s, e, text in inner[low:high]]
                is_half = token.has_break and not first <= token.match < last
                pieces.append(Piece("lone" if is_half else token.piece.kind, splice(token.piece.raw, edits)))
        begins, ends = self.tokens[first], self.tokens[max(last - 1, first)]
        return start + begins.at - begins.start, end + ends.at - ends.start, show(pieces)


def _attribute(name: str, tag: str) -> re.Match[str] | None:
    """The attribute of a tag with its value, and the space before it."""
    return re.search(rf"""\s{name}\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)""", tag, re.IGNORECASE)


def _turned(found: re.Match[str], direction: str) -> str:
    """The attribute `dir`, with this direction if it has the other one; "auto" stays."""
    value = found.group().partition("=")[2].strip().strip("\"'").lower()
    return f' dir="{direction}"' if value in ("ltr", "rtl") and value != direction else found.group()


def parse(data: bytes, name: str, encoding: str | None = None) -> HtmlFile:
    """Parses a page in any common encoding; tries the one declared in its meta tag first."""
    decoded = _decoded(data, name, encoding)
    tokens: list[_Token] = []
    units: list[Unit] = []
    blocks: list[Block] = []
    shift = 0
    for block, values, position, shape in _blocks(decoded.text):
        if shape.kind == "code":
            blocks.append(code(shape.text, position + shift))
            continue
        offset = len(tokens)
        paired = _paired([replace(t, start=t.start + shift, end=t.end + shift, at=t.start) for t in block], offset)
        tokens += paired
        if any(c.isalpha() for token in paired if token.piece.kind == "text" for c in unescape(token.piece.raw)):
            units.append(_unit(paired, offset))
            blocks.append(shape.at(units[-1].start, units[-1].end))
        for value in values:
            start = position + shift
            token = _Token(Piece("text", value.raw), start, start + len(value.raw), at=value.start, value=value)
            tokens.append(token)
            units.append(replace(_unit([token], 0), note=value.name))
            blocks.append(Block("entry", units[-1].start, units[-1].end, label=value.name))
            shift += len(value.raw) + 1
    return HtmlFile(decoded, tokens, units, blocks)


def _decoded(data: bytes, name: str, encoding: str | None) -> DecodedText:
    declared = _CHARSET.search(data[:4096])
    has_mark = data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if declared and not has_mark and encoding is None:
        charset = declared[1].decode("ascii").lower()
        try:
            codec = codecs.lookup({"iso-8859-1": "cp1252", "us-ascii": "cp1252"}.get(charset, charset)).name
            text = data.decode(codec)
        except (LookupError, UnicodeDecodeError):
            codec, text = "", ""
        if codec not in ("", "utf-7") and "\0" not in text and text.strip() and text.encode(codec) == data:
            return DecodedText(text, codec, b"", None)
    return decode_text(data, name, DocumentError, encoding)


def _blocks(text: str) -> Iterator[tuple[list[_Token], list[Value], int, Block]]:
    """For each block: its texts and inline tags, the text attributes of all its tags, its end offset, and its kind."""
    block: list[_Token] = []
    values: list[Value] = []
    zones = Zones()
    shapes = OpenBlocks()
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            break  # an unterminated tag: there is no text after it
        start, position = match.span()
        if match["text"] is not None:
            if zones.is_on:
                block.append(_Token(Piece("text", match["text"]), start, position))
            continue
        name = (match["start"] or match["end"] or "").lower()
        was_on, is_protected = zones.is_on, False
        if match["start"] is not None:
            found = attributes(match["rest"], match.start("rest"))
            declared = is_translated(found)
            is_untranslated = was_on and declared is False and name in INLINE
            if name not in _EMPTY and (name in HIDDEN or name in CODE or is_untranslated):
                end = _element_end(text, name, position)
                # A text inside that is translated is a paragraph of its own.
                has_own_text = is_untranslated and zones.depth < _MAX_ZONES and _TRANSLATED.search(text, position, end)
                is_protected = name in HIDDEN or name in CODE or not has_own_text
            if is_protected:
                position = end
            elif name not in _EMPTY:
                zones.start(name, declared)
            if zones.is_on if declared is None else declared:
                values += texts(name, found)
        elif match["end"] is not None:
            zones.end(name)
        raw = text[start:position]
        is_on = was_on and zones.is_on
        is_lone = match["skip"] is not None or name in _EMPTY_INLINE or (is_protected and name in INLINE | CODE)
        if is_on and (is_lone or name == _BREAK):
            block.append(_Token(Piece("lone", raw), start, position, name))
        elif is_on and name in INLINE:
            block.append(_Token(Piece("open" if match["start"] else "close", raw), start, position, name))
        elif block or values:
            yield block, values, position, shapes.current
            block, values = [], []
        if name == "pre" and is_protected and was_on:
            yield [], [], position, Block("code", text=unescape(_TOKEN_MARKS.sub("", raw)))
        elif name and not is_protected and name not in _EMPTY:
            shapes.tag(name, is_end=match["end"] is not None)
    if block or values:
        yield block, values, position, shapes.current


def _element_end(text: str, name: str, position: int) -> int:
    """The end of the element that starts before `position`.

    It may contain elements of the same name, except for scripts and other raw text.
    """
    if name in _RAW:
        match = re.compile(rf"</{name}(?=[\s/>])[^>]*+(?:>|\Z)", re.IGNORECASE).search(text, position)
        return match.end() if match else len(text)
    depth = 1
    for match in re.compile(rf"<(/?){re.escape(name)}\b[^>]*+(?:>|\Z)", re.IGNORECASE).finditer(text, position):
        depth += -1 if match[1] else 1
        if depth == 0:
            return match.end()
    return len(text)


def _paired(block: list[_Token], offset: int) -> list[_Token]:
    """Matches the tags of a block; a tag without its other half becomes lone."""
    paired = list(block)
    opened: list[int] = []
    names: Counter[str] = Counter()
    last_break = -1
    for index, token in enumerate(block):
        if token.piece.kind == "open":
            opened.append(index)
            names[token.name] += 1
        elif token.piece.kind == "close" and names[token.name]:
            while True:
                found = opened.pop()
                names[block[found].name] -= 1
                if block[found].name == token.name:
                    break
            has_break = last_break > found
            paired[found] = replace(block[found], match=offset + index, has_break=has_break)
            paired[index] = replace(token, match=offset + found, has_break=has_break)
        elif token.name == _BREAK:
            last_break = index
    return [
        replace(token, piece=Piece("lone", token.piece.raw))
        if token.piece.kind in ("open", "close") and token.match < 0
        else token
        for token in paired
    ]


def _unit(block: Sequence[_Token], offset: int) -> Unit:
    """The unit for a block: without tags and white space at its ends, with spaces instead of the tags inside."""
    with_words = [i for i, token in enumerate(block) if token.piece.kind == "text" and token.piece.raw.strip()]
    inner = block[with_words[0] : with_words[-1] + 1]
    source = "".join(t.piece.raw if t.piece.kind == "text" else " " * (t.end - t.start) for t in inner)
    start = inner[0].start
    whole = [
        (token.start - start, block[token.match - offset].end - start)
        for token in block
        if token.piece.kind == "open" and token.match >= 0 and not token.has_break
    ]
    apart: list[tuple[int, int]] = []
    for first, last in whole:
        if not apart or first >= apart[-1][1]:
            apart.append((first, last))
    breaks = tuple((token.start - start, token.end - start) for token in inner if token.name == _BREAK)
    return Unit(start, inner[-1].end, source, whole=tuple(apart), breaks=breaks)
