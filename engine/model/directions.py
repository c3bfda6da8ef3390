"""Directions: "en-de", and all pairs of the languages of a model that translates between many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload


class Directions(Sequence[str]):
    """Every pair of two of `languages`, in order: "en-de", "en-fr", ..., "de-en", .... The list is never built.

    `codes` are other names of the same languages, one each, that are understood in a direction.
    """

    def __init__(self, languages: Sequence[str], codes: Sequence[str] = ()) -> None:
        self.languages = tuple(languages)
        self._name_of = {name: name for name in languages}
        for code, name in zip(codes, languages, strict=False):
            self._name_of.setdefault(code, name)

    def __len__(self) -> int:
        return len(self.languages) * (len(self.languages) - 1)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        source, target = divmod(index % len(self), len(self.languages) - 1)
        return f"{self.languages[source]}-{self.languages[target + (target >= source)]}"

    def __iter__(self) -> Iterator[str]:
        return (self[place] for place in range(len(self)))

    def __contains__(self, direction: object) -> bool:
        if not isinstance(direction, str):
            return False
        source, target = (self._name_of.get(name) for name in languages_of(direction))
        return source is not None and target is not None and source != target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Directions) and self._name_of == other._name_of

    def __hash__(self) -> int:
        return hash(self.languages)

    def __repr__(self) -> str:
        return f"Directions({len(self.languages)} languages)"


def languages_of(direction: str) -> tuple[str, str]:
    """Source and target language of a direction; empty if it names none."""
    source, _, target = direction.partition("-")
    return source, target


def offer_of(directions: Sequence[str]) -> str:
    """The directions of a model, as text for a person.

    >>> offer_of(("en-de", "de-en"))
    'en-de, de-en'
    >>> offer_of(Directions(("en", "de", "fr")))
    'between any two of en, de, fr: "en-de"'
    """
    if isinstance(directions, Directions):
        return f'between any two of {", ".join(directions.languages)}: "{directions[0]}"'
    return ", ".join(directions)
