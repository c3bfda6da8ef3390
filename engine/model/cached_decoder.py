"""Decoding translations of one source, each prefix computed once, in this search or an earlier one of that source.

Rows are numbers of prefixes (`engine.model.expanded_prefixes`), so that following the search's choice of parents copies
nothing. A step computes only rows with a new prefix: it gathers what the decoder remembers of their beginnings, and
equal rows, as those of several requests for one source have them, are computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np
import torch
from torch import Tensor

from engine.interruption import NEVER, Interruption
from engine.model.datastore import Datastore
from engine.model.decoder import Decoder, Joinable
from engine.model.encoded import EncodedSources
from engine.model.expanded_prefixes import EMPTY, ExpandedPrefixes, Paths
from engine.model.prefix_cache import PrefixCache
from engine.model.transformer import Transformer
from engine.text import BOS

ROWS_AT_ONCE = 64  # 0.03 seconds of one core, far into a long translation; more at once are not computed faster


class CachedDecoder:
    """A `Decoder` of any number of sentences with one source; it follows `select` and `join` as that does."""

    def __init__(
        self,
        model: Transformer,
        encoded: EncodedSources,
        num_sentences: int,
        expanded: ExpandedPrefixes,
        prefix_cache: PrefixCache | None = None,
        datastore: Datastore | None = None,
        interruption: Interruption = NEVER,
    ) -> None:
        """`encoded` is the one source; `expanded` and `prefix_cache` have earlier results for it.

        `datastore` has the neighbours that count, the same as for what was computed before. A step of many
        rows asks `interruption` between its parts, until the next `join`.
        """
        self._interruption = interruption
        self._model = model
        self._encoded = encoded
        self._expanded = expanded
        self._prefix_cache = prefix_cache or PrefixCache()
        self._datastore = datastore
        self._decoder = Decoder(  # of the rows that a step computes
            model, encoded, prefix_caches=[self._prefix_cache], datastores=[datastore]
        )
        self._joined: Decoder | None = None  # of all rows, after a `join`
        self._starts: list[int] = [] if encoded.starts_BN is None else encoded.starts_BN[0, :-1].tolist()
        with torch.inference_mode():
            expanded.make_room(self._decoder.empty_entry)
        self._places_R = np.arange(num_sentences)  # the sentence of each row
        self._paths_RT = np.stack([self._path_of((), self._prefix_cache)] * num_sentences)

    @torch.inference_mode()
    def step(self, tokens_R: Tensor) -> Tensor:
        """Log-probabilities (R, V) of the next token of each row; see `Decoder.step`."""
        if self._joined is not None:
            return self._joined.step(tokens_R)
        if self._expanded.is_full(len(tokens_R)):
            # Most prefixes belong to hypotheses that ended: a wide beam adds gigabytes of them. The others stay with
            # this search, as the next ones are of other beginnings.
            self._expanded, self._paths_RT = self._expanded.only(self._paths_RT)
        expanded, paths_RT = self._expanded, self._paths_RT
        before = paths_RT[:, -1].tolist() if paths_RT.shape[1] else [EMPTY] * len(paths_RT)
        prefixes = [expanded.continue_with(*pair) for pair in zip(before, tokens_R.tolist(), strict=True)]
        found = {prefix: expanded.log_probs(prefix) for prefix in prefixes}
        new = {prefix: row for row, prefix in enumerate(prefixes) if found[prefix] is None}
        for first in range(0, len(new), ROWS_AT_ONCE):
            if first:
                self._interruption.check()
            some = dict(islice(new.items(), first, first + ROWS_AT_ONCE))
            rows = list(some.values())
            self._decoder.resume(expanded.entries, paths_RT[rows])
            log_probs_UV = self._decoder.step(tokens_R[rows])
            expanded.store(list(some), self._decoder.newest_entries, log_probs_UV, self._interruption)
            found.update(zip(some, log_probs_UV, strict=True))
        self._paths_RT = np.concatenate([paths_RT, np.array(prefixes)[:, None]], 1)
        return torch.stack([found[prefix] for prefix in prefixes])  # type: ignore[misc] # a copy, which may be changed

    def read(self, pieces_B: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
        """Let each sentence's row begin with these pieces; see `Decoder.read`."""
        assert self._joined is None, "rows that have joined others cannot start again"
        caches = {tuple(pieces): self._prefix_cache.copy() for pieces in pieces_B}  # distinct prefixes, read together
        encoded = EncodedSources.stack([self._encoded] * len(caches))
        datastores = [self._datastore] * len(caches)
        decoder = Decoder(self._model, encoded, prefix_caches=list(caches.values()), datastores=datastores)
        log_probs = dict(zip(caches, decoder.read(list(caches)), strict=True))
        paths = {pieces: self._path_of(pieces, cache) for pieces, cache in caches.items()}
        longest = max(map(len, paths.values()))
        padded = {p: np.pad(path, (longest - len(path), 0), constant_values=EMPTY) for p, path in paths.items()}
        self._paths_RT = np.stack([padded[tuple(pieces)] for pieces in pieces_B])
        self._prefix_cache.store(next(reversed(caches.values())).latest)
        return [log_probs[tuple(pieces)] for pieces in pieces_B]

    def select(self, parents_R2: Tensor) -> None:
        """Let new row i go on from old row `parents_R2[i]`; see `Decoder.select`."""
        if self._joined is not None:
            self._joined.select(parents_R2)
        else:
            parents = parents_R2.numpy()
            self._places_R, self._paths_RT = self._places_R[parents], self._paths_RT[parents]

    def join(self, other: Joinable) -> None:
        """Append the rows of `other`; see `Decoder.join`. Nothing is looked up or stored any more."""
        self._joined = self.plain()
        self._joined.join(other)

    def plain(self) -> Decoder:
        """See `Joinable`."""
        if self._joined is not None:
            return self._joined
        live, places_R = np.unique(self._places_R, return_inverse=True)
        encoded = EncodedSources.stack([self._encoded] * len(live))
        decoder = Decoder(self._model, encoded, datastores=[self._datastore] * len(live))
        decoder.resume(self._expanded.entries, self._paths_RT, torch.from_numpy(places_R))
        return decoder

    @torch.inference_mode()
    def _path_of(self, pieces: tuple[int, ...], cache: PrefixCache) -> Paths:
        """(T,): the prefixes of what the decoder reads before the next step; stores their entries, from `cache`."""
        path: list[int] = []
        for piece in (*self._starts, *((BOS, *pieces[:-1]) if pieces else ())):
            path.append(self._expanded.continue_with(path[-1] if path else EMPTY, piece))
        unknown = [place for place, prefix in enumerate(path) if self._expanded.log_probs(prefix) is None]
        if unknown:
            entries_TLZ = cache.shared_with(pieces).entries_TLZ
            self._expanded.store([path[place] for place in unknown], entries_TLZ[unknown], None)
        return np.array(path, dtype=np.int64)
