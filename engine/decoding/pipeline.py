"""The steps of one request before and after the search: text to pieces, then pieces to text and placements."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from engine.compiled.c_interface import PrefixTree
from engine.decoding.aligner import Alignment, WordAlignment, with_alignment
from engine.decoding.constraints import PreparedRequest
from engine.decoding.placing import OpenDecoder, PhrasePlacer, Pieces
from engine.decoding.reading import RequestReader, RequestReading
from engine.decoding.untranslated import WordReplacer
from engine.errors import InvalidRequest
from engine.interruption import NEVER, Cause, Interrupted, Interruption
from engine.model.config import ModelConfig
from engine.model.directions import offer_of
from engine.request import Request
from engine.search.endings import num_sentences
from engine.search.finished import SearchHypothesis
from engine.search.follow import FollowedText, penalty_of
from engine.search.sentence import Sentence, SentenceResult
from engine.search.steps import StepDecoder
from engine.search.stopping import Scoring
from engine.search_options import SearchOptions
from engine.text import Codec, DecodedPieces
from engine.translation import Contribution, Hypothesis, ListedText, Reason, Status, Translation

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore, StoredPair

REPAIR_STRENGTH = 10.0  # nats for each change to a translation that lacks an expected phrase
_PIECES_AT_ONCE = 256  # of hypotheses that are aligned together
NUM_REPLACED_IN = 5  # best translations in which words are replaced by those of the lexicon
REASON_OF: dict[Cause, Reason] = {
    "deadline": Reason(
        "deadline", "the time limit was reached before the search ended; these are the best translations so far"
    ),
    "cancelled": Reason("cancelled", "the request was cancelled; a newer one may have replaced it"),
}


class RequestModel(Protocol):
    """The facts of a model that the steps of a request need, however it computes; see `LoadedModel`."""

    @property
    def config(self) -> ModelConfig: ...
    @property
    def codec(self) -> Codec: ...
    @property
    def source_codec(self) -> Codec | None: ...
    @property
    def checksum(self) -> str: ...
    @property
    def aligns(self) -> bool: ...


class RequestPipeline(ABC):
    """The steps of one model's requests, in order: `prepare`, `sentence`, `decoder`, (the search), `translation`.

    `keeps_ranking`: the first hypothesis of the search is that of the translation, with the same text.
    """

    keeps_ranking = False

    def __init__(self, model: RequestModel) -> None:
        self._model = model

    def prepare(
        self,
        request: Request,
        datastore: Datastore | None = None,
        interruption: Interruption = NEVER,
    ) -> PreparedRequest:
        """The request in pieces, to be decoded with the datastore if that is helpful.

        Raises InvalidRequest for a direction, domain or formality that the model lacks, and for a datastore of another
        model; and Interrupted.
        """
        model = self._model
        if datastore is not None:
            self.check(datastore)
        consulted = datastore if datastore is not None and datastore.num_states and datastore.is_helpful else None
        direction = self._direction_of(request)
        marks = model.config.marks(direction, request.domain, request.formality)
        max_pieces = model.config.max_pieces
        return PreparedRequest.of(
            request,
            direction,
            model.codec,
            max_pieces,
            model.source_codec,
            marks,
            consulted,
            interruption,
            model.aligns,
        )

    def with_set_phrases(self, request: Request, options: SearchOptions) -> Request:
        """The request with the set phrases of the model as further phrases; itself if it or the model wants none."""
        return request

    def reading(self, request: Request) -> RequestReading:
        """The request as the model reads it. Raises InvalidRequest for a direction that the model lacks."""
        model = self._model
        reader = RequestReader(model.codec, model.source_codec or model.codec, model.aligns)
        return reader.read(request, self._direction_of(request))

    def _direction_of(self, request: Request) -> str:
        directions = self._model.config.directions
        direction = request.direction or directions[0]
        if direction not in directions:
            raise InvalidRequest(
                f"direction is {direction!r}; this model translates {offer_of(directions)}; choose one of them"
            )
        return direction

    def check(self, datastore: Datastore) -> None:
        """Raises InvalidRequest for a datastore of another model."""
        if datastore.model != self._model.checksum:
            raise InvalidRequest(
                f"the datastore was learned with model {datastore.model[:8]!r}, this is {self._model.checksum[:8]!r}; "
                "learn the pairs again with this model"
            )

    def with_phrases_placed(self, prepared: PreparedRequest, interruption: Interruption) -> PreparedRequest:
        """The request with its phrases inserted into the previous text where they score best; see `engine.Follow`."""
        return prepared if prepared.followed is None else self._placer(prepared, interruption).placed()

    def places(
        self, prepared: PreparedRequest, phrase: int, count: int, interruption: Interruption
    ) -> tuple[Hypothesis, ...]:
        """The previous text with one more occurrence of a phrase, at different places, best first; at most `count`."""
        assert prepared.followed is not None, "the text is not followed"
        codec, followed = self._model.codec, prepared.followed.pieces
        edits = self._placer(prepared, interruption).places(phrase, count)
        texts = [(*edit.applied_to(followed), codec.end) for edit in edits]
        interruption.check()
        ones = []
        for tokens, log_probs in zip(
            texts, self.reader(prepared)(len(texts)).read(texts) if texts else (), strict=True
        ):
            log_prob = sum(log_probs)
            score = self._scoring(prepared, SearchOptions()).score(log_prob, len(tokens))
            ones.append(SearchHypothesis(tokens, tuple(log_probs), log_prob, score, 0.0, log_prob, score))
        return tuple(self._hypotheses(prepared, ones, SearchOptions(), None, 0))

    def _placer(self, prepared: PreparedRequest, interruption: Interruption) -> PhrasePlacer:
        codec = self._model.codec

        def aligned(pieces: tuple[int, ...]) -> Alignment | None:
            target = (*pieces, codec.end)
            [alignment] = self.align(prepared, [target], [codec.decode(target)])
            return alignment and alignment.links

        return PhrasePlacer(
            prepared,
            codec,
            self.reader(prepared),
            aligned,
            self._model.config.max_pieces,
            interruption,
        )

    def with_whole_words(
        self,
        prepared: PreparedRequest,
        translation: Translation,
        interruption: Interruption,
    ) -> PreparedRequest | None:
        """The request with whole words for phrases that the best text has only in words that are not compounds.

        None if there are none, or if there is no time for another search.
        """
        request, best = translation.request, next(iter(translation.hypotheses), None)
        if best is None or translation.status != "unmet":
            return None
        phrases = tuple(
            replace(phrase, boundary="word") if phrase.boundary == "compound" and number in best.unmet else phrase
            for number, phrase in enumerate(request.phrases)
        )
        if phrases == request.phrases:
            return None
        try:
            again = self.prepare(replace(request, phrases=phrases), prepared.datastore, interruption)
        except Interrupted:
            return None
        return None if again.obstacles else self.with_phrases_placed(again.without_expected(), interruption)

    def draft(
        self,
        prepared: PreparedRequest,
        translation: Translation,
        options: SearchOptions,
        interruption: Interruption,
    ) -> PreparedRequest | None:
        """The request without the phrases that have a place in the source, to be decoded and followed.

        None if the translation needs no draft, see `SearchOptions.draft_strength`, or if there is no time for one.
        """
        is_wanted = options.draft_strength and translation.request.follow is None and translation.status == "complete"
        if not is_wanted or not num_misplaced(translation):
            return None
        phrases = translation.request.phrases
        others = tuple(phrase for phrase in phrases if phrase.source_span is None and not phrase.is_expected)
        try:
            return self.prepare(replace(translation.request, phrases=others), prepared.datastore, interruption)
        except Interrupted:
            return None

    def following(
        self,
        prepared: PreparedRequest,
        tokens: Sequence[int],
        strength: float,
        interruption: Interruption,
    ) -> PreparedRequest:
        """The request to follow a translation that the search has found, with the phrases in it."""
        pieces = tuple(token for token in tokens if token != self._model.codec.end)
        followed = FollowedText(pieces, strength, places_phrases=True)
        return self.with_phrases_placed(replace(prepared, followed=followed), interruption)

    def repairing(
        self, prepared: PreparedRequest, translation: Translation, interruption: Interruption
    ) -> PreparedRequest:
        """The request to follow a translation that lacks expected phrases, with these in it."""
        best, codec = translation.hypotheses[0], self._model.codec
        decoding = codec.decode(best.tokens)
        [alignment] = self.align(prepared, [best.tokens], [decoding])
        text = prepared.text_of_whole(best.unmet)
        if text is None:
            text = prepared.with_replaced(decoding.text, best.unmet, alignment.links if alignment else (), codec)
        tokens = best.tokens if text == decoding.text else codec.encode(text).ids
        return self.following(prepared, tokens, REPAIR_STRENGTH, interruption)

    def sentence(self, prepared: PreparedRequest, options: SearchOptions, interruption: Interruption) -> Sentence:
        """The search's task. Raises InvalidRequest for a score that the model has no parameters for."""
        own: dict[str, Any] = {"beam": options.beam_for(prepared.num_tokens)}
        if not prepared.constraints.phrases:
            own["repetition_penalty"] = 0.0
        if self._reranks(prepared, options):
            own["nbest"] = options.num_found
        if any(getattr(options, name) != value for name, value in own.items()):
            options = replace(options, **own)
        return Sentence(
            prepared.constraints,
            prepared.max_length(options, self._model.config.max_pieces),
            options,
            self._scoring(prepared, options),
            source=prepared,
            interruption=interruption,
            followed=prepared.followed,
            max_sentences=num_sentences(prepared.source),
            max_repeats=prepared.max_repeats,
        )

    def _scoring(self, prepared: PreparedRequest, options: SearchOptions) -> Scoring:
        config, direction = self._model.config, prepared.direction
        ratio, reward = config.length_ratios.get(direction), config.length_rewards.get(direction)
        return Scoring.of(options, len(prepared.source_ids), ratio, reward)

    # -- what depends on how the model computes -----------------------------------------------------------------------

    @abstractmethod
    def decoder(self, sentences: Sequence[Sentence]) -> StepDecoder:
        """A decoder of these sentences before its first step."""

    @abstractmethod
    def reader(self, prepared: PreparedRequest, interruption: Interruption = NEVER) -> OpenDecoder:
        """Returns a function that opens decoders for texts of a prepared request, which ask `interruption`."""

    def is_compiled(self, sentence: Sentence) -> bool:
        """True if the compiled core decodes the sentence."""
        return False

    def tree(self, sentence: Sentence) -> PrefixTree:
        """The tree of prefixes of the source of a sentence that the compiled core decodes."""
        raise NotImplementedError

    def token_log_probs(self, prepared: PreparedRequest, tokens: Sequence[int]) -> Sequence[float]:
        """The log-probability of each token of a given translation, as the search would find it."""
        [log_probs] = self.reader(prepared)(1).read([tokens])
        return log_probs

    def stored_pair(
        self,
        prepared: PreparedRequest,
        blank: PreparedRequest,
        tokens: Sequence[int],
        never: Sequence[int],
        origin: Hashable,
        least_fit: float,
    ) -> StoredPair | None:
        """The datastore entry of a translation; see `ForcedDecoding.stored_pair`.

        Raises InvalidRequest if the model gives no states.
        """
        raise InvalidRequest("this model cannot learn from translations; load one in Pinpoint's own format for that")

    def contributions(self, prepared: PreparedRequest, tokens: Sequence[int]) -> Sequence[Contribution]:
        """The contributions of the request's datastore to a translation."""
        return ()

    def align(
        self,
        prepared: PreparedRequest,
        targets: Sequence[Sequence[int]],
        decodings: Sequence[DecodedPieces],
        interruption: Interruption = NEVER,
    ) -> Sequence[WordAlignment | None]:
        """The word alignment of each target of one source; None from a model that does not align.

        A cancel may end it with Interrupted.
        """
        return [None] * len(targets)

    def _reranks(self, prepared: PreparedRequest, options: SearchOptions) -> bool:
        """True if translations of this request are ranked again by the reverse direction."""
        return False

    def _reranked(
        self,
        request: Request,
        prepared: PreparedRequest,
        result: SentenceResult,
        options: SearchOptions,
        interruption: Interruption,
    ) -> list[SearchHypothesis]:
        """The n-best list, ranked again if that is wanted and possible."""
        return list(result.hypotheses[: options.nbest])

    def _word_replacer(
        self, prepared: PreparedRequest, options: SearchOptions, interruption: Interruption
    ) -> WordReplacer | None:
        """Replaces untranslated words by those of a lexicon; None if the request or the model does not want it."""
        return None

    # -- after the search ---------------------------------------------------------------------------------------------

    def translation(
        self,
        request: Request,
        prepared: PreparedRequest,
        result: SentenceResult,
        options: SearchOptions,
        interruption: Interruption = NEVER,
    ) -> Translation:
        """The search's result as text, with placements and reasons; `elapsed_ms` is left to the caller.

        A long n-best list takes seconds: after an interruption, it ends with the hypotheses that are ready.
        """
        status: Status = result.outcome
        by_text: dict[str, Hypothesis] = {}
        replacer = self._word_replacer(prepared, options, interruption)
        num_ready = 0
        for some in _few_at_once(self._reranked(request, prepared, result, options, interruption)):
            if status not in REASON_OF and (cause := interruption.cause()):
                status = cause
            if status == "cancelled" or (status == "deadline" and by_text):
                break
            num_replaced_in = max(0, NUM_REPLACED_IN - num_ready) if replacer is not None else 0
            try:
                for one in self._hypotheses(prepared, some, options, replacer, num_replaced_in, interruption):
                    by_text.setdefault(one.text, one)  # two texts may become equal
                    interruption.check_cancelled()
            except Interrupted:
                status = "cancelled"
                break
            num_ready += len(some)
        if status == "cancelled":
            return interrupted_translation(request, status)
        hypotheses = _equally_met(by_text.values(), prepared)
        if any(phrase.boundary == "compound" for phrase in prepared.phrases):
            hypotheses = tuple(one for one in hypotheses if not one.unmet) or hypotheses
        reasons: tuple[Reason, ...] = ()
        if status in ("complete", "unmet"):
            unmet = sorted({phrase for hypothesis in hypotheses for phrase in hypothesis.unmet})
            unmet = [phrase for phrase in unmet if not prepared.phrases[phrase].is_expected]
            num_in_order = min((len(hypothesis.locked) for hypothesis in hypotheses), default=0)
            status = "complete" if hypotheses and not unmet and num_in_order == prepared.num_ordered else "unmet"
            reasons = tuple(prepared.not_placed(phrase) for phrase in unmet)
            if num_in_order < prepared.num_ordered:
                reasons += (prepared.not_in_order(num_in_order),)
        elif status == "deadline":
            reasons = (REASON_OF[status],)
        else:
            reasons = (
                Reason("not_a_number", "the model returned scores that are not numbers; its weights may be damaged"),
            )
        learned = self._learned(prepared, hypotheses[0]) if hypotheses else ()
        return Translation(
            request, status, hypotheses, reasons, prepared.unknown_source, result.num_steps, learned=learned
        )

    def _with_tokens(
        self,
        prepared: PreparedRequest,
        found: SearchHypothesis,
        tokens: Pieces,
        read: OpenDecoder,
        options: SearchOptions,
    ) -> SearchHypothesis:
        """The hypothesis with other tokens and their log-probabilities, at the same place in the ranking."""
        [log_probs] = read(1).read([tokens])
        log_prob = sum(log_probs)
        followed, prefix = prepared.followed, prepared.constraints.prefix
        penalty = penalty_of(followed, prefix.pieces if prefix else (), tokens[:-1]) if followed else 0.0
        return replace(
            found,
            tokens=tokens,
            token_log_probs=tuple(log_probs),
            log_prob=log_prob,
            score=self._scoring(prepared, options).score(log_prob, len(tokens)),
            penalty=penalty,
            total=found.total + log_prob - found.log_prob - (penalty - found.penalty),
            reverse_score=None,
        )

    def _hypotheses(
        self,
        prepared: PreparedRequest,
        found: Sequence[SearchHypothesis],
        options: SearchOptions,
        replacer: WordReplacer | None,
        num_replaced_in: int,
        interruption: Interruption = NEVER,
    ) -> Iterator[Hypothesis]:
        """The hypotheses in their order, the first `num_replaced_in` with other words for untranslated ones."""
        ones = [*found]
        decodings = [self._model.codec.decode(one.tokens) for one in ones]
        alignments = [*self.align(prepared, [one.tokens for one in ones], decodings, interruption)]
        listed: list[tuple[ListedText, ...]] = [()] * len(ones)
        with suppress(Interrupted):
            for place in range(min(num_replaced_in, len(ones))):
                assert replacer is not None
                alignment = alignments[place]
                replaced = replacer.replaced(decodings[place].text, alignment.links if alignment else ())
                if replaced is not None:
                    tokens, listed[place] = replaced
                    ones[place] = self._with_tokens(prepared, ones[place], tokens, replacer.open_decoder, options)
                    decodings[place] = self._model.codec.decode(tokens)
                    [alignments[place]] = self.align(prepared, [tokens], [decodings[place]], interruption)
        for item in zip(ones, decodings, alignments, listed, strict=True):
            yield _hypothesis(prepared, *item)

    def _learned(self, prepared: PreparedRequest, found: Hypothesis) -> tuple[Contribution, ...]:
        """The contributions of stored pairs to the hypothesis, by one lookup after the search."""
        if prepared.datastore is None or not found.tokens:
            return ()
        return tuple(self.contributions(prepared, found.tokens))


