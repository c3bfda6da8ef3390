"""Tokens of a text in XML or HTML, and where its paragraphs begin and end.

In HTML, a paragraph ends at the tag of a block. XML has no list of blocks; its structure is detected by DeepL's rule:
an element that contains only elements and white space is structure, an element with text of its own is a paragraph.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final, Literal

from app.text.line_breaks import is_inside_sentence

Markup = Literal["xml", "html"]
CDATA: Final = "<![CDATA["
CDATA_END: Final = "]]>"
# A comment without an end goes to the end of the text, as in browsers; otherwise each "<!--" would be searched without
# success.
_SKIPPED: Final = r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[!?][A-Za-z][^<>]*>"
# The value of an attribute may contain ">", but not "<": the search for the end of a tag stops at the next tag.
_ATTRIBUTES: Final = r"""(?:=\s*+"[^"<]*+"|=\s*+'[^'<]*+'|[^<>])*+"""
_TOKEN: Final = re.compile(
    rf"(?P<skipped>{_SKIPPED})|<(?P<slash>/?)(?P<name>[A-Za-z_:][^\s<>/]*+){_ATTRIBUTES}>", re.DOTALL
)
_BLOCKS: Final = frozenset(
    {
        "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "details", "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header",
        "hr", "html", "legend", "li", "main", "nav", "ol", "option", "p", "pre", "section", "select", "summary",
        "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "title", "tr", "ul",
    }
)  # fmt: skip
# Elements that HTML and XLIFF define as parts of a sentence: in XML, they are structure only if the caller says so.
_INLINE: Final = frozenset(
    {
        "a", "abbr", "b", "bdi", "bdo", "big", "br", "cite", "code", "del", "dfn", "em", "font", "i", "img", "ins",
        "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var",
        "bpt", "bx", "ept", "ex", "g", "it", "mrk", "pc", "ph", "x", CDATA,
    }
)  # fmt: skip
_EMPTY: Final = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
_RAW: Final = frozenset({"script", "style"})  # end at their first end tag, also with other tags inside
_CODE: Final = _RAW | {"code", "kbd", "samp", "var"}
_ANDROID_KEPT: Final = "xliff:g"  # text that is not translated
_NOT_TRANSLATED: Final = re.compile(
    r"""\stranslate\s*+=\s*+["']?no\b
    |\sclass\s*+=\s*+(?:"(?=[^"]*\bnotranslate\b)|'(?=[^']*\bnotranslate\b)|notranslate\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_ID: Final = re.compile(r"\sid\s*+=", re.IGNORECASE)
_SPACES: Final = re.compile(r"(\s+)")
_SPACE_RULE: Final = re.compile(r"""\sxml:space\s*+=\s*+["'](preserve|default)\b""")
_PREFORMATTED: Final = frozenset({"pre", "textarea"})
LINE_ENDS: Final = re.compile(r"((?<![ \t])[ \t]*+(?:[\r\n\f][ \t]*+)+)")

Kind = Literal["text", "line end", "skipped", "open", "close", "lone", "kept"]


@dataclass(frozen=True, slots=True)
class MarkupToken:
    """A part of a text; "kept" is a whole element that is copied, "skipped" a comment or a declaration.

    `partner` is the index of the other tag of a pair; a tag without its other half is "lone". The begin and end of a
    CDATA section of XML are a pair; the text between them `is_literal`, without entities.
    """

    kind: Kind
    raw: str
    name: str = ""
    partner: int = -1
    is_literal: bool = False

    @property
    def has_text(self) -> bool:
        """True for a text other than white space."""
        return self.kind == "text" and not self.raw.isspace()

    @property
    def is_word(self) -> bool:
        """True for an element in place of a word: it is copied or empty, and is not a line break."""
        is_empty = self.raw.endswith("/>") or self.name in _EMPTY
        is_break = self.name in ("br", "wbr") and _ID.search(self.raw) is None
        return self.kind in ("kept", "skipped") or (self.kind == "lone" and is_empty and not is_break)


@dataclass(frozen=True, slots=True)
class Outline:
    """What separates paragraphs; the names of elements are parameters of DeepL's API.

    With `keeps_lines`, each line is a paragraph; else only where the markup preserves white space.
    """

    kind: Markup
    ignored: Set[str] = frozenset()
    splitting: Set[str] = frozenset()
    non_splitting: Set[str] = frozenset()
    is_detected: bool = True
    keeps_lines: bool = False

    def tokens(self, text: str) -> list[MarkupToken]:
        """The text as tokens."""
        return paired(list(self._with_lines(self._with_kept(paired(_tokens(text, is_html=self.kind == "html"))))))

    def boundaries(self, tokens: Sequence[MarkupToken]) -> set[int]:
        """The indices of the tokens that separate paragraphs."""
        found = self._blocks(tokens) if self.kind == "html" else self._structure(tokens)
        found |= {at for at, token in enumerate(tokens) if token.kind == "line end"}
        return found | {
            at for at, token in enumerate(tokens) if token.raw[:2] in ("<!", "<?") and token.raw[2].isalpha()
        }

    def _is_kept(self, token: MarkupToken) -> bool:
        if token.kind != "open":
            return False
        is_code = self.kind == "html" and (token.name in _CODE or _NOT_TRANSLATED.search(token.raw) is not None)
        return is_code or token.name in self.ignored or token.name == _ANDROID_KEPT

    def _with_kept(self, tokens: Sequence[MarkupToken]) -> Iterator[MarkupToken]:
        """The tokens, with one token for each element that is copied."""
        end = 0
        for at, token in enumerate(tokens):
            if at < end:
                continue
            end = at + 1
            if self._is_kept(token):
                end = token.partner + 1
                token = MarkupToken("kept", "".join(each.raw for each in tokens[at:end]), token.name)
            yield token

    def _with_lines(self, tokens: Iterable[MarkupToken]) -> Iterator[MarkupToken]:
        """The tokens, with the ends of lines that separate paragraphs."""
        keeping = [self.keeps_lines]
        for token in tokens:
            if token.kind == "text":
                lines = _literal_lines if token.is_literal else _lines
                yield from lines(token.raw) if keeping[-1] else [token]
                continue
            if token.kind == "open":
                rule = _SPACE_RULE.search(token.raw)
                is_keeper = self.kind == "html" and token.name in _PREFORMATTED
                keeping.append((rule[1] == "preserve" if rule else keeping[-1] or is_keeper) or self.keeps_lines)
            elif token.kind == "close":
                keeping.pop()
            yield token

    def _blocks(self, tokens: Sequence[MarkupToken]) -> set[int]:
        """The tags of blocks in HTML. A line break is one if it has no id and is not inside a sentence."""
        names = (_BLOCKS | self.splitting) - self.non_splitting
        found = {at for at, token in enumerate(tokens) if token.name in names}
        before, after = (
            _texts_beside(tokens, found),
            _texts_beside(tokens[::-1], {len(tokens) - 1 - at for at in found}),
        )
        return {
            at
            for at in found
            if tokens[at].name != "br"
            or "br" in self.splitting
            or not (_ID.search(tokens[at].raw) or is_inside_sentence(before[at], after[len(tokens) - 1 - at]))
        }

    def _structure(self, tokens: Sequence[MarkupToken]) -> set[int]:
        """The tags in XML between which there is only white space, and those that always separate paragraphs."""
        inline = (_INLINE | self.non_splitting) - self.splitting
        root = -1
        owner = root  # the innermost open element that is not inline, whose text a text is
        opened: list[int] = []
        owners: list[int] = []  # for each token, the owner around it
        with_text: set[int] = set()
        for at, token in enumerate(tokens):
            if token.kind == "close":
                owner = opened.pop()
            owners.append(owner)
            if token.has_text:
                with_text.add(owner)
            elif token.kind == "open":
                opened.append(owner)
                owner = owner if token.name in inline else at
        found: set[int] = set()
        structure = {root} if self.is_detected else set()
        for at, token in enumerate(tokens):
            if token.kind in ("open", "lone", "kept") and token.name not in inline:
                is_part = owners[at] in structure and owners[at] not in with_text
                if is_part or token.name in self.splitting:
                    found |= {at, token.partner} - {-1}
                    structure |= {at} if self.is_detected else set()
        return found


def _tokens(text: str, *, is_html: bool) -> Iterator[MarkupToken]:
    position = 0
    unclosed: set[str] = set()
    while (match := _TOKEN.search(text, position)) is not None:
        if match.start() > position:
            yield MarkupToken("text", text[position : match.start()])
        position = match.end()
        if match["skipped"]:
            yield from [MarkupToken("skipped", match[0])] if is_html else _with_cdata(match[0])
            continue
        name = match["name"].lower() if is_html else match["name"]
        is_lone = match[0].endswith("/>") or (is_html and name in _EMPTY)
        yield MarkupToken("lone" if is_lone else "close" if match["slash"] else "open", match[0], name)
        if is_html and name in _RAW and not match["slash"] and name not in unclosed:
            end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(text, position)
            if end is None:
                unclosed.add(name)
            elif end.start() > position:
                yield MarkupToken("text", text[position : end.start()])
                position = end.start()
    if position < len(text):
        yield MarkupToken("text", text[position:])


def _with_cdata(raw: str) -> Iterator[MarkupToken]:
    """A comment or declaration as it is; a CDATA section as a pair with its text."""
    if not (raw.startswith(CDATA) and raw.endswith(CDATA_END)):
        yield MarkupToken("skipped", raw)
        return
    yield MarkupToken("open", CDATA, CDATA)
    if text := raw[len(CDATA) : -len(CDATA_END)]:
        yield MarkupToken("text", text, is_literal=True)
    yield MarkupToken("close", CDATA_END, CDATA)


def paired(tokens: Iterable[MarkupToken]) -> list[MarkupToken]:
    """The tokens with their partners."""
    paired = list(tokens)
    opened: list[int] = []
    names: Counter[str] = Counter()
    for at, token in enumerate(paired):
        if token.kind == "open":
            opened.append(at)
            names[token.name] += 1
        elif token.kind == "close":
            if not names[token.name]:
                paired[at] = replace(token, kind="lone")
                continue
            while paired[first := opened.pop()].name != token.name:
                names[paired[first].name] -= 1
                paired[first] = replace(paired[first], kind="lone")
            names[token.name] -= 1
            paired[first] = replace(paired[first], partner=at)
            paired[at] = replace(token, partner=first)
    for first in opened:
        paired[first] = replace(paired[first], kind="lone")
    return paired


def _lines(text: str) -> Iterator[MarkupToken]:
    for number, part in enumerate(LINE_ENDS.split(text)):
        if part:
            yield MarkupToken("line end" if number % 2 else "text", part)


def _literal_lines(text: str) -> Iterator[MarkupToken]:
    """The lines of a CDATA section, each in a section of its own, which is the same to a reader of XML."""
    for part in _SPACES.split(text):
        if "\n" in part or "\r" in part:
            yield from (MarkupToken("close", CDATA_END, CDATA), MarkupToken("line end", part))
            yield MarkupToken("open", CDATA, CDATA)
        elif part:
            yield MarkupToken("text", part, is_literal=True)


def _texts_beside(tokens: Sequence[MarkupToken], boundaries: Set[int]) -> list[str]:
    """For each token, the last text before it in its paragraph."""
    found, last = [], ""
    for at, token in enumerate(tokens):
        found.append(last)
        last = token.raw if token.has_text else "" if at in boundaries else last
    return found
