"""Every command, route and background job has an authority: the tests find them, so that a new one without it fails.

What an actor of another project is refused is in `tests.app.test_membership`, for all of them as well.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from app.access.actor import OWNER, SYSTEM, Actor
from app.log.event_chain import EventChain
from app.segments.segment_constraints import Constraints
from app.ui.account import PROVIDER_PATHS
from app.ui.api import Api
from app.ui.commands import COMMANDS
from app.ui.commands.command import SessionCommand
from app.ui.page import COMPONENT_PATH, _functions
from app.ui.server import PUBLIC_ROUTES
from app.ui.sign_in import signed_in
from tests.app.hand_decoder import HandDecoder, ready_model, settle
from tests.app.test_membership import ANA, Office, filled, messages, office, sessions
from tests.app.test_people import URL

__all__ = ["office", "sessions"]

APP = Path(__file__).resolve().parents[3] / "app"
NOBODY: Any = None
# Background work that nobody asked for, by the function that does it.
SYSTEM_WORK = {
    "app/serving/webhooks.py Webhooks._collect",
    "app/models/document_models.py DocumentModels._use_first",
    "app/models/document_models.py DocumentModels.continue_download",
    "app/sessions/open_workspaces.py OpenWorkspaces._log_close",
    "app/workspace/decoding.py DecodeQueue._ask_again_if_outdated",
    "app/workspace/decoding.py DecodeQueue._fill",
    "app/workspace/decoding.py DecodeQueue._pump",
    "app/workspace/decoding.py DecodeQueue._take",
    "app/workspace/decoding.py DecodeQueue.translate_after_learning",
    "app/workspace/model_use.py ModelUse._on_model",
    "app/workspace/model_use.py ModelUse.log_start_model",
    "app/workspace/pricing.py PriceRequests._take",
}
# Where threads begin, and for whom they work. "nobody": they neither read nor write what belongs to a project.
THREADS = {
    "app/__main__.py _serve": "nobody",  # opens the browser
    "app/collector.py IdleCollector.begin": "nobody",  # collects garbage while nobody waits
    "app/ending.py Ending.__enter__": "nobody",  # ends the process in time
    "app/ending.py Ending._watch": "nobody",
    "app/models/loading.py ModelHandle.load_in_background": "the actor who chose the model, or SYSTEM",
    "app/models/watchdog.py Watchdog.start": "nobody",
    "app/reading/separate_reader.py SeparateReader._conversation": "nobody",  # the time limit of a file
    "app/repeating.py do_once": "its callers",
    "app/repeating.py repeat": "its callers",
    "app/serving/webhooks.py Webhooks.start": "SYSTEM",  # reads what happened, for the administrator's webhooks
    "app/sessions/open_workspaces.py OpenWorkspaces.start": "SYSTEM",  # closes idle documents
    "app/sessions/workspace_opener.py WorkspaceOpener._resume": "nobody",  # checks the hashes of a long log
    "app/tracing.py Tracing.close": "nobody",  # sends the last spans
    "app/workspace/core.py AnswerThread.__init__": "SYSTEM",  # stores answers of the model
    "app/workspace/decoding.py DecodeQueue.__init__": "SYSTEM",  # fills segments from the memory
    "app/workspace/glossary_imports.py GlossaryImports._check_on": "nobody",  # checks the spelling of new terms
    "app/workspace/match_rates.py MatchRates.__init__": "nobody",  # figures in the list of segments
    "app/workspace/turns.py _Pool.submit": "its callers",
}
STARTS = {"Thread", "Timer", "ThreadPoolExecutor", "Turns", "repeat", "do_once", "start_new_thread"}
# What the page's server has besides its routes: its scripts, two of Gradio's component, and Gradio's page, of which
# `_is_used` closes the rest.
MOUNTED = {"", "/pinpoint-static", COMPONENT_PATH}
# Of the HTTP API: clients of LibreTranslate and Apertium ask for lists of languages without a key.
API_WITHOUT_KEY = {"/languages", "/listPairs", "/list", "/listLanguageNames"}


@cache
def trees() -> list[tuple[str, ast.Module]]:
    return [
        (path.relative_to(APP.parent).as_posix(), ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(APP.rglob("*.py"))
    ]


@pytest.fixture(scope="module", autouse=True)
def forgotten_trees() -> Iterator[None]:
    """The trees take 200 MB."""
    yield
    trees.cache_clear()


def places(is_wanted: Callable[[ast.AST], bool]) -> set[str]:
    """The functions of the app with a node that is wanted: "file Class.function"."""
    found: set[str] = set()

    def visit(node: ast.AST, file: str, names: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            is_named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            inner = (*names, child.name) if is_named else names  # type: ignore[attr-defined]
            if is_wanted(child) and names:
                found.add(f"{file} {'.'.join(names)}")
            visit(child, file, inner)

    for file, tree in trees():
        visit(tree, file, ())
    return found


def owner_of(node: ast.AST) -> str:
    """The first name of "Actor.signed_in"."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def name_called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


