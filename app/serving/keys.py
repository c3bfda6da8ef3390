"""The keys of people and programs: who may use the page and the HTTP API, and how much.

They are stored in a file of its own beside the log, as hashes only.

The file is not the log, which one program at a time writes: keys are created and revoked while the app runs.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from itertools import islice
from pathlib import Path
from typing import Any, Final

from sqlite_utils import Database

from app.access.actor import MAX_NAME, is_name
from app.errors import SQLITE_ERRORS, Checked, CommandError, LogError
from app.i18n import Message
from app.log.connection import LogConnection, cure_of
from app.log.file import BUSY_SECONDS, back_up, enable_wal, is_damage, keep_private
from app.serving.api_limits import DEFAULT_CHARACTERS, DEFAULT_REQUESTS

_MAX_COMPARED: Final = 10
_PREFIX: Final = "pinpoint-"  # so that a scan of published files recognises a key
_TEXT: Final = re.compile(rb"(?<![\w-])pinpoint-[\w-]{43}(?![\w-])")
_DAMAGED: Final = Message("the file is damaged: restore it from a backup, or move it away and create new keys")
_APPLICATION_ID: Final = 0x50504B59  # "PPKY"
_TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS key (
        id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, created TEXT NOT NULL,
        last_used TEXT NOT NULL DEFAULT '', revoked TEXT NOT NULL DEFAULT '', requests_a_minute INTEGER NOT NULL,
        characters_a_day INTEGER NOT NULL, may_export INTEGER NOT NULL DEFAULT 0, address TEXT NOT NULL DEFAULT '',
        signs_in INTEGER NOT NULL DEFAULT 0, expires TEXT NOT NULL DEFAULT '', networks TEXT NOT NULL DEFAULT '')""",
    """CREATE TABLE IF NOT EXISTS use (
        key INTEGER NOT NULL REFERENCES key (id), day TEXT NOT NULL, characters INTEGER NOT NULL,
        PRIMARY KEY (key, day)) WITHOUT ROWID""",
)


# Columns that files of earlier versions do not have.
_NEW_COLUMNS: Final = {
    "signs_in": "INTEGER NOT NULL DEFAULT 0",
    "expires": "TEXT NOT NULL DEFAULT ''",
    "networks": "TEXT NOT NULL DEFAULT ''",
}
# The rows that end with a key, and those of a person, also in tables of other modules: conditions with the number of
# the key or with the name. Rows are deleted before those that their condition needs.
_ROWS_OF_KEY: Final = {"job_answer": "job IN (SELECT id FROM job WHERE key = ?)", "job": "key = ?"}
_ROWS_OF_PERSON: Final = {
    "job_answer": "job IN (SELECT job.id FROM job JOIN key ON key.id = job.key WHERE key.name = ?)",
    **dict.fromkeys(("job", "use"), "key IN (SELECT id FROM key WHERE name = ?)"),
    "key": "name = ?",
    "dictionary": "glossary IN (SELECT id FROM glossary WHERE owner = ?)",
    **dict.fromkeys(("glossary", "document", "own_project"), "owner = ?"),
    **dict.fromkeys(("password", "browser"), "name = ?"),
}
IS_VALID: Final = "revoked = '' AND (expires = '' OR expires >= date('now'))"  # in UTC, as `ApiKey.is_expired`


@dataclass(frozen=True, slots=True)
class ApiKey(Checked):
    """A key, without the key itself. Times are ISO 8601 in UTC, "" for never.

    Keys of the same `name` belong to the same person. `may_export` allows the sessions of the page to be read. A
    request without a key from `address` counts as one with this key, in dialects whose clients cannot send one. With
    `signs_in`, it opens the page, too, and the log names the person. `expires` is its last day, in UTC; "" for none. It
    can be used only from addresses in `networks`, which are separated by spaces; from all if it is empty.
    """

    id: int
    name: str
    created: str
    last_used: str = ""
    revoked: str = ""
    requests_a_minute: int = DEFAULT_REQUESTS
    characters_a_day: int = DEFAULT_CHARACTERS
    may_export: bool = False
    address: str = ""
    signs_in: bool = False
    expires: str = ""
    networks: str = ""

    @property
    def is_expired(self) -> bool:
        """True after the last day."""
        return bool(self.expires) and self.expires < utc_now()[:10]

    def allows(self, address: str) -> bool:
        """True if the key can be used from this address; "" is an unknown one."""
        if not self.networks:
            return True
        found = ip_address_of(address)
        return found is not None and any(found in ip_network(each) for each in self.networks.split())

    def limits(self) -> list[Message]:
        """What the person of the key should know about its validity."""
        until = [Message("This key is valid until {date} (UTC).", date=self.expires)] if self.expires else []
        return until + (
            [Message("This key can be used only from {networks}.", networks=self.networks)] if self.networks else []
        )


