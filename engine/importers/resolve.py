"""Finds or creates the model folder for a name: one of our folders, a folder of another family, or a hub id.

A folder of another family is converted once; the result stays in the cache (`PINPOINT_CACHE`, or `~/.cache/pinpoint` by
default).
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.bundled_data import user_cache
from engine.errors import ModelError
from engine.importers.foreign_files import flush, is_fairseq, is_firefox, read_json, remove_abandoned
from engine.importers.hub import FetchProgress, cached_files, fetch, hub_id_and_file, is_hub_id
from engine.importers.hub_gguf import gguf_of_hub
from engine.importers.language_models import check_needs_no_code, files_of_folder
from engine.model.checkpoint import CARD, CONFIG, ORIGIN, WEIGHTS
from engine.model.config import KIND, ModelConfig
from engine.model.json_files import leads_out
from engine.model.memory_check import num_weights

if TYPE_CHECKING:
    import torch

    from engine.importers.conversion import Plan

REPLACED = ".replaced"  # the ending of a model while another one takes its place
REMOVED = ".removed-"  # the beginning of the name of a model while it is removed
_CONVERTER_VERSION = 2
_HUB_FAMILIES = ("marian", "m2m_100", "fsmt")  # model_type in config.json


def cache_folder() -> Path:
    """The folder of converted models."""
    return user_cache() / "models"


def model_folder(name: str | Path, on_fetch: FetchProgress | None = None) -> Path:
    """The folder to load for a folder or a hub id, downloaded and converted if necessary; or a GGUF file.

    `on_fetch` receives the progress of downloads; it cancels them by raising. Raises ModelError with what is missing
    and the cure.
    """
    folder = Path(name)
    if is_gguf(folder) and folder.exists():
        return folder.absolute()  # not resolved: a prompt file may be beside a link
    if folder.exists():
        return _converted(folder, str(folder.resolve()))
    if len(folder.parts) == 1 and _has_weights(installed := cache_folder() / folder):
        return installed
    hub_id = folder.as_posix()
    if is_gguf(folder) and not (is_hub_id(hub_id) and hub_id_and_file(hub_id)[1]):
        raise ModelError(f"{name} is not a file; give the path of a GGUF file, or MAKER/MODEL/FILE.gguf of the hub")
    if not is_hub_id(hub_id):
        raise ModelError(
            f"{name} is not a folder; give the folder that contains {CONFIG} and {WEIGHTS}, or a hub id such as "
            "Helsinki-NLP/opus-mt-en-de"
        )
    hub_id, file = hub_id_and_file(hub_id)
    if file:
        return gguf_of_hub(hub_id, file, on_fetch)
    check = partial(_check_kind, hub_id)
    if (cached := cached_files(hub_id)) is None:
        return _converted(fetch(hub_id, check, on_fetch), hub_id)
    try:
        return _converted(cached, hub_id)
    except ModelError as error:
        try:
            fetched = fetch(
                hub_id, partial(_check_kind, hub_id), on_fetch
            )  # another program may have left an incomplete copy
        except ModelError as another:
            raise error from another
    return _converted(fetched, hub_id)


def _converted(folder: Path, origin: str) -> Path:
    """The folder itself if it is one of ours or of transformers, otherwise its conversion, made if necessary."""
    if not folder.is_dir():
        raise ModelError(f"{folder} is not a folder; give the folder that contains {CONFIG} and {WEIGHTS}")
    if architecture_of(folder) is None:
        return folder
    if holds_model(folder):
        files_of_folder(folder)  # raises ModelError if it is not safe, or not complete
        return folder
    target = cache_folder() / f"{Path(origin).name}-{_fingerprint(folder)}"
    if target.is_dir() and not _has_weights(target):
        shutil.rmtree(target, ignore_errors=True)
    if not target.is_dir():
        print(f"converting {folder} once, to {target}", file=sys.stderr)
        convert_folder(folder, target, origin=origin)
    return target


def _has_weights(target: Path) -> bool:
    """True if a converted model has all its weights, which another program may have removed or truncated."""
    try:
        return num_weights(target / WEIGHTS) > 0
    except ModelError:
        return False


def install_model(folder: Path, name: str, texts: Mapping[str, str] | None = None) -> Path:
    """Convert or copy a model folder into the cache under `name`, and return its place there.

    `texts` are further files of the model by name, such as its licence. The model is written to a temporary folder
    first, so it is installed with all these files or not at all. An installed model of the same name is replaced.
    Raises ModelError.
    """
    target = cache_folder() / name
    new, old = target.with_name(f"{name}.{secrets.token_hex(8)}.partial"), target.with_name(name + REPLACED)
    try:
        restore_replaced(target.parent)
        remove_abandoned(target)
        if not folder.is_dir():
            raise ModelError(f"{folder} is not a folder; give the folder that contains the files of a model")
        if architecture_of(folder) is None:
            _check_own(folder)
            shutil.copytree(folder, new, ignore=_foreign_cards)
        else:
            convert_folder(folder, new, origin=name)
        for file, text in {ORIGIN: json.dumps({"name": name}) + "\n", **(texts or {})}.items():
            (new / file).write_text(text, encoding="utf-8", newline="\n")
        flush(new)
        if target.exists():
            target.rename(old)
        new.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise ModelError(f"{target} cannot be written ({error}); free disk space, or set PINPOINT_CACHE") from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
        restore_replaced(target.parent)
    return target


def restore_replaced(cache: Path) -> None:
    """Restore models whose replacement failed or was killed before the new model was in place."""
    for old in cache.glob("*" + REPLACED):
        target = old.with_name(old.name.removesuffix(REPLACED))
        with suppress(OSError):
            if target.exists():
                shutil.rmtree(old)
            else:
                old.rename(target)


def remove_whole(folder: Path) -> None:
    """Remove a model in one step. If the program is killed, the next removal or listing of models removes the rest.

    Raises OSError if the folder cannot be moved; then nothing is removed.
    """
    removed = folder.with_name(f"{REMOVED}{secrets.token_hex(8)}")
    folder.rename(removed)
    finish_removals(folder.parent)


def finish_removals(cache: Path) -> None:
    """Remove the files of models that were removed, as far as this is possible now."""
    for removed in cache.glob(f"{REMOVED}*"):
        shutil.rmtree(removed, ignore_errors=True)


def _foreign_cards(folder: str, names: list[str]) -> list[str]:
    """The card, if it is a link to a file outside of the folder: the page would show that file."""
    return [name for name in names if name == CARD and leads_out(Path(folder), Path(folder) / name)]


def _check_own(folder: Path) -> None:
    """Raise ModelError for a folder that does not contain a model of ours."""
    ModelConfig.load(folder / CONFIG)
    num_weights(folder / WEIGHTS)


def architecture_of(folder: Path) -> str | None:
    """The hub's name for the architecture of a folder's model; None for our own format, or without a model.

    The name is "fairseq" for a folder in the format of fairseq, and "firefox" for a model of Firefox Translations.
    """
    if is_firefox(folder):
        return "firefox"
    if is_fairseq(folder):
        return "fairseq"
    try:
        found = read_json(folder / CONFIG).get("model_type")
    except ModelError:  # the error of loading is more specific
        return None
    return found if isinstance(found, str) else None


def holds_model(folder: str | Path) -> bool:
    """True if this is a folder of a model of transformers that Pinpoint does not convert to its own format."""
    folder = Path(folder)
    architecture = architecture_of(folder) if folder.is_dir() else None
    return architecture is not None and architecture not in (*_HUB_FAMILIES, "fairseq", "firefox")


def is_gguf(path: str | Path) -> bool:
    """True if this is the path of a model file of llama.cpp."""
    return Path(path).suffix.lower() == ".gguf"


def convert_folder(folder: Path, target: Path, dtype: torch.dtype | None = None, origin: str = "") -> None:
    """Write a foreign model as a model folder of ours, whole or not at all; raises ModelError with the cure.

    The weights have 16 bits unless `dtype` is another type.
    """
    from engine.importers.conversion import convert  # with PyTorch, which reading our own folders does not need

    convert(folder, target, _plan(folder), dtype, origin)


def _plan(folder: Path) -> Plan:
    """The conversion of a folder of another family. Raises ModelError with the wrong file and a solution."""
    from engine.importers.fairseq import plan_fairseq
    from engine.importers.firefox import plan_firefox
    from engine.importers.fsmt import plan_fsmt
    from engine.importers.m2m100 import plan_m2m100
    from engine.importers.marian import plan_marian

    architecture = architecture_of(folder)
    if architecture == "fairseq":
        return plan_fairseq(folder)
    if architecture == "firefox":
        return plan_firefox(folder)
    if architecture is None or architecture not in _HUB_FAMILIES:
        raise _unread(folder, architecture)
    plans = {"marian": plan_marian, "m2m_100": plan_m2m100, "fsmt": plan_fsmt}
    try:
        return plans[architecture](folder, read_json(folder / CONFIG))
    except KeyError as error:
        raise ModelError(f"{folder / CONFIG} does not say {error}; download the folder again") from error
    except (AttributeError, IndexError, TypeError, ValueError) as error:  # JSON with values of other types
        raise ModelError(
            f"{folder / CONFIG} or another settings file is damaged ({error}); download the folder again"
        ) from error


def _check_kind(hub_id: str, folder: Path) -> bool:
    """True for a model of transformers that is not converted.

    Raises ModelError if such a model needs code, or if the configuration names no architecture and is not ours.
    """
    if holds_model(folder):
        check_needs_no_code(folder, hub_id)
        return True
    architecture = architecture_of(folder)
    is_ours = architecture is None and read_json(folder / CONFIG).get("kind") == KIND
    if not is_ours and architecture not in _HUB_FAMILIES:
        raise _unread(folder, architecture)
    return False


def _unread(folder: Path, architecture: str | None) -> ModelError:
    return ModelError(
        f"{folder / CONFIG}: model_type is {architecture!r}; models of {', '.join(_HUB_FAMILIES)} are read, "
        "`python -m engine models` names some"
    )


def _fingerprint(folder: Path) -> str:
    """A hash that changes with any file of the folder, so that conversions of other files are not reused."""
    digest = hashlib.sha256(str(_CONVERTER_VERSION).encode())
    for path in sorted(folder.iterdir()):
        if path.is_file():
            stat = path.stat()
            digest.update(f"{path.name}\n{stat.st_size}\n{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]
