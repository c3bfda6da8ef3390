"""Sources as the compiled core encodes them: the encoder's output, and the tree of prefixes of their translations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.compiled.c_interface import CoreAlignment, CoreCancelled, Floats, PrefixTree
from engine.decoding.aligner import AlignmentScores
from engine.decoding.constraints import PreparedRequest
from engine.decoding.source_cache import SourceCache
from engine.interruption import NEVER, Interrupted, Interruption
from engine.model.checkpoint import LoadedModel
from engine.model.compiled_decoder import CompiledDecoder
from engine.model.compiled_model import CompiledNetwork

MAX_BYTES = 32 * 2**20  # of a tree, and of all other sources' trees of a model; 25 pieces need 9 MB


@dataclass(slots=True, eq=False)
class CoreSource:
    """A source in the compiled core. `memory_SE` is the encoder's output; a forgotten `tree` is made again."""

    ids: Sequence[int]
    memory_SE: Floats
    cross: Floats
    starts: Sequence[int]
    tree: PrefixTree | None = None

    @property
    def num_bytes(self) -> int:
        """The memory of all prefixes."""
        return 0 if self.tree is None else self.tree.num_bytes


class CoreSources:
    """The encoder of a model in the compiled core with a cache of its newest sources."""

    def __init__(self, model: LoadedModel, compiled: CompiledNetwork) -> None:
        self._model = model
        self._core, self._head = compiled.model, compiled.alignment
        self._sources = SourceCache(self._encoded)
        self._with_trees: list[CoreSource] = []  # the least recently used first

    def tree(self, source: PreparedRequest, interruption: Interruption = NEVER) -> PrefixTree:
        """The tree of prefixes of a source."""
        found = self.of(source, interruption)
        if found.tree is None:
            found.tree = self._new_tree(found)
        self._make_room(found)
        return found.tree

    def _new_tree(self, source: CoreSource) -> PrefixTree:
        """A tree of prefixes of a source, with nothing known."""
        return PrefixTree(self._core, source.cross, source.starts, MAX_BYTES)

    def reader(self, source: PreparedRequest, interruption: Interruption = NEVER) -> Callable[[int], CompiledDecoder]:
        """Returns a function that opens decoders for texts of one source, which ask `interruption`."""
        return lambda num_texts: self.decoder([source] * num_texts, interruption)

    def decoder(self, sources: Sequence[PreparedRequest], interruption: Interruption = NEVER) -> CompiledDecoder:
        """A new decoder of these sources, before its first step."""
        return CompiledDecoder(
            self._model.config, [self.tree(source, interruption) for source in sources], interruption
        )

    def alignment_scores(self, source: PreparedRequest, interruption: Interruption = NEVER) -> AlignmentScores | None:
        """The scores of the alignment head for targets of this source; None if the core does not cover the head.

        A cancel ends a call with Interrupted; a deadline does not, as the best translations so far are aligned, too.
        """
        if (head := self._head) is None:
            return None
        found, tree, longest = self.of(source), self.tree(source), self._model.config.max_pieces - 1

        def logits(source_ids: Sequence[int], targets: Sequence[Sequence[int]]) -> list[Floats]:
            own = [target[:longest] for target in targets]
            if not interruption.is_possible:
                return head.logits(tree, source_ids, found.memory_SE, own)
            tree.watch(lambda: interruption.cause() == "cancelled")
            try:
                return head.logits(tree, source_ids, found.memory_SE, own)
            except CoreCancelled:
                raise Interrupted("cancelled") from None
            finally:
                tree.watch(None)

        if isinstance(head, CoreAlignment):
            return AlignmentScores(logits, head.word_probabilities)
        return AlignmentScores(logits)

    def log_probs_of_target(
        self, inputs: Sequence[Sequence[int]], target: Sequence[int], direction: str, interruption: Interruption
    ) -> list[float]:
        """The log-probability of one target given each input of the encoder."""
        found = []
        for ids in inputs:
            interruption.check()
            source = self._encode(ids, direction, interruption)
            [log_probs] = CompiledDecoder(self._model.config, [self._new_tree(source)]).read([target])
            found.append(sum(log_probs))
        return found

    def forget(self) -> None:
        """Forgets all sources."""
        self._sources.forget()
        self._with_trees.clear()

    def of(self, source: PreparedRequest, interruption: Interruption = NEVER) -> CoreSource:
        [found] = self._sources.of([source], interruption)
        return found

    def _encode(self, ids: Sequence[int], direction: str, interruption: Interruption) -> CoreSource:
        """A source of this direction, given by its pieces, without a place in the cache."""
        try:
            memory_SE, cross = self._core.encode(ids, interruption.must_end if interruption.is_possible else None)
        except CoreCancelled:
            interruption.check()
            raise
        return CoreSource(ids, memory_SE, cross, self._model.starts(direction))

    def _encoded(self, sources: Sequence[PreparedRequest], interruption: Interruption) -> list[CoreSource]:
        found = []
        for asked in sources:
            interruption.check()
            ids = self._model.source_ids(asked.source_ids, asked.direction, asked.marks)
            found.append(self._encode(ids, asked.direction, interruption))
        return found

    def _make_room(self, newest: CoreSource) -> None:
        """Forgets the prefixes of the least recently used sources; running searches keep the trees that they use."""
        others = [source for source in self._with_trees if source is not newest]
        excess = sum(source.num_bytes for source in others) - MAX_BYTES
        while excess > 0:
            excess -= others[0].num_bytes
            others.pop(0).tree = None
        self._with_trees = [*others, newest]
