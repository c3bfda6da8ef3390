"""Downloads one file over HTTP to disk: resumed where an earlier try ended, bounded, checked, unpacked."""

from __future__ import annotations

import gzip
import hashlib
import json
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from app import VERSION
from app.errors import BrokenDownload, DownloadError
from app.i18n import Message
from app.lean_imports import hidden
from app.whole_files import write_through

with hidden("httpx._main"):  # its command line: rich and click take 0.25 s of processor time
    import httpx

CHUNK_BYTES: Final = 1 << 16
MAX_TRIES: Final = 3  # without a new byte in between
PAUSE_SECONDS: Final = 0.5  # before the second try; twice that before the third
PROGRESS_SECONDS: Final = 60.0  # in this time, a server must send
PROGRESS_BYTES: Final = 30_000  # or the download ends, to be continued later
_GZIP: Final = b"\x1f\x8b"
_GONE: Final = (404, 410)
# Called with the bytes received and expected; an exception that it raises ends the transfer.
OnBytes = Callable[[int, int], object]


def new_client() -> httpx.Client:
    """A client that uses the proxy of the environment and follows redirects."""
    return httpx.Client(
        follow_redirects=True,
        max_redirects=5,
        timeout=httpx.Timeout(10.0),
        # Without "gzip" some servers unpack files on the way and then cannot resume them.
        headers={"User-Agent": f"Pinpoint/{VERSION}", "Accept-Encoding": "gzip"},
    )


def download(client: httpx.Client, url: str, target: Path, max_bytes: int, on_bytes: OnBytes) -> None:
    """Downloads `url` to `target`, which exists only when it is whole.

    An interrupted transfer leaves `target` with ".part" beside it; the next call continues it if the server still has
    the same file. Raises DownloadError, and OSError for a problem with the disk.
    """
    if target.is_file():
        return
    progress = _Progress(url)

    def note(num_bytes: int, expected: int) -> None:
        progress.check(num_bytes)
        on_bytes(num_bytes, expected)

    tries = 0
    while True:
        num_before = _size(_part(target))
        try:
            _continue(client, url, target, max_bytes, note)
            return
        except (httpx.TransportError, httpx.HTTPStatusError, httpx.TooManyRedirects) as error:
            tries = tries + 1 if _size(_part(target)) <= num_before else 1
            if tries == MAX_TRIES or not _may_pass(error):
                raise _explained(url, error) from error
            note(_size(_part(target)), max_bytes)
            time.sleep(PAUSE_SECONDS * 2 ** (tries - 1))


def fetch_bytes(client: httpx.Client, url: str, max_bytes: int) -> bytes:
    """The content of a small file. Raises DownloadError."""
    try:
        with client.stream("GET", url) as response:
            _check(response, url)
            progress = _Progress(url)
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                progress.check(len(data))
                if len(data) > max_bytes:
                    raise _too_large(url, max_bytes)
            return bytes(data)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise DownloadError(
            "{url} cannot be read ({reason}): check the connection and try again.", url=url, reason=_reason(error)
        ) from error