# What follows a request without being passed on: whether it has written, whether it is short; never who acts.
AMBIENT = {
    "app/log/connection.py": "ContextVar[Written | None]",
    "app/precedence.py": "ContextVar[_Command | None]",
}


def test_no_actor_is_a_default_or_ambient():
    wrong = []
    for file, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = node.args.args[len(node.args.args) - len(node.args.defaults) :]
                named = [
                    one for one, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if default
                ]
                wrong += [f"{file} {node.name}" for one in (*given, *named) if one.arg == "actor"]
            if isinstance(node, ast.Import | ast.ImportFrom) and "contextvars" in ast.unparse(node):
                wrong += [file] if file not in AMBIENT else []
            if isinstance(node, ast.AnnAssign) and "ContextVar" in ast.unparse(node.annotation):
                wrong += [] if ast.unparse(node.annotation) == AMBIENT.get(file) else [f"{file} {ast.unparse(node)}"]
    assert wrong == []


def test_actors_are_made_only_where_requests_come_in():
    owners = places(lambda node: isinstance(node, ast.Name) and node.id == "OWNER")
    doors = ("app/cli/", "app/__main__.py", "app/access/")
    assert owners and [place for place in owners if not place.startswith(doors)] == []
    made = places(lambda node: isinstance(node, ast.Call) and owner_of(node.func) == "Actor")
    assert made == {"app/serving/admission.py Caller.actor", "app/ui/server.py Doors.__call__"}


def test_background_work_that_nobody_asked_for_is_known():
    assert places(lambda node: isinstance(node, ast.Name) and node.id == "SYSTEM") == SYSTEM_WORK


def test_every_thread_has_somebody_for_whom_it_works():
    assert places(lambda node: name_called(node) in STARTS) == THREADS.keys()


def is_refused(work: Callable[[], Any]) -> bool:
    """True if work raises TypeError, or replies that it failed in the server."""
    try:
        reply = work()
        reply = asyncio.run(reply) if inspect.iscoroutine(reply) else reply
    except TypeError:
        return True
    return not reply["ok"] and reply["error"]["kind"] == "internal"


def test_every_command_needs_an_actor(office: Office):
    for name, command in COMMANDS.items():
        run = command.switch if issubclass(command, SessionCommand) else command.run
        parameters = list(inspect.signature(run).parameters.values())
        assert parameters[1].name == "actor" and parameters[1].default is inspect.Parameter.empty, name
    api, before = Api(office.sessions), office.everything()
    asked = set()
    for function, message in messages(office, office.workspace.token):
        call = api.command if function == "command" else api.glossaries.ask
        assert is_refused(lambda: call(NOBODY, message)), message  # noqa: B023
        asked.add(message.get("name") or message.get("ask"))
    assert asked >= COMMANDS.keys() and office.everything() == before


