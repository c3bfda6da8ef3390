"""The glossary dry run compared with simple counting: hits, suppressed terms and missing targets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.glossary import Term, term_matcher
from app.segments.segment_constraints import Constraints
from app.segments.state import SegmentState
from app.segments.term_coverage import dry_run


def segment(index: int, source: str, **fields: object) -> SegmentState:
    return SegmentState(index, source, len(source.split()), **fields)  # type: ignore[arg-type]


words = st.sampled_from(["a", "b", "c"])
texts = st.lists(words, min_size=1, max_size=6).map(" ".join)


@given(st.lists(texts, max_size=4), st.lists(st.lists(words, min_size=1, max_size=2), max_size=4, unique_by=tuple))
def test_every_match_is_a_hit_or_suppressed_by_an_overlapping_one(sources: list[str], terms: list[list[str]]):
    glossary = term_matcher(tuple(Term(" ".join(term), "X".join(term).upper()) for term in terms))
    run = dry_run([segment(i, source) for i, source in enumerate(sources)], glossary.search, len(glossary))
    found = {use.term.source: use.num_hits for use in run.uses}
    for term in terms:
        places = sum(
            source.split()[at : at + len(term)] == term for source in sources for at in range(len(source.split()))
        )
        lost = sum(entry.num_hits for entry in run.suppressed if entry.term.source == " ".join(term))
        assert found.get(" ".join(term), 0) + lost == places
    assert run.segments_hit == [i for i, source in enumerate(sources) if glossary.find(source)]
    assert run.num_without_hits == len(terms) - len(found)
    assert all(len(entry.by.source) >= len(entry.term.source) for entry in run.suppressed)


def test_confirmed_segments_without_target_or_with_forbidden_term_are_listed():
    glossary = term_matcher(
        (
            Term("file", "Datei", variants=("Akte",), inflections=("Dateien",)),
            Term("folder", "Ordner"),
            Term("folder", "Verzeichnis", status="forbidden"),
        )
    )
    targets = [
        ("The file.", "Die Datei.", "confirmed"),
        ("The file.", "Die Akte.", "confirmed"),
        ("The file.", "Das Ding.", "confirmed"),
        ("The file.", "Das Ding.", "edited"),
        ("The folder.", "Das Verzeichnis.", "confirmed"),
        ("The folder.", "Der Ordner.", "confirmed"),
        ("", "", "confirmed"),
    ]
    segments = [segment(i, source, target=target, state=state) for i, (source, target, state) in enumerate(targets)]
    segments.append(
        segment(
            7,
            "The file.",
            target="Weg.",
            state="confirmed",
            constraints=Constraints(terms_off=frozenset({"file\tDatei"})),
        )
    )
    run = dry_run(segments, glossary.search, len(glossary))
    assert run.num_segments == 7, "what was merged away is none"
    assert {(use.term.target, tuple(use.unused_in)) for use in run.uses} == {
        ("Datei", (2,)),
        ("Ordner", (4,)),
        ("Verzeichnis", (4,)),
    }
