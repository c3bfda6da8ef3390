"""String catalogs of Xcode (.xcstrings): each text of the source language is a segment, also plural and device forms.

The text is the value in the source language; without such a value, it is the key. Targets are those of the document's
target language, also in catalogs with several languages. Only values and states of that language are written; a missing
localization is added. A draft gets the state "needs_review", a confirmed translation "translated". Entries with
"shouldTranslate": false are not offered. Plural forms that only the target language has are added. Line breaks and
tabs are shown as `\\n` and `\\t`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from app.errors import DocumentError
from app.formats.added_forms import OTHER, AddedForm, Place, by_place
from app.formats.base import Edit, Unit, UnitTranslation, WrittenFile, encode, one_line, splice
from app.formats.escapes import from_shown, shown
from app.formats.parsed_file import PairedFile
from app.formats.software.json_strings import parsed_json, repeated_keys
from app.formats.unit_notes import key_note
from app.i18n import Message
from app.text.encoding import DecodedText, decode_text, shortened_list
from app.text.language_names import in_language
from app.text.plural_forms import CATEGORIES, numbers_of

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_LEAF = "stringUnit"
_SETTINGS = ("argNum", "formatSpecifier")  # of a substitution; each language has them
_MAX_DIGITS = 18


@dataclass(slots=True)
class _Value:
    """A JSON value at `[start, end)`. An object has `items` by key, and the spans of the keys."""

    start: int
    end: int = 0
    items: dict[str, _Value] = field(default_factory=dict)
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)

    def at(self, *path: str) -> _Value | None:
        """The value at a path of keys."""
        value: _Value | None = self
        for key in path:
            value = value.items.get(key) if value else None
        return value


@dataclass(frozen=True, slots=True)
class _Form:
    """A text: the key of its entry, and the path from its localization to the object with state and value."""

    key: str
    path: tuple[str, ...]


@dataclass(frozen=True)
class StringCatalog(PairedFile):
    """A string catalog; a place is the content of a value or key in the source language.

    `languages` are its source language and, if it has only one other, that; `language_tags` are all other languages.
    """

    decoded: DecodedText
    root: _Value = field(repr=False)
    content: dict[str, Any] = field(repr=False)
    forms: dict[tuple[int, int], _Form] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    added: Mapping[Place, AddedForm] = field(repr=False)
    languages: tuple[str, str]
    language_tags: Sequence[str] = ()
    notes: tuple[str, ...] = ()

    def source(self, start: int, end: int) -> str:
        """The source at this place. Raises LookupError if there is none."""
        form = self.added.get((start, end))
        return super().source(*form.like) if form else super().source(start, end)

    def with_targets_in(self, language: str) -> StringCatalog:
        """The catalog with the targets of one language."""
        tag = self._tag(language)

        def placed(unit: Unit) -> Unit:
            form = self.forms[unit.start, unit.end]
            text, is_confirmed = _given(self.content["strings"][form.key], tag, form.path, unit.source)
            return replace(unit, target=text, is_confirmed=is_confirmed)

        added = {place: replace(form, unit=placed(form.unit)) for place, form in self.added.items()}
        return replace(
            self, units=[placed(unit) for unit in self.units], added=added, languages=(self.languages[0], tag)
        )

    def _tag(self, language: str) -> str:
        """The catalog's tag of a language: "pt-BR" for "pt", unless there are other variants; else the language."""
        if language in self.language_tags:
            return language
        alike = [tag for tag in self.language_tags if in_language(language, {tag.replace("_", "-").lower(): tag})]
        return alike[0] if len(alike) == 1 else language

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The catalog with these texts in `language`; without it, in the only other language of the catalog."""
        target = self._tag(language) if language else self.languages[1] or "und"
        by_key: dict[str, dict[tuple[str, ...], dict[str, str]]] = {}
        for new in translations:
            form = self.forms[new.start, new.end]
            by_key.setdefault(form.key, {})[form.path] = {
                "state": "translated" if new.is_confirmed else "needs_review",
                "value": _around(self._source_value(form), from_shown(one_line(new.text))),
            }
        edits: list[Edit] = []
        for key, units in by_key.items():
            places = [self.root.at("strings", key, "localizations", target, *path) for path in units]
            there = [place.items for place in places if place and {"value", "state"} <= place.items.keys()]
            if len(there) == len(places):
                for items, unit in zip(there, units.values(), strict=True):
                    for name, text in unit.items():
                        edits.append((items[name].start, items[name].end, json.dumps(text, ensure_ascii=False)))
            else:
                edits.append(self._added(key, target, units))
        return encode(splice(self.decoded.text, edits), self.encoding, self.mark)

    def _source_value(self, form: _Form) -> str:
        localization = _at(self.content["strings"][form.key], "localizations", self.languages[0])
        found = _at(localization, *form.path, "value")
        if found is None and len(form.path) > 1:  # a form that only the target language has
            found = _at(localization, *form.path[:-2], OTHER, form.path[-1], "value")
        return found if isinstance(found, str) else form.key

    def _added(self, key: str, target: str, units: dict[tuple[str, ...], dict[str, str]]) -> Edit:
        """The edit that adds units to the localization of an entry, which may not have one."""
        localization = deepcopy(_object(_at(self.content["strings"][key], "localizations", target)))
        for path, unit in units.items():
            inner = localization
            of_source = _at(self.content["strings"][key], "localizations", self.languages[0])
            for name in path[:-1]:
                inner[name] = _object(inner.get(name))
                inner, of_source = inner[name], _object(_at(of_source, name))
                for setting in _SETTINGS:
                    if setting in of_source:
                        inner.setdefault(setting, of_source[setting])
            inner[path[-1]] = unit
        entry = self.root.at("strings", key)
        assert entry is not None, "the segment is from it"
        localizations = entry.items.get("localizations")
        if localizations and target in localizations.items:
            there = localizations.items[target]
            return there.start, there.end, self._dumped(localization, 4)
        if localizations:
            return self._item(localizations, target, localization, 4)
        return self._item(entry, "localizations", {target: localization}, 3)

    def _item(self, around: _Value, key: str, value: Any, depth: int) -> Edit:
        """The edit that adds an item to an object."""
        line = "\n" + "  " * depth
        item = f"{json.dumps(key)}{self._colon}{self._dumped(value, depth)}"
        if not around.items:
            return around.start, around.end, "{" + line + item + "\n" + "  " * (depth - 1) + "}"
        last = max(inner.end for inner in around.items.values())
        return last, last, f",{line}{item}"

    def _dumped(self, value: Any, depth: int) -> str:
        text = json.dumps(value, ensure_ascii=False, indent=2, separators=(",", self._colon))
        return text.replace("\n", "\n" + "  " * depth)

    @property
    def _colon(self) -> str:
        return " : " if '" : ' in self.decoded.text else ": "


def parse(data: bytes, name: str, encoding: str | None = None) -> StringCatalog:
    """Parses a string catalog. Raises DocumentError if it is not JSON or no string catalog."""
    decoded = decode_text(data, name, DocumentError, encoding)
    content = parsed_json(decoded.text, name, integer=_integer)
    strings = content.get("strings") if isinstance(content, dict) else None
    source = content.get("sourceLanguage") if isinstance(content, dict) else None
    if not isinstance(strings, dict) or not isinstance(source, str):
        raise DocumentError(
            "{name} is not a string catalog of Xcode (it lacks sourceLanguage or strings): open it in Xcode and "
            "save it again, or rename it to .json",
            name=name,
        )
    root = _positions(decoded.text)
    others = {tag for entry in strings.values() for tag in _object(_at(entry, "localizations")) if tag != source}
    target = next(iter(others)) if len(others) == 1 else ""
    forms: dict[tuple[int, int], _Form] = {}
    units: list[Unit] = []
    added: list[AddedForm] = []
    for key, entry in strings.items():
        if not isinstance(entry, dict) or entry.get("shouldTranslate") is False:
            continue
        places = root.at("strings", key)
        of_source = _at(entry, "localizations", source)
        found = list(_forms(of_source)) or [((_LEAF,), key)]
        for path, text in found:
            value = places.at("localizations", source, *path, "value") if places and of_source else None
            span = (value.start, value.end) if value else root.items["strings"].keys[key]
            place = span[0] + 1, span[1] - 1
            if not any(map(str.isalpha, text)) or place in forms:
                continue
            forms[place] = _Form(key, path)
            units.append(_unit(place, text, key, path, entry, target))
            other = places.at("localizations", source, *path[:-2]) if places and path[-2:] == (OTHER, _LEAF) else None
            if other is None or path[-3] != "plural":
                continue
            for number, category in enumerate(CATEGORIES[:-1]):
                if category not in other.items:
                    start = other.keys[OTHER][0] + 1 + number
                    added_path = (*path[:-2], category, _LEAF)
                    forms[start, start + 1] = _Form(key, added_path)
                    unit = _unit((start, start + 1), text, key, added_path, entry, target)
                    added.append(AddedForm(unit, place, partial(numbers_of, category)))
    notes = tuple(filter(None, (decoded.note, _repeats_note(decoded.text))))
    return StringCatalog(decoded, root, content, forms, units, by_place(added), (source, target), sorted(others), notes)


def _repeats_note(text: str) -> str | None:
    """The note about keys that occur more than once."""
    repeats = [key.removeprefix("strings.") for key in repeated_keys(text)]
    if not repeats:
        return None
    return Message(
        "Keys that occur more than once: {keys}. Only the last text of each is offered: remove the others, or give "
        "them different keys.",
        keys=shortened_list(dict.fromkeys(map(one_line, repeats))),
    )


def _unit(place: Place, text: str, key: str, path: tuple[str, ...], entry: dict[str, Any], target: str) -> Unit:
    """The segment of a form of an entry, with its translation into that language, if any."""
    source = one_line(shown(text.strip()))
    translated, is_confirmed = _given(entry, target, path, source)
    remark = entry.get("comment")
    names = ".".join(name for name in path if name not in ("variations", _LEAF))
    note = [key_note(f"{key} [{names}]" if names else key)]
    note += [one_line(remark)] if isinstance(remark, str) and remark.strip() else []
    return Unit(
        *place,
        source,
        translated,
        is_confirmed,
        " · ".join(note),
        form=names,
    )


def _given(entry: dict[str, Any], target: str, path: tuple[str, ...], source: str) -> tuple[str | None, bool]:
    """The text of a form in a language as it is shown, None if there is none, and whether it is confirmed.

    Tools give untranslated texts the state "new" and the source as their value.
    """
    given = _object(_at(entry, "localizations", target, *path)) if target else {}
    value, state = given.get("value"), given.get("state")
    text = one_line(shown(value.strip())) if isinstance(value, str) else ""
    if not text or (state == "new" and text == source):
        return None, False
    return text, state == "translated"


def _forms(localization: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The paths and texts of a localization: one text, its variations, and the variations of its substitutions."""
    for name, inner in _object(localization).items():
        value = _object(inner).get("value")
        if name == _LEAF and isinstance(value, str):
            yield (*path, name), value
        elif name != _LEAF and isinstance(inner, dict):
            yield from _forms(inner, (*path, name))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _integer(digits: str) -> int | str:
    """The number; very many digits, which a catalog does not need, stay text."""
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


def _at(value: Any, *path: str) -> Any:
    for name in path:
        value = _object(value).get(name)
    return value


def _around(source: str, text: str) -> str:
    """The text with the white space around the source."""
    return source[: len(source) - len(source.lstrip())] + text + source[len(source.rstrip()) :]


def _positions(text: str) -> _Value:
    """The values of a valid JSON text with their places. Of a key that is there twice, the last one counts."""
    top = _Value(0)
    opened = [top]
    key: str | None = None
    for token in _TOKEN.finditer(text):
        sign = token.group()
        if sign in ("}", "]"):
            opened.pop().end = token.end()
            key = None
        elif sign in (":", ","):
            key = key if sign == ":" else None
        elif sign.startswith('"') and key is None and text[opened[-1].start : opened[-1].start + 1] == "{":
            key = json.loads(sign)
            opened[-1].keys[key] = token.span()
        else:
            value = _Value(token.start(), token.end())
            if len(opened) == 1:
                top = value
            elif key is not None:
                opened[-1].items[key] = value
            if sign in ("{", "["):
                opened.append(value)
                key = None
    return top