class _Progress:
    """Ends a transfer from a server that sends almost nothing, which no timeout for a single read notices."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._since = time.monotonic()
        self._num_bytes: int | None = None  # received by then

    def check(self, num_bytes: int) -> None:
        """Notes the bytes received so far. Raises BrokenDownload if they were too few for a while."""
        now = time.monotonic()
        if self._num_bytes is None or num_bytes < self._num_bytes:  # it begins, or begins again
            self._num_bytes = num_bytes
        elif now - self._since >= PROGRESS_SECONDS:
            if num_bytes - self._num_bytes < PROGRESS_BYTES:
                raise BrokenDownload(
                    "{url} arrives too slowly: try again later. The part received so far is kept.", url=self._url
                )
            self._since, self._num_bytes = now, num_bytes


def unpack(packed: Path, target: Path, max_bytes: int, num_bytes: int | None, sha256: str | None) -> None:
    """Unpacks a gzip file, or copies any other one, and checks its size and SHA-256 where these are given.

    Raises DownloadError, and OSError for a problem with the disk; then `target` may be left in part.
    """
    digest = hashlib.sha256()
    num_written = 0
    with packed.open("rb") as file:
        is_packed = file.read(2) == _GZIP
        file.seek(0)
        source = gzip.GzipFile(fileobj=file) if is_packed else file
        with target.open("wb") as output:
            try:
                while chunk := source.read(CHUNK_BYTES):
                    num_written += len(chunk)
                    if num_written > max_bytes:
                        raise _too_large(target.name, max_bytes)
                    digest.update(chunk)
                    output.write(chunk)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise _damaged(target.name) from error
    is_wrong = num_written != num_bytes if num_bytes is not None else num_written == 0
    if is_wrong or (sha256 is not None and digest.hexdigest() != sha256):
        raise _damaged(target.name)


def _continue(client: httpx.Client, url: str, target: Path, max_bytes: int, on_bytes: OnBytes) -> None:
    """One request for the rest of a file, or for the whole file if it has changed on the server."""
    part, note = _part(target), target.with_name(target.name + ".validator")
    validator = _read_validator(note)
    num_here = _size(part) if validator else 0
    headers = {"Range": f"bytes={num_here}-", "If-Range": validator} if num_here else {}
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.unlink(missing_ok=True)
            note.unlink(missing_ok=True)
        _check(response, url)
        is_rest = response.headers.get("Content-Range", "").startswith(f"bytes {num_here}-")
        if response.status_code != httpx.codes.PARTIAL_CONTENT or not is_rest:
            num_here = 0
            part.write_bytes(b"")  # first: an earlier file's bytes never stand beside the new file's validator
        note.write_text(json.dumps(_validator(response)), encoding="utf-8")
        length = response.headers.get("Content-Length", "")
        expected = num_here + int(length) if length.isascii() and length.isdecimal() else 0
        if expected > max_bytes:
            raise _too_large(url, max_bytes)
        with part.open("ab") as file:
            on_bytes(num_here, expected)
            for chunk in response.iter_raw():
                num_here += len(chunk)
                if num_here > max_bytes:
                    raise _too_large(url, max_bytes)
                file.write(chunk)
                on_bytes(num_here, expected)
    write_through(part)
    part.replace(target)
    note.unlink(missing_ok=True)


def _check(response: httpx.Response, url: str) -> None:
    """Raises HTTPStatusError for an error, and DownloadError for a step from HTTPS to plain HTTP."""
    response.raise_for_status()
    if url.startswith("https:") and any(each.url.scheme != "https" for each in (*response.history, response)):
        raise DownloadError("{url} redirects to an address without encryption: not downloaded.", url=url)


def _validator(response: httpx.Response) -> str:
    """The validator by which a server recognises the same file (RFC 9110, 13.1.5)."""
    etag: str = response.headers.get("ETag", "")
    return etag if etag and not etag.startswith("W/") else response.headers.get("Last-Modified", "")


def _read_validator(note: Path) -> str:
    with suppress(OSError, ValueError):
        return str(json.loads(note.read_text(encoding="utf-8")))
    return ""


def _part(target: Path) -> Path:
    return target.with_name(target.name + ".part")


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def _may_pass(error: Exception) -> bool:
    """True if trying again may help."""
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code in (416, 429) or error.response.is_server_error
    return not isinstance(error, httpx.UnsupportedProtocol | httpx.TooManyRedirects)


def _explained(url: str, error: Exception) -> DownloadError:
    if isinstance(error, httpx.HTTPStatusError) and error.response.status_code in _GONE:
        return DownloadError(
            "{url} was not found on the server ({status}): update the list of models.",
            url=url,
            status=error.response.status_code,
        )
    kind = BrokenDownload if _may_pass(error) else DownloadError
    return kind(
        Message(
            "{url} cannot be downloaded ({reason}): check the connection and try again. The part received so far is "
            "kept.",
            url=url,
            reason=_reason(error),
        )
    )


def _reason(error: Exception) -> str:
    match error:
        case httpx.HTTPStatusError():
            return f"HTTP {error.response.status_code}"
        case httpx.ConnectError():
            return Message("the server cannot be reached")
        case httpx.TimeoutException():
            return Message("the server does not answer")
        case httpx.NetworkError() | httpx.RemoteProtocolError():
            return Message("the connection was interrupted")
    return str(error) or type(error).__name__


def _too_large(name: str, max_bytes: int) -> DownloadError:
    return DownloadError(
        "{name} is larger than expected (limit {limit:,} bytes): not installed.", name=name, limit=max_bytes
    )


def _damaged(name: str) -> DownloadError:
    return DownloadError(
        "{name} is damaged: its size or checksum differs from the published one. Download it again.", name=name
    )
