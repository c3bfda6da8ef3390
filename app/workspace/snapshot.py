"""A document's state for a page: everything that changed since the page's version, and everything that is small."""

from __future__ import annotations

from collections.abc import Sequence

from app.access.actor import Actor
from app.formats.tag_names import named_tags
from app.precedence import giving_way
from app.segments.state import Json
from app.segments.view import detail_view, row_view
from app.text.words import counting_unit
from app.workspace.activity import Activity
from app.workspace.core import WorkspaceCore
from app.workspace.decoding import DecodeQueue
from app.workspace.learning import Learning
from engine import Translation


def _decode_view(last: Translation | None) -> Json:
    """The duration and the speed of the last translation that a person waited for."""
    if last is None:
        return {"last_ms": None, "tokens_per_second": None}
    num_tokens = len(last.hypotheses[0].tokens) if last.hypotheses else 0
    return {"last_ms": last.elapsed_ms, "tokens_per_second": 1000 * num_tokens / max(1.0, last.elapsed_ms)}


def snapshot_of(
    actor: Actor,
    core: WorkspaceCore,
    decoding: DecodeQueue,
    activity: Activity,
    learning: Learning,
    glossary: Json | None,
    model: Json,
    since: int,
    open_index: int | None,
    detail_since: int,
) -> Json:
    """See `Workspace.snapshot`; needs the lock.

    `glossary` and `model` are the summaries in the header. `order` is included if it has changed since.
    """
    source_language, _, target_language = core.direction.partition("-")
    words = core.tally.words()
    reply: Json = {
        "ok": True,
        "token": core.token,
        "version": core.version,
        "document": {
            "name": core.document.name,
            "notes": [*core.store.notes, *core.document.notes],
            "can_be_reread": core.document.can_be_reread,
            "has_comment_choice": core.document.format.comments_on_request,
            "has_segments_choice": not core.document.format.is_paired,
            "direction": core.direction,
            "source_language": source_language,
            "target_language": target_language,
            "unit": counting_unit(source_language),
        },
        "model": model,
        "counts": core.tally.counts(),
        "words": words,
        "work": activity.work.view(core.segments, words["confirmed"]),
        "progress": decoding.progress(),
        "decode": _decode_view(decoding.last),
        "glossary": glossary,
        "problem": core.problem,
        "keeps_keys": activity.has_consent,
        "rows": rows_view(actor, core, sorted(core.tally.changed_since(since))),
    }
    if core.order_stamp > since:
        reply["order"] = core.order
    if open_index is not None and 0 <= open_index < len(core.segments):
        segment = core.segments[open_index]
        if segment.source and segment.stamp > detail_since:
            reply["segment"] = {
                **detail_view(segment),
                "findings": [f.view() for f in core.findings(segment)],
                "learned_from": learning.view(segment),
            }
            reply["checks_off"] = sorted(core.checks_off)
    return reply


def rows_view(actor: Actor, core: WorkspaceCore, indices: Sequence[int]) -> list[Json]:
    """The rows of these segments in the list, as the actor sees them; needs the lock."""
    assignees = core.parts.current() if indices else {}
    held = core.parts.held_by_others(actor) if indices else {}
    return [
        {
            **row_view(core.segments[index]),
            "tags": named_tags(core.document.tags(index)),
            "assignee": assignees.get(index, ""),
            "is_held": index in held,
        }
        for index in giving_way(indices)
    ]
