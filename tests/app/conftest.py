"""Fixtures for the tests of the app."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from tests.app.hand_decoder import HandDecoder, ready_model


@pytest.fixture(scope="session")
def empty_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log without a session: copying it takes a quarter of the time of making one with all migrations."""
    path = tmp_path_factory.mktemp("empty") / "log.sqlite"
    LogStore.open(path).close()
    return path


@pytest.fixture
def store(tmp_path: Path, empty_log: Path) -> Iterator[LogStore]:
    """An empty log of this test's own."""
    opened = LogStore.open(shutil.copyfile(empty_log, tmp_path / "log.sqlite"))
    yield opened
    opened.close()


@pytest.fixture
def sessions(store: LogStore) -> Iterator[Sessions]:
    """Sessions in a log of this test's own, whose model is made by hand."""
    opened = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    yield opened
    opened.close()
