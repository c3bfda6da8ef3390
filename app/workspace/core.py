"""The state of one open document: segments, log, lock and version. Services of the workspace change it through here.

A command collects its changes in a `UnitOfWork`: they are written to the log in one transaction and only then put into
memory, so that a command happens completely or not at all.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar

from sqlite_utils import Database

from app.access.actor import Actor, check_actor
from app.checks import CHECKS, CheckName, Finding
from app.errors import CommandError, LogError
from app.formats.documents import Document, Segment
from app.glossary import TermHit
from app.i18n import Message
from app.log.records import EventType, NewEvent, SegmentUpdate
from app.log.store import LogStore
from app.models.loading import ModelHandle
from app.precedence import giving_way
from app.segments.findings import attention_for, findings_of
from app.segments.state import Review, SegmentState
from app.segments.stored_state import segment_update
from app.segments.tally import Tally
from app.segments.text_changes import LogEvents
from app.text.quantities.requirements import RequiredQuantity
from app.workspace.parts import Parts
from app.workspace.turns import ANSWERS, Turns

_log = logging.getLogger("pinpoint")
T = TypeVar("T")
Observer = Callable[[SegmentState, SegmentState], None]


class UnitOfWork:
    """The changes of one command by `actor`, collected before any of them takes effect."""

    def __init__(self, actor: Actor) -> None:
        check_actor(actor)
        self.actor = actor
        self.events: list[NewEvent] = []
        self.states: list[SegmentState] = []
        self.document: Document | None = None
        self.places: Sequence[Segment] = ()
        self.effects: list[Callable[[], object]] = []
        self.writes: list[Callable[[Database], object]] = []

    def log(self, event_type: EventType, payload: dict[str, Any], segment: SegmentState | None = None) -> None:
        """Adds an event, of a segment or of the whole document."""
        index, version = (segment.index, segment.version) if segment is not None else (None, None)
        self.events.append(NewEvent(event_type, payload, index, version))

    def change(self, after: SegmentState, events: LogEvents) -> None:
        """Adds a segment's new state with the events that brought it."""
        for event_type, payload in events:
            self.log(event_type, payload, after)
        self.states.append(after)

    def rearrange(self, document: Document, places: Sequence[Segment]) -> None:
        """Replaces the document by one in which these segments have new places: they were split or merged."""
        self.document, self.places = document, places

    def write(self, change: Callable[[Database], object]) -> None:
        """Writes to further tables of the log, in the same transaction."""
        self.writes.append(change)

    def then(self, effect: Callable[[], object]) -> None:
        """Calls `effect` once everything is written and the new states are in memory.

        The command reads all files before: an effect that fails cannot refuse the command any more.
        """
        self.effects.append(effect)


