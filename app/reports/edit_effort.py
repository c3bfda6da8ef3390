"""Post-editing effort between a proposal and the final text: HTER, chrF and edit distance.

HTER is TER with the post-edited text as the reference (Snover et al. 2006): insertions, deletions, substitutions and
shifts of words, divided by the words of that text. Case is ignored, and scripts without spaces are split by
`split_words`. TER and chrF are from sacreBLEU with its defaults, stated in `SIGNATURES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from typing import Final

from rapidfuzz.distance import Levenshtein
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from app.formats.documents import MAX_SEGMENTS
from app.text.words import split_words

# The search for shifts takes seconds in longer texts; there, edits are counted without shifts (an upper bound).
MAX_WORDS_WITH_SHIFTS: Final = 60
SIGNATURES: Final = (
    f"TER|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:{metadata.version('sacrebleu')}",
    f"chrF2|case:mixed|eff:yes|nc:6|nw:0|space:no|version:{metadata.version('sacrebleu')}",
)
_TER: Final = TER()
_CHRF: Final = CHRF()


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
    if has_shifts and all(words):
        spaced = " ".join(split_words(proposal)), [" ".join(split_words(post_edit))]
        num_edits = int(_TER.sentence_score(*spaced).num_edits)
    else:
        num_edits = Levenshtein.distance(*words)
    return EditEffort(
        num_edits,
        len(words[0]),
        has_shifts,
        float(_CHRF.sentence_score(proposal, [post_edit]).score),
        Levenshtein.distance(proposal, post_edit),
    )
