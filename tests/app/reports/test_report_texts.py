"""The texts of the report and the replay in every language of the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from app.log.records import KEY_CLASSES, EventType
from app.reports.replay import UNSEEN
from app.reports.word_origins import ORIGINS

STATIC = Path(__file__).resolve().parents[3] / "app" / "ui" / "static"


@pytest.mark.parametrize("path", sorted(STATIC.glob("texts.*.json")), ids=lambda path: path.name)
def test_report_and_replay_have_texts_for_everything(path: Path) -> None:
    texts = json.loads(path.read_text(encoding="utf-8"))
    wanted = [f"event.{name}" for name in get_args(EventType) if name not in UNSEEN]
    wanted += [f"origin.{name}" for name in ORIGINS] + [f"record.keys.{name}" for name in KEY_CLASSES]
    assert [key for key in wanted if key not in texts] == []
