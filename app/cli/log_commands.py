"""The commands that read or write the log: stats, export, import-log, backup, verify and rescue."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType

from app.access.actor import OWNER
from app.cli.arguments import EXPORT_KINDS, NEWEST
from app.errors import CommandError
from app.formats.documents import Export
from app.glossary.writing import write_glossary
from app.i18n import counted
from app.log.rescue import RescuedText, rescue_log
from app.log.store import LogStore
from app.reports.exports import EXPORTS
from app.reports.jsonl import read_jsonl
from app.reports.packed_documents import opened_together, packed_documents
from app.reports.repetitions import repetitions_of
from app.reports.review_table import REVIEW_TABLES, RowChoice, comments_of
from app.reports.statistics import SessionStatistics, plain, session_statistics
from app.reports.translated_document import proposals_of, translated_document
from app.segments.stored_state import restore_segment
from app.serving.keys import ApiFile
from app.settings import program_name
from app.text.words import counting_unit
from app.text.workbook import csv_table
from app.whole_files import write_whole


def stats(flags: argparse.Namespace) -> int:
    """Prints the statistics of one session, or one line for each session."""
    with log_to_read(flags.log) as store:
        idle_limit_ms = 1000 * flags.idle
        if flags.session is not None:
            number = session_number(store, flags.session)
            figures = _figures(store, number, idle_limit_ms)
            print(_json(store, number, figures) if flags.json else _summary(store, number, figures))
            return 0
        sessions = store.sessions(OWNER)
        if flags.json:
            for summary in sessions:
                which = {"session": summary.id, "document": summary.document_name}
                print(_json(store, summary.id, _figures(store, summary.id, idle_limit_ms), which))
            return 0
        print(f"{'session':>7}  {'confirmed':>11}  {'source':>18}  {'net':>8}  {'HTER':>5}  document")
        for summary in sessions:
            figures = _figures(store, summary.id, idle_limit_ms)
            hter = "" if figures.hter is None else f"{figures.hter:.2f}"
            confirmed = f"{summary.num_confirmed}/{summary.num_segments - summary.num_locked}"
            length = f"{figures.num_words_confirmed:,} {counting_unit(summary.direction.partition('-')[0])}"
            print(
                f"{summary.id:>7}  {confirmed:>11}  {length:>18}  {_clock(figures.net_ms):>8}  "
                f"{hter:>5}  {summary.document_name}"
            )
        return 0


def export(flags: argparse.Namespace) -> int:
    """Writes a session as a file of one of the export kinds."""
    with log_to_read(flags.log) as store:
        number, kind = session_number(store, flags.session), EXPORT_KINDS[flags.kind]
        if flags.with_proposals and kind in EXPORTS:
            raise CommandError("--with-proposals works with the kind “document”, not with “{kind}”", kind=flags.kind)
        if flags.with_comments and kind != "document":
            raise CommandError("--with-comments works with the kind “document”, not with “{kind}”", kind=flags.kind)
        if kind != "glossary" and (flags.tool or flags.named):
            raise CommandError("--as and --named work with the kind “glossary”, not with “{kind}”", kind=flags.kind)
        rows = RowChoice.of(flags.rows, flags.states)
        if rows and kind not in REVIEW_TABLES:
            raise CommandError("--rows and --states work with the kind “review”, not with “{kind}”", kind=flags.kind)
        if kind in REVIEW_TABLES:
            made = REVIEW_TABLES[kind](OWNER, store, number, choice=rows)
        elif kind == "glossary":
            made = _glossary(store, number, flags.tool or "csv", flags.named)
        elif kind in EXPORTS:
            made = EXPORTS[kind](OWNER, store, number)
        elif kind == "zip":
            made = _documents(store, number, flags.with_proposals)
        else:
            made = _document(store, number, flags.with_proposals, flags.with_comments)
    write_export(made, flags.output)
    return 0


def write_export(made: Export, output: Path | None) -> None:
    """Writes an export to `output`, by default to a file of its own name, and prints the path and the note."""
    path = output or Path(made.name)
    check_output(path)
    write(path, made.data)
    print(path)
    if made.note:
        print(made.note, file=sys.stderr)


def _glossary(store: LogStore, number: int, kind: str, name: str | None) -> Export:
    """One glossary of a session, by its name if there are several. Raises CommandError."""
    session = store.load_session(OWNER, number)
    if not session.glossaries:
        raise CommandError("session {session} does not have a glossary: import one first", session=number)
    found = [glossary for glossary in session.glossaries if name in (None, glossary.name)]
    if len(found) != 1:
        raise CommandError(
            "session {session} has several glossaries “{name}” or none: choose one of {names} with --named",
            session=number,
            name=name or "",
            names=", ".join(glossary.name for glossary in session.glossaries),
        )
    return write_glossary(found[0], kind, session.direction)


def import_log(flags: argparse.Namespace) -> int:
    """Imports an exported session into the log."""
    session, events = read_jsonl(bytes_of(flags.file), str(flags.file))
    with log_to_write(flags.log) as store:
        print(f"Imported as session {store.adopt_session(session, events)} into {store.path}.")
    return 0


def backup(flags: argparse.Namespace) -> int:
    """Copies the log into a new file, and the keys of the HTTP API into a file next to it."""
    keys: Path | None = None
    with closing(LogStore.open_to_read(flags.log, may_be_older=True)) as store:
        try:
            keys = _back_up_keys(flags.log, flags.file)
            num_sessions = store.back_up(flags.file)
        except BaseException:
            if keys is not None:
                keys.unlink()
            raise
    print(f"{flags.file} contains {counted(num_sessions, 'session')} ({flags.file.stat().st_size / 2**20:.1f} MiB).")
    if keys is not None:
        print(f"{keys} contains the keys of the HTTP API.")
    return 0


def _back_up_keys(log: Path, copy: Path) -> Path | None:
    """Copies the keys of a log next to the log's copy; None if it has none. Raises LogError."""
    if not ApiFile.path_beside(log).exists():
        return None
    path = ApiFile.path_beside(copy)
    with closing(ApiFile.beside(log)) as file:
        file.back_up(path)
    return path


