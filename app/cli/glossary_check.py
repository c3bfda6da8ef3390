"""The report of `translate --dry-run`: the matches of the glossaries in a document, without translating it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from app.formats.documents import Document
from app.glossary import Term, TermMatcher
from app.glossary.reading.review import misspellings, texts_to_spell
from app.segments.state import SegmentState
from app.segments.term_coverage import DryRun, TermUse, dry_run
from app.text.encoding import shortened_list
from app.text.words import count_words
from engine import AnyTranslator

MAX_LINES = 50


def glossary_report(document: Document, glossary: TermMatcher, translator: AnyTranslator) -> list[str]:
    """The lines of the report, which also covers confirmed translations in the file."""
    segments = (
        SegmentState(s.index, s.source, count_words(s.source), target=s.target, state=s.state)
        for s in document.segments
    )
    run = dry_run(segments, glossary.search, len(glossary))
    found = [use.term for use in run.uses]
    spelt = {text: translator.misspelling(text) for text in texts_to_spell(found)}
    return list(_lines(run, [report.message for report in misspellings(found, spelt)]))


def _lines(run: DryRun, unspellable: Sequence[str]) -> Iterator[str]:
    yield f"Segments that contain a term: {len(run.segments_hit):,} of {run.num_segments:,}"
    yield f"Terms that occur in the document: {len(run.uses):,} of {run.num_terms:,}; not: {run.num_without_hits:,}"
    yield from _part(
        "matches", (f"{use.num_hits:>7,}  {_pair(use.term)}  (segments {_places(use.segments)})" for use in run.uses)
    )
    yield from _part(
        "overridden",
        (
            f"{lost.num_hits:>7,}  {_pair(lost.term)}  by {_pair(lost.by)}, "
            f"{'which has priority for the same words' if lost.is_same_place else 'which is longer'}"
            for lost in run.suppressed
        ),
    )
    unused: list[TermUse] = [use for use in run.uses if use.unused_in]
    yield from _part(
        "not used in confirmed segments",
        (f"{len(use.unused_in):>7,}  {_pair(use.term)}  (segments {_places(use.unused_in)})" for use in unused),
    )
    yield from _part("cannot be written by the model", (f"         {message}" for message in unspellable))


def _part(title: str, lines: Iterable[str]) -> Iterator[str]:
    every = list(lines)
    if every:
        yield f"\n{title}:"
        yield from every[:MAX_LINES]
        if len(every) > MAX_LINES:
            yield f"         … and {len(every) - MAX_LINES:,} more"


def _pair(term: Term) -> str:
    return f"{term.source} → {term.target} [{term.glossary}]"


def _places(indices: Sequence[int]) -> str:
    return shortened_list(str(index + 1) for index in indices)
