"""The origin of each word of a segment's text, tracked through its events.

Words are separated by white space, or split further in scripts without spaces. A word that the user changed, even by
one letter, counts as typed; a word that was cut and pasted elsewhere in the segment keeps its origin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.log.changes import TEXT_EVENTS, Change, change_of, text_after, text_before
from app.text.differences import steps_between
from app.text.words import split_spans, split_words

# As the figures list them. "model": the machine's own choice; "pin", "term": the machine's, where one was asked for;
# "other": what came by no way that is known, such as dictation or a browser's extension.
ORIGINS: Final = (
    "model", "pin", "term", "alternative", "completion", "typed", "pasted", "replaced", "propagated", "memory",
    "source", "file", "other",
)  # fmt: skip
# Origins in events that have another name here; all others not in ORIGINS become "other".
_NAMES: Final = {
    "case": "typed", "restored": "typed", "spelling": "typed", "undo": "typed", "redo": "typed",
    "replace": "replaced", "paste": "pasted", "n-best": "model", "hypothesis": "model", "rest": "model",
    "revision": "model",
}  # fmt: skip
_FROM_MACHINE: Final = frozenset({"n-best", "hypothesis", "rest"})
_STEPS: Final = frozenset({"undo", "redo"})
# Typed or external text: its words are new even if the same words were there before.
_WRITTEN: Final = frozenset({"typed", "paste", "spelling", "memory"})

Words = tuple[tuple[str, str], ...]


class WordOrigins:
    """The text of a segment as (word, origin) pairs; add the events of the segment in order.

    >>> origins = WordOrigins()
    >>> origins.add("edit", {"text": "ein Haus", "origin": "typed"})
    >>> origins.add("confirm", {"text": "ein rotes Haus"})
    >>> origins.words
    (('ein', 'typed'), ('rotes', 'typed'), ('Haus', 'typed'))
    """

    def __init__(self, given: str | None = None) -> None:
        """`given` is the translation of the segment in the document file."""
        self.text = given
        self._words = _all(given, "file") if given is not None else ()
        self._constraints: Mapping[int, Sequence[Mapping[str, Any]]] = {}
        self._alternatives: set[str] = set()
        self._hypotheses: dict[str, Words] = {}
        self._best: Words = ()
        self._seen: dict[str, Words] = {}
        self._cut: dict[str, Words] = {}

    @property
    def words(self) -> Words:
        """The words of the text, otherwise of the newest proposal."""
        return self._best if self.text is None else self._words

    def add(self, event_type: str, payload: Mapping[str, Any]) -> None:
        """Applies the next event of the segment."""
        if event_type == "pin" and payload.get("origin") == "alternative":
            self._alternatives.add(payload["text"])
        elif event_type == "decode_request":
            self._constraints = {payload.get("number", 0): payload.get("constraints", ())}
        elif event_type == "decode_result":
            self._add_result(payload)
        elif event_type in TEXT_EVENTS and "text" in payload:
            change, text = change_of(event_type, payload), text_after(self.text, event_type, payload)
            if change is not None and text is not None:
                self._begin(text_before(self.text, change, payload))
                self._follow(change, text)
            else:
                self._change(text, str(payload.get("origin", "typed")))

    def divide(self, text: str | None, before: Words) -> None:
        """Sets the text after a split or merge, made of the words `before`; there is no proposal any more."""
        self.text = text
        self._words = _kept(before, _all(text, "typed")) if text is not None else ()
        self._best, self._hypotheses, self._seen, self._cut = (), {}, {}, {}

    def _add_result(self, payload: Mapping[str, Any]) -> None:
        constraints = self._constraints.get(payload.get("number", 0), ())
        hypotheses = payload.get("hypotheses") or ()
        for rank, hypothesis in enumerate(hypotheses):
            text = hypothesis.get("text", "")
            words = self._proposal_words(text, hypothesis.get("placements", ()), constraints)
            self._hypotheses[text] = words
            if rank == 0:
                self._best = words

    def _proposal_words(
        self, text: str, placements: Sequence[Mapping[str, Any]], constraints: Sequence[Mapping[str, Any]]
    ) -> Words:
        words = []
        for start, end in split_spans(text):
            origin = "model"
            for placement in placements:
                if placement["start"] < end and start < placement["end"] and placement["phrase"] < len(constraints):
                    origin = self._constraint_origin(constraints[placement["phrase"]])
                    break
            words.append((text[start:end], origin))
        return tuple(words)

    def _constraint_origin(self, constraint: Mapping[str, Any]) -> str:
        if constraint.get("is_kept") and not constraint.get("term_keys") and not constraint.get("is_pinned"):
            return "model"  # a placeholder or an address, not a constraint of the user
        if not constraint.get("is_pinned"):
            return "term"
        return "alternative" if constraint.get("text") in self._alternatives else "pin"

    def _begin(self, base: str) -> None:
        """Starts from `base`: the current text, or a proposal if there is none."""
        if base == self.text:
            return
        known = self._hypotheses.get(base)
        self._words = known if known is not None else _kept(self._best, _all(base, "other"))
        self.text = base

    def _follow(self, change: Change, text: str) -> None:
        """Applies one change, which gives `text`."""
        before, known = self._words, self._hypotheses.get(text)
        self._remember()
        self.text = text
        if known is not None and change.origin in _FROM_MACHINE:
            self._words = known if change.origin != "rest" else _kept(before, known)
            return
        num_head, num_tail = _untouched(before, change, text)
        new = _all(text, origin_name(change.origin))
        old_middle, middle = before[num_head : len(before) - num_tail], new[num_head : len(new) - num_tail]
        removed, came = split_words(change.removed), split_words(change.text)
        if removed and removed == [word for word, _ in old_middle]:
            self._cut[" ".join(removed)] = old_middle
        moved = self._cut.get(" ".join(came)) if change.origin == "paste" else None
        if moved is not None and came == [word for word, _ in middle]:
            middle = moved
        elif change.origin not in _WRITTEN:
            middle = _kept(old_middle, middle)
        self._words = (*before[:num_head], *middle, *before[len(before) - num_tail :])

    def _change(self, text: str | None, origin: str) -> None:
        """Replaces the whole text; comparing finds the changed words."""
        before = self.words
        if text is None:
            self.text = None
            return
        if text == self.text:
            return
        self._remember()
        known = self._hypotheses.get(text)
        if origin in _STEPS and text in self._seen:
            self._words = self._seen[text]
        elif known is not None and origin == "hypothesis":
            self._words = known
        else:
            new = known if known is not None and origin in _FROM_MACHINE else _all(text, origin_name(origin))
            self._words = _kept(before, new)
        self.text = text

    def _remember(self) -> None:
        if self.text is not None:
            self._seen[self.text] = self._words


def _untouched(words: Words, change: Change, text: str) -> tuple[int, int]:
    """The numbers of unchanged words before and after a change."""
    end_before, end = change.offset + len(change.removed), change.offset + len(change.text)
    before = text[: change.offset] + change.removed + text[end:]
    spans, after, growth = split_spans(before), set(split_spans(text)), end - end_before
    num_head = sum(stop <= change.offset and (start, stop) in after for start, stop in spans)
    num_tail = sum(start >= end_before and (start + growth, stop + growth) in after for start, stop in spans)
    return num_head, min(num_tail, len(words) - num_head)


def _kept(before: Words, new: Words) -> Words:
    """The words after a change; unchanged words keep their origin."""
    start = _num_equal(before, new)
    end = _num_equal(before[start:][::-1], new[start:][::-1])
    middles = before[start : len(before) - end], new[start : len(new) - end]
    words = list(middles[1])
    if all(middles):  # most changes are in one place, so that there is nothing to compare
        old_words, new_words = ([word for word, _ in middle] for middle in middles)
        for operation, first, last, to, stop in steps_between(old_words, new_words):
            if operation == "equal":
                words[to:stop] = middles[0][first:last]
    return (*before[:start], *words, *before[len(before) - end :])


def _num_equal(first: Words, second: Words) -> int:
    """The length of the common prefix."""
    num = 0
    for (word, _), (other, _) in zip(first, second, strict=False):
        if word != other:
            break
        num += 1
    return num


def _all(text: str, origin: str) -> Words:
    return tuple((word, origin) for word in split_words(text))


def origin_name(origin: str) -> str:
    """The one of `ORIGINS` for the origin in an event."""
    name = _NAMES.get(origin, origin)
    return name if name in ORIGINS else "other"
