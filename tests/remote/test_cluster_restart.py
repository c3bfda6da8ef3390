"""An app outlives its Ray cluster: it says that nobody translates, and goes on with the next cluster."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.paths import MODEL_FOLDER
from app.serving.keys import ApiFile
from tests.e2e.conftest import App

pytestmark = pytest.mark.server

ROOT = Path(__file__).resolve().parents[2]
# Ray ends a process that has not reached its cluster for 60 seconds; the app must not be that process.
OUTAGE_SECONDS = 70
PATIENCE_SECONDS = 600  # for a busy machine; on a quiet one, the longest step takes 15


class Cluster:
    """A Ray cluster of its own on this machine, which asks for a token, with one copy of the bundled model."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.environment = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": "0123456789abcdef" * 4,
            "RAY_ADDRESS": f"127.0.0.1:{self.port}",
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # or Ray replaces this address by the machine's outer one
            "PYTHONPATH": str(ROOT),
        }
        self._folder = folder
        self._process: psutil.Popen | None = None

    def start(self) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
        command = [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start", "--head", "--block"]
        command += ["--node-ip-address=127.0.0.1", f"--port={self.port}", f"--temp-dir={self._folder}"]
        command += ["--num-cpus=1", "--include-dashboard=false", f"--object-store-memory={200 * 2**20}"]
        self._process = psutil.Popen(
            command,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )
        until(self._is_reached)

    def serve_model(self) -> None:
        """Tries until it succeeds: the port of a cluster is open for seconds before the cluster answers."""
        command = [sys.executable, "-m", "app", "serve"]
        until(lambda: subprocess.run(command, check=False, cwd=ROOT, timeout=PATIENCE_SECONDS).returncode == 0)

    def stop(self) -> None:
        """Ends the processes of the cluster, as `ray stop` does with all of this machine."""
        if self._process is None or not self._process.is_running():
            return
        processes = [self._process, *self._process.children(recursive=True)]
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        for process in psutil.wait_procs(processes, 10)[1]:
            process.kill()
        until(lambda: not self._is_reached())

    def _is_reached(self) -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", self.port)) == 0


def until(claim: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < end
        time.sleep(0.2)


def fetch(request: urllib.request.Request | str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    pytest.importorskip("ray")
    cluster = Cluster(tmp_path_factory.mktemp("ray"))
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    yield cluster
    cluster.stop()


def test_app_translates_again_with_the_next_cluster(cluster: Cluster, tmp_path: Path) -> None:
    log = tmp_path / "sessions.sqlite"
    keys = ApiFile.beside(log)
    _, key = keys.create("Program")
    keys.close()
    cluster.start()
    cluster.serve_model()
    app = App(MODEL_FOLDER, log, "--engine", "ray", "--api", "--no-auth")

    def translate(text: str) -> tuple[int, Any]:
        body = json.dumps({"target": "de", "texts": [{"text": text}]}).encode()
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        return fetch(urllib.request.Request(f"{app.url}/api/v1/translate", body, headers))

    def health() -> tuple[int, str]:
        status, answer = fetch(f"{app.url}/healthz")
        return status, answer["status"]

    try:
        until(lambda: health() == (200, "ok"))
        status, before = translate("Open the file.")
        assert status == 200
        cluster.stop()
        stopped_at = time.monotonic()
        until(lambda: health() == (503, "stuck"))
        status, answer = translate("Open the file.")
        assert status == 503
        assert "The translation servers cannot be reached" in json.dumps(answer)
        time.sleep(max(0.0, stopped_at + OUTAGE_SECONDS - time.monotonic()))
        assert health() == (503, "stuck")
        cluster.start()
        cluster.serve_model()
        until(lambda: health() == (200, "ok"))
        assert translate("Open the file.") == (200, before)
        assert app.process.poll() is None
    finally:
        app.stop()
