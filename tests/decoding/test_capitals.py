"""Sources in capitals, and runs of capitals in a source, with the bundled model."""

from __future__ import annotations

import pytest

from engine import Follow, Phrase, Request, SearchOptions, Translation, Translator

OPTIONS = SearchOptions(nbest=3)
SHOUTED = "THE FILE IS OPEN."
WITH_RUN = "Please press the key TO OPEN THE FILE again."


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load("data/models/en-de")


def best(translation: Translation) -> str:
    return translation.hypotheses[0].text


@pytest.mark.parametrize(
    ("direction", "capitals", "plain"),
    [
        ("en-de", SHOUTED, "The file is open."),
        ("en-de", "OPEN THE FILE", "Open the file"),
        ("en-de", "CLOSE ALL FILES", "Close all files"),
        ("en-de", "USER MANUAL", "User manual"),
        ("en-de", "WARNING: DO NOT OPEN THE DOOR.", "Warning: Do not open the door."),
        ("de-en", "DIE DATEI IST NICHT GEÖFFNET.", "Die Datei ist nicht geöffnet."),
        ("de-en", "DIE STRASSE IST GROẞ", "Die Straße ist groß"),
        ("de-en", "WARNUNG", "Warnung"),
    ],
)
def test_a_source_in_capitals_has_the_translation_in_sentence_case_in_capitals(translator, direction, capitals, plain):
    shouted, usual = (translator.translate(Request(text, direction), OPTIONS) for text in (capitals, plain))
    assert best(shouted) == best(usual).replace("ß", "SS").upper()
    assert {one.score for one in shouted.hypotheses} <= {one.score for one in usual.hypotheses}
    assert len({one.text for one in shouted.hypotheses}) == len(shouted.hypotheses)


@pytest.mark.parametrize("source", ["NASA", "NASA and IBM", "Open the PDF file."])
def test_abbreviations_are_read_as_they_are(translator, source):
    prepared = translator.pipeline.prepare(Request(source))
    assert prepared.source == source


def test_a_run_of_words_in_capitals_is_found_in_the_translation(translator):
    usual = best(translator.translate(Request(WITH_RUN.lower().capitalize(), "en-de"), OPTIONS))
    found = translator.translate(Request(WITH_RUN, "en-de"), OPTIONS)
    text = best(found)
    assert text.casefold() == usual.casefold()
    shouted = [word.strip(".,") for word in text.split() if word.isupper()]
    assert shouted[-3:] == ["DIE", "DATEI", "ÖFFNEN"] and text.startswith("Bitte drücken Sie ")


def test_placeholders_and_names_with_small_letters_stay(translator):
    result = translator.translate(
        Request("CLICK {button} TO OPEN iTunes NOW", phrases=[Phrase("{button}", max_count=1, boundary="anywhere")])
    )
    text = best(result)
    assert "{button}" in text and "iTunes" in text
    assert text.replace("{button}", "").replace("iTunes", "").isupper()


@pytest.mark.parametrize("phrase", ["AKTE", "Akte"])
def test_a_phrase_is_set_in_capitals_and_has_its_place(translator, phrase):
    result = translator.translate(Request(SHOUTED, phrases=[Phrase(phrase, source_span=(4, 8))]), OPTIONS)
    assert result.status == "complete" and best(result) == "DIE AKTE IST OFFEN."
    [placement] = result.hypotheses[0].placements
    assert (placement.form, placement.start, placement.end, placement.aligned) == ("AKTE", 4, 8, True)


def test_a_phrase_in_capitals_has_them_wherever_it_is(translator):
    result = translator.translate(Request(WITH_RUN, phrases=[Phrase("TASTE", source_span=(17, 20))]), OPTIONS)
    assert result.status == "complete"
    assert all("TASTE" in one.text and one.placements[0].form == "TASTE" for one in result.hypotheses)


@pytest.mark.parametrize("prefix", ["D", "DIE ", "DAS DOK", "DIE\u00a0DAT", "DIE  AK", "NUN IST DIE"])
def test_a_prefix_in_capitals_is_continued_in_capitals(translator, prefix):
    result = translator.translate(Request(SHOUTED, prefix=prefix), OPTIONS)
    assert result.status == "complete"
    assert all(one.text.startswith(prefix) and one.text.isupper() for one in result.hypotheses)


