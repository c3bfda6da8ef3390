"""One document being post-edited: the commands of the page, and its state for the page.

Thread-safe: commands come from the server's threads, answers from the model's. The page gets full states with counters
(see `snapshot`), so that a lost or late message can never leave it wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.access.actor import Actor
from app.collector import leave_out_large, take_in_large
from app.errors import CommandError
from app.formats.documents import Document
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.log.project_tables import Project
from app.log.store import LogStore
from app.models.loading import ModelHandle
from app.models.style import Style, chosen_style
from app.segments.clean_texts import clean_comment, clean_target
from app.segments.earlier_states import STATE_EVENTS, earlier_states
from app.segments.segment_constraints import ConstraintOrigin, Constraints
from app.segments.state import Json, SegmentState
from app.segments.text_changes import EditOrigin, ReportedEdit, edit_events, edited, reopened
from app.tm.library import MemoryLibrary
from app.workspace.activity import Activity
from app.workspace.batches import Batches
from app.workspace.checking import Checking
from app.workspace.core import AnswerThread, UnitOfWork, WorkspaceCore
from app.workspace.decoding import DecodeQueue
from app.workspace.glossaries import GlossaryEditor
from app.workspace.glossary_imports import GlossaryImports
from app.workspace.learning import Learning
from app.workspace.locks import Locks
from app.workspace.memory import MemoryLookup
from app.workspace.model_questions import Questions
from app.workspace.model_use import ModelUse
from app.workspace.parts import first_waiting
from app.workspace.presence import Presence
from app.workspace.review_desk import ReviewDesk
from app.workspace.snapshot import snapshot_of
from app.workspace.structure import Structure
from app.workspace.style_choice import StyleChoice
from app.workspace.terms import DocumentTerms
from app.workspace.writers import Writers
from engine import SearchOptions


class Workspace:
    """A session with its document, its segments, and the services that work on them.

    Every command happens completely, with its events in the log, or not at all: if it raises, nothing has changed.
    """

    def __init__(
        self,
        store: LogStore,
        session_id: int,
        token: str,
        document: Document,
        segments: Sequence[SegmentState],
        model: ModelHandle,
        *,
        direction: str,
        options: SearchOptions,
        glossaries: tuple[Glossary, ...] = (),
        document_terms: tuple[Term, ...] = (),
        library: MemoryLibrary | None = None,
        project: Project | None = None,
    ) -> None:
        shared = library or MemoryLibrary(store)
        self.project = project or Project(0, "", "", direction, "", "", True)
        self.terms = DocumentTerms(
            direction,
            glossaries,
            document_terms,
            lambda: shared.index_if_read(direction),
            lambda: shared.scope(self.project),
        )
        style = chosen_style(store, session_id)
        core = WorkspaceCore(
            store,
            session_id,
            token,
            document,
            segments,
            model,
            direction=direction,
            find=lambda source: (self.terms.hits(source), style.numbers_in(source, direction)),
        )
        self.core = core
        self.lock = core.lock
        self.store = store
        self.session_id = session_id
        self.token = token
        self.direction = direction
        self.style = StyleChoice(core)
        self.checking = Checking(core)
        self.activity = Activity(core)
        self.batches = Batches(core)
        self.memory = MemoryLookup(core, shared, lambda: self.project)
        answers = AnswerThread(core)
        self.learning = Learning(core, self.style, answers, lambda: self.project)
        self.questions = Questions(core, self.style, self.learning, options)
        self.decoding = DecodeQueue(
            core, self.terms, self.style, self.memory, self.questions, self.learning, answers, options
        )
        self.learning.on_learned = self.decoding.translate_after_learning
        self.structure = Structure(core, self.terms, self.style, self.decoding)
        self.locks = Locks(core, self.decoding, lambda: self.project)
        self.glossaries = GlossaryEditor(core, self.terms, self.decoding)
        self.glossary_imports = GlossaryImports(core, self.terms, self.glossaries, lambda: self.project)
        self._writers = Writers()
        self.presence = Presence(core)
        self.review = ReviewDesk(core, self._writers, self.checking, self.activity, lambda: self.project)
        self.model_use = ModelUse(core, self.decoding)
        leave_out_large(len(segments))

    # ---- state ----

    @property
    def document(self) -> Document:
        """The document with its segments' current places."""
        return self.core.document

    @property
    def segments(self) -> list[SegmentState]:
        """All segments by index, those included that were merged into others."""
        return self.core.segments

    @property
    def model(self) -> ModelHandle:
        """The model that translates this document."""
        return self.core.model

    @property
    def open_index(self) -> int | None:
        """The segment that the translator works on; None before the first was opened."""
        return self.core.open_index

    @property
    def problem(self) -> str:
        """The problem that the page shows in a banner; empty if there is none."""
        return self.core.problem

    def snapshot(self, actor: Actor, since: int = -1, open_index: int | None = None, detail_since: int = -1) -> Json:
        """All changes after version `since`, and all small data; ready for JSON."""
        with self.lock:
            self.core.look_at_parts()
            style, num_learned = self.style.view(), self.learning.num_learned
            model = {**self.model_use.view(), "style": style, "num_learned": num_learned}
            reply = snapshot_of(
                actor,
                self.core,
                self.decoding,
                self.activity,
                self.learning,
                self.terms.summary(),
                model,
                since,
                open_index,
                detail_since,
            )
            people, access = self.store.people, self.store.people.access(actor)
            may_lock = access.reviews(self.project.id)
            rights = {
                "may_review": self.project.has_review and may_lock,
                "may_lock": may_lock,
                "may_assign": people.has_roles and access.manages(self.project.id),
            }
            project = {**project_view(self.project), **rights}
            if "segment" in reply:
                reply["segment"]["remarks"] = self.review.remarks(reply["segment"]["index"])
                reply["segment"]["lock"] = self.locks.view(reply["segment"]["index"])
            reply["document"] |= {"session": self.session_id, "project": project}
            reply["lookups_left"] = self.memory.rates.num_left
            reply["people"] = self.presence.others(actor)
            reply["news"] = {**self.store.news.view(actor), "list_stamp": self.store.list_changes.stamp}
            return reply

    def has_news(self, since: int, open_index: int | None, detail_since: int) -> bool:
        """True if `snapshot` with the same arguments would contain anything new."""
        core = self.core
        with self.lock:
            core.look_at_parts()
            if core.version > since:
                return True
            if open_index is None or not 0 <= open_index < len(core.segments):
                return False
            return core.segments[open_index].stamp > detail_since

    def subscribe(self, actor: Actor, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` after each change, from any thread; returns a function that ends this."""
        self.presence.hear(actor)
        return self.core.subscribe(listener)

    def first_to_show(self, actor: Actor) -> int:
        """The segment that the actor opened last, otherwise the first that waits for them."""
        with self.lock:
            last = self.presence.last_segment(actor)
            return self.first_to_do(actor) if last is None or not self.core.segments[last].source else last

    def first_to_do(self, actor: Actor) -> int:
        """The first segment that waits for the actor, otherwise the first segment."""
        with self.lock:
            is_reviewer = self.project.has_review and self.store.people.access(actor).role == "reviewer"
            return first_waiting(actor, self.core.in_order(), self.core.parts.current(), is_reviewer=is_reviewer).index

    # ---- commands on a segment ----

    def open(self, actor: Actor, index: int) -> None:
        """Opens a segment: it is decoded first, those after it next."""
        core = self.core
        with core.command(actor) as work:
            segment = self.memory.prefill(work, core.segment(index))
            work.log("focus", {}, segment)
            self.activity.show_terms(work, segment)
            work.then(lambda: self._opened(actor, index))

    def leave(self, actor: Actor, index: int) -> None:
        """Logs that the translator looks elsewhere: another window, another tab."""
        with self.core.command(actor) as work:
            work.log("blur", {}, self.core.segment(index))
            work.then(lambda: self.presence.leave(actor, index))

    def edit(
        self,
        actor: Actor,
        index: int,
        text: str | None,
        origin: EditOrigin,
        *,
        rank: int | None = None,
        match_rate: int | None = None,
        reported: ReportedEdit | None = None,
        client: str = "",
    ) -> None:
        """Sets the translator's text of a segment; None goes back to the machine's.

        `origin` says how the text came about, `reported` how the page saw it change; `rank` is that of the hypothesis
        taken, from 0, `match_rate` that of the match of the memory inserted, in percent. Raises OvertakenError if
        another page than `client` has changed the text meanwhile.
        """
        with self.core.command(actor) as work:
            segment = self.core.segment(index)
            text = None if text is None else clean_target(text)
            self._writers.check_edit(actor, segment, client, text, reported.before if reported else None)
            work.then(lambda: self._writers.wrote(actor, index, client))
            if text == segment.target and segment.state != "confirmed":
                return
            work.change(edited(segment, text, origin), edit_events(segment, text, origin, rank, reported, match_rate))

    def constrain(
        self,
        actor: Actor,
        index: int,
        constraints: Constraints,
        *,
        origin: ConstraintOrigin = "person",
        rank: int | None = None,
    ) -> None:
        """Sets the constraints of a segment and translates it again.

        Of a pin and a ban that contradict each other, the newer stays. `origin` says how the change came about;
        `rank` is that of the alternative that was taken.
        """
        with self.core.command(actor) as work:
            segment = self.core.segment(index)
            after = segment.with_constraints(constraints)
            if after == segment:
                return
            work.change(after, segment.constraints.events_to(after.constraints, origin, rank))
            work.then(lambda: self.decoding.ask(actor, self.core.segments[index], "interactive"))

    def confirm(self, actor: Actor, index: int, text: str, *, is_new: bool = True, client: str = "") -> Json | None:
        """Confirms `text` as the segment's translation.

        Where `is_new`, not an undo or redo, its repetitions are filled with it: returns that step, or None without any.
        """
        core = self.core
        with core.command(actor) as work:
            segment = core.segment(index)
            text = clean_target(text)
            if not text.strip():
                raise CommandError(
                    "Segment {index} has no translation to confirm: type one first.", index=core.number(index)
                )
            self._writers.check_confirmation(actor, segment, client, text)
            work.then(lambda: self._writers.wrote(actor, index, client))
            if segment.state == "confirmed" and segment.target == text:
                return None
            after = self.checking.confirm(work, segment, text)
            self.activity.use_terms(work, after)
            return self.batches.propagate(work, after) if is_new else None

    def reopen(self, actor: Actor, index: int) -> None:
        """Takes a confirmation back; the text stays."""
        with self.core.command(actor) as work:
            segment = self.core.segment(index)
            if segment.state == "confirmed":
                work.change(reopened(segment), [("reopen", {})])

    def comment(self, actor: Actor, index: int, text: str) -> None:
        """Sets a segment's comment, which is exported with the document; an empty text removes it."""
        with self.core.command(actor) as work:
            segment = self.core.segment(index)
            comment = clean_comment(text)
            if comment != segment.comment:
                after = replace(segment, comment=comment, version=segment.version + 1)
                work.change(after, [("comment", {"text": comment})])

    def earlier(self, actor: Actor, index: int) -> Json:
        """The earlier states of a segment, for undo after a reload of the page, oldest first."""
        events = self.store.segment_events(self.session_id, index, STATE_EVENTS)
        with self.lock:
            segment = self.core.segment(index)
            given = self.core.document.segments[index].target
        return {"states": [state.view(segment) for state in earlier_states(actor, segment, given, events)]}

    # ---- commands on the document ----

    def pretranslate(self, actor: Actor, is_on: bool) -> None:
        """Continues or stops translating the whole document ahead of the translator."""
        with self.lock:
            self.decoding.pretranslate(actor, is_on)

    def use_project(self, project: Project) -> None:
        """Updates the shown project of the document, and learns or forgets according to its settings."""
        with self.lock:
            before, self.project = self.project, project
            self.memory.rates.wake()
            if (project.id, project.learns) != (before.id, before.learns):
                self.learning.start()
            self.core.touch()

    def choose_style(self, actor: Actor, style: Style, also: Callable[[UnitOfWork], None] | None = None) -> None:
        """Requests translations in this style from now on; those without text of the translator are made again.

        `also` adds further changes to the command.
        """
        with self.lock:
            self.style.choose(actor, style, lambda: self._on_style(actor), also)

    # ---- the workspace as a whole ----

    def report(self, problem: str) -> None:
        """Shows a problem on the page that no reply to a command can name."""
        self.core.report(problem)

    def suspend(self) -> None:
        """Another document is shown: translates no further until a segment is opened here."""
        with self.lock:
            self.decoding.suspend()
            self.memory.rates.pause()
            self.core.touch()

    def go_on(self) -> None:
        """Pre-translates further although another document is shown, for a program that waits for this one."""
        with self.lock:
            if self.decoding.is_suspended:
                self.decoding.is_suspended = False
                self.decoding.start_from(self.core.open_index or 0)

    def close(self) -> None:
        """Cancels all running work and ends the threads; the log keeps everything."""
        with self.lock:
            self.decoding.close()
            self.memory.rates.close()
        take_in_large(len(self.core.segments))

    def _opened(self, actor: Actor, index: int) -> None:
        self.core.open_index = index
        self.presence.enter(actor, index)
        if self.decoding.is_suspended:  # segments may have been confirmed in another document meanwhile
            self.learning.refresh()
            self.decoding.is_suspended = False
            self.decoding.fill_from_memory()
        self.decoding.hurry(actor, self.core.segments[index])
        self.decoding.start_from(index)
        self.memory.rates.wake()

    def _on_style(self, actor: Actor) -> None:
        for segment in list(self.core.segments):
            numbers = self.style.numbers_in(segment.source)
            if numbers != segment.numbers:
                self.core.adopt(replace(segment, numbers=numbers))
        if self.model.state == "ready":
            self.decoding.start_over(actor)


def project_view(project: Project) -> Json:
    """The project of a document, for the page."""
    return {
        "id": project.id,
        "name": project.name,
        "min_match": project.min_match,
        "other_penalty": project.other_penalty,
        "import_penalty": project.import_penalty,
        "has_review": project.has_review,
    }
