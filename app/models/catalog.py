"""The catalog of models: those on this computer, those that can be downloaded, and pairs of both.

A page, a session and the log name a model by its key, never by path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from app.errors import CommandError
from app.models.document_direction import has_same_languages
from app.models.loading import ModelHandle
from app.models.opened_models import OPENED, OpenedModels
from app.models.pivot_models import MAX_COMPARED, PivotModels
from app.models.published_models import ModelList, PublishedModels, licence_of
from app.models.speeds import MeasuredSpeeds
from app.models.style import formalities_of
from app.segments.state import Json
from engine import ModelEntry, describe_model, is_hub_id, remove_download, remove_model

MAX_CARD_CHARACTERS: Final = 50_000
MAX_DIRECTIONS: Final = 6  # that a page shows
FIRST: Final = "first"  # the key of the start model, where it is not in the list of known models
HUB: Final = "hub/"  # prefix of the key of a downloaded model; the hub id follows


class ModelCatalog:
    """The models that a document can use, and their descriptions for the page. Thread-safe."""

    def __init__(
        self,
        loaded: Callable[[], Sequence[ModelHandle]],
        known: Callable[[], list[ModelEntry]],
        published: PublishedModels,
        opened: OpenedModels,
    ) -> None:
        """`loaded` returns the models that are loaded or loading, the start model first; `known` the installed ones."""
        self._loaded = loaded
        self._known = known
        self._speeds = MeasuredSpeeds()
        self.opened = opened
        self.published = published
        self.pivots = PivotModels(self.entries, published)

    def entries(self) -> dict[str, ModelEntry]:
        """All known models by key."""
        entries = {f"{entry.place}/{entry.folder.name}": entry for entry in self._known()} | self.opened.entries()
        folders = {entry.folder for entry in entries.values()}
        first, *others = self._loaded()
        for handle in others:
            if handle.loaded_from is not None and handle.loaded_from not in folders:
                name = handle.folder.as_posix()
                entries[HUB + name] = replace(describe_model(handle.loaded_from, "cached"), name=name)
        if first.loaded_from is not None and first.loaded_from not in folders:
            return {FIRST: describe_model(first.loaded_from), **entries}
        return entries

    def find(self, key: str) -> ModelEntry | None:
        """The entry of a model or of a pair of models; None if a model no longer exists."""
        pair = self.pivots.find(key)
        return self.entries().get(key) if pair is None else pair.entry()

    def entry(self, key: str) -> ModelEntry:
        """The entry of a model. Raises CommandError if it no longer exists or cannot be loaded."""
        entry = self.find(key)
        if entry is None:
            raise CommandError("This model was removed: open the list of models again.")
        if entry.problem:
            raise CommandError(entry.problem)
        return entry

    def converted_from(self, name: str) -> str | None:
        """The key of a hub model that was converted before and can be loaded; None without one."""
        entries = self.entries().items()
        return next((key for key, entry in entries if entry.name == name and not entry.problem), None)

    def measure_speeds(self) -> None:
        """Keeps how fast the loaded models answer."""
        self._speeds.measure(self._loaded())

    def is_removable(self, key: str, entry: ModelEntry) -> bool:
        """True if Pinpoint installed the model, or it was opened by its path."""
        return key.startswith(OPENED) or (entry.place == "cached" and not key.startswith(HUB))

    def remove(self, key: str, entry: ModelEntry) -> int:
        """Removes a model from this computer; returns the bytes that became free.

        Of one that was opened by its path, the files stay unless Pinpoint downloaded them. Raises ModelError if a file
        cannot be removed.
        """
        if key.startswith(OPENED):
            freed = remove_download(entry.folder)
            self.opened.forget(key)
        else:
            freed = sum(removed.num_bytes for removed in remove_model(entry.name))
        self._speeds.forget(entry)
        return freed

    def keep(self, handle: ModelHandle) -> None:
        """Keeps a language model of the hub in the list: it is used from the hub's cache, without a conversion."""
        folder = handle.loaded_from
        if folder is not None and is_hub_id(handle.folder.as_posix()) and describe_model(folder).family:
            self.opened.keep(folder)

    def key_of(self, handle: ModelHandle) -> str:
        """The key by which a session stores the model; "" if it is in none of the lists."""
        name = handle.folder.as_posix()
        if self.pivots.find(name) is not None:
            return name
        entries = self.entries().items()
        return next((key for key, entry in entries if handle.is_loaded_from(entry.folder)), "")

    def offers(self, direction: str, current: ModelHandle) -> list[Json]:
        """The models that a document of this direction can choose, and whether `current` is one of them.

        All texts come from the models' makers and are untrusted.
        """
        self.measure_speeds()
        entries = self.entries()
        return [
            {
                "key": key,
                "name": entry.name,
                "place": entry.place,
                "directions": list(entry.directions[:MAX_DIRECTIONS]),
                "num_directions": len(entry.directions),
                "num_parameters": entry.num_parameters,
                "num_bytes": entry.num_bytes,
                "formalities": formalities_of(entry, direction),
                "domains": list(entry.domains),
                "problem": entry.problem,
                "card": entry.card[:MAX_CARD_CHARACTERS],
                "needed_bytes": entry.needed_bytes,
                "family": entry.family,
                "licence": entry.licence or licence_of(entry.folder),
                **self._speeds.view(entry, entries.values()),
                "is_removable": self.is_removable(key, entry),
                "is_current": current.is_loaded_from(entry.folder),
                "is_fit": not entry.problem and direction in entry.directions,
            }
            for key, entry in entries.items()
        ]

    def offers_to_download(self, direction: str | None, own_direction: str, *, is_update: bool) -> Json:
        """The published models for a direction, the recommended one first; by default the document's own.

        Uses the network only with `is_update`; then raises DownloadError if the list cannot be read. `read_at` is
        empty if the list was never read.
        """
        found = self.published.update() if is_update else self.published.known()
        known = ModelList((), "") if found is None else found
        asked = direction or own_direction
        offered = list(dict.fromkeys(model.direction for model in known.models))
        chosen = asked if direction else next((d for d in offered if has_same_languages(d, asked)), asked)
        installed = {entry.folder.name: key for key, entry in self.entries().items() if not entry.problem}
        return {
            "address": self.published.address,
            "read_at": known.read_at,
            "direction": chosen,
            "directions": offered,
            "models": [
                {
                    "name": model.name,
                    "title": model.title,
                    "direction": model.direction,
                    "num_bytes": model.num_bytes,
                    "num_parameters": model.num_parameters,
                    "num_here": self.published.num_here(model),
                    "quality": dict(model.quality),
                    "licence": model.licence,
                    "licence_text": model.licence_text,
                    "is_released": model.is_released,
                    "is_recommended": number == 0,
                    "is_installed": model.name in installed,
                }
                for number, model in enumerate(known.of_languages(chosen))
            ],
        }

    def offers_of_pairs(self, direction: str | None, own_direction: str, current: ModelHandle) -> Json:
        """The directions that two models have through a language between, and the pair to recommend for one of them.

        By default this is the document's own, or else the first.
        """
        wanted = direction or own_direction
        offers = self.pivots.offers(wanted, is_wanted=direction is not None, in_use=current.folder)
        if offers["pair"]:
            offers["pair"]["is_fit"] = offers["pair"]["direction"] == own_direction
        return offers

    def best_installed(self, direction: str) -> str:
        """The key of the largest translation model for a direction beside the bundled ones; "" without one.

        Language models do not count: their size says little about their translations.
        """
        found = [
            (entry.num_parameters, key)
            for key, entry in self.entries().items()
            if entry.place != "bundled" and not entry.problem and not entry.family and direction in entry.directions
        ]
        return max(found, default=(0, ""))[1]

    def suggestion(self, direction: str, *, is_needed: bool) -> Json | None:
        """The recommended published model for a direction that no installed model has, without using the network.

        With `is_needed` false, the bundled models do not count as installed. `title` is empty while the list was never
        read. None if an installed model has the direction, or where the list has nothing beside a bundled one.
        """
        for entry in self.entries().values():
            is_counted = not entry.problem and (is_needed or entry.place != "bundled")
            if is_counted and _has_direction(entry.directions, direction):
                return None
        known = self.published.known()
        found = [] if known is None else known.of_languages(direction)
        if known is not None and not found and not is_needed:
            return None
        best = found[0] if found else None
        title, num_bytes, pivot = (best.title, best.num_bytes, "") if best else ("", 0, "")
        if not found and is_needed and (pair := self.pivots.best(direction)) is not None:
            title, num_bytes, pivot = pair.name, pair.num_missing_bytes, pair.language
        return {
            "direction": direction,
            "name": best.name if best else "",
            "title": title,
            "num_bytes": num_bytes,
            "licence": best.licence if best else "",
            "pivot": pivot,
            "is_needed": is_needed,
        }


def _has_direction(directions: Sequence[str], direction: str) -> bool:
    if len(directions) > MAX_COMPARED:
        return direction in directions
    return any(has_same_languages(offered, direction) for offered in directions)
