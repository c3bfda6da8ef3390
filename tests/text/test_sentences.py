"""Sentences in a text, as spans."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import engine.text
from engine.text import sentence_spans
from tests.text.sentence_table import Row, rows, scores

ROWS = rows()


def starts(text: str, language: str) -> list[int]:
    """The starts of the sentences behind the first."""
    return [start for start, _ in sentence_spans(text, language)][1:]


@example("B\u2028.%5\u00a0😀5€\t中", "en")  # sentencex panics at these two characters
@example("\u00a0\x1c\u2003»", "de")
@example(". B", "en")  # no word in front of the dot
@given(
    st.text(st.sampled_from("aB. !?…。“”\u00a0\u2028\u2003\x1c\x85😀1-"), max_size=30),
    st.sampled_from(["en", "de", "ja"]),
)
def test_sentences_cover_the_text_except_spaces_between_them(text: str, language: str) -> None:
    spans = sentence_spans(text, language)
    assert [text[s:e].strip() for s, e in spans] == [text[s:e] for s, e in spans]
    ends = [0, *(e for _, e in spans)]
    starts = [*(s for s, _ in spans), len(text)]
    assert all(not text[e:s].strip() for e, s in zip(ends, starts, strict=True))


def test_sentences_never_end_inside_an_unsplittable_span() -> None:
    text = "See (this. Or that). Then go. On."
    assert [text[s:e] for s, e in sentence_spans(text, "en", [(4, 19)])] == ["See (this. Or that).", "Then go.", "On."]


def test_no_sentence_begins_with_the_colon_behind_an_abbreviation() -> None:
    assert sentence_spans("Betr.: Rechnung 5. Es gilt.", "de") == [(0, 18), (19, 27)]
    assert sentence_spans("Attn.: Sales", "en") == [(0, 12)]


def test_very_long_paragraph_is_split_like_a_short_one() -> None:
    text = "The file is open. Is it saved? " * 3000
    spans = sentence_spans(text, "en")
    assert [text[s:e] for s, e in spans] == ["The file is open.", "Is it saved?"] * 3000


def test_sentences_without_letters_belong_to_the_following_segment() -> None:
    """A quadratic algorithm would not finish."""
    text = "1! " * 20_000 + "At last."
    assert sentence_spans(text, "en") == [(0, len(text))]


@pytest.mark.parametrize("row", [row for row in ROWS if not row.reason], ids=lambda row: f"{row.language}: {row.text}")
def test_each_text_of_the_table_is_split_where_it_has_marks(row: Row) -> None:
    assert row.marked(starts(row.text, row.language)) == row.marked(row.starts)


@pytest.mark.parametrize("row", [row for row in ROWS if row.reason], ids=lambda row: f"{row.language}: {row.text}")
def test_a_row_with_a_reason_is_really_split_wrongly(row: Row) -> None:
    assert starts(row.text, row.language) != row.starts, "remove the reason in the table"


def test_precision_and_recall_of_breaks_are_high_in_each_language() -> None:
    for language, score in scores(starts, ROWS).by_language.items():
        assert min(score.precision, score.recall) >= 0.9 or score.num_wanted - score.num_right <= 1, language


def test_the_table_has_many_languages_and_kinds_and_few_known_mistakes() -> None:
    assert len(ROWS) >= 300
    assert len({row.language for row in ROWS}) >= 20
    assert len({row.kind for row in ROWS}) >= 15
    assert sum(bool(row.reason) for row in ROWS) <= len(ROWS) // 50


def test_languages_without_rules_are_split_at_marks_before_capital_letters_alone() -> None:
    assert starts("Bir. Íki úč. üč.", "tk") == [5]


def test_regional_language_codes_have_the_rules_of_the_language() -> None:
    for language in ("de", "de-AT", "de_CH", "DE"):
        assert starts("Im 3. Stock. Danach geht es.", language) == [13]


@pytest.mark.parametrize(
    "unit",
    [
        ". ",
        "(a.) ",
        "“a.”",
        "「。」",
        ".",
        "。",
        '."',
        "z. B. ",
        "x. [1",
        "a.\n",
        "approx. 5 ",
        "Im 3. Stock ",
        ". - a",
    ],
)
def test_many_marks_take_linear_time(unit: str) -> None:
    """A quadratic algorithm would not finish."""
    text = unit * 20_000
    for language in ("de", "ja"):
        spans = sentence_spans(text, language)
        assert sum(end - start for start, end in spans) >= len(text.split()[0])


def test_each_list_of_the_rules_has_an_explanation_and_each_language_a_row_in_the_table() -> None:
    path = Path(engine.text.__file__).parent / "sentence_rules.toml"
    text = path.read_text(encoding="utf-8")
    rules = tomllib.loads(text)
    explained = {line.split()[1] for line in text.splitlines() if line.startswith("# ") and "  " in line[2:]}
    assert {name for lists in rules.values() for name in lists} - {"like"} <= explained
    without_row = {code for code, lists in rules.items() if "like" not in lists} - {row.language for row in ROWS}
    assert without_row == {"all"}


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("Auf dem 2. Markt ihr Glück versuchen.", None),
        ("Bei der 3. Fahrt er und sie zusammen.", None),
        ("Wann kommst du? Am 4. Kommt er mit?", "Kommt er mit?"),
        ("Wir treffen uns am 4. Kommst du?", "Kommst du?"),
    ],
)
def test_counted_noun_that_looks_like_the_verb_of_a_question_goes_on(text: str, second: str | None) -> None:
    sentences = [text[start:end] for start, end in sentence_spans(text, "de")]
    assert sentences[-1] == (second or text)


def test_a_counted_abbreviation_of_german_ends_a_sentence_only_before_a_word_that_begins_one():
    text = "Er dauerte ca. 3 Std. Das war gut. Nach 5 min. Pause kam er."
    assert [text[start:end] for start, end in sentence_spans(text, "de")] == [
        "Er dauerte ca. 3 Std.",
        "Das war gut.",
        "Nach 5 min. Pause kam er.",
    ]
