"""The one page: a Gradio component whose script draws the workbench, and the functions that it calls.

The component's template is empty and static, and the script makes DOM from text nodes only: nothing that a document,
glossary or model says ever becomes HTML or JavaScript.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from inspect import iscoroutinefunction
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from app.access.actor import Actor
from app.lean_imports import imported_when_used
from app.precedence import short_command
from app.text.client_json import parsed_json
from app.ui.api import Api
from app.ui.sign_in import SignedIn


class _WithoutStubFiles(SourceFileLoader):
    """Imports a module of Gradio that renders a stub file (.pyi) of each of 81 components at each start.

    That takes half of the time to import Gradio (1.8 of 3.6 s of processor time), and nothing reads the files.
    """

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """The module with this loader; None for any other module (a finder of `sys.meta_path`)."""
        found = PathFinder.find_spec(name, path) if name == "gradio.component_meta" else None
        if found is None or found.origin is None:
            return None
        return spec_from_file_location(name, found.origin, loader=cls(name, found.origin))

    def exec_module(self, module: Any) -> None:
        """Runs the module, then replaces its function that writes stub files."""
        super().exec_module(module)
        module.create_or_modify_pyi = lambda *_: None


sys.meta_path.insert(0, _WithoutStubFiles)
with imported_when_used("pandas"):  # 32 MB, for tables that the page does not have
    import gradio as gr
    from gradio import blocks

sys.meta_path.remove(_WithoutStubFiles)

STATIC_PATH = "pinpoint-static"
# Where Gradio's script calls the functions of a component (with the slash), and other programs.
FUNCTION_PATHS = ("/gradio_api/component_server", "/gradio_api/component_server/")
QUEUE_SLEEP_SECONDS = 1.0
ITEMS_AT_ONCE = 500  # of a list in a reply
_STYLES = ("icons", "editor", "pages", "report", "glossary", "projects")
_TEMPLATE = """
<div class="pinpoint" lang="en"><p class="loading" role="status">Pinpoint is starting …</p></div>
"""


def script_of(folder: str) -> str:
    """Starts the page; `folder` is the address of its scripts."""
    return f"""
import(new URL('{folder}/main.js', document.baseURI).href)
  .then(module => module.mount(element.querySelector('.pinpoint'), server))
  .catch(error => {{ element.querySelector('.loading').textContent = 'Pinpoint could not start: ' + error.message; }});
"""


def head_of(folder: str) -> str:
    """The elements in the page's head; `folder` is the address of its styles."""
    styles = "\n".join(f'<link rel="stylesheet" href="{folder}/styles/{name}.css">' for name in _STYLES)
    return f"""
<link rel="icon" type="image/svg+xml" href="{STATIC_PATH}/pinpoint.svg">
<link rel="apple-touch-icon" href="{STATIC_PATH}/icon-192.png">
<link rel="manifest" href="{STATIC_PATH}/manifest.webmanifest">
<meta name="theme-color" content="#4f66c4">
{styles}
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
    portions = (value[first : first + ITEMS_AT_ONCE] for first in range(0, len(value), ITEMS_AT_ONCE))
    return f"[{','.join(json.dumps(portion, separators=(',', ':'))[1:-1] for portion in portions)}]"


def _functions(api: Api) -> list[Callable[..., Any]]:
    """The methods of the api as functions: Gradio sets an attribute on them, which methods do not allow.

    Each takes the actor, without whom Gradio's own address cannot call it.
    """

    def hello(actor: Actor, message: Any) -> Response:
        return json_reply(api.hello(actor, message))

    def command(actor: Actor, message: Any) -> Response:
        with short_command():
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

    Making one takes 50 ms of processor time.
    """

    @staticmethod
    def create_app(*_: object, **__: object) -> None:
        """Makes none."""


@contextmanager
def _without_apps() -> Iterator[None]:
    """Pages that are built in it make no web application of their own: `mount_page` makes it."""
    names = vars(blocks)
    real, names["App"] = names["App"], _NoApp
    try:
        yield
    finally:
        names["App"] = real


def _build_page(api: Api, folder: str) -> gr.Blocks:
    with _without_apps(), gr.Blocks(title="Pinpoint", analytics_enabled=False, fill_height=True) as page:
        # Not a subclass: Gradio writes a stub file beside the source of every component class.
        gr.HTML(
            value="",
            html_template=_TEMPLATE,
            js_on_load=script_of(folder),
            apply_default_css=False,
            elem_id="workbench",
            server_functions=_functions(api),
        )
    # Nothing is ever in Gradio's queue, which looks for work 1,000 times a second: 5 % of a processor.
    page._queue.sleep_when_free = QUEUE_SLEEP_SECONDS
    return page
