"""YAML files of texts, such as those of Ruby on Rails: each string with a letter is a segment.

Keys, comments, anchors, order and layout stay unchanged. Line breaks and tabs are shown as `\\n` and `\\t`. A text
keeps its style (plain, quoted, block) where YAML can write it so, else it gets double quotes. If all texts are below a
key that is a language, as in Rails, the key becomes the target language. Of a block (`|`, `>`), each line or paragraph
is a segment of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import yaml  # type: ignore[import-untyped]

from app.errors import DocumentError
from app.formats.base import Edit, TextFile, Unit, UnitTranslation, WrittenFile, encode, one_line, splice
from app.formats.escapes import from_shown, key_note, shown
from app.i18n import Message
from app.text.encoding import DecodedText, decode_text

MAX_DEPTH: Final = 100
MAX_NODES: Final = 200_000
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # without the C library, reading takes ten times as long
_STRING: Final = "tag:yaml.org,2002:str"
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")  # anchor and tag before a value
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")
# Plain texts that all readers of YAML understand alike
_PLAIN = re.compile(r"[^\W_](?:[^\x00-\x1f#:]|:(?=\S)|(?<=\S)#)*")
_PLAIN_IN_BRACKETS = re.compile(r"[^\W_][^\x00-\x1f#:,?\[\]{}]*")
_LINE_END = re.compile(r"\r\n|\r|\n")
_BLOCK_LINE = re.compile(r"[^\r\n]*[^\s][^\r\n]*")
_CONTROL = re.compile(r'[\x00-\x1f"\\\x7f\x85\u2028\u2029\ufeff]')
_ESCAPES: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


@dataclass(frozen=True, slots=True)
class _Scalar:
    """A string at `[start, end)`; `style` is its quotation mark, "|" or ">" for a line of a block, or "" for plain."""

    start: int
    end: int
    value: str
    style: str
    path: tuple[str, ...]
    is_in_flow: bool  # inside of brackets


@dataclass(frozen=True)
class YamlStrings(TextFile):
    """A YAML file; a place is a string with its quotation marks. `locale` is the key that is a language."""

    decoded: DecodedText
    scalars: dict[tuple[int, int], _Scalar] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    locale: _Scalar | None = None
    is_paired: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """The note about a guessed encoding, if any."""
        return (self.decoded.note,) if self.decoded.note else ()

    @property
    def languages(self) -> tuple[str, str]:
        """The key that is a language as source language."""
        return (self.locale.value if self.locale else "", "")

    def source(self, start: int, end: int) -> str:
        """The text at this place. Raises LookupError if there is none."""
        scalar = self.scalars[start, end]
        return scalar.value if scalar.style in ("|", ">") else _shown(scalar.value)

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these texts, in the target language."""
        text = self.decoded.text
        edits: list[Edit] = []
        for new in translations:
            scalar = self.scalars[new.start, new.end]
            value = scalar.value
            lead = value[: len(value) - len(value.lstrip())]
            trail = value[len(value.rstrip()) :]
            text_of = one_line(new.text)
            changed = text_of if scalar.style in ("|", ">") else lead + from_shown(text_of) + trail
            edits.append((new.start, new.end, _written(scalar, text[new.start : new.end], changed)))
        if self.locale and language:
            key = self.locale
            edits.append((key.start, key.end, _written(key, text[key.start : key.end], language)))
        return encode(splice(text, edits), self.encoding, self.mark)


def read(data: bytes, name: str, encoding: str | None = None) -> YamlStrings:
    """Parses a YAML file. Raises DocumentError with the line and column if it is not valid."""
    decoded = decode_text(data, name, DocumentError, encoding)
    keys: list[_Scalar] = []
    scalars = {}
    units = []
    for scalar, is_key in _strings(decoded.text, name):
        if is_key:
            keys += [scalar] * (not scalar.path)
            continue
        for part in _lines(scalar, decoded.text) if scalar.style in ("|", ">") else [scalar]:
            if not any(map(str.isalpha, part.value)):
                continue
            blank = re.sub(r"\s", " ", decoded.text[part.start : part.end])
            blank = re.sub(r"\A | \Z", "\u2060", blank)  # a no-break space there is part of the text
            note = key_note(".".join(part.path))
            units.append(Unit(part.start, part.end, blank, note=note, whole=((0, len(blank)),)))
            scalars[part.start, part.end] = part
    locale = keys[0] if len(keys) == 1 and _LANGUAGE.fullmatch(keys[0].value) else None
    is_below = locale is not None and all(len(scalar.path) > 1 for scalar in scalars.values())
    return YamlStrings(decoded, scalars, units, locale if is_below else None)


