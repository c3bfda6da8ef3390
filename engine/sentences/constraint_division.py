"""Divides the constraints of a request among the sentences of its source."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.request import Avoid, Phrase, Request
from engine.sentences.joining import moved
from engine.sentences.required_texts import RequiredTexts
from engine.sentences.splitting import Span, gaps_between, target_sentences
from engine.sentences.target_groups import grouped
from engine.text import is_word_char, occurrences

_NEXT_WORD = "Das"  # behind a prefix, it shows whether the prefix ends with a sentence


class UndividedError(Exception):
    """A request whose constraints cannot be divided among its sentences, with the reason."""


@dataclass(frozen=True, slots=True)
class Share:
    """One sentence's share of the constraints.

    `phrases` are the numbers of phrases of the whole request, each as often as it is required here; `locked` those of
    locked texts.
    """

    phrases: tuple[int, ...] = ()
    locked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ConstraintDivision:
    """The constraints of a request of several sentences, as they are divided.

    `direction` is the request's, `required` has the constraints of the whole request, and `gaps` is the white space
    between the translations of the sentences. The prefix has the whole translations of the first sentences, `forced`,
    and `prefix`, the beginning of the next one. `follow` has the part of the followed text for each sentence, or is
    empty.
    """

    request: Request
    direction: str
    required: RequiredTexts
    sentences: Sequence[Span]
    gaps: Sequence[str]
    forced: Sequence[str] = ()
    prefix: str = ""
    follow: Sequence[Span] = ()

    @classmethod
    def of(
        cls, request: Request, direction: str, required: RequiredTexts, sentences: Sequence[Span]
    ) -> ConstraintDivision:
        """Divides prefix and followed text. Raises UndividedError where that is not possible."""
        gaps = gaps_between(request.source, sentences, direction)
        for kind, text in _required_texts(request):
            if text not in request.prefix and len(target_sentences(text, direction)) > 1:
                raise UndividedError(f"the {kind} {text!r} has more than one sentence")
        division = cls(request, direction, required, sentences, gaps)._with_prefix()
        return division if request.follow is None else division._with_follow(request.follow.text)

    def _with_prefix(self) -> ConstraintDivision:
        prefix = unicodedata.normalize("NFC", self.request.prefix)
        if not prefix:
            return self
        targets = target_sentences(prefix, self.direction)
        if not targets or prefix[0].isspace():
            raise UndividedError("the prefix begins with white space")
        if prefix[-1].isspace() and target_sentences(prefix + _NEXT_WORD, self.direction)[-1][0] == len(prefix):
            targets.append((len(prefix), len(prefix)))  # an empty one begins
        groups = grouped(self._lengths, targets, is_open=True)
        if groups is None:
            raise UndividedError("the prefix or the source has too many sentences")
        *closed, (start, _) = groups
        ends = [end for _, end in closed]
        starts = [begin for begin, _ in groups[1:]]
        gaps = [prefix[end:begin] for end, begin in zip(ends, starts, strict=True)]
        return replace(
            self,
            gaps=(*gaps, *self.gaps[len(gaps) :]),
            forced=tuple(prefix[begin:end] for begin, end in closed),
            prefix=prefix[start:],
        )

    def _with_follow(self, text: str) -> ConstraintDivision:
        groups = grouped(self._lengths, target_sentences(text, self.direction))
        if groups is None:
            raise UndividedError("the text to follow has another number of sentences than the source")
        return replace(self, follow=tuple(groups))

    @property
    def _lengths(self) -> list[int]:
        return [end - start for start, end in self.sentences]

    @property
    def open_sentences(self) -> range:
        """The numbers of the sentences whose translations are not given by the prefix."""
        return range(len(self.forced), len(self.sentences))

    @property
    def forced_text(self) -> str:
        """The beginning of the translation that the prefix gives completely."""
        return "".join(text for pair in zip(self.forced, self.gaps, strict=False) for text in pair)

    def source(self, number: int) -> Request:
        """The request for sentence `number`, without constraints."""
        return source_of(self.request, self.sentences[number])

    def asked(self, number: int, share: Share) -> Request:
        """The request for sentence `number` with this share of the constraints."""
        request, start = self.request, self.sentences[number][0]
        phrases = []
        for place, count in self.counts(share):
            phrase = request.phrases[place]
            span = phrase.source_span
            phrases.append(
                replace(
                    phrase,
                    count=count,
                    source_span=moved(span, -start) if span and self.sentence_at(span) == number else None,
                    max_count=phrase.max_count and count + phrase.max_count - phrase.count,
                )
            )
        follow = request.follow
        if follow is not None:
            follow = replace(follow, text=follow.text[slice(*self.follow[number])]) if self.follow else None
        return replace(
            self.source(number),
            phrases=tuple(phrases),
            avoid=(*request.avoid, *self._exhausted(share)),
            prefix=self.prefix if number == len(self.forced) else "",
            locked=tuple(request.locked[place] for place in share.locked),
            suffix=request.suffix if number == len(self.sentences) - 1 else "",
            follow=follow,
        )

    @staticmethod
    def counts(share: Share) -> list[tuple[int, int]]:
        """The phrases of a share in the order of its request, each with the number of its occurrences."""
        return sorted(Counter(share.phrases).items())

    def _exhausted(self, share: Share) -> Iterator[Avoid]:
        """Texts to avoid in a sentence, because the others have as many as there may be."""
        prepared = self.required.prepared
        for tracked, members in zip(prepared.constraints.phrases, prepared.members, strict=False):
            if tracked.max_count == tracked.count and not any(member in share.phrases for member in members):
                yield from (Avoid(form) for number, form in enumerate(tracked.forms) if number not in tracked.heads)

    def known_shares(self) -> tuple[list[Share], list[int], list[int]]:
        """The shares whose place is known, and the numbers of the phrases and locked texts without a place.

        The place is known from the followed text or from the source: by the `source_span`, or because the phrase is
        copied from it, as a placeholder is.
        """
        request = self.request
        met = Counter(placement.phrase for placement in self.required.place(self.forced_text)[0])
        num_met_locked = len(self.required.place_ordered(self.forced_text))
        phrases: list[list[int]] = [[] for _ in self.sentences]
        unplaced: list[int] = []
        used: Counter[tuple[int, int]] = Counter()  # occurrences in the followed text, by phrase and sentence
        for group, members in enumerate(self.required.prepared.members):
            followed = [self._num_followed(group, number) for number in range(len(self.sentences))]
            for member in members:
                phrase = request.phrases[member]
                for _ in range(phrase.count - met[member]):
                    home = self._home(phrase)
                    places = sorted(self.open_sentences, key=lambda number: number != home)
                    free = [number for number in places if used[group, number] < followed[number]]
                    place = free[0] if free else home if home in self.open_sentences else None
                    if place is None:
                        place = self._where_copied(phrase, group, phrases)
                    if place is None:
                        unplaced += [member] * (not phrase.is_expected)  # an expected one is required only at its place
                    else:
                        phrases[place].append(member)
                        used[group, place] += 1
        locked = self._followed_locked(num_met_locked)
        shares = [Share(tuple(own), tuple(texts)) for own, texts in zip(phrases, locked, strict=True)]
        num_locked = num_met_locked + sum(map(len, locked))
        return shares, unplaced, list(range(num_locked, len(request.locked)))

    def _home(self, phrase: Phrase) -> int | None:
        """The sentence with the source of a phrase. An expected phrase may have none: its span may be in two."""
        if phrase.source_span is None:
            return None
        try:
            return self.sentence_at(phrase.source_span)
        except UndividedError:
            if phrase.is_expected:
                return None
            raise

    def sentence_at(self, span: Span) -> int:
        """The number of the sentence with this span of the source."""
        found = (number for number, (start, end) in enumerate(self.sentences) if start <= span[0] and span[1] <= end)
        place = next(found, None)
        if place is None:
            raise UndividedError(f"the source_span {span} of a phrase is not inside one sentence")
        return place

    def _num_followed(self, group: int, number: int) -> int:
        """Occurrences of a phrase in the followed text for sentence `number`."""
        if self.request.follow is None or not self.follow:
            return 0
        return self.required.count(group, self.request.follow.text[slice(*self.follow[number])])

    def _where_copied(self, phrase: Phrase, group: int, phrases: Sequence[Sequence[int]]) -> int | None:
        """The sentence from which a placeholder, number or address is copied; None for words."""
        if phrase.is_plain:
            return None
        members = self.required.prepared.members[group]
        for number in self.open_sentences:
            num_sources = len(occurrences(self.request.source[slice(*self.sentences[number])], phrase.text, "anywhere"))
            if num_sources > sum(member in members for member in phrases[number]):
                return number
        return None

    def _followed_locked(self, num_met: int) -> list[list[int]]:
        """The numbers of the locked texts that the followed text has in their order, by sentence."""
        found: list[list[int]] = [[] for _ in self.sentences]
        if self.request.follow is None or not self.follow:
            return found
        spans = self.required.place_ordered(self.request.follow.text)
        if len(spans) < self.required.num_ordered:
            return found
        for number, span in list(enumerate(spans))[num_met : len(self.request.locked)]:
            place = next((k for k, (start, end) in enumerate(self.follow) if start <= span[0] and span[1] <= end), None)
            if place is None or place not in self.open_sentences:
                return [[] for _ in self.sentences]
            found[place].append(number)
        return found


def source_of(request: Request, sentence: Span) -> Request:
    """The request for one sentence of the source, without constraints."""
    return replace(
        request, source=request.source[slice(*sentence)], phrases=(), avoid=(), prefix="", locked=(), suffix="",
        follow=None, split_sentences=False,
    )  # fmt: skip


def _required_texts(request: Request) -> Iterator[tuple[str, str]]:
    """The required texts that may belong to two sentences; a term with a place, as "Yahoo! Mail", belongs to one."""
    for phrase in request.phrases:
        is_free = phrase.source_span is None and not phrase.is_expected
        if is_free and any(map(is_word_char, phrase.text)):
            yield "phrase", phrase.text
    yield from (("locked text", text) for text in request.locked)
    if request.suffix.strip():
        yield "suffix", request.suffix
