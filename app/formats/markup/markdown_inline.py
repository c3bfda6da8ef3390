"""Inline Markdown: emphasis and links as pairs of placeholders, by the rules of CommonMark.

"Press **OK** in [the menu](a.md)" is shown as "Press {1}OK{/1} in {2}the menu{/2}". Code, comments, shortcodes,
inline notes ("^[…]") and references to footnotes ("[^1]") are one placeholder each. One word of code, HTML and
backslash escapes stay in the text. The text of a note and the title of a link are texts of their own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import unescape
from operator import itemgetter

from markdown_it.common.utils import normalizeReference

from app.formats.inline import Piece, Shown, show

_ADDRESS = r"(?:<[^<>]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)"
TITLE = r""""(?:[^"\\]|\\.){0,500}"|'(?:[^'\\]|\\.){0,500}'|\((?:[^()\\]|\\.){0,500}\)"""
# HTML comments, heading ids of MDX, shortcodes of Hugo, references to footnotes
_CODE = r"<!--.{0,300}?-->|\{/\*.{0,300}?\*/\}|\{\{[<%].{0,300}?[>%]\}\}|\[\^[^\[\]\s\\]{1,100}\]"
# Lengths are limited, because a search through many unterminated openings would take quadratic time.
_TOKEN = re.compile(
    rf"""(?P<opaque>\\[!-/:-@\[-`{{-~]
        | (?<!`)(?P<ticks>`++)(?:[^`]|(?!(?P=ticks)(?!`))`++){{1,500}}(?P=ticks)(?!`) | `++
        | (?P<code>{_CODE})
        | <[A-Za-z/!?][^<>]*>)
    | (?P<opens>!?\[(?!\^)|\^\[)
    | \](?P<to>\({_ADDRESS}(?:[ ]+(?P<title>{TITLE}))?[ ]*\) | \[(?P<label>(?:[^\[\]\\]|\\.){{0,500}})\])?
    | (?P<marks>\*+|_+|(?<!~)~~?(?!~))""",
    re.VERBOSE,
)
_LINE_BREAK = re.compile(r"(?:\\|(?<! ) {2,}+)(?:\r\n|\r|\n)[ \t>]*+")
_MARK = re.compile(r"[\\`<{\[\]*_~!]")  # first characters of all of these
_SPACE_IN = re.compile(r"(\{(\d+)\})(\s+)|(\s+)(\{/(\d+)\})")
_EMPTY = re.compile(r"\{(\d+)\}\{/\1\}")
_WORD_OF_CODE = re.compile(r"`[^`\s]*[^\W_][^`\s]*`")  # in the text, where it is protected as a word
_EMPHASIS = re.compile(r"[*_~]+")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_ADDRESS_LINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>")
_TAG = re.compile(r"</?([A-Za-z][\w.:-]*)|<[!?]")
# What may begin HTML: a tag, a comment, a reference; in MDX, "<" before anything but a space.
_HTML = re.compile(
    r"(?<!\\)(?:<(?=[A-Za-z/!?])|(?P<reference>&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});))"
)
_MDX_CODE = re.compile(rf"{_HTML.pattern}|(?<!\\)<(?=\S)")


@dataclass(frozen=True, slots=True)
class DelimiterPair:
    """Delimiters that open at `[start, inner_start)` and close at `[inner_end, end)`; `close` is the closing text."""

    start: int
    inner_start: int
    inner_end: int
    end: int
    close: str


@dataclass(slots=True)
class _Run:
    """A run of delimiter characters; `start` and `end` are its unused part, `size` is its original length."""

    sign: str
    start: int
    end: int
    size: int
    opens: bool
    closes: bool


@dataclass(slots=True)
class _Bracket:
    start: int
    end: int
    num_before: tuple[int, int, int, int]  # runs, and what is found: pairs, codes and inner texts
    is_link: bool
    is_note: bool
    is_active: bool = True


@dataclass(slots=True)
class _Found:
    """Delimiter pairs, the spans of placeholders, and the spans of texts of their own: notes and titles."""

    pairs: list[DelimiterPair] = field(default_factory=list)
    codes: list[tuple[int, int]] = field(default_factory=list)
    inner: list[tuple[int, int]] = field(default_factory=list)


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
    found = _parsed(text, labels)
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
    return _parsed(text, frozenset(labels)).pairs


def inner_texts(text: str, labels: Collection[str]) -> list[tuple[int, int]]:
    """The spans of the texts of inline notes, and of the titles of links and images.

    >>> [text[a:b] for text in ['x^[A note] [y](z "A title")'] for a, b in inner_texts(text, ())]
    ['A note', 'A title']
    """
    return _parsed(text, frozenset(labels)).inner


