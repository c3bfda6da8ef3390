"""The one page: a Gradio component whose script draws the workbench, and the functions that it calls.

The component's template is empty and static, and the script makes DOM from text nodes only: nothing that a document,
glossary or model says ever becomes HTML or JavaScript.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import gradio as gr
from fastapi.responses import Response

from app.ui.api import Api

STATIC_PATH = "pinpoint-static"
_SCRIPT = f"""
import(new URL('{STATIC_PATH}/main.js', document.baseURI).href)
  .then(module => module.mount(element.querySelector('.pinpoint'), server))
  .catch(error => {{ element.querySelector('.loading').textContent = 'Pinpoint could not start: ' + error.message; }});
"""
_TEMPLATE = """
<div class="pinpoint" lang="en"><p class="loading" role="status">Pinpoint is starting …</p></div>
"""
HEAD = f"""
<link rel="icon" type="image/svg+xml" href="{STATIC_PATH}/pinpoint.svg">
<link rel="apple-touch-icon" href="{STATIC_PATH}/icon-192.png">
<link rel="manifest" href="{STATIC_PATH}/manifest.webmanifest">
<meta name="theme-color" content="#4f66c4">
<link rel="stylesheet" href="{STATIC_PATH}/styles/icons.css">
<link rel="stylesheet" href="{STATIC_PATH}/styles/editor.css">
<link rel="stylesheet" href="{STATIC_PATH}/styles/report.css">
<link rel="stylesheet" href="{STATIC_PATH}/styles/glossary.css">
"""


def json_reply(content: dict[str, Any]) -> Response:
    """A response with the content as JSON. FastAPI would walk through it all first, on the thread of all connections.

    Everything but ASCII is escaped, so that half a surrogate pair sent by a browser comes back unchanged.
    """
    return Response(json.dumps(content, separators=(",", ":")), media_type="application/json")


def _functions(api: Api) -> list[Callable[..., Any]]:
    """The methods of the api as functions: Gradio sets an attribute on what it may call, which methods do not allow."""

    def hello(message: Any) -> Response:
        return json_reply(api.hello(message))

    def command(message: Any) -> Response:
        return json_reply(api.command(message))

    async def changes(message: Any) -> Response:
        return await asyncio.to_thread(json_reply, await api.changes(message))

    async def alternatives(message: Any) -> Response:
        return json_reply(await api.alternatives(message))

    async def completion(message: Any) -> Response:
        return json_reply(await api.completion(message))

    async def record(message: Any) -> Response:
        return json_reply(await api.record(message))

    async def glossary(message: Any) -> Response:
        return await asyncio.to_thread(lambda: json_reply(api.glossaries.ask(message)))

    return [hello, command, changes, alternatives, completion, record, glossary]


def build_page(api: Api) -> gr.Blocks:
    """The page; give it to `app.ui.server.build_server`."""
    with gr.Blocks(title="Pinpoint", analytics_enabled=False, fill_height=True) as page:
        # Not a subclass: Gradio writes a stub file beside the source of every component class.
        gr.HTML(
            value="",
            html_template=_TEMPLATE,
            js_on_load=_SCRIPT,
            apply_default_css=False,
            elem_id="workbench",
            server_functions=_functions(api),
        )
    return page
