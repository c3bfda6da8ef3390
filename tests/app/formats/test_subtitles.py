"""SubRip subtitles: the srt library reads the same numbers and times, and the new text."""

from __future__ import annotations

import pytest
import srt
from hypothesis import given
from hypothesis import strategies as st

from app.errors import DocumentError
from app.formats.read_file import read_document
from app.text.subtitle_layout import CueSpace, split_words

FILE = """1
00:00:01,000 --> 00:00:04,000
{\\an8}<i>The router saves
the file. At last!</i>

2
00:00:05,000 --> 00:00:06,000 X1:1 Y1:2
- Is it on?
- No.

3
00:00:07,000 --> 00:00:08,000

4
00:00:09,000 --> 00:00:10,000
2024

And more
"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r\r\n"])
def test_subtitle_has_one_segment_per_speaker(line_end: str) -> None:
    document = read_document(FILE.replace("\n", line_end).encode(), "a.srt")
    assert [s.source for s in document.segments] == [
        "<i>The router saves the file. At last!</i>",
        "- Is it on?",
        "- No.",
        "2024",
        "And more",
    ]


def test_translation_has_as_many_lines_as_the_source_and_nothing_else_changes() -> None:
    document = read_document(FILE.encode(), "a.srt")
    exported = document.export({0: "<i>Der Router speichert die Datei. Endlich!</i>", 2: "- Nein, ist er nicht."})
    assert exported.decode() == FILE.replace(
        "<i>The router saves\nthe file. At last!</i>", "<i>Der Router speichert\ndie Datei. Endlich!</i>"
    ).replace("- No.", "- Nein, ist er nicht.")
    assert document.export({0: "Kurz"}).decode().split("\n")[2] == "{\\an8}Kurz"


WORDS = st.lists(st.sampled_from(["a", "ß", "Long,", "word.", "- b", "<i>", "7"]), min_size=1, max_size=6).map(" ".join)
CUES = st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=4)


@given(CUES, st.sampled_from(["\n", "\r\n"]), st.data())
def test_numbers_and_times_are_copied_and_texts_are_translated(
    cues: list[list[str]], line_end: str, data: st.DataObject
) -> None:
    blocks = [f"{n}\n00:00:{n:02},500 --> 00:00:{n:02},900\n" + "\n".join(c) + "\n" for n, c in enumerate(cues, 1)]
    content = "\n".join(blocks).replace("\n", line_end)
    document = read_document(content.encode(), "a.srt")
    assert document.export({s.index: s.source for s in document.segments}) == content.encode()
    assert " ".join(s.source for s in document.segments).split() == " ".join(" ".join(c) for c in cues).split()
    texts = {s.index: data.draw(WORDS) for s in document.segments}
    before = list(srt.parse(content.replace("\r\n", "\n")))
    after = list(srt.parse(document.export(texts).decode().replace("\r\n", "\n")))
    assert [(s.index, s.start, s.end, s.proprietary) for s in after] == [
        (s.index, s.start, s.end, s.proprietary) for s in before
    ]
    written = " ".join(s.content for s in after).replace("\u2060", "")  # in brackets that do not format
    assert written.split() == " ".join(texts.values()).split()
    assert all(a.content.count("\n") <= b.content.count("\n") for a, b in zip(after, before, strict=True))


def lines_one_by_one(words: list[str], num_lines: int) -> list[str]:
    """Slow reference: each line is as close as possible to its share of the rest, the shorter one on a tie."""
    lines = []
    for left in range(num_lines, 1, -1):
        ideal = len(" ".join(words)) / left
        num = min(range(1, len(words) - left + 2), key=lambda n: abs(len(" ".join(words[:n])) - ideal))
        lines.append(" ".join(words[:num]))
        words = words[num:]
    return [*lines, " ".join(words)]


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=10), st.integers(1, 6))
def test_lines_have_similar_lengths(words: list[str], num_lines: int) -> None:
    content = "1\n00:00:01,000 --> 00:00:02,000\n" + "\n".join("x" * num_lines) + "\n"
    exported = read_document(content.encode(), "a.srt").export({0: " ".join(words)}).decode()
    expected = lines_one_by_one(words, num_lines) if len(words) >= num_lines else [" ".join(words)]
    assert exported.split("\n")[2:-1] == expected


def test_subtitle_of_thousands_of_lines_is_wrapped_quickly() -> None:
    """A quadratic algorithm would not finish."""
    content = "1\n00:00:01,000 --> 00:00:02,000\n" + "a\n" * 20_000
    exported = read_document(content.encode(), "a.srt").export({0: "b " * 20_000})
    assert exported.decode() == content.replace("a", "b")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Just text.\n", "no line of times"),
        ("WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHi\n", "line 1: text before the times of the first"),
        ("1\n00:00:01,000 --> 00:00:02,000\n\n", "no text to translate"),
    ],
)
def test_other_files_are_rejected_as_subtitles(content: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(content.encode(), "a.srt")


@pytest.mark.parametrize(
    "data",
    [
        b"1\n0:00:00 --> 0:00:05\nOne\n\n2\n0:00:05 --> 0:00:09\nTwo\n",
        b"1\r\r\n00:00:00,000 --> 00:00:05,000\r\r\nOne\r\r\n\r\r\n2\r\r\n00:00:05,000 --> 00:00:09,000\r\r\nTwo\r\r\n",
        b"1\n00:00:00,000 - > 00:00:05,000\nOne\n\n2\n00:00:05,000 -> 00:00:09,000\nTwo\n",
    ],
)
def test_times_that_players_accept_are_read(data: bytes) -> None:
    document = read_document(data, "a.srt")
    assert [segment.source for segment in document.segments] == ["One", "Two"]
    assert document.export({0: "Eins"}) == data.replace(b"One", b"Eins")


JOINED = """1
00:00:01,000 --> 00:00:04,000
If the light is green,
the router

