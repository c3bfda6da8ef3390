"""Text of XLIFF that is not to be translated: each stretch of it becomes one lone piece, which a translation copies.

XLIFF 1.2 has `<mrk mtype="protected">`, XLIFF 2 has `translate="no"` on annotations (mrk, or sm and em, which may be in
different segments of a unit). An annotation inside may declare its text as translated again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from app.formats.inline import Piece, partners_of, with_pairs
from app.formats.xml_text import escape


@dataclass(frozen=True, slots=True)
class TranslateState:
    """Whether text is translated where the content of an element begins.

    `marks` are the annotations that began before, in their order, each with True if it declares its text as translated.
    """

    translates: bool = True
    marks: tuple[tuple[str, bool], ...] = ()

    def applied(self, pieces: Sequence[Piece]) -> tuple[list[Piece], TranslateState]:
        """The pieces with each protected stretch as one lone piece, and the state where they end."""
        if self.translates and not self.marks and not any(piece.declares for piece in pieces):
            return [*pieces], self
        partners = partners_of(pieces)
        starts = {end: start for start, end in partners.items()}
        active = dict(self.marks)  # the last one counts
        is_on: list[bool] = []
        for place, piece in enumerate(pieces):
            if piece.kind == "close":
                active.pop(_key(starts[place]) if place in starts else piece.code, None)
            is_on.append(next(reversed(active.values()), self.translates))
            if piece.declares:
                active[_key(place) if place in partners else piece.code] = piece.declares == "yes"
        open_marks = tuple((key, on) for key, on in active.items() if not key.startswith(_ELEMENT))
        after = TranslateState(self.translates, open_marks)
        return with_pairs(_joined(pieces, partners, is_on)), after


TRANSLATED: Final = TranslateState()
_ELEMENT = "#"  # begins the key of an annotation whose end is in the same content


def _key(place: int) -> str:
    return f"{_ELEMENT}{place}"


def _joined(pieces: Sequence[Piece], partners: Mapping[int, int], is_on: Sequence[bool]) -> list[Piece]:
    num_translated = [
        0,
        *accumulate(
            piece.kind == "text" and on and bool(piece.raw.strip()) for piece, on in zip(pieces, is_on, strict=True)
        ),
    ]

    def after_stretch(place: int) -> int:
        """The end of the protected stretch that begins at a place; the same place if none does."""
        while place < len(pieces):
            piece, end = pieces[place], partners.get(place)
            if end is not None and (piece.declares == "no" or not is_on[place]):
                if num_translated[end] > num_translated[place]:
                    break
                place = end + 1
            elif piece.kind in ("text", "lone") and not is_on[place]:
                place += 1
            else:
                break
        return place

    found: list[Piece] = []
    place = 0
    while place < len(pieces):
        end = after_stretch(place)
        if end == place:
            found.append(pieces[place])
            place += 1
            continue
        raw = "".join(escape(piece.raw) if piece.kind == "text" else piece.raw for piece in pieces[place:end])
        inner = raw.strip()
        lead, trail = raw[: len(raw) - len(raw.lstrip())], raw[len(raw.rstrip()) :] if inner else ""
        found += [Piece("text", lead)] * bool(lead) + [Piece("lone", inner)] * bool(inner)
        found += [Piece("text", trail)] * bool(trail)
        place = end
    return found
