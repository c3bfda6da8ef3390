"""Where each word of a segment's text came from, followed through its events.

A word is what stands between white space. One that a person changed, be it by a letter, is theirs. Knows the events'
payloads; knows nothing of how they are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

# As the figures list them. "model": the machine's own choice; "pin", "term": the machine's, where one was asked for.
ORIGINS: Final = (
    "model", "pin", "term", "alternative", "completion", "typed", "replaced", "propagated", "memory", "source", "file",
)  # fmt: skip
# What the events call it, where it is another name; what is not here keeps its own.
_NAMES: Final = {"case": "typed", "restored": "typed", "replace": "replaced", "paste": "typed"}
_FROM_MACHINE: Final = frozenset({"hypothesis", "rest"})
_STEPS: Final = frozenset({"undo", "redo"})
# What a segment's text may change by; "text" of the payload is the new one, None the machine's.
TEXT_EVENTS: Final = frozenset({"edit", "insert", "delete", "paste", "undo", "redo", "hypothesis_taken", "confirm"})

Words = tuple[tuple[str, str], ...]


class WordOrigins:
    """One segment's text as (word, origin) pairs; feed it the segment's events in order.

    >>> origins = WordOrigins()
    >>> origins.take("edit", {"text": "ein Haus", "origin": "typed"})
    >>> origins.take("confirm", {"text": "ein rotes Haus"})
    >>> origins.words
    (('ein', 'typed'), ('rotes', 'typed'), ('Haus', 'typed'))
    """

    def __init__(self, given: str | None = None) -> None:
        """`given` is the translation that the document came with."""
        self.text = given
        self._words = _all(given, "file") if given is not None else ()
        self._constraints: Mapping[int, Sequence[Mapping[str, Any]]] = {}
        self._alternatives: set[str] = set()
        self._hypotheses: dict[str, Words] = {}
        self._best: Words = ()
        self._seen: dict[str, Words] = {}

    @property
    def words(self) -> Words:
        """The words of the text, else of the machine's newest proposal."""
        return self._best if self.text is None else self._words

    def take(self, event_type: str, payload: Mapping[str, Any]) -> None:
        """One event of this segment."""
        if event_type == "pin" and payload.get("origin") == "alternative":
            self._alternatives.add(payload["text"])
        elif event_type == "decode_request":
            self._constraints = {payload.get("number", 0): payload.get("constraints", ())}
        elif event_type == "decode_result":
            self._take_result(payload)
        elif event_type in TEXT_EVENTS and "text" in payload:
            self._change(payload["text"], str(payload.get("origin", "typed")))

    def divide(self, text: str | None, before: Words) -> None:
        """The segment was cut or joined: its text from now on, made of the words `before`; no proposal holds."""
        self.text = text
        self._words = _kept(before, _all(text, "typed")) if text is not None else ()
        self._best, self._hypotheses, self._seen = (), {}, {}

    def _take_result(self, payload: Mapping[str, Any]) -> None:
        constraints = self._constraints.get(payload.get("number", 0), ())
        hypotheses = payload.get("hypotheses") or ()
        for rank, hypothesis in enumerate(hypotheses):
            text = hypothesis.get("text", "")
            words = self._of_machine(text, hypothesis.get("placements", ()), constraints)
            self._hypotheses[text] = words
            if rank == 0:
                self._best = words

    def _of_machine(
        self, text: str, placements: Sequence[Mapping[str, Any]], constraints: Sequence[Mapping[str, Any]]
    ) -> Words:
        words, position = [], 0
        for word in text.split():
            start = text.index(word, position)
            position = start + len(word)
            origin = "model"
            for placement in placements:
                if (
                    placement["start"] < position
                    and start < placement["end"]
                    and placement["phrase"] < len(constraints)
                ):
                    origin = self._asked_by(constraints[placement["phrase"]])
                    break
            words.append((word, origin))
        return tuple(words)

    def _asked_by(self, constraint: Mapping[str, Any]) -> str:
        if constraint.get("is_kept") and not constraint.get("term_keys") and not constraint.get("is_pinned"):
            return "model"  # a placeholder or an address, which nobody asked for
        if not constraint.get("is_pinned"):
            return "term"
        return "alternative" if constraint.get("text") in self._alternatives else "pin"

    def _change(self, text: str | None, origin: str) -> None:
        before = self.words
        if text is None:
            self.text = None
            return
        if text == self.text:
            return
        if self.text is not None:
            self._seen[self.text] = self._words
        known = self._hypotheses.get(text)
        if origin in _STEPS and text in self._seen:
            self._words = self._seen[text]
        elif known is not None and origin == "hypothesis":
            self._words = known
        else:
            new = known if known is not None and origin in _FROM_MACHINE else _all(text, _name(origin))
            self._words = _kept(before, new)
        self.text = text


def _kept(before: Words, new: Words) -> Words:
    """The new words; those that stood there before keep where they came from."""
    start = _num_equal(before, new)
    end = _num_equal(before[start:][::-1], new[start:][::-1])
    middles = before[start : len(before) - end], new[start : len(new) - end]
    words = list(middles[1])
    if all(middles):  # most changes are at one place, and then there is nothing to compare
        old_words, new_words = ([word for word, _ in middle] for middle in middles)
        for block in SequenceMatcher(None, old_words, new_words, autojunk=False).get_matching_blocks():
            words[block.b : block.b + block.size] = middles[0][block.a : block.a + block.size]
    return (*before[:start], *words, *before[len(before) - end :])


def _num_equal(first: Words, second: Words) -> int:
    """How many words both begin with."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, ((a, _), (b, _)) in pairs if a != b), min(len(first), len(second)))


def _all(text: str, origin: str) -> Words:
    return tuple((word, origin) for word in text.split())


def _name(origin: str) -> str:
    if origin in _FROM_MACHINE:
        return "model"
    return "typed" if origin in _STEPS else _NAMES.get(origin, origin)
