"""Decodes one cell of the experiment, a constraint set at one beam and pruning threshold, into plain records.

Whether a constraint stands in an output is decided here from the two texts alone, whatever the search reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from benchmarks.dba.constraints import Constraint, draw, num_met, size_of, word_spans
from engine import Phrase, Request, SearchOptions, Translation, Translator
from engine.text import TextCodec, normalise, occurrences


@dataclass(frozen=True, slots=True)
class Pair:
    """A source and its reference; `line` counts from 1 in their files."""

    line: int
    source: str
    reference: str


@dataclass(frozen=True, slots=True)
class Cell:
    """`pruning` is the threshold in log-probability; 0 means off, as in the paper's table 3."""

    set_name: str
    beam: int
    pruning: float

    @property
    def name(self) -> str:
        return f"{self.set_name}-k{self.beam}-p{self.pruning:g}"

    def options(self, nbest: int) -> SearchOptions:
        """The paper's search: finished hypotheses keep their places until all rows have finished."""
        return SearchOptions(
            beam=self.beam,
            nbest=nbest,
            pruning_threshold=self.pruning or None,
            pruning="first_finished",
            finished="keep",
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a constraint begins, as a share of each text's length; `is_unique`: it stands once in both texts."""

    reference: float
    output: float
    is_unique: bool


@dataclass(frozen=True, slots=True)
class Record:
    """The result of one sentence. `num_items` n-best items, of which `num_items_met` contain every constraint."""

    line: int
    status: str
    text: str
    score: float | None
    log_prob: float | None
    num_output_tokens: int
    num_constraints: int
    num_constraint_tokens: int
    num_steps: int
    num_items: int
    num_items_met: int
    num_met_in_best: int
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Timing:
    """One sentence decoded alone, its source encoded beforehand."""

    line: int
    num_constraint_tokens: int
    num_steps: int
    elapsed_ms: float
    is_same_text: bool


class CellDecoder:
    """A model with all that is the same for every cell."""

    def __init__(
        self, translator: Translator, codec: TextCodec, direction: str, seed: int, nbest: int, batch_size: int
    ) -> None:
        self._translator = translator
        self._codec = codec
        self._direction = direction
        self._seed = seed
        self._nbest = nbest
        self._batch_size = batch_size

    def decode(
        self, cell: Cell, pairs: Sequence[Pair], num_timed: int, progress: Callable[[str], None]
    ) -> dict[str, object]:
        """The cell's records, with the times of the first `num_timed` sentences, each decoded alone."""
        options = cell.options(self._nbest)
        drawn = [draw(cell.set_name, pair.reference, pair.line, self._seed) for pair in pairs]
        requests = [self._request(pair, constraints) for pair, constraints in zip(pairs, drawn, strict=True)]
        started = time.perf_counter()
        translations: list[Translation] = []
        for translation in self._translator.translate_all(requests, options, batch_size=self._batch_size):
            translations.append(translation)
            progress(f"{len(translations)}/{len(pairs)}")
        wall_s = time.perf_counter() - started
        records = [
            self._record(pair, constraints, translation)
            for pair, constraints, translation in zip(pairs, drawn, translations, strict=True)
        ]
        timings = []
        for number in range(min(num_timed, len(pairs))):
            timings.append(self._time(requests[number], options, records[number]))
            progress(f"timed {number + 1}/{num_timed}")
        return {
            "wall_s": round(wall_s, 2),
            "num_short": sum(_num_words(pair.reference) < size_of(cell.set_name) for pair in pairs),
            "records": [asdict(record) for record in records],
            "timings": [asdict(timing) for timing in timings],
        }

    def reference_scores(self, pairs: Sequence[Pair]) -> list[tuple[float, float] | None]:
        """The model's score and log-probability of each reference; None where the model cannot spell it."""
        scores: list[tuple[float, float] | None] = []
        for pair in pairs:
            reference = normalise(pair.reference)
            if self._codec.spells(reference):
                scored = self._translator.score(pair.source, reference, direction=self._direction)
                scores.append((round(scored.score, 6), round(scored.log_prob, 4)))
            else:
                scores.append(None)
        return scores

    def _request(self, pair: Pair, constraints: Sequence[Constraint]) -> Request:
        return Request(pair.source, self._direction, tuple(Phrase(constraint.text) for constraint in constraints))

    def _record(self, pair: Pair, constraints: Sequence[Constraint], translation: Translation) -> Record:
        texts = [constraint.text for constraint in constraints]
        items = [hypothesis.text for hypothesis in translation.hypotheses]
        best = translation.hypotheses[0] if translation.hypotheses else None
        return Record(
            line=pair.line,
            status=translation.status,
            text=best.text if best else "",
            score=round(best.score, 6) if best else None,
            log_prob=round(best.log_prob, 4) if best else None,
            num_output_tokens=len(best.tokens) if best else 0,
            num_constraints=len(texts),
            num_constraint_tokens=sum(len(self._codec.encode(text).ids) for text in texts),
            num_steps=translation.num_steps,
            num_items=len(items),
            num_items_met=sum(num_met(texts, item) == len(texts) for item in items),
            num_met_in_best=num_met(texts, best.text) if best else 0,
            places=_places(pair, constraints, best.text) if best else (),
        )

    def _time(self, request: Request, options: SearchOptions, record: Record) -> Timing:
        # A deadline of nothing encodes the source and decodes nothing: what is timed is decoding alone.
        self._translator.translate(Request(request.source, self._direction), options, deadline_ms=0)
        translation = self._translator.translate(request, options)
        text = translation.hypotheses[0].text if translation.hypotheses else ""
        return Timing(
            record.line,
            record.num_constraint_tokens,
            translation.num_steps,
            round(translation.elapsed_ms, 2),
            text == record.text,
        )


def _num_words(reference: str) -> int:
    return len(word_spans(normalise(reference)))


def _places(pair: Pair, constraints: Sequence[Constraint], output: str) -> tuple[Place, ...]:
    """Both places of every constraint in the output; repeated ones in the order of their occurrences."""
    reference = normalise(pair.reference)
    num_seen: dict[str, int] = {}
    places = []
    for text, start in ((constraint.text, constraint.start) for constraint in constraints):
        found = occurrences(output, text)
        nth = num_seen.get(text, 0)
        num_seen[text] = nth + 1
        if nth < len(found):
            is_unique = len(found) == 1 and len(occurrences(reference, text)) == 1
            places.append(Place(round(start / len(reference), 4), round(found[nth][0] / len(output), 4), is_unique))
    return tuple(places)
