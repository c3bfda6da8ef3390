"""Segmentation rules against a slow reference that goes position by position."""

from __future__ import annotations

from random import Random

import pytest

from app.errors import DocumentError
from app.text.icu_patterns import translated
from app.text.segmentation_rules import RuleSegmenter, SegmentationRule, SegmentationRules
from tests.budget import rounds
from tests.reference import segmentation as reference

_BEFORE = ["", ".", "[.?!]+", "a", "ab", "(?:a|ba)+", "b\\.", "[^a]*", "A\\.", ".*a", "\\s", "(?i:ab)\\."]
_AFTER = ["", "\\s", "\\s+[A-Z]", "[a-z]", "B", "(?:b|ab)", "[^b]+", ".*", "\\s*A"]


def rules_of(*rules: reference.Rule) -> tuple[SegmentationRule, ...]:
    return tuple(
        SegmentationRule(is_break, translated(before), translated(after), line)
        for line, (is_break, before, after) in enumerate(rules, 1)
    )


def segments(text: str, *rules: reference.Rule, whole: tuple[tuple[int, int], ...] = ()) -> list[str]:
    return [text[start:end] for start, end in RuleSegmenter("a.srx", rules_of(*rules)).spans(text, whole)]


def test_breaks_agree_with_the_reference_for_random_rules_and_texts() -> None:
    random = Random(5)
    for _ in range(rounds(400, 10_000)):
        rules = [
            (random.random() < 0.5, random.choice(_BEFORE), random.choice(_AFTER)) for _ in range(random.randrange(7))
        ]
        text = "".join(random.choices("aabbAB..!  ", k=random.randrange(25)))
        assert RuleSegmenter("a.srx", rules_of(*rules)).breaks(text) == reference.breaks(text, rules), (text, rules)


def test_languages_agree_with_the_reference_with_and_without_cascade() -> None:
    random = Random(6)
    for _ in range(rounds(200, 2_000)):
        lists = {name: [(True, name, random.choice(_AFTER))] for name in "xyz"}
        maps = [(random.choice([".*", "en.*", "de", "en|de", "e."]), random.choice("xyz")) for _ in range(3)]
        cascades = random.random() < 0.5
        found = SegmentationRules(
            "a.srx", {name: rules_of(*each) for name, each in lists.items()}, tuple(maps), cascades
        )
        for language in ("en", "de", "fr"):
            expected = rules_of(*reference.rules_for(language, maps, lists, cascades))
            assert [rule.pattern for rule in found.rules_for(language)] == [rule.pattern for rule in expected]


END = (True, r"[.?!]+", r"\s")


@pytest.mark.parametrize(
    ("text", "rules", "expected"),
    [
        ("One. Two! ", [END], ["One.", "Two!"]),
        ("Mr. X is in.  He waits.", [(False, r"\bMr\.", r"\s"), END], ["Mr. X is in.", "He waits."]),
        ("Mr. X is in.", [END, (False, r"\bMr\.", r"\s")], ["Mr.", "X is in."]),  # the first rule decides
        ("Harmr. X", [(False, r"\bmr\.", r"\s"), END], ["Harmr.", "X"]),  # assertions see the text around
        ("a b", [(True, "", "")], ["a", "b"]),
        ("One. Two.", [], ["One. Two."]),
        ("一。二。", [(True, "。", "")], ["一。", "二。"]),
        ("  ", [END], []),
        ("", [END], []),
    ],
)
def test_segments_end_where_the_rules_say(text: str, rules: list[reference.Rule], expected: list[str]) -> None:
    assert segments(text, *rules) == expected


def test_segments_never_end_inside_a_link_or_code() -> None:
    assert segments("See a. b. now. Go.", END, whole=((4, 9),)) == ["See a. b.", "now. Go."[:4], "Go."]
    assert segments("One.    Two.", END, whole=((0, 8),)) == ["One.", "Two."]  # a tag that ends there, as white space


def test_slow_pattern_ends_in_time_and_is_named() -> None:
    rules = rules_of((False, "c", r"\s"), (False, r"\.", r"\s(?:\w|\w\w)+;"), END)
    with pytest.raises(DocumentError, match=r"^a\.srx, line 2: .* simplify the pattern of this rule"):
        RuleSegmenter("a.srx", rules, max_seconds=0.5).spans(f"One. {'w' * 60} .; Two.")


def test_time_is_counted_over_all_texts() -> None:
    segmenter = RuleSegmenter("a.srx", rules_of(END), max_seconds=0.0)
    with pytest.raises(DocumentError, match=r"a\.srx, line 1"):
        segmenter.spans("One. Two.")