class ApiFile:
    """The file with keys and their use. Thread-safe, and safe from several programs."""

    def __init__(self, path: Path) -> None:
        """Opens the file, which is created if it does not exist; only its owner may read it. Raises LogError."""
        try:
            keep_private(path)
            connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            db = Database(connection)
            found = connection.execute("PRAGMA application_id").fetchone()[0]
            if found not in (0, _APPLICATION_ID):
                connection.close()
                raise LogError("{path} is not a key file of Pinpoint: move it to another folder", path=path)
            enable_wal(db)
            # A crash of the computer may lose the last counts; a key is written in a transaction of its own.
            for pragma in (
                "synchronous = NORMAL",
                "fullfsync = ON",
                "secure_delete = ON",
                f"application_id = {_APPLICATION_ID}",
            ):
                connection.execute(f"PRAGMA {pragma}")
            for table in _TABLES:
                connection.execute(table)
            known = db["key"].columns_dict
            for column, kind in _NEW_COLUMNS.items():
                if column not in known:
                    connection.execute(f"ALTER TABLE key ADD COLUMN {column} {kind}")
        except (*SQLITE_ERRORS, OSError) as error:
            cure = _DAMAGED if is_damage(error) else cure_of(error)
            raise LogError(
                "{path}: the keys cannot be read ({error}): {cure}", path=path, error=error, cure=cure
            ) from error
        self.connection = LogConnection(db, path)

    @staticmethod
    def path_beside(log: Path) -> Path:
        """The path of the key file of a log; the file may not exist."""
        return log.with_name(f"{log.name}.keys")

    @classmethod
    def beside(cls, log: Path) -> ApiFile:
        """The file that belongs to a log."""
        return cls(cls.path_beside(log))

    def back_up(self, path: Path) -> None:
        """Copies the file into a new one, while others may write. Raises LogError, and then leaves no new file."""
        with self.connection.lock:
            back_up(self.connection.db, path)

    def create(
        self, name: str, *, expires: str = "", networks: Sequence[str] = (), **options: Any
    ) -> tuple[ApiKey, str]:
        """A new key for a person, and its text, which is not kept. Raises CommandError for an impossible value.

        `expires` is a day such as 2027-01-31; `networks` are addresses and networks, also of IPv6.
        """
        name = name.strip()
        if not is_name(name):
            raise CommandError(
                "{name!r} is not a valid name for a key: give 1 to {count} characters", name=name, count=MAX_NAME
            )
        text = _PREFIX + secrets.token_urlsafe(32)
        allowed = " ".join(map(_network, networks))
        key = ApiKey(0, name, utc_now(), expires=_last_day(expires), networks=allowed, **options)
        values = {field: value for field, value in asdict(key).items() if field != "id"}
        with self.connection.transaction(Message("write the key")):
            number = self.connection.insert("key", hash=hash_of(text), **values)
        return replace(key, id=number), text

    def keys(self) -> list[ApiKey]:
        """All keys, also revoked ones, oldest first."""
        return [
            self._key(row) for row in self.connection.rows(Message("read the keys"), "SELECT * FROM key ORDER BY id")
        ]

    def revoke(self, number: int) -> ApiKey:
        """Revokes a key, and deletes its jobs. Raises CommandError if no valid key has this number."""
        key = next((key for key in self.keys() if key.id == number and not key.revoked), None)
        if key is None:
            raise CommandError("key {number} does not exist or was revoked: see `pinpoint keys list`", number=number)
        revoked = utc_now()
        with self.connection.transaction(Message("revoke the key")):
            self.connection.db.execute("UPDATE key SET revoked = ? WHERE id = ?", (revoked, number))
            self._delete_rows(_ROWS_OF_KEY, number)
        return replace(key, revoked=revoked)

    def revoke_all(self, name: str) -> int:
        """Revokes all keys of a person, and deletes their jobs; returns how many keys."""
        with self.connection.transaction(Message("revoke the key")):
            self._delete_rows({table: _ROWS_OF_PERSON[table] for table in _ROWS_OF_KEY}, name)
            statement = "UPDATE key SET revoked = ? WHERE name = ? AND revoked = ''"
            return int(self.connection.db.execute(statement, (utc_now(), name)).rowcount)

    def forget(self, name: str) -> int:
        """Deletes all keys of a person with their use and jobs, password and glossaries; returns the number of keys.

        Documents that their programs sent are kept in the log, without an owner in this file.
        """
        with self.connection.transaction(Message("revoke the key")):
            return self._delete_rows(_ROWS_OF_PERSON, name)["key"]

    @contextmanager
    def restoring(self, name: str) -> Iterator[None]:
        """Writes all rows of a person as they were before if the block raises, such as when the log is not written.

        The log and this file are two files that SQLite does not change together: change the log last in the block.
        """
        rows = {}
        with self.connection.reading():
            for table in self._known(_ROWS_OF_PERSON):
                query = f"SELECT * FROM {table} WHERE {_ROWS_OF_PERSON[table]}"  # noqa: S608 (ours)
                rows[table] = self.connection.db.execute(query, (name,)).fetchall()
        try:
            yield
        except BaseException:
            with self.connection.transaction(Message("restore the keys")):
                self._delete_rows(_ROWS_OF_PERSON, name)
                for table, own in rows.items():
                    for row in own:
                        marks = ", ".join("?" * len(row))
                        self.connection.db.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608 (ours)
            raise

    def _known(self, tables: Iterable[str]) -> list[str]:
        """The tables that exist; some are created only when they are used."""
        known = self.connection.db.table_names()
        return [table for table in tables if table in known]

    def _delete_rows(self, conditions: Mapping[str, str], value: str | int) -> dict[str, int]:
        """Deletes rows by a condition for each table, inside a transaction; returns how many, by table."""
        db = self.connection.db
        return {
            table: int(db.execute(f"DELETE FROM {table} WHERE {conditions[table]}", (value,)).rowcount)  # noqa: S608 (ours)
            for table in self._known(conditions)
        }

    def find(self, text: str) -> ApiKey | None:
        """The key with this text, unless it was revoked. It may be expired, or not allowed from an address.

        The search time for a hash does not reveal keys: nobody can choose the beginning of a SHA-256. The last
        comparison takes the same time for all hashes.
        """
        given = hash_of(text)
        query = "SELECT * FROM key WHERE hash = ? AND revoked = ''"
        rows = self.connection.rows(Message("read the keys"), query, (given,))
        return self._key(rows[0]) if rows and hmac.compare_digest(rows[0]["hash"], given) else None

    def is_in(self, data: bytes) -> bool:
        """True if data, such as a body that was not parsed yet, contain the text of a valid key.

        Only the first texts that look like keys are compared.
        """
        found = islice(_TEXT.finditer(data), _MAX_COMPARED)
        keys = (self.find(each[0].decode("ascii")) for each in found)
        return any(key is not None and not key.is_expired for key in keys)

    def person_with(self, text: str) -> str | None:
        """The name of the person who signs in to the page with this key; None for any other text."""
        key = self.find(text)
        if key is None or key.is_expired or not key.signs_in:
            return None
        self.note_use(key)
        return key.name

    def problem_with(self, text: str, address: str) -> Message | None:
        """Why the key with this text cannot be used from this address; None if it can, or if there is none."""
        key = self.find(text)
        return None if key is None else problem_of_key(key, address)

    def limits_of(self, text: str) -> list[Message]:
        """What the person with this key should know about its validity; empty if there is no such key."""
        key = self.find(text)
        return [] if key is None else key.limits()

    def is_valid(self, key: ApiKey) -> bool:
        """True if a key has not been revoked and is not expired."""
        query = f"SELECT 1 FROM key WHERE id = ? AND {IS_VALID}"  # noqa: S608 (ours)
        return bool(self.connection.rows(Message("read the keys"), query, (key.id,)))

    def at_address(self, address: str) -> ApiKey | None:
        """The newest valid key for requests without a key from this address."""
        query = f"SELECT * FROM key WHERE address = ? AND address != '' AND {IS_VALID} ORDER BY id DESC LIMIT 1"  # noqa: S608 (ours)
        rows = self.connection.rows(Message("read the keys"), query, (address,))
        return self._key(rows[0]) if rows else None

    def characters_today(self, key: ApiKey) -> int:
        """The number of characters that this key has had translated today, in UTC."""
        query = "SELECT characters FROM use WHERE key = ? AND day = ?"
        rows = self.connection.rows(Message("read the keys"), query, (key.id, utc_now()[:10]))
        return int(rows[0]["characters"]) if rows else 0

    def characters_by_month(self) -> list[tuple[str, str, int]]:
        """(month, name, characters) of the keys of each name, also of revoked ones, newest month first."""
        query = """
            SELECT substr(day, 1, 7) AS month, name, sum(characters) AS characters FROM use JOIN key ON key.id = use.key
            GROUP BY month, name ORDER BY month DESC, name
        """
        rows = self.connection.rows(Message("read the keys"), query)
        return [(row["month"], row["name"], int(row["characters"])) for row in rows]

    def charge(self, key: ApiKey, num_characters: int) -> bool:
        """Counts a request and its characters; returns False without counting if there are too many for today."""
        now = utc_now()
        with self.connection.transaction(Message("count the characters"), leaves="preparation"):
            if self.characters_today(key) + num_characters > key.characters_a_day:
                return False
            self.connection.db.execute(
                "INSERT INTO use VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET characters = characters + excluded.characters",
                (key.id, now[:10], num_characters),
            )
            self.connection.db.execute("UPDATE key SET last_used = ? WHERE id = ?", (now, key.id))
        return True

    def note_use(self, key: ApiKey) -> None:
        """Writes that the key is used today; at most once a day, as requests may come often."""
        now = utc_now()
        if key.last_used[:10] != now[:10]:
            with self.connection.transaction(Message("count the characters"), leaves="preparation"):
                self.connection.db.execute("UPDATE key SET last_used = ? WHERE id = ?", (now, key.id))

    def _key(self, row: dict[str, Any]) -> ApiKey:
        values = {name: value for name, value in row.items() if name != "hash"}
        flags = {name: bool(values[name]) for name in ("may_export", "signs_in")}
        with self.connection.checked(Message("read the keys")):
            return ApiKey(**{**values, **flags})

    @contextmanager
    def writing_to_disk(self, purpose: Message) -> Iterator[None]:
        """A transaction that is on the disk when it ends, even if the computer then crashes."""
        with self.connection.lock:
            self.connection.db.execute("PRAGMA synchronous = FULL")
            try:
                with self.connection.transaction(purpose):
                    yield
            finally:
                self.connection.db.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        """Closes the file, after a transaction that another thread has begun."""
        with self.connection.lock:
            self.connection.db.conn.close()


