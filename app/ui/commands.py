"""The commands of the page, one model each. `name` selects the model; `app.ui.handlers` carries the commands out.

Only what a message looks like is checked here. Whether a command is possible, such as whether a segment exists, is
checked where it is carried out.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from app.checks import CheckName
from app.glossary.model import Case, Matching, Status
from app.segments.constraint_changes import BanCase, ConstraintOrigin
from app.segments.text_changes import EditOrigin, ReportedOrigin
from app.ui.schemas import Count, FileBytes, Integer, List, Name, PageMessage, PageModel
from app.workspace.activity import MAX_KEY_CHARACTERS, MAX_PRESSES
from app.workspace.glossaries import Scope
from engine import Formality

StepOrigin = Literal["undo", "redo"]


class Command(PageMessage):
    """What every command contains: its `name`, and what the page knows, so that the reply has only what is newer.

    `since` is the page's version, `open` its open segment and `detail_since` the stamp of that segment's details.
    Commands of one page (`client`) are numbered by `sequence`, so that a late one does not replace a newer one.
    """

    name: str
    since: Integer
    open: Integer | None = None
    detail_since: Integer
    client: Name = ""
    sequence: Integer = 0


class SegmentCommand(Command):
    """A command about one segment, by its index."""

    segment: Integer


# ---- one segment: text, constraints, state ----


class OpenSegment(SegmentCommand):
    """The person goes to this segment."""

    name: Literal["open"]


class LeaveSegment(SegmentCommand):
    """The person looks elsewhere: another window, another tab."""

    name: Literal["leave"]


class EditReport(PageModel):
    """How the text changed since `before`: [offset, characters removed, new text, origin] of each change in order."""

    before: str
    changes: List[Annotated[tuple[Integer, Integer, str, ReportedOrigin], Field(strict=False)]]


class EditText(SegmentCommand):
    """The person's text for a segment; null: the machine's again. `rank` is that of a hypothesis taken, from 0."""

    name: Literal["edit"]
    text: str | None
    origin: EditOrigin
    rank: Integer | None = None
    reported: EditReport | None = None
    client: Name
    sequence: Integer


class Ban(PageModel):
    """A text that the translation must not contain."""

    text: str
    case: BanCase


class SetConstraints(SegmentCommand):
    """The whole set of constraints of a segment: pins, terms switched off, bans, the prefix and locked texts."""

    name: Literal["constrain"]
    pins: List[str]
    terms_off: List[str]
    bans: List[Ban]
    beginning: str
    locked: List[str]
    origin: ConstraintOrigin
    client: Name
    sequence: Integer


class ConfirmSegment(SegmentCommand):
    """The person is done with this segment. `origin` says that an undo or a redo confirms it, not the person."""

    name: Literal["confirm"]
    text: str
    origin: StepOrigin | None = None


class ReopenSegment(SegmentCommand):
    """Takes a confirmation back."""

    name: Literal["reopen"]
    origin: StepOrigin | None = None


class SetComment(SegmentCommand):
    """The person's comment on a segment; an empty one is removed."""

    name: Literal["comment"]
    text: str


class CheckText(SegmentCommand):
    """Checks a text of a segment before it is confirmed."""

    name: Literal["check"]
    text: str


class SplitSegment(SegmentCommand):
    """Splits a segment before a character of its source, counted in code points."""

    name: Literal["split"]
    offset: Integer


class MergeSegments(SegmentCommand):
    """Merges a segment with the next one."""

    name: Literal["merge"]


class FindMatches(SegmentCommand):
    """Looks up a segment in the translation memory."""

    name: Literal["matches"]


class AddTerm(SegmentCommand):
    """Makes a pin a term of the document or of a glossary."""

    name: Literal["add_term"]
    source: str
    target: str
    scope: Scope


# ---- the person: keys and pauses ----


class CountKeys(SegmentCommand):
    """Keys pressed since the last message, by class; with consent also each key and each position of the caret.

    `presses` are [milliseconds, key], `carets` [milliseconds, start, end of the selection].
    """

    name: Literal["keys"]
    counts: dict[str, Integer]
    presses: Annotated[
        list[Annotated[tuple[Integer, Annotated[str, Field(max_length=MAX_KEY_CHARACTERS)]], Field(strict=False)]]
        | None,
        Field(max_length=MAX_PRESSES),
    ] = None
    carets: Annotated[
        list[Annotated[tuple[Integer, Integer, Integer], Field(strict=False)]] | None, Field(max_length=MAX_PRESSES)
    ] = None


class ReportIdle(SegmentCommand):
    """The person has done nothing for so many milliseconds."""

    name: Literal["idle"]
    idle_ms: Count


class SetConsent(Command):
    """Whether single keys may be logged."""

    name: Literal["consent"]
    is_given: bool


# ---- the whole document ----


