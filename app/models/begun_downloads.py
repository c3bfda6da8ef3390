"""Downloads that a person began and that have not ended, so that the next start of the app can continue them."""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from app.errors import Checked, CommandError
from app.models.published_models import BEGUN_SUFFIX, KEPT_SECONDS
from app.whole_files import write_whole
from engine import cache_folder

Kind = Literal["published", "pair", "hub"]


@dataclass(frozen=True, slots=True)
class BegunDownload(Checked):
    """A download that was started: a published model, a pair of models or a hub model, by its name, key or id.

    `is_continued`: a start of the app continued it already.
    """

    kind: Kind
    name: str
    is_continued: bool = False


class BegunDownloads:
    """One download for each document, in a file beside unfinished downloads. The file names no document."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or cache_folder().parent / "downloads"

    def note(self, token: str, download: BegunDownload) -> None:
        """Keeps the download of a document."""
        file = self._file(token)
        with suppress(OSError):  # then it is not continued by itself
            write_whole(file, json.dumps(asdict(download)).encode())

    def of(self, token: str) -> BegunDownload | None:
        """The download of a document that has not ended; None without one, or if it is older than a week."""
        file = self._file(token)
        try:
            found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            download = BegunDownload(found["kind"], str(found["name"])[:500], bool(found["is_continued"]))
            is_fresh = time.time() - file.stat().st_mtime < KEPT_SECONDS
        except (OSError, ValueError, LookupError, TypeError, CommandError):
            return None
        return download if is_fresh else None

    def forget(self, token: str) -> None:
        """Drops the download of a document: it has ended, or is not wanted any more."""
        with suppress(OSError):
            self._file(token).unlink(missing_ok=True)

    def _file(self, token: str) -> Path:
        return self._folder / f"{hashlib.sha256(token.encode()).hexdigest()[:24]}{BEGUN_SUFFIX}"
