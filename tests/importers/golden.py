"""Small imported models with the results of transformers for them, frozen, so that most runs need not compute them.

    golden/KIND.npz        the folder of a model: 8-bit matrices with their scales, all other tensors, its text files
    golden/expected.json   encoder states, log-probabilities and searches of transformers with these weights

`python -m tests.importers.golden` writes both again. SentencePiece models are learnt again each time, always the same.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch

from engine.text import EOS
from tests.importers.fairseq import save_fairseq, save_fairseq_spm
from tests.importers.imported import NEVER, SAVE, Imported
from tests.importers.m2m100 import learn_joint_spm
from tests.importers.marian import learn_spm
from tests.model.reference import beam_search, states_and_log_probs

FOLDER = Path(__file__).parent / "golden"
HUB_KINDS = ("marian", "marian-relu", "marian-separate", "marian-trained", "fsmt", "m2m100", "nllb")
FAIRSEQ_KINDS: Mapping[str, tuple[str, Callable[..., None]]] = {
    "fairseq": ("fsmt", save_fairseq),
    "fairseq-spm": ("m2m100", save_fairseq_spm),
}
KINDS = (*HUB_KINDS, *FAIRSEQ_KINDS)

SOURCES = ("The list of files is empty.", "Close it.", "The router saves the file.")
MAX_STEPS, BEAM, ENDLESS_STEPS = 16, 4, 12
_SPM: Mapping[str, Callable[[], bytes]] = {
    "source.spm": lambda: learn_spm("en"),
    "target.spm": lambda: learn_spm("de"),
    "sentencepiece.bpe.model": learn_joint_spm,
}
_WEIGHTS = "model.safetensors"


@dataclass(frozen=True)
class Expected:
    """The results of transformers; pieces are in our numbers.

    `endless` has the beam after `ENDLESS_STEPS` steps of the model that never ends: pieces and log-probability.
    """

    states: list[list[list[float]]]
    log_probs: list[list[float]]
    greedy: list[list[int]]
    best: list[tuple[list[int], float]]
    endless: list[tuple[list[int], float]]


def random_ids() -> tuple[torch.Tensor, torch.Tensor]:
    """Two sources of nine pieces and two targets of seven, in the numbers of the imported model."""
    sources = torch.randint(4, 290, (2, 9), generator=torch.Generator().manual_seed(1))
    targets = torch.randint(4, 290, (2, 7), generator=torch.Generator().manual_seed(2))
    return sources, targets


def make(kind: str, folder: Path, *, is_endless: bool = False, has_reference: bool = False) -> Imported:
    """The frozen model of a kind, written below `folder` and converted; with transformers' model on request."""

    def save_hub(hub: Path, **_: float) -> None:
        _write_folder(FAIRSEQ_KINDS[kind][0] if kind in FAIRSEQ_KINDS else kind, hub, is_endless)

    if kind in FAIRSEQ_KINDS:
        FAIRSEQ_KINDS[kind][1](folder / "theirs", save_hub=save_hub)
    else:
        save_hub(folder / "theirs")
    return Imported.of_folder(kind, folder, has_reference=has_reference)


def compute(imported: Imported, endless: Imported) -> Expected:
    """What transformers computes and finds with the weights of both models."""
    states, log_probs = states_and_log_probs(imported.reference, *random_ids(), imported.their_starts)
    greedy = []
    for source in SOURCES:
        [tokens] = _tokens(imported, _generated(imported, source, 1, MAX_STEPS, imported.never))
        greedy.append(tokens if tokens[-1] == EOS else [*tokens, EOS])
    best = []
    for source in SOURCES:
        given = imported.to_theirs(imported.source(source))
        tokens, score = beam_search(
            imported.reference, given, imported.their_starts, BEAM, imported.never, max_length=MAX_STEPS
        )
        best.append((imported.to_ours(tokens), score))
    end = endless.reference.config.eos_token_id
    output = _generated(endless, SOURCES[0], BEAM, ENDLESS_STEPS, [*endless.never, end])
    found = list(zip(_tokens(endless, output), output.sequences_scores.tolist(), strict=True))
    return Expected(states.tolist(), log_probs.tolist(), greedy, best, found)


