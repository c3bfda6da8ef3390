"""The contradictions of a segment as the page shows them: which demand counts, which gives way, and where to choose.

A pin contradicts a term where the model takes it for the translation of the term's words and it holds no form of it:
both are required until the person chooses. Every other conflict was settled by precedence (`constraints.demands_of`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.segments.constraints import Conflict, term_key

if TYPE_CHECKING:
    from app.segments.state import SegmentState

Json = dict[str, Any]


def conflicts_of(segment: SegmentState, aligned: Callable[[str], tuple[int, int]]) -> list[Json]:
    """{"kind", "kept", "given_up", "source", "term", "by"} of each; see `Conflict`.

    `aligned` tells which characters of the source a pin translates.
    """
    found = list(segment.demands.conflicts)
    terms = [constraint for constraint in segment.constraints if constraint.term_keys and not constraint.is_pinned]
    for pin in dict.fromkeys(segment.pins):
        start, end = aligned(pin)
        for hit in segment.hits:
            key = term_key(hit.term)
            asked = next((constraint for constraint in terms if key in constraint.term_keys), None)
            if asked is None or not (start < hit.end and hit.start < end):
                continue
            if any(form in pin for form in (asked.text, *asked.forms)):
                continue
            view = Conflict("pin_term", pin, asked.text, hit.term.source, key)
            if view not in found:
                found.append(view)
    return [
        {"kind": c.kind, "kept": c.kept, "given_up": c.given_up, "source": c.source, "term": c.term_key, "by": c.by}
        for c in found
    ]
