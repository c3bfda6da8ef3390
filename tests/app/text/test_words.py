"""Clickable words and word counts, in scripts with and without spaces."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.reports.edit_effort import edit_effort
from app.text.words import count_words, counting_unit, split_spans, split_words, word_spans
from engine import is_unspaced, is_word_char, occurrences

WORD_CASES = [
    (
        "Klicken Sie auf „Übernehmen“.",
        ["Klicken", "Sie", "auf", "Übernehmen"],
        "quotes and the full stop are not words",
    ),
    ("%s {0} C++ #1 <n>", ["%s", "{0}", "C++", "#1", "<n>"], "placeholders and names stay whole"),
    ("<b>Ja</b>. {1}{2}„Nein“{/2}!{/1}", ["Ja", "Nein"], "tags and adjacent punctuation are not words"),
    ("E-Mail um 10:30 (heute)", ["E-Mail", "um", "10:30", "heute"], "marks inside a word belong to it"),
    ("Ja … – nein", ["Ja", "…", "–", "nein"], "a mark alone can be pressed too"),
    ("", [], "nothing to press"),
    ("打开文件。", ["打", "开", "文", "件"], "Chinese: each ideograph"),
    ("「你好」，<b>世</b>！v1.2", ["你", "好", "世", "v1.2"], "punctuation next to other scripts is not a word"),
    ("第10章 iPhone手机", ["第", "10", "章", "iPhone", "手", "机"], "numbers and foreign words stay whole"),
    ("東京タワーへ行きました。", ["東", "京", "タワー", "へ", "行", "きました"], "Japanese: runs of kana"),
    ("葛\U000e0100城", ["葛\U000e0100", "城"], "with its variation selector"),
    ("เปิดข้าวที่", ["เปิ", "ด", "ข้า", "ว", "ที่"], "Thai: vowels stay with the letter they are written around"),
    ("ເປັນ", ["ເປັ", "ນ"], "Lao too"),
    ("ស្រម្ពុជា", ["ស្រ", "ម្ពុ", "ជា"], "Khmer: letters that are written below others"),
    ("မြန်မာစာ", ["မြန်", "မာ", "စာ"], "Burmese: letters that close a syllable"),
    ("한국어 문장.", ["한국어", "문장"], "Korean has spaces"),
    ("שלום, עולם!", ["שלום", "עולם"], "Hebrew too"),
]
MIXED = st.text(st.sampled_from("ab1.,「」。– é\u0301文件ーあアเกิ่าခ်\u1039ក\u17d2{}/1<b>"), max_size=24)


@pytest.mark.parametrize(("text", "words", "why"), WORD_CASES)
def test_clickable_words(text: str, words: list[str], why: str):
    assert [text[start:end] for start, end in word_spans(text)] == words, why


@given(MIXED)
def test_words_are_disjoint_and_cover_every_letter_outside_tags(text: str):
    spans = word_spans(text)
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    assert all(start < end <= len(text) for start, end in spans)
    if not set("{<") & set(text):
        covered = {place for span in spans for place in range(*span)}
        assert all(place in covered for place, char in enumerate(text) if is_word_char(char))


@given(MIXED)
def test_clickable_word_can_be_pinned(text: str):
    text = unicodedata.normalize("NFC", text)
    if set(".,\u0301") & set(text):  # numbers stay whole, and combining marks do not follow Han characters
        return
    for start, end in word_spans(text):
        assert (start, end) in occurrences(text, text[start:end])


@given(MIXED)
def test_split_words_lose_only_spaces(text: str):
    assert "".join(split_words(text)) == "".join(text.split())
    assert split_words(text) == [text[start:end] for start, end in split_spans(text)]
    if text.isascii():
        assert split_words(text) == text.split()


@pytest.mark.parametrize(
    ("text", "num", "why"),
    [
        ("Open the file.", 3, "words between spaces"),
        ("打开文件。", 4, "ideographs, without the mark"),
        ("東京タワー", 5, "kana one by one"),
        ("打开 iPhone 文件", 5, "a foreign word is one"),
        ("กิน", 2, "vowel signs are not letters"),
        ("한국어 문장", 2, "Korean words"),
        ("– – 1", 3, "everything between spaces"),
    ],
)
def test_words_are_counted_for_billing(text: str, num: int, why: str):
    assert count_words(text) == num, why


def test_languages_counted_in_characters():
    assert set(map(counting_unit, ["zh", "zh_CN", "ja", "tha_Thai", "zho_Hans", "th"])) == {"characters"}
    assert set(map(counting_unit, ["en", "ko", "kor_Hang", "vi"])) == {"words"}


def test_edit_effort_in_scripts_without_spaces_counts_their_parts():
    effort = edit_effort("打开文件。", "打开文档。")
    assert (effort.num_edits, effort.num_words) == (1, 4)


def test_no_letter_of_a_script_without_spaces_is_overlooked():
    letters = [char for char in map(chr, range(0x110000)) if is_unspaced(char) and unicodedata.category(char)[0] == "L"]
    assert [letter for letter in letters if split_words(f"a{letter}") != ["a", letter]] == []
    assert split_words("É„ab“ ก…") == ["É„ab“", "ก…"]
