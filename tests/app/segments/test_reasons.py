"""Messages for the engine's reasons: translated, with the phrase and a remedy."""

from __future__ import annotations

from typing import get_args

import pytest

from app.segments.proposal_view import DecodingResult, reason_message
from app.segments.resolved_constraints import RequiredText, ResolvedConstraints
from engine import Reason, Request, Translation
from engine.translation import ReasonKind


@pytest.mark.parametrize("kind", get_args(ReasonKind))
@pytest.mark.parametrize("text", ["", "{Haus} %s"])
def test_every_kind_of_reason_has_a_message_in_both_languages(kind: ReasonKind, text: str):
    message = reason_message(Reason(kind, "as the {engine} says it", 0 if text else None), text)
    german = message.in_language("de")
    assert german != message
    assert ("{engine}" in message) == (kind in ("invalid", "crashed")), "other messages do not quote the engine"
    if text and kind in ("avoided", "unspellable", "not_placed"):
        assert text in message
        assert text in german


def test_reasons_of_phrases_and_of_the_segment_are_separate():
    reasons = (Reason("not_placed", "", 1), Reason("deadline", ""), Reason("not_placed", "", 7))
    asked = ResolvedConstraints((RequiredText("a"), RequiredText("b")))
    result = DecodingResult(Translation(Request("x"), "unmet", reasons=reasons), asked)
    assert list(result.reasons_by_text()) == ["b"]
    assert result.general_reasons() == [reason_message(reasons[1])]
