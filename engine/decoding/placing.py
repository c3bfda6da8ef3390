"""Inserts missing required phrases into a previous text, before the search follows that text.

The search places a phrase without a position badly: around it, every other word may change, and behind the
end it disturbs least. The previous text says where the phrase may go: between two of its words, or in the place of a
few of them. Each such edit is rated by the log-probability that it adds to the text, and the best one is made. The
words that it replaces count the same whatever their log-probability: the model has written them, so nearly all are
likely for it, the wrong ones too. A person who meant another place is offered the next ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from engine.decoding.aligner import Alignment
from engine.decoding.constraints import PreparedRequest
from engine.interruption import NEVER, Interrupted, Interruption
from engine.search.phrases import TrackedPhrase
from engine.search.steps import LogProbs, TextDecoder, log_probs_of
from engine.text import Codec, DecodedPieces, is_unspaced, is_word_char, words

Span = tuple[int, int]
Pieces = tuple[int, ...]
OpenDecoder = Callable[[int], TextDecoder]  # opens a decoder of so many texts of the request's source
MAX_REPLACED = 3  # words that a phrase of one word may replace; one more for each further word
MAX_FORMS = 8  # of a phrase that are tried
NUM_READ = 8  # edits whose texts are read to the end
NUM_READ_FOR_PLACES = 16  # the same, where several places are offered
# The log-probability of the phrase's least likely piece counts so many times more: in a wrong place, one often does not
# fit. Of 436 missing words of four development sets, 57.0, 61.5 and 62.9 % are right after the search with 0, 1 and 2.
LEAST_PIECE_WEIGHT = 2.0
PIECE_REWARD = 1.0  # nats; without it, words would be replaced only to shorten the text
REPLACED_REWARD = 0.5  # nats for a replaced piece, instead of what its own log-probability takes away
# Cost in nats of replacing words of the text that translate the source span of the phrase, or other source words.
OWN_REWARD = 6.0
OTHER_PENALTY = 3.0
MAX_READ = 1024  # pieces of the texts that are read at once: some tens of milliseconds, until the next look for a stop


@dataclass(frozen=True, slots=True)
class PhrasePlacer:
    """Puts the phrases of one request into its previous text.

    `align` gives the word alignment of a text with the source, None if the model has none. `max_pieces` are those that
    the model writes. After an `interruption`, no more phrases are put in.
    """

    prepared: PreparedRequest
    codec: Codec
    open_decoder: OpenDecoder
    align: Callable[[Pieces], Alignment | None]
    max_pieces: int
    interruption: Interruption = NEVER

    def placed(self) -> PreparedRequest:
        """The request with the missing phrases inserted into its previous text; see `engine.Follow`.

        They are put in one after the other, in their order. The prefix, locked texts and phrases that the text already
        has stay as they are; a text that does not begin with the prefix is not changed.
        """
        followed, members = self.prepared.followed, self.prepared.members
        if followed is None or not followed.places_phrases:
            return self.prepared
        for number, phrase in enumerate(self.prepared.constraints.phrases[: len(members)]):
            for _ in range(phrase.count):
                if _num_found(self.prepared, self.codec.decode(followed.pieces).text)[number] >= phrase.count:
                    break
                try:
                    edit = next(self._edits_for_one_more(number, followed.pieces, NUM_READ), None)
                except Interrupted:
                    return replace(self.prepared, followed=followed)
                if edit is None:
                    break
                followed = followed.edited(edit.first, edit.last, edit.pieces)
        return replace(self.prepared, followed=followed)

    def places(self, phrase: int, count: int) -> list[Edit]:
        """At most so many edits of the previous text for one more occurrence of a phrase of the request, best first.

        The best edit of each place comes before the others, so that the next one is at another place.
        """
        followed = self.prepared.followed
        assert followed is not None, "the text is not followed"
        number = next(number for number, members in enumerate(self.prepared.members) if phrase in members)
        edits = [*self._edits_for_one_more(number, followed.pieces, NUM_READ_FOR_PLACES)]
        best: list[Edit] = []
        for edit in edits:
            if not any(edit.touches(other) for other in best):
                best.append(edit)
        return [*best, *(edit for edit in edits if edit not in best)][:count]

    def _edits_for_one_more(self, number: int, pieces: Pieces, num_read: int) -> Iterator[Edit]:
        """The edits for one more occurrence of phrase `number`, best first, of `num_read` that are compared.

        Those that double the phrase, with nothing between two of its occurrences, are the last.
        """
        self.interruption.check()
        before = self.codec.decode(pieces)
        placements = self.prepared.place(before.text)[0]
        self.interruption.check()
        found = _num_found(self.prepared, before.text)
        self.interruption.check()
        phrase, prefix = self.prepared.constraints.phrases[number], self.prepared.constraints.prefix
        prefix_text = prefix.text.rstrip() if prefix else ""
        if not before.text.startswith(prefix_text):
            return
        fixed = [(0, len(prefix_text)), *self.prepared.place_ordered(before.text)]
        fixed += [(placement.start, placement.end) for placement in placements]
        most_replaced = MAX_REPLACED - 1 + max(len(form.split()) for form in phrase.forms)
        edits: list[Edit] = []
        for edit in edits_of(before, _spellings(phrase), most_replaced, fixed):
            self.interruption.check()
            is_short = len(pieces) - (edit.last - edit.first) + len(edit.pieces) < self.max_pieces
            if is_short and (edit.first == 0 or edit.form not in phrase.initial):
                edits.append(edit)
        if not edits or len(pieces) >= self.max_pieces:
            return
        edited = EditedText((*pieces, self.codec.end), self.open_decoder, self.interruption, LEAST_PIECE_WEIGHT)
        rewards = [
            reward + sum(edited.log_probs[edit.first : edit.last]) + REPLACED_REWARD * (edit.last - edit.first)
            for reward, edit in zip(self._rewards(number, pieces, before, edits), edits, strict=True)
        ]
        doubling: list[Edit] = []
        for edit in edited.best(edits, rewards, num_read):
            self.interruption.check()
            text = self.codec.decode(edit.applied_to(pieces)).text
            now = _num_found(self.prepared, text)
            if now[number] > found[number] and now >= found and text.startswith(prefix_text):
                if found[number] and self._is_doubled(number, text):
                    doubling.append(edit)
                else:
                    yield edit
        yield from doubling

    def _is_doubled(self, number: int, text: str) -> bool:
        """True if two occurrences of phrase `number` follow each other in a text."""
        members = self.prepared.members[number]
        places = sorted((each.start, each.end) for each in self.prepared.place(text)[0] if each.phrase in members)
        return any(not text[end:start].strip() for (_, end), (start, _) in pairwise(places))

    def _rewards(self, number: int, pieces: Pieces, text: DecodedPieces, edits: Sequence[Edit]) -> list[float]:
        """The gain or loss of each edit from the words that it replaces, if the phrase has a source span."""
        members = (self.prepared.phrases[member] for member in self.prepared.members[number])
        asked = [member.source_span for member in members if member.source_span is not None]
        alignment = self.align(pieces) if asked else None
        if not alignment:
            return [0.0] * len(edits)
        own = {target for source, target in _links(alignment) if any(_overlap(source, span) for span in asked)}
        others = {target for _, target in _links(alignment)} - own
        rewards = []
        for edit in edits:
            is_gap = edit.first == edit.last
            replaced = (0, 0) if is_gap else (text.spans[edit.first][0], text.spans[edit.last - 1][1])
            num_others = sum(_overlap(target, replaced) for target in others)
            is_its_own = any(_overlap(target, replaced) for target in own)
            rewards.append(OWN_REWARD * is_its_own - OTHER_PENALTY * num_others)
        return rewards


def _num_found(prepared: PreparedRequest, text: str) -> Counter[int]:
    """The required occurrences in a text: of each phrase, by its number, and by -1 of locked texts and the suffix.

    Phrases that the request is searched without, such as expected ones, do not count.
    """
    numbers = {member: number for number, members in enumerate(prepared.members) for member in members}
    found = Counter(numbers[each.phrase] for each in prepared.place(text)[0] if each.phrase in numbers)
    found[-1] = len(prepared.place_ordered(text))
    return found


@dataclass(frozen=True, slots=True)
class Edit:
    """A text's pieces from `first` up to `last`, not included, replaced by the pieces of form number `form`."""

    first: int
    last: int
    form: int
    pieces: Pieces

    def applied_to(self, text: Pieces) -> Pieces:
        return (*text[: self.first], *self.pieces, *text[self.last :])

    def touches(self, other: Edit) -> bool:
        """True if the two edits of a text are at the same place: they overlap, or nothing is between them."""
        return self.first <= other.last and other.first <= self.last