class WorkspaceCore:
    """One session's document in memory, and its log.

    `token` is the unguessable name by which a page refers to it. `version` counts changes; each changed segment gets
    the new version as its `stamp`. `order` has the indices of the segments as the document has them, without those
    that were merged into others; `order_stamp` is the version of its last change. `problem` is what the page shows in
    a banner. Attributes are read and changed under `lock`.
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
        find: Callable[[str], tuple[Sequence[TermHit], Sequence[RequiredQuantity]]],
    ) -> None:
        """`find` returns the terms and the numbers of a source."""
        self.lock = threading.RLock()
        self.store = store
        self.session_id = session_id
        self.token = token
        self.model = model
        self.direction = direction
        self.open_index: int | None = None
        self.problem = ""
        self.version = store.first_version(session_id)
        last = store.last_event(session_id, "checks_chosen")
        names = last.payload["off"] if last else ()
        self.checks_off: frozenset[CheckName] = frozenset(name for name in CHECKS if name in names)
        self.segments = [self._loaded(segment, *find(segment.source)) for segment in giving_way(segments)]
        self.tally = Tally(giving_way(self.segments))
        self._arrange(document)
        self.order_stamp = -1 if self.order == list(range(len(self.segments))) else self.version
        self.parts = Parts(store, session_id)
        self._observers: list[Observer] = []
        self._listeners: list[Callable[[], None]] = []

    # ---- segments ----

    def segment(self, index: int) -> SegmentState:
        """One segment as it is now. Raises CommandError if it does not exist."""
        if not 0 <= index < len(self.segments):
            raise CommandError(
                "Segment {index} does not exist (segments in the document: {count}).",
                index=index + 1,
                count=len(self.segments),
            )
        if not self.segments[index].source:
            raise CommandError("This segment was merged with the one before it: reload the page.")
        return self.segments[index]

    def in_order(self) -> list[SegmentState]:
        """The segments as the document has them."""
        return [self.segments[index] for index in self.order]

    def number(self, index: int) -> int:
        """The segment's number for a person: its position in the document, from 1."""
        return self.positions.get(index, index) + 1

    def findings(self, segment: SegmentState, text: str | None = None) -> tuple[Finding, ...]:
        """The findings of the checks in `text` (default: the segment's text) as the segment's translation."""
        text = segment.text if text is None else text
        return findings_of(segment, text, self.direction, self.checks_off) if text else ()

    def attention(self, segment: SegmentState) -> str:
        """Why a segment needs attention, as a sentence; of a translator's text only errors, not advice."""
        return attention_for(segment, self.findings(segment) if segment.target is not None else ())

    def in_order_to_change(self, actor: Actor) -> list[SegmentState]:
        """The segments that the actor may change, in order: neither locked nor assigned to another person."""
        held = self.parts.held_by_others(actor)
        return [segment for segment in self.in_order() if segment.index not in held and not segment.lock]

    # ---- changes ----

    @contextmanager
    def command(self, actor: Actor) -> Iterator[UnitOfWork]:
        """Runs a command under the lock: at the end its events and states are written, then its states adopted.

        If the block or the log raises, nothing was written and nothing has changed. Once everything is written, nothing
        raises: a step that fails then is logged, and the page shows a notice.
        """
        with self.lock:
            self.look_at_parts()
            work = UnitOfWork(actor)
            yield work
            known = [(self.segments[s.index], s) for s in work.states if s.index < len(self.segments)]
            self._check_locks(known)
            self.parts.check_changes(actor, known, self.positions)
            states = [replace(state, attention=self.attention(state)) for state in work.states]
            if work.events or work.states:
                self.store.append_all(
                    actor,
                    self.session_id,
                    work.events,
                    self._updates(work.states),
                    work.places,
                    lambda db: [change(db) for change in work.writes],
                )
            if work.document is not None:
                self._arrange(work.document)
            adopted = [self._put(state) for state in states]
            for before, after in adopted:
                self._tell_observers(before, after)
            for effect in work.effects:
                self.carry_out(effect)
            if adopted:
                self._notify()

    def _check_locks(self, pairs: Sequence[tuple[SegmentState, SegmentState]]) -> None:
        """Raises CommandError for the change of a locked segment; comments and remarks are free."""
        for before, after in pairs:
            if before.lock and _kept_by_lock(before) != _kept_by_lock(after):
                number, name = self.number(before.index), self.locked_by(before)
                if name:
                    raise CommandError(
                        "Segment {index} is locked by {name}: a reviewer or manager of the project can unlock it.",
                        index=number,
                        name=name,
                    )
                raise CommandError(
                    "Segment {index} is locked: a reviewer or manager of the project can unlock it.", index=number
                )

    def locked_by(self, segment: SegmentState) -> str:
        """The name of the person who locked a segment; "" for the owner, for a file, and if it is not locked."""
        if segment.lock is None or segment.lock.is_of_file:
            return ""
        query = """
            SELECT coalesce(json_extract(payload, '$.person'), '') AS person FROM event INDEXED BY lock_of_segment
            WHERE session_id = ? AND segment_index = ? AND type = 'lock' ORDER BY seq DESC LIMIT 1
        """
        rows = self.store.connection.rows(Message("read the events"), query, (self.session_id, segment.index))
        return str(rows[0]["person"]) if rows else ""

    def _updates(self, states: Sequence[SegmentState]) -> list[tuple[int, SegmentUpdate]]:
        """The new states for the log, each with the version that it replaces."""
        versions = {state.index: 0 for state in states}  # of new segments
        versions |= {index: self.segments[index].version for index in versions if index < len(self.segments)}
        updates: list[tuple[int, SegmentUpdate]] = []
        for state in states:
            updates.append((state.index, segment_update(state, versions[state.index])))
            versions[state.index] = state.version
        return updates

    def adopt(self, after: SegmentState) -> SegmentState:
        """Puts a segment's new state in place of the old one and notifies everybody; returns it with its stamp."""
        before, after = self._put(replace(after, attention=self.attention(after)))
        self._tell_observers(before, after)
        self._notify()
        return after

    def _put(self, after: SegmentState) -> tuple[SegmentState, SegmentState]:
        """Puts a new state in place of the old one; returns the old one, and the new one with its stamp."""
        if after.index == len(self.segments):
            self.segments.append(SegmentState(after.index, "", 0))
        before = self.segments[after.index]
        self.version += 1
        after = replace(after, stamp=self.version)
        self.tally.change(before, after)
        self.segments[after.index] = after
        return before, after

    def _tell_observers(self, before: SegmentState, after: SegmentState) -> None:
        if _in_list(before) != _in_list(after):
            self.carry_out(lambda: self.store.list_changes.row(self.session_id))
        for observer in self._observers:
            self.carry_out(lambda observer=observer: observer(before, after))  # type: ignore[misc]

    def carry_out(self, step: Callable[[], T]) -> T | None:
        """Takes a step after a change that is already saved; None if the step fails, and the page shows a notice."""
        try:
            return step()
        except Exception as error:
            _log.exception("a step after a saved change failed")
            why = error.args[0] if isinstance(error, LogError) else f"{type(error).__name__}: {error}"
            self.problem = Message(
                "The last change is saved, but a step after it failed: {why} If something looks wrong, reload the "
                "page.",
                why=why,
            )
            self.version += 1
            return None

    def observe(self, observer: Observer) -> None:
        """Calls `observer` with each changed segment's old and new state, under the lock."""
        self._observers.append(observer)

    def show_again(self, indices: Sequence[int]) -> None:
        """Something that the rows of these segments contain has changed."""
        for index in indices:
            self.version += 1
            before = self.segments[index]
            self.segments[index] = replace(before, stamp=self.version)
            self.tally.change(before, self.segments[index])
        self._notify()

    def look_at_parts(self) -> None:
        """Shows the assignments that another process has written."""
        if indices := self.parts.changed_elsewhere():
            self.show_again(indices)
            self.parts.noticed(indices, self.version)

    def touch(self) -> None:
        """Something that every snapshot contains has changed."""
        self.version += 1
        self._notify()

    def log_error(self, actor: Actor, command: str, message: str) -> None:
        """Logs an error message that the page shows, unless it is the log that fails."""
        with suppress(LogError):
            self.store.append(actor, self.session_id, "error", {"command": command, "message": message})

    def report(self, problem: str) -> None:
        """Shows a problem on the page that no reply to a command can name."""
        with self.lock:
            self.problem = problem
            self.touch()

    # ---- pages that wait for changes ----

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` after each change, from any thread; returns a function that ends this."""
        with self.lock:
            self._listeners.append(listener)

        def end() -> None:
            with self.lock:
                self._listeners.remove(listener)

        return end

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()

    def _arrange(self, document: Document) -> None:
        self.version += 1
        self.document = document
        self.order = document.order
        self.positions = {index: position for position, index in enumerate(self.order)}
        self.order_stamp = self.version

    def _loaded(
        self, segment: SegmentState, hits: Sequence[TermHit], numbers: Sequence[RequiredQuantity]
    ) -> SegmentState:
        after = replace(segment, hits=hits, numbers=numbers, stamp=self.version)
        return after if after.target is None else replace(after, attention=self.attention(after))


def _in_list(segment: SegmentState) -> tuple[bool, bool, Review, bool]:
    """What the list of documents counts."""
    return bool(segment.source), segment.state == "confirmed", segment.review, segment.lock is not None


def _kept_by_lock(segment: SegmentState) -> tuple[object, ...]:
    """Everything about a segment that nobody may change while it is locked."""
    return segment.source, segment.target, segment.state, segment.constraints, segment.verdict


class AnswerThread:
    """Takes the model's answers from its thread to another one, so that writing the log never blocks it."""

    def __init__(self, core: WorkspaceCore) -> None:
        self._core = core
        self._turns = Turns(ANSWERS)

    def hand_over(self, segment: SegmentState, done: T, take: Callable[[SegmentState, T], None]) -> None:
        """Calls `take` later, with the segment as it was when the model was asked and with the model's answer."""
        try:
            self._turns.submit(self._take, segment, done, take)
        except RuntimeError:  # closed in the meantime: nobody waits for this answer
            return

    def close(self) -> None:
        """Takes no further answers."""
        self._turns.close()

    def _take(self, segment: SegmentState, done: T, take: Callable[[SegmentState, T], None]) -> None:
        try:
            take(segment, done)
        except Exception as error:  # otherwise, nobody would report it
            _log.exception("an answer of the model was lost")
            self._core.report(f"Segment {self._core.number(segment.index)}: {type(error).__name__}: {error}")
