"""The functions that the page calls: untrusted messages in, calls of the desk and its workspaces, plain JSON out.

Every message is a dict made by whoever can reach the server: types, ranges and lengths are checked here. Exceptions
become messages for a person in one place (`_answer`).
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import logging
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, get_args

from app.asking.questions import Questions
from app.checks import CHECKS, CheckName
from app.desk import Desk
from app.documents import Export
from app.editing.comments import set_comment
from app.editing.find_replace import Query
from app.editing.key_counts import log_keys
from app.editing.wide_terms import Scope
from app.errors import AppError, CommandError
from app.messages import Message, translated
from app.record.views import replay_view, report_view
from app.segments.constraint_changes import BanCase, ConstraintOrigin, one_line
from app.segments.text_changes import EditOrigin
from app.workspace import Workspace
from engine import Avoid, EngineError

Json = dict[str, Any]
HOLD_SECONDS = 20.0
_log = logging.getLogger("pinpoint")


class Api:
    """What the page's script can call. Stateless but for the desk; safe from several threads."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def hello(self, message: Any) -> Json:
        """A page has come up, with the token of the session that it showed before, or none."""

        def greet() -> Json:
            token = message.get("token") if isinstance(message, dict) else None
            workspace, result = self.desk.welcome(token if isinstance(token, str) else None)
            return self._whole(workspace, result)

        return _told(message, _answer(greet))

    def command(self, message: Any) -> Json:
        """Carries out one command; the reply acknowledges it: what it changed is stored."""
        return _told(message, _answer(lambda: self._carry_out(_Message(message))))

    async def changes(self, message: Any) -> Json:
        """What has changed since the page's version; waits for something, up to HOLD_SECONDS."""
        # Whatever may wait for a lock or for the disk does so in another thread: this one carries all connections.
        try:
            request = _Message(message)
            position = request.position()
            workspace = await asyncio.to_thread(self.desk.find, request.text("token"))
        except AppError as error:
            return _told(message, _failure(error))
        loop = asyncio.get_running_loop()
        news = asyncio.Event()

        def tell() -> None:
            with contextlib.suppress(RuntimeError):  # the server is closing: nobody waits any more
                loop.call_soon_threadsafe(news.set)

        end = await asyncio.to_thread(workspace.subscribe, tell)
        try:
            if not await asyncio.to_thread(workspace.has_news, *position):
                await asyncio.wait_for(news.wait(), HOLD_SECONDS)
                await asyncio.sleep(0.02)  # what changes together is told together
        except TimeoutError:
            pass
        finally:
            await asyncio.to_thread(end)
        return await asyncio.to_thread(lambda: _told(message, workspace.snapshot(*position)))

    async def alternatives(self, message: Any) -> Json:
        """Other words for one word of the proposal; says so where a newer question has overtaken this one."""

        def ask(request: _Message, questions: Questions) -> tuple[Any, Future[Any]]:
            return questions.ask_alternatives(request.index(), request.number("word"), request.text("text"))

        return _told(message, await self._question(message, ask, Questions.show_alternatives))

    async def completion(self, message: Any) -> Json:
        """How the open segment's text could go on; says so where a newer question has overtaken this one."""

        def ask(request: _Message, questions: Questions) -> tuple[Any, Future[Any]]:
            return questions.ask_completion(request.index(), request.text("text"))

        return _told(message, await self._question(message, ask, Questions.show_completion))

    async def record(self, message: Any) -> Json:
        """The open session's figures ("report") or all its moments ("replay")."""

        def view() -> Json:
            request = _Message(message)
            workspace = self.desk.find(request.text("token"))
            views = {"report": report_view, "replay": replay_view}
            made = views[request.choice("view", tuple(views))](workspace.store, workspace.session_id)
            return {"ok": True, "result": made}

        return await asyncio.to_thread(_answer, view)

    async def _question(
        self,
        message: Any,
        ask: Callable[[_Message, Questions], tuple[Any, Future[Any]]],
        show: Callable[[Questions, Any, Any], Json],
    ) -> Json:
        """Asks the model and waits without holding up anybody else."""
        try:
            request = _Message(message)
            questions = (await asyncio.to_thread(self.desk.find, request.text("token"))).questions
            asked, future = await asyncio.to_thread(ask, request, questions)
            found = await asyncio.wrap_future(future)
            if found is None:
                return {"ok": True, "is_overtaken": True}
            return {"ok": True, **await asyncio.to_thread(show, questions, asked, found)}
        except (AppError, EngineError) as error:
            return _failure(error)
        except Exception:
            return _mistake()

    def download(self, token: str, kind: str) -> Export:
        """A file to save: "document", or one of `app.desk.EXPORTS`."""
        return self.desk.export(self.desk.find(token), kind)

    def _carry_out(self, message: _Message) -> Json:
        name = message.text("name")
        workspace = self.desk.find(message.text("token"))
        try:
            return self._carry_out_in(workspace, name, message)
        except (AppError, EngineError) as error:
            workspace.log_error(name, str(error))
            raise

    def _carry_out_in(self, workspace: Workspace, name: str, message: _Message) -> Json:
        if name in ("open_document", "open_sample", "go_on", "delete_session"):
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
            "confirm": lambda: workspace.confirm(message.index(), message.text("text")),
            "comment": lambda: set_comment(workspace, message.index(), message.text("text")),
            "check": lambda: workspace.checking.show(message.index(), message.text("text")),
            "choose_checks": lambda: workspace.checking.choose(message.checks("off")),
            "matches": lambda: workspace.recall.matches(message.index()),
            "concordance": lambda: workspace.recall.concordance(message.text("words")),
            "import_memory": lambda: self.desk.library.import_tmx(
                message.data("data"), message.text("file"), workspace.direction
            ),
            "reopen": lambda: workspace.reopen(message.index()),
            "keys": lambda: log_keys(workspace, message.index(), message.counts("counts")),
            "pretranslate": lambda: workspace.pretranslate(message.flag("is_wanted")),
            "import_glossary": lambda: self.desk.import_glossary(workspace, message.data("data"), message.text("file")),
            "import_sample_glossary": lambda: self.desk.import_sample_glossary(workspace),
            "export_note": lambda: self.desk.export_note(workspace),
            "find": lambda: workspace.batches.find(message.query()),
            "replace": lambda: workspace.batches.replace(message.query(), message.optional_numbers("segments")),
            "step": lambda: workspace.batches.step(message.number("step"), is_undo=message.flag("is_undo")),
            "split": lambda: workspace.structure.split(message.index(), message.number("offset")),
            "merge": lambda: workspace.structure.merge(message.index()),
            "division_step": lambda: workspace.structure.step(message.number("step"), is_undo=message.flag("is_undo")),
            "add_term": lambda: workspace.add_term(
                message.index(),
                message.text("source"),
                message.text("target"),
                message.choice("scope", get_args(Scope)),
            ),
            "remove_term": lambda: workspace.remove_term(message.text("source"), message.text("target")),
            "models": lambda: {"models": self.desk.models.offers(workspace)},
            "switch_model": lambda: self.desk.models.switch(workspace, message.text("key")),
            "glossaries": workspace.glossaries.overview,
        }
        if name not in commands:
            raise CommandError(Message("There is no command {name!r}; reload the page.", name=name))
        result = commands[name]()
        reply = workspace.snapshot(*message.position())
        return {**reply, "result": result} if result is not None else reply

    def _switch(self, name: str, workspace: Workspace, message: _Message) -> Json:
        if name == "open_document":
            workspace = self.desk.open_document(message.data("data"), message.text("file"))
        elif name == "open_sample":
            workspace = self.desk.open_sample()
        elif name == "delete_session":
            workspace = self.desk.delete_session(workspace)
        else:
            workspace = self.desk.go_on(message.number("session"))
        return self._whole(workspace, {"is_continued": name == "go_on"})

    def _whole(self, workspace: Workspace, result: Json) -> Json:
        first = workspace.first_to_do() if workspace.open_index is None else workspace.open_index
        offers = self.desk.offers(besides=workspace)
        return {**workspace.snapshot(), "offers": offers, "result": {"open": first, **result}}


