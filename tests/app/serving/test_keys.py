"""Keys of the HTTP API: what is stored, who is let in, and the limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.__main__ import main
from app.errors import ApiError, CommandError, LogError
from app.serving.admission import Admission
from app.serving.api_limits import MAX_AT_ONCE
from app.serving.keys import ApiFile


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


def test_command_line_is_read_without_database_and_web_server():
    """The model begins to load only after the flags are read; pandas alone, behind sqlite-utils, took 0.2 seconds."""
    heavy = ("sqlite_utils", "pandas", "fastapi", "torch", "gradio")
    code = f"import sys, app.__main__; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
