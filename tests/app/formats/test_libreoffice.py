"""Translated Word documents open in LibreOffice, if installed, with everything in its place."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from docx import Document as WordDocument
from lxml import etree

from app.formats.read_file import read_document
from tests.app.formats.test_docx import LINK, changed, saved
from tests.app.formats.test_docx_practice import ALT_TEXT, CASES, DROP_CAP, REFERENCE, paragraph, run, with_notes

TAG = re.compile(r"(\{/?\d+\})")
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE = (
    '<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>'
    f'<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{paragraph(run("A wide cell."))}</w:tc></w:tr>'
    f"<w:tr><w:tc><w:tcPr/>{paragraph(run('Left.'))}</w:tc><w:tc><w:tcPr/>{paragraph(run('Right.'))}</w:tc></w:tr></w:tbl>"
)
BOX = (
    '<w:r><w:pict><v:rect xmlns:v="urn:schemas-microsoft-com:vml" style="width:100pt;height:50pt"><v:textbox>'
    "<w:txbxContent>{}</w:txbxContent></v:textbox></v:rect></w:pict></w:r>"
)
NOTE = '<w:r><w:footnoteReference w:id="1"/></w:r>'


def paragraphs_in(data: bytes, folder: Path, name: str) -> list[str]:
    """The text of each paragraph, including notes, boxes and cells, as LibreOffice reads it."""
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("no LibreOffice on this machine: install it to have this tried")
    (folder / f"{name}.docx").write_bytes(data)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [program, profile, "--headless", "--convert-to", "fodt", "--outdir", str(folder), f"{folder / name}.docx"]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    root = etree.parse(folder / f"{name}.fodt").getroot()
    return ["".join(element.itertext()).strip() for element in root.iter(f"{TEXT}p", f"{TEXT}h")]


def test_translated_document_opens_with_everything_in_its_place(tmp_path: Path) -> None:
    inside = paragraph(run("In a box. "), run("Bold", "<w:rPr><w:b/></w:rPr>")) + paragraph(run("Its second line."))
    word = WordDocument()
    remarked = word.add_paragraph().add_run("Words with a remark.")
    word.add_comment(remarked, "Is this so?", author="A", initials="A")
    word.sections[0].header.paragraphs[0].text = "The header"
    body = "".join(paragraph(content) for name, (content, *_) in CASES.items() if name != "comment")
    body += (
        DROP_CAP + REFERENCE + paragraph(run("A picture: "), ALT_TEXT) + paragraph(run("Beside."), BOX.format(inside))
    )
    body += TABLE + paragraph(LINK) + paragraph(run("With a note"), NOTE, run(" here."))
    data = with_notes(changed(saved(word), lambda xml: xml.replace("<w:body>", f"<w:body>{body}")))
    document = read_document(data, "a.docx")
    swapped = ["".join(p if TAG.fullmatch(p) else p.swapcase() for p in TAG.split(s.source)) for s in document.segments]
    before = paragraphs_in(data, tmp_path, "before")
    after = paragraphs_in(document.export(dict(enumerate(swapped))), tmp_path, "after")
    letters = [[sorted(re.sub(r"\s", "", text.casefold())) for text in texts] for texts in (before, after)]
    assert letters[0] == letters[1], "only deleted text may move within its paragraph"
    everything = " ".join(after)
    missing = [s for s in swapped if "{" not in s and s not in everything]
    assert missing in ([], ["tHE CHIEF PICTURE"]), "alternative text may be outside all paragraphs"
