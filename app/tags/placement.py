"""Places the tags of a source in its translation, at the aligned words.

"Press {1}OK{/1} now." is translated as "Press OK now."; in "Drücken Sie jetzt OK." the pair goes around "OK" again.
With every alignment, each tag is placed exactly once and pairs stay nested. Independent of requests and of how
the tags were removed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

from engine import is_word_char, occurrences

Span = tuple[int, int]
Links = Sequence[tuple[int, int, int, int]]  # source start and end, target start and end
PlacedTag = tuple[int, "Tag"]  # target offset and tag

CLOSING_MARKS = frozenset(".,;:!?…)]}»“”’%")
_CLAUSE_ENDS = frozenset(".,;:!?…")
_SENTENCE_END = re.compile(r"[.!?…。！？]+[)\]}»“”’\"']*(?=\s+[^\W\d_a-zß-ÿ]|(?<=[。！？])[^\W\d_])")
_MAX_GAP = 20  # characters of white space between sentences
_TIME = re.compile(r"<[\d:]+\.\d+>\Z")  # of a word in WebVTT
_NUMBER = re.compile(r"\d+(?:[.,:/'’\u00a0\u2009\u202f]\d+)+")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag before character `at` of the source without tags.

    `has_space_before` and `has_space_after` describe the source. `separates_words` is true for a tag in place of a
    space: "One<br/>two". `number` distinguishes tags with the same text. `keeps_spaces` is true for a tag in place of
    a word, which keeps the spaces that it has in the source: a sign ("°C") or a tag of a pair without text.
    """

    text: str
    kind: Literal["open", "close", "lone"]
    at: int
    has_space_before: bool = False
    has_space_after: bool = False
    separates_words: bool = False
    number: int = 0
    keeps_spaces: bool = False

    @property
    def keeps_order(self) -> bool:
        """True for an end without its begin, which is in the text before or overlaps with another pair, and a time."""
        return self.kind == "lone" and (self.text[1:2] == "/" or _TIME.match(self.text) is not None)

    @property
    def needs_space_before(self) -> bool:
        """True if it is separated by a space from the text before it, like a word."""
        return self.has_space_before and (self.has_space_after or self.keeps_spaces)

    @property
    def needs_space_after(self) -> bool:
        """True if it is separated by a space from the text after it, like a word."""
        return self.has_space_after and (self.has_space_before or self.keeps_spaces)


@dataclass(frozen=True, slots=True)
class FixedSpan:
    """A span of the target that already contains its tags; those in `tags` are not placed again."""

    start: int
    end: int
    tags: frozenset[Tag] = frozenset()


def separates_words(before: str, after: str) -> bool:
    """True if a tag between these two characters replaces a space between words."""
    return bool(before and after) and not before.isspace() and not after.isspace() and after not in CLOSING_MARKS


def place_tags(
    tags: Sequence[Tag],
    source: str,
    target: str,
    links: Links,
    fixed: Sequence[FixedSpan] = (),
    begins_at: int = 0,
    kept: Sequence[str] = (),
    weak_links: Links = (),
) -> list[PlacedTag]:
    """All tags with their offsets in `target`, in order, except the tags of `fixed` spans.

    Args:
        tags: in source order, pairs well nested.
        links: the word alignment.
        fixed: spans of the target that already contain their tags; no tag is placed inside.
        begins_at: the first offset where tags may be placed.
        kept: texts that count as one word, even with characters between words; no tag is placed inside.
        weak_links: the likeliest partners of words without links, for pairs around such words only.
    """
    placer = _Placer(_Text.of(source, kept), _Text.of(target, kept), links, fixed, weak_links)
    return placer.inside(placer.to_place(_nodes(tags)), (0, len(source)), begins_at, len(target))


@dataclass(frozen=True, slots=True)
class _Node:
    """A pair of tags with its content, or a lone tag; `span` is its span of the source."""

    first: Tag
    last: Tag | None
    inner: list[_Node] = field(default_factory=list)

    @property
    def span(self) -> Span:
        return self.first.at, (self.last or self.first).at


