"""Puts no-break spaces, tabs and typographic hyphens of a source into its translation where that has the same.

The engine reads and writes ordinary ones. "5 kg", "z. B.", "§ 5" and "E-Mail" get the characters of the source, and so
does the space beside a number that is the same in both. Each character is replaced by one, so no span changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from app.tags.placement import Span

_SPACES: Final = "\t\u00a0\u2000-\u200a\u202f\u205f"
_OWN_SPACE: Final = re.compile(f"[{_SPACES}]")
_OWN_HYPHEN: Final = re.compile("[\u2010\u2011]")
_ANY: Final = re.compile(f"[{_SPACES}\u2010\u2011]")
_NUMBER: Final = re.compile(r"\d[\d.,]*")
_OPENING, _CLOSING = "([{\"'„“«»‚‘", ".,;:!?)]}\"'“”«»’"
_LONGEST: Final = 40  # characters of a word beside a space or hyphen


class _Neighbours(NamedTuple):
    before: str
    after: str

    @property
    def keys(self) -> Iterator[tuple[str, str]]:
        """The pair, a mark or label of a list with anything behind, and a number on either side with anything."""
        yield self.before, self.after
        if self.before and not self.before[-1].isalnum():
            yield self.before, ""
        for number, key in ((self.before, ("{}", "")), (self.after, ("", "{}"))):
            if _NUMBER.fullmatch(number):
                digits = re.sub(r"\D", "", number)
                yield key[0].format(digits), key[1].format(digits)


def with_source_characters(source: str, text: str, fixed: Iterable[Span] = ()) -> str:
    """The translation with the spaces and hyphens of its source; the `fixed` spans stay as they are."""
    if not _ANY.search(source):
        return text
    characters = [*text]
    free = bytearray(b"\1" * len(text))
    for start, end in fixed:
        free[start:end] = bytes(end - start)
    for pattern, plain, neighbours in ((_OWN_SPACE, " ", _words_beside), (_OWN_HYPHEN, "-", _parts_beside)):
        waiting: dict[tuple[str, str], list[tuple[int, str]]] = {}
        for match in reversed([*pattern.finditer(source)]):  # the first one is taken first, from the end of its list
            for key in neighbours(source, match.start()).keys:
                waiting.setdefault(key, []).append((match.start(), match[0]))
        used: set[int] = set()
        places = [place for place, char in enumerate(text) if char == plain and free[place]] if waiting else []
        for place in places:
            for key in neighbours(text, place).keys:
                candidates = waiting.get(key, [])
                while candidates and candidates[-1][0] in used:
                    candidates.pop()
                if candidates:
                    at, characters[place] = candidates.pop()
                    used.add(at)
                    break
    return "".join(characters)


def _words_beside(text: str, place: int) -> _Neighbours:
    """The words before and after a space, without case and the marks around them."""
    before = text[max(0, place - _LONGEST) : place].split()[-1:]
    after = text[place + 1 : place + 1 + _LONGEST].split()[:1]
    return _Neighbours("".join(before).lstrip(_OPENING).casefold(), "".join(after).rstrip(_CLOSING).casefold())


def _parts_beside(text: str, place: int) -> _Neighbours:
    """The parts of a compound before and after a hyphen, without case."""
    before = re.split(r"\W", text[max(0, place - _LONGEST) : place])[-1]
    after = re.split(r"\W", text[place + 1 : place + 1 + _LONGEST])[0]
    return _Neighbours(before.casefold(), after.casefold())
