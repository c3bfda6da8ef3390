"""The models on this machine, bundled or converted earlier, and the families that can be loaded by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from engine.bundled_data import DATA_FOLDER
from engine.errors import ModelError
from engine.importers.hub import hub_id_and_file, is_hub_id
from engine.importers.hub_cache import folder_of, hub_id_of, remove_downloaded
from engine.importers.hub_gguf import hub_name_of_gguf, path_of, remove_gguf
from engine.importers.language_models import LanguageModelFiles, files_of_folder, files_of_gguf
from engine.importers.resolve import (
    REMOVED,
    REPLACED,
    cache_folder,
    finish_removals,
    holds_model,
    is_gguf,
    remove_whole,
    restore_replaced,
)
from engine.model.checkpoint import CARD, CONFIG, ORIGIN, WEIGHTS
from engine.model.config import ModelConfig
from engine.model.json_files import leads_out, read_json_file
from engine.model.memory_check import available_bytes, needed_bytes, num_weights

BUNDLED_MODELS = DATA_FOLDER / "models"
BUNDLED_MODEL = BUNDLED_MODELS / "en-de"
Place = Literal["bundled", "cached", "folder"]


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model on this machine.

    `name` can be passed to `Translator.load`, like the folder: the hub id, or the folder from which it was converted;
    the folder's own name if both are unknown. `num_bytes` is the size of all its files, `needed_bytes` the memory that
    loading takes. `family` is the architecture of a model that is asked by a prompt, such as a language model; "" for
    our own format. `licence` is empty if the files name none. `domains` and, by direction, `formalities` can be
    requested (`ModelConfig`). `problem` is the reason why the model cannot be loaded; then the other fields are empty.
    """

    name: str
    folder: Path
    place: Place
    directions: Sequence[str] = ()
    num_parameters: int = 0
    num_bytes: int = 0
    problem: str = ""
    domains: tuple[str, ...] = ()
    formalities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    needed_bytes: int = 0
    family: str = ""
    licence: str = ""

    def check_memory(self, device: str = "cpu") -> None:
        """Raises ModelError, with the size of a model that fits, if a language model does not fit into memory now."""
        if (files := _files_of(self.folder)) is not None:
            files.check_memory(available_bytes(device))

    @property
    def card(self) -> str:
        """The model card; empty without a card, or if it is a link to a file elsewhere."""
        try:
            if leads_out(self.folder, self.folder / CARD):
                return ""
            return (self.folder / CARD).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """Models of one architecture that can be loaded. `pattern` is their hub id or folder, `example` is one."""

    name: str
    architecture: str
    pattern: str
    example: str
    directions: str


FAMILIES = (
    ModelFamily(
        "OPUS-MT",
        "MarianMT",
        "Helsinki-NLP/opus-mt-SOURCE-TARGET",
        "Helsinki-NLP/opus-mt-en-de",
        "over 1,000 pairs of languages; also groups: opus-mt-en-ROMANCE has en-fr, en-es and more",
    ),
    ModelFamily(
        "OPUS-MT of the Tatoeba challenge",
        "MarianMT",
        "Helsinki-NLP/opus-mt-tc-big-SOURCE-TARGET",
        "Helsinki-NLP/opus-mt-tc-big-en-fr",
        "hundreds of pairs, larger and later models",
    ),
    ModelFamily(
        "NLLB",
        "M2M100",
        "facebook/nllb-200-SIZE",
        "facebook/nllb-200-distilled-600M",
        "any two of 202 languages; not for commercial use",
    ),
    ModelFamily(
        "WMT19 news translation",
        "FSMT",
        "facebook/wmt19-SOURCE-TARGET",
        "facebook/wmt19-en-de",
        "en-de, de-en, en-ru, ru-en",
    ),
    ModelFamily("M2M100", "M2M100", "facebook/m2m100_SIZE", "facebook/m2m100_418M", "any two of 100 languages"),
    ModelFamily(
        "fairseq",
        "fairseq",
        "FOLDER with model.pt or checkpoint_best.pt",
        "wmt19.en-de.joined-dict.single_model",
        "the language pair of dict.SOURCE.txt and dict.TARGET.txt beside it",
    ),
    ModelFamily(
        "Firefox Translations",
        "Bergamot",
        "FOLDER with model.XXYY.intgemm.alphas.bin",
        "models/en-pt",
        "the language pair in the file name; small models, most with English on one side",
    ),
)


def known_models(bundled: Path = BUNDLED_MODELS, cache: Path | None = None) -> list[ModelEntry]:
    """The bundled models, then the cached ones by name; damaged ones are listed with their problem."""
    entries = [describe_model(folder, "bundled") for folder in _folders(bundled)]
    return entries + sorted(
        (describe_model(folder, "cached") for folder in _folders(cache or cache_folder())), key=lambda entry: entry.name
    )


