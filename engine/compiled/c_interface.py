"""The compiled core as Python objects: a model, its encoder and the tree of prefixes (`interface.h`)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_int32, c_int64, c_void_p
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from engine.compiled.build import library
from engine.errors import EngineError, InvalidRequest

INTERFACE_VERSION: Final = 6  # of interface.h

Floats = npt.NDArray[np.float32]
Nodes = npt.NDArray[np.int32]

_NO_MEMORY, _CANCELLED, _TOO_LONG = 2, 3, 4


MustEnd = Callable[[], bool]
_Look = ctypes.CFUNCTYPE(c_int32)


class CoreError(EngineError):
    """The compiled core refused a call, or does not fit this version."""


class CoreCancelled(Exception):
    """The caller ended a call of the compiled core."""


@dataclass(frozen=True, slots=True)
class CoreConfig:
    """`PinpointConfig`: the sizes and variants that the compiled core knows."""

    vocabulary_size: int
    source_vocabulary_size: int
    model_size: int
    num_heads: int
    encoder_feed_forward_size: int
    decoder_feed_forward_size: int
    encoder_layers: int
    decoder_layers: int
    num_positions: int
    is_post_norm: bool
    activation: str
    is_recurrent: bool = False
    has_guided_alignment: bool = False


_ACTIVATIONS: Final = ("relu", "gelu", "swish")


class _Config(ctypes.Structure):
    _fields_ = [(name, c_int32) for name in CoreConfig.__slots__]


class Core:
    """A loaded library."""

    def __init__(self, path: Path) -> None:
        """Raises CoreError for a file that is not a library of this version."""
        try:
            self.functions = ctypes.CDLL(str(path))
            self._declare()
        except (OSError, AttributeError) as error:
            raise CoreError(f"{path} cannot be loaded ({error}); delete it and build it again") from error

    def _declare(self) -> None:
        functions = self.functions
        if functions.pinpoint_interface_version() != INTERFACE_VERSION:
            raise AttributeError("it has another version of the interface")
        declared: tuple[tuple[str, Any, tuple[Any, ...]], ...] = (
            ("last_error", c_char_p, ()),
            ("kernels", c_char_p, (c_int, POINTER(c_int))),
            ("model_new", c_void_p, (POINTER(_Config), c_void_p, c_void_p, c_void_p, c_char_p)),
            ("model_free", None, (c_void_p,)),
            ("model_kernels", c_char_p, (c_void_p,)),
            ("model_set_linear", c_int, (c_void_p, c_char_p, c_void_p, c_void_p, c_int, c_int, c_void_p, c_float)),
            ("model_set_norm", c_int, (c_void_p, c_char_p, c_void_p, c_void_p, c_int)),
            ("model_check", c_int, (c_void_p,)),
            ("encode", c_int, (c_void_p, c_void_p, c_int, _Look, c_void_p, c_void_p)),
            ("tree_new", c_void_p, (c_void_p, c_void_p, c_int, c_void_p, c_int, c_int64)),
            ("tree_free", None, (c_void_p,)),
            ("tree_watch", c_int, (c_void_p, _Look)),
            ("tree_children", c_int, (c_void_p, c_void_p, c_void_p, c_int, c_void_p)),
            ("tree_expand", c_int, (c_void_p, c_void_p, c_int)),
            ("tree_log_probs", c_int, (c_void_p, c_void_p, c_int, c_void_p)),
            ("tree_states", c_int, (c_void_p, c_void_p, c_int, c_void_p)),
            ("tree_source_weights", c_int, (c_void_p, c_void_p, c_int, c_void_p)),
            ("tree_walk", c_int, (c_void_p, c_int, c_void_p, c_int, c_void_p)),
            ("tree_piece_log_probs", c_int, (c_void_p, c_void_p, c_void_p, c_int, c_void_p)),
            ("tree_path", c_int, (c_void_p, c_int, c_void_p, c_int)),
            ("tree_steps", c_void_p, (c_void_p,)),
            ("tree_num_nodes", c_int, (c_void_p,)),
            ("tree_num_bytes", c_int64, (c_void_p,)),
            ("tree_num_computed", c_int64, (c_void_p,)),
            ("alignment_new", c_void_p, (c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p)),
            ("alignment_free", None, (c_void_p,)),
            (
                "alignment_logits",
                c_int,
                (c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p),
            ),
            (
                "word_probabilities",
                c_int,
                (c_void_p, c_int, c_void_p, c_int, c_void_p, c_int, c_void_p, c_void_p, c_void_p),
            ),
            (
                "product",
                c_int,
                (c_char_p, c_void_p, c_int, c_void_p, c_void_p, c_int, c_int, c_void_p, c_float, c_void_p),
            ),
        )
        for name, result, arguments in declared:
            function = getattr(functions, f"pinpoint_{name}")
            function.restype, function.argtypes = result, arguments

    def check(self, error: int) -> None:
        """Raises the exception for a result that is not 0."""
        if error:
            self.fail(error)

    def fail(self, error: int = 1) -> None:
        """Raises the exception for the last error."""
        message = self.functions.pinpoint_last_error().decode(errors="replace")
        if error == _NO_MEMORY:
            raise MemoryError(message)
        if error == _CANCELLED:
            raise CoreCancelled(message)
        if error == _TOO_LONG:
            raise InvalidRequest(message)
        raise CoreError(message)

    def kernels(self) -> dict[str, bool]:
        """The families of kernels of this build, best first, and whether this processor supports them."""
        found: dict[str, bool] = {}
        is_supported = c_int()
        while name := self.functions.pinpoint_kernels(len(found), byref(is_supported)):
            found[name.decode()] = bool(is_supported.value)
        return found

    def product(
        self,
        kernels: str,
        rows: Floats,
        weights: Floats,
        bias: Floats,
        weight_steps: Floats | None = None,
        input_step: float = 0.0,
    ) -> Floats:
        """Rows (R, inputs) times weights (outputs, inputs), both rounded to 8 bits, plus the bias: for tests.

        For the steps see `CoreModel.set_linear`.
        """
        rows, weights, bias = map(np.ascontiguousarray, (rows, weights, bias))
        products = np.empty((len(rows), len(weights)), dtype=np.float32)
        self.check(
            self.functions.pinpoint_product(
                kernels.encode(), _address(rows), len(rows), _address(weights), _address(bias), *weights.shape,
                _address(weight_steps), input_step, _address(products),
            )
        )  # fmt: skip
        return products


class CoreModel:
    """The weights of a model in the compiled core."""

    def __init__(
        self,
        core: Core,
        config: CoreConfig,
        embedding: Floats,
        source_embedding: Floats | None,
        positions: Floats,
        kernels: str | None = None,
    ) -> None:
        """The tables are not copied. `kernels` is a family, or None for the best of this processor."""
        self.core = core
        self.config = config
        self._kept = embedding, source_embedding, positions
        values = {name: getattr(config, name) for name in CoreConfig.__slots__}
        values["activation"] = _ACTIVATIONS.index(config.activation)
        self._model = core.functions.pinpoint_model_new(
            byref(_Config(*values.values())), *map(_address, self._kept), kernels and kernels.encode()
        )
        if not self._model:
            core.fail()
        self._free = core.functions.pinpoint_model_free

    def __del__(self) -> None:
        if getattr(self, "_free", None) is not None:
            self._free(self._model)

    @property
    def address(self) -> int:
        """The model, for calls of the library."""
        return self._model  # type: ignore[no-any-return]

    @property
    def kernels(self) -> str:
        """The family of kernels that computes it."""
        return str(self.core.functions.pinpoint_model_kernels(self._model).decode())

    def set_linear(
        self, name: str, weights: Floats, bias: Floats, weight_steps: Floats | None = None, input_step: float = 0.0
    ) -> None:
        """Sets the weights (outputs, inputs) of a part, which are copied and rounded to 8 bits.

        A part that was made in 8 bits has its own steps, of the weights of each output and of the inputs.
        """
        weights, bias = np.ascontiguousarray(weights), np.ascontiguousarray(bias)
        set_linear = self.core.functions.pinpoint_model_set_linear
        self.core.check(
            set_linear(
                self._model, name.encode(), _address(weights), _address(bias), *weights.shape, _address(weight_steps),
                input_step,
            )
        )  # fmt: skip

    def set_norm(self, name: str, gain: Floats, bias: Floats) -> None:
        """Sets a layer norm."""
        gain, bias = np.ascontiguousarray(gain), np.ascontiguousarray(bias)
        set_norm = self.core.functions.pinpoint_model_set_norm
        self.core.check(set_norm(self._model, name.encode(), _address(gain), _address(bias), len(gain)))

    def check(self) -> None:
        """Raises CoreError if a part is not set."""
        self.core.check(self.core.functions.pinpoint_model_check(self._model))

    def encode(self, source_ids: Sequence[int], must_end: MustEnd | None = None) -> tuple[Floats, Floats]:
        """The encoder's states (S, E), and the keys and values (decoder layers, 2, S, E) of attention to the source.

        `must_end` is asked every few milliseconds; if it returns True, the call ends with CoreCancelled.
        """
        source, length = np.array(source_ids, dtype=np.int32), len(source_ids)
        config = self.config
        memory_SE = np.empty((length, config.model_size), dtype=np.float32)
        cross = np.empty((config.decoder_layers, 2, *memory_SE.shape), dtype=np.float32)
        look = _look_of(must_end)
        encode = self.core.functions.pinpoint_encode
        self.core.check(encode(self._model, _address(source), length, look, _address(memory_SE), _address(cross)))
        return memory_SE, cross


class PrefixTree:
    """The prefixes of one source's translations as numbered nodes, with the decoder's results (`steps.h`).

    Node 0 is the empty prefix. Results are computed when they are asked for, and kept as far as the memory goes.
    """

    def __init__(self, model: CoreModel, cross: Floats, starts: Sequence[int], max_bytes: int) -> None:
        """`cross` is that of `CoreModel.encode`; `starts` is what the decoder reads before the first piece."""
        self._model, self._cross = model, np.ascontiguousarray(cross)
        self.functions = model.core.functions
        first = np.array(starts, dtype=np.int32)
        self._tree = self.functions.pinpoint_tree_new(
            model.address, _address(self._cross), self._cross.shape[2], _address(first), len(first), max_bytes
        )
        if not self._tree:
            model.core.fail()
        self._free = self.functions.pinpoint_tree_free

    def __del__(self) -> None:
        if getattr(self, "_free", None) is not None:
            self._free(self._tree)

    @property
    def address(self) -> int:
        """The tree, for calls of the library."""
        return self._tree  # type: ignore[no-any-return]

    def watch(self, must_end: MustEnd | None) -> None:
        """Lets this function end later calls, as that of `CoreModel.encode`."""
        self._look = _look_of(must_end)
        self._model.core.check(self.functions.pinpoint_tree_watch(self._tree, self._look))

    def children(self, nodes: Nodes, pieces: Nodes) -> Nodes:
        """The node of each node's prefix with one more piece."""
        found = np.empty_like(nodes)
        self._call(self.functions.pinpoint_tree_children, nodes, pieces, found)
        return found

    def expand(self, nodes: Nodes) -> None:
        """Computes the results of these nodes as far as they are not known."""
        self._model.core.check(self.functions.pinpoint_tree_expand(self._tree, _address(nodes), len(nodes)))

    def log_probs(self, nodes: Nodes, out: Floats) -> None:
        """Writes the log-probabilities (R, V) of the piece after each node."""
        assert out.shape == (len(nodes), self._model.config.vocabulary_size)
        self._call(self.functions.pinpoint_tree_log_probs, nodes, out=out)

    def states(self, nodes: Nodes) -> Floats:
        """The decoder's keys and values of the last piece of each node, (R, decoder layers, 2, E).

        Of a recurrent decoder its cells, (R, decoder layers, 1, E).
        """
        config = self._model.config
        num_parts = 1 if config.is_recurrent else 2
        out = np.empty((len(nodes), config.decoder_layers, num_parts, config.model_size), dtype=np.float32)
        self._call(self.functions.pinpoint_tree_states, nodes, out=out)
        return out

    def source_weights(self, nodes: Nodes) -> Floats:
        """The weights (R, S) of the source's pieces for the piece after each node, of a model with guided alignment."""
        out = np.empty((len(nodes), self._cross.shape[2]), dtype=np.float32)
        self._call(self.functions.pinpoint_tree_source_weights, nodes, out=out)
        return out

    def walk(self, node: int, pieces: Sequence[int]) -> list[int]:
        """The nodes of a prefix followed by these pieces, one for each piece."""
        own, nodes = np.array(pieces, dtype=np.int32), np.empty(len(pieces), dtype=np.int32)
        walk = self.functions.pinpoint_tree_walk
        self._model.core.check(walk(self._tree, node, _address(own), len(own), _address(nodes)))
        return nodes.tolist()

    def piece_log_probs(self, nodes: Sequence[int], pieces: Sequence[int]) -> list[float]:
        """The log-probability of one piece after each node."""
        found = np.empty(len(nodes), dtype=np.float32)
        own, others = np.array(nodes, dtype=np.int32), np.array(pieces, dtype=np.int32)
        self._call(self.functions.pinpoint_tree_piece_log_probs, own, others, found)
        return found.tolist()

    def path(self, node: int) -> list[int]:
        """The nodes of all that the decoder reads up to a node: the starts and the pieces."""
        nodes = np.empty(self._model.config.num_positions, dtype=np.int32)
        count = self.functions.pinpoint_tree_path(self._tree, node, _address(nodes), len(nodes))
        found: list[int] = nodes[:count].tolist()
        return found

    @property
    def steps(self) -> int:
        """The tree for a compiled search."""
        steps: int = self.functions.pinpoint_tree_steps(self._tree)
        return steps

    @property
    def num_nodes(self) -> int:
        return int(self.functions.pinpoint_tree_num_nodes(self._tree))

    @property
    def num_bytes(self) -> int:
        """The memory of all results and nodes."""
        return int(self.functions.pinpoint_tree_num_bytes(self._tree))

    @property
    def num_computed(self) -> int:
        """How many prefixes were computed so far."""
        return int(self.functions.pinpoint_tree_num_computed(self._tree))

    def _call(
        self,
        function: Callable[..., int],
        nodes: Nodes,
        pieces: Nodes | None = None,
        out: npt.NDArray[Any] | None = None,
    ) -> None:
        """Calls a function with contiguous nodes, and pieces, if it has any."""
        arrays = [_address(array) for array in (nodes, pieces) if array is not None]
        self._model.core.check(function(self._tree, *arrays, len(nodes), _address(out)))


