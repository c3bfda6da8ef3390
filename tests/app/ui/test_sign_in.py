"""The access token: the file, the cookie, the ticket, the question for it."""

from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path

import pytest

from app.errors import AppError
from app.ui.sign_in import SignIn

TOKEN = "t0ken-of-this-test_000"
TYPED = [(b"sec-fetch-site", b"none")]


def status(sign_in: SignIn, query: str = "", **headers: str) -> int:
    """The status of the reply to a request for the page, whose address was typed; 200 for the page."""
    headers = {"sec_fetch_site": "none", **headers}
    sent = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    answer = sign_in.answer(query.encode(), sent)
    return 200 if answer is None else answer.status_code


@pytest.mark.parametrize(
    ("query", "headers", "expected"),
    [
        (f"token={TOKEN}", {}, 303),
        (f"x=1&token=%20{TOKEN}%20", {}, 303),  # pasted with spaces
        ("", {"authorization": f"Bearer {TOKEN}"}, 200),
        ("", {}, 401),
        ("token=", {}, 401),
        ("token=wrong", {}, 401),
        (f"token={TOKEN}x", {}, 401),
        (f"token={TOKEN}&token=wrong", {}, 401),
        ("token=%FF%00", {}, 401),
        ("ticket=", {}, 401),
        (f"ticket={TOKEN}", {}, 401),
        ("", {"authorization": TOKEN[:-1]}, 401),
        ("", {"authorization": "Bearer"}, 401),
        ("", {"cookie": f"token={TOKEN}"}, 401),
        ("", {"cookie": "\xff=\xfe; ;;=;"}, 401),
    ],
)
def test_page_needs_the_token(query: str, headers: dict[str, str], expected: int):
    assert status(SignIn(TOKEN), query, **headers) == expected


def test_signing_in_sets_a_cookie_that_scripts_and_other_sites_cannot_use_and_drops_the_token_from_the_address():
    sign_in = SignIn(TOKEN)
    answer = sign_in.answer(f"token={TOKEN}".encode(), TYPED)
    assert answer is not None and answer.headers["location"] == "./"
    assert answer.headers["cache-control"] == "no-store"
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(cookie.split("; "))
    pair = cookie.partition(";")[0]
    assert status(sign_in, cookie=f"other=1; {pair}; odd") == 200
    assert status(SignIn(TOKEN + "2"), cookie=pair) == 401, "the token of another server"
    assert SignIn(TOKEN + "2").cookie != sign_in.cookie, "two servers of one computer do not sign each other out"


@pytest.mark.parametrize("site", ["cross-site", "same-site", "same-origin", None])
def test_link_signs_nobody_in_as_somebody_else(site: str | None):
    """Else a person would write in the name of whoever made the link, who could read all of it.

    By plain http under a name, browsers do not say where a link is.
    """
    key = "key-of-mallory-0000"
    sign_in = SignIn(TOKEN, {key: "<Mallory>"}.get)
    headers = [] if site is None else [(b"sec-fetch-site", site.encode())]
    answer = sign_in.answer(f"token={key}".encode(), headers)
    assert answer is not None and answer.status_code == 401 and "set-cookie" not in answer.headers
    page = bytes(answer.body).decode()
    assert "A link is opening Pinpoint as &lt;Mallory&gt;." in page and f'value="{key}"' in page
    button = sign_in.with_token(key, headers, is_https=False)
    assert (button.status_code, button.headers["location"]) == (303, "./")
    assert sign_in.with_token("wrong", headers, is_https=False).status_code == 401


def test_link_does_not_replace_the_person_who_is_signed_in():
    """A link in a letter counts as typed."""
    sign_in = SignIn(TOKEN, {"key-of-ana": "Ana", "key-of-mallory": "Mallory"}.get)
    ana = f"{sign_in.cookie}=key-of-ana"
    assert status(sign_in, "token=key-of-mallory", cookie=ana) == 401
    assert status(sign_in, f"token={TOKEN}", cookie=ana) == 401
    assert status(sign_in, "token=key-of-ana", cookie=ana) == 303
    assert status(sign_in, "token=key-of-mallory") == 303


@pytest.mark.parametrize("is_https", [False, True])
def test_cookie_is_sent_by_https_only_if_it_was_set_so_and_lasts_30_days(is_https: bool):
    answer = SignIn(TOKEN).answer(f"token={TOKEN}".encode(), TYPED, is_https=is_https)
    assert answer is not None
    parts = answer.headers["set-cookie"].split("; ")
    assert ("Secure" in parts) == is_https and f"Max-Age={30 * 24 * 3600}" in parts


def test_proxy_names_one_person():
    """With two names, one may be the caller's own."""
    sign_in = SignIn(TOKEN, person_header="X-Person")
    passed_on, ana, ben = (b"authorization", f"Bearer {TOKEN}".encode()), (b"x-person", b"Ana"), (b"x-person", b"Ben")
    assert sign_in.person_of([passed_on, ana]) == "Ana"
    assert sign_in.person_of([passed_on, ana, ben]) is None
    assert sign_in.person_of([passed_on]) is None
    assert sign_in.person_of([ana]) is None, "not through the proxy"


def test_ticket_is_good_once_and_for_a_minute(monkeypatch: pytest.MonkeyPatch):
    sign_in = SignIn(TOKEN)
    query = sign_in.address_once("http://127.0.0.1:1").partition("?")[2]
    assert [status(sign_in, query), status(sign_in, query)] == [303, 401]
    late = sign_in.address_once("http://127.0.0.1:1").partition("?")[2]
    after_a_minute = time.monotonic() + 61
    monkeypatch.setattr("time.monotonic", lambda: after_a_minute)
    assert status(sign_in, late) == 401


@pytest.mark.parametrize(("accepted", "language"), [("de-DE,de;q=0.9", "de"), ("en", "en"), ("<script>", "en")])
def test_question_for_the_token_is_in_the_language_of_the_browser(accepted: str, language: str):
    answer = SignIn(TOKEN).answer(b"token=%3Cscript%3E", [(b"accept-language", accepted.encode())])
    assert answer is not None
    text = bytes(answer.body).decode()
    assert f'<html lang="{language}">' in text and "<script>" not in text and TOKEN not in text


def test_token_is_kept_in_a_file_for_its_owner_only(tmp_path: Path):
    path = tmp_path / "log.sqlite.token"
    first = SignIn.from_file(path)
    assert len(first.token) >= 40 and first.token != SignIn.from_file(tmp_path / "other").token
    if os.name == "posix":
        path.chmod(0o644)
    assert SignIn.from_file(path).token == first.token
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert first.address("http://127.0.0.1:1") == f"http://127.0.0.1:1/?token={first.token}"


@pytest.mark.parametrize(
    "content", ["", "short", "with spaces in its middle", "x" * 201, "ümlaut-ümlaut-ümlaut", "\0" * 20]
)
def test_file_without_a_token_is_named_with_the_cure(tmp_path: Path, content: str):
    path = tmp_path / "log.sqlite.token"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(AppError, match="remove the file"):
        SignIn.from_file(path)
    assert path.read_text(encoding="utf-8") == content


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_folder_that_cannot_be_written_is_an_error_of_the_system(tmp_path: Path):
    (tmp_path / "nowhere").touch()
    with pytest.raises(OSError, match="nowhere"):
        SignIn.from_file(tmp_path / "nowhere" / "log.token")
