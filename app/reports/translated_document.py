"""The translated document, to be taken away, and what a person should know of it.

Writes nothing to the log. Knows nothing of the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.formats import format_by_key
from app.formats.documents import Document, Export
from app.i18n import Message, joined
from app.log.records import SavedSegment
from app.segments.state import SegmentState
from app.text.encoding import shortened_list
from app.text.nontranslatables import placeholder_problem


def translated_document(
    document: Document,
    segments: Iterable[SavedSegment],
    language: str | None = None,
    *,
    proposals: Mapping[int, str] | None = None,
    only_confirmed: bool = False,
) -> Export:
    """The document with the translator's texts; the note says what is not confirmed, not translated, or lacks tags,
    and where comments have no place in the file.

    Where the translator has confirmed or edited nothing yet, the text of `proposals` stands, as a draft, else what the
    file has there. `only_confirmed` leaves out everything else.
    """
    texts: dict[int, str] = {}
    drafts: set[int] = set()
    comments: dict[int, str] = {}
    num_confirmed = num_proposed = 0
    for segment in segments:
        if not segment.source:
            continue  # joined to another
        if comment := segment.constraints.get("comment"):
            comments[segment.index] = comment
        if segment.state == "confirmed":
            num_confirmed += 1
        elif only_confirmed:
            continue
        else:
            drafts.add(segment.index)
        is_proposed = segment.target is None or segment.state == "pretranslated"
        text = (proposals or {}).get(segment.index) if is_proposed else segment.target
        if text is not None and text.strip():
            texts[segment.index] = text
            num_proposed += is_proposed
    exported = document.export_file(texts, language, drafts=drafts, comments=comments)
    is_paired = format_by_key(document.format).is_paired
    numbers = {index: number for number, index in enumerate(document.order, 1)}
    num_segments = len(numbers)
    notes = [exported.note] if exported.note else []
    if num_confirmed < num_segments:
        notes.append(
            Message(
                "{count:,} of {total:,} segments are not confirmed.",
                count=num_segments - num_confirmed,
                total=num_segments,
            )
        )
    if num_proposed:
        notes.append(Message("{count:,} are proposals that nobody has edited or confirmed.", count=num_proposed))
    if len(texts) < num_segments:
        num_lacking = num_segments - len(texts)
        notes.append(
            Message("{count:,} have no translation.", count=num_lacking)
            if is_paired
            else Message("{count:,} stand in the source language.", count=num_lacking)
        )
    sources = {segment.index: segment.source for segment in document.segments}
    differing = [str(numbers[index]) for index, text in texts.items() if placeholder_problem(sources[index], text)]
    if differing:
        notes.append(
            Message("Placeholders differ from the source in segment {segments}.", segments=shortened_list(differing))
        )
    if comments and not format_by_key(document.format).takes_comments:
        said = shortened_list(str(numbers[index]) for index in comments)
        notes.append(Message("Files of this kind have no place for comments (segment {segments}).", segments=said))
    return Export(exported.name, exported.data, joined(" ", notes) or None)


def proposals_of(segments: Iterable[SegmentState]) -> dict[int, str]:
    """What stands in the segments that nobody has edited or confirmed, by segment: of the model or the memory."""
    return {
        segment.index: segment.text
        for segment in segments
        if segment.state in ("new", "pretranslated") and segment.text is not None
    }
