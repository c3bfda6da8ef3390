"""Ranges and lists of dates, times, amounts and pages: right in each language, whatever each leaves out."""

from __future__ import annotations

import pytest

from app.checks.numbers import differences
from app.text.quantities.requirements import required_quantities
from engine import occurrences

# English and German; both are translations of each other.
RANGES = [
    ("The shop is closed from August 4 to August 22.", "Der Laden ist vom 4. bis 22. August geschlossen."),
    ("From August 4 to 22, we are closed.", "Vom 4. bis 22. August haben wir geschlossen."),
    ("from August 28 to September 3", "vom 28. August bis zum 3. September"),
    ("August 4–22, 2025", "4.–22. August 2025"),
    ("August 4, 2025 to August 22, 2025", "4. bis 22. August 2025"),
    ("August 4, 2025 to September 2, 2025", "4. August bis 2. September 2025"),
    ("between July 3 and July 5, 2024", "zwischen dem 3. und dem 5. Juli 2024"),
    ("on August 4 and August 22", "am 4. und 22. August"),
    ("on August 4, 11 and 22", "am 4., 11. und 22. August"),
    ("03/04/2024–03/08/2024", "04.03.–08.03.2024"),
    ("May 20 through 24", "20. bis 24. Mai"),
    ("from 20 to 24 May", "vom 20. bis 24. Mai"),
    ("See pages 12–15.", "Siehe Seiten 12 bis 15."),
    ("See pages 112–15.", "Siehe Seiten 112–115."),
    ("from 1998-99", "von 1998–1999"),
    ("the 2014/15 season", "die Saison 2014/2015"),
    ("It costs $3 to $5 million.", "Es kostet 3 bis 5 Millionen US-Dollar."),
    ("It costs $3 million to $5 million.", "Es kostet 3 bis 5 Millionen US-Dollar."),
    ("It costs $13m–$15m.", "Es kostet 13 bis 15 Millionen Dollar."),
    ("from 9 to 5 p.m.", "von 9 bis 17 Uhr"),
    ("from 9:30 to 5 p.m.", "von 9.30 bis 17 Uhr"),
    ("from 2 to 4 p.m.", "von 14 bis 16 Uhr"),
    ("1:30–2:45 p.m.", "13:30–14:45 Uhr"),
    ("from 10 to 11:30 p.m.", "von 22 bis 23:30 Uhr"),
    ("9am-5pm", "9.00–17.00 Uhr"),
    ("8–12 and 1–5 p.m.", "8–12 und 13–17 Uhr"),
    ("from noon to 3 p.m.", "von 12 bis 15 Uhr"),
    ("from midnight to 6 a.m.", "von 0 bis 6 Uhr"),
    ("sections 3.1 to 3.4", "Abschnitte 3.1 bis 3.4"),
    ("versions 2.3–2.7", "Versionen 2.3–2.7"),
    ("1.5 to 2.5 meters", "1,5 bis 2,5 Meter"),
    ("the 3rd to the 15th floor", "das 3. bis 15. Stockwerk"),
]
BOTH_WAYS = [("en", "de", english, german) for english, german in RANGES] + [
    ("de", "en", german, english) for english, german in RANGES
]


@pytest.mark.parametrize(("language", "other", "source", "target"), BOTH_WAYS)
def test_range_has_no_finding_and_its_required_numbers_are_met(language: str, other: str, source: str, target: str):
    assert not any(differences(source, target, language, other).values())
    for required in required_quantities(source, language, other):
        assert any(occurrences(target, form) for form in required.forms), required


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("du 4 août au 22 août 2025", "from August 4 to 22, 2025"),
        ("del 4 al 22 de agosto", "from August 4 to August 22"),
        ("de 3 à 5 millions d’euros", "€3 million to €5 million"),
        ("de 14 h à 16 h 30", "from 2 to 4:30 p.m."),
    ],
)
def test_ranges_of_other_languages_have_no_finding(source: str, target: str):
    language = "es" if "del" in source else "fr"
    assert not any(differences(source, target, language, "en").values())
    assert not any(differences(target, source, "en", language).values())


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("from August 4 to 22", "vom 4. bis 23. August"),
        ("from August 4 to 22", "vom 4. bis 22. September"),
        ("between 3 and 5 million", "zwischen 3 und 5 Milliarden"),
        ("from 9 to 5 p.m.", "von 9 bis 18 Uhr"),
        ("pages 112–15", "Seiten 112–114"),
        ("It is 3.1 to 3.4 km away.", "Es ist 3.1 bis 3.4 km entfernt."),
    ],
)
def test_wrong_end_of_a_range_is_found(source: str, target: str):
    assert any(differences(source, target, "en", "de").values())


def test_number_in_front_of_an_unrelated_amount_keeps_its_value():
    year = required_quantities("In 2010 and 3 million years ago", "en", "de")[0]
    assert year.forms[0] == "2010"
