"""Text changes in the log: reported, verified, derived, and applied to give the same text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.log.changes import (
    MAX_REPORTED,
    Change,
    change_events,
    change_of,
    reported_changes,
    smallest_change,
    text_after,
    whole_change,
)
from app.segments.state import SegmentState
from app.segments.text_changes import ReportedEdit, edit_events, edited

# Characters of one and of two units of UTF-16, marks that join the one before, and halves of pairs.
TEXTS = st.text(st.sampled_from("ab  ö😀👩🏽\u0308\ud83d\ude00"), max_size=12)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str, str]], str]:
    """A text, what happens to it as a page tells it, and the text after."""
    before = text = draw(TEXTS)
    reported = []
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        count = draw(st.integers(0, len(text) - start))
        new = draw(TEXTS)
        reported.append((start, count, new, draw(st.sampled_from(["typed", "paste", "spelling", "other"]))))
        text = text[:start] + new + text[start + count :]
    return before, reported, text


@given(edits(), st.booleans())
def test_log_rebuilds_the_text_from_reported_changes(edit: Any, is_of_machine: bool) -> None:
    before, reported, after = edit
    changes = reported_changes(before, after, reported)
    assert changes is not None and [change.origin for change in changes] == [origin for *_, origin in reported]
    text = None if is_of_machine else before
    for (event_type, payload), change in zip(
        change_events(changes, before if is_of_machine else None), changes, strict=True
    ):
        assert change_of(event_type, payload) == change
        text = text_after(text, event_type, payload)
    assert text == after


@given(TEXTS, TEXTS)
def test_smallest_change_is_correct_and_minimal(before: str, after: str) -> None:
    change = smallest_change(before, after, "typed")
    assert change.applied(before) == after == whole_change(before, after, "typed").applied(before)
    size = len(change.removed) + len(change.text)
    ends = [(start, stop) for start in range(len(before) + 1) for stop in range(start, len(before) + 1)]
    fitting = [
        stop - start + len(after) - (len(before) - (stop - start))
        for start, stop in ends
        if len(after) >= len(before) - (stop - start)
        and after[:start] == before[:start]
        and after[len(after) - (len(before) - stop) :] == before[stop:]
    ]
    assert size == min(fitting)


@given(edits(), TEXTS)
def test_reported_changes_that_do_not_give_the_text_are_ignored(edit: Any, other: str) -> None:
    before, reported, after = edit
    segment = SegmentState(0, "source", 1, target=before, state="edited")
    wanted = edited(segment, other, "typed")
    events = edit_events(
        segment, other.replace("\ud83d", "").replace("\ude00", ""), "typed", None, ReportedEdit("", reported)
    )
    assert wanted.target == other
    text: str | None = before
    for event_type, payload in events:
        text = text_after(text, event_type, payload)
    assert text == other.replace("\ud83d", "").replace("\ude00", "")
    if other != after and "\ud83d" not in after + other and "\ude00" not in after + other:
        assert [payload["origin"] for _, payload in events] == ["unknown"]


@pytest.mark.parametrize(
    ("reported", "why"),
    [
        ([(0, 4, "x", "typed")], "more is gone than there was"),
        ([(-1, 1, "x", "typed")], "before the text"),
        ([(0, -1, "x", "typed")], "less than nothing is gone"),
        ([(4, 0, "x", "typed")], "behind the text"),
        ([(2**70, 0, "x", "typed")], "nowhere"),
        ([], "nothing"),
        ([(3, 0, "", "typed")] * MAX_REPORTED + [(3, 0, "x", "typed")], "more than one edit has"),
    ],
)
def test_impossible_reported_changes_are_ignored(reported: list[tuple[int, int, str, str]], why: str) -> None:
    assert reported_changes("abc", "abcx", reported) is None, why


def test_proposal_is_logged_once_with_the_first_change() -> None:
    segment = SegmentState(0, "source", 1)
    reported = ReportedEdit("Das Haus", [(3, 0, " rote", "typed"), (3, 5, "", "typed"), (3, 0, " neue", "paste")])
    assert edit_events(segment, "Das neue Haus", "typed", None, reported) == [
        ("insert", {"offset": 3, "text": " rote", "origin": "typed", "before": "Das Haus"}),
        ("delete", {"offset": 3, "text": " rote", "origin": "typed"}),
        ("paste", {"offset": 3, "text": " neue", "origin": "paste"}),
    ]
    everything = ReportedEdit("Das Haus", [(0, 8, "Ein Hof", "typed")])
    assert edit_events(segment, "Ein Hof", "typed", None, everything) == [
        ("insert", {"offset": 0, "text": "Ein Hof", "removed": "Das Haus", "origin": "typed"})
    ]
    assert text_after(None, *edit_events(segment, "Ein Hof", "typed", None, everything)[0]) == "Ein Hof"


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("hypothesis", [("hypothesis_taken", "n-best"), ("insert", "n-best")]),
        ("rest", [("hypothesis_taken", "rest"), ("insert", "rest")]),
        ("memory", [("insert", "memory")]),
        ("completion", [("insert", "completion")]),
        ("undo", [("undo", "undo")]),
    ],
)
def test_each_origin_of_a_text_is_logged(origin: Any, expected: list[tuple[str, str]]) -> None:
    segment = SegmentState(0, "source", 1, target="Das Haus", state="edited")
    events = edit_events(segment, "Das Haus da", origin, 0, None)
    assert [(event_type, payload["origin"]) for event_type, payload in events] == expected
    text: str | None = segment.target
    for event in events:
        text = text_after(text, *event)
    assert text == "Das Haus da"


def test_change_that_does_not_fit_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="the text is different there"):
        Change(4, "rote", "neue", "typed").applied("das blaue Haus")
    with pytest.raises(ValueError, match="the text is different there"):
        text_after(None, "delete", {"offset": 3, "text": "rote", "origin": "typed"})
