"""Learning from the confirmed segments of a project, for the proposals of one document.

The learned pairs are exactly the segments that are confirmed now: one that is reopened, edited, merged or deleted is
forgotten. They are kept in memory only, and computed again from the log when a document is continued, when another
model or style is chosen, or when the project learns again. The model's thread computes one pair at a time, after
everything that a person waits for.

If more are confirmed than are kept, the ones confirmed last are used: they are the newest decisions and usually near
the segment that the person works in. Unlike the neighbours of the open segment, they can be computed from the log
alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from app.errors import LogError
from app.log.project_tables import ConfirmedPair, Project, confirmation_order, confirmed_in_project
from app.segments.proposal_view import DecodingResult
from app.segments.state import Json, SegmentState
from app.tags.protect import Protection
from app.text.nontranslatables import is_copied
from app.text.words import word_spans
from app.workspace.core import AnswerThread, WorkspaceCore
from app.workspace.style_choice import StyleChoice
from engine import EngineError, LearningQuestion, Request

if TYPE_CHECKING:
    from engine import Datastore, StoredPair  # importing these loads PyTorch

_log = logging.getLogger("pinpoint")
MAX_PAIRS: Final = 300  # segments: about as many as a datastore has room for
MAX_OTHERS: Final = 200  # of them from other documents of the project
_MIN_SHARED_WORDS: Final = 2  # in a row: a learned pair can influence sources that have such words in common


@dataclass(frozen=True, slots=True)
class _Learned:
    """A confirmed segment as the model has learned it; `stored` is None if it cannot be learned."""

    pair: ConfirmedPair
    stored: StoredPair | None


class Learning:
    """The learned pairs of one document and its project. Used under the workspace's lock, except where noted."""

    def __init__(
        self, core: WorkspaceCore, style: StyleChoice, answers: AnswerThread, project: Callable[[], Project]
    ) -> None:
        """Calls `on_learned` with the source of a segment that was confirmed just now, once it is learned."""
        self._core = core
        self._style = style
        self._answers = answers
        self._project = project
        self.on_learned: Callable[[str], None] = lambda source: None
        # By origin: other documents' in their order, then this one's in the order of their confirmation
        self._wanted: dict[Hashable, ConfirmedPair] = {}
        self._known: dict[Hashable, _Learned] = {}
        self._new: set[Hashable] = set()  # confirmed since the model was there
        self._empty: Datastore | None = None  # of the current model
        self._round = 0  # answers of earlier rounds are void: another model or style, or a pause
        self._asked: Hashable = None
        self._datastore: Datastore | None = None
        self._is_stale = False  # the datastore is made at its next use
        core.observe(self._follow)

    @property
    def datastore(self) -> Datastore | None:
        """The datastore for requests; None while it is empty."""
        if self._is_stale:
            self._renew()
        return self._datastore

    @property
    def num_learned(self) -> int:
        """The number of learned segments that proposals use."""
        return 0 if self.datastore is None else len(self.datastore.pairs)

    @property
    def is_learning(self) -> bool:
        """True if the model is asked for a pair now."""
        return self._asked is not None

    def start(self) -> None:
        """Learns everything again, with the current model, style and project, in the background."""
        self.stop()
        if not self._is_on:
            return
        confirmed = (one for one in self._core.segments if one.state == "confirmed" and one.source and one.target)
        order = self._confirmation_order()
        self._learn(map(self._pair, sorted(confirmed, key=lambda one: order.get(one.index, 0))))

    def refresh(self) -> None:
        """Learns segments that were confirmed in the project's other documents, and forgets reopened ones."""
        if self._is_on:
            own = self._core.session_id
            self._learn([pair for pair in self._wanted.values() if pair.session_id == own])

    def stop(self) -> None:
        """Forgets everything and learns no more until `start`."""
        self._round += 1
        if self._core.model.engine is not None and self._asked is not None:
            self._core.model.engine.cancel(self._key)
        self._wanted, self._known, self._new, self._asked = {}, {}, set(), None
        self._empty = self._datastore = None
        self._is_stale = False

    def view(self, segment: SegmentState) -> list[Json]:
        """The confirmed segments that words of the proposal come from, without reopened segments."""
        found = {} if segment.shown is None else learned_words(segment.shown)
        own = self._core.session_id
        return [
            {
                "segment": self._core.number(pair.index) if pair.session_id == own else None,
                "index": pair.index if pair.session_id == own else None,
                "source": pair.source,
                "target": pair.target,
                "words": words,
            }
            for pair, words in ((self._wanted.get(origin), words) for origin, words in found.items())
            if pair is not None
        ]

    @property
    def _is_on(self) -> bool:
        engine = self._core.model.engine
        return self._project().learns and engine is not None and engine.facts.learns

    @property
    def _key(self) -> str:
        return f"{self._core.token}/learn"

    def _pair(self, segment: SegmentState) -> ConfirmedPair:
        return ConfirmedPair(self._core.session_id, segment.index, segment.source, segment.target or "")

    def _learn(self, own: Iterable[ConfirmedPair]) -> None:
        """Learns these pairs of the document, and the pairs of the other documents of the project."""
        self._wanted = {pair.origin: pair for pair in (*self._others(), *own)}
        known = self._known.items()
        self._known = {origin: learned for origin, learned in known if self._wanted.get(origin) == learned.pair}
        self._update()
        self._learn_next()

    def _confirmation_order(self) -> dict[int, int]:
        try:
            return confirmation_order(self._core.store.connection, self._core.session_id)
        except LogError as error:
            self._core.report(error.args[0])
            return {}

    def _others(self) -> Sequence[ConfirmedPair]:
        core = self._core
        try:
            return confirmed_in_project(
                core.store.connection, self._project().id, core.direction, core.session_id, MAX_OTHERS
            )
        except LogError as error:
            core.report(error.args[0])
            return []

    def _follow(self, before: SegmentState, after: SegmentState) -> None:
        """Learns a segment that is confirmed, and forgets one that is not any more."""
        if "confirmed" not in (before.state, after.state) or not self._is_on:
            return
        pair = self._pair(after)
        is_confirmed = after.state == "confirmed" and bool(after.source and after.target)
        if self._wanted.get(pair.origin) == (pair if is_confirmed else None):
            return
        self._known.pop(pair.origin, None)
        self._wanted.pop(pair.origin, None)
        self._new.discard(pair.origin)
        if is_confirmed:
            self._wanted[pair.origin] = pair  # the last one, also if it was confirmed before
            self._new.add(pair.origin)
        self._is_stale = True
        self._learn_next()

    def _learn_next(self) -> None:
        """Sends the next pair that was not learned yet to the model, unless the model is learning one."""
        engine = self._core.model.engine
        if engine is None or self._asked is not None:
            return
        pair = next((pair for pair in self._in_order() if pair.origin not in self._known), None)
        if pair is None:
            return
        request = self._style.asked.applied_to(Request(pair.source, direction=self._core.direction))
        protection = Protection.of(replace(request, prefix=pair.target))  # the tags of both texts are taken out

        target = "" if is_copied(pair.source) else protection.request.prefix
        question = LearningQuestion(replace(protection.request, prefix=""), target, pair.origin)
        try:
            future = engine.ask(question, key=self._key, owner=self._core.token, priority="document")
        except EngineError:  # the engine is closing
            return
        self._asked = pair.origin
        number = self._round
        nothing = SegmentState(0, "", 0)  # the answer is not about a segment's proposal
        future.add_done_callback(
            lambda done: self._answers.hand_over(nothing, done, lambda _, answer: self._take(number, pair, answer))
        )

    def _take(self, number: int, pair: ConfirmedPair, done: Future[tuple[StoredPair | None, Datastore] | None]) -> None:
        with self._core.lock:
            if number != self._round:
                return
            self._asked = None
            error = None if done.cancelled() else done.exception()
            if error is not None:
                _log.warning("segment %d of document %d was not learned: %s", pair.index, pair.session_id, error)
            answer = None if done.cancelled() or error is not None else done.result()
            if self._wanted.get(pair.origin) == pair:
                stored, self._empty = answer or (None, self._empty)
                self._known[pair.origin] = _Learned(pair, stored)
                is_last = all(other.origin in self._known for other in self._in_order())
                if is_last or pair.origin in self._new:
                    self._update()
                if stored is not None and pair.origin in self._new:
                    self.on_learned(pair.source)
                self._new.discard(pair.origin)
            self._learn_next()

    def _in_order(self) -> list[ConfirmedPair]:
        """The segments to learn, in the order of `_wanted`; if there are too many, the last ones."""
        return list(islice(reversed(self._wanted.values()), MAX_PAIRS))[::-1]

    def _update(self) -> None:
        """Makes the datastore again; the page shows how many segments it has."""
        before = 0 if self._datastore is None else len(self._datastore.pairs)
        self._is_stale = True
        if self.num_learned != before:
            self._core.touch()

    def _renew(self) -> None:
        """Makes the datastore of all pairs that are known, the same one as if they were learned in this order."""
        self._is_stale = False
        origins = [pair.origin for pair in self._in_order()]
        self._known = {origin: self._known[origin] for origin in origins if origin in self._known}
        stored = [learned.stored for learned in self._known.values() if learned.stored is not None]
        self._datastore = self._empty.with_pairs(stored) if self._empty is not None and stored else None


