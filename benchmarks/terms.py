"""CPU time to read a glossary, index it, and find its terms in a document.

    python -m benchmarks.terms --output results.json

Words are drawn from a vocabulary by Zipf's law, as in texts; terms have one to four of them, and each kind of matching
is measured on its own. The brute force that compares every term with every place searches a few segments only; its
hits must be the same.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from app.glossary import Term, TermMatcher
from app.glossary.index.term_index import TermIndex
from app.glossary.reading.glossary_file import read_glossary
from benchmarks.paper_dba import commit, environment
from engine import stands_alone

NUM_WORDS = 60_000
WORDS_A_SEGMENT = 15
CHECKED_SEGMENTS = 3
CHANGES = 100  # of single terms, one after the other
_SYLLABLES = ("ba", "con", "der", "fi", "gra", "ing", "ment", "net", "pro", "re", "ser", "tion", "u", "ver", "work")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--terms", type=int, default=100_000)
    parser.add_argument("--segments", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    draw = random.Random(options.seed)
    words = sorted({"".join(draw.choices(_SYLLABLES, k=draw.randint(1, 4))) for _ in range(4 * NUM_WORDS)})
    draw.shuffle(words)
    words = words[:NUM_WORDS]
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    segments = [
        " ".join(draw.choices(words, cum_weights=weights, k=WORDS_A_SEGMENT)) + "." for _ in range(options.segments)
    ]
    sources = {" ".join(draw.choices(words, k=draw.choice((1, 1, 2, 2, 3, 4)))) for _ in range(2 * options.terms)}
    rows = "".join(f"{source}\tZiel {number}\n" for number, source in enumerate(sorted(sources)[: options.terms]))

    started = time.process_time()
    imported = read_glossary(rows.encode(), "terms.tsv", "en-de")
    result = {
        "terms": len(imported.terms),
        "segments": len(segments),
        "words_a_segment": WORDS_A_SEGMENT,
        "seed": options.seed,
        "environment": environment(),
        "commit": commit(),
        "cpu_seconds_to_read_and_index": round(time.process_time() - started, 2),
        "matching": {kind: measured(imported.terms, segments, kind) for kind in ("exact", "prefix", "lemma")},
    }
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(result, indent=1))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def measured(terms: Sequence[Term], segments: Sequence[str], kind: str) -> dict[str, float]:
    """CPU seconds to index the terms, matched that way, to search all segments and to change a term; the hits."""
    kinds = tuple(replace(term, matching=kind) for term in terms)  # type: ignore[arg-type]
    started = time.process_time()
    numbered = TermIndex(dict(enumerate(kinds)))
    terminology = TermMatcher((numbered,), "en")
    terminology.search("")  # the first search makes the index
    indexed = time.process_time()
    matches = [terminology.search(segment) for segment in segments]
    searched = time.process_time()
    for number in range(CHANGES):
        numbered = numbered.changed({number: replace(kinds[number], target="anders")})
        TermMatcher((numbered,), "en").search("")
    changed = time.process_time()
    if kind == "exact":
        for segment, found in zip(segments[:CHECKED_SEGMENTS], matches, strict=False):
            every = sorted((hit.start, hit.end, hit.term.source) for hit in (*found.hits, *found.suppressed))
            assert every == sorted(brute_force(kinds, segment)), segment
    return {
        "cpu_seconds_to_index": round(indexed - started, 2),
        "cpu_seconds_to_search": round(searched - indexed, 2),
        "cpu_seconds_to_change_a_term": round((changed - searched) / CHANGES, 6),
        "hits": sum(len(found.hits) for found in matches),
        "suppressed": sum(len(found.suppressed) for found in matches),
    }


def brute_force(terms: Sequence[Term], segment: str) -> list[tuple[int, int, str]]:
    """Every place of every term, by searching for each term."""
    found = []
    for term in terms:
        start = segment.find(term.source)
        while start >= 0:
            if stands_alone(segment, start, start + len(term.source)):
                found.append((start, start + len(term.source), term.source))
            start = segment.find(term.source, start + 1)
    return found


if __name__ == "__main__":
    main()
