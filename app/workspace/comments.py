"""What a person remarks on a segment, for themselves and for whoever gets the document: kept in the log, exported."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.errors import CommandError
from app.i18n import Message
from app.segments.constraint_changes import one_line

if TYPE_CHECKING:
    from app.workspace.commands import Workspace

MAX_CHARACTERS = 2000


def set_comment(workspace: Workspace, index: int, text: str) -> None:
    """Gives a segment this comment in place of the one it had; an empty text takes it away."""
    with workspace.lock:
        segment = workspace.segment(index)
        comment = clean_comment(text)
        if comment == segment.comment:
            return
        after = replace(segment, comment=comment, version=segment.version + 1)
        workspace.log("comment", {"text": comment}, after, stores=True)
        workspace.adopt(after)


def clean_comment(text: str) -> str:
    """A comment as it is kept, its lines as they are; raises CommandError where it is too long."""
    if len(text) > MAX_CHARACTERS:
        raise CommandError(
            Message(
                "The comment has {count:,} characters; it may have up to {limit:,}.",
                count=len(text),
                limit=MAX_CHARACTERS,
            )
        )
    return "\n".join(one_line(line).rstrip() for line in text.splitlines()).strip()
