"""The case of words in a text in capitals, by the words around them: a linear classifier with hashed features.

"PLEASE OPEN THE FILE MENU" has lost which of its words have capitals. Each word is one of four cases. The classifier
adds the weights of its features (the word, its neighbours, its last letters, the case of the word before), and the case
with the highest sum wins. `data/casing/build.py` learns the weights from a corpus.
"""

from __future__ import annotations

import lzma
import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SMALL, CAPITALISED, CAPITALS, LISTED = range(4)  # the cases that a word can have; LISTED: as the list of forms has it
START, OTHER, NOTHING = range(4, 7)  # before a word: the first word of the text, no word, no token
NUM_CASES = 7
NUM_CHOICES = 3  # a listed form such as "iPhone" is not a matter of neighbours
WORDS = r"[^\W\d_]+"
TOKEN = re.compile(rf"{WORDS}|\d+|[^\s\w]|_")
_LETTER = re.compile(r"[^\W\d_]")
SHORTEST_NAME = 3  # letters: shorter words that are not in the corpus may be anything
NUM_AROUND = 2  # tokens before a word, and after it, that features can see

Numbers = npt.NDArray[np.uint64]
_TWO, _THREE, _FOUR, _LISTED, _WORD, _START, _GLUED = range(7)  # the columns of traits
_MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
_HALF = np.uint64(32)


def case_of(word: str) -> int:
    """The case of a written word; a single capital letter is CAPITALISED."""
    if word[1:] == word[1:].lower():
        return SMALL if word[:1] == word[:1].lower() else CAPITALISED
    return CAPITALS if word == word.upper() else LISTED


def traits_of(key: str, form: str | None, is_glued: bool = False) -> tuple[int, ...]:
    """What features can see of a token: hashes of its capitals and their ends, the case of its listed form.

    `is_glued` if no white space is before it.
    """
    if not _LETTER.match(key):
        key = "0" if key[:1].isdigit() else key
    ends = (zlib.crc32(f"-{key[-length:]}".encode()) for length in (2, 3, 4))
    start = zlib.crc32(f"{key[:3]}-{min(len(key), 6)}".encode())
    listed = 0 if form is None else 1 + case_of(form)
    return (*ends, listed, zlib.crc32(key.encode()), start, is_glued)


NO_TOKEN = traits_of("", None)


def features(around: Numbers, num_buckets: int) -> Numbers:
    """The features of words that do not depend on the case before.

    Args:
        around: N words, 2 * NUM_AROUND + 1 tokens around each, traits: uint64.
        num_buckets: the number of rows of the weights, a power of two.

    Returns:
        The rows of the weights, N x features.
    """
    before2, before, own, after, after2 = (around[:, place].T for place in range(2 * NUM_AROUND + 1))
    listed = own[_LISTED] * 4 + own[_GLUED] * 2 + after[_GLUED]
    return _rows(
        [
            (listed, 0),
            (own[_WORD], 0),
            (own[_WORD], before[_WORD]),
            (own[_WORD], after[_WORD]),
            (before[_WORD], listed),
            (after[_WORD], listed),
            (own[_FOUR], own[_LISTED]),
            (own[_TWO] * 8 + own[_LISTED], after[_LISTED]),
            (own[_START], 0),
            (before[_WORD] * 8 + own[_LISTED], after[_WORD]),
            (before2[_WORD], own[_LISTED]),
            (after2[_WORD], own[_LISTED]),
            (before[_THREE], own[_THREE]),
            (after[_THREE], own[_THREE]),
            (own[_THREE], before[_WORD]),
            (own[_THREE], after[_WORD]),
        ],
        0,
        num_buckets,
    )


def features_after(around: Numbers, cases: Numbers, num_buckets: int) -> Numbers:
    """The features of words that depend on the case of the token before, N x cases x features.

    Args:
        around: As in `features`.
        cases: The cases of the token before, N x C or 1 x C.
        num_buckets: As in `features`.
    """
    before2, before, own, after, _ = (around[:, place].T[..., None] for place in range(2 * NUM_AROUND + 1))
    return _rows(
        [
            (own[_WORD], cases),
            (own[_THREE] * 8 + own[_LISTED], cases),
            (own[_LISTED] * 8 + after[_LISTED], cases),
            (before2[_WORD] * 8 + own[_LISTED], cases),
            (before[_WORD] * 8 + cases, after[_TWO]),
        ],
        100,
        num_buckets,
    )


