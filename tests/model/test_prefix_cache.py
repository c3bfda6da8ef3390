"""Beginnings read in one pass leave a decoder as if they had been read step by step, whatever was read before."""

from __future__ import annotations

import copy
import random
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.model import Decoder, Transformer
from engine.model.prefix_cache import PrefixCache
from engine.model.table_decoder import TableDecoder
from engine.text import BOS
from tests.model.test_decoder import CLOSE, CONFIG, MODEL, V, padded, random_source

Pieces = tuple[int, ...]


def model_like(kind: str) -> tuple[Transformer, list[int] | None]:
    """A model of this kind with random weights, and what its decoder reads first."""
    kinds = {
        "marian": {},
        "m2m100": {"positions": "fairseq"},
        "fsmt": {"positions": "fairseq", "norm": "after"},
        "ssru": {"decoder": "ssru", "positions": "tensor2tensor", "norm": "after"},
    }
    torch.manual_seed(3)
    model = Transformer(replace(CONFIG, **kinds.get(kind, {}))).eval()
    for parameter in model.parameters():
        parameter.data.add_(0.2 * torch.randn_like(parameter))
    return model, {"marian": [0], "m2m100": [2, 6], "fsmt": [2]}.get(kind)


KINDS = {
    "bundled": (MODEL, None),
    **{kind: model_like(kind) for kind in ("marian", "m2m100", "fsmt", "ssru")},
    "half": (copy.deepcopy(MODEL).to(torch.bfloat16), None),
}
# What attention rounds otherwise may come to the next of the 8 bits of a bfloat16.
CLOSENESS = {kind: {"rtol": 0.02, "atol": 0.1} if kind == "half" else CLOSE for kind in KINDS}


def step_by_step(model: Transformer, source: list[int], starts: list[int] | None, pieces: Pieces) -> torch.Tensor:
    """Log-probabilities before each of the pieces and after the last, (T + 1, V), one step each, the sentence alone."""
    starts_BN = None if starts is None else torch.tensor([starts])
    decoder = Decoder(model, model.encode(*padded([source]), starts_BN))
    steps = []
    for piece in (BOS, *pieces):
        steps.append(decoder.step(torch.tensor([piece]))[0])
        decoder.select(torch.tensor([0]))
    return torch.stack(steps)


def related(rng: random.Random, pieces: Pieces) -> Pieces:
    """A beginning that goes on from another, repeats it, takes back or changes some of it; or another one."""
    kept = pieces[: rng.randint(0, len(pieces))] if rng.random() < 0.6 else pieces
    return (*kept, *(rng.randrange(5, V) for _ in range(rng.choice((0, 0, 1, 2, 5)))))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=4)
@given(seed=st.integers(0, 10**6), interval=st.sampled_from([None, None, 3]))
def test_prefix_read_in_one_pass_equals_prefix_read_step_by_step(kind: str, seed: int, interval: int | None) -> None:
    rng, (model, starts) = random.Random(seed), KINDS[kind]
    sources = [random_source(rng, rng.randrange(1, 9)) for _ in range(rng.choice((1, 1, 3)))]
    newest = [PrefixCache() for _ in sources]
    before: list[Pieces] = [() for _ in sources]
    for _ in range(3):
        numbers = [rng.randrange(len(sources)) for _ in range(rng.choice((1, 2, 4)))]  # a source may come twice
        pieces_B = [related(rng, before[number]) for number in numbers]
        before = [dict(zip(numbers, pieces_B, strict=True)).get(number, old) for number, old in enumerate(before)]
        starts_BN = None if starts is None else torch.tensor([starts] * len(numbers))
        encoded = model.encode(*padded([sources[number] for number in numbers]), starts_BN)
        known = [newest[number] for number in numbers]
        decoder = Decoder(model, encoded, prefix_caches=known)
        if interval is not None:
            decoder = TableDecoder(model, encoded, interval, known)
        read = decoder.read(pieces_B)
        output = decoder.step(torch.tensor([(BOS, *pieces)[-1] for pieces in pieces_B]))
        output = output if isinstance(output, torch.Tensor) else output.log_probs()
        for number, pieces, log_probs, after_V in zip(numbers, pieces_B, read, output, strict=True):
            expected = step_by_step(model, sources[number], starts, pieces)
            assert len(log_probs) == len(pieces)
            one_by_one = [float(log_probs_V[piece]) for log_probs_V, piece in zip(expected, pieces, strict=False)]
            torch.testing.assert_close(list(log_probs), one_by_one, **CLOSENESS[kind])
            torch.testing.assert_close(after_V, expected[-1], **CLOSENESS[kind])


