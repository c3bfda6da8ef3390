"""Sources as PyTorch encodes them: the encoder's output, and the decoder's state after the newest prefix of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from weakref import ref

import torch

from engine.decoding.constraints import PreparedRequest
from engine.decoding.source_cache import SourceCache
from engine.interruption import NEVER, Interruption
from engine.model.checkpoint import LoadedModel
from engine.model.datastore import Datastore
from engine.model.decoder import Decoder
from engine.model.encoded import EncodedSources
from engine.model.prefix_cache import PrefixCache
from engine.model.table_decoder import TableDecoder, open_decoder
from engine.text import BOS, PAD


@dataclass(slots=True, eq=False)
class _Kept:
    encoded: EncodedSources
    newest: PrefixCache = field(default_factory=PrefixCache)
    mixed: PrefixCache = field(default_factory=PrefixCache)
    mixed_with: ref[Datastore] | None = None  # the datastore that the latter's log-probabilities come from

    def newest_with(self, datastore: Datastore | None) -> PrefixCache:
        """The newest prefix, with scores of this datastore."""
        if datastore is None:
            return self.newest
        if self.mixed_with is None or self.mixed_with() is not datastore:
            self.mixed, self.mixed_with = PrefixCache(), ref(datastore)
        return self.mixed


class Encodings:
    """The encoder of one model with a cache of its newest encodings."""

    def __init__(self, model: LoadedModel, compaction_interval: int | None = None) -> None:
        """`compaction_interval`: see `engine.model.table_decoder.open_decoder`."""
        self._model = model
        self._compaction_interval = compaction_interval
        self._sources = SourceCache(self._encoded)

    def decoder(self, sources: Sequence[PreparedRequest], interruption: Interruption = NEVER) -> Decoder | TableDecoder:
        """A new decoder of these sources, before its first step. For `interruption` see `Transformer.encode`."""
        kept, datastores = self._sources.of(sources, interruption), [prepared.datastore for prepared in sources]
        encoded = EncodedSources.stack([item.encoded for item in kept])
        newest = [item.newest_with(datastore) for item, datastore in zip(kept, datastores, strict=True)]
        return open_decoder(self._model.transformer, encoded, self._compaction_interval, newest, datastores)

    def reader(self, source: PreparedRequest) -> Callable[[int], Decoder]:
        """Returns a function that opens decoders for texts of one source; their common beginning is read once."""
        [kept] = self._sources.of([source])
        encoded, cache = kept.encoded, kept.newest_with(source.datastore).copy()

        def opened(num_texts: int) -> Decoder:
            caches = [cache if num_texts == 1 else cache.copy()] * num_texts
            return Decoder(
                self._model.transformer,
                EncodedSources.stack([encoded] * num_texts),
                prefix_caches=caches,
                datastores=[source.datastore] * num_texts,
            )

        return opened

    def forget(self) -> None:
        """Forgets all sources."""
        self._sources.forget()

    def of(self, source: PreparedRequest) -> EncodedSources:
        """The encoded source."""
        [kept] = self._sources.of([source])
        return kept.encoded

    def _encoded(self, sources: Sequence[PreparedRequest], interruption: Interruption) -> list[_Kept]:
        transformer = self._model.transformer
        ids = [self._model.source_ids(asked.source_ids, asked.direction, asked.marks) for asked in sources]
        starts = [self._model.starts(asked.direction) for asked in sources]
        starts_BN = None if starts[0] == [BOS] else torch.tensor(starts, device=transformer.device)
        longest = max(map(len, ids))
        padded = torch.tensor([[*own, *[PAD] * (longest - len(own))] for own in ids], device=transformer.device)
        lengths = torch.tensor([*map(len, ids)], device=transformer.device)
        together = transformer.encode(padded, lengths, starts_BN, interruption)
        return [_Kept(together.take(torch.tensor([place]))) for place in range(len(ids))]
