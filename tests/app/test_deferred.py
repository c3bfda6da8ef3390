"""Sequences that are computed when they are first read, and what of a document is."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.access.actor import OWNER
from app.deferred import Deferred
from app.glossary import Term, TermMatcher, TermMatches
from app.glossary.glossary import Glossary
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from tests.app.hand_decoder import HandDecoder, ready_model


def test_a_deferred_sequence_is_computed_once_and_equals_the_same_tuple() -> None:
    asked: list[str] = []

    def letters(text: str) -> list[str]:
        asked.append(text)
        return list(text)

    one = Deferred(letters, "ab")
    assert one == Deferred(letters, "ab") and asked == [], "the same function and arguments need no computing"
    assert (len(one), one[0], one[1:], list(one), one == ("a", "b"), ("a", "b") == one) == (
        2, "a", ("b",), ["a", "b"], True, True,
    )  # fmt: skip
    assert asked == ["ab"] and hash(one) == hash(("a", "b"))
    assert one != Deferred(letters, "ba") and not Deferred(letters, "")


def test_opening_a_document_searches_the_terms_of_those_segments_only_that_are_translated_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    real = TermMatcher.search

    def search(self: TermMatcher, text: str) -> TermMatches:
        searched.append(text)
        return real(self, text)

    store = LogStore.open(tmp_path / "log.sqlite")
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    terms = [Term(f"door {number}", f"Tor {number}") for number in range(300)]
    lines = b"".join(b"This is door %d.\n" % number for number in range(300))
    token = sessions.open_document(OWNER, lines, "b.txt").token
    sessions.close()
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    monkeypatch.setattr(TermMatcher, "search", search)
    number = store.session_of(OWNER, token)
    assert number is not None
    store.glossaries.change(OWNER, number, (), [Glossary.of(1, "terms", terms)], {})
    workspace = sessions.find(OWNER, token)
    assert len(set(searched)) < 50
    assert [hit.term.source for hit in workspace.segments[299].hits] == ["door 299"]
    assert [one.forms[0] for one in workspace.segments[299].numbers] == ["299"]
    sessions.close()
    store.close()
