"""YAML files of texts, such as the files of Ruby on Rails: each string with a letter is a segment.

Keys, comments, anchors, order and layout stay unchanged. Line breaks and tabs are shown as `\\n` and `\\t`. A text
keeps its style (plain, quoted, block) if YAML can write the translation in it; otherwise it gets double quotes. If all
texts are below a key that is a language, as in Rails, the key becomes the target language. Symbols of Ruby (`:year`)
are not texts. Each line or paragraph of a block (`|`, `>`) is a segment. In an ICU message with plural or select forms,
as in Symfony, each form is a segment (`app.formats.icu`). Plural forms that only the target language has are added
(`app.formats.added_forms`), in ICU messages and beside keys that are plural forms, as in Rails. Rules choose which keys
are translated (`app.formats.part_rules`).
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from app.errors import DocumentError
from app.formats.added_forms import OTHER, AddedForm, FixedPlural, Place, added_forms, by_place, space_before
from app.formats.base import Edit, Unit, UnitTranslation, WrittenFile, encode, one_line, splice
from app.formats.escapes import from_shown, repeated_keys_note
from app.formats.icu import IcuText, icu_message, shown_text, written
from app.formats.parsed_file import TextFile
from app.formats.part_rules import KEY_USES, KeyRules, Part, PartList, key_rules, pattern_of, skipped_note
from app.formats.software.yaml_pieces import with_changes
from app.formats.software.yaml_scalars import (
    BLOCKS,
    LINE_END,
    Scalar,
    end_of_header,
    is_symbol,
    joined_lines,
    lines_of,
    raw_translation,
    shown_value,
    strings_of,
    value_of,
    written_value,
)
from app.formats.unit_notes import key_note
from app.text.encoding import DecodedText, decode_text
from app.text.plural_forms import CATEGORIES, is_language

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")
_BEFORE_VALUE = re.compile(r"[ \t]*:[ \t]+")
_DOCUMENT = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A text of an ICU message: `[start, end)` of the value of its scalar, or of the file if this is a block."""

    scalar: Scalar
    start: int
    end: int
    inside: IcuText


@dataclass(frozen=True)
class YamlStrings(TextFile):
    """A YAML file; a place is a string with its quotation marks. `locale` is the key that is a language.

    The keys of `pieces` are the places of texts of ICU messages: their places if the scalar had no quotation marks and
    no escapes.
    """

    decoded: DecodedText
    scalars: dict[Place, Scalar] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    pieces: Mapping[Place, _Piece] = field(default_factory=dict, repr=False)
    added: Mapping[Place, AddedForm] = field(default_factory=dict, repr=False)
    locale: Scalar | None = None
    rules: KeyRules = KeyRules()  # noqa: RUF009 (it does not change)
    num_skipped: int = 0
    repeated: Sequence[str] = ()
    fixed_plurals: Sequence[FixedPlural] = ()

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notices about the encoding, repeated keys, and texts that are not offered."""
        notes = (self.decoded.note, repeated_keys_note(self.repeated), skipped_note(self.num_skipped))
        return tuple(filter(None, notes))

    def text_parts(self) -> Sequence[Part]:
        """The keys with text."""
        parts = PartList()
        for scalar, is_key in strings_of(self.decoded.text, ""):
            if not is_key and scalar.path and any(map(str.isalpha, scalar.value)) and not is_symbol(scalar):
                use = KEY_USES[not self.rules.translates(scalar.path)]
                steps = [int(step) if step.isdecimal() else step for step in scalar.path]
                parts.add(pattern_of(steps), use, KEY_USES, shown_value(scalar.value))
        return parts.all()

    @cached_property
    def languages(self) -> tuple[str, str]:
        """The key that is a language as source language."""
        return (self.locale.value.removeprefix(":") if self.locale else "", "")

    def source(self, start: int, end: int) -> str:
        """The text at this place. Raises LookupError if there is none."""
        form = self.added.get((start, end))
        place = form.like if form else (start, end)
        if piece := self.pieces.get(place):
            text = piece.scalar.value if piece.scalar.style not in BLOCKS else self.decoded.text
            line = text[piece.start : piece.end]
            return shown_text(joined_lines(line) if piece.scalar.style in BLOCKS else shown_value(line), piece.inside)
        scalar = self.scalars[place]
        return scalar.value if scalar.style in BLOCKS else shown_value(scalar.value)

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these texts, in the target language."""
        text = self.decoded.text
        edits: list[Edit] = []
        messages: dict[Scalar, list[Edit]] = {}
        for new in translations:
            form = self.added.get((new.start, new.end))
            place = form.like if form else (new.start, new.end)
            if piece := self.pieces.get(place):
                is_block = piece.scalar.style in BLOCKS
                text_of = written(one_line(new.text), piece.inside)
                text_of = text_of if is_block else from_shown(text_of)
                edit = form.edit(text_of) if form else (piece.start, piece.end, text_of)
                (edits if is_block else messages.setdefault(piece.scalar, [])).append(edit)
                continue
            raw = raw_translation(self.scalars[place], new.text)
            edits.append(form.edit(raw) if form else (new.start, new.end, raw))
        for scalar, inside in messages.items():
            whole = splice(scalar.value, inside)
            kept = with_changes(text[scalar.start : scalar.end], scalar.value, inside)
            is_same = kept is not None and value_of(kept, scalar.is_in_flow) == whole
            edits.append((scalar.start, scalar.end, kept if kept and is_same else written_value(scalar, whole)))
        if self.locale and language:
            key = self.locale
            mark = ":" if key.value.startswith(":") else ""  # of a symbol
            edits.append((key.start, key.end, mark + written_value(key, language)))
        return encode(splice(text, edits), self.encoding, self.mark)


