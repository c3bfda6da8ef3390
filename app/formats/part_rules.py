"""Rules that a person chose for the parts of a file: translated keys of JSON and YAML, and the use of XML elements.

A rule is a use and a pattern; of the rules that fit a part, the last one counts.

    skip meta               the key `meta` with all keys below
    skip *                  every key
    translate items.*.title a key in each entry of a list, or below each key
    skip **.id              the key `id` at any depth
    paragraph note          XML: an element `note` is a paragraph; `inline b`: it is in running text; `skip code`: it is
                            not translated
    translate img/@alt      XML: an attribute is translated; `@alt` matches any element
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from app.errors import CommandError
from app.i18n import Message

PartUse = Literal["translate", "skip", "paragraph", "inline"]
ELEMENT_USES: Final[tuple[PartUse, ...]] = ("paragraph", "inline", "skip")
KEY_USES: Final[tuple[PartUse, ...]] = ("translate", "skip")
MAX_RULES: Final = 100
MAX_RULE_CHARACTERS: Final = 200
_ANY: Final = "*"
_DEEP: Final = "**"
_STEP = re.compile(r"(?:\\.|[^.\\])*", re.DOTALL)
_ELEMENT = re.compile(r"(?P<element>[\w-]+|\*)?(?:/?@(?P<attribute>[\w.:-]+))?")


@dataclass(frozen=True, slots=True)
class Part:
    """A key or an element: its pattern, its current and possible uses, its first text, and the number of its texts."""

    name: str
    use: PartUse
    uses: tuple[PartUse, ...]
    text: str
    num: int


@dataclass(frozen=True, slots=True)
class PartRule:
    """One rule."""

    use: PartUse
    pattern: str


class KeyRules:
    """Rules for keys."""

    def __init__(self, rules: Sequence[PartRule] = ()) -> None:
        self._rules = [(rule.use == "translate", _Pattern.of(rule.pattern)) for rule in reversed(rules)]

    def translates(self, path: Sequence[str | int]) -> bool:
        """True if the text at this path of keys and numbers is translated."""
        if not self._rules:
            return True
        keys = [str(step) for step in path]
        return next((is_translated for is_translated, pattern in self._rules if pattern.fits(keys)), True)


@dataclass(frozen=True, slots=True)
class ElementRule:
    """A rule for an element, by its name without a prefix ("*": every element), or for one of its attributes."""

    use: PartUse
    element: str
    attribute: str


def key_rules(lines: Iterable[str]) -> KeyRules:
    """The rules of these lines. Raises CommandError for a line that is not a rule for keys."""
    rules = _rules(lines, KEY_USES, "translate items.*.title")
    for rule in rules:
        if _DEEP in _steps(rule.pattern)[1:]:
            raise CommandError(
                "{rule}: ** is allowed only at the start, as in **.title", rule=f"{rule.use} {rule.pattern}"
            )
    return KeyRules(rules)


def element_rules(lines: Iterable[str]) -> list[ElementRule]:
    """The rules of these lines. Raises CommandError for a line that is not a rule for elements and attributes."""
    example = "paragraph note"
    found = []
    for rule in _rules(lines, get_args(PartUse), example):
        match = _ELEMENT.fullmatch(rule.pattern)
        uses = KEY_USES if match and match["attribute"] else ELEMENT_USES
        if match is None or rule.use not in uses:
            raise _unusable(f"{rule.use} {rule.pattern}", uses, "skip img/@alt" if uses is KEY_USES else example)
        found.append(ElementRule(rule.use, match["element"] or _ANY, match["attribute"] or ""))
    return found


def pattern_of(path: Iterable[str | int]) -> str:
    """The pattern of a key, with `*` for the number of an entry of a list."""
    return ".".join(_ANY if isinstance(step, int) else re.sub(r"[.\\*]", r"\\\g<0>", step) for step in path)


class PartList:
    """Collects the parts of a file."""

    def __init__(self) -> None:
        self._parts: dict[str, Part] = {}

    def add(self, name: str, use: PartUse, uses: tuple[PartUse, ...], text: str) -> None:
        """Adds an occurrence of a part; it is used if one of its occurrences is."""
        known = self._parts.get(name)
        if known is None:
            self._parts[name] = Part(name, use, uses, text, 1)
            return
        use = use if known.use == "skip" else known.use
        self._parts[name] = Part(name, use, uses, known.text, known.num + 1)

    def all(self) -> list[Part]:
        """The parts in the order of their first occurrences."""
        return [*self._parts.values()]


def skipped_note(num_skipped: int) -> str | None:
    """The note about texts that rules take out."""
    if not num_skipped:
        return None
    return Message(
        "Texts that are not offered because of the rules in the import settings: {count:,}.", count=num_skipped
    )


def _rules(lines: Iterable[str], uses: Sequence[str], example: str) -> list[PartRule]:
    found = []
    for line in filter(None, map(str.strip, lines)):
        use, _, pattern = line.partition(" ")
        if use not in uses or not pattern.strip() or len(line) > MAX_RULE_CHARACTERS:
            raise _unusable(line, uses, example)
        found.append(PartRule(use, pattern.strip()))  # type: ignore[arg-type]
    if len(found) > MAX_RULES:
        raise CommandError(
            "{count} rules are more than {limit}: use * for several parts", count=len(found), limit=MAX_RULES
        )
    return found


def _unusable(line: str, uses: Sequence[str], example: str) -> CommandError:
    return CommandError(
        "{rule} is not a rule: write one of {uses} and a part of the file, such as {example}",
        rule=repr(line[:60]),
        uses=", ".join(uses),
        example=example,
    )


def _steps(pattern: str) -> list[str]:
    """The steps of a pattern, divided at dots that are not escaped."""
    steps = []
    position = 0
    while position <= len(pattern):
        match = _STEP.match(pattern, position)
        assert match is not None, "it may be empty"
        steps.append(match.group())
        position = match.end() + 1
    return steps


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern of keys: for each step, the texts between its stars. `is_deep`: it may begin at any depth."""

    steps: tuple[tuple[str, ...], ...]
    is_deep: bool

    @classmethod
    def of(cls, text: str) -> _Pattern:
        """The pattern that is written so."""
        steps = _steps(text)
        is_deep = steps[0] == _DEEP
        return cls(tuple(map(_literals, steps[is_deep:])), is_deep)

    def fits(self, keys: Sequence[str]) -> bool:
        """True if it fits the keys, or the first of them."""
        num_starts = len(keys) - len(self.steps) + 1
        starts = range(num_starts if self.is_deep else min(num_starts, 1))
        return any(all(map(_fits_step, self.steps, keys[start:])) for start in starts)


def _fits_step(literals: tuple[str, ...], key: str) -> bool:
    """True if a key fits a step; between its texts, there may be any characters."""
    if len(literals) == 1:
        return key == literals[0]
    first, last = literals[0], literals[-1]
    if len(key) < len(first) + len(last) or not key.startswith(first) or not key.endswith(last):
        return False
    position, end = len(first), len(key) - len(last)
    for literal in literals[1:-1]:
        place = key.find(literal, position, end)
        if place < 0:
            return False
        position = place + len(literal)
    return True


def _literals(step: str) -> tuple[str, ...]:
    """The texts of a step between its stars; a backslash takes the sign behind it as it is."""
    parts = [""]
    for sign in re.findall(r"\\.|[^\\]|\\\Z", step, re.DOTALL):
        if sign == _ANY:
            parts.append("")
        else:
            parts[-1] += sign[-1]
    return tuple(parts)
