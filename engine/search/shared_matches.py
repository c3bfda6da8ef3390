"""Phrases that share a form, while a text is read: the possible assignments of each group so far.

Turns the matches of `engine.search.automaton`, which come character by character, into the occurrences of
`engine.search.sharing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.search.matching import Match, Matches, Pattern
from engine.search.phrases import Spelling, TrackedPhrase
from engine.search.sharing import Assignment, Serves, groups_that_share, settled

Shared = tuple[tuple[Assignment, ...], ...]  # the possible assignments of each group
Progress = frozenset[tuple[int, int]]  # (spelling, pieces matched)


class SharedMatches:
    """The groups of one sentence's phrases that share a form. Positions are counted back from the end of the text."""

    def __init__(
        self,
        phrases: Sequence[TrackedPhrase],
        patterns: Sequence[Pattern],
        spellings: Sequence[Spelling],
        pattern_of_spelling: Sequence[int],
    ) -> None:
        self._patterns = patterns
        self._spellings = spellings
        self._pattern_of_spelling = pattern_of_spelling
        self._groups = groups_that_share(phrases)
        self.group_of = {member: number for number, group in enumerate(self._groups) for member in group.members}
        self.start: Shared = ((Assignment(),),) * len(self._groups)

    def take(self, shared: Shared, matches: Iterable[Match]) -> Shared:
        """The assignments after these matches; matches of the same span are one occurrence."""
        if not shared:
            return shared
        fitting: dict[tuple[int, int, int], set[int]] = {}
        for number, since in matches:
            owner, length = self._patterns[number].owner, len(self._patterns[number].text)
            if owner in self.group_of:
                fitting.setdefault((-since, -since - length, self.group_of[owner]), set()).add(owner)
        taken = list(shared)
        for end, start, group in sorted(fitting):
            serves = tuple(sorted(fitting[end, start, group]))
            taken[group] = self._groups[group].take(taken[group], serves, (start, end))
        return tuple(taken)

    def move_on(self, shared: Shared, partial: Matches, pending: Matches) -> Shared:
        """The assignments after one more character, without details that cannot affect later matches."""
        reach = [0] * len(shared)
        for number, length in (*partial, *((n, since + len(self._patterns[n].text)) for n, since in pending)):
            group = self.group_of.get(self._patterns[number].owner)
            if group is not None:
                reach[group] = max(reach[group], length)
        return tuple(
            tuple(sorted(settled((Assignment(h.serves, h.end - 1) for h in assignments), -reach[group])))
            for group, assignments in enumerate(shared)
        )

    def missing(self, shared: Shared) -> list[int]:
        """For each group, the least number of missing pieces without the partial spellings."""
        return [
            min(group.missing(assignment.serves) for assignment in assignments)
            for group, assignments in zip(self._groups, shared, strict=True)
        ]

    def missing_with_progress(self, shared: Shared, partial: Matches, progress: Progress) -> list[int]:
        """For each group, the least number of missing pieces if one of the partial spellings is completed."""
        missing = self.missing(shared)
        under_way: list[list[int]] = [[] for _ in missing]
        for number, depth in progress:
            group = self.group_of.get(self._pattern(number).owner)
            if group is not None and depth < len(self._spellings[number].pieces):
                under_way[group].append(self.missing_with(shared, partial, number, depth))
        return [min(with_one, default=without) for with_one, without in zip(under_way, missing, strict=True)]

    def missing_with(self, shared: Shared, partial: Matches, spelling: int, depth: int) -> int:
        """Missing pieces of a group if this spelling, at this depth, is completed next, its own pieces included."""
        pattern, length = self._pattern(spelling), self._spellings[spelling].lengths[depth]
        group = self.group_of[pattern.owner]
        fitting = {
            self._patterns[number].owner
            for number, matched in partial
            if matched == length and self._patterns[number].text == pattern.text
        }
        serves = tuple(sorted({pattern.owner, *(owner for owner in fitting if self.group_of.get(owner) == group)}))
        to_go = len(self._spellings[spelling].pieces) - depth
        return to_go + self._least_missing(shared, group, serves, -length)

    def missing_with_another(self, shared: Shared, member: int) -> int:
        """Missing pieces of a member's group after one more occurrence of that member, without its own pieces."""
        return self._least_missing(shared, self.group_of[member], (member,), 0)

    def _pattern(self, spelling: int) -> Pattern:
        return self._patterns[self._pattern_of_spelling[spelling]]

    def _least_missing(self, shared: Shared, group: int, serves: Serves, start: int) -> int:
        """Missing pieces of a group after one more occurrence that begins at `start`."""
        own = self._groups[group]
        return min(own.missing(assignment.serves) for assignment in own.take(shared[group], serves, (start, start + 1)))
