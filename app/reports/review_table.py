"""A session as a Word document for reviewers: a table with a row for each segment, which can be imported again.

The first cell of a row has the number of the segment and an id: its index, and a checksum of its texts. The checksum
shows after the import whether the reviewer has changed the text, and whether the segment has changed since the export,
without a copy of the exported file. A line above the table has the id of the document. Both are visible text, because
word processors other than Word drop hidden text and properties. Changes are tracked when the file opens in Word.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import compress
from typing import Final, Literal

from app.access.actor import Actor
from app.collector import collector_paused
from app.errors import CommandError
from app.formats.base import Comment
from app.formats.documents import Document, Export
from app.formats.read_file import MAX_SEGMENTS
from app.formats.word_xml import COMMENTS_TYPE, RELATIONS, WORD, comment_marks, comment_xml, run_xml
from app.formats.xml_text import escape
from app.i18n import Message, translated
from app.log.store import LogStore
from app.reports.interchange import xml_text
from app.reports.jsonl import export_name
from app.segments.state import SegmentState
from app.segments.stored_state import restore_segment
from app.text.nontranslatables import NUMBERED_TAG
from app.text.writing_direction import is_right_to_left

ID_LENGTH: Final = 10  # hexadecimal digits of the checksum of a row
FILE_MARK: Final = "PP-REVIEW-1"  # the version of the format
Rows = Literal["all", "open"]
_HEAD: Final = (
    Message("No."), Message("Source"), Message("Translation"), Message("Status"), Message("Comments"),
)  # fmt: skip
_INSTRUCTION: Final = Message(
    "Correct the texts in the column “Translation”; your changes are tracked. Write comments as comments of Word, or "
    "in the last column. Please do not change numbers, rows or tags such as {tag}, and send this file back.",
    tag="{1}",
)
_STATUS: Final[Mapping[str, Message]] = {
    "new": Message("Not translated"),
    "pretranslated": Message("From the memory"),
    "edited": Message("Edited"),
    "confirmed": Message("Confirmed"),
    "approved": Message("Approved"),
    "returned": Message("Returned"),
    "locked": Message("Locked"),
}
_RANGE: Final = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?", re.ASCII)
_LEFT_TO_RIGHT: Final = "\u200e"
_MARKED_TAG: Final = re.compile(rf"{_LEFT_TO_RIGHT}*({NUMBERED_TAG.pattern}){_LEFT_TO_RIGHT}*")
_WIDTHS: Final = (1500, 4950, 4950, 1400, 2600)  # of the columns, in twentieths of a point; A4, landscape
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_OFFICE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_HEADER: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SMALL: Final = '<w:color w:val="808080"/><w:sz w:val="12"/>'
_TAG: Final = '<w:rStyle w:val="Tag"/><w:noProof/>'
_STYLES: Final = f"""{_HEADER}<w:styles xmlns:w="{WORD}"><w:docDefaults><w:rPrDefault><w:rPr>\
<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Arial" w:eastAsia="Calibri"/><w:sz w:val="20"/><w:szCs w:val="20"/>\
</w:rPr></w:rPrDefault></w:docDefaults>\
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>\
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/><w:basedOn w:val="Normal"/>\
<w:pPr><w:spacing w:after="60"/></w:pPr><w:rPr><w:b/><w:sz w:val="28"/></w:rPr></w:style>\
<w:style w:type="character" w:styleId="Tag"><w:name w:val="Tag"/><w:rPr><w:rFonts w:ascii="Courier New" \
w:hAnsi="Courier New" w:cs="Courier New"/><w:color w:val="7B2D8B"/><w:sz w:val="18"/>\
<w:shd w:val="clear" w:color="auto" w:fill="F0E6F2"/></w:rPr></w:style></w:styles>"""
_SETTINGS: Final = f'{_HEADER}<w:settings xmlns:w="{WORD}"><w:trackRevisions/></w:settings>'
_BORDERS: Final = "".join(
    f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="BFBFBF"/>'
    for side in ("top", "left", "bottom", "right", "insideH", "insideV")
)


