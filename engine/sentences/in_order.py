"""Many requests in their order, with the sentences of all of them in one stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from engine.decoding.loop import DecodingJob
from engine.decoding.question_steps import Steps
from engine.request import Request
from engine.search_options import SearchOptions
from engine.translation import Translation

Sources = Iterator[tuple[Request, SearchOptions]]


def in_order(
    jobs: Iterable[DecodingJob],
    steps_of: Callable[[DecodingJob], Steps[Translation] | None],
    translate: Callable[[Sources], Iterator[Translation]],
    answer: Callable[[Steps[Translation]], Translation],
) -> Iterator[Translation]:
    """Yields the translations of the jobs, each as soon as it and those before it are ready.

    Args:
        jobs: Read as far ahead as `translate` reads.
        steps_of: The steps of a job of several sentences; None for a job that is translated as it is.
        translate: Translates a stream of sources, each as one sentence.
        answer: Takes the steps of one job that are left after the first.
    """
    begun: deque[_Begun] = deque()

    def sources() -> Sources:
        for job in jobs:
            one = _Begun(job)
            begun.append(one)
            try:
                one.begin(steps_of(job))
            except Exception as error:  # of any kind: the other requests go on
                job.fail(error)
            yield from ((part.request, part.options) for part in one.parts)

    def ready() -> Iterator[Translation]:
        while begun and begun[0].is_complete:
            yield begun.popleft().translation(answer)

    for translation in translate(sources()):
        yield from ready()
        begun[0].take(translation)
        yield from ready()
    yield from ready()


class _Begun:
    """A job whose `parts` are translated with those of the other jobs, and whose further steps at its turn."""

    def __init__(self, job: DecodingJob) -> None:
        self.job = job
        self.parts: Sequence[DecodingJob] = ()
        self._steps: Steps[Translation] | None = None
        self._num_taken = 0

    def begin(self, steps: Steps[Translation] | None) -> None:
        """Finds the parts: the job itself without steps."""
        self._steps = steps
        try:
            self.parts = [self.job] if steps is None else next(steps)
        except StopIteration as end:
            self.job.finish(end.value)

    @property
    def is_complete(self) -> bool:
        return self._num_taken == len(self.parts)

    def take(self, translation: Translation) -> None:
        """Takes the translation of the next part."""
        self.parts[self._num_taken].finish(translation)
        self._num_taken += 1

    def translation(self, answer: Callable[[Steps[Translation]], Translation]) -> Translation:
        """The translation of the request, all of whose parts are translated; `answer` takes the steps that are left."""
        if not self.job.has_ended and self._steps is not None:
            try:
                self.job.finish(answer(self._steps))
            except Exception as error:  # of any kind: the other requests go on
                self.job.fail(error)
        return self.job.result()
