"""The coverage of a document: the letters offered for translation over the letters that a reader sees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from app.i18n import Message

_MAX_EXAMPLE: Final = 40  # characters


@dataclass(frozen=True, slots=True)
class Coverage:
    """The number of letters offered for translation and seen by readers; `example` is a text that is not offered."""

    num_offered: int
    num_seen: int
    example: str = ""

    @property
    def percent(self) -> float:
        """The share, rounded down to a tenth of a percent, so that only a whole document has 100."""
        return min(1000, 1000 * self.num_offered // max(self.num_seen, 1)) / 10

    @property
    def note(self) -> str | None:
        """The note for the user, if some texts are not offered."""
        if self.num_offered >= self.num_seen:
            return None
        count = self.num_seen - self.num_offered
        if not self.example:
            return Message(
                "{percent:.1f} % of the text that a reader sees is offered for translation. Letters that are not "
                "offered: {count:,}.",
                percent=self.percent,
                count=count,
            )
        return Message(
            "{percent:.1f} % of the text that a reader sees is offered for translation. Letters that are not offered: "
            "{count:,}, for example in “{example}”.",
            percent=self.percent,
            count=count,
            example=self.example,
        )


def coverage_of(offered: str, seen: Sequence[str]) -> Coverage:
    """The coverage of a document with these visible texts, of which the text `offered` is offered for translation."""
    num_offered, num_seen = _num_letters(offered), sum(map(_num_letters, seen))
    return Coverage(num_offered, num_seen, _missing(seen, offered) if num_offered < num_seen else "")


def _missing(texts_seen: Iterable[str], offered: str) -> str:
    """The beginning of the first text seen that is not among those offered; empty if each is there."""
    letters = _letters(offered)
    position = 0
    for text in texts_seen:
        wanted = _letters(text)
        # Both are in the same order, nearly, so the search from the last place on is short.
        found = letters.find(wanted, position)
        found = letters.find(wanted) if found < 0 else found
        if found < 0:
            return " ".join(text.split())[:_MAX_EXAMPLE]
        position = found + len(wanted)
    return ""


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def _num_letters(text: str) -> int:
    return len(_letters(text))
