"""TBX, MultiTerm XML and TMX files -> glossary entries, one at a time, so that a large file is never a tree in memory.

TBX has concepts with terms in several languages (ISO 30042:2008, TBX-Basic, "v2"; ISO 30042:2019, "v3", in the styles
DCA and DCT; TBX-Min of 2013). Each term of the source language becomes an entry. The preferred term of the target
language is its target, the others are variants; deprecated and superseded ones become forbidden entries. MultiTerm XML
has concepts, too; the names and values of its descriptive fields are free, and those in use in English and German are
known. TMX has translation units: each unit with both languages becomes an entry, without its inline tags. XML that
`decode_xml` refuses (entity declarations, deep nesting, wrong encodings) is refused here, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from app.errors import DocumentError, GlossaryError
from app.formats.xml_text import decode_xml
from app.glossary.reading.column_uses import use_named
from app.glossary.reading.columns import STATUSES, YES
from app.glossary.reading.row_checks import TermEntry
from app.i18n import Message
from app.text.encoding import shortened_list
from app.text.language_names import language_of

MAX_ELEMENTS = 10_000_000
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_CONCEPTS = ("conceptEntry", "termEntry", "entry")  # v3, v2, TBX-Min of 2013
_LANGUAGE_SECTIONS = ("langSet", "langSec", "langGroup")
_TERM_SECTIONS = ("tig", "ntig", "termSec", "termGroup")
# Codes in place of an unknown language; csv2tbx of the translate toolkit writes "xx".
_UNKNOWN_LANGUAGES = ("xx", "und", "mis", "")
_TBX_ROOT = re.compile(r"<(?:\w+:)?(martif|tbx)\b([^>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\s(\w+)\s*=\s*["']([^"'<>]{1,40})["']""")
_UNKNOWN = re.compile(rb"""\blang\x00?=\x00?["']\x00?(?:xx|und|mis)["']""")
_FORBIDDEN = ("deprecated", "superseded", "obsolete", "forbidden", "notrecommended")
_INLINE = ("bpt", "ept", "ph", "it", "ut")


@dataclass(frozen=True, slots=True)
class _Designation:
    text: str
    status: str  # "preferredterm-admn-sts" in lower case; empty if not stated

    @property
    def is_forbidden(self) -> bool:
        return self.status.startswith(_FORBIDDEN)


def read_tbx(data: bytes, name: str, direction: str | None) -> Iterator[TermEntry]:
    """The entries of the file, numbered by concept, for the languages of `direction`, else for the first two."""
    languages = (direction or "").split("-")
    found: dict[str, None] = {}
    num_both = 0
    is_there = (tag for tag in _CONCEPTS if tag.encode() in data or tag.encode("utf-16-le") in data)
    tag = next(is_there, _CONCEPTS[0])
    for number, concept in _xml_entries(data, name, tag):
        by_language: dict[str, list[_Designation]] = {}
        for section in concept:
            if _local(section) in _LANGUAGE_SECTIONS:
                by_language.setdefault(_language(section), []).extend(_designations(section))
        if len(languages) != 2:
            languages = list(by_language)[:2]
        missing = [code for code in languages if code not in by_language]
        unknown = next((code for code in _UNKNOWN_LANGUAGES if code in by_language), None)
        if len(missing) == 1 and unknown is not None:
            by_language = {missing[0] if code == unknown else code: terms for code, terms in by_language.items()}
        found |= dict.fromkeys(by_language)
        num_both += set(languages) <= by_language.keys()
        yield from _entries(number, by_language, languages, _note(concept))
    _check_languages(name, direction, found, num_both)


def tbx_notes(data: bytes, num_head: int) -> list[str]:
    """Notes about a TBX file: its dialect, which its first bytes name, and a code in place of a language."""
    head = data[:num_head].replace(b"\0", b"").decode("latin-1")
    root = _TBX_ROOT.search(head)
    given = dict(_ATTRIBUTE.findall(root[2])) if root else {}
    dialect = given.get("dialect") or given.get("type") or "TBX"
    style = given.get("style", "")
    shown = f"{dialect} ({style.upper()})" if style else dialect
    notes: list[str] = [Message("The dialect of the file is {dialect}.", dialect=shown)]
    if _UNKNOWN.search(data):
        notes.append(
            Message("The file has a code in place of a language (“xx”): its terms are read as the missing language.")
        )
    return notes