class ChooseChecks(Command):
    """Which checks are off."""

    name: Literal["choose_checks"]
    off: List[CheckName]


class SearchMemory(Command):
    """Looks for words in the translation memory."""

    name: Literal["concordance"]
    words: str


class ImportMemory(Command):
    """Imports a TMX file into the translation memory."""

    name: Literal["import_memory"]
    file: str
    data: FileBytes


class Pretranslate(Command):
    """Starts or stops the translation of the whole document."""

    name: Literal["pretranslate"]
    is_on: bool


class TextQuery(Command):
    """A text to find in the translations, and its replacement."""

    find: str
    replacement: str
    matches_case: bool
    whole_words: bool
    in_confirmed: bool


class FindText(TextQuery):
    """Shows where the text occurs and what replacing it would do."""

    name: Literal["find"]


class ReplaceText(TextQuery):
    """Replaces the text in these segments; null: in all."""

    name: Literal["replace"]
    segments: List[Integer] | None = None


class StepBatch(Command):
    """Undoes or redoes a change of many segments."""

    name: Literal["step"]
    step: Integer
    is_undo: bool


class StepDivision(Command):
    """Undoes or redoes a split or a merge."""

    name: Literal["division_step"]
    step: Integer
    is_undo: bool


class RemoveTerm(Command):
    """Removes a term of the document."""

    name: Literal["remove_term"]
    source: str
    target: str


class ChooseStyle(Command):
    """The form of address and the domain of translations; null leaves it to the model."""

    name: Literal["choose_style"]
    formality: Formality | None = None
    domain: Name | None = None


class ExportNote(Command):
    """What the person should know before they save a file of this kind."""

    name: Literal["export_note"]
    kind: Name


# ---- models ----


class ListDirections(Command):
    """The language pairs of a model; null: of the one in use."""

    name: Literal["directions"]
    model: Name | None = None


class ListModels(Command):
    """The models that can be chosen."""

    name: Literal["models"]


class SwitchModel(Command):
    """Translates with another model."""

    name: Literal["switch_model"]
    key: Name


class FetchModel(Command):
    """Downloads a model of the hub."""

    name: Literal["fetch_model"]
    model: Name


class ListPublishedModels(Command):
    """The models that can be downloaded, for a direction or, with null, for the document's.

    Only with `is_update`, the list is read from the registry.
    """

    name: Literal["published_models"]
    direction: Name | None = None
    is_update: bool


class DownloadModel(Command):
    """Downloads a published model and installs it."""

    name: Literal["download_model"]
    model: Name


class RemoveModel(Command):
    """Removes an installed model from this computer."""

    name: Literal["remove_model"]
    key: Name


class StopModel(Command):
    """Stops a download, or a model that is still loading."""

    name: Literal["stop_model"]


# ---- glossaries ----


class ImportGlossary(Command):
    """Uses a glossary that was uploaded: number `import`, with these fixes, and targets for empty ones."""

    name: Literal["import_glossary"]
    import_: Integer = Field(alias="import")
    fixes: List[str]
    fills: dict[str, str]


class ImportSampleGlossary(Command):
    """Uses the glossary that comes with the sample document."""

    name: Literal["import_sample_glossary"]


class RemoveGlossary(Command):
    """Removes a glossary from the document."""

    name: Literal["glossary_remove"]
    glossary: Integer


class SwitchGlossary(Command):
    """Switches a glossary on or off."""

    name: Literal["glossary_switch"]
    glossary: Integer
    is_on: bool


class OrderGlossaries(Command):
    """The glossaries by priority, the highest first."""

    name: Literal["glossary_order"]
    order: List[Integer] | None = None


class UndoGlossaryChange(Command):
    """Undoes the last change of the glossaries."""

    name: Literal["glossary_undo"]


class EditTerm(Command):
    """Changes a term of a glossary; `number` null adds one."""

    name: Literal["term_edit"]
    glossary: Integer
    number: Integer | None = None
    source: str
    target: str
    variants: List[str]
    status: Status
    case: Case
    matching: Matching
    note: str


class RemoveGlossaryTerm(Command):
    """Removes a term from a glossary."""

    name: Literal["term_remove"]
    glossary: Integer
    number: Integer


# ---- sessions: another document takes the place of this one ----


class OpenDocument(Command):
    """Opens an uploaded document."""

    name: Literal["open_document"]
    file: str
    data: FileBytes


class OpenSample(Command):
    """Opens the sample document."""

    name: Literal["open_sample"]


class ResumeSession(Command):
    """Continues an earlier session."""

    name: Literal["resume_session"]
    session: Integer


class RestartDocument(Command):
    """Starts the document again in another language pair, also with another model."""

    name: Literal["restart_document"]
    direction: Name
    model: Name | None = None


class DeleteSession(Command):
    """Deletes the session with its document and its log."""

    name: Literal["delete_session"]
