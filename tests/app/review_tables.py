"""What a reviewer does in Word, with python-docx: texts and comments in a table for review, with tracked changes."""

from __future__ import annotations

import io
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.text.run import Run


def reviewed(
    data: bytes,
    texts: Mapping[int, str] | None = None,
    comments: Mapping[int, tuple[str, str]] | None = None,
    *,
    tracked: Mapping[int, tuple[str, str]] | None = None,
    notes: Mapping[int, str] | None = None,
    deleted: tuple[int, ...] = (),
    copied: tuple[int, ...] = (),
    pasted: Mapping[int, int] | None = None,
    is_wrapped: bool = False,
) -> bytes:
    """The table after the reviewer's work; rows are counted from 1.

    Args:
        texts: the new translations
        comments: the author and the text of a new comment
        tracked: in the translation, a word and its replacement as a tracked change
        notes: the text of the last column
        deleted: rows that are removed
        copied: rows that are there twice
        pasted: rows into whose translation another row is pasted, as Word does it: as a table
        is_wrapped: whether the whole table is moved into the cell of a new one
    """
    document = docx.Document(io.BytesIO(data))
    rows = list(document.tables[0].rows)
    for number, text in (texts or {}).items():
        rows[number].cells[2].text = text
    for number, (author, text) in (comments or {}).items():
        paragraph = rows[number].cells[2].paragraphs[0]
        document.add_comment(paragraph.runs or [paragraph.add_run()], text=text, author=author, initials="X")
    for number, text in (notes or {}).items():
        rows[number].cells[4].text = text
    for number, (old, new) in (tracked or {}).items():
        _track(rows[number].cells[2].paragraphs[0].runs, old, new)
    for number, other in (pasted or {}).items():
        inner = deepcopy(document.tables[0]._tbl)
        for row in inner.tr_lst:
            inner.remove(row)
        inner.append(deepcopy(rows[other]._tr))
        rows[number].cells[2].paragraphs[-1]._p.addprevious(inner)
    if is_wrapped:
        whole = document.tables[0]._tbl
        cell = document.add_table(1, 1).cell(0, 0)
        cell.paragraphs[0]._p.addprevious(whole)
    for number in copied:
        rows[number]._tr.addnext(deepcopy(rows[number]._tr))
    for number in deleted:
        rows[number]._tr.getparent().remove(rows[number]._tr)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _track(runs: list[Run], old: str, new: str) -> None:
    run = next(run for run in runs if old in run.text)
    start, _, end = run.text.partition(old)
    run.text = start
    after: Any = run._r
    for kind, text in (("del", old), ("ins", new), ("", end)):
        twin = deepcopy(run._r)
        for child in twin.findall(qn("w:t")):
            twin.remove(child)
        content = OxmlElement("w:delText" if kind == "del" else "w:t")
        content.text = text
        content.set(qn("xml:space"), "preserve")
        twin.append(content)
        element = twin
        if kind:
            element = OxmlElement(f"w:{kind}")
            element.set(qn("w:id"), "900")
            element.set(qn("w:author"), "Ana")
            element.append(twin)
        after.addnext(element)
        after = element
