"""Sign-in to the page: for browsers that once opened the address with a token, and programs that send one.

The access token belongs to the owner of the server. If several people use a server, each has a key or a password of
their own, which identifies the person and can be revoked. A proxy that signs people in sends the access token and the
name of the person.

Other programs and other people on the same computer can reach a local server too, so the token is needed there as well.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final, Protocol
from urllib.parse import parse_qs

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from starlette.requests import cookie_parser

from app.access.actor import Actor, is_name
from app.access.admitted import actor_of
from app.access.headers import Header
from app.access.openid import OpenId
from app.errors import AppError
from app.i18n import Message
from app.ui.sign_in_pages import language_of, sign_in_page
from app.whole_files import write_whole

_TOKEN = re.compile(r"[\w-]{16,200}", re.ASCII)
_COOKIE_SECONDS: Final = 30 * 24 * 3600
_TICKET_SECONDS: Final = 60.0
_WRONG_TOKEN: Final = Message("This access token or key is wrong or no longer valid.")


def signed_in(request: Request) -> Actor:
    """Who sent a request that the door has admitted. Raises TypeError for any other."""
    return actor_of(request.scope)


# What a route requires: somebody who is signed in. Every route has it, but those of PUBLIC_ROUTES in `app.ui.server`.
SignedIn = Annotated[Actor, Depends(signed_in)]


class BrowserTokens(Protocol):
    """The tokens of browsers in which people have signed in with a password or with OpenID Connect."""

    def sign_in(self, name: str, lasts: timedelta | None = None) -> str:
        """The token of a browser in which a person signs in, which is valid for this time at most."""

    def person_with(self, token: str) -> str | None:
        """The name of the person whose browser has this token."""

    def number_of(self, name: str) -> int:
        """In how many browsers a person is signed in."""

    def sign_out(self, token: str) -> None:
        """Ends the token of one browser."""

    def sign_out_everywhere(self, name: str) -> int:
        """Ends the tokens of all browsers of a person; returns how many."""


class PasswordLogin(Protocol):
    """Signs people in with passwords. A browser that has signed in has a token of its own."""

    @property
    def browsers(self) -> BrowserTokens:
        """The browsers in which people have signed in, also without a password."""

    @property
    def are_used(self) -> bool:
        """True if anybody has a password."""

    @property
    def rule(self) -> str:
        """The rules for new passwords."""

    def has(self, name: str) -> bool:
        """True if a person has a password."""

    def sign_in(self, name: str, password: str, address: str) -> str:
        """The token of a browser from this address. Raises SignInError."""

    def change(self, name: str, password: str, new: str, address: str) -> str:
        """Changes a password, ends all tokens of the person, and returns a new one. Raises AppError."""


class KeyLimits(Protocol):
    """The validity of people's keys, which may expire, or be good for some addresses only."""

    def problem_with(self, text: str, address: str) -> Message | None:
        """Why the key with this text cannot be used from this address; None if it can, or if there is none."""

    def limits_of(self, text: str) -> list[Message]:
        """What the person with this key should know about its validity."""


