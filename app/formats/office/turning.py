"""Turns Office files between languages written from left to right and from right to left.

A file in a right-to-left language has its direction in marks of its own: in Word in each paragraph, run, table and
section, in PowerPoint in each paragraph, table and style, in Excel in each sheet, in OpenDocument in page layouts and
styles. Only a file whose marks say the other direction is turned: an English text with one quotation in Arabic stays
as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from app.formats.base import Edit, splice
from app.formats.office.office_package import OfficePackage
from app.formats.xml_text import Node, Text, decode_xml, encode_xml, tree, with_attribute
from app.text.writing_direction import is_right_to_left

Turn = Callable[[Node, str], Iterator[Edit]]

# What follows the mark among the children of its parent (ECMA-376, Part 1: 17.3.1.26, 17.3.2.28, 17.4.59, 17.6.17).
_BEHIND: Final = {
    "pPr": frozenset(
        {
            "adjustRightInd", "snapToGrid", "spacing", "ind", "contextualSpacing", "mirrorIndents", "suppressOverlap",
            "jc", "textDirection", "textAlignment", "textboxTightWrap", "outlineLvl", "divId", "cnfStyle", "rPr",
            "sectPr", "pPrChange",
        }
    ),
    "rPr": frozenset({"cs", "em", "lang", "eastAsianLayout", "specVanish", "oMath", "rPrChange"}),
    "tblPr": frozenset(
        {
            "tblStyleRowBandSize", "tblStyleColBandSize", "tblW", "jc", "tblCellSpacing", "tblInd", "tblBorders", "shd",
            "tblLayout", "tblCellMar", "tblLook", "tblCaption", "tblDescription", "tblPrChange",
        }
    ),
    "sectPr": frozenset({"rtlGutter", "docGrid", "printerSettings", "sectPrChange"}),
}  # fmt: skip
_WORD_MARKS: Final = frozenset({"bidi", "rtl", "bidiVisual", "rtlGutter"})
_OFF: Final = frozenset({"0", "false", "off"})
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_STYLES_OF_SLIDES = re.compile(r"ppt/(?:slideMasters|slideLayouts|notesMasters)/[^/]+\.xml|ppt/presentation\.xml")
_LEVEL = re.compile(r"lvl\dpPr|defPPr")
_BEFORE_VIEWS: Final = ("sheetPr", "dimension")


def word_turned(new: Mapping[str, bytes], language: str) -> dict[str, bytes]:
    """The new parts of a Word document, in the direction of the language."""
    is_rtl = is_right_to_left(language)
    turned = dict(new)
    for name, data in new.items():
        if name.endswith(".xml") and b"wordprocessingml" in data[:4000]:
            turn = _to_right_to_left if is_rtl else _to_left_to_right
            turned[name] = _edited(data, name, turn)
    return turned


def slides_turned(package: OfficePackage, new: Mapping[str, bytes], language: str) -> dict[str, bytes]:
    """The new parts of a presentation and its masters and layouts, in the direction of the language."""
    is_rtl = is_right_to_left(language)
    slides = {name: data for name, data in new.items() if name.endswith(".xml") and b"drawingml" in data[:4000]}
    num_marked = sum(data.count(b' rtl="1"') for data in slides.values())
    num_paragraphs = sum(data.count(b"</a:p>") for data in slides.values())
    if not slides or (not is_rtl and 2 * num_marked <= num_paragraphs):
        return dict(new)
    styles = {name: package.read(name) for name in package.names if _STYLES_OF_SLIDES.fullmatch(name)}

    def turn(root: Node, text: str) -> Iterator[Edit]:
        return _drawing_edits(root, text, is_rtl=is_rtl)

    return {**new, **{name: _edited(data, name, turn) for name, data in {**styles, **slides}.items()}}


def sheets_turned(package: OfficePackage, new: Mapping[str, bytes], language: str) -> dict[str, bytes]:
    """The new parts of a workbook and its sheets, whose columns begin on the side where the language begins."""
    is_rtl = is_right_to_left(language)
    names = [name for name in package.names if _SHEET.fullmatch(name)]
    sheets = {name: new[name] if name in new else package.read(name) for name in names}
    num_marked = sum(b"rightToLeft=" in data for data in sheets.values())
    if not is_rtl and 2 * num_marked <= len(sheets):
        return dict(new)

    def turn(root: Node, text: str) -> Iterator[Edit]:
        return _sheet_edits(root, text, is_rtl=is_rtl)

    return {**new, **{name: _edited(data, name, turn) for name, data in sheets.items()}}


def open_document_turned(parts: Mapping[str, bytes], language: str) -> dict[str, bytes]:
    """The parts content.xml and styles.xml of an OpenDocument file, in the direction of the language."""
    is_rtl = is_right_to_left(language)
    styles = parts.get("styles.xml", b"")
    if not is_rtl and b'style:writing-mode="rl' not in styles:
        return dict(parts)

    def turn(root: Node, text: str) -> Iterator[Edit]:
        return _open_document_edits(root, text, is_rtl=is_rtl)

    return {name: _edited(data, name, turn) for name, data in parts.items()}


def _edited(data: bytes, name: str, turn: Turn) -> bytes:
    decoded = decode_xml(data, name)
    edits = [*turn(tree(decoded.text), decoded.text)]
    return encode_xml(splice(decoded.text, edits), decoded) if edits else data


# ---- Word ----


def _to_right_to_left(root: Node, text: str) -> Iterator[Edit]:
    for node in root.walk():
        prefix = node.name[: -len(node.local)]
        if node.local == "p" and prefix != "a:":
            yield from _marked(node, f"{prefix}pPr", f"{prefix}bidi", text)
        elif node.local == "r" and prefix != "a:" and _has_right_to_left(node):
            yield from _marked(node, f"{prefix}rPr", f"{prefix}rtl", text)
        elif node.local == "tbl" and prefix != "a:":
            yield from _marked(node, f"{prefix}tblPr", f"{prefix}bidiVisual", text)
        elif node.local == "sectPr":
            yield from _with_mark(node, f"{prefix}bidi", text)


def _to_left_to_right(root: Node, text: str) -> Iterator[Edit]:
    paragraphs = [node for node in root.walk() if node.local == "p" and node.first("r") is not None]
    if 2 * sum(map(_is_right_to_left_paragraph, paragraphs)) <= len(paragraphs):
        return
    for node in root.walk():
        if node.local in _WORD_MARKS and node.parent is not None and node.parent.local in _BEHIND:
            yield node.start, node.end, ""


def _is_right_to_left_paragraph(node: Node) -> bool:
    properties = node.first("pPr")
    mark = properties.first("bidi") if properties is not None else None
    return mark is not None and _value(mark) not in _OFF


def _marked(node: Node, properties_name: str, mark: str, text: str) -> Iterator[Edit]:
    """The edit that gives an element with properties the mark."""
    properties = node.first(properties_name.rpartition(":")[2])
    if properties is not None:
        yield from _with_mark(properties, mark, text)
    elif not node.is_empty_tag:
        yield node.inner_start, node.inner_start, f"<{properties_name}><{mark}/></{properties_name}>"


def _with_mark(properties: Node, mark: str, text: str) -> Iterator[Edit]:
    found = properties.first(mark.rpartition(":")[2])
    if found is not None:
        if _value(found) in _OFF:
            yield found.start, found.end, f"<{mark}/>"
    elif properties.is_empty_tag:
        opening = text[properties.start : properties.end].removesuffix("/>").rstrip()
        yield properties.start, properties.end, f"{opening}><{mark}/></{properties.name}>"
    else:
        behind = _BEHIND[properties.local]
        place = next((child.start for child in properties.nodes() if child.local in behind), properties.inner_end)
        yield place, place, f"<{mark}/>"


def _value(mark: Node) -> str:
    return next((value for name, value in mark.attributes.items() if name.rpartition(":")[2] == "val"), "1")


def _has_right_to_left(run: Node) -> bool:
    return any(unicodedata.bidirectional(char) in ("R", "AL") for text in _texts(run) for char in text)


def _texts(run: Node) -> Iterator[str]:
    for child in run.nodes("t"):
        yield from (part.value for part in child.children if isinstance(part, Text))


# ---- PowerPoint ----


def _drawing_edits(root: Node, text: str, *, is_rtl: bool) -> Iterator[Edit]:
    sides = {"l": "r", "r": "l"}
    for node in root.walk():
        is_level = _LEVEL.fullmatch(node.local) is not None
        if node.local == "p" and node.name == "a:p" and node.first("pPr") is None and is_rtl and not node.is_empty_tag:
            yield node.inner_start, node.inner_start, '<a:pPr rtl="1"/>'
        elif is_level or (node.local == "pPr" and node.parent is not None and node.parent.local == "p"):
            is_turned = (node.attributes.get("rtl", "0") in ("1", "true")) != is_rtl
            if not is_turned:
                continue
            tag = with_attribute(_tag(node, text), "rtl", "1" if is_rtl else "0")
            of_style = is_level and root.local in ("sldMaster", "notesMaster", "presentation")
            side = node.attributes.get("algn", "l" if of_style and is_rtl else "")
            if side in sides:
                tag = with_attribute(tag, "algn", sides[side])
            yield node.start, node.inner_start, tag
        elif node.local == "tblPr" and (node.attributes.get("rtl", "0") in ("1", "true")) != is_rtl:
            yield node.start, node.inner_start, with_attribute(_tag(node, text), "rtl", "1" if is_rtl else "0")


# ---- Excel ----


def _sheet_edits(root: Node, text: str, *, is_rtl: bool) -> Iterator[Edit]:
    views = [view for group in root.nodes("sheetViews") for view in group.nodes("sheetView")]
    for view in views:
        if (view.attributes.get("rightToLeft", "0") in ("1", "true")) != is_rtl:
            yield view.start, view.inner_start, with_attribute(_tag(view, text), "rightToLeft", "1" if is_rtl else None)
    if is_rtl and not views:
        prefix = root.name[: -len(root.local)]
        place = next((node.start for node in root.nodes() if node.local not in _BEFORE_VIEWS), root.inner_end)
        added = f'<{prefix}sheetView rightToLeft="1" workbookViewId="0"/>'
        yield place, place, f"<{prefix}sheetViews>{added}</{prefix}sheetViews>"


# ---- OpenDocument ----


def _open_document_edits(root: Node, text: str, *, is_rtl: bool) -> Iterator[Edit]:
    old, new = ("lr", "rl-tb") if is_rtl else ("rl", "lr-tb")
    for node in root.walk():
        mode = node.attributes.get("style:writing-mode", "")
        is_default = node.local == "page-layout-properties" or (
            node.local == "paragraph-properties" and node.parent is not None and node.parent.local == "default-style"
        )
        if mode.startswith(old) or (is_default and is_rtl and mode in ("", "page")):
            yield node.start, node.inner_start, with_attribute(_tag(node, text), "style:writing-mode", new)


def _tag(node: Node, text: str) -> str:
    return text[node.start : node.inner_start]
