"""Commands of the page on one document: what is kept, what is dropped, what the log then tells."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.access.actor import OWNER
from app.errors import CommandError, LogError
from app.glossary import Glossary, Term
from app.log.store import LogStore
from app.models.loading import ModelHandle
from app.segments.clean_texts import clean_target
from app.segments.segment_constraints import MAX_PINS, NO_CONSTRAINTS, Constraints, PinSource
from app.segments.stored_state import restore_segment
from app.workspace.commands import Workspace
from engine import Avoid, Follow, Reason, Translation
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle, translation

TEXT = "Open the settings.\nThe router saves the file.\nRestart the router.\n"
GLOSSARY = Glossary.of(1, "terms.tsv", (Term("router", "Router"), Term("file", "Datei")))


@pytest.fixture
def decoder() -> HandDecoder:
    return HandDecoder()


@pytest.fixture
def workspace(store: LogStore, decoder: HandDecoder) -> Iterator[Workspace]:
    workspace = make_workspace(store, ready_model(decoder), TEXT)
    yield workspace
    workspace.close()


def kinds(workspace: Workspace) -> list[str]:
    return [event.type for event in workspace.store.events(workspace.session_id)]


def saved(workspace: Workspace, index: int) -> tuple[str | None, str]:
    """(text, state) of a segment as the log has them."""
    segment = workspace.store.load_session(OWNER, workspace.session_id).segments[index]
    return segment.target, segment.state


def test_opened_segment_is_decoded_first_and_the_others_ahead(workspace: Workspace, decoder: HandDecoder):
    workspace.open(OWNER, 1)
    assert decoder.of(1)[-1][1] == "interactive"
    assert {key.rpartition("/")[2] for key, _, priority, _ in decoder.requests if priority == "document"} == {
        "0",
        "1",
        "2",
    }
    decoder.answer_all()
    settle(workspace)
    assert [segment.state for segment in workspace.segments] == ["pretranslated"] * 3
    assert workspace.segments[1].text == "de: The router saves the file."


def test_elements_to_keep_are_requested_logged_and_placed(workspace: Workspace, decoder: HandDecoder):
    workspace.constrain(OWNER, 0, Constraints(prefix="Die ", locked=(" alle Dateien ", " ")), origin="rest")
    request = decoder.of(0)[-1][0]
    assert (request.prefix, request.locked) == ("Die ", ("alle Dateien",))
    logged = [e for e in workspace.store.events(workspace.session_id) if e.type == "locked"]
    assert logged[0].payload == {"texts": ["alle Dateien"], "origin": "rest"}
    kept = workspace.store.load_session(OWNER, workspace.session_id).segments[0].constraints
    assert (kept["prefix"], kept["locked"]) == ("Die ", ["alle Dateien"])
    decoder.answer(0, "Die alle Dateien")
    settle(workspace)
    assert not workspace.segments[0].needs_decoding
    with pytest.raises(CommandError, match=r"kept passages \(51"):
        workspace.constrain(OWNER, 0, Constraints(locked=("a",) * 51))


def test_previous_text_is_requested_logged_restored_and_freed(workspace: Workspace, decoder: HandDecoder):
    previous = "Öffnen Sie die Einstellungen."
    workspace.constrain(OWNER, 0, Constraints(pins=("alle",), follow=previous))
    assert decoder.of(0)[-1][0].follow == Follow(previous, strength=1.0)
    kept = workspace.store.load_session(OWNER, workspace.session_id).segments[0]
    assert restore_segment(kept).constraints.follow == previous
    decoder.answer(0, "Öffnen Sie alle Einstellungen.")
    settle(workspace)
    assert not workspace.segments[0].needs_decoding
    detail = workspace.snapshot(OWNER, open_index=0)["segment"]
    assert [token["t"] for token in detail["proposal"]["tokens"] if token.get("new")] == ["alle"]
    workspace.constrain(OWNER, 0, Constraints(pins=("alle",)), origin="free")
    assert decoder.of(0)[-1][0].follow is None
    logged = [e.payload for e in workspace.store.events(workspace.session_id) if e.type == "follow"]
    assert logged == [{"text": previous, "origin": "person"}, {"text": "", "origin": "free"}]
    kept = workspace.store.load_session(OWNER, workspace.session_id).segments[0]
    assert restore_segment(kept).followed_before == previous, "so that the free translation shows what has changed"


def test_text_that_contains_the_pins_is_followed_more_closely(workspace: Workspace, decoder: HandDecoder):
    workspace.constrain(OWNER, 0, Constraints(pins=("alle",), follow="Öffnen Sie alle Einstellungen."))
    assert decoder.of(0)[-1][0].follow == Follow("Öffnen Sie alle Einstellungen.")
    workspace.constrain(OWNER, 0, Constraints(pins=("all",), follow="Öffnen Sie alle Einstellungen."))
    assert decoder.of(0)[-1][0].follow == Follow("Öffnen Sie alle Einstellungen.", strength=1.0), "not a whole word"


def test_source_words_of_a_pin_are_requested_logged_and_restored(workspace: Workspace, decoder: HandDecoder):
    pinned = Constraints(pins=("Gerät",), pin_sources=(PinSource("Gerät", 4, 10),))
    workspace.constrain(OWNER, 1, pinned)
    assert [p.source_span for p in decoder.of(1)[-1][0].phrases if p.text == "Gerät"] == [(4, 10)]
    detail = workspace.snapshot(OWNER, open_index=1)["segment"]
    assert [pin["source"] for pin in detail["pin_states"]] == ["router"], "before any answer"
    kept = workspace.store.load_session(OWNER, workspace.session_id).segments[1]
    assert restore_segment(kept).constraints == pinned
    workspace.constrain(OWNER, 1, Constraints(pins=("Gerät",)))
    logged = [(e.type, e.payload) for e in workspace.store.events(workspace.session_id) if e.type in ("pin", "unpin")]
    payload = {"text": "Gerät", "origin": "person"}
    with_source = {**payload, "source_span": [4, 10]}
    assert logged == [("pin", with_source), ("pin", payload), ("unpin", with_source)]
    with pytest.raises(CommandError, match="are not in this source"):
        workspace.constrain(OWNER, 0, Constraints(pins=("a",), pin_sources=(PinSource("a", 4, 19),)))


@pytest.mark.parametrize(("previous", "why"), [(" ", "blank"), ("a" * 10_001, "longer than the engine takes")])
def test_text_that_cannot_be_followed_gives_a_free_translation(workspace, decoder: HandDecoder, previous, why):
    workspace.constrain(OWNER, 0, Constraints(pins=("alle",), follow=previous))
    assert decoder.of(0)[-1][0].follow is None, why


def test_late_answer_is_dropped_and_the_newest_request_wins(workspace: Workspace, decoder: HandDecoder):
    workspace.open(OWNER, 0)
    workspace.constrain(OWNER, 0, Constraints(pins=("alt",)))
    workspace.constrain(OWNER, 0, Constraints(pins=("neu",)))
    decoder.answer(0, "neu Einstellungen")
    decoder.answer(0, "alt Einstellungen", at=-2)  # comes after the newer one
    settle(workspace)
    assert workspace.segments[0].text == "neu Einstellungen"
    assert workspace.segments[0].constraints.pins == ("neu",)


def test_typed_text_is_not_changed_by_answers_of_the_model(workspace: Workspace, decoder: HandDecoder):
    workspace.open(OWNER, 0)
    workspace.edit(OWNER, 0, "Meine Worte", "typed")
    decoder.answer_all()
    settle(workspace)
    assert workspace.segments[0].target == "Meine Worte"
    assert workspace.snapshot(OWNER)["rows"][0]["target"] == "Meine Worte"
    assert saved(workspace, 0) == ("Meine Worte", "edited")


def test_segment_with_tags_is_decoded_without_and_shown_with_them(store: LogStore, decoder: HandDecoder):
    workspace = make_workspace(store, ready_model(decoder), "Open <b>it</b> at https://harbor.example/it now.\n")
    workspace.open(OWNER, 0)
    request = decoder.of(0)[-1][0]
    assert (request.source, [phrase.text for phrase in request.phrases]) == ("Open it at URL1 now.", ["URL1"])
    decoder.answer(0, "Jetzt bei URL1 it öffnen.", "bei URL1")
    settle(workspace)
    shown = workspace.snapshot(OWNER, open_index=0)["segment"]
    assert shown["proposal"]["text"] == "Jetzt bei https://harbor.example/it <b>it</b> öffnen."
    assert [row["text"].count("<b>") for row in shown["nbest"]] == [1, 1]
    assert [(item["text"], item["status"]) for item in shown["kept"]] == [("https://harbor.example/it", "met")]
    assert (shown["constraints"]["pins"], shown["prices"], decoder.questions) == ([], None, []), (
        "nobody has asked for anything"
    )
    asked = next(e.payload for e in store.events(workspace.session_id) if e.type == "decode_request")
    assert asked["phrases"][0]["text"] == "https://harbor.example/it"
    assert (asked["asked"]["source"], asked["asked"]["phrases"][0]["text"]) == (request.source, "URL1")
    workspace.close()


def test_log_contains_each_step_with_its_constraints_and_answers(workspace: Workspace, decoder: HandDecoder):
    workspace.open(OWNER, 0)
    decoder.answer_all()
    workspace.constrain(OWNER, 0, Constraints(pins=("Dialog",)))
    decoder.answer_all()
    settle(workspace)
    workspace.constrain(OWNER, 0, NO_CONSTRAINTS)
    decoder.answer_all()
    settle(workspace)
    workspace.edit(OWNER, 0, "de: Open the settings.", "hypothesis")
    workspace.edit(OWNER, 0, "Öffnen Sie die Einstellungen.", "typed")
    workspace.confirm(OWNER, 0, "Öffnen Sie die Einstellungen.")
    workspace.reopen(OWNER, 0)
    workspace.edit(OWNER, 0, None, "undo")
    assert kinds(workspace)[-7:] == [
        "decode_result", "hypothesis_taken", "insert", "insert", "confirm", "reopen", "undo"
    ]  # fmt: skip
    events = [e for e in workspace.store.events(workspace.session_id) if e.segment == 0]
    request = next(e.payload for e in events if e.type == "decode_request" and e.payload["constraints"])
    pinned = {"text": "Dialog", "count": 1, "is_pinned": True, "term_keys": [], "source_span": None}
    pinned |= {"forms": [], "case": "exact", "boundary": "word", "is_kept": False, "language": ""}
    pinned |= {"is_expected": False, "replaces": []}
    assert request["constraints"] == [pinned]
    result = next(e.payload for e in events if e.type == "decode_result" and e.payload["number"] == request["number"])
    placement = {"phrase": 0, "form": "Dialog", "start": 23, "end": 29, "aligned": None, "doubled": []}
    assert result["hypotheses"][0]["placements"] == [placement]
    assert result["elapsed_ms"] == 12.5
    assert [e.payload["text"] for e in events if e.type in ("pin", "unpin")] == ["Dialog", "Dialog"]
    assert workspace.store.verify_chain(workspace.session_id).is_intact


def test_edit_taken_back_entirely_is_the_machines_again(workspace: Workspace, decoder: HandDecoder):
    decoder.answer_all()
    settle(workspace)
    workspace.edit(OWNER, 0, "Eigenes", "typed")
    workspace.edit(OWNER, 0, None, "undo")
    assert workspace.segments[0].state == "pretranslated"
    assert workspace.segments[0].text == "de: Open the settings."
    assert saved(workspace, 0) == (None, "pretranslated")


def test_confirmed_segment_that_is_edited_is_open_again(workspace: Workspace):
    workspace.confirm(OWNER, 0, "Fertig")
    assert saved(workspace, 0) == ("Fertig", "confirmed")
    workspace.edit(OWNER, 0, "Doch nicht", "typed")
    assert saved(workspace, 0) == ("Doch nicht", "edited")
    counts = {"all": 3, "open": 3, "edited": 1, "confirmed": 0, "attention": 0, "commented": 0}
    assert workspace.core.tally.counts() == counts | {"to_review": 0, "approved": 0, "returned": 0, "locked": 0}


def test_glossary_decodes_again_only_the_segments_it_changes(workspace: Workspace, decoder: HandDecoder):
    workspace.open(OWNER, 0)
    decoder.answer_all()
    settle(workspace)
    before = [len(decoder.of(index)) for index in range(3)]
    workspace.glossaries.put(OWNER, GLOSSARY.name, GLOSSARY.terms.values())
    decoder.answer_all()
    settle(workspace)
    assert [len(decoder.of(index)) - before[index] for index in range(3)] == [0, 1, 1]
    assert [phrase.text for phrase in decoder.of(1)[-1][0].phrases] == ["Router", "Datei"]
    (kept,) = workspace.store.load_session(OWNER, workspace.session_id).glossaries
    assert (kept.name, kept.terms) == ("terms.tsv", GLOSSARY.terms)
    workspace.constrain(OWNER, 1, Constraints(terms_off=frozenset({"file\tDatei"})))
    assert [phrase.text for phrase in decoder.of(1)[-1][0].phrases] == ["Router"]
    assert kinds(workspace)[-2:] == ["term_overridden", "decode_request"]


def test_segments_with_a_translators_text_are_not_decoded_in_the_background(workspace: Workspace, decoder: HandDecoder):
    workspace.confirm(OWNER, 1, "Der Router speichert alles.")
    decoder.answer_all()
    settle(workspace)
    num_before = len(decoder.of(1))
    workspace.glossaries.put(OWNER, GLOSSARY.name, GLOSSARY.terms.values())
    decoder.answer_all()
    settle(workspace)
    assert len(decoder.of(1)) == num_before
    assert workspace.segments[1].attention == "Not in the text: Datei"
    assert workspace.core.tally.counts()["attention"] == 1


def test_pretranslation_can_be_stopped_and_resumed(store: LogStore, decoder: HandDecoder):
    text = "\n".join(f"Line number {n}." for n in range(40))
    workspace = make_workspace(store, ready_model(decoder), text)
    assert len(decoder.requests) == 8
    workspace.pretranslate(OWNER, False)
    settle(workspace)
    assert len(decoder.requests) == 8
    stopped = {"done": 0, "total": 40, "is_running": False, "words_per_second": None, "seconds_left": None}
    assert workspace.snapshot(OWNER)["progress"] == stopped
    assert not any(segment.is_pending for segment in workspace.segments)
    workspace.pretranslate(OWNER, True)
    for _ in range(10):
        decoder.answer_all()
        settle(workspace)
    progress = workspace.snapshot(OWNER)["progress"]
    assert (progress["done"], progress["total"], progress["is_running"]) == (40, 40, True)
    logged = [e.payload for e in workspace.store.events(workspace.session_id) if e.type == "pretranslate"]
    assert logged == [
        {"is_wanted": False, "done": 0, "total": 40},
        {"is_wanted": True, "done": 0, "total": 40},
    ]
    workspace.close()


def test_requests_before_the_model_is_ready_are_decoded_later(store: LogStore, decoder: HandDecoder):
    model = ModelHandle(Path("models/late"))
    workspace = make_workspace(store, model, TEXT)
    workspace.open(OWNER, 2)
    workspace.constrain(OWNER, 2, Constraints(pins=("neu",)))
    assert workspace.snapshot(OWNER)["model"]["state"] == "loading"
    model.adopt(decoder)
    assert [phrase.text for phrase in decoder.of(2)[-1][0].phrases] == ["neu"]
    assert decoder.of(2)[-1][1] == "interactive"
    workspace.close()


def test_nothing_waits_for_a_model_that_never_comes(store: LogStore, tmp_path: Path):
    model = ModelHandle(tmp_path / "nowhere")
    workspace = make_workspace(store, model, TEXT)
    workspace.open(OWNER, 0)
    failed = threading.Event()
    model.on_change(failed.set)
    model.load_in_background()
    assert failed.wait(60)
    assert model.state == "failed"
    assert "nowhere" in model.message
    assert not any(segment.is_pending for segment in workspace.segments)
    workspace.constrain(OWNER, 0, Constraints(pins=("geht",)))
    workspace.confirm(OWNER, 0, "Von Hand")
    assert saved(workspace, 0) == ("Von Hand", "confirmed")
    workspace.close()


def test_failed_decoding_is_a_message_and_the_next_one_works(workspace: Workspace, decoder: HandDecoder):
    workspace.open(OWNER, 0)
    request, _, future = decoder.of(0)[-1]
    future.set_result(Translation(request, "failed", reasons=(Reason("crashed", "RuntimeError: out of memory"),)))
    settle(workspace)
    assert workspace.segments[0].attention == "This segment could not be translated: RuntimeError: out of memory"
    workspace.constrain(OWNER, 0, Constraints(pins=("nochmal",)))
    decoder.answer(0, "nochmal gut")
    settle(workspace)
    assert workspace.segments[0].attention == ""
    assert workspace.segments[0].text == "nochmal gut"


def test_proposal_stays_on_the_screen_while_the_constraints_cannot_be_met(workspace: Workspace, decoder: HandDecoder):
    workspace.open(OWNER, 0)
    decoder.answer(0, "Gut so")
    settle(workspace)
    workspace.constrain(OWNER, 0, Constraints(pins=("\U00012345",)))
    request, _, future = decoder.of(0)[-1]
    future.set_result(Translation(request, "infeasible", reasons=(Reason("unspellable", "cannot be spelt", 0),)))
    settle(workspace)
    detail = workspace.snapshot(OWNER, open_index=0)["segment"]
    assert detail["proposal"]["text"] == "Gut so"
    assert detail["proposal"]["is_stale"]
    reason = "The model cannot produce “\U00012345” exactly: pin another spelling, or release it."
    assert detail["pin_states"] == [{"text": "\U00012345", "status": "unmet", "reason": reason, "source": ""}]


def test_first_hypothesis_is_shown_before_the_list(workspace: Workspace, decoder: HandDecoder):
    workspace.open(OWNER, 0)
    decoder.answer(0, "Gut so")
    settle(workspace)
    workspace.constrain(OWNER, 0, Constraints(pins=("besser",)))
    decoder.prove_best(0, "So ist es besser")
    settle(workspace)
    detail = workspace.snapshot(OWNER, open_index=0)["segment"]
    assert detail["proposal"]["text"] == "So ist es besser"
    assert (detail["is_pending"], detail["proposal"]["is_first_of_more"]) == (True, True)
    assert [one["text"] for one in detail["nbest"]] == ["So ist es besser"]

    # A newer request counts, and what the older one proves late does not.
    late = decoder.tell_best[decoder.requests[-1][0]]
    request = decoder.of(0)[-1][0]
    workspace.constrain(OWNER, 0, Constraints(pins=("am besten",)))
    assert late is not None
    late(translation(request, "Es ist besser"))
    settle(workspace)
    detail = workspace.snapshot(OWNER, open_index=0)["segment"]
    assert (detail["proposal"]["text"], detail["proposal"]["is_first_of_more"]) == ("So ist es besser", False)

    decoder.answer(0, "Das ist am besten", "So am besten")
    settle(workspace)
    decoder.prove_best(0, "Zu spät am besten")  # the list is there
    settle(workspace)
    detail = workspace.snapshot(OWNER, open_index=0)["segment"]
    assert [one["text"] for one in detail["nbest"]] == ["Das ist am besten", "So am besten"]
    assert (detail["is_pending"], detail["proposal"]["is_first_of_more"]) == (False, False)


def test_snapshot_contains_the_changes_since_and_is_json(workspace: Workspace):
    whole = workspace.snapshot(OWNER)
    assert len(whole["rows"]) == 3
    workspace.edit(OWNER, 1, "Neu", "typed")
    news = workspace.snapshot(OWNER, since=whole["version"], open_index=1, detail_since=-1)
    assert [row["index"] for row in news["rows"]] == [1]
    assert news["segment"]["target"] == "Neu"
    json.dumps(news, allow_nan=False)
    assert workspace.has_news(whole["version"], None, -1)
    assert not workspace.has_news(news["version"], 1, news["segment"]["stamp"])


def test_command_that_cannot_be_stored_changes_nothing(workspace: Workspace, store: LogStore):
    workspace.edit(OWNER, 0, "Vorher", "typed")
    store.close()
    with pytest.raises(LogError):
        workspace.edit(OWNER, 0, "Nachher", "typed")
    with pytest.raises(LogError):
        workspace.confirm(OWNER, 1, "Nachher")
    with pytest.raises(LogError):
        workspace.constrain(OWNER, 1, Constraints(pins=("x",)))
    assert workspace.segments[0].target == "Vorher"
    assert workspace.segments[1].state == "new"
    assert workspace.segments[1].constraints.pins == ()


def test_banned_word_is_requested_logged_stored_and_allowed_again(workspace: Workspace, decoder: HandDecoder):
    workspace.open(OWNER, 0)
    workspace.constrain(OWNER, 0, Constraints(bans=(Avoid("Dialog"), Avoid("rot", "permissive"))))
    assert decoder.of(0)[-1][0].avoid == (Avoid("Dialog"), Avoid("rot", "permissive"))
    decoder.answer(0, "Öffnen Sie die Einstellungen.")
    settle(workspace)
    states = workspace.snapshot(OWNER, open_index=0)["segment"]["ban_states"]
    assert [(state["text"], state["status"]) for state in states] == [("Dialog", "kept"), ("rot", "kept")]
    kept = workspace.store.load_session(OWNER, workspace.session_id).segments[0].constraints
    assert kept["bans"] == [{"text": "Dialog", "case": "exact"}, {"text": "rot", "case": "permissive"}]
    workspace.constrain(OWNER, 0, Constraints(bans=(Avoid("Dialog"),)), origin="undo")
    assert decoder.of(0)[-1][0].avoid == (Avoid("Dialog"),)
    logged = [e for e in workspace.store.events(workspace.session_id) if e.type in ("avoid", "unavoid")]
    assert [(e.type, e.payload["text"], e.payload["case"], e.payload["origin"]) for e in logged] == [
        ("avoid", "Dialog", "exact", "person"),
        ("avoid", "rot", "permissive", "person"),
        ("unavoid", "rot", "permissive", "undo"),
    ]
    request = [e for e in workspace.store.events(workspace.session_id) if e.type == "decode_request"][-1]
    assert request.payload["avoid"] == [{"text": "Dialog", "case": "exact"}]


def test_ban_overrides_a_term_and_both_show_the_conflict(workspace: Workspace, decoder: HandDecoder):
    workspace.glossaries.put(OWNER, GLOSSARY.name, GLOSSARY.terms.values())
    workspace.open(OWNER, 2)
    workspace.constrain(OWNER, 2, Constraints(bans=(Avoid("Router"),)))
    request, *_ = decoder.of(2)[-1]
    assert (request.phrases, request.avoid) == ((), (Avoid("Router"),))
    decoder.answer_all()
    settle(workspace)
    detail = workspace.snapshot(OWNER, open_index=2)["segment"]
    assert [conflict["kind"] for conflict in detail["conflicts"]] == ["ban_term"]
    assert detail["terms"][0]["status"] == "unmet"
    assert detail["terms"][0]["note"].startswith("“Router” is both required and banned")
    assert detail["ban_states"][0]["status"] == "kept"


REFUSED_COMMANDS = [
    (lambda w: w.open(OWNER, 3), "Segment 4 does not exist"),
    (lambda w: w.edit(OWNER, -1, "x", "typed"), "Segment 0 does not exist"),
    (lambda w: w.confirm(OWNER, 0, "  "), "no translation to confirm"),
    (
        lambda w: w.constrain(OWNER, 0, Constraints(pins=("x",) * (MAX_PINS + 1))),
        "Too many pinned phrases \\(51, limit 50\\)",
    ),
    (lambda w: w.constrain(OWNER, 0, Constraints(pins=("x" * 301,))), "too long for a pin .301 characters, limit 300"),
    (
        lambda w: w.constrain(OWNER, 0, Constraints(bans=tuple(Avoid(f"x{n}") for n in range(51)))),
        "Too many banned words .51",
    ),
    (lambda w: w.constrain(OWNER, 0, Constraints(bans=(Avoid("x" * 301),))), "too long for a ban .301"),
    (lambda w: w.edit(OWNER, 0, "x" * 100_001, "typed"), "100,001 characters"),
]


@pytest.mark.parametrize(("command", "message"), REFUSED_COMMANDS, ids=[message for _, message in REFUSED_COMMANDS])
def test_invalid_command_is_refused_with_the_reason(workspace: Workspace, command, message: str):
    with pytest.raises(CommandError, match=message):
        command(workspace)
    assert kinds(workspace)[0] == "open"
    assert saved(workspace, 0) == (None, "new")


def test_text_is_kept_as_one_line_without_control_characters():
    assert clean_target("eins\r\nzwei\u2028drei\x00\x1b vier\tfünf\ud800") == "eins zwei drei vier\tfünf\ufffd"


def test_edits_from_many_threads_are_all_stored_and_end_in_one_state(workspace: Workspace, decoder: HandDecoder):
    def edit(number: int) -> None:
        for step in range(10):
            workspace.edit(OWNER, number % 3, f"Text {number} {step}", "typed")
            workspace.constrain(OWNER, number % 3, Constraints(pins=(f"pin {number}",)))

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for index, segment in enumerate(workspace.segments):
        assert saved(workspace, index) == (segment.target, "edited")
    assert kinds(workspace).count("insert") == 60
    assert workspace.store.verify_chain(workspace.session_id).is_intact