@pytest.mark.parametrize("kind", ["bundled", "ssru"])
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6))
def test_rows_that_have_read_go_on_beside_others_at_other_places(kind: str, seed: int) -> None:
    rng, (model, _) = random.Random(seed), KINDS[kind]
    sources = [random_source(rng, rng.randrange(1, 9)) for _ in range(3)]
    pieces_B = [tuple(rng.randrange(5, V) for _ in range(length)) for length in (rng.randint(0, 20), 0, 4)]
    first = Decoder(model, model.encode(*padded(sources[:1])))
    first.read(pieces_B[:1])
    second = Decoder(model, model.encode(*padded(sources[1:])))
    second.read(pieces_B[1:])
    histories = [list(pieces) for pieces in pieces_B]
    if rng.random() < 0.5:  # one has made a step before the other joins
        first.step(torch.tensor([(BOS, *pieces_B[0])[-1]]))
        first.select(torch.tensor([0]))
        histories[0].append(7)
    first.join(second)
    for _ in range(2):
        log_probs = first.step(torch.tensor([(BOS, *history)[-1] for history in histories]))
        for row, source, history in zip(log_probs, sources, histories, strict=True):
            torch.testing.assert_close(row, step_by_step(model, source, None, tuple(history))[-1], **CLOSE)
        first.select(torch.arange(3))
        histories = [[*history, rng.randrange(5, V)] for history in histories]


def test_only_new_pieces_go_through_the_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = MODEL.encode(*padded([random_source(random.Random(1), 4)] * 2), torch.tensor([[2, 6]] * 2))
    newest, num_read = PrefixCache(), list[int]()
    through = Decoder._through_layers
    monkeypatch.setattr(
        Decoder, "_through_layers", lambda self, x, *rest: num_read.append(len(x)) or through(self, x, *rest)
    )
    Decoder(MODEL, encoded, prefix_caches=[newest, newest])
    assert num_read == [1], "what the decoder starts from, once for both, the last for the step"
    for pieces, num_new in (((7, 8, 9), 3), ((7, 8, 9), 0), ((7, 8), 0), ((7, 8, 9, 10), 1), ((7, 5), 1), ((), 0)):
        num_read.clear()
        Decoder(MODEL, encoded, prefix_caches=[newest, newest]).read([pieces, pieces])
        assert sum(num_read) == num_new, pieces


def test_prefix_longer_than_the_model_allows_is_refused() -> None:
    decoder = Decoder(MODEL, MODEL.encode(*padded([[4, 7, 2]])))
    decoder.read([(7,) * CONFIG.max_pieces])
    with pytest.raises(InvalidRequest, match=f"at most {CONFIG.max_pieces} pieces"):
        decoder.step(torch.tensor([7]))
    with pytest.raises(InvalidRequest, match=f"at most {CONFIG.max_pieces} pieces"):
        decoder.read([(7,) * (CONFIG.max_pieces + 1)])


def test_logits_are_made_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = MODEL.encode(*padded([[4, 7, 9, 2]]))
    whole = Decoder(MODEL, encoded).read([(7, 8, 9, 10, 11)])
    monkeypatch.setattr("engine.model.decoder._LOGITS_AT_ONCE", 2 * V)
    torch.testing.assert_close(Decoder(MODEL, encoded).read([(7, 8, 9, 10, 11)]), whole, **CLOSE)
