"""Terminology measures: terms found in a translation, and their context compared with the reference.

The measures are those of Anastasopoulos, Besacier, Cross, Gallé, Koehn and Nikoulina, "On the Evaluation of Machine
Translation for Terminology Consistency" (Alam et al. 2021), as the WMT 2021 terminology task computed them, without
lemmas: only a form that was given counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from engine.errors import InvalidRequest
from engine.request import Phrase
from engine.text import normalise, occurrences

WINDOWS = (2, 3)  # words on each side


@dataclass(frozen=True, slots=True)
class TermOccurrence:
    """One occurrence of a glossary term in a source, at characters `span`, to be translated as one of `forms`."""

    forms: tuple[str, ...]
    span: tuple[int, int]

    @property
    def phrase(self) -> Phrase:
        """The term as a required phrase."""
        return Phrase(self.forms[0], forms=self.forms[1:], source_span=self.span)


class TermList:
    """Source terms with the forms of their translations, the preferred one first."""

    def __init__(self, terms: Mapping[str, Sequence[str]]) -> None:
        for source, forms in terms.items():
            if not source.strip() or not forms or not all(form.strip() for form in forms):
                raise InvalidRequest(f"the term {source!r} has the forms {list(forms)!r}; none may be blank")
        self._forms: dict[str, tuple[str, ...]] = {}
        for source, forms in terms.items():
            for spelling in dict.fromkeys((source, source[0].upper() + source[1:])):  # as at the start of a sentence
                self._forms[spelling] = (*self._forms.get(spelling, ()), *forms)

    def terms_in(self, source: str) -> tuple[TermOccurrence, ...]:
        """The terms that a source contains as words, as spelt or with a capital first letter.

        From left to right, the longest first, without overlap.
        """
        found = sorted(
            (start, -end, spelling) for spelling in self._forms for start, end in occurrences(source, spelling)
        )
        terms: list[TermOccurrence] = []
        for start, minus_end, spelling in found:
            if not terms or start >= terms[-1].span[1]:
                forms = tuple(dict.fromkeys(self._forms[spelling]))
                terms.append(TermOccurrence(forms, (start, -minus_end)))
        return tuple(terms)


def num_terms_met(output: str, terms: Sequence[TermOccurrence]) -> int:
    """The maximum number of terms that can be matched to distinct occurrences of their forms in the output."""
    output = normalise(output)
    places = [[place for form in term.forms for place in occurrences(output, normalise(form))] for term in terms]
    term_at: dict[tuple[int, int], int] = {}

    def is_placed(number: int, tried: set[tuple[int, int]]) -> bool:
        """True if term `number` can be matched; other terms move to another occurrence if necessary."""
        for place in places[number]:
            if place in tried:
                continue
            tried.add(place)
            if place not in term_at or is_placed(term_at[place], tried):
                term_at[place] = number
                return True
        return False

    return sum(is_placed(number, set()) for number in range(len(terms)))


def window_overlap(output: str, reference: str, forms: Iterable[str], window: int) -> float | None:
    """The share of the words around a term in the reference that are also around it in the output, 0 to 1.

    Around are the `window` words before and the `window` words after, marks left out. Each occurrence in the output
    belongs to one in the reference, those with the largest share first; the result is the mean over these, 0 where the
    output has none of the terms, None if the reference has none.

    >>> window_overlap("eine große Datei ist offen", "die große Datei war offen", ["Datei"], 2)
    0.5
    """
    output, reference = normalise(output), normalise(reference)
    shares: list[float] = []
    is_in_reference = False
    for form in dict.fromkeys(map(normalise, forms)):
        expected = [_around(reference, place, window) for place in occurrences(reference, form)]
        found = [_around(output, place, window) for place in occurrences(output, form)]
        is_in_reference = is_in_reference or bool(expected)
        pairs = [
            ((expected[i] & found[j]).total() / max(1, expected[i].total()), i, j)
            for i, j in product(range(len(expected)), range(len(found)))
        ]
        used_expected, used_found = set(), set()
        for share, i, j in sorted(pairs, key=lambda pair: -pair[0]):
            if i not in used_expected and j not in used_found:
                used_expected.add(i)
                used_found.add(j)
                shares.append(share)
    if not is_in_reference:
        return None
    return sum(shares) / len(shares) if shares else 0.0


def _around(text: str, place: tuple[int, int], window: int) -> Counter[str]:
    """The words next to a place, on both sides."""
    return Counter(_words(text[: place[0]])[-window:] + _words(text[place[1] :])[:window])


def _words(text: str) -> list[str]:
    """The tokens of BLEU's tokeniser that contain a letter or digit."""
    return [word for word in _tokeniser()(text).split() if any(char.isalnum() for char in word)]


@cache
def _tokeniser() -> Callable[[str], str]:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    make: Callable[[], Callable[[str], str]] = Tokenizer13a  # it has no types
    return make()
