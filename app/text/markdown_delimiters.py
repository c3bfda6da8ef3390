"""The delimiters of Markdown in a text: emphasis, links, images, notes and code, by the rules of CommonMark."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from markdown_it.common.utils import normalizeReference

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
    | (?P<marks>\*+|_+|(?<!~)~~?(?!~)|(?<!=)==(?!=))""",
    re.VERBOSE,
)
_MARK = re.compile(r"[\\`<{\[\]*_~=!]")  # first characters of all of these
_WHOLE = "~="  # runs of these signs end only at runs of the same length
_WORD_OF_CODE = re.compile(r"`[^`\s]*[^\W_][^`\s]*`")  # in the text, where it is protected as a word


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
class Found:
    """Delimiter pairs, the spans of placeholders, and the spans of texts of their own: notes and titles."""

    pairs: list[DelimiterPair] = field(default_factory=list)
    codes: list[tuple[int, int]] = field(default_factory=list)
    inner: list[tuple[int, int]] = field(default_factory=list)


@lru_cache(maxsize=4)  # a text is shown and split one after the other
def delimiters(text: str, labels: frozenset[str] = frozenset()) -> Found:
    """The delimiter pairs, and as codes inline code that is not one word, comments, shortcodes and notes."""
    found = Found()
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
    found: Found,
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
        kind = run.sign, run.opens, run.size % 3 if run.sign not in _WHOLE else run.size
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
    if opener.sign in _WHOLE:
        return opener.size == closer.size
    is_odd = (opener.closes or closer.opens) and (opener.size + closer.size) % 3 == 0
    return not is_odd or opener.size % 3 == closer.size % 3 == 0
