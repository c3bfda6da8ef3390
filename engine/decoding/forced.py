"""Forced decoding in PyTorch: the decoder's states and log-probabilities for given translations, for datastores."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import torch
from torch import Tensor

from engine.decoding.constraints import PreparedRequest
from engine.decoding.encodings import Encodings
from engine.interruption import Interruption
from engine.model.checkpoint import LoadedModel
from engine.model.datastore import StoredPair, unit_states
from engine.model.encoded import source_mask
from engine.text import PAD
from engine.translation import Contribution


class ForcedDecoding:
    """Forced decoding with one model."""

    def __init__(self, model: LoadedModel, encodings: Encodings) -> None:
        self._model = model
        self._encodings = encodings

    @torch.inference_mode()
    def token_log_probs(self, prepared: PreparedRequest, tokens: Sequence[int]) -> list[float]:
        """The log-probability of each token of a given translation, as the search would find it."""
        states_TE, tokens_T, log_probs_TV = self._forced(prepared, tokens)
        if prepared.datastore is not None:
            log_probs_TV = prepared.datastore.mix(states_TE, log_probs_TV)
        return log_probs_TV.gather(1, tokens_T[:, None])[:, 0].tolist()

    @torch.inference_mode()
    def contributions(self, prepared: PreparedRequest, tokens: Sequence[int]) -> list[Contribution]:
        """The contributions of stored pairs to a translation."""
        assert prepared.datastore is not None
        return prepared.datastore.contributions(*self._forced(prepared, tokens))

    @torch.inference_mode()
    def stored_pair(
        self,
        prepared: PreparedRequest,
        blank: PreparedRequest,
        tokens: Sequence[int],
        never: Sequence[int],
        origin: Hashable,
        least_fit: float,
    ) -> StoredPair | None:
        """The datastore entry of a translation, without the pieces `never`.

        None if the source makes it likelier than the `blank` one by less than `least_fit` nats a piece.
        """
        states_TE, tokens_T, log_probs_TV = self._forced(prepared, tokens)
        own_T = log_probs_TV.gather(1, tokens_T[:, None])[:, 0]
        _, _, blank_TV = self._forced(blank, tokens)
        fit_T = own_T - blank_TV.gather(1, tokens_T[:, None])[:, 0]
        if not float(fit_T.double().mean()) >= least_fit:  # nor if it is not a number
            return None
        kept = [place for place, token in enumerate(tokens) if token not in never]
        return StoredPair(origin, unit_states(states_TE)[kept], tokens_T[kept], own_T[kept])

    def _forced(self, prepared: PreparedRequest, tokens: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
        """States (T, E), the tokens after them (T,), and the model's own log-probabilities (T, V)."""
        transformer, encoded = self._model.transformer, self._encodings.of(prepared)
        tokens_1T = torch.tensor([list(tokens)], device=transformer.device)
        states_TE = transformer.states(encoded.memory_BSE, None, tokens_1T, encoded.starts_BN)[0]
        return states_TE, tokens_1T[0], torch.log_softmax(transformer.project(states_TE).float(), dim=1)

    @torch.inference_mode()
    def log_probs_of_target(
        self, inputs: Sequence[Sequence[int]], target: Sequence[int], direction: str, interruption: Interruption
    ) -> list[float]:
        """The log-probability of one target given each input of the encoder, in one batch.

        Asks `interruption` before each layer of the encoder.
        """
        transformer = self._model.transformer
        longest, device = max(map(len, inputs)), transformer.device
        inputs_BS = torch.tensor([[*own, *[PAD] * (longest - len(own))] for own in inputs], device=device)
        mask = source_mask(torch.tensor([*map(len, inputs)], device=device), longest)
        target_BT = torch.tensor([list(target)] * len(inputs), device=device)
        starts_BN = torch.tensor([self._model.starts(direction)] * len(inputs), device=device)
        memory_BSE = transformer.memory(inputs_BS, mask, interruption)
        found = []
        for states_TE in transformer.states(memory_BSE, mask, target_BT, starts_BN):
            # one by one: log-probabilities of a large vocabulary take much memory
            log_probs_TV = torch.log_softmax(transformer.project(states_TE).float(), dim=1)
            found.append(float(log_probs_TV.gather(1, target_BT[:1].T).double().sum()))
        return found
