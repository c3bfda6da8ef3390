"""Reads JSON of a client without long delays for other requests.

Python's parser holds the interpreter until it is done, in a thread too: 2 MiB of empty lists take 0.6 s, 30 MiB take
13 s and 0.8 GiB of memory. The time depends on the number of values, not on their length. So the values of a large
message are counted before it is parsed.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

MAX_SMALL_BYTES: Final = 16 * 2**10  # are parsed at once, in milliseconds
MAX_FIELDS: Final = 100  # of an object; no message has more
MAX_MARKS: Final = 50_000  # commas and opening brackets; the largest command names the 20,000 segments of a document
_MARKS: Final = (b",", b"[", b"{")


async def parsed_json(data: bytes) -> Any:
    """The value of a JSON text; a large one is parsed in a thread. Raises ValueError."""
    return read_json(data) if len(data) <= MAX_SMALL_BYTES else await asyncio.to_thread(read_json, data)


def read_json(data: bytes) -> Any:
    """The value of a JSON text in UTF-8.

    Raises ValueError with the place if it is not JSON (NaN and Infinity are not), is nested too deeply, or has too many
    values.
    """
    if len(data) > MAX_SMALL_BYTES and _num_marks(data) > MAX_MARKS:
        raise ValueError("too many values")
    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except _UnknownConstant as error:
        raise ValueError(f"{error} is not JSON") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except ValueError as error:  # of `int`
        raise ValueError("a number has too many digits") from error


def check_num_fields(value: object) -> object:
    """Raises ValueError for an object with very many fields: pydantic would report each unknown one, for seconds."""
    if isinstance(value, dict) and len(value) > MAX_FIELDS:
        raise ValueError("too many fields")
    return value


def _num_marks(data: bytes) -> int:
    """The number of marks between values. The parts between quotation marks are texts, in which nothing is counted.

    >>> _num_marks(rb'{"a": "x, \\" [y]", "b": [1, 2]}')
    4
    """
    plain = data.replace(rb"\\", b"").replace(rb"\"", b"")
    if (num_quotes := plain.count(b'"')) > 4 * MAX_MARKS:
        return num_quotes  # before they are split, which takes memory
    return sum(part.count(mark) for part in plain.split(b'"')[::2] for mark in _MARKS)


class _UnknownConstant(Exception):
    """NaN or Infinity."""


def _refuse_constant(name: str) -> Any:
    raise _UnknownConstant(name)
