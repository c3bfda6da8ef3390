"""The pieces of a GGUF file: byte-level BPE, or SentencePiece BPE with byte fallback."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence

import llama_cpp.llama_cpp as llama

from engine.errors import ModelError
from engine.llama_models.llama_context import LlamaContext
from engine.text import EncodedPieces, byte_surface, surface_of
from engine.transformers_models.model_pieces import ModelPieces

_KINDS = {
    llama.LLAMA_VOCAB_TYPE_WPM: "WordPiece, which does not keep spaces and capitals of a text",
    llama.LLAMA_VOCAB_TYPE_UGM: "unigram, of models with an encoder; load these as a folder of transformers",
}
_CONTROL = llama.LLAMA_TOKEN_ATTR_CONTROL | llama.LLAMA_TOKEN_ATTR_UNKNOWN | llama.LLAMA_TOKEN_ATTR_UNUSED
_LONGEST_PIECE = 4096  # bytes


class LlamaCodec(ModelPieces):
    """The model's own tokenizer as a codec."""

    def __init__(self, context: LlamaContext, ends: Sequence[int]) -> None:
        """Raises ModelError for a tokenizer whose pieces are of another kind."""
        self._vocab = context.vocab
        kind = llama.llama_vocab_type(self._vocab)
        if kind not in (llama.LLAMA_VOCAB_TYPE_BPE, llama.LLAMA_VOCAB_TYPE_SPM):
            raise ModelError(f"the tokenizer is of the kind {_KINDS.get(kind, kind)}; use a model with BPE pieces")
        self._names = [llama.llama_vocab_get_text(self._vocab, number) or b"" for number in range(context.size)]
        attributes = [llama.llama_vocab_get_attr(self._vocab, number) for number in range(context.size)]
        # Tokens that were added to the pieces, such as "<think>": llama.cpp finds them even in plain text.
        is_added = [bool(found & llama.LLAMA_TOKEN_ATTR_USER_DEFINED) for found in attributes]
        added = [self._names[number].decode("utf-8", "replace") for number, found in enumerate(is_added) if found]
        added = sorted((name for name in added if name.strip()), key=len, reverse=True)
        self._added = re.compile("|".join(map(re.escape, added))) if added else None
        texts: list[str | None] = []
        for number, found in enumerate(attributes):
            name = self._names[number]
            if not name or found & _CONTROL or number in ends or (is_added[number] and name.strip()):
                texts.append(None)
            elif found & llama.LLAMA_TOKEN_ATTR_BYTE:
                texts.append(byte_surface(self._bytes_of(number)[0]))
            else:
                texts.append(surface_of(self._bytes_of(number)))
        super().__init__(texts, ends)

    def id_of(self, piece: str) -> int:
        try:
            return self._names.index(piece.encode())
        except ValueError:
            raise KeyError(piece) from None

    def raw_ids(self, text: str) -> tuple[int, ...]:
        ids: list[int] = []
        start = 0
        for found in self._added.finditer(text) if self._added else ():
            ids += self._tokenized(text[start : found.start() + 1])
            start = found.start() + 1
        return (*ids, *self._tokenized(text[start:]))

    def control_ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenized(text, finds_control=True))

    def with_specials(self, text: str) -> tuple[int, ...]:
        around = self._tokenized("x", adds=True)
        plain = self._tokenized("x")
        first = next(place for place in range(len(around)) if around[place : place + len(plain)] == plain)
        return (*around[:first], *self.raw_ids(text), *around[first + len(plain) :])

    def _inexact(self, text: str, ids: tuple[int, ...]) -> EncodedPieces:
        whole = (0, len(text))
        return EncodedPieces(ids, (whole,) * len(ids), (whole,))

    def _tokenized(self, text: str, adds: bool = False, finds_control: bool = False) -> list[int]:
        data = text.encode("utf-8", "replace")
        if not data:
            return []
        room = len(data) + 8
        found = (llama.llama_token * room)()
        num = llama.llama_tokenize(self._vocab, data, len(data), found, room, adds, finds_control)
        assert num >= 0  # a text has no more pieces than bytes
        return [*found[:num]]

    def _bytes_of(self, number: int) -> bytes:
        room = ctypes.create_string_buffer(_LONGEST_PIECE)
        num = llama.llama_token_to_piece(self._vocab, number, room, _LONGEST_PIECE, 0, False)
        if num < 0:
            raise ModelError(f"the tokenizer has a piece of {-num} bytes; the file may be damaged")
        return room.raw[:num]
