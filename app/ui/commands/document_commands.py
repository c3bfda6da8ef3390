"""Commands about the whole document: search, memory, checks, style, and steps over many segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Final, Literal

from app.access.actor import Actor
from app.checks import CHECKS, CheckName
from app.errors import CommandError
from app.formats.part_rules import Part
from app.models.style import Style
from app.segments import Json
from app.segments.clean_texts import one_line
from app.segments.find_replace import Query
from app.sessions import Sessions
from app.text.encoding import ENCODINGS, encoding_label
from app.ui import results as r
from app.ui.commands.command import Command
from app.ui.schemas import FileBytes, Integer, Line, List, Name
from app.workspace.commands import Workspace
from engine import Formality

NUM_ROWS_SHOWN: Final = 4  # of a table, to choose its columns
MAX_CELL_SHOWN: Final = 60
MAX_PARTS_SHOWN: Final = 200


class Pretranslate(Command):
    """Starts or stops the translation of the whole document."""

    name: Literal["pretranslate"]
    is_on: bool

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        workspace.pretranslate(actor, self.is_on)


class AskReading(Command):
    """The import settings of the document and the possible choices; with `rules`, the parts under these rules."""

    name: Literal["reading"]
    rules: List[Name] | None = None
    result: ClassVar[Any] = r.ReadingChoice

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        document, its_format = workspace.document, workspace.document.format
        reading = its_format.reading
        columns, rows = document.parsed.preview(NUM_ROWS_SHOWN)
        problem: str = ""
        parts: Sequence[Part] = ()
        try:
            parts = document.text_parts(self.rules)
        except CommandError as error:
            problem = error.args[0]
        rules = self.rules if self.rules is not None else reading.rules or ()
        shown = [[cell[:MAX_CELL_SHOWN] for cell in row] for row in rows]
        codecs = dict.fromkeys((document.encoding, *ENCODINGS)) if document.encoding and its_format.has_encoding else ()
        return {
            "encoding": document.encoding,
            "encodings": [[codec, encoding_label(codec)] for codec in codecs],
            "columns": columns,
            "rows": shown,
            "extras": [*document.extras],
            "chosen_extras": [*(reading.extras or ())],
            "segments": None if its_format.is_paired else reading.segments or "sentence",
            "line_breaks": (reading.line_breaks or "automatic") if its_format.has_line_breaks else None,
            "rules": [*rules],
            "parts": [
                {**asdict(part), "uses": [*part.uses], "text": part.text[:MAX_CELL_SHOWN]}
                for part in parts[:MAX_PARTS_SHOWN]
            ],
            "problem": problem,
            "num_parts": len(parts),
            "is_kept": sessions.projects.keeps_part_rules(workspace, rules),
        }


class TextQuery(Command):
    """A text to find in the translations, and its replacement."""

    find: Line
    replacement: Line
    matches_case: bool
    whole_words: bool
    in_confirmed: bool

    def query(self) -> Query:
        """The query with its texts on one line."""
        text, replacement = one_line(self.find), one_line(self.replacement)
        return Query(text, replacement, self.matches_case, self.whole_words, self.in_confirmed)


class FindText(TextQuery):
    """Shows where the text occurs and what replacing it would do."""

    name: Literal["find"]
    result: ClassVar[Any] = r.FoundText

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.batches.find(actor, self.query())


class FindInProject(TextQuery):
    """Shows where the text occurs in the other documents of the project."""

    name: Literal["find_in_project"]
    result: ClassVar[Any] = r.FoundInProject

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.project_search.find(actor, workspace, self.query())


class ReplaceText(TextQuery):
    """Replaces the text in these segments; null: in all. `session` is another document than the open one."""

    name: Literal["replace"]
    result: ClassVar[Any] = r.ReplaceStep
    segments: List[Integer] | None = None
    session: Integer | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        if self.session is not None and self.session != workspace.session_id:
            return sessions.project_search.replace(actor, self.session, self.query(), self.segments)
        return workspace.batches.replace(actor, self.query(), self.segments)


class ConfirmMatches(Command):
    """Confirms every segment with the exact match of the memory that was filled in."""

    name: Literal["confirm_matches"]
    result: ClassVar[Any] = r.BatchStep

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.batches.confirm_matches(actor)


class FillMatches(Command):
    """Fills untouched segments with their best matches of the memory, from a rate in percent on."""

    name: Literal["fill_matches"]
    result: ClassVar[Any] = r.BatchStep
    min_rate: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.batches.fill_matches(actor, self.min_rate)


class PutTexts(Command):
    """Puts the source into segments, or empties them, in one step."""

    name: Literal["put_texts"]
    result: ClassVar[Any] = r.BatchStep
    segments: List[Integer]
    is_source: bool

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.batches.put(actor, self.segments, is_source=self.is_source)


class StepBatch(Command):
    """Undoes or redoes a change of many segments. `session` is another document than the open one."""

    name: Literal["step"]
    result: ClassVar[Any] = r.SteppedBatch
    step: Integer
    is_undo: bool
    session: Integer | None = None

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        if self.session is not None and self.session != workspace.session_id:
            return sessions.project_search.step(actor, self.session, self.step, is_undo=self.is_undo)
        return workspace.batches.step(actor, self.step, is_undo=self.is_undo)


class LockSegments(Command):
    """Locks segments, or unlocks them: nobody changes a locked one."""

    name: Literal["lock_segments"]
    result: ClassVar[Any] = r.BatchStep
    segments: List[Integer]
    is_locked: bool

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.locks.set(actor, self.segments, is_locked=self.is_locked)


class StepLock(Command):
    """Undoes or redoes the locking or unlocking of segments."""

    name: Literal["lock_step"]
    result: ClassVar[Any] = r.SteppedBatch
    step: Integer
    is_undo: bool

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.locks.step(actor, self.step, is_undo=self.is_undo)


class StepDivision(Command):
    """Undoes or redoes a split or a merge."""

    name: Literal["division_step"]
    result: ClassVar[Any] = r.OpenedSegment
    step: Integer
    is_undo: bool

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.structure.step(actor, self.step, is_undo=self.is_undo)


class SearchMemory(Command):
    """Looks for words in the translation memory."""

    name: Literal["concordance"]
    result: ClassVar[Any] = r.Concordance
    words: Line

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.memory.concordance(self.words)


class ImportMemory(Command):
    """Imports a TMX file into the translation memory."""

    name: Literal["import_memory"]
    result: ClassVar[Any] = r.ImportedMemory
    file: Line
    data: FileBytes

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return workspace.memory.import_memory(actor, self.data, self.file)


class ChooseMatches(Command):
    """The lowest match rate that documents of the project show, and the penalties of matches from elsewhere.

    All in percent.
    """

    name: Literal["choose_matches"]
    min_match: Integer
    other_penalty: Integer
    import_penalty: Integer

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        sessions.projects.choose_matches(actor, workspace, self.min_match, self.other_penalty, self.import_penalty)


class ChooseChecks(Command):
    """Switches checks off."""

    name: Literal["choose_checks"]
    off: List[CheckName]

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        workspace.checking.choose(actor, [check for check in CHECKS if check in self.off])


class ChooseStyle(Command):
    """The form of address and the domain of translations; null leaves it to the model.

    `requires_numbers`: translations have the numbers, dates and times of the source.
    `is_kept`: new documents of the project begin with them, too.
    """

    name: Literal["choose_style"]
    formality: Formality | None = None
    domain: Name | None = None
    requires_numbers: bool = True
    is_kept: bool = False

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        style = Style(self.formality, self.domain, self.requires_numbers)
        sessions.projects.choose_style(actor, workspace, style, is_kept=self.is_kept)


class SetConsent(Command):
    """Allows or forbids logging single keys."""

    name: Literal["consent"]
    is_given: bool

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> None:
        workspace.activity.consent(actor, self.is_given)


class ExportNote(Command):
    """The warning to show before a file of this kind is saved."""

    name: Literal["export_note"]
    result: ClassVar[Any] = r.ExportWarning
    kind: Name

    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json:
        return sessions.exports.note(actor, workspace, self.kind)
