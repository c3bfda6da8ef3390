"""The strings of a YAML file: their places and values, and values written as strings of YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import yaml  # type: ignore[import-untyped]

from app.errors import DocumentError
from app.formats.base import one_line
from app.formats.escapes import from_shown, shown
from app.formats.software.yaml_pieces import value_in
from app.formats.software.yaml_rewriting import rewritten

MAX_DEPTH: Final = 100
MAX_NODES: Final = 200_000
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # without the C library, reading takes ten times as long
_STRING: Final = "tag:yaml.org,2002:str"
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")  # anchor and tag before a value
# Plain texts that all readers of YAML understand alike
_PLAIN = re.compile(r"[^\W_](?:[^\x00-\x1f#:]|:(?=\S)|(?<=\S)#)*")
_PLAIN_IN_BRACKETS = re.compile(r"[^\W_][^\x00-\x1f#:,?\[\]{}]*")
_SYMBOL = re.compile(r""":(?:[^\W\d]\w*[?!=]?|"[^"]*"|'[^']*')""")
BLOCKS: Final = ("|", ">")
LINE_END = re.compile(r"\r\n|\r|\n")
_BLOCK_LINE = re.compile(r"[^\r\n]*[^\s][^\r\n]*")
_CONTROL = re.compile(r'[\x00-\x1f"\\\x7f\x85\u2028\u2029\ufeff]')
_ESCAPES: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string at `[start, end)`. `path` are the keys and numbers that lead to it, from the outermost.

    `style` is its quotation mark, "|" or ">" for a block or a line of one, or "" if it is plain.
    """

    start: int
    end: int
    value: str
    style: str
    path: tuple[str, ...]
    is_in_flow: bool  # inside brackets


@dataclass(slots=True)
class _OpenNode:
    """A mapping or a sequence that has begun. `step` is its current key, or the number of its current value."""

    is_mapping: bool
    is_in_flow: bool
    is_key: bool  # of the mapping around it
    expects_key: bool
    step: str | int = 0

    def end_value(self) -> None:
        """Goes on to the next key or value."""
        self.expects_key = self.is_mapping
        if isinstance(self.step, int) and not self.is_mapping:
            self.step += 1


def strings_of(text: str, name: str) -> list[tuple[Scalar, bool]]:
    """All strings with their paths, each with True if it is a key. Aliases are not followed.

    Raises DocumentError, with `name` as the name of the file, if the text is not valid YAML or beyond a limit.
    """
    try:
        return list(_strings_in(text, text, name))
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        refusal = DocumentError(
            "{name}, line {line}, column {column}: this is not valid YAML ({reason}): correct it and open the file "
            "again",
            name=name,
            line=mark.line + 1 if mark else "?",
            column=mark.column + 1 if mark else "?",
            reason=getattr(problem, "problem", None) or type(problem).__name__,
        )
        refusal.__cause__ = problem
    try:
        return list(_strings_in(text, rewritten(text), name))
    except yaml.YAMLError:
        raise refusal from refusal.__cause__


def _strings_in(text: str, parsed: str, name: str) -> Iterator[tuple[Scalar, bool]]:
    """The strings of a text. `parsed` is the text or, if the C library refuses it, the text rewritten for it."""
    resolver = yaml.resolver.Resolver()
    open_nodes: list[_OpenNode] = []
    # The C library counts from the second character of a text with a byte order mark.
    start = 1 if text.startswith("\ufeff") else 0
    for number, event in enumerate(yaml.parse(parsed[start:], Loader=_LOADER)):
        if number > MAX_NODES:
            raise DocumentError(
                "{name} has more than {limit:,} values: split the file and open the parts one by one",
                name=name,
                limit=MAX_NODES,
            )
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            is_key = bool(open_nodes) and open_nodes[-1].expects_key
            if is_key:
                open_nodes[-1].step = ""  # a key that is not a text
                open_nodes[-1].expects_key = False
            open_nodes.append(_OpenNode(is_mapping, bool(event.flow_style), is_key, expects_key=is_mapping))
            if len(open_nodes) > MAX_DEPTH:
                raise DocumentError(
                    "{name} is nested more than {limit} levels deep: choose another file", name=name, limit=MAX_DEPTH
                )
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            if not open_nodes.pop().is_key and open_nodes:
                open_nodes[-1].end_value()
        elif isinstance(event, yaml.AliasEvent | yaml.ScalarEvent):
            is_key = bool(open_nodes) and open_nodes[-1].expects_key
            value = ""
            if isinstance(event, yaml.ScalarEvent):
                path = tuple(str(node.step) for node in (open_nodes[:-1] if is_key else open_nodes))
                scalar = _scalar(event, text, parsed, start, path, any(node.is_in_flow for node in open_nodes))
                value = scalar.value
                if is_key or _is_string(event, resolver):
                    yield scalar, is_key
            if is_key:
                open_nodes[-1].step = value
                open_nodes[-1].expects_key = False
            elif open_nodes:
                open_nodes[-1].end_value()


def _is_string(event: Any, resolver: Any) -> bool:
    if event.tag not in (None, "!"):
        return bool(event.tag == _STRING)
    return bool(event.style) or bool(resolver.resolve(yaml.ScalarNode, event.value, (True, False)) == _STRING)


def _scalar(event: Any, text: str, parsed: str, offset: int, path: tuple[str, ...], is_in_flow: bool) -> Scalar:
    start, end = event.start_mark.index + offset, event.end_mark.index + offset
    properties = _PROPERTIES.match(text, start, end)
    start = properties.end() if properties else start
    end = start + len(text[start:end].rstrip(" \t\r\n"))
    style, value = event.style or "", event.value
    if parsed is not text and style not in BLOCKS and parsed[start:end] != text[start:end]:
        value = value_in(text[start:end])
    return Scalar(start, end, value, style, path, is_in_flow)


def is_symbol(scalar: Scalar) -> bool:
    """True for a symbol of Ruby (`:year`, `:"two words"`), which a program reads and no person."""
    return not scalar.style and _SYMBOL.fullmatch(scalar.value) is not None


def end_of_header(block: Scalar, text: str) -> int:
    """The end of the first line of a block, which has the sign "|" or ">"."""
    line_end = LINE_END.search(text, block.start, block.end)
    return line_end.start() if line_end else block.end


def lines_of(block: Scalar, text: str) -> Iterator[Scalar]:
    """The lines of a literal block; the paragraphs of a folded one, in which indented lines are not joined."""
    found: list[tuple[int, int, int]] = []  # start, end, indentation
    for line in _BLOCK_LINE.finditer(text, end_of_header(block, text), block.end):
        content = line.group().strip()
        start = line.start() + line.group().index(content)
        found.append((start, start + len(content), len(line.group()) - len(line.group().lstrip(" "))))
    usual = min((indent for _, _, indent in found), default=0)
    parts: list[list[int]] = []
    last = -1
    for start, end, indent in found:
        is_next = parts and len(LINE_END.findall(text, parts[-1][1], start)) == 1
        if block.style == ">" and is_next and indent == last == usual:
            parts[-1][1] = end
        else:
            parts.append([start, end])
        last = indent
    for start, end in parts:
        yield replace(block, start=start, end=end, value=joined_lines(text[start:end]))


def joined_lines(lines: str) -> str:
    """The lines as one, with a space for each line break and the white space around it."""
    return re.sub(r"\s*(?:\r\n|\r|\n)\s*", " ", lines)


def shown_value(value: str) -> str:
    """The value in one line, with escapes for control characters and without white space at its ends."""
    return one_line(shown(value.strip()))


def raw_translation(scalar: Scalar, translation: str) -> str:
    """A translation of the scalar in its style, with the white space around its value."""
    text = one_line(translation)
    if scalar.style in BLOCKS:
        return text
    value = scalar.value
    lead, trail = value[: len(value) - len(value.lstrip())], value[len(value.rstrip()) :]
    return written_value(scalar, lead + from_shown(text) + trail)


def written_value(scalar: Scalar, value: str) -> str:
    """The value in the style of the scalar, or in double quotes if YAML would read it as something else."""
    ends_in_line = not value.rstrip("\n").count("\n")
    text = ""
    if scalar.style in BLOCKS:
        return one_line(value)
    if scalar.style == "'" and ends_in_line:
        text = "'" + value.replace("'", "''") + "'"
    elif not scalar.style and (_PLAIN_IN_BRACKETS if scalar.is_in_flow else _PLAIN).fullmatch(value):
        text = value
    if text and value_of(text, scalar.is_in_flow) == value:
        return text
    return '"' + _CONTROL.sub(lambda sign: _ESCAPES.get(sign.group(), f"\\u{ord(sign.group()):04x}"), value) + '"'


def value_of(text: str, is_in_flow: bool) -> str | None:
    """The string that YAML reads if this text is a value; None if YAML does not read a string."""
    document = f"{{k: {text}}}" if is_in_flow else f"k: {text}"
    try:
        found = [scalar.value for scalar, is_key in strings_of(document, "") if not is_key]
    except DocumentError:
        return None
    return found[0] if len(found) == 1 else None
