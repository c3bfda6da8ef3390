"""JSON of clients: large messages are counted before they are parsed, and parsed without stopping other requests."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from typing import Any

import pytest

from app.text import client_json
from app.text.client_json import MAX_MARKS, MAX_SMALL_BYTES, parsed_json, read_json

LONG = "x" * (MAX_SMALL_BYTES + 1)


def num_values(value: Any) -> int:
    """The number of values inside of a value, plus 1 for each list and object; 1 more for an empty one."""
    if isinstance(value, dict):
        return max(1, len(value)) + sum(map(num_values, value.values()))
    return max(1, len(value)) + sum(map(num_values, value)) if isinstance(value, list) else 0


def random_value(random: random.Random, depth: int) -> Any:
    def text() -> str:
        return "".join(random.choices('ab,[{]}:"\\\n\u2028ä😀', k=random.randrange(6)))

    if depth == 0 or random.random() < 0.2:
        return random.choice([None, True, 12, -1.5, text(), text()])
    values = [random_value(random, depth - 1) for _ in range(random.randrange(5))]
    return values if random.random() < 0.5 else {f"{text()}{number}": value for number, value in enumerate(values)}


@pytest.mark.parametrize("seed", range(30))
def test_marks_are_counted_outside_of_texts_only(seed: int, monkeypatch: pytest.MonkeyPatch):
    value = [LONG, *(random_value(random.Random(seed), 4) for _ in range(20))]
    num_marks = num_values(value)
    for is_ascii in (True, False):
        data = json.dumps(value, ensure_ascii=is_ascii).encode()
        monkeypatch.setattr(client_json, "MAX_MARKS", num_marks)
        assert read_json(data) == value
        monkeypatch.setattr(client_json, "MAX_MARKS", num_marks - 1)
        with pytest.raises(ValueError, match="too many values"):
            read_json(data)


@pytest.mark.parametrize(
    "data",
    [
        b"[" + b"[]," * MAX_MARKS + b"1]",
        b'{"a": ' + b"1," * MAX_MARKS,
        b'{"\\"": [' + b"1," * MAX_MARKS,  # after a text with a quotation mark
        b'{"\\\\": [' + b"1," * MAX_MARKS,  # after a text that ends with a backslash
        b'""' * 2 * MAX_MARKS + b'"',
    ],
    ids=["lists", "numbers", "after a quotation mark", "after a backslash", "texts"],
)
def test_too_many_values_are_refused_before_they_are_parsed(data: bytes, monkeypatch: pytest.MonkeyPatch):
    def parse(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was parsed")

    monkeypatch.setattr(json, "loads", parse)
    with pytest.raises(ValueError, match="too many values"):
        read_json(data)


@pytest.mark.parametrize(
    "data",
    [b"", b"[NaN]", b"[Infinity]", b'{"a": -Infinity}', b"[" * 100_000, b"\xff", '["a"]'.encode("utf-16"), b"9" * 5000],
)
def test_what_is_not_plain_json_is_refused(data: bytes):
    with pytest.raises(ValueError):  # noqa: PT011 (whichever the parser raises)
        read_json(data)


def test_a_text_may_be_long_and_have_marks_in_it():
    text = ',[{"\\' * MAX_MARKS
    assert read_json(json.dumps({"a": text}).encode()) == {"a": text}
    assert read_json(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}, "a byte order mark is allowed"


def test_only_a_large_text_is_parsed_in_a_thread(monkeypatch: pytest.MonkeyPatch):
    threads: list[bool] = []
    read = client_json.read_json

    def noted(data: bytes) -> Any:
        threads.append(threading.current_thread() is threading.main_thread())
        return read(data)

    monkeypatch.setattr(client_json, "read_json", noted)
    assert asyncio.run(parsed_json(b'"short"')) == "short"
    assert asyncio.run(parsed_json(json.dumps(LONG).encode())) == LONG
    assert threads == [True, False]
