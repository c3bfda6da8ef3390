"""What constraints cost: asked for the open segment alone, dropped when something newer is wanted, kept in the log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER
from app.glossary import Term
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.segments.segment_constraints import Constraints
from app.sessions import Sessions
from app.workspace.commands import Workspace
from engine import Avoid, Pricing, Request
from tests.app.hand_decoder import HandDecoder, ready_model, settle, translation

TEXT = b"Open the settings.\nThe router saves the file.\n"


@pytest.fixture
def decoder() -> HandDecoder:
    return HandDecoder()


@pytest.fixture
def workspace(tmp_path: Path, decoder: HandDecoder) -> Iterator[Workspace]:
    store = LogStore.open(tmp_path / "log.sqlite")
    sessions = Sessions(store, ready_model(decoder), SAMPLES_FOLDER)
    workspace = sessions.open_document(OWNER, TEXT, "manual.txt")
    workspace.open(OWNER, 0)
    decoder.answer_all()
    settle(workspace)
    yield workspace
    sessions.close()
    store.close()


def pricing(total: float | None, phrases: tuple[float | None, ...], avoid: tuple[float | None, ...] = ()) -> Pricing:
    answer = translation(Request("x"), "frei")
    return Pricing(total, phrases, avoid, answer, answer)


def prices(workspace: Workspace, index: int = 0) -> Any:
    return workspace.snapshot(OWNER, open_index=index)["segment"]["prices"]


def pin(workspace: Workspace, decoder: HandDecoder, *pins: str, bans: tuple[Avoid, ...] = ()) -> None:
    workspace.constrain(OWNER, 0, Constraints(pins, bans=bans))
    decoder.answer(0, f"de: {' '.join(pins)}")
    settle(workspace)


def test_segment_without_constraints_is_not_priced(workspace: Workspace, decoder: HandDecoder):
    assert decoder.questions == []
    assert prices(workspace) is None


def test_prices_of_the_open_segment_reach_the_page_and_the_log(workspace: Workspace, decoder: HandDecoder):
    pin(workspace, decoder, "Dialog", "auf", bans=(Avoid("rot"),))
    assert prices(workspace) is None  # not known yet
    decoder.questions[-1][1].set_result(pricing(0.31, (0.19, -0.02), (None,)))
    settle(workspace)
    shown = prices(workspace)
    assert (shown["total"], round(shown["singly"], 9), round(shown["together"], 9)) == (0.31, 0.17, 0.14)
    assert [(each["text"], each["price"]) for each in shown["constraints"]] == [("Dialog", 0.19), ("auf", -0.02)]
    assert shown["bans"] == [{"text": "rot", "case": "exact", "price": None}]
    (event,) = [e for e in workspace.store.events(workspace.session_id) if e.type == "prices"]
    assert event.payload["total"] == 0.31
    assert event.payload["number"] == workspace.segments[0].answered
    assert event.payload["constraints"][1] == {"text": "auf", "price": -0.02}
    assert event.payload["free"]["text"] == "frei"


def test_price_of_a_term_is_shown_with_the_term(workspace: Workspace, decoder: HandDecoder):
    workspace.glossaries.put(OWNER, "g", [Term("router", "Router")])
    workspace.open(OWNER, 1)
    decoder.answer_all()
    settle(workspace)
    decoder.questions[-1][1].set_result(pricing(0.1, (0.1,)))
    settle(workspace)
    (entry,) = prices(workspace, 1)["constraints"]
    expected = {"text": "Router", "is_pinned": False, "is_kept": False, "terms": ["router\tRouter"], "price": 0.1}
    assert entry == expected


def test_price_request_is_cancelled_by_a_newer_request(workspace: Workspace, decoder: HandDecoder):
    pin(workspace, decoder, "Dialog")
    (question,) = decoder.questions
    workspace.constrain(OWNER, 0, Constraints(pins=("Dialog", "auf")))
    assert question[1].result() is None
    decoder.answer(0, "Dialog auf")
    settle(workspace)
    assert len(decoder.questions) == 2
    workspace.open(OWNER, 1)
    assert decoder.questions[1][1].result() is None
    settle(workspace)
    assert prices(workspace) is None
    workspace.open(OWNER, 0)  # back again: now there is time
    assert len(decoder.questions) == 3
    workspace.open(OWNER, 0)
    assert len(decoder.questions) == 3


def test_answer_that_comes_late_or_without_a_translation_shows_nothing(workspace: Workspace, decoder: HandDecoder):
    pin(workspace, decoder, "Dialog")
    free = translation(Request("x"), "frei")
    decoder.questions[-1][1].set_result(Pricing(None, (None,), (), replace(free, status="cancelled"), free))
    settle(workspace)
    assert prices(workspace) is None
    pin(workspace, decoder, "Dialog", "auf")
    assert prices(workspace) is None


def test_crash_while_pricing_is_reported_and_the_next_prices_work(workspace: Workspace, decoder: HandDecoder):
    pin(workspace, decoder, "Dialog")
    decoder.questions[-1][1].set_exception(RuntimeError("out of memory"))
    settle(workspace)
    assert "out of memory" in workspace.snapshot(OWNER)["problem"]
    pin(workspace, decoder, "auf")
    decoder.questions[-1][1].set_result(pricing(0.2, (0.2,)))
    settle(workspace)
    assert prices(workspace)["total"] == 0.2


def test_segments_that_are_not_open_are_not_priced(workspace: Workspace, decoder: HandDecoder):
    workspace.constrain(OWNER, 1, Constraints(pins=("Datei",)))
    decoder.answer(1, "Datei")
    settle(workspace)
    assert decoder.questions == []


def test_prices_are_awaited_until_they_are_there_or_cannot_be_computed(workspace: Workspace, decoder: HandDecoder):
    def is_awaited() -> bool:
        return bool(workspace.snapshot(OWNER, open_index=0)["segment"]["is_pricing"])

    assert not is_awaited(), "without constraints nothing has a price"
    pin(workspace, decoder, "Fenster")
    assert is_awaited()
    decoder.questions[-1][1].set_result(pricing(0.5, (0.5,)))
    settle(workspace)
    assert not is_awaited()
    pin(workspace, decoder, "Tür")
    assert is_awaited()
    decoder.questions[-1][1].set_exception(RuntimeError("no memory"))
    settle(workspace)
    assert not is_awaited()
