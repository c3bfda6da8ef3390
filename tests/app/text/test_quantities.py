"""Numbers, dates and times: tables of how languages write them, and round trips through Babel in all its languages."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal

import pytest
from babel import Locale, localedata
from babel.dates import format_date, format_time
from babel.numbers import format_decimal
from hypothesis import given
from hypothesis import strategies as st

from app.text.quantities.conventions import conventions_of
from app.text.quantities.quantity_forms import forms_of, other_forms_of
from app.text.quantities.quantity_reading import quantities
from app.text.quantities.requirements import numbers_beside, required_quantities, single_days
from app.text.quantities.units import is_same_measure, unit_behind
from engine import occurrences
from tests.app.work import growth


def languages() -> list[str]:
    """Reading the conventions of all takes a second: while tests are collected, it would take each worker one."""
    return sorted(
        code
        for code in localedata.locale_identifiers()
        if "_" not in code
        and "#,##0" in Locale(code).decimal_formats[None].pattern  # digits in groups of three
        # N’Ko has an Arabic comma; from "1'000'000'000" of Swiss German, Babel removes two of the signs.
        and Locale(code).number_symbols["latn"]["group"] in ",.’ \u00a0\u2009\u202f"
    )


READINGS = [
    ("en", "1,250.00", ("number", Decimal("1250.00")), "groups and decimals"),
    ("de", "1.250,00", ("number", Decimal("1250.00")), "the same in German"),
    ("fr", "1\u202f250,00", ("number", Decimal("1250.00")), "groups are separated by a thin space"),
    ("fr", "1 250,00", ("number", Decimal("1250.00")), "or by an ordinary one"),
    ("de-CH", "1'250.00", ("number", Decimal("1250.00")), "a region with other signs than its language"),
    ("en-IN", "12,34,567", ("number", Decimal(1234567)), "groups of two"),
    ("ar", "a ٣٫٥ b", ("number", Decimal("3.5")), "digits and signs of another script"),
    ("de", "3.5", ("text", "3.5"), "not one number in German"),
    ("en", "2.4 GHz", ("number", Decimal("2.4")), "a unit with a capital letter"),
    ("en", "3.3 V", ("number", Decimal("3.3")), "a unit of one letter"),
    ("en", "$4.5m", ("number", Decimal("4500000.0")), "an amount of money in millions"),
    ("en", "4.5m wide", ("number", Decimal("4.5")), "metres"),
    ("en", "18.7 million", ("number", Decimal("18700000.0")), "a word for a power of ten"),
    ("de", "18,7 Mio. Euro", ("number", Decimal("18700000.0")), "an abbreviation"),
    ("es", "3 mil millones", ("number", Decimal(3_000_000_000)), "two words"),
    ("ja", "1870万人", ("number", Decimal(18_700_000)), "without spaces"),
    ("en", "3 p.m.", ("time", 15 * 60), "the clock of 12 hours"),
    ("en", "12:30am", ("time", 30), "after midnight"),
    ("de", "14.30 Uhr", ("time", 14 * 60 + 30), "a dot in a time"),
    ("de", "3 Uhr nachmittags", ("time", 15 * 60), "the half of the day as a word"),
    ("fr", "14 h 30", ("time", 14 * 60 + 30), "the word between hours and minutes"),
    ("fr", "à 14h30", ("time", 14 * 60 + 30), "the same without spaces"),
    ("en", "12/31/2026", ("day", (12, 31)), "the month first"),
    ("en-GB", "31/12/2026", ("day", (12, 31)), "the day first"),
    ("de", "31.12.2026", ("day", (12, 31)), "with dots"),
    ("en", "2026-12-31", ("day", (12, 31)), "ISO 8601"),
    ("en", "December 31, 2026", ("day", (12, 31)), "the name of the month"),
    ("de", "am 31. Dezember 2026", ("day", (12, 31)), "the name behind the day"),
    ("ru", "31 декабря 2026 г.", ("day", (12, 31)), "the name in the genitive"),
    ("ja", "2026年12月31日", ("day", (12, 31)), "signs for year, month and day"),
    ("en", "version 2.1", ("text", "2.1"), "a version"),
    ("en", "2.1 Introduction", ("text", "2.1"), "the number of a section"),
    ("en", "2.1 A new hope", ("text", "2.1"), "the same before a word of one letter"),
    ("en", "192.168.0.1", ("text", "192.168.0.1"), "an address"),
    ("en", "+49 30 123456", ("text", "4930123456"), "a telephone number"),
    ("en", "A350", ("text", "A350"), "a number in a word"),
    ("en", "2:1", ("text", "2:1"), "a score"),
    ("en", ".5 mm", ("number", Decimal("0.5")), "a decimal sign without a digit before it"),
    ("de", ",5 mm", ("number", Decimal("0.5")), "the same in German"),
    ("de", ".5 mm", ("number", Decimal(5)), "not the decimal sign of German"),
    ("en", "a .7z file", ("number", Decimal(7)), "the dot belongs to the name of a kind of file"),
    ("en", "at -3.5 °C", ("number", Decimal("-3.5")), "a minus sign"),
    ("en", "at −3.5 °C", ("number", Decimal("-3.5")), "a typographic minus sign"),
    ("de", "minus 3,5 Grad", ("number", Decimal("-3.5")), "the sign as a word"),
    ("en", "from −€3.5 on", ("number", Decimal("-3.5")), "the sign before a currency"),
    ("en", "from -US$3.5 on", ("number", Decimal("-3.5")), "the sign before a currency with letters"),
    ("en", "€3.5–€4 on", ("number", Decimal("3.5")), "a range with a currency"),
    ("en", "-.5 V", ("number", Decimal("-0.5")), "both"),
    ("fr", "au moins 15 fichiers", ("number", Decimal(15)), "at least"),
    ("en", "pages 10 -15", ("number", Decimal(10)), "a range"),
    ("en", "IEEE 802.11 networks", ("text", "802.11"), "the number of a standard"),
    ("en", "the 802.11ac standard", ("text", "802.11ac"), "the same with its letters"),
    ("en", "$802.11", ("number", Decimal("802.11")), "an amount of money"),
    ("en", "USB 3.0 is fast", ("text", "3.0"), "a version behind an acronym"),
    ("en", "macOS 10.15 is old", ("text", "10.15"), "a version behind a name with a capital inside"),
    ("en", "Bluetooth 5.2 is new", ("text", "5.2"), "a version behind the name of a product"),
    ("en", "part number 47.110", ("text", "47.110"), "a part number"),
    ("en", "EUR 3.50 each", ("number", Decimal("3.50")), "behind a currency"),
    ("en", "The CPU 3.5 GHz", ("number", Decimal("3.5")), "with a unit"),
    ("en", "ONLY 3.5 PERCENT", ("number", Decimal("3.5")), "a text in capitals"),
    ("en", "About 3.5 percent", ("number", Decimal("3.5")), "an ordinary word"),
    ("en", "1 000 000 files", ("number", Decimal(1_000_000)), "groups with ordinary spaces"),
    ("en", "10 000 files", ("number", Decimal(10_000)), "one such group"),
    ("en", "100 200 300", ("number", Decimal(100)), "three numbers"),
    ("zh", "下午3点30分", ("time", 15 * 60 + 30), "a Chinese time"),
    ("zh", "上午9点半", ("time", 9 * 60 + 30), "half past"),
    ("ja", "15時30分に", ("time", 15 * 60 + 30), "a Japanese time"),
    ("ko", "오후 3시 30분", ("time", 15 * 60 + 30), "a Korean time"),
    ("ja", "3時間", ("number", Decimal(3)), "hours that something takes"),
    ("zh", "得了3点", ("number", Decimal(3)), "behind a letter of a script without spaces"),
    ("ko", "사과30개", ("number", Decimal(30)), "behind a syllable of Hangul"),
    ("zh", "有A350型", ("text", "A350"), "a name between such letters"),
    ("en", "Version 3.5 % of", ("number", Decimal("3.5")), "with a sign of percent"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "atom", "why"), READINGS)
def test_likeliest_reading_is_that_of_the_language(language: str, text: str, atom: tuple[str, object], why: str):
    found = quantities(text, language)
    assert found and found[0].readings[0][0] == atom, why


FORMS = [
    ("en", "de", "It costs 1,250.00.", "1.250,00"),
    ("en", "fr", "It costs 1,250.00.", "1\u202f250,00"),
    ("en", "de", "It costs $4.5m.", "4,5 Millionen"),
    ("en", "ja", "18.7 million", "1870万"),
    ("en", "de", "at 3 p.m.", "15 Uhr"),
    ("en", "de", "at 2:30 p.m.", "14:30 Uhr"),
    ("de", "en", "um 14.30 Uhr", "2:30 p.m."),
    ("de", "en", "um 8:30 Uhr", "8:30 a.m."),  # "8:30" alone would become "8:30 p.m."
    ("de", "en", "um 14:30 Uhr", "14:30"),
    ("de", "fi", "um 14:30 Uhr", "14.30"),
    ("de", "fr", "um 14.30 Uhr", "14 h 30"),
    ("en", "fr", "on March 1, 2026", "1er mars 2026"),
    ("fr", "en", "Cela coûte 1 299,99 €.", "1,299.99"),
    ("en", "de", "on December 31, 2026", "31. Dezember 2026"),
    ("en", "pt", "on December 31, 2026", "31 de dezembro de 2026"),
    ("de", "en", "am 31. Dezember", "December 31"),
    ("en", "de", "by 12/31/2026", "31.12.2026"),
    ("de", "en", "am 31.12.2026", "12/31/2026"),
    ("en", "de", "version 3.5.1", "3.5.1"),
    ("en", "de", "in 2014", "2014"),
    ("en", "de", "call 192.168.0.1", "192.168.0.1"),
    ("en", "de", "the A350", "A350"),
    ("de", "en", "6,5 Millionen", "6.5 million"),
    ("de", "de-CH", "1.250,5 km", "1'250.5"),
    ("en", "de", ".5 mm", "0,5"),
    ("en", "de", "at -3.5 °C", "-3,5"),
    ("en", "de", "1 000 000 files", "1.000.000"),
    ("en", "de", "an 802.11ac router", "802.11ac"),
    ("zh", "de", "下午3点30分", "15:30 Uhr"),
    ("zh", "de", "共1,250.50元", "1.250,50"),
]


@pytest.mark.parametrize(("source", "target", "text", "usual"), FORMS)
def test_usual_form_is_that_of_the_target_language(source: str, target: str, text: str, usual: str):
    [quantity] = quantities(text, source)
    assert forms_of(quantity, source, target)[0] == usual
    assert usual not in other_forms_of(quantity, source, target)


REQUIRED = [
    ("It has 15 files.", ["15"]),
    ("It has 5 files.", []),  # small numbers are often words
    ("It costs 4.50 euros.", ["4,50"]),
    ("5 ft 10 in", []),
    ("20 feet high", []),  # a unit that is often converted
    ("20 km away", ["20", "km"]),
    ("10 kg of flour", ["10", "kg"]),  # nobody writes "zehn kg"
    ("$3.50 per kg", ["3,50", "kg"]),
    ("0.5 mm or 4 GHz", ["0,5", "mm", "4", "GHz"]),
    ("a 5 m long rope", ["5", "m"]),
    ("5m wide", []),  # perhaps millions
    ("5 A levels", []),  # an ampere is also a letter
    ("10 in all", []),
    ("at 98.6 °F", ["98,6"]),
    ("a £1bn loss", ["1 Milliarde"]),
    ("9 a.m. to 5 p.m.", ["9 Uhr", "17 Uhr"]),
    ("in the 80s", []),
    ("an MP3 file", []),
    ("on 9/11", []),
    ("Copy {15} files", []),  # a placeholder
    ("at 3 p.m. on May 5", ["15 Uhr", "5. Mai"]),
    ("People under 18 may not enter.", ["18"]),  # a verb
    ("on 3 may 2024", ["3. Mai 2024"]),
    (" ".join(["15"] * 17), []),  # a table
    ("at -3 °C", ["-3", "°C"]),
    ("IEEE 802.11 has 3.5 GB", ["802.11", "3,5", "GB"]),
    ("IEEE 802.11 and 3.5 GB", ["802.11", "3,5", "GB"]),
    ("Section 3.1 and 3.5 mm", ["3.1", "3,5", "mm"]),
    ("Sections 3.1 and 3.5", ["3.1", "3.5"]),
    ("No. 5 is on", ["Nr."]),
    ("serial No. X12", ["Nr."]),
    ("The answer is no. 15 people left.", ["15"]),
    ("No. 5 and No. 7", []),  # they could change places
]


ORDINALS = [
    ("fr", "en", "le 21e siècle", "21st"),
    ("fr", "en", "la 1re fois", "1st"),
    ("nl", "en", "de 20e eeuw", "20th"),
    ("es", "en", "el 3.º piso", "3rd"),
    ("en", "fr", "the 20th century", "20e"),
    ("en", "fr", "the 1st floor", "1er"),
    ("de", "fr", "Im 20. Jahrhundert", "20e"),
    ("en", "it", "the 3rd floor", "3º"),
]


@pytest.mark.parametrize(("source", "target", "text", "form"), ORDINALS)
def test_ordinal_number_has_the_ending_of_each_language(source: str, target: str, text: str, form: str) -> None:
    [quantity] = quantities(text, source)
    assert quantity.is_ordinal
    assert form in forms_of(quantity, source, target)
    assert quantities(form, target)[0].is_ordinal


@pytest.mark.parametrize(("source", "forms"), REQUIRED)
def test_numbers_that_translations_keep_are_required(source: str, forms: list[str]):
    assert [one.forms[0] for one in required_quantities(source, "en", "de")] == forms


@pytest.mark.parametrize(
    ("source", "forms"),
    [
        ("1.2 Safety notes", [("1.2",)]),  # a translator may still write "1,2"
        ("0.5 Percent", [("0,5",)]),
        ("In 5–7 days, not 3-1", [("5–7", "5-7", "5 bis 7")]),
        ("Serial no.: 5", [("5",), ("Nr.", "Nummer", "Nummern")]),
        ("EUR 4,812.50 is due", [("4.812,50", "4812,50", "4 812,50"), ("EUR", "Euro", "€")]),
        ("It costs 20 CHF", [("20",), ("CHF", "Schweizer Franken", "Franken")]),
        ("TOP 20 list, XAU 20, A20 ABC", [("20",), ("20",)]),  # a word, a metal, no code
        ("at 30 rpm", [("30",), ("rpm", "U/min", "1/min", "Umdrehungen", "Touren")]),
        ("with 2.2 kΩ", [("2,2",), ("kΩ", "Kiloohm")]),
        ("Ask Tom O'Neill or O’Brien's.", [("O'Neill", "O’Neill"), ("O’Brien", "O'Brien")]),
        ("at 5 o'clock, l'Oise", []),
        ("25) Open files<sup>13</sup> now", []),  # a label and a footnote, which are put back
    ],
)
def test_numbers_of_sections_and_small_ranges_are_required_as_they_are(source: str, forms: list[tuple[str, ...]]):
    assert [one.forms for one in required_quantities(source, "en", "de")] == forms


@pytest.mark.parametrize(
    ("source", "language", "other", "first", "more"),
    [
        ("Mon-Fri", "en", "de", "Mo–Fr", ["Mo-Fr", "Mo. bis Fr.", "Montag bis Freitag"]),
        ("Monday – Thursday", "en", "de", "Montag–Donnerstag", ["Mo–Do", "Montag bis Donnerstag"]),
        ("Mo. - Sa.", "de", "en", "Mon–Sat", ["Monday to Saturday"]),
        ("lun.-ven.", "fr", "en", "Mon–Fri", ["Monday to Friday"]),
        ("9-17 Uhr", "de", "en", "9 a.m.–5 p.m.", ["9 am to 5 pm", "9am-5pm"]),  # not "9-17 p.m."
        ("10–11 Uhr", "de", "en", "10 a.m.–11 a.m.", ["10–11 a.m.", "10 to 11 am"]),
        ("14:00–16:00", "de", "en", "2 p.m.–4 p.m.", ["2–4 p.m.", "14:00–16:00"]),
        ("9 a.m.–5:30 p.m.", "en", "de", "9–17:30 Uhr", ["9 bis 17:30 Uhr", "9 Uhr bis 17:30 Uhr", "9.00–17.30"]),
        ("9 a.m.–5 p.m.", "en", "it", "9:00–17:00", ["9:00 a 17:00"]),
    ],
)
def test_range_of_days_or_hours_is_required_as_one_text(
    source: str, language: str, other: str, first: str, more: list[str]
):
    [required] = required_quantities(source, language, other)
    assert (required.forms[0], source[required.start : required.end]) == (first, source)
    assert set(more) <= set(required.forms)
    assert not set(required.forms) & set(required.replaces)


def test_range_of_hours_with_a_word_has_the_twelve_hours_of_english():
    [required] = required_quantities("8:00–16:30 Uhr", "de", "en")
    assert required.forms[0] == "8 a.m.–4:30 p.m."
    assert all("4:30" in form for form in required.forms)


@pytest.mark.parametrize("hours", ["14 Uhr", "9–14 Uhr"])
def test_time_before_a_full_stop_has_no_dot_of_its_own(hours: str):
    [last] = required_quantities(f"Freitags bis {hours}.", "de", "en")
    assert "2 pm" in last.forms[0] and not any(form.endswith(".") for form in last.forms)
    [inside] = required_quantities(f"Freitags bis {hours} geöffnet.", "de", "en")
    assert "2 p.m." in inside.forms[0]


def test_ranges_of_days_and_hours_are_found_in_a_sentence():
    source = "Call us Mon-Fri, 8–12 and 1–4 p.m."
    found = [(source[one.start : one.end], one.forms[0]) for one in required_quantities(source, "en", "de")]
    assert found == [("8–12", "8–12 Uhr"), ("1–4 p.m.", "13–16 Uhr"), ("Mon-Fri", "Mo–Fr")]


def test_unit_is_required_as_a_symbol_or_word_and_replaces_the_symbol_in_other_capitals():
    [_, unit] = required_quantities("0.5 mm", "en", "de")
    assert unit.forms == ("mm", "Millimeter", "Millimetern")
    assert set(unit.replaces) == {"Mm", "MM"}
    assert [one.forms[0] for one in required_quantities("0.5 mm", "en", "ru")] == ["0,5"], "Russian writes мм"


def test_time_with_the_half_of_the_day_is_not_required_without_it():
    """Models write "14.30 pm" otherwise."""
    [time_] = required_quantities("Um 14.30 Uhr beginnt es.", "de", "en")
    assert time_.forms[0] == "2:30 p.m." and not {"14:30", "14.30"} & {*time_.forms}


def test_numbers_are_not_required_beside_a_person_s_own_numbers():
    numbers = required_quantities("From 15 to 30 files", "en", "de")
    assert [one.forms for one in numbers_beside(numbers, ["bis 30 Dateien"])] == [("15",)]
    assert numbers_beside(numbers, ["bis 40 Dateien"]) == ()
    assert numbers_beside(numbers, ["bis dreißig Dateien"]) == numbers


@given(st.deferred(lambda: st.sampled_from(languages())), st.integers(0, 10**13), st.integers(1, 99))
def test_number_that_babel_writes_is_read_as_the_same_value(language: str, whole: int, cents: int):
    value = Decimal(whole) + Decimal(cents) / 100
    code = language.replace("_", "-")
    written = format_decimal(value, locale=language, numbering_system="latn")
    [found, *more] = quantities(written, code)
    assert not more and (("number", value),) in found.readings


@given(st.deferred(lambda: st.sampled_from(languages())), st.dates(date(1000, 1, 1), date(2099, 12, 31)))
def test_date_that_babel_writes_with_a_month_name_is_read_as_the_same_day(language: str, day: date):
    if not conventions_of(language).months[0]:
        return  # months are numbers there
    written = format_date(day, "long", locale=language)
    found = {atom for one in quantities(written, language) for atom in one.readings[0]}
    if any(kind == "day" for kind, _ in found):
        assert ("day", (day.month, day.day)) in found


@given(st.sampled_from(["en", "de", "fr", "es", "pl", "cs", "fi", "da", "ru", "ja", "zh"]), st.times())
def test_time_that_babel_writes_is_read_as_the_same_time(language: str, moment: time):
    written = format_time(moment, "short", locale=language)
    readings = {reading for one in quantities(written, language) for reading in one.readings}
    shown = 60 * moment.hour + moment.minute
    assert (("time", shown),) in readings


@given(
    st.sampled_from(["en", "de", "fr", "es", "pl", "cs", "fi", "ru", "ja", "pt", "nl", "de-CH"]),
    st.sampled_from(["en", "de", "fr", "es", "pl", "cs", "fi", "ru", "ja", "pt", "nl", "de-CH"]),
    st.integers(13, 10**9),
    st.integers(0, 99),
)
def test_each_form_of_a_number_is_read_as_the_number(source: str, target: str, whole: int, cents: int):
    written = format_decimal(Decimal(whole) + Decimal(cents) / 100, locale=source.replace("-", "_"))
    [quantity] = quantities(f"a {written} b", source)
    for form in forms_of(quantity, source, target):
        readings = {reading for one in quantities(f"a {form} b", target) for reading in one.readings}
        assert readings & set(quantity.readings), (written, form)


def test_languages_that_write_alike_need_no_conversion():
    [quantity] = quantities("a 1.250,50 b", "de")
    assert forms_of(quantity, "de", "nl")[0] == quantity.text
    assert other_forms_of(quantity, "de", "nl") == ()


def test_converted_measure_is_about_the_same():
    assert unit_behind(" miles per hour", "en") == "speed-mile-per-hour"
    assert unit_behind("-Kilometer-Lauf", "de") == "length-kilometer"
    assert unit_behind(" in all", "en") == ""
    assert is_same_measure(Decimal(80), "temperature-fahrenheit", Decimal(26), "temperature-celsius")
    assert not is_same_measure(Decimal(80), "length-mile", Decimal(80), "length-kilometer")


@pytest.mark.parametrize(
    "text", ["1,", "1 ", "1.1.", "1:", "1-", "12/", "+1 ", "1a", "1 million ", "May 1 ", "3 p.m. ", "{1"]
)
def test_reading_a_long_text_takes_linear_time(text: str):
    def read(size: int) -> None:
        quantities.cache_clear()
        required_quantities.cache_clear()
        required_quantities(text * size, "en", "de")

    read(100)  # makes the tables of both languages
    assert growth(read, 300) < 2.5


def test_forms_that_contain_another_are_not_required_twice():
    [number] = required_quantities("at 14:30 p.m.", "en", "de")
    assert not any(occurrences(one, other) for one in number.forms[1:] for other in number.forms[1:] if one != other)


@pytest.mark.parametrize(
    ("source", "language", "days"),
    [
        ("Mon-Fri 8am-6pm, Sat 9-12, Sun closed", "en", ["Sat", "Sun"]),
        ("Tue & Thu: 10:00 AM - 4:00 PM", "en", ["Tue", "Thu"]),
        ("Every Wed., 7:30 pm", "en", ["Wed."]),
        ("On Mon, Mar 3, 2026", "en", ["Mon"]),
        ("The Sun is 5 billion years old. We sat 9 hours.", "en", []),
        ("Sa 9-12 Uhr, So geschlossen", "de", ["Sa", "So"]),
        ("So 100 Leute kamen. Mo ist 5.", "de", []),
    ],
)
def test_days_of_opening_hours_are_found(source: str, language: str, days: list[str]) -> None:
    assert [source[start:end] for start, end, _ in single_days(source, language)] == days


def test_room_and_part_have_the_number_of_the_source() -> None:
    assert [one.forms for one in required_quantities("Room 3.12, 2.5 m", "en", "de")][:2] == [("3.12",), ("2,5",)]


def test_number_of_a_heading_before_a_tab_is_no_decimal_number() -> None:
    assert [one.forms for one in required_quantities("2.1\tScope", "en", "de")] == [("2.1",)]


@pytest.mark.parametrize(
    ("source", "forms"),
    [
        ("Sie wohnt im 3. Stock.", [("3rd", "third")]),
        ("Im 19. Jahrhundert", [("19th",)]),
        ("Das ist die 3. und 4. Ausgabe.", [("4th", "fourth")]),
        ("Er kam um 5. Dann ging er.", []),
        ("3. Gehen Sie.", []),
        ("am 3. März", [("March 3", "March 3rd")]),
    ],
)
def test_ordinal_numbers_before_a_german_noun_have_the_english_ending(
    source: str, forms: list[tuple[str, ...]]
) -> None:
    assert [one.forms[:2] for one in required_quantities(source, "de", "en")] == forms
