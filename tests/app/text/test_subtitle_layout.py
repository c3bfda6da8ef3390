"""The layout of subtitles agrees with a slow search through all splits, and figures above the limits are named."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.checks import findings_in
from app.formats.read_file import read_document
from app.text.subtitle_layout import CueSpace, SubtitleRules, in_lines, milliseconds, num_visible, split_words
from app.text.text_limits import TextLimits, packed, unpacked

WORDS = st.lists(st.sampled_from(["a", "und", "Haus,", "Lichter", "<i>so</i>", "Netzwerkes"]), min_size=1, max_size=9)
SPACES = st.builds(CueSpace, st.sampled_from([0, 300, 700, 1500]), st.integers(1, 40), st.integers(1, 2))
RULES = SubtitleRules(max_line=12)


def num_too_many(parts: list[str], cues: list[CueSpace]) -> int:
    return sum(max(0, num_visible(part) - cue.max_characters(RULES)) for part, cue in zip(parts, cues, strict=True))


@given(WORDS, st.lists(SPACES, min_size=1, max_size=4))
def test_split_has_the_fewest_excess_characters(words: list[str], cues: list[CueSpace]):
    parts = split_words(words, cues, RULES)
    assert " ".join(parts).split() == words
    if len(words) < len(cues):
        return
    places = itertools.combinations(range(1, len(words)), len(cues) - 1)
    splits = ([" ".join(words[i:j]) for i, j in itertools.pairwise((0, *cuts, len(words)))] for cuts in places)
    assert num_too_many(parts, cues) == min(num_too_many(split, cues) for split in splits)


@given(WORDS)
def test_two_lines_are_used_only_if_needed_and_the_break_is_the_shortest(words: list[str]):
    text = " ".join(words)
    lines = in_lines(words, CueSpace(0, 9, 1), RULES)
    assert " ".join(lines) == text
    if num_visible(text) <= RULES.max_line:
        assert lines == [text]
        return

    def excess(at: int) -> int:
        return sum(max(0, num_visible(" ".join(part)) - RULES.max_line) for part in (words[:at], words[at:]))

    if len(words) > 1:
        assert sum(max(0, num_visible(line) - RULES.max_line) for line in lines) == min(
            map(excess, range(1, len(words)))
        )


def test_a_long_text_is_split_within_seconds():
    words = ["wort,", "und"] * 4000
    parts = split_words(words, [CueSpace(1000, 9, 1), CueSpace(0, 50, 2), CueSpace(1, 1, 1), CueSpace(9000, 40, 1)])
    assert " ".join(parts).split() == words


TIMES = [("00:00:01,500", 1500), ("0:00:05", 5000), ("01:02.500", 62500), ("1:00:00.25", 3600250), ("00:00:01:5", 1500)]


@pytest.mark.parametrize(("time", "expected"), [*TIMES, ("soon", 0), (f"0:{'9' * 5000}:00", 0)])
def test_times_are_read(time: str, expected: int):
    assert milliseconds(time) == expected


FINDINGS = [
    ("Ja.", "00:00:01,000 --> 00:00:02,000\nx", [], "short enough"),
    ("12345678901234567", "00:00:01,000 --> 00:00:02,000\nx", [], "17 characters in a second"),
    (
        "123456789012345678",
        "00:00:01,000 --> 00:00:02,000\nx",
        ["Characters per second above the limit: 18 > 17"],
        "one more",
    ),
    ("<i>12345678901234567</i>", "00:00:01,000 --> 00:00:02,000\n<i>x</i>", [], "formatting is not read"),
    ("1234567", "00:00:02,000 --> 00:00:01,000\nx", [], "no time is known"),
    (
        "x" * 43,
        "00:00:01,000 --> 00:00:09,000\nx",
        ["Characters in a line above the limit: 43 > 42"],
        "one word cannot be broken",
    ),
    ("a b c", "00:00:01,000 --> 00:00:09,000\nx\ny\nz", ["Lines above the limit: 3 > 2"], "as many as the source has"),
]


@pytest.mark.parametrize(("text", "cue", "expected", "why"), FINDINGS)
def test_findings_name_figure_and_limit(text: str, cue: str, expected: list[str], why: str):
    (segment,) = read_document(f"1\n{cue}\n".encode(), "a.srt").segments
    findings = findings_in(segment.source, text, "en-de", limits=segment.limits)
    assert [finding.message for finding in findings if finding.check == "limits"] == expected, why
    assert not any(finding.is_error for finding in findings if finding.check == "limits")


def test_speed_and_lines_of_ass_and_webvtt_are_checked():
    ass = (
        "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        "Dialogue: 0,0:00:01.00,0:00:02.00,x,,0,0,0,,{\\i1}One\\Ntwo\n"
    )
    (segment,) = read_document(ass.encode(), "a.ass").segments
    assert segment.source == "{1}One{2}two"
    assert segment.limits
    assert segment.limits.exceeded("{1}12345678{2}12345678") == {}  # the break is the 17th character
    assert segment.limits.exceeded("{1}12345678{2}123456789") == {"speed": ("18 > 17",)}
    assert segment.limits.exceeded("{1}1{2}2{2}3") == {"lines": ("3 > 2",)}
    (segment,) = read_document(b"WEBVTT\n\n00:01.000 --> 00:02.000 line:1\nOne\n", "a.vtt").segments
    assert segment.limits
    assert segment.limits.exceeded("123456789012345678") == {"speed": ("18 > 17",)}


def test_packed_spaces_are_read_back():
    limits = TextLimits(cues=(CueSpace(1500, 9, 2), CueSpace(0, 9, 0, is_alone=False)))
    assert unpacked(packed(limits)) == limits
    with pytest.raises(ValueError, match="not a limit"):
        unpacked(packed(limits).replace("1500", "-1"))
