"""An in-memory index of translation memory entries: exact, fuzzy and concordance lookup.

A fuzzy lookup compares only entries that share half of the word stems, found by an inverted index; `is_candidate` is
the same test for two texts. A source with the same words and other numbers is found by the hash of its words.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from array import array
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import islice

import numpy as np
from rapidfuzz.distance import Levenshtein

from app.tm.adaptation import adapted_target, has_numbers, skeleton

MIN_RATE = 75  # percent, where a project has no other threshold
ADAPTED_RATE = 99  # percent, of a match that differs only in numbers, placeholders or tags
MAX_MATCHES = 5
MAX_ADAPTED = 10  # entries tried
MAX_CONCORDANCE = 50
MAX_LOOKED_AT = 2000  # entries examined for a frequent word
# A run of letters, one letter of a script without spaces, or a number.
_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+|\d+")
_PART = re.compile(r"\w+|\s+|[^\w\s]")
_STEM_LETTERS = 5
_INLINE_TAG = re.compile(r"\{/?\d+\}|</?[A-Za-z][^<>]{0,500}>")  # a numbered one, or an element as text
_TAG_SIGN = "\ufffc"


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A text and its translation. `origin` is the name of a document or memory; `changed_ms` counts from 1970.

    `project` is the number of the project that it belongs to; 0 belongs to all. `is_imported`: from a file, not
    confirmed in a document here.
    """

    source: str
    target: str
    origin: str = ""
    changed_ms: int = 0
    project: int = 0
    is_imported: bool = False


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """The entries that a document uses: those of its project first, and with `is_only` no others.

    Matches below `min_rate` percent are not shown. A match from another project or from an imported memory is worth
    less by these penalties, in percent.
    """

    project: int = 0
    is_only: bool = False
    min_rate: int = MIN_RATE
    other_penalty: int = 0
    import_penalty: int = 0

    def has(self, entry: MemoryEntry) -> bool:
        """Whether the document uses this entry."""
        return not self.is_only or entry.project in (0, self.project)

    def is_own(self, entry: MemoryEntry) -> bool:
        """Whether the entry is of the document's project."""
        return bool(self.project) and entry.project == self.project

    def penalties(self, entry: MemoryEntry) -> tuple[int, int]:
        """What a match with the entry is worth less: for another project, and for an imported memory."""
        is_other = bool(self.project) and entry.project not in (0, self.project)
        return self.other_penalty * is_other, self.import_penalty * entry.is_imported


EVERYTHING = MemoryScope()


