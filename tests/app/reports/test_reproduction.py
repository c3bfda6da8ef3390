"""A decode request restored from an exported log gives the same result with the same model."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from app.access.actor import OWNER
from app.log.store import LogStore
from app.models.loading import ModelHandle
from app.paths import SAMPLES_FOLDER
from app.reports.jsonl import session_jsonl
from app.segments.segment_constraints import Constraints
from app.sessions import Sessions
from engine import Avoid, SearchOptions, Translator
from engine.model import ModelConfig, Transformer, save_weights
from engine.text import TextCodec
from tests.app.logged_requests import request_of

TEXT = b"Open the settings.\nSee https://harbor.example/it now.\nThe router saves the file.\n"


@pytest.fixture
def model_folder(codec: TextCodec, tmp_path: Path) -> Path:
    """A model of random weights, sharp enough that its choices differ."""
    sizes = {"model_size": 16, "num_heads": 2, "feed_forward_size": 16, "encoder_layers": 1, "decoder_layers": 1}
    config = ModelConfig(len(codec.vocabulary), ("en-de",), **sizes)
    torch.manual_seed(5)
    transformer = Transformer(config)
    for parameter in transformer.parameters():
        parameter.data.mul_(2.0)
    codec.save(tmp_path)
    config.save(tmp_path / "config.json")
    save_weights(tmp_path / "model.safetensors", transformer)
    return tmp_path


def worked_on(folder: Path) -> list[dict[str, Any]]:
    """The events of a session with pins and a ban, as they were exported."""
    store, model = LogStore.open(folder / "log.sqlite"), ModelHandle(folder)
    model.load_in_background(1)
    model.wait()
    sessions = Sessions(store, model, SAMPLES_FOLDER)
    workspace = sessions.open_document(OWNER, TEXT, "a.txt")
    workspace.open(OWNER, 0)
    workspace.constrain(OWNER, 0, Constraints(pins=("Einstellungen",)))
    workspace.constrain(OWNER, 1, Constraints(bans=(Avoid("die"),)))
    workspace.constrain(OWNER, 2, Constraints(pins=("Router", "Datei"), prefix="Der ", follow="Der Router speichert."))
    end = time.monotonic() + 60
    while workspace.segments[2].is_pending or any(segment.decoded is None for segment in workspace.segments):
        assert time.monotonic() < end, "the model has not answered"
        time.sleep(0.02)
    data = session_jsonl(OWNER, store, workspace.session_id).data
    sessions.close()
    model.close()
    store.close()
    return [json.loads(line) for line in data.decode("utf-8").splitlines()]


def test_stored_request_reproduces_its_n_best_list(model_folder: Path) -> None:
    session, *events = worked_on(model_folder)
    translator = Translator.load(model_folder, precision="auto")
    asked = {(e["segment"], e["payload"]["number"]): e["payload"] for e in events if e["type"] == "decode_request"}
    answered = [event for event in events if event["type"] == "decode_result"]
    assert {event["segment"] for event in answered} == {0, 1, 2}
    for event in answered:
        requested, result = asked[event["segment"], event["payload"]["number"]], event["payload"]
        assert (requested["model"], requested["num_threads"], requested["device"]) == (translator.checksum, 1, "cpu")
        assert requested["precision"] == translator.precision
        source = session["segments"][event["segment"]]["source"]
        again = translator.translate(
            request_of(requested.get("asked", requested), source), SearchOptions(**requested["options"])
        )
        assert (again.status, len(again.hypotheses)) == (result["status"], len(result["hypotheses"]))
        for found, stored in zip(again.hypotheses, result["hypotheses"], strict=True):
            assert list(found.tokens) == stored["tokens"]
            assert found.log_prob == pytest.approx(stored["log_prob"], abs=1e-4)
            if "asked" not in requested:  # else what must not be translated was put back into the text
                assert found.text == stored["text"]
                assert [[p.start, p.end] for p in found.placements] == [
                    [p["start"], p["end"]] for p in stored["placements"]
                ]
