"""Pre-translation over a restart: what is done stays done, and only what no longer holds is asked for again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.glossary import Term
from app.log.store import LogStore
from app.segments.findings import findings_of
from app.segments.segment_constraints import Constraints
from app.segments.stored_state import restore_segment
from app.workspace.commands import Workspace
from app.workspace.pace import MIN_SECONDS, WINDOW_SECONDS, Pace
from engine import SearchOptions
from tests.app.hand_decoder import HandDecoder, ready_model, settle

TEXT = "".join(f"Save file number {n}.\n" for n in range(12))


def begin(store: LogStore) -> str:
    return store.start_session(OWNER, read_document(TEXT.encode(), "manual.txt"), "en-de").token


def start(
    store: LogStore,
    token: str,
    decoder: HandDecoder,
    checksum: str = "m",
    nbest: int = 5,
    precision: str = "float32",
) -> Workspace:
    """A run of the app on that session."""
    record = store.load_session(OWNER, token)
    model = ready_model(decoder)
    model.checksum, model.precision = checksum, precision
    return Workspace(
        store,
        record.id,
        record.token,
        record.document,
        [restore_segment(segment) for segment in record.segments],
        model,
        direction="en-de",
        options=SearchOptions(nbest=nbest),
        glossaries=record.glossaries,
    )


def answer_first(workspace: Workspace, decoder: HandDecoder, count: int) -> None:
    for index in range(count):
        decoder.answer(index, f"Datei {index}")
        settle(workspace)


def asked(decoder: HandDecoder) -> set[int]:
    return {int(key.rpartition("/")[2]) for key, *_ in decoder.requests}


def test_restart_continues_pretranslation(store: LogStore):
    token, decoder = begin(store), HandDecoder()
    workspace = start(store, token, decoder)
    answer_first(workspace, decoder, 5)
    workspace.close()

    again = HandDecoder()
    workspace = start(store, token, again)
    assert [s.text for s in workspace.segments[:6]] == [*(f"Datei {n}" for n in range(5)), None]
    assert [s.state for s in workspace.segments[4:6]] == ["pretranslated", "new"]
    assert workspace.snapshot(OWNER)["progress"]["done"] == 5
    assert asked(again) - {0, 1, 2} == {5, 6, 7, 8, 9}, "the open one and those behind it are decoded in full"
    again.answer_all()
    settle(workspace)
    assert asked(again) == {0, 1, 2, *range(5, 12)}
    workspace.open(OWNER, 4)
    assert again.of(4)[-1][1] == "interactive", "its hypotheses and placements are asked for when it is opened"
    assert workspace.snapshot(OWNER, open_index=4)["segment"]["machine_text"] == "Datei 4", (
        "and its text is there before"
    )
    workspace.close()


def test_warning_about_uncertain_tags_is_there_after_a_restart_until_the_text_changes(store: LogStore):
    source = b"Klicken {1}Sie{/1} das.\n"
    token, decoder = store.start_session(OWNER, read_document(source, "manual.txt"), "en-de").token, HandDecoder()
    workspace = start(store, token, decoder)
    decoder.answer(0, "Click it.")  # without a word alignment
    settle(workspace)
    text = workspace.segments[0].text
    found = workspace.core.findings(workspace.segments[0])
    assert [finding.message for finding in found] == ["Position of tags uncertain: {1}"]
    workspace.close()

    workspace = start(store, token, HandDecoder())
    (segment,) = workspace.segments
    assert segment.text == text and segment.shown is None
    assert workspace.core.findings(segment) == found
    assert not any(each.kind == "position" for each in findings_of(segment, f"{text} Now.", "en-de"))
    workspace.close()


def test_other_terms_another_model_or_another_precision_cause_a_new_request(store: LogStore):
    token, decoder = begin(store), HandDecoder()
    workspace = start(store, token, decoder)
    for _ in range(3):
        decoder.answer_all()
        settle(workspace)
    workspace.glossaries.put(OWNER, "terms.tsv", [Term("number 7", "Nummer sieben")])
    workspace.close()

    again = HandDecoder()
    workspace = start(store, token, again)
    assert asked(again) - {0, 1, 2} == {7}
    workspace.close()
    for changed in ({"checksum": "another"}, {"nbest": 2}, {"precision": "int8"}):
        other = HandDecoder()
        workspace = start(store, token, other, **changed)
        assert workspace.snapshot(OWNER)["progress"]["done"] == 0
        assert len(asked(other)) == 8
        workspace.close()


def test_unmet_constraints_cause_a_new_request(store: LogStore):
    token, decoder = begin(store), HandDecoder()
    workspace = start(store, token, decoder)
    workspace.constrain(OWNER, 3, Constraints(pins=("Ordner",)))
    decoder.answer(3, "Datei 3")
    settle(workspace)
    workspace.close()
    again = HandDecoder()
    workspace = start(store, token, again)
    assert 3 in asked(again)
    assert not replace(workspace.segments[3]).is_translated
    workspace.close()


def test_cancelled_pretranslation_stays_cancelled_after_a_restart_until_continued(store: LogStore):
    token, decoder = begin(store), HandDecoder()
    workspace = start(store, token, decoder)
    workspace.pretranslate(OWNER, False)
    workspace.close()
    again = HandDecoder()
    workspace = start(store, token, again)
    workspace.open(OWNER, 4)
    assert asked(again) == {4}, "the open segment alone"
    assert not workspace.snapshot(OWNER)["progress"]["is_running"]
    workspace.pretranslate(OWNER, True)
    assert len(asked(again)) > 1
    workspace.close()
    workspace = start(store, token, HandDecoder())
    assert workspace.snapshot(OWNER)["progress"]["is_running"]
    workspace.close()


def test_pace_is_measured_over_the_last_half_minute():
    now = 100.0
    pace = Pace(lambda: now)
    pace.add(10)
    assert pace.words_per_second() is None, "too early to tell"
    now += MIN_SECONDS
    assert pace.words_per_second() == pytest.approx(10 / MIN_SECONDS)
    now += WINDOW_SECONDS
    assert pace.words_per_second() is None, "nothing was done in that time"
    pace.add(60)
    assert pace.words_per_second() == pytest.approx(60 / WINDOW_SECONDS)
    pace.begin()
    assert pace.words_per_second() is None
