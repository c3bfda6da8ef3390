"""The report and the replay of a session for the page: plain values, ready for JSON."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from app.access.actor import Actor
from app.collector import collector_paused
from app.log.store import LogStore
from app.reports.repetitions import repetitions_of
from app.reports.replay import replay_steps
from app.reports.spreadsheets import statistics_of
from app.reports.word_origins import ORIGINS
from app.text.words import counting_unit

MAX_PRICES = 200


@collector_paused()
def report_view(actor: Actor, store: LogStore, session_id: int) -> dict[str, Any]:
    """The totals, the figures of each segment, and the most expensive pins, terms and bans."""
    session = store.load_session(actor, session_id)
    figures = statistics_of(store, session)
    numbered = list(enumerate(figures.segments, 1))  # numbered as in the list, after splits and merges
    coverage = session.document.coverage
    repetitions = repetitions_of(store, session)
    prices = [(p.price, p.kind, p.text, s.index, n) for n, s in numbered for p in s.prices if p.price is not None]
    return {
        "name": session.document.name,
        "created_ms": session.created_ms,
        "last_ms": session.last_ms,
        "num_events": session.num_events,
        "idle_limit_ms": figures.idle_limit_ms,
        "num_segments": len(figures.segments),
        "num_confirmed": figures.num_confirmed,
        "unit": counting_unit(session.direction.partition("-")[0]),
        "num_words": figures.num_words,
        "num_words_confirmed": figures.num_words_confirmed,
        "gross_ms": figures.gross_ms,
        "net_ms": figures.net_ms,
        "words_per_hour": figures.words_per_hour,
        "median_ms": figures.median_ms,
        "hter": figures.hter,
        "chrf": figures.chrf,
        "num_compared": figures.num_compared,
        "num_unchanged": figures.num_unchanged,
        "num_pins": figures.num_pins,
        "num_bans": figures.num_bans,
        "num_terms": figures.num_terms,
        "num_terms_met": figures.num_terms_met,
        "coverage": coverage.percent if coverage else None,
        "repetitions": [repetitions.num_inside, repetitions.num_words_inside],
        "repetitions_elsewhere": [repetitions.num_elsewhere, repetitions.num_words_elsewhere],
        "keys": figures.keys,
        "origins": [[name, figures.origins[name]] for name in ORIGINS if figures.origins.get(name)],
        "prices": [list(price) for price in sorted(prices, key=lambda price: -price[0])[:MAX_PRICES]],
        "segments": [
            {
                "index": s.index,
                "number": number,
                "state": s.state,
                "net_ms": s.net_ms,
                "words": s.num_source_words,
                "hter": s.effort.hter if s.effort else None,
                "chrf": s.effort.chrf if s.effort else None,
                "is_unchanged": s.is_unchanged,
                "edits": s.num_edits,
                "pins": s.num_pins,
                "terms": [s.num_terms_met, s.num_terms],
            }
            for number, s in numbered
            if s.first_opened_ms is not None or s.is_confirmed
        ],
    }


def replay_view(actor: Actor, store: LogStore, session_id: int) -> dict[str, Any]:
    """All steps of the session, and the initial text of each segment.

    A segment that was merged into another has the number of that one.
    """
    session = store.load_session(actor, session_id)
    segments = session.document.segments
    starts = [segments[index].start for index in session.document.order]
    return {
        "segments": [
            {"number": bisect_right(starts, s.start), "source": s.source, "text": s.target or ""} for s in segments
        ],
        "moments": [
            [moment.seq, moment.at_ms, moment.type, moment.segment, moment.text, moment.detail]
            for moment in replay_steps(segments, store.events(session_id))
        ],
    }
