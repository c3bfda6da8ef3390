"""Requests to a model that is asked by a prompt."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from engine.decoding.constraints import PreparedRequest
from engine.decoding.pipeline import RequestPipeline
from engine.decoding.placing import OpenDecoder
from engine.interruption import NEVER, Interruption
from engine.model.config import ModelConfig
from engine.model.datastore import Datastore
from engine.request import Request
from engine.search.sentence import Sentence, SentenceResult
from engine.search.steps import StepDecoder
from engine.search_options import SearchOptions
from engine.text import Codec
from engine.transformers_models.adapter import TransformersModel
from engine.transformers_models.model_pieces import OPENERS
from engine.transformers_models.prompt import Prompt, PromptableModel
from engine.transformers_models.prompt_templates import PromptTemplate
from engine.translation import Reason, Translation

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_MOST_PIECES = 16_384


@dataclass(frozen=True, slots=True)
class PromptedModel:
    """A model with what it is asked; it takes the place of a `LoadedModel`."""

    adapter: PromptableModel
    template: PromptTemplate
    config: ModelConfig
    checksum: str
    source_codec: Codec | None = None
    aligns: bool = False

    @classmethod
    def of(
        cls,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        template: str | Path | PromptTemplate,
        languages: Sequence[str],
        name: str,
        ends_at_line: bool = True,
        packs_weights: bool = False,
    ) -> PromptedModel:
        """A model of the transformers library; see `asked`. Raises ModelError for one that cannot be used."""
        adapter = TransformersModel(model, tokenizer, ends_at_line, packs_weights)
        return cls.asked(adapter, template, languages, f"{name} {model.config.model_type}", adapter.features)

    @classmethod
    def asked(
        cls,
        adapter: PromptableModel,
        template: str | Path | PromptTemplate,
        languages: Sequence[str],
        kind: str,
        features: bytes,
    ) -> PromptedModel:
        """`languages` are directions ("en-de"), or languages between any two of which the model translates ("en").

        `kind` is the text in which the template "auto" finds the model's family; `features` tell models apart. Raises
        ModelError for a template or direction that cannot be used.
        """
        template = PromptTemplate.of(template, kind, adapter.has_chat_template)
        is_any_pair = not any("-" in language for language in languages)
        config = ModelConfig(
            vocabulary_size=len(adapter.codec.surfaces),
            directions=() if is_any_pair else tuple(languages),
            languages={language: language for language in languages} if is_any_pair else None,
            max_pieces=min(adapter.max_length, _MOST_PIECES),
        )
        if template.formality:
            offered = dict.fromkeys(config.directions, tuple(template.formality))
            config = replace(config, formalities=offered)
        checksum = hashlib.sha256(features + repr(template).encode()).hexdigest()
        return cls(adapter, template, config, checksum)

    @property
    def codec(self) -> Codec:
        return self.adapter.codec

    @property
    def is_on_cpu(self) -> bool:
        return self.device.type == "cpu"

    @property
    def device(self) -> torch.device:
        return self.adapter.device

    @property
    def precision(self) -> str:
        return self.adapter.precision

    @property
    def decoder(self) -> str:
        return self.adapter.decoder_name

    def prompt(self, prepared: PreparedRequest) -> Prompt:
        """What the model reads for a request: the source, and the required words with their places in it."""
        assert prepared.reading is not None
        given = prepared.reading.given
        terms = [
            (None if phrase.source_span is None else given.source[slice(*phrase.source_span)], phrase.text)
            for phrase in given.phrases
            if given.hints and not phrase.is_expected
        ]
        adapter = self.adapter
        ids, text = self.template.written(
            adapter,
            prepared.source,
            prepared.direction,
            list(dict.fromkeys(terms)),
            given.formality,
            given.examples,
        )
        return Prompt(ids, adapter.starts, self._never_first(prepared), text)

    def _never_first(self, prepared: PreparedRequest) -> tuple[int, ...]:
        """The pieces with quotes, brackets and marks that no part of the request begins with."""
        texts = [prepared.source, *(form for phrase in prepared.constraints.phrases for form in phrase.forms)]
        if prepared.constraints.prefix is not None or any(text[:1] in OPENERS for text in texts):
            return ()
        return self.adapter.codec.openers


class PromptPipeline(RequestPipeline):
    """The steps of requests to a prompted model."""

    keeps_ranking = True  # without a reverse direction, and without a lexicon

    def __init__(self, model: PromptedModel, prompt: Callable[[PreparedRequest], Prompt] | None = None) -> None:
        """`prompt` gives the prompt of a request; by default, the model's template does."""
        super().__init__(model)
        self._adapter = model.adapter
        self._asked = prompt or model.prompt

    def prepare(
        self, request: Request, datastore: Datastore | None = None, interruption: Interruption = NEVER
    ) -> PreparedRequest:
        """The request in pieces, as of `RequestPipeline`; with an obstacle if its prompt leaves no room to answer."""
        prepared = super().prepare(request, datastore, interruption)
        if prepared.obstacles:
            return prepared
        prompt, most = self._asked(prepared), self._adapter.max_length
        num_read, num_written = (
            len(prompt.ids),
            2 * len(prepared.source_ids) + prepared.num_prefix + prepared.num_tokens,
        )
        if self._adapter.is_encoder_decoder or num_read + num_written <= most:
            return replace(prepared, prompt=prompt)
        message = f"the prompt has {num_read} pieces and the answer needs up to {num_written}, the model has room for "
        reason = Reason("source_too_long", f"{message}{most}; split the segment or use a shorter prompt template")
        return replace(prepared, obstacles=(reason,))

    def translation(
        self,
        request: Request,
        prepared: PreparedRequest,
        result: SentenceResult,
        options: SearchOptions,
        interruption: Interruption = NEVER,
    ) -> Translation:
        """As of `RequestPipeline`, with the text of the prompt."""
        found = super().translation(request, prepared, result, options, interruption)
        text = prepared.prompt.text
        return replace(found, prompts=(text,) if text and found.hypotheses else ())

    def decoder(self, sentences: Sequence[Sentence]) -> StepDecoder:
        prompts = [sentence.source.prompt for sentence in sentences]
        return self._adapter.open(prompts, [sentence.interruption for sentence in sentences])

    def reader(self, prepared: PreparedRequest, interruption: Interruption = NEVER) -> OpenDecoder:
        return lambda num_texts: self._adapter.open([prepared.prompt] * num_texts, [interruption] * num_texts)
