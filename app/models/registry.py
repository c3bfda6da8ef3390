"""The list of published models: a registry's models.json, in the format of Mozilla's Firefox Translations.

Everything in the list is untrusted. Entries that lack a checksum, or that name odd languages or paths, are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, Field, ValidationError, field_validator

from app.errors import DownloadError

MAX_LIST_BYTES: Final = 20 * 2**20
MAX_MODELS: Final = 5_000
MAX_MODEL_BYTES: Final = 2 * 2**30
MAX_VOCABULARY_BYTES: Final = 32 * 2**20
QUALITY_TEST_SET: Final = "flores200-plus"
_METRICS: Final = ("comet22", "comet", "chrf", "bleu")
_LIST_PLACE: Final = "/db/models.json"  # of the list, below the address of the files
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:_[a-z]{2,8})?")
_PATH: Final = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._+=-]*/)*[A-Za-z0-9_][A-Za-z0-9._+=-]*")
# Kinds of files in the list -> the first part of the name that the importer looks for, and the last one.
_NAMES: Final = {
    "model": ("model", "intgemm.alphas.bin"),
    "vocab": ("vocab", "spm"),
    "srcVocab": ("srcvocab", "spm"),
    "trgVocab": ("trgvocab", "spm"),
}
_VOCABULARIES: Final = ({"vocab"}, {"srcVocab", "trgVocab"})
LICENCE: Final = "MPL-2.0"  # of models whose entry has no licence of its own, as Mozilla's have none
# The small models of the Bergamot project for these languages are under another licence than Mozilla's later ones for
# the same languages, and the list does not say which is which.
PARTNER_LICENCE: Final = "MPL-2.0 or CC-BY-SA-4.0"
_PARTNER_LANGUAGES: Final = frozenset({"cs", "de", "es", "et"})
_PARTNER: Final = (
    "The Bergamot project's model for these languages is licensed under CC BY-SA "
    "4.0\n(https://creativecommons.org/licenses/by-sa/4.0/), Mozilla's own one under the Mozilla Public License, v. "
    "2.0\n(https://mozilla.org/MPL/2.0/). The list does not state which of the two applies: follow both, or ask the "
    "publisher.\n"
)
_MPL: Final = (
    "This model is subject to the terms of the Mozilla Public License, v. 2.0.\n"
    "The licence's text is at https://mozilla.org/MPL/2.0/.\n"
)


class _File(BaseModel):
    path: Annotated[str, Field(max_length=500)]
    uncompressedSize: Annotated[int, Field(ge=1, le=MAX_MODEL_BYTES)] | None = None
    uncompressedHash: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None

    @field_validator("path")
    @classmethod
    def _is_plain(cls, path: str) -> str:
        if not _PATH.fullmatch(path):
            raise ValueError("not a plain relative path")
        return path


class _Statistics(BaseModel):
    parameters: Annotated[int, Field(ge=0, le=10**12)] = 0


class _Entry(BaseModel):
    architecture: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,30}$")]
    sourceLanguage: str
    targetLanguage: str
    releaseStatus: Annotated[str, Field(max_length=100)] | None = None
    files: dict[str, _File]
    modelStatistics: _Statistics | None = None
    metrics: dict[str, Any] | None = None
    license: Annotated[str, Field(pattern=r"^[A-Za-z0-9 .+()-]{1,60}$")] | None = None

    @field_validator("sourceLanguage", "targetLanguage")
    @classmethod
    def _is_language(cls, code: str) -> str:
        code = code.lower().replace("-", "_")
        if not _LANGUAGE.fullmatch(code):
            raise ValueError("not a language code")
        return code


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """One file of a published model.

    `name` is its name on this computer, unpacked; it is made from the languages, never taken from the list. `num_bytes`
    and `sha256` describe the unpacked file; None if the registry does not publish them.
    """

    name: str
    url: str
    num_bytes: int | None
    sha256: str | None

    @property
    def max_bytes(self) -> int:
        """The most bytes that are accepted, packed or unpacked."""
        return MAX_VOCABULARY_BYTES if self.num_bytes is None else self.num_bytes + 65_536


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model that can be downloaded. `quality` maps the metrics of its makers (on FLORES-200) to their values."""

    direction: str
    architecture: str
    status: str
    num_parameters: int
    quality: Mapping[str, float]
    licence: str
    files: tuple[PublishedFile, ...]

    @property
    def name(self) -> str:
        """Its name once installed, also the name of its folder."""
        return f"firefox-{self.direction}-{self.architecture}"

    @property
    def title(self) -> str:
        """Its name for a person."""
        return f"Firefox Translations {self.direction} ({self.architecture})"

    @property
    def num_bytes(self) -> int:
        """The size of the unpacked model in bytes, without its vocabulary."""
        return sum(file.num_bytes or 0 for file in self.files)

    @property
    def is_released(self) -> bool:
        """True if its makers released it; otherwise it is an experiment."""
        return self.status.startswith("Release")

    @property
    def licence_text(self) -> str:
        """The licence file stored with the installed model."""
        origin = "".join(f"  {file.url}\n" for file in self.files)
        terms = {LICENCE: _MPL, PARTNER_LICENCE: _PARTNER}.get(self.licence, "")
        return f"{self.title}\nLicence: {self.licence}\n{terms}\nDownloaded from:\n{origin}"

    def rank(self) -> tuple[bool, float, int]:
        """Sorts models of one direction: released first, then the best quality, then the smallest."""
        best = next((self.quality[metric] for metric in _METRICS if metric in self.quality), 0.0)
        return not self.is_released, -best, self.num_bytes


