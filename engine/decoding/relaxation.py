"""The fewest constraints to remove so that an infeasible request becomes feasible.

Constraints that no translation can meet are always removed. Phrases that are also avoided, and more pieces than the
model can write, leave a choice: the fewest constraints, and of equally few the latest, in the order of the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations

from engine.decoding.constraints import PreparedRequest
from engine.interruption import NEVER, Interrupted, Interruption
from engine.request import Request
from engine.translation import Relaxation

_Item = tuple[str, int]
_FIELDS = ("phrases", "avoid", "prefix", "locked", "suffix")
_MAX_TRIED = 2_000


def smallest_relaxation(
    request: Request, constrain: Callable[[Request], PreparedRequest], interruption: Interruption = NEVER
) -> Relaxation | None:
    """The constraints to remove; None if no removal helps, as with a source that is too long, or if interrupted.

    `constrain` prepares a request; its `obstacles` are empty if the request is feasible. It may raise
    Interrupted.
    """

    def is_feasible(removed: Iterable[_Item]) -> bool:
        interruption.check()
        return not constrain(_without(request, removed)).obstacles

    try:
        return _smallest(_items(request), is_feasible)
    except Interrupted:
        return None


def _smallest(items: list[_Item], is_feasible: Callable[[Iterable[_Item]], bool]) -> Relaxation | None:
    if not is_feasible(items):
        return None
    hopeless = [item for item in items if not is_feasible(other for other in items if other != item)]
    rest = [item for item in reversed(items) if item not in hopeless]  # the latest first
    num_tried = 0
    for size in range(len(rest) + 1):
        for chosen in combinations(rest, size):
            num_tried += 1
            if is_feasible([*hopeless, *chosen]):
                return _relaxation([*hopeless, *chosen])
            if num_tried == _MAX_TRIED:
                return _relaxation(_shrink(items, is_feasible))
    raise AssertionError("removing every constraint was feasible")


def _shrink(items: list[_Item], is_feasible: Callable[[Iterable[_Item]], bool]) -> list[_Item]:
    """A removal of which every part is needed, for requests with too many constraints to try all sets."""
    removed = list(items)
    for item in items:
        fewer = [other for other in removed if other != item]
        if is_feasible(fewer):
            removed = fewer
    return removed


def _items(request: Request) -> list[_Item]:
    """All constraints of a request as (field, index)."""
    found = []
    for name in _FIELDS:
        value = getattr(request, name)
        count = bool(value.strip()) if isinstance(value, str) else len(value)
        found += [(name, number) for number in range(count)]
    return found


def _without(request: Request, removed: Iterable[_Item]) -> Request:
    gone = set(removed)
    return replace(
        request,
        phrases=tuple(phrase for i, phrase in enumerate(request.phrases) if ("phrases", i) not in gone),
        avoid=tuple(avoid for i, avoid in enumerate(request.avoid) if ("avoid", i) not in gone),
        prefix="" if ("prefix", 0) in gone else request.prefix,
        locked=tuple(text for i, text in enumerate(request.locked) if ("locked", i) not in gone),
        suffix="" if ("suffix", 0) in gone else request.suffix,
    )


def _relaxation(removed: Iterable[_Item]) -> Relaxation:
    numbers: dict[str, list[int]] = {name: [] for name in _FIELDS}
    for name, number in sorted(removed):
        numbers[name].append(number)
    return Relaxation(
        phrases=tuple(numbers["phrases"]),
        avoid=tuple(numbers["avoid"]),
        locked=tuple(numbers["locked"]),
        prefix=bool(numbers["prefix"]),
        suffix=bool(numbers["suffix"]),
    )
