"""Fixtures for the tests of the app."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.log.store import LogStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LogStore]:
    """An empty log of this test's own."""
    opened = LogStore.open(tmp_path / "log.sqlite")
    yield opened
    opened.close()
