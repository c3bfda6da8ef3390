"""Several translated documents as one archive: the one that they came from, or a new one with their folders."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from app.access.actor import Actor
from app.errors import CommandError, DocumentError
from app.formats.archive import Archive, pack, unique_paths
from app.formats.documents import Document, Export, with_language
from app.log.bundle_tables import Bundle, bundle_of, documents_of_bundle, load_bundle
from app.log.records import SessionSummary
from app.log.store import LogStore
from app.reports.translated_document import draft_name, proposals_of, translated_document
from app.segments.state import SegmentState
from app.segments.stored_state import restore_segment
from app.text.encoding import safe_name

_DEFAULT_NAME: Final = "translated"
DocumentState = tuple[Document, Sequence[SegmentState]]  # with the states of its segments


@dataclass(frozen=True, slots=True)
class Packing:
    """An archive of the documents of these sessions.

    `notes` are the path of each document and what is not finished in it; `num_unchanged` other files of the archive are
    as they were.
    """

    export: Export
    session_ids: tuple[int, ...]
    notes: tuple[tuple[str, str | None], ...]
    num_unchanged: int


def packed_documents(
    actor: Actor,
    store: LogStore,
    session_ids: Sequence[int],
    *,
    with_proposals: bool = False,
    opened: Callable[[int], DocumentState | None] = lambda session_id: None,
) -> Packing:
    """An archive of the translated documents of these sessions.

    `with_proposals` also takes the proposals for segments that are neither edited nor confirmed, as drafts. `opened`
    returns the document of a session if it is open; the others are read from the log.
    If the documents all came from one archive, it is this archive, with them in their places. Raises CommandError
    without a document, and DocumentError, which names the document, if one cannot be exported.
    """
    summaries = {summary.id: summary for summary in store.sessions(actor)}
    chosen = [summaries[session_id] for session_id in dict.fromkeys(session_ids) if session_id in summaries]
    if not chosen:
        raise CommandError("No document is chosen: choose one.")
    made = [_translated(actor, store, summary, opened(summary.id), with_proposals=with_proposals) for summary in chosen]
    bundle = _common_bundle(store, chosen, summaries.keys())
    languages = {summary.direction.partition("-")[2] for summary in chosen}
    language = languages.pop() if len(languages) == 1 else None
    num_unchanged = 0
    if bundle is not None and bundle.data:
        archive = Archive(bundle.data, bundle.name)
        entries = {one.session_id: one.entry for one in documents_of_bundle(store.connection, bundle.id)}
        new = {
            entry: export.data
            for summary, export in zip(chosen, made, strict=True)
            if (entry := entries[summary.id]) is not None
        }
        num_unchanged = len(archive.members) - len(new)
        data, name = archive.with_translations(new), archive.return_name or with_language(bundle.name, language)
    else:
        folders = [summary.path.rpartition("/")[0] for summary in chosen]
        paths = [f"{folder}/{one.name}" if folder else one.name for folder, one in zip(folders, made, strict=True)]
        data = pack(dict(zip(unique_paths(paths), (export.data for export in made), strict=True)))
        name = with_language(f"{_name(actor, store, chosen, bundle)}.zip", language)
    notes = tuple((summary.shown_name, export.note) for summary, export in zip(chosen, made, strict=True))
    export = Export(safe_name(draft_name(name) if with_proposals else name, "translated.zip"), data)
    return Packing(export, tuple(summary.id for summary in chosen), notes, num_unchanged)


def opened_together(store: LogStore, session_id: int) -> list[int]:
    """The sessions of all documents that were opened together with the document of this session."""
    bundle_id = bundle_of(store.connection, session_id)
    if bundle_id is None:
        return [session_id]
    return [document.session_id for document in documents_of_bundle(store.connection, bundle_id)]


def _common_bundle(store: LogStore, chosen: Sequence[SessionSummary], seen: Collection[int]) -> Bundle | None:
    """The archive or selection that all the documents came from, or None; also if one of it is not among `seen`."""
    bundle_ids = {bundle_of(store.connection, summary.id) for summary in chosen}
    bundle_id = bundle_ids.pop() if len(bundle_ids) == 1 else None
    if bundle_id is None:
        return None
    places = documents_of_bundle(store.connection, bundle_id)
    return load_bundle(store.connection, bundle_id) if all(one.session_id in seen for one in places) else None


def _name(actor: Actor, store: LogStore, chosen: Sequence[SessionSummary], bundle: Bundle | None) -> str:
    """The name of the folder that the documents came from, or of their project."""
    if bundle is not None and bundle.name:
        return bundle.name
    project_ids = {summary.project_id for summary in chosen}
    project = store.project(actor, project_ids.pop()) if len(project_ids) == 1 else None
    return (project.name if project else "") or _DEFAULT_NAME


def _translated(
    actor: Actor, store: LogStore, summary: SessionSummary, state: DocumentState | None, *, with_proposals: bool
) -> Export:
    if state is None:
        record = store.load_session(actor, summary.id)
        state = record.document, [*map(restore_segment, record.segments)]
    document, segments = state
    proposals = proposals_of(segments) if with_proposals else None
    language = summary.direction.partition("-")[2]
    try:
        return translated_document(document, segments, language, proposals=proposals)
    except DocumentError as problem:
        raise DocumentError("{name}: {problem}", name=summary.shown_name, problem=problem.args[0]) from problem
