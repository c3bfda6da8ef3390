"""Valid sample files for the fuzzer, as other programs write them, by reader."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from docx import Document as WordDocument

from app.access.actor import OWNER
from app.formats.archive import pack
from app.log.store import LogStore
from app.reports.jsonl import session_jsonl
from tests.app.formats.srx_samples import PUBLISHED_STYLE
from tests.app.formats.test_android import FILE as ANDROID
from tests.app.formats.test_ass import FILE as ASS
from tests.app.formats.test_docx import LINK, sample, with_body
from tests.app.formats.test_html import PAGE
from tests.app.formats.test_html_attributes import PAGE as PAGE_WITH_VALUES
from tests.app.formats.test_idml import sample as idml_sample
from tests.app.formats.test_ios_strings import FILE as STRINGS
from tests.app.formats.test_json_strings import FILE as JSON
from tests.app.formats.test_markdown import FILE as MARKDOWN
from tests.app.formats.test_mdx import FILE as MDX
from tests.app.formats.test_odf import PRESENTATION
from tests.app.formats.test_odf import sample as odf_sample
from tests.app.formats.test_packages import SDLPPX
from tests.app.formats.test_po import FILE as PO
from tests.app.formats.test_pptx import edited
from tests.app.formats.test_pptx import sample as presentation
from tests.app.formats.test_properties import FILE as PROPERTIES
from tests.app.formats.test_resx import FILE as RESX
from tests.app.formats.test_stringsdict import FILE as STRINGSDICT
from tests.app.formats.test_subtitles import FILE as SRT
from tests.app.formats.test_table import READ_CASES as TABLES
from tests.app.formats.test_tmx import FILE as TMX
from tests.app.formats.test_webvtt import FILE as VTT
from tests.app.formats.test_xcstrings import FILE as XCSTRINGS
from tests.app.formats.test_xliff import V1, V2
from tests.app.formats.test_xliff_tools import MEMOQ, PHRASE, TRACKED, TRADOS
from tests.app.formats.test_xlsx import sample as xlsx_document
from tests.app.formats.test_xlsx import with_drawings as workbook_with_drawings
from tests.app.formats.test_xml_document import CATALOG, DITA
from tests.app.formats.test_yaml_strings import FILE as YAML
from tests.app.glossary.test_glossary_columns import MULTITERM
from tests.app.glossary.test_glossary_formats import TBX_V2, TBX_V3, UTX, workbook
from tests.app.reports.sample_session import log_sample_session
from tests.app.tm.test_trados_memory import BOLD, END, FIELD, segment, text
from tests.app.tm.test_trados_memory import memory as trados_memory
from tests.app.workspace.test_memory import FILE as MEMORY

ROOT = Path(__file__).parents[2]
_FIELD = (
    '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "x" </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>shown</w:t></w:r>'
    '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    '<w:r><w:tab/><w:br/><w:t xml:space="preserve"> after. </w:t></w:r></w:p>'
)
_TERMS = [
    ["en", "de", "status", "note"],
    ["router", "Router", "preferred", "=1+1"],
    ["power cable", "Netzkabel", "", 7],
]


def lines(start: int, count: int) -> bytes:
    """Real English and German lines of the corpus sample."""
    every = (ROOT / "tests/data/corpus_sample.tsv").read_text(encoding="utf-8").split("\n")
    rows = [line.split("\t")[-1] for line in every if not line.startswith("# ")]
    return "\n".join(rows[start : start + count]).encode()


def _plain_word_file() -> bytes:
    word = WordDocument()
    for line in lines(300, 30).decode().split("\n"):
        word.add_paragraph(line)
    target = io.BytesIO()
    word.save(target)
    return target.getvalue()


def _drawings_added(data: bytes) -> bytes:
    """The Word document with a chart, and a diagram with its picture, related to the body."""
    text = '<a:p><a:r><a:rPr lang="en-US"/><a:t>{}</a:t></a:r></a:p>'
    space = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    kinds = {
        "chart1": ("chart", "drawingml.chart", "Sold doors"),
        "data1": ("diagramData", "drawingml.diagramData", "First step"),
        "drawing1": ("diagramDrawing", "ms-office.drawingml.diagramDrawing", "First step"),
    }
    relations = "".join(
        f'<Relationship Id="x{name}" Type="http://x/{kind}" Target="{name}.xml"/>' for name, (kind, *_) in kinds.items()
    )
    types = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="application/vnd.openxmlformats.{kind}+xml"/>'
        for name, (_, kind, _) in kinds.items()
    )
    data = edited(data, "word/_rels/document.xml.rels", lambda xml: xml.replace("</Rel", f"{relations}</Rel"))
    data = edited(data, "[Content_Types].xml", lambda xml: xml.replace("</Types", f"{types}</Types"))
    target = io.BytesIO(data)
    with zipfile.ZipFile(target, "a") as archive:
        for name, (kind, _, shown) in kinds.items():
            archive.writestr(f"word/{name}.xml", f"<x:{kind} xmlns:x='x' {space}>{text.format(shown)}</x:{kind}>")
    return target.getvalue()


def word_with_extras() -> bytes:
    """A Word file with a comment, a chart, a diagram and a title."""
    word = WordDocument()
    word.core_properties.title, word.core_properties.comments = "The title & more", ""
    run = word.add_paragraph("One house.").add_run(" Two doors.")
    word.add_comment(run, "Is it so?", author="A", initials="A")
    stream = io.BytesIO()
    word.save(stream)
    return _drawings_added(stream.getvalue())


def _recorded_log() -> tuple[bytes, bytes]:
    """A log's database, and its session as JSON Lines."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.sqlite"
        store = LogStore.open(path)
        lines = session_jsonl(OWNER, store, log_sample_session(store)).data
        store.close()
        return path.read_bytes(), lines


