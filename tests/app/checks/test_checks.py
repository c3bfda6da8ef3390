"""Findings of the quality checks: tables with a reason for each row, and properties for random texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.checks import CHECKS, Finding, findings_in
from app.checks.texts import doubled_words, length_difference
from app.text.nontranslatables import placeholders
from app.text.text_limits import TextLimits
from tests.app.work import growth
from tests.budget import rounds

NUMBER_CASES = [
    ("1,000 files, 3.5 GB", "1.000 Dateien, 3,5 GB", {}, "each in the form of its language"),
    ("1,234,567.89", "1.234.567,89", {}, "groups and decimals"),
    ("10,000 files", "10 000 Dateien", {}, "a space may group"),
    ("in 2020 300 files", "2020 waren es 300", {}, "and need not"),
    ("1,000 files", "1000 Dateien", {}, "no groups at all"),
    ("3.50 euros", "3,5 Euro", {}, "the same value"),
    ("1,000 files", "1,000 Dateien", {"form": ("1,000 → 1.000",)}, "in German that is one"),
    ("It costs 3.5", "Es kostet 3.5", {"form": ("3.5 → 3,5",)}, "a decimal point"),
    ("Python 3.11 runs", "Python 3.11 läuft", {}, "a name's number, with its name"),
    ("see Table 4.2", "siehe Tabelle 4.2", {}, "behind a name"),
    ("v1.2.3", "v1.2.3", {}, "no language reads it as a number"),
    ("on 12/31/2024", "am 31.12.2024", {}, "a date by its parts"),
    ("on 01/02", "am 1.2.", {}, "zeros in front"),
    ("at 10:30", "um 10.30 Uhr", {}, "a time by its parts"),
    ("at 3:00 p.m.", "um 15:00 Uhr", {}, "the 24-hour clock"),
    ("at 3 pm", "um 15 Uhr", {}, "the 24-hour clock without minutes"),
    ("at 3 pm", "um 15:00 Uhr", {}, "with minutes that the source lacks"),
    ("at 12:30 a.m.", "um 0:30 Uhr", {}, "after midnight"),
    ("at 3:00 p.m.", "um 3:00 Uhr nachmittags", {}, "the 12-hour clock in both"),
    ("at 3:00 p.m.", "um 16:00 Uhr", {"changed": ("3:00 p.m. → 15 Uhr ≠ 16:00 Uhr",)}, "another hour"),
    ("at 3 p.m.", "um 3 Uhr", {"changed": ("3 p.m. → 15 Uhr ≠ 3 Uhr",)}, "the hour of the other half"),
    (
        "at 2:30 p.m.",
        "um 14,30 Uhr",
        {"changed": ("2:30 p.m. → 14:30 Uhr ≠ 14,30",)},
        "a time is no decimal number",
    ),
    ("from 3 to 5 p.m.", "von 15 bis 17 Uhr", {}, "the first of a range has its half from the last"),
    ("on December 31, 2026", "am 31. Dezember 2026", {}, "the name of a month"),
    ("on December 31, 2026", "am 31.12.2026", {}, "a month in digits"),
    (
        "on December 31",
        "am 30. Dezember",
        {"changed": ("December 31 → 31. Dezember ≠ 30. Dezember",)},
        "another day",
    ),
    ("for $4.5m", "für 4,5 Mio. $", {}, "a short word for million"),
    ("18.7 billion", "18,7 Milliarden", {}, "the word for a power of ten"),
    (
        "18.7 billion",
        "18,7 Billionen",
        {"changed": ("18.7 billion → 18,7 Milliarden ≠ 18,7 Billionen",)},
        "a false friend",
    ),
    ("4.2 to 4.5 million", "4,2 bis 4,5 Millionen", {}, "both have the word"),
    ("the 21st file", "die 21. Datei", {}, "an ordinal"),
    ("the 1970s", "die 70er Jahre", {}, "a decade"),
    ("a 10 percent fall", "ein zehnprozentiger Rückgang", {}, "a number in a word"),
    ("385 miles away", "620 km entfernt", {}, "another unit"),
    ("385 miles away", "385 km entfernt", {}, "the same number, which only a person can judge"),
    ("300 km (190 miles)", "300 km", {}, "the same length again"),
    ("It won 2:1", "Sieg mit 2-1", {}, "a score"),
    ("192.168.0.1", "192.168.0.2", {"changed": ("192.168.0.1 ≠ 192.168.0.2",)}, "an address"),
    ("5% of 10-15 files", "5 % der 10–15 Dateien", {}, "percent and a range"),
    ("two files", "2 Dateien", {}, "a word in the source"),
    ("5 of 10", "fünf von zehn", {}, "words in the target"),
    ("Wait 5 s", "Warten Sie 50 s", {"changed": ("5 ≠ 50",)}, "a typing error"),
    ("Page 12", "Seite", {"missing": ("12",)}, "left out"),
    ("A page", "Seite 12", {"extra": ("12",)}, "made up"),
    ("5 and 5", "5", {"count": ("5",)}, "once too few"),
    ("once: 5", "5, also 5", {}, "a number repeated"),
    ("٣ files", "3 Dateien", {}, "digits of another script"),
    ("%1$s of {0}", "%1$s von {0}", {}, "digits of placeholders are not numbers"),
    ("at -35 °C", "bei 35 °C", {"changed": ("-35 ≠ 35",)}, "the minus is missing"),
    ("at -3.5 °C", "bei −3,5 °C", {}, "another minus sign"),
    ("at -3.5 °C", "bei minus 3,5 Grad", {}, "the sign as a word"),
    ("at -3 °C", "bei minus drei Grad", {}, "all in words"),
    (".5 mm", "0,5 mm", {}, "a zero before the decimal sign"),
    ("1 000 000 files", "1.000.000 Dateien", {}, "groups with ordinary spaces"),
]


@pytest.mark.parametrize(("source", "target", "expected", "why"), NUMBER_CASES)
def test_numbers_are_compared_by_value_in_each_language(
    source: str, target: str, expected: dict[str, tuple[str, ...]], why: str
):
    found = {f.kind: f.texts for f in findings_in(source, target, "en-de") if f.check == "numbers"}
    assert found == expected, why


OTHER_CASES = [
    ("Copy %s.", "Kopieren.", ("placeholders", "missing", ("%s",)), "a placeholder is lost"),
    ("Copy.", "Kopieren {0}.", ("placeholders", "extra", ("{0}",)), "one too many"),
    ("{1}Save{/1}.", "{/1}Sichern{1}.", ("placeholders", "order", ("{/1}",)), "closed before it opens"),
    ("Ready?", "Fertig.", ("punctuation", "end", ("?", ".")), "a question no more"),
    ("Read **it**.", "Lesen **es*.", ("punctuation", "marks", ("*",)), "a mark of emphasis lost"),
    ("Press `OK`.", "`OK` drücken.", None, "marks that pair"),
    ("2 * 3", "2 * 3 *", None, "no pair in the source"),
    ("Ready.", "Fertig", ("punctuation", "end", (".",)), "a full stop lost"),
    ("We close at 3 p.m.", "Wir schließen um 15 Uhr", None, "the dot belongs to an abbreviation"),
    ("Part 12.345.678-A", "Teil 12.345.678-A", None, "not a number in the format of another language"),
    ("The file.", "Die die Datei.", None, "a capital makes it another word"),
    ("The file.", "In der der Datei.", ("doubled", "words", ("der der",)), "typed twice"),
    ("Files that the list has.", "Dateien, die die Liste hat.", None, "a pronoun and an article"),
    ("A case where the library is loaded.", "Ein Fall, bei der der Code lädt.", None, "behind a preposition"),
    ("They see them.", "Dass sie sie sehen.", None, "good German"),
    ("Bye bye.", "Tschüs tschüs tschüs.", None, "the source repeats a word too"),
    ("A sentence of some length, which says a lot.", "Ja.", ("length", "short", ()), "most is missing"),
    ("Yes.", "Das ist ein viel zu langer Satz für ein Wort.", ("length", "long", ()), "far too much"),
    ("日本語の文です。", "This is a sentence that is written in Japanese.", None, "lengths of scripts differ"),
    ("Name:", "Name: ", ("spaces", "end", ()), "trailing space"),
    (" Name", "Name", ("spaces", "start", ()), "a space lost"),
    ("a b", "a  b", ("spaces", "inside", ()), "two in a row"),
    ("本。", "Book.", None, "full stops of two scripts"),
    ("Wait...", "Warten…", None, "three points or one sign"),
    ("He said “no.”", "Er sagte „nein“.", None, "quotes before or after the full stop"),
]


@pytest.mark.parametrize(("source", "target", "expected", "why"), OTHER_CASES)
def test_other_checks(source: str, target: str, expected: tuple[str, str, tuple[str, ...]] | None, why: str):
    direction = "ja-en" if not source.isascii() and target.isascii() and "“" not in source else "en-de"
    found = [(f.check, f.kind, f.texts) for f in findings_in(source, target, direction)]
    assert found == ([expected] if expected else []), why


@pytest.mark.parametrize(
    ("language", "target", "words"),
    [
        ("hi", "किसान ने काम में मदद की।", ()),  # "किसान" ends with the letter of "ने", "काम" with that of "में"
        ("hi", "किसान ने ने मदद की।", ("ने ने",)),
        ("bn", "কাজ জোরে চলছে।", ()),
        ("ta", "இது ஒரு ஒரு கல்.", ("ஒரு ஒரு",)),
    ],
)
def test_vowel_signs_belong_to_the_word_in_the_check_of_repeated_words(
    language: str, target: str, words: tuple[str, ...]
) -> None:
    assert doubled_words("The farmer helped with the work.", target, language) == {"words": words}


def test_errors_come_before_warnings():
    found = findings_in("Wait 5 s.", "Warten  Sie 6 s", "en-de", unmet=["Router"], banned=["Sie"])
    assert [f.is_error for f in found] == sorted((f.is_error for f in found), reverse=True)
    assert [f.message for f in found] == [
        "Not in the text: Router",
        "Banned, but in the text: Sie",
        "Numbers differ from the source: 5 ≠ 6",
        'Ends differently from the source: "."',
        "Several spaces in a row",
    ]


def test_each_check_can_be_switched_off_alone():
    source, target = "Wait 5 s for %s.", "a a  " + "b" * 90 + " 6 "
    found = findings_in(source, target, "en-de", unmet=["x"], limits=TextLimits(9))
    assert {f.check for f in found} == set(CHECKS)
    for check in CHECKS:
        assert findings_in(source, target, "en-de", unmet=["x"], limits=TextLimits(9), off={check}) == tuple(
            f for f in found if f.check != check
        )


ANY_TEXT = st.text(st.sampled_from("aB ß1٣.,:!?%s{}0/<b>'\u00a0„“\n"), max_size=60)


@given(ANY_TEXT)
def test_identical_source_and_target_have_no_findings(text: str):
    own = [f for f in findings_in(text, text, "en-en") if f.check != "placeholders"]
    assert own == []


@given(ANY_TEXT, ANY_TEXT)
def test_findings_for_random_texts_are_valid_json(source: str, target: str):
    for finding in findings_in(source, target, "en-de"):
        assert isinstance(finding, Finding)
        assert all(text in finding.message for text in finding.texts)
        if (finding.check, finding.kind) == ("placeholders", "missing"):
            assert set(finding.texts) <= set(placeholders(source))


@settings(max_examples=rounds(40, 200))
@given(st.text(max_size=80), st.text(max_size=80))
def test_length_check_is_symmetric(source: str, target: str):
    other = {"short": "long", "long": "short"}
    there, back = length_difference(source, target), length_difference(target, source)
    assert [other[kind] for kind in there] == list(back)


@given(st.integers(0, 10**12), st.integers(0, 99))
def test_number_in_either_format_has_the_same_value(whole: int, cents: int):
    english, german = f"{whole:,}.{cents:02}", f"{whole:,}.{cents:02}".translate(str.maketrans(",.", ".,"))
    assert findings_in(english, german, "en-de", off=set(CHECKS) - {"numbers"}) == ()
    assert findings_in(german, english, "de-en", off=set(CHECKS) - {"numbers"}) == ()


def test_comparing_many_numbers_takes_linear_time():
    assert growth(lambda size: findings_in("1 " * size, "1 " * size * 2, "en-de"), 100) < 2.5


def test_date_with_tags_inside_is_one_number():
    assert not [
        finding
        for finding in findings_in("am <b>5.</b>12.2026", "on December <b>5</b>, 2026", "de-en")
        if finding.check == "numbers"
    ]
