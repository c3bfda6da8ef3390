"""Decodes the bytes of uploaded text files and encodes the text again in the same encoding.

Covers encodings, byte order marks, signatures of binary files, safe file names and cells. Independent of segments and
glossary rows.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from app.errors import AppError
from app.i18n import Message, joined
from app.text.likely_encodings import is_damaged_utf8, likely_encodings

# The longer mark first: UTF-32's begins with UTF-16's.
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_LABELS = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16 (little-endian)",
    "utf-16-be": "UTF-16 (big-endian)",
    "utf-32-le": "UTF-32 (little-endian)",
    "utf-32-be": "UTF-32 (big-endian)",
    "cp1252": "Windows-1252",
    "iso-8859-1": "Latin-1",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "cp1253": "Windows-1253",
    "cp1254": "Windows-1254",
    "iso8859-2": "Latin-2",
    "koi8-r": "KOI8-R",
    "koi8-u": "KOI8-U",
    "cp850": "DOS 850",
    "cp865": "DOS 865",
    "cp866": "DOS 866",
    "gb18030": "GB 18030 (GB2312, GBK)",
    "big5": "Big5",
    "shift_jis": "Shift JIS",
    "euc_jp": "EUC-JP",
    "euc_kr": "EUC-KR",
}
ENCODINGS: Final = tuple(_LABELS)  # that a person can choose for a file
_OTHER_KINDS = (
    (b"PK\x03\x04", Message("a ZIP archive or an office file (.docx, .xlsx, .odt)")),
    (b"PK\x05\x06", Message("an empty ZIP archive")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Message("an old office file (.doc, .xls, .ppt)")),
    (b"%PDF-", Message("a PDF")),
    (b"{\\rtf", Message("a rich text file (.rtf)")),
    (b"\x89PNG\r\n\x1a\n", Message("a PNG picture")),
    (b"\xff\xd8\xff", Message("a JPEG picture")),
    (b"GIF87a", Message("a GIF picture")),
    (b"GIF89a", Message("a GIF picture")),
    (b"\x1f\x8b", Message("a gzip archive")),
    (b"7z\xbc\xaf\x27\x1c", Message("a 7-Zip archive")),
    (b"Rar!\x1a\x07", Message("a RAR archive")),
    (b"BZh", Message("a bzip2 archive")),
    (b"\xfd7zXZ\x00", Message("an xz archive")),
    (b"SQLite format 3\x00", Message("a SQLite database")),
    (b"\x7fELF", Message("a program")),
    (b"MZ\x90\x00", Message("a program")),
    (b"ID3", Message("a sound file")),
    (b"OggS", Message("a sound or video file")),
    (b"\x1aE\xdf\xa3", Message("a video file")),
)
# Python codecs that are not encodings of text files, or that write a byte order mark
_REFUSED = {
    "utf-7",
    "utf-8-sig",
    "utf-16",
    "utf-32",
    "unicode-escape",
    "raw-unicode-escape",
    "idna",
    "punycode",
    "mbcs",
    "oem",
}
_SAVE_AS_TEXT = Message("save it as plain text (.txt, UTF-8) and open that file")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_BAD_IN_NAMES = re.compile(r'[<>:"|?*\\/]')
_RESERVED_NAMES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)
_MAX_NAME = 100

# Characters that start a formula in a spreadsheet, including their full-width forms.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of a file without its byte order mark, and its encoding.

    `mark + text.encode(encoding)` equals the file's bytes. `note` informs the user if the encoding was guessed.
    """

    text: str
    encoding: str
    mark: bytes
    note: str | None

    @property
    def label(self) -> str:
        """The display name of the encoding: "Windows-1252"."""
        return encoding_label(self.encoding)


def encoding_label(encoding: str) -> str:
    """The display name of a codec: "cp1252" -> "Windows-1252"."""
    return _LABELS.get(encoding, encoding)


def codec_of(encoding: str) -> str | None:
    """The codec of a text encoding that a person typed, by its name in `ENCODINGS` if it is there; None for others."""
    try:
        found = codecs.lookup(encoding)
        is_usable = found._is_text_encoding and found.encode("a")[1] == 1 and found.name not in _REFUSED
    except (LookupError, UnicodeError, ValueError):
        return None
    name = next((known for known in ENCODINGS if codecs.lookup(known).name == found.name), found.name)
    return name if is_usable else None