def test_a_prefix_in_small_letters_is_continued_in_small_letters(translator):
    result = translator.translate(Request(SHOUTED, prefix="Die Da"), OPTIONS)
    assert best(result) == "Die Datei ist offen."


def test_a_prefix_may_end_within_a_run_of_capitals(translator):
    prefix = "Bitte drücken Sie die Taste, UM DIE DA"
    assert best(translator.translate(Request(WITH_RUN, prefix=prefix), OPTIONS)).startswith(prefix + "TEI ")


@pytest.mark.parametrize(("eszett", "phrase"), [("SS", "SCHLIESSEN SIE"), ("ẞ", "SCHLIEẞEN SIE")])
def test_eszett_is_written_as_the_person_writes_it(translator, eszett, phrase):
    request = Request("CLOSE THE BIG DOORS NOW.", "en-de", phrases=[Phrase(phrase)])
    result = translator.translate(request, OPTIONS)
    assert best(result).startswith(f"SCHLIE{eszett}EN SIE ") and f"GRO{eszett}EN" in best(result)
    for one in result.hypotheses:
        assert one.text[one.placements[0].start : one.placements[0].end] == phrase
        written = [one.text[start:end] for start, end in one.token_spans]
        assert "".join(written) == one.text.replace(" ", "")


@pytest.mark.parametrize("avoided", ["DATEI", "Datei"])
def test_an_avoided_word_is_avoided_in_capitals(translator, avoided):
    result = translator.translate(Request(SHOUTED, avoid=[avoided]), OPTIONS)
    assert result.hypotheses
    assert not any("DATEI" in one.text.replace(".", " ").split() for one in result.hypotheses)


def test_locked_texts_and_suffix_are_found_in_capitals_or_stay_as_they_are(translator):
    for locked in ("AKTE", "Akte"):
        result = translator.translate(Request(SHOUTED, locked=[locked], suffix="OFFEN."), OPTIONS)
        assert best(result) == f"DIE {locked} IST OFFEN."
        assert result.hypotheses[0].locked == ((4, 8), (13, 19))


def test_a_text_to_follow_decides_on_capitals(translator):
    for text in ("DIE AKTE IST OFFEN.", "Die Akte ist offen."):
        assert best(translator.translate(Request(SHOUTED, follow=Follow(text, 1e6)), OPTIONS)) == text


def test_a_translation_in_capitals_has_the_score_of_the_usual_one(translator):
    capitals, usual = (
        translator.score(SHOUTED, "DIE DATEI IST OFFEN."),
        translator.score("The file is open.", "Die Datei ist offen."),
    )
    assert (capitals.tokens, capitals.score, capitals.alignment) == (usual.tokens, usual.score, usual.alignment)
    assert capitals.text == "DIE DATEI IST OFFEN."


def test_alternatives_look_different_from_the_word_and_each_other(translator):
    first = translator.translate(Request(SHOUTED), OPTIONS).hypotheses[0]
    words = [one.word for one in translator.alternatives(Request(SHOUTED), first, 5, 5)]
    assert words and len({*words, "DATEI"}) == len(words) + 1
    assert all(word.isupper() for word in words)


def test_constraints_in_capitals_have_their_price(translator):
    asked = translator.price(Request(SHOUTED, phrases=[Phrase("AKTE")], avoid=["OFFEN"]), OPTIONS)
    assert asked.total is not None and asked.total > 0
    assert None not in (*asked.phrases, *asked.avoid)


def test_a_translation_in_capitals_is_learned_for_texts_in_capitals_and_others(translator):
    capitals = translator.learn(Request(SHOUTED), "DIE AKTE IST OFFEN.", origin=1)
    usual = translator.learn(Request("The file is open."), "Die Akte ist offen.", origin=1)
    tokens = [pair.pieces_T.tolist() for learned in (capitals, usual) for pair in learned.pairs]
    assert tokens[0] == tokens[1]


def test_other_words_of_the_alignment_are_those_of_the_given_source(translator):
    source = "DIE  STRASSE IST GROẞ."
    first = translator.translate(Request(source, "de-en"), OPTIONS).hypotheses[0]
    linked = {source[a:b]: first.text[c:d] for a, b, c, d in first.alignment}
    assert linked["STRASSE"] == "STREET" and linked["GROẞ"] in ("BIG", "LARGE", "GREAT", "TALL")
