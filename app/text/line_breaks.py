"""Line breaks inside paragraphs: which of them are inside a sentence."""

from __future__ import annotations

import re
from typing import Final

_SENTENCE_ENDS: Final = ".!?…:;。！？：；؟۔।"
_CLOSING_MARKS: Final = "”“’»«›‹\"')]}）」』"
_OPENING_MARKS: Final = "„“”‚‘’»«›‹\"'([{¿¡（「『"
_ADDRESS = re.compile(r"\S*@\S|https?:|www\.|\w+\.\w+(?:/|\s|\Z)")
_ITEM = re.compile(r"\w{1,3}[.)]\s|\w\s*[-–=:]\s|[a-z]{1,5}[A-Z]")  # "a) …", "x – …", or a name such as iPhone
_MAX_WORD: Final = 200  # characters of the next line that are looked at
_ONE_SPELT = re.compile(r"(?<!\\)\\n|<br\s{0,3}/?>|&lt;br\s{0,3}/?&gt;", re.IGNORECASE)
_SPELT = re.compile(rf"(?:{_ONE_SPELT.pattern})(?:[ \t]*+(?:{_ONE_SPELT.pattern}))*", re.IGNORECASE)
_WORD = re.compile(r"\w")


def is_inside_sentence(before: str, after: str) -> bool:
    """True if a line break between two texts is inside a sentence.

    The text after it goes on in lower case, and the text before it does not end a sentence. An empty line, an address
    and the next item of a list are not inside a sentence.

    >>> is_inside_sentence("Need help choosing", "a product?"), is_inside_sentence("12 High Street", "Leeds")
    (True, False)
    """
    before, after = before.rstrip().rstrip(_CLOSING_MARKS), after.lstrip().lstrip(_OPENING_MARKS)
    if not before or before[-1] in _SENTENCE_ENDS or not after[:1].islower():
        return False
    return not (_ADDRESS.match(after, 0, _MAX_WORD) or _ITEM.match(after, 0, _MAX_WORD))


def breaks_between_lines(text: str) -> list[tuple[int, int]]:
    r"""The spans of line breaks spelt as `\n` or `<br>`, or of several, between words and not inside a sentence.

    >>> breaks_between_lines(r"Line one\nLine two\nof the text\n")
    [(8, 10)]
    """
    found = []
    matches = list(_SPELT.finditer(text))
    for number, match in enumerate(matches):
        start = matches[number - 1].end() if number else 0
        end = matches[number + 1].start() if number + 1 < len(matches) else len(text)
        before, after = text[max(start, match.start() - _MAX_WORD) : match.start()], text[match.end() : end][:_MAX_WORD]
        if _WORD.search(before) and _WORD.search(after):
            is_single = _ONE_SPELT.fullmatch(match.group()) is not None
            if not (is_single and is_inside_sentence(before, after)):
                found.append(match.span())
    return found