def verify(flags: argparse.Namespace) -> int:
    """Prints for each session whether its events are complete and unchanged; 1 if one is not."""
    with log_to_read(flags.log) as store:
        reports = [(summary, store.verify_chain(summary.id)) for summary in store.sessions(OWNER)]
    for summary, report in reports:
        state = f"{counted(report.num_events, 'event')}, complete" if report.is_intact else f"DAMAGED: {report.problem}"
        print(f"session {summary.id}: {state} ({summary.document_name})")
    return 0 if all(report.is_intact for _, report in reports) else 1


def rescue(flags: argparse.Namespace) -> int:
    """Copies the intact parts of a damaged log into a new one; returns 1 if a session is missing there."""
    texts_file = flags.file.with_name(flags.file.name + ".texts.csv")
    check_output(texts_file)
    found = rescue_log(flags.log, flags.file)
    if _back_up_keys(flags.log, flags.file) is not None:
        print("The keys of the HTTP API are copied beside it.")
    print(f"{flags.file} contains {counted(found.num_sessions, 'session')}.")
    print(f"Start with it: {program_name()} --log {flags.file}")
    if not found.texts:
        return 0
    write(texts_file, _table_of(found.texts))
    documents = {text.session_id: text.document or "?" for text in found.texts}
    for session, document in documents.items():
        num = sum(text.session_id == session for text in found.texts)
        print(f"session {session} ({document}) is incomplete: {counted(num, 'segment')} could be read")
    print(f"{texts_file} contains these segments.")
    return 1


def _table_of(texts: Sequence[RescuedText]) -> bytes:
    head = ("session", "document", "segment", "source", "target", "state")
    return csv_table([head, *((t.session_id, t.document, t.segment + 1, t.source, t.target, t.state) for t in texts)])


def check_output(path: Path) -> None:
    """Raises CommandError if the file exists or cannot be written, before any work that would be lost."""
    if path.exists():
        raise CommandError("{path} already exists: remove it, or choose another file with -o", path=path)
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path.parent):
            pass


def write(path: Path, data: bytes) -> None:
    """Writes the file completely or not at all. Raises CommandError if it cannot be written."""
    with explained(path):
        write_whole(path, data)


def bytes_of(path: Path) -> bytes:
    """The content of a file. Raises CommandError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror
        raise CommandError("{path} cannot be read ({reason}): check the path", path=path, reason=reason) from error


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raises an OSError inside as CommandError that names the path."""
    try:
        yield
    except OSError as error:
        raise CommandError(
            "{path} cannot be written ({reason}): choose another folder with -o", path=path, reason=error.strerror
        ) from error


def log_to_read(path: Path) -> closing[LogStore]:
    """The log in this file, read-only."""
    return closing(LogStore.open_to_read(path))