def edits_of(
    decoding: DecodedPieces, spellings: Sequence[tuple[int, Pieces]], most: int, fixed: Sequence[Span]
) -> Iterator[Edit]:
    """All edits that insert a spelling (a form and its pieces) between two parts or replace up to `most` parts by it.

    Nothing is put into the `fixed` spans of characters or in their place.
    """
    spans, parts = decoding.spans, parts_of(decoding)
    for first in range(len(parts) + 1):
        start = parts[first][0] if first < len(parts) else len(spans)
        offset = spans[start][0] if start < len(spans) else len(decoding.text)
        if any(a < offset < b for a, b in fixed):
            continue
        for last in range(first, min(len(parts), first + most) + 1):
            end = parts[last - 1][1] if last > first else start
            if last > first and any(a < spans[end - 1][1] and offset < b for a, b in fixed):
                break
            for form, pieces in spellings:
                yield Edit(start, end, form, pieces)


def parts_of(decoding: DecodedPieces) -> list[Span]:
    """The parts of a text that no edit divides, as (first piece, one past the last).

    They are its words and the marks at their beginnings and ends. A mark inside a word, such as a hyphen, belongs to
    it: `„E-Mail“, 3,5` has the parts „ E-Mail “ , 3,5.
    """
    text, spans = decoding.text, decoding.spans
    chunks: list[list[Span]] = []
    for word in words(text, spans):
        if chunks and spans[chunks[-1][-1][1] - 1][1] == spans[word[0]][0]:
            chunks[-1].append(word)
        else:
            chunks.append([word])
    found: list[Span] = []
    for chunk in chunks:
        first_characters = [text[spans[word[0]][0]] for word in chunk]
        inner = [k for k, character in enumerate(first_characters) if is_word_char(character)]
        if not inner or any(map(is_unspaced, first_characters)):
            found += chunk
        else:
            first, last = inner[0], inner[-1]
            found += [*chunk[:first], (chunk[first][0], chunk[last][1]), *chunk[last + 1 :]]
    return found


