"""Where the bundled data is: `data/` in a checkout, `pinpoint_data/` in a wheel; and what is kept of earlier starts."""

import os
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_INSTALLED_DATA = _ROOT / "pinpoint_data"
DATA_FOLDER = _INSTALLED_DATA if _INSTALLED_DATA.is_dir() else _ROOT / "data"


def user_cache() -> Path:
    """The folder of what can be made or downloaded again."""
    return Path(os.environ.get("PINPOINT_CACHE") or Path.home() / ".cache" / "pinpoint")
