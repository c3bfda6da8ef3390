"""JSON views of the engine's answers for the page: clickable words, hypotheses with their differences and constraints.

The views contain strings and numbers but no text offsets, so the page never converts code points to UTF-16.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from app.glossary import TermHit
from app.i18n import Message
from app.segments import Json
from app.segments.resolved_constraints import RequiredText, ResolvedConstraints
from app.text.differences import steps_between
from app.text.nontranslatables import nontranslatables, tag_spans
from app.text.words import word_spans
from engine import Hypothesis, Placement, Reason, Translation

_REPEATED = re.compile(r"(\b[^\W\d]+\b|(?<!\.)\.(?!\.\.)|[,;:!?])(?:\s*\1(?!\w|\.))+")
_MARKS = re.compile(r"[^\w\s]+")
_STOP = re.compile(r"[.!?…][\"”“»)]*\s+")
_ELLIPSIS = re.compile(r"\s*(?:\.\.+|…)")
_MARKS_ASIDE = " .,;:!?()[]\"'„“”«»–-"  # beside a fragment
MAX_FRAGMENT = 2  # words
# Where a pin has one good place, less likely hypotheses repeat half of the sentence to write the pin once more. On 396
# segments of software documentation with one to three pins, 4.1 of five hypotheses are within this limit.
_MAX_NATS_BELOW_BEST = 12.0


@dataclass(frozen=True, slots=True)
class DecodingResult:
    """A translation with the constraints that it was asked for.

    Their required texts have the order of `translation.request.phrases`.
    """

    translation: Translation
    asked: ResolvedConstraints = field(default_factory=ResolvedConstraints)

    @property
    def best(self) -> Hypothesis | None:
        """The best hypothesis; None if there are none."""
        return self.translation.hypotheses[0] if self.translation.hypotheses else None

    def unmet_texts(self) -> set[str]:
        """Texts of the constraints that the best hypothesis does not meet; all texts if there is no hypothesis."""
        if self.best is None:
            return {one.text for one in self.asked.required}
        return {self.asked.required[index].text for index in self.best.unmet if index < len(self.asked.required)}

    def reasons_by_text(self) -> dict[str, str]:
        """The reasons why constraints could not be met, by constraint text."""
        return {
            (text := self.asked.required[reason.phrase].text): reason_message(reason, text)
            for reason in self.translation.reasons
            if reason.phrase is not None and reason.phrase < len(self.asked.required)
        }

    def banned_requirements(self) -> list[RequiredText]:
        """The required texts that contradict a ban."""
        return [
            self.asked.required[reason.phrase]
            for reason in self.translation.reasons
            if reason.kind == "avoided" and reason.phrase is not None and reason.phrase < len(self.asked.required)
        ]

    def general_reasons(self) -> list[str]:
        """Reasons that concern no single phrase: a source that is too long, a failed decoding."""
        return [reason_message(reason) for reason in self.translation.reasons if reason.phrase is None]


def proposal_tokens(hypothesis: Hypothesis, required: Sequence[RequiredText]) -> list[Json]:
    """The hypothesis as tokens: words and the text between them, with the required texts that each belongs to.

    A token is {"t": text}. Words also have "w", the word number. "pin" is the text of a pin, "at" the number of its
    placement. "is_term" marks a term and "terms" are its keys, at its end; "tag" and "kept" mark text copied from the
    source; "listed" is the list beside the model that a word comes from. The joined tokens are the hypothesis text.
    Words are split where a placement starts or ends inside them (`Mail` in `E-Mail`).
    """
    text = hypothesis.text
    words, tags = word_spans(text), set(tag_spans(text))
    cuts = {0, len(text), *(edge for span in tags for edge in span)}
    cuts.update(edge for span in words for edge in span)
    cuts.update(edge for placement in hypothesis.placements for edge in (placement.start, placement.end))
    edges = sorted(cuts)
    tokens: list[Json] = []
    word = 0
    for start, end in pairwise(edges):
        token: Json = {"t": text[start:end]}
        while word < len(words) and words[word][1] <= start:
            word += 1
        if word < len(words) and words[word][0] <= start:
            token["w"] = word
        for number, placement in _longest_last(hypothesis):
            if placement.start <= start and end <= placement.end and placement.phrase < len(required):
                one = required[placement.phrase]
                if one.is_pinned:
                    token["pin"] = one.text
                    token["at"] = number  # distinguishes two occurrences of one text
                if one.term_keys:
                    token["is_term"] = True
                if one.term_keys and end == placement.end:
                    token["terms"] = list(one.term_keys)
                if not one.is_explicit:
                    token["kept"] = True
        for listed in hypothesis.listed:
            if "w" in token and listed.start <= start and end <= listed.end:
                token["listed"] = listed.origin
        if (start, end) in tags:
            token["tag"] = True
        tokens.append(token)
    return tokens


def word_confidences(hypothesis: Hypothesis) -> list[float]:
    """The model's probability of each word of `word_spans`, given the source and the previous words; 0 to 1.

    This is the product of the probabilities of the word's pieces (chain rule), including punctuation in the same piece,
    so the number of pieces does not bias the value.
    """
    pieces = [
        (start, end, log_prob)
        for (start, end), log_prob in zip(hypothesis.token_spans, hypothesis.token_log_probs, strict=True)
        if end > start
    ]
    return [
        round(math.exp(min(0.0, sum(log_prob for start, end, log_prob in pieces if start < stop and first < end))), 4)
        for first, stop in word_spans(hypothesis.text)
    ]


def hypothesis_rows(decoded: DecodingResult) -> list[Json]:
    """The n-best list: score, its difference from the best one, the text as runs, and unmet constraints.

    Left out, but counted in `rank`: hypotheses that differ from a better one only in doubled words or marks, or in an
    ellipsis that the source lacks, those with a fragment behind the final stop, unless the best has that too, those in
    which more phrases are misplaced or translated twice than in the best, and those that are far less likely.
    The score is the one that ranks the hypotheses: the model's less "penalty", for the changes to the previous text
    and for a poor translation back.

    A run is [kind, text]: "s" same as in the best hypothesis, "d" different, "p" pin, "t" term, "k" copied from the
    source, "x" a text of the best hypothesis that is left out; the others joined are the hypothesis.
    """
    best = decoded.best
    if best is None:
        return []
    rows: list[Json] = []
    better: set[str] = set()
    for rank, hypothesis in enumerate(decoded.translation.hypotheses):
        text = _without_repeats(hypothesis.text)
        if not _ELLIPSIS.search(decoded.translation.request.source):
            text = _ELLIPSIS.sub(".", text)
        is_behind_stop = _ends_behind_stop(hypothesis, best) and not _ends_behind_stop(best, best)
        is_unlikely = hypothesis.log_prob < best.log_prob - _MAX_NATS_BELOW_BEST
        is_worse_placed = hypothesis.num_misplaced > best.num_misplaced
        if text in better or is_behind_stop or is_unlikely or is_worse_placed:
            continue
        better.add(text)
        rows.append(
            {
                "rank": rank,
                "text": hypothesis.text,
                "score": _ranking_score(hypothesis),
                "score_difference": _ranking_score(hypothesis) - _ranking_score(best),
                "penalty": hypothesis.score_penalty,
                "runs": _runs(best, hypothesis, decoded.asked.required),
                "unmet": [decoded.asked.required[i].text for i in hypothesis.unmet if i < len(decoded.asked.required)],
            }
        )
    return rows


def _ranking_score(hypothesis: Hypothesis) -> float:
    return hypothesis.score - hypothesis.score_penalty


def _without_repeats(text: str) -> str:
    """The text with words and marks that are doubled written once.

    >>> _without_repeats("Öffnen Sie die die Datei..")
    'Öffnen Sie die Datei.'
    """
    return _REPEATED.sub(r"\1", text)


def _ends_behind_stop(hypothesis: Hypothesis, best: Hypothesis) -> bool:
    """True if a fragment is behind the end of a sentence: a constraint alone, or up to two words that `best` lacks."""
    text = hypothesis.text
    stops = [match.end() for match in _STOP.finditer(text)]
    if not stops:
        return False
    start = len(text) - len(text[stops[-1] :].lstrip(_MARKS_ASIDE))
    if any(
        placement.start == start and not text[placement.end :].strip(_MARKS_ASIDE)
        for placement in hypothesis.placements
    ):
        return True
    words = [text[slice(*span)] for span in word_spans(text) if span[0] >= start]
    known = {best.text[slice(*span)] for span in word_spans(best.text)}
    return len(words) <= MAX_FRAGMENT and text[-1] not in ".!?…" and known.isdisjoint(words)


def free_row(decoded: DecodingResult, free: Hypothesis, constrained: Hypothesis) -> Json | None:
    """The unconstrained translation compared with the best constrained one: a row as in `hypothesis_rows`.

    `constrained` is what `free` was priced against: scores of a proposal made with hints do not compare.
    """
    best = decoded.best
    if best is None:
        return None
    difference = free.score - constrained.score
    return {"text": free.text, "score": free.score, "score_difference": difference, "runs": _runs(best, free, ())}


def source_runs(
    source: str, hits: Iterable[TermHit], keys: Sequence[str], placeholders: tuple[str, ...] = ()
) -> list[Json]:
    """The source as runs: words and the text between them, with the glossary hits that each belongs to.

    A run is {"t": text}. Words also have "w", the word number. Runs of a hit have "term", the term key, and "at", the
    number of the hit. "tag" and "kept" mark non-translatable text. `keys` are the term keys in the order of `hits`.
    `placeholders` are those of the segment that only its file has.
    """
    words = word_spans(source)
    found = sorted(zip(hits, keys, strict=True), key=lambda pair: pair[0].start)
    taken = [
        (element.start, element.end, "tag" if element.is_markup else "kept")
        for element in nontranslatables(source, placeholders)
    ]
    spans = [*words, *((hit.start, hit.end) for hit, _ in found), *((start, end) for start, end, _ in taken)]
    runs: list[Json] = []
    word = number = element = 0
    for start, end in pairwise(sorted({0, len(source), *(edge for span in spans for edge in span)})):
        run: Json = {"t": source[start:end]}
        while word < len(words) and words[word][1] <= start:
            word += 1
        if word < len(words) and words[word][0] <= start:
            run["w"] = word
        while number < len(found) and found[number][0].end <= start:
            number += 1
        if number < len(found) and found[number][0].start <= start:
            run |= {"term": found[number][1], "at": number}
        while element < len(taken) and taken[element][1] <= start:
            element += 1
        if element < len(taken) and taken[element][0] <= start:
            run[taken[element][2]] = True
        runs.append(run)
    return runs


def aligned_words(source: str, hypothesis: Hypothesis) -> list[tuple[int, int]]:
    """Aligned pairs (source word, proposal word), as word numbers of `word_spans`, without punctuation."""
    source_words, target_words = _words_by_character(source), _words_by_character(hypothesis.text)
    pairs = {
        (source_word, target_word)
        for start, end, target_start, target_end in hypothesis.alignment
        for source_word in set(source_words[start:end])
        for target_word in set(target_words[target_start:target_end])
        if source_word is not None and target_word is not None
    }
    return sorted(pairs)


def _words_by_character(text: str) -> list[int | None]:
    words: list[int | None] = [None] * len(text)
    for number, (start, end) in enumerate(word_spans(text)):
        words[start:end] = [number] * (end - start)
    return words


def _longest_last(hypothesis: Hypothesis) -> list[tuple[int, Placement]]:
    """(number, placement) in drawing order: a placement is drawn after those inside it, which do not split it."""
    return sorted(enumerate(hypothesis.placements), key=lambda pair: pair[1].end - pair[1].start)


def _runs(best: Hypothesis, hypothesis: Hypothesis, required: Sequence[RequiredText]) -> list[list[str]]:
    text = hypothesis.text
    is_different = [False] * len(text)
    old, spans = _compared_spans(best.text), _compared_spans(text)
    parts = [text[start:end] for start, end in spans]
    old_parts = [best.text[start:end] for start, end in old]
    left_out: dict[int, str] = {}
    for operation, old_first, old_last, first, last in steps_between(old_parts, parts):
        if operation == "delete":
            # With the space before it; at the beginning, with the one behind it.
            start = old[old_first - 1][1] if old_first else 0
            end = old[old_last - 1][1] if old_first or old_last == len(old) else old[old_last][0]
            left_out[spans[first - 1][1] if first else 0] = best.text[start:end]
        elif operation != "equal":
            for (start, end), following in zip(spans[first:last], [*spans[first + 1 : last], None], strict=True):
                stop = following[0] if following and not text[end : following[0]].strip() else end
                is_different[start:stop] = [True] * (stop - start)
    boxes = [""] * len(text)
    for number, placement in _longest_last(hypothesis):
        kind = _box_kind(required[placement.phrase]) if placement.phrase < len(required) else "k"
        boxes[placement.start : placement.end] = [f"{kind}{number}"] * (placement.end - placement.start)
    kinds = [box or ("d" if different else "s") for box, different in zip(boxes, is_different, strict=True)]
    runs: list[list[str]] = []
    previous = ""
    for place, (kind, character) in enumerate(zip([*kinds, ""], [*text, ""], strict=True)):
        if gone := left_out.get(place, ""):
            runs.append(["x", gone])
            previous = ""
        if runs and kind == previous:
            runs[-1][1] += character
        elif character:
            runs.append([kind[0], character])
        previous = kind
    return runs


def _compared_spans(text: str) -> list[tuple[int, int]]:
    """The words and tags of a text, and the punctuation between them: what two hypotheses are compared by."""
    tags = list(tag_spans(text))
    words = [word for word in word_spans(text) if not any(a < word[1] and word[0] < b for a, b in tags)]
    found = sorted([*tags, *words])
    gaps = pairwise([0, *(edge for span in found for edge in span), len(text)])
    marks = [match.span() for start, end in islice(gaps, 0, None, 2) for match in _MARKS.finditer(text, start, end)]
    return sorted([*found, *marks])


def _box_kind(required: RequiredText) -> str:
    return "p" if required.is_pinned else "t" if required.is_explicit else "k"


def reason_message(reason: Reason, text: str = "") -> Message:
    """The engine's reason as a translatable message with a remedy; `text` is the phrase concerned, if any.

    The log keeps the engine's own English message.
    """
    return (_of_phrase(reason, text) if text else None) or _of_segment(reason)


def _of_phrase(reason: Reason, text: str) -> Message | None:
    return {
        "avoided": Message(
            "“{text}” is both required and banned: allow it again, or do not require it here.", text=text
        ),
        "too_often": Message(
            "“{text}” would occur more often than allowed: change your text, or release a pin or term.", text=text
        ),
        "unspellable": Message(
            "The model cannot produce “{text}” exactly: pin another spelling, or release it.", text=text
        ),
        "not_placed": Message(
            "The model found no translation with “{text}”: pin another form, or release a pin or term.", text=text
        ),
    }.get(reason.kind)


def _of_segment(reason: Reason) -> Message:
    message = {
        "unspellable": Message("The model cannot write the kept text exactly: change it, or keep less of it."),
        "avoided": Message("A text is both required and banned: allow it again, or do not require it here."),
        "too_often": Message("A text would occur more often than allowed: change your text, or release a pin or term."),
        "too_long": Message("The required text is longer than the model can write: release a pin or term."),
        "too_many": Message(
            "There are more required and banned texts here than the model supports: release some pins or terms."
        ),
        "source_too_long": Message("The source is too long for the model: split the segment."),
        "not_placed": Message("The model found no translation with the kept texts in this order: keep less of them."),
        "not_divided": Message(
            "The sentences were translated as one, because the constraints could not be divided among them."
        ),
        "deadline": Message(
            "The time limit was reached before the search finished; these are the best translations so far."
        ),
        "cancelled": Message("The translation was cancelled; request it again."),
        "not_a_number": Message("The model produced invalid scores; its files may be damaged: use another model."),
    }.get(reason.kind)
    return message or Message("This segment could not be translated: {why}", why=reason.message)
