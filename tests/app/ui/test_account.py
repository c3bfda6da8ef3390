"""Signing in with a password: the pages, the replies, and what other sites can do."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.serving import passwords as module
from app.serving.keys import ApiFile
from app.serving.passwords import Passwords
from app.ui.api import Api
from app.ui.server import build_server
from app.ui.sign_in import SignIn
from tests.app.ui.test_api import api  # noqa: F401 (a fixture)

TOKEN = "t0ken-of-this-test_000"
URL = "http://127.0.0.1:7860"
SECRET, OTHER = "four words of Ana's own", "five quite different words"


class Server:
    """A server on which Ana has a password, and Cem a key."""

    def __init__(self, api: Api, folder: Path) -> None:  # noqa: F811
        self.file = ApiFile.beside(folder / "log.sqlite")
        self.passwords = Passwords(self.file)
        self.passwords.put("Ana", SECRET)
        self.key = self.file.create("Cem", signs_in=True)[1]
        sign_in = SignIn(TOKEN, self.file.person_with, "X-Person", self.passwords)
        self.doors = build_server(api, host="127.0.0.1", port=7860, sign_in=sign_in)

    def browser(self, **headers: str) -> TestClient:
        return TestClient(self.doors, base_url=URL, headers=headers, follow_redirects=False)

    def signed_in(self) -> TestClient:
        browser = self.browser()
        reply = browser.post("/sign-in", data={"name": "Ana", "password": SECRET})
        assert (reply.status_code, reply.headers["location"]) == (303, "./")
        return browser


@pytest.fixture
def server(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:  # noqa: F811
    from argon2 import PasswordHasher

    monkeypatch.setattr(module, "_hasher", lambda: PasswordHasher(1, 8, 1))
    server = Server(api, tmp_path)
    yield server
    server.file.close()


def test_page_asks_for_name_and_password_and_for_a_token_as_another_way(server: Server):
    reply = server.browser().get("/")
    assert reply.status_code == 401
    assert re.findall(r'<label for="(\w+)">', reply.text) == ["name", "password", "token"]
    assert "alert" not in re.sub(r"<style>.*?</style>", "", reply.text, flags=re.DOTALL), "nothing is wrong yet"
    german = server.browser(**{"accept-language": "de"}).get("/").text
    assert "Anmelden" in german and '<html lang="de">' in german
    server.passwords.remove("Ana")
    assert re.findall(r'<label for="(\w+)">', server.browser().get("/").text) == ["token"]


def test_signing_in_names_the_person_until_they_sign_out(server: Server):
    browser = server.signed_in()
    cookie = browser.cookies.jar.__iter__().__next__()
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert browser.get("/").status_code == 200 and "Account of Ana" in browser.get("/account").text
    token = cookie.value
    assert browser.get("/?sign-out").status_code == 401
    assert server.passwords.browsers.person_with(token or "") is None, "also for whoever has copied the cookie"


@pytest.mark.parametrize("name", ["Ana", "Nobody", "Cem", ""])
def test_wrong_sign_in_has_the_same_message_for_every_name(server: Server, name: str):
    reply = server.browser().post("/sign-in", data={"name": name, "password": "wrong"})
    assert reply.status_code == 401 and "set-cookie" not in reply.headers
    assert reply.headers["cache-control"] == "no-store"
    assert 'role="alert">This name or password is wrong.' in reply.text and 'wrong"' not in reply.text


def test_form_for_a_key_signs_in_and_the_cookie_is_secure_behind_https(server: Server):
    plain = server.browser().post("/sign-in", data={"token": server.key})
    behind = server.browser(**{"x-forwarded-proto": "https"}).post("/sign-in", data={"token": server.key})
    assert plain.status_code == behind.status_code == 303
    assert [" Secure" in reply.headers["set-cookie"].split(";") for reply in (plain, behind)] == [False, True]
    assert server.browser().post("/sign-in", data={"token": "wrong"}).status_code == 401
    for other in ({"sec-fetch-site": "cross-site"}, {"origin": "http://evil.example"}):
        reply = server.browser(**other).post("/sign-in", data={"token": server.key})
        assert reply.status_code in (401, 403) and "set-cookie" not in reply.headers


def test_name_becomes_no_html(server: Server):
    page = server.browser().post("/sign-in", data={"name": '"><script>', "password": "{0}"}).text
    assert "<script>" not in page and 'value="&quot;&gt;&lt;script&gt;"' in page


def test_too_many_attempts_are_a_reply_of_their_own(server: Server):
    browser = server.browser()
    for _ in range(10):
        assert browser.post("/sign-in", data={"name": "Ana", "password": "wrong"}).status_code == 401
    reply = browser.post("/sign-in", data={"name": "Ana", "password": SECRET})
    assert reply.status_code == 429 and 800 < int(reply.headers["retry-after"]) <= 900
    assert "Too many attempts" in reply.text
    assert server.browser().post("/sign-in", data={"token": server.key}).status_code == 303, "keys are not concerned"


@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
def test_other_sites_sign_nobody_in_and_change_nothing(server: Server, headers: dict[str, str]):
    browser = server.signed_in()
    form = {"name": "Ana", "password": SECRET, "new": OTHER, "again": OTHER}
    for path in ("/sign-in", "/password", "/sign-out-everywhere"):
        reply = browser.post(path, data=form, headers=headers)
        assert reply.status_code in (401, 403) and "set-cookie" not in reply.headers, path
    assert server.passwords.browsers.number_of("Ana") == 1
    server.signed_in()


def test_form_is_small(server: Server):
    assert server.browser().post("/sign-in", data={"name": "Ana", "password": "x" * 9000}).status_code == 413
    fields = {f"field{number}": "" for number in range(100)}
    assert server.browser().post("/sign-in", data=fields).status_code == 401


def test_person_changes_the_password(server: Server):
    browser, other = server.signed_in(), server.signed_in()
    assert "Browsers in which you are signed in: 2." in browser.get("/account").text
    for fields, status, problem in (
        ({"password": "wrong", "new": OTHER, "again": OTHER}, 403, "wrong"),
        ({"password": SECRET, "new": OTHER, "again": OTHER + "x"}, 400, "differ"),
        ({"password": SECRET, "new": "short", "again": "short"}, 400, "12 to 200"),
        ({}, 403, "wrong"),
    ):
        reply = browser.post("/password", data=fields)
        assert (reply.status_code, problem in reply.text) == (status, True), fields
    reply = browser.post("/password", data={"password": SECRET, "new": OTHER, "again": OTHER})
    assert (reply.status_code, reply.headers["location"]) == (303, "./account?done=changed")
    assert "The password is changed." in browser.get("/account?done=changed").text
    assert other.get("/account").status_code == 401
    assert "is changed" not in browser.get("/account?done=%3Cb%3E").text


def test_person_signs_out_everywhere(server: Server):
    browser, other = server.signed_in(), server.signed_in()
    assert browser.post("/sign-out-everywhere").headers["location"] == "./?sign-out"
    assert browser.get("/").status_code == other.get("/").status_code == 401


def test_people_without_a_password_change_none(server: Server):
    cem, owner = server.browser(authorization=f"Bearer {server.key}"), server.browser(authorization=f"Bearer {TOKEN}")
    proxy = {"authorization": f"Bearer {TOKEN}", "x-person": "Dan"}
    assert "You do not have a password" in cem.get("/account").text
    assert "You do not have a password" in server.browser(**proxy).get("/account").text
    for browser in (cem, server.browser(**proxy)):
        assert browser.post("/password", data={"new": OTHER, "again": OTHER}).status_code == 403
    assert owner.get("/account").status_code == 401, "here the token is a proxy's, which has to name the person"
    assert not server.passwords.has("Cem") and not server.passwords.has("Dan")


def test_log_of_the_server_has_no_names_and_no_secrets(server: Server, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO, "pinpoint")
    browser = server.signed_in()
    browser.post("/password", data={"password": SECRET, "new": OTHER, "again": OTHER})
    browser.post("/sign-in", data={"name": "Ana", "password": SECRET})
    browser.post("/sign-out-everywhere")
    said = [
        (record.getMessage(), str(record.__dict__)) for record in caplog.records if record.name == "pinpoint.server"
    ]
    assert [event for event, _ in said] == ["signed in", "password changed", "sign-in refused", "signed out everywhere"]
    assert not any(secret in text for _, text in said for secret in ("Ana", SECRET, OTHER))
