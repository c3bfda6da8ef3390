"""The app imports libraries without their parts that it never uses."""

from __future__ import annotations

import subprocess
import sys


def test_server_is_imported_without_traces_and_without_pandas_which_others_can_still_use() -> None:
    code = """
import sys
import app.__main__, app.log.store, app.serving.gateway, app.sessions, app.ui.server
print(*(name in sys.modules for name in ("pandas.core", "torch", "app.tracing", "opentelemetry.sdk")))
import pandas
print(len(pandas.DataFrame({"a": [1, 2]})))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False"] * 4 + ["2"]
