"""Lists of choices in a sheet of Excel: data validation with its items inside of the sheet, "green,red".

A cell with such a list accepts only its items. So an item that is the text of a cell gets the translation of the cell,
or all of them if several cells have it. Lists that refer to cells need no change.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Final, Protocol

from app.formats.xml_text import escape
from app.i18n import Message
from app.text.encoding import shortened_list

MAX_CHARACTERS: Final = 255  # of a text in a formula of Excel
_ATTRIBUTES: Final = rb"""(?:[^<>"']|"[^"<]*"|'[^'<]*')*"""
# A list of Excel 2010, whose items may contain commas (`x12ac`), has a copy for older programs.
_LIST = re.compile(
    rb"""<(?:[\w.-]+:)?dataValidation(?P<attributes>\s%(any)s)(?<!/)>\s*
    (?:<(?:[\w.-]+:)?AlternateContent%(any)s>\s*<(?:[\w.-]+:)?Choice%(any)s>\s*
        <(?:[\w.-]+:)?list%(any)s>(?P<newer>[^<]+)
    |<(?:[\w.-]+:)?formula1%(any)s>\s*(?:<(?:[\w.-]+:)?f%(any)s>\s*)?
        (?:"|&quot;)(?P<items>[^<]*?)(?:"|&quot;)\s*
        (?:</(?:[\w.-]+:)?f>\s*</(?:[\w.-]+:)?formula1>\s*<(?:[\w.-]+:)?sqref%(any)s>(?P<cells>[^<]*))?
        <)"""
    % {b"any": _ATTRIBUTES},
    re.VERBOSE,
)
_IS_LIST = re.compile(rb"""\stype\s*=\s*["']list["']""")
_CELLS = re.compile(rb"""\ssqref\s*=\s*["']([^"']*)""")
_ONE_TEXT = re.compile(r'(?:[^"]|"")*')


@dataclass(frozen=True, slots=True)
class ChoiceList:
    """A list: its sheet, its first cells ("B2:B9"), its items without spaces around them.

    `start` and `end` are its place in the sheet's bytes. `raw_items` are the items as they are there; empty for a list
    that cannot be changed.
    """

    sheet: str
    cells: str
    items: Sequence[str]
    start: int
    end: int
    raw_items: Sequence[bytes]

    @property
    def place(self) -> Message:
        """The place of the list, for messages."""
        return Message("sheet {sheet}, cells {cells}", sheet=self.sheet, cells=self.cells)

    def with_texts(self, texts: Mapping[str, Collection[str]]) -> bytes | None:
        """The list with all new texts of its items; None if one has a comma, or if the list would be too long."""
        new: list[bytes] = list(self.raw_items)
        for number, item in enumerate(self.items):
            if item not in texts:
                continue
            if not new or any("," in text for text in texts[item]):
                return None
            raw = new[number]
            before, after = raw[: len(raw) - len(raw.lstrip())], raw[len(raw.rstrip()) :]
            written = escape(",".join(texts[item]).replace('"', '""')).encode("ascii", "xmlcharrefreplace")
            new[number] = before + written + after
        joint = b",".join(new)
        return joint if len(_text(joint).encode("utf-16-le", "replace")) <= 2 * MAX_CHARACTERS else None


def choice_lists(sheet: bytes, title: str) -> list[ChoiceList]:
    """The lists with items of a sheet with this title, in order."""
    found: list[ChoiceList] = []
    for match in _LIST.finditer(sheet, max(sheet.rfind(b"sheetData>"), 0)):
        if not _IS_LIST.search(match["attributes"]):
            continue
        attribute = _CELLS.search(match["attributes"])
        cells = _text(match["cells"] or (attribute[1] if attribute else b"")).split()
        raw_items = [] if match["newer"] else match["items"].split(b",")
        if match["newer"]:
            items = next(csv.reader([_text(match["newer"])]))
        elif _ONE_TEXT.fullmatch(_text(match["items"])):
            items = [_text(item).replace('""', '"') for item in raw_items]
        else:
            continue  # a formula that joins texts
        place = match.span("newer" if match["newer"] else "items")
        stripped = [item.strip() for item in items]
        found.append(ChoiceList(title, next(iter(cells), "?"), stripped, *place, raw_items))
    return found


def with_new_items(sheet: bytes, title: str, texts: Mapping[str, Collection[str]]) -> tuple[bytes, list[Message]]:
    """The sheet with new texts of items in its lists, and the places of lists that need them but stay unchanged."""
    parts: list[bytes] = []
    unchanged: list[Message] = []
    position = 0
    for choices in choice_lists(sheet, title):
        if texts.keys().isdisjoint(choices.items):
            continue
        new = choices.with_texts(texts)
        if new is None:
            unchanged.append(choices.place)
            continue
        parts += [sheet[position : choices.start], new]
        position = choices.end
    return b"".join([*parts, sheet[position:]]), unchanged


class HasItems(Protocol):
    """A list of choices."""

    @property
    def items(self) -> Sequence[str]:
        """The items."""

    @property
    def place(self) -> Message:
        """The place of the list, for messages."""


def unknown_items(lists: Iterable[HasItems], texts: Container[str]) -> Message | None:
    """The number of items that are none of these texts, with the first one, for a message; None without such items."""
    found: dict[str, Message] = {}
    for choices in lists:
        for item in choices.items:
            if item not in texts and any(map(str.isalpha, item)):
                found.setdefault(item, choices.place)
    if not found:
        return None
    item, place = next(iter(found.items()))
    return Message(
        "items of lists of data validation that are not the text of a cell ({count:,}; the first: “{item}”, {place})",
        count=len(found),
        item=item[:40],
        place=place,
    )


def unchanged_note(places: Sequence[Message]) -> Message | None:
    """The note about lists that stay unchanged although the texts of their cells change."""
    if not places:
        return None
    return Message(
        "Lists of data validation without the translations of their cells, because a translation contains a comma, "
        "or the list would be longer than {limit} characters ({count:,}): {places}. In "
        "Excel, write their items into cells, and let the lists refer to these.",
        limit=MAX_CHARACTERS,
        count=len(places),
        places=shortened_list(places),
    )


def _text(raw: bytes) -> str:
    return unescape(raw.decode("utf-8", "replace"))
