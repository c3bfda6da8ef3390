"""WebVTT subtitles (.vtt): a unit is the text of one speaker in one cue; settings, notes and styles stay unchanged.

Sentences and lines are as in SubRip (`app.formats.subtitles.srt`).
"""

from __future__ import annotations

import re

from app.errors import DocumentError
from app.formats.prose import ProseFile
from app.formats.subtitles.srt import cue_of, is_formatting, speakers, subtitle_file
from app.text.encoding import decode_text

_TIME = r"(?:\d+:)?[0-5]?\d:[0-5]?\d[.,]\d{1,3}"  # Microsoft Teams writes "0:0:3.54"
_TIMES = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}[^\r\n]*(?:\r\n|\r|\n|\Z)")
_HEADER = re.compile(r"\ufeff?WEBVTT(?=[ \t\r\n]|\Z)")
_BLOCK = re.compile(r"(?:[^\r\n]+(?:\r\n|\r|\n|\Z))+")  # lines up to an empty one
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_REFERENCES = {"&lt;": "<", "&gt;": ">", "&nbsp;": "\u00a0", "&lrm;": "\u200e", "&rlm;": "\u200f", "&amp;": "&"}
_REFERENCE = re.compile("|".join(_REFERENCES))
_TAG = re.compile(r"</?(?:([cibuv]|ruby|rt|lang)|\d[\d:.]+)(?:[.\s][^<>]*)?>")


def parse(data: bytes, name: str, encoding: str | None = None) -> ProseFile:
    """Parses a WebVTT file. Raises DocumentError if it does not begin as one."""
    decoded = decode_text(data, name, DocumentError, encoding)
    text = decoded.text
    if not _HEADER.match(text):
        raise DocumentError(
            "{name} does not begin with WEBVTT: save it again as WebVTT, or rename it to .srt if it is SubRip",
            name=name,
        )
    cues = []
    for block in _BLOCK.finditer(text):
        first = _LINE.match(text, block.start(), block.end())
        assert first is not None, "a block has a line"
        # An identifier may precede the times; notes, styles and the header do not have one.
        times = _TIMES.match(text, block.start(), block.end()) or _TIMES.match(text, first.end(), block.end())
        if times is None:
            continue
        cues.append(cue_of(times.group(), speakers(text, times.end(), block.end())))
    return subtitle_file(decoded, cues, _shown, _marked_up)


def _shown(raw: str) -> str:
    return _REFERENCE.sub(lambda match: _REFERENCES[match.group()], raw)


def _marked_up(raw: str, translation: str) -> str:
    """The translation with references for characters that do not belong to tags; an arrow would end the cue."""
    parts = []
    position = 0
    for tag in _TAG.finditer(translation):
        if tag[1] and not is_formatting(tag[1], raw, translation):
            continue
        parts += [_escaped(translation[position : tag.start()]), tag.group()]
        position = tag.end()
    return "".join([*parts, _escaped(translation[position:])])


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
