"""Signing in with a provider of OpenID Connect.

The flow is tested with `oidc-provider`, a certified provider (npm), and what a wrong provider can answer with forged
tokens.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey

from app.access.openid import OpenId, Provider
from app.errors import SignInError
from app.serving.keys import ApiFile
from app.serving.passwords import Passwords
from app.ui.api import Api
from app.ui.server import build_server
from app.ui.sign_in import SignIn
from tests.app.ui.test_api import api  # noqa: F401 (a fixture)

ROOT = Path(__file__).resolve().parents[3]
TOKEN = "t0ken-of-this-test_000"
URL, NAME = "http://127.0.0.1:7860", "translate.example.org"
SECRET = "100% s+cret"  # RFC 6749 has it encoded
PEOPLE = {
    "ana": {"email": "ana@example.org", "email_verified": True, "preferred_username": "Ana", "groups": ["translators"]},
    "ben": {"email": "ben@example.org", "email_verified": True, "preferred_username": "Ben", "groups": ["guests"]},
    "eve": {"email": "ana@example.org", "email_verified": False, "preferred_username": "Eve\n", "groups": []},
}
CLIENT = {
    "client_id": "pinpoint",
    "client_secret": SECRET,
    "redirect_uris": [f"{URL}/sign-in-return", f"https://{NAME}/sign-in-return"],
    "post_logout_redirect_uris": [f"{URL}/"],
}


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """The address of a running provider."""
    installed = ROOT / "node_modules" / ".package-lock.json"  # written last; in CI, `npm ci` runs at the same time
    due = time.monotonic() + (120 if os.environ.get("CI") else 0)
    while not installed.exists() and time.monotonic() < due:
        time.sleep(0.2)
    if shutil.which("node") is None or not (ROOT / "node_modules" / "oidc-provider").exists():
        pytest.skip("`npm ci` has not installed the provider of OpenID Connect")
    given = json.dumps({"clients": [CLIENT], "people": PEOPLE})
    command = ["node", str(ROOT / "tests" / "app" / "ui" / "openid_provider.mjs"), given]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        yield process.stdout.readline().decode().strip()


class Server:
    """A server at which people sign in with a provider."""

    def __init__(self, api: Api, folder: Path, **options: Any) -> None:  # noqa: F811
        self.file = ApiFile.beside(folder / "log.sqlite")
        self.passwords = Passwords(self.file)
        openid = OpenId(Provider(**options), lambda name: name == "boss@example.org")
        sign_in = SignIn(TOKEN, self.file.person_with, "", self.passwords, self.file, openid)
        self.doors = build_server(api, host="127.0.0.1", port=7860, sign_in=sign_in, allowed_hosts=[NAME])

    def browser(self, url: str = URL, **headers: str) -> TestClient:
        return TestClient(self.doors, base_url=url, headers=headers, follow_redirects=False)


Serve = Callable[..., Server]


@pytest.fixture
def serve(api: Api, tmp_path: Path, issuer: str) -> Iterator[Serve]:  # noqa: F811
    servers: list[Server] = []

    def start(**options: Any) -> Server:
        given = {"issuer": issuer, "client": "pinpoint", "secret": SECRET, "domains": frozenset({"example.org"})}
        servers.append(Server(api, tmp_path, **(given | options)))
        return servers[-1]

    yield start
    for server in servers:
        server.file.close()


def led_back(address: str, person: str) -> str:
    """Where the provider leads a person who signs in and agrees, as a browser shows its pages."""
    with httpx.Client() as browser:
        reply = browser.get(address)
        for _ in range(12):
            if location := reply.headers.get("location"):
                address = str(httpx.URL(address).join(location))
                if urlsplit(address).path == "/sign-in-return":
                    return address
                reply = browser.get(address)
                continue
            prompt = re.search(r'name="prompt" value="(\w+)"', reply.text)
            assert prompt, reply.text
            form = {"prompt": prompt[1], "login": person, "password": "any"}
            reply = browser.post(address, data=form)
    raise AssertionError("the provider leads nowhere")


def begun(browser: TestClient) -> str:
    """The address at the provider to which a browser is led."""
    reply = browser.get("/sign-in-openid")
    assert (reply.status_code, reply.headers["cache-control"]) == (303, "no-store"), reply.text
    return reply.headers["location"]


def signed_in(browser: TestClient, person: str) -> httpx.Response:
    return browser.get(led_back(begun(browser), person))


def problem(reply: httpx.Response) -> str:
    assert reply.headers["cache-control"] == "no-store"
    found = re.search(r'role="alert">([^<]*)<', reply.text)
    assert found, reply.text
    return found[1]


def test_person_signs_in_and_out_with_the_provider(serve: Serve, issuer: str):
    server = serve()
    browser = server.browser()
    page = browser.get("/")
    assert page.status_code == 401 and f"Sign in with {urlsplit(issuer).netloc}" in page.text
    assert "role=" not in page.text.partition("<main>")[2] and "<details>" in page.text, "the token is another way"
    query = parse_qs(urlsplit(begun(browser)).query)
    assert query["code_challenge_method"] == ["S256"] and {"state", "nonce", "code_challenge"} <= query.keys()
    reply = signed_in(browser, "ana")
    assert (reply.status_code, reply.headers["location"]) == (303, "./")
    assert browser.get("/").status_code == 200
    account = browser.get("/account").text
    assert "Account of ana@example.org" in account and "Browsers in which you are signed in: 1." in account
    out = browser.get("/?sign-out")
    assert out.status_code == 401 and 'href="sign-out-openid"' in out.text
    assert browser.get("/account").status_code == 401
    at_provider = browser.get("/sign-out-openid")
    assert at_provider.status_code == 303
    shown = httpx.get(at_provider.headers["location"])
    assert shown.status_code == 200 and "/session/end/confirm" in shown.text, "the provider signs out, and leads back"


def test_cookies_are_secure_behind_https_and_the_provider_returns_to_https(serve: Serve):
    browser = serve().browser(f"http://{NAME}", **{"x-forwarded-proto": "https"})
    browser.base_url = httpx.URL(f"https://{NAME}")
    begin = browser.get("/sign-in-openid")
    assert {"HttpOnly", "Secure", "SameSite=lax"} <= set(begin.headers["set-cookie"].split("; "))
    back = led_back(begin.headers["location"], "ana")
    assert back.startswith(f"https://{NAME}/sign-in-return?")
    reply = browser.get(back)
    cookies = reply.headers.get_list("set-cookie")
    assert reply.status_code == 303 and len(cookies) == 2 and all("Secure" in each.split("; ") for each in cookies)


@pytest.mark.parametrize(
    ("options", "person", "name"),
    [
        ({}, "ana", "ana@example.org"),
        ({"claim": "preferred_username"}, "ana", "Ana"),
        ({"claim": "preferred_username", "domains": frozenset(), "groups": frozenset({"translators"})}, "ana", "Ana"),
        ({"claim": "preferred_username", "domains": frozenset(), "groups": frozenset({"translators"})}, "ben", None),
        ({"domains": frozenset({"example.com"})}, "ana", None),
        ({"domains": frozenset()}, "ana", None),
        ({}, "eve", None),  # the address was not verified
        ({"claim": "preferred_username"}, "eve", None),
        ({"claim": "missing"}, "ana", None),
    ],
)  # fmt: skip
def test_claim_names_the_person_and_groups_domains_and_roles_admit(
    serve: Serve, options: dict[str, Any], person: str, name: str | None
):
    browser = serve(**options).browser()
    reply = signed_in(browser, person)
    if name is None:
        assert reply.status_code == 401 and problem(reply)
        assert browser.get("/account").status_code == 401
    else:
        assert reply.status_code == 303 and f"Account of {name}<" in browser.get("/account").text


def test_answer_that_was_not_asked_for_in_this_browser_signs_nobody_in(serve: Serve):
    """Else a link could sign a person in as whoever made it."""
    server = serve()
    mallory, ana = server.browser(), server.browser()
    link = led_back(begun(mallory), "ben")
    assert "was not started in this browser" in problem(ana.get(link))
    begun(ana)
    assert "was not started in this browser" in problem(ana.get(link))
    assert ana.get("/account").status_code == 401
    assert mallory.get(link).status_code == 303
    assert "was not started" in problem(mallory.get(link)), "an answer is good once"


def test_other_person_is_asked_about_before_the_sign_in_is_replaced(serve: Serve):
    browser = serve().browser()
    signed_in(browser, "ana")
    reply = signed_in(browser, "ben")
    assert reply.status_code == 401 and problem(reply) == "A link is opening Pinpoint as ben@example.org."
    assert "Account of ana@example.org" in browser.get("/account").text
    token = re.search(r'name="token"[^>]* value="([^"]+)"', reply.text)
    assert token and browser.post("/sign-in", data={"token": token[1]}).status_code == 303
    assert "Account of ben@example.org" in browser.get("/account").text


def test_sign_in_ends_after_its_hours_and_when_an_administrator_ends_it(serve: Serve):
    server = serve(hours=1)
    browser = server.browser()
    signed_in(browser, "ana")
    rows = server.file.connection.db.execute("SELECT created, ends FROM browser").fetchall()
    assert rows[0][1] > rows[0][0] and browser.get("/account").status_code == 200
    server.file.connection.db.execute("UPDATE browser SET ends = created")
    assert browser.get("/account").status_code == 401
    signed_in(browser, "ana")
    assert browser.get("/account").status_code == 200
    assert server.passwords.browsers.sign_out_everywhere("ana@example.org") == 1
    assert browser.get("/account").status_code == 401


def test_cancelled_sign_in_and_wrong_client_are_told_to_the_person(serve: Serve):
    browser = serve().browser()
    state = parse_qs(urlsplit(begun(browser)).query)["state"][0]
    assert "has not signed you in." in problem(browser.get(f"/sign-in-return?state={state}&error=access_denied"))
    assert "check --oidc-client" in problem(signed_in(serve(secret="wrong").browser(), "ana"))
    german = serve(secret="wrong").browser(**{"accept-language": "de"})
    assert "nicht als Client an" in problem(signed_in(german, "ana"))
    unknown = httpx.get(begun(serve(client="unknown").browser()))
    assert unknown.status_code == 400 and "invalid_client" in unknown.text, "the provider says it itself"


@pytest.mark.parametrize(
    "other", [{"issuer": "http://127.0.0.1:9"}, {"issuer": "http://127.0.0.1:7860/\0"}, {"client": "pinpoint"}]
)
def test_provider_that_cannot_be_reached_is_named_and_other_ways_stay(
    serve: Serve, other: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    if "client" in other:
        monkeypatch.setattr("app.access.openid._SECONDS", 0.0)
    server = serve(**other)
    for path in ("/sign-in-openid", "/sign-out-openid"):
        reply = server.browser().get(path)
        assert reply.status_code == 503 and "cannot be reached" in problem(reply) and 'name="token"' in reply.text


class Forger:
    """A provider in this process, whose answers a test can change."""

    ISSUER = "https://login.example.org"

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"})
        self.other_key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"})
        self.metadata: dict[str, Any] = {
            "issuer": self.ISSUER,
            "authorization_endpoint": f"{self.ISSUER}/auth",
            "token_endpoint": f"{self.ISSUER}/token",
            "jwks_uri": f"{self.ISSUER}/keys",
        }
        self.token = ""
        self.secret = ""
        self.transport = httpx.MockTransport(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/token":
            return httpx.Response(200, json={"access_token": "a", "id_token": self.token, "token_type": "Bearer"})
        if request.url.path == "/keys":
            return httpx.Response(200, json=KeySet([self.key]).as_dict())
        return httpx.Response(200, json=self.metadata)

    def sign_in(self, algorithm: str = "RS256", key: Any = None, **claims: Any) -> str:
        """The name of the person with these claims, where None removes one."""
        openid = OpenId(
            Provider(self.ISSUER, "pinpoint", domains=frozenset({"example.org"})), lambda name: False, self.transport
        )

        async def flow() -> str:
            address, secret = await openid.begin(f"{URL}/sign-in-return")
            query = parse_qs(urlsplit(address).query)
            now = int(time.time())
            given = {
                "iss": self.ISSUER, "sub": "1", "aud": "pinpoint", "exp": now + 300, "iat": now,
                "nonce": query["nonce"][0], "email": "ana@example.org", "email_verified": True,
            } | claims  # fmt: skip
            header = {"alg": algorithm, "kid": "1"}
            found = {name: value for name, value in given.items() if value is not None}
            self.token = jwt.encode(header, found, key or self.key, algorithms=[algorithm])
            return await openid.finish({"state": query["state"][0], "code": "c"}, secret, f"{URL}/sign-in-return")

        return asyncio.run(flow())


@pytest.fixture(scope="module")
def forger() -> Forger:
    return Forger()


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"iss": "https://evil.example"}, r"cannot be trusted \(iss\)"),
        ({"iss": None}, "cannot be trusted"),
        ({"aud": "another"}, r"cannot be trusted \(aud\)"),
        ({"aud": ["another"], "azp": "pinpoint"}, r"cannot be trusted \(aud\)"),
        ({"aud": ["pinpoint", "another"], "azp": "another"}, r"cannot be trusted \(azp\)"),
        ({"aud": None}, "cannot be trusted"),
        ({"nonce": "another"}, r"cannot be trusted \(nonce\)"),
        ({"nonce": None}, r"cannot be trusted \(nonce\)"),
        ({"sub": None}, "cannot be trusted"),
        ({"exp": None}, "cannot be trusted"),
        ({"exp": "tomorrow"}, r"cannot be trusted \(exp\)"),
        ({"exp": 1000}, "clocks of this server and of login.example.org differ"),
        ({"iat": time.time() + 3600, "exp": time.time() + 7200}, "clocks of this server"),
        ({"at_hash": "wrong"}, r"cannot be trusted \(at_hash\)"),
        ({"email_verified": False}, "does not confirm that ana@example.org is your e-mail"),
        ({"email_verified": None}, "does not confirm"),
        ({"email": "ana@example.org.evil.example"}, "may not use this server"),
        ({"email": "x" * 101 + "@example.org"}, "usable name"),
        ({"email": ["ana@example.org"]}, "usable name"),
    ],
)
def test_id_token_of_another_issuer_client_time_or_sign_in_is_refused(
    forger: Forger, claims: dict[str, Any], reason: str
):
    with pytest.raises(SignInError, match=reason):
        forger.sign_in(**claims)


def test_clocks_may_differ_by_a_minute(forger: Forger):
    now = time.time()
    assert forger.sign_in(iat=now - 400, exp=now - 60) == forger.sign_in(iat=now + 60, exp=now + 400)


@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
def test_signature_of_another_key_or_with_a_shared_secret_is_refused(forger: Forger):
    assert forger.sign_in() == "ana@example.org"
    for algorithm, key in (("RS256", forger.other_key), ("HS256", OctKey.generate_key(256)), ("none", None)):
        with pytest.raises(SignInError, match="cannot be trusted"):
            forger.sign_in(algorithm, key)


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "https://login.example.org/"},
        {"token_endpoint": "http://login.example.org/token"},
        {"jwks_uri": None},
        {"authorization_endpoint": "javascript:alert(1)"},
    ],
)
def test_provider_with_another_name_or_without_https_is_not_used(forger: Forger, changes: dict[str, Any]):
    right = dict(forger.metadata)
    forger.metadata.update(changes)
    try:
        with pytest.raises(SignInError, match="cannot be trusted"):
            forger.sign_in()
    finally:
        forger.metadata = right
