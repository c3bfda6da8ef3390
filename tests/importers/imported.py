"""Models of other makers beside what they were converted to, and how their numbers for pieces translate into ours."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine import Translator
from engine.importers.resolve import convert_folder
from engine.model import LoadedModel, load_model
from engine.text import EOS
from tests.importers.fairseq import HUB, save_fairseq, save_fairseq_spm
from tests.importers.fsmt import save_fsmt
from tests.importers.m2m100 import save_m2m100
from tests.importers.marian import save_marian, save_trained_marian

# How a folder of random weights is written; with an `ending` far below zero the model never ends by itself.
SAVE: dict[str, Callable[..., None]] = {
    "marian": save_marian,
    "marian-relu": lambda folder, **more: save_marian(folder, "relu", **more),
    "marian-separate": lambda folder, **more: save_marian(folder, has_two_vocabularies=True, **more),
    "marian-bytes": lambda folder, **more: save_marian(folder, byte_fallback=True, **more),
    "marian-trained": save_trained_marian,
    "fsmt": save_fsmt,
    "fairseq": save_fairseq,
    "fairseq-spm": save_fairseq_spm,
    "m2m100": save_m2m100,
    "nllb": lambda folder, **more: save_m2m100(folder, "nllb", **more),
    "nllb-legacy": lambda folder, **more: save_m2m100(folder, "nllb-legacy", **more),
}
NEVER = -100.0


@dataclass(frozen=True)
class Imported:
    """`theirs` and `ours` are the folders, `reference` is their model; `our_ids` has our number for each of theirs.

    Where theirs is none of the hub's, the reference has the same weights from a folder of the hub's beside it.
    """

    theirs: Path
    ours: Path
    reference: Any
    loaded: LoadedModel
    our_ids: Tensor

    @classmethod
    def make(cls, kind: str, folder: Path, **settings: float) -> Imported:
        """A model of random weights, written below a folder."""
        SAVE[kind](folder / "theirs", **settings)
        return cls.of_folder(kind, folder)

    @classmethod
    def of_folder(cls, kind: str, folder: Path, *, has_reference: bool = True) -> Imported:
        """The model in `folder / "theirs"`, converted; without `has_reference`, transformers is not needed."""
        theirs, ours, hub = folder / "theirs", folder / "ours", folder / HUB
        convert_folder(theirs, ours, torch.float32)
        loaded = load_model(ours)
        our_ids = _our_ids(theirs, ours) if kind.startswith("marian") else _swapped(loaded.config.vocabulary_size)
        reference = None
        if has_reference:
            import transformers

            reference = transformers.AutoModelForSeq2SeqLM.from_pretrained(hub if hub.is_dir() else theirs).eval()
        return cls(theirs, ours, reference, loaded, our_ids)

    @property
    def translator(self) -> Translator:
        return Translator(self.loaded)

    @property
    def starts(self) -> Tensor | None:
        """What our decoder begins with, (1, N)."""
        return torch.tensor([self.loaded.starts("en-de")])

    @property
    def their_starts(self) -> list[int]:
        """What theirs begins with."""
        starts = self.starts
        return [self.reference.config.decoder_start_token_id] if starts is None else self.to_theirs(starts[0].tolist())

    @property
    def never(self) -> list[int]:
        """Their numbers of what neither may write."""
        return self.to_theirs(piece for piece in self.loaded.codec.specials if piece != EOS)

    def source(self, text: str) -> list[int]:
        """What our encoder reads of a text."""
        return self.loaded.source_ids((self.loaded.source_codec or self.loaded.codec).encode(text).ids, "en-de")

    def to_theirs(self, pieces: Iterable[int]) -> list[int]:
        """Their numbers; without those pieces that only we have."""
        numbers = {int(ours): theirs for theirs, ours in enumerate(self.our_ids.tolist())}
        return [numbers[piece] for piece in pieces if piece in numbers]

    def to_ours(self, pieces: Iterable[int]) -> list[int]:
        return [int(self.our_ids[piece]) for piece in pieces]


def _our_ids(theirs: Path, ours: Path) -> Tensor:
    """Of Marian's vocabulary, in which the end comes first and the padding last; of targets, if these have their own.

    That of sources is as large then and has the same order, so that the numbers translate in the same way.
    """
    path = theirs / "target_vocab.json"
    ids = json.loads((path if path.is_file() else theirs / "vocab.json").read_text(encoding="utf-8"))
    pieces = (ours / "pieces.txt").read_text(encoding="utf-8").split("\n")[:-1]
    return torch.tensor([pieces.index(piece) for piece in sorted(ids, key=ids.__getitem__)])


def _swapped(size: int) -> Tensor:
    """Of fairseq's vocabularies: `<s>` and the padding change places."""
    return torch.tensor([1, 0, *range(2, size)])
