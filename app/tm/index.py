"""An in-memory index of translation memory entries: exact, fuzzy and concordance lookup.

A fuzzy lookup compares only entries that share half of the word stems, found by an inverted index. A source with the
same words and other numbers is found by the hash of its words.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Hashable, Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from app.tm.adaptation import adapted_target, has_numbers, skeleton
from app.tm.entries import EVERYTHING, Match, MemoryEntry, MemoryScope, with_tags_of
from app.tm.similarity import fold, plain_text, rate_of_folded, stems_of

ADAPTED_RATE = 99  # percent, of a match that differs only in numbers, placeholders or tags
MAX_MATCHES = 5
MAX_ADAPTED = 10  # entries tried
MAX_CONCORDANCE = 50
MAX_LOOKED_AT = 2000  # entries examined for a frequent word


class MemoryIndex:
    """Entries by key; a new entry replaces the one with the same key. Thread-safe.

    `state` is a new object after each change, so that callers can tell whether cached results are still valid.
    """

    def __init__(self, languages: tuple[str, str] | None = None) -> None:
        """`languages` are those of source and target. Without them, no match is adapted to other numbers."""
        self._languages = languages
        self.state = object()
        self._lock = threading.Lock()
        self._entries: list[MemoryEntry | None] = []
        self._keys: list[Hashable] = []
        self._folded: list[str] = []
        self._folded_targets: list[str] = []
        self._places: dict[Hashable, int] = {}
        self._num_stems = array("i")
        self._lengths = array("i")  # of the folded sources
        self._by_stem: dict[str, array[int]] = {}
        # The newest position of each source, by hash, and for each position the previous one of the same hash or -1.
        self._newest: dict[int, int] = {}
        self._before = array("i")
        self._by_skeleton: dict[int, array[int]] = {}  # positions of sources with numbers, by hash of their skeleton

    def __len__(self) -> int:
        return len(self._places)

    def add(self, key: Hashable, entry: MemoryEntry) -> None:
        """Adds the entry, or replaces the one with this key."""
        folded = fold(entry.source)
        stems, same = stems_of(folded), hash(plain_text(entry.source))
        with self._lock:
            self._remove(key)
            place = len(self._entries)
            self._places[key] = place
            self._entries.append(entry)
            self._keys.append(key)
            self.state = object()
            self._folded.append(folded)
            self._folded_targets.append(fold(entry.target))
            self._num_stems.append(len(stems))
            self._lengths.append(len(folded))
            self._before.append(self._newest.get(same, -1))
            self._newest[same] = place
            for stem in stems:
                self._by_stem.setdefault(stem, array("i")).append(place)
            if self._languages and has_numbers(folded):
                self._by_skeleton.setdefault(hash(skeleton(folded)), array("i")).append(place)

    def put(self, key: Hashable, entry: MemoryEntry | None) -> None:
        """Adds or replaces the entry with this key; None removes it."""
        if entry is None:
            self.remove(key)
        else:
            self.add(key, entry)

    def remove(self, key: Hashable) -> None:
        """Removes the entry with this key, if any."""
        with self._lock:
            self._remove(key)

    def entries(self) -> list[MemoryEntry]:
        """All entries in the order in which they were added."""
        with self._lock:
            return [entry for entry in self._entries if entry is not None]

    def matches(
        self,
        source: str,
        *,
        besides: Hashable = None,
        count: int = MAX_MATCHES,
        scope: MemoryScope = EVERYTHING,
    ) -> list[Match]:
        """The most similar entries, best first; among equals, those of the project first, then newest first.

        Each pair of texts comes once. Skips the entry with the key `besides`: the segment being edited.
        """
        folded, text = fold(source), plain_text(source)
        with self._lock:
            own = self._places.get(besides)
            found = self._similar(text, folded, scope, own)
            same_words = self._with_other_numbers(folded, scope, own)
        found.sort(key=lambda match: -match.rate)
        same_words += [match.entry for match in found if match.rate + sum(match.penalties) < 100][:MAX_ADAPTED]
        adapted = (self._adapted(source, entry, scope) for entry in same_words)
        found += [match for match in adapted if match is not None and match.rate >= scope.min_rate]
        found.sort(
            key=lambda match: (
                -match.rate,
                not match.original,
                not scope.is_own(match.entry),
                -match.entry.changed_ms,
            )
        )
        kept: list[Match] = []
        seen: set[tuple[str, str]] = set()
        for match in found:
            entry = match.entry
            texts = {(plain_text(entry.source), match.original or entry.target)}
            if match.original:
                texts.add(("", entry.target))  # several entries may become the same text
            if seen.isdisjoint(texts):
                kept.append(match if match.original else replace(match, entry=with_tags_of(source, entry)))
            if len(kept) == count:
                break
            seen |= texts
        return kept

    def exact(self, source: str, scope: MemoryScope = EVERYTHING) -> list[MemoryEntry]:
        """The entries with this source, ignoring differences in white space, newest first; a hash lookup."""
        text = plain_text(source)
        found = []
        with self._lock:
            place = self._newest.get(hash(text), -1)
            while place >= 0:
                entry = self._entries[place]
                if entry is not None and scope.has(entry) and plain_text(entry.source) == text:
                    found.append(entry)
                place = self._before[place]
        found.sort(key=lambda entry: -entry.changed_ms)
        return [with_tags_of(source, entry) for entry in found]

    def sources_from(self, num_seen: int) -> tuple[int, list[str]]:
        """The sources added after the first `num_seen` additions, and how many additions there were in all."""
        with self._lock:
            return len(self._entries), [entry.source for entry in self._entries[num_seen:] if entry is not None]

    def keys_like(self, source: str, min_rate: int) -> list[Hashable]:
        """The keys of entries whose source has this similarity, or differs only in numbers."""
        folded, text = fold(source), plain_text(source)
        words = skeleton(folded)
        with self._lock:
            return [
                self._keys[place]
                for place in self._candidates(folded, 0)
                if (entry := self._entries[place]) is not None
                and (
                    rate_of_folded(text, folded, entry.source, self._folded[place], min_rate) >= min_rate
                    or skeleton(self._folded[place]) == words
                )
            ]

    def concordance(
        self, words: str, count: int = MAX_CONCORDANCE, scope: MemoryScope = EVERYTHING
    ) -> list[MemoryEntry]:
        """Entries that contain this text in source or target, ignoring case; newest first."""
        needle = fold(words)
        if not needle:
            return []
        with self._lock:
            found = [
                entry
                for entry, source, target in zip(self._entries, self._folded, self._folded_targets, strict=True)
                if entry is not None and (needle in source or needle in target) and scope.has(entry)
            ]
        found.sort(key=lambda entry: -entry.changed_ms)
        return list({(entry.source, entry.target): entry for entry in found}.values())[:count]

    def with_words(self, words: str, count: int, scope: MemoryScope = EVERYTHING) -> list[MemoryEntry]:
        """Entries whose source contains the stem of each of these words, most recently added first.

        Examines at most MAX_LOOKED_AT entries with the rarest word.
        """
        stems = stems_of(fold(words))
        found: list[MemoryEntry] = []
        with self._lock:
            rarest = min((self._by_stem.get(stem, ()) for stem in stems), key=len)
            for place in islice(reversed(rarest), MAX_LOOKED_AT):
                entry, folded = self._entries[place], self._folded[place]
                if entry is not None and scope.has(entry) and all(stem in folded for stem in stems if stem != "0"):
                    found.append(entry)
                    if len(found) == count:
                        break
        return found

    def _similar(self, text: str, folded: str, scope: MemoryScope, own: int | None) -> list[Match]:
        found = []
        for place in self._candidates(folded, scope.min_rate):
            entry = self._entries[place]
            if entry is None or place == own or not scope.has(entry):
                continue
            penalties = scope.penalties(entry)
            least = scope.min_rate + sum(penalties)
            rate = rate_of_folded(text, folded, entry.source, self._folded[place], least)
            if rate >= least:
                found.append(Match(rate - sum(penalties), entry, penalties))
        return found

    def _with_other_numbers(self, folded: str, scope: MemoryScope, own: int | None) -> list[MemoryEntry]:
        """The newest entries with the same words in the same places, and perhaps other numbers."""
        if not self._languages or not has_numbers(folded):
            return []
        words = skeleton(folded)
        found: list[MemoryEntry] = []
        for place in reversed(self._by_skeleton.get(hash(words), ())):
            entry = self._entries[place]
            if entry is None or place == own or not scope.has(entry):
                continue
            if self._folded[place] != folded and skeleton(self._folded[place]) == words:
                found.append(entry)
            if len(found) == MAX_ADAPTED:
                break
        return found

    def _adapted(self, source: str, entry: MemoryEntry, scope: MemoryScope) -> Match | None:
        """The entry with the numbers, placeholders and tags of a source that differs from its own only in these."""
        if self._languages is None:
            return None
        entry = with_tags_of(source, entry)
        target = adapted_target(source, entry.source, entry.target, self._languages)
        if target is None or target == entry.target:
            return None
        penalties = scope.penalties(entry)
        return Match(ADAPTED_RATE - sum(penalties), replace(entry, target=target), penalties, entry.target)

    def _candidates(self, folded: str, min_rate: int) -> Iterator[int]:
        """Positions of entries with half of the word stems and a length that the rate allows."""
        stems = stems_of(folded)
        postings = [np.frombuffer(self._by_stem[stem], np.intc) for stem in stems if stem in self._by_stem]
        if not postings:
            return
        num_shared = np.bincount(np.concatenate(postings), minlength=len(self._entries))
        num_most = np.maximum(np.frombuffer(self._num_stems, np.intc), len(stems))
        lengths = np.frombuffer(self._lengths, np.intc)
        is_long_enough = 100 * np.minimum(lengths, len(folded)) >= min_rate * np.maximum(lengths, len(folded))
        yield from np.flatnonzero((2 * num_shared >= num_most) & is_long_enough).tolist()

    def _remove(self, key: Hashable) -> None:
        if (place := self._places.pop(key, None)) is not None:
            self.state = object()
            self._entries[place] = None
            self._folded[place] = self._folded_targets[place] = ""
