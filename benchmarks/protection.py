"""How many placeholders, addresses and tags survive translation: with the model alone, and in the app.

    python -m benchmarks.protection SOURCE REFERENCE --sentences 40 --output results.json

SOURCE and REFERENCE are a test set, a sentence a line. `addresses` are lines that hold such, all of them in the
reference too. The others are lines with a word that stands in source and reference alike: for `placeholders` one such
as `%s` is put in its place in both, for `tags` it is put into a pair of tags in both. A line counts as right where all
of them stand as often as in the source, and the pair of tags, if the output has the word, is around it and nothing
else.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sacrebleu
import torch

from app.models.loading import SEARCH
from app.segments.resolved_constraints import request_of
from app.segments.segment_constraints import NO_CONSTRAINTS
from app.tags.protect import Protection
from app.text.nontranslatables import nontranslatables
from benchmarks.paper_dba import commit, environment, read_pairs
from engine import Phrase, Request, Translation, Translator

LONGEST = 26  # words
PLACEHOLDERS = ("%s", "{0}", "%1$s", "%d", "{name}")
_WORD = re.compile(r"[^\W\d_]{4,}")
Pair = tuple[str, str]


@dataclass(frozen=True)
class Arm:
    """The figures of one arm."""

    share_right: float
    bleu: float
    chrf: float
    seconds: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"))
    parser.add_argument("--sentences", type=int, default=40, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    translator = Translator.load(options.model)
    pairs = [(pair.source, pair.reference) for pair in read_pairs(options.source, options.reference, None, 0)]
    rng = random.Random(options.seed)
    rng.shuffle(pairs)
    lines = [pair for pair in dict.fromkeys(pairs) if len(pair[0].split()) <= LONGEST]
    shared = [(pair, word) for pair in lines if (word := shared_word(pair))]
    kinds: dict[str, Iterable[Pair]] = {
        "placeholders": (exchanged(pair, word, rng.choice(PLACEHOLDERS)) for pair, word in shared),
        "addresses": (pair for pair in lines if holds(pair, "address")),
        "tags": (exchanged(pair, word, f"{{1}}{word}{{/1}}") for pair, word in shared),
    }
    result: dict[str, Any] = {
        "model": {"name": translator.name, "checksum": translator.checksum},
        "environment": environment(),
        "commit": commit(),
        "seed": options.seed,
        "search": asdict(SEARCH),
        "kinds": {},
    }
    for kind, found in kinds.items():
        pairs = [pair for pair, _ in zip(found, range(options.sentences), strict=False)]
        if not pairs:
            parser.error(f"{options.source} has no line for {kind}; give a test set with more")
        arms = {name: asdict(measured(translator, pairs, ask)) for name, ask in ARMS.items()}
        result["kinds"][kind] = {"sentences": len(pairs), "arms": arms}
        print(kind, json.dumps(arms, indent=1), flush=True)
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def holds(pair: Pair, kind: str) -> bool:
    """True if the source contains non-translatable text of that kind, and the reference has it as often."""
    source, target = pair
    return any(element.kind == kind for element in nontranslatables(source)) and is_right(source, target)


def shared_word(pair: Pair) -> str | None:
    """The first word that stands once in both, not at the start; None without one or with non-translatable text."""
    source, target = pair
    if nontranslatables(source) or nontranslatables(target):
        return None
    counts = Counter(_WORD.findall(source)), Counter(_WORD.findall(target))
    for match in _WORD.finditer(source, 1):
        word = match.group()
        if (
            counts[0][word] == counts[1][word] == 1
            and f" {word} " in source
            and re.search(rf"(?<!\w){word}(?!\w)", target)
        ):
            return word
    return None


def exchanged(pair: Pair, word: str, text: str) -> Pair:
    """The pair with another text in place of the word, on both sides."""
    source, target = pair
    return source.replace(word, text), target.replace(word, text)


def is_right(source: str, target: str) -> bool:
    """True if all that is kept, and each tag, stands in the target as often as in the source, pairs around the same."""
    found = nontranslatables(source)
    bare = re.sub("|".join(re.escape(element.text) for element in found if element.is_markup) or "$", "", target)
    pairs = [
        (source[element.end : found[element.partner].start], element, found[element.partner])
        for element in found
        if element.kind == "open"
    ]
    return all(target.count(element.text) == source.count(element.text) for element in found) and all(
        f"{first.text}{word}{last.text}" in target or not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", bare)
        for word, first, last in pairs
    )


def alone(source: str) -> tuple[Request, Callable[[Translation], Translation]]:
    """The unchanged source without constraints."""
    return Request(source), lambda answer: answer


def as_phrases(source: str) -> tuple[Request, Callable[[Translation], Translation]]:
    """The unchanged source; everything non-translatable is a required phrase."""
    counts = Counter(element.text for element in nontranslatables(source))
    phrases = tuple(Phrase(text, count=count, boundary="anywhere") for text, count in counts.items())
    return Request(source, phrases=phrases), lambda answer: answer


def protected(source: str) -> tuple[Request, Callable[[Translation], Translation]]:
    """The request that the app makes."""
    protection = Protection.of(request_of(source, NO_CONSTRAINTS, (), None))
    return protection.request, protection.restore


ARMS = {"alone": alone, "phrases": as_phrases, "protected": protected}


def measured(
    translator: Translator,
    pairs: Sequence[Pair],
    ask: Callable[[str], tuple[Request, Callable[[Translation], Translation]]],
) -> Arm:
    """Translates the sources and compares with the references."""
    started = time.perf_counter()
    asked = [ask(source) for source, _ in pairs]
    answers = translator.translate_all([request for request, _ in asked], SEARCH)
    told = [tell(answer) for (_, tell), answer in zip(asked, answers, strict=True)]
    texts = [answer.hypotheses[0].text if answer.hypotheses else "" for answer in told]
    references = [[target for _, target in pairs]]
    right = [is_right(source, text) for (source, _), text in zip(pairs, texts, strict=True)]
    return Arm(
        share_right=round(sum(right) / len(right), 4),
        bleu=round(sacrebleu.corpus_bleu(texts, references).score, 2),
        chrf=round(sacrebleu.corpus_chrf(texts, references).score, 2),
        seconds=round(time.perf_counter() - started, 1),
    )


if __name__ == "__main__":
    main()
