"""A model of llama.cpp with the memory of its keys and values, in which texts that begin alike share their beginning.

A text is a *sequence* of llama.cpp, a number. Scores depend a little on what is computed in the same pass: a text that
is read again may differ by a tenth of a nat per token.
"""

from __future__ import annotations

import ctypes
import os
import time
import weakref
from collections import OrderedDict, deque
from collections.abc import Sequence
from pathlib import Path

import llama_cpp.llama_cpp as llama
import numpy as np
import numpy.typing as npt
import psutil

from engine.errors import ModelError
from engine.interruption import Interruptible
from engine.threads import num_threads
from engine.transformers_models.prompt_cache import num_common

MAX_SEQUENCES = 256  # llama.cpp's own limit
_MAX_PROMPTS = 8  # that are kept for those that begin alike
_MAX_PLACES = 16_384  # of tokens, for all texts together
_BATCH = 512  # tokens of one call
_PASS = 128  # tokens of one pass; the memory of a pass grows with the size of the vocabulary
_NO_ROOM, _ABORTED = 1, 2  # what llama_decode returns
_ERROR_LEVEL = 4
_log: deque[str] = deque(maxlen=20)  # llama.cpp's messages of errors


@llama.llama_log_callback  # type: ignore[untyped-decorator]
def _keep_error(level: int, text: bytes, _: ctypes.c_void_p) -> None:
    if level == _ERROR_LEVEL:
        _log.append(text.decode("utf-8", "replace").strip())


