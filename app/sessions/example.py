"""The sample document; the first start adds its glossary and one pin, as an example of both."""

from __future__ import annotations

from app.access.actor import Actor
from app.log.records import SessionRecord
from app.segments.segment_constraints import Constraints
from app.workspace.commands import Workspace

DOCUMENT = "getting-started.txt"
LANGUAGES = ("en", "")  # of the document
DIRECTION = "en-de"  # of the glossary
GLOSSARY = "glossary.tsv"
_TITLE = "Erste Schritte mit Harbor Notes"  # of the first segment, with the pin in its place
_PIN = "Erste Schritte"


def set_example_pin(actor: Actor, workspace: Workspace) -> None:
    """Pins a phrase of the first segment."""
    workspace.constrain(actor, 0, Constraints(pins=(_PIN,), follow=_TITLE))


def has_only_example(record: SessionRecord) -> bool:
    """True if the session contains only the example, without any work of a person."""
    if not record.segments:
        return False
    first, *others = record.segments
    is_unchanged = first.version == 1 and first.target is None and not any(segment.version for segment in others)
    has_example = first.constraints.get("pins") == [_PIN] and [item.name for item in record.glossaries] == [GLOSSARY]
    return is_unchanged and has_example and not record.document_terms
