"""ZIP archives of documents: which files can be opened, read within limits, and the archive with some files replaced.

Everything in an archive is untrusted: names, sizes, links, entries that overlap. A file that cannot be opened has a
`problem`; the archive as a whole is refused only if it is damaged or has too many entries.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from app.errors import DocumentError
from app.formats import CONVERTIBLE, format_of
from app.formats.office.office_package import DAMAGE
from app.formats.packages import (
    GLOSSARIES,
    MEMORIES,
    MEMORY,
    PACKAGES,
    is_project_file,
    package_of,
    returned_project,
    target_languages,
    unread_in_package,
)
from app.i18n import Message
from app.text.encoding import safe_name

MAX_ARCHIVE_BYTES: Final = 200 * 2**20
MAX_ENTRIES: Final = 10_000
MAX_DOCUMENTS: Final = 500  # that are opened from one archive or one selection
MAX_FILE_BYTES: Final = 30 * 2**20  # as much as the largest format
MAX_OPENED_BYTES: Final = 200 * 2**20  # of all files that are opened, unpacked
MAX_RATIO: Final = 200  # unpacked to packed; the text of a document has up to about 30
MAX_PATH_CHARACTERS: Final = 500
_BYTES_WITHOUT_RATIO: Final = 2**20
_UTF8_NAME, _ENCRYPTED = 0x800, 1  # bits of the flags
_STORED, _DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_ZIP64, _UNICODE_PATH = 0x0001, 0x7075  # extra fields
_LOCAL, _CENTRAL, _END = struct.Struct("<4s5H3L2H"), struct.Struct("<4s6H3L5H2L"), struct.Struct("<4s4H2LH")
_AFTER_DIRECTORY = (b"PK\5\6", b"PK\6\6", b"PK\5\5")  # its end record, the end record of ZIP64, or a signature
_ARCHIVES = (
    ".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".jar", ".mqout", ".mqback", ".wsxz", *PACKAGES,
)  # fmt: skip
_ABSOLUTE = re.compile(r"/|[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file in an archive. `index` is the number of its entry, `path` its name with folders, safe to show.

    `size` is in bytes, unpacked. `problem` is the reason why the file cannot be opened, or None. `is_memory`: it is a
    translation memory, which can be imported instead.
    """

    index: int
    path: str
    size: int
    problem: str | None = None
    is_memory: bool = False

    @property
    def name(self) -> str:
        """The name without folders."""
        return self.path.rpartition("/")[2]


