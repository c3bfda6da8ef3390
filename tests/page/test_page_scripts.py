"""The unit tests of the page's scripts, run by Node.js."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="Node.js is not installed; it runs the unit tests of the page's scripts")
def test_unit_tests_of_the_page_scripts_pass() -> None:
    tests = sorted(str(path) for path in (ROOT / "tests" / "page").glob("*.test.js"))
    result = subprocess.run([str(NODE), "--test", *tests], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
