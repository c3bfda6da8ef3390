"""One document being post-edited: every command of the page, kept in the log before it is acknowledged.

Thread-safe: commands come from the server's threads, answers from the model's. Knows nothing of Gradio; the page gets
full states with counters (see `snapshot`), so that a lost or late message can never leave it wrong.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from app.errors import CommandError, LogError
from app.formats.documents import Document
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.i18n import Message
from app.log.store import EventType, LogStore
from app.models.loading import ModelHandle
from app.models.style import Style, StyleChoice
from app.segments.constraint_changes import ConstraintOrigin, clean_target, constraint_events, with_constraints
from app.segments.state import Json, SegmentState, segment_update
from app.segments.tally import Tally
from app.segments.text_changes import EditOrigin, LogEvents, ReportedEdit, confirmed, edit_events, edited, reopened
from app.tm.library import MemoryLibrary
from app.workspace.activity import Activity
from app.workspace.batches import Batches
from app.workspace.checking import Checking
from app.workspace.decoding import DecodeQueue
from app.workspace.glossaries import GlossaryEditor
from app.workspace.glossary_imports import GlossaryImports
from app.workspace.memory import MemoryLookup
from app.workspace.questions import Questions
from app.workspace.snapshot import snapshot_of
from app.workspace.stale_commands import StaleCommands
from app.workspace.structure import Structure
from app.workspace.terms import DocumentTerms, Scope
from engine import Avoid, SearchOptions


class Workspace:
    """A session with its document, segments and glossary.

    `token` is the unguessable name by which a page refers to it. `version` counts changes; each changed segment gets
    the new version as its `stamp`. Where a command raises, nothing was changed.
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
    ) -> None:
        self.store = store
        self.session_id = session_id
        self.token = token
        self.document = document
        self.model = model
        self.direction = direction
        self.terms = DocumentTerms(self, glossaries, document_terms)
        self.glossaries = GlossaryEditor(self)
        self.glossary_imports = GlossaryImports(self)
        # Counts on from the clock, so that a page which outlived the last run sees all of this one as news.
        self.version = int(time.time() * 1000)
        self.open_index: int | None = None
        self.problem = ""
        self._next: tuple[str, ModelHandle] | None = None  # one that is loading, to be used then, and its name
        self.style = StyleChoice(self)
        self.lock = threading.RLock()
        self.checking = Checking(self)
        self.memory = MemoryLookup(self, library or MemoryLibrary(store))
        self.segments = [self._with_terms(segment) for segment in segments]
        self.tally = Tally(self.segments)
        self.structure = Structure(self)
        self._listeners: list[Callable[[], None]] = []
        self._overtaken = StaleCommands()
        self.batches = Batches(self)
        self.activity = Activity(self)
        self.questions = Questions(self, options)
        self._decoding = DecodeQueue(self, options)
        model.on_change(self._on_model)
        model.on_fetch(self._on_fetch)

    # ---- what the page sees ----

    def snapshot(self, since: int = -1, open_index: int | None = None, detail_since: int = -1) -> Json:
        """Everything that changed after version `since`, and all that is small; ready for JSON."""
        with self.lock:
            return snapshot_of(self, self._decoding, since, open_index, detail_since)

    def model_view(self) -> Json:
        """What the page shows of the model."""
        name, loading = self._next or ("", self.model)
        return {**self.model.view(), "next": name, "fetched": loading.fetched, "style": self.style.view()}

    def has_news(self, since: int, open_index: int | None, detail_since: int) -> bool:
        """Whether `snapshot` with the same arguments would say anything new."""
        with self.lock:
            if self.version > since:
                return True
            if open_index is None or not 0 <= open_index < len(self.segments):
                return False
            return self.segments[open_index].stamp > detail_since

    def counts(self) -> dict[str, int]:
        """How many segments each filter of the list shows."""
        with self.lock:
            return self.tally.counts()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` after each change, from any thread; returns what ends that."""
        with self.lock:
            self._listeners.append(listener)

        def end() -> None:
            with self.lock:
                self._listeners.remove(listener)

        return end

    # ---- commands ----

    def open(self, index: int) -> None:
        """The person goes to this segment: it is decoded first, those behind it next."""
        with self.lock:
            segment = self.memory.filled(self.segment(index))
            self.log("focus", {}, segment)
            self.activity.show_terms(segment)
            self.open_index = index
            self._decoding.is_suspended = False
            self._decoding.hurry(segment)
            self._decoding.start_from(index)

    def leave(self, index: int) -> None:
        """The person looks elsewhere: another window, another tab."""
        with self.lock:
            self.log("blur", {}, self.segment(index))

    def edit(
        self,
        index: int,
        text: str | None,
        origin: EditOrigin,
        *,
        rank: int | None = None,
        told: ReportedEdit | None = None,
        client: str = "",
        sequence: int = 0,
    ) -> None:
        """The person's text for a segment; None goes back to the machine's. An edit that is not the newest is dropped.

        `origin` says how the text came about, `told` more of that; `rank` is that of the hypothesis taken, from 0.
        """
        with self.lock:
            segment = self.segment(index)
            if self._overtaken.by_later("edit", index, client, sequence):
                return
            text = None if text is None else clean_target(text)
            if text == segment.target and segment.state != "confirmed":
                return
            after = edited(segment, text, origin)
            self.log_all([(after, edit_events(segment, text, origin, rank, told))])
            self.adopt(after)

    def constrain(
        self,
        index: int,
        pins: Sequence[str],
        terms_off: Sequence[str],
        bans: Sequence[Avoid] = (),
        beginning: str = "",
        locked: Sequence[str] = (),
        *,
        origin: ConstraintOrigin = "person",
        client: str = "",
        sequence: int = 0,
    ) -> None:
        """The whole set of pins, switched-off terms and bans of a segment; decodes it anew. Only the newest set counts.

        Of a pin and a ban that contradict each other, the newer stays. `beginning` is what the translation must begin
        with, `locked` what must stand in it in this order: what an alternative asked for that was taken, or what the
        person keeps while the rest is translated anew. The next set without them frees both.
        """
        with self.lock:
            segment = self.segment(index)
            if self._overtaken.by_later("constrain", index, client, sequence):
                return
            after = with_constraints(segment, pins, terms_off, bans, beginning, locked)
            if after == segment:
                return
            for event, payload in constraint_events(segment, after, origin):
                self.log(event, payload, after, stores=True)
            self._decoding.ask(self.adopt(after), "interactive")

    def confirm(self, index: int, text: str, *, is_new: bool = True) -> Json | None:
        """The person is done with this segment; `text` is what it shall be.

        Where `is_new`, not an undo or redo, its repetitions are filled with it: returns that step, or None without any.
        """
        with self.lock:
            segment = self.segment(index)
            text = clean_target(text)
            if not text.strip():
                raise CommandError(
                    Message(
                        "Segment {index} has no translation to confirm: type one first.",
                        index=self.structure.number(index),
                    )
                )
            if segment.state == "confirmed" and segment.target == text:
                return None
            after = confirmed(segment, text)
            payload = {
                "text": text,
                "machine_text": segment.machine_text,
                "is_unchanged": text == segment.machine_text,
                "attention": self.checking.attention(after),
                "findings": self.checking.confirmed(after),
            }
            self.log("confirm", payload, after, stores=True)
            self.activity.use_terms(after)
            after = self.adopt(after)
            return self.batches.propagate(after) if is_new else None

    def reopen(self, index: int) -> None:
        """Takes a confirmation back; the text stays."""
        with self.lock:
            segment = self.segment(index)
            if segment.state != "confirmed":
                return
            after = reopened(segment)
            self.log("reopen", {}, after, stores=True)
            self.adopt(after)

    def add_term(self, index: int, source: str, target: str, scope: Scope) -> Json:
        """Requires a pin of this segment wherever its source words stand; see `DocumentTerms.add`."""
        with self.lock:
            return self.terms.add(index, source, target, scope)

    def remove_term(self, source: str, target: str) -> Json:
        """Takes back what was required in the whole document."""
        with self.lock:
            return self.terms.remove(source, target)

    def pretranslate(self, is_wanted: bool) -> None:
        """Goes on with, or stops, translating the whole document ahead of the person."""
        with self.lock:
            self._decoding.pretranslate(is_wanted)
            self._touch()

    def choose_style(self, style: Style) -> None:
        """Translations speak in this style from now on; what has another, and no text of the person, comes anew."""
        with self.lock:
            if self.style.choose(style) and self.model.state == "ready":
                self._decoding.start_over()
            self._touch()

    def first_to_do(self) -> int:
        """The first segment that is not confirmed, to begin with."""
        with self.lock:
            return next((s.index for s in self.structure.in_order() if s.state != "confirmed"), self.structure.order[0])

    def log_error(self, command: str, message: str) -> None:
        """Keeps what the person was told in the log, unless it is the log that fails."""
        with contextlib.suppress(LogError):
            self.store.append(self.session_id, "error", {"command": command, "message": message})

    def close(self) -> None:
        """Stops what is under way; what is stored stays."""
        with self.lock:
            self._decoding.close()

    # ---- for the parts of a workspace ----

    def segment(self, index: int) -> SegmentState:
        """One segment as it is now; raises CommandError where there is none of that number."""
        if not 0 <= index < len(self.segments):
            raise CommandError(
                Message(
                    "There is no segment {index}; the document has {count}.", index=index + 1, count=len(self.segments)
                )
            )
        if not self.segments[index].source:
            raise CommandError(Message("This segment was merged with the one before it: reload the page."))
        return self.segments[index]

    def adopt(self, after: SegmentState) -> SegmentState:
        """Puts a segment's new state in place of the old one and tells everybody."""
        self.version += 1
        after = replace(after, stamp=self.version)
        after = replace(after, attention=self.checking.attention(after))
        self.tally.change(self.segments[after.index], after)
        self.memory.follow(self.segments[after.index], after)
        self.segments[after.index] = after
        self._notify()
        return after

    def rearranged(self, indices: Sequence[int]) -> None:
        """These segments were cut or joined: what is said of them is asked for anew."""
        self.batches.rearranged()
        for index in indices:
            self._decoding.forget(index)
        if self.open_index is not None:
            if not self.segments[self.open_index].source:
                self.open_index = indices[0]
            self._decoding.hurry(self.segments[self.open_index])
            self._decoding.start_from(self.open_index)

    def log(self, event: EventType, payload: dict[str, Any], segment: SegmentState, *, stores: bool = False) -> None:
        """Writes one event, and with `stores` the segment's new state in the same transaction."""
        update = segment_update(segment) if stores else None
        self.store.append(
            self.session_id, event, payload, segment=segment.index, segment_version=segment.version, update=update
        )

    def log_all(self, changed: Sequence[tuple[SegmentState, LogEvents]]) -> None:
        """Writes the events of each of these segments with its new state, all in one transaction."""
        self.store.append_all(
            self.session_id, [(s.index, s.version, events, segment_update(s)) for s, events in changed]
        )

    def translate_by_terms(self, changed: list[int], besides: int | None = None) -> int:
        """Other terms stand in these segments: translates anew what is not confirmed; returns how many segments.

        The segment `besides` is not counted: the person looks at it.
        """
        self._touch()
        if self.open_index in changed:
            self._decoding.hurry(self.segments[self.open_index])
        anew = [i for i in changed if i not in (self.open_index, besides) and self.segments[i].state != "confirmed"]
        self._decoding.translate_anew(anew)
        return len(anew)

    def translate_quietly(self) -> None:
        """Translates what other terms concern, from the open segment on, without a flag."""
        self._touch()
        if self.open_index is not None:
            self._decoding.hurry(self.segments[self.open_index])
        self._decoding.start_from(self.open_index or 0)

    def suspend(self) -> None:
        """Another document is shown: translates no further until somebody opens a segment; pages may ask anew."""
        with self.lock:
            self._decoding.suspend()
            self._notify()

    def report(self, problem: str) -> None:
        """Something went wrong behind the person's back: the page says so."""
        self.problem = problem
        self._touch()

    def expect_model(self, name: str, model: ModelHandle) -> None:
        """Another model is loading, to be used as soon as it is there."""
        with self.lock:
            self._next, self.problem = (name, model), ""
            self._touch()
        model.on_fetch(self._on_fetch)

    def expect_no_model(self) -> None:
        """That one is not waited for any more."""
        with self.lock:
            self._next = None
            self._touch()

    def use_model(self, model: ModelHandle, key: str = "") -> None:
        """Translates anew with another model, which is there; with a key, the session remembers it (see `Models`)."""
        with self.lock:
            if key:
                payload = {"key": key, "name": model.name, "model": model.checksum}
                self.store.append(self.session_id, "model", payload)
            self._next, self.problem = None, ""
            if model is not self.model:
                self._decoding.start_over(model)
            self._touch()

    def _on_model(self) -> None:
        with self.lock:
            self._decoding.on_model()
            self._touch()

    def _on_fetch(self) -> None:
        with self.lock:
            self._touch()

    def _touch(self) -> None:
        self.version += 1
        self._notify()

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()

    def _with_terms(self, segment: SegmentState) -> SegmentState:
        """A segment as it comes in: all of them are news to the page."""
        after = replace(segment, hits=self.terms.hits(segment.source), stamp=self.version)
        return after if after.target is None else replace(after, attention=self.checking.attention(after))
