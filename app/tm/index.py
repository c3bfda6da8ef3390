"""Entries of a translation memory, found by text: exact, similar, or with words inside (concordance).

Knows nothing of storage or the page. A lookup compares only the entries that share half of the words, which an
inverted index tells; `is_candidate` says the same of two texts alone.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from array import array
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

import numpy as np
from rapidfuzz.distance import Levenshtein

MIN_RATE = 70
MAX_MATCHES = 5
MAX_CONCORDANCE = 50
MAX_LOOKED_AT = 2000  # entries with a word that many have
# A run of letters; in scripts that write no spaces, one letter; a number.
_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+|\d+")
_PART = re.compile(r"\w+|\s+|[^\w\s]")
_STEM_LETTERS = 5


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A text and its translation. `origin` is the document or the memory that it stands in; `changed_ms` since 1970."""

    source: str
    target: str
    origin: str = ""
    changed_ms: int = 0


@dataclass(frozen=True, slots=True)
class Match:
    """An entry, and how alike its source is to what was looked for: 100 is equal but for how spaces are written."""

    rate: int
    entry: MemoryEntry


class MemoryIndex:
    """Entries by their keys; a key's newer entry takes the older one's place. Safe from several threads.

    `state` is another object after each change: what was found before may not be all any more.
    """

    def __init__(self) -> None:
        self.state = object()
        self._lock = threading.Lock()
        self._entries: list[MemoryEntry | None] = []
        self._folded: list[str] = []
        self._folded_targets: list[str] = []
        self._places: dict[Hashable, int] = {}
        self._num_stems = array("i")
        self._by_stem: dict[str, array[int]] = {}
        # The newest place of each source, by its hash, and of each place the one before it of the same hash, or -1.
        self._newest: dict[int, int] = {}
        self._before = array("i")

    def __len__(self) -> int:
        return len(self._places)

    def add(self, key: Hashable, entry: MemoryEntry) -> None:
        """Keeps the entry under this key."""
        folded = fold(entry.source)
        stems, same = stems_of(folded), hash(_plain(entry.source))
        with self._lock:
            self._remove(key)
            place = len(self._entries)
            self._places[key] = place
            self._entries.append(entry)
            self.state = object()
            self._folded.append(folded)
            self._folded_targets.append(fold(entry.target))
            self._num_stems.append(len(stems))
            self._before.append(self._newest.get(same, -1))
            self._newest[same] = place
            for stem in stems:
                self._by_stem.setdefault(stem, array("i")).append(place)

    def put(self, key: Hashable, entry: MemoryEntry | None) -> None:
        """Keeps the entry under this key; None: nothing is under it any more."""
        if entry is None:
            self.remove(key)
        else:
            self.add(key, entry)

    def remove(self, key: Hashable) -> None:
        """Forgets what is under this key, if anything is."""
        with self._lock:
            self._remove(key)

    def entries(self) -> list[MemoryEntry]:
        """All that is kept, in the order in which it came."""
        with self._lock:
            return [entry for entry in self._entries if entry is not None]

    def matches(
        self, source: str, *, besides: Hashable = None, min_rate: int = MIN_RATE, count: int = MAX_MATCHES
    ) -> list[Match]:
        """The entries most alike, the best first, of equal ones the newest; each pair of texts once.

        What is kept under the key `besides` is passed over: the text that one is working on.
        """
        folded, text = fold(source), _plain(source)
        with self._lock:
            own = self._places.get(besides)
            candidates = [place for place in self._candidates(folded) if place != own]
            found = [
                Match(rate, entry)
                for place in candidates
                if (entry := self._entries[place]) is not None
                and (rate := _rate(text, folded, entry.source, self._folded[place], min_rate)) >= min_rate
            ]
        found.sort(key=lambda match: (-match.rate, -match.entry.changed_ms))
        distinct = {(_plain(match.entry.source), match.entry.target): match for match in reversed(found)}
        return [match for match in found if distinct[_plain(match.entry.source), match.entry.target] is match][:count]

    def exact(self, source: str) -> list[MemoryEntry]:
        """The entries of this very source but for how spaces are written, the newest first; takes no search."""
        text = _plain(source)
        found = []
        with self._lock:
            place = self._newest.get(hash(text), -1)
            while place >= 0:
                entry = self._entries[place]
                if entry is not None and _plain(entry.source) == text:
                    found.append(entry)
                place = self._before[place]
        return sorted(found, key=lambda entry: -entry.changed_ms)

    def concordance(self, words: str, count: int = MAX_CONCORDANCE) -> list[MemoryEntry]:
        """Entries with these letters in source or target, whatever the capitals; the newest first."""
        needle = fold(words)
        if not needle:
            return []
        with self._lock:
            found = [
                entry
                for entry, source, target in zip(self._entries, self._folded, self._folded_targets, strict=True)
                if entry is not None and (needle in source or needle in target)
            ]
        found.sort(key=lambda entry: -entry.changed_ms)
        return list({(entry.source, entry.target): entry for entry in found}.values())[:count]

    def holding(self, words: str, count: int) -> list[MemoryEntry]:
        """Entries in whose source a word may begin like each of these, those that came last first.

        Of words that very many entries have, the last of these are looked at.
        """
        stems = stems_of(fold(words))
        found: list[MemoryEntry] = []
        with self._lock:
            rarest = min((self._by_stem.get(stem, ()) for stem in stems), key=len)
            for place in islice(reversed(rarest), MAX_LOOKED_AT):
                entry, folded = self._entries[place], self._folded[place]
                if entry is not None and all(stem in folded for stem in stems if stem != "0"):
                    found.append(entry)
                    if len(found) == count:
                        break
        return found

    def _candidates(self, folded: str) -> Iterator[int]:
        stems = stems_of(folded)
        postings = [np.frombuffer(self._by_stem[stem], np.intc) for stem in stems if stem in self._by_stem]
        if not postings:
            return
        num_shared = np.bincount(np.concatenate(postings), minlength=len(self._entries))
        num_most = np.maximum(np.frombuffer(self._num_stems, np.intc), len(stems))
        yield from np.flatnonzero(2 * num_shared >= num_most).tolist()

    def _remove(self, key: Hashable) -> None:
        if (place := self._places.pop(key, None)) is not None:
            self.state = object()
            self._entries[place] = None
            self._folded[place] = self._folded_targets[place] = ""


