"""The analysis of documents before work, by the translation memory as it is now, and its files."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Final

from app.access.actor import Actor
from app.errors import CommandError
from app.formats.documents import Export
from app.log.records import SavedSegment, SessionRecord
from app.log.store import LogStore
from app.people_store import PeopleStore
from app.projects import Projects
from app.reports.analysis import BANDS, MIN_RATE, Analysis, RateCard, analysis_csv, analysis_of, analysis_workbook
from app.segments.state import Json
from app.tm.library import MemoryLibrary
from app.tm.storage import segment_key

MAX_KEPT: Final = 4  # analyses of a person, for their files
MAX_ANALYSED: Final = 20_000  # segments: 20 seconds with a memory of 20,000 entries


class Analyses:
    """Analyses documents. Safe from several threads."""

    def __init__(self, store: LogStore, library: MemoryLibrary, projects: Projects) -> None:
        self._store = store
        self._library = library
        self._projects = projects
        self._kept = PeopleStore[Analysis](MAX_KEPT, 1000)

    def make(self, actor: Actor, session_ids: Sequence[int]) -> Json:
        """The analysis of the documents of these sessions, in this order, and the key of its files."""
        sessions = [self._store.load_session(actor, number) for number in dict.fromkeys(session_ids)]
        if sum(len(session.segments) for session in sessions) > MAX_ANALYSED:
            raise CommandError(
                "These documents have more than {limit:,} segments: analyse fewer of them at once.", limit=MAX_ANALYSED
            )
        scopes = {
            number: replace(self._library.scope(self._projects.get(actor, number)), min_rate=MIN_RATE)
            for number in {session.project_id for session in sessions}
        }

        def best_rate(session: SessionRecord, segment: SavedSegment) -> int:
            index, own = self._library.index(session.direction), segment_key(session.id, segment.index)
            found = index.matches(segment.source, besides=own, scope=scopes[session.project_id], count=1)
            return found[0].rate if found else 0

        analysis = analysis_of(sessions, best_rate)
        key = secrets.token_urlsafe(12)
        self._kept.put(actor.name, key, analysis, 1)
        rows = [
            {"session": one.session_id, "name": one.name, "counts": {band: asdict(one.counts[band]) for band in BANDS}}
            for one in analysis.documents
        ]
        return {"key": key, "unit": analysis.unit, "documents": rows}

    def workbook(self, actor: Actor, key: str, percents: Sequence[float], price: float) -> Export:
        """An analysis that `make` made as an Excel workbook; `percents` are the rates of `BANDS`, in their order."""
        if len(percents) != len(BANDS) or not all(0 <= number <= 1000 for number in percents) or not 0 <= price < 1e6:
            raise CommandError("A rate is a percentage from 0 to 1000, and a price is not negative.")
        return analysis_workbook(self._get(actor, key), RateCard(dict(zip(BANDS, percents, strict=True)), price))

    def csv(self, actor: Actor, key: str) -> Export:
        """An analysis that `make` made as the CSV log of Trados."""
        return analysis_csv(self._get(actor, key))

    def _get(self, actor: Actor, key: str) -> Analysis:
        if (kept := self._kept.get(actor.name, key)) is None:
            raise CommandError("This analysis is no longer in memory: make it again.")
        return kept
