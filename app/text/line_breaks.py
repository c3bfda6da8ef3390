"""Line breaks inside paragraphs: which of them are inside a sentence."""

from __future__ import annotations

import re
from typing import Final

_SENTENCE_ENDS: Final = ".!?…:;。！？：；؟۔।"
_CLOSING_MARKS: Final = "”“’»«›‹\"')]}）」』"
_OPENING_MARKS: Final = "„“”‚‘’»«›‹\"'([{¿¡（「『"
_ADDRESS = re.compile(r"\S*@\S|https?:|www\.|\w+\.\w+(?:/|\s|\Z)")
# "a) …", "12. …", "x – …", or a name such as iPhone; not "it. Then", the end of a sentence.
_ITEM = re.compile(r"(?:\d{1,3}|[^\W\d_]|[ivx]{2,4})[.)]\s|\w\s*[-–=:]\s|[a-z]{1,5}[A-Z]")
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
    before, after = before.rstrip(), after.lstrip().lstrip(_OPENING_MARKS)
    if not before.rstrip(_CLOSING_MARKS) or ends_sentence(before) or not after[:1].islower():
        return False
    return not begins_item(after)


def ends_sentence(line: str) -> bool:
    """True if a line ends with the sign of an end: "Wait.", 'He said "Wait!"', "Colours:"."""
    return line.rstrip(_CLOSING_MARKS)[-1:] in tuple(_SENTENCE_ENDS)


def begins_item(line: str) -> bool:
    """True if a line begins with an address, or as the item of a list.

    >>> begins_item("b) Close it."), begins_item("- Close it."), begins_item("it. Then close it.")
    (True, True, False)
    """
    words = line.lstrip(_OPENING_MARKS)
    is_marked = line[:1] == words[:1] and not line[:1].isalnum()
    return is_marked or bool(_ADDRESS.match(words, 0, _MAX_WORD) or _ITEM.match(words, 0, _MAX_WORD))


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