def parse(data: bytes, name: str, encoding: str | None = None, rules: Sequence[str] = ()) -> YamlStrings:
    """Parses a YAML file. Raises DocumentError with the line and column if it is not valid."""
    chosen = key_rules(rules)
    num_skipped = 0
    is_below = True  # all texts are below another key
    decoded = decode_text(data, name, DocumentError, encoding)
    text = decoded.text
    keys: dict[tuple[str, ...], dict[str, Scalar]] = {}  # by the path of their mapping
    scalars: dict[Place, Scalar] = {}
    pieces: dict[Place, _Piece] = {}
    units: list[Unit] = []
    forms: list[AddedForm] = []
    fixed: list[FixedPlural] = []
    documents = [match.start() for match in _DOCUMENT.finditer(text)]
    repeated: list[str] = []
    for scalar, is_key in strings_of(text, name):
        if is_key:
            siblings = keys.setdefault(scalar.path, {})
            same = siblings.get(scalar.value)
            if same and scalar.value != "<<" and bisect(documents, same.start) == bisect(documents, scalar.start):
                repeated.append(".".join((*scalar.path, scalar.value)))
            siblings[scalar.value] = scalar
            continue
        has_letters = any(map(str.isalpha, scalar.value)) and not is_symbol(scalar)
        is_below = is_below and (len(scalar.path) > 1 or not has_letters)
        if not chosen.translates(scalar.path):
            num_skipped += has_letters
            continue
        message = list(_pieces(scalar, text, fixed))
        for piece, unit, added in message:
            pieces[unit.start, unit.end] = piece
            units.append(unit)
            forms += added
        for part in lines_of(scalar, text) if scalar.style in BLOCKS else [scalar]:
            if not any(map(str.isalpha, part.value)):
                continue
            scalars[part.start, part.end] = part  # of a message and a symbol, too: documents of older logs have these
            if message or is_symbol(part):
                continue
            blank = re.sub(r"\s", " ", text[part.start : part.end])
            blank = re.sub(r"\A | \Z", "\u2060", blank)  # a no-break space there is part of the text
            note = key_note(".".join(part.path))
            units.append(Unit(part.start, part.end, blank, note=note, whole=((0, len(blank)),)))
    for number, unit in enumerate(units):
        value = scalars.get((unit.start, unit.end))
        beside = keys.get(value.path[:-1], {}).keys() if value else set()
        if value is not None and not unit.form and len(beside) > 1 and beside <= {*CATEGORIES}:
            units[number] = replace(unit, form=value.path[-1])
        if value is not None and value.path[-1:] == (OTHER,) and value.style not in BLOCKS:
            forms += _beside_keys(value, unit, keys.get(value.path[:-1], {}), text)
    top = [*keys.get((), {}).values()]
    language = top[0].value.removeprefix(":") if len(top) == 1 else ""
    is_locale = _LANGUAGE.fullmatch(language) is not None and is_language(language)
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
        fixed_plurals=fixed,
    )


def _pieces(scalar: Scalar, text: str, fixed: list[FixedPlural]) -> Iterator[tuple[_Piece, Unit, list[AddedForm]]]:
    """The texts of an ICU message with their segments, and forms that a language may need beside each.

    The plurals of the message without added forms are appended to `fixed`.
    """
    is_block = scalar.style in BLOCKS
    layout, start, end = scalar.value, 0, len(scalar.value)
    if is_block:
        layout, start, end = text, end_of_header(scalar, text), scalar.end
    offset = 0 if is_block else scalar.start
    message = icu_message(layout, start, end)
    fixed += message.fixed_plurals_of(".".join(scalar.path))
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


def _piece_unit(scalar: Scalar, layout: str, first: int, last: int, form: str) -> Unit:
    blank = re.sub(r"\s", " ", layout[first:last])
    return Unit(first, last, blank, note=_note(scalar, form), whole=((0, len(blank)),), form=form)


def _note(scalar: Scalar, form: str) -> str:
    return " · ".join(filter(None, [key_note(".".join(scalar.path)), form]))


def _moved(unit: Unit, offset: int) -> Unit:
    return replace(unit, start=unit.start + offset, end=unit.end + offset)


def _beside_keys(other: Scalar, unit: Unit, keys: Mapping[str, Scalar], text: str) -> Iterator[AddedForm]:
    """The forms that a language may need beside a value with the key "other", if all keys are plural forms."""
    key = keys.get(OTHER)
    if key is None or len(keys) == 1 or not keys.keys() <= {*CATEGORIES}:
        return
    if not _BEFORE_VALUE.fullmatch(text, key.end, other.start):
        return  # with an anchor or a tag, which must not be there twice
    line = max(text.rfind("\n", 0, key.start), text.rfind("\r", 0, key.start)) + 1
    line_end = LINE_END.search(text)
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
