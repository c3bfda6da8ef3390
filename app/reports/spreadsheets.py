"""The figures of a session as tables: CSV with a row for each segment, and an Excel workbook with all figures.

Text of a document never becomes a formula, neither when the file is opened nor when a cell is edited later.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from app.access.actor import Actor
from app.collector import collector_paused
from app.formats.documents import Export
from app.log.records import KEY_CLASSES, Event, SessionRecord, storable
from app.log.store import LogStore
from app.models.style import Style, chosen_style
from app.reports.edit_effort import MAX_WORDS_WITH_SHIFTS, SIGNATURES
from app.reports.jsonl import export_name
from app.reports.repetitions import Repetitions, repetitions_of
from app.reports.statistics import SegmentStatistics, SessionStatistics, session_statistics
from app.reports.word_origins import ORIGINS
from app.text.encoding import escape_formula
from app.text.words import counting_unit
from app.text.workbook import Cell, Sheet, workbook

CSV_COLUMNS: Final = (
    "segment", "state", "source", "machine_translation", "started_from", "final_text", "source_words",
    "first_opened", "last_changed", "seconds_gross", "seconds_net", *(f"keys_{name}" for name in KEY_CLASSES),
    "edits", "pins", "bans", "decodes", "hypotheses_taken", "reopened",
    "hter", "edited_words", "final_words", "chrf", "edit_distance", "unchanged",
    *(f"words_{name}" for name in ORIGINS), "terms", "terms_met", "comment",
)  # fmt: skip


@collector_paused()
def session_csv(actor: Actor, store: LogStore, session_id: int) -> Export:
    """One CSV row for each segment: texts, state, times, effort and counts.

    UTF-8 with a byte order mark, so that spreadsheets recognize the encoding. An apostrophe is put before cells that
    look like formulas; the JSON lines export has the unchanged text.
    """
    session = store.load_session(actor, session_id)
    figures = statistics_of(store, session)
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(CSV_COLUMNS)
    for row in _rows(session, figures):
        writer.writerow([escape_formula(cell) if isinstance(cell, str) else cell for cell in row])
    return Export(export_name(session, "log.csv"), table.getvalue().encode("utf-8-sig"))


@collector_paused()
def session_workbook(actor: Actor, store: LogStore, session_id: int) -> Export:
    """An Excel workbook with three sheets: totals and how they are computed, segments, and constraint prices."""
    session, events = store.load_session(actor, session_id), tuple(store.events(session_id))
    figures = session_statistics(session.document.segments, events)
    style, models = chosen_style(store, session_id), _models(events)
    sums = _sums(session, figures, style, models, repetitions_of(store, session))
    prices = ((n, p.kind, p.text, p.price) for n, s in enumerate(figures.segments, 1) for p in s.prices)
    sheets = [
        Sheet("Report", sums, ("figure", "value"), (34, 60)),
        Sheet("Segments", _rows(session, figures), CSV_COLUMNS, (9, 13, 50, 50, 13, 50)),
        Sheet("Constraints", prices, ("segment", "kind", "text", "price"), (9, 9, 40, 12)),
    ]
    return Export(export_name(session, "report.xlsx"), workbook(sheets))


def statistics_of(store: LogStore, session: SessionRecord) -> SessionStatistics:
    """The current figures of a session."""
    return session_statistics(session.document.segments, store.events(session.id))


def _rows(session: SessionRecord, figures: SessionStatistics) -> Iterator[list[Cell]]:
    comments = {segment.index: str(segment.constraints.get("comment", "")) for segment in session.segments}
    for number, segment in enumerate(figures.segments, 1):
        yield [*_row(number, segment), storable(comments.get(segment.index, ""))]


def _row(number: int, segment: SegmentStatistics) -> list[Cell]:
    effort, origins = segment.effort, segment.origins
    return [
        number,
        segment.state,
        segment.source,
        storable(segment.first_proposal or ""),
        segment.started_from,
        storable(segment.final_text or ""),
        segment.num_source_words,
        _iso(segment.first_opened_ms),
        _iso(segment.last_changed_ms),
        round(segment.gross_ms / 1000, 1),
        round(segment.net_ms / 1000, 1),
        *(segment.keys.get(name, 0) for name in KEY_CLASSES),
        segment.num_edits,
        segment.num_pins,
        segment.num_bans,
        segment.num_decodes,
        segment.num_taken,
        segment.num_reopened,
        *((round(effort.hter, 4), effort.num_edits, effort.num_words) if effort else ("", "", "")),
        *((round(effort.chrf, 2), effort.edit_distance) if effort else ("", "")),
        int(segment.is_unchanged),
        *(origins.get(name, 0) for name in ORIGINS),
        segment.num_terms,
        segment.num_terms_met,
    ]


def _models(events: Iterable[Event]) -> list[str]:
    """The names and checksums of the models used in a session, each once."""
    chosen = (event.payload for event in events if event.type == "model")
    return list(dict.fromkeys(f"{model['name']} ({model['model']})" for model in chosen))


def _sums(
    session: SessionRecord,
    figures: SessionStatistics,
    style: Style,
    models: Sequence[str],
    repetitions: Repetitions,
) -> list[tuple[str, Cell]]:
    idle_s = figures.idle_limit_ms // 1000
    source_language, _, target_language = session.direction.partition("-")
    unit, target_unit = counting_unit(source_language), counting_unit(target_language)
    return [
        ("document", session.document.name),
        ("direction", session.direction),
        ("begun (UTC)", _iso(session.created_ms)),
        ("last worked on (UTC)", _iso(session.last_ms)),
        ("segments", len(figures.segments)),
        ("segments confirmed", figures.num_confirmed),
        (f"source {unit}", figures.num_words),
        (f"source {unit} confirmed", figures.num_words_confirmed),
        ("repetitions in the document, segments", repetitions.num_inside),
        (f"repetitions in the document, {unit}", repetitions.num_words_inside),
        ("also in other documents of the project, segments", repetitions.num_elsewhere),
        (f"also in other documents of the project, {unit}", repetitions.num_words_elsewhere),
        ("gross time, s", round(figures.gross_ms / 1000)),
        (f"net time, s, without pauses over {idle_s} s", round(figures.net_ms / 1000)),
        (f"source {unit} per hour of net time", figures.words_per_hour and round(figures.words_per_hour)),
        ("median net time per confirmed segment, s", figures.median_ms and figures.median_ms / 1000),
        ("segments post-edited from the model's proposal", figures.num_compared),
        ("of these, confirmed unchanged", figures.num_unchanged),
        ("HTER", figures.hter),
        ("chrF, mean", figures.chrf),
        ("pins", figures.num_pins),
        ("bans", figures.num_bans),
        ("terms asked for", figures.num_terms),
        ("terms met", figures.num_terms_met),
        *((f"keys: {name}", figures.keys.get(name, 0)) for name in KEY_CLASSES),
        *((f"confirmed {target_unit}: {name}", count) for name, count in sorted(figures.origins.items())),
        (
            "HTER and chrF compare",
            "the first proposal that was seen with the confirmed text, not where the text started "
            "from the memory's or the file's own translation",
        ),
        ("in the other sheets, words are", f"{unit} of the source, {target_unit} of the translation"),
        ("measures", "; ".join(SIGNATURES)),
        ("longer texts", f"edits without shifts where a text has more than {MAX_WORDS_WITH_SHIFTS} words"),
        ("models (checksum)", "; ".join(models)),
        ("versions", ", ".join(f"{name} {version}" for name, version in session.versions.items())),
        ("formality chosen", style.formality or ""),
        ("domain chosen", style.domain or ""),
    ]


def _iso(wall_ms: int | None) -> str:
    """ISO 8601 in UTC with seconds; empty for None."""
    return "" if wall_ms is None else datetime.fromtimestamp(wall_ms / 1000, UTC).isoformat(timespec="seconds")