2
00:00:04,100 --> 00:00:06,000
saves the file

3
00:00:06,100 --> 00:00:08,500
and restarts. Wait
for it.

4
00:00:09,000 --> 00:00:10,000
now <i>this</i>
"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r\r\n"])
def test_sentence_over_several_subtitles_is_one_segment_and_is_split_again(line_end: str) -> None:
    data = JOINED.replace("\n", line_end).encode()
    document = read_document(data, "a.srt")
    assert [s.source for s in document.segments] == [
        "If the light is green, the router saves the file and restarts. Wait for it.",
        "now <i>this</i>",
    ]
    assert document.export({}) == data
    german = "Wenn das Licht grün ist, sichert der Router die Datei und startet neu. Warten Sie darauf."
    written = document.export({0: german}).decode()
    expected = JOINED
    for old, new in [
        ("If the light is green,\nthe router", "Wenn das Licht grün ist,\nsichert der Router"),
        ("saves the file", "die Datei"),
        ("and restarts. Wait\nfor it.", "und startet neu.\nWarten Sie darauf."),
    ]:
        expected = expected.replace(old, new)
    assert written == expected.replace("\n", line_end)


@pytest.mark.parametrize(
    ("first", "second", "is_joined"),
    [
        ("The router", "saves it.", True),
        ("The router,", "which is new", True),
        ("The router.", "saves it.", False),
        ("The router", "Saves it.", False),
        ("The router", "- saves it.", False),
        ("<i>The router</i>", "saves it.", False),
        ("Is it?", "yes", False),
        ("2024", "was good", True),
    ],
)
def test_only_a_sentence_that_goes_on_is_joined(first: str, second: str, is_joined: bool) -> None:
    cues = f"1\n00:00:01,000 --> 00:00:02,000\n{first}\n\n2\n00:00:02,000 --> 00:00:03,000\n{second}\n"
    assert len(read_document(cues.encode(), "a.srt").segments) == (1 if is_joined else 2)


