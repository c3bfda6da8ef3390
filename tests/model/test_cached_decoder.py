"""Prefixes that were expanded before give the log-probabilities that computing them again gives, and cost nothing."""

from __future__ import annotations

import random
from unittest import mock

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.interruption import Cause, Interrupted
from engine.model import Decoder, Transformer, cached_decoder, expanded_prefixes
from engine.model.cached_decoder import CachedDecoder
from engine.model.expanded_prefixes import EMPTY, ExpandedPrefixes
from engine.model.prefix_cache import PrefixCache
from engine.text import BOS
from tests.budget import rounds
from tests.interruptions import InterruptedBy
from tests.model.test_decoder import CLOSE, CONFIG, MODEL, RECURRENT, padded, random_source
from tests.model.test_prefix_cache import CLOSENESS, KINDS, step_by_step

MODELS = pytest.mark.parametrize("model", [MODEL, RECURRENT], ids=["attention", "ssru"])


class Source:
    """One source and what was computed for it; `open` is a search of some of its translations."""

    def __init__(self, model: Transformer, ids: list[int], starts: list[int] | None = None, **settings: int) -> None:
        self.model, self.ids = model, ids
        self.encoded = model.encode(*padded([ids]), None if starts is None else torch.tensor([starts]))
        self.expanded, self.prefix_cache = ExpandedPrefixes(**settings), PrefixCache()

    def open(self, num_sentences: int = 1) -> CachedDecoder:
        return CachedDecoder(self.model, self.encoded, num_sentences, self.expanded, self.prefix_cache)


