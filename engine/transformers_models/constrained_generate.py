"""Constraints for people who come from `model.generate(force_words_ids=…)`: any prompt, without translation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import torch

from engine.errors import InvalidRequest
from engine.interruption import NEVER, Interruption
from engine.model.config import ModelConfig
from engine.request import Avoid, Phrase, Request
from engine.search.batching import SearchStream
from engine.search_options import SearchOptions
from engine.transformers_models.adapter import TransformersModel
from engine.transformers_models.prompt import Prompt
from engine.transformers_models.prompt_templates import PromptTemplate
from engine.transformers_models.prompted import PromptedModel, PromptPipeline
from engine.translation import Translation

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_ANY = "und-und"  # no direction: the text is not translated
_ADAPTED: WeakKeyDictionary[PreTrainedModel, dict[tuple[int, bool], PromptedModel]] = WeakKeyDictionary()


def constrained_generate(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    prompt: str | Sequence[int],
    *,
    phrases: Sequence[str | Sequence[str] | Phrase] = (),
    avoid: Sequence[str | Avoid] = (),
    prefix: str = "",
    suffix: str = "",
    num_beams: int = 10,
    num_return_sequences: int = 1,
    max_new_tokens: int = 64,
    length_penalty: float = 1.0,
    ends_at_line: bool = True,
    options: SearchOptions | None = None,
    interruption: Interruption = NEVER,
) -> Translation:
    """The best answers to a prompt that contain all phrases and none of the avoided texts, best first.

    Args:
        prompt: A text, whose control tokens count, or its token ids.
        phrases: Texts that the answer must contain as whole words; a list of texts is met by any of them.
        avoid: Texts that the answer must not contain as whole words.
        prefix: The answer's beginning, character by character; its last word may continue.
        suffix: The answer's end.
        length_penalty: 1 ranks answers by log-probability per token, 0 by log-probability.
        ends_at_line: The answer ends where its line ends.
        options: Further settings of the search; those of this function come first.

    `hypotheses` have the texts with scores and the places of the phrases. If the constraints cannot be met, there are
    none, and `reasons` say why; if only the length limit is too small, the hypotheses are the best attempts. Raises
    InvalidRequest for settings that are invalid, and ModelError for a model that cannot be used.
    """
    if length_penalty not in (0, 1):
        raise InvalidRequest(f"length_penalty is {length_penalty}; 1 ranks by log-probability per token, 0 without it")
    if max_new_tokens < 1:
        raise InvalidRequest(f"max_new_tokens is {max_new_tokens}; it must be at least 1")
    prompted = _adapted(model, tokenizer, ends_at_line)
    adapter = prompted.adapter
    ids = tuple(adapter.codec.control_ids(prompt) if isinstance(prompt, str) else map(int, prompt))
    if not ids:
        raise InvalidRequest("the prompt is empty; give at least the token that begins a text")
    if not adapter.is_encoder_decoder and len(ids) + max_new_tokens > adapter.max_length:
        raise InvalidRequest(
            f"the prompt has {len(ids)} tokens, with max_new_tokens ({max_new_tokens}) more than the "
            f"{adapter.max_length} that the model has room for; shorten one of them"
        )
    request = Request(
        ".",
        phrases=tuple(map(_phrase, phrases)),
        avoid=tuple(avoid),  # type: ignore[arg-type]
        prefix=prefix,
        suffix=suffix,
        split_sentences=False,
    )
    options = replace(
        options or SearchOptions(),
        beam=num_beams,
        nbest=num_return_sequences,
        score="normalised" if length_penalty else "log_prob",
    )
    pipeline = PromptPipeline(prompted, lambda prepared: Prompt(ids, adapter.starts))
    prepared = pipeline.prepare(request, None, interruption)
    if prepared.obstacles:
        return Translation(request, "infeasible", (), prepared.obstacles)
    sentence = replace(pipeline.sentence(prepared, options, interruption), max_length=max_new_tokens)
    with torch.inference_mode():
        [ended] = SearchStream(pipeline.decoder, adapter.vocabulary, 1).run([sentence])
        if ended.result is None:
            assert ended.error is not None
            raise ended.error
        return pipeline.translation(request, prepared, ended.result, options, interruption)


def _phrase(given: str | Sequence[str] | Phrase) -> Phrase:
    if isinstance(given, Phrase):
        return given
    if isinstance(given, str):
        return Phrase(given)
    first, *others = given
    return Phrase(first, tuple(others))


def _adapted(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, ends_at_line: bool) -> PromptedModel:
    """The model as the search needs it, kept as long as the model."""
    known = _ADAPTED.setdefault(model, {})
    key = id(tokenizer), ends_at_line
    if key not in known:
        adapter = TransformersModel(model, tokenizer, ends_at_line)
        size, most = len(adapter.codec.surfaces), min(adapter.max_length, 16_384)
        config = ModelConfig(vocabulary_size=size, directions=(_ANY,), max_pieces=most)
        known[key] = PromptedModel(adapter, PromptTemplate(text="{source}"), config, checksum="")
    return known[key]
