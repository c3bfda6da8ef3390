"""Front matter of Markdown: YAML between lines of "---", TOML between lines of "+++", or a JSON object.

Titles and descriptions are texts: each value, or each line or paragraph of a block of YAML, is one segment. So are the
items of lists of keywords and tags. They are written back in the style of the file; all other bytes stay. A note has an
example of a longer text in another field. TOML and JSON are the formats of Hugo (https://gohugo.io/content-management/front-matter/).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.errors import DocumentError
from app.formats.base import Edit, Unit, one_line
from app.formats.escapes import from_shown
from app.formats.software.json_strings import escaped, parsed_json, string_values, unescaped
from app.formats.software.yaml_scalars import BLOCKS, Scalar, lines_of, raw_translation, shown_value, strings_of
from app.i18n import Message

# Fields that readers see
FIELDS: Final = (
    "title", "subtitle", "description", "summary", "sidebar_label", "linkTitle", "excerpt", "abstract", "tagline",
    "headline", "caption", "alt",
)  # fmt: skip
LISTS: Final = ("keywords", "tags")
# YAML may also end with "...", as in Pandoc, unless an empty line follows the first line
_DELIMITED = re.compile(
    r"(?:(?P<yaml>---)|\+\+\+)[ \t]*(?:\r\n|\r|\n)(?P<is_filled>(?=\S))?.*?(?<=[\r\n])"
    r"(?P<end>(?(yaml)(?:---|(?(is_filled)\.{3}|(?!)))|\+\+\+)[ \t]*(?:\r\n|\r|\n|\Z))",
    re.DOTALL,
)
_SENTENCE = re.compile(r"\s*[^\W\d_]++(?:[,;:]?\s+[^\W\d_]++){2}")  # at least three words
_JSON_END = re.compile(r"[ \t]*(?:\r\n|\r|\n|\Z)")
# Comments and strings of TOML; a string may be the value of a field
_TOML_STRING = r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*+"{3,5}|\'\'\'(?:[^\']|\'(?!\'\'))*+\'{3,5}'
_TOML_STRING += r'|"(?:[^"\\\r\n]|\\.)*+"|\'[^\'\r\n]*+\''
_TOML = re.compile(
    rf"(?:^|(?<=[{{,]))[ \t]*+(?:[\w-]+\.)*+(?:"
    rf"(?P<key>{'|'.join(FIELDS)})[ \t]*+=[ \t]*+(?P<value>{_TOML_STRING})"
    rf"|(?P<list>{'|'.join(LISTS)})[ \t]*+=[ \t]*+\[)"
    rf"|(?P<item>{_TOML_STRING})|\#[^\r\n]*+|(?P<end>\])",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class FrontText:
    """A text of front matter; `edit` returns the change of the file that writes a translation."""

    unit: Unit
    source: str
    edit: Callable[[str], Edit]


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The front matter `[0, end)` of a file. `problem` is the reason why its texts are not offered."""

    end: int = 0
    texts: tuple[FrontText, ...] = ()
    problem: str | None = None
    other: str | None = None  # a note of a text in another field


def front_matter_of(text: str, name: str) -> FrontMatter:
    """The front matter of a text, which may have none."""
    delimited = _DELIMITED.match(text)
    end = delimited.end() if delimited else _end_of_json(text)
    try:
        if delimited is None:
            texts = _json_texts(text[:end], name) if end else iter(())
        else:
            read = _yaml_texts if delimited["yaml"] else _toml_texts
            texts = read(text[: delimited.start("end")], name)
        found = list(texts)
        other = next((text for text in found if isinstance(text, str) and _SENTENCE.match(text)), None)
        offered = (text for text in found if isinstance(text, FrontText) and any(map(str.isalpha, text.source)))
        note = (
            Message("Not offered: other fields of the front matter, such as “{text}”.", text=other) if other else None
        )
        return FrontMatter(end, tuple(offered), other=note)
    except DocumentError as problem:
        return FrontMatter(end, problem=Message("Texts of the front matter are not offered: {reason}", reason=problem))


def _is_text(path: Sequence[str]) -> bool:
    """True for the path of a field that readers see, or of an item of a list of keywords."""
    is_item = len(path) > 1 and path[-1].isdigit() and path[-2] in LISTS
    return is_item or (bool(path) and path[-1] in FIELDS)


def _text(start: int, end: int, raw: str, note: str, source: str, edit: Callable[[str], Edit]) -> FrontText:
    blank = re.sub(r"\A | \Z", "\u2060", re.sub(r"\s", " ", raw[start:end]))
    return FrontText(Unit(start, end, blank, note=note, whole=((0, end - start),)), source, edit)


