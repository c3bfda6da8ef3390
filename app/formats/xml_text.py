"""An XML tree with the offsets of its nodes in the text, so that edits leave the rest of the file unchanged.

Expat checks that the XML is well-formed. Entities are never declared, fetched or expanded.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Final
from xml.parsers import expat

from app.errors import DocumentError
from app.text.encoding import DecodedText, decode_exactly, other_kind

_DECLARED = re.compile(r"<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([\w.:+-]+)[\"']")
_TOKEN = re.compile(
    r"""(?P<skip><!--.*?-->|<\?.*?\?>|<!DOCTYPE(?:[^>"']|"[^"]*"|'[^']*')*>)
    |<!\[CDATA\[(?P<cdata>.*?)\]\]>
    |</(?P<end>[^\s>]+)\s*>
    |<(?P<start>[^\s/>!?]+)(?P<attributes>[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*)>
    |(?P<text>[^<]+)""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&(?:#x([\dA-Fa-f]+)|#(\d+)|([^\s#&;]+));")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
MAX_ELEMENTS = 1_000_000
# The newest texts without a fault: parts of an Office file are decoded again for the share of offered text and export.
_CHECKED: Final[deque[tuple[bytes, int]]] = deque(maxlen=64)
_CHECKED_LOCK: Final = Lock()
_MAX_DEPTH = 200
# Python codecs that are not allowed in an XML file.
_REFUSED = {"utf-7", "unicode-escape", "raw-unicode-escape", "idna", "punycode", "mbcs", "oem"}


@dataclass(slots=True)
class Text:
    """Character data from `start` to `end`; in `value`, references are resolved and CDATA marks removed."""

    value: str
    start: int
    end: int


@dataclass(slots=True)
class Node:
    """An element with the start tag `[start, inner_start)` and the end tag `[inner_end, end)`, which may be empty."""

    name: str
    attributes: dict[str, str]
    start: int
    inner_start: int
    inner_end: int = 0
    end: int = 0
    parent: Node | None = None
    children: list[Node | Text] = field(default_factory=list)
    local: str = ""  # the name without its namespace prefix

    @property
    def is_empty_tag(self) -> bool:
        """True if the element is written as one tag, <x/>."""
        return self.inner_start == self.end

    def nodes(self, *names: str) -> list[Node]:
        """The child elements with these local names, or all child elements."""
        if not names:
            return [child for child in self.children if type(child) is Node]
        return [child for child in self.children if type(child) is Node and child.local in names]

    def first(self, name: str) -> Node | None:
        """The first child element with that local name."""
        for child in self.children:
            if type(child) is Node and child.local == name:
                return child
        return None

    def walk(self) -> Iterator[Node]:
        """All descendant elements in document order."""
        stack = [*reversed(self.nodes())]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.nodes())

    def content(self) -> str:
        """The text of the element and its descendants."""
        return "".join(c.value if isinstance(c, Text) else c.content() for c in self.children)

    def inherited(self, attribute: str) -> str | None:
        """The attribute's value on this element or its nearest ancestor that has it."""
        node: Node | None = self
        while node is not None:
            if attribute in node.attributes:
                return node.attributes[attribute]
            node = node.parent
        return None


def decode_xml(data: bytes, name: str, max_elements: int = MAX_ELEMENTS) -> DecodedText:
    """Decodes a well-formed XML file. Raises DocumentError with the line number for malformed or unsafe XML.

    Rejects all entity declarations, because entity bombs and attacks on local files depend on them. Also rejects files
    with more than `max_elements` elements, which would fill the memory.
    """
    if not data.strip():
        raise DocumentError("{name} is empty: choose a file with text in it", name=name)
    decoded = _decode(data, name)
    key = hashlib.sha256(data).digest(), max_elements
    with _CHECKED_LOCK:
        if key in _CHECKED:
            return decoded
    _check(decoded.text, name, max_elements)
    with _CHECKED_LOCK:
        _CHECKED.append(key)
    return decoded


def tree(text: str) -> Node:
    """The root element of a text that `decode_xml` has checked."""
    top = Node("", {}, 0, 0)
    node = top
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        start, end = match.span()
        if kind == "attributes":
            name, attributes = match.group("start", "attributes")
            values = {}
            if attributes:
                values = {m[1]: unescape(m[2] if m[2] is not None else m[3]) for m in _ATTRIBUTE.finditer(attributes)}
            child = Node(name, values, start, end, 0, 0, node, [], name[name.rfind(":") + 1 :])
            node.children.append(child)
            if attributes[-1:] == "/":
                child.inner_end = child.end = end
            else:
                node = child
        elif kind == "text":
            node.children.append(Text(unescape(match[0]), start, end))
        elif kind == "end":
            node.inner_end, node.end = start, end
            assert node.parent is not None, "well-formed"
            node = node.parent
        elif kind == "cdata":
            node.children.append(Text(match["cdata"], start, end))
    (root,) = top.nodes()
    root.parent = None
    return root


def escape(text: str) -> str:
    """Escapes text as character data; characters not allowed in XML become U+FFFD."""
    text = _NOT_XML.sub("\ufffd", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def escape_cdata(text: str) -> str:
    """Escapes text as the content of a CDATA section; characters not allowed in XML become U+FFFD."""
    return _NOT_XML.sub("\ufffd", text).replace("]]>", "]]]]><![CDATA[>")


def unescape(text: str) -> str:
    """Resolves the references in character data and normalises its line ends."""
    if "&" not in text and "\r" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return chr(int(match[2])) if match[2] else _ENTITIES[match[3]]

    return _REFERENCE.sub(character, text.replace("\r\n", "\n").replace("\r", "\n"))


def encode_xml(text: str, decoded: DecodedText) -> bytes:
    """Encodes the text in its file's encoding; unsupported characters become character references."""
    return decoded.mark + text.encode(decoded.encoding, "xmlcharrefreplace")


def with_attribute(tag: str, name: str, value: str | None) -> str:
    """A start tag with the attribute set, or removed if `value` is None."""
    quoted = escape(value).replace('"', "&quot;") if value is not None else ""
    found = re.search(rf"""\s+{re.escape(name)}\s*=\s*(?:"[^"]*"|'[^']*')""", tag)
    attribute = "" if value is None else f' {name}="{quoted}"'
    if found:
        return tag[: found.start()] + attribute + tag[found.end() :]
    at = len(tag) - (2 if tag.endswith("/>") else 1)
    return tag[:at].rstrip() + attribute + tag[at:] if attribute else tag


def _decode(data: bytes, name: str) -> DecodedText:
    if kind := other_kind(data):
        raise DocumentError(
            "{name} is {kind}, not XML: rename it to the extension of its own format and open it again",
            name=name,
            kind=kind,
        )
    mark = next((m for m in _MARKS if data.startswith(m)), b"")
    encoding = _MARKS[mark] if mark else _declared_encoding(data, name)
    return decode_exactly(
        data,
        encoding,
        mark,
        invalid=lambda line, byte: DocumentError(
            "{name}, line {line}: byte 0x{byte:02X} is not valid in {encoding}, the declared encoding: convert "
            "the file to UTF-8 and open it again",
            name=name,
            line=line,
            byte=byte,
            encoding=encoding,
        ),
        changed=lambda: DocumentError(
            "{name} cannot be saved again unchanged in {encoding}: convert it to UTF-8 and open it again",
            name=name,
            encoding=encoding,
        ),
    )


def _declared_encoding(data: bytes, name: str) -> str:
    declared = _DECLARED.match(data[:1000].decode("latin-1"))
    given = declared[1] if declared else "utf-8"
    try:
        info = codecs.lookup(given)
    except LookupError:
        info = None
    if info is None or not info._is_text_encoding or info.name in _REFUSED:
        raise DocumentError(
            "{name} declares the unknown encoding {given}: convert the file to UTF-8 and open it again",
            name=name,
            given=given,
        )
    return info.name


def _check(text: str, name: str, max_elements: int) -> None:
    depth = num_elements = 0
    has_doctype = False

    def refuse_at(line: int) -> DocumentError:
        return DocumentError(
            "{name}, line {line}: the file defines its own entities, which is not allowed for security reasons: "
            "save it without a DTD and open it again",
            name=name,
            line=line,
        )

    def refuse(*_: object) -> int:
        raise refuse_at(parser.CurrentLineNumber)

    def deeper(*_: object) -> None:
        nonlocal depth, num_elements
        depth += 1
        num_elements += 1
        if num_elements > max_elements:
            raise DocumentError(
                "{name} contains more than {limit:,} XML elements: split the file and open the parts one by one",
                name=name,
                limit=max_elements,
            )
        if depth > _MAX_DEPTH:
            raise DocumentError(
                "{name}, line {line}: elements are nested more than {limit} levels deep; Pinpoint cannot read "
                "this document",
                name=name,
                line=parser.CurrentLineNumber,
                limit=_MAX_DEPTH,
            )

    def higher(_: object) -> None:
        nonlocal depth
        depth -= 1

    def doctype(_name: str, _system: str | None, _public: str | None, has_subset: int) -> None:
        nonlocal has_doctype
        has_doctype = True
        if has_subset:
            refuse()

    if bad := _NOT_XML.search(text):  # expat would interpret zero bytes as UTF-16
        line = text.count("\n", 0, bad.start()) + 1
        raise DocumentError(
            "{name}, line {line}: the character U+{code:04X} is not allowed in XML; the file is damaged or not "
            "in the declared encoding: export it again from the program that created it",
            name=name,
            line=line,
            code=ord(bad.group()),
        )
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler = deeper, higher
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = parser.SkippedEntityHandler = parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as problem:
        reason = expat.ErrorString(problem.code)
        raise DocumentError(
            "{name}, line {line}: the XML is not well-formed ({reason}); the file is damaged or was edited by "
            "hand: correct this line, or export the file again from the program that created it",
            name=name,
            line=problem.lineno,
            reason=reason,
        ) from problem
    if has_doctype:  # expat ignores unknown entities in attributes, because the DTD might declare them
        for tag in _TOKEN.finditer(text):
            for reference in _REFERENCE.finditer(tag["attributes"] or ""):
                if reference[3] and reference[3] not in _ENTITIES:
                    raise refuse_at(text.count("\n", 0, tag.start("attributes") + reference.start()) + 1)
