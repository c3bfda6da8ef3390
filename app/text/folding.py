"""Folding of texts for comparison: terms, the translation memory, checks and searches compare folded texts.

Characters that readers do not see do not count. White space, hyphens, apostrophes and quotes have one form each. So do
letters with accents, in ligatures and in full width. Every character keeps its place in the given text.

German ß is two letters: a long s and an s, "ſs". In lower case it equals "ss", the spelling of capitals, of Switzerland
and often of old texts. Only words that differ in nothing else stay apart: "Maße" are measures, "Masse" is a mass.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from engine import IGNORABLE, is_unspaced, is_word_char

# The zero-width non-joiner counts between Arabic letters: it ends their forms, as before the suffix of a Persian word.
_HIDDEN = re.compile(f"[{IGNORABLE}\u200d]|(?<![\u0600-\u08ff])\u200c|\u200c(?![\u0600-\u08ff])")
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_FULL_WIDTH = "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"
_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))
_FORMS = (
    dict.fromkeys(map(ord, _SPACES), " ")
    | dict.fromkeys(map(ord, "\u2010\u2011"), "-")
    | dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u02bc"), "'")
    | dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f"), '"')
    | {code: chr(code - 0xFEE0) for code in range(0xFF10, 0xFF5B) if re.match(f"[{_FULL_WIDTH}]", chr(code))}
)
_SHARP_S = {0xDF: "ſs", 0x1E9E: "SS"}
_OTHER_WORD = re.compile(r"(?<!\w)(ma|bu)ſs(e[ns]?)(?!\w)")  # Maße and Masse, Buße and Busse
_CHANGES_LENGTH = re.compile(f"{_HIDDEN.pattern}|[\ufb00-\ufb06]|[{_SPACES}]{{2}}")
_PLAIN_WORDS = re.compile(r"[!-~]+(?: [!-~]+)*")  # ASCII, single spaces
_PLAIN_WORD = re.compile(r"[A-Za-z0-9]+")
_TAG = re.compile(r"\{/?(\d+)\}|</?([A-Za-z][\w:-]*)(?:\s[^<>]*)?>")
_MAX_MARKS = 30  # on one letter; sorting them takes quadratic time

Span = tuple[int, int]


class FoldedText:
    """A folded text. `lower` is `exact` in lower case, with the same length.

    `exact[i]` comes from `text[starts[i]:ends[i]]`. The spans in `left_out` do not count, nor a second space.
    """

    def __init__(self, text: str, left_out: Iterable[Span] = ()) -> None:
        left_out = tuple(left_out)
        if not left_out and _keeps_length(text) and "ß" not in text and "ẞ" not in text:
            self.exact = text.translate(_FORMS)
            self.starts: Sequence[int] = range(len(text))
            self.ends: Sequence[int] = range(1, len(text) + 1)
        else:
            characters = _composed(_visible(text, left_out))
            self.exact = "".join(character for character, _, _ in characters)
            self.starts = [start for _, start, _ in characters]
            self.ends = [end for _, _, end in characters]
        self.lower = lower(self.exact)

    @classmethod
    def of_words(cls, text: str) -> FoldedText:
        """The text without the tags around its words.

        Only paired tags are left out ("{1}…{/1}", "<b>…</b>"): a placeholder such as "{2}" stands for a word.
        """
        return cls(text, _paired_tags(text))

    def span(self, start: int, end: int) -> Span:
        """The span of the given text that became `exact[start:end]`, which is not empty."""
        return self.starts[start], self.ends[end - 1]


def folded(text: str) -> str:
    """The text of `FoldedText(text).exact`.

    >>> folded("Co\\u00adoperation by  e\\u2011mail: it\\u2019s \\u201cfine\\u201d")
    'Cooperation by e-mail: it\\'s "fine"'
    """
    if _PLAIN_WORDS.fullmatch(text):
        return text
    return text.translate(_FORMS | _SHARP_S) if _keeps_length(text) else FoldedText(text).exact


def spelt(folded: str) -> str:
    """A folded text with ß again, for lists and rules of German words.

    >>> spelt(folded("Straße"))
    'Straße'
    """
    return folded.replace("ſs", "ß")


def fold_spelling(source: str) -> str:
    """The source of a term, folded without the tags around its words."""
    if _PLAIN_WORDS.fullmatch(source) and "</" not in source and "{/" not in source:
        return source  # the fast path for most terms
    return FoldedText.of_words(source).exact


def fold_term(source: str) -> str:
    """The search key of a term: `fold_spelling` in lower case."""
    return lower(fold_spelling(source))


def tokens(text: str) -> Iterator[Span]:
    """Start and end of each token: a word, or one character that is not part of a word or of a script with spaces."""
    start = 0
    while start < len(text):
        end = token_end(text, start)
        yield start, end
        start = end


def token_end(text: str, start: int) -> int:
    """The end of the token that starts at `start`."""
    plain = _PLAIN_WORD.match(text, start)
    if plain and (plain.end() == len(text) or text[plain.end()].isascii()):
        return plain.end()
    end = start + 1
    if is_word_char(text[start]) and not is_unspaced(text[start]):
        while end < len(text) and is_word_char(text[end]) and not is_unspaced(text[end]):
            end += 1
    return end


def lower(text: str) -> str:
    """The text in lower case, with the same length: "İ" becomes "i", and the final sigma of Greek "σ"."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(c.lower() if len(c.lower()) == 1 else "i" if c == "İ" else c for c in text)
    lowered = lowered.replace("ς", "σ")
    if "ſ" not in lowered:
        return lowered
    kept = {match.end(1) for match in _OTHER_WORD.finditer(lowered)}
    return "".join("s" if c == "ſ" and place not in kept else c for place, c in enumerate(lowered))