_TEMPLATE = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"

#: main.c:1
#, c-format
msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
"""
_ARB = """{"@@locale": "en", "files": "{n, plural, =0{No file} one{One {kind} file} other{# {kind} files}}",
"@files": {"description": "How many", "placeholders": {"n": {}}}, "home": "It''s '{'here'}'"}
"""


@cache
def documents() -> dict[str, list[bytes]]:
    """Documents by file extension."""
    return {
        "txt": [(ROOT / "data/samples/getting-started.txt").read_bytes(), lines(0, 40), lines(900, 40)],
        "md": [MARKDOWN.encode(), (ROOT / "README.md").read_bytes()],
        "mdx": [MDX.encode()],
        "html": [PAGE.encode(), PAGE_WITH_VALUES.encode()],
        "docx": [sample(), with_body(f"<w:p>{LINK}</w:p>{_FIELD}"), _plain_word_file()],
        "pptx": [presentation()],
        "xlsx": [xlsx_document(), workbook_with_drawings()],
        "odt": [odf_sample()],
        "odp": [odf_sample(PRESENTATION, "presentation")],
        "idml": [idml_sample()],
        "xlf": [V1.encode(), V2.encode()],
        "sdlxliff": [TRADOS.encode(), TRACKED.encode()],
        "mqxliff": [MEMOQ.encode()],
        "mxliff": [PHRASE.encode()],
        "po": [PO],
        "pot": [_TEMPLATE.encode()],
        "tmx": [TMX],
        "srt": [SRT.encode()],
        "vtt": [VTT.encode()],
        "resx": [RESX.encode()],
        "stringsdict": [STRINGSDICT.encode()],
        "xcstrings": [XCSTRINGS.encode()],
        "yml": [YAML.encode()],
        "ass": [ASS.encode()],
        "strings": [STRINGS.encode()],
        "json": [JSON.encode()],
        "arb": [_ARB.encode()],
        "properties": [PROPERTIES.encode()],
        "xml": [ANDROID.encode()],
        "dita": [DITA.encode(), CATALOG.encode()],
        "csv": [data for data, *_ in TABLES],
    }


@cache
def glossaries() -> dict[str, list[bytes]]:
    """Glossaries by file format."""
    return {
        "tsv": [(ROOT / "data/samples/glossary.tsv").read_bytes()],
        "csv": [
            b'source,target,variants,case\nrouter,"Router, der",Verteiler|Weiche,exact\n',
            b"a;b;en;de\nc;d;de;en\n",
        ],
        "xlsx": [workbook(_TERMS), workbook([], _TERMS)],
        "tbx": [TBX_V2.encode(), TBX_V3.encode()],
        "utx": [UTX.encode()],
        "tmx": [MEMORY],
        "multiterm": [MULTITERM.encode("utf-16")],
    }


@cache
def segmentation_rules() -> list[bytes]:
    """Segmentation rules (SRX)."""
    return [PUBLISHED_STYLE, PUBLISHED_STYLE.replace(b'cascade="yes"', b'cascade="no"')]


def memories() -> list[bytes]:
    """Translation memories (TMX)."""
    return [MEMORY, TMX]


@cache
def trados_memories() -> list[bytes]:
    """Translation memories of Trados Studio (SQLite)."""
    tagged = segment(BOLD, text("Open"), END, FIELD), segment(BOLD, text("Öffnen"), END, FIELD)
    return [trados_memory([tagged, (segment(text("Save &amp; close")), segment(text("Speichern")))])]


def archives() -> list[bytes]:
    """Archives of documents: a ZIP and a package of Trados."""
    return [pack({"a/b.txt": b"One.\n", "c.png": b"\x89PNG", "d.html": b"<p>Two.</p>"}), pack(SDLPPX)]


@cache
def logs() -> list[bytes]:
    """Exported sessions (JSON Lines)."""
    return [_recorded_log()[1]]


@cache
def databases() -> list[bytes]:
    """The log's file (SQLite)."""
    return [_recorded_log()[0]]
