"""The performance bars of engine and app, each defined only here, with the reason if one is missed.

`overview.py` reads the measured figures from the kept results; benchmarks import their bars from here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """A measured quantity with its upper or lower limit, in its unit.

    `what`: the quantity; "a / b" is a ratio. `reason`: why the bar is missed and what was tried.
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


OPUS_PIN = Bar(
    "translation after a changed pin, random weights of OPUS-MT's size: time / time of CTranslate2 int8 without "
    "constraints, 1 thread, equal steps",
    0.35,
    reason="Reading 47 MB of weights takes half of a step, in CTranslate2 too. A search with constraints does more "
    "work in each step. Two searches with random weights share no prefixes; with a real model they share half.",
)
OPUS_PIN_MS = Bar(
    "translation after a changed pin, random weights of OPUS-MT's size, 8 bits, median",
    150,
    unit="ms",
    digits=0,
    reason="A step takes 10 ms, and each piece needs a step. Two threads are slower here. The best translation is "
    "finished when 90 % of the steps are done, so showing it early would gain little.",
)
FIREFOX_PIN_MS = Bar(
    "translation after a changed pin, Firefox model, 8 bits, 18 source pieces, median", 60, unit="ms", digits=0
)
CORE_PIN = {
    kind: Bar(
        f"compiled core: processor time {name} / CTranslate2 int8 without, beam 10, equal steps",
        0.45,
        reason="Products of 8-bit numbers take half of the time, near the processor's limit, and Python before and "
        "after the search a fifth. With more tokens, fewer prefixes are known from the earlier translations. Tried: "
        "sums in registers, tiles of twice the outputs (a tenth less time for products), one call for each "
        "conversion to bytes, fewer opened pieces, memory that is used again, fewer collections by Python's "
        "garbage collector (no gain).",
    )
    for kind, name in (
        ("none", "without constraints"),
        ("1", "with 1 constraint token"),
        ("3", "with 3 constraint tokens"),
        ("10", "with 10 constraint tokens"),
    )
}
CORE_DOCUMENT = {
    threads: Bar(
        f"compiled core: a document at beam 5, sentences per second of processor time / CTranslate2 int8, {threads} "
        f"thread{'s' * (threads > 1)}",
        1.3,
        is_most=False,
        reason="A quarter of a sentence is Python before and after the search, and encoding takes a fifth.",
    )
    for threads in (1, 2)
}
CORE_ALTERNATIVES = Bar("compiled core: other words for a word, processor time, median", 80, unit="ms", digits=0)
CONSTRAINED = Bar(
    "time of a step with 20 constraint tokens / without constraints, beam 10, equal steps",
    1.15,
    reason="The first token already causes more than half of the extra time. Nearly all of it is spent in the tracker, "
    "which computes new transitions in each step. It does not grow with the size of the model. Tried: the effect of a "
    "word after a space is computed once for all first pieces; missing tokens are computed once a step; a dictionary "
    "replaces the tables.",
)
MANY_TOKENS = Bar("time of a step with 15 constraint tokens / with 1, beam 10, equal steps", 1.10)
GRID = Bar(
    "time of a step, grid beam search / dynamic beam allocation, 10 constraint tokens",
    8,
    is_most=False,
    reason="Grid beam search expands 8.3 times the rows, so a ratio of 8 would need a step whose time is proportional "
    "to its rows. More than half of a step with nine rows is independent of the number of rows. Every speed-up so far "
    "makes both searches faster; grid beam search was not slowed down to meet the bar.",
)
BATCH_OVER_STREAM = Bar("time, VAR-BATCH / VAR-STREAM, beam 50", 1.17, is_most=False, is_of_accelerator=True)
FIXED_OVER_STREAM = Bar("time, FIXED / VAR-STREAM, beam 50", 3, is_most=False, is_of_accelerator=True)
SAME_AS_BATCH = Bar(
    "sentences with the same translation in VAR-STREAM and VAR-BATCH", 100, is_most=False, unit="%", digits=0
)
FUSED = Bar(
    "time of the output layer, separate steps / fused kernel, minimum over all sizes",
    3,
    is_most=False,
    is_of_accelerator=True,
)
PAGE = Bar("time from command to usable page", 10, unit="s", digits=1)
TRANSLATION = Bar("time from command to first translation", 12, unit="s", digits=1)
MEMORY = Bar("peak memory of the app, large document open", 1500, unit="MB", digits=0)
PIN_TO_SCREEN = Bar("time from pin to screen, 2,000 segments open, median", 100, unit="ms", digits=0)
CANCEL = {
    stage: Bar(
        f"longest time from a cancel until the model is free, largest requests, stage: {stage}",
        20,
        unit="ms",
        digits=0,
        reason="The freeing of the prepared requests of a question takes up to 8 ms of it. Done: a look in every loop, "
        "large tables and joined translations freed in another thread, full collections of Python's garbage collector "
        "left to idle moments.",
    )
    for stage in ("preparing", "search", "relaxation", "alignment", "prices", "drafts", "alternatives")
}
OTHERS_WAIT = Bar(
    "95th percentile of replies, while another person opens a large document / otherwise",
    1.5,
    reason="20,000 rows are made and encoded by Python in the process of the server. Tried: turns of 0.2 ms instead of "
    "5 ms; the log is written and read, and replies are encoded, in portions; terms and numbers are found when needed; "
    "the collector pauses until the reply; the opening, lookups and translating ahead give way to commands, which "
    "brought 6.3 to 1.7. Not tried: making the rows in another process.",
)
OPEN_FILE = Bar(
    "20,000 segments open, processor time, the slowest format",
    2,
    unit="s",
    digits=1,
    reason="It is a Word document with three runs in each paragraph. Tried: Python's collector paused while reading; "
    "versions of text boxes looked for only where there are some.",
)
EXPORT_FILE = Bar(
    "20,000 segments exported, processor time, the slowest format",
    4,
    unit="s",
    digits=1,
    reason="It is that Word document, which is read again before it is written. Tried: the collector paused; one "
    "tree of the body less.",
)
EXPORT_WORD = Bar("a Word document of 95,000 words exported, processor time", 5, unit="s", digits=1)
REPORT = Bar(
    "a report of 20,000 edited segments, processor time, the slowest kind",
    3,
    unit="s",
    digits=1,
    reason="It is the workbook: statistics from the events, and XlsxWriter's writing of 840,000 cells. "
    "On a slower machine the workbook takes 6 s, twice as long as a Word document takes to open. Tried: code of our "
    "own for the cells, which would meet the bar, but a well-kept library was preferred; empty cells instead of zeros, "
    "which spreadsheets leave out of averages.",
)
EIGHT_BITS = Bar("BLEU lost with 8-bit weights", 0.2)
TERMS = Bar("BLEU lost with terms required in any of their forms", 0.3)

