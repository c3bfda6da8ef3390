"""A computation that asks for translations of sentences and continues with the answers.

The answers to equal requests are shared: with the requests of the same round, and with earlier ones (`KnownAnswers`).
So a change in one sentence of a text decodes only that sentence again.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Generator, Hashable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from engine.decoding.loop import DecodingJob
from engine.decoding.pipeline import interrupted_translation
from engine.decoding.question_steps import Steps
from engine.interruption import Interrupted, Interruption
from engine.request import Request
from engine.search_options import SearchOptions
from engine.translation import Translation

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore

T = TypeVar("T")
Answers = Sequence[Translation | Exception]
Dialogue = Generator[Sequence[Request], Answers, T]  # yields requests, gets an answer to each, returns a result

_MOST_KEPT: Final = 256  # answers
_LONGEST_KEPT: Final = 20  # hypotheses of an answer that is kept


class KnownAnswers:
    """The newest complete translations of sentences, by request, options and datastore."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[Translation, weakref.ref[Datastore] | None]] = OrderedDict()

    def find(self, key: Hashable, datastore: Datastore | None) -> Translation | None:
        """The answer that was kept with this datastore; None without one."""
        found = self._kept.get(key)
        if found is None or (None if found[1] is None else found[1]()) is not datastore:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def keep(self, key: Hashable, datastore: Datastore | None, answer: Translation) -> None:
        """Keeps a complete answer, unless it is long."""
        if answer.status == "complete" and len(answer.hypotheses) <= _LONGEST_KEPT:
            self._kept[key] = answer, None if datastore is None else weakref.ref(datastore)
            self._kept.move_to_end(key)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)


def steps_of(
    dialogue: Dialogue[T],
    options: SearchOptions,
    interruption: Interruption,
    datastore: Datastore | None,
    known: KnownAnswers,
) -> Steps[T]:
    """The steps of a dialogue, whose requests become jobs where the answer is not known."""
    answers: Answers | None = None
    while True:
        try:
            asked = next(dialogue) if answers is None else dialogue.send(answers)
        except StopIteration as end:
            result: T = end.value
            return result
        try:
            answers = yield from _answer_steps(asked, options, interruption, datastore, known)
        except Interrupted as interrupted:
            answers = [interrupted_translation(request, interrupted.cause) for request in asked]


def _answer_steps(
    asked: Sequence[Request],
    options: SearchOptions,
    interruption: Interruption,
    datastore: Datastore | None,
    known: KnownAnswers,
) -> Steps[Answers]:
    """The answers to the requests of one round. Raises Interrupted if they were cancelled."""
    numbers: dict[Request, int] = {}
    places: list[int] = []
    for request in asked:  # equal ones get one number; to compare requests of 600 constraints takes a while
        interruption.check_cancelled()
        places.append(numbers.setdefault(request, len(numbers)))
    found: list[Translation | Exception | DecodingJob] = []
    for request in numbers:
        interruption.check_cancelled()
        answer = known.find((request, options), datastore)
        found.append(answer or DecodingJob(request, options, interruption, datastore=datastore))
    if jobs := [one for one in found if isinstance(one, DecodingJob)]:
        yield jobs
    answers: list[Translation | Exception] = []
    for one in found:
        if isinstance(one, DecodingJob):
            interruption.check_cancelled()
            if one.translation is not None:
                known.keep((one.request, options), datastore, one.translation)
            answers.append(one.error or one.result())
        else:
            answers.append(one)
    return [answers[place] for place in places]


def together(dialogues: Sequence[Dialogue[T]]) -> Dialogue[list[T]]:
    """The results of several dialogues, whose requests of each round are asked at once."""
    results: dict[int, T] = {}
    answers: dict[int, Answers | None] = dict.fromkeys(range(len(dialogues)))
    while answers:
        asked: dict[int, Sequence[Request]] = {}
        for number, own in answers.items():
            dialogue = dialogues[number]
            try:
                asked[number] = next(dialogue) if own is None else dialogue.send(own)
            except StopIteration as end:
                results[number] = end.value
        if not asked:
            break
        received = iter((yield [request for own in asked.values() for request in own]))
        answers = {number: [next(received) for _ in own] for number, own in asked.items()}
    return [results[number] for number in range(len(dialogues))]
