"""Phrases that share a form: which of them the occurrences in a text can serve.

Such phrases need separate occurrences. One occurrence may fit several of them, so it is held with all that it could
serve, and who is served is a question of matching (a transversal matroid: the heaviest phrases first is best). Of
occurrences that overlap, any one may be the better to take, so a text can come to several assignments.
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
    """Occurrences taken, none overlapping another, each needed.

    `end` is that of the last, as far as others may still overlap it. `taken` says where they stand, for those who want
    to know: assignments that differ in nothing else are equally good.
    """

    serves: tuple[Serves, ...] = ()
    end: int = _LONG_AGO
    taken: tuple[tuple[Span, Serves], ...] = ()

    def is_as_good_as(self, other: Assignment) -> bool:
        return self.end <= other.end and not Counter(other.serves) - Counter(self.serves)


class SharedForms:
    """A group of phrases each of which has a form in common with another of the group."""

    def __init__(self, phrases: Sequence[TrackedPhrase], members: Sequence[int]) -> None:
        """`members` number the group's phrases among `phrases`."""
        self.members = tuple(members)
        self._counts = {member: phrases[member].count for member in members}
        self._weights = {member: phrases[member].num_pieces for member in members}
        self._by_weight = sorted(members, key=lambda member: -self._weights[member])
        self._served: dict[tuple[Serves, ...], tuple[int, ...]] = {}

    def take(self, assignments: Iterable[Assignment], serves: Serves, span: Span) -> tuple[Assignment, ...]:
        """The assignments once an occurrence is taken where there is room and need for it.

        Occurrences come by rising end.
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
        """For each occurrence the phrase that it meets, -1 for none: as many pieces met as can be."""
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
        """Pieces of what these occurrences leave unmet."""
        counts = Counter(self.served(serves))
        return sum((self._counts[member] - counts[member]) * self._weights[member] for member in self.members)

    def placed(self, occurrences: Iterable[tuple[Span, int]]) -> dict[int, list[Span]]:
        """Where each phrase of the group stands, given where each could: as many pieces met as can be."""
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
    """The phrases that share a form, directly or through others. Those with a turn have their own order instead."""
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
    """The assignments than which no other is as good, of equals the first; nothing to come starts before `horizon`."""
    best: list[Assignment] = []
    for assignment in assignments:
        if assignment.end <= horizon:
            assignment = assignment._replace(end=_LONG_AGO)
        if not any(other.is_as_good_as(assignment) for other in best):
            best = [*(other for other in best if not assignment.is_as_good_as(other)), assignment]
    return tuple(best)


def _augment(member: int, serves: Sequence[Serves], phrase_of: list[int], tried: set[int]) -> bool:
    """Give `member` one occurrence more, moving others to occurrences that they fit as well; whether that went."""
    for number, fitting in enumerate(serves):
        if member in fitting and number not in tried:
            tried.add(number)
            if phrase_of[number] < 0 or _augment(phrase_of[number], serves, phrase_of, tried):
                phrase_of[number] = member
                return True
    return False
