"""The one page: a Gradio component whose script draws the workbench, and the functions that it calls.

The component has no template, and the script makes DOM from text nodes only: nothing that a document, glossary or model
says ever becomes HTML or JavaScript.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from inspect import iscoroutinefunction
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from app.access.actor import Actor
from app.precedence import giving_way, short_command
from app.text.client_json import parsed_json
from app.ui.api import Api
from app.ui.component import ScriptedComponent
from app.ui.lean_gradio import gr
from app.ui.page_bundle import EDITOR_LIBRARY, SCRIPT_NAME, STYLES_NAME
from app.ui.sign_in import SignedIn

STATIC_PATH = "pinpoint-static"
# Where Gradio's script calls the functions of a component (with the slash), and other programs.
FUNCTION_PATHS = ("/gradio_api/component_server", "/gradio_api/component_server/")
ITEMS_AT_ONCE = 100  # of a list in a reply: encoding them takes a millisecond


class Workbench(ScriptedComponent):
    """The page, as a component without a value or events; its script calls the functions in `functions`."""

    def __init__(self, script: str, functions: Sequence[Callable[..., Any]]) -> None:
        super().__init__(script, elem_id="workbench")
        self.server_fns = list(functions)

    def get_config(self, cls: type[Any] | None = None) -> dict[str, Any]:
        """What the page gets."""
        return {**super().get_config(cls), "loading": "Pinpoint is starting …"}


# The files of the component, for which Gradio would print a line each.
COMPONENT_PATH = f"/gradio_api/custom_component/{Workbench.get_component_class_id()}/client/component"
_TO_ROOT = "../" * COMPONENT_PATH.count("/")


def head_of(folder: str) -> str:
    """The elements in the page's head; `folder` is the address of its files."""
    return f"""
<link rel="icon" type="image/svg+xml" href="{STATIC_PATH}/pinpoint.svg">
<link rel="apple-touch-icon" href="{STATIC_PATH}/icon-192.png">
<link rel="manifest" href="{STATIC_PATH}/manifest.webmanifest">
<meta name="theme-color" content="#4f66c4">
<link rel="stylesheet" href="{folder}/{STYLES_NAME}">
<link rel="modulepreload" href="{folder}/{SCRIPT_NAME}">
<link rel="modulepreload" href="{folder}/{EDITOR_LIBRARY}">
"""


def json_reply(content: dict[str, Any]) -> Response:
    """A response with the content as JSON. FastAPI would walk through it all first, on the thread of all connections.

    Everything but ASCII is escaped, so that half a surrogate pair sent by a browser comes back unchanged. The encoder
    stops all threads until it is done: the rows of a large document took 0.1 s, so they are encoded in portions.
    """
    fields = (f"{_encoded(name)}:{_encoded(value)}" for name, value in content.items())
    return Response(f"{{{','.join(fields)}}}", media_type="application/json")


def _encoded(value: Any) -> str:
    if not isinstance(value, list) or len(value) <= ITEMS_AT_ONCE:
        return json.dumps(value, separators=(",", ":"))
    portions = giving_way(value[first : first + ITEMS_AT_ONCE] for first in range(0, len(value), ITEMS_AT_ONCE))
    return f"[{','.join(json.dumps(portion, separators=(',', ':'))[1:-1] for portion in portions)}]"


def _functions(api: Api) -> list[Callable[..., Any]]:
    """The methods of the api as functions: Gradio sets an attribute on them, which methods do not allow.

    Each takes the actor, without whom Gradio's own address cannot call it.
    """

    def hello(actor: Actor, message: Any) -> Response:
        return json_reply(api.hello(actor, message))

    def command(actor: Actor, message: Any) -> Response:
        return json_reply(api.command(actor, message))

    async def changes(actor: Actor, message: Any) -> Response:
        return await asyncio.to_thread(json_reply, await api.changes(actor, message))

    async def alternatives(actor: Actor, message: Any) -> Response:
        return json_reply(await api.alternatives(actor, message))

    async def places(actor: Actor, message: Any) -> Response:
        return json_reply(await api.places(actor, message))

    async def completion(actor: Actor, message: Any) -> Response:
        return json_reply(await api.completion(actor, message))

    async def revision(actor: Actor, message: Any) -> Response:
        return json_reply(await api.revision(actor, message))

    async def record(actor: Actor, message: Any) -> Response:
        return json_reply(await api.record(actor, message))

    async def preview(actor: Actor, message: Any) -> Response:
        return await asyncio.to_thread(json_reply, await api.preview(actor, message))

    async def glossary(actor: Actor, message: Any) -> Response:
        return await asyncio.to_thread(lambda: json_reply(api.glossaries.ask(actor, message)))

    return [hello, command, changes, alternatives, places, completion, revision, record, preview, glossary]


def add_functions(app: FastAPI, api: Api) -> None:
    """Adds the address at which the page calls the functions, before that of Gradio.

    Gradio's own keeps a state for each of 10,000 `session_hash`, a text of any length that the caller chooses; it also
    writes the files of forms to the disk.
    """
    functions = {function.__name__: function for function in _functions(api)}

    @app.post(FUNCTION_PATHS[0])
    @app.post(FUNCTION_PATHS[1])
    async def call(request: Request, actor: SignedIn) -> Response:
        try:
            sent = await parsed_json(await request.body())
            function, message = functions[sent["fn_name"]], sent["data"]
        except ClientDisconnect:  # the page was left; raised, it would write 60 lines into the server's log
            return Response(status_code=400)
        except (ValueError, LookupError, TypeError):
            return PlainTextResponse("This is not a call of a function of the page.", 400)
        is_quick = iscoroutinefunction(function)
        with short_command() if sent["fn_name"] in ("hello", "command") else nullcontext():
            answer = function(actor, message) if is_quick else run_in_threadpool(function, actor, message)
            reply: Response = await answer
        return reply


def mount_page(app: FastAPI, api: Api, version: str, *, host: str, port: int, max_file_bytes: int) -> None:
    """Adds the page to the web application, at its root. `version` is that of its `StaticFiles`."""
    folder = f"{STATIC_PATH}/{version}"
    gr.mount_gradio_app(
        app,
        _build_page(api, folder),
        path="/",
        server_name=host,
        server_port=port,
        head=head_of(folder),
        footer_links=[],
        run_history=False,
        show_error=False,
        enable_monitoring=False,
        ssr_mode=False,
        pwa=False,
        mcp_server=False,
        max_file_size=max_file_bytes,
        theme=gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]),
    )


class _NoApp:
    """Instead of Gradio's web application, which a page makes three times, and of which it serves the last.

    Making one takes 50 ms of processor time. Gradio has no setting for it.
    """

    @staticmethod
    def create_app(*_: object, **__: object) -> None:
        """Makes none."""


@contextmanager
def _without_apps() -> Iterator[None]:
    """Pages that are built in it make no web application of their own: `mount_page` makes it."""
    names = vars(gr.blocks)
    real, names["App"] = names["App"], _NoApp
    try:
        yield
    finally:
        names["App"] = real


class _Page(gr.Blocks):
    """A page whose events never wait in Gradio's queue: it has none, and the server answers its functions itself."""

    def run_startup_events(self) -> None:
        """Does not start the queue, which looks for work 1,000 times a second: 5 % of a processor."""


def _build_page(api: Api, folder: str) -> gr.Blocks:
    with _without_apps(), _Page(title="Pinpoint", analytics_enabled=False, fill_height=True) as page:
        Workbench(f"{_TO_ROOT}{folder}/{SCRIPT_NAME}", _functions(api))
    return page
