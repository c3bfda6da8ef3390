"""The page's own files, sent from memory: the first page asks for 130 of them at once, while the model is loaded."""

from __future__ import annotations

import hashlib
import mimetypes
from pathlib import Path
from typing import Any

from starlette.responses import PlainTextResponse, Response


class StaticFiles:
    """The files of a folder (an ASGI application), as they are when it is made.

    Starlette's own class of this name asks other threads four times for each file, which took 5 ms.
    """

    def __init__(self, folder: Path) -> None:
        self._files: dict[str, tuple[bytes, dict[str, str]]] = {}
        for path in folder.rglob("*"):
            if path.is_file():
                content = path.read_bytes()
                mark = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
                kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
                headers = {"content-type": f"{kind}; charset=utf-8" if kind.startswith("text/") else kind, "etag": mark}
                self._files["/" + path.relative_to(folder).as_posix()] = content, headers

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request (ASGI)."""
        await self._answer(scope)(scope, receive, send)

    def _answer(self, scope: Any) -> Response:
        if (found := self._files.get(scope["path"].removeprefix(scope.get("root_path", "")))) is None:
            return PlainTextResponse("Not found.", 404)
        content, headers = found
        known = next((value for name, value in scope["headers"] if name == b"if-none-match"), b"").decode("latin-1")
        if headers["etag"] in known:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers)  # the server leaves out the content for HEAD
