"""Signing in with a password, and what people change about their own account."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from app.access.actor import Actor
from app.access.headers import is_https
from app.errors import AppError, SignInError
from app.i18n import Message
from app.server_log import by, fields, pseudonym
from app.ui.sign_in import SignedIn, SignIn, is_of_another_site
from app.ui.sign_in_pages import account_page, language_of

# All at the top level, so that relative addresses in a page are right for each of them.
ACCOUNT_PATH: Final = "/account"
SIGN_IN_PATH: Final = "/sign-in"  # the only one for people who are not signed in
PASSWORD_PATH: Final = "/password"
SIGN_OUT_PATH: Final = "/sign-out-everywhere"
MAX_FORM_BYTES: Final = 8192
_MAX_FIELDS: Final = 10
_LOG: Final = logging.getLogger("pinpoint.server")
_DONE: Final = {"changed": Message("The password is changed. You are signed out in all other browsers.")}


def add_account(app: FastAPI, sign_in: SignIn) -> None:
    """Adds the addresses of the account page to the server. The server's guard admits only people who are signed in."""

    @app.get(ACCOUNT_PATH)
    def account(request: Request, actor: SignedIn, done: str = "") -> Response:
        return _account_page(sign_in, request, actor, done=_DONE.get(done, ""))

    @app.post(SIGN_IN_PATH)
    async def sign_in_with_form(request: Request) -> Response:
        if is_of_another_site(request.headers.raw):
            return sign_in.refusal()
        form = await _form(request)
        if token := form.get("token", "").strip():
            headers = request.headers.raw
            return await asyncio.to_thread(
                sign_in.with_token, token, headers, _address(request), is_https=_is_https(request)
            )
        if (passwords := sign_in.passwords) is None:
            return sign_in.refusal()
        name = form.get("name", "").strip()
        try:
            token = await asyncio.to_thread(passwords.sign_in, name, form.get("password", ""), _address(request))
        except SignInError as error:
            _LOG.warning("sign-in refused")
            status = 429 if error.retry_after else 401
            return _refused(sign_in.question(request.headers.raw, error.args[0], name=name, status=status), error)
        _LOG.info("signed in", extra=fields(person=pseudonym(name)))
        return sign_in.signed_in(token, "./", is_https=_is_https(request))

    @app.post(PASSWORD_PATH)
    async def change_password(request: Request, actor: SignedIn) -> Response:
        name = actor.name
        if (passwords := sign_in.passwords) is None or not name or is_of_another_site(request.headers.raw):
            return sign_in.refusal()
        form = await _form(request)
        new = form.get("new", "")
        if new != form.get("again", ""):
            problem = Message("The new passwords differ: type the same one twice.")
            return _account_page(sign_in, request, actor, problem=problem, status=400)
        try:
            token = await asyncio.to_thread(passwords.change, name, form.get("password", ""), new, _address(request))
        except AppError as error:
            status = 400
            if isinstance(error, SignInError):
                _LOG.warning("change of a password refused", extra=by(actor))
                status = 429 if error.retry_after else 403
            return _refused(_account_page(sign_in, request, actor, problem=error.args[0], status=status), error)
        _LOG.info("password changed", extra=by(actor))
        return sign_in.signed_in(token, f".{ACCOUNT_PATH}?done=changed", is_https=_is_https(request))

    @app.post(SIGN_OUT_PATH)
    def sign_out_everywhere(request: Request, actor: SignedIn) -> Response:
        name = actor.name
        if (passwords := sign_in.passwords) is None or not name or is_of_another_site(request.headers.raw):
            return sign_in.refusal()
        passwords.sign_out_everywhere(name)
        _LOG.info("signed out everywhere", extra=by(actor))
        return Response(status_code=303, headers={"location": "./?sign-out", "cache-control": "no-store"})


def _account_page(
    sign_in: SignIn, request: Request, actor: Actor, *, problem: str = "", done: str = "", status: int = 200
) -> Response:
    name, passwords = actor.name, sign_in.passwords
    num_browsers = passwords.num_browsers(name) if passwords is not None and passwords.has(name) else None
    hint = "" if passwords is None else passwords.rule
    limits = sign_in.limits_of_key(request.headers.raw)
    page = account_page(language_of(request.headers.raw), name, num_browsers, hint, problem, done, limits)
    return HTMLResponse(page, status, {"cache-control": "no-store"})


def _is_https(request: Request) -> bool:
    return is_https(request.url.scheme, request.headers.raw)


async def _form(request: Request) -> Mapping[str, str]:
    """The fields of a form; the server's guard has limited its size."""
    text = (await request.body()).decode("utf-8", "replace")
    try:
        return {name: values[-1] for name, values in parse_qs(text, True, max_num_fields=_MAX_FIELDS).items()}
    except ValueError:
        return {}


def _refused(reply: Response, error: AppError) -> Response:
    reply.headers["cache-control"] = "no-store"
    if isinstance(error, SignInError) and error.retry_after:
        reply.headers["retry-after"] = str(error.retry_after)
    return reply


def _address(request: Request) -> str:
    """Of the browser, if it is not behind a proxy or behind one that is trusted (`--trust-proxy`)."""
    return request.client.host if request.client else ""
