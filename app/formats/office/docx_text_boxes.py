"""Paragraphs and alternative texts of a part of a Word document, and their copies for other versions of Word.

A text box is stored several times: mc:AlternateContent contains the same paragraphs in mc:Choice and, for old versions
of Word, in mc:Fallback. One of them is translated, and its translation is written to the others, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from app.formats.office.docx_drawings import is_alt_text
from app.formats.xml_text import Node


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """All paragraph elements of a part and elements with alternative text, in order.

    `versions` contains for each the offset of the outermost mc:AlternateContent around it (-1: none) and the version
    that it belongs to; 0 is the version to translate. Everything inside a copy is a copy.
    """

    nodes: Sequence[Node]
    versions: Sequence[tuple[int, int]]

    @property
    def originals(self) -> list[int]:
        """The indices of the nodes that are not copies."""
        return [index for index, (_, version) in enumerate(self.versions) if version == 0]


def paragraphs_of(root: Node, name: str, others: Collection[int] = ()) -> Paragraphs:
    """The paragraphs below `root`, including text boxes; `name` is the element name of paragraphs, "w:p".

    `others` are the starts of further elements with text.
    """

    def has_text(node: Node) -> bool:
        return (node.name == name and node is not root) or is_alt_text(node) or node.start in others

    holders: set[int] | None = None  # most parts need none
    nodes: list[Node] = []
    versions: list[tuple[int, int]] = []
    stack = [(root, -1, 0)]
    while stack:
        node, place, version = stack.pop()
        if has_text(node):
            nodes.append(node)
            versions.append((place, version))
        if node.local != "AlternateContent":
            stack += [(child, place, version) for child in reversed(node.children) if type(child) is Node]
            continue
        place = node.start if place < 0 else place
        holders = _holders(root, has_text) if holders is None else holders
        children = node.nodes()
        choice = next((c for c in children if c.local == "Choice" and c.start in holders), None)
        stack += [(c, place, version or (0 if c is choice else c.start)) for c in reversed(children)]
    return Paragraphs(nodes, versions)


def _holders(root: Node, has_text: Callable[[Node], bool]) -> set[int]:
    """The start offsets of the elements around elements with text."""
    holders: set[int] = set()
    for node in root.walk():
        around = node.parent if has_text(node) else None
        while around is not None and around.start not in holders:
            holders.add(around.start)
            around = around.parent
    return holders


def copies(paragraphs: Paragraphs, name: str) -> dict[int, list[int]]:
    """The indices of the copies by index of their original, both in `paragraphs.nodes`.

    A copy has the same text as its original. If several originals have the same text, their copies are assigned in
    order.
    """
    originals: dict[tuple[int, str], list[int]] = defaultdict(list)
    others: dict[tuple[int, int, str], list[int]] = defaultdict(list)
    for index, (node, (place, version)) in enumerate(zip(paragraphs.nodes, paragraphs.versions, strict=True)):
        if version:
            others[place, version, _text(node, name)].append(index)
        elif place >= 0:
            originals[place, _text(node, name)].append(index)
    found: dict[int, list[int]] = defaultdict(list)
    for (place, _, text), indices in others.items():
        for original, copy in zip(originals[place, text], indices, strict=False):
            found[original].append(copy)
    return found


def _text(node: Node, name: str) -> str:
    """The text of a paragraph without the text boxes in it, or the attributes of an element with alternative text."""
    if node.name != name:
        return f"{node.local} {node.attributes}{node.content() if node.local == 'instrText' else ''}"
    parts = []
    rest = node.nodes()[::-1]
    while rest:
        inner = rest.pop()
        if inner.name != name:
            parts.append(inner.content() if inner.local == "t" else "")
            rest += inner.nodes()[::-1]
    return "".join(parts)
