"""Signing in with a password, and what people change about their own account."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.access.actor import Actor
from app.access.headers import is_https
from app.access.openid import FLOW_SECONDS, OpenId
from app.errors import AppError, SignInError
from app.i18n import Message
from app.server_log import by, fields, pseudonym
from app.ui.sign_in import SignedIn, SignIn, is_of_another_site
from app.ui.sign_in_pages import account_page, language_of

# All at the top level, so that relative addresses in a page are right for each of them.
ACCOUNT_PATH: Final = "/account"
SIGN_IN_PATH: Final = "/sign-in"  # for people who are not signed in
PASSWORD_PATH: Final = "/password"
SIGN_OUT_PATH: Final = "/sign-out-everywhere"
# To a provider of OpenID Connect, back from it, and to sign out there; for everybody.
TO_PROVIDER_PATH: Final = "/sign-in-openid"
FROM_PROVIDER_PATH: Final = "/sign-in-return"  # registered at the provider
OUT_OF_PROVIDER_PATH: Final = "/sign-out-openid"
PROVIDER_PATHS: Final = frozenset({TO_PROVIDER_PATH, FROM_PROVIDER_PATH, OUT_OF_PROVIDER_PATH})
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
        passwords.browsers.sign_out_everywhere(name)
        _LOG.info("signed out everywhere", extra=by(actor))
        return Response(status_code=303, headers={"location": "./?sign-out", "cache-control": "no-store"})


def add_openid(app: FastAPI, sign_in: SignIn, openid: OpenId) -> None:
    """Adds the addresses of the sign-in with a provider of OpenID Connect."""
    cookie = f"{sign_in.cookie}-flow"

    @app.get(TO_PROVIDER_PATH)
    async def to_provider(request: Request) -> Response:
        try:
            address, secret = await openid.begin(_own_address(request, FROM_PROVIDER_PATH))
        except SignInError as error:
            return _refused(sign_in.question(request.headers.raw, error.args[0], status=503), error)
        reply = RedirectResponse(address, 303, {"cache-control": "no-store"})
        reply.set_cookie(cookie, secret, max_age=FLOW_SECONDS, httponly=True, samesite="lax", secure=_is_https(request))
        return reply

    @app.get(FROM_PROVIDER_PATH)
    async def from_provider(request: Request) -> Response:
        secret, headers = request.cookies.get(cookie, ""), request.headers.raw
        reply: Response
        try:
            back = _own_address(request, FROM_PROVIDER_PATH)
            name = await openid.finish(dict(request.query_params), secret, back)
        except SignInError as error:
            reply = _refused(sign_in.question(headers, error.args[0]), error)
        else:
            _LOG.info("signed in", extra=fields(person=pseudonym(name)))
            reply = await asyncio.to_thread(
                sign_in.by_openid, name, headers, _address(request), is_https=_is_https(request)
            )
        reply.delete_cookie(cookie, httponly=True, samesite="lax", secure=_is_https(request))
        reply.headers["cache-control"] = "no-store"
        return reply

    @app.get(OUT_OF_PROVIDER_PATH)
    async def out_of_provider(request: Request) -> Response:
        try:
            address = await openid.sign_out_address(_own_address(request, "/"))
        except SignInError as error:
            return _refused(sign_in.question(request.headers.raw, error.args[0], status=503), error)
        if address is None:
            problem = Message("Pinpoint cannot sign you out of {host}: sign out there.", host=openid.provider.host)
            return _refused(sign_in.question(request.headers.raw, problem, status=404), SignInError(problem))
        return RedirectResponse(address, 303, {"cache-control": "no-store"})


def _own_address(request: Request, path: str) -> str:
    """An address of this server as browsers reach it; the server's guard has checked the name."""
    return f"{'https' if _is_https(request) else 'http'}://{request.headers['host']}{path}"


def _account_page(
    sign_in: SignIn, request: Request, actor: Actor, *, problem: str = "", done: str = "", status: int = 200
) -> Response:
    name, passwords = actor.name, sign_in.passwords
    num_browsers = passwords.browsers.number_of(name) if passwords is not None and name else 0
    hint = passwords.rule if passwords is not None and passwords.has(name) else ""
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