def read_registry(data: bytes, address: str) -> list[PublishedModel]:
    """The models of a models.json that was read from `address`, the best of each direction first.

    Raises DownloadError if it is not a list of models.
    """
    try:
        found = json.loads(data)
        entries = [entry for group in found["models"].values() for entry in group]
        base = _base_address(address, found.get("baseUrl"))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise DownloadError(
            "{address} is not a list of models: check the address of the registry.", address=address
        ) from None
    models: dict[str, PublishedModel] = {}
    for entry in entries[:MAX_MODELS]:
        if (model := _published(entry, base)) is not None:
            models.setdefault(model.name, model)  # releases come first
    return sorted(models.values(), key=lambda model: (model.direction, model.rank()))


def _published(entry: object, base: str) -> PublishedModel | None:
    """One entry of the list; None if it is not usable or cannot be checked."""
    try:
        checked = _Entry.model_validate(entry)
    except (ValidationError, RecursionError):
        return None
    kinds = set(checked.files) & set(_NAMES)
    model = checked.files.get("model")
    if model is None or not model.uncompressedSize or not model.uncompressedHash:
        return None
    if kinds - {"model"} not in _VOCABULARIES:
        return None
    pair = checked.sourceLanguage + checked.targetLanguage
    files = tuple(
        PublishedFile(
            f"{_NAMES[kind][0]}.{pair}.{_NAMES[kind][1]}", f"{base}/{quote(file.path)}",
            file.uncompressedSize, file.uncompressedHash,
        )
        for kind, file in checked.files.items() if kind in kinds
    )  # fmt: skip
    return PublishedModel(
        f"{checked.sourceLanguage}-{checked.targetLanguage}",
        checked.architecture,
        checked.releaseStatus or "",
        checked.modelStatistics.parameters if checked.modelStatistics else 0,
        _quality(checked.metrics),
        checked.license or _licence(checked),
        files,
    )


def _licence(entry: _Entry) -> str:
    """The licence of an entry that names none."""
    languages = {entry.sourceLanguage, entry.targetLanguage}
    is_partners = entry.architecture == "tiny" and "en" in languages and bool(languages & _PARTNER_LANGUAGES)
    return PARTNER_LICENCE if is_partners else LICENCE


def _quality(metrics: Mapping[str, Any] | None) -> dict[str, float]:
    scores = (metrics or {}).get(QUALITY_TEST_SET)
    if not isinstance(scores, dict):
        return {}
    return {
        name: float(value)
        for name in _METRICS
        if isinstance(value := scores.get(name), int | float) and 0 <= value <= 100  # which no NaN is
    }


def _base_address(address: str, stated: object) -> str:
    """The address below which the files are: always on the server that was asked for the list.

    A mirror may have an unchanged copy of the list, which names the original server.
    """
    own, base = urlsplit(address), urlsplit(stated if isinstance(stated, str) else "")
    if (own.scheme, own.netloc) == (base.scheme, base.netloc):
        return base._replace(query="", fragment="").geturl().rstrip("/")
    folder = own.path.removesuffix(_LIST_PLACE) if own.path.endswith(_LIST_PLACE) else own.path.rpartition("/")[0]
    return own._replace(path=folder.rstrip("/"), query="", fragment="").geturl()
