"""Pairs of models that translate through a third language: the pairs for a direction, and loading them.

A pair is offered only for a direction that no single model has, and used only if a person chooses it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.errors import CommandError
from app.models.document_direction import language_and_script
from app.models.loading import load_translator
from app.models.published_models import PublishedModels
from app.models.registry import PublishedModel
from app.segments.state import Json
from engine import AnyTranslator, FetchProgress, ModelEntry, offer_of

PIVOT: Final = "pivot"  # the first part of a pair's key
MAX_COMPARED: Final = 200  # directions of a model that takes part; models with more have all pairs by themselves
_SEPARATOR: Final = "|"
_PREFERRED: Final = "en"  # most models have English on one side


@dataclass(frozen=True, slots=True)
class PivotPart:
    """One model of a pair, in one direction: installed in `folder`, or published. `key` is its key once installed."""

    key: str
    name: str
    direction: str
    num_bytes: int
    folder: Path | None = None
    published: PublishedModel | None = None

    @property
    def source(self) -> str:
        """Its source language, as `language_and_script` writes it."""
        return _languages(self.direction)[0]

    @property
    def target(self) -> str:
        """Its target language, in the same way."""
        return _languages(self.direction)[1]


@dataclass(frozen=True, slots=True)
class PivotModel:
    """A pair of models; the second translates what the first has translated."""

    first: PivotPart
    second: PivotPart

    @property
    def parts(self) -> tuple[PivotPart, PivotPart]:
        return self.first, self.second

    @property
    def key(self) -> str:
        """Its name on the page and in the log; valid on every computer that has both models."""
        directions = [part.direction for part in self.parts]
        return _SEPARATOR.join([PIVOT, *directions, *(part.key for part in self.parts)])

    @property
    def name(self) -> str:
        return f"{self.first.name} + {self.second.name}"

    @property
    def direction(self) -> str:
        """From the first one's source language to the second one's target language."""
        return f"{self.first.direction.partition('-')[0]}-{self.second.direction.partition('-')[2]}"

    @property
    def language(self) -> str:
        """The language between."""
        return self.first.direction.partition("-")[2]

    @property
    def is_installed(self) -> bool:
        return all(part.folder is not None for part in self.parts)

    @property
    def num_missing_bytes(self) -> int:
        """The bytes to download."""
        return sum(part.num_bytes for part in self.parts if part.folder is None)

    def entry(self) -> ModelEntry:
        """The pair as an entry of the list of models; its folder is only a name."""
        return ModelEntry(self.name, Path(self.key), "folder", (self.direction,))

    def view(self) -> Json:
        """The pair for the page. All texts come from the models' makers and are untrusted."""
        return {
            "key": self.key,
            "name": self.name,
            "language": self.language,
            "direction": self.direction,
            "num_missing_bytes": self.num_missing_bytes,
            "is_installed": self.is_installed,
            "parts": [
                {
                    "name": part.name,
                    "direction": part.direction,
                    "num_bytes": part.num_bytes,
                    "is_installed": part.folder is not None,
                    "licence": part.published.licence if part.published else "",
                    "licence_text": part.published.licence_text if part.published else "",
                }
                for part in self.parts
            ],
        }

    def load(self, published: PublishedModels, device: str, progress: FetchProgress) -> AnyTranslator:
        """Downloads missing models and loads both. Raises DownloadError or ModelError."""
        from engine import PivotTranslator

        num_all, num_done = self.num_missing_bytes, 0
        folders = []
        for part in self.parts:
            if part.folder is not None:
                folders.append(part.folder)
                continue
            assert part.published is not None

            def on_part(num_bytes: int, num_part: int, done: int = num_done, size: int = part.num_bytes) -> None:
                progress(done + size * num_bytes // max(1, num_part), num_all)

            folders.append(published.install(part.published, on_part))
            num_done += part.num_bytes
        first, second = (load_translator(folder, device, progress) for folder in folders)
        return PivotTranslator(first, second, self.first.direction, self.second.direction)


def routes_through(first: AnyTranslator, second: AnyTranslator) -> dict[str, tuple[str, str]]:
    """The directions of two models one after the other, each with the directions of the first and of the second.

    Raises CommandError if the second one translates from no language into which the first one translates.
    """
    routes: dict[str, tuple[str, str]] = {}
    if max(len(first.directions), len(second.directions)) <= MAX_COMPARED:
        for own in first.directions:
            source, _, between = own.partition("-")
            for other in second.directions:
                begun, _, target = other.partition("-")
                if language_and_script(between) == language_and_script(begun) and _languages(f"{source}-{target}") != (
                    (language_and_script(source),) * 2
                ):
                    routes.setdefault(f"{source}-{target}", (own, other))
    if not routes:
        raise CommandError(
            "{first} translates {own}, and {second} translates {other}: the second model must translate from the "
            "target language of the first one into a third language.",
            first=first.name,
            own=offer_of(first.directions),
            second=second.name,
            other=offer_of(second.directions),
        )
    return routes


class PivotModels:
    """The pairs that can be made of the models on this computer and of those in the list of published models."""

    def __init__(self, entries: Callable[[], Mapping[str, ModelEntry]], published: PublishedModels) -> None:
        """`entries` returns the models on this computer by key."""
        self._entries = entries
        self._published = published

    def find(self, key: str, *, may_download: bool = False) -> PivotModel | None:
        """The pair with this key; None if one of its models is gone. With `may_download`, published models count."""
        kind, *fields = key.split(_SEPARATOR)
        if kind != PIVOT or len(fields) != 4:
            return None
        parts = []
        for direction, part_key in zip(fields[:2], fields[2:], strict=True):
            known = self._installed() if not may_download else [*self._installed(), *self._to_download()]
            found = next((part for part in known if (part.key, part.direction) == (part_key, direction)), None)
            if found is None:
                return None
            parts.append(found)
        return PivotModel(*parts)

    def needs_download(self, key: str) -> bool:
        """True if the pair with this key has a model that is not installed."""
        pair = self.find(key, may_download=True)
        return pair is not None and not pair.is_installed

    def pairs(self) -> dict[str, list[str]]:
        """The targets, by source, for which there are two models but not a single one."""
        parts = self._parts()
        direct = self._direct()
        following: dict[str, set[str]] = {}
        for part in parts:
            following.setdefault(part.source, set()).add(part.target)
        targets: dict[str, set[str]] = {}
        for part in parts:
            for target in following.get(part.target, ()):
                if target != part.source and (part.source, target) not in direct:
                    targets.setdefault(part.source, set()).add(target)
        return {source: sorted(targets[source]) for source in sorted(targets)}

    def best(self, direction: str) -> PivotModel | None:
        """The pair to recommend for two languages; None if a single model has them, or if there are no two models.

        Prefers the pair with the fewest models to download, then English as the language between.
        """
        source, target = _languages(direction)
        if (source, target) in self._direct():
            return None
        parts = self._parts()
        found = (
            PivotModel(first, second)
            for first in parts
            if first.source == source and first.target != target
            for second in parts
            if (second.source, second.target) == (first.target, target)
        )
        return min(found, key=_effort, default=None)

    def offers(self, direction: str, *, is_wanted: bool, in_use: Path) -> Json:
        """The languages that pairs translate, and the recommended pair for this direction or for the first one.

        With `is_wanted`, no other direction is taken. `in_use` names the document's model, which may be a pair.
        """
        pairs = self.pairs()
        found = self.best(direction)
        if found is None and not is_wanted:
            found = next((self.best(f"{source}-{targets[0]}") for source, targets in pairs.items()), None)
        view = None if found is None else found.view() | {"is_current": in_use == Path(found.key)}
        return {"pairs": pairs, "direction": found.direction if found else direction, "pair": view}

    def _parts(self) -> list[PivotPart]:
        """Installed models, then for each other direction the recommended published one."""
        installed = self._installed()
        here = {(part.source, part.target) for part in installed}
        return [*installed, *(part for part in self._to_download() if (part.source, part.target) not in here)]

    def _installed(self) -> list[PivotPart]:
        return [
            PivotPart(key, entry.folder.name, direction, 0, entry.folder)
            for key, entry in self._entries().items()
            if not entry.problem and len(entry.directions) <= MAX_COMPARED
            for direction in entry.directions
        ]

    def _to_download(self) -> list[PivotPart]:
        known = self._published.known()
        best: dict[str, PublishedModel] = {}
        for model in () if known is None else known.models:  # the recommended one of each direction comes first
            best.setdefault(model.direction, model)
        return [
            PivotPart(f"cached/{model.name}", model.name, direction, model.num_bytes, published=model)
            for direction, model in best.items()
        ]

    def _direct(self) -> set[tuple[str, str]]:
        """The languages that a single model translates, installed or published."""
        directions = {direction for entry in self._entries().values() for direction in _usable(entry)}
        directions |= {part.direction for part in self._to_download()}
        return {_languages(direction) for direction in directions}


def _usable(entry: ModelEntry) -> Sequence[str]:
    return () if entry.problem else entry.directions


def _languages(direction: str) -> tuple[str, str]:
    source, _, target = direction.partition("-")
    return language_and_script(source), language_and_script(target)


def _effort(pair: PivotModel) -> tuple[int, bool]:
    """The number of models to download, and whether the language between is not the usual one."""
    return sum(part.folder is None for part in pair.parts), language_and_script(pair.language) != _PREFERRED
