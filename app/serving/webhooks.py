"""Webhooks: tell other programs that a document was finished or assigned, or that segments were returned.

The events come from the log, so that a crash loses none. A delivery is signed as the Standard Webhooks specification
says, and repeated for a day until the receiver accepts it. It has no texts of documents.
"""

from __future__ import annotations

import base64
import hmac
import json
import logging
import secrets
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from app.access.actor import SYSTEM
from app.errors import Checked, CommandError
from app.i18n import Message
from app.log.event_chain import wall_ms
from app.log.records import SessionSummary
from app.log.store import LogStore
from app.repeating import repeat
from app.server_log import fields
from app.serving.api_limits import WEBHOOK_EVENTS
from app.serving.keys import ApiFile, hash_of, ip_address_of, utc_now

MAX_WEBHOOKS: Final = 20
MAX_WAITING: Final = 10_000  # deliveries of a webhook; the oldest are dropped
MAX_URL: Final = 2_000  # characters
# Seconds before the second attempt and so on; together a day. Then the delivery is dropped.
PAUSES: Final = (5, 30, 120, 600, 3600, 4 * 3600, 8 * 3600, 12 * 3600)
_SECONDS: Final = 10.0  # for an answer
_AT_ONCE: Final = 20  # deliveries of a webhook, before it is the turn of the next one
_LOOK_SECONDS: Final = 2.0
_GONE: Final = 410
# IPv6 addresses with an IPv4 address in them, which may be one inside the network.
_TRANSLATED: Final = tuple(map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))
_now: Final = time.time
_look_up: Final = socket.getaddrinfo
_LOG: Final = logging.getLogger("pinpoint.webhooks")
_PURPOSE: Final = Message("write the webhooks")
_TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS webhook (
        id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL, events TEXT NOT NULL, project INTEGER NOT NULL,
        is_private INTEGER NOT NULL, secret TEXT NOT NULL, created_ms INTEGER NOT NULL,
        problem TEXT NOT NULL DEFAULT '', is_ended INTEGER NOT NULL DEFAULT 0)""",
    """CREATE TABLE IF NOT EXISTS delivery (
        id TEXT PRIMARY KEY, webhook INTEGER NOT NULL REFERENCES webhook (id), body TEXT NOT NULL,
        num_failed INTEGER NOT NULL DEFAULT 0, due REAL NOT NULL)""",
    # How far the log of each session was read, by the hash of its token.
    """CREATE TABLE IF NOT EXISTS read_session (
        session TEXT PRIMARY KEY, seq INTEGER NOT NULL, is_finished INTEGER NOT NULL)""",
)


@dataclass(frozen=True, slots=True)
class Webhook(Checked):
    """A webhook without its secret. `project` is 0 for all. With `is_private`, addresses in the network are allowed.

    `problem` is that of the newest attempt, "" after a successful one. One that `is_ended` gets no more deliveries.
    """

    id: int
    url: str
    events: str
    project: int
    is_private: bool
    created_ms: int
    problem: str
    is_ended: bool

    def wants(self, body: Mapping[str, Any], wall_ms: int) -> bool:
        """True if it is for this event, which happened at this time."""
        is_of_project = self.project in (0, body["document"]["project"])
        return is_of_project and body["event"] in self.events.split() and wall_ms >= self.created_ms


class WebhookList:
    """The webhooks in the file of the keys. Safe from several programs."""

    def __init__(self, file: ApiFile) -> None:
        self.connection = file.connection
        with self.connection.transaction(_PURPOSE):
            for table in _TABLES:
                self.connection.db.execute(table)

    def add(self, url: str, events: tuple[str, ...] = (), project: int = 0, *, is_private: bool = False) -> str:
        """Adds a webhook for these events, or for all; returns its secret. Raises CommandError."""
        check_url(url, is_private=is_private)
        secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode("ascii")
        shown = " ".join(event for event in WEBHOOK_EVENTS if not events or event in events)
        with self.connection.transaction(_PURPOSE):
            if len(self.all()) >= MAX_WEBHOOKS:
                raise CommandError("The number of webhooks is limited to {count}: remove one.", count=MAX_WEBHOOKS)
            self.connection.insert(
                "webhook",
                url=url,
                events=shown,
                project=project,
                is_private=is_private,
                secret=secret,
                created_ms=wall_ms(),
            )
        return secret

    def all(self) -> list[Webhook]:
        """All webhooks, oldest first."""
        rows = self._rows("SELECT * FROM webhook ORDER BY id")
        flags = ("is_private", "is_ended")
        shown = [{name: value for name, value in row.items() if name != "secret"} for row in rows]
        return [Webhook(**{**row, **{name: bool(row[name]) for name in flags}}) for row in shown]

    def get(self, number: int) -> Webhook:
        """The webhook of this number. Raises CommandError."""
        for each in self.all():
            if each.id == number:
                return each
        raise CommandError("webhook {number} does not exist: see `pinpoint webhooks list`", number=number)

    def remove(self, number: int) -> Webhook:
        """Removes a webhook with its deliveries. Raises CommandError if there is none of this number."""
        found = self.get(number)
        with self.connection.transaction(_PURPOSE):
            self.connection.db.execute("DELETE FROM delivery WHERE webhook = ?", (number,))
            self.connection.db.execute("DELETE FROM webhook WHERE id = ?", (number,))
        return found

    def send_test(self, number: int) -> None:
        """Adds a delivery with the event "test". Raises CommandError if there is no webhook of this number."""
        self.get(number)
        with self.connection.transaction(_PURPOSE):
            self.put(number, {"event": "test", "time": utc_now()})

    def put(self, number: int, body: Mapping[str, Any]) -> None:
        """Adds a delivery, which is sent soon, inside a transaction."""
        values = (f"msg_{secrets.token_urlsafe(18)}", number, json.dumps(body, ensure_ascii=False), _now())
        db = self.connection.db
        db.execute("INSERT INTO delivery (id, webhook, body, due) VALUES (?, ?, ?, ?)", values)
        newest = "SELECT rowid FROM delivery WHERE webhook = ? ORDER BY rowid DESC LIMIT ?"
        db.execute(
            f"DELETE FROM delivery WHERE webhook = ? AND rowid NOT IN ({newest})",  # noqa: S608 (ours)
            (number, number, MAX_WAITING),
        )

    def num_waiting(self, number: int) -> int:
        """How many deliveries wait to be sent, or to be sent again."""
        return int(self._rows("SELECT count(*) AS number FROM delivery WHERE webhook = ?", number)[0]["number"])

    def due(self, number: int) -> dict[str, Any] | None:
        """The oldest delivery of a webhook with its secret; None if it is not due yet, or if there is none."""
        rows = self._rows(
            "SELECT delivery.*, secret FROM delivery JOIN webhook ON webhook.id = webhook WHERE webhook = ? "
            "ORDER BY delivery.rowid LIMIT 1",
            number,
        )
        return rows[0] if rows and rows[0]["due"] <= _now() else None

    def done(self, delivery: Mapping[str, Any], problem: str, *, ends: bool = False) -> None:
        """Notes an attempt: without a problem, the delivery is over, otherwise it is repeated later, or dropped."""
        num_failed = delivery["num_failed"] + 1
        with self.connection.transaction(_PURPOSE):
            db = self.connection.db
            db.execute("UPDATE webhook SET problem = ? WHERE id = ?", (problem, delivery["webhook"]))
            if not problem or num_failed > len(PAUSES):
                db.execute("DELETE FROM delivery WHERE id = ?", (delivery["id"],))
            else:
                values = (num_failed, _now() + PAUSES[num_failed - 1], delivery["id"])
                db.execute("UPDATE delivery SET num_failed = ?, due = ? WHERE id = ?", values)
            if ends:
                db.execute("UPDATE webhook SET is_ended = 1 WHERE id = ?", (delivery["webhook"],))
                db.execute("DELETE FROM delivery WHERE webhook = ?", (delivery["webhook"],))

    def _rows(self, query: str, *parameters: Any) -> list[dict[str, Any]]:
        return self.connection.rows(Message("read the webhooks"), query, parameters)


class Webhooks:
    """Reads new events of the log, and sends the deliveries, in a thread of its own until `close`."""

    def __init__(self, file: ApiFile, store: LogStore, transport: httpx.BaseTransport | None = None) -> None:
        """`transport` sends the requests."""
        self.list = WebhookList(file)
        self._store = store
        self._transport = transport
        self._read: dict[str, tuple[int, bool]] | None = None  # by session: number of events, whether it was finished
        self._is_closed = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts the thread."""
        self._thread = repeat(self.work, _LOOK_SECONDS, self._is_closed, "webhooks")

    def close(self) -> None:
        """Ends the thread. What was not sent is sent after the next start."""
        self._is_closed.set()
        if self._thread is not None:
            self._thread.join(1.0)

    def work(self) -> None:
        """Reads what is new, and sends what is due."""
        webhooks = [each for each in self.list.all() if not each.is_ended]
        if not webhooks:
            return
        self._collect(webhooks)
        for webhook in webhooks:
            for _ in range(_AT_ONCE):
                delivery = None if self._is_closed.is_set() else self.list.due(webhook.id)
                if delivery is None or not self._send(webhook, delivery):
                    break

    def _collect(self, webhooks: list[Webhook]) -> None:
        log = self._store.connection
        if self._read is None:
            rows = self.list._rows("SELECT * FROM read_session")
            self._read = {row["session"]: (row["seq"], bool(row["is_finished"])) for row in rows}
        query = "SELECT id, token, num_events FROM session"
        counts = {hash_of(row["token"]): row for row in log.rows(Message("read the events"), query)}
        changed = {key: row for key, row in counts.items() if self._read.get(key, (0, False))[0] < row["num_events"]}
        # Work that nobody asked for: the webhooks of the administrator are about all projects.
        found = self._store.sessions_of(SYSTEM, [row["id"] for row in changed.values()]) if changed else []
        summaries = {each.id: each for each in found}
        for key, row in changed.items():
            seq, was_finished = self._read.get(key, (0, False))
            summary = summaries.get(row["id"])
            is_finished = summary is not None and summary.num_confirmed > 0 and not summary.num_to_do
            bodies = []
            if summary is not None:
                bodies = self._bodies(summary, seq, row["num_events"], is_finished and not was_finished)
            # A segment that was confirmed after the events were counted finishes the document at the next look.
            is_finished = is_finished and (was_finished or any(body["event"] == "finished" for body, _ in bodies))
            with self.list.connection.transaction(_PURPOSE):  # the events are read once, and each is delivered
                values = (key, row["num_events"], is_finished)
                self.list.connection.db.execute("INSERT OR REPLACE INTO read_session VALUES (?, ?, ?)", values)
                for webhook in webhooks:
                    for body, wall_ms in bodies:
                        if webhook.wants(body, wall_ms):
                            self.list.put(webhook.id, body)
            self._read[key] = row["num_events"], is_finished
        for key in [key for key in self._read if key not in counts]:  # deleted sessions
            with self.list.connection.transaction(_PURPOSE):
                self.list.connection.db.execute("DELETE FROM read_session WHERE session = ?", (key,))
            del self._read[key]

    def _bodies(
        self, summary: SessionSummary, after: int, until: int, is_newly_finished: bool
    ) -> list[tuple[dict[str, Any], int]]:
        """The bodies of deliveries about some events of a session, with the time of each event."""
        query = (
            "SELECT type, wall_ms, payload FROM event WHERE session_id = ? AND seq > ? AND seq <= ? "
            "AND type IN ('project', 'review', 'confirm', 'lock') ORDER BY seq"
        )
        purpose = Message("read the events")
        found, confirmed = [], None
        for row in self._store.connection.rows(purpose, query, (summary.id, after, until)):
            payload, wall_ms = json.loads(row["payload"]), row["wall_ms"]
            by = payload.get("person", "")
            if row["type"] in ("confirm", "lock"):
                confirmed = _body("finished", summary, wall_ms, by, {}), wall_ms
            elif row["type"] == "project" and payload.get("change") in ("assign", "assign_part") and payload["member"]:
                num_segments = sum(last - first + 1 for first, last in payload.get("segments", ()))
                more = {"person": payload["member"], "num_segments": num_segments or summary.num_segments}
                found.append((_body("assigned", summary, wall_ms, by, more), wall_ms))
            elif row["type"] == "review" and payload.get("decision") == "returned":
                found.append((_body("returned", summary, wall_ms, by, {"num_segments": 1}), wall_ms))
        return found + ([confirmed] if is_newly_finished and confirmed else [])

    def _send(self, webhook: Webhook, delivery: Mapping[str, Any]) -> bool:
        """One attempt; whether the receiver has accepted the delivery."""
        problem, status = "", None
        try:
            status = self._post(webhook, delivery)
            if not 200 <= status < 300:
                problem = f"status {status}"
        except (httpx.HTTPError, httpx.InvalidURL, OSError, CommandError) as error:
            problem = str(error) if isinstance(error, CommandError) else type(error).__name__
        ends = status == _GONE
        self.list.done(delivery, problem, ends=ends)
        event = "webhook accepted" if not problem else "webhook ended" if ends else "webhook failed"
        level = logging.WARNING if problem else logging.INFO
        _LOG.log(level, event, extra=fields(webhook=webhook.id, attempt=delivery["num_failed"] + 1, status=status))
        return not problem

    def _post(self, webhook: Webhook, delivery: Mapping[str, Any]) -> int:
        """The status of the receiver's answer, whose body is not read. Raises what a connection raises."""
        body, now = delivery["body"].encode(), str(int(_now()))
        address, host = address_to_ask(webhook.url, is_private=webhook.is_private)
        headers = {
            "host": host,
            "content-type": "application/json",
            "webhook-id": delivery["id"],
            "webhook-timestamp": now,
            "webhook-signature": signature(delivery["secret"], delivery["id"], now, body),
        }
        name = urlsplit(webhook.url).hostname or ""
        with (
            # No proxy, which would look the name up itself, and no other address by a redirection.
            httpx.Client(timeout=_SECONDS, transport=self._transport, trust_env=False) as client,
            client.stream("POST", address, content=body, headers=headers, extensions={"sni_hostname": name}) as reply,
        ):
            return reply.status_code


