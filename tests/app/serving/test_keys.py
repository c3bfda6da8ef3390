"""Keys of the HTTP API: what is stored, who is let in, and the limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.__main__ import main
from app.errors import ApiError, CommandError, LogError
from app.serving.admission import Admission
from app.serving.api_limits import MAX_AT_ONCE
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from app.ui.sign_in import SignIn
from tests.app.serving.conftest import Program


def test_file_has_the_hash_of_a_key_only_and_is_private(keys: ApiFile):
    key, text = keys.create("Ana", may_export=True)
    assert keys.find(text) == key
    assert keys.find(text[:-1]) is None and keys.find("") is None
    stored = b"".join(path.read_bytes() for path in keys.connection.path.parent.iterdir())
    assert b"Ana" in stored and text.encode() not in stored and text.removeprefix("pinpoint-").encode() not in stored
    if os.name == "posix":
        assert {path.stat().st_mode & 0o777 for path in keys.connection.path.parent.iterdir()} == {0o600}


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 101])
def test_impossible_name_is_refused(keys: ApiFile, name: str):
    with pytest.raises(CommandError, match="is not a valid name for a key"):
        keys.create(name)
    assert keys.keys() == []


def test_file_of_another_program_is_left_alone(tmp_path: Path):
    import sqlite3

    path = tmp_path / "log.sqlite.keys"
    other = sqlite3.connect(path)
    other.execute("PRAGMA application_id = 7")
    other.close()
    before = path.read_bytes()
    with pytest.raises(LogError, match="is not a key file"):
        ApiFile.beside(tmp_path / "log.sqlite")
    path.write_bytes(b"no database" * 100)
    with pytest.raises(LogError, match="the keys cannot be read"):
        ApiFile.beside(tmp_path / "log.sqlite")
    assert len(before) > 0


def test_damaged_file_is_named_with_the_cure(tmp_path: Path, keys: ApiFile, capsys: pytest.CaptureFixture[str]):
    """SQLite quotes damaged names of tables in its message, which Python cannot decode."""
    keys.create("Ana")
    path, copy = ApiFile.path_beside(tmp_path / "log.sqlite"), tmp_path / "copy.sqlite"
    keys.back_up(ApiFile.path_beside(copy))
    damaged = ApiFile.path_beside(copy).read_bytes().replace(b"tableuse", b"table\xa0se")
    assert path.exists() and damaged.count(b"\xa0se")
    ApiFile.path_beside(copy).write_bytes(damaged)
    with pytest.raises(LogError, match="restore it from a backup"):
        ApiFile.beside(copy)
    assert main(["keys", "list", "--log", str(copy)]) == 2
    assert "restore it from a backup" in capsys.readouterr().err


def test_commands_create_list_and_revoke(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    log = ["--log", str(tmp_path / "log.sqlite")]
    assert main(["keys", "create", "Ana Trados", "--characters", "5000", "--address", "192.168.1.20", *log]) == 0
    text, note = capsys.readouterr()
    file = ApiFile.beside(tmp_path / "log.sqlite")  # as the app has it open meanwhile
    (key,) = file.keys()
    assert file.find(text.strip()) == key and "Ana Trados" in note
    assert (key.characters_a_day, key.address, key.may_export) == (5000, "192.168.1.20", False)
    assert main(["keys", "list", "--json", *log]) == 0
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (row["id"], row["name"], row["characters_today"]) == (1, "Ana Trados", 0) and "hash" not in row
    assert main(["keys", "revoke", "1", *log]) == 0
    assert file.find(text.strip()) is None and file.at_address("192.168.1.20") is None
    file.close()
    assert main(["keys", "revoke", "1", *log]) == 2
    assert main(["keys", "create", "Ben", "--address", "here", *log]) == 2
    assert "key 1 does not exist" in (errors := capsys.readouterr().err) and "'here' is not an IP address" in errors
    assert main(["keys", "list", *log]) == 0
    assert "Ana Trados (revoked 2" in capsys.readouterr().out


def refusal(admission: Admission, text: str | None, address: str | None = None) -> str:
    with pytest.raises(ApiError) as caught:
        admission.enter(text, address)
    return caught.value.kind


def test_requests_of_a_minute_are_counted_for_each_key(keys: ApiFile):
    now = 1000.0
    admission = Admission(keys, clock=lambda: now)
    (_, ana), (_, ben) = keys.create("Ana", requests_a_minute=2), keys.create("Ben")
    assert admission.enter(ana).name == "Ana"
    now += 30
    admission.enter(ana)
    with pytest.raises(ApiError, match="2 requests a minute: wait 30 seconds") as caught:
        admission.enter(ana)
    assert (caught.value.kind, caught.value.retry_after) == ("too_fast", 30)
    now += 29
    with pytest.raises(ApiError, match=r"wait 1 second\.$"):
        admission.enter(ana)
    now -= 29
    admission.enter(ben)
    now += 30
    admission.enter(ana)


def test_requests_at_once_are_counted(keys: ApiFile):
    admission = Admission(keys)
    caller = admission.enter(keys.create("Ana")[1])
    opened = [admission.running(caller) for _ in range(MAX_AT_ONCE)]
    for one in opened:
        one.__enter__()
    with pytest.raises(ApiError, match="at once"), admission.running(caller):
        pass
    opened[0].__exit__(None, None, None)
    with admission.running(caller):
        pass


def test_characters_per_day_are_counted_without_refused_requests(keys: ApiFile):
    admission = Admission(keys)
    caller = admission.enter(keys.create("Ana", characters_a_day=100)[1])
    admission.charge(caller, 60)
    with pytest.raises(ApiError, match="100 characters a day"):
        admission.charge(caller, 41)
    admission.charge(caller, 40)
    assert keys.characters_today(caller.key) == 100


def test_every_request_counts_as_use_of_the_key(keys: ApiFile):
    text = keys.create("Ana", may_export=True)[1]
    assert keys.keys()[0].last_used == ""
    Admission(keys).enter(text)  # such as to export a session, which costs no characters
    assert keys.keys()[0].last_used[:10] == datetime.now(UTC).date().isoformat()


def test_address_counts_as_a_key_only_where_a_dialect_allows_it(keys: ApiFile):
    admission = Admission(keys)
    keys.create("Ana", address="192.168.1.20")
    assert refusal(admission, None) == "no_key"
    assert admission.enter(None, "192.168.1.20").name == "Ana"
    assert refusal(admission, None, "192.168.1.21") == "no_key"
    assert refusal(admission, "pinpoint-guess", "192.168.1.20") == "wrong_key"


def day(offset: int) -> str:
    return (datetime.now(UTC) + timedelta(days=offset)).date().isoformat()


def expire(keys: ApiFile) -> None:
    """Makes yesterday the last day of all keys."""
    keys.connection.db.execute("UPDATE key SET expires = ?", (day(-1),))


def test_key_is_refused_after_its_last_day(keys: ApiFile):
    admission = Admission(keys)
    key, text = keys.create("Ana", expires=day(0), address="192.168.1.20", signs_in=True)
    assert admission.enter(text).key == key and keys.is_valid(key) and keys.person_with(text) == "Ana"
    assert admission.enter(None, "192.168.1.20").name == "Ana" and keys.is_in(text.encode())
    expire(keys)
    with pytest.raises(ApiError, match=f"expired after {day(-1)}") as caught:
        admission.enter(text)
    assert caught.value.kind == "wrong_key"
    assert refusal(admission, None, "192.168.1.20") == "no_key"
    assert not keys.is_valid(key) and keys.person_with(text) is None and not keys.is_in(text.encode())


@pytest.mark.parametrize(
    ("networks", "allowed", "refused"),
    [
        (["192.168.1.20"], ["192.168.1.20", "::ffff:192.168.1.20"], ["192.168.1.21", "::1", ""]),
        (["10.1.2.3/8", "2001:db8::/32"], ["10.255.0.1", "2001:db8:1::5"], ["11.0.0.1", "2001:db9::1", "proxy"]),
        ([], ["192.168.1.20", "::1", ""], []),
    ],
)
def test_key_is_good_only_for_addresses_in_its_networks(
    keys: ApiFile, networks: list[str], allowed: list[str], refused: list[str]
):
    admission = Admission(keys)
    _, text = keys.create("Ana", networks=networks, signs_in=True)
    for address in allowed:
        assert admission.enter(text, client=address).name == "Ana"
    for address in refused:
        with pytest.raises(ApiError, match="cannot be used from the address") as caught:
            admission.enter(text, client=address)
        assert caught.value.kind == "forbidden"


def test_program_is_refused_at_another_address(gateway: ApiGateway, keys: ApiFile):
    text = keys.create("Ana", networks=["10.0.0.0/8"])[1]
    replies = {
        address: Program(gateway, address, authorization=f"Bearer {text}").get("/api/v1/usage")
        for address in ("10.9.8.7", "192.168.1.20")
    }
    assert replies["10.9.8.7"].status_code == 200
    assert replies["192.168.1.20"].json()["error"] == {
        "kind": "forbidden",
        "message": "This key cannot be used from the address 192.168.1.20.",
    }


def test_browser_is_told_why_its_key_is_refused(keys: ApiFile):
    text = keys.create("Ana", networks=["10.0.0.0/8"], expires=day(3), signs_in=True)[1]
    sign_in = SignIn("t0ken-of-this-test_000", keys.person_with, keys=keys)
    cookie = [(b"cookie", f"{sign_in.cookie}={text}".encode())]
    assert sign_in.person_of(cookie, "10.1.1.1") == "Ana" and sign_in.person_of(cookie, "11.1.1.1") is None
    assert [str(each) for each in sign_in.limits_of_key(cookie)] == [
        f"This key is valid until {day(3)} (UTC).",
        "This key can be used only from 10.0.0.0/8.",
    ]
    german = [(b"accept-language", b"de"), *cookie]
    shown = sign_in.answer(b"", german, "11.1.1.1")
    assert shown is not None and "von der Adresse 11.1.1.1 aus nicht" in bytes(shown.body).decode()
    assert b"cannot be used from" in bytes(sign_in.with_token(text, [], "11.1.1.1", is_https=False).body)
    expire(keys)
    assert b"expired after" in bytes(sign_in.with_token(text, [], "10.1.1.1", is_https=False).body)
    assert sign_in.person_of(cookie, "10.1.1.1") is None


def test_file_of_an_earlier_version_keeps_its_keys(tmp_path: Path):
    file = ApiFile.beside(tmp_path / "log.sqlite")
    key, text = file.create("Ana")
    for column in ("expires", "networks", "signs_in"):
        file.connection.db.execute(f"ALTER TABLE key DROP COLUMN {column}")
    file.close()
    again = ApiFile.beside(tmp_path / "log.sqlite")
    assert again.find(text) == key and Admission(again).enter(text).name == "Ana"
    again.close()


def test_impossible_limits_of_a_key_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    log = ["--log", str(tmp_path / "log.sqlite")]
    for flags, problem in (
        (["--expires", "tomorrow"], "'tomorrow' is not a date"),
        (["--expires", day(-1)], "is in the past"),
        (["--only-from", "10.0.0.0/99"], "is not an IP address or a network"),
    ):
        assert main(["keys", "create", "Ana", *flags, *log]) == 2
        assert problem in capsys.readouterr().err
    limits = ["--expires", day(9), "--only-from", "10.0.0.0/8", "--only-from", "2001:db8::1"]
    assert main(["keys", "create", "Ana", *limits, *log]) == 0 and main(["keys", "list", *log]) == 0
    assert f"Ana (until {day(9)}, only from 10.0.0.0/8 2001:db8::1/128)" in capsys.readouterr().out


def test_command_line_is_read_without_database_and_web_server():
    """The model begins to load only after the flags are read; pandas alone, behind sqlite-utils, took 0.2 seconds."""
    heavy = ("sqlite_utils", "pandas", "fastapi", "torch", "gradio")
    code = f"import sys, app.__main__; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
