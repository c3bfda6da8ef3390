"""The command `import-review`: shows what a reviewer changed in a review table, and takes it over."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.access.actor import OWNER
from app.cli.log_commands import bytes_of, log_to_write, session_number
from app.formats.word_table import read_tables
from app.i18n import counted
from app.models.loading import ModelHandle
from app.segments.stored_state import restore_segment
from app.sessions.workspace_opener import versions
from app.workspace.batches import Batches
from app.workspace.core import WorkspaceCore
from app.workspace.review_import import ReviewDifference, compare_review


def import_review(flags: argparse.Namespace) -> int:
    """Prints the differences, and with --apply takes over those without a problem; returns 0."""
    tables = read_tables(bytes_of(flags.file), flags.file.name)
    with log_to_write(flags.log) as store:
        session = store.load_session(OWNER, session_number(store, flags.session))
        core = WorkspaceCore(
            store,
            session.id,
            session.token,
            session.document,
            [*map(restore_segment, session.segments)],
            ModelHandle(Path("none")),
            direction=session.direction,
            find=lambda source: ((), ()),
        )
        found = compare_review(OWNER, core, tables, flags.file.name)
        for difference in found.differences:
            print(_lines(difference))
        for note in found.notes:
            print(note, file=sys.stderr)
        taken = [one.reviewed for one in found.differences if one.can_be_taken and not one.problem]
        if flags.apply and taken:
            Batches(core).take_review(OWNER, taken, [("resume", {"versions": versions()})])
            print(f"{counted(len(taken), 'change')} taken over.")
    return 0


def _lines(difference: ReviewDifference) -> str:
    one = difference.reviewed
    lines = [f"segment {difference.number}"]
    if one.text is not None:
        lines += [f"  before   {one.before}", f"  after    {one.text}"]
    for comment in one.comments:
        lines += [f"  comment  {line}" for line in comment.split("\n")]
    if difference.problem:
        lines.append(f"  problem  {difference.problem}")
    return "\n".join(lines)
