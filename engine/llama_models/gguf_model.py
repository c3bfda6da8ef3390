"""A model of llama.cpp as requests need it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import llama_cpp.llama_cpp as llama
import torch
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from engine.errors import ModelError
from engine.interruption import Interruption
from engine.llama_models.llama_codec import LlamaCodec
from engine.llama_models.llama_context import LlamaContext
from engine.llama_models.llama_decoder import LlamaDecoder
from engine.search.sentence import SearchVocabulary
from engine.transformers_models.prompt import Messages, Prompt


class GgufModel:
    """A `PromptableModel`: the model of a GGUF file, its pieces, and the decoders of its sentences."""

    is_encoder_decoder = False
    starts: tuple[int, ...] = ()
    device = torch.device("cpu")

    def __init__(self, path: Path, ends_at_line: bool = True) -> None:
        """Raises ModelError for a file that cannot be used."""
        self.context = LlamaContext(path)
        vocab = self.context.vocab
        end = llama.llama_vocab_eos(vocab)
        ends = [end, *(token for token in range(self.context.size) if llama.llama_vocab_is_eog(vocab, token))]
        if end < 0:
            raise ModelError(f"{path.name} names no end of a text; use a complete file of the model")
        ends = [*dict.fromkeys(ends)]
        self.codec = LlamaCodec(self.context, ends)
        self._ends = [*ends, *(self.codec.line_ends if ends_at_line else ())]
        self.max_length = self.context.max_length
        template = llama.llama_model_chat_template(self.context.model, None)
        self._chat = template.decode("utf-8", "replace") if template else ""

    @cached_property
    def vocabulary(self) -> SearchVocabulary:
        return SearchVocabulary.of(self.codec)

    @cached_property
    def precision(self) -> str:
        """The type of the weights, as in "llama 135M Q4_1"."""
        room = ctypes.create_string_buffer(256)
        llama.llama_model_desc(self.context.model, room, 256)
        return room.value.decode("utf-8", "replace").rpartition(" ")[2]

    @property
    def decoder_name(self) -> str:
        return "llama.cpp"

    @property
    def has_chat_template(self) -> bool:
        return bool(self._chat)

    def written_chat(self, messages: Messages) -> str:
        begin, end = (self._text(token(self.context.vocab)) for token in (llama.llama_vocab_bos, llama.llama_vocab_eos))
        write = Jinja2ChatFormatter(self._chat, end, begin)  # in a sandbox: the template comes with the file
        return str(write(messages=[*messages], enable_thinking=False).prompt)

    def setting(self, key: str) -> str:
        """A text of the file's description, "" if it has none."""
        room = ctypes.create_string_buffer(1024)
        found = llama.llama_model_meta_val_str(self.context.model, key.encode(), room, 1024)
        return room.value.decode("utf-8", "replace") if found >= 0 else ""

    def open(self, prompts: Sequence[Prompt], interruptions: Sequence[Interruption]) -> LlamaDecoder:
        return LlamaDecoder(self.context, self._ends, prompts, interruptions)

    def _text(self, token: int) -> str:
        return (llama.llama_vocab_get_text(self.context.vocab, token) or b"").decode() if token >= 0 else ""
