"""A vocabulary may hold placeholders as single pieces: text still comes back exactly, and words keep their pieces."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Avoid, Phrase, Request, SearchOptions
from engine.errors import TrainingError
from engine.text import SPECIAL_PIECES, UNK, BytePairs, TextCodec, Vocabulary, occurrences, words
from engine.text.placeholders import COMMON, PLACEHOLDER, choose_placeholders, pattern_of
from tests.test_translator import make_translator

OF_THE_LINES = ("%{hp}", "<N>", "%-*s", "{größe}")
HELD = (*COMMON, *OF_THE_LINES)


@pytest.fixture(scope="module")
def holding(corpus_sample) -> TextCodec:
    """A codec whose vocabulary holds placeholders."""
    lines = [line.text for line in corpus_sample[::3]] + [f"a {text} b" for text in OF_THE_LINES for _ in range(99)]
    return TextCodec.learn(lines, num_pieces=1600, min_char_count=1, num_placeholders=len(HELD))


# Placeholders of all kinds between words and marks, with and without spaces; and anything at all.
PARTS = st.sampled_from(
    [*HELD, *SPECIAL_PIECES, "%", "{", "}", "<", "&", "$", "50", "größe", "ige", " ", " ", ".", "("]
)
MIXED = st.lists(PARTS | st.text(max_size=3), max_size=12).map("".join)


@given(MIXED)
def test_text_with_placeholders_comes_back_exactly(holding, text):
    text = holding.normalise(text)
    encoding = holding.encode(text)
    end, written = 0, ""
    for piece_id, (start, stop) in zip(encoding.ids, encoding.spans, strict=True):
        assert text[end:start] in ("", " ")
        written += text[end:start] + (text[start:stop] if piece_id == UNK else holding.surfaces[piece_id])
        end = stop
    assert written == text
    assert holding.spells(text) == (holding.respell(text) == text)
    assert all(i == UNK for i in encoding.ids if i in holding.specials)


@given(MIXED, st.integers(0, 3))
def test_dropout_never_splits_a_placeholder(holding, text, seed):
    def held(ids):
        return [holding.surfaces[i] for i in ids if holding.surfaces[i] in HELD]

    rng = random.Random(seed)
    assert held(holding.encode_ids(text, 0.5, rng)) == held(holding.encode_ids(text))
    items = holding.words_and_marks(holding.encode_ids(text))
    assert [holding.surfaces[i] for i in items if isinstance(i, int) and holding.surfaces[i] in HELD] == held(
        holding.encode_ids(text)
    )


@pytest.mark.parametrize("text", HELD)
def test_placeholder_is_one_piece_everywhere_and_the_word_beside_it_is_unchanged(holding, text):
    for around in ("{}", "Datei {} öffnen", "({})", "{}:", "Datei{}", "{}Datei", "{0}{}", "{}{0}", "„{}“"):
        ids = holding.encode_ids(around.replace("{}", text, 1))
        assert text in [holding.surfaces[i] for i in ids], around
        alone = holding.encode_ids("Datei")
        assert "Datei" not in around or any(ids[i : i + len(alone)] == alone for i in range(len(ids)))


@pytest.mark.parametrize(
    ("text", "pieces", "why"),
    [
        ("(%s):", "(￭ %s ￭) ￭:", "marks carry the joiner"),
        ("%s%d", "%s ￭%d", "of two, the right one carries it"),
        ("<b>50</b>", "<b>￭ 5@@ 0 ￭</b>", "beside a word the placeholder carries it"),
        ("50%ig %i", "5@@ 0 ￭%￭ ig %i", "a conversion is none behind a digit"),
        ("<s> <N>", "<￭ s ￭> <N>", "what is spelt as a special piece stays text"),
    ],
)
def test_pieces_of_placeholders(corpus_sample, text, pieces, why):
    words_alone = BytePairs(())
    codec = TextCodec.learn([], 1600, num_placeholders=len(COMMON))
    codec = TextCodec(Vocabulary((*codec.vocabulary.pieces, "<N>", "￭<N>", "<N>￭", "￭<N>￭", "ig")), words_alone)
    codec = replace(codec, merges=BytePairs((("i", "g</w>"),)))
    assert codec.vocabulary.pieces_of(codec.encode_ids(text)) == pieces.split(), why


def test_a_vocabulary_without_placeholders_splits_them_as_before(codec):
    assert codec.vocabulary.placeholders == []
    assert codec.vocabulary.pieces_of(codec.encode_ids("%s {0}")) == ["%￭", "s", "{￭", "0", "￭}"]


def test_placeholders_are_read_from_the_vocabulary_alone(holding, tmp_path: Path):
    assert {*holding.vocabulary.placeholders} == {*HELD}
    holding.save(tmp_path)
    loaded = TextCodec.load(tmp_path)
    assert loaded == holding and loaded.encode("<b>%s</b>: {0}") == holding.encode("<b>%s</b>: {0}")
    partial = [piece for piece in holding.vocabulary.pieces if piece != "￭%s"]
    assert "%s" not in Vocabulary(tuple(partial)).placeholders, (
        "one that has not all spellings could not stand anywhere"
    )


def test_the_common_ones_come_first_and_then_the_most_frequent():
    counts = {"<s>": 99, "<U+0020>": 99, "{rare}": 1, "{a}:": 5, "{b}{a}": 3, "word": 9}
    assert choose_placeholders(counts, len(COMMON) + 9, 2) == [*COMMON, "{a}", "{b}"]
    assert choose_placeholders(counts, len(COMMON) + 1, 2) == [*COMMON, "{a}"]
    assert choose_placeholders(counts, 2, 2) == [*COMMON[:2]]
    assert choose_placeholders(counts, 0, 2) == []
    assert all(PLACEHOLDER.fullmatch(text) for text in COMMON)
    assert pattern_of([]) is None
    with pytest.raises(TrainingError, match="the characters and placeholders alone take"):
        TextCodec.learn([], num_pieces=800, num_placeholders=50)


def test_requests_with_placeholders_are_met_in_any_pieces(holding):
    translator = make_translator(holding)
    options = SearchOptions(beam=4, nbest=2)
    phrases = [Phrase("Datei %s"), Phrase("{0}"), Phrase("<b>"), Phrase("%{other}"), Phrase("100 %"), Phrase("(%d)")]
    for number, phrase in enumerate(phrases):
        asked = (phrase, phrases[number - 1])
        result = translator.translate(Request("Copy %s.", phrases=asked, avoid=(Avoid("{9}"),)), options)
        assert result.status == "complete", result.reasons
        for hypothesis in result.hypotheses:
            assert "{9}" not in hypothesis.text
            for place in hypothesis.placements:
                assert place.form == asked[place.phrase].text
                assert (place.start, place.end) in occurrences(hypothesis.text, place.form)
    for prefix in ("Kopiere %", "Kopiere %s", "Kopiere {", "<b>Kop", "{0} "):
        result = translator.translate(Request("Copy %s.", prefix=prefix, phrases=[Phrase("{1}")]), options)
        assert result.status == "complete"
        assert all(found.text.startswith(prefix) and "{1}" in found.text for found in result.hypotheses)


def test_placeholder_is_a_separate_word_beside_marks_and_part_of_a_word_beside_letters(holding):
    def told(text: str) -> list[str]:
        spans = holding.encode(text).spans
        return [text[spans[first][0] : spans[last - 1][1]] for first, last in words(text, spans)]

    assert told("Die Datei (%s), {0}<b>x</b>") == ["Die", "Datei", "(", "%s", ")", ",", "{0}", "<b>", "x", "</b>"]
    assert told("%sB") == ["%sB"]
