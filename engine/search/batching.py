"""Chooses the sentences that share a step: VAR-STREAM (Yang et al. 2020, algorithm 1) and its baselines.

The schedule changes the total time, never the result of a sentence. This module does not look at tokens: it begins
sentences, lets batches step and join, and restarts them in smaller batches after a crash.
"""

from __future__ import annotations

import sys
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, get_args

from engine.errors import InvalidRequest
from engine.interruption import Interrupted
from engine.search.compiled import Searched
from engine.search.sentence import EndedSentence, SearchVocabulary, Sentence, SentenceResult
from engine.search.steps import StepDecoder
from engine.search.tracker import ConstraintTracker

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.search.beam import BeamSearch

# "stream": VAR-STREAM, refill when few sentences are left, then step the newest alone until they have caught up.
# "batch": VAR-BATCH, refill when all have ended. "fifo": VAR-STR-FIFO, refill like "stream", but step all together.
Schedule = Literal["stream", "batch", "fifo"]
REFILL_SHARE = 1 / 6  # the paper's epsilon
_PATIENCE = 256  # sentences that must end in halved batches before full batches are tried again

# Parts of error messages for which PyTorch has no error type: CPU memory, and memory of CUDA's libraries.
_OUT_OF_MEMORY = ("can't allocate memory", "not enough memory", "out of memory", "CUBLAS_STATUS_ALLOC_FAILED")


@dataclass(frozen=True, slots=True)
class Counts:
    """The cost of a search, independent of the machine: model steps, and rows expanded in all of them.

    `num_compiled` are sentences that the compiled search has searched.
    """

    num_steps: int = 0
    num_expansions: int = 0
    num_compiled: int = 0

    @property
    def expansions_per_step(self) -> float:
        return self.num_expansions / max(1, self.num_steps)


