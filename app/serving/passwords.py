"""The passwords of people, in the file of the keys, as hashes only.

A password is for teams without a proxy that signs people in. It opens the page, never the HTTP API.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import math
import secrets
import threading
import time
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from app.access.actor import checked_name
from app.errors import CommandError, SignInError
from app.i18n import Message
from app.serving.browsers import Browsers
from app.serving.keys import ApiFile, utc_now

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MIN_CHARACTERS: Final = 12
MAX_CHARACTERS: Final = 200
RULE: Final = Message(
    "A password has {least} to {most} characters, such as four words.", least=MIN_CHARACTERS, most=MAX_CHARACTERS
)
# Argon2id, the second choice of RFC 9106: 64 MiB, a tenth of a second on a core of 2017.
_PASSES, _KIB, _LANES = 3, 65536, 4
_MAX_HASHING: Final = 2  # passwords that are compared at the same time
_MAX_WAITING: Final = 8  # these, and those that wait for their turn
_PURPOSE: Final = Message("write the passwords")
_TABLE: Final = "CREATE TABLE IF NOT EXISTS password (name TEXT PRIMARY KEY, hash TEXT NOT NULL, changed TEXT NOT NULL)"


class Passwords:
    """Signs people in with a name and a password. Thread-safe, and safe from several programs.

    A browser that has signed in has a token in `browsers`, which also ends when the person changes the password.
    """

    def __init__(self, file: ApiFile, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` returns seconds."""
        self._connection = file.connection
        self.browsers = Browsers(file)
        with self._connection.transaction(_PURPOSE):
            self._connection.db.execute(_TABLE)
        self._attempts = Attempts(clock)
        self._waiting = threading.BoundedSemaphore(_MAX_WAITING)
        self._hashing = threading.BoundedSemaphore(_MAX_HASHING)
        self._nobodys = ""  # a hash to compare with, so that an unknown name takes as long as a known one

    def put(self, name: str, password: str) -> None:
        """Gives a person a password, and signs them out everywhere. Raises CommandError for one that is too weak."""
        name, password = checked_name(name), checked_password(name, password)
        stored = _hasher().hash(password)
        with self._connection.transaction(_PURPOSE):
            self._store(name, stored)

    def remove(self, name: str) -> bool:
        """Takes a person's password away, and signs them out everywhere; whether there was one."""
        with self._connection.transaction(_PURPOSE):
            self.browsers.remove_all(name)
            return bool(self._connection.db.execute("DELETE FROM password WHERE name = ?", (name,)).rowcount)

    def names(self) -> list[str]:
        """The names of the people who have a password."""
        return [row["name"] for row in self._rows("SELECT name FROM password ORDER BY name")]

    def has(self, name: str) -> bool:
        """True if a person has a password."""
        return self._stored(name) is not None

    @property
    def rule(self) -> str:
        """The rules for new passwords."""
        return RULE

    @property
    def are_used(self) -> bool:
        """True if anybody has a password."""
        return bool(self._rows("SELECT 1 FROM password LIMIT 1"))

    def sign_in(self, name: str, password: str, address: str) -> str:
        """The token of a browser in which a person signs in from this address.

        Raises SignInError, with the same message for a wrong name and a wrong password.
        """
        name = name.strip()
        stored = self._checked(name, password, address)
        return self._new_token(name, stored)

    def change(self, name: str, password: str, new: str, address: str) -> str:
        """Changes a password, signs the person out everywhere, and returns a new token for this browser.

        Raises SignInError for a wrong password, and CommandError for a new one that is too weak.
        """
        stored, new = self._checked(name, password, address), checked_password(name, new)
        if hmac.compare_digest(_normalized(password).encode(), new.encode()):
            raise CommandError("This is your password already: choose another one.")
        changed = _hasher().hash(new)
        with self._connection.transaction(_PURPOSE):
            if self._stored(name) != stored:  # it was changed meanwhile, or removed
                raise _wrong()
            self._store(name, changed)
        return self._new_token(name, changed)

    def _checked(self, name: str, password: str, address: str) -> str:
        """The stored hash of a person's password. Raises SignInError if it is another one."""
        attempt = self._attempts.begin(name, address)
        with self._turn():
            stored, nobodys = self._stored(name), self._hash_of_nobody()
            is_right = self._matches(stored or nobodys, password)
        if stored is None or not is_right:
            raise _wrong()
        self._attempts.succeeded(attempt)
        return stored

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Limits the number of running and waiting comparisons: each needs memory and a core."""
        if not self._waiting.acquire(blocking=False):
            raise SignInError(Message("Many people are signing in: try again in {seconds} seconds.", seconds=2), 2)
        try:
            with self._hashing:
                yield
        finally:
            self._waiting.release()

    def _new_token(self, name: str, stored: str) -> str:
        with self._connection.transaction(_PURPOSE):
            if self._stored(name) != stored:
                raise _wrong()
            return self.browsers.add(name)

    def _store(self, name: str, stored: str) -> None:
        """Writes a password inside a transaction."""
        row = (name, stored, utc_now())
        self.browsers.remove_all(name)
        self._connection.db.execute("INSERT OR REPLACE INTO password VALUES (?, ?, ?)", row)

    def _stored(self, name: str) -> str | None:
        rows = self._rows("SELECT hash FROM password WHERE name = ?", name)
        return str(rows[0]["hash"]) if rows else None

    def _rows(self, query: str, *parameters: str) -> list[dict[str, Any]]:
        return self._connection.rows(Message("read the passwords"), query, parameters)

    def _hash_of_nobody(self) -> str:
        if not self._nobodys:
            self._nobodys = _hasher().hash(secrets.token_urlsafe(32))
        return self._nobodys

    @staticmethod
    def _matches(stored: str, password: str) -> bool:
        from argon2.exceptions import VerificationError

        try:
            return _hasher().verify(stored, _normalized(password))
        except VerificationError:
            return False


class Attempts:
    """Counts attempts to sign in, by person and by address, until they succeed. Thread-safe.

    Unknown names are counted like others, so the limits do not reveal which names have a password. The counts end
    with the app.
    """

    WINDOW_SECONDS: Final = 900.0
    MOST_OF_PERSON: Final = 10
    MOST_OF_ADDRESS: Final = 50  # a team may share one
    _MAX_KEPT: Final = 10_000  # people and addresses

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._begun: dict[tuple[str, str], deque[float]] = {}
        self._lock = threading.Lock()

    def begin(self, name: str, address: str) -> tuple[str, str, float]:
        """Counts an attempt. Raises SignInError, without counting, if there were too many."""
        now = self._clock()
        person, place = ("person", hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()), _place(address)
        limits = {person: self.MOST_OF_PERSON, place: self.MOST_OF_ADDRESS}
        with self._lock:
            for key, most in limits.items():
                begun = self._begun.get(key, deque())
                while begun and begun[0] <= now - self.WINDOW_SECONDS:
                    begun.popleft()
                if len(begun) >= most:
                    seconds = max(1, math.ceil(begun[0] + self.WINDOW_SECONDS - now))
                    minutes = math.ceil(seconds / 60)
                    problem = Message("Too many attempts to sign in: try again in {minutes} min.", minutes=minutes)
                    raise SignInError(problem, seconds)
            for key in limits:
                begun = self._begun.pop(key, deque())  # the last ones are the newest
                begun.append(now)
                self._begun[key] = begun
            while len(self._begun) > self._MAX_KEPT:
                del self._begun[next(iter(self._begun))]
        return person[1], address, now

    def succeeded(self, attempt: tuple[str, str, float]) -> None:
        """The person may begin again; of the address, only this attempt does not count."""
        person, address, begun_at = attempt
        with self._lock:
            self._begun.pop(("person", person), None)
            begun = self._begun.get(_place(address), deque())
            if begun_at in begun:
                begun.remove(begun_at)


def checked_password(name: str, password: str) -> str:
    """A password in one of its ways to be encoded. Raises CommandError for one that is too weak."""
    password = _normalized(password)
    if not MIN_CHARACTERS <= len(password) <= MAX_CHARACTERS:
        raise CommandError(RULE)
    without_name = password.casefold().replace(name.casefold(), "")
    if len(set(without_name)) < 5:
        raise CommandError("This password is easy to guess: use more different characters than your name has.")
    return password


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher  # most servers have no passwords

    return PasswordHasher(_PASSES, _KIB, _LANES)


def _normalized(password: str) -> str:
    """The password in one normal form, because systems write accents as one or as two characters."""
    return unicodedata.normalize("NFKC", password.encode("utf-8", "replace").decode("utf-8"))


def _place(address: str) -> tuple[str, str]:
    """The source of attempts that are counted together: an IPv4 address, or the IPv6 network of a computer."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "address", address
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    network = ipaddress.ip_network((parsed, 64 if parsed.version == 6 else 32), strict=False)
    return "address", str(network)


def _wrong() -> SignInError:
    return SignInError(Message("This name or password is wrong."))
