"""The checks of one document: the findings shown to the translator, and which checks are switched off.

The log keeps a finding that was shown as raised, and as resolved once it is gone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from app.access.actor import Actor
from app.checks import CheckName, Finding
from app.segments.clean_texts import clean_target
from app.segments.state import Json, SegmentState
from app.segments.text_changes import confirmed
from app.workspace.core import UnitOfWork, WorkspaceCore


class Checking:
    """The findings shown to the translator, by segment."""

    def __init__(self, core: WorkspaceCore) -> None:
        self._core = core
        self._shown: dict[int, set[Finding]] = defaultdict(set)

    def show(self, actor: Actor, index: int, text: str) -> Json:
        """The findings in `text` before it is confirmed for a segment; logs new and removed findings."""
        with self._core.command(actor) as work:
            segment = self._core.segment(index)
            findings = self._core.findings(segment, clean_target(text))
            self._log_resolved(work, segment, findings)
            for finding in findings:
                if finding not in self._shown[index]:
                    work.log("check_raised", finding.view(), segment)
            work.then(lambda: self._shown.update({index: set(findings)}))
        return {"findings": [finding.view() for finding in findings]}

    def confirm(
        self, work: UnitOfWork, segment: SegmentState, text: str, *, is_by_review: bool = False
    ) -> SegmentState:
        """Confirms `text` for a segment and logs the findings in it. `is_by_review`: it is approved with it."""
        after = confirmed(segment, text)
        payload: Json = {
            "text": text,
            "machine_text": segment.machine_text,
            "is_unchanged": text == segment.machine_text,
            "attention": self._core.attention(after),
            "findings": self._confirmed(work, after),
        }
        work.change(after, [("confirm", payload | ({"is_by_review": True} if is_by_review else {}))])
        return after

    def _confirmed(self, work: UnitOfWork, segment: SegmentState) -> list[Json]:
        """The findings in the text that is being confirmed, for the log; those shown before and gone are resolved."""
        findings = self._core.findings(segment)
        self._log_resolved(work, segment, findings)
        work.then(lambda: self._shown.pop(segment.index, None))
        return [finding.view() for finding in findings]

    def choose(self, actor: Actor, off: Collection[CheckName]) -> None:
        """Switches these checks off and all others on; every segment is checked again."""
        core = self._core
        with core.command(actor) as work:
            chosen = frozenset(off)
            if chosen == core.checks_off:
                return
            work.log("checks_chosen", {"off": sorted(chosen)})
            work.then(lambda: self._check_again(chosen))

    def _check_again(self, off: frozenset[CheckName]) -> None:
        core = self._core
        core.checks_off = off
        for segment in list(core.segments):
            if segment.target is not None or segment.index == core.open_index:
                core.adopt(segment)

    def _log_resolved(self, work: UnitOfWork, segment: SegmentState, findings: Collection[Finding]) -> None:
        for finding in self._shown.get(segment.index, set()) - set(findings):
            work.log("check_resolved", finding.view(), segment)