def computed_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of rows of each step that the decoder computes from now on."""
    counts: list[int] = []
    step = Decoder.step

    def counted(decoder: Decoder, tokens_R: torch.Tensor) -> torch.Tensor:
        counts.append(len(tokens_R))
        return step(decoder, tokens_R)

    monkeypatch.setattr(Decoder, "step", counted)
    return counts


def follow(decoder: CachedDecoder, paths: list[tuple[int, ...]]) -> torch.Tensor:
    """Write these pieces in one row each, all of one length; the log-probabilities after them."""
    log_probs = decoder.step(torch.tensor([BOS]))
    decoder.select(torch.zeros(len(paths), dtype=torch.long))
    for tokens in zip(*paths, strict=True):
        log_probs = decoder.step(torch.tensor(tokens))
        decoder.select(torch.arange(len(paths)))
    return log_probs


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "half"])
@settings(max_examples=rounds(4, 40))
@given(seed=st.integers(0, 10**6), is_full=st.booleans())
def test_searches_of_one_source_score_each_row_as_alone(kind: str, seed: int, is_full: bool) -> None:
    """Rows branch and end; a search of one or several sentences may begin with given pieces; others come after it."""
    rng, (model, starts) = random.Random(seed), KINDS[kind]
    first_capacity = mock.patch.object(expanded_prefixes, "_FIRST_CAPACITY", 1 if is_full else 64)
    source = Source(model, random_source(rng, rng.randrange(1, 9)), starts, max_bytes=0 if is_full else 2**20)
    with first_capacity:
        check_random_searches(source, kind, rng)


def check_random_searches(source: Source, kind: str, rng: random.Random) -> None:
    model, starts = KINDS[kind]
    for _ in range(3):
        histories = [
            tuple(rng.randrange(5, 8) for _ in range(rng.choice((0, 0, 2, 5)))) for _ in range(rng.choice((1, 1, 3)))
        ]
        decoder = source.open(len(histories))
        for pieces, log_probs in zip(histories, decoder.read(histories), strict=True):
            expected = step_by_step(model, source.ids, starts, pieces)
            one_by_one = [float(row[piece]) for row, piece in zip(expected, pieces, strict=False)]
            torch.testing.assert_close(list(log_probs), one_by_one, **CLOSENESS[kind])
        for _ in range(rng.randrange(1, 6)):
            output = decoder.step(torch.tensor([(BOS, *history)[-1] for history in histories]))
            for row, history in zip(output, histories, strict=True):
                expected = step_by_step(model, source.ids, starts, history)[-1]
                torch.testing.assert_close(row, expected, **CLOSENESS[kind])
            output.numpy()[:] = -1  # a search masks in place
            parents = [r for r in range(len(histories)) for _ in range(rng.choice((0, 1, 1, 2)))][:6] or [0]
            decoder.select(torch.tensor(parents))
            histories = [(*histories[parent], rng.randrange(5, 8)) for parent in parents]


@MODELS
def test_prefixes_of_hypotheses_that_ended_do_not_fill_the_memory(model: Transformer) -> None:
    """50 rows, of which 5 have successors, for 45 steps: 1,500 prefixes, of which about 100 belong to the rows."""
    num_rows = 50
    found, capacities = [], []
    for num_entries in (300, 10_000):
        source, rng = Source(model, [4, 7, 2]), random.Random(1)
        decoder = source.open()
        source.expanded._max_bytes = num_entries * source.expanded.entries[EMPTY].nbytes
        log_probs = decoder.step(torch.tensor([BOS]))
        decoder.select(torch.zeros(num_rows, dtype=torch.long))
        capacity = 0
        for _ in range(45):
            log_probs = decoder.step(torch.tensor([rng.randrange(5, 12) for _ in range(num_rows)]))
            decoder.select(torch.tensor([rng.randrange(5) for _ in range(num_rows)]))
            capacity = max(capacity, len(decoder._expanded.entries), len(source.expanded.entries))
        found.append(log_probs)
        capacities.append(capacity)
    assert capacities[0] <= 300 < 1_000 < capacities[1]
    torch.testing.assert_close(*found, **CLOSE)


@MODELS
def test_a_prefix_is_computed_once(model: Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    source, counts = Source(model, [4, 7, 2]), computed_rows(monkeypatch)
    first = follow(source.open(), [(5, 6, 7), (5, 8, 7)])
    assert counts == [1, 1, 2, 2], "two rows with the same prefix are computed once"
    counts.clear()
    assert torch.equal(follow(source.open(), [(5, 6, 7), (5, 8, 7)]), first), "to the last bit"
    assert counts == []
    follow(source.open(), [(5, 6, 9), (5, 8, 7)])
    assert counts == [1], "only the new prefix"


@MODELS
@pytest.mark.parametrize("is_cached_first", [True, False])
@pytest.mark.parametrize("num_steps", [0, 3])
def test_rows_go_on_after_a_join(model: Transformer, is_cached_first: bool, num_steps: int) -> None:
    ids = [[4, 7, 2], [4, 9, 8, 6, 2]]
    cached, other = Source(model, ids[0]).open(2), Decoder(model, model.encode(*padded(ids[1:])))
    cached.read([(5, 6, 7), ()])
    histories = [(ids[0], (5, 6, 7)), (ids[0], ()), (ids[1], ())]
    for _ in range(num_steps):
        cached.step(torch.tensor([(BOS, *history)[-1] for _, history in histories[:2]]))
        cached.select(torch.tensor([0, 1]))
        histories[:2] = [(own, (*history, 9)) for own, history in histories[:2]]
    if num_steps:  # a sentence leaves
        cached.step(torch.tensor([9, 9]))
        cached.select(torch.tensor([1, 1]))
        histories[:2] = [(ids[0], (*histories[1][1], piece)) for piece in (5, 6)]
    first, second = (cached, other) if is_cached_first else (other, cached)
    if not is_cached_first:
        histories = [histories[2], *histories[:2]]
    first.join(second)  # type: ignore[arg-type]
    for piece in (6, 7, 8):
        output = first.step(torch.tensor([(BOS, *history)[-1] for _, history in histories]))
        for row, (own, history) in zip(output, histories, strict=True):
            torch.testing.assert_close(row, step_by_step(model, own, None, history)[-1], **CLOSE)
        first.select(torch.tensor([0, 1, 2]))
        histories = [(own, (*history, piece)) for own, history in histories]


@MODELS
def test_a_step_of_many_rows_can_be_stopped_between_its_parts(model: Transformer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cached_decoder, "ROWS_AT_ONCE", 2)
    source, counts = Source(model, [4, 7, 2]), computed_rows(monkeypatch)
    paths = [(piece,) for piece in range(5, 10)]
    calls: list[int] = []

    def cause() -> Cause | None:
        calls.append(len(counts))
        return "cancelled" if len(calls) == 2 else None

    interruption = InterruptedBy(cause)
    decoder = CachedDecoder(model, source.encoded, 1, source.expanded, source.prefix_cache, interruption=interruption)
    with pytest.raises(Interrupted):
        follow(decoder, paths)
    assert (calls, counts) == ([2, 3], [1, 2, 2])
    counts.clear()
    found = follow(source.open(), paths)
    assert counts == [1], "what was computed before the stop is kept"
    for row, path in zip(found, paths, strict=True):
        torch.testing.assert_close(row, step_by_step(model, source.ids, None, path)[-1], **CLOSE)


def test_growing_can_be_stopped_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expanded_prefixes, "_COPIED_AT_ONCE", 30)
    expanded, calls = ExpandedPrefixes(), []
    known = [expanded.continue_with(EMPTY, piece) for piece in range(60)]
    expanded.store(known, torch.ones(60, 1, 2), None)
    new = [expanded.continue_with(EMPTY, piece) for piece in range(60, 200)]

    def cause() -> Cause | None:
        calls.append(None)
        return "cancelled" if len(calls) == 2 else None

    with pytest.raises(Interrupted):
        expanded.store(new, torch.full((140, 1, 2), 2.0), None, InterruptedBy(cause))
    assert len(expanded.entries) == 64
    expanded.store(new, torch.full((140, 1, 2), 2.0), None)
    assert expanded.entries[known].eq(1).all() and expanded.entries[new].eq(2).all()
    assert expanded.entries[EMPTY].eq(0).all()


@MODELS
def test_beyond_the_memory_prefixes_are_computed_again(model: Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    source, counts = Source(model, [4, 7, 2], max_bytes=0), computed_rows(monkeypatch)
    first = follow(source.open(), [(5, 6, 7), (5, 8, 7)])
    known = source.expanded.num_bytes
    torch.testing.assert_close(follow(source.open(), [(5, 6, 7), (5, 8, 7)]), first, **CLOSE)
    assert counts == [1, 1, 2, 2] * 2
    assert source.expanded.num_bytes == known, "the same prefixes"


@MODELS
def test_a_cached_row_is_refused_beyond_the_models_length(model: Transformer) -> None:
    decoder = Source(model, [4, 7, 2]).open()
    decoder.read([(7,) * CONFIG.max_pieces])
    with pytest.raises(InvalidRequest, match=f"at most {CONFIG.max_pieces} pieces"):
        decoder.step(torch.tensor([7]))
