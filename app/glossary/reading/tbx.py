"""TBX: concepts with terms in several languages (ISO 30042:2008, TBX-Basic, "v2"; ISO 30042:2019, "v3").

Of the terms of a concept, each of the source's language is a term; the preferred one of the target's language is its
target, the others variants; deprecated and superseded ones are forbidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from app.glossary.reading.rows import Entry
from app.glossary.reading.xml_entries import entries, language, local

_LANGUAGE_SECTIONS = ("langSet", "langSec")
_TERM_SECTIONS = ("tig", "ntig", "termSec")
_FORBIDDEN = ("deprecated", "superseded", "obsolete", "forbidden", "notrecommended")


@dataclass(frozen=True, slots=True)
class _Designation:
    text: str
    standing: str  # "preferredterm-admn-sts", in small letters; empty where nothing is said

    @property
    def is_forbidden(self) -> bool:
        return self.standing.startswith(_FORBIDDEN)


def read_tbx(data: bytes, name: str, direction: str | None) -> Iterator[Entry]:
    """The entries of the file, numbered by concept; `direction` says which languages count, else the first two do."""
    wanted = (direction or "").split("-")
    # v2 has termEntry, v3 conceptEntry: whichever the file begins to speak of.
    tag = "conceptEntry" if b"conceptEntry" in data or "conceptEntry".encode("utf-16-le") in data else "termEntry"
    for number, concept in entries(data, name, tag):
        by_language: dict[str, list[_Designation]] = {}
        for section in concept:
            if local(section) in _LANGUAGE_SECTIONS:
                by_language.setdefault(language(section), []).extend(_designations(section))
        if len(wanted) != 2:
            wanted = list(by_language)[:2]
        yield from _entries(number, by_language, wanted, _note(concept))


def _entries(number: int, by_language: dict[str, list[_Designation]], wanted: list[str], note: str) -> Iterator[Entry]:
    sources = by_language.get(wanted[0], []) if wanted else []
    targets = by_language.get(wanted[1], []) if len(wanted) > 1 else []
    shown = "; ".join(f"{code}: {', '.join(d.text for d in found)}" for code, found in by_language.items())
    usable = sorted((d for d in targets if not d.is_forbidden), key=lambda d: not d.standing.startswith("preferred"))
    if not sources or not targets:
        yield Entry(number, shown, sources[0].text if sources else "", targets[0].text if targets else "")
        return
    for source in sources:
        entry = Entry(number, shown, source.text, "", note=note)
        if usable:
            variants = tuple(d.text for d in usable[1:])
            yield replace(entry, target=usable[0].text, variants=variants)
        for designation in targets:
            if designation.is_forbidden:
                yield replace(entry, target=designation.text, status="forbidden")


def _designations(section: Element) -> Iterator[_Designation]:
    for element in section.iter():
        if local(element) not in _TERM_SECTIONS:
            continue
        term = next((child for child in element.iter() if local(child) == "term"), None)
        if term is None:
            continue
        standing = next((_standing(child) for child in element.iter() if _standing(child)), "")
        yield _Designation("".join(term.itertext()), standing)


def _standing(element: Element) -> str:
    """What an element says of its term's status; both styles of v3, and v2."""
    says = element.get("type", "") if local(element) == "termNote" else local(element)
    if says not in ("administrativeStatus", "normativeAuthorization"):
        return ""
    return (element.text or "").strip().lower().replace(" ", "")


def _note(concept: Element) -> str:
    """The concept's definition, else its note."""
    found = {
        element.get("type", "") if local(element) == "descrip" else local(element): "".join(element.itertext())
        for element in concept.iter()
        if local(element) in ("descrip", "note", "definition")
    }
    return found.get("definition") or found.get("note") or ""
