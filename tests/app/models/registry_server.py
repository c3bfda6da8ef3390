"""A registry of models on this machine's loopback, in the format of Mozilla's, with servers' usual misbehaviour."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LIST = "/mirror/db/models.json"
MODEL = b"not a real model, but checked like one " * 5_000
VOCABULARY = b"pieces " * 500


class Registry:
    """Serves a list of models and their files, packed with gzip; `requests` lists the paths and Range headers.

    Faults: `missing` paths answer 404, `is_down` answers 503 to everything. A file in `cut_at` breaks off after so many
    bytes, as often as `num_cuts` says. The rest of a file in `held` comes once `release` is set.
    """

    def __init__(self) -> None:
        self.entries: dict[str, list[dict[str, Any]]] = {}
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, str]] = []
        self.missing: set[str] = set()
        self.is_down = False
        self.cut_at: dict[str, int] = {}
        self.num_cuts = 1
        self.held = ""
        self.release = threading.Event()
        self.has_validators = True
        self.raw_list: bytes | None = None
        self.url = ""

    @property
    def address(self) -> str:
        return self.url + LIST

    def publish(
        self,
        direction: str = "en-pt",
        architecture: str = "tiny",
        model: bytes = MODEL,
        vocabulary: bytes = VOCABULARY,
        *,
        status: str | None = "Release",
        **more: Any,
    ) -> dict[str, Any]:
        """Adds a model; the entry of the list can be changed afterwards."""
        source, target = direction.split("-")
        pair = source + target
        folder = f"models/{direction}/{architecture}/exported"
        files: dict[str, dict[str, Any]] = {}
        for kind, name, data in (
            ("lexicalShortlist", f"lex.50.50.{pair}.s2t.bin", b"lex"),
            ("model", f"model.{pair}.intgemm.alphas.bin", model),
            ("vocab", f"vocab.{pair}.spm", vocabulary),
        ):
            path = f"{folder}/{name}.gz"
            self.files["/mirror/" + path] = gzip.compress(data, mtime=0)
            files[kind] = {"path": path}
        files["model"] |= {"uncompressedSize": len(model), "uncompressedHash": hashlib.sha256(model).hexdigest()}
        entry: dict[str, Any] = {
            "architecture": architecture,
            "releaseStatus": status,
            "sourceLanguage": source,
            "targetLanguage": target,
            "files": files,
            "modelStatistics": {"parameters": 17_000_000},
            "metrics": {"flores200-plus": {"bleu": 46.2, "chrf": 69.1, "comet": 0.88}},
            **more,
        }
        self.entries.setdefault(direction, []).append(entry)
        return entry

    def path_of(self, entry: dict[str, Any], kind: str = "model") -> str:
        return f"/mirror/{entry['files'][kind]['path']}"

    def body(self, path: str) -> bytes | None:
        if path == LIST:
            found = {"generated": "2026-01-01", "baseUrl": "https://elsewhere.invalid/bucket", "models": self.entries}
            return json.dumps(found).encode() if self.raw_list is None else self.raw_list
        return None if path in self.missing else self.files.get(path)


@contextmanager
def serving(registry: Registry) -> Iterator[Registry]:
    """The registry while it answers."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            registry.requests.append((self.path, wanted))
            data = registry.body(self.path)
            if registry.is_down or data is None:
                self.send_error(503 if registry.is_down else 404)
                return
            etag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
            start = 0
            if wanted and self.headers.get("If-Range") == etag:
                found = re.fullmatch(r"bytes=(\d+)-", wanted)
                assert found
                start = int(found[1])
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(data) - start))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            if registry.has_validators:
                self.send_header("ETag", etag)
            self.end_headers()
            rest = data[start:]
            if self.path in registry.cut_at and registry.num_cuts > 0:
                registry.num_cuts -= 1
                self.wfile.write(rest[: registry.cut_at[self.path]])
                self.close_connection = True
                return
            if self.path == registry.held:
                half = len(rest) // 2
                self.wfile.write(rest[:half])
                self.wfile.flush()
                registry.release.wait(60)
                rest = rest[half:]
            try:
                self.wfile.write(rest)
            except OSError:  # the client has cancelled
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    registry.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield registry
    finally:
        registry.release.set()
        server.shutdown()
        server.server_close()