def _nodes(tags: Iterable[Tag]) -> list[_Node]:
    levels: list[list[_Node]] = [[]]
    opened: list[Tag] = []
    for tag in tags:
        if tag.kind == "open":
            opened.append(tag)
            levels.append([])
        elif tag.kind == "close":
            inner = levels.pop()
            levels[-1].append(_Node(opened.pop(), tag, inner))
        else:
            levels[-1].append(_Node(tag, None))
    assert not opened, "a pair is not closed"
    return levels[0]


@dataclass(frozen=True)
class _Text:
    """A text, its words, and whether each character belongs to a word. A number, date or time is one word."""

    text: str
    words: Sequence[Span]
    is_word: Sequence[bool]

    @cached_property
    def sentence_ends(self) -> Sequence[int]:
        """The ends of the sentences before the last one."""
        return [match.end() for match in _SENTENCE_END.finditer(self.text)]

    @classmethod
    def of(cls, text: str, kept: Sequence[str]) -> _Text:
        is_word = [*map(is_word_char, text)]
        edges = {0, len(text), *(i for i, (a, b) in enumerate(pairwise(is_word), 1) if a != b)}
        whole = (match.span() for one in kept for match in re.finditer(re.escape(one), text))
        for start, end in (*(match.span() for match in _NUMBER.finditer(text)), *whole):
            is_word[start:end] = [True] * (end - start)
            edges.difference_update(range(start + 1, end))
            edges |= {start, end}
        words = [(start, end) for start, end in pairwise(sorted(edges)) if is_word[start]]
        return cls(text, words, is_word)