def _strings(text: str, name: str) -> Iterator[tuple[_Scalar, bool]]:
    """Each string with its path, and whether it is a key. Aliases are not followed."""
    resolver = yaml.resolver.Resolver()
    open_nodes: list[list[Any]] = []  # is_mapping, next is a key, key or number, is_in_flow

    def after_value() -> None:
        if open_nodes:
            node = open_nodes[-1]
            node[1] = node[0]
            node[2] = node[2] if node[0] else node[2] + 1

    try:
        # The C library counts from the second character of a text with a byte order mark.
        start = 1 if text.startswith("\ufeff") else 0
        for number, event in enumerate(yaml.parse(text[start:], Loader=_LOADER)):
            if number > MAX_NODES:
                raise DocumentError(
                    Message(
                        "{name} has more than {limit:,} values: split the file and open the parts one by one",
                        name=name,
                        limit=MAX_NODES,
                    )
                )
            if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                if open_nodes and open_nodes[-1][1]:
                    open_nodes[-1][2] = ""  # a key that is not a text
                    open_nodes[-1][1] = False
                    is_key = True
                else:
                    is_key = False
                open_nodes.append([is_mapping, is_mapping, 0, bool(event.flow_style), is_key])
                if len(open_nodes) > MAX_DEPTH:
                    raise DocumentError(
                        Message(
                            "{name} is nested more than {limit} levels deep: choose another file",
                            name=name,
                            limit=MAX_DEPTH,
                        )
                    )
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                if not open_nodes.pop()[4]:
                    after_value()
            elif isinstance(event, yaml.AliasEvent | yaml.ScalarEvent):
                is_key = bool(open_nodes) and open_nodes[-1][1]
                value = event.value if isinstance(event, yaml.ScalarEvent) else ""
                if isinstance(event, yaml.ScalarEvent) and (is_key or _is_string(event, resolver)):
                    path = tuple(str(node[2]) for node in (open_nodes[:-1] if is_key else open_nodes))
                    yield _scalar(event, text, start, path, any(node[3] for node in open_nodes)), is_key
                if is_key:
                    open_nodes[-1][1:3] = False, value
                else:
                    after_value()
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        raise DocumentError(
            Message(
                "{name}, line {line}, column {column}: this is not valid YAML ({reason}): correct it and open the file "
                "again",
                name=name,
                line=mark.line + 1 if mark else "?",
                column=mark.column + 1 if mark else "?",
                reason=getattr(problem, "problem", None) or type(problem).__name__,
            )
        ) from problem


def _is_string(event: Any, resolver: Any) -> bool:
    if event.tag not in (None, "!"):
        return bool(event.tag == _STRING)
    return bool(event.style) or bool(resolver.resolve(yaml.ScalarNode, event.value, (True, False)) == _STRING)


def _scalar(event: Any, text: str, offset: int, path: tuple[str, ...], is_in_flow: bool) -> _Scalar:
    start, end = event.start_mark.index + offset, event.end_mark.index + offset
    properties = _PROPERTIES.match(text, start, end)
    start = properties.end() if properties and event.style != "" else start
    end = start + len(text[start:end].rstrip(" \t\r\n"))
    return _Scalar(start, end, event.value, event.style or "", path, is_in_flow)


def _lines(block: _Scalar, text: str) -> Iterator[_Scalar]:
    """The lines of a literal block; the paragraphs of a folded one, in which indented lines are not joined."""
    header = re.compile(r"[^\r\n]*").match(text, block.start)
    assert header is not None, "it may be empty"
    found: list[tuple[int, int, int]] = []  # start, end, indentation
    for line in _BLOCK_LINE.finditer(text, header.end(), block.end):
        content = line.group().strip()
        start = line.start() + line.group().index(content)
        found.append((start, start + len(content), len(line.group()) - len(line.group().lstrip(" "))))
    usual = min((indent for _, _, indent in found), default=0)
    parts: list[list[int]] = []
    last = -1
    for start, end, indent in found:
        is_next = parts and len(_LINE_END.findall(text, parts[-1][1], start)) == 1
        if block.style == ">" and is_next and indent == last == usual:
            parts[-1][1] = end
        else:
            parts.append([start, end])
        last = indent
    for start, end in parts:
        yield replace(block, start=start, end=end, value=re.sub(r"\s*(?:\r\n|\r|\n)\s*", " ", text[start:end]))


def _shown(value: str) -> str:
    return one_line(shown(value.strip()))


def _written(scalar: _Scalar, raw: str, value: str) -> str:
    """The value in the style of the scalar, or in double quotes if YAML would read it as something else."""
    ends_in_line = not value.rstrip("\n").count("\n")
    text = ""
    if scalar.style in ("|", ">"):
        return one_line(value)
    if scalar.style == "'" and ends_in_line:
        text = "'" + value.replace("'", "''") + "'"
    elif not scalar.style and (_PLAIN_IN_BRACKETS if scalar.is_in_flow else _PLAIN).fullmatch(value):
        text = value
    if text and _value_of(text, scalar.is_in_flow) == value:
        return text
    return '"' + _CONTROL.sub(lambda sign: _ESCAPES.get(sign.group(), f"\\u{ord(sign.group()):04x}"), value) + '"'


def _value_of(text: str, is_in_flow: bool) -> str | None:
    """The string that YAML reads where this text is a value; None if it is no string."""
    document = f"{{k: {text}}}" if is_in_flow else f"k: {text}"
    try:
        found = [scalar.value for scalar, is_key in _strings(document, "") if not is_key]
    except DocumentError:
        return None
    return found[0] if len(found) == 1 else None
