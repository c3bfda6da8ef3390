"""Confirmed segments in the requests to a language model, and its prompts in the log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.access.actor import OWNER
from app.log.store import LogStore
from app.segments.state import SegmentState
from app.workspace.examples import examples_for
from engine import Example, Translation
from tests.app.hand_decoder import HandDecoder, settle, translation
from tests.app.workspace.test_pretranslation import begin, start


def segment(index: int, source: str, target: str = "", state: str = "confirmed") -> SegmentState:
    return SegmentState(index, source, 1, state=state, target=target or None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([("Open the red door.", "A"), ("Open it.", "C"), ("Open the red box.", "B")], ["A", "B", "C"]),
        ([("Something else entirely", "A"), ("Close the red door.", "B")], ["B"]),
        ([("Open the {1}red{/1} door now.", "{1}Öffne{/1}  sie.")], ["Öffne sie."]),
        ([("Open the red door." + " word" * 90, "A")], []),  # too long
        ([(f"Open the red door {number}.", str(number)) for number in range(9)], ["0", "1", "2"]),  # near ones
    ],
)
def test_the_most_similar_confirmed_segments_are_examples(others: list[tuple[str, str]], expected: list[str]) -> None:
    asked = segment(0, "Open the red door.", "Öffne die rote Tür.")
    confirmed = [segment(number, *texts) for number, texts in enumerate(others, start=1)]
    assert [one.target for one in examples_for(0, [asked, *confirmed])] == expected
    assert examples_for(0, [asked, *(replace(one, state="draft") for one in confirmed)]) == ()


def test_a_model_that_reads_examples_gets_confirmed_segments(tmp_path: Path) -> None:
    store, decoder = LogStore.open(tmp_path / "log.sqlite"), HandDecoder()
    decoder.facts = replace(decoder.facts, reads_examples=True)
    workspace = start(store, begin(store), decoder)
    workspace.open(OWNER, 0)
    decoder.answer(0, "Datei 0 speichern.")
    settle(workspace)
    workspace.confirm(OWNER, 0, "Datei 0 speichern.")
    workspace.open(OWNER, 11)
    request = [request for key, request, *_ in decoder.requests if key.endswith("/11")][-1]
    assert request.examples == (Example("Save file number 0.", "Datei 0 speichern."),)
    workspace.close()
    store.close()


def test_the_text_of_a_prompt_is_in_the_log_once(tmp_path: Path) -> None:
    store, decoder = LogStore.open(tmp_path / "log.sqlite"), HandDecoder()
    workspace = start(store, begin(store), decoder)
    workspace.pretranslate(OWNER, False)
    for index in (0, 1):
        workspace.open(OWNER, index)
        _, request, _, future = [one for one in decoder.requests if one[0].endswith(f"/{index}")][-1]
        answer: Translation = translation(request, f"Datei {index}")
        future.set_result(replace(answer, prompts=("Translate: Save", f"Translate: file {index}")))
        settle(workspace)
    found = [event.payload for event in store.events(workspace.session_id) if event.type == "decode_result"]
    first, second = (payload["prompts"] for payload in found if "prompts" in payload)
    assert [one.get("text") for one in first] == ["Translate: Save", "Translate: file 0"]
    assert [one.get("text") for one in second] == [None, "Translate: file 1"]
    assert first[0]["hash"] == second[0]["hash"]
    workspace.close()
    store.close()