class Archive:
    """An open archive. `members` are its files in order, without folders.

    `package` is the kind of package by the file name; None for a plain ZIP.
    """

    def __init__(self, data: bytes, name: str) -> None:
        """Raises DocumentError with advice if it is not an archive, is damaged, too large, or has too many entries."""
        self.name = safe_name(name, "archive.zip")
        self._data = data
        if len(data) > MAX_ARCHIVE_BYTES:
            raise DocumentError(
                "{name} is too large ({size:.1f} MiB, limit {limit} MiB): split the archive and open the parts "
                "one by one",
                name=self.name,
                size=len(data) / 2**20,
                limit=MAX_ARCHIVE_BYTES // 2**20,
            )
        if not data:
            raise DocumentError("{name} is empty (0 bytes): choose an archive with files in it", name=self.name)
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            self._infos = self._archive.infolist()
            self._check_entries()
        except DAMAGE as problem:
            raise DocumentError(
                "{name} is not a ZIP archive or is damaged ({problem}): pack the files again, or unpack the "
                "archive and open its files",
                name=self.name,
                problem=problem,
            ) from problem
        self.package = package_of(self.name)
        self.members = self._members()

    @property
    def return_name(self) -> str | None:
        """The name of the package with its translations; None for an archive that is not a package."""
        return None if self.package is None else self.package.return_name(self.name)

    def with_translations(self, new: Mapping[int, bytes]) -> bytes:
        """The archive with the content of some entries replaced; of a package of Trados, the return package."""
        projects = {index: returned_project(data, self.name) for index, data in self._projects.items()}
        return self.rewritten({**projects, **new})

    def read(self, member: ArchiveMember) -> bytes:
        """The content of a document or a memory. Raises DocumentError if it is damaged or the member has a problem."""
        if member.problem is not None and not member.is_memory:
            raise DocumentError(member.problem)
        return _content(self._archive, member)

    def rewritten(self, new: Mapping[int, bytes]) -> bytes:
        """The archive with new content of some entries, by index.

        All other entries, their order, names and dates stay as they are, packed bytes included.
        """
        output = bytearray(self._data[: min((info.header_offset for info in self._infos), default=0)])
        central: list[bytes] = []
        ends = self._ends()
        for info, record in zip(self._infos, self._central_records(), strict=True):
            offset = len(output)
            content = new.get(len(central))
            if content is None:
                output += self._data[info.header_offset : ends[info.header_offset]]
                central.append(_patched(record, info.CRC, info.compress_size, info.file_size, offset))
            else:
                local, changed = _entry(record, content, offset)
                output += local
                central.append(changed)
        start = len(output)
        output += b"".join(central)
        comment = self._archive.comment
        size = len(output) - start
        output += _END.pack(b"PK\5\6", 0, 0, len(central), len(central), size, start, len(comment)) + comment
        return bytes(output)

    def _check_entries(self) -> None:
        if len(self._infos) > MAX_ENTRIES:
            raise DocumentError(
                "{name} has {count:,} entries (limit {limit:,}): split the archive and open the parts one by one",
                name=self.name,
                count=len(self._infos),
                limit=MAX_ENTRIES,
            )
        ends = self._ends()
        for info in self._infos:
            header = self._data[info.header_offset : info.header_offset + _LOCAL.size]
            if len(header) < _LOCAL.size or not header.startswith(b"PK\3\4"):
                raise zipfile.BadZipFile("an entry has no header")
            if info.file_size >= 2**32:
                raise zipfile.BadZipFile("an entry has more than 4 GiB")
            name, extra = _LOCAL.unpack(header)[-2:]
            if info.header_offset + _LOCAL.size + name + extra + info.compress_size > ends[info.header_offset]:
                raise zipfile.BadZipFile("entries overlap")
        if len(ends) < len(self._infos):
            raise zipfile.BadZipFile("entries overlap")
        end = self._archive.start_dir + sum(map(len, self._central_records()))
        if self._data[end : end + 4] not in _AFTER_DIRECTORY:
            raise zipfile.BadZipFile("the directory is damaged")

    def _ends(self) -> dict[int, int]:
        """The end of the bytes of each entry, by their start."""
        starts = sorted({info.header_offset for info in self._infos})
        return dict(zip(starts, [*starts[1:], self._archive.start_dir], strict=True)) if starts else {}

    def _central_records(self) -> list[bytes]:
        """The entries of the central directory as bytes, in its order."""
        records, place = [], self._archive.start_dir
        for _ in self._infos:
            lengths = _CENTRAL.unpack_from(self._data, place)[10:13]
            end = place + _CENTRAL.size + sum(lengths)
            records.append(self._data[place:end])
            place = end
        return records

    def _members(self) -> tuple[ArchiveMember, ...]:
        found: list[ArchiveMember] = []
        raw = [_decoded_name(info).replace("\\", "/") for info in self._infos]
        first_of = {path: index for index, path in reversed(list(enumerate(raw)))}
        self._projects = self._project_files(raw)
        stated = frozenset[str]().union(*(target_languages(data, self.name) for data in self._projects.values()))
        targets = stated & {path.partition("/")[0].lower() for path in raw}
        num_opened = num_bytes = 0
        for index, (info, path) in enumerate(zip(self._infos, raw, strict=True)):
            if path.endswith("/"):
                continue
            shown = safe_path(path)
            unsafe = _path_problem(info, path, shown)
            costly = _content_problem(info, is_first=first_of[path] == index)
            unread = name_problem(path) if self.package is None else unread_in_package(self.package, path, targets)
            problem = unsafe or unread or costly
            if problem is None:
                num_opened += 1
                num_bytes += info.file_size
                problem = limit_problem(num_opened, num_bytes)
            is_memory = bool(unread) and not (unsafe or costly) and path.lower().endswith(MEMORIES)
            found.append(ArchiveMember(index, shown, info.file_size, problem, is_memory))
        return tuple(found)

    def _project_files(self, paths: list[str]) -> dict[int, bytes]:
        """The project files of a package of Trados, by entry; not those that cannot be read, which stay as they are."""
        found: dict[int, bytes] = {}
        if self.package is None or not self.package.has_languages:
            return found
        for index, (info, path) in enumerate(zip(self._infos, paths, strict=True)):
            if is_project_file(path) and not _content_problem(info, is_first=True):
                with suppress(DocumentError):
                    found[index] = _content(self._archive, ArchiveMember(index, safe_path(path), info.file_size))
        return found


