"""What Python says to the person, in English and in the other languages that the page can have.

A message keeps its template and values beside its English text: the log, the terminal and the tests read the English,
and the page gets another language where `messages.LANGUAGE.json`, which translators edit, has the template.
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
    """An English text made from a template and values, which can be made again in another language.

    >>> Message("{n:,} phrases are pinned", n=1200)
    '1,200 phrases are pinned'
    """

    __slots__ = ("template", "values")
    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, **values: Any) -> Message:
        """Raises KeyError or ValueError where the values are not those of the template."""
        message = super().__new__(cls, template.format(**values))
        message.template, message.values = template, values
        return message

    def __deepcopy__(self, memo: dict[int, Any]) -> Message:
        return self

    def in_language(self, language: str) -> str:
        """The text in that language; English where the language has no such template."""
        template = _templates(language).get(self.template, self.template)
        return _InLanguage(language).vformat(template, (), self.values)


def joined(separator: str, texts: Iterable[str]) -> Message:
    """The texts one after the other, each of them translated where it is a message."""
    values = {f"text{number}": text for number, text in enumerate(texts)}
    return Message(separator.join(f"{{{name}}}" for name in values), **values)


def translated(value: Any, language: str) -> Any:
    """JSON-like data with every `Message` in it, at any depth, in that language."""
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
    """Formats numbers as a language writes them, and messages among the values in that language."""

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
