"""Advanced SubStation Alpha subtitles (.ass, .ssa): the text of each dialogue line; styles and times stay unchanged.

Override codes such as {\\i1}, line breaks (\\N, \\n) and hard spaces (\\h) are tags. Comments and drawings are not
offered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.errors import DocumentError
from app.formats.base import Unit, line_of
from app.formats.blocks import Block
from app.formats.inline import Piece, Shown, show
from app.formats.prose import ProseFile
from app.text.encoding import decode_text
from app.text.subtitle_layout import CueSpace, milliseconds
from app.text.text_limits import TextLimits

_LINE = re.compile(r"[^\r\n]+")
_SECTION = re.compile(r"\[[^\]]*\]\s*")
_TAG = re.compile(r"\{[^{}]*\}|\\[Nnh]")
_DRAWING = re.compile(r"\{[^{}]*\\p[1-9][^{}]*\}")
_USUAL_FORMAT = "Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"


def parse(data: bytes, name: str, encoding: str | None = None) -> ProseFile:
    """Parses a subtitle file. Raises DocumentError if it has no events or the text is not the last field."""
    decoded = decode_text(data, name, DocumentError, encoding)
    units: list[Unit] = []
    blocks: list[Block] = []
    fields = [field.strip().lower() for field in _USUAL_FORMAT.split(",")]
    is_events = has_events = False
    for line in _LINE.finditer(decoded.text):
        if _SECTION.fullmatch(line.group()):
            is_events = line.group().strip().lower() == "[events]"
            has_events = has_events or is_events
        elif is_events and line.group().lower().startswith("format:"):
            fields = [field.strip().lower() for field in line.group().partition(":")[2].split(",")]
            if fields[-1] != "text":
                raise DocumentError(
                    "{name}, {place}: the last field of the events is not Text: save the file again in a "
                    "subtitle editor",
                    name=name,
                    place=line_of(decoded.text, line.start()),
                )
        elif is_events and line.group().lower().startswith("dialogue:"):
            parts = line.group().split(",", len(fields) - 1)
            text = parts[-1].strip() if len(parts) == len(fields) else ""
            if text and not _DRAWING.search(text) and any(map(str.isalpha, _TAG.sub("", text))):
                end = line.start() + len(line.group().rstrip())
                note = next((parts[at].strip() for at, field in enumerate(fields) if field in ("name", "actor")), "")
                times = [parts[at].strip() for at, field in enumerate(fields) if field in ("start", "end")]
                limits = _limits(text, times)
                units.append(Unit(end - len(text), end, text, note=note, whole=((0, len(text)),), limits=limits))
                blocks.append(Block("subtitle", end - len(text), end, label=" – ".join(times)))
    if not has_events:
        raise DocumentError(
            "{name} does not have the section [Events] of ASS subtitles: save it again in a subtitle editor", name=name
        )
    return ProseFile(
        decoded,
        units,
        show=lambda raw: _content(raw).text,
        find_tags=lambda raw: _content(raw).tags,
        mark_up=lambda raw, translation: _content(raw).raw(translation, _text),
        blocks=blocks,
    )


def _limits(text: str, times: Sequence[str]) -> TextLimits:
    """The time for a line of dialogue; its line breaks and hard spaces are tags."""
    duration = max(0, milliseconds(times[1]) - milliseconds(times[0])) if len(times) == 2 else 0
    tags = tuple((number, int(start.startswith("\\"))) for number, (start, _) in _content(text).tags.items())
    return TextLimits(tags=tags, cues=(CueSpace(duration, len(text), 0),))


def _content(raw: str) -> Shown:
    pieces = []
    position = 0
    for tag in _TAG.finditer(raw):
        pieces += [Piece("text", raw[position : tag.start()])] * (tag.start() > position)
        pieces.append(Piece("lone", tag.group()))
        position = tag.end()
    pieces += [Piece("text", raw[position:])] * (position < len(raw))
    return show(pieces)


def _text(text: str) -> str:
    """A text without characters that would be read as a code, a line break or a hard space."""
    return text.replace("{", "(").replace("}", ")").replace("\\N", "/N").replace("\\n", "/n").replace("\\h", "/h")