def fold(text: str) -> str:
    """The text as it is compared: composed, in small letters, each white space one space.

    >>> fold("  Open\\u00a0 the FILE ")
    'open the file'
    """
    return _plain(text).lower()


def stems_of(folded: str) -> frozenset[str]:
    """The beginnings of a folded text's words, all numbers as one; of a text without words, the text."""
    stems = {"0" if word[0].isdecimal() else word[:_STEM_LETTERS] for word in _WORD.findall(folded)}
    return frozenset(stems or {folded})


def is_candidate(one: str, other: str) -> bool:
    """Whether two texts share the stems of half of their words, so that they are compared at all."""
    ours, others = stems_of(fold(one)), stems_of(fold(other))
    return 2 * len(ours & others) >= max(len(ours), len(others))


def rate_of(one: str, other: str) -> int:
    """How alike two texts are: 100 for equal ones, 99 where only capitals differ, else by their letters up to 99."""
    return _rate(_plain(one), fold(one), other, fold(other), 0)


def _rate(text: str, folded: str, other: str, other_folded: str, min_rate: int) -> int:
    if text == _plain(other):
        return 100
    similarity = Levenshtein.normalized_similarity(folded, other_folded, score_cutoff=min_rate / 100)
    return min(int(100 * similarity), 99)


def runs_between(memory: str, wanted: str) -> list[list[str]]:
    """What differs, word by word, in runs: ["s" in both | "d" in the memory only | "i" in the wanted text only, text].

    >>> runs_between("Open a file", "Open the file")
    [['s', 'Open '], ['d', 'a'], ['i', 'the'], ['s', ' file']]
    """
    ours, theirs = _PART.findall(memory), _PART.findall(wanted)
    runs: list[list[str]] = []
    for operation, first, last, to, stop in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if operation == "equal":
            runs.append(["s", "".join(theirs[to:stop])])
            continue
        runs += [["d", "".join(ours[first:last])]] * (first < last)
        runs += [["i", "".join(theirs[to:stop])]] * (to < stop)
    return runs


def _plain(text: str) -> str:
    return " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())
