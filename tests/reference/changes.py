"""What hypotheses lose, by definition: the cheapest way of all to turn one sequence into the other, and repetition."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.search.follow import REQUIRED_CHANGES, FollowedText


def slow_cost(followed: FollowedText, written: Sequence[int], *, has_ended: bool) -> float:
    """Pieces added, replaced or left out; of a text that goes on, what it will cost at least."""

    @cache
    def cheapest(num_followed: int, num_written: int) -> float:
        """The cost of turning so many pieces of the previous text into so many of the written ones."""
        ways = [0.0] if num_followed == num_written == 0 else []
        changed = REQUIRED_CHANGES if num_followed - 1 in followed.required else 1.0
        if num_followed:
            ways.append(cheapest(num_followed - 1, num_written) + changed)
        if num_written:
            ways.append(cheapest(num_followed, num_written - 1) + 1)
        if num_followed and num_written:
            is_kept = followed.pieces[num_followed - 1] == written[num_written - 1]
            ways.append(cheapest(num_followed - 1, num_written - 1) + changed * (not is_kept))
        return min(ways)

    length = len(followed.pieces)
    return min(cheapest(so_many, len(written)) for so_many in ([length] if has_ended else range(length + 1)))


def slow_penalty(followed: FollowedText | None, tokens: Sequence[int], end: int) -> float:
    """The nats that a hypothesis loses; `tokens` may contain the end."""
    if followed is None:
        return 0.0
    has_ended = bool(tokens) and tokens[-1] == end
    written = tokens[:-1] if has_ended else tokens
    return followed.strength * slow_cost(followed, written, has_ended=has_ended)


def slow_repeats(pieces: Sequence[int], run: int) -> int:
    """At how many places a run of so many pieces ends that has ended before."""
    ends = range(run, len(pieces) + 1)
    return sum(
        any(pieces[end - run : end] == pieces[earlier - run : earlier] for earlier in range(run, end)) for end in ends
    )