class LlamaContext(Interruptible):
    """A loaded model. Not for several threads at once."""

    def __init__(self, path: Path) -> None:
        """Raises ModelError for a file that llama.cpp cannot load, or a model without a memory that texts can share."""
        llama.llama_log_set(_keep_error, ctypes.c_void_p(0))
        llama.llama_backend_init()
        _log.clear()
        of_model = llama.llama_model_default_params()
        of_model.n_gpu_layers = 0
        model = llama.llama_model_load_from_file(os.fsencode(path), of_model)
        if not model:
            why = next((line for line in _log if line), "the reason is unknown")
            raise ModelError(f"{path.name} cannot be loaded by llama.cpp: {why}; download the file again")
        weakref.finalize(self, llama.llama_model_free, model)
        self.model = model
        if llama.llama_model_has_encoder(model) or llama.llama_model_is_recurrent(model):
            raise ModelError(f"{path.name} is no decoder with attention; use a model such as Llama, Qwen or Gemma")
        self.vocab = llama.llama_model_get_vocab(model)
        self.size: int = llama.llama_vocab_n_tokens(self.vocab)
        self.max_length: int = min(llama.llama_model_n_ctx_train(model), _MAX_PLACES)
        of_context = llama.llama_context_default_params()
        of_context.n_ctx = _MAX_PLACES
        of_context.n_batch, of_context.n_ubatch, of_context.n_seq_max = _BATCH, _PASS, MAX_SEQUENCES
        of_context.kv_unified = of_context.swa_full = True  # rows share places, and no layer forgets them
        of_context.n_outputs_max = of_context.n_outputs_max_per_seq = _BATCH
        self._context = llama.llama_init_from_model(model, of_context)
        if not self._context:
            raise ModelError(
                f"{path.name}: there is too little memory for the texts of the search; close other programs"
            )
        weakref.finalize(self, llama.llama_free, self._context)
        interrupted = weakref.WeakMethod(self._is_interrupted)
        self._abort = llama.ggml_abort_callback(lambda _: bool((ask := interrupted()) and ask()))
        llama.llama_set_abort_callback(self._context, self._abort, ctypes.c_void_p(0))
        self._memory = llama.llama_get_memory(self._context)
        self._batch = llama.llama_batch_init(_BATCH, 0, 1)
        weakref.finalize(self, llama.llama_batch_free, self._batch)
        self._free = list(range(MAX_SEQUENCES))
        self.released: deque[int] = deque()  # by decoders that are gone, in whatever thread
        self._prompts: OrderedDict[tuple[int, ...], int] = OrderedDict()  # their sequences, the newest last
        self._threads = FreeCores()

    def run(
        self, tokens: Sequence[int], positions: Sequence[int], sequences: Sequence[int], has_output: bool = True
    ) -> npt.NDArray[np.float32]:
        """Read tokens, each at the end of a sequence; the logits (N, V) after each. Raises Interrupted."""
        self._take_back()
        found = [np.zeros((0, self.size), np.float32)]
        number = self._threads.number()
        llama.llama_set_n_threads(self._context, number, number)
        for start in range(0, len(tokens), _BATCH):
            part = slice(start, start + _BATCH)
            num = self._fill(tokens[part], positions[part], sequences[part], has_output)
            outcome = llama.llama_decode(self._context, self._batch)
            while outcome == _NO_ROOM and self._prompts:
                self._forget_prompt()
                outcome = llama.llama_decode(self._context, self._batch)
            if outcome == _ABORTED:
                self._interruption.check()
            if outcome:
                why = "its memory for texts is full; use a smaller beam" if outcome == _NO_ROOM else f"error {outcome}"
                raise ModelError(f"llama.cpp cannot go on: {why}")
            if has_output:
                logits = llama.llama_get_logits(self._context)
                found.append(np.ctypeslib.as_array(logits, shape=(num, self.size)).copy())
        return found[-1] if len(found) == 2 else np.concatenate(found)

    def copy(self, sequence: int, num: int = -1) -> int:
        """A new sequence that goes on from the first tokens of another one, by default all; nothing is copied."""
        self._take_back()
        while not self._free and self._prompts:
            self._forget_prompt()
        if not self._free:
            raise ModelError(f"llama.cpp keeps {MAX_SEQUENCES} texts at once; use a smaller beam, or fewer sentences")
        new = self._free.pop()
        llama.llama_memory_seq_cp(self._memory, sequence, new, 0, num)
        return new

    def drop(self, sequence: int) -> None:
        llama.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        self._free.append(sequence)

    def begin(self, tokens: tuple[int, ...]) -> int:
        """A sequence that has read these tokens; what a newest prompt began with is not read again."""
        known = max(self._prompts, key=lambda other: num_common(other, tokens), default=())
        if known != tokens or not tokens:
            num = num_common(known, tokens)
            if num and num == len(known):
                own = self._prompts.pop(known)
            else:
                own = self.copy(self._prompts[known], num) if num else self._empty()
            try:
                self.run(tokens[num:], range(num, len(tokens)), [own] * (len(tokens) - num), has_output=False)
            except BaseException:
                self.drop(own)
                raise
            while len(self._prompts) >= _MAX_PROMPTS:
                self._forget_prompt()
            self._prompts[tokens] = own
        self._prompts.move_to_end(tokens)
        return self.copy(self._prompts[tokens])

    # -- inside -------------------------------------------------------------------------------------------------------

    def _is_interrupted(self) -> bool:
        return self._interruption.must_end()

    def _fill(self, tokens: Sequence[int], positions: Sequence[int], sequences: Sequence[int], has_output: bool) -> int:
        batch = self._batch
        batch.n_tokens = len(tokens)
        for place, (token, position, sequence) in enumerate(zip(tokens, positions, sequences, strict=True)):
            batch.token[place], batch.pos[place], batch.n_seq_id[place] = token, position, 1
            batch.seq_id[place][0], batch.logits[place] = sequence, has_output
        return len(tokens)

    def _empty(self) -> int:
        """A sequence without tokens."""
        return self.copy(0, 0)

    def _forget_prompt(self) -> None:
        self.drop(self._prompts.popitem(last=False)[1])

    def _take_back(self) -> None:
        while self.released:
            self.drop(self.released.popleft())


class FreeCores:
    """The threads for the next pass: as many as models may use, and not more than cores that others leave free.

    The threads of llama.cpp wait for each other without sleeping, so one on a busy core slows down all.
    """

    _LEAST_SECONDS = 1.0  # between two measurements

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._number = 1
        self._last = self._measured()

    def number(self) -> int:
        now = self._measured()
        seconds = now[0] - self._last[0]
        if seconds >= self._LEAST_SECONDS:
            by_others = (now[1] - self._last[1] - (now[2] - self._last[2])) / seconds
            self._number = max(1, round(_num_cores() - by_others))
            self._last = now
        return max(1, min(self._number, num_threads()))

    def _measured(self) -> tuple[float, float, float]:
        """The time, and the processor seconds so far of all processes and of this one."""
        times, own = psutil.cpu_times(), self._process.cpu_times()
        return time.monotonic(), sum(times) - times.idle - getattr(times, "iowait", 0.0), own.user + own.system


def _num_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
