"""What may be wrong with a translation, found by comparing it with its source: errors, and advice.

Plain functions over texts. An error is likely a mistake that a reader would suffer from: a number, a placeholder or a
term that is not there. Advice is worth a look and often right as it is. Knows nothing of segments, storage or the page.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from app.checks import numbers, texts
from app.i18n import Message
from app.text.nontranslatables import placeholder_difference, placeholder_spans

CheckName = Literal["numbers", "placeholders", "terms", "punctuation", "doubled", "length", "spaces"]
CHECKS: tuple[CheckName, ...] = get_args(CheckName)

# What each kind of finding says in a sentence; {} are its texts. The kinds that are errors stand in `_ERRORS`.
_SAYS: dict[tuple[CheckName, str], str] = {
    ("numbers", "missing"): "Numbers missing: {texts}",
    ("numbers", "extra"): "Numbers that the source does not have: {texts}",
    ("numbers", "count"): "Numbers standing less often than in the source: {texts}",
    ("numbers", "form"): "Numbers written as in the source language: {texts}",
    ("placeholders", "missing"): "Placeholders missing: {texts}",
    ("placeholders", "extra"): "Placeholders that the source does not have: {texts}",
    ("placeholders", "order"): "Placeholders that close before they open: {texts}",
    ("placeholders", "changed"): "Not as in the source: {texts}",
    ("placeholders", "key"): "Access key missing, or there twice: {texts}",
    ("terms", "unmet"): "Not in the text: {texts}",
    ("terms", "banned"): "Banned, but in the text: {texts}",
    ("punctuation", "end"): "Ends differently from the source: {texts}",
    ("punctuation", "marks"): "Marks that do not pair as in the source: {texts}",
    ("doubled", "words"): "Words standing twice: {texts}",
    ("length", "short"): "Much shorter than the source",
    ("length", "long"): "Much longer than the source",
    ("spaces", "start"): "Spaces at the start differ from the source",
    ("spaces", "end"): "Spaces at the end differ from the source",
    ("spaces", "inside"): "Several spaces in a row",
}
_ERRORS = {
    ("numbers", "missing"),
    ("numbers", "extra"),
    ("placeholders", "missing"),
    ("placeholders", "extra"),
    ("placeholders", "order"),
    ("terms", "unmet"),
    ("terms", "banned"),
}
_SEPARATOR: dict[CheckName, str] = {"placeholders": " "}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check found. `kind` tells the check's findings apart, `texts` are the words that it is about."""

    check: CheckName
    kind: str
    texts: tuple[str, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether it is likely a mistake; else it is advice."""
        return (self.check, self.kind) in _ERRORS

    @property
    def message(self) -> Message:
        """The finding as a sentence without its end."""
        template, texts = _SAYS[self.check, self.kind], _SEPARATOR.get(self.check, ", ").join(self.texts)
        return Message(template, texts=texts) if self.texts else Message(template)

    def view(self) -> dict[str, object]:
        """As the page and the log have it."""
        return {"check": self.check, "kind": self.kind, "texts": list(self.texts), "is_error": self.is_error}


def findings_in(
    source: str,
    target: str,
    direction: str,
    *,
    unmet: Sequence[str] = (),
    banned: Sequence[str] = (),
    off: Collection[CheckName] = (),
) -> tuple[Finding, ...]:
    """What the checks that are not `off` find in the translation `target`, errors first; nothing where it is empty.

    `unmet` and `banned` are the required texts that it lacks and the banned ones that it holds, which the caller knows.

    >>> [finding.message for finding in findings_in("Wait 5 s.", "Warten Sie 50 s.", "en-de")]
    ['Numbers missing: 5', 'Numbers that the source does not have: 50']
    """
    if not target.strip():
        return ()
    source_language, _, target_language = direction.partition("-")
    # Placeholders are no words and no numbers: each is a lone mark for the other checks.
    plain_source, plain_target = without_placeholders(source), without_placeholders(target)
    found_by: dict[CheckName, Callable[[], dict[str, tuple[str, ...]]]] = {
        "terms": lambda: {"unmet": tuple(unmet), "banned": tuple(banned)},
        "placeholders": lambda: placeholder_difference(source, target),
        "numbers": lambda: numbers.differences(plain_source, plain_target, source_language, target_language),
        "punctuation": lambda: {
            **texts.end_differences(plain_source, plain_target, target_language),
            **texts.mark_differences(plain_source, plain_target),
        },
        "doubled": lambda: texts.doubled_words(plain_source, plain_target, target_language),
        "length": lambda: texts.length_difference(plain_source, plain_target),
        "spaces": lambda: texts.space_differences(source, target),
    }
    findings = [
        Finding(check, kind, found)
        for check, find in found_by.items()
        if check not in off
        for kind, found in find().items()
        if found or not _SAYS[check, kind].endswith("{texts}")
    ]
    return tuple(sorted(findings, key=lambda finding: not finding.is_error))


def without_placeholders(text: str) -> str:
    """The text with U+FFFC, the sign for an object, in place of each placeholder."""
    parts, position = [], 0
    for start, end in placeholder_spans(text):
        parts += [text[position:start], texts.OBJECT]
        position = end
    return "".join([*parts, text[position:]])
