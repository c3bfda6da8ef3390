"""Paths of the bundled data, and of the log in the user's own data folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from platformdirs import user_data_path

_ROOT = Path(__file__).resolve().parent.parent
_INSTALLED_DATA = _ROOT / "pinpoint_data"  # its name in a wheel; in a checkout it is `data`
_DATA = _INSTALLED_DATA if _INSTALLED_DATA.is_dir() else _ROOT / "data"
MODEL_FOLDER = _DATA / "models" / "en-de"
SAMPLES_FOLDER = _DATA / "samples"
BRITISH_SPELLINGS = _DATA / "spelling" / "british.tsv"


def default_log_path() -> Path:
    """The log in the user's data folder, or where PINPOINT_LOG says; the app creates it when it is needed.

    Version 0.1 did not use platformdirs: a log in its folder is still found.
    """
    if chosen := os.environ.get("PINPOINT_LOG"):
        return Path(chosen)
    path = user_data_path("pinpoint", appauthor=False) / "sessions.sqlite"
    earlier = _earlier_data_folder() / "pinpoint" / "sessions.sqlite"
    return earlier if earlier.exists() and not path.exists() else path


def _earlier_data_folder() -> Path:
    """Differs from platformdirs only where XDG_DATA_HOME (macOS) or LOCALAPPDATA (Windows) has another value."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
