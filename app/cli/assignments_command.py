"""The command `assignments`: who works on which documents and parts of them."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from app.access.actor import OWNER
from app.cli.log_commands import log_to_write
from app.i18n import counted
from app.sessions.assignments import Assignments, DocumentAssignment


def assignments(flags: argparse.Namespace) -> int:
    """Carries out the action; returns 0."""
    with log_to_write(flags.log) as store:
        known = Assignments(store)
        if flags.action == "list":
            for found in known.all(OWNER) if flags.session is None else [known.of(OWNER, flags.session)]:
                print(json.dumps(asdict(found), ensure_ascii=False) if flags.json else _line(found))
            return 0
        person = flags.name if flags.action == "assign" else ""
        done, num_taken = known.assign(OWNER, flags.session, person, flags.part)
        print(_line(done))
        if num_taken:
            print(f"Assigned to somebody else before: {counted(num_taken, 'segment')}.", file=sys.stderr)
    return 0


def _line(found: DocumentAssignment) -> str:
    parts = "".join(f"; segments {part.first}-{part.last}: {part.person}" for part in found.parts)
    return f"{found.session:>6}  {found.document}: {found.person or 'nobody'}{parts}"
