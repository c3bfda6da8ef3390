"""Passwords: what is kept, what is accepted, how many attempts there are, and when a browser is signed out."""

from __future__ import annotations

import io
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.__main__ import main
from app.errors import AppError, CommandError, SignInError
from app.log.store import LogStore
from app.serving import passwords as module
from app.serving.browsers import LASTS
from app.serving.keys import ApiFile
from app.serving.passwords import Attempts, Passwords

SECRET = "four words of Ana's own"
HOME = "192.0.2.1"


class Clock:
    """Seconds that a test chooses."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(keys: ApiFile, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Passwords:
    """The passwords of Ana, with a hash that costs little time."""
    from argon2 import PasswordHasher

    monkeypatch.setattr(module, "_hasher", lambda: PasswordHasher(1, 8, 1))
    people = Passwords(keys, clock)
    people.put("Ana", SECRET)
    return people


def refusal(people: Passwords, name: str, password: str, address: str = HOME) -> str:
    with pytest.raises(SignInError) as found:
        people.sign_in(name, password, address)
    return str(found.value)


def test_name_and_password_sign_a_browser_in(people: Passwords):
    token = people.sign_in(" Ana ", SECRET, HOME)
    assert people.browsers.person_with(token) == "Ana" and people.browsers.number_of("Ana") == 1
    assert people.browsers.person_with(token + "x") is None and people.browsers.person_with("") is None
    assert people.sign_in("Ana", SECRET, HOME) != token


def test_hash_is_argon2id_with_64_mib_and_differs_for_the_same_password(keys: ApiFile):
    people = Passwords(keys)
    people.put("Ana", SECRET)
    people.put("Ben", SECRET)
    rows = [row[0] for row in keys.connection.db.execute("SELECT hash FROM password")]
    assert all(row.startswith("$argon2id$v=19$m=65536,t=3,p=4$") for row in rows) and len(set(rows)) == 2


def test_neither_password_nor_token_is_in_the_file(people: Passwords, keys: ApiFile):
    token = people.sign_in("Ana", SECRET, HOME)
    keys.close()
    data = b"".join(path.read_bytes() for path in keys.connection.path.parent.iterdir())
    assert b"Ana" in data and SECRET.encode() not in data and token.encode() not in data


def test_wrong_name_and_wrong_password_have_the_same_answer_and_the_same_work(
    people: Passwords, monkeypatch: pytest.MonkeyPatch
):
    compared: list[str] = []
    matches = Passwords._matches
    monkeypatch.setattr(
        Passwords,
        "_matches",
        staticmethod(lambda stored, given: compared.append(stored[:26]) or matches(stored, given)),
    )
    assert refusal(people, "Ana", "wrong") == refusal(people, "Nobody", SECRET) == refusal(people, "", "")
    assert len(compared) == 3 and len(set(compared)) == 1, "each compares with a hash of the same cost"


@pytest.mark.parametrize("password", ["", "short", "x" * 201, "a" * 20, "abababababababab", "AnaAnaAna, ANA!"])
def test_weak_password_is_refused_and_the_old_one_stays(people: Passwords, password: str):
    with pytest.raises(CommandError):
        people.put("Ana", password)
    assert people.sign_in("Ana", SECRET, HOME)


def test_accents_count_the_same_however_the_system_writes_them(people: Passwords):
    people.put("Ben", "vier schöne Wörter")  # ö as one character
    assert people.sign_in("Ben", "vier scho\u0308ne Wo\u0308rter", HOME)


def test_half_characters_and_zero_bytes_are_a_wrong_password(people: Passwords):
    assert refusal(people, "Ana", "\ud800") == refusal(people, "\0", "\0")


def test_tenth_wrong_attempt_is_the_last_for_a_quarter_of_an_hour(people: Passwords, clock: Clock):
    for number in range(Attempts.MOST_OF_PERSON):
        assert "is wrong" in refusal(people, "Ana", "wrong", f"192.0.2.{number}")
    with pytest.raises(SignInError, match="Too many attempts to sign in: try again in 15 min") as found:
        people.sign_in("Ana", SECRET, HOME)
    assert found.value.retry_after == 900
    people.put("Ben", SECRET)
    assert people.sign_in("Ben", SECRET, HOME), "others go on"
    clock.now += Attempts.WINDOW_SECONDS
    assert people.sign_in("Ana", SECRET, HOME)


def test_limit_is_the_same_for_names_that_nobody_has(people: Passwords):
    for _ in range(Attempts.MOST_OF_PERSON):
        refusal(people, "Nobody", "wrong")
    assert "Too many attempts" in refusal(people, "Nobody", "wrong")


def test_address_that_tries_many_names_is_stopped(people: Passwords):
    for number in range(Attempts.MOST_OF_ADDRESS):
        refusal(people, f"name{number}", "wrong", f"2001:db8::{number:x}")  # one network of one computer
    assert "Too many attempts" in refusal(people, "Ana", SECRET, "2001:db8::ffff")
    assert people.sign_in("Ana", SECRET, "2001:db8:0:1::1")
    assert people.sign_in("Ana", SECRET, "::ffff:192.0.2.9")


def test_success_ends_the_count_of_the_person_but_not_of_the_address(people: Passwords):
    for number in range(Attempts.MOST_OF_ADDRESS - 1):
        refusal(people, f"name{number}", "wrong")
    for _ in range(3):
        assert people.sign_in("Ana", SECRET, HOME)
    refusal(people, "Ana", "wrong")
    assert "Too many attempts" in refusal(people, "Ana", SECRET)


def test_attempts_at_the_same_time_are_counted_before_they_are_compared(people: Passwords):
    def attempt(number: int) -> str:
        try:
            return people.sign_in("Ana", "wrong", f"192.0.2.{number}")
        except AppError as error:
            return str(error)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(attempt, range(40)))
    assert sum("is wrong" in answer for answer in answers) <= Attempts.MOST_OF_PERSON


def test_number_of_counted_names_is_bounded(people: Passwords, clock: Clock, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Attempts, "_MAX_KEPT", 100)
    attempts = Attempts(clock)
    for number in range(1000):
        attempts.begin(f"name{number}", f"192.0.{number // 256}.{number % 256}")
    assert len(attempts._begun) == 100


def test_few_passwords_are_compared_at_the_same_time_and_few_wait(people: Passwords, monkeypatch: pytest.MonkeyPatch):
    """Each takes 64 MiB."""
    running, most, gate = 0, 0, threading.Event()
    lock = threading.Lock()

    def slow(stored: str, given: str) -> bool:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        gate.wait(60)
        with lock:
            running -= 1
        return False

    people._hash_of_nobody()
    monkeypatch.setattr(Passwords, "_matches", staticmethod(slow))

    def attempt(number: int) -> str:
        answer = refusal(people, f"name{number}", "wrong", f"192.0.2.{number}")
        if "Many people" in answer:
            gate.set()
        return answer

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(attempt, range(12)))
    assert most == 2 and 1 <= sum("Many people" in answer for answer in answers) <= 4


def test_changed_password_signs_out_all_other_browsers(people: Passwords):
    first, second = people.sign_in("Ana", SECRET, HOME), people.sign_in("Ana", SECRET, HOME)
    with pytest.raises(SignInError):
        people.change("Ana", "wrong", "five quite different words", HOME)
    with pytest.raises(CommandError, match="already"):
        people.change("Ana", SECRET, SECRET, HOME)
    assert people.browsers.person_with(first) == "Ana"
    token = people.change("Ana", SECRET, "five quite different words", HOME)
    assert [people.browsers.person_with(each) for each in (first, second, token)] == [None, None, "Ana"]
    assert "is wrong" in refusal(people, "Ana", SECRET)


def test_person_and_administrator_end_sign_ins(people: Passwords):
    first, second = people.sign_in("Ana", SECRET, HOME), people.sign_in("Ana", SECRET, HOME)
    people.browsers.sign_out(first)
    assert [people.browsers.person_with(each) for each in (first, second)] == [None, "Ana"]
    assert people.browsers.sign_out_everywhere("Ana") == 1 and people.browsers.person_with(second) is None
    third = people.sign_in("Ana", SECRET, HOME)
    assert people.remove("Ana") and not people.remove("Ana")
    assert people.browsers.person_with(third) is None and not people.are_used
    assert "is wrong" in refusal(people, "Ana", SECRET)


def test_password_removed_during_its_comparison_does_not_sign_in(people: Passwords, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Passwords, "_matches", staticmethod(lambda stored, given: people.remove("Ana")))
    assert "is wrong" in refusal(people, "Ana", SECRET)
    assert people.browsers.number_of("Ana") == 0


def test_browser_that_is_not_used_for_a_month_is_signed_out(people: Passwords, keys: ApiFile):
    token = people.sign_in("Ana", SECRET, HOME)

    def last_used(days: int) -> None:
        when = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
        keys.connection.db.execute("UPDATE browser SET last_used = ?", (when,))

    last_used(LASTS.days - 1)
    assert people.browsers.person_with(token) == "Ana"
    assert keys.connection.db.execute("SELECT last_used FROM browser").fetchone()[0][:10] == str(
        datetime.now(UTC).date()
    )
    last_used(LASTS.days + 1)
    assert people.browsers.person_with(token) is None and people.browsers.number_of("Ana") == 0
    people.sign_in("Ana", SECRET, HOME)
    assert keys.connection.db.execute("SELECT count(*) FROM browser").fetchone()[0] == 1, "the old one is deleted"


def test_fifty_browsers_of_a_person_are_kept(people: Passwords):
    first = people.sign_in("Ana", SECRET, HOME)
    for _ in range(50):
        last = people.sign_in("Ana", SECRET, HOME)
    assert people.browsers.number_of("Ana") == 50
    assert [people.browsers.person_with(first), people.browsers.person_with(last)] == [None, "Ana"]


def test_backup_has_the_passwords(people: Passwords, keys: ApiFile, tmp_path: Path):
    keys.back_up(tmp_path / "copy.keys")
    rows = sqlite3.connect(tmp_path / "copy.keys").execute("SELECT name FROM password").fetchall()
    assert rows == [("Ana",)]


def test_command_asks_for_the_password_and_ends_sign_ins(
    keys: ApiFile,
    people: Passwords,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
):
    log = tmp_path / "log.sqlite"
    store = LogStore.open(log)
    store.people.put("Ana", "translator")
    store.close()

    def run(*arguments: str, typed: str = "") -> int:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        return main(["people", *arguments, "--log", str(log)])

    def answers(*typed: str) -> None:
        monkeypatch.setattr("sys.stdin", type("Terminal", (), {"isatty": lambda self: True})())
        given = iter(typed)
        monkeypatch.setattr("app.cli.people_command.getpass", lambda prompt: next(given))

    assert run("password", "Ana", typed=f"{SECRET}!\n") == 0
    token = people.sign_in("Ana", f"{SECRET}!", HOME)
    assert run("sign-out", "Ana") == 0 and people.browsers.person_with(token) is None
    assert run("password", "Ana", typed="short\n") == 2 and run("password", "Nobody", typed=f"{SECRET}\n") == 2
    answers(SECRET, SECRET + "x")
    assert main(["people", "password", "Ana", "--log", str(log)]) == 2
    answers(SECRET, SECRET)
    assert main(["people", "password", "Ana", "--log", str(log)]) == 0 and people.sign_in("Ana", SECRET, HOME)
    assert run("password", "Ana", "--delete") == 0 and run("password", "Ana", "--delete") == 2
    assert run("password", "Ana", typed=SECRET) == 0 and run("remove", "Ana") == 0
    assert not people.has("Ana") and SECRET not in "".join(capsys.readouterr())
