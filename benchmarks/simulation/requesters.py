"""Ways of asking the engine for a translation with the person's corrections: from a situation to a new text.

A new option of `engine.Request` joins the comparison as one more `Requester` in `REQUESTERS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.words import Word, alignment, right_words, words_of
from engine import Follow, Phrase, Request

OUTER = "".join(map(chr, range(33, 48))) + ":;<=>?@[]{}„“”‚‘’»«…–"


@dataclass(frozen=True, slots=True)
class Correction:
    """Words that the person put into the text, and the words that they replaced.

    `start` and `end` are their place in `Situation.text`; None for a phrase without a place. `source_span` are the
    source words that they translate, if the person names them.
    """

    phrase: str
    start: int | None = None
    end: int | None = None
    replaced: tuple[str, ...] = ()
    source_span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """What the engine may know when it answers a correction.

    `text` is the text in front of the person with the corrections in it, as far as they have a place; `seen` the
    translation before them. `goal` is only for requesters that measure an upper bound.
    """

    source: str
    direction: str
    seen: str
    text: str
    corrections: tuple[Correction, ...]
    goal: str = ""

    @property
    def placed(self) -> list[Correction]:
        """The corrections with a place, from left to right."""
        return sorted((c for c in self.corrections if c.start is not None), key=lambda c: c.start or 0)

    @property
    def banned(self) -> tuple[str, ...]:
        """The words that corrections replaced, unless another place of the text has them."""
        present = {word.text for word in words_of(self.text)}
        words = {word: None for correction in self.corrections for word in correction.replaced}
        return tuple(word for word in words if word not in present and any(map(str.isalnum, word)))


class Requester(Protocol):
    """Asks the engine for a new text; None where it has none that meets the request."""

    name: str
    needs_place: bool
    needs_source: bool  # only measured in single re-decodings, as naming the source words is no gesture of the app
    is_bound: bool  # only measured in single re-decodings, as it knows the goal

    def propose(self, situation: Situation, engine: Engine) -> tuple[str | None, float]:
        """The new text and the seconds that the person waits for it."""


@dataclass(frozen=True, slots=True)
class OneRequest(ABC):
    """Answers with the best translation of one request."""

    name: str
    needs_place: bool = True
    needs_source: bool = False
    is_bound: bool = False

    @abstractmethod
    def request(self, situation: Situation) -> Request:
        """The request that this way of asking makes."""

    def propose(self, situation: Situation, engine: Engine) -> tuple[str | None, float]:
        answer = engine.translate(self.request(situation), "corrected")
        return (answer.texts[0] if answer.texts else None), answer.waiting_s


@dataclass(frozen=True, slots=True)
class Phrases(OneRequest):
    """Each correction is a required phrase, wherever the search puts it: a pin as it is today."""

    name: str = "phrases"
    needs_place: bool = False

    def request(self, situation: Situation) -> Request:
        counts: dict[tuple[str, tuple[int, int] | None], int] = {}
        for correction in situation.corrections:
            if not correction.phrase.strip():
                continue
            phrase = correction.phrase.strip(OUTER) or correction.phrase, correction.source_span
            counts[phrase] = counts.get(phrase, 0) + 1
        phrases = tuple(Phrase(text, count=count, source_span=span) for (text, span), count in counts.items())
        return Request(situation.source, situation.direction, phrases)


@dataclass(frozen=True, slots=True)
class InOrder(OneRequest):
    """Corrections are locked in the order of the text, with `neighbours` words on each side; replaced words are banned.

    Corrections that touch each other are locked as one.
    """

    name: str = "order"
    neighbours: int = 0

    def request(self, situation: Situation) -> Request:
        locked = locked_texts(situation.text, situation.placed, self.neighbours)
        return Request(situation.source, situation.direction, locked=locked, avoid=avoided(situation, locked))


@dataclass(frozen=True, slots=True)
class LeftSide(OneRequest):
    """All up to the end of the last correction is a prefix; the rest is free, without the replaced words if `bans`."""

    name: str = "prefix"
    bans: bool = False

    def request(self, situation: Situation) -> Request:
        end = max((correction.end or 0 for correction in situation.placed), default=0)
        prefix = closed(situation.text[:end], situation.text[end:])
        avoid = avoided(situation, (prefix,)) if self.bans else ()
        return Request(situation.source, situation.direction, prefix=prefix, avoid=avoid)


@dataclass(frozen=True, slots=True)
class Window(OneRequest):
    """Only `size` words on each side of the corrections are free; the rest is locked."""

    name: str = "window 1"
    size: int = 1

    def request(self, situation: Situation) -> Request:
        return window_request(situation, self.size, self.size)


@dataclass(frozen=True, slots=True)
class RightKept(OneRequest):
    """Locks all words that are right, which only the goal tells: an upper bound, not a way of working."""

    name: str = "right words kept (knows the goal)"
    is_bound: bool = True

    def request(self, situation: Situation) -> Request:
        words, goals = words_of(situation.text), words_of(situation.goal)
        right = {
            i
            for i, j in alignment(situation.text, situation.goal)
            if i is not None and j is not None and words[i].text == goals[j].text
        }
        places = [(c.start or 0, c.end or 0) for c in situation.placed]
        right |= {k for k, word in enumerate(words) if any(a <= word.start < b for a, b in places)}
        locked = spans_of(situation.text, words, right)
        return Request(situation.source, situation.direction, locked=locked, avoid=avoided(situation, locked))


@dataclass(frozen=True, slots=True)
class Following(OneRequest):
    """As near to the text as the model allows: each change of a piece costs `strength` nats (`engine.Follow`).

    Without places, corrections are required phrases and the text followed is the one before them; with
    `places_phrases`, the engine puts them into it first. With places, the text followed has the corrections, which are
    locked in its order, and replaced words are banned.
    """

    name: str = "follow"
    needs_place: bool = False
    strength: float = 2.0
    places_phrases: bool = False

    def request(self, situation: Situation) -> Request:
        base = InOrder() if self.needs_place else Phrases()
        return replace(base.request(situation), follow=Follow(situation.text, self.strength, self.places_phrases))


@dataclass(frozen=True, slots=True)
class Behind(OneRequest):
    """What the app asks after an edit: the text up to the last correction stays, the rest is followed."""

    name: str = "behind"
    strength: float = 1.0

    def request(self, situation: Situation) -> Request:
        return replace(LeftSide().request(situation), follow=Follow(situation.text, self.strength))


def locked_texts(text: str, corrections: Sequence[Correction], neighbours: int) -> tuple[str, ...]:
    """The corrections in the order of the text, each with neighbouring words; those that touch are one."""
    words = words_of(text)
    kept: set[int] = set()
    for correction in corrections:
        start, end = correction.start or 0, correction.end or 0
        inside = [k for k, word in enumerate(words) if word.end > start and word.start < end]
        if inside:
            kept |= set(range(max(0, inside[0] - neighbours), min(len(words), inside[-1] + 1 + neighbours)))
    return spans_of(text, words, kept)


def spans_of(text: str, words: Sequence[Word], kept: set[int]) -> tuple[str, ...]:
    """The texts of the runs of kept words."""
    runs: list[list[int]] = []
    for k in sorted(kept):
        if runs and runs[-1][1] == k - 1:
            runs[-1][1] = k
        else:
            runs.append([k, k])
    return tuple(text[words[first].start : words[last].end] for first, last in runs)


def avoided(situation: Situation, required: Sequence[str]) -> tuple[str, ...]:
    """The replaced words that nothing required contains."""
    needed = {word.text for text in required for word in words_of(text)}
    return tuple(word for word in situation.banned if word not in needed)


def closed(left: str, right: str) -> str:
    """The left part of a text as a prefix; a space closes its last word unless the text goes on without one."""
    return left + " " if left and (not right or right[0].isspace()) and not left[-1].isspace() else left


def window_request(situation: Situation, left: int, right: int) -> Request:
    """Words within so many of the corrections may change; prefix and suffix keep the rest."""
    text, words = situation.text, words_of(situation.text)
    start = min(correction.start or 0 for correction in situation.placed)
    end = max(correction.end or 0 for correction in situation.placed)
    before = [word for word in words if word.end <= start]
    after = [word for word in words if word.start >= end]
    cut = before[len(before) - left - 1].end if len(before) > left else 0
    rest = after[right].start if len(after) > right else len(text)
    locked = tuple(c.phrase for c in situation.placed if c.phrase.strip())
    prefix = closed(text[:cut], text[cut:]) if cut else ""
    return Request(
        situation.source,
        situation.direction,
        prefix=prefix,
        locked=locked,
        suffix=text[rest:],
        avoid=avoided(situation, (text[:cut], text[rest:], *locked)),
    )


@dataclass(frozen=True, slots=True)
class ByWindows:
    """The best by score of the text as it is, of several windows and of free search, less `penalty` a changed word.

    Penalties are in nats, as in `nearest`: a word is changed where the model objects more than that.
    """

    name: str
    penalty: float
    windows: tuple[tuple[int, int], ...] = ((1, 1), (0, 2), (2, 0), (3, 3), (0, 100))
    needs_place: bool = True
    needs_source: bool = False
    is_bound: bool = False

    def propose(self, situation: Situation, engine: Engine) -> tuple[str | None, float]:
        requests = [window_request(situation, *window) for window in self.windows]
        requests += [InOrder(neighbours=n).request(situation) for n in (0, 1)]
        answers = [engine.translate(request, "windows") for request in dict.fromkeys(requests)]
        texts = list(dict.fromkeys([situation.text, *(text for answer in answers for text in answer.texts)]))
        best = nearest(texts, situation, engine, self.penalty)
        return best, sum(answer.waiting_s for answer in answers)


@dataclass(frozen=True, slots=True)
class NextPlaces:
    """A phrase goes to the right one of the first places that the engine offers: each further one is one more key.

    It knows the goal, as a person does who sees where the phrase is.
    """

    name: str
    num_places: int
    needs_place: bool = False
    needs_source: bool = False
    is_bound: bool = True

    def propose(self, situation: Situation, engine: Engine) -> tuple[str | None, float]:
        text, waiting = situation.seen, 0.0
        done: list[str] = []
        for correction in situation.corrections:
            phrase = correction.phrase.strip(OUTER) or correction.phrase
            request = Request(situation.source, situation.direction, phrases=(phrase, *done), follow=Follow(text))
            texts, seconds = engine.places(request, self.num_places)
            waiting += seconds
            if not texts:
                return None, waiting
            text = max(texts, key=lambda one: len(right_words(one, situation.goal)))
            done.append(phrase)
        return text, waiting


def nearest(texts: Sequence[str], situation: Situation, engine: Engine, penalty: float) -> str:
    """The text with the best log-probability per piece, less `penalty` for each share of the old words that is lost."""
    request = Request(situation.source, situation.direction)
    num_words = max(1, len(words_of(situation.text)))

    def lost(text: str) -> float:
        return 1 - len(right_words(text, situation.text)) / num_words

    scores = engine.scores(request, texts)
    return max(zip(scores, texts, strict=True), key=lambda pair: pair[0] - penalty * lost(pair[1]))[1]


STRENGTHS = (0.5, 1.0, 2.0, 3.0, 4.0)  # of following, in nats a changed piece
REQUESTERS: dict[str, Requester] = {
    requester.name: requester
    for requester in (
        Phrases(),
        InOrder(),
        InOrder("neighbours", neighbours=1),
        LeftSide(),
        LeftSide("prefix, replaced words banned", bans=True),
        Window(),
        RightKept(),
        *(Following(f"phrases, follow {nats:g}", False, strength=nats) for nats in STRENGTHS),
        *(Following(f"placed, follow {nats:g}", False, strength=nats, places_phrases=True) for nats in STRENGTHS),
        Following("placed by source, follow 3", False, True, strength=3.0, places_phrases=True),
        *(Following(f"order, follow {nats:g}", True, strength=nats) for nats in STRENGTHS),
        *(Behind(f"behind, follow {nats:g}", strength=nats) for nats in STRENGTHS),
        ByWindows("windows", 0.0),
        ByWindows("windows, penalty 1", 1.0),
        ByWindows("windows, penalty 4", 4.0),
        *(NextPlaces(f"places, {count}", count) for count in (1, 2, 3, 5)),
    )
}
