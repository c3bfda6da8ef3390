"""Effect of a glossary on a test set: terms in the output, BLEU with and without, forms the reference lacks.

    python -m benchmarks.terminology test.en test.de glossary.tsv --sentences 200 --output FOLDER

Terms are found in the sources and required as in the app (`app.segments.resolved_constraints`). `none` requires
nothing, `written` each target as in the glossary, `forms` any form that the app accepts. FOLDER gets
`results.json`, and `forms.md`: for each term whose form in the output is not one of the reference, both, the most
frequent first.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import sacrebleu

from app.glossary import term_matcher
from app.glossary.lemmas import with_forms
from app.glossary.reading.glossary_file import read_glossary
from app.models.loading import SEARCH
from app.segments.resolved_constraints import RequiredText, resolve_constraints
from app.segments.segment_constraints import NO_CONSTRAINTS
from benchmarks.paper_dba import commit, environment, file_checksum
from engine import Phrase, Request, Translator, occurrences

OPTIONS = replace(SEARCH, nbest=1)
ARMS = ("none", "written", "forms")


@dataclass(frozen=True)
class Arm:
    """The figures of one arm; shares are of the occurrences that the app would require."""

    bleu: float
    chrf: float
    share_present: float
    num_complete: int
    seconds: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("glossary", type=Path)
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"))
    parser.add_argument("--sentences", type=int, help="so many of the lines that hold a term; default: all of those")
    parser.add_argument("--matching", choices=("exact", "lemma"), default="exact")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    translator = Translator.load(options.model)
    source_language, target_language = translator.directions[0].split("-")
    imported = read_glossary(options.glossary.read_bytes(), options.glossary.name, translator.directions[0])
    terms = [replace(term, matching=options.matching) for term in imported.terms]
    glossary = term_matcher(with_forms(terms, target_language), language=source_language)

    pairs = list(zip(_lines(options.source), _lines(options.reference), strict=True))
    asked = [
        (source, reference, resolve_constraints(NO_CONSTRAINTS, glossary.find(source)).required)
        for source, reference in pairs
    ]
    asked = [item for item in asked if item[2]]
    num_with_terms = len(asked)
    if options.sentences:
        asked = random.Random(options.seed).sample(asked, min(options.sentences, len(asked)))
    arms: dict[str, Arm] = {}
    outputs: dict[str, list[str]] = {}
    for name in ARMS:
        started = time.perf_counter()
        requests = [Request(source, phrases=phrases_of(name, constraints)) for source, _, constraints in asked]
        answers = list(translator.translate_all(requests, OPTIONS))
        outputs[name] = [answer.hypotheses[0].text if answer.hypotheses else "" for answer in answers]
        references = [[reference for _, reference, _ in asked]]
        present = [
            (num_present(text, c), c.count) for text, (*_, cs) in zip(outputs[name], asked, strict=True) for c in cs
        ]
        arms[name] = Arm(
            bleu=round(sacrebleu.corpus_bleu(outputs[name], references).score, 2),
            chrf=round(sacrebleu.corpus_chrf(outputs[name], references).score, 2),
            share_present=sum(found for found, _ in present) / sum(count for _, count in present),
            num_complete=sum(answer.status == "complete" for answer in answers),
            seconds=round(time.perf_counter() - started, 1),
        )
        print(name, arms[name], flush=True)
    wrong = other_forms(outputs["forms"], asked)
    num_terms = sum(constraint.count for *_, constraints in asked for constraint in constraints)
    result = {
        "model": {"name": translator.name, "checksum": translator.checksum},
        "files": {path.name: file_checksum(path) for path in (options.source, options.reference, options.glossary)},
        "environment": environment(),
        "commit": commit(),
        "sentences": len(asked),
        "sentences_with_terms": num_with_terms,
        "seed": options.seed,
        "matching": options.matching,
        "terms_required": num_terms,
        "search": asdict(OPTIONS),
        "arms": {name: asdict(arm) for name, arm in arms.items()},
        "forms_not_in_the_reference": sum(wrong.values()),
        "terms_whose_reference_has_no_form": num_terms - sum(_num_in_reference(asked)),
    }
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "results.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    (options.output / "forms.md").write_text(table(wrong), encoding="utf-8")


def phrases_of(arm: str, constraints: tuple[RequiredText, ...]) -> tuple[Phrase, ...]:
    """The constraints of one arm."""
    if arm == "none":
        return ()
    if arm == "written":
        return tuple(Phrase(c.text, count=c.count, case=c.case, source_span=c.source_span) for c in constraints)
    return tuple(constraint.phrase() for constraint in constraints)


def num_present(text: str, constraint: RequiredText) -> int:
    """How many of the required occurrences a text contains, at most as many as required."""
    return min(constraint.count, len(_standing(text, constraint)))


def other_forms(outputs: list[str], asked: list[tuple[str, str, tuple[RequiredText, ...]]]) -> Counter[tuple[str, ...]]:
    """(target, form in the output, forms in the reference) where the reference holds the term, in other forms only."""
    found: Counter[tuple[str, ...]] = Counter()
    for output, (_, reference, constraints) in zip(outputs, asked, strict=True):
        for constraint in constraints:
            wanted = set(_standing(reference, constraint))
            for form in _standing(output, constraint)[: constraint.count]:
                if wanted and form not in wanted:
                    found[constraint.text, form, ", ".join(sorted(wanted))] += 1
    return found


def table(wrong: Counter[tuple[str, ...]]) -> str:
    """The forms as a Markdown table."""
    rows = [f"| {target} | {form} | {wanted} | {count} |" for (target, form, wanted), count in wrong.most_common()]
    return "\n".join(["| target | in the output | in the reference | times |", "|---|---|---|---|", *rows, ""])


def _standing(text: str, constraint: RequiredText) -> list[str]:
    """The words of a text that are a form of the constraint, or begin or end with one where it may, in order.

    The longest form counts at each place, and capitals only behind the first letter.
    """
    spans: dict[int, int] = {}
    forms = (constraint.text, *constraint.forms)
    for form in {*forms, *(form[:1].upper() + form[1:] for form in forms)}:
        for start, end in occurrences(text, form, constraint.boundary):
            spans[start] = max(spans.get(start, 0), end)
    words = []
    free_from = 0
    for start, end in sorted(spans.items()):
        if start >= free_from:
            free_from = end
            before, after = re.search(r"[^\W_]*\Z", text[:start]), re.match(r"[^\W_]*", text[end:])
            words.append(before[0] + text[start:end] + after[0])  # type: ignore[index]
    return words


def _num_in_reference(asked: list[tuple[str, str, tuple[RequiredText, ...]]]) -> list[int]:
    return [num_present(reference, constraint) for _, reference, constraints in asked for constraint in constraints]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    main()
