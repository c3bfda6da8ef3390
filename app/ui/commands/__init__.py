"""The commands of the page: one class each, with its fields, its effect, and the type of its result.

Only what a message looks like is checked when it is read. Whether a command is possible, such as whether a segment
exists, is checked where it is carried out.
"""

from __future__ import annotations

from typing import Final

from app.errors import CommandError
from app.i18n import Message
from app.ui.commands.audit_commands import ShowActivity
from app.ui.commands.bundle_commands import (
    BeginFiles,
    EndFiles,
    ImportEntry,
    ListPackable,
    OpenEntry,
    OpenFile,
    PackDocuments,
)
from app.ui.commands.command import Command, SessionCommand
from app.ui.commands.document_commands import (
    AskReading,
    ChooseChecks,
    ChooseMatches,
    ChooseStyle,
    ConfirmMatches,
    ExportNote,
    FillMatches,
    FindText,
    ImportMemory,
    Pretranslate,
    ReplaceText,
    SearchMemory,
    SetConsent,
    StepBatch,
    StepDivision,
)
from app.ui.commands.glossary_commands import (
    AddTerm,
    EditTerm,
    ImportGlossary,
    ImportSampleGlossary,
    MergeGlossary,
    OrderGlossaries,
    RemoveGlossary,
    RemoveGlossaryTerm,
    RemoveTerm,
    ShareGlossary,
    SwitchGlossary,
    UndoGlossaryChange,
)
from app.ui.commands.model_commands import (
    DownloadModel,
    FetchModel,
    InstallUpload,
    ListDirections,
    ListModels,
    ListPairs,
    ListPublishedModels,
    RemoveModel,
    StopModel,
    SwitchModel,
)
from app.ui.commands.project_commands import (
    AddMember,
    AssignDocument,
    AssignSegments,
    ChooseProject,
    ChooseSegmentation,
    CreateProject,
    DeleteDocument,
    DeleteProject,
    EditProject,
    ListDocuments,
    ListMembers,
    ListProjects,
    MoveDocument,
    RemoveMember,
    RemoveSegmentation,
)
from app.ui.commands.segment_commands import (
    AddRemark,
    CheckText,
    ConfirmSegment,
    CountKeys,
    EditText,
    FindMatches,
    LeaveSegment,
    MergeSegments,
    OpenSegment,
    ReopenSegment,
    ReportIdle,
    ReviewSegment,
    SetComment,
    SetConstraints,
    SplitSegment,
)
from app.ui.commands.session_commands import (
    DeleteSession,
    OpenDocument,
    OpenSample,
    RereadDocument,
    RestartDocument,
    ResumeSession,
)
from app.ui.schemas import by_literal, read

COMMANDS: Final[dict[str, type[Command | SessionCommand]]] = by_literal(
    "name",
    (
        OpenSegment,
        LeaveSegment,
        EditText,
        SetConstraints,
        ConfirmSegment,
        ReopenSegment,
        SetComment,
        ReviewSegment,
        AddRemark,
        CheckText,
        SplitSegment,
        MergeSegments,
        FindMatches,
        CountKeys,
        ReportIdle,
        Pretranslate,
        AskReading,
        FindText,
        ReplaceText,
        ConfirmMatches,
        FillMatches,
        StepBatch,
        StepDivision,
        SearchMemory,
        ImportMemory,
        ChooseChecks,
        ChooseMatches,
        ChooseStyle,
        SetConsent,
        ExportNote,
        ImportGlossary,
        ImportSampleGlossary,
        ShareGlossary,
        MergeGlossary,
        RemoveGlossary,
        SwitchGlossary,
        OrderGlossaries,
        UndoGlossaryChange,
        EditTerm,
        RemoveGlossaryTerm,
        AddTerm,
        RemoveTerm,
        ListDirections,
        ListModels,
        ListPairs,
        ListPublishedModels,
        DownloadModel,
        InstallUpload,
        RemoveModel,
        SwitchModel,
        FetchModel,
        StopModel,
        ListProjects,
        CreateProject,
        EditProject,
        ChooseSegmentation,
        RemoveSegmentation,
        ChooseProject,
        DeleteProject,
        ListMembers,
        AddMember,
        RemoveMember,
        ShowActivity,
        ListDocuments,
        MoveDocument,
        AssignDocument,
        AssignSegments,
        DeleteDocument,
        BeginFiles,
        OpenFile,
        OpenEntry,
        ImportEntry,
        EndFiles,
        ListPackable,
        PackDocuments,
        OpenDocument,
        OpenSample,
        ResumeSession,
        RestartDocument,
        RereadDocument,
        DeleteSession,
    ),
)


def read_command(name: str, message: object) -> Command | SessionCommand:
    """The command in a message. Raises CommandError where no command has that name, or the message is not usable."""
    if name not in COMMANDS:
        raise CommandError(Message("There is no command {name!r}; reload the page.", name=name))
    return read(COMMANDS[name], message)
