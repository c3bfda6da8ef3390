"""The whole words that may come next after given pieces, with their probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.interruption import NEVER, Interruption
from engine.search.arrays import Ints
from engine.search.byte_masks import ByteMasks
from engine.search.indexed import IndexedTexts
from engine.search.phrases import PieceTexts
from engine.search.sentence import TokenRoles
from engine.search.steps import LogProbs, TextDecoder, log_probs_of
from engine.search.tracker import ConstraintTracker
from engine.text import ends_unfinished, is_unspaced, join_bytes

_MAX_WORD_PIECES = 24
_ROWS_AT_ONCE = 32  # between two looks at the interruption


@dataclass(frozen=True, slots=True)
class NextWord:
    """A word in the pieces that the model prefers for it, and their log-probability."""

    pieces: tuple[int, ...]
    log_prob: float


def next_words(
    decoder: TextDecoder,
    tracker: ConstraintTracker,
    texts: PieceTexts,
    roles: TokenRoles,
    byte_masks: ByteMasks,
    left: Sequence[int],
    count: int,
    interruption: Interruption = NEVER,
) -> list[NextWord]:
    """Up to `count` distinct next words after the pieces `left` of one sentence, most probable first.

    A word ends with the first piece that does not glue to its right, or that ends in a script without spaces, where
    each piece is a word (as in `engine.text.boundaries`). Words that the tracker's avoided texts forbid are left out. A
    beam search over `4 * count` rows of pieces finds the best spelling of each word.
    """
    width, indexed = 4 * count, IndexedTexts.of(texts)
    last = join_bytes("".join(texts.surfaces[piece] for piece in left[-4:]))[-1:]  # a character has up to four bytes
    is_open = not left or texts.glues_right[left[-1]] or is_unspaced(last or " ")
    starts_V = indexed.writes if is_open else indexed.begins_word
    nodes_R = tracker.start_B
    for piece in left:
        nodes_R, _ = tracker.follow(nodes_R, np.array([piece]), interruption)
    decoder.read([left])
    log_probs_RV = log_probs_of(decoder.step(np.array([left[-1] if left else roles.begin])))
    never_V = np.zeros(log_probs_RV.shape[1], dtype=np.bool_)
    never_V[[*roles.never, roles.end]] = True
    rows: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    best: dict[str, NextWord] = {}
    for depth in range(_MAX_WORD_PIECES):
        log_probs_RV[:, never_V | (~starts_V if depth == 0 else False)] = -np.inf
        if depth == 0:
            log_probs_RV[:, list(byte_masks.not_first)] = -np.inf
        found: list[tuple[Ints, LogProbs]] = []
        for first in range(0, len(rows), _ROWS_AT_ONCE):
            interruption.check()
            some = rows[first : first + _ROWS_AT_ONCE]
            scores_RV = log_probs_RV[first : first + len(some)]
            if depth:
                byte_masks.mask(scores_RV, np.array([pieces for pieces, _ in some]))
            scores_RV = scores_RV + np.array([log_prob for _, log_prob in some], dtype=np.float32)[:, None]
            keys = _best(scores_RV.ravel(), width * 2)
            found.append((keys + first * scores_RV.shape[1], scores_RV.ravel()[keys]))
        keys, values = map(np.concatenate, zip(*found, strict=True))
        best_places = _best(values, width * 2)
        keys, values = keys[best_places], values[best_places]
        parents, pieces = keys // log_probs_RV.shape[1], keys % log_probs_RV.shape[1]
        nodes, _ = tracker.follow(nodes_R[parents], pieces, interruption)
        goes_on = indexed.goes_on[pieces]
        going: list[int] = []
        for place, (parent, piece) in enumerate(zip(parents.tolist(), pieces.tolist(), strict=True)):
            interruption.check()
            if tracker.is_dead(nodes[place : place + 1]):
                continue
            word = NextWord((*rows[parent][0], piece), float(values[place]))
            surfaces = "".join(texts.surfaces[p] for p in word.pieces)
            if goes_on[place] or ends_unfinished(surfaces):
                going.append(place)
                continue
            text = join_bytes(surfaces)
            if text not in best or best[text].log_prob < word.log_prob:
                best[text] = word
        ranked = sorted(best.values(), key=lambda word: -word.log_prob)
        floor = ranked[count - 1].log_prob if len(ranked) >= count else float("-inf")
        going = [place for place in going if float(values[place]) > floor][:width]
        interruption.check()
        if not going:
            break
        rows = [((*rows[int(parents[p])][0], int(pieces[p])), float(values[p])) for p in going]
        decoder.select(parents[going])
        nodes_R = nodes[going]
        log_probs_RV = log_probs_of(decoder.step(pieces[going]))
    return sorted(best.values(), key=lambda word: -word.log_prob)[:count]


def _best(scores: LogProbs, count: int) -> Ints:
    """The places of the best scores, best first, without -inf."""
    count = min(count, len(scores))
    places = np.argpartition(-scores, count - 1)[:count]
    places = places[scores[places] > -np.inf]
    return places[np.argsort(-scores[places], kind="stable")]
