"""Creates damaged copies of files, deterministically for a given random generator.

In archives, a part is damaged and the archive's sizes and checksums are updated for it.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from random import Random

MAX_BYTES = 200_000
# Structural tokens, unusual numbers and characters, and signatures of other file types.
_TOKENS = (
    b"<", b">", b"</", b"/>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?", b"&", b"&amp;", b"&#0;", b"&#x110000;",
    b"&lol;", b"<!DOCTYPE x [<!ENTITY lol 'ha'>]>", b"<!DOCTYPE x SYSTEM 'file:///etc/passwd'>",
    b' xml:space="preserve"', b"{1}", b"{/1}", b"{2}", b"{99999999999999999999}", b"%s", b"%1$s", b"{0}", b"`",
    b"```\n", b"|", b"---\n", b"[](", b"*", b"**", b"\t", b" ", b"\r", b"\n", b"\r\n", b"\n\n", b'"', b'""', b"'",
    b"\\", b",", b";", b"=", b"#", b"#UTX ", b"msgid ", b"msgstr[7] ", b'msgctxt "', b"#~ ", b"#| ", b"-->",
    b"00:00:00,000 --> 99:99:99,999\n", b"0", b"-1", b"1e309", b"9" * 30, b"\x00", b"\x01", b"\x1a", b"\x7f",
    b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", "\u2028".encode(),
    "\u0085".encode(), "\u200e".encode(), "\ufffe".encode(), "e\u0301".encode(), "\U0001f600".encode(),
    "ß".encode("cp1252"), b"null", b"true", b"[]", b"PK\x03\x04", b"..\\../",
)  # fmt: skip
_ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-7", "cp037")


def damaged(sample: bytes, others: list[bytes], random: Random) -> bytes:
    """A copy of `sample` with one to six kinds of damage, sometimes with a piece of one of `others`."""
    if sample.startswith(b"PK") and random.random() < 0.7:
        return _with_damaged_part(sample, random)
    return _damaged_bytes(sample, others, random)


def _damaged_bytes(data: bytes, others: list[bytes], random: Random) -> bytes:
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        kind = random.choice(_KINDS)
        data = kind(data, random)[:MAX_BYTES]
    if others and random.random() < 0.05:
        other = random.choice(others)
        data = data[: _place(data, random)] + other[_place(other, random) :]
    return data


def _with_damaged_part(archive: bytes, random: Random) -> bytes:
    """The archive with one part damaged, removed, renamed or compressed differently."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(target, "w") as new:
        infos = old.infolist()
        chosen = random.choice(infos)
        for info in infos:
            content, name, method = old.read(info), info.filename, zipfile.ZIP_DEFLATED
            if info is chosen:
                fate = random.random()
                if fate < 0.05:
                    continue
                if fate < 0.1:
                    name = random.choice(("../../evil.xml", "/etc/x", "C:\\x", "a" * 300, name.upper()))
                elif fate < 0.15:
                    method = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
                else:
                    content = _damaged_bytes(content, [], random)
            new.writestr(name, content, method)
    return target.getvalue()


def _place(data: bytes, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _stretch(data: bytes, random: Random) -> tuple[int, int]:
    start = _place(data, random)
    return start, min(len(data), start + random.choice((1, 2, 5, 20, 100, 1000)))


def _flip(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 3, 20)) if data else 0):
        changed[random.randrange(len(data))] = random.randrange(256)
    return bytes(changed)


def _cut(data: bytes, random: Random) -> bytes:
    start, end = _stretch(data, random)
    return data[:start] + data[end:]


def _end_early(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)]


def _put(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + random.choice(_TOKENS) + data[at:]


def _put_many(data: bytes, random: Random) -> bytes:
    """Repeats a token many times, which takes quadratic algorithms too long."""
    at = _place(data, random)
    tokens = b"".join(random.choice(_TOKENS) for _ in range(random.choice((1, 1, 2))))
    return data[:at] + tokens * random.choice((10, 300, 5000)) + data[at:]


def _repeat(data: bytes, random: Random) -> bytes:
    start, end = _stretch(data, random)
    times = random.choice((1, 2, 50, 2000))
    return data[:end] + data[start:end] * min(times, MAX_BYTES // max(1, end - start)) + data[end:]


def _move(data: bytes, random: Random) -> bytes:
    start, end = _stretch(data, random)
    rest = data[:start] + data[end:]
    at = _place(rest, random)
    return rest[:at] + data[start:end] + rest[at:]


def _encode(data: bytes, random: Random) -> bytes:
    try:
        return data.decode("utf-8").encode(random.choice(_ENCODINGS), "replace")
    except UnicodeDecodeError:
        return data


_KINDS: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flip, _cut, _cut, _end_early, _put, _put, _put, _put_many, _repeat, _move, _move, _encode,
)  # fmt: skip
