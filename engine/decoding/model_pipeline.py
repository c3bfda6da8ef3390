"""The steps of requests to a model that the engine computes itself: `LoadedModel`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from engine.compiled.c_interface import PrefixTree
from engine.decoding.aligner import WordAlignment, align
from engine.decoding.constraints import PreparedRequest
from engine.decoding.encodings import Encodings
from engine.decoding.pipeline import REASON_OF, RequestPipeline
from engine.decoding.placing import OpenDecoder
from engine.decoding.reverse import reverse_direction, reverse_scores
from engine.decoding.untranslated import WordReplacer
from engine.interruption import Interrupted, Interruption, JointInterruption
from engine.model import LoadedModel
from engine.model.compiled_model import compiled_alignment
from engine.model.prefix_cache import PrefixCache
from engine.request import Request
from engine.search.beam import StepDecoder
from engine.search.finished import SearchHypothesis
from engine.search.sentence import Sentence, SentenceResult
from engine.search_options import SearchOptions
from engine.text import DecodedPieces


class ModelPipeline(RequestPipeline):
    """Encodes sources once, aligns words, ranks again by the reverse direction, and replaces untranslated words."""

    def __init__(self, model: LoadedModel, encodings: Encodings) -> None:
        super().__init__(model)
        self._loaded = model
        self._encodings = encodings
        self._alignment = compiled_alignment(model.transformer, model.alignment)

    def decoder(self, sentences: Sequence[Sentence]) -> StepDecoder:
        """A decoder of these sentences before its first step; encodes the sources that are not cached."""
        interruption = JointInterruption(sentence.interruption for sentence in sentences)
        return self._encodings.decoder([sentence.source for sentence in sentences], interruption)

    def tree(self, sentence: Sentence) -> PrefixTree | None:
        """The tree of prefixes of the sentence's source; None if the compiled core does not decode it."""
        return self._encodings.tree(sentence.source, sentence.interruption)

    def prepared_decoder(self, prepared: PreparedRequest, interruption: Interruption) -> StepDecoder:
        """A decoder of one prepared request before its first step; asks `interruption` within a step."""
        return self._encodings.decoder([prepared], interruption)

    def reader(self, prepared: PreparedRequest) -> OpenDecoder:
        """Opens decoders of several texts of one source; their common beginning is read once."""
        return self._encodings.reader(prepared, PrefixCache())

    @torch.inference_mode()
    def token_log_probs(self, prepared: PreparedRequest, tokens: Sequence[int]) -> Tensor:
        """The log-probability (T,) of each token of a given translation, as the search would find it."""
        if prepared.datastore is None and self._loaded.transformer.compiled is not None:
            [log_probs] = self._encodings.decoder([prepared]).read([tokens])
            return torch.tensor(log_probs, dtype=torch.float64)
        states_TE, tokens_T, log_probs_TV = self.forced(prepared, tokens)
        if prepared.datastore is not None:
            log_probs_TV = prepared.datastore.mix(states_TE, log_probs_TV)
        return log_probs_TV.gather(1, tokens_T[:, None])[:, 0].double()

    @torch.inference_mode()
    def forced(self, prepared: PreparedRequest, tokens: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
        """Forced decoding: states (T, E), the tokens after them (T,), and the model's own log-probabilities (T, V)."""
        transformer, encoded = self._loaded.transformer, self._encodings.of(prepared)
        tokens_1T = torch.tensor([list(tokens)], device=transformer.device)
        states_TE = transformer.states(encoded.memory_BSE, None, tokens_1T, encoded.starts_BN)[0]
        return states_TE, tokens_1T[0], torch.log_softmax(transformer.project(states_TE).float(), dim=1)

    def align(
        self, prepared: PreparedRequest, targets: Sequence[Sequence[int]], decodings: Sequence[DecodedPieces]
    ) -> Sequence[WordAlignment | None]:
        """The word alignment of each target of one source; None from a model without an alignment head.

        It is computed without the hints, which are not part of the source and unknown to the alignment head.
        """
        if self._loaded.alignment is None or not targets:
            return [None] * len(targets)
        without = replace(prepared, hints=(), datastore=None)
        encoded, tree = self._encodings.of(without), self._encodings.tree(without)
        compiled = None if self._alignment is None or tree is None else (self._alignment, tree)
        return align(
            self._loaded, encoded, prepared.source, prepared.direction, prepared.marks, targets, decodings, compiled
        )

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
            scores = reverse_scores(self._loaded, prepared, request.domain, texts, is_per_piece, interruption)
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