def decode_text(
    data: bytes, name: str, error: type[AppError], encoding: str | None = None, otherwise: str | None = None
) -> DecodedText:
    """Decodes `data` as `encoding`, a codec's name, if given.

    Else by its byte order mark, as UTF-8, UTF-16 without a mark, or as the first of these that fits: Windows-1251 or
    KOI8-R if most words are Cyrillic then; GB 18030, EUC-JP or EUC-KR if all letters come in pairs; Windows-1250 if
    letters of Czech, Hungarian or Polish would be other signs; Windows-1252; Shift JIS, DOS 866; Latin-1.
    `otherwise` is the encoding that the format prescribes in place of these guesses.

    Raises `error`, with the file name and a remedy, for empty files, binary files and damaged text.
    """
    if not data:
        raise error(Message("{name} is empty (0 bytes): choose a file with text in it", name=name))
    if kind := other_kind(data):
        raise error(Message("{name} is {kind}, not plain text: {cure}", name=name, kind=kind, cure=_SAVE_AS_TEXT))
    decoded = _decode(data, name, error, otherwise) if encoding is None else _decode_as(data, encoding, name, error)
    num_controls = sum(1 for _ in _CONTROLS.finditer(decoded.text))
    if num_controls > max(1, len(decoded.text) // 100):
        raise error(Message("{name} is a binary file, not plain text: {cure}", name=name, cure=_SAVE_AS_TEXT))
    if not decoded.text.strip():
        raise error(Message("{name} contains only white space: choose a file with text in it", name=name))
    return decoded


def other_kind(data: bytes) -> Message | None:
    """The kind of file that these bytes begin like, if it is one that has no text of its own; otherwise None."""
    return next((kind for start, kind in _OTHER_KINDS if data.startswith(start)), None)


def _decode(data: bytes, name: str, error: type[AppError], otherwise: str | None) -> DecodedText:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_marked(data, mark, encoding, name, error)
    if b"\0" in data:
        return _decode_wide(data, name, error)
    try:
        return DecodedText(data.decode("utf-8"), "utf-8", b"", None)
    except UnicodeDecodeError as problem:
        if is_damaged_utf8(data):
            line = data.count(b"\n", 0, problem.start) + 1
            byte = data[problem.start]
            raise error(
                Message(
                    "{name}, line {line}: byte 0x{byte:02X} is not valid in UTF-8, the encoding of the rest of the "
                    "file: correct this line in a text editor, save the file as UTF-8 and open it again",
                    name=name,
                    line=line,
                    byte=byte,
                )
            ) from problem
    for encoding in [otherwise] if otherwise else likely_encodings(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        note = Message(
            "{name} is not UTF-8 and was read as {encoding}. If characters such as ä, é or “ look wrong, choose "
            "another encoding, or save the file as UTF-8 and open it again.",
            name=name,
            encoding=encoding_label(encoding),
        )
        return DecodedText(text, encoding, b"", note)
    raise AssertionError("Latin-1 reads any bytes")


def _decode_as(data: bytes, encoding: str, name: str, error: type[AppError]) -> DecodedText:
    """The text in the encoding that a person has chosen."""
    label = encoding_label(encoding)
    mark = next((mark for mark, its_encoding in _MARKS if its_encoding == encoding and data.startswith(mark)), b"")
    return decode_exactly(
        data,
        encoding,
        mark,
        invalid=lambda line, byte: error(
            Message(
                "{name}, line {line}: byte 0x{byte:02X} is not valid in {encoding}: choose another encoding",
                name=name,
                line=line,
                byte=byte,
                encoding=label,
            )
        ),
        changed=lambda: error(
            Message(
                "{name} cannot be saved again unchanged in {encoding}: choose another encoding",
                name=name,
                encoding=label,
            )
        ),
    )


def decode_exactly(
    data: bytes, encoding: str, mark: bytes, *, invalid: Callable[[int, int], AppError], changed: Callable[[], AppError]
) -> DecodedText:
    """The text behind the byte order mark, if encoding it again gives the same bytes.

    Raises `invalid(line, byte)` for bytes that are not valid in the encoding, `changed()` for other bytes.
    """
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, len(mark) + problem.start) + 1
        raise invalid(line, problem.object[problem.start]) from problem
    if mark + text.encode(encoding) != data:
        raise changed()
    return DecodedText(text, encoding, mark, None)


def _decode_marked(data: bytes, mark: bytes, encoding: str, name: str, error: type[AppError]) -> DecodedText:
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as problem:
        label = encoding_label(encoding)
        raise error(
            Message(
                "{name} starts as {label}, but byte {count} is not valid in that encoding; the file may be "
                "truncated: save it again as UTF-8 and open that file",
                name=name,
                label=label,
                count=len(mark) + problem.start + 1,
            )
        ) from problem
    if not text:
        raise error(Message("{name} contains only a byte order mark: choose a file with text in it", name=name))
    note = None
    if encoding != "utf-8":
        note = Message("{name} was read as {encoding}.", name=name, encoding=encoding_label(encoding))
    return DecodedText(text, encoding, mark, note)


def _decode_wide(data: bytes, name: str, error: type[AppError]) -> DecodedText:
    """UTF-16 without a mark: zero bytes at even or odd offsets only, and only assigned characters."""
    side = 0 if data[1::2].count(0) == 0 else 1 if data[0::2].count(0) == 0 else None
    if side is not None:
        encoding = "utf-16-be" if side == 0 else "utf-16-le"
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            text = "\0"
        if all(c in "\t\n\r\f\v" or unicodedata.category(c) not in ("Cc", "Cn") for c in set(text)):
            note = Message(
                "{name} has no byte order mark and was read as {encoding}.",
                name=name,
                encoding=encoding_label(encoding),
            )
            return DecodedText(text, encoding, b"", note)
    if data.count(0) <= max(1, len(data) // 1000) and not _CONTROLS.search(data.replace(b"\0", b"").decode("latin-1")):
        raise error(
            Message(
                "{name}, line {line}: the character NUL is not allowed in a text: remove it and open the file again",
                name=name,
                line=data.count(b"\n", 0, data.index(0)) + 1,
            )
        )
    raise error(Message("{name} is a binary file, not plain text: {cure}", name=name, cure=_SAVE_AS_TEXT))


def unencodable(text: str, encoding: str) -> tuple[str, ...]:
    """The distinct characters of `text` that `encoding` does not support, in order of first occurrence."""
    return tuple(c for c in dict.fromkeys(text) if not _can_write(c, encoding))


def _can_write(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def safe_name(name: str, default: str) -> str:
    """`name` as a file name that is safe on any system; `default` if no character remains.

    Removes folders, control and direction characters: "..\\\\..\\\\etc/pass|wd.txt" -> "pass_wd.txt".
    """
    base = re.split(r"[\\/]", name)[-1]
    base = "".join(c for c in base if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
    base = _BAD_IN_NAMES.sub("_", base).strip(" .")
    if not base:
        return default
    if _RESERVED_NAMES.match(base):
        base = f"_{base}"
    stem, dot, extension = base.rpartition(".")
    if dot and len(extension) <= 10:
        return f"{stem[: _MAX_NAME - len(extension) - 1]}.{extension}"
    return base[:_MAX_NAME]


def escape_formula(cell: str) -> str:
    """Escapes a cell that a spreadsheet would run as a formula: "=1+1" -> "'=1+1".

    Also one that looks like an escaped cell, "'=1" -> "''=1", so that `unescape_formula` returns every cell unchanged.
    """
    return f"'{cell}" if _is_formula(cell.lstrip("'")) else cell


def unescape_formula(cell: str) -> str:
    """A cell without the apostrophe of `escape_formula`: "'=1+1" -> "=1+1"; other cells are unchanged."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell.lstrip("'")) else cell


def _is_formula(text: str) -> bool:
    return text.startswith(FORMULA_STARTS) or text.lstrip().startswith(FORMULA_STARTS)


def shortened_list(items: Iterable[str], limit: int = 5) -> str:
    """The items for a message, at most `limit` of them: "a, b, c and 4 more"."""
    every = list(items)
    shown = joined(", ", every[:limit])
    if len(every) <= limit:
        return shown
    return Message("{texts} and {count} more", texts=shown, count=len(every) - limit)