class _Placer:
    """Finds target spans for pairs and target offsets for lone tags, level by level."""

    def __init__(
        self, source: _Text, target: _Text, links: Links, fixed: Sequence[FixedSpan], weak_links: Links
    ) -> None:
        self.source, self.target, self.fixed, self.weak_links = source, target, fixed, weak_links
        self.links = _links_of_words(links, source, target)
        self.fixed_of = {tag: stretch for stretch in fixed for tag in stretch.tags}
        self.linked = _merged((link[2], link[3]) for link in self.links)

    def to_place(self, nodes: Iterable[_Node]) -> list[_Node]:
        """The nodes still to place: nodes that are fixed as a whole are replaced by their children."""
        rest: list[_Node] = []
        for node in nodes:
            inner = self.to_place(node.inner)
            spans = [self.fixed_of.get(tag) for tag in (node.first, node.last) if tag is not None]
            if None not in spans and all(span is spans[0] for span in spans):
                rest += inner
            else:
                rest.append(replace(node, inner=inner))
        return rest

    def inside(self, nodes: Sequence[_Node], source_span: Span, start: int, end: int) -> list[PlacedTag]:
        """Places sibling tags between two target offsets; `source_span` is the source span of their parent."""
        pairs = [number for number, node in enumerate(nodes) if node.last is not None]
        words = self._words_by_pair(nodes, pairs, source_span, start, end)
        ideal = {
            number: self._part_of_word(nodes[number].span, start, end)
            or self._ideal_span(nodes[number], words[number], source_span, start, end)
            for number in pairs
        }
        spans: dict[int, Span] = {}
        free = [(start, end)]
        is_free = {number: not self._is_half_fixed(nodes[number]) for number in pairs}
        for number in sorted(pairs, key=lambda n: (is_free[n], ideal[n][1] - ideal[n][0], n)):
            spans[number] = _fitted(ideal[number], words[number], free)
            free = _without(free, spans[number])
        first_place = start  # of a tag that keeps its order: behind the pairs and such tags before it in the source
        for number, node in enumerate(nodes):
            if node.last is None:
                place = self._place_of(node.first, source_span, start, end)
                place = max(place, first_place) if node.first.keeps_order else place
                around = next((n for n, span in spans.items() if span[0] < place < span[1]), None)
                if around is not None:
                    place = spans[around][node.first.at > nodes[around].span[0]]
                spans[number] = place, place
            if node.last is not None or node.first.keeps_order:
                first_place = max(first_place, spans[number][1])
        found: list[PlacedTag] = []
        for number in sorted(spans, key=lambda n: (*spans[n], n)):
            node, (first, last) = nodes[number], spans[number]
            if node.first not in self.fixed_of:
                found.append((first, node.first))
            if node.last is not None:
                found += self.inside(node.inner, node.span, first, last)
                if node.last not in self.fixed_of:
                    found.append((last, node.last))
        return found

    def _words_by_pair(
        self, nodes: Sequence[_Node], pairs: Sequence[int], source_span: Span, start: int, end: int
    ) -> dict[int, list[Span]]:
        """The target words that each pair should contain: a word goes to the pair with most links to it."""
        here = [(max(first, start), last) for first, last in self.target.words if start < last <= end]
        found: dict[int, list[Span]] = {number: [] for number in pairs}
        votes: dict[Span, Counter[int]] = {word: Counter() for word in here}
        for number in pairs:
            span = nodes[number].span
            inner = self._words_in(span)
            if self._part_of_word(span, start, end):
                continue
            if inner and inner == self._words_in(source_span):
                for word in here:
                    votes[word][number] += len(self.links) + 1  # the pair contains all words of its parent
            elif inner and (verbatim := self._verbatim(span, start, end)):
                for word in here:
                    votes[word][number] += (len(self.links) + 1) * _overlap(word, verbatim)
            else:
                for *linked, first, last in self.links:
                    if _overlap((linked[0], linked[1]), span):
                        for word in _overlapping(here, (first, last)):
                            votes[word][number] += 1
        for word, counts in votes.items():
            if counts.total():
                found[max(counts, key=lambda n: (counts[n], -n))].append(word)
        for number in pairs:
            if not found[number] and self._words_in(nodes[number].span):
                found[number] = self._likeliest(nodes[number].span, votes)
                found[number] = found[number] or self._unclaimed(nodes[number].span, votes)
        return found

    def _likeliest(self, span: Span, votes: dict[Span, Counter[int]]) -> list[Span]:
        """The target words with weak links to `span`, except words that another pair contains."""
        spans = _merged((link[2], link[3]) for link in self.weak_links if _overlap((link[0], link[1]), span))
        return [word for word, counts in votes.items() if not counts.total() and _overlapping(spans, word)]

    def _unclaimed(self, span: Span, votes: dict[Span, Counter[int]]) -> list[Span]:
        """The unlinked target words between the partners of the source words right before and right after `span`.

        None if one of these has no partner, or if other words are between.
        """
        inside = self._words_in(span)
        first, last = bisect_left(self.source.words, inside[0]), bisect_right(self.source.words, inside[-1])
        beside = [self.source.words[place] for place in (first - 1, last) if 0 <= place < len(self.source.words)]
        ends = [[link[2:] for link in self.links if _overlap((link[0], link[1]), word)] for word in beside]
        if len(ends) < 2 or not all(ends):
            return []
        before, after = max(end for _, end in ends[0]), min(start for start, _ in ends[1])
        between = [word for word in votes if before <= word[0] and word[1] <= after]
        return between if not any(votes[word].total() or _overlapping(self.linked, word) for word in between) else []

    def _ideal_span(self, node: _Node, words: Sequence[Span], source_span: Span, start: int, end: int) -> Span:
        """The smallest span with the words of a pair, and punctuation at its ends if the source has it there."""
        first_fixed, last_fixed = self.fixed_of.get(node.first), self.fixed_of.get(node.last or node.first)
        if words:
            first, last = words[0][0], words[-1][1]
            inner = [i for i in range(*node.span) if not self.source.text[i].isspace()]
            if not self.source.is_word[inner[0]]:
                first = self._over_marks(first, start, -1, inner[0])
            if not self.source.is_word[inner[-1]]:
                last = self._over_marks(last, end, 1, inner[-1] + 1)
        else:
            assert node.last is not None
            ends = [link[3] for link in self.links if _overlap((link[0], link[1]), node.span)]
            is_apart = bool(self._words_in(node.span)) and not any(self.source.is_word[node.last.at : node.last.at + 1])
            around = replace(node.first, has_space_after=is_apart or node.last.has_space_after)
            first = last = max(ends) if ends else self._place_of(around, source_span, start, end)
        for stretch in self.fixed:
            first = stretch.start if stretch.start < first < stretch.end else first
            last = stretch.end if stretch.start < last < stretch.end else last
        if first_fixed is not None:
            first = first_fixed.end
        if last_fixed is not None:
            last = last_fixed.start
        first = min(max(first, start), end)
        last = min(max(last, start), end)
        return (min(first, last), last) if last_fixed is not None else (first, max(first, last))

    def _is_half_fixed(self, node: _Node) -> bool:
        return node.first in self.fixed_of or node.last in self.fixed_of

    def _place_of(self, tag: Tag, source_span: Span, start: int, end: int) -> int:
        """The offset of a lone tag: next to the word before it, or after it if only that side has no space."""
        if tag.at == 0:
            return start
        if tag.at == len(self.source.text):
            return end
        if (border := self._border(tag)) is not None:
            place = border
        elif self._belongs_to_next(tag):
            place = self._start_of(tag.at, source_span, end)
            if not self.source.is_word[tag.at]:
                place = self._over_marks(place, start, -1, tag.at)
        else:
            place = self._end_of(tag.at, source_span, start)
            if not self.source.is_word[tag.at - 1] and not self.source.text[tag.at - 1].isspace():
                place = self._over_marks(place, end, 1, tag.at)
        following = self.target.text[place : place + 1]
        if tag.separates_words and place < end and following and not following.isspace():  # not before a question mark
            place = max(self.target.text.rfind(" ", start, place), start)
        place = self._at_edge(place, is_start=self._belongs_to_next(tag))
        for stretch in self.fixed:
            place = stretch.end if stretch.start < place < stretch.end else place
        return min(max(place, start), end)

    def _border(self, tag: Tag) -> int | None:
        """The offset between two sentences for a tag between two; None if the target has another number of them."""
        ends = self.source.sentence_ends
        beside = self.source.text[max(0, tag.at - _MAX_GAP) : tag.at]
        number = bisect_left(ends, tag.at - len(beside) + len(beside.rstrip()))
        if len(ends) != len(self.target.sentence_ends) or number == len(ends):
            return None
        if ends[number] > tag.at or self.source.text[ends[number] : tag.at].strip():
            return None
        place = self.target.sentence_ends[number]
        rest = self.target.text[place : place + _MAX_GAP]
        return place + len(rest) - len(rest.lstrip()) if self._belongs_to_next(tag) else place

    def _at_edge(self, place: int, *, is_start: bool) -> int:
        """The offset moved to an edge of the word around it: an alignment may end inside a number."""
        number = bisect_left(self.target.words, place, key=lambda word: word[1])
        first, last = self.target.words[number] if number < len(self.target.words) else (place, place)
        return (first if is_start else last) if first < place < last else place

    def _belongs_to_next(self, tag: Tag) -> bool:
        if not tag.keeps_spaces:
            return tag.has_space_before and not tag.has_space_after
        before, after = self.source.text[: tag.at].rstrip()[-1:], self.source.text[tag.at :].lstrip()[:1]
        if tag.needs_space_before == tag.needs_space_after:  # "€ 20", not "20 € for"
            return after.isdigit() and not before.isdigit()
        return not tag.has_space_after and self.source.is_word[tag.at]

    def _end_of(self, place: int, source_span: Span, otherwise: int) -> int:
        """The end of the words that are aligned with the nearest linked source word before `place`."""
        ends = [(link[1], link[3]) for link in self.links if source_span[0] <= link[0] and link[1] <= place]
        return max(ends)[1] if ends else otherwise

    def _start_of(self, place: int, source_span: Span, otherwise: int) -> int:
        """The start of the words that are aligned with the nearest linked source word after `place`."""
        starts = [(link[0], link[2]) for link in self.links if place <= link[0] and link[1] <= source_span[1]]
        return min(starts)[1] if starts else otherwise

    def _over_marks(self, place: int, limit: int, step: Literal[-1, 1], source_place: int) -> int:
        """The offset moved over adjacent punctuation, up to `limit`, and not over marks that end a clause.

        It is moved over such a mark if the source has one, too, between its word and `source_place`.
        """
        run = source_place
        while 0 <= (at := run - (step == 1)) < len(self.source.text) and not self.source.is_word[at]:
            run -= step
            if abs(run - source_place) == _MAX_GAP:
                break
        marks = self.source.text[min(run, source_place) : max(run, source_place)]
        has_end = any(mark in _CLAUSE_ENDS for mark in marks)
        while (limit - place) * step > 0:  # an alignment may end behind the limit
            character = place if step == 1 else place - 1
            mark = self.target.text[character]
            if self.target.is_word[character] or mark.isspace() or (mark in _CLAUSE_ENDS and not has_end):
                break
            place += step
        return place

    def _words_in(self, span: Span) -> list[Span]:
        return [word for word in self.source.words if span[0] <= word[0] and word[1] <= span[1]]

    def _part_of_word(self, span: Span, start: int, end: int) -> Span | None:
        """The same part of the same target word for a part of a source word: "2" of "H2O"; None for whole words."""
        number = bisect_right(self.source.words, span[0], key=lambda word: word[0]) - 1
        around = self.source.words[number] if number >= 0 else span
        if around == span or not span[0] < span[1] <= around[1]:
            return None
        if (place := self._same_word(around, start, end)) is None:
            return None
        return place + span[0] - around[0], place + span[1] - around[0]

    def _same_word(self, word: Span, start: int, end: int) -> int | None:
        """The start of the target word with the same text, if it occurs as often as in the source."""
        text = self.source.text[slice(*word)]
        own = [first for first, last in self.source.words if self.source.text[first:last] == text]
        found = [first for first, last in self.target.words if self.target.text[first:last] == text]
        place = found[own.index(word[0])] if len(found) == len(own) else -1
        return place if start <= place and place + len(text) <= end else None

    def _verbatim(self, span: Span, start: int, end: int) -> Span | None:
        """The target span with the same text as a source span, if it occurs exactly once in both."""
        text = self.source.text[slice(*span)].strip()
        found = [place for place in occurrences(self.target.text, text) if start <= place[0] and place[1] <= end]
        return found[0] if len(found) == 1 == len(occurrences(self.source.text, text)) else None


