"""WebVTT: webvtt-py reads the same times and settings, and the new text."""

from __future__ import annotations

import io

import pytest
import webvtt

from app.errors import DocumentError
from app.formats.read_file import read_document

FILE = """WEBVTT - a talk
Kind: captions

STYLE
::cue { color: yellow }

NOTE This stays.
It has two lines.

first cue
00:01.000 --> 00:04.000 align:start line:0
<v Ann>The router saves
the file &amp; restarts.

01:02:03.004 --> 01:02:05.000
- Is it on?
- No.

00:07.000 --> 00:08.000
2024
"""


def test_cues_are_segments_and_notes_and_styles_are_not() -> None:
    document = read_document(FILE.encode(), "a.vtt")
    assert [s.source for s in document.segments] == [
        "<v Ann>The router saves the file & restarts.",
        "- Is it on?",
        "- No.",
        "2024",
    ]


def test_only_the_translated_cues_change() -> None:
    document = read_document(FILE.encode(), "a.vtt")
    written = document.export({0: "<v Ann>Der Router speichert --> die Datei & startet <neu>.", 2: "- Nein."}).decode()
    expected = FILE.replace(
        "<v Ann>The router saves\nthe file &amp; restarts.",
        "<v Ann>Der Router speichert --&gt;\ndie Datei &amp; startet &lt;neu&gt;.",
    ).replace("- No.", "- Nein.")
    assert written == expected
    before, after = (list(webvtt.from_buffer(io.StringIO(text))) for text in (FILE, written))
    assert [(cue.start, cue.end, cue.identifier) for cue in before] == [(c.start, c.end, c.identifier) for c in after]
    assert after[0].lines[0].endswith("Der Router speichert --&gt;") and after[1].lines == ["- Is it on?", "- Nein."]


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_stay(line_end: str) -> None:
    data = FILE.replace("\n", line_end).encode("utf-8-sig")
    document = read_document(data, "a.vtt")
    assert document.export({}) == data
    assert document.export({1: "- Ist er an?"}) == data.replace(b"- Is it on?", b"- Ist er an?")


@pytest.mark.parametrize(
    "text", ["", "1\n00:00:01,000 --> 00:00:04,000\nHello\n", "WEBVTTX\n\n00:01.000 --> 00:02.000\nA\n"]
)
def test_other_files_are_refused_with_the_cure(text: str) -> None:
    with pytest.raises(DocumentError, match=r"WEBVTT|empty"):
        read_document(text.encode(), "a.vtt")


def test_hours_may_have_one_digit() -> None:
    assert read_document(b"WEBVTT\n\n0:00:01.000 --> 0:00:02.000\nHello.\n", "a.vtt").segments[0].source == "Hello."


def test_sentence_over_several_cues_is_one_segment_and_notes_between_them_stay() -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nThe router\n\nNOTE x\n\nb\n00:02.000 --> 00:03.000\nsaves A & B.\n"
    document = read_document(text.replace("&", "&amp;").encode(), "a.vtt")
    assert [s.source for s in document.segments] == ["The router saves A & B."]
    written = document.export({0: "Der Router sichert A & B."}).decode()
    expected = text.replace("The router", "Der Router").replace("saves A & B", "sichert A &amp; B")
    assert written == expected


@pytest.mark.parametrize(
    ("source", "typed", "written"),
    [
        ("<v Ann>Use it.", "<v Ann>Nimm es & das.", "<v Ann>Nimm es &amp; das."),
        ("Use it.", "Die <i>Titanic</i>, <c.red>rot</c>", "Die <i>Titanic</i>, <c.red>rot</c>"),  # a pair formats
        ("Use it.", "Das <b>-Tag, </i>", "Das &lt;b&gt;-Tag, &lt;/i&gt;"),
        ("Use it.", "&amp; &copy; <datei>", "&amp;amp; &amp;copy; &lt;datei&gt;"),
    ],
)
def test_typed_brackets_are_escaped_unless_they_format(source: str, typed: str, written: str) -> None:
    document = read_document(f"WEBVTT\n\n00:01.000 --> 00:04.000\n{source}\n".encode(), "a.vtt")
    assert document.export({0: typed}).decode().splitlines()[-1] == written


def test_times_without_leading_zeros_are_read_as_microsoft_teams_writes_them() -> None:
    data = b"WEBVTT\n\n0:0:0.0 --> 0:0:3.540\n<v Jane>Good morning.</v>\n\n00:04,5 --> 00:7.25\nHello.\n"
    document = read_document(data, "meeting.vtt")
    assert [segment.source for segment in document.segments] == ["<v Jane>Good morning.</v>", "Hello."]
    assert b"0:0:0.0 --> 0:0:3.540\n<v Jane>Guten Morgen.</v>" in document.export({0: "<v Jane>Guten Morgen.</v>"})
