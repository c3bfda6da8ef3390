"""Measures how often a model uses the requested German form of address, for its card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.errors import TrainingError
from engine.request import Formality, Request
from engine.search_options import SearchOptions
from engine.train.corpus import read_set
from engine.train.formality import FORMALITIES, formality_of
from engine.train.score_table import SCORES_HEADING
from engine.translator import Translator

FORMALITY_HEADING: Final = "## Sie and du"
_WORDS: Final[Mapping[Formality | None, str]] = {None: "nothing", "formal": "Sie", "informal": "du"}


@dataclass(frozen=True, slots=True)
class FormalityScore:
    """Lines of a set whose reference uses Sie or du, counted by the form in the translation, for one requested form.

    None means no requested form, and translations with neither form or both.
    """

    set_name: str
    asked: Formality | None
    num_lines: int
    num_by_form: Mapping[Formality | None, int]

    @property
    def row(self) -> str:
        """A line of the card's table."""
        counts = (f"{self.num_by_form.get(key, 0):,}" for key in (*FORMALITIES, None))
        return f"| {self.set_name} | {self.num_lines:,} | {_WORDS[self.asked]} | {' | '.join(counts)} |"


def measure_formality(
    translator: Translator, corpus: Path, set_name: str, beam: int = 5, limit: int | None = None
) -> list[FormalityScore]:
    """Scores of each form, and of none, on the first `limit` such lines; TrainingError if nothing can be measured."""
    direction = next((name for name, offered in translator.formalities.items() if offered), None)
    if direction is None:
        raise TrainingError(f"{translator.name} was trained without --formality-tag-rate, so it has no form of address")
    source, _, target = direction.partition("-")
    pairs = read_set(corpus, set_name, (source, target))
    texts = [text for text, reference in pairs if formality_of(reference, text)][:limit]
    if not texts:
        raise TrainingError(f"{set_name} has no line whose reference says Sie or du; name another set")
    found = []
    for asked in (None, *FORMALITIES):
        requests = [Request(text, direction=direction, formality=asked) for text in texts]
        translations = translator.translate_all(requests, SearchOptions(beam=beam, nbest=1))
        num_by_form = Counter(
            formality_of(translation.hypotheses[0].text, text) if translation.hypotheses else None
            for text, translation in zip(texts, translations, strict=True)
        )
        found.append(FormalityScore(set_name, asked, len(texts), num_by_form))
    return found


def insert_formality_scores(path: Path, found: Sequence[FormalityScore]) -> None:
    """Write the figures into a card after its scores, replacing earlier ones."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise TrainingError(f"{path} cannot be read ({error}); write the model folder with `average` first") from error
    heading = FORMALITY_HEADING if f"\n{FORMALITY_HEADING}\n" in text else SCORES_HEADING
    before, is_there, rest = text.partition(f"\n{heading}\n")
    if not is_there:
        raise TrainingError(f"{path} has no line {SCORES_HEADING!r}; write the card again with `average`")
    scores, next_heading, after = rest.partition("\n## ")
    if heading == SCORES_HEADING:
        before += f"\n{heading}\n{scores}"
    rows = "\n".join(entry.row for entry in found)
    section = f"""
{FORMALITY_HEADING}

Translations of the lines whose reference addresses its reader with Sie or du, by the requested form (`formality`) and
by the form of their pronouns (engine/train/formality.py).

| set | lines | requested | Sie | du | neither or both |
|---|---|---|---|---|---|
{rows}
"""
    path.write_text(before + section + next_heading + after, encoding="utf-8")
