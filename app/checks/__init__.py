"""Quality checks: compare a translation with its source and report errors and warnings.

Pure functions over strings, independent of segments, storage and the page. An error is probably a mistake that readers
would notice: a missing number, placeholder or term. A warning is worth a look, but the text is often correct.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from app.checks import numbers, texts
from app.i18n import Message
from app.text.nontranslatables import nontranslatables, placeholder_difference, placeholder_spans
from app.text.quantities.requirements import with_whole_dates
from app.text.text_limits import TextLimits

CheckName = Literal["numbers", "placeholders", "terms", "limits", "punctuation", "doubled", "length", "spaces"]
CHECKS: tuple[CheckName, ...] = get_args(CheckName)

# Message template for each kind of finding. `_ERRORS` lists the kinds that are errors; the others are warnings.
_TEMPLATES: dict[tuple[CheckName, str], str] = {
    ("numbers", "changed"): "Numbers differ from the source: {texts}",
    ("numbers", "missing"): "Numbers missing: {texts}",
    ("numbers", "extra"): "Numbers not in the source: {texts}",
    ("numbers", "count"): "Numbers occurring less often than in the source: {texts}",
    ("numbers", "form"): "Numbers in the format of the source language: {texts}",
    ("placeholders", "missing"): "Placeholders missing: {texts}",
    ("placeholders", "extra"): "Placeholders not in the source: {texts}",
    ("placeholders", "order"): "Placeholders in the wrong order: {texts}",
    ("placeholders", "changed"): "Differs from the source: {texts}",
    ("placeholders", "key"): "Access key missing or repeated: {texts}",
    ("placeholders", "position"): "Position of tags uncertain: {texts}",
    ("terms", "unmet"): "Not in the text: {texts}",
    ("terms", "banned"): "Banned, but in the text: {texts}",
    ("limits", "characters"): "Characters above the limit of {texts}",
    ("limits", "speed"): "Characters per second above the limit: {texts}",
    ("limits", "line"): "Characters in a line above the limit: {texts}",
    ("limits", "lines"): "Lines above the limit: {texts}",
    ("punctuation", "end"): "Ends differently from the source: {texts}",
    ("punctuation", "marks"): "Formatting marks not paired as in the source: {texts}",
    ("doubled", "words"): "Repeated words: {texts}",
    ("length", "short"): "Much shorter than the source",
    ("length", "long"): "Much longer than the source",
    ("spaces", "start"): "Spaces at the start differ from the source",
    ("spaces", "end"): "Spaces at the end differ from the source",
    ("spaces", "inside"): "Several spaces in a row",
}
_ERRORS = {
    ("numbers", "changed"),
    ("numbers", "missing"),
    ("numbers", "extra"),
    ("placeholders", "missing"),
    ("placeholders", "extra"),
    ("placeholders", "order"),
    ("terms", "unmet"),
    ("terms", "banned"),
    ("limits", "characters"),
}
_SEPARATOR: dict[CheckName, str] = {"placeholders": " "}


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check: `kind` names the problem within the check, `texts` are the words concerned."""

    check: CheckName
    kind: str
    texts: tuple[str, ...] = ()

    @property
    def is_error(self) -> bool:
        """True for an error, false for a warning."""
        return (self.check, self.kind) in _ERRORS

    @property
    def message(self) -> Message:
        """The finding as a sentence without a full stop."""
        template = _TEMPLATES[self.check, self.kind]
        shown = [f'"{text}"' for text in self.texts] if self.check == "punctuation" else self.texts
        texts = _SEPARATOR.get(self.check, ", ").join(shown)
        return Message(template, texts=texts) if self.texts else Message(template)

    def view(self) -> dict[str, object]:
        """The finding as a JSON object for the page and the log."""
        return {"check": self.check, "kind": self.kind, "texts": list(self.texts), "is_error": self.is_error}


def findings_in(
    source: str,
    target: str,
    direction: str,
    *,
    unmet: Sequence[str] = (),
    banned: Sequence[str] = (),
    uncertain: Sequence[str] = (),
    limits: TextLimits | None = None,
    placeholders: tuple[str, ...] = (),
    off: Collection[CheckName] = (),
) -> tuple[Finding, ...]:
    """Runs all checks except those in `off` on the translation `target`; errors come first. Skips an empty target.

    `unmet` (required texts missing from the target), `banned` (banned texts found in it) and `uncertain` (tags that may
    be at the wrong words) come from the caller.
    `limits` and `placeholders` are those of the file for this text.

    >>> [finding.message for finding in findings_in("Wait 5 s.", "Warten Sie 50 s.", "en-de")]
    ['Numbers differ from the source: 5 ≠ 50']
    """
    if not target.strip():
        return ()
    source_language, _, target_language = direction.partition("-")
    # The other checks see each placeholder as a single symbol, neither word nor number.
    plain_source, plain_target = (without_placeholders(text, placeholders) for text in (source, target))
    found_by: dict[CheckName, Callable[[], dict[str, tuple[str, ...]]]] = {
        "terms": lambda: {"unmet": tuple(unmet), "banned": tuple(banned)},
        "placeholders": lambda: {**placeholder_difference(source, target, placeholders), "position": tuple(uncertain)},
        "limits": lambda: limits.exceeded(target) if limits else {},
        "numbers": lambda: numbers.differences(
            *_without_copies(
                without_placeholders(with_whole_dates(source, source_language), placeholders),
                without_placeholders(with_whole_dates(target, target_language), placeholders),
            ),
            source_language,
            target_language,
        ),
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
        if found or not _TEMPLATES[check, kind].endswith("{texts}")
    ]
    return tuple(sorted(findings, key=lambda finding: not finding.is_error))


def _without_copies(source: str, target: str) -> tuple[str, str]:
    """Both texts without the addresses and numbers of parts that the target has copied: "12.345.678-A" is no number."""
    for element in nontranslatables(source):
        if element.kind == "address" and source.count(element.text) == target.count(element.text):
            source, target = (text.replace(element.text, texts.OBJECT) for text in (source, target))
    return source, target


def without_placeholders(text: str, own: tuple[str, ...] = ()) -> str:
    """The text with each placeholder replaced by U+FFFC (object replacement character)."""
    parts, position = [], 0
    for start, end in placeholder_spans(text, own):
        parts += [text[position:start], texts.OBJECT]
        position = end
    return "".join([*parts, text[position:]])
