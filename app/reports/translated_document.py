"""The translated document as a file, with a note about open segments and problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.formats.base import Comment
from app.formats.documents import Document, Export
from app.i18n import Message, joined
from app.segments.state import Review, SegmentState
from app.text.encoding import shortened_list
from app.text.nontranslatables import placeholder_problem


def translated_document(
    document: Document,
    segments: Iterable[SegmentState],
    language: str | None = None,
    *,
    proposals: Mapping[int, str] | None = None,
    only_confirmed: bool = False,
    comments_by: Mapping[int, Comment] | None = None,
) -> Export:
    """The document with the texts of the translator.

    The note counts segments that are not confirmed or not translated, placeholders that differ, and comments that the
    format cannot store. Segments that are neither edited nor confirmed get their text in `proposals`, as a draft, else
    the text of the file; locked ones keep the text that they have. `only_confirmed` exports only confirmed segments.
    `comments_by` has the authors and times of comments; without it, a format that has comments on request is written
    without comments.
    """
    texts: dict[int, str] = {}
    drafts: set[int] = set()
    comments: dict[int, str] = {}
    reviews: dict[int, Review] = {}
    locks: dict[int, bool] = {}
    num_confirmed = num_proposed = num_locked = 0
    for segment in segments:
        if not segment.source:
            continue  # merged into another
        if segment.comment:
            comments[segment.index] = segment.comment
        reviews[segment.index] = segment.review
        locks[segment.index] = segment.lock is not None
        num_locked += segment.lock is not None
        if segment.state == "confirmed":
            num_confirmed += not segment.lock
        elif only_confirmed:
            continue
        else:
            drafts.add(segment.index)
        is_proposed = not segment.lock and (segment.target is None or segment.state == "pretranslated")
        text = segment.text if segment.lock else (proposals or {}).get(segment.index) if is_proposed else segment.target
        if text is not None and text.strip():
            texts[segment.index] = text
            num_proposed += is_proposed
    is_without = bool(comments) and document.format.comments_on_request and comments_by is None
    exported = document.export_file(
        texts,
        language,
        drafts=drafts,
        comments={} if is_without else comments,
        authors=comments_by or {},
        reviews=reviews,
        locks=locks,
    )
    numbers = {index: number for number, index in enumerate(document.order, 1)}
    num_segments = len(numbers)
    notes = [exported.note] if exported.note else []
    num_open = num_segments - num_locked - num_confirmed
    if num_open:
        notes.append(
            Message(
                "Segments that are not confirmed: {count:,} of {total:,}.",
                count=num_open,
                total=num_segments - num_locked,
            )
        )
    if num_proposed:
        notes.append(Message("Proposals that nobody has edited or confirmed: {count:,}.", count=num_proposed))
    if len(texts) < num_segments:
        num_lacking = num_segments - len(texts)
        notes.append(
            Message("Segments without a translation: {count:,}.", count=num_lacking)
            if document.format.is_paired
            else Message("Segments in the source language: {count:,}.", count=num_lacking)
        )
    places = {segment.index: segment for segment in document.segments}
    differing = [
        str(numbers[index])
        for index, text in texts.items()
        if placeholder_problem(places[index].source, text, places[index].placeholders)
    ]
    if differing:
        notes.append(
            Message("Placeholders differ from the source in segment {segments}.", segments=shortened_list(differing))
        )
    if comments and (is_without or not document.format.takes_comments):
        with_comment = shortened_list(str(numbers[index]) for index in comments)
        notes.append(
            Message("Comments are only in the document with comments (segment {segments}).", segments=with_comment)
            if is_without
            else Message("This file format cannot store comments (segment {segments}).", segments=with_comment)
        )
    return Export(exported.name, exported.data, joined(" ", notes) or None)


def draft_name(name: str) -> str:
    """The name of a file with proposals: "manual.de.txt" becomes "manual.de.draft.txt".

    >>> draft_name("manual.de.txt")
    'manual.de.draft.txt'
    """
    stem, dot, ending = name.rpartition(".")
    return f"{stem}.draft.{ending}" if dot and stem else f"{name}.draft"


def proposals_of(segments: Iterable[SegmentState]) -> dict[int, str]:
    """The proposals of the model or the memory in segments that are neither edited nor confirmed, by segment."""
    return {
        segment.index: segment.text
        for segment in segments
        if segment.state in ("new", "pretranslated") and segment.text is not None
    }
