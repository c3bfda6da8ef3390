"""The headers of a web request: their limits, and what they say about the sender."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

Header = tuple[bytes, bytes]  # the name in small letters

MAX_HEADER_BYTES: Final = 64 * 2**10  # of all headers of a request with its address
MAX_HEADERS: Final = 100


def headers_problem(headers: Sequence[Header]) -> str | None:
    """Why a request is refused because of the size of its headers; None if they are small enough."""
    if len(headers) > MAX_HEADERS:
        return f"The request has more than {MAX_HEADERS} headers."
    if sum(len(name) + len(value) for name, value in headers) > MAX_HEADER_BYTES:
        return f"The headers of the request are larger than {MAX_HEADER_BYTES // 1024} KiB."
    return None


def is_https(scheme: str, headers: Iterable[Header]) -> bool:
    """True if a browser sent a request by https, to this server or to a proxy before it.

    Whoever writes the header of a proxy can only get a cookie that his own browser does not send.
    """
    sent = dict(headers)
    return (
        scheme == "https"
        or sent.get(b"x-forwarded-proto", b"").strip().lower() == b"https"
        or sent.get(b"origin", b"").startswith(b"https:")
    )
