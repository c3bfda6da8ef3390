"""Inline codes whose begin and end are separate elements: `<bpt i="1">&lt;b></bpt>` and `<ept i="1">&lt;/b></ept>`.

XLIFF 1.2 has bpt and ept, bx and ex, it; XLIFF 2 has sc and ec, sm and em; TMX has bpt and ept, it. In all of them, and
in Angular, a placeholder may contain a start or end tag of HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from app.formats.xml_text import Node
from app.i18n import Message

Side = Literal["open", "close"]


class CodeEnd(NamedTuple):
    """The begin ("open") or end ("close") of a code; both have the same `key`, which is unique in a file's unit."""

    side: Side
    key: str


_BEGINS = {"bpt": "code", "bx": "code", "sc": "code", "sm": "mark"}
_ENDS = {"ept": "code", "ex": "code", "ec": "code", "em": "mark"}
_OPEN_POSITIONS, _CLOSE_POSITIONS = ("open", "begin"), ("close", "end")
_KEYS = ("rid", "startRef", "i", "id")
_PLACEHOLDERS = ("x", "ph", "ut")
_CONTENTS = ("equiv-text", "equiv", "disp")
_START_TAG = re.compile(r"<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?(?<!/)>")
_END_TAG = re.compile(r"</([A-Za-z][\w:.-]*)\s*>")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_OF_ANGULAR = re.compile(r"(START|CLOSE)_([A-Z_]+?)(?:_\d+)?")


def sub_flows_note(sources: Iterable[Node]) -> Message | None:
    """The note about texts inside codes, such as the text in place of a picture; None if there are none.

    XLIFF 1.2 and TMX write them as `<sub>` inside a code. XLIFF 2 has units of their own for them.
    """
    inner = (node for source in sources for node in source.walk() if node.local == "sub")
    count = sum(any(map(str.isalpha, node.content())) for node in inner)
    if not count:
        return None
    return Message("Not offered: texts inside inline codes, {count:,} in this file.", count=count)


def code_end(node: Node) -> CodeEnd | None:
    """The begin or end of a code that an element is; None for another element.

    >>> code_end(Node("ec", {"startRef": "1"}, 0, 0, local="ec"))
    CodeEnd(side='close', key='code 1')
    """
    name, given = node.local, node.attributes
    if name == "it":
        position = given.get("pos", "")
        side: Side = "open" if position in _OPEN_POSITIONS else "close"
        tag = _tag_in(node)
        if position not in (*_OPEN_POSITIONS, *_CLOSE_POSITIONS):
            return tag
        if tag is not None and tag.side == side and "rid" not in given:  # the ids of both ends may differ
            return tag
        return CodeEnd(side, f"it {given.get('rid') or given.get('x') or given.get('id') or ''}")
    kind = _BEGINS.get(name) or _ENDS.get(name)
    if kind is not None:
        key = next((given[attribute] for attribute in _KEYS if given.get(attribute)), "")
        return CodeEnd("open" if name in _BEGINS else "close", f"{kind} {key}")
    return _tag_in(node) if name in _PLACEHOLDERS else None


def _tag_in(node: Node) -> CodeEnd | None:
    """The start or end tag of HTML that a placeholder contains."""
    content = node.content() or next((node.attributes[name] for name in _CONTENTS if name in node.attributes), "")
    content = content.strip()
    if (start := _START_TAG.fullmatch(content)) and start[1].lower() not in _VOID:
        return CodeEnd("open", f"<{start[1]}")
    if end := _END_TAG.fullmatch(content):
        return CodeEnd("close", f"<{end[1]}")
    if not content and (named := _OF_ANGULAR.fullmatch(node.attributes.get("id", ""))):
        return CodeEnd("open" if named[1] == "START" else "close", named[2])
    return None
