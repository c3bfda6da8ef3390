"""The constraints of a sentence, as the search sees them: phrases, avoided texts, a prefix.

Text decides whether a phrase is met. Its canonical pieces only guide the search: they are the pieces that it forces and
in which it counts partial progress.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.text import read_surface
from engine.text.boundaries import Standing


class PieceTexts(Protocol):
    """The text of every piece of a vocabulary, indexed by id.

    The text of a sequence is the pieces' surfaces in order, each preceded by a space unless it comes first, glues to
    its left, or follows a piece that glues to its right. Pieces with bytes write characters together
    (`engine.text.byte_pieces`).
    """

    @property
    def surfaces(self) -> Sequence[str]: ...
    @property
    def glues_left(self) -> Sequence[bool]: ...
    @property
    def glues_right(self) -> Sequence[bool]: ...


@dataclass(frozen=True, slots=True)
class Spelling:
    """The pieces of one form. The first `d` pieces write the first `lengths[d]` whole characters of it.

    `lengths[d]` may be 0: some pieces write only the space before the form.
    """

    form: int
    pieces: tuple[int, ...]
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, form: int, pieces: Sequence[int], texts: PieceTexts) -> Spelling:
        lengths, run = [0], b""
        for position, piece in enumerate(pieces):
            glued = position == 0 or texts.glues_left[piece] or texts.glues_right[pieces[position - 1]]
            surface, run = read_surface(run, texts.surfaces[piece])
            surface = surface if lengths[-1] else surface.lstrip(" ")
            lengths.append(lengths[-1] + (not glued and lengths[-1] > 0) + len(surface))
        return cls(form, tuple(pieces), tuple(lengths))


@dataclass(frozen=True, slots=True)
class TrackedPhrase:
    """A phrase required `count` times: any of `forms` meets it, and each of `spellings` writes one of the forms.

    A phrase with a `max_count` may occur at most so often and shares no form with another phrase.
    The forms numbered in `initial` (capitalised ones) count only where a sentence begins. Those in `heads` count only
    at the end of a longer word; they have no spellings. Phrases with a `turn` must occur in this order without
    overlap: each counts only after the one before. A phrase that `ends_text` counts only at the end of the text. Its
    pieces are in the banks too; outside them it would only be written when the length limit forces it (30 captions with
    the end of their reference: BLEU 30 with it in the banks, 20 outside, 25 without the constraint).
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
        """The boundary rule of the form with this number."""
        return "end" if form in self.heads else self.boundary

    @property
    def num_pieces(self) -> int:
        """Pieces of the shortest spelling that is allowed anywhere: the constraint tokens of one occurrence."""
        return min(len(spelling.pieces) for spelling in self.spellings if spelling.form not in self.initial)

    @property
    def num_constraint_tokens(self) -> int:
        return self.count * self.num_pieces


@dataclass(frozen=True, slots=True)
class AvoidedText:
    """A text that must not occur in the output at word boundaries, in any segmentation."""

    text: str
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class Prefix:
    """A text that the output begins with, character by character.

    `pieces` are the canonical ones of all but its last word. The last word may continue, in any pieces, and if it
    `ignores_case`, in small letters or capitals.
    """

    text: str
    pieces: tuple[int, ...] = ()
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class SentenceConstraints:
    """All constraints of one translation."""

    phrases: tuple[TrackedPhrase, ...] = ()
    avoided: tuple[AvoidedText, ...] = ()
    prefix: Prefix | None = None

    @property
    def is_empty(self) -> bool:
        return not self.phrases and not self.avoided and self.prefix is None
