"""Messages of the server in English and in the other languages of the page.

A message is its English text, with its template and values. The log, the terminal and the tests use the English text;
the page gets its own language if `messages.LANGUAGE.json`, which translators edit, contains the template.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

# How a language writes 1,234.5; English is as Python has it.
_MARKS = {"de": str.maketrans(",.", ".,")}


class Message(str):
    """An English text that can be translated: it keeps the template and the values that it was made from.

    >>> Message("{n:,} phrases are pinned", n=1200)
    '1,200 phrases are pinned'
    """

    __slots__ = ("template", "values")
    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, **values: Any) -> Message:
        """Raises KeyError or ValueError if the values do not match the template."""
        message = super().__new__(cls, template.format(**values))
        message.template, message.values = template, values
        return message

    @classmethod
    def of_parts(cls, template: str, values: dict[str, Any]) -> Message:
        """A message made from the parts of another. Raises what `str.format` raises if they do not match."""
        return cls(template, **values)

    def __deepcopy__(self, memo: dict[int, Any]) -> Message:
        return self

    def in_language(self, language: str) -> str:
        """The text in that language, or in English if the template is not translated."""
        template = _templates(language).get(self.template, self.template)
        return _InLanguage(language).vformat(template, (), self.values)


def counted(num: int, noun: str) -> str:
    """An English number with its noun, for the terminal: "1 segment", "1,200 segments"."""
    return f"{num:,} {noun}" if num == 1 else f"{num:,} {noun}s"


def joined(separator: str, texts: Iterable[str]) -> Message:
    """The texts joined by `separator`; messages among them are translated with the whole."""
    values = {f"text{number}": text for number, text in enumerate(texts)}
    return Message(separator.join(f"{{{name}}}" for name in values), **values)


def translated(value: Any, language: str) -> Any:
    """A copy of JSON-like data with every `Message`, at any depth, in that language."""
    if language not in _MARKS:
        return value
    if isinstance(value, Message):
        return value.in_language(language)
    if isinstance(value, dict):
        return {key: translated(item, language) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [translated(item, language) for item in value]
    return value


class _InLanguage(Formatter):
    """Formats numbers by the rules of a language, and translates messages among the values."""

    def __init__(self, language: str) -> None:
        self.language = language

    def format_field(self, value: Any, spec: str) -> str:
        """One value."""
        text = str(super().format_field(translated(value, self.language), spec))
        return text.translate(_MARKS[self.language]) if isinstance(value, int | float) else text


@cache
def _templates(language: str) -> dict[str, str]:
    path = Path(__file__).with_name(f"messages.{language}.json")
    templates: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return templates
