"""Cache of the newest sources: the encoder's output, and the decoder's state after the newest prefix of each.

A repeated request then computes only its new parts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from weakref import ref

import torch

from engine.decoding.constraints import PreparedRequest
from engine.interruption import NEVER, Interruption
from engine.model import Decoder, EncodedSources, LoadedModel
from engine.model.cached_decoder import CachedDecoder
from engine.model.datastore import Datastore
from engine.model.expanded_prefixes import MAX_BYTES, ExpandedPrefixes
from engine.model.prefix_cache import PrefixCache
from engine.model.table_decoder import TableDecoder, open_decoder
from engine.text import PAD

_MAX_KEPT = 64
_Key = tuple[str, tuple[str, ...], str, tuple[int, ...]]  # direction, marks, text and hints


@dataclass(slots=True, eq=False)
class _Computed:
    """Decoder results for the translations of one source."""

    newest: PrefixCache = field(default_factory=PrefixCache)
    expanded: ExpandedPrefixes = field(default_factory=ExpandedPrefixes)


@dataclass(slots=True, eq=False)
class _Kept:
    encoded: EncodedSources
    own: _Computed = field(default_factory=_Computed)
    mixed: _Computed = field(default_factory=_Computed)
    mixed_with: ref[Datastore] | None = None  # the datastore that the latter's log-probabilities come from

    def computed(self, datastore: Datastore | None) -> _Computed:
        """The stored decoder results for scores with this datastore."""
        if datastore is None:
            return self.own
        if self.mixed_with is None or self.mixed_with() is not datastore:
            self.mixed, self.mixed_with = _Computed(), ref(datastore)
        return self.mixed


class Encodings:
    """The encoder of one model with a cache of its newest encodings."""

    def __init__(self, model: LoadedModel, compaction_interval: int | None = None) -> None:
        """`compaction_interval`: see `engine.model.table_decoder.open_decoder`."""
        self._model = model
        self._compaction_interval = compaction_interval
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()

    def decoder(
        self, sources: Sequence[PreparedRequest], interruption: Interruption = NEVER
    ) -> CachedDecoder | Decoder | TableDecoder:
        """A new decoder of these sources, before its first step. For `interruption` see `CachedDecoder`, `encode`.

        On a CPU, if all are the same and have the same datastore, one that computes each prefix of its translations
        once, also over several calls.
        """
        kept, datastores = self._of(sources, interruption), [prepared.datastore for prepared in sources]
        computed = [item.computed(datastore) for item, datastore in zip(kept, datastores, strict=True)]
        if self._compaction_interval is None and self._model.transformer.device.type == "cpu":
            [*others, one] = computed
            if all(other is one for other in others):
                self._make_room()
                encoded = kept[0].encoded
                return CachedDecoder(
                    self._model.transformer, encoded, len(kept), one.expanded, one.newest, datastores[0], interruption
                )
        encoded = EncodedSources.stack([item.encoded for item in kept])
        newest = [own.newest for own in computed]
        return open_decoder(self._model.transformer, encoded, self._compaction_interval, newest, datastores)

    def _make_room(self) -> None:
        """Free half of the memory for prefixes: forget the prefixes of the least recently used sources."""
        everything = [computed for kept in self._kept.values() for computed in (kept.mixed, kept.own)]
        excess = sum(computed.expanded.num_bytes for computed in everything) - MAX_BYTES // 2
        for computed in everything:
            if excess <= 0:
                break
            excess -= computed.expanded.num_bytes
            computed.expanded = ExpandedPrefixes()  # running searches keep their own

    def reader(self, source: PreparedRequest, cache: PrefixCache) -> Callable[[int], Decoder]:
        """Returns a function that opens decoders for texts of one source; their common beginning is read once."""
        encoded = self.of(source)

        def opened(num_texts: int) -> Decoder:
            caches = [cache if num_texts == 1 else cache.copy()] * num_texts
            return Decoder(
                self._model.transformer,
                EncodedSources.stack([encoded] * num_texts),
                prefix_caches=caches,
                datastores=[source.datastore] * num_texts,
            )

        return opened

    def of(self, source: PreparedRequest) -> EncodedSources:
        """The encoded source."""
        [kept] = self._of([source])
        return kept.encoded

    def _of(self, sources: Sequence[PreparedRequest], interruption: Interruption = NEVER) -> list[_Kept]:
        """The cached encodings of the sources; encodes the missing ones in one batch."""
        keys: list[_Key] = [
            (prepared.direction, prepared.marks, prepared.source, prepared.hints) for prepared in sources
        ]
        found = {key: self._kept[key] for key in set(keys) if key in self._kept}
        new = {key: prepared for key, prepared in zip(keys, sources, strict=True) if key not in found}
        if new:
            ids = [
                [*self._model.source_ids(asked.source_ids, asked.direction, asked.marks), *asked.hints]
                for asked in new.values()
            ]
            longest, device = max(map(len, ids)), self._model.transformer.device
            padded = torch.tensor([[*own, *[PAD] * (longest - len(own))] for own in ids], device=device)
            lengths = torch.tensor([*map(len, ids)], device=device)
            starts = self._model.starts([asked.direction for asked in new.values()], device)
            together = self._model.transformer.encode(padded, lengths, starts, interruption)
            found.update((key, _Kept(together.take(torch.tensor([place])))) for place, key in enumerate(new))
        for key in keys:
            self._kept.pop(key, None)  # those used last come last
        self._kept.update((key, found[key]) for key in keys)
        while len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)
        return [found[key] for key in keys]
