"""The app imports libraries without their parts that it never uses."""

from __future__ import annotations

import subprocess
import sys


def test_server_is_imported_without_pandas_which_others_can_still_use() -> None:
    code = """
import sys
import app.log.store, app.sessions, app.ui.server
print("pandas.core" in sys.modules, "torch" in sys.modules)
import pandas
print(len(pandas.DataFrame({"a": [1, 2]})))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False", "2"]