class SignIn:
    """Checks requests for the access token, or for the key of a person.

    The token is in a file, so that browsers that have it as a cookie go on after a restart. A ticket replaces the token
    where other users of the computer can see it, in the command line of a browser: it is good once, for a minute.
    """

    def __init__(
        self,
        token: str,
        find_person: Callable[[str], str | None] = lambda key: None,
        person_header: str = "",
        passwords: PasswordLogin | None = None,
        keys: KeyLimits | None = None,
        openid: OpenId | None = None,
    ) -> None:
        """`find_person` returns the name of the person with that key.

        With a `person_header`, the access token as `Authorization` is a proxy's, which names the person in that header.
        With `passwords`, people sign in with a name and a password, too. `keys` knows the limits of keys. `openid`
        needs `passwords`, which keep the tokens of all browsers.
        """
        self.token = token
        self.passwords = passwords
        self.openid = openid
        self._find_person = find_person
        self._keys = keys
        self._person_header = person_header.lower().encode("ascii")
        # Cookies do not depend on the port: two servers of one computer need two names.
        self.cookie = "pinpoint-" + hashlib.sha256(token.encode()).hexdigest()[:8]
        self._tickets: dict[str, float] = {}  # the end of each, by `time.monotonic()`

    @classmethod
    def from_file(
        cls,
        path: Path,
        find_person: Callable[[str], str | None] = lambda key: None,
        person_header: str = "",
        passwords: PasswordLogin | None = None,
        keys: KeyLimits | None = None,
        openid: OpenId | None = None,
    ) -> SignIn:
        """With the token of this file, which is created if it is not there; only its owner may read it.

        Raises AppError if the file has something else, and OSError if it cannot be read or written.
        """
        token = secrets.token_urlsafe(32)
        try:
            if path.exists():
                raise FileExistsError
            write_whole(path, f"{token}\n".encode("ascii"), mode=0o600, replaces=False)
        except FileExistsError:
            token = path.read_text(encoding="utf-8", errors="replace").strip()
            if not _TOKEN.fullmatch(token):
                raise AppError(
                    "{path} is not an access token, which has 16 to 200 letters, digits, - or _: remove the file, "
                    "and a new one is created",
                    path=path,
                ) from None
            if os.name == "posix":
                path.chmod(0o600)
        return cls(token, find_person, person_header, passwords, keys, openid)

    def address(self, server: str) -> str:
        """The address of the page with the token."""
        return f"{server}/?token={self.token}"

    def address_once(self, server: str) -> str:
        """The address of the page with a ticket."""
        ticket = secrets.token_urlsafe(32)
        self._tickets[ticket] = time.monotonic() + _TICKET_SECONDS
        return f"{server}/?ticket={ticket}"

    def person_of(self, headers: Iterable[Header], address: str = "") -> str | None:
        """The sender of a request from this address: the name of a person, "" for the access token, None for neither.

        Both are read from `Authorization: Bearer TOKEN`, else from the cookie.
        """
        headers = list(headers)
        sent = dict(headers)
        if self.is_behind_proxy(headers):
            # One of two values may be the caller's own, which the proxy has not replaced.
            names = [value for name, value in headers if name == self._person_header]
            return _name_in(names[0]) if len(names) == 1 else None
        if (person := self._person(_bearer(sent), address)) is not None:
            return person
        return self._person(self._cookie_of(sent), address)

    def is_behind_proxy(self, headers: Iterable[Header]) -> bool:
        """True if a proxy that signs people in has passed the request on."""
        return bool(self._person_header) and hmac.compare_digest(_bearer(dict(headers)).encode(), self.token.encode())

    def answer(
        self, query: bytes, headers: Iterable[Header], address: str = "", *, is_https: bool = False
    ) -> Response | None:
        """The reply to a request for the page itself: signs in, or asks for the token; None for the page.

        `query` is that of the address; a token or a ticket in it does not stay in the address. With "sign-out", the
        browser forgets its token. A link could sign a person in as somebody else, who then reads what the person
        writes. So the reply to an address with a token is a question, unless the browser says that the address was
        typed or opened by another program, and nobody else is signed in. By plain http, browsers do not say it.
        """
        headers = list(headers)
        given = parse_qs(query.decode("latin-1"), keep_blank_values=True)
        token, ticket = given.get("token", [""])[-1].strip(), given.get("ticket", [""])[-1]
        if ticket and self._is_ticket(ticket):
            token = self.token
        person, known = self._person(token, address), self.person_of(headers, address)
        if person is not None and (known not in (None, person) or _site_of(headers) != b"none"):
            reply = self.asked_about(token, person, headers)
        elif person is not None:
            reply = self.signed_in(token, "./", is_https=is_https)
        elif "sign-out" in given and self.is_behind_proxy(headers):
            reply = PlainTextResponse("The proxy of this server has signed you in: sign out there.")
        elif "sign-out" in given:
            if self.passwords is not None:
                self.passwords.browsers.sign_out(self._cookie_of(dict(headers)))
            reply = self.question(headers, is_signed_out=True)
            reply.delete_cookie(self.cookie, httponly=True, samesite="lax", secure=is_https)
        elif known is not None:
            return None
        else:
            used = token or self._cookie_of(dict(headers))
            reply = self.question(headers, self._problem_with(used, address) or (_WRONG_TOKEN if token else None))
        reply.headers["cache-control"] = "no-store"
        return reply

    def asked_about(self, token: str, person: str, headers: Iterable[Header]) -> Response:
        """The question whether a link may sign this person in, in place of somebody else."""
        linked = Message("A link is opening Pinpoint as {person}.", person=person or Message("its owner"))
        return self.question(headers, linked, token=token)

    def by_openid(self, name: str, headers: Iterable[Header], address: str = "", *, is_https: bool) -> Response:
        """The reply to a browser in which the provider has signed this person in."""
        assert self.passwords is not None
        assert self.openid is not None
        token = self.passwords.browsers.sign_in(name, timedelta(hours=self.openid.provider.hours))
        headers = list(headers)
        if self.person_of(headers, address) not in (None, name):
            return self.asked_about(token, name, headers)
        return self.signed_in(token, "./", is_https=is_https)

    def with_token(self, token: str, headers: Iterable[Header], address: str = "", *, is_https: bool) -> Response:
        """The reply to the form of the sign-in page with an access token or a key."""
        if self._person(token, address) is None:
            return self.question(headers, self._problem_with(token, address) or _WRONG_TOKEN)
        return self.signed_in(token, "./", is_https=is_https)

    def limits_of_key(self, headers: Iterable[Header]) -> list[Message]:
        """What a person who is signed in with a key should know about its validity."""
        return [] if self._keys is None else self._keys.limits_of(self._cookie_of(dict(headers)))

    def question(
        self,
        headers: Iterable[Header],
        problem: str | None = None,
        *,
        token: str = "",
        name: str = "",
        status: int = 401,
        is_signed_out: bool = False,
    ) -> Response:
        """The sign-in page with all ways to sign in, or with a button for this token.

        `is_signed_out`: the person has just signed out.
        """
        asks_for_password = self.passwords is not None and self.passwords.are_used and not token
        page = sign_in_page(
            language_of(headers),
            problem,
            token,
            name if asks_for_password else None,
            "" if self.openid is None or token else self.openid.provider.host,
            is_signed_out=is_signed_out,
        )
        return HTMLResponse(page, status)

    def signed_in(self, token: str, location: str, *, is_https: bool) -> Response:
        """The reply that leads to another page, after which the browser sends this token."""
        reply = Response(status_code=303, headers={"location": location, "cache-control": "no-store"})
        reply.set_cookie(self.cookie, token, max_age=_COOKIE_SECONDS, httponly=True, samesite="lax", secure=is_https)
        return reply

    @staticmethod
    def refusal() -> Response:
        """The reply to any other request without the token."""
        return PlainTextResponse(
            "Open the address that Pinpoint shows when it starts, or send the header Authorization: Bearer TOKEN.",
            401,
            {"www-authenticate": "Bearer"},
        )

    def _cookie_of(self, headers: Mapping[bytes, bytes]) -> str:
        """The token that a browser sends; "" without one."""
        return cookie_parser(headers.get(b"cookie", b"").decode("latin-1")).get(self.cookie, "")

    def _problem_with(self, text: str, address: str) -> Message | None:
        return None if self._keys is None or not text else self._keys.problem_with(text, address)

    def _person(self, text: str, address: str) -> str | None:
        """The person with this token at this address; "" for the access token, None if it is not valid there."""
        if hmac.compare_digest(text.encode(), self.token.encode()):
            return ""
        if not text:
            return None
        by_password = None if self.passwords is None else self.passwords.browsers.person_with(text)
        if by_password:
            return by_password
        person = self._find_person(text) or None
        return None if person is None or self._problem_with(text, address) else person

    def _is_ticket(self, text: str) -> bool:
        return self._tickets.pop(text, 0.0) > time.monotonic()


def is_of_another_site(headers: Iterable[Header]) -> bool:
    """True if, according to the browser, the request comes from a page of another site."""
    return _site_of(headers) in (b"cross-site", b"same-site")


def _site_of(headers: Iterable[Header]) -> bytes:
    """Where a request comes from, according to the browser; empty if it does not say it."""
    return dict(headers).get(b"sec-fetch-site", b"")


def _bearer(headers: Mapping[bytes, bytes]) -> str:
    """The token that a request sends as `Authorization`; "" without one."""
    return headers.get(b"authorization", b"").decode("latin-1").removeprefix("Bearer ")


def _name_in(value: bytes) -> str | None:
    """The name of a person in a header; None if it has no usable name."""
    name = value.decode("utf-8", "replace").strip()
    return name if is_name(name) else None