@pytest.mark.parametrize(
    ("text", "shares", "parts"),
    [
        ("a b c d", [1, 1], ["a b", "c d"]),
        ("Wer kommt, der kommt spät an", [10, 10], ["Wer kommt,", "der kommt spät an"]),
        ("Er kommt und sie geht heim", [12, 12], ["Er kommt", "und sie geht heim"]),
        ("ein", [5, 5, 5], ["ein", "", ""]),
        ("ein zwei", [50, 1, 1], ["ein", "zwei", ""]),
        ("", [1, 1], ["", ""]),
        ("a b c", [0, 0], ["a", "b c"]),
    ],
)
def test_words_are_split_by_shares_at_natural_places(text: str, shares: list[int], parts: list[str]) -> None:
    assert split_words(text.split(), [CueSpace(0, share, 1) for share in shares]) == parts


def test_at_most_four_subtitles_are_joined() -> None:
    cues = "\n".join(f"{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\nand on\n" for n in range(1, 10))
    assert [s.source.count("and") for s in read_document(cues.encode(), "a.srt").segments] == [4, 4, 1]


@pytest.mark.parametrize(
    ("source", "typed", "written"),
    [
        ("Use <i>it</i>.", "Nimm <i>es</i>.", "Nimm <i>es</i>."),
        ("Use it.", "Die <i>Titanic</i>", "Die <i>Titanic</i>"),  # a pair formats
        ("Use it.", "Das <b>-Tag", "Das <\u2060b>-Tag"),  # players hide a tag, known to them or not
        ("Use it.", "git add <datei>", "git add <\u2060datei>"),
        ("git add <file>", "git add <file> <datei>", "git add <file> <\u2060datei>"),
        ("Use it.", "a < b > c, 5 > 4, 3 < 4, R&D &amp;", "a <\u2060 b > c, 5 > 4, 3 < 4, R&D &amp;"),
    ],
)
def test_typed_brackets_are_seen_unless_they_format(source: str, typed: str, written: str) -> None:
    document = read_document(f"1\n00:00:01,000 --> 00:00:04,000\n{source}\n".encode(), "a.srt")
    (subtitle,) = srt.parse(document.export({0: typed}).decode())
    assert subtitle.content == written


def test_long_line_gets_a_second_one_and_a_fast_subtitle_gives_words_to_the_next() -> None:
    data = (
        b"1\r\n00:00:01,000 --> 00:00:02,000\r\nIt works\r\n\r\n2\r\n00:00:02,000 --> 00:00:07,000\r\nat home.\r\n"
        b"\r\n3\r\n00:00:08,000 --> 00:00:12,000\r\nIt is on.\r\n"
    )
    document = read_document(data, "a.srt")
    texts = {
        0: "Das klappt auch sehr gut bei uns zu Hause.",
        1: "Das Ger\u00e4t ist eingeschaltet, und das Licht ist gr\u00fcn.",
    }
    written = document.export(texts).decode()
    assert [cue.content for cue in srt.parse(written.replace("\r\n", "\n"))] == [
        "Das klappt auch",
        "sehr gut bei uns zu Hause.",
        "Das Ger\u00e4t ist eingeschaltet,\nund das Licht ist gr\u00fcn.",
    ]
    assert written.count("\r\n") == written.count("\n")


def test_spaces_of_joined_subtitles_follow_their_times_and_lines() -> None:
    first, second = read_document(JOINED.encode(), "a.srt").segments
    assert first.limits and second.limits
    assert [(cue.duration_ms, cue.num_lines, cue.is_alone) for cue in first.limits.cues] == [
        (3000, 2, True),
        (1900, 1, True),
        (2400, 2, True),
    ]
    of_speakers = read_document(FILE.encode(), "a.srt").segments[1:3]
    assert [cue.is_alone for one in of_speakers if one.limits for cue in one.limits.cues] == [False, False]
