"""Where files are: the bundled data, and the log in the user's own data folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_INSTALLED_DATA = _ROOT / "pinpoint_data"  # its name in a wheel; in a checkout it is `data`
_DATA = _INSTALLED_DATA if _INSTALLED_DATA.is_dir() else _ROOT / "data"
MODEL_FOLDER = _DATA / "models" / "en-de"
SAMPLES_FOLDER = _DATA / "samples"
FORMS_FOLDER = _DATA / "forms"


def default_log_path() -> Path:
    """The sessions' database: in the system's folder for a person's data, which the app makes when it needs it."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "pinpoint" / "sessions.sqlite"
