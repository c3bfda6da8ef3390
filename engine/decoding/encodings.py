"""Cache of the newest sources: the encoder's output, and the decoder's state after the newest prefix of each.

A repeated request then computes only its new parts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from weakref import ref

import torch

from engine.compiled.c_interface import CoreModel, Floats, PrefixTree
from engine.decoding.constraints import PreparedRequest
from engine.interruption import NEVER, Interruption
from engine.model import Decoder, EncodedSources, LoadedModel
from engine.model.cached_decoder import CachedDecoder
from engine.model.compiled_decoder import CompiledDecoder
from engine.model.datastore import Datastore
from engine.model.decoder_parts import DecoderParts, Part
from engine.model.expanded_prefixes import MAX_BYTES, ExpandedPrefixes
from engine.model.prefix_cache import PrefixCache
from engine.model.table_decoder import TableDecoder, open_decoder
from engine.text import BOS, PAD

_MAX_KEPT = 64
_Key = tuple[str, tuple[str, ...], str, tuple[int, ...]]  # direction, marks, text and hints


@dataclass(slots=True, eq=False)
class _Computed:
    """Decoder results for the translations of one source."""

    newest: PrefixCache = field(default_factory=PrefixCache)
    expanded: ExpandedPrefixes = field(default_factory=ExpandedPrefixes)


@dataclass(slots=True, eq=False)
class _Kept:
    encoded: EncodedSources  # without keys and values, until PyTorch needs them, if the compiled core encodes
    cross: Floats | None = None  # keys and values of the compiled core, if that has encoded the source
    tree: PrefixTree | None = None
    own: _Computed = field(default_factory=_Computed)
    mixed: _Computed = field(default_factory=_Computed)
    mixed_with: ref[Datastore] | None = None  # the datastore that the latter's log-probabilities come from

    @property
    def num_bytes(self) -> int:
        """The memory of all prefixes."""
        expanded = self.mixed.expanded.num_bytes + self.own.expanded.num_bytes
        return expanded + (0 if self.tree is None else self.tree.num_bytes)

    def forget_prefixes(self) -> None:
        """Running searches keep those that they use."""
        self.tree = None
        self.mixed.expanded = self.own.expanded = ExpandedPrefixes()

    def compiled_tree(self, model: CoreModel) -> PrefixTree:
        """The tree of prefixes in the compiled core."""
        if self.tree is None:
            assert self.cross is not None
            starts_BN = self.encoded.starts_BN
            starts = [BOS] if starts_BN is None else starts_BN[0].tolist()
            self.tree = PrefixTree(model, self.cross, starts, MAX_BYTES)
        return self.tree

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
    ) -> DecoderParts | CachedDecoder | Decoder | TableDecoder:
        """A new decoder of these sources, before its first step. For `interruption` see `CachedDecoder`, `encode`.

        A model in the compiled core is decoded there, unless a datastore counts. Otherwise, on a CPU, if all sources
        are the same and have the same datastore, one that computes each prefix of its translations once, also over
        several calls.
        """
        kept, datastores = self._of(sources, interruption), [prepared.datastore for prepared in sources]
        self._make_room()
        if not self._is_compiled:
            return self._by_torch(kept, datastores, interruption)
        parts: list[tuple[Part, int]] = []
        for has_datastore, places in groupby(range(len(kept)), lambda place: datastores[place] is not None):
            some = list(places)
            own = [kept[place] for place in some]
            if has_datastore:
                decoder = self._by_torch(own, [datastores[place] for place in some], interruption)
                assert not isinstance(decoder, TableDecoder)
                parts.append((decoder, len(some)))
            else:
                parts.append((self._by_core(own, interruption), len(some)))
        return DecoderParts(parts)

    def tree(self, source: PreparedRequest, interruption: Interruption = NEVER) -> PrefixTree | None:
        """The tree of prefixes of a source in the compiled core; None if that does not decode the request."""
        compiled = self._model.transformer.compiled
        if compiled is None or not self._is_compiled or source.datastore is not None:
            return None
        [kept] = self._of([source], interruption)
        self._make_room()
        return kept.compiled_tree(compiled)

    @property
    def _is_compiled(self) -> bool:
        """True if the compiled core decodes what it covers."""
        return self._model.transformer.compiled is not None and self._compaction_interval is None

    def _by_core(self, kept: Sequence[_Kept], interruption: Interruption = NEVER) -> CompiledDecoder:
        compiled = self._model.transformer.compiled
        assert compiled is not None
        return CompiledDecoder(self._model.config, [item.compiled_tree(compiled) for item in kept], interruption)

    def _by_torch(
        self, kept: Sequence[_Kept], datastores: Sequence[Datastore | None], interruption: Interruption
    ) -> CachedDecoder | Decoder | TableDecoder:
        model = self._model.transformer
        computed = [item.computed(datastore) for item, datastore in zip(kept, datastores, strict=True)]
        if self._compaction_interval is None and model.device.type == "cpu":
            [*others, one] = computed
            if all(other is one for other in others):
                encoded, datastore = self._for_torch(kept[0]), datastores[0]
                return CachedDecoder(model, encoded, len(kept), one.expanded, one.newest, datastore, interruption)
        encoded = EncodedSources.stack([self._for_torch(item) for item in kept])
        newest = [own.newest for own in computed]
        return open_decoder(model, encoded, self._compaction_interval, newest, datastores)

    def _for_torch(self, kept: _Kept) -> EncodedSources:
        """The encoded source with keys and values, which the compiled core leaves out."""
        if not kept.encoded.cross_LBSE.numel():
            with torch.inference_mode():
                cross_LBSE = self._model.transformer.cross(kept.encoded.memory_BSE)
            kept.encoded = replace(kept.encoded, cross_LBSE=cross_LBSE)
        return kept.encoded

    def _make_room(self) -> None:
        """Free half of the memory for prefixes: forget the prefixes of the least recently used sources."""
        excess = sum(kept.num_bytes for kept in self._kept.values()) - MAX_BYTES // 2
        for kept in self._kept.values():
            if excess <= 0:
                break
            excess -= kept.num_bytes
            kept.forget_prefixes()

    def reader(self, source: PreparedRequest, cache: PrefixCache) -> Callable[[int], CompiledDecoder | Decoder]:
        """Returns a function that opens decoders for texts of one source; their common beginning is read once."""
        [kept] = self._of([source])

        def opened(num_texts: int) -> CompiledDecoder | Decoder:
            if self._is_compiled and source.datastore is None:
                return self._by_core([kept] * num_texts)
            caches = [cache if num_texts == 1 else cache.copy()] * num_texts
            return Decoder(
                self._model.transformer,
                EncodedSources.stack([self._for_torch(kept)] * num_texts),
                prefix_caches=caches,
                datastores=[source.datastore] * num_texts,
            )

        return opened

    def of(self, source: PreparedRequest) -> EncodedSources:
        """The encoded source; a model in the compiled core leaves out its keys and values."""
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
            encoded = self._encoded(ids, [asked.direction for asked in new.values()], interruption)
            found.update(zip(new, encoded, strict=True))
        for key in keys:
            self._kept.pop(key, None)  # those used last come last
        self._kept.update((key, found[key]) for key in keys)
        while len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)
        return [found[key] for key in keys]

    def _encoded(
        self, ids: Sequence[Sequence[int]], directions: Sequence[str], interruption: Interruption
    ) -> list[_Kept]:
        """The encodings of sources, given by their pieces, one by one."""
        transformer = self._model.transformer
        starts_BN = self._model.starts(directions, transformer.device)
        if transformer.compiled is not None and self._is_compiled:
            kept = []
            for number, own in enumerate(ids):
                interruption.check()
                memory_SE, cross = transformer.compiled.encode(own)
                memory_BSE, starts = torch.from_numpy(memory_SE)[None], None
                if starts_BN is not None:
                    starts = starts_BN[number : number + 1]
                encoded = EncodedSources(memory_BSE, memory_BSE.new_empty(0), torch.tensor([len(own)]), starts)
                kept.append(_Kept(encoded, cross))
            return kept
        longest = max(map(len, ids))
        padded = torch.tensor([[*own, *[PAD] * (longest - len(own))] for own in ids], device=transformer.device)
        lengths = torch.tensor([*map(len, ids)], device=transformer.device)
        together = transformer.encode(padded, lengths, starts_BN, interruption)
        return [_Kept(together.take(torch.tensor([place]))) for place in range(len(ids))]
