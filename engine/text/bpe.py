"""Byte-pair encoding of words: subword-nmt learns it, this module applies it.

It does not use subword-nmt to apply the merges, for two reasons: dropout uses the random generator of the caller, so
that a training run can be repeated, and the time for one very long word is limited. The pieces are the same as those of
subword-nmt (a test compares them). The input is words, without marks and joiners; a vocabulary is not used.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from engine.errors import ModelError, TrainingError
from engine.text.tokens import CONTINUATION

_WORD_END = "</w>"  # no word contains it: `<` is never part of one
_VERSION = "#version: 0.2"
_MAX_STRETCH = 100  # characters of a word that are merged together


@dataclass(frozen=True)
class BytePairs:
    """Merges, the most frequent first, as subword-nmt writes them: the last symbol of a word ends in `</w>`."""

    merges: tuple[tuple[str, str], ...]
    _ranks: Mapping[tuple[str, str], int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ranks", {pair: rank for rank, pair in enumerate(self.merges)})

    def __repr__(self) -> str:
        return f"BytePairs({len(self.merges)} merges)"

    def split(self, word: str, dropout: float = 0.0, rng: random.Random | None = None) -> list[str]:
        """The pieces of a word: all but the last carry `@@`. `dropout` is the probability of skipping a merge."""
        pieces: list[str] = []
        for start in range(0, len(word), _MAX_STRETCH):
            symbols = list(word[start : start + _MAX_STRETCH])
            if start + _MAX_STRETCH >= len(word):
                symbols[-1] += _WORD_END
            pieces += [as_piece(symbol) for symbol in self._merge(symbols, dropout, rng)]
        return pieces

    def _merge(self, symbols: list[str], dropout: float, rng: random.Random | None) -> list[str]:
        ranks = self._ranks
        while len(symbols) > 1:
            known = [ranks[pair] for pair in pairwise(symbols) if pair in ranks]
            if dropout:
                chance = (rng or random).random
                known = [rank for rank in known if chance() >= dropout]
            if not known:
                break
            first, second = self.merges[min(known)]
            merged: list[str] = []
            i = 0
            while i < len(symbols):
                if symbols[i] == first and i + 1 < len(symbols) and symbols[i + 1] == second:
                    merged.append(first + second)
                    i += 2
                else:
                    merged.append(symbols[i])
                    i += 1
            symbols = merged
        return symbols

    def save(self, path: Path) -> None:
        """Write the merges in subword-nmt's own format."""
        lines = [_VERSION, *(f"{first} {second}" for first, second in self.merges)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: Path) -> BytePairs:
        """Read merges; raises ModelError naming file and line."""
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{path}: cannot be read ({error}); use the file that belongs to the model") from error
        if lines[0].strip() != _VERSION:
            raise ModelError(
                f"{path} line 1: expected {_VERSION!r}, found {lines[0]!r}; it is not a file of BPE merges"
            )
        merges: list[tuple[str, str]] = []
        for number, line in enumerate(lines[1:], start=2):
            if not line and number == len(lines):
                break
            pair = line.rstrip("\r").split(" ")
            if len(pair) != 2 or not all(pair):
                raise ModelError(f"{path} line {number}: expected two symbols and a space between, found {line!r}")
            merges.append((pair[0], pair[1]))
        return cls(tuple(merges))


def as_piece(symbol: str) -> str:
    """The piece for a symbol: `ab</w>` is "ab", `ab` is "ab@@"."""
    return symbol.removesuffix(_WORD_END) if symbol.endswith(_WORD_END) else symbol + CONTINUATION


def learn_merges(word_counts: Mapping[str, int], num_merges: int) -> list[tuple[str, str]]:
    """At most `num_merges` merges of subword-nmt, best first; each pair must occur twice."""
    if num_merges < 1 or not any(len(word) > 1 for word in word_counts):
        return []
    try:
        from subword_nmt.learn_bpe import learn_bpe  # here, as only the machine that prepares a corpus needs it
    except ImportError:
        raise TrainingError.missing("subword-nmt", "learning a vocabulary") from None

    # Sorted, as subword-nmt breaks ties by order: the same counts always give the same merges.
    dictionary: Iterable[str] = (f"{word} {count}\n" for word, count in sorted(word_counts.items()))
    written = io.StringIO()
    with redirect_stderr(io.StringIO()):  # it draws a progress bar
        learn_bpe(dictionary, written, num_merges, 2, is_dict=True)
    pairs = (line.split(" ") for line in written.getvalue().splitlines()[1:])
    return [(first, second) for first, second in pairs]
