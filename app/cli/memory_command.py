"""The command `memory`: exports the translation memory of a language pair, or imports a file into it."""

from __future__ import annotations

import argparse
import sys

from app.access.actor import OWNER
from app.cli.log_commands import bytes_of, log_to_read, log_to_write, write_export
from app.errors import CommandError
from app.i18n import counted
from app.tm.library import MemoryLibrary


def memory(flags: argparse.Namespace) -> int:
    """Carries out the action; returns 0."""
    if not all(flags.direction.partition("-")):
        raise CommandError("{direction!r} is not a language pair: write it as en-de", direction=flags.direction)
    if flags.action == "export":
        _export(flags)
    else:
        _import(flags)
    return 0


def _export(flags: argparse.Namespace) -> None:
    with log_to_read(flags.log) as store:
        made = MemoryLibrary(store).export(OWNER, flags.direction, flags.kind)
    write_export(made, flags.output)


def _import(flags: argparse.Namespace) -> None:
    data = bytes_of(flags.file)
    with log_to_write(flags.log) as store:
        if flags.project and store.project(OWNER, flags.project) is None:
            raise CommandError(
                "there is no project {number}: `people projects` lists the projects", number=flags.project
            )
        found = MemoryLibrary(store).import_memory(data, flags.file.name, flags.direction, flags.project)
    print(f"{counted(found['num_pairs'], 'translation')} imported from {found['name']}.")
    for note in found["notes"]:
        print(note, file=sys.stderr)
