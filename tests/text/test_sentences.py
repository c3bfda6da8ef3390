"""Sentences in a text, as spans."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from engine.text import sentence_spans


@example("B\u2028.%5\u00a0😀5€\t中", "en")  # sentencex panics at these two characters
@example("\u00a0\x1c\u2003»", "de")
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


def test_very_long_paragraph_is_split_like_a_short_one() -> None:
    text = "The file is open. Is it saved? " * 3000
    spans = sentence_spans(text, "en")
    assert [text[s:e] for s, e in spans] == ["The file is open.", "Is it saved?"] * 3000


def test_sentences_without_letters_belong_to_the_following_segment() -> None:
    """A quadratic algorithm would not finish."""
    text = "1! " * 20_000 + "At last."
    assert sentence_spans(text, "en") == [(0, len(text))]