@dataclass(frozen=True, slots=True)
class Match:
    """An entry and the similarity of its source in percent; 100 is equal except for white space.

    `penalties`, see `MemoryScope.penalties`, are taken off the rate already. If the entry's target was adapted to the
    numbers and placeholders of the text that was looked up, `original` is the target in the memory; else it is empty.
    """

    rate: int
    entry: MemoryEntry
    penalties: tuple[int, int] = (0, 0)
    original: str = ""


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
        stems, same = stems_of(folded), hash(_plain(entry.source))
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
        folded, text = fold(source), _plain(source)
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
            texts = {(_plain(entry.source), match.original or entry.target)}
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
        text = _plain(source)
        found = []
        with self._lock:
            place = self._newest.get(hash(text), -1)
            while place >= 0:
                entry = self._entries[place]
                if entry is not None and scope.has(entry) and _plain(entry.source) == text:
                    found.append(entry)
                place = self._before[place]
        found.sort(key=lambda entry: -entry.changed_ms)
        return [with_tags_of(source, entry) for entry in found]

    def sources_from(self, num_seen: int) -> tuple[int, list[str]]:
        """The sources added after the first `num_seen` additions, and how many additions there were in all."""
        with self._lock:
            return len(self._entries), [entry.source for entry in self._entries[num_seen:] if entry is not None]

    def keys_like(self, source: str, min_rate: int) -> list[Hashable]:
        """The keys of entries whose source is as similar as that, or differs only in numbers."""
        folded, text = fold(source), _plain(source)
        words = skeleton(folded)
        with self._lock:
            return [
                self._keys[place]
                for place in self._candidates(folded, 0)
                if (entry := self._entries[place]) is not None
                and (
                    _rate(text, folded, entry.source, self._folded[place], min_rate) >= min_rate
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

    def with_words(self, words: str, count: int) -> list[MemoryEntry]:
        """Entries whose source contains the stem of each of these words, most recently added first.

        Examines at most MAX_LOOKED_AT entries with the rarest word.
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

    def _similar(self, text: str, folded: str, scope: MemoryScope, own: int | None) -> list[Match]:
        found = []
        for place in self._candidates(folded, scope.min_rate):
            entry = self._entries[place]
            if entry is None or place == own or not scope.has(entry):
                continue
            penalties = scope.penalties(entry)
            least = scope.min_rate + sum(penalties)
            rate = _rate(text, folded, entry.source, self._folded[place], least)
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


def fold(text: str) -> str:
    """The text normalized for comparison: NFC, lower case, single spaces.

    >>> fold("  Open\\u00a0 the FILE ")
    'open the file'
    """
    return _plain(text).lower()


def stems_of(folded: str) -> frozenset[str]:
    """The first letters of each word of a folded text, with all numbers as "0"; the text itself if it has no words."""
    stems = {"0" if word[0].isdecimal() else word[:_STEM_LETTERS] for word in _WORD.findall(folded)}
    return frozenset(stems or {folded})


def is_candidate(one: str, other: str) -> bool:
    """Whether two texts share the stems of half of their words, the condition for comparing them."""
    ours, others = stems_of(fold(one)), stems_of(fold(other))
    return 2 * len(ours & others) >= max(len(ours), len(others))


def rate_of(one: str, other: str) -> int:
    """The similarity of two texts: 100 if equal, at most 99 otherwise, by edit distance ignoring case."""
    return _rate(_plain(one), fold(one), other, fold(other), 0)


def _rate(text: str, folded: str, other: str, other_folded: str, min_rate: int) -> int:
    if text == _plain(other):
        return 100
    similarity = Levenshtein.normalized_similarity(folded, other_folded, score_cutoff=min_rate / 100)
    return min(int(100 * similarity), 99)


def runs_between(memory: str, text: str) -> list[list[str]]:
    """A word diff as runs: ["s" (in both) | "d" (only in the memory) | "i" (only in the text), words].

    >>> runs_between("Open a file", "Open the file")
    [['s', 'Open '], ['d', 'a'], ['i', 'the'], ['s', ' file']]
    """
    ours, theirs = _PART.findall(memory), _PART.findall(text)
    runs: list[list[str]] = []
    for operation, first, last, to, stop in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if operation == "equal":
            runs.append(["s", "".join(theirs[to:stop])])
            continue
        runs += [["d", "".join(ours[first:last])]] * (first < last)
        runs += [["i", "".join(theirs[to:stop])]] * (to < stop)
    return runs


def with_tags_of(source: str, entry: MemoryEntry) -> MemoryEntry:
    """The entry with the tags of a source instead of its own; unchanged if they differ in number.

    >>> with_tags_of("Press {3}OK{/3}", MemoryEntry("Press <b>Ok</b>", "<b>Ok</b> drücken")).target
    '{3}Ok{/3} drücken'
    """
    ours, theirs = _INLINE_TAG.findall(source), _INLINE_TAG.findall(entry.source)
    if ours == theirs or len(ours) != len(theirs):
        return entry
    new: dict[str, str] = {}
    for own, other in zip(theirs, ours, strict=True):
        if new.setdefault(own, other) != other:
            return entry

    def replaced(tag: re.Match[str]) -> str:
        return new.get(tag.group(), tag.group())

    source, target = (_INLINE_TAG.sub(replaced, text) for text in (entry.source, entry.target))
    return replace(entry, source=source, target=target)


def _plain(text: str) -> str:
    """The text with single spaces, and one sign for any inline tag: other tools number and write them differently."""
    normal = " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())
    return _INLINE_TAG.sub(_TAG_SIGN, normal) if "{" in normal or "<" in normal else normal
