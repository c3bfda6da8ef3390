"""What a reviewer changed in the review table of a document: compared with the segments.

Nothing is changed here; `Batches.take_review` takes over what the person chooses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.access.actor import Actor
from app.checks import Finding
from app.errors import CommandError
from app.formats.word_table import WordRow, WordTables
from app.i18n import Message
from app.reports.interchange import xml_text
from app.reports.review_table import FILE_MARK, ID_LENGTH, document_id, row_checksum, without_marks
from app.segments.clean_texts import clean_target, one_line
from app.segments.revision import revision_runs
from app.segments.state import Json, SegmentState
from app.text.encoding import shortened_list
from app.workspace.batches import ReviewedSegment, with_comments
from app.workspace.core import WorkspaceCore

_FILE_ID: Final = re.compile(rf"{FILE_MARK}-([0-9a-f]{{16}})-(\d{{1,6}})\b")
_ROW_ID: Final = re.compile(rf"(\d{{1,6}})_([0-9a-f]{{{ID_LENGTH}}})\b")
_NUM_COLUMNS: Final = 5


@dataclass(frozen=True, slots=True)
class ReviewDifference:
    """What the reviewer changed in one segment, which has the `number` on the page.

    `problem` explains why the change needs a look, or with `can_be_taken` False why it cannot be taken over.
    """

    number: int
    reviewed: ReviewedSegment
    problem: str = ""
    can_be_taken: bool = True
    is_tracked: bool = False

    def view(self) -> Json:
        """The difference for the page."""
        one = self.reviewed
        return {
            "segment": one.index,
            "number": self.number,
            "before": one.before,
            "text": one.text,
            "runs": [] if one.text is None else revision_runs(one.before, one.text),
            "comments": list(one.comments),
            "problem": self.problem,
            "can_be_taken": self.can_be_taken,
        }


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """The differences in a review table, in its order, and notes about the whole file."""

    differences: tuple[ReviewDifference, ...]
    notes: tuple[str, ...]


def compare_review(actor: Actor, core: WorkspaceCore, tables: WordTables, name: str) -> ReviewFile:
    """Compares a review table that comes back with the document. Raises CommandError if it is none of it."""
    with core.lock:
        document, direction = core.document, core.direction
        segments, positions = {segment.index: segment for segment in core.in_order()}, dict(core.positions)
        changeable = {segment.index for segment in core.in_order_to_change(actor)}
        held = core.parts.held_by_others(actor)
    marks = _FILE_ID.search(tables.text)
    if marks is None:
        raise CommandError(
            "{name} is not a review table, or the line that begins with {mark} is missing above the table: import the "
            "Word document that “Table for review” in the menu Export has saved.",
            name=name,
            mark=FILE_MARK,
        )
    if marks[1] != document_id(document, direction):
        raise CommandError("{name} is the review table of another document: open that document first.", name=name)
    rows = [(int(found[1]), found[2], row) for row in tables.rows for found in [_row_id(row)] if found]
    present = Counter(index for index, _, row in rows if not row.is_deleted)
    differences = []
    for index, checksum, row in rows:
        segment = segments.get(index)
        found = None if row.is_deleted else _found(segment, index, checksum, row)
        if found is None and row.has_table and not row.is_deleted and segment is not None:
            found = ReviewedSegment(index, segment.target or "", None, [])
        if found is None:
            continue
        problem, can_be_taken = "", False
        if segment is None:
            problem = Message("This segment was merged with another one: correct that one by hand.")
        elif present[index] > 1:
            problem = Message("This row is there several times: delete the others in Word, and import the file again.")
        elif row.has_table:
            problem = Message("A table was inserted into this row: correct the segment by hand.")
        elif len(row.cells) != _NUM_COLUMNS:
            problem = Message("Cells of this row were added or removed: correct the segment by hand.")
        elif found.text is not None and index not in changeable:
            problem = (
                Message("This segment is assigned to {name}: ask them to import the file.", name=held[index])
                if index in held
                else _locked(actor, core)
            )
        else:
            problem, can_be_taken = _problem(core, segment, found, checksum, row)
        number = positions.get(index, index) + 1
        differences.append(ReviewDifference(number, found, problem, can_be_taken, row.is_tracked))
    lost = Counter(without_marks(_cell(row, 1)) for row in tables.rows if not row.is_deleted and not _row_id(row))
    unnumbered = [
        index
        for index in segments
        if index not in present and lost[without_marks(xml_text(segments[index].source))] > 0
    ]
    return ReviewFile(tuple(differences), tuple(_notes(int(marks[2]), present, positions, differences, unnumbered)))


def _locked(actor: Actor, core: WorkspaceCore) -> str:
    """What to do about the text of a locked segment."""
    people = core.store.people
    project = core.store.project_number(core.session_id)
    if people.access(actor).reviews(project):
        return Message("This segment is locked: unlock it, and import the file again.")
    if names := people.reviewers(project):
        return Message("This segment is locked. {names} can unlock it: ask them.", names=shortened_list(names))
    return Message("This segment is locked. A reviewer or manager of the project can unlock it: ask one of them.")


def _row_id(row: WordRow) -> re.Match[str] | None:
    return _ROW_ID.search(_cell(row, 0))


def _cell(row: WordRow, column: int) -> str:
    return row.cells[column] if column < len(row.cells) else ""


def _found(segment: SegmentState | None, index: int, checksum: str, row: WordRow) -> ReviewedSegment | None:
    """What is new in a row; None if nothing is. The segment may not exist any more."""
    source = segment.source if segment else _cell(row, 1)
    text, before = without_marks(one_line(_cell(row, 2))), (segment and segment.target) or ""
    is_edited = all(row_checksum(source, text, is_confirmed=either) != checksum for either in (False, True))
    comments = [*_new_comments(segment.comment if segment else "", row)]
    is_new = is_edited and text not in (before, without_marks(xml_text(before)))
    return ReviewedSegment(index, before, text if is_new else None, comments) if is_new or comments else None


def _new_comments(comment: str, row: WordRow) -> Iterator[str]:
    """The comments that the segment does not have yet, with their authors, and new lines of the last column."""
    known = {line.strip() for line in xml_text(comment).split("\n")}
    for one in row.comments:
        lines = [line.strip() for line in one.text.split("\n")]
        if set(lines) <= known:
            continue
        text = f"{one.author}: {one.text}" if one.author else one.text
        if not {line.strip() for line in text.split("\n")} <= known:
            yield text
    if lines := [line for line in _cell(row, 4).split("\n") if line.strip() and line.strip() not in known]:
        yield "\n".join(lines)


def _problem(
    core: WorkspaceCore, segment: SegmentState, found: ReviewedSegment, checksum: str, row: WordRow
) -> tuple[str, bool]:
    """Why a change needs a look, "" if it does not; and whether it can be taken over."""
    try:
        text = None if found.text is None else clean_target(found.text)
        with_comments(segment.comment, found.comments)
    except CommandError as error:
        return error.args[0], False
    if text is None:
        return "", True
    if not text.strip():
        return Message("The cell of the translation is empty: the segment stays as it is."), False
    is_confirmed = segment.state == "confirmed"
    if row_checksum(segment.source, found.before, is_confirmed=is_confirmed) != checksum:
        if row_checksum(segment.source, found.before, is_confirmed=not is_confirmed) != checksum:
            if without_marks(_cell(row, 1)) != without_marks(xml_text(segment.source)):
                return Message(
                    "The source is another one now: the segment was split or merged. Compare it first."
                ), True
            return Message("The segment has changed since the export: choose it only if this text is better."), True
        if is_confirmed:
            return Message("The segment was confirmed since the export: choose it if this text is better."), True
    if missing := [locked for locked in segment.constraints.locked if locked not in text]:
        return Message("Locked text is missing: {texts}", texts=shortened_list(missing)), True
    if damaged := [*_damaged_tags(core, segment, found.before, text)]:
        why = damaged[0].message
        return Message("{problem}: correct the tags after the import.", problem=why), True
    return "", True


def _damaged_tags(core: WorkspaceCore, segment: SegmentState, before: str, text: str) -> Iterable[Finding]:
    """The errors in tags and placeholders that the text before does not have."""
    old = core.findings(segment, before)
    return (f for f in core.findings(segment, text) if f.check == "placeholders" and f.is_error and f not in old)


def _notes(
    num_rows: int,
    present: Counter[int],
    positions: dict[int, int],
    differences: Sequence[ReviewDifference],
    unnumbered: Sequence[int],
) -> Iterator[str]:
    if unnumbered:
        numbers = shortened_list(str(positions[index] + 1) for index in unnumbered)
        yield Message(
            "The first column of these segments was changed, so they were not compared. Correct them by hand: "
            "{segments}.",
            segments=numbers,
        )
    if missing := num_rows - len(present) - len(unnumbered):
        if num_rows == len(positions) and missing > 0:
            known = present.keys() | set(unnumbered)
            numbers = shortened_list(str(place + 1) for index, place in positions.items() if index not in known)
            yield Message("Rows were deleted; these segments stay as they are: {segments}.", segments=numbers)
        elif missing > 0:
            yield Message("Rows were deleted: {count:,}. Their segments stay as they are.", count=missing)
    if any(difference.is_tracked for difference in differences):
        yield Message("Tracked changes in Word count as accepted.")
