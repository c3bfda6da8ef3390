"""The app in this process, with a real model or with a fake one whose replies the test gives.

An app in a process of its own takes five seconds of processor time to start, this one a quarter of a second.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import uvicorn

from app.log.store import LogStore
from app.models.loading import ModelHandle
from app.models.published_models import PublishedModels
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from app.ui.api import Api
from app.ui.server import bind, build_server
from app.ui.sign_in import SignIn

HOST = "127.0.0.1"
_ports = [0]  # the first is any free one, later servers have the same: the browser has its files in the cache


def loading(folder: Path) -> ModelHandle:
    """A model of a folder, with one thread, as in `app` without flags."""
    model = ModelHandle(folder)
    model.load_in_background(1)
    return model


@contextmanager
def serve(
    model: ModelHandle,
    folder: Path,
    published: PublishedModels | None = None,
    *,
    fills_from_memory: bool = True,
    on_start: Callable[[Sessions], object] = lambda _: None,
    sign_in: SignIn | None = None,
) -> Iterator[str]:
    """Runs an app with this model and a log in the folder, by default without signing in; yields its URL."""
    store = LogStore.open(folder / "log.sqlite")
    sessions = Sessions(store, model, SAMPLES_FOLDER, published=published, fills_from_memory=fills_from_memory)
    on_start(sessions)
    listener = bind(HOST, _ports[-1])
    port = listener.getsockname()[1]
    _ports.append(port)
    config = uvicorn.Config(build_server(Api(sessions), host=HOST, port=port, sign_in=sign_in), log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield f"http://{HOST}:{port}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join(60)
        assert not thread.is_alive(), "the server did not stop"
        for connection in server.server_state.connections:  # or the browser would send the next server's requests here
            with suppress(OSError):  # it is closed
                connection.transport.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        sessions.close()
        model.close()
        store.close()
