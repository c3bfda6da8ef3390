"""A request in pieces: source pieces, the search's constraints, and the obstacles that make it infeasible.

Requests contain text, the search works on pieces. `PreparedRequest.place` leads back: it finds the phrases in a
finished text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

from engine.decoding.limits import excess
from engine.decoding.phrases_in_pieces import (
    Forbidden,
    avoided_texts,
    groups_of_equals,
    ordered_phrases,
    prefix_in_pieces,
    tracked_phrase,
)
from engine.decoding.reading import RequestReader, RequestReading
from engine.interruption import NEVER, Interruption
from engine.request import Phrase, Request
from engine.search.follow import FollowedText
from engine.search.phrases import Prefix, SentenceConstraints, TrackedPhrase
from engine.search.repeats import num_repeats
from engine.search.sharing import groups_that_share
from engine.search_options import SearchOptions
from engine.text import COMPOUNDING, Codec, form_list, is_compound, is_sentence_start, joins_words, occurrences
from engine.translation import Placement, Reason

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore

Span = tuple[int, int]
Alignment = Sequence[tuple[int, int, int, int]]  # source start and end, target start and end
_NEIGHBOURS = ("x", "1", " x", ",1")  # continuations that change the last word or number of a text


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """One request as the search needs it.

    `constraints.phrases[i]` is for the request's phrases `members[i]`: a text that is required several times becomes
    one phrase with a count. The locked texts and the suffix, `num_ordered` in all, follow. `obstacles` are the reasons
    why no translation can meet the request; empty if it is feasible. `datastore` has the neighbours that count. A
    request that `is_refused` asks for more than `engine.decoding.limits` allows, and was not prepared. All texts are
    those that the model reads (`reading`), except for `unknown_source`. `whole` is the same request with the phrases
    that this one leaves out. `prompt` is what a model reads that is asked by a prompt (`engine.transformers_models`).
    """

    source: str
    direction: str
    marks: tuple[str, ...]
    source_ids: tuple[int, ...]
    unknown_source: tuple[Span, ...]
    constraints: SentenceConstraints
    members: tuple[tuple[int, ...], ...]
    phrases: tuple[Phrase, ...]
    num_ordered: int
    num_prefix: int
    obstacles: tuple[Reason, ...]
    followed: FollowedText | None = None
    datastore: Datastore | None = None
    is_refused: bool = False
    reading: RequestReading | None = None
    whole: PreparedRequest | None = None
    prompt: Any = None

    @classmethod
    def of(
        cls,
        request: Request,
        direction: str,
        codec: Codec,
        max_pieces: int,
        source_codec: Codec | None = None,
        marks: tuple[str, ...] = (),
        datastore: Datastore | None = None,
        interruption: Interruption = NEVER,
        aligns: bool = False,
    ) -> PreparedRequest:
        """Prepares a request for a model of `max_pieces`, which `aligns` words or not.

        Without its expected phrases if these are an obstacle.

        `source_codec` is for models with separate source pieces; `marks` are the pieces for domain and formality.
        Asks `interruption` every few milliseconds.
        """
        args = request, direction, codec, max_pieces, source_codec, marks, datastore, interruption, aligns
        prepared = cls._of(*args, expects=True)
        is_alone = not any(phrase.is_expected for phrase in request.phrases)
        return prepared if is_alone or not prepared.obstacles else cls._of(*args, expects=False)

    @classmethod
    def _of(
        cls,
        request: Request,
        direction: str,
        codec: Codec,
        max_pieces: int,
        source_codec: Codec | None,
        marks: tuple[str, ...],
        datastore: Datastore | None,
        interruption: Interruption,
        aligns: bool,
        *,
        expects: bool,
    ) -> PreparedRequest:
        asked = request
        if not expects:
            asked = replace(request, phrases=tuple(phrase for phrase in request.phrases if not phrase.is_expected))
        interruption.check()
        if (reason := excess(asked)) is not None:
            return cls._refused(request, direction, marks, reason)
        reading = RequestReader(codec, source_codec or codec, aligns).read(request, direction)
        request = reading.request
        encoding = (source_codec or codec).encode(request.source)
        interruption.check()
        obstacles: list[Reason] = []
        most = max_pieces - 2 - len(marks)  # direction and end are pieces too
        if len(encoding.ids) > most:
            message = f"the source has {len(encoding.ids)} pieces, the model reads at most {most}; split the segment"
            obstacles.append(Reason("source_too_long", message))
        prefix, reasons = prefix_in_pieces(request.prefix, codec, reading.prefix_ignores_case)
        obstacles += reasons
        interruption.check()
        avoided = avoided_texts(request.avoid)
        forbidden = Forbidden.of(avoided)
        interruption.check()
        phrases: list[TrackedPhrase] = []
        members: list[tuple[int, ...]] = []
        for numbers in groups_of_equals(request.phrases):
            interruption.check()
            is_expected = request.phrases[numbers[0]].is_expected
            if is_expected and not expects:
                continue
            tracked, reasons = tracked_phrase(request.phrases, numbers, forbidden, codec)
            obstacles += () if is_expected else reasons
            if tracked:
                phrases.append(tracked)
                members.append(numbers)
        interruption.check()
        ordered, reasons = ordered_phrases(request, reading.variants, codec)
        obstacles += reasons
        obstacles += _too_often(phrases, members, ordered, request.prefix, interruption)
        phrases += ordered
        num_tokens = sum(phrase.num_constraint_tokens for phrase in phrases)
        num_prefix = len(codec.encode(request.prefix).ids)
        if num_prefix + num_tokens + 1 > max_pieces:
            num_pieces = num_prefix + num_tokens
            message = f"prefix, phrases and locked texts have {num_pieces} pieces, the model writes at most "
            message += f"{max_pieces - 1}; shorten the prefix or remove phrases"
            obstacles.append(Reason("too_long", message))
        return cls(
            source=request.source,
            direction=direction,
            marks=marks,
            source_ids=encoding.ids,
            unknown_source=reading.given_source_spans(encoding.unknown),
            constraints=SentenceConstraints(tuple(phrases), avoided, prefix),
            members=tuple(members),
            phrases=request.phrases,
            num_ordered=len(request.locked) + bool(request.suffix),
            num_prefix=num_prefix,
            obstacles=tuple(obstacles),
            followed=_followed(request, codec, phrases, interruption),
            datastore=datastore,
            reading=reading,
        )

    @classmethod
    def _refused(cls, request: Request, direction: str, marks: tuple[str, ...], reason: Reason) -> PreparedRequest:
        """A request that asks for too much, without any pieces."""
        return cls(
            source=request.source,
            direction=direction,
            marks=marks,
            source_ids=(),
            unknown_source=(),
            constraints=SentenceConstraints(),
            members=(),
            phrases=request.phrases,
            num_ordered=0,
            num_prefix=0,
            obstacles=(reason,),
            is_refused=True,
        )

    def begun_with(self, text: str, pieces: Sequence[int]) -> PreparedRequest:
        """The same request for a translation that begins with exactly `pieces`, which write `text`."""
        constraints = replace(self.constraints, prefix=Prefix(text, tuple(pieces)))
        return replace(self, constraints=constraints, num_prefix=len(pieces))

    def without_expected(self) -> PreparedRequest:
        """The same request without its expected phrases; itself if there are none."""
        return self.without(number for number, phrase in enumerate(self.phrases) if phrase.is_expected)

    def without(self, numbers: Iterable[int]) -> PreparedRequest:
        """The same request without these phrases and equal ones, which `place` still finds. All keep their numbers."""
        left_out = frozenset(numbers)
        is_kept = [left_out.isdisjoint(members) for members in self.members]
        if all(is_kept):
            return self
        phrases = self.constraints.phrases
        kept = (*compress(phrases, is_kept), *phrases[len(self.members) :])
        members = tuple(compress(self.members, is_kept))
        constraints = replace(self.constraints, phrases=kept)
        return replace(self, constraints=constraints, members=members, whole=self.whole or self)

    @property
    def num_tokens(self) -> int:
        """Constraint tokens, the paper's C."""
        return sum(phrase.num_constraint_tokens for phrase in self.constraints.phrases)

    @property
    def max_repeats(self) -> int:
        """The repeats that the request allows: repeats in its source, and in its previous text or required texts."""
        required: list[int] = []
        for phrase in self.constraints.phrases:
            for _ in range(phrase.count):
                required += (*phrase.spellings[0].pieces, -1 - len(required))
        followed = self.followed.pieces if self.followed else ()
        return num_repeats(self.source_ids) + max(num_repeats(required), num_repeats(followed))

    def max_length(self, options: SearchOptions, max_pieces: int) -> int:
        """The most tokens of the translation, including the end."""
        by_source = int(min(options.max_length_factor * len(self.source_ids), max_pieces)) + options.max_length_offset
        by_prefix = self.num_prefix + options.max_length_offset
        return min(max_pieces, max(1, by_source, by_prefix * (self.num_prefix > 0)) + self.num_tokens)

    def place(self, text: str) -> tuple[tuple[Placement, ...], tuple[int, ...]]:
        """The placements of the required occurrences in a text, and the phrases that are missing or too frequent.

        Finds occurrences in the finished text itself, earliest end first, independently of the search. Occurrences of
        phrases that share a form are assigned so that as many pieces as possible are met. In a language with rules for
        compounds, the other parts of a compound must be words, which the search does not know.
        """
        if self.whole is not None:
            return self.whole.place(text)
        placements: list[Placement] = []
        unmet: list[int] = []
        asked = self.constraints.phrases[: len(self.members)]
        found = [self.spans_of(phrase, text) for phrase in asked]
        placed = {number: apart(spans) for number, spans in enumerate(found)}
        for group in groups_that_share(asked):
            placed |= group.placed((span, number) for number in group.members for span in found[number])
        for number, members in enumerate(self.members):
            spans, most = placed[number], asked[number].max_count
            is_too_often = most is not None and len(spans) > most
            for member in members:
                count = self.phrases[member].count
                taken, spans = spans[:count], spans[count:]
                placements += (Placement(member, text[start:end], start, end) for start, end in taken)
                if len(taken) < count or is_too_often:
                    unmet.append(member)
        return tuple(sorted(placements, key=lambda p: (p.phrase, p.start))), tuple(sorted(unmet))

    def spans_of(self, phrase: TrackedPhrase, text: str) -> list[Span]:
        """The spans of a phrase in a text, including overlapping ones, without those in words that are no compounds."""
        return self._in_real_words(text, phrase, occurrences_of(text, phrase))

    def _in_real_words(self, text: str, phrase: TrackedPhrase, spans: list[Span]) -> list[Span]:
        """The spans without those in words that are not compounds: "Netzkabel" in "Netzkabelle"."""
        language = self.direction.rpartition("-")[2]
        if not phrase.heads or language not in COMPOUNDING or form_list(language) is None:
            return spans
        kept = []
        for start, end in spans:
            first, last = start, end
            while first and joins_words(text[first - 1]) and joins_words(text[start]):
                first -= 1
            while last < len(text) and joins_words(text[last]) and joins_words(text[end - 1]):
                last += 1
            if (first, last) == (start, end) or is_compound(text[first:last], start - first, end - first, language):
                kept.append((start, end))
        return kept

    def text_of_whole(self, missing: Sequence[int]) -> str | None:
        """The translation of a source that one of the missing phrases translates, but for punctuation; else None."""
        for phrase in (self.phrases[number] for number in missing):
            start, end = phrase.source_span or (0, 0)
            others = self.source[:start] + self.source[end:]
            if end and not any(map(str.isalnum, others)) and not any(map(str.isdigit, phrase.text)):
                return phrase.text + self.source[end:].rstrip()
        return None

    def with_replaced(self, text: str, missing: Sequence[int], alignment: Alignment, codec: Codec) -> str:
        """A translation with each of the missing phrases in place of a text that it `replaces`, if there is one.

        Of several such texts, the one that is aligned with the phrase's place in the source; the longest first.
        """
        prefix = self.constraints.prefix
        taken = [(0, len(prefix.text) if prefix else 0), *self.place_ordered(text)]
        taken += [(placement.start, placement.end) for placement in self.place(text)[0]]
        changes: list[tuple[int, int, str]] = []
        for phrase in (self.phrases[number] for number in missing):
            others = sorted(map(codec.normalise, phrase.replaces), key=len, reverse=True)
            found = [span for other in others for span in occurrences(text, other)]
            found = [span for span in found if not any(span[0] < end and start < span[1] for start, end in taken)]
            if found:
                span = next((span for span in found if _is_aligned(phrase, span, alignment)), found[0])
                taken.append(span)
                changes.append((*span, phrase.text))
        for start, end, new in sorted(changes, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def place_ordered(self, text: str) -> tuple[Span, ...]:
        """The spans of the locked texts and the suffix in a text, up to the first that is missing."""
        spans: list[Span] = []
        for phrase in self.constraints.phrases[len(self.members) :]:
            free_from = spans[-1][1] if spans else 0
            found = [
                (start, end)
                for form in phrase.forms
                for start, end in occurrences(text, form, phrase.boundary)
                if start >= free_from and (end == len(text) or not phrase.ends_text)
            ]
            if not found:
                break
            spans.append(min(found))
        return tuple(spans)

    def not_placed(self, phrase: int) -> Reason:
        """The reason for a phrase that the search could not place within the length limit."""
        assert self.reading is not None
        text = self.reading.given.phrases[phrase].text
        message = f"{text!r} could not be placed within the length limit; raise max_length_offset or remove a phrase"
        return Reason("not_placed", message, phrase)

    def not_in_order(self, num_in_order: int) -> Reason:
        """The reason for the first missing locked text or suffix."""
        text = self.constraints.phrases[len(self.members) + num_in_order].forms[0]
        message = (
            f"the locked text or suffix {text!r} could not be placed in its order within the length limit; unlock it"
        )
        return Reason("not_placed", message)


def _followed(
    request: Request, codec: Codec, phrases: Sequence[TrackedPhrase], interruption: Interruption
) -> FollowedText | None:
    """The previous text in pieces; None if following it has no effect.

    The pieces of its occurrences of these phrases are required. Phrases that the prefix has are left out, because their
    place may be there.
    """
    follow, prefix = request.follow, request.prefix
    if follow is None or not follow.strength:
        return None
    pieces = codec.encode(follow.text).ids
    decoded = codec.decode(pieces)
    is_required = bytearray(len(decoded.text))  # by character
    for phrase in phrases:
        interruption.check()
        if phrase.turn is not None or not occurrences_of(prefix, phrase):
            for start, end in occurrences_of(decoded.text, phrase):
                is_required[start:end] = b"\1" * (end - start)
    required = (number for number, (start, end) in enumerate(decoded.spans) if any(is_required[start:end]))
    return FollowedText(pieces, follow.strength, follow.places_phrases, frozenset(required))


def _is_aligned(phrase: Phrase, span: Span, alignment: Alignment) -> bool:
    """True if a span of the translation is aligned with the phrase's place in the source."""
    if phrase.source_span is None:
        return False
    first, last = phrase.source_span
    links = (link for link in alignment if link[0] < last and first < link[1])
    return any(start < span[1] and span[0] < end for _, _, start, end in links)


def _too_often(
    phrases: Sequence[TrackedPhrase],
    members: Sequence[tuple[int, ...]],
    ordered: Sequence[TrackedPhrase],
    prefix: str,
    interruption: Interruption,
) -> list[Reason]:
    """Reasons for phrases whose `max_count` is exceeded by the request's other texts.

    The last word of `prefix` may continue, so an occurrence at its end counts only if no character can break it.
    """
    reasons: list[Reason] = []
    for limited, numbers in zip(phrases, members, strict=True):
        if limited.max_count is None:
            continue
        interruption.check()
        text, most = limited.forms[0], limited.max_count
        others = [other for other in phrases if other is not limited]
        if any(set(limited.forms) & set(other.forms) for other in others):
            message = f"{text!r} may occur at most {most} times, but another phrase has a form in common with it; "
            message += "remove one of them, or its max_count"
            reasons += (Reason("too_often", message, number) for number in numbers)
            continue
        in_prefix = []
        for going_on in ("", *_NEIGHBOURS):
            interruption.check()
            in_prefix.append(len(apart(occurrences_of(prefix + going_on, limited))))
        least = [min(in_prefix)]
        for other in (*others, *ordered):
            interruption.check()
            least.append(other.count * _least_occurrences(other, limited))
        if max(least) > most:
            message = f"{text!r} may occur at most {most} times, but the prefix, a locked text, the suffix or another "
            message += "phrase contains it more often; change that, or raise its max_count"
            reasons += (Reason("too_often", message, number) for number in numbers)
    return reasons


def _least_occurrences(phrase: TrackedPhrase, limited: TrackedPhrase) -> int:
    """The least number of occurrences of `limited` in any form of `phrase`, for any surrounding text."""
    texts = [
        text
        for number, form in enumerate(phrase.forms)
        for text in (form, *(c[::-1] + form + c for c in _NEIGHBOURS))
        if text == form or occurrences(text, form, phrase.boundary_of(number))
    ]
    return min(len(apart(occurrences_of(text, limited))) for text in texts)


def occurrences_of(text: str, phrase: TrackedPhrase) -> list[Span]:
    """The spans of the phrase's forms in a text, including overlapping ones."""
    return [
        (start, end)
        for number, form in enumerate(phrase.forms)
        for start, end in occurrences(text, form, phrase.boundary_of(number))
        if number not in phrase.initial or is_sentence_start(text, start)
    ]


def apart(spans: list[Span]) -> list[Span]:
    """The spans that do not overlap, chosen greedily by earliest end."""
    chosen: list[Span] = []
    for start, end in sorted(set(spans), key=lambda span: (span[1], span[0])):
        if not chosen or start >= chosen[-1][1]:
            chosen.append((start, end))
    return chosen