@dataclass(frozen=True, slots=True)
class RowChoice:
    """Which segments a table has. `numbers` are first and last numbers of ranges, `states` names of `_STATUS`.

    Without numbers or states, these leave out nothing.
    """

    numbers: tuple[tuple[int, int], ...] = ()
    states: frozenset[str] = frozenset()

    @classmethod
    def of(cls, segments: str = "", states: str = "") -> RowChoice:
        """The choice of numbers such as "1-40,57" and states such as "edited,confirmed". Raises CommandError."""
        names = frozenset(name.strip() for name in states.split(",") if name.strip())
        if unknown := sorted(names - _STATUS.keys()):
            raise CommandError(
                "{name!r} is not a state of segments; choose of: {names}.",
                name=unknown[0][:40],
                names=", ".join(_STATUS),
            )
        numbers = []
        for part in filter(None, map(str.strip, segments.split(","))):
            found = _RANGE.fullmatch(part)
            first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
            if not 1 <= first <= last:
                raise CommandError("{text!r} is no number of a segment: write them as 1-40,57.", text=part[:40])
            numbers.append((first, last))
        return cls(tuple(numbers), names)

    def __bool__(self) -> bool:
        return bool(self.numbers or self.states)

    def chosen(self, segments: Iterable[tuple[int, SegmentState]]) -> list[tuple[int, SegmentState]]:
        """Those of these numbered segments that the table has."""
        numbers = {number for first, last in self.numbers for number in range(first, min(last, MAX_SEGMENTS) + 1)}
        return [
            (number, segment)
            for number, segment in segments
            if (not numbers or number in numbers) and (not self.states or _state_of(segment) in self.states)
        ]


@collector_paused()
def session_review(
    actor: Actor,
    store: LogStore,
    session_id: int,
    language: str = "en",
    *,
    rows: Rows = "all",
    choice: RowChoice = RowChoice(),
) -> Export:
    """The segments as a table in a Word document, with the texts of people and of the memory, in the page's `language`.

    "open" leaves out locked segments and what is done: in a project with review the approved segments, otherwise the
    confirmed ones.
    """
    session = store.load_session(actor, session_id)
    project = store.project(actor, session.project_id)
    document, direction = session.document, session.direction
    segments = [(number, restore_segment(session.segments[i])) for number, i in enumerate(document.order, 1)]
    if rows == "open":
        has_review = project is not None and project.has_review
        open_ones = ((s.review != "approved" if has_review else not _done(s)) and not s.lock for _, s in segments)
        segments = [*compress(segments, open_ones)]
    segments = choice.chosen(segments)
    comments = comments_of((segment for _, segment in segments), store, session_id)
    data = _file(document, direction, segments, comments, language)
    kind = "review-selected" if choice else "review" if rows == "all" else "review-open"
    note = None
    if not segments:
        note = (
            Message("No segment is one of these, so the table is empty.")
            if choice
            else Message("No segment is open, so the table is empty.")
        )
    return Export(export_name(session, f"{direction.partition('-')[2]}.{kind}.docx"), data, note)


REVIEW_TABLES: Final[Mapping[str, Callable[..., Export]]] = {
    "review.docx": session_review,
    "review-open.docx": partial(session_review, rows="open"),
}


def comments_of(segments: Iterable[SegmentState], store: LogStore, session_id: int) -> dict[int, Comment]:
    """The comments of segments with the person who wrote each last, and when, by the index of the segment."""
    with_comment = [segment for segment in segments if segment.comment]
    written = {}
    if with_comment:
        written = {event.segment: event for event in store.events(session_id) if event.type == "comment"}
    found = {}
    for segment in with_comment:
        event = written.get(segment.index)
        author, when = (event.payload.get("person", ""), event.wall_ms) if event else ("", 0)
        found[segment.index] = Comment(0, 0, segment.comment, author, when)
    return found


def document_id(document: Document, direction: str) -> str:
    """Identifies the file of a document and its languages."""
    return hashlib.sha256(document.data + b"\0" + direction.encode()).hexdigest()[:16]


def row_checksum(source: str, target: str, *, is_confirmed: bool) -> str:
    """Identifies the state of a segment in a row; characters that XML does not allow count as replaced."""
    texts = (without_marks(xml_text(text)) for text in (source, target))
    text = "\0".join((*texts, "confirmed" if is_confirmed else ""))
    return hashlib.sha256(text.encode()).hexdigest()[:ID_LENGTH]


def without_marks(text: str) -> str:
    """The text without the direction marks that keep tags readable in a language written from right to left."""
    return _MARKED_TAG.sub(r"\1", text)


def _state_of(segment: SegmentState) -> str:
    """The name of the state in `_STATUS`; a proposal of the model is no translation yet."""
    return "locked" if segment.lock else "new" if segment.target is None else segment.review or segment.state


def _done(segment: SegmentState) -> bool:
    return segment.state == "confirmed"


