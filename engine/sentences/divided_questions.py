"""Questions about requests of several sentences: prices, alternatives, scores, and what can be learned."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from engine.decoding.aligner import with_alignment
from engine.decoding.question_steps import pricing_of, variants_for_prices
from engine.request import Request
from engine.sentences.constraint_division import ConstraintDivision, Share, UndividedError, source_of
from engine.sentences.dialogue import Dialogue, together
from engine.sentences.divided_request import DividedRequest
from engine.sentences.joining import Joiner, SentencePart
from engine.sentences.splitting import Span, gaps_between, target_sentences
from engine.sentences.target_groups import grouped
from engine.translation import Alternative, Hypothesis, Pricing, Translation

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    pass


def by_sentence(tokens: Sequence[int], end: int) -> list[tuple[int, ...]]:
    """The tokens of each sentence, with its end, the token `end`."""
    ends = [place + 1 for place, token in enumerate(tokens) if token == end]
    if not ends or ends[-1] < len(tokens):
        ends.append(len(tokens))
    return [tuple(tokens[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


def targets_by_sentence(target: str, sentences: Sequence[Span], direction: str) -> list[Span] | None:
    """The spans of the translation of each sentence in the whole's; None if it cannot be divided."""
    return grouped([end - start for start, end in sentences], target_sentences(target, direction))


def divided_pricing(asked: DividedRequest) -> Dialogue[Pricing]:
    """The prices of the constraints, from translations of the variants of the request, which share their sentences."""
    translations: list[Translation] = []
    for some in variants_for_prices(asked.request, asked.interruption):
        dialogues = [replace(asked, request=variant).translation() for variant in some]
        translations += yield from together(dialogues)
    return pricing_of(asked.request, translations, asked.interruption)


def divided_score(
    asked: DividedRequest, direction: str, target: str | None, tokens: Sequence[int] | None
) -> Hypothesis | None:
    """The score of a given translation, sentence by sentence; None if it cannot be divided."""
    request, sentences = asked.request, asked.sentences
    gaps: Sequence[str]
    targets: Sequence[str | None] = [None] * len(sentences)
    parts: Sequence[tuple[int, ...] | None] = [None] * len(sentences)
    if target is not None:
        spans = targets_by_sentence(target, sentences, direction)
        if spans is None:
            return None
        targets = [target[start:end] for start, end in spans]
        gaps = [target[end:start] for (_, end), (start, _) in pairwise(spans)]
    else:
        parts, gaps = (
            by_sentence(tokens or (), asked.translator.end),
            gaps_between(request.source, sentences, direction),
        )
        if len(parts) != len(sentences):
            return None
    found = [
        asked.scored(source_of(request, span), text, part)
        for span, text, part in zip(sentences, targets, parts, strict=True)
    ]
    return Joiner(request, sentences, gaps).hypothesis([SentencePart(one.hypotheses[0]) for one in found])


@dataclass(frozen=True, slots=True)
class WordInSentence:
    """A question for other words at piece number `piece` of one sentence's translation, which has these tokens.

    The translations of the other sentences stay.
    """

    request: Request
    tokens: tuple[int, ...]
    piece: int
    _joiner: Joiner
    _parts: Sequence[SentencePart]
    _number: int
    _phrases: Sequence[int]

    @classmethod
    def of(cls, asked: DividedRequest, direction: str, tokens: Sequence[int], piece: int) -> WordInSentence:
        """The question about piece number `piece` of all tokens. Raises UndividedError if it cannot be divided."""
        request = replace(asked.request, prefix="")
        required = replace(asked, request=request).required()
        if required is None:
            raise UndividedError("no translation can meet all constraints")
        given = ConstraintDivision.of(asked.request, direction, required, asked.sentences)
        division = replace(given, request=request, forced=(), prefix="")  # the white space of the prefix stays
        joiner = Joiner(request, asked.sentences, division.gaps, asked.options.score, required)
        own_tokens = by_sentence(tokens, asked.translator.end)
        ends = list(accumulate(map(len, own_tokens)))
        number = bisect_right(ends, piece)
        if len(own_tokens) != len(asked.sentences) or number == len(ends):
            raise UndividedError("the translation has another number of sentences than the source")
        parts = [
            SentencePart(required.with_given_characters(asked.scored(division.source(place), None, own).hypotheses[0]))
            for place, own in enumerate(own_tokens)
        ]
        share = _share_besides(division, joiner, parts, number)
        phrases = [place for place, _ in division.counts(share)]
        first = ends[number] - len(own_tokens[number])
        return cls(division.asked(number, share), own_tokens[number], piece - first, joiner, parts, number, phrases)

    def joined(self, found: Sequence[Alternative]) -> tuple[Alternative, ...]:
        """The answers with the whole text, best first."""
        required, request = self._joiner.required, self._joiner.request
        assert required is not None
        joined: list[Alternative] = []
        for one in found:
            parts = [*self._parts]
            parts[self._number] = SentencePart(one.hypothesis, self._phrases)
            if self._joiner.is_allowed(parts):
                whole = self._joiner.hypothesis(parts)
                placements = required.place(whole.text)[0]
                if whole.alignment:
                    placements = with_alignment(placements, request.phrases, whole.alignment, whole.text)
                joined.append(replace(one, hypothesis=replace(whole, placements=placements)))
        return tuple(sorted(joined, key=lambda alternative: -alternative.hypothesis.score))


def _share_besides(division: ConstraintDivision, joiner: Joiner, parts: Sequence[SentencePart], number: int) -> Share:
    """The constraints that sentence `number` must meet, given these translations of the others."""
    required = division.required
    texts = [part.hypothesis.text + gap for part, gap in zip(parts, (*division.gaps, ""), strict=True)]
    others = "".join(text for place, text in enumerate(texts) if place != number)
    met = Counter(placement.phrase for placement in required.place(others)[0])
    phrases = (place for place, phrase in enumerate(division.request.phrases) for _ in range(phrase.count - met[place]))
    start = sum(map(len, texts[:number]))
    end = start + len(parts[number].hypothesis.text)
    ordered = required.place_ordered(joiner.text(parts))
    if len(ordered) < required.num_ordered or any(a < edge < b for a, b in ordered for edge in (start, end)):
        raise UndividedError("the translation does not have the locked texts")
    num_locked = len(division.request.locked)
    locked = (place for place, (a, b) in enumerate(ordered[:num_locked]) if start <= a and b <= end)
    return Share(tuple(phrases), tuple(locked))
