"""Incremental counts compared with a full recount after random changes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.segments.proposal_view import DecodingResult
from app.segments.state import SegmentLock, SegmentState, Verdict
from app.segments.tally import Tally
from engine import Request
from tests.app.hand_decoder import translation

ANSWER = DecodingResult(translation(Request("x"), "y"))
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.sampled_from(["new", "pretranslated", "edited", "confirmed"]),
        st.sampled_from(["", "look"]),
        st.sampled_from([None, "text"]),
        st.sampled_from([None, ANSWER]),
        st.integers(0, 1),
        st.sampled_from([None, Verdict("approved", "text"), Verdict("returned", "text"), Verdict("approved", "old")]),
        st.sampled_from([None, None, SegmentLock()]),
    ),
    max_size=20,
)


@given(CHANGES)
def test_tally_equals_a_full_recount(changes: list[tuple]):
    segments = [SegmentState(index, "x", num_words=index + 1) for index in range(5)]
    tally = Tally(segments)
    for stamp, (index, state, attention, target, decoded, requested, verdict, lock) in enumerate(changes, 1):
        after = replace(
            segments[index], state=state, attention=attention, target=target, decoded=decoded, requested=requested,
            stamp=stamp, verdict=verdict, lock=lock,
        )  # fmt: skip
        tally.change(segments[index], after)
        segments[index] = after
    work = [s for s in segments if s.lock is None]
    confirmed = [s for s in work if s.state == "confirmed"]
    assert tally.counts() == {
        "all": 5,
        "open": len(work) - len(confirmed),
        "edited": sum(s.state == "edited" for s in work),
        "confirmed": len(confirmed),
        "attention": sum(s.attention != "" for s in segments),
        "commented": 0,
        "to_review": sum(s.review != "approved" for s in confirmed),
        "approved": sum(s.review == "approved" for s in work),
        "returned": sum(s.review == "returned" for s in work),
        "locked": 5 - len(work),
    }
    num_words = sum(s.num_words for s in work)
    assert tally.words() == {
        "confirmed": sum(s.num_words for s in confirmed), "all": num_words, "locked": 15 - num_words,
    }  # fmt: skip
    assert tally.num_translated == sum(s.decoded is not None or s.target is not None for s in work)
    assert tally.words_translated == sum(s.num_words for s in work if s.decoded is not None or s.target is not None)
    assert tally.to_translate == {s.index for s in work if s.target is None and s.needs_decoding}
    for since in range(-1, len(changes) + 1):
        assert set(tally.changed_since(since)) == {s.index for s in segments if s.stamp > since}
