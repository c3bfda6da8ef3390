"""The results of commands about models; see `app.ui.results`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict  # pydantic needs this one up to Python 3.11

from engine import Formality


class LanguagePairs(TypedDict):
    """The target languages by source language."""

    directions: dict[str, list[str]]


class ModelOffer(TypedDict):
    """A model that can be chosen; `is_fit` if it translates this document's language pair.

    `needed_bytes` is the memory that loading takes. `family` is the architecture of a language model, "" for others.
    `expected_ms` is the time of a proposal of a language model whose `median_ms` was not measured yet.
    """

    key: str
    name: str
    place: Literal["bundled", "cached", "folder"]
    directions: list[str]
    num_directions: int
    num_parameters: int
    num_bytes: int
    formalities: list[Formality]
    domains: list[str]
    problem: str
    card: str
    needed_bytes: int
    family: str
    licence: str
    median_ms: float | None
    expected_ms: float | None
    is_removable: bool
    is_current: bool
    is_fit: bool


class ModelOffers(TypedDict):
    """The models that can be chosen, the memory that is free, and whether the person may add and remove models."""

    models: list[ModelOffer]
    free_bytes: int
    can_add: bool
    can_remove: bool


class HubFile(TypedDict):
    """A GGUF file of the hub by the name under which it is downloaded, MAKER/MODEL/FILE."""

    name: str
    num_bytes: int


class HubOffer(TypedDict):
    """A model of the hub: the bytes to download, and the licence that its card names, "" without one.

    Of a model that comes as GGUF `files`, one is chosen.
    """

    name: str
    num_bytes: int
    licence: str
    files: list[HubFile]


class RemovedModel(TypedDict):
    """A model that was removed, and the bytes that became free."""

    name: str
    freed_bytes: int


class PublishedOffer(TypedDict):
    """A model that can be downloaded; `num_here` bytes of it were downloaded already."""

    name: str
    title: str
    direction: str
    num_bytes: int
    num_parameters: int
    num_here: int
    quality: dict[str, float]
    licence: str
    licence_text: str
    is_released: bool
    is_recommended: bool
    is_installed: bool


class PublishedOffers(TypedDict):
    """The models of the list at `address` for a direction; `read_at` is empty if the list was never read."""

    address: str
    read_at: str
    direction: str
    directions: list[str]
    models: list[PublishedOffer]


class PairedModel(TypedDict):
    """One model of a pair; the licence only if it has to be downloaded."""

    name: str
    direction: str
    num_bytes: int
    is_installed: bool
    licence: str
    licence_text: str


class ModelPair(TypedDict):
    """Two models through a language between (`language`); `is_fit` if they translate this document's language pair."""

    key: str
    name: str
    language: str
    direction: str
    num_missing_bytes: int
    is_installed: bool
    is_current: bool
    is_fit: bool
    parts: list[PairedModel]


class PairOffers(TypedDict):
    """The target languages by source language that no single model has, and the models to use for `direction`."""

    pairs: dict[str, list[str]]
    direction: str
    pair: ModelPair | None


class ModelSuggestion(TypedDict):
    """A model that can be downloaded for a direction; `title` is empty if the list of models was never read.

    `name` and `licence` are then empty, too. `is_needed` says that no installed model has the direction. `pivot` is a
    language where two models are offered that translate through it; `num_bytes` is then what has to be downloaded.
    """

    direction: str
    name: str
    title: str
    num_bytes: int
    licence: str
    pivot: str
    is_needed: bool
