"""HTML pages: the text of blocks as sentences, inline tags as numbered placeholders; attributes stay as they are.

Scripts, styles, preformatted text and what is marked translate="no" are not shown; `<code>` and the like are one
placeholder. The page need not be well-formed: what is not translated is never written anew.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import unescape

from app.errors import DocumentError
from app.formats.base import TextFile, Translation, Unit, Written, one_line, splice
from app.formats.inline import Piece, Shown, show
from app.formats.xml_text import encode_xml
from app.text_files import DecodedText, decode_text

_TOKEN = re.compile(
    r"""(?P<skip><!--.*?(?:-->|\Z)|<[!?][^>]*>)
    |</(?P<end>[A-Za-z][^\s/>]*+)[^>]*+>
    |<(?P<start>[A-Za-z][^\s/>]*+)(?P<rest>(?:[^>"']|"[^"]*"|'[^']*')*+)>
    |(?P<text>(?:[^<]|<(?![A-Za-z/!?]))++)""",
    re.VERBOSE | re.DOTALL,
)
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_NOT_TRANSLATED = re.compile(r"translate\s*=\s*[\"']?no\b", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f]+")
_INLINE = frozenset(
    {
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "label",
        "mark",
        "nobr",
        "q",
        "s",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
    }
)
_EMPTY_INLINE = frozenset({"img", "wbr", "input"})
_CODE = frozenset({"code", "kbd", "samp", "var"})
_HIDDEN = frozenset({"script", "style", "pre", "textarea", "svg", "math", "template", "noscript", "object", "iframe"})
_EMPTY = _EMPTY_INLINE | {"area", "base", "br", "col", "embed", "hr", "link", "meta", "param", "source", "track"}


@dataclass(frozen=True, slots=True)
class _Token:
    """A text, a tag or a whole protected element; `match` is the index of the other tag of a pair, else -1."""

    piece: Piece
    start: int
    end: int
    name: str = ""
    match: int = -1


@dataclass(frozen=True)
class HtmlFile(TextFile):
    """A page; a place is a stretch of its text."""

    decoded: DecodedText
    tokens: Sequence[_Token] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    is_paired: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be guessed."""
        return (self.decoded.note,) if self.decoded.note else ()

    def source(self, start: int, end: int) -> str:
        """The text at a place, with its placeholders."""
        return self._shown(start, end)[2].text

    def write(self, translations: Sequence[Translation], language: str | None) -> Written:
        """The page with the stretches replaced; what its encoding lacks becomes a character reference."""
        edits = []
        for t in translations:
            start, end, shown = self._shown(t.start, t.end)
            edits.append((start, end, shown.raw(one_line(t.text))))
        return Written(encode_xml(splice(self.decoded.text, edits), self.decoded))

    def _shown(self, start: int, end: int) -> tuple[int, int, Shown]:
        """The place with both tags of every pair that has one in it, and what is shown of it."""
        first = bisect_right(self.tokens, start, key=lambda token: token.start) - 1
        last = bisect_left(self.tokens, end, key=lambda token: token.start)
        if first < 0:
            raise LookupError(start)
        matches = [token.match for token in self.tokens[first:last] if token.match >= 0]
        if matches and min(matches) < first:
            first, start = min(matches), self.tokens[min(matches)].start
        if matches and max(matches) >= last:
            last, end = max(matches) + 1, self.tokens[max(matches)].end
        pieces = []
        for token in self.tokens[first:last]:
            if token.piece.kind == "text":
                part = self.decoded.text[max(token.start, start) : min(token.end, end)]
                pieces.append(Piece("text", _SPACE.sub(" ", unescape(part))))
            else:
                pieces.append(token.piece)
        return start, end, show(pieces)


def read(data: bytes, name: str) -> HtmlFile:
    """The texts of a page in any common encoding, that of its meta tag first."""
    decoded = _decoded(data, name)
    tokens: list[_Token] = []
    units: list[Unit] = []
    for block in _blocks(decoded.text):
        offset = len(tokens)
        paired = _paired(block, offset)
        tokens += paired
        if any(c.isalpha() for token in paired if token.piece.kind == "text" for c in unescape(token.piece.raw)):
            units.append(_unit(paired, offset))
    return HtmlFile(decoded, tokens, units)


def _decoded(data: bytes, name: str) -> DecodedText:
    declared = _CHARSET.search(data[:4096])
    has_mark = data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if declared and not has_mark:
        charset = declared[1].decode("ascii").lower()
        try:
            codec = codecs.lookup({"iso-8859-1": "cp1252", "us-ascii": "cp1252"}.get(charset, charset)).name
            text = data.decode(codec)
        except (LookupError, UnicodeDecodeError):
            codec, text = "", ""
        if codec not in ("", "utf-7") and "\0" not in text and text.strip() and text.encode(codec) == data:
            return DecodedText(text, codec, b"", None)
    return decode_text(data, name, DocumentError)


def _blocks(text: str) -> Iterator[list[_Token]]:
    """The texts and inline tags between two tags that are not inline."""
    block: list[_Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            break  # a tag that does not end: nothing behind it is text
        start, position = match.span()
        if match["text"] is not None:
            block.append(_Token(Piece("text", match["text"]), start, position))
            continue
        name = (match["start"] or match["end"] or "").lower()
        is_protected = (
            match["start"] is not None
            and name not in _EMPTY
            and (name in _HIDDEN or name in _CODE or bool(_NOT_TRANSLATED.search(match["rest"])))
        )
        if is_protected:
            position = _element_end(text, name, position)
        raw = text[start:position]
        if match["skip"] is not None or name in _EMPTY_INLINE or (is_protected and name in _INLINE | _CODE):
            block.append(_Token(Piece("lone", raw), start, position))
        elif name in _INLINE:
            block.append(_Token(Piece("open" if match["start"] else "close", raw), start, position, name))
        else:
            if block:
                yield block
            block = []
    if block:
        yield block


def _element_end(text: str, name: str, position: int) -> int:
    """Where the element that begins before `position` ends; elements of the same name may stand in it."""
    depth = 1
    for match in re.compile(rf"<(/?){re.escape(name)}\b[^>]*+(?:>|\Z)", re.IGNORECASE).finditer(text, position):
        depth += -1 if match[1] else 1
        if depth == 0:
            return match.end()
    return len(text)


def _paired(block: list[_Token], offset: int) -> list[_Token]:
    """The tokens with their pairs found; a tag whose other half is elsewhere stands alone."""
    paired = list(block)
    opened: list[int] = []
    names: Counter[str] = Counter()
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
            paired[found] = replace(block[found], match=offset + index)
            paired[index] = replace(token, match=offset + found)
    return [
        replace(token, piece=Piece("lone", token.piece.raw))
        if token.piece.kind in ("open", "close") and token.match < 0
        else token
        for token in paired
    ]


def _unit(block: Sequence[_Token], offset: int) -> Unit:
    """The block without the tags and white space at its ends, spaces for the tags in it."""
    with_words = [i for i, token in enumerate(block) if token.piece.kind == "text" and token.piece.raw.strip()]
    inner = block[with_words[0] : with_words[-1] + 1]
    source = "".join(t.piece.raw if t.piece.kind == "text" else " " * (t.end - t.start) for t in inner)
    start = inner[0].start
    whole = [
        (token.start - start, block[token.match - offset].end - start)
        for token in block
        if token.piece.kind == "open" and token.match >= 0
    ]
    apart: list[tuple[int, int]] = []
    for first, last in whole:
        if not apart or first >= apart[-1][1]:
            apart.append((first, last))
    return Unit(start, inner[-1].end, source, whole=tuple(apart))
