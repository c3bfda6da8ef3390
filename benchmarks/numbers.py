"""How many translations of lines with digits have a finding of the number check: with the model alone, and in the app.

    python -m benchmarks.numbers CORPUS --sentences 100 --output results.json

CORPUS is a folder with test sets (`newstest2014.en`, `newstest2014.de` and so on). Only lines with digits in the source
count. `alone` requires no numbers, `required` is what the app does; both have the same search options. The share of
references with a finding shows what the check costs a person: these are its false alarms, and the numbers that the
reference changed, added or left out. `kept` is how many references have the numbers of a kind in one of the forms that
count as met, for each kind that is required.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import sacrebleu
import torch

from app.checks.numbers import differences
from app.models.loading import SEARCH
from app.models.style import Style
from app.segments.resolved_constraints import request_of
from app.segments.segment_constraints import NO_CONSTRAINTS
from app.tags.protect import Protection
from app.text.quantities.quantity_reading import quantities
from benchmarks.paper_dba import commit, environment
from engine import Translator, occurrences

SETS = (("newstest2019.en-de", "en-de"), ("newstest2019.de-en", "de-en"))
SETS = (*SETS, ("newstest2014", "en-de"), ("newstest2014", "de-en"))
ARMS = {"alone": Style(requires_numbers=False), "required": Style()}
Pair = tuple[str, str]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"))
    parser.add_argument("--sentences", type=int, default=100, help="lines with digits of each test set")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    translator = Translator.load(options.model)
    result: dict[str, Any] = {
        "model": {"name": translator.name, "checksum": translator.checksum},
        "environment": environment(),
        "commit": commit(),
        "sentences": options.sentences,
        "search": asdict(SEARCH),
        "sets": {},
    }
    for name, direction in SETS:
        pairs = lines_with_digits(options.corpus, name, direction)
        shown = pairs[: options.sentences]
        arms = {arm: measured(translator, shown, direction, style) for arm, style in ARMS.items()}
        result["sets"][f"{name} {direction}"] = {
            "references": {"lines": len(pairs), "share_with_finding": share_with_finding(pairs, direction)},
            "kept": kept(pairs, direction),
            "lines": len(shown),
            "arms": arms,
        }
        print(name, direction, json.dumps(result["sets"][f"{name} {direction}"], indent=1), flush=True)
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def lines_with_digits(corpus: Path, name: str, direction: str) -> list[Pair]:
    """The lines of a test set with a digit in the source."""
    texts = [(corpus / f"{name}.{code}").read_text(encoding="utf-8").splitlines() for code in direction.split("-")]
    return [pair for pair in zip(*texts, strict=True) if re.search(r"\d", pair[0])]


def share_with_finding(pairs: Sequence[Pair], direction: str) -> float:
    """The share of targets in which the number check finds something."""
    source, _, target = direction.partition("-")
    found = sum(any(differences(one, other, source, target).values()) for one, other in pairs)
    return round(found / len(pairs), 4)


def kept(pairs: Sequence[Pair], direction: str) -> dict[str, list[int]]:
    """For each kind of required number: in how many references it has an accepted form, and in how many it occurs."""
    counts: Counter[str] = Counter()
    met: Counter[str] = Counter()
    for source, target in pairs:
        kinds = {one.start: one for one in quantities(source, direction.partition("-")[0])}
        plain = target.replace("\u00a0", " ")
        for number in Style().numbers_in(source, direction):
            quantity = kinds.get(number.start)
            kind = "unit" if quantity is None else "amount" if quantity.magnitude is not None else quantity.kind
            counts[kind] += 1
            met[kind] += any(occurrences(plain, form) for form in number.forms)
    return {kind: [met[kind], counts[kind]] for kind in sorted(counts)}


def measured(translator: Translator, pairs: Sequence[Pair], direction: str, style: Style) -> dict[str, float]:
    """Translates the sources as the app does, in a style, and compares with the references."""
    began = time.process_time()
    requests = [
        request_of(source, NO_CONSTRAINTS, (), direction, numbers=style.numbers_in(source, direction))
        for source, _ in pairs
    ]
    protections = [Protection.of(request) for request in requests]
    answers = translator.translate_all([protection.request for protection in protections], replace(SEARCH, nbest=1))
    restored = [protection.restore(answer) for protection, answer in zip(protections, answers, strict=True)]
    texts = [answer.hypotheses[0].text if answer.hypotheses else "" for answer in restored]
    references = [[target for _, target in pairs]]
    outputs = [(source, text) for (source, _), text in zip(pairs, texts, strict=True)]
    return {
        "share_with_finding": share_with_finding(outputs, direction),
        "bleu": round(sacrebleu.corpus_bleu(texts, references).score, 2),
        "chrf": round(sacrebleu.corpus_chrf(texts, references).score, 2),
        "processor_seconds": round(time.process_time() - began, 1),
    }


if __name__ == "__main__":
    main()
