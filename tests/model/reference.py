"""What transformers makes of the same weights: states, log-probabilities, beam search. In the ids of its own models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def states_and_log_probs(
    reference: Any, sources: torch.Tensor, targets: torch.Tensor, starts: Sequence[int]
) -> tuple[torch.Tensor, torch.Tensor]:
    """The encoder's output (B, S, E), and the log-probability (B, T) of each target token behind `starts`."""
    starts_BN = torch.tensor([list(starts)] * len(targets))
    with torch.inference_mode():
        found = reference(
            input_ids=sources, decoder_input_ids=torch.cat([starts_BN, targets[:, :-1]], dim=1), use_cache=False
        )
    log_probs = found.logits[:, len(starts) - 1 :].log_softmax(-1).gather(2, targets[:, :, None])[:, :, 0]
    return found.encoder_last_hidden_state, log_probs


def beam_search(
    reference: Any, source: Sequence[int], starts: Sequence[int], beam: int, forbidden: Sequence[int], max_length: int
) -> tuple[list[int], float]:
    """The best translation that plain beam search finds with its log-probabilities, and its score per token.

    Slow and obvious, as transformers' own search keeps the places of hypotheses that have finished: every step computes
    all rows anew, those that end leave, and the last step ends all.
    """
    end = reference.config.eos_token_id
    live: list[tuple[float, list[int]]] = [(0.0, [])]
    finished: list[tuple[float, list[int]]] = []
    for step in range(1, max_length + 1):
        with torch.inference_mode():
            inputs = torch.tensor([[*starts, *tokens] for _, tokens in live])
            sources = torch.tensor([list(source)] * len(live))
            log_probs = reference(input_ids=sources, decoder_input_ids=inputs, use_cache=False).logits[:, -1]
        log_probs = log_probs.log_softmax(-1).double()
        log_probs[:, list(forbidden)] = -torch.inf
        if step == max_length:
            log_probs[:, [piece for piece in range(log_probs.shape[1]) if piece != end]] = -torch.inf
        totals = log_probs + torch.tensor([[log_prob] for log_prob, _ in live])
        best = totals.flatten().topk(beam)
        chosen = [
            (value, [*live[place // totals.shape[1]][1], place % totals.shape[1]])
            for value, place in zip(best.values.tolist(), best.indices.tolist(), strict=True)
            if value > -torch.inf
        ]
        finished += [(value / len(tokens), tokens) for value, tokens in chosen if tokens[-1] == end]
        live = [(value, tokens) for value, tokens in chosen if tokens[-1] != end]
        if not live:
            break
    score, tokens = max(finished)
    return tokens, score