def test_every_function_of_the_page_needs_an_actor(office: Office):
    token, position = office.workspace.token, {"since": -1, "open": 0, "detail_since": -1}
    for function in _functions(Api(office.sessions)):
        message = {"token": token, "language": "en", "name": "leave", "segment": 0, **position}
        assert next(iter(inspect.signature(function).parameters)) == "actor", function.__name__
        with pytest.raises(TypeError, match="positional argument"):  # as Gradio's own address would call it
            function(message)
    for view in ("report", "replay"):
        api = Api(office.sessions)
        assert is_refused(lambda: api.record(NOBODY, {"token": token, "view": view, "language": "en"}))  # noqa: B023


def test_every_route_of_the_page_needs_somebody_who_is_signed_in(office: Office):
    inner = office.page.app
    routes = [route for route in inner.routes if isinstance(route, APIRoute)]
    assert {route.path for route in inner.routes if not isinstance(route, APIRoute)} == MOUNTED
    assert len(routes) > 10 and {route.path for route in routes} > PUBLIC_ROUTES - PROVIDER_PATHS
    browser = TestClient(office.front, base_url=URL, client=("127.0.0.1", 50_000))
    without_door = TestClient(inner, base_url=URL, raise_server_exceptions=False)
    for route in routes:
        if route.path in PUBLIC_ROUTES:
            continue
        assert signed_in in [each.call for each in route.dependant.dependencies], route.path
        (path,) = filled([route.path], {})
        for method in route.methods:
            assert browser.request(method, path, content=b"").status_code in (401, 404), (method, path)
            assert without_door.request(method, path, content=b"").status_code == 500, (method, path)


def test_every_route_of_the_api_needs_a_key(office: Office):
    program = TestClient(office.front, base_url=URL, client=("127.0.0.1", 50_000))
    found = api_routes(office.front.api.routes)
    assert len(found) > 50 and {path for _, path in found} > API_WITHOUT_KEY
    for method, path in found:
        status = program.request(method, path.replace("{number}", "1").replace("{kind}", "log.jsonl")).status_code
        assert (status in (401, 403)) == (path not in API_WITHOUT_KEY), (method, path, status)


def api_routes(given: Any) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for route in given:
        inner = getattr(route, "routes", None) or getattr(getattr(route, "original_router", None), "routes", None)
        if inner:
            found += api_routes(inner)
        elif isinstance(route, APIRoute):
            found += [(method, route.path) for method in sorted(route.methods)]
    return found


def test_threads_write_to_the_log_as_the_app_and_commands_as_their_person(
    office: Office, monkeypatch: pytest.MonkeyPatch
):
    written: list[tuple[bool, str, Actor]] = []
    append = EventChain.append

    def noted(chain: EventChain, actor: Actor, session_id: int, event_type: Any, *rest: Any) -> int:
        written.append((threading.current_thread() is threading.main_thread(), event_type, actor))
        return append(chain, actor, session_id, event_type, *rest)

    monkeypatch.setattr(EventChain, "append", noted)
    decoder = HandDecoder()
    office.sessions.models.first = office.sessions.opener._models.first = ready_model(decoder)
    workspace = office.sessions.open_document(ANA, b"One.\nTwo.\n", "two.txt")
    workspace.open(ANA, 0)
    workspace.constrain(ANA, 0, Constraints(pins=("Eins",)))
    decoder.answer_all()
    settle(workspace)
    workspace.confirm(ANA, 0, "Eins.")
    office.sessions.workspaces.close_idle(0.0)
    of_commands = {kind: actor for is_main, kind, actor in written if is_main}
    assert {of_commands[kind] for kind in ("open", "focus", "pin", "confirm")} == {ANA}
    assert of_commands["close"] == SYSTEM
    in_threads = [(kind, actor) for is_main, kind, actor in written if not is_main]
    assert "decode_result" in [kind for kind, _ in in_threads]
    assert {actor for _, actor in in_threads} == {SYSTEM}
    assert OWNER not in [actor for _, _, actor in written]
