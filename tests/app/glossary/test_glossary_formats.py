"""Workbooks, both TBX versions, UTX and TMX: files written by other libraries, and hostile files."""

from __future__ import annotations

import io
import zipfile

import openpyxl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from translate.storage.tbx import tbxfile, tbxunit
from translate.storage.tmx import tmxfile
from translate.storage.utx import UtxFile
from xlsxwriter import Workbook

from app.errors import GlossaryError
from app.glossary.reading import spreadsheet
from app.glossary.reading.glossary_file import GlossaryImport, read_glossary

WORDS = [("router", "Router"), ("power cable", "Netzkabel"), ("R&D <unit>", "F&E-„Abteilung“")]


def pairs(imported: GlossaryImport) -> list[tuple[str, str]]:
    return [(term.source, term.target) for term in imported.terms]


def workbook(*sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def test_first_sheet_with_content_of_a_workbook_is_read():
    imported = read_glossary(workbook([], [["de", "en"], ["Router", "router"], [], [7, "seven"]]), "g.xlsx", "en-de")
    assert pairs(imported) == [("router", "Router"), ("seven", "7")]
    assert [term.row for term in imported.terms] == [2, 4], "rows as the sheet counts them"
    assert "Only the sheet" in imported.notes[0]


def test_carriage_returns_in_a_workbook_are_white_space():
    target = io.BytesIO()
    with Workbook(target) as book:
        book.add_worksheet().write_row("A1", ["access\r\npoint", "Zugangspunkt\r"])
    assert pairs(read_glossary(target.getvalue(), "g.xlsx", "en-de")) == [("access point", "Zugangspunkt")]


def test_errors_in_a_workbook_name_the_row_of_the_sheet():
    imported = read_glossary(workbook([["router", "Router"], [], ["alone"]]), "g.xlsx")
    assert [(error.row, error.kind) for error in imported.errors] == [(3, "columns")]


def test_tbx_written_by_translate_toolkit_is_read():
    store = tbxfile()
    for source, target in WORDS:
        unit = tbxunit(source)
        unit.target = target
        store.addunit(unit)
    data = bytes(store)
    for direction, languages in ((None, WORDS), ("en-de", WORDS), ("de-en", [(b, a) for a, b in WORDS])):
        imported = read_glossary(data, "g.tbx", direction)  # the language of the targets is "xx"
        assert pairs(imported) == languages
        assert any("in place of a language" in note for note in imported.notes)
    with pytest.raises(GlossaryError, match="has terms in en, xx, not in fr → de"):
        read_glossary(data, "g.tbx", "fr-de")
    known = read_glossary(data.replace(b'xml:lang="xx"', b'xml:lang="de"'), "g.tbx", None)
    assert pairs(known) == WORDS and len(known.notes) == 1


def test_tmx_written_by_translate_toolkit_is_read():
    store = tmxfile()
    for source, target in WORDS:
        store.addtranslation(source, "en", target, "de")
    assert pairs(read_glossary(bytes(store), "g.tmx", "en-de")) == WORDS
    assert pairs(read_glossary(bytes(store), "g.tmx", "de-en")) == [(target, source) for source, target in WORDS]


def test_utx_written_by_translate_toolkit_is_read():
    store = UtxFile()
    store.setsourcelanguage("en")
    store.settargetlanguage("de")
    for source, target in WORDS:
        unit = store.addsourceunit(source)
        unit.target = target
    data = bytes(store)
    assert data.startswith(b"#UTX")
    assert pairs(read_glossary(data, "g.utx", "en-de")) == WORDS


TBX_V2 = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXBasiccoreStructV02.dtd">
<martif type="TBX-Basic" xml:lang="en"><text><body>
<termEntry id="c1"><descrip type="definition">A net of computers.</descrip>
 <langSet xml:lang="en-US"><tig><term>network</term></tig></langSet>
 <langSet xml:lang="de"><tig><term>Verbund</term></tig>
  <tig><term>Netzwerk</term><termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></tig>
  <ntig><termGrp><term>Netz</term>
   <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></termGrp></ntig>
 </langSet></termEntry>
<termEntry><langSet xml:lang="en"><tig><term>alone</term></tig></langSet></termEntry>
</body></text></martif>"""
TBX_V3 = """<?xml version="1.0"?>
<tbx xmlns="urn:iso:std:iso:30042:ed-2" xmlns:min="http://www.tbxinfo.net/ns/min" type="TBX-Min" style="dct">
<text><body><conceptEntry><basic:definition xmlns:basic="x">A net of computers.</basic:definition>
 <langSec xml:lang="en"><termSec><term>network</term></termSec></langSec>
 <langSec xml:lang="de"><termSec><term>Verbund</term></termSec>
  <termSec><term>Netzwerk</term><min:administrativeStatus>preferredTerm-admn-sts</min:administrativeStatus></termSec>
  <termSec><term>Netz</term><min:administrativeStatus>deprecatedTerm-admn-sts</min:administrativeStatus></termSec>
 </langSec></conceptEntry>
<conceptEntry><langSec xml:lang="en"><termSec><term>alone</term></termSec></langSec></conceptEntry>
</body></text></tbx>"""


TBX_DCA = """<?xml version="1.0"?>
<tbx xmlns="urn:iso:std:iso:30042:ed-2" type="TBX-Basic" style="dca" xml:lang="en"><text><body>
<conceptEntry id="c1"><descrip type="definition">A net of computers.</descrip>
 <langSec xml:lang="en"><termSec><term>network</term></termSec></langSec>
 <langSec xml:lang="de"><termSec><term>Verbund</term></termSec>
  <termSec><term>Netzwerk</term><termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></termSec>
  <termSec><term>Netz</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></termSec>
 </langSec></conceptEntry>
<conceptEntry><langSec xml:lang="en"><termSec><term>alone</term></termSec></langSec></conceptEntry>
</body></text></tbx>"""
TBX_MIN = """<?xml version="1.0"?>
<TBX dialect="TBX-Min"><header><id>x</id><languages source="en" target="de"/></header><body>
<entry id="c1"><note>A net of computers.</note>
 <langGroup xml:lang="en"><termGroup><term>network</term></termGroup></langGroup>
 <langGroup xml:lang="de"><termGroup><term>Verbund</term><termStatus>admitted</termStatus></termGroup>
  <termGroup><term>Netzwerk</term><termStatus>preferred</termStatus></termGroup>
  <termGroup><term>Netz</term><termStatus>notRecommended</termStatus></termGroup></langGroup></entry>
<entry><langGroup xml:lang="en"><termGroup><term>alone</term></termGroup></langGroup></entry>
</body></TBX>"""


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (TBX_V2, "TBX-Basic"),
        (TBX_V3, "TBX-Min (DCT)"),
        (TBX_V3.replace("TBX-Min", "TBX-Core").replace('style="dct"', ""), "TBX-Core"),
        (TBX_DCA, "TBX-Basic (DCA)"),
        (TBX_MIN, "TBX-Min"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_every_dialect_of_tbx_is_named_and_distinguishes_preferred_admitted_and_deprecated(
    text: str, dialect: str, encoding: str
):
    data = text.replace(' encoding="UTF-8"', "").encode(encoding)
    imported = read_glossary(data, "g.tbx", "en-de")
    preferred, forbidden = imported.terms
    assert (preferred.target, preferred.variants, preferred.status) == ("Netzwerk", ("Verbund",), "preferred")
    assert preferred.note == "A net of computers."
    assert (forbidden.source, forbidden.target, forbidden.status) == ("network", "Netz", "forbidden")
    assert [(error.row, error.kind) for error in imported.errors] == [(2, "empty")]
    assert imported.notes[0] == f"The dialect of the file is {dialect}."


UTX = """#UTX 1.20; de-DE/en-US; 2026
#src\ttgt\tsrc:pos\tterm status
Netz\tnet\tnoun\tforbidden
Rechner\tPC\tnoun\tapproved
"""


def test_utx_of_the_opposite_direction_is_swapped_and_keeps_forbidden_terms():
    terms = read_glossary(UTX.encode(), "g.utx", "en-de").terms
    assert [(term.source, term.target, term.status) for term in terms] == [
        ("net", "Netz", "forbidden"), ("PC", "Rechner", "preferred"),
    ]  # fmt: skip


def test_inline_tags_are_not_part_of_a_term():
    data = b"""<tmx version="1.4"><body><tu>
    <tuv xml:lang="en"><seg>power <bpt i="1">&lt;b&gt;</bpt>cable<hi>s</hi></seg></tuv>
    <tuv xml:lang="de"><seg>Netzkabel</seg></tuv></tu></body></tmx>"""
    assert pairs(read_glossary(data, "g.tmx", "en-de")) == [("power cables", "Netzkabel")]


def bomb() -> bytes:
    """A workbook with a part of 3 MiB when unpacked; the limit in the test is 2 MiB."""
    target = io.BytesIO(workbook([["door", "Tür"]]))
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", bytes(3 * 2**20))
    return target.getvalue()


def many_strings(num_strings: int) -> bytes:
    """A workbook that begins with an empty sheet, and has so many shared texts."""
    target = io.BytesIO(workbook([["door", "Tür"]]))
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", f"<sst>{'<si><t/></si>' * num_strings}</sst>")
    return target.getvalue()


@pytest.mark.parametrize("num_strings", [1000, 1001, 200_000])
def test_workbook_with_too_many_shared_texts_is_refused_before_they_are_read(
    monkeypatch: pytest.MonkeyPatch, num_strings: int
):
    monkeypatch.setattr(spreadsheet, "MAX_STRINGS", 1000)
    data = many_strings(num_strings)
    if num_strings <= 1000:
        assert pairs(read_glossary(data, "g.xlsx", "en-de")) == [("door", "Tür")]
    else:
        with pytest.raises(GlossaryError, match=r"more than 1,000 texts.*\.csv"):
            read_glossary(data, "g.xlsx", "en-de")


def test_table_of_one_endless_line_is_refused_with_its_number():
    with pytest.raises(GlossaryError, match="line 2 has more than 1,000,000 characters"):
        read_glossary(b"a,b\n" + b"x," * 600_000, "g.csv", "en-de")


ENTITIES = (
    b"""<?xml version="1.0"?><!DOCTYPE tbx [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><tbx><text>&b;</text></tbx>"""
)
OUTSIDE = (
    b"""<?xml version="1.0"?><!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]><tmx><body>&x;</body></tmx>"""
)


def hostile_sheet() -> bytes:
    """A workbook whose sheet declares an entity."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook([["a", "b"]]))) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if "sheet1" in info.filename:
                data = b'<!DOCTYPE x [<!ENTITY a "boom">]>' + data.replace(b"<c ", b"&a;<c ", 1)
            new.writestr(info.filename, data)
    return target.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (ENTITIES, "its own entities"),
        (OUTSIDE, "its own entities"),
        (b"<tbx><text>", "not well-formed"),
        (b"<tbx><x:termEntry/></tbx>", "not valid XML .unbound prefix"),
        (b"<tmx/>", "no terms"),
        (hostile_sheet(), "cannot be read"),
        (bomb(), "when unpacked"),
        (workbook([]), "no terms"),
        (b"<?xml version='1.0'?>\n<xliff/>", "^g is damaged or not a TBX, TMX or MultiTerm file"),
    ],
    ids=[
        "entity bomb",
        "external entity",
        "cut off",
        "unbound prefix",
        "no units",
        "entity in a sheet",
        "zip bomb",
        "empty sheet",
        "another kind of XML",
    ],
)
def test_hostile_and_damaged_files_are_refused_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, data: bytes, message: str
):
    monkeypatch.setattr(spreadsheet, "MAX_UNPACKED_BYTES", 2 * 2**20)
    with pytest.raises(GlossaryError, match=message):
        read_glossary(data, "g", "en-de")