# The simulated person adds one or three of the goal's missing words.
_GUESSED = (
    "The search has to guess the place of a single word. With this model, the best-scoring text often has it in "
    "another place than the goal, mostly if the word is short. Not all of it is wrong: of 27 such words that we read, "
    "12 are in a good place of a sentence that differs from the goal, 6 were in the text before, and 9 are misplaced. "
    "Tried: word alignment of phrase and text; source words that a dictionary translates by the phrase; similarity "
    "and probability of the replaced words; other length weights; rescoring 16 edits instead of 8; the search alone. "
    "None of them placed clearly more words on two development sets. A word typed over another has a known place."
)
_SEE_GUESSED = 'The reason is the same as for "one missing word, place unknown".'
PLACED = Bar(
    "one missing word, place known: words placed right",
    92,
    is_most=False,
    unit="%",
    digits=0,
)
PLACED_THREE = Bar("three missing words, places known: words placed right", 75, is_most=False, unit="%", digits=0)
SPOILT = Bar("missing words, places known: segments made worse (maximum of one and three words)", 8, unit="%", digits=0)
GUESSED = Bar(
    "one missing word, place unknown: words placed right", 92, is_most=False, unit="%", digits=0, reason=_GUESSED
)
GUESSED_THREE = Bar(
    "three missing words, places unknown: words placed right",
    75,
    is_most=False,
    unit="%",
    digits=0,
    reason=_SEE_GUESSED,
)
GUESSED_SPOILT = Bar(
    "missing words, places unknown: segments made worse (maximum of one and three words)",
    8,
    unit="%",
    digits=0,
    reason=_SEE_GUESSED,
)
PIN_TIME = Bar(
    "one pin (longest missing word, place unknown): time / plain post-editing",
    1.0,
    reason="The person types the word, as in post-editing, and has to correct it if it is in the wrong place. The "
    "other words that a pin corrects save less time than that. Even without segments made worse, the ratio would be "
    "1.18. Words typed over others cost less (see typing with the rest offered).",
)
OFFER_TIME = Bar(
    "typing, with the rest offered and read after each edit: time / plain post-editing",
    0.97,
    reason="Read only where an edit is due, as the field shows them, the offers take 0.98 to 1.00. A person who reads "
    "only the useful ones would still need 0.98: a quarter of the edits bring an offer, "
    "and a fifth of the offers are worth reading. Tried: thresholds on the model's gain, the gain per changed word, "
    "the number of changed words, their distance from the correction, and the length of the rest; completions in the "
    "middle of a text, offered if they are expected to save time.",
)
_COMPLETED = {"completion": "development sets", "completion_held_out": "held-out sets"}  # results of the simulation
GREY_OFFER_TIME = {
    name: Bar(
        f"typing, grey completion if two or more places are wrong, {where}: time / plain post-editing, largest",
        0.97,
    )
    for name, where in _COMPLETED.items()
}
_ONE_PLACE = (
    "In a sentence with one wrong place, a click and a few letters are faster; a person who corrects these by hand "
    "meets the bar on every set. Tried: other thresholds; calibrated probabilities, by letters typed, "
    "agreement with the proposal and with the n-best list; waiting for another letter. With hindsight, showing only "
    "words that will be taken, it would be 0.78 to 0.86."
)
COMPLETION_TIME = {
    name: Bar(
        f"grey completion, one decision for each accepted stretch, {where}: time / plain post-editing, largest",
        0.9,
        reason=_ONE_PLACE,
    )
    for name, where in _COMPLETED.items()
}
KNOWN_COMPLETION_TIME = {
    name: Bar(f"grey completion, no decision for known words, {where}: time / plain post-editing, mean", 0.8)
    for name, where in _COMPLETED.items()
}
DAY_TIME = Bar(
    "whole documents, learning and grey completion (two or more wrong places): time / plain post-editing",
    0.9,
)

