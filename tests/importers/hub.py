"""A hub on this machine's loopback: the few answers that fetching a model asks for."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from huggingface_hub import constants

REVISION = "0" * 39 + "1"


class Hub:
    """Serves the files of one folder as the model `hub_id`; `fetched` lists what was asked for.

    The bytes of the file named `held` come once `release` is set. After half of the file named `cut`, the connection
    ends. `checksums` are those that are published instead of the files' own, `sizes` the sizes. `starts` has the first
    byte of each GET.
    """

    def __init__(self, folder: Path, hub_id: str) -> None:
        self.folder, self.hub_id = folder, hub_id
        self.fetched: list[str] = []
        self.checksums: dict[str, str] = {}
        self.licence = "apache-2.0"
        self.is_down = False
        self.held = self.cut = ""
        self.sizes: dict[str, int] = {}
        self.starts: list[int] = []
        self.release = threading.Event()
        self.url = ""

    def answer(self, method: str, path: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body."""
        path = path.partition("?")[0]
        if self.is_down:
            return 503, {}, b""
        names = sorted(file.name for file in self.folder.iterdir())
        if path == f"/api/models/{self.hub_id}/revision/main":
            siblings = [{"rfilename": name} for name in names]
            info = {"id": self.hub_id, "modelId": self.hub_id, "sha": REVISION, "siblings": siblings}
            return 200, {"Content-Type": "application/json"}, json.dumps(info).encode()
        if path == f"/api/models/{self.hub_id}":  # with the sizes of the files
            described = [self._described(name) for name in names]
            info = {"id": self.hub_id, "sha": REVISION, "siblings": described, "cardData": {"license": self.licence}}
            return 200, {"Content-Type": "application/json"}, json.dumps(info).encode()
        if path.startswith(f"/api/models/{self.hub_id}/tree/"):
            entries = [
                {"type": "file", "path": name, "size": (self.folder / name).stat().st_size, "oid": "0" * 40}
                for name in names
            ]
            return 200, {"Content-Type": "application/json"}, json.dumps(entries).encode()
        name = path.rpartition("/")[2]
        if path.startswith(f"/{self.hub_id}/resolve/") and name in names:
            data = (self.folder / name).read_bytes()
            if method == "GET":
                self.fetched.append(name)
            etag = hashlib.sha1(data).hexdigest()
            return 200, {"ETag": f'"{etag}"', "X-Repo-Commit": REVISION}, data
        return 404, {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"}, b""

    def _described(self, name: str) -> dict[str, object]:
        data = (self.folder / name).read_bytes()
        described: dict[str, object] = {"rfilename": name, "size": self.sizes.get(name, len(data)), "blobId": "0" * 40}
        if name.endswith((".safetensors", ".gguf")):
            checksum = self.checksums.get(name) or hashlib.sha256(data).hexdigest()
            described["lfs"] = {"size": len(data), "sha256": checksum, "pointerSize": 134}
        return described


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """The hub while it answers."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer("GET")

        def do_HEAD(self) -> None:
            self._answer("HEAD")

        def _answer(self, method: str) -> None:
            status, headers, body = hub.answer(method, self.path)
            start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").partition("-")[0])
            if status == 200 and start:
                status, headers = 206, {**headers, "Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"}
                body = body[start:]
            if method == "GET" and "/resolve/" in self.path:
                hub.starts.append(start)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if method == "GET":
                if hub.held and self.path.endswith(f"/{hub.held}"):
                    hub.release.wait(60)
                is_cut = bool(hub.cut) and self.path.endswith(f"/{hub.cut}")
                self.wfile.write(body[: len(body) // 2] if is_cut else body)
                self.close_connection = self.close_connection or is_cut

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()


def use(hub: Hub, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes huggingface_hub fetch from this hub, with its cache in this folder.

    It reads the variables HF_ENDPOINT and HF_HOME only when it is imported.
    """
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", hub.url + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