def read_expected() -> dict[str, Expected]:
    """The frozen results by kind."""
    found = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
    return {kind: Expected(**entry) for kind, entry in found.items()}


def _generated(imported: Imported, source: str, beam: int, max_steps: int, never: list[int]) -> Any:
    """The result of their search after at most `max_steps` steps: the whole beam, scored by sums."""
    return imported.reference.generate(
        torch.tensor([imported.to_theirs(imported.source(source))]),
        decoder_input_ids=torch.tensor([imported.their_starts]),
        num_beams=beam,
        num_return_sequences=beam,
        length_penalty=0.0,
        do_sample=False,
        max_new_tokens=max_steps,
        suppress_tokens=never,
        bad_words_ids=None,
        forced_bos_token_id=None,
        forced_eos_token_id=None,
        return_dict_in_generate=True,
        output_scores=True,
    )


def _tokens(imported: Imported, output: Any) -> list[list[int]]:
    """The generated pieces in our numbers."""
    return [imported.to_ours(tokens) for tokens in output.sequences[:, len(imported.their_starts) :].tolist()]


def _freeze(kind: str) -> None:
    """Write the folder of random weights of a kind as an npz file."""
    with tempfile.TemporaryDirectory() as parent:
        plain, endless = Path(parent, "plain"), Path(parent, "endless")
        SAVE[kind](plain)
        SAVE[kind](endless, ending=NEVER)
        weights = safetensors.torch.load_file(plain / _WEIGHTS)
        others = safetensors.torch.load_file(endless / _WEIGHTS)
        arrays: dict[str, np.ndarray[Any, Any]] = {}
        for name, value in weights.items():
            if value.dim() == 2 and min(value.shape) > 1 and "positions" not in name:
                scale = float(value.abs().max()) / 127
                arrays[f"matrix:{name}"] = (value / scale).round().to(torch.int8).numpy()
                arrays[f"scale:{name}"] = np.float32(scale)
            else:
                arrays[f"tensor:{name}"] = value.numpy()
                if not torch.equal(value, others[name]):
                    arrays[f"endless:{name}"] = others[name].numpy()
        for path in plain.iterdir():
            if path.name not in (_WEIGHTS, *_SPM):
                arrays[f"file:{path.name}"] = np.frombuffer(path.read_bytes(), dtype=np.uint8)
        np.savez_compressed(FOLDER / f"{kind}.npz", **arrays)


def _write_folder(kind: str, folder: Path, is_endless: bool) -> None:
    """The folder that `_freeze` has read, its matrices rounded to 8 bits."""
    folder.mkdir()
    state: dict[str, torch.Tensor] = {}
    with np.load(FOLDER / f"{kind}.npz") as arrays:
        for key in arrays:
            what, _, name = key.partition(":")
            if what == "matrix":
                state[name] = torch.from_numpy(arrays[key]).float() * float(arrays[f"scale:{name}"])
            elif what == "tensor" or (what == "endless" and is_endless):
                state[name] = torch.from_numpy(arrays[key])
            elif what == "file":
                (folder / name).write_bytes(arrays[key].tobytes())
    safetensors.torch.save_file(state, folder / _WEIGHTS, metadata={"format": "pt"})
    for name, learn in _SPM.items():
        if kind.startswith("marian") == (name != "sentencepiece.bpe.model") and kind != "fsmt":
            (folder / name).write_bytes(learn())


def _rounded(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return round(value, 6) if isinstance(value, float) else value


def write() -> None:
    """Write all golden files again."""
    FOLDER.mkdir(exist_ok=True)
    for kind in HUB_KINDS:
        _freeze(kind)
    found = {}
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as parent:
            models = []
            for is_endless in (False, True):
                folder = Path(parent, str(is_endless))
                folder.mkdir()
                models.append(make(kind, folder, is_endless=is_endless, has_reference=True))
            expected = asdict(compute(models[0], models[1]))
            found[kind] = {name: _rounded(value) for name, value in expected.items()}
    lines = ",\n".join(f"{json.dumps(kind)}: {json.dumps(entry)}" for kind, entry in found.items())
    (FOLDER / "expected.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
