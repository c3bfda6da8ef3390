"""The comments of a Word document: read for the notes of segments, and added to those that it has."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import Final

from app.formats.base import Comment, Edit, splice
from app.formats.office.office_package import OfficePackage
from app.formats.word_xml import COMMENTS_TYPE, RELATIONS, WORD, comment_marks, comment_xml
from app.formats.xml_text import Node, decode_xml, encode_xml, tree
from app.text.encoding import DecodedText

_STRICT: Final = "http://purl.oclc.org/ooxml/officeDocument/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_TYPES: Final = "[Content_Types].xml"
_NEW_PART: Final = "pinpoint_comments.xml"


def with_comments(
    package: OfficePackage, main: str, comments: Sequence[tuple[Node, Comment]], new: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The parts of a Word document that change with further comments; its own comments stay.

    Args:
        package: the document
        main: the name of the part with the body
        comments: each with the paragraph of the body that it is about
        new: the parts that have changed already
    """

    def decoded(part: str, empty: str = "") -> DecodedText:
        return decode_xml(
            new[part] if part in new else package.read(part) if package.has(part) else empty.encode(), part
        )

    xml = decoded(main)
    body = tree(xml.text)
    uri = _uri(body)
    namespace = "" if body.attributes.get("xmlns:w") == uri else f' xmlns:w="{uri}"'
    folder, _, file = main.rpartition("/")
    known = next((each.part for each in package.relations(main).values() if each.kind == "comments"), "")
    part = known or posixpath.join(folder, _NEW_PART)
    listed = decoded(part, f'<w:comments xmlns:w="{uri}"></w:comments>')
    ids = [_id_of(node) for node in tree(listed.text).nodes("comment")]
    first = max(ids, default=-1) + 1
    edits: list[Edit] = []
    for number, (paragraph, _) in enumerate(comments, first):
        properties = paragraph.first("pPr")
        start, end = comment_marks(number, namespace)
        at = properties.end if properties else paragraph.inner_start
        edits += [(at, at, start), (paragraph.inner_end, paragraph.inner_end, end)]
    declared = f' xmlns:w="{uri}"'  # the list of comments may have another prefix than the body
    added = "".join(comment_xml(one, number, declared) for number, (_, one) in enumerate(comments, first))
    changed = {main: encode_xml(splice(xml.text, edits), xml), part: _with_child(listed, added)}
    if not known:
        kind = f"{_STRICT if 'purl.oclc.org' in uri else RELATIONS}/comments"
        rels = posixpath.join(folder, "_rels", f"{file}.rels")
        changed[rels] = _with_child(
            decoded(rels, f'<Relationships xmlns="{_PACKAGE}/relationships"></Relationships>'),
            f'<Relationship xmlns="{_PACKAGE}/relationships" Id="pinpointComments" Type="{kind}" '
            f'Target="{_NEW_PART}"/>',
        )
        changed[_TYPES] = _with_child(
            decoded(_TYPES),
            f'<Override xmlns="{_PACKAGE}/content-types" PartName="/{part}" ContentType="{COMMENTS_TYPE}"/>',
        )
    return changed


def comments_of_file(package: OfficePackage, main: str) -> dict[str, str]:
    """The comments of a document with their authors, by id."""
    part = next((each.part for each in package.relations(main).values() if each.kind == "comments"), "")
    found = {}
    for comment in tree(package.xml(part).text).nodes("comment") if package.has(part) else ():
        text = "\n".join(node.content() for node in comment.walk() if node.local == "p").strip()
        author = _attribute_of(comment, "author")
        if text:
            found[_attribute_of(comment, "id")] = f"{author}: {text}" if author else text
    return found


def comments_on(paragraphs: Sequence[Node], comments: Mapping[str, str]) -> dict[int, str]:
    """The comments on each paragraph, by its index; a comment on several is that of the first."""
    found: dict[int, list[str]] = {}
    left = dict(comments)
    for index, paragraph in enumerate(paragraphs):
        for node in paragraph.walk():
            if node.local in ("commentRangeStart", "commentReference"):
                text = left.pop(_attribute_of(node, "id"), None)
                if text is not None:
                    found.setdefault(index, []).append(text)
    return {index: "\n".join(texts) for index, texts in found.items()}


def _attribute_of(node: Node, name: str) -> str:
    return next((value for key, value in node.attributes.items() if key.rpartition(":")[2] == name), "")


def _uri(root: Node) -> str:
    prefix = root.name[: -len(root.local)].rstrip(":")
    return root.attributes.get(f"xmlns:{prefix}" if prefix else "xmlns", WORD)


def _id_of(comment: Node) -> int:
    number = _attribute_of(comment, "id")
    return int(number) if number.isdecimal() and len(number) < 10 else -1


def paragraph_around(node: Node) -> Node | None:
    """The outermost paragraph that is or has an element: Word has no comments in text boxes. None without one."""
    found: Node | None = None
    around: Node | None = node
    while around is not None:
        found = around if around.local == "p" else found
        around = around.parent
    return found


def _with_child(xml: DecodedText, child: str) -> bytes:
    """The XML with a further element at the end of its root."""
    root = tree(xml.text)
    edit = (root.inner_end, root.inner_end, child)
    if root.is_empty_tag:
        edit = (root.end - 2, root.end, f">{child}</{root.name}>")
    return encode_xml(splice(xml.text, [edit]), xml)
