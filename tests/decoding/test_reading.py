"""A request as the model reads it: white space, hyphens and letters of the source and of all other texts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Avoid, Follow, Hypothesis, InvalidRequest, Phrase, Request, SearchOptions, Translator
from engine.decoding.reading import RequestReader
from engine.text import normalise
from engine.text.gender_signs import without_gender_signs
from tests.test_translator import SOURCE, make_translator

OPTIONS = SearchOptions(beam=4, nbest=3)
FIGURE_SPACE, SHY, NO_BREAK_HYPHEN = "\u2007", "\u00ad", "\u2011"
UNTIDY_SOURCE = (
    "\u200b The  quick\tbrown\u00a0fox\r\nopens the set\u00adtings\u2009\u2009dialog, doesn't\u00a0 it?\ufeff\n"
)


@pytest.fixture(scope="module")
def translator(codec) -> Translator:
    return make_translator(codec)


def texts(translation) -> list[tuple[str, float]]:
    return [(hypothesis.text, hypothesis.score) for hypothesis in translation.hypotheses]


def test_an_untidy_source_has_the_translations_of_the_plain_one(translator):
    plain, untidy = (translator.translate(Request(source), OPTIONS) for source in (SOURCE, UNTIDY_SOURCE))
    assert texts(untidy) == texts(plain)
    assert untidy.request.source == UNTIDY_SOURCE


def test_typographic_letters_of_the_source_are_read_as_ordinary_ones(translator):
    plain = translator.translate(Request("The first office sent an e-mail, number 1."), OPTIONS)
    given_text = "The ﬁrst oﬃce sent an e\u2011mail, ｎｕｍｂｅｒ\u3000１."
    assert texts(translator.translate(Request(given_text), OPTIONS)) == texts(plain)


def test_unread_characters_have_their_places_in_the_given_source(translator):
    source = "Open\u00a0 the \u6f22 ﬁle \u5b57."
    found = translator.translate(Request(source), OPTIONS).unknown_source
    assert [source[start:end] for start, end in found] == ["\u6f22", "\u5b57"]


@pytest.mark.parametrize(
    "phrase",
    [
        f"E{NO_BREAK_HYPHEN}Mail{NO_BREAK_HYPHEN}Adresse",
        "auf\u00a0allen\u202fKnoten",
        f"Mit{SHY}glied",
        "zwei  Knoten",
        "Öﬀnen",
        "5\u00a0%",
    ],
)
def test_a_phrase_is_in_the_translation_letter_by_letter(translator, phrase):
    result = translator.translate(Request(SOURCE, phrases=[Phrase(phrase), Phrase("Knoten")]), OPTIONS)
    assert result.status == "complete"
    for hypothesis in result.hypotheses:
        for placement, text in zip(hypothesis.placements, (phrase, "Knoten"), strict=True):
            assert hypothesis.text[placement.start : placement.end] == placement.form == text


def test_a_phrase_that_begins_a_sentence_has_its_own_characters_and_a_capital(translator):
    request = Request(SOURCE, prefix="Ja. E-Mail ", phrases=[Phrase(f"e{NO_BREAK_HYPHEN}Mail", case="auto")])
    for hypothesis in translator.translate(request, OPTIONS).hypotheses:
        assert hypothesis.text.startswith("Ja. E-Mail ")  # the prefix is the person's text, too
        assert hypothesis.placements[0].form == "E-Mail"


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (
            "Die Benutzer:innen, Lehrer*in, Schüler_innen, Nutzer/-innen",
            "Die Benutzerinnen, Lehrerin, Schülerinnen, Nutzerinnen",
        ),
        ("Alle KollegInnen und Mitarbeiter:innengespräche", "Alle Kolleginnen und Mitarbeiterinnengespräche"),
        ("Jede/r eine:n gute*r ein*e", "Jede eine gute eine"),
        ("LinkedIn, LogIn, Ein/Aus, https://a.de/Leser/innen, 5:in, Name: in", None),
    ],
)
def test_signs_for_all_genders_are_not_read(given, read):
    found = without_gender_signs(given, "de")
    assert found.text == (read or given)
    assert without_gender_signs(given, "en").text == given
    for place, char in enumerate(found.text):  # the way back
        assert given[slice(*found.given_span(place, place + 1))][:1].lower() == char.lower()


@pytest.mark.parametrize("lead", ["\u00a0", "\u202f", " ", ""])
def test_white_space_before_a_suffix_is_the_one_that_was_given(translator, lead):
    result = translator.translate(Request(SOURCE, suffix=f"{lead}am Ende."), OPTIONS)
    assert result.status == "complete"
    assert all(hypothesis.text.endswith(f"{lead or ' '}am Ende.") for hypothesis in result.hypotheses)


def test_locked_texts_and_suffix_are_in_the_translation_letter_by_letter(translator):
    request = Request(SOURCE, locked=["auf\u00a0allen  Seiten", f"E{NO_BREAK_HYPHEN}Mail"], suffix=" am\u00a0Ende.")
    result = translator.translate(request, OPTIONS)
    assert result.status == "complete"
    for hypothesis in result.hypotheses:
        written = [hypothesis.text[start:end] for start, end in hypothesis.locked]
        assert written == [*request.locked, "am\u00a0Ende."]


@pytest.mark.parametrize("avoided", ["auf\u00a0allen  Knoten", f"auf allen Kno{SHY}ten"])
def test_an_avoided_text_is_avoided_whatever_its_white_space(translator, avoided):
    plain, untidy = (
        translator.translate(Request(SOURCE, prefix="Seiten auf allen ", avoid=[text]), OPTIONS)
        for text in ("auf allen Knoten", avoided)
    )
    assert texts(untidy) == texts(plain)


def test_the_text_to_follow_is_read_in_its_plain_form(translator):
    plain = translator.translate(Request(SOURCE, follow=Follow("Alle Knoten öffnen.", 1e6)), OPTIONS)
    untidy = translator.translate(Request(SOURCE, follow=Follow(f"Alle\u00a0 Kno{SHY}ten \töﬀnen. ", 1e6)), OPTIONS)
    assert texts(untidy) == texts(plain)
    assert plain.hypotheses[0].text == "Alle Knoten öffnen."


@settings(max_examples=15)
@given(prefix=st.lists(st.sampled_from([*"DaE \u00a0\t\u00ad\u2011\u200b.ﬁ", "O\u0308"]), max_size=10).map("".join))
def test_each_hypothesis_begins_with_the_prefix_that_was_typed(translator, prefix):
    result = translator.translate(Request("Open it.", prefix=prefix), replace(OPTIONS, max_length_offset=3))
    assert result.status == "complete"
    for hypothesis in result.hypotheses:
        assert hypothesis.text.startswith(normalise(prefix).rstrip())
        assert hypothesis.token_spans[-1] == (len(hypothesis.text), len(hypothesis.text))


def test_pieces_and_placements_point_at_the_text_that_was_written(translator, codec):
    request = Request(SOURCE, prefix="Der\u00a0\u00a0Knoten ", phrases=[Phrase(f"E{NO_BREAK_HYPHEN}Mail")])
    for hypothesis in translator.translate(request, OPTIONS).hypotheses:
        written = [hypothesis.text[start:end] for start, end in hypothesis.token_spans]
        assert "".join(written) == "".join(hypothesis.text.split())
        assert [codec.normalise(text) for text in written] == [codec.surfaces[token] for token in hypothesis.tokens]


@pytest.mark.parametrize(
    ("source", "text", "written"),
    [
        ("Come at two today.", "Kommt um 2 p.m..", "Kommt um 2 p.m."),
        ("12 vs. 15", "12 vs.. 15 ...", "12 vs. 15 ..."),
        ("12 vs.. 15", "12 vs.. 15", "12 vs.. 15"),
    ],
)
def test_the_dot_of_a_required_text_is_also_the_full_stop(codec, source: str, text: str, written: str) -> None:
    reading = RequestReader(codec, codec).read(Request(source), "en-de")
    found = Hypothesis(text, 0.0, 0.0, (0,), (0.0,), ((0, len(text)),))
    assert reading.written(found).text == written
    assert reading.written(found).token_spans == ((0, len(written)),)


def test_the_source_span_of_a_phrase_and_the_alignment_speak_of_the_given_source(codec):
    source = "The\u00a0 ﬁle  is\topen."
    request = Request(source, phrases=[Phrase("Datei", source_span=(5, 8))])
    reading = RequestReader(codec, codec).read(request, "en-de")
    [phrase] = reading.request.phrases
    assert reading.request.source == "The file is open."
    assert phrase.source_span == (4, 8)
    assert reading.given_source_spans([(4, 8), (9, 11), (0, 17)]) == ((5, 8), (10, 12), (0, len(source)))


@pytest.mark.parametrize(
    ("request_of", "named"),
    [
        (lambda: Request("\u200b\u2060"), "source is blank"),
        (lambda: Request(SOURCE, phrases=[Phrase("\u00ad")]), "empty"),
        (lambda: Request(SOURCE, avoid=[Avoid("\u200b")]), "blank"),
        (lambda: Request(SOURCE, locked=["\ufeff"]), "blank"),
    ],
)
def test_a_text_of_invisible_characters_is_refused_as_blank(translator, request_of, named):
    with pytest.raises(InvalidRequest, match=named):
        translator.translate(request_of(), OPTIONS)


def test_a_translation_to_score_keeps_its_characters(translator):
    scored = translator.score("Open\u00a0 it.", "Alle\u00a0Knoten  öﬀnen.")
    plain = translator.score("Open it.", "Alle Knoten öffnen.")
    assert (scored.tokens, scored.score) == (plain.tokens, plain.score)
    assert scored.text == "Alle\u00a0Knoten  öﬀnen."
    assert scored.token_spans[-1] == (len(scored.text), len(scored.text))


def test_alternatives_keep_the_white_space_before_them(translator):
    request = Request(SOURCE, prefix="Der\u00a0Knoten ")
    best = translator.translate(request, OPTIONS).hypotheses[0]
    for alternative in translator.alternatives(request, best, len("Der\u00a0Knoten "), 3, OPTIONS):
        assert alternative.hypothesis.text.startswith("Der\u00a0Knoten " + alternative.word)


def test_a_word_that_goes_on_in_the_next_line_is_read_as_one() -> None:
    reader = RequestReader(codec := Translator.load("data/models/en-de")._codec, codec)
    source = "The docu-\nment and the long- \n term plan, pre-\nand post-war E-\nMail"
    reading = reader.read(Request(source), "en-de")
    assert reading.request.source == "The document and the long-term plan, pre- and post-war E- Mail"
    assert reading.given_source_spans([(4, 12), (17, 26)]) == ((4, 14), (19, 31))
    assert reader.read(Request("Geschäfts-\nführung"), "de-en").request.source == "Geschäftsführung"


def test_words_of_a_short_abbreviation_are_aligned_with_a_part_of_it():
    translator = Translator.load("data/models/en-de")
    source = "FYI, we met w.r.t. it ASAP."
    hypothesis = translator.translate(Request(source)).hypotheses[0]
    assert all(start < end <= len(source) for start, end, *_ in (*hypothesis.alignment, *hypothesis.weak_alignment))