class _Message:
    """A message from the page, read with care: what is missing or of the wrong kind is refused."""

    def __init__(self, fields: Any) -> None:
        if not isinstance(fields, dict):
            raise CommandError(Message("The page sent a message that is no object; reload the page."))
        self.fields = fields

    def text(self, name: str) -> str:
        """A string."""
        return self._field(name, str)

    def optional_text(self, name: str) -> str | None:
        """A string or null."""
        return None if self.fields.get(name) is None else self.text(name)

    def number(self, name: str) -> int:
        """An integer."""
        value = self._field(name, int)
        if isinstance(value, bool):
            raise self._wrong(name)
        return value

    def optional_number(self, name: str) -> int | None:
        """An integer or null."""
        return None if self.fields.get(name) is None else self.number(name)

    def flag(self, name: str) -> bool:
        """True or false."""
        return self._field(name, bool)

    def index(self) -> int:
        """The number of a segment."""
        return self.number("segment")

    def choice(self, name: str, allowed: tuple[Any, ...]) -> Any:
        """One of the allowed strings."""
        value = self.text(name)
        if value not in allowed:
            raise self._wrong(name)
        return value

    def texts(self, name: str) -> list[str]:
        """A list of strings."""
        values = self._field(name, list)
        if not all(isinstance(value, str) for value in values):
            raise self._wrong(name)
        return values

    def optional_numbers(self, name: str) -> list[int] | None:
        """A list of integers, or null."""
        if self.fields.get(name) is None:
            return None
        values = self._field(name, list)
        if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            raise self._wrong(name)
        return values

    def counts(self, name: str) -> dict[str, int]:
        """An object of integers."""
        values = self._field(name, dict)
        if not all(isinstance(value, int) and not isinstance(value, bool) for value in values.values()):
            raise self._wrong(name)
        return values

    def query(self) -> Query:
        """What is to be found and replaced."""
        flags = (self.flag(name) for name in ("matches_case", "whole_words", "in_confirmed"))
        return Query(one_line(self.text("find")), one_line(self.text("replacement")), *flags)

    def bans(self, name: str) -> list[Avoid]:
        """A list of {"text", "case"}; blank ones are left out."""
        bans = []
        for value in self._field(name, list):
            ban = _Message(value)
            text, case = ban.text("text"), ban.choice("case", get_args(BanCase))
            if text.strip():
                bans.append(Avoid(text, case))
        return bans

    def checks(self, name: str) -> list[CheckName]:
        """A list of names of checks."""
        values = self.texts(name)
        if not set(values) <= set(CHECKS):
            raise self._wrong(name)
        return [check for check in CHECKS if check in values]

    def data(self, name: str) -> bytes:
        """A file's bytes, sent as base64."""
        try:
            return base64.b64decode(self.text(name), validate=True)
        except (binascii.Error, ValueError) as error:
            raise self._wrong(name) from error

    def position(self) -> tuple[int, int | None, int]:
        """What the page has: its version, the open segment, and that segment's stamp."""
        return self.number("since"), self.optional_number("open"), self.number("detail_since")

    def _field(self, name: str, kind: type) -> Any:
        value = self.fields.get(name)
        if not isinstance(value, kind):
            raise self._wrong(name)
        return value

    def _wrong(self, name: str) -> CommandError:
        return CommandError(Message("The page sent no usable {name!r}; reload the page.", name=name))


def _told(message: Any, reply: Json) -> Json:
    """The reply in the language that the page asked for; in English where it asked for none that there is."""
    language = message.get("language") if isinstance(message, dict) else None
    told: Json = translated(reply, language) if isinstance(language, str) else reply
    return told


def _answer(action: Callable[[], Json]) -> Json:
    try:
        return action()
    except (AppError, EngineError) as error:
        return _failure(error)
    except Exception:
        return _mistake()


def _mistake() -> Json:
    _log.exception("a command of the page failed")
    message = Message(
        "Something went wrong inside Pinpoint; the terminal it was started from says more. Nothing was changed."
    )
    return {"ok": False, "error": {"kind": "internal", "message": message}}


def _failure(error: Exception) -> Json:
    kind = getattr(error, "kind", type(error).__name__)
    return {"ok": False, "error": {"kind": kind, "message": error.args[0] if len(error.args) == 1 else str(error)}}
