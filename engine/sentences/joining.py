"""Joins the translations of the sentences of a source into one: text, scores, and spans of the whole text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.decoding.aligner import with_alignment
from engine.request import Request
from engine.search_options import Score
from engine.sentences.required_texts import RequiredTexts
from engine.sentences.splitting import Span
from engine.translation import Hypothesis, ListedText, Placement, Translation


@dataclass(frozen=True, slots=True)
class SentencePart:
    """A translation of one sentence; `phrases[i]` is the number, in the whole request, of phrase i of its request."""

    hypothesis: Hypothesis
    phrases: Sequence[int] = ()

    @property
    def num_tokens(self) -> int:
        return len(self.hypothesis.tokens)

    @property
    def ranking(self) -> float:
        return self.hypothesis.score - self.hypothesis.score_penalty


@dataclass(frozen=True, slots=True)
class Joiner:
    """Joins translations of the `sentences` of one request, with `gaps` between them.

    `required` has the constraints of the whole request; None if the request has none that count.
    """

    request: Request
    sentences: Sequence[Span]
    gaps: Sequence[str]
    score: Score = "normalised"
    required: RequiredTexts | None = None

    def text(self, parts: Sequence[SentencePart]) -> str:
        return "".join(text for part, gap in self._with_gaps(parts) for text in (part.hypothesis.text, gap))

    def ranking(self, parts: Sequence[SentencePart], weights: Sequence[int] | None = None) -> float:
        """The value by which the whole is ranked (see `Hypothesis`); the weights are each part's tokens by default."""
        return self._mean([part.ranking for part in parts], parts, weights)

    def hypothesis(self, parts: Sequence[SentencePart], weights: Sequence[int] | None = None) -> Hypothesis:
        """The translations as one."""
        found = [part.hypothesis for part in parts]
        text = ""
        token_spans: list[Span] = []
        placements: list[Placement] = []
        alignment: list[tuple[int, int, int, int]] = []
        weak_alignment: list[tuple[int, int, int, int]] = []
        listed: list[ListedText] = []
        for (part, gap), (source_start, _) in zip(self._with_gaps(parts), self.sentences, strict=True):
            own, start = part.hypothesis, len(text)
            token_spans += (moved(span, start) for span in own.token_spans)
            placements += (_moved_placement(each, part.phrases, start) for each in own.placements)
            for links, moved_links in ((own.alignment, alignment), (own.weak_alignment, weak_alignment)):
                moved_links += ((*moved(link[:2], source_start), *moved(link[2:], start)) for link in links)
            listed += (_moved_listed(each, source_start, start) for each in own.listed)
            text += own.text + gap
        placements.sort(key=lambda placement: (placement.phrase, placement.start))
        if alignment:
            placements = [*with_alignment(placements, self.request.phrases, tuple(alignment), text)]
        log_prob = sum(each.log_prob for each in found)
        is_total = self.score != "normalised"
        score = sum(each.score for each in found) if is_total else log_prob / sum(map(_num_tokens, found))
        own_weights = [part.num_tokens for part in parts]
        penalty = self._mean([each.score_penalty for each in found], parts, weights)
        if weights is not None and weights != own_weights and not is_total:
            penalty += score - self._mean([each.score for each in found], parts, weights)
        reverse_scores = [each.reverse_score for each in found if each.reverse_score is not None]
        return Hypothesis(
            text=text,
            score=score,
            log_prob=log_prob,
            tokens=tuple(token for each in found for token in each.tokens),
            token_log_probs=tuple(log_prob for each in found for log_prob in each.token_log_probs),
            token_spans=tuple(token_spans),
            placements=tuple(placements),
            alignment=tuple(alignment),
            locked=self.required.place_ordered(text) if self.required is not None else (),
            change_penalty=sum(each.change_penalty for each in found),
            score_penalty=penalty,
            weak_alignment=tuple(weak_alignment),
            reverse_score=self._mean(reverse_scores, parts, weights) if len(reverse_scores) == len(parts) else None,
            listed=tuple(listed),
        )

    def is_allowed(self, parts: Sequence[SentencePart], num_given: int = 0) -> bool:
        """True if the whole meets the constraints that the parts cannot know.

        These are the maximum counts, the order of the locked texts, and avoided texts that end in another sentence than
        they begin in. The first `num_given` characters are given by the request, which allows any text there.
        """
        required, text = self.required, self.text(parts)
        if required is None:
            return True
        if len(required.place_ordered(text)) < required.num_ordered or required.has_too_many(text):
            return False
        ends: list[int] = []
        length = 0
        for part, gap in self._with_gaps(parts):
            ends.append(length + len(part.hypothesis.text))
            length = ends[-1] + len(gap)
        return all(end <= num_given for _, end in required.avoided_at(text, ends))

    def _with_gaps(self, parts: Sequence[SentencePart]) -> zip[tuple[SentencePart, str]]:
        return zip(parts, (*self.gaps, ""), strict=True)

    def _mean(
        self, values: Sequence[float], parts: Sequence[SentencePart], weights: Sequence[int] | None = None
    ) -> float:
        """The weighted mean, or the sum where scores are totals."""
        if self.score != "normalised":
            return sum(values)
        weights = weights or [part.num_tokens for part in parts]
        return sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)


def moved(span: Sequence[int], by: int) -> Span:
    """The span in a text before which so many characters were put."""
    return span[0] + by, span[1] + by


def joined_unknown(found: Sequence[Translation], sentences: Sequence[Span]) -> tuple[Span, ...]:
    """The spans of unknown characters in the whole source."""
    pairs = zip(found, sentences, strict=True)
    return tuple(moved(span, start) for each, (start, _) in pairs for span in each.unknown_source)


def _num_tokens(hypothesis: Hypothesis) -> int:
    return len(hypothesis.tokens)


def _moved_placement(placement: Placement, phrases: Sequence[int], by: int) -> Placement:
    start, end = moved((placement.start, placement.end), by)
    doubled = tuple(moved(span, by) for span in placement.doubled)
    return replace(placement, phrase=phrases[placement.phrase], start=start, end=end, doubled=doubled)


def _moved_listed(found: ListedText, source_by: int, by: int) -> ListedText:
    start, end = moved((found.start, found.end), by)
    return replace(found, start=start, end=end, source_span=moved(found.source_span, source_by))
