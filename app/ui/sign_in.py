"""Who may use the page: browsers that once opened the address with a token, and programs that send one.

The access token is that of the server's owner. Where several people use a server, each has a key of their own, which
tells who they are and can be revoked; or a proxy that signs people in sends the access token and names the person.

Other programs and other people on the same computer can reach a local server too, so the token is needed there as well.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs

from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from starlette.requests import cookie_parser

from app.errors import AppError
from app.i18n import Message, translated
from app.whole_files import write_whole

Header = tuple[bytes, bytes]

_TOKEN = re.compile(r"[\w-]{16,200}", re.ASCII)
_MAX_NAME: Final = 100  # characters of a person's name
_COOKIE_SECONDS: Final = 400 * 24 * 3600  # browsers allow no longer age
_TICKET_SECONDS: Final = 60.0
_PAGE: Final = """<!doctype html>
<html lang="{language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Pinpoint</title>
<style>
html {{ color-scheme: light dark }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto 0; padding: 0 1rem }}
form {{ display: flex; gap: .5rem; margin-top: 1.5rem; flex-wrap: wrap }}
input {{ flex: 1 1 16rem; font: inherit; padding: .3rem .5rem }}
button {{ font: inherit; padding: .3rem 1rem }}
</style>
<h1>Pinpoint</h1>
<p role="alert">{problem}</p>
<form action="" method="get">
<label for="token">{label}</label>
<input id="token" name="token" type="password" autocomplete="current-password" value="{token}" required autofocus>
<button>{button}</button>
</form>
</html>
"""


class SignIn:
    """Checks requests for the access token, or for the key of a person.

    The token is in a file, so that browsers that have it as a cookie go on after a restart. A ticket replaces the token
    where other users of the computer can see it, in the command line of a browser: it is good once, for a minute.
    """

    def __init__(
        self, token: str, find_person: Callable[[str], str | None] = lambda key: None, person_header: str = ""
    ) -> None:
        """`find_person` returns the name of the person with that key.

        With a `person_header`, the access token as `Authorization` is a proxy's, which names the person in that header.
        """
        self.token = token
        self._find_person = find_person
        self._person_header = person_header.lower().encode("ascii")
        # Cookies do not depend on the port: two servers of one computer need two names.
        self.cookie = "pinpoint-" + hashlib.sha256(token.encode()).hexdigest()[:8]
        self._tickets: dict[str, float] = {}  # the end of each, by `time.monotonic()`

    @classmethod
    def from_file(
        cls, path: Path, find_person: Callable[[str], str | None] = lambda key: None, person_header: str = ""
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
                    Message(
                        "{path} is not an access token, which has 16 to 200 letters, digits, - or _: remove the file, "
                        "and a new one is created",
                        path=path,
                    )
                ) from None
            if os.name == "posix":
                path.chmod(0o600)
        return cls(token, find_person, person_header)

    def address(self, server: str) -> str:
        """The address of the page with the token."""
        return f"{server}/?token={self.token}"

    def address_once(self, server: str) -> str:
        """The address of the page with a ticket."""
        ticket = secrets.token_urlsafe(32)
        self._tickets[ticket] = time.monotonic() + _TICKET_SECONDS
        return f"{server}/?ticket={ticket}"

    def person_of(self, headers: Iterable[Header]) -> str | None:
        """Who sends a request: the name of a person, "" for the access token, None for neither.

        Both are read from `Authorization: Bearer TOKEN`, else from the cookie.
        """
        headers = list(headers)
        sent = dict(headers)
        if self._is_behind_proxy(headers):
            # One of two values may be the caller's own, which the proxy has not replaced.
            names = [value for name, value in headers if name == self._person_header]
            return _name_in(names[0]) if len(names) == 1 else None
        if (person := self._person(_bearer(sent))) is not None:
            return person
        return self._person(cookie_parser(sent.get(b"cookie", b"").decode("latin-1")).get(self.cookie, ""))

    def _is_behind_proxy(self, headers: Iterable[Header]) -> bool:
        """Whether a proxy that signs people in has passed the request on."""
        return bool(self._person_header) and self._person(_bearer(dict(headers))) == ""

    def answer(self, query: bytes, headers: Iterable[Header]) -> Response | None:
        """The reply to a request for the page itself: signs in, or asks for the token; None for the page.

        `query` is that of the address; a token or a ticket in it does not stay in the address. A link on another site
        asks first: it could sign a person in as somebody else, who then reads what the person writes. With "sign-out",
        the browser forgets its token.
        """
        given = parse_qs(query.decode("latin-1"), keep_blank_values=True)
        token, ticket = given.get("token", [""])[-1].strip(), given.get("ticket", [""])[-1]
        if ticket and self._is_ticket(ticket):
            token = self.token
        person = self._person(token)
        if person is not None and self._is_of_another_site(headers):
            reply = self._question(headers, is_wrong=False, token=token, person=person)
        elif person is not None:
            reply = Response(status_code=303, headers={"location": "./"})
            reply.set_cookie(self.cookie, token, max_age=_COOKIE_SECONDS, httponly=True, samesite="lax")
        elif "sign-out" in given and self._is_behind_proxy(headers):
            reply = PlainTextResponse("The proxy of this server has signed you in: sign out there.")
        elif "sign-out" in given:
            reply = self._question(headers, is_wrong=False)
            reply.delete_cookie(self.cookie, httponly=True, samesite="lax")
        elif self.person_of(headers) is not None:
            return None
        else:
            reply = self._question(headers, is_wrong=bool(token))
        reply.headers["cache-control"] = "no-store"
        return reply

    @staticmethod
    def refusal() -> Response:
        """The reply to any other request without the token."""
        return PlainTextResponse(
            "Open the address that Pinpoint shows when it starts, or send the header Authorization: Bearer TOKEN.",
            401,
            {"www-authenticate": "Bearer"},
        )

    @staticmethod
    def _is_of_another_site(headers: Iterable[Header]) -> bool:
        """Whether a browser says that a page of another site leads here."""
        return dict(headers).get(b"sec-fetch-site", b"") in (b"cross-site", b"same-site")

    def _question(
        self, headers: Iterable[Header], *, is_wrong: bool, token: str = "", person: str | None = None
    ) -> Response:
        languages = next((value for name, value in headers if name == b"accept-language"), b"")
        language = "de" if languages.lower().startswith(b"de") else "en"
        texts = {
            "problem": Message("This access token or key is wrong or no longer valid.")
            if is_wrong
            else Message("A link on another site opens Pinpoint for {person}.", person=person or Message("its owner"))
            if person is not None
            else Message(
                "Open the address that Pinpoint shows when it starts, or enter its access token (the text after "
                "token=) or your key."
            ),
            "label": Message("Access token or key"),
            "button": Message("Open"),
        }
        shown = {name: html.escape(text) for name, text in translated(texts, language).items()}
        return HTMLResponse(_PAGE.format(language=language, token=html.escape(token), **shown), 401)

    def _person(self, text: str) -> str | None:
        """Whose token a text is; "" for the access token, None for nobody's."""
        if hmac.compare_digest(text.encode(), self.token.encode()):
            return ""
        return (self._find_person(text) or None) if text else None

    def _is_ticket(self, text: str) -> bool:
        return self._tickets.pop(text, 0.0) > time.monotonic()


def _bearer(headers: Mapping[bytes, bytes]) -> str:
    """The token that a request sends as `Authorization`; "" without one."""
    return headers.get(b"authorization", b"").decode("latin-1").removeprefix("Bearer ")


def _name_in(value: bytes) -> str | None:
    """The name of a person in a header; None if it has no usable name."""
    name = value.decode("utf-8", "replace").strip()
    return name if name.isprintable() and 0 < len(name) <= _MAX_NAME else None
