"""Patterns in the syntax of ICU and Java: what they match after translation, and what is refused."""

from __future__ import annotations

import time

import pytest
import regex

from app.text.icu_patterns import FLAGS, MAX_CHARACTERS, PatternError, translated


def matches(pattern: str, text: str) -> bool:
    return regex.fullmatch(translated(pattern), text, FLAGS) is not None


@pytest.mark.parametrize(
    ("pattern", "text", "is_match"),
    [
        (r"(Mr|Dr)\.", "Dr.", True),
        (r"(?<title>Mr)\.", "Mr.", True),
        (r"\QU.S.\E", "U.S.", True),
        (r"\QU.S.\E", "UxSx", False),
        (r"\Qa.b", "a.b", True),  # without an end, the rest is quoted
        (r"\u3002", "。", True),
        (r"\x{3002}", "。", True),
        (r"\x41\x{1F600}", "A😀", True),
        (r"\U0001F600", "😀", True),
        (r"\0101", "A", True),
        (r"\cI", "\t", True),
        (r"\e\t\n", "\x1b\t\n", True),
        (r"\pL\p{Lu}\P{Nd}", "aBc", True),
        (r"\p{javaUpperCase}\p{IsPunctuation}", "A!", True),
        (r"\p{InGreek}", "α", True),
        (r"\h\v", "\u00a0\u2028", True),
        (r"[\h]\R", " \r\n", True),
        (r"[[:Lu:][:^L:]]+", "A1B2", True),
        (r"[[:Lu:][:^L:]]+", "a", False),
        (r"[a-z&&[^aeiou]]", "b", True),
        (r"[a-z&&[^aeiou]]", "a", False),
        (r"[[a-z]-[aeiou]]", "a", False),
        (r"[a-[b]]+", "a-b", True),  # behind a character, a hyphen and a set, as in ICU and Java
        (r"[\p{Po}x-[,;]]+", "x-,", True),
        (r"[[a-z]--[aeiou]]", "x", True),
        (r"[\p{L}&[a-c]]", "d", False),
        (r"[.?!]", ".", True),
        (r"[|~||~~]+", "|~", True),  # `regex` alone would read an operator
        (r"[a\-z]", "-", True),
        (r"[]a]", "]", True),
        (r"(?i)etc\.", "ETC.", True),
        (r"a(?i:b)c", "aBc", True),
        (r"a(?i:b)c", "ABC", False),
        (r"x(?#a remark)y", "xy", True),
        (r"(?>a+)b", "aab", True),
        (r"a{2}b{1,}c{0,1}", "aabb", True),
        (r"a++a", "aaa", False),  # possessive
        (r"a]}", "a]}", True),
        (r"\N{EM DASH}", "—", True),
        (r"\Aab\z", "ab", True),
        ("", "", True),
    ],
)
def test_pattern_matches_as_in_icu(pattern: str, text: str, is_match: bool) -> None:
    assert matches(pattern, text) is is_match


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"(a)\1", r"\1 in (a)\1 is not supported: repeat the pattern of the group in its place"),
        (r"(?<n>a)\k<n>", "repeat the pattern"),
        (r"a{e<=1}", r"{ in a{e<=1} is not supported: write \{ for a brace"),  # `regex` would match it roughly
        (r"\K", r"\K in \K is not supported"),
        (r"\L<words>", "not supported"),
        (r"\Gb", "not supported"),
        (r"(?R)", "not supported"),
        (r"(?|a|b)", "not supported"),
        (r"(?P<n>a)", "not supported"),
        (r"(?x) a", "not supported"),
        (r"(?w)a", "not supported"),
        (r"(*FAIL)", "is not a regular expression that Pinpoint supports"),
        (r"\p{Klingon}", "unknown property"),
        (r"\p", "Unicode property"),
        (r"\x", "number of a character"),
        (r"\u12", "number of a character"),
        (r"\x{110000}", "number of a character"),
        (r"\0", "number of a character"),
        (r"[a&[b]]", "twice between two sets"),
        (r"[\b]", "not supported"),
        (r"[a", "end the set with ]"),
        (r"(a", "missing )"),
        (r"a)", r"write \) for a parenthesis"),
        (r"*a", "nothing to repeat"),
        (r"[z-a]", "bad character range"),
        ("a\\", "not supported"),
        (r"a{999999}", "repeats more than 10,000 elements: repeat fewer"),
        (r"((a{100}){100}){100}", "repeats more than 10,000 elements"),
        ("(" * 100 + ")" * 100, "nested more than 30 levels"),
        ("[" * 100 + "]" * 100, "nested more than 30 levels"),
        ("a" * (MAX_CHARACTERS + 1), "limit 10,000"),
    ],
)
def test_pattern_is_refused_with_a_cure(pattern: str, reason: str) -> None:
    started = time.process_time()
    with pytest.raises(PatternError) as refusal:
        translated(pattern)
    assert reason in str(refusal.value)
    assert ": " in str(refusal.value)
    assert time.process_time() - started < 10


def test_four_digits_follow_x_only_where_that_is_allowed() -> None:
    assert regex.fullmatch(translated(r"\x3002", takes_long_hex=True), "。", FLAGS)
    assert regex.fullmatch(translated(r"\x3002"), "002", FLAGS)