def _keeps_length(text: str) -> bool:
    return not _CHANGES_LENGTH.search(text) and unicodedata.is_normalized("NFC", text)


def _visible(text: str, left_out: Sequence[Span]) -> Iterator[tuple[str, int, int]]:
    """(folded character, start, end) of each visible character outside the spans; one space for several."""
    is_space = False
    for first, last in _between(left_out, len(text)):
        hidden = {match.start() for match in _HIDDEN.finditer(text, first, last)}
        for place in range(first, last):
            if place in hidden:
                continue
            code = ord(text[place])
            written = _LIGATURES.get(code) or _FORMS.get(code) or _SHARP_S.get(code) or text[place]
            if not (is_space and written == " "):
                yield from ((character, place, place + 1) for character in written)
            is_space = written == " "


def _composed(characters: Iterable[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """The characters in NFC; each character of a cluster has the span of the cluster."""
    made: list[tuple[str, int, int]] = []
    cluster: list[tuple[str, int, int]] = []

    def close() -> None:
        if len(cluster) > 1:
            start, end = cluster[0][1], cluster[-1][2]
            text = unicodedata.normalize("NFC", "".join(character for character, _, _ in cluster))
            made.extend((character, start, end) for character in text)
        elif cluster:
            character, start, end = cluster[0]
            made.extend((one, start, end) for one in unicodedata.normalize("NFC", character))
        cluster.clear()

    for item in characters:
        if not (cluster and _continues(item[0]) and len(cluster) <= _MAX_MARKS):
            close()
        cluster.append(item)
    close()
    return made


def _continues(character: str) -> bool:
    """True if the character may compose with the one before it: a mark, or a vowel or final of decomposed Hangul."""
    if character < "\u0300":
        return False
    return "\u1161" <= character <= "\u11ff" or unicodedata.category(character)[0] == "M"


def _paired_tags(text: str) -> list[Span]:
    if "{/" not in text and "</" not in text:
        return []
    found = list(_TAG.finditer(text))
    closed = {match[1] or match[2] for match in found if "/" in match.group()[:2]}
    return [match.span() for match in found if (match[1] or match[2]) in closed and not match.group().endswith("/>")]


def _between(spans: Sequence[Span], length: int) -> Iterator[Span]:
    """The parts of a text of this length outside the given spans."""
    before = 0
    for start, end in spans:
        yield before, start
        before = end
    yield before, length