def problem_of_key(key: ApiKey, address: str) -> Message | None:
    """Why a key cannot be used from this address today; None if it can."""
    if key.is_expired:
        return Message("This key expired after {date} (UTC): ask an administrator for a new one.", date=key.expires)
    if not key.allows(address):
        return Message("This key cannot be used from the address {address}.", address=address[:60] or "?")
    return None


def ip_address_of(host: str) -> IPv4Address | IPv6Address | None:
    """The address of a client, that of IPv4 in its own form; None for other text, as a proxy may send it."""
    try:
        found = ip_address(host)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _network(text: str) -> str:
    try:
        return str(ip_network(text, strict=False))
    except ValueError:
        raise CommandError(
            "{address!r} is not an IP address or a network, such as 10.0.0.0/8 or 2001:db8::/32", address=text
        ) from None


def _last_day(text: str) -> str:
    if not text:
        return ""
    try:
        found = date.fromisoformat(text).isoformat()
    except ValueError:
        raise CommandError("{date!r} is not a date, such as 2027-01-31", date=text) from None
    if found < utc_now()[:10]:
        raise CommandError("{date} is in the past: a key that expires then could not be used", date=found)
    return found


def hash_of(secret: str) -> str:
    """The SHA-256 of a key, token or other secret of 32 random bytes, to which a slow hash would not add protection."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def utc_now() -> str:
    """The time as the file has it: ISO 8601, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
