"""Reading translation memories: TMX files, memories of Trados Studio (.sdltm) and tables, with limits in size."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Final

from app.errors import DocumentError
from app.i18n import Message
from app.text.encoding import shortened_list
from app.tm.memory_table import is_table, read_table
from app.tm.tmx_memory import read_tmx
from app.tm.trados_memory import SQLITE_START, read_trados

MAX_BYTES: Final = 50 * 2**20
MAX_PAIRS: Final = 200_000


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """The (source, target) pairs of a translation memory, and notes about units that were left out."""

    pairs: list[tuple[str, str]]
    notes: list[str]


def read_memory(data: bytes, name: str, source_language: str, target_language: str) -> MemoryFile:
    """The pairs of a memory in these languages, in file order. Raises DocumentError, also if there are none.

    Inline codes become numbered tags, as in `app.tm.tmx_codes`. A regional variant counts as its language ("de-AT" as
    "de").
    """
    if len(data) > MAX_BYTES:
        raise DocumentError(
            "{name} has {mib:.0f} MiB; Pinpoint imports memories of up to {most} MiB: split the file and import "
            "the parts one by one",
            name=name,
            mib=len(data) / 2**20,
            most=MAX_BYTES // 2**20,
        )
    unreadable: list[int] = []
    of_one_place: list[str] = []
    notes: list[str] = []
    if is_table(data, name):
        found = read_table(data, name, (source_language, target_language), MAX_PAIRS + 1, notes)
    elif data.startswith(SQLITE_START):
        found = read_trados(data, name, source_language, target_language, unreadable)
    else:
        found = read_tmx(data, name, source_language, target_language, of_one_place)
    pairs = list(islice(found, MAX_PAIRS + 1))
    if len(pairs) > MAX_PAIRS:
        raise DocumentError(
            "{name} has more than {most:,} translation units: split the file and import one part",
            name=name,
            most=MAX_PAIRS,
        )
    if not pairs and unreadable:
        raise DocumentError(
            "{name}: none of its units can be read ({count:,} in the file): export it as TMX, and import that file",
            name=name,
            count=len(unreadable),
        )
    if not pairs:
        raise DocumentError(
            "{name} has no units in both “{source}” and “{target}”: choose a memory in these languages",
            name=name,
            source=source_language,
            target=target_language,
        )
    if of_one_place:
        notes.append(
            Message(
                "Translations for only one place, which are left out ({count:,}): {texts}.",
                count=len(of_one_place),
                texts=shortened_list(of_one_place),
            )
        )
    if unreadable:
        rows = shortened_list(map(str, unreadable))
        notes.append(Message("Unreadable units, left out ({count:,}): {rows}.", count=len(unreadable), rows=rows))
    return MemoryFile(pairs, notes)
