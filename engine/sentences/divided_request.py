"""The translation of a request of several sentences, each decoded alone.

First, each sentence is decoded with the constraints whose place is known. Then the others are placed one after the
other, in their order: in a sentence whose best translation has the text already, or else in the sentence where the
whole scores best. The n-best list has the best combinations of the translations of the sentences. Where this is not
possible, the source is decoded as one sentence.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Protocol

from engine.decoding.constraints import PreparedRequest
from engine.decoding.limits import excess
from engine.decoding.pipeline import REASON_OF, interrupted_translation
from engine.errors import InvalidRequest
from engine.interruption import NEVER, Interrupted, Interruption
from engine.request import Request
from engine.search_options import SearchOptions
from engine.sentences.combinations import best_combinations
from engine.sentences.constraint_division import ConstraintDivision, Share, UndividedError
from engine.sentences.dialogue import Dialogue, KnownAnswers
from engine.sentences.joining import Joiner, SentencePart, joined_unknown
from engine.sentences.required_texts import RequiredTexts
from engine.sentences.splitting import Span
from engine.threads import free_beside
from engine.translation import Contribution, Hypothesis, PivotTranslation, Reason, Translation

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore

_MOST_TRIED: Final = 96  # sentences that are decoded to place the constraints of one request
_MOST_COMBINED: Final = 1000  # combinations that are looked at for each one wanted


class WholeTranslator(Protocol):
    """The parts of a translator that take a source as one sentence; `AnyTranslator` documents them."""

    @property
    def end(self) -> int: ...

    def direction_of(self, request: Request) -> str: ...

    def constraints_of(self, request: Request, interruption: Interruption) -> PreparedRequest: ...

    def scored(
        self,
        request: Request,
        target: str | None = None,
        tokens: Sequence[int] | None = None,
        datastore: Datastore | None = None,
    ) -> Translation: ...


@dataclass(frozen=True, slots=True)
class DividedRequest:
    """One request, the `sentences` of its source, and the translator that decodes them."""

    translator: WholeTranslator
    request: Request
    sentences: Sequence[Span]
    options: SearchOptions
    known: KnownAnswers
    interruption: Interruption = NEVER
    datastore: Datastore | None = None
    started_at: float = field(default_factory=time.perf_counter)

    def translation(self) -> Dialogue[Translation]:
        """Asks for the translations of the sentences, and returns the translation of the whole."""
        found: Translation | None = None
        why_whole = ""
        try:
            found = yield from self._divided()
        except Interrupted as interrupted:  # before there was a translation
            found = interrupted_translation(self.request, interrupted.cause)
        except UndividedError as undivided:
            why_whole = f"translated as one sentence, because {undivided}"
        if found is None:
            found = yield from self._whole(why_whole)
        return replace(found, elapsed_ms=(time.perf_counter() - self.started_at) * 1000)

    def _whole(self, why: str = "") -> Dialogue[Translation]:
        """The source decoded as one sentence; raises its error."""
        [answer] = yield [replace(self.request, split_sentences=False)]
        if isinstance(answer, Exception):
            raise answer
        reasons = answer.reasons
        if why and answer.status == "complete":
            reasons += (Reason("not_divided", why),)
        return replace(answer, request=self.request, reasons=reasons)

    def _divided(self) -> Dialogue[Translation]:
        self.interruption.check_cancelled()
        required = self.required()
        if required is None:
            return (yield from self._whole())
        direction = self.translator.direction_of(self.request)
        division = ConstraintDivision.of(self.request, direction, required, self.sentences)
        joiner = Joiner(self.request, self.sentences, division.gaps, self.options.score, required)
        shares, phrases, locked = division.known_shares()
        state = _State(self, division, joiner, self._forced(division), shares)
        yield from state.decode()
        for number in locked:
            yield from state.place(locked=number)
        for number in phrases:
            yield from state.place(phrase=number)
        yield from state.decode()
        return state.joined()

    def required(self) -> RequiredTexts | None:
        """The constraints of the whole translation; None if no translation can meet them."""
        if excess(self.request) is not None:
            return None
        phrases = tuple(replace(phrase, source_span=None) for phrase in self.request.phrases)
        source = self.request.source[slice(*self.sentences[0])]
        required = self.required_of(replace(self.request, source=source, phrases=phrases, follow=None))
        return None if required.prepared.obstacles else required

    def required_of(self, request: Request) -> RequiredTexts:
        """The constraints of a request, as `WholeTranslator.constraints_of`."""
        return RequiredTexts(self.translator.constraints_of(request, self.interruption))

    def _forced(self, division: ConstraintDivision) -> list[Translation]:
        """The given translations of the first sentences, scored, with the phrases in them."""
        found = []
        placements = division.required.place(division.forced_text)[0]
        start = 0
        for number, (text, gap) in enumerate(zip(division.forced, division.gaps, strict=False)):
            request, end = division.source(number), start + len(text)
            try:
                scored = self.scored(request, text)
            except InvalidRequest as error:
                raise UndividedError(str(error)) from error
            [own] = scored.hypotheses
            if own.text.split() != text.split():
                raise UndividedError(f"the model cannot write {text!r}, which the prefix begins with")
            here = tuple(
                replace(each, start=each.start - start, end=each.end - start)
                for each in placements
                if start <= each.start < end
            )
            found.append(replace(scored, hypotheses=(replace(own, placements=here),)))
            start = end + len(gap)
        return found

    def scored(self, request: Request, target: str | None = None, tokens: tuple[int, ...] | None = None) -> Translation:
        """The score of a translation of one sentence, as `WholeTranslator.scored`; kept for the next request."""
        key = ("scored", request, target, tokens)
        found = self.known.find(key, self.datastore)
        if found is None:
            found = self.translator.scored(request, target, tokens, self.datastore)
            self.known.keep(key, self.datastore, found)
        return found


class _State:
    """The sentences of a request with their shares of the constraints, and the translations found for these."""

    def __init__(
        self,
        asked: DividedRequest,
        division: ConstraintDivision,
        joiner: Joiner,
        forced: Sequence[Translation],
        shares: list[Share],
    ) -> None:
        self._asked = asked
        self._division = division
        self._joiner = joiner
        self._forced = forced
        self._shares = shares
        self._found: dict[int, Translation] = {}  # by sentence
        self._to_decode = set(division.open_sentences)  # their shares have changed
        self._num_tried = 0

    def decode(self) -> Dialogue[None]:
        """Asks for the translations of the sentences whose shares have changed."""
        numbers = sorted(self._to_decode)
        answers = yield from self._answers([(number, self._shares[number]) for number in numbers])
        for number, answer in zip(numbers, answers, strict=True):
            self._check(answer)
            self._found[number] = answer
        self._to_decode.clear()

    def place(self, phrase: int | None = None, locked: int | None = None) -> Dialogue[None]:
        """Gives a phrase or locked text to a sentence: whose best translation has it, or where the whole scores best.

        In the first case, that translation stays the best one, so the sentence is decoded with its share only at the
        end, for the n-best list.
        """
        candidates: list[tuple[int, Share]] = []
        for number in self._division.open_sentences:
            share = self._shares[number]
            if phrase is not None:
                candidates.append((number, replace(share, phrases=(*share.phrases, phrase))))
            elif locked is not None and not any(other.locked for other in self._shares[number + 1 :]):
                candidates.append((number, replace(share, locked=(*share.locked, locked))))
        met = next(filter(self._is_met, candidates), None)
        if met is not None:
            self._shares[met[0]] = met[1]
            self._to_decode.add(met[0])
            return
        self._num_tried += len(candidates)
        if self._num_tried > _MOST_TRIED:
            raise UndividedError("there are too many phrases without a place in the source")
        answers = yield from self._answers(candidates)
        ranked = [
            (self._joiner.ranking(self._best(number, share, answer)), -number, share, answer)
            for (number, share), answer in zip(candidates, answers, strict=True)
            if answer.status == "complete"
        ]
        if not ranked:
            self._check(answers[0])
            raise Interrupted("deadline")
        _, place, share, answer = max(ranked, key=lambda item: item[:2])
        self._shares[-place], self._found[-place] = share, answer
        self._to_decode.discard(-place)

    def _is_met(self, candidate: tuple[int, Share]) -> bool:
        """True if the best translation of the sentence meets this share, too."""
        self._asked.interruption.check_cancelled()
        number, share = candidate
        text = self._found[number].hypotheses[0].text if self._found[number].hypotheses else ""
        request = self._division.asked(number, share)
        asked = [*(phrase.all_forms for phrase in request.phrases), *((text,) for text in request.locked)]
        plain = self._division.required.plain
        written = plain(text).text.casefold()
        if not all(any(plain(form).text.casefold() in written for form in forms) for forms in asked):
            return False
        return self._asked.required_of(request).is_met(text)

    def _answers(self, asked: Sequence[tuple[int, Share]]) -> Dialogue[list[Translation]]:
        """The translations of sentences with these shares. Raises an error of ours if one has none."""
        requests: list[Request] = []
        for number, share in asked:
            self._asked.interruption.check_cancelled()
            requests.append(self._division.asked(number, share))
        answers = yield requests
        found: list[Translation] = []
        for answer in answers:
            if isinstance(answer, Exception):
                raise UndividedError(str(answer))
            if answer.status == "cancelled" or (answer.status == "deadline" and not answer.hypotheses):
                raise Interrupted(answer.status)
            found.append(answer)
        return found

    @staticmethod
    def _check(answer: Translation) -> None:
        """Raises UndividedError if the sentence has no translation that meets its share."""
        if answer.status not in ("complete", "deadline"):
            reason = answer.reasons[0].message if answer.reasons else answer.status
            raise UndividedError(f"a sentence alone has no translation: {reason}")

    def _parts(self, share: Share, found: Sequence[Hypothesis]) -> list[SentencePart]:
        self._asked.interruption.check_cancelled()
        phrases = [place for place, _ in self._division.counts(share)]
        return [SentencePart(hypothesis, phrases) for hypothesis in found]

    def _best(self, changed: int, share: Share, answer: Translation) -> list[SentencePart]:
        """The best translation of each sentence, with another answer for the `changed` one."""
        now = {**self._found, changed: answer}
        shares = {**dict(enumerate(self._shares)), changed: share}
        forced = [SentencePart(one.hypotheses[0]) for one in self._forced]
        return [*forced, *(self._parts(shares[number], now[number].hypotheses[:1])[0] for number in sorted(now))]

    def joined(self) -> Translation:
        """The best combinations of the translations of the sentences. Raises UndividedError if none is allowed."""
        asked, division = self._asked, self._division
        given = range(len(asked.request.phrases))
        lists = [[SentencePart(one.hypotheses[0], given)] for one in self._forced]
        lists += [self._parts(self._shares[number], found.hypotheses) for number, found in sorted(self._found.items())]
        answers = [*self._forced, *(found for _, found in sorted(self._found.items()))]
        weights = [parts[0].num_tokens for parts in lists]
        is_total = asked.options.score != "normalised"
        values: list[list[float]] = []
        for parts, weight in zip(lists, weights, strict=True):
            asked.interruption.check_cancelled()
            values.append([part.ranking * (1 if is_total else weight) for part in parts])
        by_text: dict[str, Hypothesis] = {}
        best: tuple[int, ...] = ()
        cause = asked.interruption.cause()
        num_given = len(asked.request.prefix)
        for places in islice(best_combinations(values), _MOST_COMBINED * asked.options.nbest):
            cause = cause or asked.interruption.cause()
            if cause == "cancelled" or (cause and by_text):
                break
            parts = [own[place] for own, place in zip(lists, places, strict=True)]
            text = self._joiner.text(parts)
            if text not in by_text and self._joiner.is_allowed(parts, num_given):
                by_text[text] = self._joiner.hypothesis(parts, weights)
                best = best or places
                if len(by_text) == asked.options.nbest:
                    break
        if cause == "cancelled":
            free_beside([by_text.popitem()[1] for _ in range(len(by_text))])
            raise Interrupted("cancelled")
        if not by_text:
            raise UndividedError("no combination of the sentences' translations meets all constraints")
        if not _begins(next(iter(by_text)), asked.request.prefix):
            raise UndividedError("the translations do not begin with the prefix")
        is_late = cause == "deadline" or any(answer.status == "deadline" for answer in answers)
        joined: dict[str, Any] = {
            "request": asked.request,
            "status": "deadline" if is_late else "complete",
            "hypotheses": tuple(by_text.values()),
            "reasons": (REASON_OF["deadline"],) if is_late else (),
            "unknown_source": joined_unknown(answers, division.sentences),
            "num_steps": sum(answer.num_steps for answer in answers),
            "learned": _learned(answers, best),
            "sentences": tuple(division.sentences),
            "prompts": tuple(prompt for answer in answers for prompt in answer.prompts),
        }
        pivots = [answer for answer in answers if isinstance(answer, PivotTranslation)]
        if not pivots:
            return Translation(**joined)
        return PivotTranslation(**joined, **_joined_pivot(pivots))


def _begins(text: str, prefix: str) -> bool:
    """True if a text begins with the prefix; white space is not compared."""
    return "".join(text.split()).startswith("".join(unicodedata.normalize("NFC", prefix).split()))


def _learned(answers: Sequence[Translation], best: Sequence[int]) -> tuple[Contribution, ...]:
    """What was learned for the tokens of the best translation, as far as it has the best of the sentences."""
    found: list[Contribution] = []
    num_before = 0
    for answer, place in zip(answers, best, strict=True):
        if place == 0:
            found += (replace(one, token=one.token + num_before) for one in answer.learned)
        num_before += len(answer.hypotheses[place].tokens)
    return tuple(found)


def _joined_pivot(answers: Sequence[PivotTranslation]) -> dict[str, Any]:
    """The texts between two models as one, and the mean of their scores, weighted by their length."""
    texts = [answer.pivot or "" for answer in answers]
    scores = [answer.pivot_score for answer in answers if answer.pivot_score is not None]
    if len(scores) < len(answers):
        return {"pivot": None, "pivot_score": None}
    score = sum(len(text) * one for text, one in zip(texts, scores, strict=True)) / sum(map(len, texts))
    return {"pivot": " ".join(texts), "pivot_score": score}