def _rows(pairs: Sequence[tuple[Numbers, Numbers | int]], first: int, num_buckets: int) -> Numbers:
    """A hash of each pair and of its place in the list, as a row of the weights; the last axis is that of the list."""
    columns = []
    for kind, (one, other) in enumerate(pairs, first):
        mixed = (one + np.uint64(kind * 2654435761 + 1)) * _MULTIPLIERS[0]
        mixed = (mixed ^ (mixed >> _HALF)) * _MULTIPLIERS[1]
        mixed = (mixed + np.asarray(other, np.uint64)) * _MULTIPLIERS[2]
        mixed = (mixed ^ (mixed >> _HALF)) * _MULTIPLIERS[0]
        columns.append(mixed >> np.uint64(65 - num_buckets.bit_length()))
    return np.stack(np.broadcast_arrays(*columns), axis=-1)


class KnownWords:
    """A set of words in eight bits for each (a Bloom filter): it takes 2 % of other words for words of the set."""

    BITS_OF_WORD, NUM_PLACES = 8, 4

    def __init__(self, bits: npt.NDArray[np.uint8]) -> None:
        self.bits = bits

    @classmethod
    def of(cls, words: Collection[str]) -> KnownWords:
        known = cls(np.zeros(len(words) * cls.BITS_OF_WORD // 8 + 1, np.uint8))
        for word in words:
            for place in known._places(word):
                known.bits[place >> 3] |= 1 << (place & 7)
        return known

    def __contains__(self, word: str) -> bool:
        return all(self.bits[place >> 3] >> (place & 7) & 1 for place in self._places(word))

    def _places(self, word: str) -> list[int]:
        first, step = zlib.crc32(word.encode()), zlib.crc32(word[::-1].encode()) | 1
        return [(first + number * step) % (8 * len(self.bits)) for number in range(self.NUM_PLACES)]


@dataclass(frozen=True, slots=True)
class CaseModel:
    """The weights of the cases, buckets x choices without the first, which has 0; and the words of the corpus.

    A word that is not in the corpus is most often a name: `name_bonus` is added to the sum of its capital.
    """

    weights: npt.NDArray[np.int8]
    known: KnownWords
    name_bonus: int

    @classmethod
    def read(cls, content: bytes) -> CaseModel:
        """Raises ValueError or LZMAError if the content is damaged."""
        numbers = np.frombuffer(lzma.decompress(content), np.uint8)
        num_weights = (NUM_CHOICES - 1) << int(numbers[0]) if len(numbers) else 0
        if len(numbers) < num_weights + 3:
            raise ValueError(f"{len(numbers)} bytes instead of at least {num_weights + 3}")
        weights = numbers[2 : 2 + num_weights].view(np.int8).reshape(NUM_CHOICES - 1, -1).T
        return cls(np.ascontiguousarray(weights), KnownWords(numbers[2 + num_weights :]), int(numbers[1]))

    def content(self) -> bytes:
        head = bytes([len(self.weights).bit_length() - 1, self.name_bonus])
        return lzma.compress(head + self.weights.T.tobytes() + self.known.bits.tobytes(), preset=9)

    def cases(
        self, tokens: Sequence[str], glued: Sequence[bool], given: Sequence[int | None], forms: Mapping[str, str]
    ) -> list[int]:
        """The case of each token.

        Args:
            tokens: The tokens of a text, words in capitals.
            glued: For each, whether no white space is before it.
            given: The case of each token whose case is known; None for words to decide on; START for the first word,
                whose case is decided too.
            forms: The listed forms of words, by their capitals.
        """
        if not tokens:
            return []
        own = [traits_of(token, forms.get(token), is_glued) for token, is_glued in zip(tokens, glued, strict=True)]
        padded = np.array([NO_TOKEN] * NUM_AROUND + own + [NO_TOKEN] * NUM_AROUND, np.uint64)
        around = np.stack([padded[place : place + len(own)] for place in range(2 * NUM_AROUND + 1)], axis=1)
        num_buckets = len(self.weights)
        sums = self.weights[features(around, num_buckets)].sum(axis=1, dtype=np.int32)
        possible = np.arange(NUM_CASES, dtype=np.uint64)[None]
        sums_after = self.weights[features_after(around, possible, num_buckets)].sum(axis=2, dtype=np.int32)
        choices = np.zeros((len(own), NUM_CASES, NUM_CHOICES), np.int32)
        choices[..., 1:] = sums[:, None] + sums_after
        is_new = [len(token) >= SHORTEST_NAME and token not in forms and token not in self.known for token in tokens]
        choices[is_new, :, CAPITALISED] += self.name_bonus
        best = choices.argmax(axis=-1).tolist()
        found: list[int] = []
        before = NOTHING
        for place, known in enumerate(given):
            if known is None or known == START:
                is_listed = own[place][_LISTED] == 1 + LISTED
                found.append(LISTED if is_listed else best[place][before])
                before = found[-1] if known is None else START
            else:
                found.append(known)
                before = known
        return found
