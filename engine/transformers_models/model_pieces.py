"""The pieces of a language model, with the interface of the engine's own codecs, whatever library has its tokenizer.

A text never contains special and added tokens, pieces with line ends or control characters, and the rows of the output
layer that no piece has. They are among `specials` and write nothing. A control token in a text, such as "<|im_end|>",
is text like any other.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property

from engine.text import EncodedPieces, join_bytes, joins_words
from engine.text.imported_codec import PlainCodec

OPENERS = frozenset("\"'„“”‚‘’«»‹›`*#<[{(")  # what models put around an answer
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LINE_END = re.compile(r"[ \r\n]*\n[ \r\n]*")
_BEFORE = ("(", "a")  # a form may follow a bracket or, if it begins with punctuation, a letter


class ModelPieces(PlainCodec):
    """The pieces of a model, from the text of each.

    `ends` are the tokens that end a text, the first one for all of them. `line_ends` are the pieces that end a line and
    write nothing else.
    """

    surfaces: tuple[str, ...] = ()
    glues_left: tuple[bool, ...] = ()
    glues_right: tuple[bool, ...] = ()
    specials: tuple[int, ...] = ()
    begin: int = 0
    end: int = 0

    def __init__(self, texts: Sequence[str | None], ends: Sequence[int]) -> None:
        """`texts` have the leading spaces of pieces, and None for pieces that no text contains."""
        self.end = ends[0]
        read = [None if text is None else join_bytes(text) for text in texts]
        self.specials = tuple(number for number, text in enumerate(read) if text is None or _CONTROL.search(text))
        self.line_ends = tuple(number for number, text in enumerate(read) if text and _LINE_END.fullmatch(text))
        self.begin = next((number for number in self.specials if number not in ends), self.end)
        hidden = {*self.specials}
        written = ["" if number in hidden or text is None else text for number, text in enumerate(texts)]
        is_space = [text == " " * len(text) for text in written]
        pairs = [*zip(written, is_space, strict=True)]
        self.surfaces = tuple(text if is_only_space else text.removeprefix(" ") for text, is_only_space in pairs)
        self.glues_left = tuple(is_only_space or not text.startswith(" ") for text, is_only_space in pairs)
        self.glues_right = tuple(not text for text in written)  # "Ġ" and "Ġx" are two spaces

    @abstractmethod
    def raw_ids(self, text: str) -> tuple[int, ...]:
        """The pieces of a text as it is, with line ends and double spaces; control tokens in it are text."""

    @abstractmethod
    def control_ids(self, text: str) -> tuple[int, ...]:
        """The tokens of a text in which control tokens are found, as in what a chat template writes."""

    @abstractmethod
    def with_specials(self, text: str) -> tuple[int, ...]:
        """The pieces of a text as it is, between the tokens that the tokenizer puts around any text."""

    @abstractmethod
    def _inexact(self, text: str, ids: tuple[int, ...]) -> EncodedPieces:
        """The pieces of a text that they do not write exactly, with what is unknown."""

    @cached_property
    def openers(self) -> tuple[int, ...]:
        """The pieces that begin with a quotation mark, a bracket or a mark of a heading or list."""
        return tuple(piece for piece, surface in enumerate(self.surfaces) if surface.lstrip(" ")[:1] in OPENERS)

    def spellings(self, form: str) -> list[tuple[int, ...]]:
        """The pieces of a form: after a space, at the beginning of a text, and right after a bracket or a word."""
        text = self.normalise(form)
        found = [self.raw_ids(text if self._adds_space else " " + text), self.raw_ids(text)]
        for before in _BEFORE:
            if before != "a" or not joins_words(text[0]):
                head, whole = self.raw_ids(before), self.raw_ids(before + text)
                found += [whole[len(head) :]] if whole[: len(head)] == head else []
        return [ids for ids in dict.fromkeys(found) if ids and self.decode(ids).text == text]

    def _encode_exactly(self, text: str) -> EncodedPieces:
        ids = self.raw_ids(text)
        decoding = self.decode(ids)
        return EncodedPieces(ids, decoding.spans) if decoding.text == text else self._inexact(text, ids)

    def _spells_exactly(self, text: str) -> bool:
        return self.decode(self.raw_ids(text)).text == text

    @cached_property
    def _adds_space(self) -> bool:
        """True if the tokenizer begins each text with a space."""
        first = self.raw_ids("x")[0]
        return not self.glues_left[first] or self.surfaces[first].startswith(" ")
