"""Questions to the model that do not change the document: alternatives for a word, completions and revisions of a text.

The log has the answers that were shown. A newer question of the same kind cancels an older one. A change of the
constraints cancels all: they are about an outdated proposal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from app.access.actor import Actor
from app.errors import CommandError
from app.models.loading import DEADLINE_MS
from app.segments.clean_texts import clean_target
from app.segments.completion import completion_of
from app.segments.proposal_view import reason_message
from app.segments.revision import revision_runs
from app.segments.state import Json, SegmentState
from app.tags.protect import Protection
from app.workspace.alternatives import WordQuestion, alternatives_view, question_for, restored, to_engine
from app.workspace.core import WorkspaceCore
from app.workspace.learning import Learning
from app.workspace.places import PinQuestion, places_view
from app.workspace.places import question_for as pin_question_for
from app.workspace.places import to_engine as places_to_engine
from app.workspace.style_choice import StyleChoice
from engine import Alternative, Engine, Hypothesis, Question, Request, SearchOptions, Translation

T = TypeVar("T")

# Nats for each piece that a revision changes. With the bundled model, after the first correction in 120 sentences (60
# of documentation, 60 of talks): 63 changed, 28 for the better, 7 for the worse. With the default, 3: 43, 18, 6.
_REVISION_STRENGTH = 1.0
AlternativesAnswer = tuple[WordQuestion, tuple[Alternative, ...]]
A = TypeVar("A")
B = TypeVar("B")
COMPLETION_STRENGTH = 1.0  # nats for each piece by which a completed text differs from the proposal


@dataclass(frozen=True, slots=True)
class CompletionQuestion:
    """A question for a completion of the beginning of `segment`. `is_requested`: by a key, not while typing."""

    segment: SegmentState
    is_requested: bool


class Questions:
    """The questions about one document's segments. Thread-safe."""

    def __init__(self, core: WorkspaceCore, style: StyleChoice, learning: Learning, options: SearchOptions) -> None:
        self._core = core
        self._style = style
        self._learning = learning
        self.options = options
        self._keys = {name: f"{core.token}/{name}" for name in ("alternatives", "places", "completion", "revision")}

    def cancel(self) -> None:
        """Cancels the running questions; their futures give None."""
        if (engine := self._core.model.engine) is not None:
            for key in self._keys.values():
                engine.cancel(key)

    def ask_alternatives(
        self, index: int, text: str, before: str, locked: Sequence[str] = ()
    ) -> tuple[WordQuestion, Future[AlternativesAnswer | None]]:
        """Asks for other words in place of the one behind `before` in `text`; None if a newer question has arrived."""
        with self._core.lock:
            question = question_for(self._core.segment(index), self._style.request, text, before, locked)
            if (scoring := question.score_question) is None:
                return question, self._ask_words(question)
            scored = self._engine().ask(scoring, key=self._keys["alternatives"], owner=self._core.token)
        return question, _answered(scored, lambda answer: self._ask_words(question.scored(answer)))

    def _ask_words(self, question: WordQuestion) -> Future[AlternativesAnswer | None]:
        """Asks for other words in a text that the engine has scored."""
        found = self._ask_or("alternatives", to_engine(question, self.options, self._learning.datastore))
        return _answered(found, lambda alternatives: _finished((question, alternatives)))

    def show_alternatives(self, actor: Actor, _: WordQuestion, answer: AlternativesAnswer) -> Json:
        """The answer for the page; logs it."""
        question, found = answer
        view = alternatives_view(question, restored(question, found))
        payload = {"word": question.word, "offset": question.offset, "text": view["text"], "shown": view["rows"]}
        with self._core.command(actor) as work:
            work.log("alternatives", payload, question.segment)
        return view

    def ask_places(
        self, index: int, pin: str, text: str, moved: int | None
    ) -> tuple[PinQuestion, Future[tuple[Hypothesis, ...] | None]]:
        """Asks for other places of a pin in `text`, or of the occurrence that begins at `moved`; else for one more."""
        with self._core.lock:
            question = pin_question_for(self._core.segment(index), self._style.request, pin, text, moved)
            return question, self._ask_or("places", places_to_engine(question))

    def show_places(self, actor: Actor, question: PinQuestion, found: Iterable[Hypothesis]) -> Json:
        """The answer for the page; logs it."""
        view = places_view(question, found)
        with self._core.command(actor) as work:
            work.log("places", {**view, "text": question.text}, question.segment)
        return view

    def ask_completion(
        self, index: int, text: str, is_requested: bool = False
    ) -> tuple[CompletionQuestion, Future[Translation | None]]:
        """Asks for a completion of `text` as a segment's translation, with its pins, terms and bans.

        It stays near to the proposal, which the translator has read.
        """
        with self._core.lock:
            segment = self._core.segment(index)
            text = clean_target(text)
            locked = tuple(lock for lock in segment.constraints.locked if lock not in text)
            follow = segment.machine_text or ""
            begun = replace(
                segment, constraints=replace(segment.constraints, prefix=text, locked=locked, follow=follow)
            )
            request = self._style.request(begun)
            near = request.follow and replace(request.follow, strength=COMPLETION_STRENGTH)
            question = CompletionQuestion(begun, is_requested)
            return question, self._ask("completion", replace(request, follow=near), begun.placeholders)

    def show_completion(self, actor: Actor, question: CompletionQuestion, found: Translation) -> Json:
        """The completion of the text, or the reason why there is none, if it is known; logs the shown words."""
        begun, best = question.segment, found.hypotheses[0] if found.hypotheses else None
        text = begun.constraints.prefix
        proposal = begun.machine_text or ""
        completion = completion_of(text, best, proposal, question.is_requested) if best else ""
        reason = "" if found.hypotheses or not found.reasons else reason_message(found.reasons[0])
        payload = {"text": text, "completion": completion, "elapsed_ms": round(found.elapsed_ms, 3)}
        if completion or reason:
            with self._core.command(actor) as work:
                work.log("completion", {**payload, "status": found.status}, begun)
        return {"completion": completion, "reason": reason}

    def ask_revision(
        self, index: int, text: str, prefix: str, locked: Sequence[str]
    ) -> tuple[SegmentState, Future[Translation | None]]:
        """Asks which words of `text` should change after an edit; `prefix` and `locked` do not change."""
        with self._core.lock:
            segment = self._core.segment(index)
            constraints = replace(segment.constraints, prefix=prefix, locked=tuple(locked), follow=text)
            revised = replace(segment, constraints=constraints.cleaned())
            request = self._style.request(revised)
            follow = request.follow and replace(request.follow, strength=_REVISION_STRENGTH)
            return revised, self._ask("revision", replace(request, follow=follow), revised.placeholders)

    def show_revision(self, actor: Actor, revised: SegmentState, found: Translation) -> Json:
        """The differences of the revised text, none if the request has no translation; logs the revised text."""
        best = found.hypotheses[0].text if found.status == "complete" else ""
        text = revised.constraints.follow
        payload = {"text": text, "revision": best, "elapsed_ms": round(found.elapsed_ms, 3)}
        with self._core.command(actor) as work:
            work.log("revision", {**payload, "status": found.status}, revised)
        return {"runs": revision_runs(text, best) if best else []}

    def _ask(self, question: str, request: Request, placeholders: tuple[str, ...]) -> Future[Translation | None]:
        protection = Protection.of(request, placeholders)
        options = replace(self.options, nbest=1)
        key, owner = self._keys[question], self._core.token
        asked: Future[Any] = self._engine().submit(
            protection.request, options, key=key, owner=owner, datastore=self._learning.datastore
        )
        return _restored(asked, protection)

    def _ask_or(self, name: str, asked: Question[tuple[T, ...]] | None) -> Future[tuple[T, ...] | None]:
        """The answer to a question of the engine; an empty one if there is nothing to ask."""
        if asked is None:
            return _finished(())
        return self._engine().ask(asked, key=self._keys[name], owner=self._core.token, deadline_ms=DEADLINE_MS)

    def _engine(self) -> Engine:
        if (engine := self._core.model.engine) is None:
            raise CommandError("The model is still loading: try again in a moment.")
        return engine


def _restored(asked: Future[Translation | None], protection: Protection) -> Future[Translation | None]:
    """The answer with its tags and protected text; None if a newer question has arrived."""
    return _answered(
        asked, lambda answer: _finished(None if answer.status == "cancelled" else protection.restore(answer))
    )


def _answered(asked: Future[A | None], follow: Callable[[A], Future[B | None]]) -> Future[B | None]:
    """The answer of the question that `follow` makes of an answer; None if there is none."""
    result: Future[B | None] = Future()

    def end(done: Future[B | None]) -> None:
        try:
            result.set_result(done.result())
        except (Exception, CancelledError) as error:
            result.set_exception(error)

    def go_on(done: Future[A | None]) -> None:
        if not result.set_running_or_notify_cancel():  # the caller no longer waits
            return
        try:
            answer = done.result()
            following: Future[B | None] = _finished(None) if answer is None else follow(answer)
            following.add_done_callback(end)
        except (Exception, CancelledError) as error:
            result.set_exception(error)

    asked.add_done_callback(go_on)
    return result


def _finished(answer: B) -> Future[B]:
    future: Future[B] = Future()
    future.set_result(answer)
    return future