class CoreAlignment:
    """The word alignment head of a model in the compiled core; its scores are in 32 bits."""

    def __init__(self, model: CoreModel, query: tuple[Floats, Floats], key: tuple[Floats, Floats]) -> None:
        """`query` and `key` have weights (head size, 2E) and a bias, which are copied."""
        self._model = model
        self._functions = model.core.functions
        arrays = [np.ascontiguousarray(array) for array in (*query, *key)]
        self._alignment = self._functions.pinpoint_alignment_new(model.address, len(arrays[0]), *map(_address, arrays))
        if not self._alignment:
            model.core.fail()
        self._free = self._functions.pinpoint_alignment_free

    def __del__(self) -> None:
        if getattr(self, "_free", None) is not None:
            self._free(self._alignment)

    def logits(
        self, tree: PrefixTree, source_ids: Sequence[int], memory_SE: Floats, targets: Sequence[Sequence[int]]
    ) -> list[Floats]:
        """Logits (1 + pieces, S) of each target of the tree's source; row 0 is that of the start.

        `memory_SE` are the states of `CoreModel.encode`. What a search has read of the targets is not read again.
        """
        memory_SE = np.ascontiguousarray(memory_SE)
        source = np.array(source_ids, dtype=np.int32)
        pieces = np.array([piece for target in targets for piece in target], dtype=np.int32)
        lengths = np.array([*map(len, targets)], dtype=np.int32)
        logits = np.empty((len(pieces) + len(targets), len(source)), dtype=np.float32)
        self._model.core.check(
            self._functions.pinpoint_alignment_logits(
                self._alignment, tree.address, _address(source), len(source), _address(memory_SE), _address(pieces),
                _address(lengths), len(targets), _address(logits),
            )
        )  # fmt: skip
        return _parts(logits, [1 + len(target) for target in targets])

    def word_probabilities(
        self,
        logits: Sequence[Floats],
        source_words: Sequence[tuple[int, int]],
        target_words: Sequence[Sequence[tuple[int, int]]],
    ) -> list[Floats]:
        """`engine.model.word_probabilities` of each target: its logits, and the words of source and target."""
        num_words, num_columns = [*map(len, target_words)], logits[0].shape[1]
        lengths = np.array([len(own) - 1 for own in logits], dtype=np.int32)
        sources = np.array(source_words, dtype=np.int32)
        targets = np.array([word for words in target_words for word in words], dtype=np.int32)
        counts = np.array(num_words, dtype=np.int32)
        found = np.empty((sum(num_words), len(source_words)), dtype=np.float32)
        joined = np.concatenate(logits)
        self._model.core.check(
            self._functions.pinpoint_word_probabilities(
                _address(joined), num_columns, _address(lengths), len(logits), _address(sources), len(source_words),
                _address(targets), _address(counts), _address(found),
            )
        )  # fmt: skip
        return _parts(found, num_words)


