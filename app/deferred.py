"""A sequence that is computed when it is first read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar, overload

T_co = TypeVar("T_co", covariant=True)


class Deferred(Sequence[T_co]):
    """What a pure function returns for these arguments; two with the same function and arguments are equal.

    A large document has terms and numbers in thousands of segments, of which a person opens a few.
    """

    __slots__ = ("_asked", "_found")

    def __init__(self, compute: Callable[..., Sequence[T_co]], *arguments: Hashable) -> None:
        self._asked = compute, arguments
        self._found: tuple[T_co, ...] | None = None

    @property
    def _items(self) -> tuple[T_co, ...]:
        if self._found is None:  # two threads may find the same
            compute, arguments = self._asked
            self._found = tuple(compute(*arguments))
        return self._found

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> T_co: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[T_co, ...]: ...

    def __getitem__(self, index: int | slice) -> T_co | tuple[T_co, ...]:
        return self._items[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Deferred):
            return self._asked == other._asked or self._items == other._items
        return self._items == other

    def __hash__(self) -> int:
        return hash(self._items)