def _links_of_words(links: Links, source: _Text, target: _Text) -> Links:
    """Links between words. Without an alignment, links each word to the word at the same relative position."""
    if links:
        return [
            link for link in links if any(source.is_word[slice(*link[:2])]) and any(target.is_word[slice(*link[2:])])
        ]
    words, others = source.words, target.words
    return [(*word, *others[number * len(others) // len(words)]) for number, word in enumerate(words) if others]


def _fitted(ideal: Span, words: Sequence[Span], free: Sequence[Span]) -> Span:
    """The part of a span in the free gap with most of its words; without words, an empty span at the nearest offset."""

    def words_in(gap: Span) -> list[Span]:
        return [word for word in words if gap[0] <= word[0] and word[1] <= gap[1]]

    best = max(free, key=lambda gap: (len(words_in(gap)), -abs(min(max(ideal[0], gap[0]), gap[1]) - ideal[0])))
    kept = words_in(best)
    if not kept:
        place = min(max(ideal[0], best[0]), best[1])
        return (place, min(max(ideal[1], place), best[1])) if not words else (place, place)
    start = ideal[0] if ideal[0] >= best[0] else kept[0][0]
    end = ideal[1] if ideal[1] <= best[1] else kept[-1][1]
    return start, end


def _without(free: Iterable[Span], taken: Span) -> list[Span]:
    """The free gaps without `taken`. Empty gaps at its edges stay, so that an empty pair always finds a place."""
    rest: list[Span] = []
    for start, end in free:
        if start <= taken[0] and taken[1] <= end:
            rest += [(start, taken[0]), (taken[1], end)]
        else:
            rest.append((start, end))
    return rest


def _overlap(one: Span, other: Span) -> bool:
    return max(one[0], other[0]) < min(one[1], other[1])


def _overlapping(spans: Sequence[Span], span: Span) -> Sequence[Span]:
    """The spans (ascending, not overlapping) that overlap with another span."""
    first = bisect_right(spans, span[0], key=lambda other: other[1])
    return spans[first : bisect_left(spans, span[1], key=lambda other: other[0])]


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, overlapping ones merged."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