def remove_model(name: str) -> list[ModelEntry]:
    """Remove all cached models of that name, including conversions of older files, and return them.

    Of a model of the hub, the last entry is what Pinpoint downloaded.
    Raises ModelError if the model does not exist, or if a file cannot be removed.
    """
    names = (name, str(Path(name).resolve()))
    parent = cache_folder()
    found = [
        entry for entry in (describe_model(folder, "cached") for folder in _folders(parent)) if entry.name in names
    ]
    for entry in found:
        try:
            remove_whole(entry.folder)
        except OSError as error:
            raise ModelError(f"{entry.folder} cannot be removed ({error}); end the programs that use it") from error
    if is_hub_id(name) and (freed := _remove_downloaded(name)):
        hub_id, file = hub_id_and_file(name)
        found.append(ModelEntry(name, path_of(hub_id, file) if file else folder_of(hub_id), "cached", num_bytes=freed))
    if not found:
        raise ModelError(
            f"no model {name} is in {parent}; `python -m engine models` lists those that are, and only what was "
            "converted, or downloaded by Pinpoint, can be removed"
        )
    return found


def remove_download(path: Path) -> int:
    """Remove what Pinpoint downloaded of the model in a folder or GGUF file; returns the bytes that became free.

    Files that Pinpoint did not download stay. Raises ModelError if a file cannot be removed.
    """
    name = hub_name_of(path)
    is_download = bool(name) and (hub_name_of_gguf(path) or folder_of(hub_id_of(path)) in path.parents)
    return _remove_downloaded(name) if is_download else 0


def _remove_downloaded(name: str) -> int:
    try:
        hub_id, file = hub_id_and_file(name)
        return remove_gguf(hub_id, file) if file else remove_downloaded(hub_id)
    except OSError as error:
        raise ModelError(f"{error.filename} cannot be removed ({error}); end the programs that use it") from error


def _folders(parent: Path) -> list[Path]:
    try:
        restore_replaced(parent)
        finish_removals(parent)
        return sorted(path for path in parent.iterdir() if path.is_dir() and not _is_unfinished(path))
    except OSError:  # the cache does not exist
        return []


def _is_unfinished(folder: Path) -> bool:
    """True if a folder is a model that is being installed, replaced or removed."""
    return folder.suffix in (".partial", REPLACED) or folder.name.startswith(REMOVED)


def read_card(folder: Path) -> str:
    """The text of a model's card, empty without one; ModelError if it cannot be read."""
    try:
        return (folder / CARD).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{folder / CARD} cannot be read ({error}); remove it or copy it again") from error


def describe_model(folder: Path, place: Place = "folder") -> ModelEntry:
    """The entry of one model, read from its files; `folder` may be a GGUF file."""
    try:
        if (files := _files_of(folder)) is not None:
            return ModelEntry(
                hub_name_of(folder) or (folder.stem if is_gguf(folder) else folder.name),
                folder,
                place,
                files.directions,
                files.num_weights,
                files.num_bytes,
                needed_bytes=files.needed_bytes,
                family=files.family,
                licence=files.licence,
            )
    except (ModelError, OSError) as error:
        return ModelEntry(folder.name, folder, place, problem=str(error))
    name = origin_of(folder) or folder.name
    try:
        config = ModelConfig.load(folder / CONFIG)
        return ModelEntry(
            name,
            folder,
            place,
            config.directions,
            num_weights(folder / WEIGHTS),
            sum(path.stat().st_size for path in folder.iterdir() if path.is_file()),
            domains=config.domains,
            formalities=config.formalities,
            needed_bytes=needed_bytes(folder / WEIGHTS),
        )
    except (ModelError, OSError) as error:
        return ModelEntry(name, folder, place, problem=str(error))


def hub_name_of(path: Path) -> str:
    """The name by which a folder or GGUF file was downloaded from the hub, "" for others."""
    if is_gguf(path):
        return hub_name_of_gguf(path) or (f"{hub_id}/{path.name}" if (hub_id := hub_id_of(path.parent)) else "")
    return hub_id_of(path)


def _files_of(path: Path) -> LanguageModelFiles | None:
    """The facts of a model that is asked by a prompt; None for one of our own format."""
    if is_gguf(path) and path.is_file():
        return files_of_gguf(path)
    return files_of_folder(path) if holds_model(path) else None


def origin_of(folder: Path) -> str:
    """The name that a cached model was converted from, or an empty string."""
    try:
        return str(read_json_file(folder / ORIGIN)["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