class CoreGuidedAlignment:
    """The word alignment of models with guided alignment: the weights of an attention to the source."""

    NO_WORD: Final = 0.1  # the probability that competes with those of all target pieces for a source piece
    _LEAST: Final = 1e-9

    def logits(
        self, tree: PrefixTree, source_ids: Sequence[int], memory_SE: Floats, targets: Sequence[Sequence[int]]
    ) -> list[Floats]:
        """Like `CoreAlignment.logits`: log-probabilities of the source pieces; row 0 ("no word") is constant."""
        no_word_1S = np.full((1, len(source_ids)), np.log(self.NO_WORD), dtype=np.float32)
        found = []
        for target in targets:
            nodes = np.array([0, *tree.walk(0, target[:-1])][: len(target)], dtype=np.int32)
            weights_TS = tree.source_weights(nodes)
            found.append(np.concatenate([no_word_1S, np.log(np.maximum(weights_TS, self._LEAST))]))
        return found


@cache
def core() -> Core | None:
    """The compiled core of this installation; None if it has not been built. Raises CoreError if it is damaged."""
    path = library()
    return None if path is None else Core(path)


def _parts(rows: Floats, sizes: Sequence[int]) -> list[Floats]:
    """So many rows after so many."""
    ends = [*accumulate(sizes)]
    return [rows[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _look_of(must_end: MustEnd | None) -> Any:
    return _Look() if must_end is None else _Look(lambda: int(must_end()))


def _address(array: npt.NDArray[Any] | None) -> int | None:
    if array is None:
        return None
    assert array.flags.c_contiguous
    return int(array.ctypes.data)
