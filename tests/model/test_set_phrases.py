"""Set phrases of a model: which texts have one, what goes before it, and how the bundled model translates them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import Avoid, Follow, Phrase, Request, Translator
from engine.errors import ModelError
from engine.model.set_phrases import SET_PHRASES, SetPhrases
from engine.search_options import POST_EDITING, SearchOptions

LINES = """\
en-de\t-\t^kind regards$\tMit freundlichen Grüßen|Freundliche Grüße
en-de\tformal\t^dear Ms. {}$\tSehr geehrte Frau {}
en-de\tinformal\t^dear Ms. {}$\tLiebe Frau {}
en-de\t-\tno. #\tNr.
en-de\t-\tpower cord\tNetzkabel|Netzkabels
de-en\t-\t^freundliche grüße$\tKind regards
de-en\t-\tgroßhändler\twholesaler
"""


@pytest.fixture
def entries(tmp_path: Path) -> SetPhrases:
    path = tmp_path / SET_PHRASES
    path.write_text(LINES, encoding="utf-8")
    found = SetPhrases.load(path)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("Kind regards", ["Mit freundlichen Grüßen"]),
        ("KIND REGARDS,", ["Mit freundlichen Grüßen"]),
        ("Send my kind regards", []),  # not at the beginning
        ("Kind regards from Oslo", []),  # not a closing alone
        ("Dear Ms. von der Heide, thank you", ["Sehr geehrte Frau von der Heide"]),
        ("Dear Ms. O’Neill-Brown", ["Sehr geehrte Frau O’Neill-Brown"]),
        ("dear ms. neighbour, hello", []),  # not a name
        ("A power cord and a power cord", ["Netzkabel", "Netzkabel"]),
        ("A power cordless drill", []),
        ("No. 5, no. 6 and no. one said no.", ["Nr.", "Nr."]),
    ],
)
def test_entries_are_found_in_their_places(entries: SetPhrases, source: str, texts: list[str]) -> None:
    phrases = entries.added_to(Request(source), "en-de").phrases
    assert [phrase.text for phrase in phrases] == texts
    assert all(phrase.is_expected for phrase in phrases)


@pytest.mark.parametrize("source", ["FREUNDLICHE GRÜSSE", "Ein GROSSHÄNDLER"])
def test_capital_letters_without_sharp_s_are_the_same_words(entries: SetPhrases, source: str) -> None:
    assert len(entries.added_to(Request(source), "de-en").phrases) == 1


def test_form_of_address_chooses_the_salutation(entries: SetPhrases) -> None:
    [phrase] = entries.added_to(Request("Dear Ms. Smith,", formality="informal"), "en-de").phrases
    assert phrase.text == "Liebe Frau Smith"


@pytest.mark.parametrize(
    ("constraints", "texts"),
    [
        ({"phrases": (Phrase("Leitung", source_span=(4, 14)),)}, ["Leitung"]),  # other words for the same source
        ({"phrases": ("Leitung",)}, ["Leitung"]),  # perhaps for the same source
        ({"phrases": (Phrase("Nimm", source_span=(0, 3)),)}, ["Nimm", "Netzkabel"]),
        ({"avoid": (Avoid("Netzkabel"),)}, []),
        ({"prefix": "Das"}, []),
        ({"follow": Follow("Das Stromkabel ist neu.")}, []),  # a person may have written it
        ({"follow": Follow("Das Netzkabel ist neu.")}, ["Netzkabel"]),
    ],
)
def test_constraints_of_a_person_go_before_entries(
    entries: SetPhrases, constraints: dict[str, object], texts: list[str]
) -> None:
    request = Request("The power cord is new.", **constraints)  # type: ignore[arg-type]
    assert [phrase.text for phrase in entries.added_to(request, "en-de").phrases] == texts


def test_damaged_line_is_named(tmp_path: Path) -> None:
    (tmp_path / SET_PHRASES).write_text("en-de\tkind regards\tGrüße\n", encoding="utf-8")
    with pytest.raises(ModelError, match="line 1"):
        SetPhrases.load(tmp_path / SET_PHRASES)
    assert SetPhrases.load(tmp_path / "other.tsv") is None


def test_bundled_model_writes_letters_in_their_usual_words() -> None:
    translator = Translator.load("data/models/en-de")
    for direction, source, expected in [
        ("en-de", "Yours sincerely,", "Mit freundlichen Grüßen"),
        ("en-de", "Dear Mr. Smith,", "Sehr geehrter Herr Smith,"),
        ("de-en", "Sehr geehrte Damen und Herren,", "Dear Sir or Madam,"),
        ("de-en", "MIT FREUNDLICHEN GRÜSSEN", "KIND REGARDS"),
    ]:
        found = translator.translate(Request(source, direction=direction), POST_EDITING)
        assert found.hypotheses[0].text.rstrip(",") == expected.rstrip(",")
        assert (found.request.phrases, found.hypotheses[0].placements, found.hypotheses[0].unmet) == ((), (), ())
    off = translator.translate(Request("Yours sincerely,"), SearchOptions())
    assert "Grüßen" not in off.hypotheses[0].text


def test_phrase_for_the_whole_source_is_the_whole_translation() -> None:
    found = Translator.load("data/models/en-de").translate(Request("To whom it may concern,"), POST_EDITING)
    assert found.hypotheses[0].text == "An alle, die es angeht,"


@pytest.mark.parametrize(
    ("source", "listed"),
    [
        (
            "We bought a chair. Please sign the delivery note.",
            [("set_phrase", "the delivery note", "den Lieferschein")],
        ),
        ("DELIVERY NOTE", [("set_phrase", "DELIVERY NOTE", "LIEFERSCHEIN")]),
        ("The delivery note lies here.", [("set_phrase", "The delivery note", "Der Lieferschein")]),
        ("We bought a chair.", []),
    ],
)
def test_translation_tells_which_texts_come_from_set_phrases(source: str, listed: list[tuple[str, str, str]]) -> None:
    best = Translator.load("data/models/en-de").translate(Request(source), POST_EDITING).hypotheses[0]
    assert [(one.origin, source[slice(*one.source_span)], one.form) for one in best.listed] == listed
    assert all(best.text[one.start : one.end] == one.form for one in best.listed)


@pytest.mark.parametrize(
    ("direction", "source", "expected"),
    [
        ("en-de", "Please connect the power cord to the device.", "das Netzkabel"),
        ("en-de", "The delivery note shows the quantity of the goods.", "Der Lieferschein zeigt"),
        ("en-de", "In the event of force majeure, the delivery period is extended.", "Bei höherer Gewalt"),
        ("en-de", "I would like to thank you in advance for your support.", "Ihnen im Voraus"),
        ("en-de", "No. 5 is broken. No. 6 works.", "kaputt. Nr. 6"),
        ("en-de", "Please contact Ms. Schneider (ext. 4711).", "Frau Schneider (Durchwahl 4711)"),
        ("de-en", "Die Drehzahl beträgt 3000 U/min.", "rpm"),
        ("en-de", "Our reference: AB 123", "Unser Zeichen: AB 123"),
        ("de-en", "i. A. Anna Weber", "p.p. Anna Weber"),
        ("de-en", "Der Betrag ist ohne Abzug zu zahlen.", "without deduction"),
        ("de-en", "Sie ist bis Oktober in Elternzeit.", "parental leave"),
        ("en-de", "The annual general meeting approved the balance sheet.", "Hauptversammlung"),
    ],
)
def test_set_phrases_of_the_bundled_model_agree_with_their_sentence(direction: str, source: str, expected: str) -> None:
    best = Translator.load("data/models/en-de").translate(Request(source, direction=direction), POST_EDITING)
    assert expected in best.hypotheses[0].text
