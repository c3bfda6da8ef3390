"""Pins widened to the whole document or into the glossary: what is asked anew, what is flagged, what stays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.access.actor import OWNER
from app.errors import CommandError
from app.glossary import Term
from app.log.store import LogStore
from app.segments.segment_constraints import Constraints
from app.segments.view import detail_view
from app.workspace.commands import Workspace
from app.workspace.glossaries import OWN_GLOSSARY
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle

TEXT = "Open the file.\nThe file is here.\nRestart the router.\nSave the file.\nClose the file.\n"


@pytest.fixture
def decoder() -> HandDecoder:
    return HandDecoder()


@pytest.fixture
def workspace(store: LogStore, decoder: HandDecoder) -> Iterator[Workspace]:
    """Five segments with proposals; the fourth is confirmed, the fifth edited, the first open."""
    workspace = make_workspace(store, ready_model(decoder), TEXT)
    workspace.open(OWNER, 0)
    decoder.answer_all()
    settle(workspace)
    decoder.answer_all()
    settle(workspace)
    workspace.confirm(OWNER, 3, "Bestätigt.")
    workspace.edit(OWNER, 4, "Eigenes.", "typed")
    decoder.requests.clear()
    yield workspace
    workspace.close()


def phrases(decoder: HandDecoder, index: int) -> list[str]:
    return [phrase.text for phrase in decoder.of(index)[-1][0].phrases]


def test_term_of_the_document_is_required_where_it_occurs_and_changes_are_flagged(
    workspace: Workspace, decoder: HandDecoder
):
    before = workspace.segments[1].machine_text
    assert workspace.glossaries.add_term(OWNER, 0, "file", "Datei", "document")["num_retranslated"] == 2
    assert phrases(decoder, 0) == phrases(decoder, 1) == phrases(decoder, 4) == ["Datei"]
    assert decoder.of(0)[-1][1] == "interactive" and decoder.of(1)[-1][1] == "document"
    assert not decoder.of(2) and not decoder.of(3), "another source; a confirmed segment"
    decoder.answer_all()
    settle(workspace)
    assert workspace.segments[1].attention == f"Translated again because of your terms; previously: {before}"
    assert detail_view(workspace.segments[1])["notices"] == [workspace.segments[1].attention]
    assert workspace.segments[0].attention == "", "the person looks at it"
    assert workspace.segments[4].target == "Eigenes."
    workspace.confirm(OWNER, 1, "Die Datei ist hier.")
    assert workspace.segments[1].attention == ""


def test_proposal_that_already_contained_the_term_is_not_flagged(workspace: Workspace, decoder: HandDecoder):
    workspace.glossaries.add_term(OWNER, 0, "file", "de", "document")
    decoder.answer(1, "de: The file is here.")
    settle(workspace)
    assert workspace.segments[1].attention == ""


def test_flag_shows_the_proposal_before_all_terms_and_disappears_with_them(workspace: Workspace, decoder: HandDecoder):
    before = workspace.segments[1].machine_text
    for target in ("Datei", "Akte"):
        workspace.glossaries.add_term(OWNER, 0, "file", target, "document")
        decoder.answer_all()
        settle(workspace)
        assert workspace.segments[1].machine_text != before
        assert workspace.segments[1].replaced_proposal == before
    for target in ("Akte", "Datei"):
        workspace.glossaries.remove_term(OWNER, "file", target)
        decoder.answer_all()
        settle(workspace)
    assert workspace.segments[1].machine_text == before
    assert workspace.segments[1].attention == ""


def test_segments_under_way_are_requested_again_when_their_terms_change(workspace: Workspace, decoder: HandDecoder):
    before = workspace.segments[1].machine_text
    workspace.glossaries.add_term(OWNER, 0, "file", "Datei", "document")
    workspace.glossaries.add_term(OWNER, 0, "the", "die", "document")  # the requests for "file" are not answered yet
    for index in (0, 1):
        decoder.answer(index, "Die Datei ist da.", at=0)
    settle(workspace)
    assert sorted(phrases(decoder, 1)) == ["Datei", "die"]
    decoder.answer_all()
    settle(workspace)
    assert workspace.segments[1].machine_text == "de: The file is here. die Datei"
    assert workspace.segments[1].attention == f"Translated again because of your terms; previously: {before}"


def test_open_segment_under_way_is_requested_again_when_a_glossary_is_added(workspace: Workspace, decoder: HandDecoder):
    workspace.constrain(OWNER, 0, Constraints(pins=("Datei",)))
    assert phrases(decoder, 0) == ["Datei"]
    workspace.glossaries.put(OWNER, "terms.csv", [Term("open", "öffnen")])
    decoder.answer(0, "Die Datei", at=-1)
    settle(workspace)
    decoder.answer_all()
    settle(workspace)
    assert workspace.segments[0].machine_text == "de: Open the file. Datei öffnen"


def test_term_changes_are_translated_although_pretranslation_was_cancelled(workspace: Workspace, decoder: HandDecoder):
    workspace.pretranslate(OWNER, False)
    workspace.glossaries.add_term(OWNER, 0, "file", "Datei", "document")
    assert phrases(decoder, 1) == ["Datei"]


def test_terms_survive_a_restart_and_another_glossary_until_removed(workspace: Workspace, decoder: HandDecoder):
    workspace.glossaries.add_term(OWNER, 0, "file", "Datei", "document")
    workspace.glossaries.put(OWNER, "g.tsv", [Term("file", "Akte", 1), Term("router", "Router", 2)])
    assert [hit.term.target for hit in workspace.segments[1].hits] == ["Datei"], "that of the document goes first"
    saved = workspace.store.load_session(OWNER, workspace.session_id)
    assert saved.document_terms == (Term("file", "Datei", is_for_document=True),)
    assert [term.target for term in saved.glossaries[0].terms.values()] == ["Akte", "Router"]
    workspace.glossaries.remove_term(OWNER, "file", "Datei")
    assert [hit.term.target for hit in workspace.segments[1].hits] == ["Akte"]
    assert workspace.store.load_session(OWNER, workspace.session_id).document_terms == ()


def test_term_is_added_to_the_glossary_or_a_new_one(workspace: Workspace):
    assert workspace.glossaries.add_term(OWNER, 0, "open", "öffnen", "glossary")["glossary"] == OWN_GLOSSARY
    place = workspace.glossaries.add_term(OWNER, 0, "file", "Datei", "glossary")
    (saved,) = workspace.store.load_session(OWNER, workspace.session_id).glossaries
    assert (saved.name, [term.source for term in saved.terms.values()]) == (OWN_GLOSSARY, ["open", "file"])
    assert workspace.snapshot(OWNER)["glossary"] == {"name": OWN_GLOSSARY, "num_terms": 2, "num_glossaries": 1}
    workspace.glossaries.edit(OWNER, place["glossary_id"], {place["number"]: None})
    (left,) = workspace.terms.glossaries
    assert [term.source for term in left.terms.values()] == ["open"]


WRONG = [
    ("router", "Router", "does not occur in the source of segment 1"),
    (" ", "Datei", "fill in both"),
    ("file", "\n", "fill in both"),
    ("x" * 301, "Datei", "301 characters"),
    ("the", "die", "already required there"),
]


@pytest.mark.parametrize(("source", "target", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_invalid_term_is_refused_with_the_reason(workspace: Workspace, source: str, target: str, message: str):
    workspace.glossaries.add_term(OWNER, 0, "the", "die", "document")
    with pytest.raises(CommandError, match=message):
        workspace.glossaries.add_term(OWNER, 0, source, target, "document")
    assert len(workspace.terms.document_terms) == 1


def test_segments_that_wait_for_an_earlier_change_of_terms_are_not_forgotten_at_the_next(store: LogStore):
    decoder = HandDecoder()
    workspace = make_workspace(store, ready_model(decoder), "".join(f"Save file {n}.\n" for n in range(12)))
    while any(not future.done() for *_, future in decoder.requests):
        decoder.answer_all()
        settle(workspace)
    workspace.pretranslate(OWNER, False)
    decoder.requests.clear()
    workspace.glossaries.add_term(OWNER, 0, "file", "Datei", "document")
    assert not decoder.of(11), "there are more than are requested at a time"
    workspace.glossaries.add_term(OWNER, 3, "file 3", "Akte 3", "document")
    while any(not future.done() for *_, future in decoder.requests):
        decoder.answer_all()
        settle(workspace)
    assert phrases(decoder, 11) == ["Datei"]
    workspace.close()
