"""The form of a text that a model reads, with the original offset of each character.

Texts are compared and translated in canonical composition (NFC). A model reads plain text: one ordinary space for each
run of white space, ordinary hyphens, no invisible characters, and compatibility letters (ligatures, full-width letters)
only where its vocabulary has them. Offsets shown to a user refer to the original text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType

# A word that goes on in the next line; not the first part of "main-\nand side-effects".
_LINE_END = re.compile(
    r"(?<![\w-])(?P<first>[^\W\d_]{2,40})(?P<hyphen>-)[^\S\n]*\n\s*(?!(?:und|oder|bzw|sowie|bis|and|or|to)\b)"
    r"(?P<last>[a-zß-öø-ÿ][^\W\d_]*)"
)
_HYPHENS = "\u2010\u2011"
_JOIN_CONTROLS = "\u200c\u200d"  # they change the letters beside them in Arabic and Indic scripts, and join emoji
# Default_Ignorable_Code_Point of Unicode without the join controls, as ranges of a regular expression.
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{IGNORABLE}\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")  # with control characters
# Typographic marks and the marks of ASCII that stand for them in the training text of OPUS-MT, by Moses'
# normalize-punctuation.perl.
ASCII_MARKS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys("“”„‟«»", '"') | dict.fromkeys("‘’‚‛‹›", "'") | dict.fromkeys("–—―−", "-")
)
_FIRST_JOINING = "\u0600"  # Arabic; no script before it joins its letters


@dataclass(frozen=True, slots=True)
class NormalText:
    """A rewritten `text`; `offsets[i]` is the offset of its character i in the given text (None: unchanged).

    The last offset is the end of the last character that was not left out.
    """

    text: str
    offsets: tuple[int, ...] | None = None

    def given_span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the given text that became `text[start:end]`."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end]

    def span_of(self, start: int, end: int) -> tuple[int, int]:
        """The span of `text` that `given[start:end]` became: at least one character, unless `text` is empty."""
        if self.offsets is None:
            return start, end
        first = max(0, min(bisect_right(self.offsets, start) - 1, len(self.text) - 1))
        return first, min(max(bisect_left(self.offsets, end), first + 1), len(self.text))

    def then(self, further: NormalText) -> NormalText:
        """Both steps in one: `further` is made from this text."""
        if self.offsets is None or further.offsets is None:
            return NormalText(further.text, self.offsets if further.offsets is None else further.offsets)
        return NormalText(further.text, tuple(self.offsets[place] for place in further.offsets))


def with_lines_joined(text: str, num_pieces: Callable[[str], int], language: str) -> NormalText:
    """The text without the hyphens of words that go on in the next line, and the way back.

    An English word keeps its hyphen if a model spells both parts in as few pieces as the whole: "long-term".

    >>> with_lines_joined("a docu-\\nment, Haupt-\\nund Nebensatz", len, "de").text
    'a document, Haupt-\\nund Nebensatz'
    """
    parts: list[str] = []
    offsets: list[int] = []
    position = 0
    for match in _LINE_END.finditer(text):
        first, last = match["first"], match["last"]
        joins = language != "en" or num_pieces(first + last) < num_pieces(first) + num_pieces(last)
        start, end = match.start("hyphen") + (not joins), match.start("last")
        parts.append(text[position:start])
        offsets += range(position, start)
        position = end
    if not position:
        return NormalText(text)
    return NormalText("".join([*parts, text[position:]]), (*offsets, *range(position, len(text) + 1)))


def normalise(text: str) -> str:
    """`text` in NFC."""
    return unicodedata.normalize("NFC", text)


def normalise_with_offsets(text: str) -> NormalText:
    """`text` in NFC with the way back, e.g. "Käse" written as K a ¨ s e gives offsets 0 1 3 4 5."""
    if unicodedata.is_normalized("NFC", text):
        return NormalText(text)
    parts: list[str] = []
    offsets: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and not _begins_anew(text[end]):
            continue
        part = normalise(text[start:end])
        parts.append(part)
        offsets.extend(min(start + i, end) for i in range(len(part)))
        start = end
    return NormalText("".join(parts), (*offsets, len(text)))


class PlainForm:
    """Rewrites texts as one model reads them; a character is read if the model's pieces spell it.

    `marks` has marks that are read as another one if the pieces spell only that one.

    >>> PlainForm(str.isascii).of(" a\\u00a0 \\ufb01le\\u2011b\\u00ad").text
    'a file-b'
    """

    def __init__(self, spells: Callable[[str], bool], marks: Mapping[str, str] = MappingProxyType({})) -> None:
        self._spells = spells
        self._marks = marks
        self._replacements: dict[str, str] = {}

    def of(self, text: str) -> NormalText:
        """The plain form of a text, in NFC. It is its own plain form."""
        if not _NOT_PLAIN.search(text) and self._rewritten_marks.isdisjoint(text):
            return normalise_with_offsets(text)
        characters: list[str] = []
        offsets: list[int] = []
        space_at: int | None = None  # white space that waits for a character behind it
        end = 0
        for place, char in enumerate(text):
            written = self._replacement(char)
            if char in _JOIN_CONTROLS and (space_at is not None or not characters or characters[-1] < _FIRST_JOINING):
                written = ""
            if written == " ":
                space_at = place if space_at is None else space_at
                continue
            if not written:
                continue
            if space_at is not None and characters:
                characters.append(" ")
                offsets.append(space_at)
            elif characters and written[0].isdigit() and characters[-1].isdigit() and _is_fraction(char):
                characters.append(" ")  # 5½ is not 51/2
                offsets.append(place)
            space_at = None
            characters += written
            offsets += [place, *[place + 1] * (len(written) - 1)]
            end = place + 1
        return NormalText("".join(characters), (*offsets, end)).then(normalise_with_offsets("".join(characters)))

    @cached_property
    def _rewritten_marks(self) -> frozenset[str]:
        return frozenset(mark for mark, plain in self._marks.items() if not self._spells(mark) and self._spells(plain))

    def _replacement(self, char: str) -> str:
        found = self._replacements.get(char)
        if found is None:
            found = self._replacements[char] = self._replacement_of(char)
        return found

    def _replacement_of(self, char: str) -> str:
        if char.isspace():
            return " "
        if _INVISIBLE.match(char):
            return ""
        if char in _HYPHENS:
            return "-"
        if char in self._rewritten_marks:
            return self._marks[char]
        if char in _JOIN_CONTROLS:
            return char if self._spells(char) else ""
        if not unicodedata.decomposition(char).startswith("<") or _is_raised_digit(char) or self._spells(char):
            return char
        letters = unicodedata.normalize("NFKC", char).replace("\u2044", "/")
        return char if " " in letters else letters  # an accent alone is a space with an accent, and some are phrases


def _is_fraction(char: str) -> bool:
    return unicodedata.decomposition(char).startswith("<fraction>")


def _is_raised_digit(char: str) -> bool:
    """True for exponents: 10⁶ is not 106."""
    return char.isdigit() and unicodedata.decomposition(char).startswith("<super>")


def _begins_anew(char: str) -> bool:
    """True if nothing before `char` can merge or change places with it under NFC."""
    if char < "\u0300":
        return True
    first = unicodedata.normalize("NFD", char)[0]
    return unicodedata.combining(first) == 0 and first not in _second_halves()


@cache
def _second_halves() -> frozenset[str]:
    """Starters that may compose with the character before them: some vowel signs, Hangul vowels and finals."""
    hangul = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    decompositions = (unicodedata.decomposition(chr(code)).split() for code in range(0x300, 0x20000))
    return frozenset(hangul | {chr(int(d[1], 16)) for d in decompositions if len(d) == 2 and d[0][0] != "<"})


# Texts in which this finds nothing are plain, or become so by NFC alone: those of the letters of common scripts, common
# marks and single spaces.
_PLAIN_LATIN = "".join(
    re.escape(chr(code))
    for code in range(0xA1, 0x180)
    if code != 0xAD and not unicodedata.decomposition(chr(code)).startswith("<")
)
_NOT_PLAIN = re.compile(
    rf"\A | \Z|  |[^ -~{_PLAIN_LATIN}\u0300-\u0333\u0386-\u03ce\u0400-\u0481–—‘’‚“”„•‹›€−"
    "\u3041-\u3094\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3]"
)
