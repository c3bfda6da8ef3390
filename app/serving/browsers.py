"""The browsers in which people have signed in with a password or with OpenID Connect, in the file of the keys.

The file has only hashes of their tokens.
"""

from __future__ import annotations

import hmac
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from app.i18n import Message
from app.serving.keys import ApiFile, hash_of

LASTS: Final = timedelta(days=30)  # how long a browser stays signed in without being used
_MAX_BROWSERS: Final = 50  # per person; the least recently used browser is signed out
_PREFIX: Final = "signed-in-"
_PURPOSE: Final = Message("write the sign-ins")
_TABLE: Final = """CREATE TABLE IF NOT EXISTS browser (
    hash TEXT PRIMARY KEY, name TEXT NOT NULL, created TEXT NOT NULL, last_used TEXT NOT NULL,
    ends TEXT NOT NULL DEFAULT '')"""
_IS_VALID: Final = "last_used >= :due AND (ends = '' OR ends > :now)"


class Browsers:
    """The tokens of browsers. Thread-safe, and safe from several programs.

    A token ends when the person signs out, does not use it for `LASTS`, or when its time is over.
    """

    def __init__(self, file: ApiFile) -> None:
        self._connection = file.connection
        with self._connection.transaction(_PURPOSE):
            self._connection.db.execute(_TABLE)
            if "ends" not in self._connection.db["browser"].columns_dict:  # files of earlier versions
                self._connection.db.execute("ALTER TABLE browser ADD COLUMN ends TEXT NOT NULL DEFAULT ''")

    def sign_in(self, name: str, lasts: timedelta | None = None) -> str:
        """The token of a browser in which a person signs in, which is valid for this time at most."""
        with self._connection.transaction(_PURPOSE):
            return self.add(name, lasts)

    def add(self, name: str, lasts: timedelta | None = None) -> str:
        """As `sign_in`, inside a transaction."""
        token, now = _PREFIX + secrets.token_urlsafe(32), datetime.now(UTC)
        ends = "" if lasts is None else _iso(now + lasts)
        db = self._connection.db
        due, current = _iso(now - LASTS), _iso(now)
        db.execute("DELETE FROM browser WHERE last_used < ? OR (ends != '' AND ends <= ?)", (due, current))
        db.execute("INSERT INTO browser VALUES (?, ?, ?, ?, ?)", (hash_of(token), name, current, current, ends))
        newest = "SELECT hash FROM browser WHERE name = ? ORDER BY last_used DESC, rowid DESC LIMIT ?"
        db.execute(
            f"DELETE FROM browser WHERE name = ? AND hash NOT IN ({newest})",  # noqa: S608 (ours)
            (name, name, _MAX_BROWSERS),
        )
        return token

    def person_with(self, token: str) -> str | None:
        """The name of the person whose browser has this token; None for any other text."""
        if not token.startswith(_PREFIX):
            return None
        given, now = hash_of(token), datetime.now(UTC)
        rows = self._valid("hash = :given", now, given=given)
        if not rows or not hmac.compare_digest(rows[0]["hash"], given):
            return None
        if rows[0]["last_used"][:10] != _iso(now)[:10]:  # at most once a day, as requests come often
            with self._connection.transaction(_PURPOSE):
                self._connection.db.execute("UPDATE browser SET last_used = ? WHERE hash = ?", (_iso(now), given))
        return str(rows[0]["name"])

    def number_of(self, name: str) -> int:
        """In how many browsers a person is signed in."""
        return len(self._valid("name = :name", datetime.now(UTC), name=name))

    def sign_out(self, token: str) -> None:
        """Ends the token of one browser."""
        if token.startswith(_PREFIX):
            with self._connection.transaction(_PURPOSE):
                self._connection.db.execute("DELETE FROM browser WHERE hash = ?", (hash_of(token),))

    def sign_out_everywhere(self, name: str) -> int:
        """Ends the tokens of all browsers of a person; returns how many."""
        with self._connection.transaction(_PURPOSE):
            return self.remove_all(name)

    def remove_all(self, name: str) -> int:
        """As `sign_out_everywhere`, inside a transaction."""
        return int(self._connection.db.execute("DELETE FROM browser WHERE name = ?", (name,)).rowcount)

    def _valid(self, condition: str, now: datetime, **values: str) -> list[dict[str, Any]]:
        query = f"SELECT * FROM browser WHERE {condition} AND {_IS_VALID}"  # noqa: S608 (ours)
        parameters = {**values, "due": _iso(now - LASTS), "now": _iso(now)}
        return self._connection.rows(Message("read the sign-ins"), query, parameters)


def _iso(when: datetime) -> str:
    return when.isoformat(timespec="seconds")
