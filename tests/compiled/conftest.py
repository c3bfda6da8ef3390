"""The compiled core that the tests of this folder call."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.compiled import c_interface
from engine.compiled.build import build
from engine.compiled.c_interface import Core

SANITIZED = "PINPOINT_TESTED_CORE"  # the library to test instead: tests/compiled/sanitized.py


@pytest.fixture(scope="session")
def core() -> Core:
    path = Path(os.environ.get(SANITIZED) or build())
    c_interface.core.cache_clear()  # an earlier test may have looked for it before it was built
    return Core(path)
