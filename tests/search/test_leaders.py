"""The best continuations over several rows, against ranking every token of every row."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.search.arrays import Floats
from engine.search.leaders import leaders
from tests.budget import rounds


def ranked(log_probs_RV: Floats, before_R: Floats, sentences_R: list[int], beam_of: dict[int, int]) -> set[int]:
    size = log_probs_RV.shape[1]
    sums = before_R[:, None] + log_probs_RV
    found = {row * size + int(values.argmax()) for row, values in enumerate(log_probs_RV) if values.max() > -np.inf}
    for sentence, beam in beam_of.items():
        own = [
            (-sums[row, token], row * size + token)
            for row, of in enumerate(sentences_R)
            if of == sentence
            for token in range(size)
            if sums[row, token] > -np.inf
        ]
        found |= {key for _, key in sorted(own)[:beam]}
    return found


@settings(max_examples=rounds(15, 60), deadline=None)
@given(
    size=st.sampled_from([3, 127, 128, 300, 1000]),
    rows_of=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    beam=st.integers(1, 12),
    masked=st.floats(0, 1),
    levels=st.sampled_from([4, 10**6]),  # so few that many numbers are equal, or hardly any
    seed=st.integers(0, 2**32 - 1),
)
def test_leaders_equal_ranking_every_token(
    size: int, rows_of: list[int], beam: int, masked: float, levels: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(len(rows_of))  # a tracker's numbers come in any order
    sentences_R = numbers.repeat(rows_of)
    log_probs_RV = -rng.integers(0, levels, (len(sentences_R), size)).astype(np.float32)
    log_probs_RV[rng.random(log_probs_RV.shape) < masked] = -np.inf
    before_R = -rng.integers(0, levels, len(sentences_R)).astype(np.float64)
    beam_B = np.full(len(rows_of), beam) + numbers
    keys, is_failed_R = leaders(torch.from_numpy(log_probs_RV), before_R, sentences_R, beam_B)
    beam_of = {number: int(beam_B[number]) for number in range(len(rows_of))}
    assert set(keys.tolist()) == ranked(log_probs_RV, before_R, sentences_R.tolist(), beam_of)
    assert (np.diff(keys) > 0).all()
    assert not is_failed_R.any()


def test_row_of_nan_is_reported_and_affects_no_other_sentence() -> None:
    log_probs_RV = torch.randn(4, 300).log_softmax(1)
    sentences_R, beam_B = np.array([0, 0, 1, 1]), np.array([5, 5])
    before_R = np.array([-1.0, -2.0, -1.5, -0.5])
    whole, _ = leaders(log_probs_RV, before_R, sentences_R, beam_B)
    for token in (0, 299):
        broken_RV = log_probs_RV.clone()
        broken_RV[3, token] = torch.nan
        keys, is_failed_R = leaders(broken_RV, before_R, sentences_R, beam_B)
        assert is_failed_R.tolist() == [False, False, False, True]
        assert set(keys[keys < 600]) == set(whole[whole < 600])
    assert leaders(log_probs_RV, before_R * [1, 1, 1, np.nan], sentences_R, beam_B)[1].tolist() == [False] * 3 + [True]
