"""Inline Markdown: emphasis and links as pairs of placeholders, by the rules of CommonMark.

"Press **OK** in [the menu](a.md)" is shown as "Press {1}OK{/1} in {2}the menu{/2}". Code, comments, shortcodes,
inline notes ("^[…]") and references to footnotes ("[^1]") are one placeholder each. One word of code, HTML and
backslash escapes stay in the text. The text of a note and the title of a link are texts of their own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from html import unescape
from operator import itemgetter

from app.formats.inline import Piece, Shown, show
from app.text.markdown_delimiters import DelimiterPair, delimiters

_LINE_BREAK = re.compile(r"(?:\\|(?<! ) {2,}+)(?:\r\n|\r|\n)[ \t>]*+")
_SPACE_IN = re.compile(r"(\{(\d+)\})(\s+)|(\s+)(\{/(\d+)\})")
_EMPTY = re.compile(r"\{(\d+)\}\{/\1\}")
_EMPHASIS = re.compile(r"[*_~=]+")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_ADDRESS_LINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>")
_TAG = re.compile(r"</?([A-Za-z][\w.:-]*)|<[!?]")
# What may begin HTML: a tag, a comment, a reference; in MDX, "<" before anything but a space.
_HTML = re.compile(
    r"(?<!\\)(?:<(?=[A-Za-z/!?])|(?P<reference>&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});))"
)
_MDX_CODE = re.compile(rf"{_HTML.pattern}|(?<!\\)<(?=\S)")


def shown(text: str, labels: Collection[str]) -> Shown:
    """The text with placeholders for delimiters; `labels` are the labels of the file's link definitions.

    The result may be shared, so it must not be changed.
    """
    return _shown(text, frozenset(labels))


def shown_beside(text: str, labels: Collection[str], source: Shown) -> Shown:
    """A translation with placeholders for delimiters, which have the numbers of those of its source."""
    return show(_pieces(text, frozenset(labels)), source, hides=bool(source.lead.strip()))


@lru_cache(maxsize=4)  # a reader asks for the text of a unit, and again for that of its only sentence
def _shown(text: str, labels: frozenset[str]) -> Shown:
    return show(_pieces(text, labels))


def _pieces(text: str, labels: frozenset[str]) -> list[Piece]:
    found = delimiters(text, labels)
    marks = [(pair.start, pair.inner_start, Piece("open", text[pair.start : pair.inner_start])) for pair in found.pairs]
    marks += [(pair.inner_end, pair.end, Piece("close", pair.close)) for pair in found.pairs]
    breaks = [each.span() for each in _LINE_BREAK.finditer(text)]  # other line ends are spaces already
    marks += [(start, end, Piece("lone", text[start:end])) for start, end in [*found.codes, *breaks]]
    pieces: list[Piece] = []
    position = 0
    for start, end, piece in sorted(marks, key=itemgetter(0)):
        if start < position:  # a line break inside of code
            continue
        pieces += [Piece("text", text[position:start])] * (position < start)
        pieces.append(piece)
        position = end
    pieces += [Piece("text", text[position:])] * (position < len(text))
    return pieces


def marked_up(text: str, labels: Collection[str], translation: str) -> str:
    """Converts a translation of `shown(text, labels)` back to Markdown.

    Emphasis marks next to inner spaces or without content would be plain text: spaces move outside, and empty pairs are
    dropped.

    >>> marked_up("a _nice_ day", (), "ein{1} schöner{/1}tag")
    'ein *schöner*tag'
    """
    return marked_up_content(shown(text, labels), translation)


def marked_up_content(content: Shown, translation: str) -> str:
    """Converts a translation of a content back to Markdown, see `marked_up`."""
    emphasis = {number for number, (start, _) in content.tags.items() if _EMPHASIS.fullmatch(start)}

    def moved(match: re.Match[str]) -> str:
        if (match[2] or match[6]) not in emphasis:
            return match.group()
        return match[3] + match[1] if match[2] else match[5] + match[4]

    def filled(match: re.Match[str]) -> str:
        return "" if match[1] in emphasis else match.group()

    for _ in emphasis:  # from the innermost pair outwards; the nesting depth is at most the number of pairs
        before, translation = translation, _EMPTY.sub(filled, _SPACE_IN.sub(moved, translation))
        if translation == before:
            break
    tags = dict(content.tags)
    for number in emphasis:  # an underscore inside a word is not emphasis
        if re.search(rf"[^\W_]\{{{number}\}}|\{{/{number}\}}[^\W_]", translation):
            start, end = tags[number]
            tags[number] = start.replace("_", "*"), (end or "").replace("_", "*")
    return replace(content, tags=tags).raw(translation, str)


def typed_html_as_text(source: str, translation: str, *, is_mdx: bool = False) -> str:
    """The translation in Markdown, with typed HTML escaped unless the source has such a tag or reference.

    Code, addresses in angle brackets and references for spaces and invisible characters stay as they are.

    >>> typed_html_as_text("a <kbd>b</kbd>", "<kbd>b</kbd> <i>c</i> &copy; d&nbsp;e & f")
    '<kbd>b</kbd> &lt;i>c&lt;/i> &amp;copy; d&nbsp;e & f'
    """
    names = {(match[1] or "").lower() for match in _TAG.finditer(source)}

    def written(match: re.Match[str]) -> str:
        if reference := match["reference"]:
            character = unescape(reference)
            is_seen = character != reference and unicodedata.category(character[0])[0] not in "ZC"
            return f"&amp;{reference[1:]}" if is_seen and reference not in source else reference
        tag = _TAG.match(translation, at := position + match.start())
        is_kept = (tag and (tag[1] or "").lower() in names) or (not is_mdx and _ADDRESS_LINK.match(translation, at))
        return "<" if is_kept else "&lt;"

    parts: list[str] = []
    position = 0
    for code in [*_CODE_SPAN.finditer(translation), None]:
        start, end = code.span() if code else (len(translation), len(translation))
        parts.append(
            (_MDX_CODE if is_mdx else _HTML).sub(written, translation[position:start]) + translation[start:end]
        )
        position = end
    return "".join(parts)


def pairs(text: str, labels: Collection[str]) -> list[DelimiterPair]:
    """Emphasis, strong emphasis, strikethrough, links and images in `text`, well nested, in order."""
    return delimiters(text, frozenset(labels)).pairs


def inner_texts(text: str, labels: Collection[str]) -> list[tuple[int, int]]:
    """The spans of the texts of inline notes, and of the titles of links and images.

    >>> [text[a:b] for text in ['x^[A note] [y](z "A title")'] for a, b in inner_texts(text, ())]
    ['A note', 'A title']
    """
    return delimiters(text, frozenset(labels)).inner
