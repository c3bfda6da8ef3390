"""The interface of a translator: one model, or two in sequence.

Its public methods take sources of several sentences apart (`engine.sentences`); the methods for a source as one
sentence are implemented by the translators.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Event
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from engine.decoding.constraints import PreparedRequest
from engine.decoding.loop import DecodingJob, JobLoop
from engine.decoding.question_steps import Answer, Steps, answer_alone, options_for_prices
from engine.errors import InvalidRequest
from engine.interruption import Interrupted, Interruption
from engine.request import Formality, Request
from engine.search.batching import REFILL_SHARE, Schedule
from engine.search_options import SearchOptions
from engine.sentences.constraint_division import UndividedError, source_of
from engine.sentences.dialogue import Dialogue, KnownAnswers, steps_of
from engine.sentences.divided_loop import DividedLoop
from engine.sentences.divided_questions import (
    WordInSentence,
    by_sentence,
    divided_pricing,
    divided_score,
    targets_by_sentence,
)
from engine.sentences.divided_request import DividedRequest
from engine.sentences.in_order import Sources, in_order
from engine.sentences.splitting import sentences_of
from engine.text import word_at
from engine.translation import Alternative, Hypothesis, Pricing, Translation

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore, DatastoreOptions, StoredPair

DEFAULT_OPTIONS = SearchOptions()


def _request(asked: Request | str) -> Request:
    """A text without constraints as a request. Raises InvalidRequest for a blank one."""
    return Request(asked) if isinstance(asked, str) else asked


class AnyTranslator(ABC):
    """The interface of a translator: a `Translator` or a `PivotTranslator`.

    `folder` is the model's; None if there is not exactly one. `pivot` is the language between two models, otherwise "".
    `precision` is that of the weights: "float32", "int8" or "half"; of two models both, as "int8+float32".
    `decoder` says for a person what decodes: "compiled core, 8 bits (AVX512-VNNI)", or PyTorch with the reason; of two
    models both. `learns` is false for a model that learns nothing from translations of a person (`stored_pair`). So
    many sentences were searched by the compiled search (`num_compiled`), and in batches, by reason (`num_batched`).
    """

    name: str
    checksum: str
    precision: str
    decoder: str
    folder: Path | None
    directions: Sequence[str]
    domains: Sequence[str]
    formalities: Mapping[str, Sequence[str]]
    pivot: str = ""
    learns: bool = True
    reads_examples: bool = False
    num_compiled: int = 0
    num_batched: Mapping[str, int] = MappingProxyType({})

    @property
    @abstractmethod
    def is_on_accelerator(self) -> bool: ...

    @property
    @abstractmethod
    def end(self) -> int:
        """The id of the token that ends each sentence of a translation."""

    @abstractmethod
    def misspelling(self, text: str) -> str | None: ...

    @abstractmethod
    def datastore_of(self, pairs: Sequence[StoredPair], options: DatastoreOptions | None = None) -> Datastore: ...

    # -- sources of several sentences ----------------------------------------------------------------------------------

    def translate(
        self,
        request: Request | str,
        options: SearchOptions = DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> Translation:
        """The n-best list of one request, or of a text without constraints, translated with what the datastore learned.

        Each sentence of the source is translated alone (`Request.split_sentences`). Raises InvalidRequest for a request
        that this model cannot take; an infeasible one gets that status. `cancel` and the deadline act within about a
        tenth of a second of processor time, also within a step; at the deadline, the best hypotheses so far are
        returned, after a cancel none. Two models: the deadline counts for both, the datastore is the second one's.
        """
        started = time.perf_counter()
        interruption = Interruption(cancel, deadline_ms, started)
        job = DecodingJob(_request(request), options, interruption, datastore=datastore, started_at=started)
        steps = self._steps_of(job)
        return self.decode(job) if steps is None else self._answer(steps)

    def translate_all(
        self,
        requests: Iterable[Request | str | tuple[Request | str, SearchOptions]],
        options: SearchOptions = DEFAULT_OPTIONS,
        *,
        batch_size: int = 16,
        schedule: Schedule = "stream",
        progress: Callable[[int], None] | None = None,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> Iterator[Translation]:
        """Translations in the order of the requests, each as soon as it and those before it are ready.

        Decodes up to `batch_size` sentences together. A window is read ahead so that sources of similar length share
        batches. A request may come with options of its own. `schedule` (engine/search/batching.py) changes the time,
        not the translations. An invalid or crashing request gets a translation of status "failed"; the others
        continue. `progress` is called with the number of finished requests. After `cancel`, the remaining requests come
        back as "cancelled"; after the deadline, which counts from the first `next`, as "deadline".
        """
        interruption = Interruption(cancel, deadline_ms)
        pairs = (item if isinstance(item, tuple) else (item, options) for item in requests)
        jobs = (DecodingJob(_request(request), own, interruption, datastore=datastore) for request, own in pairs)

        def translate(sources: Sources) -> Iterator[Translation]:
            return self.translate_all_whole(
                sources, batch_size=batch_size, schedule=schedule, cancel=cancel, deadline_ms=deadline_ms,
                datastore=datastore,
            )  # fmt: skip

        translations = in_order(jobs, self._steps_of, translate, self._answer)
        for num_done, translation in enumerate(translations, start=1):
            yield translation
            if progress:
                progress(num_done)

    def decoding_loop(
        self, batch_size: int = 16, schedule: Schedule = "stream", refill_share: float = REFILL_SHARE
    ) -> DividedLoop[Any]:
        """A loop for jobs that may come at any time; it decodes at most `batch_size` sentences together.

        Waiting jobs begin once at most `refill_share` of the batch is left. Two models: each has such a batch.
        """
        return DividedLoop(self.whole_loop(batch_size, schedule, refill_share), self._steps_of)

    def score(
        self,
        source: str,
        target: str | None = None,
        *,
        tokens: Sequence[int] | None = None,
        direction: str | None = None,
        domain: str | None = None,
        formality: Formality | None = None,
        datastore: Datastore | None = None,
        split_sentences: bool = True,
    ) -> Hypothesis:
        """The model's score of a given translation: of a text in its canonical pieces, or of exactly these tokens.

        Tokens include the end of each sentence, as in `Hypothesis.tokens`, and get the same log-probabilities as in the
        search. The sentences of a text are matched with those of the source, or the whole is scored as one sentence if
        there are fewer. Takes one pass of the model for each sentence, so it cannot be cancelled. Two models: the
        second one's score. Raises InvalidRequest if neither or both are given, or if the text cannot be spelt.
        """
        if (target is None) == (tokens is None):
            raise InvalidRequest("score needs either target, a text, or tokens, a list of piece ids")
        request = Request(
            source, direction=direction, domain=domain, formality=formality, split_sentences=split_sentences
        )
        if len(sentences := self._sentences_of(request)) > 1:
            asked = self._divided(DecodingJob(request, DEFAULT_OPTIONS, datastore=datastore), sentences)
            found = divided_score(asked, self.direction_of(request), target, tokens)
            if found is not None:
                return found
        return self.scored(request, target, tokens, datastore).hypotheses[0]

    def price_steps(self, asked: DecodingJob) -> Steps[Pricing]:
        """The steps of `price` for the request of a job, for a caller that takes them in turn with others."""
        if len(sentences := self._sentences_of(asked.request)) < 2:
            return self.price_whole_steps(asked)
        job = replace(asked, options=options_for_prices(asked.options))
        return self._steps(job, divided_pricing(self._divided(job, sentences)))

    def alternatives_steps(
        self, job: DecodingJob, tokens: Sequence[int], piece: int, count: int
    ) -> Steps[tuple[Alternative, ...]]:
        """The steps of `alternatives`, as of `price_steps`; `piece` is the number of a piece of the word."""
        request = job.request
        sentences = self._sentences_of(request)
        if len(sentences) > 1 and len(by_sentence(tokens, self.end)) > 1:
            direction = self.direction_of(request)
            try:
                word = WordInSentence.of(self._divided(job, sentences), direction, tokens, piece)
            except Interrupted:
                return ()
            except UndividedError:
                whole = self.score(request.source, tokens=tokens, direction=request.direction, domain=request.domain)
                start, _ = whole.token_spans[piece]
                one = self.scored(replace(request, split_sentences=False), whole.text).hypotheses[0]
                tokens, piece = one.tokens, word_at(one.text, one.token_spans, start)[0]
            else:
                alone = replace(job, request=word.request)
                found = yield from self.alternatives_whole_steps(alone, word.tokens, word.piece, count)
                return word.joined(found)
        return (yield from self.alternatives_whole_steps(job, tokens, piece, count))

    def stored_pair(
        self, request: Request, target: str, *, origin: Hashable = None, least_fit: float | None = None
    ) -> StoredPair | None:
        """The datastore entry of a person's translation; None if `target` does not fit the request's source.

        It fits if the source makes it likelier than a blank source does, by `least_fit` nats a piece; of right
        translations 0.4 % do not (documentation, news, talks, captions; bundled model), of wrong ones five in six. Of
        several sentences, those that fit are learned. The request's constraints do not matter; its direction, domain
        and formality do. `origin` is what `Translation.learned_from` names the pair by. Pieces that the model cannot
        write are left out. Raises InvalidRequest for a request or target that the model cannot take.
        """
        sentences = self._sentences_of(request)
        targets = targets_by_sentence(target, sentences, self.direction_of(request)) if len(sentences) > 1 else None
        if targets is None:
            return self.whole_pair(request, target, origin, least_fit)
        found = (
            self.whole_pair(source_of(request, sentence), target[start:end], origin, least_fit)
            for sentence, (start, end) in zip(sentences, targets, strict=True)
        )
        pairs = [pair for pair in found if pair is not None]
        return pairs[0].joined(pairs[1:]) if pairs else None

    # -- a source as one sentence --------------------------------------------------------------------------------------

    @abstractmethod
    def direction_of(self, request: Request) -> str:
        """The direction of a request: its own, or the model's first."""

    @abstractmethod
    def constraints_of(self, request: Request, interruption: Interruption) -> PreparedRequest:
        """The constraints of a request in pieces of the model that meets them."""

    @abstractmethod
    def decode(self, job: DecodingJob) -> Translation:
        """Decodes one job alone, to its end; raises its error."""

    @abstractmethod
    def whole_loop(self, batch_size: int, schedule: Schedule, refill_share: float = REFILL_SHARE) -> JobLoop[Any]: ...

    @abstractmethod
    def translate_all_whole(
        self,
        requests: Iterable[tuple[Request, SearchOptions]],
        *,
        batch_size: int,
        schedule: Schedule,
        cancel: Event | None,
        deadline_ms: float | None,
        datastore: Datastore | None,
    ) -> Iterator[Translation]: ...

    @abstractmethod
    def scored(
        self,
        request: Request,
        target: str | None = None,
        tokens: Sequence[int] | None = None,
        datastore: Datastore | None = None,
    ) -> Translation:
        """The score of a given translation, as the only hypothesis; see `score`."""

    @abstractmethod
    def price_whole_steps(self, job: DecodingJob) -> Steps[Pricing]: ...

    @abstractmethod
    def alternatives_whole_steps(
        self, job: DecodingJob, tokens: Sequence[int], piece: int, count: int
    ) -> Steps[tuple[Alternative, ...]]: ...

    @abstractmethod
    def places_steps(
        self, request: Request, phrase: int, count: int, interruption: Interruption
    ) -> Steps[tuple[Hypothesis, ...]]:
        """The steps of `places`, as of `price_steps`."""

    @abstractmethod
    def whole_pair(
        self, request: Request, target: str, origin: Hashable, least_fit: float | None
    ) -> StoredPair | None: ...

    # -- answers -------------------------------------------------------------------------------------------------------

    def price(
        self,
        request: Request,
        options: SearchOptions = DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> Pricing:
        """The price of the constraints, all together and each alone, decoded in one batch with and without them.

        All are decoded without hints, which change the model's scores. Prices that are unknown after the deadline or
        `cancel` are None. Two models: the price in the second one; the deadline counts for both, and InvalidRequest is
        raised if the first one gives no translation in time.
        """
        job = DecodingJob(request, options, Interruption(cancel, deadline_ms), datastore=datastore)
        return self._answer(self.price_steps(job))

    def alternatives(
        self,
        request: Request,
        hypothesis: Hypothesis,
        offset: int,
        count: int = 5,
        options: SearchOptions = DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> tuple[Alternative, ...]:
        """Other words for the one at `offset` of a hypothesis, each with the best sentence that continues with it.

        The text before the word stays, and each sentence meets all constraints of the request. At most `count`, best
        sentence first; fewer after the deadline or `cancel`, or if the constraints allow fewer. Raises InvalidRequest
        if there is no word at `offset`. Two models: as for `price`.
        """
        job = DecodingJob(request, options, Interruption(cancel, deadline_ms), datastore=datastore)
        piece, _ = word_at(hypothesis.text, hypothesis.token_spans, offset)
        return self._answer(self.alternatives_steps(job, hypothesis.tokens, piece, count))

    def places(
        self,
        request: Request,
        phrase: int = 0,
        count: int = 5,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
    ) -> tuple[Hypothesis, ...]:
        """The text of `Request.follow` with one more occurrence of phrase number `phrase`, at different places.

        The best place is first; nothing but the place changes. To move an occurrence, give a text without it. At most
        `count`; none if the text has no place for another one, as where it lacks the prefix, and none after the
        deadline or `cancel`. The source is read as one sentence. Raises InvalidRequest without a text to follow. Two
        models: as for `price`.
        """
        return self._answer(self.places_steps(request, phrase, count, Interruption(cancel, deadline_ms)))

    def _answer(self, steps: Steps[Answer]) -> Answer:
        return answer_alone(steps, lambda num_jobs: self.whole_loop(num_jobs, "batch"))

    @cached_property
    def _known_answers(self) -> KnownAnswers:
        return KnownAnswers()

    def _sentences_of(self, request: Request) -> Sequence[tuple[int, int]]:
        return sentences_of(request, self.direction_of(request))

    def _divided(self, job: DecodingJob, sentences: Sequence[tuple[int, int]]) -> DividedRequest:
        return DividedRequest(
            self,
            job.request,
            sentences,
            job.options,
            self._known_answers,
            job.interruption,
            job.datastore,
            time.perf_counter() if job.started_at is None else job.started_at,
        )

    def _steps(self, job: DecodingJob, dialogue: Dialogue[Answer]) -> Steps[Answer]:
        return steps_of(dialogue, job.options, job.interruption, job.datastore, self._known_answers)

    def _steps_of(self, job: DecodingJob) -> Steps[Translation] | None:
        """The steps of a job of several sentences; None for one that is decoded as it is."""
        sentences = self._sentences_of(job.request)
        return self._steps(job, self._divided(job, sentences).translation()) if len(sentences) > 1 else None
