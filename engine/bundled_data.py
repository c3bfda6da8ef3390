"""Where the bundled data is: `data/` in a checkout, `pinpoint_data/` in a wheel."""

from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_INSTALLED_DATA = _ROOT / "pinpoint_data"
DATA_FOLDER = _INSTALLED_DATA if _INSTALLED_DATA.is_dir() else _ROOT / "data"
