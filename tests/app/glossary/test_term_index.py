"""An index changed step by step, compared with a rebuilt index."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from app.glossary import Term
from app.glossary.glossary import Glossary, combined_matcher, differing_terms, term_matcher
from app.glossary.index import term_index
from app.glossary.index.term_index import TermIndex
from app.text.folding import fold_term

WORDS = ("file", "Files", "log", "Log", "fi", "café")
TERMS = st.builds(
    Term,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(" ".join),
    st.sampled_from(("Datei", "Akte")),
    status=st.sampled_from(("preferred", "forbidden", "do_not_translate")),
    case=st.sampled_from(("any", "permissive", "exact")),
    matching=st.sampled_from(("exact", "lemma", "prefix")),
)
CHANGES = st.dictionaries(st.integers(0, 6), st.none() | TERMS, max_size=3)
TEXTS = st.lists(st.sampled_from((*WORDS, "filed", "cafe\u0301s", ",")), max_size=6).map(" ".join)


def after(terms: dict[int, Term], changes: dict[int, Term | None]) -> dict[int, Term]:
    """The terms with the changes, by number."""
    left = {**terms, **changes}
    return {number: left[number] for number in sorted(left) if left[number] is not None}  # type: ignore[misc]


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.integers(0, 4), TERMS, max_size=4), st.lists(CHANGES, max_size=4), TEXTS, st.integers(0, 4))
def test_changed_index_equals_rebuilt_index(
    terms: dict[int, Term], story: list[dict[int, Term | None]], text: str, limit: int
) -> None:
    with patch.object(term_index, "MAX_CHANGED", limit):
        terms = dict(sorted(terms.items()))
        numbered = TermIndex(terms)
        for changes in story:
            earlier, numbered = numbered, numbered.changed(changes)
            terms = after(terms, changes)
            assert earlier.changed(numbered.changes_since(earlier)) == numbered
    assert (dict(numbered), list(numbered), len(numbered)) == (terms, list(terms), len(terms))
    anew = TermIndex(terms)
    assert numbered == anew and numbered == terms
    others = Glossary(2, "other", TermIndex({0: Term("log file", "Protokoll"), 1: Term("log", "x")}))
    for language in ("en", ""):
        found = [
            combined_matcher((Term("fi", "y", is_for_document=True),), glossaries, language).search(text)
            for parts in (numbered, anew)
            for glossaries in [(Glossary(1, "one", parts), others)]
        ]
        assert found[0] == found[1]
    for source in WORDS:
        same = [number for number, term in terms.items() if fold_term(term.source) == fold_term(source)]
        assert numbered.numbers_of(source, "en") == same


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.integers(0, 4), TERMS, max_size=5), CHANGES, TEXTS, st.booleans())
def test_text_without_a_differing_term_has_the_same_matches_in_both_states(
    terms: dict[int, Term], changes: dict[int, Term | None], text: str, is_on: bool
) -> None:
    before = (Glossary(1, "one", TermIndex(terms), is_on), Glossary(2, "two", TermIndex({0: Term("log", "x")})))
    later = (before[0].changed(changes), before[1])
    differing = differing_terms(before, later)
    assert differing is not None
    if not term_matcher(differing, "en").occurs_in(text):
        assert combined_matcher((), before, "en").search(text) == combined_matcher((), later, "en").search(text)


def test_different_order_of_glossaries_makes_every_term_differ() -> None:
    one, two = (Glossary(id_, "x", TermIndex({0: Term("a", "b")})) for id_ in (1, 2))
    assert differing_terms((one, two), (two, one)) is None
    assert differing_terms((one,), (one, two)) is None
    assert differing_terms((one, two), (one, two)) == []