def _check_languages(name: str, direction: str | None, found: Mapping[str, None], num_both: int) -> None:
    """Raises GlossaryError if a language of the direction is missing in the file."""
    if direction and found and not num_both and not set(direction.split("-")) <= found.keys():
        raise GlossaryError(
            "{name} has terms in {languages}, not in {direction}: choose another glossary",
            name=name,
            languages=shortened_list(found),
            direction=direction.replace("-", " → "),
        )


def _entries(
    number: int, by_language: dict[str, list[_Designation]], languages: list[str], note: str
) -> Iterator[TermEntry]:
    sources = by_language.get(languages[0], []) if languages else []
    targets = by_language.get(languages[1], []) if len(languages) > 1 else []
    shown = "; ".join(f"{code}: {', '.join(d.text for d in found)}" for code, found in by_language.items())
    usable = sorted((d for d in targets if not d.is_forbidden), key=lambda d: not d.status.startswith("preferred"))
    if not sources or not targets:
        yield TermEntry(number, shown, sources[0].text if sources else "", targets[0].text if targets else "")
        return
    for source in sources:
        entry = TermEntry(number, shown, source.text, "", note=note)
        if usable:
            variants = tuple(d.text for d in usable[1:])
            yield replace(entry, target=usable[0].text, variants=variants)
        for designation in targets:
            if designation.is_forbidden:
                yield replace(entry, target=designation.text, status="forbidden")


def read_multiterm(data: bytes, name: str, direction: str | None) -> Iterator[TermEntry]:
    """The entries of MultiTerm XML, numbered by concept, for the languages of `direction`, else for the first two."""
    languages = (direction or "").split("-")
    found: dict[str, None] = {}
    num_both = 0
    for number, concept in _xml_entries(data, name, "conceptGrp"):
        by_language: dict[str, list[_Designation]] = {}
        for group in concept:
            if _local(group) == "languageGrp" and (code := _multiterm_language(group)):
                terms = by_language.setdefault(code, [])
                terms += [
                    _Designation(text, _multiterm_status(term))
                    for term in group
                    if _local(term) == "termGrp" and (text := _child_text(term, "term"))
                ]
        if len(languages) != 2:
            languages = list(by_language)[:2]
        found |= dict.fromkeys(by_language)
        num_both += set(languages) <= by_language.keys()
        yield from _entries(number, by_language, languages, _multiterm_note(concept, languages))
    _check_languages(name, direction, found, num_both)


def _multiterm_language(group: Element) -> str:
    """The language of a languageGrp by its code ("EN-US"), otherwise by its name ("English")."""
    element = next((child for child in group if _local(child) == "language"), None)
    if element is None:
        return ""
    code, kind = element.get("lang", ""), element.get("type", "")
    return language_of(code) or language_of(kind) or code.partition("-")[0].lower() or kind


def _multiterm_status(term: Element) -> str:
    """The status that a field of the term states: "preferred", "forbidden" or an empty string."""
    for kind, value in _fields(term):
        plain = value.strip().casefold()
        known = use_named(kind)
        status = STATUSES.get(plain, "") if known == "status" else ""
        if status == "forbidden" or (known == "forbidden" and plain in YES):
            return "forbidden"
        if status == "preferred" and plain.startswith(("pref", "bevorzugt")):
            return "preferred"
    return ""


def _multiterm_note(concept: Element, languages: list[str]) -> str:
    """The subject in brackets, then definitions and notes of the concept and of its terms in these languages."""
    parts = [concept, *(g for g in concept if _local(g) == "languageGrp" and _multiterm_language(g) in languages)]
    parts += [term for group in parts[1:] for term in group if _local(term) == "termGrp"]
    fields = [(use_named(kind), value.strip()) for part in parts for kind, value in _fields(part)]
    note = " · ".join(dict.fromkeys(value for use, value in fields if use == "note" and value))
    domain = ", ".join(dict.fromkeys(value for use, value in fields if use == "domain" and value))
    return f"[{domain}] {note}".strip() if domain else note


