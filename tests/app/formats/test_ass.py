"""ASS subtitles: codes and line breaks are tags, and everything but the text stays."""

from __future__ import annotations

import pytest

from app.errors import DocumentError
from app.formats.read_file import read_document

FILE = r"""[Script Info]
; a comment
Title: Talk
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname
Style: Default,Arial

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:04.00,Default,Ann,0,0,0,,{\an8}The router, {\i1}the new one{\i0},\Nsaves the file.
Comment: 0,0:00:01.00,0:00:04.00,Default,,0,0,0,,Not this.
Dialogue: 0,0:00:05.00,0:00:06.00,Default,,0,0,0,,{\p1}m 0 0 l 100 0{\p0}
Dialogue: 0,0:00:07.00,0:00:08.00,Default,,0,0,0,,2024
Dialogue: 1,0:00:09.00,0:00:10.00,Default,,0,0,0,, Done.
"""


def test_dialogue_is_offered_with_codes_as_tags() -> None:
    document = read_document(FILE.encode(), "a.ass")
    assert [(s.source, s.note) for s in document.segments] == [
        ("{1}The router, {2}the new one{3},{4}saves the file.", "Ann"),
        ("Done.", ""),
    ]
    assert document.tags(0)["4"] == (r"\N", None)


def test_hard_space_is_a_tag_and_a_typed_one_is_text() -> None:
    data = FILE.replace("saves the file", r"saves\hthe file").encode()
    document = read_document(data, "a.ass")
    assert document.segments[0].source.endswith("{4}saves{5}the file.")
    written = document.export({0: r"{1}Der Router, {2}der neue{3},{4}sichert{5}alles \hier."}).decode()
    assert r"sichert\halles /hier." in written


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_only_the_text_changes(line_end: str) -> None:
    data = FILE.replace("\n", line_end).encode("utf-8-sig")
    document = read_document(data, "a.ass")
    assert document.export({}) == data
    written = document.export({0: r"{1}Der Router, {2}der neue{3},{4}sichert {\p1} alles.", 1: "Fertig."})
    expected = data.replace(b"The router", b"Der Router").replace(b"the new one", b"der neue")
    assert written == expected.replace(b"saves the file.", rb"sichert (\p1) alles.").replace(b"Done.", b"Fertig.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[Script Info]\nTitle: x\n", r"does not have the section \[Events\]"),
        ("[Events]\nFormat: Text, Start\nDialogue: a,b\n", "line 2: the last field of the events is not Text"),
        ("[Events]\nDialogue: 0,1\n", "contains no text"),
    ],
)
def test_other_files_are_refused_with_the_cure(text: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(text.encode(), "a.ass")
