"""The page's own files, sent from memory: the first page asks for them while the model is loaded."""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from starlette.responses import PlainTextResponse, Response

_VERSION = re.compile(r"^/v-[0-9a-f]{16}(?=/)")


class StaticFiles:
    """The files of a folder (an ASGI application), as they are when it is made, and others that were made of them.

    `/VERSION/name` is the same file as `/name`, and a browser keeps it without asking for changes. Relative addresses
    in a file lead to others of its version.

    Starlette's own class of this name asks other threads four times for each file, which took 5 ms.
    """

    def __init__(self, folder: Path, made: Mapping[str, str] = MappingProxyType({})) -> None:
        """`made` has the texts of the other files by name."""
        contents = {
            path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
        }
        contents |= {name: text.encode("utf-8") for name, text in made.items()}
        self._files: dict[str, tuple[bytes, dict[str, str]]] = {}
        for name, content in contents.items():
            mark = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
            headers = {"content-type": f"{kind}; charset=utf-8" if kind.startswith("text/") else kind, "etag": mark}
            self._files[f"/{name}"] = content, headers
        marks = sorted((name, headers["etag"]) for name, (_, headers) in self._files.items())
        self.version = f"v-{hashlib.sha256(repr(marks).encode()).hexdigest()[:16]}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request (ASGI)."""
        await self._answer(scope)(scope, receive, send)

    def _answer(self, scope: Any) -> Response:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        name = _VERSION.sub("", path)  # of any version: a page from before an update may still ask for a file
        if (found := self._files.get(name)) is None:
            return PlainTextResponse("Not found.", 404)
        content, headers = found
        if path == f"/{self.version}{name}":
            headers = {**headers, "cache-control": "public, max-age=31536000, immutable"}
        known = next((value for name, value in scope["headers"] if name == b"if-none-match"), b"").decode("latin-1")
        if headers["etag"] in known:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers)  # the server leaves out the content for HEAD
