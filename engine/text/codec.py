"""Text to piece ids and back, exactly, with the characters of every piece.

The search relies on these equations:

    decode(ids).text == the pieces' surfaces, with a space before each that is not the first, does not glue left and
                        does not follow a piece that glues right

and `decode(encode(text).ids).text == codec.normalise(text)` for all text that the vocabulary can spell: `encode` reads
the plain form of a text (`engine.text.normalisation`). `TextCodec.encode_ids`, for training, reads every character.
The pieces of a word depend only on the word and the spaces around it.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from engine.errors import InvalidRequest, ModelError, TrainingError
from engine.text.boundaries import is_unspaced, is_word_char, joins_words
from engine.text.bpe import BytePairs, as_piece, learn_merges
from engine.text.byte_pieces import REPLACEMENT, begins_with_byte, bytes_of, has_bytes, split_bytes
from engine.text.normalisation import NormalText, PlainForm, normalise
from engine.text.placeholders import choose_placeholders, pattern_of
from engine.text.tokens import JOINER, Token, chunk_tokens, cut, escape, is_escaped
from engine.text.vocabulary import BOS, EOS, SPECIAL_PIECES, UNK, Vocabulary, basic_pieces, mark_spellings

VOCABULARY_FILE = "vocabulary.txt"
MERGES_FILE = "bpe.codes"

_MAX_CACHED_CHUNKS = 1 << 18

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class EncodedPieces:
    """Piece `ids[i]` covers the characters `spans[i]` of the given text; `unknown` are spans that cannot be spelt.

    If several pieces spell one character in bytes, each of them covers this character.
    """

    ids: tuple[int, ...]
    spans: tuple[Span, ...]
    unknown: tuple[Span, ...] = ()

    def of_given(self, normal: NormalText) -> EncodedPieces:
        """The pieces of a normal text with their characters in the text that was given."""
        if normal.offsets is None:
            return self
        spans, unknown = (tuple(normal.given_span(*span) for span in found) for found in (self.spans, self.unknown))
        return EncodedPieces(self.ids, spans, unknown)


@dataclass(frozen=True, slots=True)
class DecodedPieces:
    """Piece i wrote the characters `spans[i]` of `text`, without its leading space; bytes of a character share it."""

    text: str
    spans: tuple[Span, ...]


def decoded(ids: Sequence[int], codec: Codec, *, keeps_first_spaces: bool = False) -> DecodedPieces:
    """The text that pieces write: their surfaces and the spaces between them; `Codec.decode` of most codecs."""
    surfaces, glues_left, glues_right = codec.surfaces, codec.glues_left, codec.glues_right
    parts: list[str] = []
    spans: list[Span] = []
    end = 0
    is_open = True  # no space may come next
    run = b""  # the bytes of an unfinished character
    places: list[int] = []  # of the piece of each of these bytes

    def write(text: str, first: int, last: int) -> None:
        """Add text of the pieces from place `first` to `last`."""
        nonlocal end
        start, end = end, end + len(text)
        parts.append(text)
        for place in range(first, last + 1):
            if place == len(spans):
                spans.append((start, end))
            else:
                spans[place] = (spans[place][0], end)

    def break_off() -> None:
        """Write what can no longer become a character."""
        nonlocal run
        for place in places:
            write(REPLACEMENT, place, place)
        run = b""
        places.clear()

    for place, piece in enumerate(ids):
        if not 0 <= piece < len(surfaces):
            raise InvalidRequest(f"piece id {piece} is out of range; this model has {len(surfaces)} pieces")
        surface, is_apart = surfaces[piece], not (is_open or glues_left[piece])
        if run and (is_apart or not begins_with_byte(surface)):
            break_off()
        if is_apart:
            parts.append(" ")
            end += 1
        elif not (keeps_first_spaces or end or run):  # a text does not begin with a space
            surface = surface.lstrip(" ")
        if has_bytes(surface):
            own = bytes_of(surface)
            places += [place] * len(own)
            characters, run = split_bytes(run + own)
            for character, num_bytes in characters:
                write(character, places[0], places[num_bytes - 1])
                del places[:num_bytes]
        else:
            start, end = end, end + len(surface)
            parts.append(surface)
            spans.append((start, end))
        is_open = glues_right[piece]
    break_off()
    return DecodedPieces("".join(parts), tuple(spans))


class Codec(Protocol):
    """The interface of a model's pieces, of any kind, for constraints, search and translator.

    By id, `surfaces` is the text of a piece (for bytes, see `engine.text.byte_pieces`); `glues_left` and `glues_right`
    are True if it forbids a space on that side. `specials` are the ids that do not occur in texts, and the id of
    unknown characters. A text begins with the piece `begin` and ends with `end`.
    """

    @property
    def surfaces(self) -> tuple[str, ...]: ...
    @property
    def glues_left(self) -> tuple[bool, ...]: ...
    @property
    def glues_right(self) -> tuple[bool, ...]: ...
    @property
    def specials(self) -> tuple[int, ...]: ...
    @property
    def begin(self) -> int: ...
    @property
    def end(self) -> int: ...

    def id_of(self, piece: str) -> int:
        """The id of a piece, special ones too; raises KeyError for one that is not in the vocabulary."""
        ...

    def encode(self, text: str) -> EncodedPieces:
        """The canonical pieces of the plain form of a text, with their characters in the text itself."""
        ...

    def spellings(self, form: str) -> list[tuple[int, ...]]:
        """The canonical pieces of a required form, of each place where a text may have it; after a space first."""
        ...

    def decode(self, ids: Sequence[int]) -> DecodedPieces:
        """The text that pieces write. Raises InvalidRequest for a number that is not an id."""
        ...

    def spells(self, text: str) -> bool:
        """True if the pieces of `text` decode to exactly `normalise(text)`."""
        ...

    def respell(self, text: str) -> str:
        """The text that the pieces of `text` spell."""
        ...

    def normal(self, text: str) -> NormalText:
        """The plain form of a text: what the model reads, and how constraints are compared."""
        ...

    def normalise(self, text: str) -> str:
        """`normal(text).text`."""
        ...


def spellings_of(form: str, codec: Codec) -> list[tuple[int, ...]]:
    """The pieces of a form: after a space and, if it cannot join a preceding letter, right after a word.

    The latter are forms that begin with punctuation or in a script without spaces. This is `Codec.spellings` of codecs
    whose pieces do not depend on the place otherwise.
    """
    alone = codec.encode(form).ids
    if joins_words(form[0]):
        return [alone]
    for before in ("a", "。", form[0]) if is_unspaced(form[0]) else ("a",):
        word, attached = codec.encode(before).ids, codec.encode(before + form).ids
        if attached[: len(word)] == word and codec.spells(before + form):
            return [alone] if attached[len(word) :] == alone else [alone, attached[len(word) :]]
    return [alone]


@dataclass(frozen=True, slots=True)
class _ChunkPieces:
    """One chunk: ids, and the number of characters of each."""

    ids: tuple[int, ...]
    lengths: tuple[int, ...]


@dataclass(frozen=True)
class TextCodec:
    """A vocabulary and its BPE merges, with a cache of chunks that is not pickled.

    A placeholder in the vocabulary becomes one piece; other placeholders are split like any text.
    """

    vocabulary: Vocabulary
    merges: BytePairs
    _placeholders: re.Pattern[str] | None = field(init=False, repr=False, compare=False)
    _cache: dict[str, _ChunkPieces] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_placeholders", pattern_of(self.vocabulary.placeholders))

    # -- what the search indexes by id --------------------------------------------------------------------------------

    @property
    def surfaces(self) -> tuple[str, ...]:
        """The text of each piece, by id."""
        return self.vocabulary.surfaces

    @property
    def glues_left(self) -> tuple[bool, ...]:
        """By piece id: true if the piece does not allow a space before it."""
        return self.vocabulary.glues_left

    @property
    def glues_right(self) -> tuple[bool, ...]:
        """By piece id: true if the piece does not allow a space after it."""
        return self.vocabulary.glues_right

    @property
    def specials(self) -> tuple[int, ...]:
        """The ids of control pieces, which do not occur in texts, and the id of unknown characters."""
        return tuple(range(len(SPECIAL_PIECES)))

    @property
    def begin(self) -> int:
        return BOS

    @property
    def end(self) -> int:
        return EOS

    def id_of(self, piece: str) -> int:
        """The id of a piece, special ones too; raises KeyError for one that is not in the vocabulary."""
        return self.vocabulary.id_of(piece)

    # -- text to pieces -----------------------------------------------------------------------------------------------

    def encode(self, text: str) -> EncodedPieces:
        """The canonical pieces of the plain form of a text, with their characters in the text itself."""
        normal = self.normal(text)
        ids: list[int] = []
        spans: list[Span] = []
        unknown: list[Span] = []
        for start, chunk in cut(normal.text):
            pieces = self._encode_chunk(chunk, 0.0, None)
            ids += pieces.ids
            for piece_id, length in zip(pieces.ids, pieces.lengths, strict=True):
                span = start, start + length
                spans.append(span)
                if piece_id == UNK:
                    _append_or_extend(unknown, span)
                start += length
        return EncodedPieces(tuple(ids), tuple(spans), tuple(unknown)).of_given(normal)

    def spellings(self, form: str) -> list[tuple[int, ...]]:
        """The canonical pieces of a required form, of each place where a text may have it."""
        return spellings_of(form, self)

    def encode_ids(self, text: str, dropout: float = 0.0, rng: random.Random | None = None) -> list[int]:
        """For training: the pieces of every character of a text; with BPE `dropout` random ones, drawn with `rng`."""
        ids: list[int] = []
        for _, chunk in cut(normalise(text)):
            ids += self._encode_chunk(chunk, dropout, rng).ids
        return ids

    def words_and_marks(self, ids: Iterable[int]) -> list[str | int]:
        """The words that canonical pieces spell, and the ids of the pieces between them, in order.

        These words are the input of BPE; `vocabulary.ids_of(merges.split(word))` gives the pieces of each word again.
        """
        found: list[str | int] = []
        word = ""
        for piece_id in ids:
            surface = self.surfaces[piece_id]
            if self.vocabulary.goes_on(piece_id):
                word += surface
            elif word or (surface and is_word_char(surface[0])):
                found.append(word + surface)
                word = ""
            else:
                found.append(piece_id)
        return found

    # -- pieces to text -----------------------------------------------------------------------------------------------

    def decode(self, ids: Sequence[int]) -> DecodedPieces:
        """The text that pieces write; special pieces write nothing. Raises InvalidRequest for an invalid id."""
        return decoded(ids, self, keeps_first_spaces=True)

    def spells(self, text: str) -> bool:
        """True if the pieces of `text` write exactly `normalise(text)`."""
        return UNK not in self.encode_ids(self.normalise(text))

    def respell(self, text: str) -> str:
        """The text that the pieces of `text` spell: `normalise(text)`, with ⁇ for unknown characters."""
        return self.decode(self.encode_ids(self.normalise(text))).text

    def normal(self, text: str) -> NormalText:
        """The plain form of a text: what the model reads, and how constraints are compared."""
        return self._plain.of(text)

    def normalise(self, text: str) -> str:
        """`normal(text).text`, as the codec returns it if it can spell everything."""
        return self.normal(text).text

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, folder: Path | str) -> None:
        """Write `vocabulary.txt` and `bpe.codes` into a folder, making it if need be."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.vocabulary.save(folder / VOCABULARY_FILE)
        self.merges.save(folder / MERGES_FILE)

    @classmethod
    def load(cls, folder: Path | str) -> TextCodec:
        """Read a codec; raises ModelError naming the file that is missing, broken or of another vocabulary."""
        folder = Path(folder)
        vocabulary = Vocabulary.load(folder / VOCABULARY_FILE)
        merges = BytePairs.load(folder / MERGES_FILE)
        for number, pair in enumerate(merges.merges, start=2):
            if as_piece("".join(pair)) not in vocabulary:
                raise ModelError(
                    f"{folder / MERGES_FILE} line {number}: {as_piece(''.join(pair))!r} is not in {VOCABULARY_FILE}; "
                    "use two files of the same model"
                )
        return cls(vocabulary, merges)

    @classmethod
    def learn(
        cls,
        lines: Iterable[str],
        num_pieces: int,
        min_char_count: int = 50,
        min_word_count: int = 2,
        num_placeholders: int = 0,
    ) -> TextCodec:
        """Learn one codec from lines of all languages; it has `num_pieces` pieces or a few less.

        The vocabulary can spell the basic characters, and those that occur at least `min_char_count` times. Words that
        occur less than `min_word_count` times do not influence the merges. Each piece that BPE can make of these
        characters, with dropout too, is in the vocabulary. In addition, it contains `num_placeholders` placeholders,
        with four pieces each: the common ones (`placeholders.COMMON`), and then the most frequent that occur at least
        `min_word_count` times in the lines.
        """
        chunk_counts: Counter[str] = Counter()
        for line in lines:
            chunk_counts.update(chunk for _, chunk in cut(normalise(line)))
        placeholders = choose_placeholders(chunk_counts, num_placeholders, min_word_count)
        word_counts, char_counts = _count_words_and_chars(chunk_counts, pattern_of(placeholders))
        frequent = sorted(char for char, count in char_counts.items() if count >= min_char_count and _is_writable(char))
        basic = [*SPECIAL_PIECES, *basic_pieces(frequent)]
        basic += [piece for placeholder in placeholders for piece in mark_spellings(placeholder)]
        if num_pieces < len(basic):
            raise TrainingError(
                f"num_pieces is {num_pieces}, but the characters{' and placeholders' * bool(placeholders)} alone take "
                f"{len(basic)}; ask for more, or raise min_char_count (now {min_char_count})"
            )
        pieces = dict.fromkeys(basic)
        learnable = {
            word: count
            for word, count in word_counts.items()
            if count >= min_word_count and all(char + "@@" in pieces for char in word)
        }
        merges: list[tuple[str, str]] = []
        for pair in learn_merges(learnable, num_pieces - len(basic)):
            pieces[as_piece("".join(pair))] = None
            merges.append(pair)
        return cls(Vocabulary(tuple(pieces)), BytePairs(tuple(merges)))

    # -- inside -------------------------------------------------------------------------------------------------------

    @cached_property
    def _plain(self) -> PlainForm:
        return PlainForm(lambda char: UNK not in self.encode_ids(char))

    def _encode_chunk(self, chunk: str, dropout: float, rng: random.Random | None) -> _ChunkPieces:
        if not dropout and (cached := self._cache.get(chunk)) is not None:
            return cached
        ids: list[int] = []
        lengths: list[int] = []
        for token in chunk_tokens(chunk, self._placeholders):
            if token.is_word:
                pieces = self.merges.split(token.text, dropout, rng)
                ids += self.vocabulary.ids_of(pieces)
                lengths += [len(piece) - 2 for piece in pieces[:-1]]  # less the @@
                lengths.append(len(pieces[-1].removesuffix("@@")))
            else:
                ids.append(self.vocabulary.get(_mark_piece(token)))
                lengths.append(len(token.text))
        encoded = _ChunkPieces(tuple(ids), tuple(lengths))
        if not dropout:
            if len(self._cache) >= _MAX_CACHED_CHUNKS:
                self._cache.clear()
            self._cache[chunk] = encoded
        return encoded

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_plain"} | {"_cache": {}}


def _mark_piece(token: Token) -> str:
    if is_escaped(token.text[0]):
        return escape(token.text)
    return (JOINER if token.glues_left else "") + token.text + (JOINER if token.glues_right else "")


def _append_or_extend(spans: list[Span], span: Span) -> None:
    if spans and spans[-1][1] == span[0]:
        spans[-1] = (spans[-1][0], span[1])
    else:
        spans.append(span)


def _count_words_and_chars(
    chunk_counts: Counter[str], placeholders: re.Pattern[str] | None
) -> tuple[Counter[str], Counter[str]]:
    words: Counter[str] = Counter()
    chars: Counter[str] = Counter()
    for chunk, count in chunk_counts.items():
        for token in chunk_tokens(chunk, placeholders):
            if token.is_word:
                words[token.text] += count
            for char in token.text:
                chars[char] += count
    return words, chars


def _is_writable(char: str) -> bool:
    """True if a file in UTF-8 can hold `char`: not half a surrogate pair."""
    return not "\ud800" <= char <= "\udfff"