class PackedFiles:
    """The files of an archive that `Archive` has checked, each unpacked when it is read."""

    def __init__(self, data: bytes) -> None:
        self.num_bytes = len(data)
        self._archive = zipfile.ZipFile(io.BytesIO(data))  # which does not copy the bytes

    def read(self, member: ArchiveMember) -> bytes:
        """The content of a file without a problem. Raises DocumentError if it is damaged."""
        return _content(self._archive, member)


def _content(archive: zipfile.ZipFile, member: ArchiveMember) -> bytes:
    try:
        with archive.open(archive.infolist()[member.index]) as file:
            return file.read(MAX_FILE_BYTES)
    except DAMAGE as problem:
        raise DocumentError(
            "{path} is damaged in the archive ({problem}): pack it again", path=member.path, problem=problem
        ) from problem


def _path_problem(info: zipfile.ZipInfo, path: str, shown: str) -> str | None:
    """The reason why an entry with such a path is not read."""
    if ".." in path.split("/") or _ABSOLUTE.match(path):
        return Message("The path of {name} points outside the archive.", name=shown)
    if len(path) > MAX_PATH_CHARACTERS:
        return Message("The path has {count} characters (limit {limit}).", count=len(path), limit=MAX_PATH_CHARACTERS)
    if stat.S_ISLNK(info.external_attr >> 16):
        return Message("It is a link, not a file.")
    return None


def _content_problem(info: zipfile.ZipInfo, *, is_first: bool) -> str | None:
    """Why an entry is not unpacked."""
    if not is_first:
        return Message("The archive has two files of this name; the first one is opened.")
    if info.flag_bits & _ENCRYPTED:
        return Message("It is protected by a password: pack it without a password.")
    if info.compress_type not in (_STORED, _DEFLATED):  # time and memory for other methods are not limited
        return Message("Its compression method is not supported: pack it as an ordinary ZIP file.")
    if info.file_size > MAX_FILE_BYTES:
        return Message(
            "It is too large ({size:.1f} MiB, limit {limit} MiB): split it.",
            size=info.file_size / 2**20,
            limit=MAX_FILE_BYTES // 2**20,
        )
    if info.file_size > max(_BYTES_WITHOUT_RATIO, MAX_RATIO * info.compress_size):
        return Message(
            "Unpacked, it is more than {ratio} times as large, which is unusual for a document: unpack it and open "
            "it alone.",
            ratio=MAX_RATIO,
        )
    return None


def limit_problem(num_opened: int, num_bytes: int) -> str | None:
    """Why one more file is not opened, after which so many files and bytes would be open; None if it is."""
    if num_opened > MAX_DOCUMENTS:
        return Message("At most {limit} files can be opened together: open this file separately.", limit=MAX_DOCUMENTS)
    if num_bytes > MAX_OPENED_BYTES:
        return Message(
            "At most {limit} MiB can be opened together: open this file separately.", limit=MAX_OPENED_BYTES // 2**20
        )
    return None


def name_problem(path: str) -> str | None:
    """Why a file with this path is not opened together with others; None if its format is read."""
    if path.startswith("__MACOSX/") or path.rpartition("/")[2].startswith(("._", ".DS_Store")):
        return Message("It contains only data of macOS.")
    name = safe_path(path).rpartition("/")[2]
    if name.lower().endswith(_ARCHIVES):
        return Message("Archives inside an archive are not opened: unpack it and open its files.")
    if name.lower().endswith(GLOSSARIES):
        return Message("It is a glossary: open it in the menu Glossary.")
    if name.lower().endswith(".sdltm"):
        return MEMORY
    if "." not in name:
        return Message("Its name does not have an extension: open it alone to read it as plain text.")
    try:
        format_of(name)
    except DocumentError as problem:
        if name.lower().endswith(CONVERTIBLE):
            return problem.args[0]  # type: ignore[no-any-return]
        return Message("Pinpoint does not read files that end in {ending}.", ending=f".{name.rpartition('.')[2]}")
    return None


