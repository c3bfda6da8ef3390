"""Places in a text where no word is a term: addresses, paths, code, placeholders, and parts of hyphenated compounds."""

from __future__ import annotations

import re
from bisect import bisect_left

from app.glossary.model import Term
from app.text.folding import FoldedText, Span, fold_spelling, spelt
from app.text.function_words import is_joined_part
from app.text.nontranslatables import nontranslatables
from engine import is_word_char

# Names in code and commands, addresses without a scheme, files and paths, which are not words of the sentence.
_NAME = re.compile(
    r"""
    (?<![\w-])--\w[\w-]*+(?:=[^\s,;]++)?  # --file, --mode=file
    | (?<![\w.+-])[\w.+-]{1,64}@[\w.-]++(?::[\w./~-]*+)?  # git@file:add.git, root@file
    | (?<![\w.@/\\-])\w[\w.-]*+:\d{2,5}(?!\w)(?:/[^\s<>"'”’)]*+)?  # file:8080/add
    | (?<!\w)\w++(?:(?:::|->)~?\w++)++  # file::add, file->add
    | (?<!\w)_*+[^\W_]++(?:(?:_++[^\W_]++)++(?:\(\d?\))?|\(\d?\))  # get_class, date(1), open()
    | (?<![\w.])[^\W\d_]\w*+(?:\.\w++)++\(\)  # file.open()
    | (?<![\w.@/\\-])[\w-]++(?:\.[\w-]++)*\.[a-z][a-z0-9]{1,4}(?![\w.-]*[\w-])  # add.py, harbor.org
    | (?<![\w.@/\\-])[\w-]++(?:\.[\w-]++)++/[^\s<>"'”’)]*  # www.harbor.example/file
    | (?<![\w./\\-])(?:[\w.+-]++/)++[\w+-]*+(?:\.[\w-]++)++  # src/file/add.py
    | (?<![\w\\])\\\\[\w.$-]++(?:\\[\w.$-]++)++  # \\server\share
    | %\w++%(?:\\[\w.$-]++)*+  # %APPDATA%\file
    | \$\w++\([^()\s]{1,200}\)  # $t(file.add)
    | (?<![\w/.:])[@#]:?[^\W\d_][\w.]*+  # @file, #file, @:file.add
    | (?<![\w:.?]):[a-z]\w*+(?![\w:])  # :file
    | (?<!`)(`{1,3})(?!`)[^`]{1,500}\1(?!`)  # `git add`
    | <(code|kbd|pre|samp|tt|var)\b[^<>]{0,300}>[^<]{0,500}</\2>  # <code>file</code>
    """,
    re.VERBOSE,
)
_MAX_PART = 20  # letters; a longer part is a word


class Names:
    """The names in a text, among them its placeholders and addresses."""

    def __init__(self, text: str) -> None:
        spans = [(element.start, element.end) for element in nontranslatables(text)]
        spans += [match.span() for match in _NAME.finditer(text)]
        self._starts: list[int] = []
        self._furthest: list[int] = []  # the last end of the spans up to this one
        self._longest: dict[int, int] = {}  # start -> end
        furthest = 0
        for start, end in sorted(spans):
            furthest = max(furthest, end)
            self._starts.append(start)
            self._furthest.append(furthest)
            self._longest[start] = end

    def contain(self, start: int, end: int) -> bool:
        """True if the span is a part of a name: "download" in "https://harbor.example/download"."""
        before = bisect_left(self._starts, start)
        is_inside = before > 0 and self._furthest[before - 1] >= end
        return is_inside or self._longest.get(start, 0) > end


def is_part_of_compound(text: FoldedText, span: Span, term: Term, language: str) -> bool:
    """True if a hyphen joins the span of the folded text to less than a word: "add" in "add-ons", "mail" in "e-mail".

    In a text in capitals, acronyms look like other words: there a short part is never a word.
    """
    start, end = span
    exact = text.exact
    is_in_capitals = exact[start:end].isupper() and not fold_spelling(term.source).isupper()
    parts = []
    if start > 1 and exact[start - 1] == "-" and is_word_char(exact[start]):
        first = start - 1
        while first and is_word_char(exact[first - 1]) and start - first < _MAX_PART:
            first -= 1
        parts.append(exact[first : start - 1])
    if end + 1 < len(exact) and exact[end] == "-" and is_word_char(exact[end - 1]):
        last = end + 1
        while last < len(exact) and is_word_char(exact[last]) and last - end < _MAX_PART:
            last += 1
        parts.append(exact[end + 1 : last])
    return any(part and is_joined_part(spelt(part.lower() if is_in_capitals else part), language) for part in parts)
