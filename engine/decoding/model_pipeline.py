"""The steps of requests to a model that the engine computes itself: `LoadedModel`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from engine.compiled.c_interface import PrefixTree
from engine.decoding.aligner import AlignmentScores, WordAlignment, align
from engine.decoding.constraints import PreparedRequest
from engine.decoding.core_sources import CoreSources
from engine.decoding.pipeline import REASON_OF, RequestPipeline
from engine.decoding.placing import OpenDecoder
from engine.decoding.reverse import reverse_direction, reverse_scores
from engine.decoding.untranslated import WordReplacer
from engine.interruption import NEVER, Interrupted, Interruption, JointInterruption
from engine.model.checkpoint import LoadedModel
from engine.request import Request
from engine.search.finished import SearchHypothesis
from engine.search.sentence import Sentence, SentenceResult
from engine.search.steps import StepDecoder
from engine.search_options import SearchOptions
from engine.text import DecodedPieces
from engine.translation import Contribution

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.decoding.encodings import Encodings
    from engine.decoding.forced import ForcedDecoding
    from engine.model.datastore import StoredPair


class ModelPipeline(RequestPipeline):
    """Encodes sources once, aligns words, ranks again by the reverse direction, and replaces untranslated words."""

    def __init__(self, model: LoadedModel, compaction_interval: int | None = None) -> None:
        """`compaction_interval`: see `engine.model.table_decoder.open_decoder`."""
        super().__init__(model)
        self._loaded = model
        self._compaction_interval = compaction_interval
        self._core = None if model.compiled is None else CoreSources(model, model.compiled)

    @cached_property
    def _encodings(self) -> Encodings:
        """Sources in PyTorch, which a model in the compiled core needs only for datastores."""
        from engine.decoding.encodings import Encodings

        return Encodings(self._loaded, self._compaction_interval)

    @cached_property
    def _forced(self) -> ForcedDecoding:
        from engine.decoding.forced import ForcedDecoding

        return ForcedDecoding(self._loaded, self._encodings)

    def decoder(self, sentences: Sequence[Sentence]) -> StepDecoder:
        """A decoder in PyTorch of these sentences before its first step; encodes the sources that are not cached."""
        interruption = JointInterruption(sentence.interruption for sentence in sentences)
        return self._encodings.decoder([sentence.source for sentence in sentences], interruption)

    def is_compiled(self, sentence: Sentence) -> bool:
        """True if the compiled core decodes the sentence."""
        return self._core_of(sentence.source) is not None

    def tree(self, sentence: Sentence) -> PrefixTree:
        """The tree of prefixes of the source of a sentence that the compiled core decodes."""
        core = self._core_of(sentence.source)
        assert core is not None
        return core.tree(sentence.source, sentence.interruption)

    def with_set_phrases(self, request: Request, options: SearchOptions) -> Request:
        """The request with the set phrases of the model as further phrases; itself if it or the model wants none."""
        set_phrases = self._loaded.set_phrases if options.lexicon else None
        return request if set_phrases is None else set_phrases.added_to(request, self._direction_of(request))

    def reader(self, prepared: PreparedRequest, interruption: Interruption = NEVER) -> OpenDecoder:
        """Returns a function that opens decoders for texts of a prepared request, which ask `interruption`.

        Their common beginning is read once.
        """
        core = self._core_of(prepared)
        return self._encodings.reader(prepared) if core is None else core.reader(prepared, interruption)

    def forget_sources(self) -> None:
        """Forgets what was computed of earlier sources: benchmarks measure requests for new ones."""
        (self._encodings if self._core is None else self._core).forget()

    def _core_of(self, prepared: PreparedRequest) -> CoreSources | None:
        """The compiled core, if it decodes the request: not with a datastore."""
        return self._core if prepared.datastore is None else None

    def token_log_probs(self, prepared: PreparedRequest, tokens: Sequence[int]) -> Sequence[float]:
        """The log-probability of each token of a given translation, as the search would find it."""
        if self._core_of(prepared) is None:
            return self._forced.token_log_probs(prepared, tokens)
        return super().token_log_probs(prepared, tokens)

    def stored_pair(
        self,
        prepared: PreparedRequest,
        blank: PreparedRequest,
        tokens: Sequence[int],
        never: Sequence[int],
        origin: Hashable,
        least_fit: float,
    ) -> StoredPair | None:
        """The datastore entry of a translation; see `ForcedDecoding.stored_pair`."""
        return self._forced.stored_pair(prepared, blank, tokens, never, origin, least_fit)

    def contributions(self, prepared: PreparedRequest, tokens: Sequence[int]) -> Sequence[Contribution]:
        """The contributions of the request's datastore to a translation."""
        return self._forced.contributions(prepared, tokens)

    def align(
        self,
        prepared: PreparedRequest,
        targets: Sequence[Sequence[int]],
        decodings: Sequence[DecodedPieces],
        interruption: Interruption = NEVER,
    ) -> Sequence[WordAlignment | None]:
        """The word alignment of each target of one source; None from a model without an alignment head."""
        if not self._loaded.aligns or not targets:
            return [None] * len(targets)
        if prepared.datastore is not None:
            prepared = replace(prepared, datastore=None)
        scores = self._alignment_scores(prepared, interruption)
        return align(self._loaded, scores, prepared.source, prepared.direction, prepared.marks, targets, decodings)

    def _alignment_scores(self, prepared: PreparedRequest, interruption: Interruption) -> AlignmentScores:
        """The scores of the alignment head for targets of this source, in the compiled core if that covers the head."""
        model = self._loaded
        if self._core is not None and (found := self._core.alignment_scores(prepared, interruption)) is not None:
            return found
        alignment, memory_1SE = model.alignment, self._encodings.of(prepared).memory_BSE
        assert alignment is not None
        return AlignmentScores(partial(alignment.logits, model.transformer, memory_1SE))

    def _reranks(self, prepared: PreparedRequest, options: SearchOptions) -> bool:
        """True if translations of this request are ranked again by the reverse direction.

        Those that follow a text differ too little from it, and those of a prefix must come while a person types.
        """
        is_free = prepared.followed is None and prepared.constraints.prefix is None
        has_reverse = reverse_direction(self._loaded, prepared.direction) is not None
        return bool(options.reverse_weight) and is_free and has_reverse

    def _reranked(
        self,
        request: Request,
        prepared: PreparedRequest,
        result: SentenceResult,
        options: SearchOptions,
        interruption: Interruption,
    ) -> list[SearchHypothesis]:
        """The n-best list, ranked again if the search ended with translations and there is time."""
        found = list(result.hypotheses)
        is_wanted = self._reranks(prepared, options) and len(found) > 1 and all(one.is_satisfying for one in found)
        if result.outcome in REASON_OF or not is_wanted:
            return found[: options.nbest]

        texts = [self._model.codec.decode(one.tokens).text for one in found]
        is_per_piece = options.score == "normalised"
        try:
            by = self._forced if self._core is None else self._core
            scores = reverse_scores(
                self._loaded, prepared, request.domain, texts, is_per_piece, by.log_probs_of_target, interruption
            )
        except Interrupted:
            scores = None
        if scores is not None:
            found = [
                replace(one, reverse_score=score, ranking_score=one.ranking_score + options.reverse_weight * score)
                for one, score in zip(found, scores, strict=True)
            ]
            found.sort(key=lambda one: -one.ranking_score)
        return found[: options.nbest]

    def _word_replacer(
        self, prepared: PreparedRequest, options: SearchOptions, interruption: Interruption
    ) -> WordReplacer | None:
        """Replaces untranslated words by those of the lexicon; None if the request or the model does not want it.

        Nothing is replaced behind a prefix alone, whose translations must come while a person types.
        """
        lexicons = self._loaded.lexicons
        is_wanted = options.lexicon and (prepared.constraints.prefix is None or prepared.followed is not None)
        lexicon = lexicons.of(prepared.direction) if is_wanted and lexicons is not None else None
        if lexicon is None:
            return None

        read = self.reader(prepared)
        return WordReplacer(prepared, lexicon, self._model.codec, read, self._model.config.max_pieces, interruption)