def _yaml_texts(text: str, name: str) -> Iterator[FrontText | str]:
    for scalar, is_key in strings_of(text, name):
        if is_key:
            continue
        if not _is_text(scalar.path):
            yield scalar.value
            continue
        for part in lines_of(scalar, text) if scalar.style in BLOCKS else [scalar]:
            mark = len(part.style) if part.style not in BLOCKS else 0

            def edit(translation: str, part: Scalar = part) -> Edit:
                return part.start, part.end, raw_translation(part, translation)

            source = part.value if part.style in BLOCKS else shown_value(part.value)
            yield _text(part.start + mark, part.end - mark, text, ".".join(part.path), source, edit)


def _toml_texts(text: str, name: str) -> Iterator[FrontText | str]:
    table = _parsed_toml(f"#{text[1:]}", name)
    known = dict.fromkeys(_strings_in(table))
    yield from (value for key, value in known if key not in FIELDS and not key.isdigit())
    in_list: str | None = None
    number = 0
    for field in _TOML.finditer(text):
        if field["list"] or field["end"]:
            in_list, number = field["list"], 0
            continue
        group = "value" if field["key"] else "item"
        key = field["key"] or (str(number) if in_list else None)
        if key is None or (raw := field[group]) is None:
            continue
        number += group == "item"
        value = _toml_value(raw)
        if value is None or (key, value) not in known:
            continue

        def edit(translation: str, place: tuple[int, int] = field.span(group), raw: str = raw) -> Edit:
            return *place, _written_in_toml(raw, from_shown(one_line(translation)))

        mark = 3 if raw[:3] in ('"""', "'''") else 1
        start, end = field.span(group)
        note = key if group == "value" else f"{in_list}.{key}"
        yield _text(start + mark, end - mark, text, note, shown_value(value), edit)


def _parsed_toml(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise DocumentError(
            "{name}: this is not valid TOML ({reason}): correct it and open the file again",
            name=name,
            reason=str(problem),
        ) from problem


def _strings_in(value: Any) -> Iterator[tuple[str, str]]:
    """The keys and values of all strings of a table."""
    open_values = [value]
    while open_values:
        value = open_values.pop()
        for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
            if isinstance(inner, str):
                yield str(key), inner
            elif isinstance(inner, Mapping | list):
                open_values.append(inner)


def _toml_value(raw: str) -> str | None:
    """The value of a string of TOML; None if it is not valid."""
    try:
        value = tomllib.loads(f"value = {raw}")["value"]
    except tomllib.TOMLDecodeError:
        return None
    return value if isinstance(value, str) else None


def _written_in_toml(like: str, value: str) -> str:
    """The value with the quotation marks of another string, or in double quotes if they do not allow it."""
    safe = re.sub(r'[\x00-\x1f"\\\x7f]', _toml_escape, value)
    is_long = like.startswith(('"' * 3, "'" * 3))
    mark = like[:3] if is_long else like[0]
    line_end = "\r\n" if "\r\n" in like else "\n"
    start = mark + line_end * like.startswith(mark + line_end)
    content = safe if mark[0] == '"' else value
    if is_long:
        content = content.replace("\\n" if mark[0] == '"' else "\n", line_end)
    raw = start + content + mark
    return raw if _toml_value(raw) == value else f'"{safe}"'


def _toml_escape(sign: re.Match[str]) -> str:
    return {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}.get(sign.group(), f"\\u{ord(sign.group()):04x}")


def _end_of_json(text: str) -> int:
    """The end of a JSON object at the start of a text and of its line; 0 if there is none."""
    if not text.startswith("{"):
        return 0
    try:
        _, end = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode(text)
    except (json.JSONDecodeError, RecursionError):
        return 0
    line_end = _JSON_END.match(text, end)
    return line_end.end() if line_end else 0


def _json_texts(text: str, name: str) -> Iterator[FrontText | str]:
    parsed_json(text, name)
    for path, _, start, end in string_values(text):
        if not _is_text(tuple(map(str, path))):
            yield unescaped(text[start:end])
        else:

            def edit(translation: str, place: tuple[int, int] = (start, end)) -> Edit:
                return *place, escaped(from_shown(one_line(translation)), writes_ascii=False)

            yield _text(start, end, text, ".".join(map(str, path)), shown_value(unescaped(text[start:end])), edit)
