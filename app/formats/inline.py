"""Shows inline elements as numbered placeholders: "Press <g id='7'>OK</g><x/>" becomes "Press {1}OK{/1}{2}".

The placeholders of a translation are converted back to elements. The result is well-formed for any translation. Codes
whose begin and end are separate elements (`app.formats.code_pairs`) are shown as pairs, too, if both are in the text.
An end without its begin is shown as "{/1}".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal

from app.formats.code_pairs import code_end
from app.formats.xml_text import Node, Text, escape

Kind = Literal["text", "open", "close", "lone"]
_TAG = re.compile(r"\{(/?)(\d+)\}")
_DELETED = "x-sdl-deleted"  # text that a tracked change of Trados has deleted
_SPACE = re.compile(r"[ \t\r\n]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """Text, or the raw tag for `{n}` or `{/n}`; a lone piece has no end tag.

    `code` is the key of a code whose begin and end are separate elements, else empty. `declares` is "yes" or "no" if an
    element declares whether the text in it is translated.
    """

    kind: Kind
    raw: str
    code: str = ""
    declares: str = ""


@dataclass(slots=True)
class Shown:
    """Content as shown to the user, with the raw content of its placeholders.

    `lead` and `trail` are the raw content before and after it that is not shown. `tags` contains the raw start and end
    tag for each number; the end tag of a lone element is None, and the start tag of a lone end is empty. `codes` are
    the numbers of pairs whose begin and end are separate elements.
    """

    text: str = ""
    lead: str = ""
    trail: str = ""
    tags: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    codes: set[str] = field(default_factory=set)

    def raw(self, text: str, content: Callable[[str], str] = escape) -> str:
        """Converts a translation back to raw content.

        Unknown placeholders become text, and end tags without a start tag are dropped. `content` escapes text for the
        file format.
        """
        parts: list[str] = []
        opened: list[tuple[int, str]] = []  # elements, by their places in `parts`
        num_opened: Counter[str] = Counter()
        codes: dict[str, list[int]] = {}  # open codes, which elements may overlap
        position = 0
        for match in _TAG.finditer(text):
            ends, number = match[1] == "/", match[2]
            start, end = self.tags.get(number, ("", None))
            if not (end if ends else start):
                continue
            parts.append(content(text[position : match.start()]))
            position = match.end()
            if not ends:
                parts.append(start)
                if end is not None and number in self.codes:
                    codes.setdefault(number, []).append(len(parts))
                elif end is not None:
                    opened.append((len(parts), number))
                    num_opened[number] += 1
            elif not start:
                parts.append(end or "")
            elif codes.get(number):
                codes[number].pop()
                parts.append(end or "")
            elif num_opened[number]:
                while (inner := opened.pop()[1]) != number:
                    num_opened[inner] -= 1
                    parts.append(self.tags[inner][1] or "")
                num_opened[number] -= 1
                parts.append(end or "")
        parts.append(content(text[position:]))
        left = [*opened, *((place, number) for number, places in codes.items() for place in places)]
        parts += [self.tags[number][1] or "" for _, number in sorted(left, reverse=True)]
        return self.lead + "".join(parts) + self.trail


def show(pieces: Sequence[Piece], like: Shown | None = None, *, hides: bool = True) -> Shown:
    """Numbers the tags of pieces. `like` is the source if the pieces are those of its translation.

    Elements around the whole content are hidden unless `hides` is False. Tags that also occur in `like` get the same
    numbers. Numbers that already occur as placeholders in the text are skipped.
    """
    shown = Shown()
    inner = _without_ends(pieces, shown, like, hides=hides)
    taken = {m[2] for piece in inner if piece.kind == "text" for m in _TAG.finditer(piece.raw)}
    known: dict[tuple[Kind, str], list[str]] = {}
    if like is not None:
        taken |= set(like.tags)
        shown.tags.update(like.tags)
        shown.codes |= like.codes
        for number, (start, end) in like.tags.items():
            kind: Kind = "lone" if end is None else "open" if start else "close"
            known.setdefault((kind, start or end or ""), []).append(number)
    numbers = (str(n) for n in count(1) if str(n) not in taken)
    partners = partners_of(inner)
    number_of: dict[int, str] = {}  # by the index of the end tag
    parts = []
    for place, piece in enumerate(inner):
        if piece.kind == "text":
            parts.append(piece.raw)
            continue
        if place in number_of:
            number = number_of[place]
            shown.tags[number] = (shown.tags[number][0], piece.raw)
            parts.append(f"{{/{number}}}")
            continue
        same = known.get((piece.kind, piece.raw))
        number = same.pop(0) if same else next(numbers)
        parts.append(f"{{/{number}}}" if piece.kind == "close" else f"{{{number}}}")
        if piece.kind == "open":
            number_of[partners[place]] = number
            shown.tags[number] = (piece.raw, "")
            shown.codes |= {number} if piece.code else set()
        else:
            shown.tags[number] = ("", piece.raw) if piece.kind == "close" else (piece.raw, None)
    shown.text = "".join(parts)
    return shown


def pieces_of(node: Node, text: str, paired: Iterable[str], *, keeps_lines: bool) -> list[Piece]:
    """The content of an element as pieces: elements named in `paired` contain segment text, the others are lone.

    Text pieces are unescaped. A line break and the white space around it become a space; with `keeps_lines`, they
    become a lone piece. The begin of a code without its end is lone.
    """
    return with_pairs(_content_of(node, text, tuple(paired), keeps_lines=keeps_lines))


def _content_of(node: Node, text: str, paired: tuple[str, ...], *, keeps_lines: bool) -> list[Piece]:
    pieces: list[Piece] = []
    for child in node.children:
        if isinstance(child, Text):
            if not keeps_lines:
                pieces.append(Piece("text", _SPACE.sub(_without_lines, child.value)))
                continue
            for number, line in enumerate(child.value.split("\n")):
                pieces += [Piece("lone", "\n")] * (number > 0)
                pieces += [Piece("text", line)] * bool(line)
        elif child.local in paired and not child.is_empty_tag and child.attributes.get("mtype") != _DELETED:
            pieces.append(Piece("open", text[child.start : child.inner_start], declares=_declared(child)))
            pieces += _content_of(child, text, paired, keeps_lines=keeps_lines)
            pieces.append(Piece("close", text[child.inner_end : child.end]))
        elif end := code_end(child):
            pieces.append(Piece(end.side, text[child.start : child.end], end.key, _declared(child)))
        else:
            pieces.append(Piece("lone", text[child.start : child.end]))
    return pieces


def _declared(node: Node) -> str:
    given = node.attributes.get("translate") or node.attributes.get("its:translate") or ""
    kind = node.attributes.get("mtype")
    return "no" if kind == "protected" else "yes" if kind == "x-its-translate-yes" else given


def with_pairs(pieces: list[Piece]) -> list[Piece]:
    """The pieces, in which the begins of codes without an end are lone."""
    partners = partners_of(pieces)
    return [
        replace(piece, kind="lone") if piece.kind == "open" and place not in partners else piece
        for place, piece in enumerate(pieces)
    ]


def _without_lines(space: re.Match[str]) -> str:
    return " " if "\n" in space.group() else space.group()


def _without_ends(pieces: Sequence[Piece], shown: Shown, like: Shown | None, *, hides: bool) -> list[Piece]:
    """The pieces without white space and, if `hides`, elements around all of them, which become `lead` and `trail`."""
    inner = list(pieces)
    partners = partners_of(inner)
    lead: list[str] = []
    trail: list[str] = []  # the last first
    start, end = 0, len(inner)
    while True:
        while start < end and not inner[start].raw.strip():
            lead.append(escape(inner[start].raw))
            start += 1
        while start < end and not inner[end - 1].raw.strip():
            end -= 1
            trail.append(escape(inner[end].raw))
        if start < end and (first := inner[start]).kind == "text":
            stripped = first.raw.lstrip()
            lead.append(escape(first.raw[: len(first.raw) - len(stripped)]))
            inner[start] = Piece("text", stripped)
        if start < end and (last := inner[end - 1]).kind == "text":
            stripped = last.raw.rstrip()
            trail.append(escape(last.raw[len(stripped) :]))
            inner[end - 1] = Piece("text", stripped)
        is_wrapped = start < end and partners.get(start) == end - 1
        if not (hides and is_wrapped) or (like is not None and inner[start].raw not in like.lead):
            break
        lead.append(inner[start].raw)
        trail.append(inner[end - 1].raw)
        start, end = start + 1, end - 1
    shown.lead, shown.trail = "".join(lead), "".join(reversed(trail))
    return inner[start:end]


def partners_of(pieces: Sequence[Piece]) -> dict[int, int]:
    """The index of the end tag of each start tag, by the index of that."""
    partners: dict[int, int] = {}
    opened: dict[str, list[int]] = {}
    for number, piece in enumerate(pieces):
        if piece.kind == "open":
            opened.setdefault(piece.code, []).append(number)
        elif piece.kind == "close" and opened.get(piece.code):
            partners[opened[piece.code].pop()] = number
    return partners
