"""The open workspaces, found by token, and closed when they have not been requested for some time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from app.access.actor import SYSTEM, Actor
from app.errors import LogError
from app.log.store import LogStore
from app.models.document_models import DocumentModels
from app.repeating import repeat
from app.workspace.commands import Workspace

IDLE_SECONDS = 30 * 60.0
MAX_OPEN = 30  # beyond these, a document is closed AWAY_SECONDS after its last request; an open page asks every 20
AWAY_SECONDS = 120.0
_LOOK_SECONDS = 60.0


class OpenWorkspaces:
    """All open workspaces, and the current one of each person, which a new tab shows. Thread-safe.

    Opening and closing a workspace takes seconds for a large document. It happens under `opening`, which only requests
    for the same session wait for; the lock of the whole is held for a look at a dictionary.
    """

    def __init__(self, store: LogStore, models: DocumentModels) -> None:
        """`models` are kept while an open document uses them."""
        self._lock = threading.Lock()
        self._store = store
        self._models = models
        self._by_token: dict[str, Workspace] = {}
        self._current: dict[str, str] = {}  # by person: the token of the workspace that a new tab shows
        self._last_used: dict[str, float] = {}  # time of each one's last request, on the monotonic clock
        self._opening: dict[int, _Opening] = {}  # by session
        self._is_closed = threading.Event()

    def start(self, also: Callable[[], object] = lambda: None) -> None:
        """Closes unused workspaces, in a separate thread until `close`; calls `also` as often, in another."""
        for job in (self.close_idle, also):
            repeat(job, _LOOK_SECONDS, self._is_closed, "idle documents")

    @contextmanager
    def opening(self, session_id: int, *, waits: bool = True) -> Iterator[bool]:
        """While a session is opened, closed or deleted, other threads that want to do so wait. Reentrant.

        Yields True; without `waits`, False at once if another thread is doing so. Take no other session's meanwhile.
        """
        with self._lock:
            opening = self._opening.setdefault(session_id, _Opening())
            opening.num_threads += 1
        is_acquired = opening.lock.acquire(blocking=waits)
        try:
            yield is_acquired
        finally:
            if is_acquired:
                opening.lock.release()
            with self._lock:
                opening.num_threads -= 1
                if not opening.num_threads:
                    del self._opening[session_id]

    def current_token(self, actor: Actor) -> str:
        """The token of the session that a new tab of this person shows; "" if there is none. It may be closed."""
        return self._current.get(actor.name, "")

    def is_shown(self, session_id: int) -> bool:
        """True if the session is the current one of any person."""
        opened = self.of_session(session_id)
        with self._lock:
            return opened is not None and opened.token in self._current.values()

    def all(self) -> list[Workspace]:
        """The workspaces that are open now."""
        with self._lock:
            return list(self._by_token.values())

    def asked_for(self, token: str) -> Workspace | None:
        """The workspace with this token, which is used by a request now; None if it is not open."""
        with self._lock:
            if token in self._by_token:
                self._last_used[token] = time.monotonic()
            return self._by_token.get(token)

    def of_session(self, session_id: int) -> Workspace | None:
        """The workspace of this session; None if it is not open."""
        return next((one for one in self.all() if one.session_id == session_id), None)

    def add(self, workspace: Workspace) -> None:
        """Keeps a new workspace and watches its model; closes idle ones first."""
        self.close_idle()
        with self._lock:
            self._by_token[workspace.token] = workspace
            self._last_used[workspace.token] = time.monotonic()
        self._models.watch(workspace.model_use)

    def show(self, actor: Actor, workspace: Workspace) -> Workspace:
        """Makes it the person's current workspace; suspends the one before if it is not current for others."""
        with self._lock:
            before = self._by_token.get(self.current_token(actor))
            self._current[actor.name] = workspace.token
            is_left = before is not None and before.token not in self._current.values()
        if before is not None and before is not workspace:
            before.presence.leave(actor)
        if before is not None and is_left:
            before.suspend()
        return workspace

    def forget(self, workspace: Workspace) -> None:
        """Closes a workspace and lets its model go, if no other document uses it."""
        with self.opening(workspace.session_id):
            self._take_out(workspace)
            with self._lock:
                self._current = {person: token for person, token in self._current.items() if token != workspace.token}
            self._end(workspace)

    def close_idle(self, idle_seconds: float = IDLE_SECONDS) -> int:
        """Closes workspaces without a request in that time, except the current one of the owner; returns how many.

        If more than MAX_OPEN are open, the least recently used ones are closed after AWAY_SECONDS. Their threads end
        and their memory is freed. A person who opens one again gets it from the log.
        """
        num_closed = 0
        for workspace in self._idle(idle_seconds):
            with self.opening(workspace.session_id, waits=False) as is_free:
                if is_free and workspace in self._idle(idle_seconds):  # nobody has asked for it meanwhile
                    self._take_out(workspace)
                    self._end(workspace)
                    self._log_close(workspace)
                    num_closed += 1
        return num_closed

    def _idle(self, idle_seconds: float) -> list[Workspace]:
        with self._lock:
            now = time.monotonic()
            by_age = sorted(self._last_used, key=self._last_used.__getitem__)  # the one used longest ago first
            beyond = by_age[: max(0, len(by_age) - MAX_OPEN)]
            idle = [
                self._by_token[token]
                for token in by_age
                if now - self._last_used[token]
                >= (min(AWAY_SECONDS, idle_seconds) if token in beyond else idle_seconds)
            ]
            return [workspace for workspace in idle if workspace.token != self._current.get("")]

    def close(self) -> None:
        """Ends every workspace; all that they hold is in the log already."""
        self._is_closed.set()
        for workspace in self.all():
            with self.opening(workspace.session_id):
                self._take_out(workspace)
                workspace.close()
                self._log_close(workspace)

    def _take_out(self, workspace: Workspace) -> None:
        with self._lock:
            self._by_token.pop(workspace.token, None)
            self._last_used.pop(workspace.token, None)

    def _end(self, workspace: Workspace) -> None:
        workspace.close()
        self._models.forget(workspace.model_use)

    def _log_close(self, workspace: Workspace) -> None:
        with suppress(LogError):  # a full disk must not keep the others open
            self._store.append(SYSTEM, workspace.session_id, "close", {})  # nobody works in it any more


@dataclass(slots=True)
class _Opening:
    """The lock of a session that is opened or closed, while `num_threads` threads use it."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    num_threads: int = 0