def interrupted_translation(request: Request, cause: Cause) -> Translation:
    """The translation, without hypotheses, of a request that was interrupted."""
    return Translation(request, cause, reasons=(REASON_OF[cause],))


def num_misplaced(translation: Translation) -> int:
    """Phrases of the best hypothesis that the word alignment doubts; `sys.maxsize` if it is not complete.

    Without expected phrases, which the model has put there itself.
    """
    if translation.status != "complete":
        return sys.maxsize
    phrases = translation.request.phrases
    return sum(one.is_doubted and not phrases[one.phrase].is_expected for one in translation.hypotheses[0].placements)


def stray_phrases(translation: Translation, before: Translation) -> frozenset[int]:
    """The phrases that `before` lacked and that the word alignment does not link to their place in the source."""
    if translation.status != "complete":
        return frozenset()
    missing = before.hypotheses[0].unmet
    placements = translation.hypotheses[0].placements
    return frozenset(one.phrase for one in placements if one.phrase in missing and one.aligned is False)


def _equally_met(found: Iterable[Hypothesis], prepared: PreparedRequest) -> tuple[Hypothesis, ...]:
    """The hypotheses; if the first has all expected phrases, without those that lack one."""
    hypotheses = tuple(found)
    lacks = [any(prepared.phrases[number].is_expected for number in one.unmet) for one in hypotheses]
    return (
        hypotheses
        if any(lacks[:1])
        else tuple(one for one, is_lacking in zip(hypotheses, lacks, strict=True) if not is_lacking)
    )


