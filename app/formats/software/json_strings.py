"""JSON files of texts, nested or flat (i18next and others), ARB (Flutter) and messages.json (browser extensions).

Each string value with a letter is a segment; keys, numbers and layout stay unchanged. Line breaks and tabs are shown as
`\\n` and `\\t`. In an ICU message with plural or select forms, each form is a segment (`app.formats.icu`). Plural forms
that only the target language has are added (`app.formats.added_forms`); in files of i18next and Rails, such forms are
keys. In ARB, keys that begin with "@" are not text: "@@locale" becomes the target language, and "@key" describes "key".
In messages.json, only "message" is text. Keys that occur twice in an object, and NaN and Infinity, are written
unchanged; a note names them. Rules choose which keys are translated (`app.formats.part_rules`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

from app.errors import DocumentError
from app.formats.added_forms import OTHER, AddedForm, FixedPlural, Place, added_forms, by_place, space_before
from app.formats.base import Edit, Unit, UnitTranslation, one_line
from app.formats.escapes import from_shown, repeated_keys_note, shown
from app.formats.icu import IcuFile, IcuText, icu_message
from app.formats.part_rules import KEY_USES, KeyRules, Part, PartList, key_rules, pattern_of, skipped_note
from app.formats.unit_notes import key_note
from app.i18n import Message
from app.text.encoding import decode_text, shortened_list
from app.text.plural_forms import CATEGORIES

MAX_DEPTH: Final = 100
_TOKEN = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"(?P<colon>\s*:)?|(?P<mark>[{}\[\],])')
_CHARACTER = re.compile(r"\\u....|\\.|.")

_PLURAL_KEY = re.compile(rf"(?s:(?P<base>.*)_)?(?P<form>{'|'.join(CATEGORIES)})")
_COUNT = re.compile(r"\{\{?\s*count\b")

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class JsonStrings(IcuFile):
    """A JSON file; a place is the content of a string value. `locale` is the span and value of an ARB file's locale."""

    locale: tuple[int, int, str] | None = None
    rules: KeyRules = KeyRules()  # noqa: RUF009 (it does not change)
    num_skipped: int = 0

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notices about the encoding and about texts that are not offered."""
        return tuple(filter(None, (self.decoded.note, *self.remarks, skipped_note(self.num_skipped))))

    def text_parts(self) -> Sequence[Part]:
        """The keys with text."""
        text = self.decoded.text
        _, is_text = _conventions(json.loads(text, parse_int=str, parse_float=str))
        parts = PartList()
        for path, _, start, end in string_values(text):
            value = unescaped(text[start:end])
            if path and is_text(path) and any(map(str.isalpha, value)):
                use = KEY_USES[not self.rules.translates(path)]
                parts.add(pattern_of(path), use, KEY_USES, one_line(shown(value)))
        return parts.all()

    @cached_property
    def languages(self) -> tuple[str, str]:
        """The locale of an ARB file as source language."""
        return (self.locale[2] if self.locale else "", "")

    def _edits(self, translations: Sequence[UnitTranslation], language: str | None) -> list[Edit]:
        edits = super()._edits(translations, language)
        if self.locale and language:
            edits.append((self.locale[0], self.locale[1], language.replace("-", "_")))
        return edits


def parse(data: bytes, name: str, encoding: str | None = None, rules: Sequence[str] = ()) -> JsonStrings:
    """Parses a JSON or ARB file. Raises DocumentError with the line and column if it is not valid."""
    chosen = key_rules(rules)
    num_skipped = 0
    decoded = decode_text(data, name, DocumentError, encoding)
    text = decoded.text
    constants: list[str] = []
    content = parsed_json(text, name, constants)
    describe, is_text = _conventions(content)
    units: list[Unit] = []
    icu: list[IcuText] = []
    added: list[AddedForm] = []
    fixed: list[FixedPlural] = []
    locale = None
    plurals = _PluralKeys(text, content)
    for path, key, start, end in string_values(text):
        raw = text[start:end]
        if path == ("@@locale",):
            locale = start, end, unescaped(raw)
        elif is_text(path) and not chosen.translates(path):
            num_skipped += any(map(str.isalpha, unescaped(raw)))
        elif is_text(path):
            message = icu_message(text, start, end)
            icu += message.texts
            fixed += message.fixed_plurals_of(".".join(map(str, path)))
            note = partial(_note, path, describe(path))
            by_start: dict[int, Unit] = {}
            for begin, last, form in [(one.start, one.end, one.path) for one in message.texts] or [(start, end, "")]:
                if any(map(str.isalpha, unescaped(text[begin:last]))):
                    first, last = _without_outer_space(text, begin, last)
                    by_start[begin] = Unit(
                        first,
                        last,
                        text[first:last],
                        note=note(form),
                        whole=((0, last - first),),
                        form=form or plurals.form_of(path),
                    )
            units += by_start.values()
            for plural in message.plurals:
                if like := by_start.get(plural.other.start):
                    added += plural.added(text, like, note)
            if key is not None and start in by_start and not message.texts:
                added += plurals.added(path, key, end, by_start[start], describe(path))
    writes_ascii = text.isascii() and "\\u" in text
    return JsonStrings(
        decoded,
        units,
        show=lambda raw: one_line(shown(unescaped(raw))),
        mark_up=lambda _, translation: escaped(from_shown(one_line(translation)), writes_ascii=writes_ascii),
        icu=icu,
        added=by_place(added),
        fixed_plurals=fixed,
        remarks=(repeated_keys_note(repeated_keys(text)), _constants_note(constants)),
        locale=locale,
        rules=chosen,
        num_skipped=num_skipped,
    )


class _PluralKeys:
    """The plural forms that are keys: of i18next ("files_one", "files_other") and of Rails ({"one": …, "other": …})."""

    def __init__(self, text: str, content: Any) -> None:
        self._text = text
        self._content = content

    def form_of(self, path: Path) -> str:
        """The plural form that a string is; empty if it is not one."""
        found = _PLURAL_KEY.fullmatch(str(path[-1])) if path else None
        return found["form"] if found and self._forms_beside(path) else ""

    def _forms_beside(self, path: Path) -> set[str]:
        """All plural forms of the message that a string belongs to; empty if its key only looks like a form."""
        found = _PLURAL_KEY.fullmatch(str(path[-1]))
        siblings = self._content
        try:
            for step in path[:-1]:
                siblings = siblings[step]
        except (KeyError, IndexError, TypeError):
            return set()  # of a key that is there twice, the other value counts
        if found is None or not isinstance(siblings, dict):
            return set()
        prefix = str(path[-1]).removesuffix(found["form"])
        given = {form for form in CATEGORIES if f"{prefix}{form}" in siblings}
        texts = [siblings[f"{prefix}{form}"] for form in given]
        if len(given) < 2 or not all(isinstance(text, str) for text in texts):
            return set()
        return given if (any(map(_COUNT.search, texts)) if prefix else given == siblings.keys()) else set()

    def added(self, path: Path, key: Place, end: int, unit: Unit, description: str) -> Iterator[AddedForm]:
        """The forms that a language may need beside a string.

        `key` is the span of its key with quotation marks, `end` the place of its last quotation mark.
        """
        name = str(path[-1])
        given = self._forms_beside(path)
        if self.form_of(path) != OTHER or not self._text.startswith(f'{OTHER}"', key[1] - len(OTHER) - 1):
            return
        prefix = name.removesuffix(OTHER)
        yield from added_forms(
            self._text,
            unit,
            (key[0], end + 1),
            key[1] - len(OTHER) - 1,
            given=given,
            joint="," + space_before(self._text, key[0]),
            note=lambda category: _note((*path[:-1], prefix + category), description, ""),
            is_ordinal=prefix.endswith("_ordinal_"),
        )


def parsed_json(text: str, name: str, constants: list[str] | None = None, integer: Callable[[str], Any] = str) -> Any:
    """The content of a JSON text. Raises DocumentError with line and column if it is not valid or nested too deeply.

    `integer` converts the digits of an integer. NaN, Infinity and -Infinity are added to `constants`: many programs
    write them, although JSON does not allow them.
    """
    too_deep = Message(
        "{name} is nested more than {limit} levels deep: choose another file", name=name, limit=MAX_DEPTH
    )
    try:
        found = constants.append if constants is not None else None
        content = json.loads(text, parse_int=integer, parse_float=str, parse_constant=found)
    except json.JSONDecodeError as problem:
        line = text[problem.pos :].splitlines()[:1]
        raise DocumentError(
            "{name}, line {line}, column {column}: this is not valid JSON, found {text!r}: correct it (comments "
            "and a comma after the last value are not allowed) and open the file again",
            name=name,
            line=problem.lineno,
            column=problem.colno,
            text="".join(line)[:40],
        ) from problem
    except RecursionError as problem:
        raise DocumentError(too_deep) from problem
    if _depth(text) > MAX_DEPTH:
        raise DocumentError(too_deep)
    return content


def _constants_note(constants: Sequence[str]) -> str | None:
    if not constants:
        return None
    return Message(
        "The file contains {values}, which JSON does not allow and many programs refuse; it was kept.",
        values=shortened_list(dict.fromkeys(constants)),
    )


def repeated_keys(text: str) -> Iterator[str]:
    """The path of each key that its object already has, in a valid JSON text."""
    names: list[str] = []
    seen: list[set[str]] = []
    for match in _TOKEN.finditer(text):
        mark = match["mark"]
        if mark in ("{", "["):
            names.append("")
            seen.append(set())
        elif mark in ("}", "]"):
            names.pop()
            seen.pop()
        elif match["colon"] is not None:
            names[-1] = unescaped(match["text"])
            if names[-1] in seen[-1]:
                yield ".".join(filter(None, names))
            seen[-1].add(names[-1])


def _depth(text: str) -> int:
    depth = deepest = 0
    for match in _TOKEN.finditer(text):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match["mark"], 0)
        deepest = max(deepest, depth)
    return deepest


def _conventions(content: Any) -> tuple[Callable[[Path], str], Callable[[Path], bool]]:
    """A function that describes the string at a path, and one that decides whether it is text."""
    entries = content if isinstance(content, dict) else {}
    if entries and all(isinstance(e, dict) and isinstance(e.get("message"), str) for e in entries.values()):
        return lambda path: _description(entries[path[0]]), lambda path: path[1:] == ("message",)
    return (
        lambda path: _description(entries.get(f"@{path[0]}")) if len(path) == 1 else "",
        lambda path: not str(path[0]).startswith("@") if path else True,
    )


def _note(path: Path, description: str, form: str) -> str:
    return " · ".join(filter(None, [key_note(".".join(map(str, path))), form, description]))


def _description(entry: Any) -> str:
    description = entry.get("description") if isinstance(entry, dict) else None
    return one_line(description) if isinstance(description, str) else ""


def string_values(text: str) -> Iterator[tuple[Path, Place | None, int, int]]:
    """Path, span of the key, and start and end of the content of each string value of a valid JSON text."""
    key: Place | None = None
    path: list[str | int] = []
    is_list: list[bool] = []
    for match in _TOKEN.finditer(text):
        mark = match["mark"]
        if mark in ("{", "["):
            is_list.append(mark == "[")
            path.append(0 if mark == "[" else "")
        elif mark in ("}", "]"):
            is_list.pop()
            path.pop()
        elif mark == ",":
            if is_list[-1]:
                path[-1] = int(path[-1]) + 1
        elif match["colon"] is not None:
            path[-1] = unescaped(match["text"])
            key = match.start(), match.end("text") + 1
        else:
            yield tuple(path), None if not is_list or is_list[-1] else key, match.start("text"), match.end("text")


def _without_outer_space(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the white space and escaped white space at its ends, which is layout."""
    visible = [m.span() for m in _CHARACTER.finditer(text, start, end) if not _is_space(m.group())]
    return (visible[0][0], visible[-1][1]) if visible else (start, end)


def _is_space(character: str) -> bool:
    return (unescaped(character) if character.startswith("\\") else character).isspace()


def unescaped(raw: str) -> str:
    """The value of the content of a string."""
    value: str = json.loads(f'"{raw}"')
    return value


def escaped(value: str, *, writes_ascii: bool) -> str:
    """The value as the content of a string."""
    return json.dumps(value, ensure_ascii=writes_ascii)[1:-1]
