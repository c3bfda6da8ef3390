"""Precision of word alignment, on names and numbers that both texts contain and on terms that the model translated.

    python -m benchmarks.alignment WORK MODEL

Reads the development sets of a prepared folder with their links (`python -m engine.train align` makes them) and prints
a line for each. `kept`: words with a digit or a capital that stand once in the source and once, the same, in the
translation, and how many of them are linked to each other. `terms`: words of the reference, by the counted links the
only translation of one word of the source, that the model's own translation holds once; how many are told to be
aligned there, and how many doubled.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from engine import Hypothesis, Phrase, Placement, Request, SearchOptions, Translator, occurrences
from engine.decoding.aligner import with_alignment
from engine.text import TextCodec
from engine.train.data import PreparedData
from engine.train.statistical_links import FOLDER, LinkedPairs, WordCutter

OPTIONS = SearchOptions(beam=4, nbest=1)
MIN_TERM_LENGTH = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path, help="prepared folder")
    parser.add_argument("model", type=Path, help="model folder, with its alignment")
    parser.add_argument("--pairs", type=int, default=70, help="sentences of each set")
    options = parser.parse_args()
    translator, codec = Translator.load(options.model), TextCodec.load(options.work)
    prepared, cutter = PreparedData.load(options.work), WordCutter.load(options.work)
    source, target = translator.directions[0].split("-")
    assert source == prepared.languages[0], "links are counted from the first language"
    for name in prepared.dev_sets:
        linked = LinkedPairs.load(options.work / FOLDER / "dev" / name, prepared.languages)
        counts: Counter[str] = Counter()
        for index in range(0, len(linked.pairs), max(1, len(linked.pairs) // options.pairs)):
            pieces = [linked.pairs.lines[language][index] for language in (source, target)]
            text = codec.decode(pieces[0].tolist()).text
            hypothesis = translator.translate(Request(text), OPTIONS).hypotheses[0]
            words = [cutter.text(side).split() for side in pieces]
            for found in kept(text, words[0], hypothesis):
                counts["kept"] += 1
                counts["kept, linked"] += found
            links = [(int(first), int(second)) for first, second in linked.links_of(index)]
            for placement in terms(text, words[0], words[1], links, hypothesis):
                counts["terms"] += 1
                counts["terms, aligned"] += bool(placement.aligned)
                counts["terms, doubled"] += bool(placement.doubled)
        print(f"{name}: " + "; ".join(f"{what} {number}" for what, number in sorted(counts.items())), flush=True)


def kept(text: str, words: list[str], hypothesis: Hypothesis) -> Iterator[bool]:
    """For each name or number that both texts contain once: True if its two places are aligned."""
    for word in dict.fromkeys(words):
        if len(word) < 2 or not (word[0].isupper() or any(char.isdigit() for char in word)):
            continue
        places = occurrences(text, word), occurrences(hypothesis.text, word)
        if all(len(spans) == 1 for spans in places):
            (start, end), (other_start, other_end) = places[0][0], places[1][0]
            yield any(
                a < end and start < b and c < other_end and other_start < d for a, b, c, d in hypothesis.alignment
            )


def terms(
    text: str, words: list[str], reference: list[str], links: list[tuple[int, int]], hypothesis: Hypothesis
) -> Iterator[Placement]:
    """The verdict for each reference word that the hypothesis contains once, treated as a term of its source word."""
    firsts, seconds = (Counter(side) for side in zip(*links, strict=True)) if links else (Counter(), Counter())
    for first, second in links:
        word, term = words[first], reference[second]
        if firsts[first] > 1 or seconds[second] > 1 or not (word.isalpha() and term.isalpha()):
            continue
        if min(len(word), len(term)) < MIN_TERM_LENGTH:
            continue
        spans, places = occurrences(text, word), occurrences(hypothesis.text, term)
        if len(spans) == len(places) == 1:
            phrase, placement = Phrase(term, source_span=spans[0]), Placement(0, term, *places[0])
            yield from with_alignment([placement], [phrase], hypothesis.alignment, hypothesis.text)


if __name__ == "__main__":
    main()
