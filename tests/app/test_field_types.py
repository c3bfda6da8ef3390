"""Data from clients, files, databases and flags: each field refuses values of a wrong type by name, in one way."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from app.access.rights import Access
from app.errors import CommandError
from app.formats import Reading, stored_format
from app.formats.documents import Document
from app.i18n import Message
from app.log.bundle_tables import Bundle
from app.log.notices import Notice
from app.log.people import Person
from app.log.project_tables import Project
from app.log.records import Event, SavedSegment, SessionRecord, SessionSummary
from app.models.begun_downloads import BegunDownload
from app.models.style import Style
from app.projects import ProjectDraft
from app.reports.audit import AuditFilter
from app.segments.find_replace import Query
from app.serving.api_documents import DocumentOrder, Upload
from app.serving.constrained_texts import ConstrainedText
from app.serving.keys import ApiKey
from app.sessions.assignments import AssignedPart, DocumentAssignment
from engine import Avoid, Phrase, Request
from engine.settings import is_of_type
from tests.reference import field_types


class Whole(int):
    """A whole number of a class of its own."""


HOSTILE = (
    None, True, 0, -1, 1.5, 10**30, math.nan, math.inf, "", "10", "\ud800", b"10", [], [None], [1], (1,), (1, "2"),
    {}, {"a": 1}, {"a"}, object(), int, lambda: 1,
)  # fmt: skip
# Values that are accepted somewhere, some of them by their class's parent.
ACCEPTED = (
    *HOSTILE, False, (), ("a", "b"), (1, 2), (None,), (True,), (("a", 1),), ("a", (1,)), Whole(1), Message("open"),
    "open", "confirmed", frozenset(), frozenset({1}), Counter("a"), Path("a"), date(2026, 1, 1), Phrase("a"),
    (Phrase("a"),), Avoid("a"), (Avoid("a"), "a"),
)  # fmt: skip
DOCUMENT = Document("a.txt", stored_format("txt"), b"One.", "utf-8", b"", ())
GOOD: dict[type, dict[str, Any]] = {
    Style: {},
    Reading: {},
    ProjectDraft: {"name": "Manuals"},
    AuditFilter: {},
    BegunDownload: {"kind": "hub", "name": "maker/model"},
    Upload: {"name": "a.txt", "data": b"One."},
    DocumentOrder: {"source": "en", "target": "de"},
    ConstrainedText: {"text": "Open the file."},
    ApiKey: {"id": 1, "name": "Ana", "created": ""},
    Project: {
        "id": 1,
        "name": "Manuals",
        "client": "",
        "direction": "en-de",
        "formality": "",
        "domain": "",
        "shares_memory": True,
    },
    Person: {"name": "Ana", "role": "manager", "projects": (1,)},
    Access: {"role": "manager", "projects": frozenset({1})},
    AssignedPart: {"person": "Ana", "first": 1, "last": 2},
    DocumentAssignment: {
        "session": 1,
        "document": "a.txt",
        "project": 1,
        "num_segments": 2,
        "person": "",
        "parts": (),
    },
    Query: {"text": "door"},
    Notice: {
        "session_id": 1,
        "person": "Ana",
        "kind": "assigned",
        "sender": "",
        "num_segments": 0,
        "is_dismissed": False,
        "document": "a.txt",
        "project_id": 1,
    },
    Event: {
        "session_id": 1,
        "seq": 1,
        "wall_ms": 0,
        "monotonic_ms": 0,
        "type": "open",
        "segment": None,
        "segment_version": None,
        "payload_json": "{}",
        "previous_hash": "",
        "hash": "",
    },
    SessionSummary: {
        "id": 1,
        "token": "x",
        "document_name": "a.txt",
        "direction": "en-de",
        "pseudonym": "",
        "num_segments": 1,
        "num_confirmed": 0,
        "num_approved": 0,
        "num_returned": 0,
        "num_locked": 0,
        "created_ms": 0,
        "last_ms": 0,
        "is_untouched": True,
        "project_id": 1,
    },
    Bundle: {"id": 1, "name": "a.zip"},
    SavedSegment: {"index": 0, "source": "One.", "target": None, "state": "new", "version": 0, "constraints": {}},
    SessionRecord: {
        "id": 1,
        "token": "x",
        "document": DOCUMENT,
        "direction": "en-de",
        "pseudonym": "",
        "versions": {},
        "options": {},
        "segments": (),
        "glossaries": (),
        "document_terms": (),
        "created_ms": 0,
        "last_ms": 0,
        "num_events": 0,
        "last_hash": "",
    },
}


@pytest.mark.parametrize("kind", list(GOOD), ids=lambda kind: kind.__name__)
def test_every_field_refuses_values_of_a_wrong_type_by_name(kind: type):
    declared = get_type_hints(kind)
    for one in fields(kind):
        refusals: list[str] = []
        for value in HOSTILE:
            try:
                kind(**{**GOOD[kind], one.name: value})
            except CommandError as error:
                refusals.append(str(error))
                continue
            assert is_of_type(value, declared[one.name]), (one.name, value)
        assert len(refusals) > 10, one.name
        assert [refusal for refusal in refusals if not refusal.startswith(f"{one.name} is ")] == []


def test_compiled_check_accepts_the_same_values_as_the_annotation():
    annotated = [one for kind in (*GOOD, Phrase, Avoid, Request) for one in get_type_hints(kind).values()]
    annotated += [float, float | None, bool, tuple[int, str], tuple[tuple[str, int], ...], tuple[Phrase | str, ...]]
    compared = [
        (is_of_type(value, one), field_types.is_of_type(value, one), value, one)
        for one in annotated
        for value in ACCEPTED
    ]
    assert [case for case in compared if case[0] is not case[1]] == []
    assert sum(is_accepted for is_accepted, *_ in compared) > len(annotated)
