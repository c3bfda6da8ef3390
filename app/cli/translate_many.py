"""The command `translate` for a folder, a ZIP file or a package: each document in it, and a report on all of them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.cli import translate as one
from app.cli.log_commands import bytes_of, check_output, explained, write
from app.errors import AppError, CommandError, DocumentError
from app.formats.archive import Archive, ArchiveMember, name_problem
from app.formats.documents import Document, with_language
from app.formats.packages import PACKAGES
from app.i18n import Message, counted
from app.whole_files import whole_folder, write_whole

_ARCHIVES = (".zip", *PACKAGES)


@dataclass(frozen=True, slots=True)
class _ReadDocument:
    """A document with its name in messages, and its place: a path in the output folder, or a number of an entry."""

    name: str
    place: str | int
    document: Document
    direction: str


@dataclass(slots=True)
class _Reading:
    """The documents of a folder or archive, and the numbers of other files and of unreadable ones."""

    run: one.TranslateRun
    documents: list[_ReadDocument] = field(default_factory=list)
    num_others: int = 0
    num_unreadable: int = 0

    def leave(self, name: str, reason: str) -> None:
        """Names a file of a kind that is not translated."""
        one.say(f"{name} is not translated: {reason}")
        self.num_others += 1

    def add(self, name: str, place: str | int, data: bytes) -> None:
        """Reads a document, or names it with the reason why it cannot be read."""
        try:
            document, direction = self.run.document(data, name.rpartition("/")[2])
        except DocumentError as problem:
            self.fail(name, problem)
        else:
            self.documents.append(_ReadDocument(name, place, document, direction))

    def fail(self, name: str, problem: AppError) -> None:
        """Names a document that cannot be read."""
        one.say(f"{name} is not translated: {problem}")
        self.num_unreadable += 1


def translate(flags: argparse.Namespace) -> int:
    """Translates one document, or all documents of a folder or an archive; see `app.cli.translate.translate`.

    The output for an archive is the archive with the translations in their places, for a package its return package,
    for a folder a folder with the translated documents. Returns 1 also if a document cannot be read; a file of a kind
    that is not translated is only named.
    """
    path: Path = flags.document
    is_archive = path.name.lower().endswith(_ARCHIVES) and not path.is_dir()
    if not is_archive and not path.is_dir():
        return one.translate(flags)
    if (flags.encoding, flags.columns, flags.also, flags.rule) != (None, None, None, None):
        raise CommandError(
            "--encoding, --columns, --also and --rule are for one document: run the command once for each document"
        )
    archive = Archive(bytes_of(path), path.name) if is_archive else None
    run = one.TranslateRun(flags)
    reading = _Reading(run)
    if archive is None:
        _read_folder(reading, path)
    else:
        _read_archive(reading, archive)
    if not reading.documents:
        raise CommandError("{path} does not contain a document that Pinpoint can open", path=path)
    if flags.dry_run:
        for each in reading.documents:
            print("\n".join([f"{each.name}:", *run.dry_run(each.document, each.direction)]))
        return 1 if reading.num_unreadable else 0
    output = _output(flags.output, path, archive, {each.direction.partition("-")[2] for each in reading.documents})
    check_output(output)
    num_notes = num_problems = num_unread = 0
    made: dict[str | int, bytes] = {}
    for each in reading.documents:
        translated = run.translated(each.document, each.direction)
        made[each.place] = translated.export.data
        for line in (*each.document.notes, *translated.problems):
            one.say(f"{each.name}: {line}")
        num_notes += len(each.document.notes)
        num_problems += len(translated.problems)
        num_unread += translated.num_unread
    _write(output, archive, made)
    num_left = reading.num_others + reading.num_unreadable
    one.say(f"Translated: {counted(len(made), 'document')}. Not translated: {counted(num_left, 'other file')}.")
    print(output)
    has_problems = bool(num_problems or reading.num_unreadable)
    return one.exit_status(flags.strict, num_notes, num_unread, has_problems=has_problems)


def _read_folder(reading: _Reading, path: Path) -> None:
    """Reads the files of a folder and of its folders, without hidden folders and links."""
    for folder, folders, names in os.walk(path):
        for hidden in sorted(name for name in folders if name.startswith(".")):
            reading.leave(f"{Path(folder, hidden).relative_to(path).as_posix()}/", Message("It is a hidden folder."))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in (Path(folder, name) for name in sorted(names)):
            name = file.relative_to(path).as_posix()
            if file.is_symlink():
                reading.leave(name, Message("It is a link, not a file."))
            elif problem := name_problem(name):
                reading.leave(name, problem)
            else:
                reading.add(name, name, bytes_of(file))


def _read_archive(reading: _Reading, archive: Archive) -> None:
    for member in archive.members:
        if member.problem is not None:
            reading.leave(member.path, member.problem)
        elif (data := _content(reading, archive, member)) is not None:
            reading.add(member.path, member.index, data)


def _content(reading: _Reading, archive: Archive, member: ArchiveMember) -> bytes | None:
    try:
        return archive.read(member)
    except DocumentError as problem:
        reading.fail(member.path, problem)
        return None


def _output(given: Path | None, path: Path, archive: Archive | None, languages: set[str]) -> Path:
    """The output file or folder; by default beside the input: "job.de.zip", "job.sdlrpx", "folder.de"."""
    language = next(iter(languages)) if len(languages) == 1 else "translated"
    path = path.resolve()
    if archive is None:
        return given or path.with_name(f"{path.name}.{language}")
    name = archive.return_name or ""
    return given or path.with_name(with_language(path.name, language) if name in ("", path.name) else name)


def _write(output: Path, archive: Archive | None, made: Mapping[str | int, bytes]) -> None:
    """Writes the archive or the folder, completely or not at all. Raises CommandError if that is impossible."""
    if archive is not None:
        write(output, archive.with_translations({place: made[place] for place in made if isinstance(place, int)}))
        return
    with explained(output), whole_folder(output) as temporary:
        for place, data in made.items():
            write_whole(temporary / str(place), data)
