"""Texts for readers in the codes of Word's fields: entries of indexes and lists, prompts, buttons, and tips of links.

A code may be spread over several elements, ' XE "', 'pump' and '" ', which Word reads as one. A text is offered if it
is in one element; the share of offered text counts the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from app.formats.base import one_line, splice
from app.formats.inline import Shown
from app.formats.xml_text import Node, escape

Span = tuple[int, int]

# By kind of field: the switches whose values are texts; "" is a value without a switch.
_TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "XE": ("", "t"),
    "TC": ("",),
    "ASK": ("", "d"),
    "FILLIN": ("", "d"),
    "HYPERLINK": ("o",),
    "IF": ("",),
    "QUOTE": ("",),
    "SET": ("",),
    "GREETINGLINE": ("e",),
    "AUTOTEXTLIST": ("", "t"),
}
_NUM_RESULTS: Final = 2  # of a field IF: the texts behind the values that it compares
_KIND: Final = re.compile(r"\s*+(\w++)")
_VALUE: Final = re.compile(r"(?:\\(?P<switch>[a-zA-Z])\s*+)?\"(?P<text>(?:[^\"\\]|\\.)*+)\"", re.DOTALL)
_BUTTON: Final = re.compile(r"\s*+MACROBUTTON\s++\S++\s++(?P<text>.*\S)", re.DOTALL | re.IGNORECASE)  # [Click here]
_LEVEL: Final = re.compile(r"(?:[^:\\]|\\.)++", re.DOTALL)  # of an index entry: "pump:water pump"


def texts_of_code(code: str) -> list[Span]:
    """The spans of the texts in the code of a field.

    >>> code = ' XE "pump:water pump" \\\\t "See valve" '
    >>> [code[a:b] for a, b in texts_of_code(code)]
    ['pump', 'water pump', 'See valve']
    >>> code = ' IF "{AGE}" = "old" "Replace it" "Keep it" '
    >>> [code[a:b] for a, b in texts_of_code(code)]
    ['Replace it', 'Keep it']
    """
    if button := _BUTTON.match(code):
        return [button.span("text")]
    name = _kind(code)
    found = []
    values = list(_VALUE.finditer(code))
    for value in values[-_NUM_RESULTS:] if name == "IF" else values:
        if (value["switch"] or "").lower() in _TEXTS.get(name, ()):
            levels = _LEVEL.finditer(code, *value.span("text")) if name == "XE" and not value["switch"] else [value]
            found += [level.span() if level is not value else value.span("text") for level in levels]
    return found


def _kind(code: str) -> str:
    """The kind of a field, such as "XE" for an index entry."""
    kind = _KIND.match(code)
    return kind[1].upper() if kind else ""


def field_codes(root: Node) -> Iterator[list[Node]]:
    """For each field, the elements of its code."""
    opened: list[list[Node]] = []  # the elements of the code of each open field
    is_code: list[bool] = []
    for node in root.walk():
        if node.local == "instrText" and is_code and is_code[-1]:
            opened[-1].append(node)
        elif node.local == "fldChar":
            sign = next((value for name, value in node.attributes.items() if name.endswith("fldCharType")), "")
            if sign == "begin":
                opened.append([])
                is_code.append(True)
            elif opened:
                is_code[-1] = False
                if sign == "end":
                    is_code.pop()
                    yield opened.pop()


def field_texts(root: Node) -> dict[int, FieldText]:
    """The texts of fields by the start of their element."""
    found: dict[int, FieldText] = {}
    for nodes in field_codes(root):
        code = "".join(node.content() for node in nodes)
        spans, is_entry, begin = texts_of_code(code), _kind(code) == "XE", 0
        for node in nodes:
            end = begin + len(node.content())
            if inside := [(s - begin, e - begin) for s, e in spans if begin <= s and e <= end]:
                found[node.start] = FieldText(node, inside, is_entry=is_entry)
            begin = end
    return found


class FieldText:
    """The texts in an element of a field code, with the interface of `app.formats.office.docx_text.WordParagraph`."""

    def __init__(self, node: Node, spans: Sequence[Span], *, is_entry: bool) -> None:
        """`is_entry` is true for an entry of an index, in which a colon separates levels."""
        self.start, self.end = node.inner_start, node.inner_end
        self.text = node.content()
        self.unsplit: list[Span] = []
        self.breaks: list[Span] = []
        self.stretches = [(start, end) for start, end in spans if any(map(str.isalpha, self.text[start:end]))]
        self._escaped = re.compile(r'["\\:]' if is_entry else r'["\\]')

    def shown(self, start: int, end: int) -> Shown:
        """The text from start to end as one line, without the backslashes of the code."""
        return Shown(one_line(re.sub(r"\\(.)", r"\1", self.text[start:end])))

    def xml(self, translations: Sequence[tuple[int, int, str]]) -> str:
        """The code with these spans (ascending) replaced."""
        edits = [(start, end, self._escaped.sub(r"\\\g<0>", text)) for start, end, text in translations]
        return escape(splice(self.text, edits))
