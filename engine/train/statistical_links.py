"""Statistical word alignment of training pairs, from which the alignment head learns.

eflomal (Östling and Tiedemann 2016) aligns both ways; grow-diag-final-and combines the two (Koehn et al. 2003). The
result is kept in the prepared folder, under `links/`: it depends on the data alone, so that a newer model needs only
its head trained again. A word is what BPE has cut: pieces up to one without `@@`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.errors import TrainingError
from engine.train.data import Ids, Integers, Lines, PairSet, PreparedData
from engine.train.dictionary import DICTIONARY

FOLDER = "links"
EFLOMAL = "eflomal==2.0.0"

Link = tuple[int, int]
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True, slots=True)
class LinkedPairs:
    """Pairs with the links between their words: `links[i]` holds (first language's word, second's) end to end."""

    pairs: PairSet
    links: Lines

    def links_of(self, index: int) -> Integers:
        """The links of a pair, (n, 2)."""
        return np.asarray(self.links[index], dtype=np.int64).reshape(-1, 2)

    def save(self, folder: Path) -> None:
        self.pairs.save(folder)
        self.links.save(folder, "links")

    @classmethod
    def load(cls, folder: Path, languages: Sequence[str]) -> LinkedPairs:
        return cls(PairSet.load(folder, languages), Lines.load(folder, "links"))


class WordCutter:
    """Groups pieces into words, by the pieces of a vocabulary that end in `@@`."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = tuple(pieces)
        self._goes_on_V = np.array([piece.endswith("@@") for piece in pieces])

    @classmethod
    def load(cls, work: Path) -> WordCutter:
        """From the vocabulary of a prepared folder."""
        path = work / "vocabulary.txt"
        try:
            return cls(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))
        except (OSError, UnicodeDecodeError) as error:
            raise TrainingError(f"{path} cannot be read ({error}); run `python -m engine.train prepare`") from error

    def words_of_pieces(self, ids: Ids) -> Integers:
        """The number of the word that each piece belongs to."""
        ends = ~self._goes_on_V[ids]
        return np.asarray(np.cumsum(ends) - ends, dtype=np.int64)

    def text(self, ids: Ids) -> str:
        """The words, with a space between them and none inside."""
        pieces = (self._pieces[piece] for piece in ids)
        return "".join(p.removesuffix("@@") if p.endswith("@@") else f"{p} " for p in pieces)


def prepare_links(work: Path, folder: Path, max_pairs: int, seed: int = 1) -> None:
    """Align `max_pairs` training pairs, drawn at random, and all development sets; write them to `folder`.

    Entries of a dictionary are not drawn: the head learns from sentences.
    """
    prepared = PreparedData.load(work)
    train = PairSet.load(work / "train", prepared.languages)
    is_entry = np.isin(train.domains, [i for i, name in enumerate(prepared.domains) if name == DICTIONARY])
    drawn = np.sort(np.random.default_rng(seed).permutation(np.flatnonzero(~is_entry))[:max_pairs])
    sets = {"train": _taken(train, drawn, prepared.vocabulary_size)}
    for name in prepared.dev_sets:
        sets[f"dev/{name}"] = PairSet.load(work / "dev" / name, prepared.languages)
    cutter = WordCutter.load(work)
    first, second = (
        [cutter.text(pairs.lines[language][i]) for pairs in sets.values() for i in range(len(pairs))]
        for language in prepared.languages
    )
    links = iter(align_texts(first, second))
    for name, pairs in sets.items():
        flat = [[number for link in sorted(next(links)) for number in link] for _ in range(len(pairs))]
        LinkedPairs(pairs, Lines.of(flat, 0)).save(folder / name)


def align_texts(first: Sequence[str], second: Sequence[str]) -> Iterable[set[Link]]:
    """The links of each pair of lines, words parted by spaces. Needs eflomal, whose results are random."""
    try:
        from eflomal import Aligner
    except ImportError:
        raise TrainingError(
            f"eflomal is not installed; `pip install {EFLOMAL}` builds it, with a C compiler. Only this needs it"
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        forward, backward = Path(folder, "forward"), Path(folder, "backward")
        Aligner().align(first, second, str(forward), str(backward))
        with forward.open(encoding="ascii") as ahead, backward.open(encoding="ascii") as back:
            for one, other in zip(ahead, back, strict=True):
                yield grow_diagonal(_parsed(one), _parsed(other))


def grow_diagonal(forward: Set[Link], backward: Set[Link]) -> set[Link]:
    """grow-diag-final-and: the links of both, grown to neighbours of either that reach a word not yet linked.

    In the end links of either come in whose words are both without any.
    """
    links = set(forward & backward)
    either = forward | backward
    firsts, seconds = {first for first, _ in links}, {second for _, second in links}

    def add(link: Link) -> None:
        links.add(link)
        firsts.add(link[0])
        seconds.add(link[1])

    is_growing = True
    while is_growing:
        is_growing = False
        for first, second in sorted(links):
            for down, right in _NEIGHBOURS:
                link = first + down, second + right
                if link in either and link not in links and (link[0] not in firsts or link[1] not in seconds):
                    add(link)
                    is_growing = True
    for links_of_one in (forward, backward):
        for link in sorted(links_of_one):
            if link[0] not in firsts and link[1] not in seconds:
                add(link)
    return links


def _parsed(line: str) -> set[Link]:
    """`0-0 1-2` to pairs."""
    return {(int(first), int(second)) for first, _, second in (item.partition("-") for item in line.split())}


def _taken(pairs: PairSet, indices: Integers, vocabulary_size: int) -> PairSet:
    """Some of the pairs, on their own."""
    lines = {
        language: Lines.of([lines[int(i)].tolist() for i in indices], vocabulary_size)
        for language, lines in pairs.lines.items()
    }
    domains: npt.NDArray[np.uint8] = np.asarray(pairs.domains)[indices]
    return PairSet(lines, domains)
