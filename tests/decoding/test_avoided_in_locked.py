"""An avoided text that is the beginning of a locked text, with the bundled model."""

from __future__ import annotations

import pytest

from engine import Request, SearchOptions, Translator
from engine.search.tracker import ConstraintTracker

SOURCE = "An MD5 (Message-Digest Algorithm 5) is a cryptographic hash function widely used for checking data integrity."
MAX_LEARNED = (
    40_000  # steps of the tracker: 20,282 now, 66,721 when rows looked for as many pieces as the beam has places
)


def test_few_pieces_are_tried_behind_an_avoided_text_that_must_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind "MD5" nearly every piece completes the avoided text; one other piece is enough."""
    learned = 0
    advance = ConstraintTracker._advance

    def counted(tracker: ConstraintTracker, node: int, piece: int) -> tuple[int, int]:
        nonlocal learned
        learned += 1
        return advance(tracker, node, piece)

    monkeypatch.setattr(ConstraintTracker, "_advance", counted)
    translator = Translator.load("data/models/en-de")
    request = Request(SOURCE, "en-de", avoid=("Ein", "MD5"), locked=("Eine MD5-Prüfsumme",))
    result = translator.translate(request, SearchOptions(beam=10))
    assert result.status == "complete"
    assert "Eine MD5-Prüfsumme" in result.hypotheses[0].text
    assert learned < MAX_LEARNED
