"""The best combinations of one item from each of several lists, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush


def best_combinations(values: Sequence[Sequence[float]]) -> Iterator[tuple[int, ...]]:
    """Yields all places of one item of each list, by the sum of their values, the largest first.

    Lists come in the order of the loss from their first to their second item. A combination has at most three next
    ones: one place further in the list that was changed last; the second item of the next list; and the latter instead
    of the second item of the list that was changed last. So each is reached once, and few wait.

    >>> list(best_combinations([[0.0, -3.0], [0.0, -1.0]]))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    orders = [sorted(range(len(own)), key=lambda place: -own[place]) for own in values]
    ranked = [[own[place] for place in order] for own, order in zip(values, orders, strict=True)]
    total, ranks = -sum(own[0] for own in ranked), (0,) * len(ranked)
    yield tuple(order[0] for order in orders)
    loss_of = {number: own[0] - own[1] for number, own in enumerate(ranked) if len(own) > 1}
    lists = sorted(loss_of, key=loss_of.__getitem__)
    waiting: list[tuple[float, tuple[int, ...], int]] = []

    def wait(total: float, ranks: tuple[int, ...], place: int, rank: int) -> None:
        """Lets the combination wait that has another item of a list, which is there."""
        number = lists[place]
        total += ranked[number][rank - 1] - ranked[number][rank]
        heappush(waiting, (total, (*ranks[:number], rank, *ranks[number + 1 :]), place))

    if lists:
        wait(total, ranks, 0, 1)
    while waiting:
        total, ranks, place = heappop(waiting)
        yield tuple(order[rank] for order, rank in zip(orders, ranks, strict=True))
        number = lists[place]
        rank = ranks[number]
        if rank + 1 < len(ranked[number]):
            wait(total, ranks, place, rank + 1)
        if place + 1 < len(lists):
            wait(total, ranks, place + 1, 1)
            if rank == 1:
                without = (*ranks[:number], 0, *ranks[number + 1 :])
                wait(total - loss_of[number], without, place + 1, 1)
