"""Pieces with bytes: a vocabulary spells rare characters in the bytes of UTF-8.

SentencePiece with byte fallback has pieces of one byte (`<0xF0>`). Byte-level BPE also has pieces of several bytes that
begin or end inside a character, together with whole characters. A byte is not a character of its own, so in a surface
it is a character that texts do not contain: U+DC00 plus the byte. `join_bytes` converts joined surfaces to text. As in
SentencePiece, each byte that is not part of a character becomes U+FFFD.
"""

from __future__ import annotations

import re
from codecs import utf_8_decode

REPLACEMENT = "\ufffd"

_FIRST = 0xDC00
_BYTE = re.compile("[\udc00-\udcff]")
_RUN = re.compile("[\udc00-\udcff]+")
_RUN_AT_END = re.compile(r"[\udc00-\udcff]+\Z")


def byte_piece(value: int) -> str:
    """The name of a byte's piece: `<0xF0>`."""
    return f"<0x{value:02X}>"


def byte_surface(value: int) -> str:
    """The surface of a byte's piece."""
    return chr(_FIRST + value)


def surface_of(data: bytes) -> str:
    """The surface of a piece that writes these bytes: the characters in it, and the bytes that are part of none."""
    characters, rest = split_bytes(data)
    parts, place = [], 0
    for character, num_bytes in characters:
        is_part = (character, num_bytes) == (REPLACEMENT, 1)
        parts.append(byte_surface(data[place]) if is_part else character)
        place += num_bytes
    return "".join(parts) + "".join(map(byte_surface, rest))


def has_bytes(surface: str) -> bool:
    """True if some of a piece is written in bytes."""
    return not surface.isascii() and _BYTE.search(surface) is not None


def begins_with_byte(surface: str) -> bool:
    """True if a piece begins with a byte, which may continue a character."""
    return "\udc00" <= surface[:1] <= "\udcff"


def bytes_of(surfaces: str) -> bytes:
    """Joined surfaces in UTF-8."""
    return b"".join(
        bytes([ord(character) - _FIRST]) if begins_with_byte(character) else character.encode()
        for character in surfaces
    )


def read_surface(unfinished: bytes, surface: str) -> tuple[str, bytes]:
    """The characters that a surface writes after an unfinished character, and the bytes of the next unfinished one.

    >>> read_surface(b"\\xc3", byte_surface(0xA9) + "t" + byte_surface(0xC3))
    ('ét', b'\\xc3')
    """
    if not has_bytes(surface):
        return REPLACEMENT * len(unfinished) + surface, b""
    characters, rest = split_bytes(unfinished + bytes_of(surface))
    return "".join(character for character, _ in characters), rest


def breaks_character(unfinished: bytes, surface: str) -> bool:
    """True if a surface after an unfinished character has bytes that are part of no character."""
    return (REPLACEMENT, 1) in split_bytes(unfinished + bytes_of(surface))[0]


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
