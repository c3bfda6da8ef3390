"""Numbers, placeholders and tags of fuzzy matches: adapted where it is clear how, else left alone."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.checks import findings_in
from app.text.quantities.conventions import value_of
from app.text.quantities.quantity_forms import localized
from app.tm.adaptation import adapted_target, skeleton
from app.tm.entries import MemoryEntry, MemoryScope
from app.tm.index import MemoryIndex
from app.tm.similarity import fold

# Direction, source in the memory, its target, the new source, the new target or None, why.
CASES = [
    ("en-de", "Wait 5 seconds.", "Warten Sie 5 Sekunden.", "Wait 10 seconds.", "Warten Sie 10 Sekunden.", "an integer"),
    ("en-de", "Wait 5 seconds.", "Warten Sie 5 Sekunden.", "Wait 2.5 seconds.", "Warten Sie 2,5 Sekunden.", "decimals"),
    ("en-de", "1,000.5 m high", "1.000,5 m hoch", "12,000.25 m high", "12.000,25 m hoch", "groups and decimals"),
    ("en-fr", "1,000 files", "1\u202f000 fichiers", "20,000 files", "20\u202f000 fichiers", "its own groups"),
    ("de-en", "3,5 GB frei", "3.5 GB free", "10,25 GB frei", "10.25 GB free", "the other way"),
    ("en-de", "Install Python 3.10 now.", "Jetzt Python 3.10 installieren.", "Install Python 3.12 now.",
     "Jetzt Python 3.12 installieren.", "a version stays as it is"),
    ("en-de", "See page 1.", "Siehe Seite 1.", "See page 5.", "Siehe Seite 5.", "nothing is counted"),
    ("en-de", "From 3 to 5 mm", "Von 3 bis 5 mm", "From 5 to 3 mm", "Von 5 bis 3 mm", "two that swap"),
    ("en-de", "On 12/31/2024 at 10:30", "Am 31.12.2024 um 10:30", "On 02/05/2025 at 09:15", "Am 05.02.2025 um 09:15",
     "a date in the order of the target"),
    ("en-de", "On 2024-12-31", "Am 2024-12-31", "On 2025-01-05", "Am 2025-01-05", "an ISO date"),
    ("en-de", "Copy %s to {0}.", "%s nach {0} kopieren.", "Copy %d to {x}.", "%d nach {x} kopieren.", "placeholders"),
    ("en-de", "See https://a.example/x now", "Jetzt https://a.example/x ansehen", "See https://b.example/y now",
     "Jetzt https://b.example/y ansehen", "an address"),
    ("en-de", "Press {1}OK{/1}.", "{1}OK{/1} drücken.", "Press OK.", "OK drücken.", "tags that the source lacks"),
    ("en-de", "Press OK.", "OK drücken.", "{1}Press OK.{/1}", "{1}OK drücken.{/1}", "tags around everything"),
    ("en-de", "A 5GB disk", "Eine 5GB-Platte", "A 7GB disk", "Eine 7GB-Platte", "a unit without a space"),
    ("ja-en", "5ページ", "5 pages", "7ページ", "7 pages", "a source without spaces"),
    ("en-de", "On March 3, 2025", "Am 3. März 2025", "On April 10, 2026", "Am 10. April 2026", "a month by name"),
    ("en-de", "March 3 to May 4", "3. März bis 4. Mai", "May 5 to July 6", "5. Mai bis 6. Juli", "two months"),
    ("de-en", "Am 1. März 2025", "On March 1, 2025", "Am 4. Mai 2026", "On May 4, 2026", "the other way"),
    ("de-en", "Am 1. März", "On 1 March", "Am 4. Mai", "On 4 May", "a day before the month is not counted"),
    ("en-de", "At 3:00 p.m.", "Um 15:00 Uhr", "At 4:30 a.m.", "Um 4:30 Uhr", "a clock of 24 hours"),
    ("en-de", "At 9:00 am", "Um 09.00 Uhr", "At 8:15 am", "Um 08.15 Uhr", "its own zeros and marks"),
    ("en-de", "At 3 PM", "Um 15 Uhr", "At 12:30 AM", "Um 0:30 Uhr", "minutes that the target lacks"),
    ("de-en", "Ab 15:00 Uhr", "From 3:00 p.m.", "Ab 9:30 Uhr", "From 9:30 a.m.", "a clock of 12 hours"),
    ("de-en", "Ab 15 Uhr", "From 3 PM", "Ab 0 Uhr", "From 12 AM", "midnight"),
    ("en-de", "At 3:00 p.m.", "Um 3:00 Uhr nachmittags", "At 4:00 p.m.", "Um 4:00 Uhr nachmittags", "only numbers"),

    ("en-de", "5 of 5", "5 von 5", "5 of 6", None, "the same number twice, and only one changes"),
    ("en-de", "Wait 5 seconds.", "Warten Sie fünf Sekunden.", "Wait 6 seconds.", None, "the target has a word"),
    ("en-de", "Wait 5 s, 5 s", "Warten Sie 5 s", "Wait 6 s, 6 s", None, "the target has it once"),
    ("en-de", "Wait 5 seconds.", "Warten Sie 5 Sekunden (5 s).", "Wait 6 seconds.", None, "the target has it twice"),
    ("en-de", "Wait 5 seconds.", "Warten Sie 5 Sekunden.", "Wait 6 minutes.", None, "a word differs, too"),
    ("en-de", "Wait 5 seconds.", "Warten Sie 5 Sekunden.", "wait 6 seconds.", None, "a capital differs, too"),
    ("de-en", "1 Fenster offen", "1 window open", "2 Fenster offen", None, "one needs another form"),
    ("en-cs", "5 sheep", "5 ovcí", "3 sheep", None, "three needs another form in Czech"),
    ("en-xx", "5 sheep", "5 a", "6 sheep", None, "a language whose forms are not known"),
    ("en-de", "In 1.5 s", "In 1,5 s", "In 10:30 s", None, "a time for a number"),
    ("en-de", "Text (Firefox 16)", "Text (Firefox 16)", "Text (Firefox 2.0)", None, "perhaps a version"),
    ("en-de", "Install 2.0.1 now", "2.0.1 installieren", "Install 1,000 now", None, "a version to a number"),
    ("en-de", "Open 3.0 now", "3,0 und 3.0 öffnen", "Open 4.0 now", None, "either could be meant"),
    ("en-de", "At 3:00 p.m.", "Um 15:00", "At 4:00 p.m.", None, "perhaps not a time of day"),
    ("en-de", "At 3 p.m.", "Um 15 Uhr (15 Uhr)", "At 4 p.m.", None, "the target has the time twice"),
    ("en-de", "On March 3", "Am 3. 3.", "On May 4", None, "the target has a number for the month"),
    ("en-de", "In March", "Im März", "In May", None, "a month without a number"),
    ("en-de", "On March 3", "Am 3. März", "On Monday 3", None, "a day for a month"),
    ("en-fr", "On March 3", "Le 3 mars", "On May 3", None, "a language without names here"),
    ("de-en", "Um 15 Uhr", "At 3 p.m.", "Um 30 Uhr", None, "not a time of day"),
    ("en-de", "On 05/06/2024", "Am 6.5.2024", "On 12/2024", None, "a date without a day"),
    ("de-en", "Ein 16-Bit-Wert", "A 16-bit value", "Ein 8-Bit-Wert", None, "an 8, a 16"),
    ("de-en", "Der 1. Schritt", "The 1st step", "Der 2. Schritt", None, "1st, 2nd"),
    ("it-fr", "8 maggio", "l’8 mai", "9 maggio", None, "an elision"),
    ("en-de", "Press {1}OK{/1}.", "OK drücken.", "Press OK.", None, "tags that the target lacks, too"),
    ("en-de", "Press OK now.", "Jetzt OK drücken.", "Press {1}OK{/1} now.", None, "which words in the target?"),
]  # fmt: skip


@pytest.mark.parametrize(("direction", "source", "target", "new", "expected", "why"), CASES)
def test_match_is_adapted_only_where_it_is_clear_how(
    direction: str, source: str, target: str, new: str, expected: str | None, why: str
):
    languages = tuple(direction.split("-"))
    assert adapted_target(new, source, target, languages) == expected, why  # type: ignore[arg-type]


NUMBERS = st.one_of(
    st.integers(0, 30).map(str),
    st.integers(1000, 9_999_999).map("{:,}".format),
    st.decimals(0, 99, places=1).map("{:,}".format),
    st.sampled_from(["2.0.1", "10:30", "12/31/2024", "2024-12-31", "1.234", "007"]),
)
PIECES = st.sampled_from(["Wait ", " s, then ", " files and ", "%s: ", " (", ") ", "page ", "{1}", "."])


@given(st.lists(st.tuples(PIECES, NUMBERS, NUMBERS), min_size=1, max_size=4), st.sampled_from(["de", "fr", "en"]))
def test_adapted_match_has_the_numbers_of_the_new_source_and_nothing_else_changes(
    parts: list[tuple[str, str, str]], language: str
):
    def text(place: int) -> str:
        return "".join(piece + numbers[place] for piece, *numbers in parts) + " end."

    def translated(place: int) -> str:
        """The text with all numbers as the other language writes them: its translation into capitals."""
        return "".join(
            piece.upper().replace("%S", "%s") + (localized(numbers[place], "en", language) or numbers[place])
            for piece, *numbers in parts
        ) + " END."  # fmt: skip

    old, new = text(0), text(1)
    adapted = adapted_target(new, old, translated(0), ("en", language))
    assert adapted_target(old, old, translated(0), ("en", language)) == translated(0)
    if adapted is None:
        return
    assert skeleton(fold(old)) == skeleton(fold(new))
    numbers = [finding for finding in findings_in(new, adapted, f"en-{language}") if finding.check == "numbers"]
    before = [finding for finding in findings_in(old, translated(0), f"en-{language}") if finding.check == "numbers"]
    assume(not before)
    assert not numbers
    assert skeleton(adapted) == skeleton(translated(0))


@given(st.integers(2, 10**9), st.integers(2, 10**9), st.sampled_from(["de", "fr", "es", "it", "en", "sv"]))
def test_a_counted_number_is_adapted_as_the_target_language_writes_it(old: int, new: int, language: str):
    memory = f"{localized(f'{old:,}', 'en', language)} Wörter"
    expected = f"{localized(f'{new:,}', 'en', language)} Wörter"
    assert adapted_target(f"{new:,} words", f"{old:,} words", memory, ("en", language)) == expected
    assert value_of(expected.removesuffix(" Wörter"), language) == new


@given(st.text("05.,:%s{}/ a", max_size=12), st.text("05.,:%s{}/ a", max_size=12), st.text("05.,:%s{}/ a", max_size=12))
def test_any_texts_are_adapted_or_left_alone(source: str, memory_source: str, target: str):
    adapted_target(source, memory_source, target, ("en", "de"))


def test_lookup_offers_the_adapted_target_at_99_percent_less_penalties_also_for_short_texts():
    index = MemoryIndex(("en", "de"))
    for number, page in enumerate(("5", "6", "700")):
        index.add(number, MemoryEntry(f"Page {page}", f"Seite {page}", changed_ms=number, project=number))
    index.add("word", MemoryEntry("Page five", "Seite fünf"))
    (best, *others) = index.matches("Page 1,234,567", scope=MemoryScope(2, other_penalty=5))
    assert (best.rate, best.entry.source, best.entry.target, best.original) == (
        99, "Page 700", "Seite 1.234.567", "Seite 700",
    )  # fmt: skip
    assert others == [], "the same translation once"
    assert index.matches("Page 5")[0].rate == 100
    assert index.matches("Page 5")[0].original == ""
    other = index.matches("Page 8", scope=MemoryScope(7, is_only=False, other_penalty=5))
    assert [match.rate for match in other] == [99], "the entry that belongs to all projects"
    assert index.exact("Page 8") == []
    index.add("date", MemoryEntry("Due: May 1, 3 PM", "Fällig: 1. Mai, 15 Uhr"))
    (best, *_) = index.matches("Due: March 12, 9 AM")
    assert (best.rate, best.entry.target) == (99, "Fällig: 12. März, 9 Uhr")