def _file(
    document: Document,
    direction: str,
    segments: Sequence[tuple[int, SegmentState]],
    comments: Mapping[int, Comment],
    language: str,
) -> bytes:
    numbers = {index: number for number, index in enumerate(comments)}
    body = "".join(_body(document, direction, segments, numbers, language))
    listed = "".join(comment_xml(comments[index], number) for index, number in numbers.items())
    types = {"document": "document.main", "styles": "styles", "settings": "settings", "comments": "comments"}
    overrides = "".join(
        f'<Override PartName="/word/{part}.xml" ContentType="{_OFFICE}.{kind}+xml"/>' for part, kind in types.items()
    )
    related = "".join(
        f'<Relationship Id="rId{number}" Type="{RELATIONS}/{part}" Target="{part}.xml"/>'
        for number, part in enumerate(("styles", "settings", "comments"), 1)
    )
    assert COMMENTS_TYPE == f"{_OFFICE}.comments+xml"
    parts = {
        "[Content_Types].xml": f'{_HEADER}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>',
        "_rels/.rels": f'{_HEADER}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{RELATIONS}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'{_HEADER}<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{related}</Relationships>",
        "word/document.xml": f'{_HEADER}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        "word/styles.xml": _STYLES,
        "word/settings.xml": _SETTINGS,
        "word/comments.xml": f'{_HEADER}<w:comments xmlns:w="{WORD}">{listed}</w:comments>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text.encode("utf-8"))
    return file.getvalue()


def _body(
    document: Document,
    direction: str,
    segments: Sequence[tuple[int, SegmentState]],
    comments: Mapping[int, int],
    language: str,
) -> Iterator[str]:
    source, _, target = direction.partition("-")
    about = f"{source.upper()} → {target.upper()} · {datetime.now(UTC):%Y-%m-%d}"
    yield f'<w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr>{run_xml(document.name)}</w:p>'
    yield f"<w:p>{run_xml(about)}</w:p><w:p>{run_xml(translated(_INSTRUCTION, language))}</w:p>"
    yield f"<w:p>{run_xml(f'{FILE_MARK}-{document_id(document, direction)}-{len(segments)}', _SMALL)}</w:p>"
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in _WIDTHS)
    yield (
        f'<w:tbl><w:tblPr><w:tblW w:w="{sum(_WIDTHS)}" w:type="dxa"/><w:tblBorders>{_BORDERS}</w:tblBorders>'
        f'<w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>'
    )
    head = "".join(_cell(n, run_xml(translated(name, language), "<w:b/>"), "E7E6E6") for n, name in enumerate(_HEAD))
    yield f"<w:tr><w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>{head}</w:tr>"
    write_source, write_target = _writer(source), _writer(target)
    for number, segment in segments:
        text = segment.target or ""
        checksum = row_checksum(segment.source, text, is_confirmed=_done(segment))
        start, end = comment_marks(comments[segment.index]) if segment.index in comments else ("", "")
        status = translated(_STATUS[_state_of(segment)], language)
        yield "".join(
            (
                "<w:tr>",
                _cell(0, run_xml(f"{number}") + run_xml(f" {segment.index}_{checksum}", _SMALL)),
                _cell(1, write_source(segment.source), "F7F7F7", source),
                _cell(2, start + write_target(text) + end, "", target),
                _cell(3, run_xml(status)),
                _cell(4, "</w:p><w:p>".join(map(run_xml, segment.comment.split("\n")))),
                "</w:tr>",
            )
        )
    yield (
        '</w:tbl><w:p/><w:sectPr><w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/>'
        '<w:pgMar w:top="720" w:right="720" w:bottom="720" w:left="720" w:header="360" w:footer="360" w:gutter="0"/>'
        "</w:sectPr>"
    )


def _cell(column: int, runs: str, fill: str = "", language: str = "") -> str:
    shade = f'<w:shd w:val="clear" w:color="auto" w:fill="{fill}"/>' if fill else ""
    about = "<w:pPr><w:bidi/></w:pPr>" if language and is_right_to_left(language) else ""
    width = f'<w:tcW w:w="{_WIDTHS[column]}" w:type="dxa"/>'
    return f"<w:tc><w:tcPr>{width}{shade}</w:tcPr><w:p>{about}{runs}</w:p></w:tc>"


def _writer(language: str) -> Callable[[str], str]:
    """Writes a text of this language as runs, with tags in a style of their own."""
    code = escape(language.replace("_", "-"))
    mark = ""
    if is_right_to_left(language):
        mark = _LEFT_TO_RIGHT
        about = f'<w:rtl/><w:lang w:bidi="{code}"/>'
    else:
        about = f'<w:lang w:val="{code}" w:eastAsia="{code}"/>'

    def write(text: str) -> str:
        runs, end = [], 0
        for tag in NUMBERED_TAG.finditer(text):
            runs += [run_xml(text[end : tag.start()], about), run_xml(f"{mark}{tag.group()}{mark}", _TAG)]
            end = tag.end()
        return "".join([*runs, run_xml(text[end:], about)])

    return write
