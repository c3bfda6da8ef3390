"""Answers as JSON lines: the dataclasses of `engine.translation` with their field names as keys."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, BinaryIO

from engine.cli.lines import LineProblem
from engine.translation import Alternative, Hypothesis, Pricing, Translation

_RANKING = frozenset({"change_penalty", "score_penalty", "reverse_score"})
_NOT_IN_BRIEF = frozenset({"tokens", "token_log_probs", "token_spans", "alignment", "sentences", "listed"}) | _RANKING
_OF_A_REQUEST = frozenset({"placements", "unmet", "locked", "listed"}) | _RANKING
# The shell has no datastore, and prompts would be most of its output.
_NOT_IN_SHELL = frozenset({"request", "learned", "prompts"})
_LOG_PROB_DIGITS = 6  # as many as single precision gives
_MILLISECOND_DIGITS = 1
# Line breaks in Unicode but not in JSON: escaped, so that every reader sees the same lines.
_LINE_BREAKS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}

Json = dict[str, Any]


class AnswerFormatter:
    """Converts results to JSON objects; without tokens if `is_brief`, and always without weak alignments."""

    def __init__(self, is_brief: bool = False) -> None:
        self._left_out = frozenset({"weak_alignment"}) | (_NOT_IN_BRIEF if is_brief else frozenset())

    def translation(self, translation: Translation) -> Json:
        return self._object(translation, _NOT_IN_SHELL)

    def score(self, hypothesis: Hypothesis) -> Json:
        if not math.isfinite(hypothesis.log_prob):
            message = "the model returned scores that are not numbers; its weights may be damaged"
            raise LineProblem("not_a_number", message)
        return self._object(hypothesis, _OF_A_REQUEST)

    def alternatives(self, text: str, offset: int, found: Sequence[Alternative]) -> Json:
        return {"text": text, "offset": offset, "alternatives": [self._object(item) for item in found]}

    def pricing(self, pricing: Pricing) -> Json:
        prices = self._object(pricing, frozenset({"constrained", "free"}))
        return {**prices, "constrained": self.translation(pricing.constrained), "free": self.translation(pricing.free)}

    def _object(self, value: Any, without: frozenset[str] = frozenset()) -> Json:
        left_out = self._left_out | without
        return {
            field.name: self._value(getattr(value, field.name), field.name)
            for field in fields(value)
            if field.name not in left_out
        }

    def _value(self, value: Any, name: str) -> Any:
        if is_dataclass(value):
            return self._object(value)
        if isinstance(value, tuple | list):
            return [self._value(item, name) for item in value]
        if isinstance(value, float):
            digits = _MILLISECOND_DIGITS if name.endswith("_ms") else _LOG_PROB_DIGITS
            return round(value, digits) if math.isfinite(value) else None
        return value


def problem(kind: str, message: str) -> Json:
    """The error object of a line without an answer."""
    return {"error": {"kind": kind, "message": message}}


class Writer:
    """Writes objects as UTF-8 lines and flushes after each, so that a reader need not wait."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.num_lines = 0
        self.num_failed = 0

    def write(self, line: int, answer: Json) -> None:
        """Write one line. It counts as failed if it contains an error or a failed translation."""
        self.num_lines += 1
        self.num_failed += "error" in answer or answer.get("status") == "failed"
        text = json.dumps({"line": line, **answer}, ensure_ascii=False, allow_nan=False).translate(_LINE_BREAKS)
        # Half a surrogate pair cannot be encoded in UTF-8; JSON writes it as a backslash and its code.
        self._stream.write(text.encode("utf-8", errors="backslashreplace") + b"\n")
        self._stream.flush()
