"""YAML files of texts, such as the files of Ruby on Rails: each string with a letter is a segment.

Keys, comments, anchors, order and layout stay unchanged. Line breaks and tabs are shown as `\\n` and `\\t`. A text
keeps its style (plain, quoted, block) where YAML can write it so, else it gets double quotes. If all texts are below a
key that is a language, as in Rails, the key becomes the target language. Of a block (`|`, `>`), each line or paragraph
is a segment of its own. Of an ICU message with plural or select forms, as in Symfony, each form is a segment
(`app.formats.icu`). Plural forms that only the target language has are added (`app.formats.added_forms`), in ICU
messages and beside keys that are plural forms, as in Rails. Which keys are translated can be chosen
(`app.formats.part_rules`).
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import yaml  # type: ignore[import-untyped]

from app.errors import DocumentError
from app.formats.added_forms import OTHER, AddedForm, Place, added_forms, by_place, space_before
from app.formats.base import Edit, TextFile, Unit, UnitTranslation, WrittenFile, encode, one_line, splice
from app.formats.escapes import from_shown, repeated_keys_note, shown
from app.formats.icu import IcuText, icu_message, shown_text, written
from app.formats.part_rules import KEY_USES, KeyRules, Part, PartList, key_rules, pattern_of, skipped_note
from app.formats.software.yaml_pieces import with_changes
from app.formats.unit_notes import key_note
from app.i18n import Message
from app.text.encoding import DecodedText, decode_text
from app.text.plural_forms import CATEGORIES, is_language

MAX_DEPTH: Final = 100
MAX_NODES: Final = 200_000
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # without the C library, reading takes ten times as long
_STRING: Final = "tag:yaml.org,2002:str"
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")  # anchor and tag before a value
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")
# Plain texts that all readers of YAML understand alike
_PLAIN = re.compile(r"[^\W_](?:[^\x00-\x1f#:]|:(?=\S)|(?<=\S)#)*")
_PLAIN_IN_BRACKETS = re.compile(r"[^\W_][^\x00-\x1f#:,?\[\]{}]*")
_BLOCKS: Final = ("|", ">")
_BEFORE_VALUE = re.compile(r"[ \t]*:[ \t]+")
_DOCUMENT = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)
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


@dataclass(frozen=True, slots=True)
class _Piece:
    """A text of an ICU message: `[start, end)` of the value of its scalar, or of the file if this is a block."""

    scalar: _Scalar
    start: int
    end: int
    inside: IcuText


@dataclass(frozen=True)
class YamlStrings(TextFile):
    """A YAML file; a place is a string with its quotation marks. `locale` is the key that is a language.

    The place of a text of an ICU message, one of `pieces`, is where it would be if its scalar had no quotation marks
    and escapes.
    """

    decoded: DecodedText
    scalars: dict[Place, _Scalar] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    pieces: Mapping[Place, _Piece] = field(default_factory=dict, repr=False)
    added: Mapping[Place, AddedForm] = field(default_factory=dict, repr=False)
    locale: _Scalar | None = None
    is_paired: bool = False
    rules: KeyRules = KeyRules()  # noqa: RUF009 (it does not change)
    num_skipped: int = 0
    repeated: Sequence[str] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notices about the encoding, repeated keys, and texts that are not offered."""
        notes = (self.decoded.note, repeated_keys_note(self.repeated), skipped_note(self.num_skipped))
        return tuple(filter(None, notes))

    def text_parts(self) -> Sequence[Part]:
        """The keys with text."""
        parts = PartList()
        for scalar, is_key in _strings(self.decoded.text, ""):
            if not is_key and scalar.path and any(map(str.isalpha, scalar.value)):
                use = KEY_USES[not self.rules.translates(scalar.path)]
                steps = [int(step) if step.isdecimal() else step for step in scalar.path]
                parts.add(pattern_of(steps), use, KEY_USES, _shown(scalar.value))
        return parts.all()

    @property
    def languages(self) -> tuple[str, str]:
        """The key that is a language as source language."""
        return (self.locale.value if self.locale else "", "")

    def source(self, start: int, end: int) -> str:
        """The text at this place. Raises LookupError if there is none."""
        form = self.added.get((start, end))
        place = form.like if form else (start, end)
        if piece := self.pieces.get(place):
            text = piece.scalar.value if piece.scalar.style not in _BLOCKS else self.decoded.text
            line = text[piece.start : piece.end]
            return shown_text(_joined(line) if piece.scalar.style in _BLOCKS else _shown(line), piece.inside)
        scalar = self.scalars[place]
        return scalar.value if scalar.style in _BLOCKS else _shown(scalar.value)

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these texts, in the target language."""
        text = self.decoded.text
        edits: list[Edit] = []
        messages: dict[_Scalar, list[Edit]] = {}
        for new in translations:
            form = self.added.get((new.start, new.end))
            place = form.like if form else (new.start, new.end)
            text_of = one_line(new.text)
            if piece := self.pieces.get(place):
                is_block = piece.scalar.style in _BLOCKS
                text_of = written(text_of, piece.inside)
                text_of = text_of if is_block else from_shown(text_of)
                edit = form.edit(text_of) if form else (piece.start, piece.end, text_of)
                (edits if is_block else messages.setdefault(piece.scalar, [])).append(edit)
                continue
            scalar = self.scalars[place]
            value = scalar.value
            lead = value[: len(value) - len(value.lstrip())]
            trail = value[len(value.rstrip()) :]
            changed = text_of if scalar.style in _BLOCKS else lead + from_shown(text_of) + trail
            raw = _written(scalar, changed)
            edits.append(form.edit(raw) if form else (new.start, new.end, raw))
        for scalar, inside in messages.items():
            whole = splice(scalar.value, inside)
            kept = with_changes(text[scalar.start : scalar.end], scalar.value, inside)
            is_same = kept is not None and _value_of(kept, scalar.is_in_flow) == whole
            edits.append((scalar.start, scalar.end, kept if kept and is_same else _written(scalar, whole)))
        if self.locale and language:
            key = self.locale
            edits.append((key.start, key.end, _written(key, language)))
        return encode(splice(text, edits), self.encoding, self.mark)


def read(data: bytes, name: str, encoding: str | None = None, rules: Sequence[str] = ()) -> YamlStrings:
    """Parses a YAML file. Raises DocumentError with the line and column if it is not valid."""
    chosen = key_rules(rules)
    num_skipped = 0
    is_below = True  # all texts are below another key
    decoded = decode_text(data, name, DocumentError, encoding)
    text = decoded.text
    keys: dict[tuple[str, ...], dict[str, _Scalar]] = {}  # by the path of their mapping
    scalars: dict[Place, _Scalar] = {}
    pieces: dict[Place, _Piece] = {}
    units: list[Unit] = []
    forms: list[AddedForm] = []
    documents = [match.start() for match in _DOCUMENT.finditer(text)]
    repeated: list[str] = []
    for scalar, is_key in _strings(text, name):
        if is_key:
            siblings = keys.setdefault(scalar.path, {})
            same = siblings.get(scalar.value)
            if same and scalar.value != "<<" and bisect(documents, same.start) == bisect(documents, scalar.start):
                repeated.append(".".join((*scalar.path, scalar.value)))
            siblings[scalar.value] = scalar
            continue
        has_letters = any(map(str.isalpha, scalar.value))
        is_below = is_below and (len(scalar.path) > 1 or not has_letters)
        if not chosen.translates(scalar.path):
            num_skipped += has_letters
            continue
        message = list(_pieces(scalar, text))
        for piece, unit, added in message:
            pieces[unit.start, unit.end] = piece
            units.append(unit)
            forms += added
        for part in _lines(scalar, text) if scalar.style in _BLOCKS else [scalar]:
            if not any(map(str.isalpha, part.value)):
                continue
            scalars[part.start, part.end] = part  # of a message, too: documents of older logs have it as one segment
            if message:
                continue
            blank = re.sub(r"\s", " ", text[part.start : part.end])
            blank = re.sub(r"\A | \Z", "\u2060", blank)  # a no-break space there is part of the text
            note = key_note(".".join(part.path))
            units.append(Unit(part.start, part.end, blank, note=note, whole=((0, len(blank)),)))
    for unit in units:
        value = scalars.get((unit.start, unit.end))
        if value is not None and value.path[-1:] == (OTHER,) and value.style not in _BLOCKS:
            forms += _beside_keys(value, unit, keys.get(value.path[:-1], {}), text)
    top = [*keys.get((), {}).values()]
    is_locale = len(top) == 1 and _LANGUAGE.fullmatch(top[0].value) is not None and is_language(top[0].value)
    locale = top[0] if is_locale else None
    locale = locale if is_below else None
    return YamlStrings(
        decoded,
        scalars,
        units,
        pieces,
        by_place(forms),
        locale,
        rules=chosen,
        num_skipped=num_skipped,
        repeated=repeated,
    )


def _pieces(scalar: _Scalar, text: str) -> Iterator[tuple[_Piece, Unit, list[AddedForm]]]:
    """The texts of an ICU message with their segments, and forms that a language may need beside each."""
    is_block = scalar.style in _BLOCKS
    layout, start, end = scalar.value, 0, len(scalar.value)
    if is_block:
        layout, start, end = text, _end_of_header(scalar, text), scalar.end
    offset = 0 if is_block else scalar.start
    message = icu_message(layout, start, end)
    for one in message.texts:
        raw = layout[one.start : one.end]
        if not any(map(str.isalpha, raw)):
            continue
        first = one.start + len(raw) - len(raw.lstrip())
        last = one.start + len(raw.rstrip())
        unit = _piece_unit(scalar, layout, first, last, one.path)
        note = partial(_note, scalar)
        added = [
            replace(form, unit=_moved(form.unit, offset), like=(first + offset, last + offset))
            for plural in message.plurals
            if plural.other is one
            for form in plural.added(layout, unit, note)
        ]
        yield _Piece(scalar, first, last, one), _moved(unit, offset), added


def _piece_unit(scalar: _Scalar, layout: str, first: int, last: int, form: str) -> Unit:
    blank = re.sub(r"\s", " ", layout[first:last])
    return Unit(first, last, blank, note=_note(scalar, form), whole=((0, len(blank)),))


def _note(scalar: _Scalar, form: str) -> str:
    return " · ".join(filter(None, [key_note(".".join(scalar.path)), form]))


def _moved(unit: Unit, offset: int) -> Unit:
    return replace(unit, start=unit.start + offset, end=unit.end + offset)


def _beside_keys(other: _Scalar, unit: Unit, keys: Mapping[str, _Scalar], text: str) -> Iterator[AddedForm]:
    """The forms that a language may need beside a value whose key is "other", where all keys are plural forms."""
    key = keys.get(OTHER)
    if key is None or len(keys) == 1 or not keys.keys() <= {*CATEGORIES}:
        return
    if not _BEFORE_VALUE.fullmatch(text, key.end, other.start):
        return  # with an anchor or a tag, which must not be there twice
    line = max(text.rfind("\n", 0, key.start), text.rfind("\r", 0, key.start)) + 1
    line_end = _LINE_END.search(text)
    joint = (line_end.group() if line_end else "\n") + re.sub(r"\S", " ", text[line : key.start])
    if key.is_in_flow:
        joint = "," + (space_before(text, key.start) or " ")
    yield from added_forms(
        text,
        unit,
        (key.start, other.end),
        text.index(OTHER, key.start),
        given=keys.keys(),
        joint=joint,
        note=lambda category: key_note(".".join((*other.path[:-1], category))),
    )


def _strings(text: str, name: str) -> Iterator[tuple[_Scalar, bool]]:
    """All strings with their paths, and true for keys. Aliases are not followed."""
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
    start = properties.end() if properties else start
    end = start + len(text[start:end].rstrip(" \t\r\n"))
    return _Scalar(start, end, event.value, event.style or "", path, is_in_flow)


def _end_of_header(block: _Scalar, text: str) -> int:
    """The end of the first line of a block, with its marks."""
    line_end = _LINE_END.search(text, block.start, block.end)
    return line_end.start() if line_end else block.end


def _lines(block: _Scalar, text: str) -> Iterator[_Scalar]:
    """The lines of a literal block; the paragraphs of a folded one, in which indented lines are not joined."""
    found: list[tuple[int, int, int]] = []  # start, end, indentation
    for line in _BLOCK_LINE.finditer(text, _end_of_header(block, text), block.end):
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
        yield replace(block, start=start, end=end, value=_joined(text[start:end]))


def _joined(lines: str) -> str:
    return re.sub(r"\s*(?:\r\n|\r|\n)\s*", " ", lines)


def _shown(value: str) -> str:
    return one_line(shown(value.strip()))


def _written(scalar: _Scalar, value: str) -> str:
    """The value in the style of the scalar, or in double quotes if YAML would read it as something else."""
    ends_in_line = not value.rstrip("\n").count("\n")
    text = ""
    if scalar.style in _BLOCKS:
        return one_line(value)
    if scalar.style == "'" and ends_in_line:
        text = "'" + value.replace("'", "''") + "'"
    elif not scalar.style and (_PLAIN_IN_BRACKETS if scalar.is_in_flow else _PLAIN).fullmatch(value):
        text = value
    if text and _value_of(text, scalar.is_in_flow) == value:
        return text
    return '"' + _CONTROL.sub(lambda sign: _ESCAPES.get(sign.group(), f"\\u{ord(sign.group()):04x}"), value) + '"'


def _value_of(text: str, is_in_flow: bool) -> str | None:
    """The string that YAML reads if this text is a value; None if YAML does not read a string."""
    document = f"{{k: {text}}}" if is_in_flow else f"k: {text}"
    try:
        found = [scalar.value for scalar, is_key in _strings(document, "") if not is_key]
    except DocumentError:
        return None
    return found[0] if len(found) == 1 else None
