"""The one place that decides who may use the HTTP API, how fast, and how much."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from app.access.actor import Actor
from app.errors import ApiError
from app.i18n import counted
from app.serving.api_limits import MAX_AT_ONCE, MAX_STREAMS
from app.serving.keys import ApiFile, ApiKey, problem_of_key

_MINUTE: Final = 60.0


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request."""

    key: ApiKey

    @property
    def name(self) -> str:
        """The person, to whom glossaries and documents belong."""
        return self.key.name

    @property
    def actor(self) -> Actor:
        """Who acts in the request: the person of the key."""
        return Actor.person(self.key.name)

    @property
    def owner(self) -> str:
        """The name under which the person takes turns with others for the model."""
        return f"api/{self.key.name}"


class Admission:
    """Checks keys and limits. Thread-safe. Counts of characters are stored; counts of requests end with the app."""

    def __init__(self, file: ApiFile, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` returns seconds."""
        self.file = file
        self._clock = clock
        self._entered: dict[int, deque[float]] = {}  # by key: when the requests of the last minute came
        self._num_running: Counter[int] = Counter()  # by key
        self._num_streams: Counter[int] = Counter()
        self._lock = threading.Lock()

    def enter(
        self, text: str | None, address: str | None = None, place: str = "the request", client: str = ""
    ) -> Caller:
        """Counts a request with this key, and returns its caller. Raises ApiError.

        Args:
            text: the key.
            address: the address of the client, in a dialect whose clients cannot send a key.
            place: the part of a request that contains the key, for an error.
            client: the address of the client in every dialect; some keys are good for some addresses only.
        """
        if text:
            key = self.file.find(text)
        elif address is not None:
            key = self.file.at_address(address)
        else:
            raise ApiError("no_key", f"There is no key in {place}. `pinpoint keys create NAME` makes one.")
        if key is None:
            if text:
                raise ApiError("wrong_key", "The key is wrong or was revoked.")
            command = f"`pinpoint keys create NAME --address {address}`"
            raise ApiError("no_key", f"There is no key in {place}, and none for this address: {command} makes one.")
        if problem := problem_of_key(key, client):
            raise ApiError("wrong_key" if key.is_expired else "forbidden", problem)
        self._count(key)
        self.file.note_use(key)
        return Caller(key)

    def check_contains_key(self, data: bytes, address: str | None = None) -> None:
        """Raises ApiError if data do not contain the text of a valid key, and none was made for this address."""
        if not self.file.is_in(data) and (address is None or self.file.at_address(address) is None):
            raise ApiError("no_key", "The request has no valid key. `pinpoint keys create NAME` makes one.")

    @contextmanager
    def running(self, caller: Caller) -> Iterator[None]:
        """Counts a request while it is answered. Raises ApiError if too many requests of this key are."""
        problem = f"At most {MAX_AT_ONCE} requests of a key are answered at once."
        with self._place(self._num_running, caller.key.id, MAX_AT_ONCE, problem):
            yield

    @contextmanager
    def streaming(self, caller: Caller) -> Iterator[None]:
        """Counts a stream while it is open. Raises ApiError if too many streams of this key are."""
        problem = f"At most {MAX_STREAMS} streams of a key are open at once."
        with self._place(self._num_streams, caller.key.id, MAX_STREAMS, problem):
            yield

    def charge(self, caller: Caller, num_characters: int) -> None:
        """Counts characters to translate. Raises ApiError without counting if they exceed the limit of the day."""
        if not self.file.charge(caller.key, num_characters):
            most = caller.key.characters_a_day
            raise ApiError("used_up", f"This key may translate {most:,} characters a day (UTC); they are used up.")

    @contextmanager
    def _place(self, taken: Counter[int], key: int, most: int, problem: str) -> Iterator[None]:
        with self._lock:
            if taken[key] >= most:
                raise ApiError("too_fast", problem, retry_after=1)
            taken[key] += 1
        try:
            yield
        finally:
            with self._lock:
                taken[key] -= 1

    def _count(self, key: ApiKey) -> None:
        now = self._clock()
        with self._lock:
            entered = self._entered.setdefault(key.id, deque())
            while entered and entered[0] <= now - _MINUTE:
                entered.popleft()
            if len(entered) >= key.requests_a_minute:
                seconds = max(1, math.ceil(entered[0] + _MINUTE - now))
                limit, wait = counted(key.requests_a_minute, "request"), counted(seconds, "second")
                message = f"This key may send {limit} a minute: wait {wait}."
                raise ApiError("too_fast", message, retry_after=seconds)
            entered.append(now)
