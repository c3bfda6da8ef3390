"""The best combinations of one item from each of several lists, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush


def best_combinations(values: Sequence[Sequence[float]]) -> Iterator[tuple[int, ...]]:
    """Yields all places of one item of each list, by the sum of their values, the largest first.

    A combination is reached from the one that is better by one place in its last list, so each is reached once.

    >>> list(best_combinations([[0.0, -3.0], [0.0, -1.0]]))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    orders = [sorted(range(len(own)), key=lambda place: -own[place]) for own in values]
    ranked = [[own[place] for place in order] for own, order in zip(values, orders, strict=True)]
    waiting = [(-sum(own[0] for own in ranked), (0,) * len(ranked))]
    while waiting:
        total, ranks = heappop(waiting)
        yield tuple(order[rank] for order, rank in zip(orders, ranks, strict=True))
        last = max((place for place, rank in enumerate(ranks) if rank), default=0)
        for place in range(last, len(ranks)):
            rank = ranks[place]
            if rank + 1 < len(ranked[place]):
                loss = ranked[place][rank] - ranked[place][rank + 1]
                heappush(waiting, (total + loss, (*ranks[:place], rank + 1, *ranks[place + 1 :])))
