"""The command `models`: lists, downloads, installs and removes translation models."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from app.errors import DownloadError
from app.i18n import counted
from app.models.local_models import install_from_disk
from app.models.pivot_models import PivotModels
from app.models.published_models import ModelList, PublishedModels
from app.models.registry import PublishedModel
from app.models.speeds import MeasuredSpeeds
from app.settings import DEFAULT_MODEL_REGISTRY, REGISTRY_VARIABLE, check_registry
from engine import ModelEntry, is_hub_id, known_models, model_folder, remove_model

_SHOWN_EVERY_SECONDS = 0.5


def models(flags: argparse.Namespace) -> int:
    """Lists the models, or installs or removes one; the exit status."""
    if flags.remove:
        for entry in remove_model(flags.remove):
            print(f"removed {entry.name}: {entry.folder}, {entry.num_bytes / 1e6:.0f} MB")
        return 0
    address = flags.model_registry or os.environ.get(REGISTRY_VARIABLE) or DEFAULT_MODEL_REGISTRY
    try:
        published = PublishedModels(check_registry(address))
    except ValueError as error:
        raise DownloadError(str(error)) from None
    published.clean()
    if flags.install:
        print(_install(published, flags.install))
        return 0
    found = published.known()
    if flags.update or (flags.direction and found is None):
        found = published.update()
    offered = [] if found is None else _offered(found, flags.direction)
    installed = known_models()
    if flags.json:
        for entry in installed:
            print(json.dumps(_installed_record(entry), ensure_ascii=False))
        for model in offered:
            print(json.dumps(_published_record(model, address), ensure_ascii=False))
        return 0
    _print_installed(installed)
    _print_published(found, offered, flags.direction, address)
    if flags.direction:
        by_key = {f"{entry.place}/{entry.folder.name}": entry for entry in installed}
        print("\n".join(pair_lines(PivotModels(lambda: by_key, published), flags.direction)))
    return 0


def _install(published: PublishedModels, wanted: str) -> Path:
    """Installs a model by its name in the list, hub id, folder or file; returns its folder."""
    if Path(wanted).exists():
        return install_from_disk(Path(wanted))
    progress = _Progress()
    if is_hub_id(wanted):
        return model_folder(wanted, progress)
    found = published.known() or published.update()
    model = found.find(wanted)
    if model is None:
        raise DownloadError(
            "{wanted} is not a published model, hub id, folder or file. `pinpoint models --direction en-de` lists "
            "the models of a language pair.",
            wanted=wanted,
        )
    print(f"{model.title}: licence {model.licence}, from {model.files[0].url.rpartition('/')[0]}", file=sys.stderr)
    return published.install(model, progress)


def pair_lines(pairs: PivotModels, direction: str) -> list[str]:
    """Two models that translate through another language; empty if a single one has the direction, or none can."""
    pair = pairs.best(direction)
    if pair is None:
        return []
    names = [
        f"{part.name} ({'installed' if part.folder else f'{part.num_bytes / 1e6:.0f} MB to download'})"
        for part in pair.parts
    ]
    return [f"  two models, through {pair.language}: {names[0]}, then {names[1]}"]


class _Progress:
    """Prints the percentage that was received, now and then, on standard error."""

    def __init__(self) -> None:
        self._shown_at = time.monotonic()

    def __call__(self, num_bytes: int, num_all: int) -> None:
        now = time.monotonic()
        if now - self._shown_at >= _SHOWN_EVERY_SECONDS and num_all > 1:
            self._shown_at = now
            print(f"{100 * num_bytes // num_all} % of {num_all / 1e6:.1f} MB", file=sys.stderr, flush=True)


def _offered(found: ModelList, direction: str | None) -> list[PublishedModel]:
    return list(found.models) if direction is None else found.of_languages(direction)


def _print_installed(entries: list[ModelEntry]) -> None:
    speeds = MeasuredSpeeds().all()
    print("on this computer:")
    for entry in entries:
        speed = speeds.get(entry.folder.name)
        facts = [
            ", ".join(entry.directions[:4]) + (" …" if len(entry.directions) > 4 else ""),
            f"{entry.num_bytes / 1e6:.0f} MB",
            "" if speed is None else f"{speed:.0f} ms per translation on this computer",
        ]
        print(f"  {entry.name}  " + (f"broken: {entry.problem}" if entry.problem else ", ".join(filter(None, facts))))


def _print_published(
    found: ModelList | None, offered: list[PublishedModel], direction: str | None, address: str
) -> None:
    if found is None:
        print("\nmodels that can be downloaded: not known yet; use --update or --direction en-de to read the list from")
        print(f"  {address}")
        return
    installed = {entry.folder.name for entry in known_models()}
    print(f"\nto download with --install NAME (list of {found.read_at[:10]} from {address}):")
    if direction is None:
        directions = list(dict.fromkeys(model.direction for model in offered))
        numbers = f"{counted(len(offered), 'model')} for {counted(len(directions), 'language pair')}"
        print(f"  {numbers}; --direction en-de shows the models for one pair:")
        print("  " + " ".join(directions))
        return
    for number, model in enumerate(offered):
        marks = [
            "recommended" if number == 0 else "",
            "installed" if model.name in installed else "",
            "" if model.is_released else "not released",
        ]
        quality = ", ".join(f"{name} {value:g}" for name, value in model.quality.items())
        facts = [f"{model.num_bytes / 1e6:.0f} MB", quality, model.licence, *marks]
        print(f"  {model.name}  " + ", ".join(filter(None, facts)))
    if not offered:
        print(f"  none for {direction}; OPUS-MT may have one: --install Helsinki-NLP/opus-mt-{direction}")


def _installed_record(entry: ModelEntry) -> dict[str, object]:
    return {
        "kind": "installed",
        "name": entry.name,
        "folder": str(entry.folder),
        "directions": list(entry.directions[:100]),
        "num_bytes": entry.num_bytes,
        "median_ms": MeasuredSpeeds().all().get(entry.folder.name),
        "problem": entry.problem,
    }


def _published_record(model: PublishedModel, address: str) -> dict[str, object]:
    return {
        "kind": "published",
        "name": model.name,
        "direction": model.direction,
        "num_bytes": model.num_bytes,
        "num_parameters": model.num_parameters,
        "quality": dict(model.quality),
        "licence": model.licence,
        "is_released": model.is_released,
        "registry": address,
    }