def signature(secret: str, number: str, timestamp: str, body: bytes) -> str:
    """The signature of a delivery: HMAC-SHA256 with the secret, as Standard Webhooks has it."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = b".".join((number.encode(), timestamp.encode(), body))
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode("ascii")


def check_url(url: str, *, is_private: bool) -> None:
    """Raises CommandError for an address to which nothing can be sent."""
    try:
        parts = urlsplit(url)
        is_usable = bool(parts.hostname) and parts.username is None and (parts.port is None or parts.port > 0)
    except ValueError:
        is_usable, parts = False, urlsplit("")
    if not is_usable or len(url) > MAX_URL or not url.isascii() or not url.isprintable() or " " in url:
        raise CommandError("{url!r} is not a web address such as https://example.org/hook", url=url[:100])
    if parts.scheme != "https" and not (is_private and parts.scheme == "http"):
        raise CommandError("{url!r} has no https, which only --private allows", url=url[:100])


def address_to_ask(url: str, *, is_private: bool) -> tuple[str, str]:
    """The address of a webhook with a number in place of the name, and the name for the header `Host`.

    Who owns a name may let it lead to an address inside the network, and change that between a check and the request.
    So the checked number is used. Raises CommandError unless all addresses of the name are public or `is_private`, and
    OSError if the name is unknown.
    """
    check_url(url, is_private=is_private)
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    found = [str(info[4][0]) for info in _look_up(parts.hostname, port, type=socket.SOCK_STREAM)]
    numbers = [ip_address_of(each.partition("%")[0]) for each in found]
    if not is_private and not all(number is not None and _is_public(str(number)) for number in numbers):
        raise CommandError("the name leads to an address inside the network, which only --private allows")
    number = found[0]
    shown = f"[{number}]" if ":" in number else number
    return parts._replace(netloc=f"{shown}:{port}", fragment="").geturl(), parts.netloc


def _is_public(number: str) -> bool:
    address = ip_address(number)
    return address.is_global and not address.is_multicast and not any(address in network for network in _TRANSLATED)


def _body(event: str, summary: SessionSummary, wall_ms: int, by: str, more: Mapping[str, Any]) -> dict[str, Any]:
    when = datetime.fromtimestamp(wall_ms / 1000, UTC).isoformat(timespec="milliseconds")
    document = {
        "session": summary.id,
        "name": summary.shown_name,
        "project": summary.project_id,
        "direction": summary.direction,
        "num_segments": summary.num_segments,
        "num_confirmed": summary.num_confirmed,
        "num_locked": summary.num_locked,
    }
    return {"event": event, "time": when, "by": by, "document": document, **more}
