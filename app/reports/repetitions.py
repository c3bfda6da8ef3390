"""Repetitions: segments whose source occurs earlier in the document, or in other documents of its project."""

from __future__ import annotations

from dataclasses import dataclass

from app.log.records import SessionRecord
from app.log.session_tables import sources_elsewhere
from app.log.store import LogStore
from app.text.words import count_words


@dataclass(frozen=True, slots=True)
class Repetitions:
    """Segments and words of a document that need no translation of their own.

    "Inside" are second and later occurrences of a source in the document, except other plural forms. "Elsewhere" are
    the first occurrences of sources that other documents of the project contain, too.
    """

    num_inside: int
    num_words_inside: int
    num_elsewhere: int
    num_words_elsewhere: int


def repetitions_of(store: LogStore, session: SessionRecord) -> Repetitions:
    """The repetitions in the document of a session, and in its project and language pair."""
    known = sources_elsewhere(store.connection, session)
    forms = session.document.forms()
    seen: set[tuple[str, str]] = set()
    inside: list[str] = []
    elsewhere: list[str] = []
    for segment in session.segments:
        if not segment.source:
            continue  # merged into another
        same = segment.source, forms.get(segment.index, "")
        if same in seen:
            inside.append(segment.source)
        elif segment.source in known:
            elsewhere.append(segment.source)
        seen.add(same)
    return Repetitions(len(inside), sum(map(count_words, inside)), len(elsewhere), sum(map(count_words, elsewhere)))