def _fields(part: Element) -> Iterator[tuple[str, str]]:
    """The (name, text) of the descriptive fields of a concept, language or term itself."""
    for group in part:
        if _local(group) == "descripGrp":
            yield from ((one.get("type", ""), "".join(one.itertext())) for one in group if _local(one) == "descrip")


def _child_text(element: Element, name: str) -> str:
    return next(("".join(child.itertext()) for child in element if _local(child) == name), "")


def _designations(section: Element) -> Iterator[_Designation]:
    for element in section.iter():
        if _local(element) not in _TERM_SECTIONS:
            continue
        term = next((child for child in element.iter() if _local(child) == "term"), None)
        if term is None:
            continue
        status = next((_status(child) for child in element.iter() if _status(child)), "")
        yield _Designation("".join(term.itertext()), status)


def _status(element: Element) -> str:
    """The status that an element states for its term, in v2 or in one of the two styles of v3."""
    kind = element.get("type", "") if _local(element) == "termNote" else _local(element)
    if kind not in ("administrativeStatus", "normativeAuthorization", "termStatus"):
        return ""
    return (element.text or "").strip().lower().replace(" ", "")


def _note(concept: Element) -> str:
    """The definition of the concept, otherwise its note."""
    found = {
        element.get("type", "") if _local(element) == "descrip" else _local(element): "".join(element.itertext())
        for element in concept.iter()
        if _local(element) in ("descrip", "note", "definition")
    }
    return found.get("definition") or found.get("note") or ""


def read_tmx_terms(data: bytes, name: str, direction: str | None) -> Iterator[TermEntry]:
    """The entries of the file, numbered by unit, for the languages of `direction`, else for the first two."""
    languages = (direction or "").split("-")
    for number, unit in _xml_entries(data, name, "tu"):
        texts: dict[str, str] = {}
        for variant in unit:
            if _local(variant) == "tuv":
                segment = next((child for child in variant if _local(child) == "seg"), None)
                texts.setdefault(_language(variant), _text(segment) if segment is not None else "")
        if len(languages) != 2:
            languages = list(texts)[:2]
        shown = "; ".join(f"{code}: {text}" for code, text in texts.items())
        note = next(("".join(child.itertext()) for child in unit if _local(child) == "note"), "")
        source, target = (texts.get(code, "") for code in (*languages, "", "")[:2])
        yield TermEntry(number, shown, source, target, note=note)


def _text(element: Element) -> str:
    parts = [element.text or ""]
    for child in element:
        parts += ["" if _local(child) in _INLINE else _text(child), child.tail or ""]
    return "".join(parts)


def _local(element: Element) -> str:
    """The name of the element without its namespace."""
    return element.tag.rpartition("}")[2]


def _language(element: Element) -> str:
    """The primary language of the element, in lower case: "en" for "en-GB"."""
    given = element.get(LANGUAGE) or element.get("lang") or ""
    return given.replace("_", "-").partition("-")[0].lower()


def _xml_entries(data: bytes, name: str, tag: str) -> Iterator[tuple[int, Element]]:
    """(number from 1, element) of each element with this local name. Raises GlossaryError for unsafe XML."""
    try:
        text = decode_xml(data, name, MAX_ELEMENTS).text
    except DocumentError as problem:
        raise GlossaryError(*problem.args) from problem
    parser = ElementTree.XMLParser(encoding="utf-8")
    number = 0
    events = ElementTree.iterparse(BytesIO(text.encode("utf-8")), ("start", "end"), parser)
    path: list[Element] = []
    depth = 0  # number of entries around the current position
    try:
        for event, element in events:
            if event == "start":
                path.append(element)
                depth += _local(element) == tag
                continue
            path.pop()
            if _local(element) == tag:
                depth -= 1
                number += 1
                yield number, element
            if path and not depth:
                path[-1].remove(element)
    except ElementTree.ParseError as problem:  # well-formed, but with undeclared prefixes
        raise GlossaryError(
            "{name} is not valid XML ({reason}): export it again from the program that created it",
            name=name,
            reason=problem,
        ) from problem
