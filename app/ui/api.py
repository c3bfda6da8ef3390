"""The functions that the page calls: untrusted messages in, calls of sessions and workspaces, plain JSON out.

Each message is checked against its model first (`app.ui.commands`, `app.ui.questions`).
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from pydantic import ConfigDict
from starlette.requests import ClientDisconnect

from app import VERSION
from app.access.actor import Actor
from app.errors import AppError, LogError
from app.formats.documents import Export
from app.formats.preview import preview_of
from app.log.connection import Written, noting_writes
from app.reports.audit import AuditFilter, audit_csv
from app.reports.review_table import RowChoice
from app.reports.usage import usage_csv
from app.reports.views import replay_view, report_view
from app.segments import Json
from app.sessions import Sessions
from app.sessions.totals import FileKind
from app.ui.commands import read_command
from app.ui.commands.command import Command, SessionCommand
from app.ui.commands.segment_commands import OpenSegment
from app.ui.glossary_api import GlossaryApi
from app.ui.questions import (
    AskAlternatives,
    AskCompletion,
    AskPlaces,
    AskPreview,
    AskRecord,
    AskRevision,
    Changes,
    Hello,
)
from app.ui.repeated_commands import RepeatedCommands
from app.ui.replies import ErrorReply, attempt, error_reply, in_language_of, internal_error, saved_reply
from app.ui.schemas import Name, PageMessage, read
from app.workspace.commands import Workspace
from app.workspace.model_questions import Questions
from engine import EngineError

HOLD_SECONDS = 20.0
LIST_SECONDS = 2.0  # between two replies about the list of documents
Q = TypeVar("Q", bound=PageMessage)
_VIEWS = {"report": report_view, "replay": replay_view}


class Envelope(PageMessage):
    """The fields that say which command a message is, and to which session; the others are read later."""

    model_config = ConfigDict(extra="ignore")

    name: Name


class Api:
    """The functions that the page's script can call. Safe from several threads."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        self.glossaries = GlossaryApi(sessions)
        self._repeated = RepeatedCommands()
        self._reading_archive = threading.Lock()  # one large file in memory at a time
        self._waiting: dict[str | object, Callable[[], None]] = {}  # by page
        self._is_stopping = False

    def stop(self) -> None:
        """Answers every waiting page now; from here on no page waits."""
        self._is_stopping = True
        for notify in tuple(self._waiting.values()):
            notify()

    def hello(self, actor: Actor, message: Any) -> Json:
        """The whole state for a page that was opened, in the session that it showed before if there is one."""

        def greet() -> Json:
            question = read(Hello, message)
            workspace, result = self.sessions.welcome(actor, question.token, question.last_shown.get(actor.name))
            return self._whole(actor, workspace, result)

        return in_language_of(message, attempt(actor, greet))

    def command(self, actor: Actor, message: Any) -> Json:
        """Carries out one command. The reply acknowledges it: its changes are stored."""
        return in_language_of(message, attempt(actor, lambda: self._carry_out(actor, message)))

    async def changes(self, actor: Actor, message: Any) -> Json:
        """All changes after the page's version; waits up to HOLD_SECONDS for a change.

        A browser opens six connections to a server, for all of its tabs: a page has one waiting question at most.
        """
        # Code that may wait for a lock or the disk runs in another thread, because this one serves all connections.
        try:
            question = read(Changes, message)
            workspace = await asyncio.to_thread(self.sessions.find, actor, question.token)
        except AppError as error:
            return in_language_of(message, error_reply(error))
        position = question.since, question.open, question.detail_since
        loop = asyncio.get_running_loop()
        news = asyncio.Event()

        def notify() -> None:
            with contextlib.suppress(RuntimeError):  # the server is closing: nobody waits any more
                loop.call_soon_threadsafe(news.set)

        def notify_later() -> None:  # changes of the list that come soon after go into the same reply
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(loop.call_later, LIST_SECONDS, news.set)

        notices, list_changes = self.sessions.store.news, self.sessions.store.list_changes

        def has_news() -> bool:
            if question.list_stamp not in (None, list_changes.stamp):
                notify_later()
            return question.news_stamp not in (None, notices.stamp(actor)) or workspace.has_news(*position)

        end = await asyncio.to_thread(workspace.subscribe, actor, notify)
        end_notices = notices.subscribe(actor, notify)
        end_list = None if question.list_stamp is None else list_changes.call_once(notify_later)
        page = question.client or notify
        if earlier := self._waiting.get(page):
            earlier()
        self._waiting[page] = notify
        try:
            waits = question.waits and not self._is_stopping
            if waits and not await asyncio.to_thread(has_news):
                await asyncio.wait_for(news.wait(), HOLD_SECONDS)
                await asyncio.sleep(0.02)  # changes that come together go into one reply
        except TimeoutError:
            pass
        finally:
            if self._waiting.get(page) is notify:
                del self._waiting[page]
            end_notices()
            if end_list is not None:
                end_list()
            await asyncio.to_thread(end)

        def news_of() -> Json:
            self.sessions.check_seen(actor, workspace)  # again: the person may have lost it while they waited
            snapshot = workspace.snapshot(actor, *position)
            return {**snapshot, "is_stopping": True} if self._is_stopping else snapshot

        return await asyncio.to_thread(lambda: in_language_of(message, attempt(actor, news_of)))

    async def alternatives(self, actor: Actor, message: Any) -> Json:
        """Other words for one word of the segment's text, or `is_overtaken` if a newer question has arrived."""

        def ask(question: AskAlternatives, questions: Questions) -> tuple[Any, Future[Any]]:
            return questions.ask_alternatives(question.segment, question.text, question.before, question.locked)

        return await self._ask_model(actor, message, AskAlternatives, ask, Questions.show_alternatives)

    async def places(self, actor: Actor, message: Any) -> Json:
        """Other places of a pin in a text, or `is_overtaken` if a newer question has arrived."""

        def ask(question: AskPlaces, questions: Questions) -> tuple[Any, Future[Any]]:
            return questions.ask_places(question.segment, question.pin, question.text, question.moved)

        return await self._ask_model(actor, message, AskPlaces, ask, Questions.show_places)

    async def completion(self, actor: Actor, message: Any) -> Json:
        """A continuation of the open segment's text, or `is_overtaken` if a newer question has arrived."""

        def ask(question: AskCompletion, questions: Questions) -> tuple[Any, Future[Any]]:
            return questions.ask_completion(question.segment, question.text, question.is_requested)

        return await self._ask_model(actor, message, AskCompletion, ask, Questions.show_completion)

    async def revision(self, actor: Actor, message: Any) -> Json:
        """The words of the edited text that should change, or `is_overtaken` if a newer question has arrived."""

        def ask(question: AskRevision, questions: Questions) -> tuple[Any, Future[Any]]:
            return questions.ask_revision(question.segment, question.text, question.prefix, question.locked)

        return await self._ask_model(actor, message, AskRevision, ask, Questions.show_revision)

    async def record(self, actor: Actor, message: Any) -> Json:
        """The open session's figures ("report") or all its moments ("replay")."""

        def view() -> Json:
            question = read(AskRecord, message)
            workspace = self.sessions.find(actor, question.token)
            return {"ok": True, "result": _VIEWS[question.view](actor, workspace.store, workspace.session_id)}

        return in_language_of(message, await asyncio.to_thread(attempt, actor, view))

    async def preview(self, actor: Actor, message: Any) -> Json:
        """The blocks of the document. It may be parsed again for this, which takes seconds for a large one."""

        def view() -> Json:
            workspace = self.sessions.find(actor, read(AskPreview, message).token)
            return {"ok": True, "result": {"blocks": preview_of(workspace.document)}}

        return in_language_of(message, await asyncio.to_thread(attempt, actor, view))

    async def _ask_model(
        self,
        actor: Actor,
        message: Any,
        model: type[Q],
        ask: Callable[[Q, Questions], tuple[Any, Future[Any]]],
        show: Callable[[Questions, Actor, Any, Any], Json],
    ) -> Json:
        """Asks the decoding engine and waits without blocking other pages."""
        try:
            question = read(model, message)
            questions = (await asyncio.to_thread(self.sessions.find, actor, question.token)).questions
            asked, future = await asyncio.to_thread(ask, question, questions)
            found = await asyncio.wrap_future(future)
            if found is None:
                return {"ok": True, "is_overtaken": True}
            return in_language_of(
                message, {"ok": True, **await asyncio.to_thread(show, questions, actor, asked, found)}
            )
        except (AppError, EngineError) as error:
            return in_language_of(message, error_reply(error))
        except Exception:
            return in_language_of(message, internal_error(actor))

    async def receive_model(
        self,
        actor: Actor,
        token: str,
        upload: str,
        file: str,
        num_bytes: int,
        chunks: AsyncIterator[bytes],
        language: str,
    ) -> Json:
        """Keeps one file of a model that is being uploaded, until the command `install_upload`."""
        try:
            await asyncio.to_thread(self.sessions.find, actor, token)
            await asyncio.to_thread(lambda: self.sessions.store.people.access(actor).check_adds_models())
            with self.sessions.models.uploads.receiving(upload, file, num_bytes) as output:
                async for chunk in chunks:
                    await asyncio.to_thread(output.write, chunk)
            return {"ok": True}
        except (AppError, ClientDisconnect) as error:
            return in_language_of({"language": language}, error_reply(error))
        except Exception:
            return in_language_of({"language": language}, internal_error(actor))

    def begin_archive(self, actor: Actor, token: str, name: str, data: bytes, language: str) -> Json:
        """Reads an uploaded archive of documents; the reply lists its files, which commands open one by one."""

        def begin() -> Json:
            self.sessions.find(actor, token)
            with self._reading_archive:
                return {"ok": True, "result": self.sessions.bundles.begin_archive(actor, data, name)}

        return in_language_of({"language": language}, attempt(actor, begin))

    def packed(self, actor: Actor, token: str, key: str) -> Export:
        """An archive of translated documents that the command `pack` made."""
        self.sessions.find(actor, token)
        return self.sessions.bundles.packed(actor, key)

    def analysis(self, actor: Actor, token: str, key: str) -> Export:
        """The CSV log of an analysis that the command `analyse` made."""
        self.sessions.find(actor, token)
        return self.sessions.analyses.csv(actor, key)

    def quote(self, actor: Actor, token: str, key: str, percents: Sequence[float], price: float) -> Export:
        """The workbook of an analysis that the command `analyse` made, by a rate card."""
        self.sessions.find(actor, token)
        return self.sessions.analyses.workbook(actor, key, percents, price)

    def status(self) -> Json:
        """The server's status: queues, latencies and throughput of its models, without data of documents."""
        return {"version": VERSION, "models": self.sessions.models.status()}

    def health(self) -> Json:
        """The server's health, for monitoring without the access token."""
        return {**self.sessions.health(), "version": VERSION}

    def download(self, actor: Actor, token: str, kind: str, language: str, segments: str) -> Export:
        """A file to save: "document", that with proposals, or one of `app.reports.exports.EXPORTS`.

        A table for review has only the `segments` with these numbers, if there are any.
        """
        workspace = self.sessions.find(actor, token)
        return self.sessions.exports.make(actor, workspace, kind, language, RowChoice.of(segments))

    def segmentation(self, actor: Actor, token: str, project: int) -> Export:
        """The file with the segmentation rules of a project, unchanged."""
        self.sessions.find(actor, token)
        return self.sessions.segmentation.download(actor, project)

    def totals(self, actor: Actor, token: str, project: int, kind: FileKind) -> Export:
        """The totals of a project as a table. The open document logs the export."""
        return self._logged(actor, token, self.sessions.totals.file(actor, project, kind))

    def usage(self, actor: Actor, token: str) -> Export:
        """The usage of projects by month as a table; see `usage_csv`. The open document logs the export."""
        return self._logged(actor, token, usage_csv(actor, self.sessions.store))

    def activity(self, actor: Actor, token: str, chosen: AuditFilter) -> Export:
        """The activity (who did what and when) as a table; see `audit_csv`. The open document logs the export."""
        return self._logged(actor, token, audit_csv(actor, self.sessions.store, chosen))

    def _logged(self, actor: Actor, token: str, export: Export) -> Export:
        """The same table, after the open document has logged its export."""
        workspace = self.sessions.find(actor, token)
        self.sessions.store.append(actor, workspace.session_id, "export", {"kind": export.name, "name": export.name})
        return export

    def _carry_out(self, actor: Actor, message: Any) -> Json | ErrorReply:
        """The reply to a command. An exception after its change was saved does not make it a refused one."""
        envelope = read(Envelope, message)
        workspace = self.sessions.find(actor, envelope.token)
        with noting_writes() as written:
            try:
                return self._done(actor, workspace, envelope.name, message, written)
            except Exception as error:
                if written.is_any:
                    return saved_reply(actor)
                # Without a log, others would wait for the second attempt to write it.
                if isinstance(error, (AppError, EngineError)) and not isinstance(error, LogError):
                    workspace.core.log_error(actor, envelope.name, str(error))
                raise

    def _done(self, actor: Actor, workspace: Workspace, name: str, message: Any, written: Written) -> Json:
        command = read_command(name, message)
        if not isinstance(command, SessionCommand):
            return self._changed(actor, workspace, command, written)
        shown = self._repeated.once(actor, command, lambda: command.switch(actor, self.sessions, workspace).token)
        written.is_any = True  # a new tab shows the other document from now on, even if it was open already
        shows = workspace if shown is None else self.sessions.find(actor, shown)
        return self._whole(actor, shows, {"is_continued": command.name == "resume_session"})

    def _changed(self, actor: Actor, workspace: Workspace, command: Command, written: Written) -> Json:
        """Executes a command in its workspace; the reply contains the changes and the command's result."""
        result = self._repeated.once(actor, command, lambda: command.run(actor, self.sessions, workspace))
        written.is_any |= command.changes_models
        try:
            reply = workspace.snapshot(actor, command.since, command.open, command.detail_since)
        except Exception:
            if not written.is_any:  # the page learns that nothing was changed
                self._repeated.forget(actor, command)
                command.take_back(actor, self.sessions, result)
            raise
        if isinstance(command, OpenSegment):  # the person is here, and the page has the notices
            self.sessions.store.news.opened(actor, workspace.session_id)
        if result is None:
            result = command.result_after(actor, self.sessions)
        return reply if result is None else {**reply, "result": result}

    def _whole(self, actor: Actor, workspace: Workspace, result: Json) -> Json:
        offers = self.sessions.logged_documents.offers(actor, besides=workspace.session_id)
        if (model := self.sessions.model_offer(actor, workspace)) is not None:
            result = {**result, "model_offer": model}
        own = {
            "open": workspace.first_to_show(actor),
            "person": actor.name,
            "is_sample": self.sessions.shows_sample(workspace),
        }
        whole = {**workspace.snapshot(actor), "offers": offers, "result": {**own, **result}}
        self.sessions.store.news.opened(actor, workspace.session_id)  # the page shows them, once
        return whole
