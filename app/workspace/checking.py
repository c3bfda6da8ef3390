"""The checks of one workspace: what they find in its segments, what the person was told, which are switched off.

What was shown to the person is kept in the log as raised, and as resolved once it is gone. Used under the workspace's
lock.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import TYPE_CHECKING

from app.checks import CHECKS, CheckName, Finding, findings_in
from app.segments.constraint_changes import clean_target
from app.segments.state import Json, SegmentState, attention_for, banned_texts, unmet_texts

if TYPE_CHECKING:
    from app.workspace.commands import Workspace


def findings_of(
    segment: SegmentState, text: str, direction: str, off: Collection[CheckName] = ()
) -> tuple[Finding, ...]:
    """What the checks find in `text` as this segment's translation."""
    unmet, banned = unmet_texts(segment, text), banned_texts(segment, text)
    return findings_in(segment.source, text, direction, unmet=unmet, banned=banned, off=off)


class Checking:
    """See the module. `off` are the checks that the person has switched off in this session."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        last = workspace.store.last_event(workspace.session_id, "checks_chosen")
        names = last.payload["off"] if last else ()
        self.off: frozenset[CheckName] = frozenset(name for name in CHECKS if name in names)
        self._raised: dict[int, set[Finding]] = defaultdict(set)

    def findings(self, segment: SegmentState, text: str | None = None) -> tuple[Finding, ...]:
        """What is found in the segment's text, or in another that it might get."""
        text = segment.text if text is None else text
        return findings_of(segment, text, self.workspace.direction, self.off) if text else ()

    def attention(self, segment: SegmentState) -> str:
        """Why a segment needs a look, in a sentence; only errors in a person's text count, not advice."""
        return attention_for(segment, self.findings(segment) if segment.target is not None else ())

    def view(self, segment: SegmentState) -> list[Json]:
        """The findings in the segment's text, for the page."""
        return [finding.view() for finding in self.findings(segment)]

    def show(self, index: int, text: str) -> Json:
        """What the person is told before `text` is confirmed for a segment."""
        with self.workspace.lock:
            segment = self.workspace.segment(index)
            findings = self.findings(segment, clean_target(text))
            self._keep(segment, findings)
            return {"findings": [finding.view() for finding in findings]}

    def confirmed(self, segment: SegmentState) -> list[Json]:
        """The segment is being confirmed as it is: returns what it is confirmed over, for the log."""
        findings = self.findings(segment)
        self._resolve(segment, findings)
        self._raised.pop(segment.index, None)
        return [finding.view() for finding in findings]

    def choose(self, off: Collection[CheckName]) -> None:
        """From now on all checks run but these; every segment is judged anew."""
        workspace = self.workspace
        with workspace.lock:
            chosen = frozenset(off)
            if chosen == self.off:
                return
            workspace.store.append(workspace.session_id, "checks_chosen", {"off": sorted(chosen)})
            self.off = chosen
            for segment in list(workspace.segments):
                if segment.target is not None or segment.index == workspace.open_index:
                    workspace.adopt(segment)

    def _keep(self, segment: SegmentState, findings: Collection[Finding]) -> None:
        self._resolve(segment, findings)
        for finding in findings:
            if finding not in self._raised[segment.index]:
                self.workspace.log("check_raised", finding.view(), segment)
                self._raised[segment.index].add(finding)

    def _resolve(self, segment: SegmentState, findings: Collection[Finding]) -> None:
        for finding in self._raised[segment.index] - set(findings):
            self.workspace.log("check_resolved", finding.view(), segment)
            self._raised[segment.index].discard(finding)