# Learning from confirmed segments, on held-out sets.
LEARNED = Bar(
    "BLEU gained by learning from confirmed segments, three documents",
    4,
    is_most=False,
    reason="The gain depends on how similar a document's sentences are. It grows during the document: 5 BLEU in the "
    "last third. A better model has less to learn: with the two models before, the same documents gained 3.8 and 3.1. "
    "The interval is 0.1 to 4.2. Tried: other decoder states; source words that the model read; a share that follows "
    "the model's certainty; only states whose source word occurs; small weight updates, which add a fifth in "
    "log-probability. A larger share for neighbours gained 4.7 here and nothing on development documents, and news "
    "lost.",
)
UNRELATED = Bar("BLEU gained by the same, unrelated sentences", -0.3, is_most=False)

# The papers' shapes.
SATISFIED = Bar("n-best items that meet all constraints", 100, is_most=False, unit="%", digits=1)
ORDER = Bar(
    "neighbouring constraint sets in the paper's order of BLEU, beam 10", 7, is_most=False, unit="of 7", digits=0
)
CERTIFICATE_SCORE = Bar(
    "mean log-probability, optimal stopping - OpenNMT's rule, minimum over beams above 1", 0, is_most=False
)
CERTIFICATE_STEPS = Bar("steps, optimal stopping / OpenNMT's rule, maximum over beams above 1", 1, digits=3)