BASES = [TBX_V2.encode(), TBX_V3.encode(), UTX.encode(), workbook([["a", "b"], ["c", "d"]])]


@given(st.sampled_from(BASES), st.integers(0, 6000), st.binary(max_size=8))
@example(BASES[2], 138, b"\x01      ")  # the header lacks the column of the source
@example(BASES[3], BASES[3].index(b"PK\x01\x02") + 6, b"@")  # the version of the archive's format
def test_damaged_file_gives_terms_or_a_glossary_error(base: bytes, at: int, put: bytes):
    at %= len(base)
    try:
        imported = read_glossary(base[:at] + put + base[at + len(put) :], "g", "en-de")
    except GlossaryError:
        return
    assert all(term.source and term.target for term in imported.terms)


MEMOQ = (
    "Entry_ID;Entry_Subject;English;English_Def;English_Term_Info;German;German_Def;German_Term_Info\n"
    "1;IT;router;a device;noun;Router;ein Gerät;der\n"
)
SEVERAL = (
    "Description [en];Term [en];Part of speech [en];Term [fr];Term [de];Status [de]\nx;router;noun;routeur;Router;ok\n"
)
LONG = "Definition,English (United States) [en-US],German (Germany) [de-DE],Labels\na device,router,Router,IT\n"
REGIONS = "Key,English (United States),French (Canada),German (Germany)\n1,router,routeur,Router\n"


