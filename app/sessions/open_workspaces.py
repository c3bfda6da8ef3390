"""The open workspaces, found by token, and closed when they have not been requested for some time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from app.errors import LogError
from app.log.roles import PERSON
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

    `lock` is for those who need several calls without a change between them.
    """

    def __init__(self, store: LogStore, models: DocumentModels) -> None:
        """`models` are kept while an open document uses them."""
        self.lock = threading.RLock()
        self._store = store
        self._models = models
        self._by_token: dict[str, Workspace] = {}
        self._current: dict[str, str] = {}  # by person: the token of the workspace that a new tab shows
        self._last_used: dict[str, float] = {}  # time of each one's last request, on the monotonic clock
        self._is_closed = threading.Event()

    def start(self, also: Callable[[], object] = lambda: None) -> None:
        """Closes unused workspaces, in a separate thread until `close`; calls `also` as often, in another."""
        for job in (self.close_idle, also):
            repeat(job, _LOOK_SECONDS, self._is_closed, "idle documents")

    @property
    def current_token(self) -> str:
        """The token of the session that a new tab of this person shows; "" if there is none. It may be closed."""
        return self._current.get(PERSON.get(), "")

    def is_shown(self, session_id: int) -> bool:
        """True if the session is the current one of any person."""
        opened = self.of_session(session_id)
        return opened is not None and opened.token in self._current.values()

    def all(self) -> list[Workspace]:
        """The workspaces that are open now."""
        with self.lock:
            return list(self._by_token.values())

    def asked_for(self, token: str) -> Workspace | None:
        """The workspace with this token, which is used by a request now; None if it is not open."""
        with self.lock:
            if token in self._by_token:
                self._last_used[token] = time.monotonic()
            return self._by_token.get(token)

    def of_session(self, session_id: int) -> Workspace | None:
        """The workspace of this session; None if it is not open."""
        return next((one for one in self.all() if one.session_id == session_id), None)

    def add(self, workspace: Workspace) -> None:
        """Keeps a new workspace and watches its model; closes idle ones first."""
        with self.lock:
            self.close_idle()
            self._by_token[workspace.token] = workspace
            self._last_used[workspace.token] = time.monotonic()
            self._models.watch(workspace.model_use)

    def show(self, workspace: Workspace) -> Workspace:
        """Makes it the person's current workspace; suspends the one before if it is not current for others."""
        with self.lock:
            before = self._by_token.get(self.current_token)
            self._current[PERSON.get()] = workspace.token
            if before is not None and before is not workspace:
                before.presence.leave()
            if before is not None and before.token not in self._current.values():
                before.suspend()
            return workspace

    def forget(self, workspace: Workspace) -> None:
        """Closes a workspace and lets its model go, if no other document uses it."""
        with self.lock:
            self._close(workspace)
            self._current = {person: token for person, token in self._current.items() if token != workspace.token}

    def close_idle(self, idle_seconds: float = IDLE_SECONDS) -> int:
        """Closes workspaces without a request in that time, except the current one of the owner; returns how many.

        Where more than MAX_OPEN are open, so are those that were used longest ago, after AWAY_SECONDS. Their threads
        end and their memory is freed. Whoever comes back to one finds it as the log has it.
        """
        with self.lock:
            now = time.monotonic()
            by_age = sorted(self._last_used, key=self._last_used.__getitem__)  # the one used longest ago first
            beyond = by_age[: max(0, len(by_age) - MAX_OPEN)]
            idle = [
                self._by_token[token]
                for token in by_age
                if now - self._last_used[token]
                >= (min(AWAY_SECONDS, idle_seconds) if token in beyond else idle_seconds)
            ]
            idle = [workspace for workspace in idle if workspace.token != self._current.get("")]
            for workspace in idle:
                self._close(workspace)
                self._log_close(workspace)
            return len(idle)

    def close(self) -> None:
        """Ends every workspace; all that they hold is in the log already."""
        self._is_closed.set()
        with self.lock:
            for workspace in self._by_token.values():
                workspace.close()
                self._log_close(workspace)
            self._by_token.clear()
            self._last_used.clear()

    def _close(self, workspace: Workspace) -> None:
        workspace.close()
        self._models.forget(workspace.model_use)
        self._by_token.pop(workspace.token, None)
        self._last_used.pop(workspace.token, None)

    def _log_close(self, workspace: Workspace) -> None:
        with suppress(LogError):  # a full disk must not keep the others open
            self._store.append(workspace.session_id, "close", {})