@contextmanager
def log_to_write(path: Path) -> Iterator[LogStore]:
    """The log in this file; prints the notes about it, such as that another one was opened beside a damaged file."""
    with closing(LogStore.open(path)) as store:
        for note in store.notes:
            print(note, file=sys.stderr)
        yield store


def session_number(store: LogStore, name: str) -> int:
    """The number of a session, or of the newest one. Raises CommandError if the log does not contain it."""
    sessions = store.sessions(OWNER)
    if name == NEWEST and sessions:
        return sessions[0].id
    if name.isdecimal() and any(summary.id == int(name) for summary in sessions):
        return int(name)
    raise CommandError(
        "{path} does not contain the session {name!r}; `{command} stats` lists its sessions",
        path=store.path,
        name=name,
        command=program_name(),
    )


def _figures(store: LogStore, number: int, idle_limit_ms: int) -> SessionStatistics:
    return session_statistics(store.load_session(OWNER, number).document.segments, store.events(number), idle_limit_ms)


def _document(store: LogStore, number: int, with_proposals: bool, with_comments: bool) -> Export:
    session = store.load_session(OWNER, number)
    segments = [*map(restore_segment, session.segments)]
    proposals = proposals_of(segments) if with_proposals else None
    comments_by = comments_of(segments, store, number) if with_comments else None
    language = session.direction.partition("-")[2]
    return translated_document(session.document, segments, language, proposals=proposals, comments_by=comments_by)


def _documents(store: LogStore, number: int, with_proposals: bool) -> Export:
    made = packed_documents(OWNER, store, opened_together(store, number), with_proposals=with_proposals)
    notes = [f"{path}: {note}" for path, note in made.notes if note]
    return replace(made.export, note="\n".join(notes) or None)


def _json(
    store: LogStore, number: int, figures: SessionStatistics, which: Mapping[str, object] = MappingProxyType({})
) -> str:
    """The figures of a session and its repetitions; `which` names it."""
    repetitions = asdict(repetitions_of(store, store.load_session(OWNER, number)))
    return json.dumps({**which, **plain(figures), "repetitions": repetitions}, ensure_ascii=False)


def _summary(store: LogStore, number: int, figures: SessionStatistics) -> str:
    session = store.load_session(OWNER, number)
    source_language, _, target_language = session.direction.partition("-")
    unit, target_unit = counting_unit(source_language), counting_unit(target_language)
    rows: list[tuple[str, object]] = [
        ("document", f"{session.document.name}, {session.direction}"),
        ("segments", f"{figures.num_confirmed:,} of {len(figures.segments):,} confirmed"),
        (f"source {unit}", f"{figures.num_words_confirmed:,} of {figures.num_words:,} confirmed"),
        ("net time", f"{_clock(figures.net_ms)}, excluding pauses over {figures.idle_limit_ms // 1000} s"),
        ("gross time", _clock(figures.gross_ms)),
        (f"{unit} per hour", "" if figures.words_per_hour is None else f"{figures.words_per_hour:,.0f}, net"),
        ("median time", "" if figures.median_ms is None else f"{figures.median_ms / 1000:.1f} s per confirmed segment"),
        ("HTER", "" if figures.hter is None else f"{figures.hter:.3f} over {counted(figures.num_compared, 'segment')}"),
        ("chrF", "" if figures.chrf is None else f"{figures.chrf:.1f}, mean"),
        ("unchanged", f"{figures.num_unchanged:,} of {counted(figures.num_compared, 'segment')}"),
        ("pins, bans", f"{figures.num_pins:,}, {figures.num_bans:,}"),
        ("terms met", f"{figures.num_terms_met:,} of {figures.num_terms:,}"),
        ("repetitions", _repetitions(store, number, unit)),
        ("keys", _listed(figures.keys)),
        (f"{target_unit} from", _listed(figures.origins)),
    ]
    return "\n".join(f"{name:<20}{value}" for name, value in rows if value != "")


def _repetitions(store: LogStore, number: int, unit: str) -> str:
    found = repetitions_of(store, store.load_session(OWNER, number))
    words = counted(found.num_words_inside, unit.removesuffix("s"))
    return (
        f"{counted(found.num_inside, 'segment')} ({words}) in the document, "
        f"{found.num_elsewhere:,} ({found.num_words_elsewhere:,}) also in others of the project"
    )


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda item: -item[1]))


def _clock(ms: int) -> str:
    """3,723,000 -> "1:02:03"."""
    minutes, seconds = divmod(round(ms / 1000), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
