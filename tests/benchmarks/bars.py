"""The performance bars of engine and app, each defined only here, with the reason if one is missed.

`overview.py` reads the measured figures from the kept results; benchmarks import their bars from here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """A measured quantity with its upper or lower limit, in its unit.

    `reason`: why it is missed and what was tried; the figures are in the chapter of README.md.
    `is_of_accelerator`: measured on accelerators only.
    """

    what: str
    limit: float
    is_most: bool = True
    unit: str = ""
    digits: int = 2
    reason: str = ""
    is_of_accelerator: bool = False

    def __str__(self) -> str:
        return f"at {'most' if self.is_most else 'least'} {self.shown(self.limit)}"

    def shown(self, figure: float) -> str:
        """A figure, rounded, with its unit."""
        return f"{figure:.{self.digits}f} {self.unit}".rstrip()

    def is_met(self, figure: float) -> bool:
        """Compares the unrounded figure with the limit."""
        return figure <= self.limit if self.is_most else figure >= self.limit


PIN = Bar(
    "a changed pin, text to translation, over CTranslate2's int8 on one thread, unconstrained, as many steps",
    0.5,
    reason="At this width most of a step is small operations of PyTorch and Python, which neither 8 bits nor a second "
    "thread makes cheaper; CTranslate2's are compiled. A larger model narrows it. Tried: weights transposed, in 16 and "
    "in 8 bits, packed and not, by the products of several libraries; attention to the source folded into its keys and "
    "values; the cache with steps first, its views made once; the best of all rows by a bound from blocks; the "
    "tracker's steps kept in a dictionary; prefixes of earlier searches kept.",
)
OPUS_PIN = Bar(
    "the same with random weights of OPUS-MT's size",
    0.35,
    reason="Half of a step is reading 47 MB of weights, as CTranslate2 does too, and a search with constraints does "
    "more in each step. Of two random searches no prefixes are shared, of a real model's half.",
)
OPUS_PIN_MS = Bar(
    "a changed pin with these weights, in 8 bits, median",
    150,
    unit="ms",
    digits=0,
    reason="A step takes 10 ms, and there are as many as pieces. Two threads are slower here. The best translation "
    "ends a tenth of the steps before the search, so showing it earlier would gain little.",
)
FIREFOX_PIN_MS = Bar("a changed pin with a Firefox model, in 8 bits, 18 source pieces, median", 60, unit="ms", digits=0)
CONSTRAINED = Bar(
    "20 constraint tokens over none, beam 10, a step at equal steps",
    1.15,
    reason="More than half of it comes with the first token, and nearly all of it is the tracker, which learns new "
    "steps between its nodes in each step of the search; it is about the same in a larger model, whose steps are "
    "longer. Tried: what a word does behind a space is learnt once for all first pieces, what texts lack is computed "
    "once a step for rows and candidates, tables became a dictionary.",
)
MANY_TOKENS = Bar("15 constraint tokens over 1, beam 10, a step at equal steps", 1.10)
GRID = Bar(
    "grid beam search over dynamic beam allocation, 10 constraint tokens, a step",
    8,
    is_most=False,
    reason="The limit is about what a step comes to that costs its rows and nothing else; more than half of a step of "
    "so few rows comes with any number of rows, and a second row costs the less the better the products are packed. "
    "Tried: nothing that would make grid beam search slower; what makes a step cheaper makes both cheaper.",
)
BATCH_OVER_STREAM = Bar("VAR-BATCH over VAR-STREAM, time, beam 50", 1.17, is_most=False, is_of_accelerator=True)
FIXED_OVER_STREAM = Bar("FIXED over VAR-STREAM, time, beam 50", 3, is_most=False, is_of_accelerator=True)
SAME_AS_BATCH = Bar("sentences in which VAR-STREAM gives what VAR-BATCH gives", 100, is_most=False, unit="%", digits=0)
FUSED = Bar(
    "output layer, separate steps over the fused kernel, the least of all sizes",
    3,
    is_most=False,
    is_of_accelerator=True,
)
PAGE = Bar("from command to usable page", 10, unit="s", digits=1)
TRANSLATION = Bar("from command to first translation", 12, unit="s", digits=1)
MEMORY = Bar("the app's peak memory, a large document open", 1500, unit="MB", digits=0)
PIN_TO_SCREEN = Bar("pin to screen, 2,000 segments open, median", 100, unit="ms", digits=0)
CANCEL = {
    stage: Bar(
        f"a cancel to the free model, the largest requests, the worst moment, {stage}",
        100,
        unit="ms",
        digits=0,
        reason="A request with 1,000 forms and 500 avoided texts makes its tables before its first step. Tried: "
        "20 translations prepared at a time instead of 600, modules left out of the collections of Python's memory.",
    )
    for stage in ("preparing", "search", "relaxation", "alignment", "prices", "drafts", "alternatives")
}
EIGHT_BITS = Bar("8-bit weights as they are loaded, BLEU lost", 0.2)
TERMS = Bar("terms in any of their forms, BLEU lost", 0.3)

# Words of the goal that a simulated person puts in, one or three of those that are missing.
_GUESSED = (
    "Where a single word goes is a guess: with this model, the text that scores best has it in another place than the "
    "goal, most often with a short word. Tried: the alignment of phrase and text with the source, the similarity of "
    "the words replaced and their own probability, other weights for the length, 16 edits read to the end instead of "
    "8, and the search alone. None placed clearly more words on two development sets. Words that are typed over others "
    "have their place."
)
PLACED = Bar(
    "one missing word in its place, placed right",
    92,
    is_most=False,
    unit="%",
    digits=0,
    reason="Measured on 22 segments only: 19 of them. The search may still move or change a word that the model finds "
    "improbable. Tried: 2 nats for each changed piece instead of 3, which places fewer.",
)
PLACED_THREE = Bar("three missing words in their places, placed right", 75, is_most=False, unit="%", digits=0)
SPOILT = Bar("one or three missing words in their places, segments spoilt, the more of the two", 8, unit="%", digits=0)
GUESSED = Bar("one missing word of unknown place, placed right", 92, is_most=False, unit="%", digits=0, reason=_GUESSED)
GUESSED_THREE = Bar(
    "three missing words of unknown place, placed right", 75, is_most=False, unit="%", digits=0, reason=_GUESSED
)
GUESSED_SPOILT = Bar(
    "one or three missing words of unknown place, segments spoilt, the more of the two",
    8,
    unit="%",
    digits=0,
    reason=_GUESSED,
)
PIN_TIME = Bar(
    "one pin, the longest missing word of unknown place, time over plain post-editing",
    1.0,
    reason="The person types the word, as in post-editing, and has to correct it where it is put in the wrong place; "
    "words won elsewhere are too few to pay for that: even if nothing were spoilt, it would be 1.17. Words typed over "
    "others cost less (typing, rest offered).",
)
OFFER_TIME = Bar(
    "typing, the rest offered after each edit and read, time over plain post-editing",
    0.93,
    reason="Even a person who reads only the offers that pay would need 0.98: two of five edits bring an offer, and a "
    "quarter of the offers are worth reading. Tried: thresholds on the model's gain, on its gain per changed word, on "
    "the number of words that change, on their distance from the correction and on the length of the rest.",
)
COMPLETION_TIME = Bar(
    "grey completion, each stretch taken a decision, time over plain post-editing",
    0.9,
    reason="Words are shown only where the model is certain, which brought it down from 0.99. It is met by a person "
    "who needs no decision for words that they were about to type, or post-edits sentences with one wrong place.",
)
KNOWN_COMPLETION_TIME = Bar("grey completion, known words without a decision, time over plain post-editing", 0.9)

DAY_TIME = Bar(
    "whole documents, with learning and grey completion (two or more wrong places), time over plain post-editing",
    0.9,
)

# Learning from confirmed segments, on held-out sets.
LEARNED = Bar(
    "learning from confirmed segments, BLEU gained on three documents",
    4,
    is_most=False,
    reason="It depends on how much a document's sentences resemble each other, and grows while it is translated: 7 in "
    "the last third. Tried: other states of the decoder, the source words read, shares that follow the model's "
    "certainty, only states whose source word occurs, and small updates of the weights, which add a fifth in "
    "log-probability. Neighbours with a larger share gained 4.7 here, no more on development documents, and "
    "hurt news.",
)
UNRELATED = Bar("the same on unrelated sentences", -0.3, is_most=False)

# The papers' shapes.
SATISFIED = Bar("items of n-best lists that meet all constraints", 100, is_most=False, unit="%", digits=1)
ORDER = Bar(
    "constraint sets next to each other in the paper's order by BLEU, beam 10", 7, is_most=False, unit="of 7", digits=0
)
CERTIFICATE_SCORE = Bar(
    "optimal stopping less OpenNMT's rule, mean log-probability, the least of all beams above 1", 0, is_most=False
)
CERTIFICATE_STEPS = Bar(
    "steps of optimal stopping over those of OpenNMT's rule, the most of all beams above 1", 1, digits=3
)
