"""Finding texts in a stream of characters, by the boundary rules of `engine.text.boundaries`.

A match whose right edge is a letter, mark or digit is pending until the next one or two characters decide whether the
word ends there. All functions are pure, so that automata can be built on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from engine.search.phrases import PieceTexts
from engine.text import has_bytes, read_surface
from engine.text.boundaries import (
    NUMBER_JOINERS,
    SENTENCE_CLOSERS,
    SENTENCE_ENDS,
    SENTENCE_OPENERS,
    Standing,
    is_digit,
    is_mark,
    joins_words,
)

OTHER, WORD, DIGIT, NUMBER_JOINER = range(4)
UNTRACKED, AT_START, INSIDE, ENDED = range(4)  # the position in a sentence, where it matters

# (pattern, characters matched) or, for pending matches, (pattern, characters since the end)
Match = tuple[int, int]
Matches = frozenset[Match]
NONE: Matches = frozenset()


@lru_cache(maxsize=8192)
def kind_of(character: str) -> int:
    """The kind of a character for the boundary rules."""
    if is_digit(character):
        return DIGIT
    if joins_words(character):
        return WORD
    return NUMBER_JOINER if character in NUMBER_JOINERS else OTHER


def sentence_after(place: int, character: str) -> int:
    """The position in a sentence after `character`; the rule of `boundaries.is_sentence_start`."""
    if place == UNTRACKED:
        return UNTRACKED
    if character in SENTENCE_ENDS or (place == ENDED and character in SENTENCE_CLOSERS):
        return ENDED
    if character.isspace():
        return INSIDE if place == INSIDE else AT_START
    return AT_START if place == AT_START and character in SENTENCE_OPENERS else INSIDE


class Context(NamedTuple):
    """The end of a text, as far as it affects the next characters."""

    before_last: int = OTHER  # set only if the last joins numbers, so that more texts share a state
    last: int = OTHER
    is_first: bool = True  # the text is empty
    is_open: bool = False  # the last piece glues to its right
    sentence: int = UNTRACKED
    unfinished: bytes = b""  # of a character whose other bytes are still to come

    def emission(self, texts: PieceTexts, piece: int) -> str:
        """The characters that `piece` adds, with the space before it; a character comes with the last of its bytes."""
        surface = texts.surfaces[piece]
        return read_surface(self.unfinished, " " + surface if self.has_space_before(texts, piece) else surface)[0]

    def has_space_before(self, texts: PieceTexts, piece: int) -> bool:
        return not ((self.is_first and not self.unfinished) or self.is_open or texts.glues_left[piece])

    def goes_on(self, character: str) -> bool:
        """True if `character`, coming next, continues a word or number."""
        if self.last in (WORD, DIGIT):
            return True
        return self.last == NUMBER_JOINER and self.before_last == DIGIT and is_digit(character)

    def after(self, character: str) -> Context:
        kind = kind_of(character)
        before_last = self.last if kind == NUMBER_JOINER else OTHER
        sentence = self.sentence and sentence_after(self.sentence, character)
        return Context(before_last, kind, False, self.is_open, sentence, self.unfinished)

    def after_all(self, characters: str) -> Context:
        """The context after several characters. The last two determine it, except for the position in a sentence."""
        context = self
        for character in characters if self.sentence else characters[-2:]:
            context = context.after(character)
        return context

    def closed_by(self, texts: PieceTexts, piece: int) -> Context:
        """This context with `is_open` and `unfinished` set after `piece`, whose characters it has already read."""
        is_open, surface = texts.glues_right[piece], texts.surfaces[piece]
        if is_open == self.is_open and not self.unfinished and not has_bytes(surface):
            return self
        is_apart = not (self.is_open or texts.glues_left[piece])
        return self._replace(is_open=is_open, unfinished=read_surface(b"" if is_apart else self.unfinished, surface)[1])


class Attached(NamedTuple):
    """The possible beginnings of pieces without a space before them: words, digits of a number, marks."""

    words: bool
    numbers: bool
    marks: bool

    @classmethod
    def of(cls, characters: Iterable[str]) -> Attached:
        found = set(characters)
        return cls(
            words=any(map(joins_words, found)),
            numbers=bool(found & set(NUMBER_JOINERS)),
            marks=any(map(is_mark, found)),
        )

    def may_break(self, pattern: Pattern, since: int, context: Context) -> bool:
        """True if a next piece may break a match that ended `since` characters before the end of the text."""
        if not pattern.bounded_right:
            return self.marks
        return context.is_open or self.words or (pattern.ends_in_digit and since == 0 and self.numbers)


class Pattern(NamedTuple):
    """A text to find. `owner` is the number of its phrase."""

    owner: int
    text: str
    bounded_left: bool  # no word character may precede it
    bounded_right: bool
    ignores_case: bool = False
    is_initial: bool = False  # counts only where a sentence begins
    goes_on: bool = False  # counts only as the end of a longer word

    @classmethod
    def of(
        cls, owner: int, text: str, boundary: Standing, *, ignores_case: bool = False, is_initial: bool = False
    ) -> Pattern:
        bounded_left = boundary not in ("anywhere", "end") and joins_words(text[0])
        bounded_right = boundary in ("word", "end") and joins_words(text[-1])
        written = text.lower() if ignores_case else text
        return cls(owner, written, bounded_left, bounded_right, ignores_case, is_initial, boundary == "end")

    def may_begin(self, is_inside: bool) -> bool:
        """True if the pattern may begin inside a word (`is_inside`) or at the beginning of one."""
        return not self.bounded_left if is_inside else not self.goes_on

    @property
    def ends_in_digit(self) -> bool:
        return self.bounded_right and is_digit(self.text[-1])

    @property
    def joins_numbers(self) -> bool:
        """True if its first digits and a digit directly before it would be one number."""
        return self.text[0] in NUMBER_JOINERS and is_digit(self.text[1:2])


def read(
    patterns: Sequence[Pattern], fresh: Iterable[int], partial: Matches, context: Context, character: str
) -> tuple[Matches, Matches]:
    """Partial matches after `character`, and the matches that it completes. Patterns in `fresh` may begin."""
    going, ended = set(), set()
    joined, starts, folded = context.goes_on(character), context.sentence == AT_START, character.lower()
    for number, matched in chain(partial, ((number, 0) for number in fresh)):
        pattern = patterns[number]
        if pattern.text[matched] != (folded if pattern.ignores_case else character):
            continue
        if matched == 0 and (not pattern.may_begin(joined) or (pattern.is_initial and not starts)):
            continue
        if matched + 1 == len(pattern.text):
            ended.add((number, 0))
        else:
            going.add((number, matched + 1))
    return frozenset(going), frozenset(ended)


def decide(patterns: Sequence[Pattern], pending: Matches, character: str) -> tuple[list[Match], Matches]:
    """The pending matches that `character` confirms (earliest end first), and the matches that remain pending."""
    kind = kind_of(character)
    confirmed, waiting = [], set()
    for number, since in sorted(pending, key=lambda match: (-match[1], match[0])):
        pattern = patterns[number]
        if since == 0 and pattern.ends_in_digit and kind == NUMBER_JOINER:
            waiting.add((number, 1))
            continue
        if since == 0:
            is_broken = is_mark(character) or (pattern.bounded_right and kind in (WORD, DIGIT))
        else:
            is_broken = kind == DIGIT
        if not is_broken:
            confirmed.append((number, since))
    return confirmed, frozenset(waiting)