class EditedText:
    """A previous text, and how likely its edits are."""

    def __init__(
        self, pieces: Pieces, open_decoder: OpenDecoder, interruption: Interruption, least_piece_weight: float = 0.0
    ) -> None:
        """`pieces` include the end of the text. Asks `interruption` before each reading of texts.

        In the comparison of whole texts, the log-probability of the least likely piece that an edit inserts counts so
        many times more.
        """
        self._pieces = pieces
        self._open = open_decoder
        self._interruption = interruption
        self._least_piece_weight = least_piece_weight
        [log_probs] = open_decoder(1).read([self._pieces])
        self.log_probs = tuple(log_probs)

    def best(self, edits: Sequence[Edit], rewards: Sequence[float], num_read: int = NUM_READ) -> list[Edit]:
        """The `num_read` best edits by gain up to the first piece behind them, and of these the best text first."""
        nearby = [gain + reward for gain, reward in zip(self._gains_nearby(edits), rewards, strict=True)]
        chosen = sorted(range(len(edits)), key=lambda k: -nearby[k])[:num_read]
        scores = self._scores([edits[k] for k in chosen])
        ranked = sorted(zip(scores, chosen, strict=True), key=lambda item: -item[0] - rewards[item[1]])
        return [edits[k] for _, k in ranked]

    def _gains_nearby(self, edits: Sequence[Edit]) -> list[float]:
        """The change in score by each edit, up to the first piece after it."""
        beginnings = list(dict.fromkeys((edit.first, edit.pieces) for edit in edits))
        inside: dict[tuple[int, Pieces], float] = {}
        next_V: dict[tuple[int, Pieces], LogProbs] = {}
        for some in _at_once(beginnings, len(self._pieces)):
            self._interruption.check()
            decoder = self._open(len(some))
            log_probs = decoder.read([(*self._pieces[:first], *pieces) for first, pieces in some])
            next_RV = log_probs_of(decoder.step(np.array([pieces[-1] for _, pieces in some])))
            for beginning, own, row in zip(some, log_probs, next_RV, strict=True):
                inside[beginning], next_V[beginning] = sum(own[beginning[0] :]), row
        gains = []
        for edit in edits:
            beginning = edit.first, edit.pieces
            after = float(next_V[beginning][self._pieces[edit.last]])
            before = sum(self.log_probs[edit.first : edit.last + 1])
            num_more = len(edit.pieces) - (edit.last - edit.first)
            gains.append(inside[beginning] + after - before + PIECE_REWARD * num_more)
        return gains

    def _scores(self, edits: Sequence[Edit]) -> list[float]:
        """The score of the text after each edit: its log-probability, a reward for each piece, the least piece."""
        found: list[float] = []
        for some in _at_once(edits, len(self._pieces)):
            self._interruption.check()
            texts = [edit.applied_to(self._pieces) for edit in some]
            for edit, log_probs in zip(some, self._open(len(some)).read(texts), strict=True):
                least = min(log_probs[edit.first : edit.first + len(edit.pieces)], default=0.0)
                found.append(sum(log_probs) + PIECE_REWARD * len(log_probs) + self._least_piece_weight * least)
        return found


def _links(alignment: Alignment) -> Iterator[tuple[Span, Span]]:
    """The linked words, each as characters of the source and of the text."""
    for source_start, source_end, start, end in alignment:
        yield (source_start, source_end), (start, end)


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _at_once(items: Sequence[Any], length: int) -> Iterator[Sequence[Any]]:
    """The items in parts of so few that their texts, of about this length, are at most `MAX_READ` pieces together."""
    size = max(1, MAX_READ // length)
    for first in range(0, len(items), size):
        yield items[first : first + size]


def _spellings(phrase: TrackedPhrase) -> list[tuple[int, Pieces]]:
    """The first forms of a phrase, each in its first spelling (after a space)."""
    first: dict[int, Pieces] = {}
    for spelling in phrase.spellings:
        first.setdefault(spelling.form, spelling.pieces)
    return list(first.items())[:MAX_FORMS]
