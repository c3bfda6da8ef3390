"""Translation memory lookup: compared with a search through all entries; order and diff."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tm.entries import MIN_RATE, MemoryEntry, MemoryScope
from app.tm.index import MemoryIndex
from app.tm.prefill import exact_texts
from app.tm.similarity import fold, plain_text, rate_of_folded, runs_between, stems_of


def rate_of(one: str, other: str) -> int:
    return rate_of_folded(plain_text(one), fold(one), other, fold(other), 0)


def is_candidate(one: str, other: str) -> bool:
    """True if two texts share the stems of half of their words, the condition for comparing them."""
    ours, others = stems_of(fold(one)), stems_of(fold(other))
    return 2 * len(ours & others) >= max(len(ours), len(others))


RATE_CASES = [
    ("Open the file.", "Open the file.", 100, "equal"),
    ("Open  the file.", " Open the\u00a0file. ", 100, "but for how spaces are written"),
    ("Open the file.", "OPEN the file.", 99, "but for capitals"),
    ("Send an e‑mail today.", "Send an e-mail today.", 100, "but for the hyphen"),
    ("Our co\u00adoperation is good.", "Our cooperation is good.", 100, "but for a hidden character"),
    ("“It’s” here.", '"It\'s" here.', 100, "but for quotes"),
    ("The area is 10².", "The area is 102.", 93, "a raised digit is another sign"),
    ("Wait 5 seconds.", "Wait 7 seconds.", 93, "one letter of fifteen"),
    ("abcdefghij", "abcdefghix", 90, "one letter of ten"),
    ("abc", "xyz", 0, "nothing"),
]


@pytest.mark.parametrize(("one", "other", "rate", "why"), RATE_CASES)
def test_rate_is_the_similarity_of_letters(one: str, other: str, rate: int, why: str):
    assert rate_of(one, other) == rate_of(other, one) == rate, why


WORDS = st.lists(
    st.sampled_from(["open", "opens", "the", "file", "files", "Router", "5", "7", "é", "本", "语", "."]), max_size=7
)
TEXTS = st.builds(" ".join, WORDS)


@given(st.lists(TEXTS, max_size=12), TEXTS, st.data())
def test_fuzzy_lookup_equals_comparison_with_every_entry(sources: list[str], query: str, data: st.DataObject):
    index = MemoryIndex()
    for number, source in enumerate(sources):
        index.add(number, MemoryEntry(source, f"t{number}", changed_ms=number))
    gone = data.draw(st.sets(st.integers(0, 12)))
    for number in gone:
        index.remove(number)
    expected = sorted(
        (
            (rate_of(query, source), number)
            for number, source in enumerate(sources)
            if number not in gone and is_candidate(query, source) and rate_of(query, source) >= MIN_RATE
        ),
        reverse=True,
    )
    found = index.matches(query, count=99)
    assert [(match.rate, match.entry.changed_ms) for match in found] == expected
    assert [entry.changed_ms for entry in index.exact(query)] == [number for rate, number in expected if rate == 100]
    assert len(index) == len(sources) - len(gone & set(range(len(sources))))


def test_matches_of_other_projects_get_a_penalty_and_low_matches_are_hidden():
    index = MemoryIndex()
    origins = {"own": (1, False), "other": (2, False), "import": (1, True), "both": (2, True), "all": (0, False)}
    for name, (project, is_imported) in origins.items():
        index.add(name, MemoryEntry("Open the file.", name, project=project, is_imported=is_imported))
        index.add(f"{name} 2", MemoryEntry("Open the files.", f"{name} 2", project=project, is_imported=is_imported))
    scope = MemoryScope(1, min_rate=90, other_penalty=2, import_penalty=3)
    found = {
        match.entry.target: (match.rate, match.penalties)
        for match in index.matches("Open the file.", scope=scope, count=99)
    }
    assert found == {
        "own": (100, (0, 0)), "other": (98, (2, 0)), "import": (97, (0, 3)), "both": (95, (2, 3)), "all": (100, (0, 0)),
        "own 2": (93, (0, 0)), "other 2": (91, (2, 0)), "import 2": (90, (0, 3)), "all 2": (93, (0, 0)),
    }  # fmt: skip
    assert exact_texts(index, "Open the file.", scope) == ["own"]
    assert exact_texts(index, "Open the file.", MemoryScope(5, other_penalty=2)) == ["all"]
    assert set(exact_texts(index, "Open the file.")) == set(origins)


def test_newer_entry_replaces_its_key_and_own_segment_is_skipped():
    index = MemoryIndex()
    index.add("a", MemoryEntry("Open the file.", "alt", changed_ms=1))
    index.add("a", MemoryEntry("Open the file.", "neu", changed_ms=2))
    assert [match.entry.target for match in index.matches("Open the file.")] == ["neu"]
    assert index.matches("Open the file.", besides="a") == []
    index.add("b", MemoryEntry("Open the file.", "neu", changed_ms=3))
    assert [match.entry.changed_ms for match in index.matches("Open the file.")] == [3]  # one pair of texts, once


def test_concordance_searches_both_sides_ignoring_case():
    index = MemoryIndex()
    index.add(1, MemoryEntry("The Router.", "Das Gerät.", changed_ms=1))
    index.add(2, MemoryEntry("The device.", "Der ROUTER.", changed_ms=2))
    index.add(3, MemoryEntry("Other.", "Anderes.", changed_ms=3))
    assert [entry.changed_ms for entry in index.concordance("router")] == [2, 1]
    assert index.concordance("  ") == []


@given(TEXTS, TEXTS)
def test_diff_runs_contain_both_texts(memory: str, wanted: str):
    runs = runs_between(memory, wanted)
    assert "".join(text for kind, text in runs if kind != "i") == memory
    assert "".join(text for kind, text in runs if kind != "d") == wanted
