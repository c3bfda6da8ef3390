"""The functions that the page calls: untrusted messages in, calls of sessions and workspaces, plain JSON out.

Every message is a dict made by whoever can reach the server; `app.ui.schemas` reads it with care.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, get_args

from app import VERSION
from app.errors import AppError, CommandError
from app.formats.documents import Export
from app.i18n import Message
from app.models.directions import targets_by_source
from app.reports.views import replay_view, report_view
from app.segments.constraint_changes import ConstraintOrigin
from app.segments.text_changes import EditOrigin
from app.sessions import Sessions
from app.ui.glossaries import GlossaryApi, glossary_commands
from app.ui.schemas import Json, PageMessage, answer, failure, mistake, told
from app.workspace.commands import Workspace
from app.workspace.glossaries import Scope
from app.workspace.questions import Questions
from engine import EngineError

HOLD_SECONDS = 20.0


class Api:
    """What the page's script can call. Stateless but for the waiting pages; safe from several threads."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        self.glossaries = GlossaryApi(sessions)
        self._waiting: set[Callable[[], None]] = set()
        self._is_stopping = False

    def stop(self) -> None:
        """The server stops: whoever waits for news is answered now, and nobody waits from now on."""
        self._is_stopping = True
        for tell in tuple(self._waiting):
            tell()

    def hello(self, message: Any) -> Json:
        """A page has come up, with the token of the session that it showed before, or none."""

        def greet() -> Json:
            token = message.get("token") if isinstance(message, dict) else None
            workspace, result = self.sessions.welcome(token if isinstance(token, str) else None)
            return self._whole(workspace, result)

        return told(message, answer(greet))

    def command(self, message: Any) -> Json:
        """Carries out one command; the reply acknowledges it: what it changed is stored."""
        return told(message, answer(lambda: self._carry_out(PageMessage(message))))

    async def changes(self, message: Any) -> Json:
        """What has changed since the page's version; waits for something, up to HOLD_SECONDS."""
        # Whatever may wait for a lock or for the disk does so in another thread: this one carries all connections.
        try:
            request = PageMessage(message)
            position = request.position()
            workspace = await asyncio.to_thread(self.sessions.find, request.text("token"))
        except AppError as error:
            return told(message, failure(error))
        loop = asyncio.get_running_loop()
        news = asyncio.Event()

        def tell() -> None:
            with contextlib.suppress(RuntimeError):  # the server is closing: nobody waits any more
                loop.call_soon_threadsafe(news.set)

        end = await asyncio.to_thread(workspace.subscribe, tell)
        self._waiting.add(tell)
        try:
            if not await asyncio.to_thread(workspace.has_news, *position) and not self._is_stopping:
                await asyncio.wait_for(news.wait(), HOLD_SECONDS)
                await asyncio.sleep(0.02)  # what changes together is told together
        except TimeoutError:
            pass
        finally:
            self._waiting.discard(tell)
            await asyncio.to_thread(end)
        return await asyncio.to_thread(lambda: told(message, workspace.snapshot(*position)))

    async def alternatives(self, message: Any) -> Json:
        """Other words for one word of the proposal; says so where a newer question has overtaken this one."""

        def ask(request: PageMessage, questions: Questions) -> tuple[Any, Future[Any]]:
            return questions.ask_alternatives(request.index(), request.number("word"), request.text("text"))

        return told(message, await self._question(message, ask, Questions.show_alternatives))

    async def completion(self, message: Any) -> Json:
        """How the open segment's text could go on; says so where a newer question has overtaken this one."""

        def ask(request: PageMessage, questions: Questions) -> tuple[Any, Future[Any]]:
            return questions.ask_completion(request.index(), request.text("text"))

        return told(message, await self._question(message, ask, Questions.show_completion))

    async def record(self, message: Any) -> Json:
        """The open session's figures ("report") or all its moments ("replay")."""

        def view() -> Json:
            request = PageMessage(message)
            workspace = self.sessions.find(request.text("token"))
            views = {"report": report_view, "replay": replay_view}
            made = views[request.choice("view", tuple(views))](workspace.store, workspace.session_id)
            return {"ok": True, "result": made}

        return await asyncio.to_thread(answer, view)

    async def _question(
        self,
        message: Any,
        ask: Callable[[PageMessage, Questions], tuple[Any, Future[Any]]],
        show: Callable[[Questions, Any, Any], Json],
    ) -> Json:
        """Asks the model and waits without holding up anybody else."""
        try:
            request = PageMessage(message)
            questions = (await asyncio.to_thread(self.sessions.find, request.text("token"))).questions
            asked, future = await asyncio.to_thread(ask, request, questions)
            found = await asyncio.wrap_future(future)
            if found is None:
                return {"ok": True, "is_overtaken": True}
            return {"ok": True, **await asyncio.to_thread(show, questions, asked, found)}
        except (AppError, EngineError) as error:
            return failure(error)
        except Exception:
            return mistake()

    def status(self) -> Json:
        """How the server is doing: its models' queues, latencies and throughput. Nothing of any document."""
        return {"version": VERSION, "models": self.sessions.models.status()}

    def download(self, token: str, kind: str) -> Export:
        """A file to save: "document", that with proposals, or one of `app.sessions.EXPORTS`."""
        return self.sessions.export(self.sessions.find(token), kind)

    def _carry_out(self, message: PageMessage) -> Json:
        name = message.text("name")
        workspace = self.sessions.find(message.text("token"))
        try:
            return self._carry_out_in(workspace, name, message)
        except (AppError, EngineError) as error:
            workspace.log_error(name, str(error))
            raise

    def _carry_out_in(self, workspace: Workspace, name: str, message: PageMessage) -> Json:
        if name in ("open_document", "open_sample", "go_on", "begin_anew", "delete_session"):
            return self._switch(name, workspace, message)
        result: Json | None = None
        commands: dict[str, Callable[[], Json | None]] = {
            "open": lambda: workspace.open(message.index()),
            "leave": lambda: workspace.leave(message.index()),
            "edit": lambda: workspace.edit(
                message.index(),
                message.optional_text("text"),
                message.choice("origin", get_args(EditOrigin)),
                rank=message.optional_number("rank"),
                told=message.told_edit(),
                client=message.text("client"),
                sequence=message.number("sequence"),
            ),
            "constrain": lambda: workspace.constrain(
                message.index(),
                message.texts("pins"),
                message.texts("terms_off"),
                message.bans("bans"),
                message.text("beginning"),
                message.texts("locked"),
                origin=message.choice("origin", get_args(ConstraintOrigin)),
                client=message.text("client"),
                sequence=message.number("sequence"),
            ),
            "confirm": lambda: workspace.confirm(
                message.index(), message.text("text"), is_new=message.optional_text("origin") is None
            ),
            "comment": lambda: workspace.comment(message.index(), message.text("text")),
            "check": lambda: workspace.checking.show(message.index(), message.text("text")),
            "choose_checks": lambda: workspace.checking.choose(message.checks("off")),
            "matches": lambda: workspace.memory.matches(message.index()),
            "concordance": lambda: workspace.memory.concordance(message.text("words")),
            "import_memory": lambda: workspace.memory.import_tmx(message.data("data"), message.text("file")),
            "reopen": lambda: workspace.reopen(message.index()),
            "keys": lambda: workspace.activity.keys(
                message.index(), message.counts("counts"), message.fields.get("presses"), message.fields.get("carets")
            ),
            "consent": lambda: workspace.activity.consent(message.flag("is_given")),
            "idle": lambda: workspace.activity.idle(message.index(), message.number("idle_ms")),
            "pretranslate": lambda: workspace.pretranslate(message.flag("is_wanted")),
            **glossary_commands(self.sessions, workspace, message),
            "export_note": lambda: self.sessions.export_note(workspace, message.text("kind")),
            "find": lambda: workspace.batches.find(message.query()),
            "replace": lambda: workspace.batches.replace(message.query(), message.optional_numbers("segments")),
            "step": lambda: workspace.batches.step(message.number("step"), is_undo=message.flag("is_undo")),
            "split": lambda: workspace.structure.split(message.index(), message.number("offset")),
            "merge": lambda: workspace.structure.merge(message.index()),
            "division_step": lambda: workspace.structure.step(message.number("step"), is_undo=message.flag("is_undo")),
            "add_term": lambda: workspace.glossaries.add_term(
                message.index(),
                message.text("source"),
                message.text("target"),
                message.choice("scope", get_args(Scope)),
            ),
            "remove_term": lambda: workspace.glossaries.remove_term(message.text("source"), message.text("target")),
            "choose_style": lambda: workspace.choose_style(message.style()),
            "directions": lambda: {
                "directions": targets_by_source(
                    self.sessions.models.directions(workspace, message.optional_text("model"))
                )
            },
            "models": lambda: {"models": self.sessions.models.offers(workspace)},
            "switch_model": lambda: self.sessions.models.switch(workspace, message.text("key")),
            "fetch_model": lambda: self.sessions.models.fetch(workspace, message.text("model").strip()),
            "stop_model": lambda: self.sessions.models.stop(workspace),
        }
        if name not in commands:
            raise CommandError(Message("There is no command {name!r}; reload the page.", name=name))
        result = commands[name]()
        reply = workspace.snapshot(*message.position())
        return {**reply, "result": result} if result is not None else reply

    def _switch(self, name: str, workspace: Workspace, message: PageMessage) -> Json:
        if name == "open_document":
            workspace = self.sessions.open_document(message.data("data"), message.text("file"))
        elif name == "open_sample":
            workspace = self.sessions.open_sample()
        elif name == "begin_anew":
            workspace = self.sessions.begin_anew(workspace, message.text("direction"), message.optional_text("model"))
        elif name == "delete_session":
            workspace = self.sessions.delete_session(workspace)
        else:
            workspace = self.sessions.go_on(message.number("session"))
        return self._whole(workspace, {"is_continued": name == "go_on"})

    def _whole(self, workspace: Workspace, result: Json) -> Json:
        first = workspace.first_to_do() if workspace.open_index is None else workspace.open_index
        offers = self.sessions.offers(besides=workspace)
        return {**workspace.snapshot(), "offers": offers, "result": {"open": first, **result}}
