"""Phrases that share a form: which of them the occurrences in a text can meet.

Such phrases need separate occurrences. One occurrence may fit several phrases, so each is stored with all phrases that
it can serve, and a bipartite matching assigns it (a transversal matroid: the greedy order by weight is optimal). Of
overlapping occurrences, any one may be the better choice, so a text can have several assignments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.search.phrases import TrackedPhrase

Span = tuple[int, int]
Serves = tuple[int, ...]  # the phrases that an occurrence fits, ascending
_LONG_AGO = -(1 << 30)


class Assignment(NamedTuple):
    """A set of occurrences that do not overlap and that are all needed.

    `serves` lists the phrases that each one can serve. `end` is the end of the last one while others may still overlap
    it. `taken` has the spans; assignments that differ only there are equally good.
    """

    serves: tuple[Serves, ...] = ()
    end: int = _LONG_AGO
    taken: tuple[tuple[Span, Serves], ...] = ()

    def is_as_good_as(self, other: Assignment) -> bool:
        return self.end <= other.end and not Counter(other.serves) - Counter(self.serves)


class SharedForms:
    """A group of phrases, each of which shares a form with another one of the group."""

    def __init__(self, phrases: Sequence[TrackedPhrase], members: Sequence[int]) -> None:
        """`members` number the group's phrases among `phrases`."""
        self.members = tuple(members)
        self._counts = {member: phrases[member].count for member in members}
        self._weights = {member: phrases[member].num_pieces for member in members}
        self._by_weight = sorted(members, key=lambda member: -self._weights[member])
        self._served: dict[tuple[Serves, ...], tuple[int, ...]] = {}

    def take(self, assignments: Iterable[Assignment], serves: Serves, span: Span) -> tuple[Assignment, ...]:
        """The assignments extended by one more occurrence, if it does not overlap and is needed.

        Occurrences must come by rising end.
        """
        start, end = span
        after: list[Assignment] = []
        for assignment in assignments:
            more = (*assignment.serves, serves)
            if assignment.end <= start and -1 not in self.served(more):
                after.append(Assignment(tuple(sorted(more)), end, (*assignment.taken, (span, serves))))
            after.append(assignment)
        return tuple(after)

    def served(self, serves: Sequence[Serves]) -> tuple[int, ...]:
        """For each occurrence the phrase that it meets, or -1; meets as many pieces as possible."""
        serves = tuple(serves)
        if serves not in self._served:
            phrase_of = [-1] * len(serves)
            for member in self._by_weight:
                for _ in range(self._counts[member]):
                    if not _augment(member, serves, phrase_of, set()):
                        break
            self._served[serves] = tuple(phrase_of)
        return self._served[serves]

    def missing(self, serves: Sequence[Serves]) -> int:
        """The number of pieces that these occurrences leave unmet."""
        counts = Counter(self.served(serves))
        return sum((self._counts[member] - counts[member]) * self._weights[member] for member in self.members)

    def placed(self, occurrences: Iterable[tuple[Span, int]]) -> dict[int, list[Span]]:
        """The spans of each phrase, chosen from all (span, phrase) occurrences; meets as many pieces as possible."""
        fitting: dict[Span, set[int]] = {}
        for span, member in occurrences:
            fitting.setdefault(span, set()).add(member)
        assignments: tuple[Assignment, ...] = (Assignment(),)
        spans = sorted(fitting, key=lambda span: (span[1], span[0]))
        for number, span in enumerate(spans):
            assignments = self.take(assignments, tuple(sorted(fitting[span])), span)
            assignments = settled(assignments, min((start for start, _ in spans[number + 1 :]), default=span[1]))
        best = min(assignments, key=lambda assignment: (self.missing(assignment.serves), assignment.taken))
        found: dict[int, list[Span]] = {member: [] for member in self.members}
        for (span, _), member in zip(best.taken, self.served([serves for _, serves in best.taken]), strict=True):
            found[member].append(span)
        return found


def groups_that_share(phrases: Sequence[TrackedPhrase]) -> list[SharedForms]:
    """The phrases that share a form, directly or through others. Phrases with a turn are ordered instead."""
    group_of: dict[int, list[int]] = {}
    owner: dict[str, int] = {}
    for number, phrase in enumerate(phrases):
        if phrase.turn is not None:
            continue
        group_of[number] = [number]
        for form in phrase.forms:
            other = group_of[owner.setdefault(form, number)]
            own = group_of[number]
            if other is not own:
                other += own
                group_of.update(dict.fromkeys(own, other))
    distinct = {id(members): members for members in group_of.values()}
    return [SharedForms(phrases, sorted(members)) for members in distinct.values() if len(members) > 1]


def settled(assignments: Iterable[Assignment], horizon: int) -> tuple[Assignment, ...]:
    """The assignments that no other dominates. Later occurrences start at `horizon` or after it."""
    best: list[Assignment] = []
    for assignment in assignments:
        if assignment.end <= horizon:
            assignment = assignment._replace(end=_LONG_AGO)
        if not any(other.is_as_good_as(assignment) for other in best):
            best = [*(other for other in best if not assignment.is_as_good_as(other)), assignment]
    return tuple(best)


def _augment(member: int, serves: Sequence[Serves], phrase_of: list[int], tried: set[int]) -> bool:
    """Give `member` one more occurrence, moving others along an augmenting path; whether one was found."""
    for number, fitting in enumerate(serves):
        if member in fitting and number not in tried:
            tried.add(number)
            if phrase_of[number] < 0 or _augment(phrase_of[number], serves, phrase_of, tried):
                phrase_of[number] = member
                return True
    return False
