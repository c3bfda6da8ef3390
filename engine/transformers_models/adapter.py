"""A model of the transformers library with its tokenizer, as the search needs them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from engine.errors import ModelError
from engine.interruption import NEVER, Interruption
from engine.search.sentence import SearchVocabulary
from engine.search.steps import StepDecoder
from engine.transformers_models.forward import Forward
from engine.transformers_models.packed_weights import pack_weights
from engine.transformers_models.prompt import Messages, Prompt
from engine.transformers_models.prompt_cache import PromptCache
from engine.transformers_models.tokenizer_codec import TokenizerCodec

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_TOLERANCE = 0.05  # nats, relative to the largest log-probability of the trial; 16-bit models differ by up to 0.02
_PRECISIONS = {torch.float32: "float32", torch.float16: "half", torch.bfloat16: "bfloat16"}
_FEATURES = 1 << 16  # values of the output layer that tell models apart
_UNKNOWN_LENGTH = 2048  # tokens, for models that do not say how many they read


class TransformersModel:
    """A `PromptableModel`: a model of transformers, its pieces, and the decoders of its sentences.

    `ends_at_line`: a text ends where its line ends. `decoder` is "tree" or "rows" (the modules `tree_decoder` and
    `rows_decoder`), whichever a trial has found right for the model. `features` are the configuration and some of the
    weights, which tell models apart.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        ends_at_line: bool = True,
        packs_weights: bool = False,
    ) -> None:
        """With `packs_weights`, the model is changed and is of use only here.

        Raises ModelError for a model or tokenizer that the search cannot use.
        """
        self.model, self.tokenizer = model.eval(), tokenizer
        ends = self._ends()
        head = _output_weights(model)
        size = int(head.shape[0])
        some: bytes = head.detach().flatten()[:_FEATURES].float().cpu().numpy().tobytes()
        self.features = model.config.to_json_string().encode() + some
        codec = TokenizerCodec(tokenizer, size, ends)
        self.codec = codec
        self._forward = Forward(model, [*ends, *(codec.line_ends if ends_at_line else ())])
        self._prompts = PromptCache()
        self.vocabulary = SearchVocabulary.of(codec)
        config = model.config.get_text_config()
        self.is_encoder_decoder = bool(model.config.is_encoder_decoder)
        self.max_length: int = getattr(config, "max_position_embeddings", None) or _UNKNOWN_LENGTH
        _use_masked_attention(model)
        self.decoder = self._decoder_of_trial(packs_weights)

    def open(self, prompts: Sequence[Prompt], interruptions: Sequence[Interruption]) -> StepDecoder:
        if self.decoder == "tree":
            from engine.transformers_models.tree_decoder import TreeDecoder

            return TreeDecoder(self._forward, prompts, interruptions, self._prompts)
        from engine.transformers_models.rows_decoder import RowsDecoder

        return RowsDecoder(self._forward, prompts, interruptions)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        if not self.is_encoder_decoder:
            return ()
        given = [self._setting("decoder_start_token_id"), self._setting("forced_bos_token_id")]
        starts = tuple(int(start) for start in given if start is not None)
        if not starts:
            raise ModelError("the model's configuration has no decoder_start_token_id; set it to its first token")
        return starts

    @property
    def has_chat_template(self) -> bool:
        return bool(getattr(self.tokenizer, "chat_template", None))

    def written_chat(self, messages: Messages) -> str:
        return str(
            self.tokenizer.apply_chat_template(
                messages, add_generation_prompt=True, tokenize=False, enable_thinking=False
            )
        )

    @property
    def device(self) -> torch.device:
        device: torch.device = self.model.device
        return device

    @property
    def precision(self) -> str:
        return _PRECISIONS.get(self.model.dtype, str(self.model.dtype).removeprefix("torch."))

    @property
    def decoder_name(self) -> str:
        return f"transformers ({self.decoder})"

    def _ends(self) -> list[int]:
        found: list[int] = []
        for given in (self._setting("eos_token_id"), self.tokenizer.eos_token_id):
            found += [given] if isinstance(given, int) else given or []
        if not found:
            raise ModelError("neither the model nor its tokenizer names an end of the text; set tokenizer.eos_token")
        return [*dict.fromkeys(map(int, found))]

    def _setting(self, name: str) -> Any:
        """A setting of generation, else of the model's configuration."""
        generation = getattr(self.model, "generation_config", None)
        found = getattr(generation, name, None)
        return getattr(self.model.config, name, None) if found is None else found

    # -- which decoder is right -----------------------------------------------------------------------------------

    def _decoder_of_trial(self, packs_weights: bool) -> str:
        """The decoder whose log-probabilities equal those of passes without a cache, for two rows of a few tokens.

        These passes come before the weights are packed.
        """
        pieces = [piece for piece in range(len(self.codec.surfaces)) if self.codec.surfaces[piece]][:6]
        prompt = Prompt((*pieces[:3],), self.starts)
        rows = [pieces[3:5], pieces[4:6]]
        expected = torch.stack([self._without_cache(prompt, row) for row in rows])
        is_possible = torch.isfinite(expected)
        if bool(expected.isnan().any()) or not bool(is_possible.any()):
            raise ModelError("the model returns scores that are not numbers; its weights may be damaged")
        if packs_weights:
            pack_weights(self.model)
        errors: list[str] = []
        kinds = (
            ("rows",) if self.is_encoder_decoder or "position_ids" not in self._forward.parameters else ("tree", "rows")
        )
        for kind in kinds:
            self.decoder = kind
            try:
                found = self._with_decoder(prompt, rows)
            except Exception as error:  # of any kind: models are code of others
                errors.append(f"{kind}: {type(error).__name__}: {error}")
                continue
            self._prompts = PromptCache()
            difference = float((found - expected)[is_possible].abs().max() / expected[is_possible].abs().max())
            if difference <= _TOLERANCE:
                return kind
            errors.append(f"{kind}: scores differ by {difference:.2g}")
        raise ModelError(
            f"the search cannot keep several texts of a {self.model.config.model_type} model apart "
            f"({'; '.join(errors)}); use a model with plain attention, such as Llama, Qwen, Gemma, T5 or mBART"
        )

    @torch.inference_mode()
    def _without_cache(self, prompt: Prompt, row: Sequence[int]) -> torch.Tensor:
        """The log-probabilities (V,) after the prompt and a row, in one pass."""
        device = self.model.device
        ids, answer = torch.tensor([prompt.ids], device=device), torch.tensor([[*prompt.starts, *row]], device=device)
        if self.is_encoder_decoder:
            logits = self.model(input_ids=ids, decoder_input_ids=answer).logits
        else:
            logits = self.model(input_ids=torch.cat([ids, answer], 1)).logits
        return self._forward.log_probs(logits[:, -1])[0]

    @torch.inference_mode()
    def _with_decoder(self, prompt: Prompt, rows: Sequence[Sequence[int]]) -> torch.Tensor:
        """The same of two rows that begin with the prompt, step by step; the second row is selected first."""
        decoder = self.open([prompt], [NEVER])
        decoder.step(np.array([self.codec.begin]))
        decoder.select(np.array([0, 0]))
        decoder.step(np.array([row[0] for row in rows]))
        decoder.select(np.array([1, 0]))
        found = decoder.step(np.array([rows[1][1], rows[0][1]]))
        assert isinstance(found, torch.Tensor)
        return found[[1, 0]]


def _output_weights(model: PreTrainedModel) -> torch.Tensor:
    """The weights (V, E) of the output layer."""
    head = model.get_output_embeddings()
    if head is None:
        raise ModelError(
            f"{type(model).__name__} has no output layer, so it writes no text; load the model with "
            "AutoModelForCausalLM or AutoModelForSeq2SeqLM"
        )
    assert isinstance(head.weight, torch.Tensor)
    return head.weight


def _use_masked_attention(model: PreTrainedModel) -> None:
    """Attention that takes any mask: flash attention takes only one value for each token."""
    if "flash" in str(getattr(model.config, "_attn_implementation", "")):
        model.set_attn_implementation("sdpa")