def safe_path(path: str) -> str:
    """The path with safe names of folders and file, relative, with "/" between them; never empty.

    >>> safe_path("..\\\\Job 1/a:b.txt")
    'Job 1/a_b.txt'
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part.strip(" .")]
    return "/".join(safe_name(part, "_") for part in parts) or "_"


def pack(files: Mapping[str, bytes]) -> bytes:
    """A new archive of these files, by path. The same files give the same bytes."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            info = zipfile.ZipInfo(path)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
    return output.getvalue()


def unique_paths(paths: list[str]) -> list[str]:
    """The paths, with a number for repeated ones: "a.txt", "a (2).txt". Capital letters are ignored."""
    taken: Counter[str] = Counter()
    found = []
    for path in paths:
        stem, dot, ending = path.rpartition(".")
        unique = path
        while taken[unique.lower()]:
            taken[path.lower()] += 1
            number = f" ({taken[path.lower()]})"
            unique = f"{stem}{number}.{ending}" if dot else f"{path}{number}"
        taken[unique.lower()] += 1
        found.append(unique)
    return found


def _decoded_name(info: zipfile.ZipInfo) -> str:
    """The name of an entry: in UTF-8 if the archive states this or the bytes are UTF-8, else in CP437, as in ZIP."""
    name = info.orig_filename
    if info.flag_bits & _UTF8_NAME:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _extra(fields: bytes, keeps: Callable[[int], bool]) -> bytes:
    """The extra fields whose number is kept; other bytes are dropped."""
    kept, place = b"", 0
    while place + 4 <= len(fields):
        number, length = struct.unpack_from("<2H", fields, place)
        end = place + 4 + length
        if end <= len(fields) and keeps(number):
            kept += fields[place:end]
        place = end
    return kept


def _parts(record: bytes) -> tuple[list[int], bytes, bytes, bytes]:
    """The numbers of an entry of the central directory, and its name, extra fields and comment."""
    _, *numbers = _CENTRAL.unpack_from(record)
    lengths = numbers[9:12]
    name_end = _CENTRAL.size + lengths[0]
    extra_end = name_end + lengths[1]
    return numbers, record[_CENTRAL.size : name_end], record[name_end:extra_end], record[extra_end:]


def _patched(record: bytes, crc: int, packed: int, size: int, offset: int) -> bytes:
    """An entry of the central directory for its new place; sizes of a ZIP64 field are moved into the entry."""
    numbers, name, extra, comment = _parts(record)
    extra = _extra(extra, lambda number: number != _ZIP64)
    numbers[6:9], numbers[10], numbers[12], numbers[15] = [crc, packed, size], len(extra), 0, offset
    return _CENTRAL.pack(b"PK\1\2", *numbers) + name + extra + comment


def _entry(record: bytes, content: bytes, offset: int) -> tuple[bytes, bytes]:
    """An entry with new content, and its part of the central directory."""
    numbers, name, extra, comment = _parts(record)
    _, _, flags, method, clock, date = numbers[:6]
    method = _STORED if method == _STORED else _DEFLATED
    packed = content
    if method == _DEFLATED:
        packer = zlib.compressobj(zlib.Z_DEFAULT_COMPRESSION, zlib.DEFLATED, -zlib.MAX_WBITS)
        packed = packer.compress(content) + packer.flush()
    numbers[1], numbers[2], numbers[3] = 20, flags & _UTF8_NAME, method
    changed = _CENTRAL.pack(b"PK\1\2", *numbers) + name + extra + comment
    crc = zlib.crc32(content)
    local_extra = _extra(extra, lambda number: number == _UNICODE_PATH)
    sizes = crc, len(packed), len(content), len(name), len(local_extra)
    local = _LOCAL.pack(b"PK\3\4", 20, flags & _UTF8_NAME, method, clock, date, *sizes)
    return local + name + local_extra + packed, _patched(changed, crc, len(packed), len(content), offset)
