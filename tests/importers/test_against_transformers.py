"""Imported models compute and find what transformers computes and finds with the same weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from engine import Hypothesis, Request, SearchOptions
from engine.text import EOS
from tests.importers.imported import NEVER, Imported
from tests.model.reference import beam_search, states_and_log_probs

for library in ("sacremoses", "sentencepiece", "transformers"):
    pytest.importorskip(library)
SOURCES = ("The list of files is empty.", "Close it.", "The router saves the file.")
MAX_STEPS = 16


KINDS = (
    "marian",
    "marian-relu",
    "marian-separate",
    "marian-trained",
    "fsmt",
    "fairseq",
    "fairseq-spm",
    "m2m100",
    "nllb",
)


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def imported(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return Imported.make(kind, tmp_path_factory.mktemp(kind))


def found(imported: Imported, source: str, beam: int, max_length: int, nbest: int = 1) -> list[Hypothesis]:
    """What plain beam search finds, which ends at `max_length` what has not ended before."""
    options = SearchOptions(
        beam=beam, nbest=nbest, pruning_threshold=None, max_length_factor=0, max_length_offset=max_length
    )
    return list(imported.translator.translate(Request(source, direction="en-de"), options).hypotheses)


def generated(imported: Imported, source: str, beam: int, max_steps: int, never: list[int]) -> Any:
    """What their search finds in so many steps, as many as its beam is wide, scored by their sums."""
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


def tokens_of(imported: Imported, output: Any) -> list[list[int]]:
    """Our numbers of what was generated."""
    return [imported.to_ours(tokens) for tokens in output.sequences[:, len(imported.their_starts) :].tolist()]


def test_encoder_states_and_log_probabilities_are_the_same(imported: Imported) -> None:
    sources = torch.randint(4, 290, (2, 9), generator=torch.Generator().manual_seed(1))
    targets = torch.randint(4, 290, (2, 7), generator=torch.Generator().manual_seed(2))
    states, log_probs = states_and_log_probs(imported.reference, sources, targets, imported.their_starts)
    lengths, to_ours, transformer = torch.tensor([9, 9]), imported.our_ids, imported.loaded.transformer
    memory = transformer.encode(to_ours[sources], lengths).memory_BSE
    torch.testing.assert_close(memory, states, atol=1e-4, rtol=1e-4)
    starts = None if imported.starts is None else imported.starts.expand(2, -1)
    scores = transformer.score(to_ours[sources], lengths, to_ours[targets], starts)
    torch.testing.assert_close(scores, log_probs, atol=1e-4, rtol=1e-4)


def test_greedy_search_finds_what_generate_finds(imported: Imported) -> None:
    for source in SOURCES:
        output = generated(imported, source, 1, MAX_STEPS, imported.never)
        [tokens] = tokens_of(imported, output)
        [best] = found(imported, source, 1, MAX_STEPS + 1)
        assert list(best.tokens) == (tokens if tokens[-1] == EOS else [*tokens, EOS])


def test_while_nothing_ends_the_beam_is_that_of_generate(kind: str, tmp_path: Path) -> None:
    """All of it, with its scores. Where hypotheses end, the two searches differ in who takes their places."""
    imported, beam, num_steps = Imported.make(kind, tmp_path, ending=NEVER), 4, 12
    end = imported.reference.config.eos_token_id
    output = generated(imported, SOURCES[0], beam, num_steps, [*imported.never, end])
    sequences = map(tuple, tokens_of(imported, output))
    expected = dict(zip(sequences, output.sequences_scores.tolist(), strict=True))
    ours = {h.tokens[:-1]: h.log_prob - h.token_log_probs[-1] for h in found(imported, SOURCES[0], beam, 13, beam)}
    assert len(ours) == beam and set(map(len, ours)) == {num_steps}
    assert ours == pytest.approx(expected, abs=1e-3)


def test_beam_search_finds_what_it_finds_with_their_log_probabilities(imported: Imported) -> None:
    for source in SOURCES:
        given = imported.to_theirs(imported.source(source))
        tokens, score = beam_search(
            imported.reference, given, imported.their_starts, 4, imported.never, max_length=MAX_STEPS
        )
        [best] = found(imported, source, 4, MAX_STEPS)
        assert list(best.tokens) == imported.to_ours(tokens)
        assert best.score == pytest.approx(score, abs=1e-4)