def _few_at_once(found: Sequence[SearchHypothesis]) -> Iterator[Sequence[SearchHypothesis]]:
    """The hypotheses in their order, in groups that are aligned in a few milliseconds."""
    group: list[SearchHypothesis] = []
    for one in found:
        if group and sum(len(other.tokens) for other in group) + len(one.tokens) > _PIECES_AT_ONCE:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _hypothesis(
    prepared: PreparedRequest,
    found: SearchHypothesis,
    decoding: DecodedPieces,
    alignment: WordAlignment | None,
    listed: tuple[ListedText, ...],
) -> Hypothesis:
    placements, unmet = prepared.place(decoding.text)
    if alignment is not None:
        placements = with_alignment(placements, prepared.phrases, alignment.links, decoding.text)
    hypothesis = Hypothesis(
        text=decoding.text,
        score=found.score,
        log_prob=found.log_prob,
        tokens=found.tokens,
        token_log_probs=found.token_log_probs,
        token_spans=decoding.spans,
        placements=placements,
        alignment=alignment.links if alignment else (),
        unmet=unmet,
        locked=prepared.place_ordered(decoding.text),
        change_penalty=found.penalty,
        score_penalty=found.score - found.ranking_score,
        weak_alignment=alignment.weak_links if alignment else (),
        reverse_score=found.reverse_score,
        listed=listed,
    )
    assert prepared.reading is not None
    return prepared.reading.written(hypothesis)
