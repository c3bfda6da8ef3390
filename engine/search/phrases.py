"""What is asked of a sentence, as the search sees it: phrases, avoided texts, a prefix.

Text decides whether a phrase is met; its canonical pieces only steer (they are what the search forces, and what
partial progress is counted in). This file turns the one into the other and knows nothing of hypotheses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.text.boundaries import Standing


class PieceTexts(Protocol):
    """The text of every piece of a vocabulary, indexed by id.

    The text of a sequence is the pieces' surfaces in order, each preceded by a space unless it comes first, glues to
    its left, or follows a piece that glues to its right.
    """

    @property
    def surfaces(self) -> Sequence[str]: ...
    @property
    def glues_left(self) -> Sequence[bool]: ...
    @property
    def glues_right(self) -> Sequence[bool]: ...


@dataclass(frozen=True, slots=True)
class Spelling:
    """The pieces of one form. The first `d` pieces write the first `lengths[d]` characters of the form.

    That may be none: some pieces write a space alone, which stands before the form.
    """

    form: int
    pieces: tuple[int, ...]
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, form: int, pieces: Sequence[int], texts: PieceTexts) -> Spelling:
        lengths = [0]
        for position, piece in enumerate(pieces):
            glued = position == 0 or texts.glues_left[piece] or texts.glues_right[pieces[position - 1]]
            surface = texts.surfaces[piece] if lengths[-1] else texts.surfaces[piece].lstrip(" ")
            lengths.append(lengths[-1] + (not glued and lengths[-1] > 0) + len(surface))
        return cls(form, tuple(pieces), tuple(lengths))


@dataclass(frozen=True, slots=True)
class TrackedPhrase:
    """A phrase that must stand `count` times: any of `forms` meets it, any of `spellings` leads to a form.

    With a `max_count`, it may stand so often and no more; it then has no form in common with another.
    The forms numbered in `initial` (capitalised ones) count only where a sentence begins, those in `heads` only at the
    end of a longer word; these have no spellings. Phrases with a `turn` stand
    in that order and apart, each counting only behind the one before. One that `ends_text` counts at its end alone; its
    pieces are in the banks all the same, as outside them it is only written when the length limit forces it (30
    captions with the end of their reference: BLEU 30 in the banks, 20 outside, 25 without it).
    """

    forms: tuple[str, ...]
    spellings: tuple[Spelling, ...]
    boundary: Standing = "word"
    count: int = 1
    max_count: int | None = None
    initial: frozenset[int] = frozenset()
    heads: frozenset[int] = frozenset()
    turn: int | None = None
    ends_text: bool = False

    def boundary_of(self, form: int) -> Standing:
        """What may touch the form of this number."""
        return "end" if form in self.heads else self.boundary

    @property
    def num_pieces(self) -> int:
        """Pieces of the shortest spelling that can stand anywhere: what one occurrence weighs in the banks."""
        return min(len(spelling.pieces) for spelling in self.spellings if spelling.form not in self.initial)

    @property
    def num_constraint_tokens(self) -> int:
        return self.count * self.num_pieces


@dataclass(frozen=True, slots=True)
class AvoidedText:
    """A text that must not stand in the output at word boundaries, whatever the segmentation."""

    text: str
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class Prefix:
    """A text that the output begins with, character by character.

    `pieces` are the canonical ones of all but its last word; the last word may go on, in any pieces.
    """

    text: str
    pieces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceConstraints:
    """All that one translation must and must not contain."""

    phrases: tuple[TrackedPhrase, ...] = ()
    avoided: tuple[AvoidedText, ...] = ()
    prefix: Prefix | None = None

    @property
    def is_empty(self) -> bool:
        return not self.phrases and not self.avoided and self.prefix is None