def learned_words(decoded: DecodingResult) -> dict[Hashable, list[tuple[int, float]]]:
    """The words of the best hypothesis that come from each learned segment, by its origin, with its share of the word.

    Words are numbers of `word_spans`. The share, 0 to 1, is the mean over the word's pieces, including punctuation in
    the same piece. Words that a constraint requires are left out.
    """
    best = decoded.best
    if best is None:
        return {}
    required = [(0, len(decoded.asked.prefix)), *((p.start, p.end) for p in best.placements), *best.locked]
    shares: dict[int, dict[Hashable, float]] = {}  # by token
    for one in decoded.translation.learned:
        shares.setdefault(one.token, {})[one.origin] = one.share
    found: dict[Hashable, list[tuple[int, float]]] = {}
    for word, (first, stop) in enumerate(word_spans(best.text)):
        if any(start <= first and stop <= end for start, end in required):
            continue
        spans = enumerate(best.token_spans)
        pieces = [shares.get(token, {}) for token, (start, end) in spans if start < stop and first < end]
        for origin in dict.fromkeys(origin for piece in pieces for origin in piece):
            share = sum(piece.get(origin, 0.0) for piece in pieces) / len(pieces)
            found.setdefault(origin, []).append((word, round(share, 4)))
    return found


def shares_words(one: str, other: str) -> bool:
    """True if two sources have two words in a row in common."""
    return bool(_sequences(one) & _sequences(other))


def _sequences(source: str) -> set[tuple[str, ...]]:
    words = [source[start:end].lower() for start, end in word_spans(source)]
    return set(zip(*(words[first:] for first in range(_MIN_SHARED_WORDS)), strict=False))
