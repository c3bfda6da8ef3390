"""What one segment asks of the engine: its pins and the glossary terms found in its source, as phrases.

Knows how pins and terms become phrases and how an answer's phrase numbers lead back to them. Knows nothing of
storage, threads or the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from app.glossary import Term, TermHit
from engine import Phrase


@dataclass(frozen=True, slots=True)
class Constraint:
    """One phrase that must stand: what is said for it (`text`, `count` times) and who asked.

    `is_pinned` is true where the translator asked, `term_keys` name the glossary terms that ask for the same text. A
    pin and a term of one text make one constraint, since the engine wants separate occurrences for separate phrases.
    `source_span` is where the term stands in the source, where that is one place only.
    """

    text: str
    count: int = 1
    is_pinned: bool = False
    term_keys: tuple[str, ...] = ()
    source_span: tuple[int, int] | None = None

    def phrase(self) -> Phrase:
        """The engine's side of this constraint. A sentence may begin with a term, capitalised; a pin stays as it is."""
        case: Literal["exact", "auto"] = "exact" if self.is_pinned else "auto"
        return Phrase(self.text, count=self.count, case=case, source_span=self.source_span)


def term_key(term: Term) -> str:
    """A name for a term that stays the same when its glossary is uploaded again."""
    return f"{term.source}\t{term.target}"


def distinct_terms(hits: Iterable[TermHit]) -> tuple[Term, ...]:
    """The terms of the hits, each once, in the order of the source."""
    return tuple({term_key(hit.term): hit.term for hit in hits}.values())


def constraints_for(
    pins: Sequence[str], hits: Iterable[TermHit], terms_off: Iterable[str] = ()
) -> tuple[Constraint, ...]:
    """Pins first, then the terms that are not switched off; each text once.

    A text pinned n times must stand n times. A term is asked for once, however often its source word occurs: German
    may say "es" the second time.

    >>> [c.text for c in constraints_for(["auf", "auf"], ())], constraints_for(["auf", "auf"], ())[0].count
    (['auf'], 2)
    """
    off = set(terms_off)
    hits = tuple(hits)
    counts: dict[str, int] = {}
    keys: dict[str, list[str]] = {}
    spans: dict[str, list[tuple[int, int]]] = {}
    for pin in pins:
        counts[pin] = counts.get(pin, 0) + 1
    for term in distinct_terms(hits):
        if (key := term_key(term)) not in off:
            keys.setdefault(term.target, []).append(key)
    for hit in hits:
        if term_key(hit.term) not in off:
            spans.setdefault(hit.term.target, []).append((hit.start, hit.end))
    texts = dict.fromkeys((*counts, *keys))
    return tuple(
        Constraint(
            text,
            counts.get(text, 1),
            is_pinned=text in counts,
            term_keys=tuple(keys.get(text, ())),
            source_span=spans[text][0] if len(spans.get(text, ())) == counts.get(text, 1) == 1 else None,
        )
        for text in texts
    )
