"""Post-editing effort between a proposal and the final text: HTER, chrF and edit distance.

HTER is TER with the post-edited text as the reference (Snover et al. 2006): insertions, deletions, substitutions and
shifts of words, divided by the words of that text. Case is ignored, and scripts without spaces are split by
`split_words`. TER and chrF equal those of sacreBLEU with its defaults, stated in `SIGNATURES`; its slower general code
runs only for texts in which moving words could save edits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from typing import Final

from rapidfuzz.distance import Levenshtein, Postfix, Prefix
from sacrebleu.metrics.ter import TER

from app.formats.read_file import MAX_SEGMENTS
from app.text.words import split_words

# The search for shifts takes seconds in longer texts; there, edits are counted without shifts (an upper bound).
MAX_WORDS_WITH_SHIFTS: Final = 60
# Up to here, the cheapest edits are within the beam of 25 words in which sacreBLEU computes the edit distance.
_MAX_DISTANCE_IN_BEAM: Final = 11
SIGNATURES: Final = (
    f"TER|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:{metadata.version('sacrebleu')}",
    f"chrF2|case:mixed|eff:yes|nc:6|nw:0|space:no|version:{metadata.version('sacrebleu')}",
)
_TER: Final = TER()
_CHAR_ORDER: Final = 6
_RECALL_WEIGHT: Final = 4  # the square of chrF2's beta


@dataclass(frozen=True, slots=True)
class EditEffort:
    """`num_edits` words were inserted, deleted, substituted or shifted to get a text of `num_words`.

    `has_shifts` is False if the text is too long to search for shifts. `edit_distance` is in characters, `chrf` from 0
    to 100.
    """

    num_edits: int
    num_words: int
    has_shifts: bool
    chrf: float
    edit_distance: int

    @property
    def hter(self) -> float:
        """Edits divided by words; a text without words counts as one word."""
        return self.num_edits / max(1, self.num_words)


@lru_cache(maxsize=MAX_SEGMENTS)  # of one document, which the page, a table and a workbook report one after another
def edit_effort(proposal: str, post_edit: str) -> EditEffort:
    """The effort to get from the proposal to the post-edited text.

    >>> edit_effort("the house red", "the red house").num_edits  # one shift
    1
    """
    words = split_words(post_edit.lower()), split_words(proposal.lower())
    has_shifts = max(map(len, words)) <= MAX_WORDS_WITH_SHIFTS
    if proposal == post_edit:  # as sacreBLEU would compute, in a twentieth of the time
        return EditEffort(0, len(words[0]), has_shifts, 100.0 if proposal.strip() else 0.0, 0)
    num_edits = _ter_edits(words[1], words[0]) if has_shifts and all(words) else Levenshtein.distance(*words)
    return EditEffort(
        num_edits,
        len(words[0]),
        has_shifts,
        _chrf(proposal, post_edit),
        Levenshtein.distance(proposal, post_edit),
    )


def _ter_edits(proposal: Sequence[str], post_edit: Sequence[str]) -> int:
    """The insertions, deletions, substitutions and shifts of TER.

    Words that only one text has cannot be shifted into place. If there are as many as edits, a shift saves nothing.
    """
    distance = Levenshtein.distance(proposal, post_edit)
    if distance <= 1:  # a shift is an edit, too
        return distance
    old, new = Counter(proposal), Counter(post_edit)
    num_unshared = max((old - new).total(), (new - old).total())
    if distance == num_unshared and distance <= _MAX_DISTANCE_IN_BEAM:
        return distance
    return int(_TER.sentence_score(" ".join(proposal), [" ".join(post_edit)]).num_edits)


def _chrf(proposal: str, post_edit: str) -> float:
    """chrF2, from 0 to 100. The n-grams of the common start and end are counted without looking at them.

    This is exact: if both texts have an n-gram c times there, min(a + c, b + c) = min(a, b) + c.
    """
    old, new = "".join(proposal.split()), "".join(post_edit.split())
    start = Prefix.similarity(old, new)
    end = min(Postfix.similarity(old, new), len(old) - start, len(new) - start)
    precision = recall = 0.0
    num_orders = 0
    for order in range(1, min(_CHAR_ORDER, len(old), len(new)) + 1):
        first = max(0, start - order + 1)
        num_old, num_new = len(old) - order + 1, len(new) - order + 1
        grams = [old[i : i + order] for i in range(first, min(len(old) - end, num_old))]
        new_grams = [new[i : i + order] for i in range(first, min(len(new) - end, num_new))]
        num_equal = first + max(0, end - order + 1) + _num_shared(grams, new_grams)
        precision += num_equal / num_old
        recall += num_equal / num_new
        num_orders += 1
    if not precision:
        return 0.0
    precision, recall = precision / num_orders, recall / num_orders
    score = (1 + _RECALL_WEIGHT) * precision * recall
    score /= _RECALL_WEIGHT * precision + recall
    return 100 * score


def _num_shared(first: Sequence[str], second: Sequence[str]) -> int:
    """The number of equal pairs, each item used once."""
    shorter, longer = (first, second) if len(first) < len(second) else (second, first)
    rest: dict[str, int] = {}  # mostly a few items, for which a Counter takes longer
    for item in shorter:
        rest[item] = rest.get(item, 0) + 1
    num = 0
    if rest:
        for item in longer:
            if rest.get(item):
                rest[item] -= 1
                num += 1
    return num
