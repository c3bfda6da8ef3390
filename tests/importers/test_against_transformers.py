"""Imported models compute and find what transformers computes and finds with the same weights.

The results of transformers are frozen (golden.py) or, in a full run, computed live on other weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from engine import Hypothesis, Request, SearchOptions
from tests.importers import golden
from tests.importers.imported import NEVER, Imported

for library in ("sacremoses", "sentencepiece"):
    pytest.importorskip(library)


@dataclass(frozen=True)
class Case:
    """A model, the same model that never ends by itself, and the results of transformers for both."""

    imported: Imported
    endless: Imported
    expected: golden.Expected


def live_case(kind: str, folder: Path) -> Case:
    pytest.importorskip("transformers")
    imported = Imported.make(kind, new_folder(folder, "plain"))
    endless = Imported.make(kind, new_folder(folder, "endless"), ending=NEVER)
    return Case(imported, endless, golden.compute(imported, endless))


def golden_case(kind: str, folder: Path) -> Case:
    imported = golden.make(kind, new_folder(folder, "plain"))
    endless = golden.make(kind, new_folder(folder, "endless"), is_endless=True)
    return Case(imported, endless, golden.read_expected()[kind])


def new_folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name


@pytest.fixture(
    scope="module",
    params=[
        *(pytest.param((kind, golden_case), id=kind) for kind in golden.KINDS),
        *(pytest.param((kind, live_case), id=f"{kind}-live", marks=pytest.mark.full) for kind in golden.KINDS),
    ],
)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    kind, make = request.param
    return make(kind, tmp_path_factory.mktemp(kind))


def found(imported: Imported, source: str, beam: int, max_length: int, nbest: int = 1) -> list[Hypothesis]:
    """What plain beam search finds; at `max_length` it ends every hypothesis that has not ended before."""
    options = SearchOptions(
        beam=beam, nbest=nbest, pruning_threshold=None, max_length_factor=0, max_length_offset=max_length
    )
    return list(imported.translator.translate(Request(source, direction="en-de"), options).hypotheses)


def test_encoder_states_and_log_probabilities_are_the_same(case: Case) -> None:
    imported, expected, (sources, targets) = case.imported, case.expected, golden.random_ids()
    lengths, to_ours, transformer = torch.tensor([9, 9]), imported.our_ids, imported.loaded.transformer
    memory = transformer.encode(to_ours[sources], lengths).memory_BSE
    torch.testing.assert_close(memory, torch.tensor(expected.states), atol=1e-4, rtol=1e-4)
    starts = None if imported.starts is None else imported.starts.expand(2, -1)
    scores = transformer.score(to_ours[sources], lengths, to_ours[targets], starts)
    torch.testing.assert_close(scores, torch.tensor(expected.log_probs), atol=1e-4, rtol=1e-4)


def test_greedy_search_equals_generate_of_transformers(case: Case) -> None:
    for source, tokens in zip(golden.SOURCES, case.expected.greedy, strict=True):
        [best] = found(case.imported, source, 1, golden.MAX_STEPS + 1)
        assert list(best.tokens) == tokens


def test_beam_without_an_end_equals_the_beam_of_generate(case: Case) -> None:
    """All of it, with its scores. Where hypotheses end, the two searches differ in what replaces them."""
    beam, num_steps = golden.BEAM, golden.ENDLESS_STEPS
    expected = {tuple(tokens): score for tokens, score in case.expected.endless}
    hypotheses = found(case.endless, golden.SOURCES[0], beam, num_steps + 1, beam)
    ours = {h.tokens[:-1]: h.log_prob - h.token_log_probs[-1] for h in hypotheses}
    assert len(ours) == beam and set(map(len, ours)) == {num_steps}
    assert ours == pytest.approx(expected, abs=1e-3)


def test_beam_search_finds_the_same_best_translation_and_score(case: Case) -> None:
    for source, (tokens, score) in zip(golden.SOURCES, case.expected.best, strict=True):
        [best] = found(case.imported, source, golden.BEAM, golden.MAX_STEPS)
        assert list(best.tokens) == tokens
        assert best.score == pytest.approx(score, abs=1e-4)


@pytest.mark.full
@pytest.mark.parametrize("kind", golden.KINDS)
def test_golden_results_equal_transformers(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    imported = golden.make(kind, new_folder(tmp_path, "plain"), has_reference=True)
    endless = golden.make(kind, new_folder(tmp_path, "endless"), is_endless=True, has_reference=True)
    computed, frozen = golden.compute(imported, endless), golden.read_expected()[kind]
    torch.testing.assert_close(torch.tensor(computed.states), torch.tensor(frozen.states), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(torch.tensor(computed.log_probs), torch.tensor(frozen.log_probs), atol=1e-4, rtol=1e-4)
    assert computed.greedy == frozen.greedy
    assert [tokens for tokens, _ in computed.best] == [tokens for tokens, _ in frozen.best]
