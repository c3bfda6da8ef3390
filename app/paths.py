"""Where things stand: the bundled model and samples, and the log in the person's own data folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_DATA = Path(__file__).resolve().parent.parent / "data"
MODEL_FOLDER = _DATA / "models" / "en-de"
SAMPLES_FOLDER = _DATA / "samples"


def default_log_path() -> Path:
    """The sessions' database: in the system's folder for a person's data, which the app makes when it needs it."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "pinpoint" / "sessions.sqlite"
