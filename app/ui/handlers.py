"""What each command of the page does: one function per command, and the table that finds it.

A function gets the open sessions, the workspace that the command is about, and the command. It returns what the page
needs beside the new state, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from app.checks import CHECKS
from app.errors import CommandError
from app.i18n import Message
from app.models.directions import targets_by_source
from app.models.style import Style
from app.segments import Json
from app.segments.constraint_changes import one_line
from app.segments.find_replace import Query
from app.segments.text_changes import ReportedEdit
from app.sessions import Sessions
from app.ui import commands as c
from app.ui.schemas import by_literal, read
from app.workspace.commands import Workspace
from app.workspace.term_grid import edit_term
from engine import Avoid

Handler = Callable[[Sessions, Workspace, Any], Json | None]
Switch = Callable[[Sessions, Workspace, Any], Workspace]


# ---- one segment ----


def _open(_: Sessions, workspace: Workspace, command: c.OpenSegment) -> None:
    workspace.open(command.segment)


def _leave(_: Sessions, workspace: Workspace, command: c.LeaveSegment) -> None:
    workspace.leave(command.segment)


def _edit(_: Sessions, workspace: Workspace, command: c.EditText) -> None:
    reported = command.reported
    workspace.edit(
        command.segment,
        command.text,
        command.origin,
        rank=command.rank,
        reported=None if reported is None else ReportedEdit(reported.before, reported.changes),
        client=command.client,
        sequence=command.sequence,
    )


def _constrain(_: Sessions, workspace: Workspace, command: c.SetConstraints) -> None:
    workspace.constrain(
        command.segment,
        command.pins,
        command.terms_off,
        [Avoid(ban.text, ban.case) for ban in command.bans if ban.text.strip()],
        command.beginning,
        command.locked,
        origin=command.origin,
        client=command.client,
        sequence=command.sequence,
    )


def _confirm(_: Sessions, workspace: Workspace, command: c.ConfirmSegment) -> Json | None:
    return workspace.confirm(command.segment, command.text, is_new=command.origin is None)


def _reopen(_: Sessions, workspace: Workspace, command: c.ReopenSegment) -> None:
    workspace.reopen(command.segment)


def _comment(_: Sessions, workspace: Workspace, command: c.SetComment) -> None:
    workspace.comment(command.segment, command.text)


def _check(_: Sessions, workspace: Workspace, command: c.CheckText) -> Json:
    return workspace.checking.show(command.segment, command.text)


def _split(_: Sessions, workspace: Workspace, command: c.SplitSegment) -> Json:
    return workspace.structure.split(command.segment, command.offset)


def _merge(_: Sessions, workspace: Workspace, command: c.MergeSegments) -> Json:
    return workspace.structure.merge(command.segment)


def _matches(_: Sessions, workspace: Workspace, command: c.FindMatches) -> Json:
    return workspace.memory.matches(command.segment)


def _add_term(_: Sessions, workspace: Workspace, command: c.AddTerm) -> Json:
    return workspace.glossaries.add_term(command.segment, command.source, command.target, command.scope)


# ---- the person ----


def _keys(_: Sessions, workspace: Workspace, command: c.CountKeys) -> None:
    presses, carets = ([list(row) for row in rows or ()] for rows in (command.presses, command.carets))
    workspace.activity.keys(command.segment, command.counts, presses, carets)


def _idle(_: Sessions, workspace: Workspace, command: c.ReportIdle) -> None:
    workspace.activity.idle(command.segment, command.idle_ms)


def _consent(_: Sessions, workspace: Workspace, command: c.SetConsent) -> None:
    workspace.activity.consent(command.is_given)


# ---- the whole document ----


def _choose_checks(_: Sessions, workspace: Workspace, command: c.ChooseChecks) -> None:
    workspace.checking.choose([check for check in CHECKS if check in command.off])


def _concordance(_: Sessions, workspace: Workspace, command: c.SearchMemory) -> Json:
    return workspace.memory.concordance(command.words)


def _import_memory(_: Sessions, workspace: Workspace, command: c.ImportMemory) -> Json:
    return workspace.memory.import_tmx(command.data, command.file)


def _pretranslate(_: Sessions, workspace: Workspace, command: c.Pretranslate) -> None:
    workspace.pretranslate(command.is_on)


def _find(_: Sessions, workspace: Workspace, command: c.FindText) -> Json:
    return workspace.batches.find(_query(command))


def _replace(_: Sessions, workspace: Workspace, command: c.ReplaceText) -> Json:
    return workspace.batches.replace(_query(command), command.segments)


def _query(command: c.TextQuery) -> Query:
    text, replacement = one_line(command.find), one_line(command.replacement)
    return Query(text, replacement, command.matches_case, command.whole_words, command.in_confirmed)


def _step(_: Sessions, workspace: Workspace, command: c.StepBatch) -> Json:
    return workspace.batches.step(command.step, is_undo=command.is_undo)


def _division_step(_: Sessions, workspace: Workspace, command: c.StepDivision) -> Json:
    return workspace.structure.step(command.step, is_undo=command.is_undo)


def _remove_term(_: Sessions, workspace: Workspace, command: c.RemoveTerm) -> Json:
    return workspace.glossaries.remove_term(command.source, command.target)


def _choose_style(_: Sessions, workspace: Workspace, command: c.ChooseStyle) -> None:
    workspace.choose_style(Style(command.formality, command.domain))


def _export_note(sessions: Sessions, workspace: Workspace, command: c.ExportNote) -> Json:
    return sessions.export_note(workspace, command.kind)


# ---- models ----


def _directions(sessions: Sessions, workspace: Workspace, command: c.ListDirections) -> Json:
    return {"directions": targets_by_source(sessions.models.directions(workspace, command.model))}


def _models(sessions: Sessions, workspace: Workspace, _: c.ListModels) -> Json:
    return {"models": sessions.models.offers(workspace)}


def _switch_model(sessions: Sessions, workspace: Workspace, command: c.SwitchModel) -> None:
    sessions.models.switch(workspace, command.key)


def _fetch_model(sessions: Sessions, workspace: Workspace, command: c.FetchModel) -> None:
    sessions.models.fetch(workspace, command.model.strip())


def _published_models(sessions: Sessions, workspace: Workspace, command: c.ListPublishedModels) -> Json:
    return sessions.models.offers_to_download(workspace, command.direction, is_update=command.is_update)


def _download_model(sessions: Sessions, workspace: Workspace, command: c.DownloadModel) -> None:
    sessions.models.download(workspace, command.model)


def _remove_model(sessions: Sessions, _: Workspace, command: c.RemoveModel) -> None:
    sessions.models.remove(command.key)


def _stop_model(sessions: Sessions, workspace: Workspace, _: c.StopModel) -> None:
    sessions.models.stop(workspace)


# ---- glossaries ----


def _import_glossary(_: Sessions, workspace: Workspace, command: c.ImportGlossary) -> Json:
    return workspace.glossary_imports.use(command.import_, command.fixes, command.fills)


def _import_sample_glossary(sessions: Sessions, workspace: Workspace, _: c.ImportSampleGlossary) -> Json:
    return sessions.import_sample_glossary(workspace)


def _remove_glossary(_: Sessions, workspace: Workspace, command: c.RemoveGlossary) -> Json:
    return workspace.glossaries.remove(command.glossary)


def _switch_glossary(_: Sessions, workspace: Workspace, command: c.SwitchGlossary) -> Json:
    return workspace.glossaries.switch(command.glossary, command.is_on)


def _order_glossaries(_: Sessions, workspace: Workspace, command: c.OrderGlossaries) -> Json:
    return workspace.glossaries.arrange(command.order or ())


def _undo_glossary_change(_: Sessions, workspace: Workspace, __: c.UndoGlossaryChange) -> Json:
    return workspace.glossaries.undo()


def _edit_term(_: Sessions, workspace: Workspace, command: c.EditTerm) -> Json:
    return edit_term(
        workspace.glossaries,
        command.glossary,
        command.number,
        source=command.source,
        target=command.target,
        variants=command.variants,
        status=command.status,
        case=command.case,
        matching=command.matching,
        note=command.note,
    )


def _remove_glossary_term(_: Sessions, workspace: Workspace, command: c.RemoveGlossaryTerm) -> Json:
    return workspace.glossaries.edit(command.glossary, {command.number: None})


# ---- sessions ----


def _open_document(sessions: Sessions, _: Workspace, command: c.OpenDocument) -> Workspace:
    return sessions.open_document(command.data, command.file)


def _open_sample(sessions: Sessions, _: Workspace, __: c.OpenSample) -> Workspace:
    return sessions.open_sample()


def _resume_session(sessions: Sessions, _: Workspace, command: c.ResumeSession) -> Workspace:
    return sessions.resume(command.session)


def _restart_document(sessions: Sessions, workspace: Workspace, command: c.RestartDocument) -> Workspace:
    return sessions.restart(workspace, command.direction, command.model)


def _delete_session(sessions: Sessions, workspace: Workspace, _: c.DeleteSession) -> Workspace:
    return sessions.delete_session(workspace)


HANDLERS: Final[dict[type[c.Command], Handler]] = {
    c.OpenSegment: _open,
    c.LeaveSegment: _leave,
    c.EditText: _edit,
    c.SetConstraints: _constrain,
    c.ConfirmSegment: _confirm,
    c.ReopenSegment: _reopen,
    c.SetComment: _comment,
    c.CheckText: _check,
    c.SplitSegment: _split,
    c.MergeSegments: _merge,
    c.FindMatches: _matches,
    c.AddTerm: _add_term,
    c.CountKeys: _keys,
    c.ReportIdle: _idle,
    c.SetConsent: _consent,
    c.ChooseChecks: _choose_checks,
    c.SearchMemory: _concordance,
    c.ImportMemory: _import_memory,
    c.Pretranslate: _pretranslate,
    c.FindText: _find,
    c.ReplaceText: _replace,
    c.StepBatch: _step,
    c.StepDivision: _division_step,
    c.RemoveTerm: _remove_term,
    c.ChooseStyle: _choose_style,
    c.ExportNote: _export_note,
    c.ListDirections: _directions,
    c.ListModels: _models,
    c.SwitchModel: _switch_model,
    c.FetchModel: _fetch_model,
    c.ListPublishedModels: _published_models,
    c.DownloadModel: _download_model,
    c.RemoveModel: _remove_model,
    c.StopModel: _stop_model,
    c.ImportGlossary: _import_glossary,
    c.ImportSampleGlossary: _import_sample_glossary,
    c.RemoveGlossary: _remove_glossary,
    c.SwitchGlossary: _switch_glossary,
    c.OrderGlossaries: _order_glossaries,
    c.UndoGlossaryChange: _undo_glossary_change,
    c.EditTerm: _edit_term,
    c.RemoveGlossaryTerm: _remove_glossary_term,
}
# These show another session: they return its workspace.
SWITCHES: Final[dict[type[c.Command], Switch]] = {
    c.OpenDocument: _open_document,
    c.OpenSample: _open_sample,
    c.ResumeSession: _resume_session,
    c.RestartDocument: _restart_document,
    c.DeleteSession: _delete_session,
}


COMMANDS: Final = by_literal("name", (*HANDLERS, *SWITCHES))


def read_command(name: str, message: object) -> c.Command:
    """The command in a message. Raises CommandError where no command has that name, or the message is not usable."""
    if name not in COMMANDS:
        raise CommandError(Message("There is no command {name!r}; reload the page.", name=name))
    return read(COMMANDS[name], message)
