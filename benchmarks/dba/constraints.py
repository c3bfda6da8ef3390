"""The constraint sets of Post & Vilar 2018, section 5: rand1 to rand4 and phr2 to phr4, drawn from references.

A word is what stands between spaces, without the punctuation at its edges; what has no letter, mark or number is no
word. So `"(3,5` gives `3,5` and `–` gives nothing. (The paper draws from tokens, punctuation included, before BPE.)
A phrase runs from the start of one word to the end of the n-1st after it, with whatever stands between them. Every
constraint therefore stands in its reference by the engine's rules for word boundaries; the few that do not, because a
combining mark or the like follows, are never drawn.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from engine.text import is_word_char, normalise, occurrences

SETS = ("none", "rand1", "rand2", "rand3", "rand4", "phr2", "phr3", "phr4")


@dataclass(frozen=True, slots=True)
class Constraint:
    """A required text, and where it starts in the normalised reference."""

    text: str
    start: int


def word_spans(reference: str) -> list[tuple[int, int]]:
    """The spans of the words of a normalised reference.

    >>> word_spans('Er sagt: "3,5 % – gut."')
    [(0, 2), (3, 7), (10, 13), (18, 21)]
    """
    spans = []
    for match in re.finditer(r"\S+", reference):
        inside = [offset for offset in range(*match.span()) if is_word_char(reference[offset])]
        if inside:
            spans.append((inside[0], inside[-1] + 1))
    return spans


def size_of(set_name: str) -> int:
    """How many words the set takes from a reference."""
    return 0 if set_name == "none" else int(set_name[-1])


def draw(set_name: str, reference: str, line: int, seed: int) -> tuple[Constraint, ...]:
    """The constraints of one reference; the same whatever other lines or sets are drawn.

    A reference with too few words gives all the words that it has; one without words gives nothing.
    """
    reference = normalise(reference)
    spans = word_spans(reference)
    size = min(size_of(set_name), len(spans))
    if not size:
        return ()
    rng = random.Random(f"{seed} {set_name} {line}")
    if set_name.startswith("rand"):
        standing = [span for span in spans if span in occurrences(reference, reference[slice(*span)])]
        chosen = sorted(rng.sample(standing, min(size, len(standing))))
    else:
        runs = [(spans[i][0], spans[i + size - 1][1]) for i in range(len(spans) - size + 1)]
        standing = [run for run in runs if run in occurrences(reference, reference[slice(*run)])]
        chosen = [rng.choice(standing)] if standing else []
    return tuple(Constraint(reference[start:end], start) for start, end in chosen)


def num_met(texts: Iterable[str], output: str) -> int:
    """How many of `texts` the output contains; a text required n times needs n occurrences that do not overlap."""
    return sum(min(count, _num_apart(output, text)) for text, count in Counter(texts).items())


def _num_apart(output: str, text: str) -> int:
    count, last_end = 0, 0
    for start, end in occurrences(output, text):
        if start >= last_end:
            count, last_end = count + 1, end
    return count