@lru_cache(maxsize=4)  # a text is shown and split one after the other
def _parsed(text: str, labels: frozenset[str]) -> _Found:
    """The delimiter pairs, and as codes inline code that is not one word, comments, shortcodes and notes."""
    found = _Found()
    if not _MARK.search(text):
        return found
    runs: list[_Run] = []
    brackets: list[_Bracket] = []
    position = 0
    while match := _TOKEN.search(text, position):
        position = match.end()
        if match["opaque"]:
            is_code = match["code"] or (match["ticks"] and not _WORD_OF_CODE.fullmatch(match[0]))
            found.codes += [match.span()] * bool(is_code)
        elif match["marks"]:
            runs.append(_run(text, match.start(), match.end()))
        elif match["opens"]:
            before = len(runs), len(found.pairs), len(found.codes), len(found.inner)
            is_link, is_note = match["opens"] != "![", match["opens"] == "^["
            brackets.append(_Bracket(match.start(), match.end(), before, is_link, is_note))
        elif not brackets or not _closes(text, match, brackets, runs, found, labels):
            position = match.start() + 1
    found.pairs += _emphasis(runs)
    found.pairs.sort(key=lambda pair: (pair.start, -pair.end))
    return found


def _closes(
    text: str,
    match: re.Match[str],
    brackets: list[_Bracket],
    runs: list[_Run],
    found: _Found,
    labels: Collection[str],
) -> bool:
    """True if a closing bracket ends a note, or a link or image with an address or a known label, which is added."""
    bracket = brackets.pop()
    num_runs, num_pairs, num_codes, num_inner = bracket.num_before
    if bracket.is_note and not match["to"]:
        del runs[num_runs:], found.pairs[num_pairs:], found.codes[num_codes:], found.inner[num_inner:]
        found.codes.append((bracket.start, match.end()))
        found.inner.append((bracket.end, match.start()))
        return True
    if not bracket.is_active:
        return False
    inner = text[bracket.end : match.start()]
    label = inner if match["to"] is None or match["label"] == "" else match["label"]
    if label is not None and normalizeReference(label) not in labels:
        return False
    is_short = label is not None and not match["label"]
    end = match.end() if match["to"] else match.start() + 1
    close = f"][{label}]" if is_short else text[match.start() : end]
    found.pairs += _emphasis(runs[num_runs:])
    del runs[num_runs:]
    start = bracket.end - 1 if bracket.is_note else bracket.start  # the caret before a link is text
    found.pairs.append(DelimiterPair(start, bracket.end, match.start(), end, close))
    if match["title"]:
        found.inner.append((match.start("title") + 1, match.end("title") - 1))
    if bracket.is_link:  # a link cannot contain a link
        for around in brackets:
            around.is_active = around.is_active and not around.is_link
    return True


def _run(text: str, start: int, end: int) -> _Run:
    """A delimiter run; whether it can open or close emphasis follows the rules of CommonMark."""
    before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
    is_left = not after.isspace() and (not _is_mark(after) or before.isspace() or _is_mark(before))
    is_right = not before.isspace() and (not _is_mark(before) or after.isspace() or _is_mark(after))
    opens, closes = is_left, is_right
    if text[start] == "_":
        opens = is_left and (not is_right or _is_mark(before))
        closes = is_right and (not is_left or _is_mark(after))
    return _Run(text[start], start, end, end - start, opens, closes)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _emphasis(runs: Iterable[_Run]) -> list[DelimiterPair]:
    """The emphasis pairs of delimiter runs; each closer matches the nearest fitting opener."""
    found: list[DelimiterPair] = []
    opened: list[_Run] = []
    # By kind of closer: how many of `opened`, from the first, cannot match it.
    nothing_below: dict[tuple[object, ...], int] = {}
    for run in runs:
        kind = run.sign, run.opens, run.size % 3 if run.sign != "~" else run.size
        while run.closes and run.end > run.start:
            bottom = nothing_below.get(kind, 0)
            index = next((i for i in range(len(opened) - 1, bottom - 1, -1) if _fits(opened[i], run)), -1)
            if index < 0:
                nothing_below[kind] = len(opened)
                break
            opener = opened[index]
            del opened[index + 1 :]
            nothing_below = {key: min(count, len(opened)) for key, count in nothing_below.items()}
            width = 2 if min(opener.end - opener.start, run.end - run.start) >= 2 else 1
            close = run.sign * width
            found.append(DelimiterPair(opener.end - width, opener.end, run.start, run.start + width, close))
            opener.end -= width
            run.start += width
            if opener.end == opener.start:
                opened.pop()
                nothing_below = {key: min(count, len(opened)) for key, count in nothing_below.items()}
        if run.opens and run.end > run.start:
            opened.append(run)
    return found


def _fits(opener: _Run, closer: _Run) -> bool:
    if opener.sign != closer.sign:
        return False
    if opener.sign == "~":
        return opener.size == closer.size
    is_odd = (opener.closes or closer.opens) and (opener.size + closer.size) % 3 == 0
    return not is_odd or opener.size % 3 == closer.size % 3 == 0
