"""Byte pieces (`<0xF0>`): a SentencePiece vocabulary with byte fallback spells rare characters in the bytes of UTF-8.

A byte piece is not a character of its own, so its surface is a character that texts do not contain: U+DC00 plus the
byte. `join_bytes` converts joined surfaces to text. As in SentencePiece, each byte that is not part of a character
becomes U+FFFD.
"""

from __future__ import annotations

import re
from codecs import utf_8_decode

REPLACEMENT = "\ufffd"

_FIRST = 0xDC00
_RUN = re.compile("[\udc00-\udcff]+")
_RUN_AT_END = re.compile(r"[\udc00-\udcff]+\Z")


def byte_piece(value: int) -> str:
    """The name of a byte's piece: `<0xF0>`."""
    return f"<0x{value:02X}>"


def byte_surface(value: int) -> str:
    """The surface of a byte's piece."""
    return chr(_FIRST + value)


def is_byte_surface(surface: str) -> bool:
    """True if this is the surface of a byte piece."""
    return len(surface) == 1 and "\udc00" <= surface <= "\udcff"


def bytes_of(surfaces: str) -> bytes:
    """The bytes that joined surfaces of byte pieces mean."""
    return bytes(ord(surface) - _FIRST for surface in surfaces)


def split_bytes(run: bytes) -> tuple[list[tuple[str, int]], bytes]:
    """The characters of a run of bytes, each with its number of bytes, and the remaining bytes.

    The remaining bytes may be the start of another character.

    >>> split_bytes(b"\\x80\\xc3\\xa9\\xf0\\x9f")
    ([('\\ufffd', 1), ('é', 2)], b'\\xf0\\x9f')
    """
    found: list[tuple[str, int]] = []
    while run:
        try:
            text, num_read = utf_8_decode(run, "strict", False)
            is_broken = False
        except UnicodeDecodeError as error:
            text, num_read, is_broken = run[: error.start].decode(), error.start + 1, True
        found += ((character, len(character.encode())) for character in text)
        run = run[num_read:]
        if not is_broken and b"\xed\xa0" <= run[:2] < b"\xee":  # a surrogate, whose third byte Python waits for
            run, is_broken = run[1:], True
        if not is_broken:
            break
        found.append((REPLACEMENT, 1))
    return found, run


def ends_unfinished(surfaces: str) -> bool:
    """True if joined surfaces end with some of the bytes of a character."""
    run = _RUN_AT_END.search(surfaces)
    return run is not None and bool(split_bytes(bytes_of(run[0]))[1])


def join_bytes(surfaces: str) -> str:
    """The text of joined surfaces: runs of bytes become characters, U+FFFD for each byte that is part of none."""
    return _RUN.sub(_text_of_run, surfaces)


def _text_of_run(match: re.Match[str]) -> str:
    found, rest = split_bytes(bytes_of(match[0]))
    return "".join(character for character, _ in found) + REPLACEMENT * len(rest)