@pytest.mark.parametrize("text", [MEMOQ, SEVERAL, LONG, REGIONS])
def test_headers_of_term_bases_name_the_columns_of_the_terms(text: str):
    assert pairs(read_glossary(text.encode(), "g.csv", "en-de")) == [("router", "Router")]


def test_columns_of_another_language_pair_are_refused():
    with pytest.raises(GlossaryError, match=r"g\.csv has columns for en, fr, not for en → de"):
        read_glossary(b"en,fr\nhouse,maison\n", "g.csv", "en-de")
    # words that are language codes, too: rows of function words, which are held until a person decides
    assert [held.row for held in read_glossary(b"it\tes\nyou\tdu\n", "g.tsv", "en-de").held] == [1, 2]


def test_line_break_in_a_quoted_cell_belongs_to_the_cell():
    text = 'source,target,note\nrouter,Router,"first\nsecond ""line"""\nbad,"never closed\ndoor,Tür,ok\n'
    imported = read_glossary(text.encode(), "g.csv", "en-de")
    assert pairs(imported) == [("router", "Router"), ("door", "Tür")]
    assert imported.terms[0].note == 'first second "line"'
    assert [error.row for error in imported.errors] == [4]


def test_error_for_tbx_without_the_language_lists_its_languages():
    section = "<langSet xml:lang='{}'><tig><term>{}</term></tig></langSet>"
    entry = "<termEntry>" + section.format("en", "house") + section.format("fr", "maison") + "</termEntry>"
    data = f"<martif type='TBX'><text><body>{entry}</body></text></martif>".encode()
    with pytest.raises(GlossaryError, match=r"g\.tbx has terms in en, fr, not in en → de"):
        read_glossary(data, "g.tbx", "en-de")