class SearchStream:
    """Searches sentences that come at any time, at most `batch_size` together; each leaves when it ends.

    Waiting sentences begin once at most `refill_share` of `batch_size` are left. Each sentence gets the same result as
    alone, up to rounding: the shapes of the matrix products differ.
    """

    def __init__(
        self,
        open_decoder: Callable[[Sequence[Sentence]], StepDecoder],
        vocabulary: SearchVocabulary,
        batch_size: int = 16,
        schedule: Schedule = "stream",
        refill_share: float = REFILL_SHARE,
        search: type[BeamSearch] | None = None,
        is_compiled: Callable[[Sentence], bool] = lambda sentence: False,
        search_compiled: Callable[[Sequence[Sentence]], Sequence[Searched | Exception]] = lambda sentences: (),
    ) -> None:
        """`open_decoder` returns a decoder of sentences before its first step; `search` is the class of a batch.

        Sentences for which `is_compiled` is true are in no batch: `search_compiled` searches the first of some to their
        ends, each in a thread, and returns what it has found for these, for one at least.
        Raises InvalidRequest for an unknown schedule, and for settings with which no sentence would ever begin.
        """
        if batch_size < 1:
            raise InvalidRequest(f"batch_size is {batch_size}; it must be at least 1")
        if not 0 <= refill_share <= 1:
            raise InvalidRequest(f"refill_share is {refill_share}; it must be from 0 to 1, a share of the batch")
        if schedule not in get_args(Schedule):
            raise InvalidRequest(f"schedule is {schedule!r}; it must be one of {', '.join(get_args(Schedule))}")
        self._open_decoder = open_decoder
        self._vocabulary = vocabulary
        self._schedule = schedule
        self._search = search
        self._is_compiled = is_compiled
        self._search_compiled = search_compiled
        self._refill_share = 0.0 if schedule == "batch" else refill_share
        self._waiting: deque[Sentence] = deque()
        self._restarting: deque[list[Sentence]] = deque()  # each a batch of its own
        self._batches: list[BeamSearch] = []  # the least advanced comes last
        self._full_batch_size = batch_size
        self._num_ended_since = 0  # since the batch was halved
        self.batch_size = batch_size
        self.counts = Counts()

    @cached_property
    def _tracker(self) -> ConstraintTracker:
        """The constraints of the sentences in batches; none are made for sentences that the compiled search covers."""
        return ConstraintTracker([], self._vocabulary.texts)

    def __len__(self) -> int:
        """The number of sentences that have not ended."""
        return self._num_live + len(self._waiting) + sum(map(len, self._restarting))

    @property
    def room(self) -> int:
        """The number of further sentences that can begin with the next step."""
        if self._restarting or self._num_live > self._refill_share * self.batch_size:
            return 0
        return max(0, self.batch_size - self._num_live - len(self._waiting))

    def add(self, sentence: Sentence) -> None:
        """Add a sentence to the queue; it begins as soon as there is room."""
        self._waiting.append(sentence)

    def run(self, sentences: Sequence[Sentence]) -> list[EndedSentence]:
        """Search these sentences, and all added before, to the end; returns these in their order."""
        self._waiting.extend(sentences)
        ended: dict[Sentence, EndedSentence] = {}
        while len(self):
            ended.update((item.sentence, item) for item in self.step())
        return [ended[sentence] for sentence in sentences]

    def step(self) -> list[EndedSentence]:
        """Begin waiting sentences and take the least advanced batch, or all sentences, one token further.

        Waiting sentences that the compiled search covers are searched to their ends, one for each thread in a call.
        Returns the sentences that ended, including interrupted ones of every batch. If a sentence crashes, the others
        restart.
        """
        ended = self.interrupt()
        ended += self._step_compiled()
        newcomers = self._take_newcomers()
        try:
            if newcomers:
                decoder = self._open_decoder(newcomers)
                self._batches.append(self._new_batch(newcomers, decoder))
                newcomers = []
                self._tidy()
            if self._batches:
                batch = self._batches[-1]
                self._count(1, batch.num_rows)
                ended += batch.step()
                self._tidy()
        except Interrupted:  # while the decoder was opened: the results for the new sentences are no longer needed
            ended += map(_interrupted, newcomers)
        except Exception as error:  # of any kind: it must fail no other sentence
            ended += self._restart(error, newcomers)
        self._try_full_batches(len(ended))
        return ended

    def _new_batch(self, sentences: Sequence[Sentence], decoder: StepDecoder) -> BeamSearch:
        if self._search is None:
            from engine.search.beam import BeamSearch  # with PyTorch, which the compiled search does not need

            self._search = BeamSearch
        return self._search(sentences, decoder, self._tracker, self._vocabulary)

    def _step_compiled(self) -> list[EndedSentence]:
        """Search the first waiting sentences that the compiled search covers to their ends."""
        compiled = [*filter(self._is_compiled, self._waiting)]
        ended = []
        for sentence, found in zip(compiled, self._search_compiled(compiled) if compiled else (), strict=False):
            self._waiting.remove(sentence)
            if isinstance(found, Interrupted):  # while its source was encoded
                ended.append(_interrupted(sentence))
            elif isinstance(found, Exception):  # of any kind: it must fail no other sentence
                ended.append(EndedSentence(sentence, error=found))
            else:
                self._count(found.num_model_steps, found.num_expansions, num_compiled=1)
                ended.append(EndedSentence(sentence, found.result))
        return ended

    def _count(self, num_steps: int, num_expansions: int, num_compiled: int = 0) -> None:
        counts = self.counts
        self.counts = Counts(
            counts.num_steps + num_steps, counts.num_expansions + num_expansions, counts.num_compiled + num_compiled
        )

    def interrupt(self) -> list[EndedSentence]:
        """End interrupted sentences: those at their deadline with their best hypotheses so far, others with none."""
        ended: list[EndedSentence] = []
        try:
            for batch in self._batches:
                ended += batch.interrupt()
            self._tidy()
        except Exception as error:  # copying the other rows may run out of memory
            ended += self._restart(error, [])
        for waiting in (self._waiting, *self._restarting):
            for sentence in list(waiting):
                if sentence.interruption.cause():
                    waiting.remove(sentence)
                    ended.append(_interrupted(sentence))
        self._restarting = deque(group for group in self._restarting if group)
        return ended

    @property
    def _num_live(self) -> int:
        return sum(map(len, self._batches))

    def _take_newcomers(self) -> list[Sentence]:
        if self._restarting:
            return [] if self._batches else self._restarting.popleft()
        if not self._waiting or self._num_live > self._refill_share * self.batch_size:
            return []
        batched = (sentence for sentence in self._waiting if not self._is_compiled(sentence))
        newcomers = list(islice(batched, max(0, self.batch_size - self._num_live)))
        for sentence in newcomers:
            self._waiting.remove(sentence)
        return newcomers

    def _tidy(self) -> None:
        """Drop empty batches; join the last batch to the one before once it has caught up (immediately for "fifo")."""
        self._batches = [batch for batch in self._batches if len(batch)]
        while len(self._batches) > 1:
            before, last = self._batches[-2:]
            if self._schedule != "fifo" and last.position < before.position:
                break
            before.join(last)
            self._batches.pop()

    def _restart(self, error: Exception, sentences: list[Sentence]) -> list[EndedSentence]:
        """Restart all running sentences, and these, in two halves: one of them, or their number, crashed the search.

        A sentence that crashes alone has failed. If memory ran out, batches have half the size for a while. If a single
        sentence was too large, batches return to full size: their number was not the cause.
        """
        ended: list[EndedSentence] = []
        for batch in reversed(self._batches):
            finished, unfinished = batch.abandon()
            ended += finished
            sentences = unfinished + sentences
        self._batches = []
        if is_out_of_memory(error):
            error = error.with_traceback(None)  # the traceback would keep the failed step's tensors alive
            if (torch := _torch()) is not None and torch.cuda.is_available():
                torch.cuda.empty_cache()
            if len(sentences) > 1:
                self.batch_size = max(1, min(self.batch_size, len(sentences)) // 2)
                self._num_ended_since = 0
                warnings.warn(
                    f"out of memory with {len(sentences)} sentences at a time; going on with {self.batch_size}",
                    RuntimeWarning,
                    stacklevel=3,
                )
            else:
                self.batch_size = self._full_batch_size
        if not sentences:
            raise error
        if len(sentences) == 1:
            return [*ended, EndedSentence(sentences[0], error=error)]
        middle = len(sentences) // 2
        self._restarting.extendleft([sentences[middle:], sentences[:middle]])
        return ended

    def _try_full_batches(self, num_ended: int) -> None:
        """Return to full batches once enough sentences have ended: the memory may be free again."""
        self._num_ended_since += num_ended
        if self._num_ended_since >= _PATIENCE:
            self.batch_size = self._full_batch_size


def _interrupted(sentence: Sentence) -> EndedSentence:
    """A sentence that was interrupted before its first step."""
    cause = sentence.interruption.cause()
    assert cause is not None
    return EndedSentence(sentence, SentenceResult(cause, (), num_steps=0))


def is_out_of_memory(error: Exception) -> bool:
    """True if the error means that the CPU or an accelerator ran out of memory."""
    if isinstance(error, RuntimeError):
        torch = _torch()
        is_its_own = torch is not None and isinstance(error, torch.OutOfMemoryError)
        return is_its_own or any(sign in str(error) for sign in _OUT_OF_MEMORY)
    return isinstance(error, MemoryError)


def _torch() -> Any:
    """PyTorch, if this process has imported it."""
    return sys.modules.get("torch")
