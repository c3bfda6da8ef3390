"""What a page is told of a workspace: everything that changed since it asked last, and all that is small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.segments.state import Json
from app.segments.view import detail_view, row_view
from app.text.words import counting_unit

if TYPE_CHECKING:
    from app.workspace.commands import Workspace
    from app.workspace.decoding import DecodeQueue


def snapshot_of(
    workspace: Workspace, decoding: DecodeQueue, since: int, open_index: int | None, detail_since: int
) -> Json:
    """See `Workspace.snapshot`; call under its lock. `order` comes along where it is not what the page has."""
    source_language, _, target_language = workspace.direction.partition("-")
    structure, words = workspace.structure, workspace.tally.words()
    reply: Json = {
        "ok": True,
        "token": workspace.token,
        "version": workspace.version,
        "document": {
            "name": workspace.document.name,
            "notes": [*workspace.store.notes, *workspace.document.notes],
            "direction": workspace.direction,
            "source_language": source_language,
            "target_language": target_language,
            "unit": counting_unit(source_language),
        },
        "model": workspace.model_view(),
        "counts": workspace.counts(),
        "words": words,
        "work": workspace.activity.work.view(workspace.segments, words["confirmed"]),
        "progress": decoding.progress(),
        "decode": {"last_ms": decoding.last_ms},
        "glossary": workspace.terms.summary(),
        "problem": workspace.problem,
        "keeps_keys": workspace.activity.has_consent,
        "rows": [row_view(workspace.segments[index]) for index in sorted(workspace.tally.changed_since(since))],
    }
    if structure.stamp > since:
        reply["order"] = structure.order
    if open_index is not None and 0 <= open_index < len(workspace.segments):
        segment = workspace.segments[open_index]
        if segment.source and segment.stamp > detail_since:
            reply["segment"] = {**detail_view(segment), "findings": workspace.checking.view(segment)}
            reply["checks_off"] = sorted(workspace.checking.off)
    return reply
