"""Several glossaries on one document: which counts, what a change asks anew, and how it is taken back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from app.access.actor import OWNER
from app.errors import CommandError
from app.glossary import Term
from app.glossary.glossary import Glossary, combined_matcher
from app.glossary.index.term_index import TermChanges
from app.glossary.model import Matching
from app.log.store import LogStore
from app.segments.segment_constraints import NO_CONSTRAINTS, Constraints
from app.segments.view import detail_view
from app.workspace import glossaries, segment_hits
from app.workspace.commands import Workspace
from app.workspace.glossaries import MAX_GLOSSARIES
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model

TEXT = "Open the file.\nRestart the router.\nSave the log file.\n"


@pytest.fixture
def workspace(store: LogStore) -> Iterator[Workspace]:
    workspace = make_workspace(store, ready_model(HandDecoder()), TEXT)
    yield workspace
    workspace.close()


def found(workspace: Workspace, index: int) -> list[tuple[str, str]]:
    return [(hit.term.target, hit.term.glossary) for hit in workspace.segments[index].hits]


def put(workspace: Workspace, name: str, *terms: tuple[str, str]) -> int:
    workspace.glossaries.put(OWNER, name, [Term(*term, row, glossary=name) for row, term in enumerate(terms, 1)])
    return next(glossary.id for glossary in workspace.terms.glossaries if glossary.name == name)


def kept(workspace: Workspace) -> list[str]:
    return [glossary.name for glossary in workspace.store.load_session(OWNER, workspace.session_id).glossaries]


def test_higher_glossary_wins_and_the_other_is_named_as_its_rival(workspace: Workspace):
    low = put(workspace, "general", ("file", "Akte"), ("router", "Router"))
    high = put(workspace, "client", ("file", "Datei"))
    assert found(workspace, 0) == [("Datei", "client")]
    assert found(workspace, 1) == [("Router", "general")]
    (conflict,) = detail_view(workspace.segments[0])["conflicts"]
    assert (conflict["kind"], conflict["kept"], conflict["given_up"]) == ("rival", "Datei", "Akte")
    assert detail_view(workspace.segments[0])["terms"][0]["glossary"] == "client"
    workspace.glossaries.arrange(OWNER, [low, high])
    assert found(workspace, 0) == [("Akte", "general")]
    assert kept(workspace) == ["general", "client"]


def test_higher_glossary_wins_with_any_status_in_the_lower(workspace: Workspace):
    workspace.glossaries.put(OWNER, "low", [Term("file", "file", status="do_not_translate")])
    workspace.glossaries.put(OWNER, "high", [Term("file", "Datei")])
    assert [hit.term.target for hit in workspace.segments[0].hits] == ["Datei"]


def test_term_that_a_higher_glossary_forbids_is_not_required_and_both_are_shown(workspace: Workspace):
    low = put(workspace, "low", ("file", "Akte"))
    workspace.glossaries.put(OWNER, "high", [Term("file", "Akte", glossary="high", status="forbidden")])
    high = workspace.terms.glossaries[0].id
    view = detail_view(workspace.segments[0])
    assert [(c["kind"], c["kept"], c["given_up"]) for c in view["conflicts"]] == [("forbidden_term", "Akte", "Akte")]
    required = next(term for term in view["terms"] if term["term_status"] == "preferred")
    assert (required["status"], required["note"]) == ("unmet", "“Akte” is forbidden by “high”, which takes precedence.")
    assert [item.text for item in workspace.segments[0].resolved.banned][:1] == ["Akte"]
    workspace.constrain(
        OWNER, 0, Constraints(terms_off=frozenset({view["conflicts"][0]["by"]}))
    )  # use the term after all
    assert [c.text for c in workspace.segments[0].resolved.required] == ["Akte"] and not workspace.segments[
        0
    ].resolved.banned
    workspace.constrain(OWNER, 0, NO_CONSTRAINTS)
    workspace.glossaries.arrange(OWNER, [low, high])
    assert [c["kind"] for c in detail_view(workspace.segments[0])["conflicts"]] == ["term_forbidden"]
    assert [c.text for c in workspace.segments[0].resolved.required] == ["Akte"]


def test_longer_term_of_a_lower_glossary_still_covers_the_shorter(workspace: Workspace):
    put(workspace, "general", ("log file", "Protokoll"))
    put(workspace, "client", ("file", "Datei"))
    assert found(workspace, 2) == [("Protokoll", "general")]


def test_glossary_that_is_off_or_removed_requires_nothing_until_undo(workspace: Workspace):
    low = put(workspace, "general", ("file", "Akte"))
    high = put(workspace, "client", ("file", "Datei"))
    workspace.glossaries.switch(OWNER, high, False)
    assert found(workspace, 0) == [("Akte", "general")]
    workspace.glossaries.remove(OWNER, low)
    assert found(workspace, 0) == [] and kept(workspace) == ["client"]
    workspace.glossaries.undo(OWNER)
    workspace.glossaries.undo(OWNER)
    assert found(workspace, 0) == [("Datei", "client")] and kept(workspace) == ["client", "general"]
    changes = [e.payload["change"] for e in workspace.store.events(workspace.session_id) if e.type == "glossary"]
    assert changes == ["import", "import", "switch", "remove", "undo", "undo"]


def test_same_name_replaces_the_earlier_glossary_and_keeps_its_priority(workspace: Workspace):
    put(workspace, "general", ("file", "Akte"))
    put(workspace, "client", ("file", "Datei"))
    put(workspace, "general", ("file", "Ordner"), ("open", "öffnen"))
    assert [(glossary.name, len(glossary)) for glossary in workspace.terms.glossaries] == [
        ("client", 1),
        ("general", 2),
    ]


def test_terms_are_edited_added_and_deleted_and_each_step_is_undone(workspace: Workspace):
    id_ = put(workspace, "client", ("file", "Datei"), ("router", "Router"))
    states = [workspace.terms.glossaries]
    for changes in ({0: Term("file", "Akte")}, {2: Term("open", "öffnen")}, {1: None}):
        workspace.glossaries.edit(OWNER, id_, changes)
        states.append(workspace.terms.glossaries)
    assert [term.source for term in states[-1][0].terms.values()] == ["file", "open"]
    assert [hit.term.target for hit in workspace.segments[0].hits] == ["öffnen", "Akte"]
    for state in reversed(states[:-1]):
        workspace.glossaries.undo(OWNER)
        assert workspace.terms.glossaries == state
        assert workspace.store.load_session(OWNER, workspace.session_id).glossaries == state
    workspace.glossaries.undo(OWNER)
    with pytest.raises(CommandError, match="no change"):
        workspace.glossaries.undo(OWNER)
    assert workspace.store.verify_chain(workspace.session_id).is_intact


def test_term_named_at_a_pin_goes_into_the_highest_glossary_that_is_on_and_is_undone(workspace: Workspace):
    put(workspace, "general", ("router", "Router"))
    workspace.glossaries.switch(OWNER, put(workspace, "client"), False)
    assert workspace.glossaries.add_term(OWNER, 0, "file", "Datei", "glossary")["glossary"] == "general"
    assert found(workspace, 0) == [("Datei", "general")]
    workspace.glossaries.undo(OWNER)
    assert found(workspace, 0) == []


def test_term_named_at_a_pin_goes_into_a_glossary_that_is_empty(workspace: Workspace):
    put(workspace, "client")
    assert workspace.glossaries.add_term(OWNER, 0, "file", "Datei", "glossary")["glossary"] == "client"
    assert [(glossary.name, len(glossary)) for glossary in workspace.terms.glossaries] == [("client", 1)]


def test_edits_do_not_wait_while_terms_are_searched_and_written(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    steps: list[str] = []

    def free_during(owner: Any, name: str) -> None:
        """Lets another thread edit a segment in the middle of a step."""
        real = getattr(owner, name)

        def step(*args: Any, **options: Any) -> Any:
            other = threading.Thread(target=workspace.edit, args=(OWNER, 1, f"Text {len(steps)}", "typed"))
            other.start()
            other.join(60)
            assert not other.is_alive(), f"{name} holds the lock"
            steps.append(name)
            return real(*args, **options)

        monkeypatch.setattr(owner, name, step)

    free_during(workspace.store.glossaries, "store_ahead")
    free_during(workspace.terms, "prepared")
    free_during(glossaries, "glossary_payload")
    id_ = put(workspace, "client", ("file", "Datei"))
    workspace.glossaries.edit(OWNER, id_, {0: Term("file", "Akte")})
    workspace.glossaries.switch(OWNER, id_, False)
    workspace.glossaries.undo(OWNER)
    each = ["prepared", "glossary_payload"]
    assert steps == ["store_ahead", *each, *each, *each, *each]
    assert workspace.segments[1].target == "Text 8" and [target for target, _ in found(workspace, 0)] == ["Akte"]


def test_changes_at_the_same_time_both_count(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    first = put(workspace, "general", ("file", "Akte"))
    real = workspace.terms.prepared

    def slow(*args: Any, **options: Any) -> Any:
        made = real(*args, **options)
        monkeypatch.setattr(workspace.terms, "prepared", real)
        workspace.glossaries.edit(OWNER, first, {1: Term("router", "Router")})  # by another person
        return made

    monkeypatch.setattr(workspace.terms, "prepared", slow)
    put(workspace, "client", ("file", "Datei"))
    assert [(glossary.name, len(glossary)) for glossary in workspace.terms.glossaries] == [
        ("client", 1),
        ("general", 2),
    ]
    assert [found(workspace, index)[0][0] for index in (0, 1)] == ["Datei", "Router"]
    assert workspace.store.load_session(OWNER, workspace.session_id).glossaries == workspace.terms.glossaries


def test_segments_get_new_terms_in_portions_also_when_two_changes_overlap(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
):
    first = put(workspace, "general", ("router", "Router"))
    workspace.open(OWNER, 2)
    monkeypatch.setattr(segment_hits, "NUM_UPDATED_AT_ONCE", 1)
    has_hits: list[list[bool]] = []

    def between(seconds: float) -> None:
        """Another person has the workspace to themselves between two portions."""
        if not has_hits:
            has_hits.append([bool(segment.hits) for segment in workspace.segments])
            other = threading.Thread(
                target=workspace.glossaries.edit, args=(OWNER, first, {0: Term("restart", "neu starten")})
            )
            other.start()
            other.join(60)
            assert not other.is_alive()

    monkeypatch.setattr(segment_hits, "time", SimpleNamespace(sleep=between))
    put(workspace, "client", ("file", "Datei"))
    assert has_hits == [[False, True, True]]  # the open segment goes first; the second is as it was
    assert [found(workspace, index) for index in range(3)] == [
        [("Datei", "client")], [("neu starten", "")], [("Datei", "client")]
    ]  # fmt: skip


def test_segment_that_is_split_in_the_meantime_has_its_terms(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    real = workspace.terms.prepared

    def slow(*args: Any, **options: Any) -> Any:
        made = real(*args, **options)
        workspace.structure.split(OWNER, 2, len("Save the "))
        return made

    monkeypatch.setattr(workspace.terms, "prepared", slow)
    put(workspace, "client", ("file", "Datei"))
    assert [segment.source for segment in workspace.segments][2:] == ["Save the", "log file."]
    assert [found(workspace, index) for index in (2, 3)] == [[], [("Datei", "client")]]


def test_terms_of_an_interrupted_import_appear_nowhere(workspace: Workspace):
    cut_off = Glossary.of(1, "cut off", [Term("file", "Datei"), Term("router", "Weiche")])
    workspace.store.glossaries.store_ahead(workspace.session_id, cut_off)
    assert workspace.store.load_session(OWNER, workspace.session_id).glossaries == ()
    workspace.glossaries.add_term(OWNER, 0, "file", "Akte", "glossary")
    (own,) = workspace.store.load_session(OWNER, workspace.session_id).glossaries
    assert (own.id, [term.target for term in own.terms.values()]) == (1, ["Akte"])


@pytest.mark.parametrize("matching", ["exact", "lemma", "prefix"])
def test_edit_searches_only_affected_segments_and_equals_a_restart(workspace: Workspace, matching: Matching):
    id_ = put(workspace, "client", ("file", "Datei"), ("log file", "Protokoll"))
    edits: list[TermChanges] = [
        {0: Term("files", "Dateien", matching=matching)},
        {1: None},
        {2: Term("Rout", "x", matching=matching, status="forbidden")},
        {0: None},
    ]
    for changes in edits:
        workspace.glossaries.edit(OWNER, id_, changes)
        anew = combined_matcher((), workspace.store.load_session(OWNER, workspace.session_id).glossaries, "en")
        for segment in workspace.segments:
            assert segment.hits == workspace.terms.search_in(anew, segment.source).hits


def test_invalid_glossary_change_is_refused_and_changes_nothing(workspace: Workspace):
    ids = [put(workspace, f"g{n}") for n in range(MAX_GLOSSARIES)]
    for wrong in (
        lambda: put(workspace, "one more"),
        lambda: workspace.glossaries.arrange(OWNER, ids[1:]),
        lambda: workspace.glossaries.arrange(OWNER, [*ids, ids[0]]),
        lambda: workspace.glossaries.switch(OWNER, 4711, True),
        lambda: workspace.glossaries.remove(OWNER, 4711),
    ):
        with pytest.raises(CommandError):
            wrong()
    assert len(workspace.terms.glossaries) == MAX_GLOSSARIES
