"""A glossary as a file: a table with the columns of this or another tool, TBX (ISO 30042:2008) or MultiTerm XML.

Reading the file again gives the same terms. What a format has no place for is named in the note of the export.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import Final, Literal
from xml.sax.saxutils import escape, quoteattr

from app.errors import CommandError
from app.formats.documents import Export
from app.glossary.glossary import Glossary
from app.glossary.model import Term, has_inner_capitals
from app.glossary.tool_tables import TABLES, ToolTable
from app.i18n import Message, joined
from app.text.encoding import FORMULA_STARTS, safe_name
from app.text.language_names import english_name
from app.text.workbook import Sheet, csv_table, workbook
from engine import short_code

_XML_FILES: Final = {"tbx": ("TBX", "tbx"), "multiterm-xml": ("Trados MultiTerm", "xml")}
_OWN: Final = ("csv", "tsv", "tbx")
KINDS: Final = (*_OWN, *(kind for kind in TABLES if kind not in _OWN), "multiterm-xml")
_FORBIDDEN = "deprecatedTerm-admn-sts"
_XML_ILLEGAL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535, *range(55296, 57344)), "\ufffd")


def kind_label(kind: str) -> str:
    """The name of a kind of file.

    >>> kind_label("matecat"), kind_label("csv")
    ('MateCat (XLSX)', 'CSV')
    """
    label, ending = _XML_FILES[kind] if kind in _XML_FILES else (TABLES[kind].label, TABLES[kind].ending)
    return label if label == ending.upper() else f"{label} ({ending.upper()})"


def write_glossary(glossary: Glossary, kind: str, direction: str) -> Export:
    """The glossary as a file of one of KINDS; its note lists data that the file cannot store. Raises CommandError."""
    if kind not in KINDS:
        raise CommandError(
            "{kind!r} is not a kind of export; choose one of {kinds}.", kind=kind, kinds=", ".join(KINDS)
        )
    source, target = direction.split("-", 1)
    if kind in _XML_FILES:
        ending = _XML_FILES[kind][1]
        data = (_tbx if kind == "tbx" else _multiterm)(glossary, source, target)
    else:
        table = TABLES[kind]
        ending = table.ending
        rows = _rows(table, glossary.terms.values(), direction)
        # Without a header, only quotation marks keep a semicolon in a term from looking like the separator.
        quoting: Literal[0, 1] = csv.QUOTE_MINIMAL if table.has_header else csv.QUOTE_ALL
        data = workbook([Sheet("Glossary", rows)]) if ending == "xlsx" else csv_table(rows, table.delimiter, quoting)
    stem = glossary.name.rpartition(".")[0] or glossary.name
    end = ending if kind == ending else f"{kind.partition('-')[0]}.{ending}"
    return Export(safe_name(f"{stem}.{end}", f"glossary.{ending}"), data, losses(glossary.terms.values(), kind))


def losses(terms: Iterable[Term], kind: str) -> Message | None:
    """The data of these terms that a file of this kind cannot store; None if it stores all."""
    table = TABLES.get(kind)
    uses = set(table.uses(1)) if table else {"variants", "note"}
    matchings = {"exact", "lemma", "prefix"} if "matching" in uses else {"exact"}
    if "source_info" in uses:
        matchings = {"exact", "lemma"}
    counts = dict.fromkeys(("variants", "exact", "do_not_translate", "case", "matching", "note", "formula"), 0)
    num_left_out = 0
    for term in terms:
        if table and not table.can_state(term):
            num_left_out += 1
            continue
        counts["variants"] += bool(term.variants) and "variants" not in uses and term.status != "forbidden"
        if term.status in counts:
            counts[term.status] += not (table and table.keeps_status(term.status))
        if uses.isdisjoint(("case", "source_info")):
            counts["case"] += term.is_case_exact != has_inner_capitals(term.source)
        counts["matching"] += term.matching not in matchings
        counts["note"] += bool(term.note) and "note" not in uses
        if table and table.ending != "xlsx":
            texts = (term.source, *term.targets, term.note)
            counts["formula"] += any(text.lstrip().startswith(FORMULA_STARTS) for text in texts)
    notes: list[Message] = []
    if lost := _lost(counts):
        notes.append(
            Message("This file format cannot store (number of terms): {losses}.", losses=joined(", ", lost)),
        )
    if table and num_left_out:
        notes.append(
            Message(
                "Forbidden terms are left out ({count:,}), because {tool} would treat them as required terms.",
                count=num_left_out,
                tool=table.label,
            )
        )
    if num_formulas := counts["formula"]:
        notes.append(
            Message(
                "Terms that a spreadsheet would treat as a formula begin with an apostrophe ({count:,}).",
                count=num_formulas,
            )
        )
    return joined(" ", notes) if notes else None


def _lost(counts: dict[str, int]) -> list[Message]:
    """The lost data, with the number of terms."""
    named = {
        "variants": Message("other targets ({count:,})", count=counts["variants"]),
        "exact": Message("the status “exact” ({count:,})", count=counts["exact"]),
        "do_not_translate": Message("“do not translate” ({count:,})", count=counts["do_not_translate"]),
        "case": Message("capitals ({count:,})", count=counts["case"]),
        "matching": Message("matching ({count:,})", count=counts["matching"]),
        "note": Message("notes ({count:,})", count=counts["note"]),
    }
    return [message for what, message in named.items() if counts[what]]


def _rows(table: ToolTable, terms: Iterable[Term], direction: str) -> Iterator[list[str]]:
    """The header, if the table has one, and a row for each term."""
    stated = [one for term in terms if table.can_state(term) for one in table.stated(term)]
    num_variants = max((len(term.variants) for term in stated), default=0)
    uses = table.uses(num_variants)
    if table.has_header:
        yield table.header(direction, num_variants)
    for number, term in enumerate(stated, 1):
        yield list(table.cells(number, term, uses, direction))


def _tbx(glossary: Glossary, source: str, target: str) -> bytes:
    entries = "".join(_entry(number, term, source, target) for number, term in glossary.terms.items())
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<martif type="TBX-Basic" xml:lang={quoteattr(source)}>\n'
        f"<martifHeader><fileDesc><sourceDesc><p>{_text(glossary.name)}</p></sourceDesc></fileDesc></martifHeader>\n"
        f"<text><body>\n{entries}</body></text>\n</martif>\n"
    )
    return text.encode("utf-8")


def _entry(number: int, term: Term, source: str, target: str) -> str:
    is_forbidden = term.status == "forbidden"
    statuses = ["preferredTerm-admn-sts", *["admittedTerm-admn-sts"] * len(term.variants)]
    targets = "".join(
        f"<tig><term>{_text(text)}</term>"
        f'<termNote type="administrativeStatus">{_FORBIDDEN if is_forbidden else status}</termNote></tig>'
        for text, status in zip(term.targets, statuses, strict=True)
    )
    note = f'<descrip type="definition">{_text(term.note)}</descrip>' if term.note else ""
    return (
        f'<termEntry id="c{number}">{note}'
        f"<langSet xml:lang={quoteattr(source)}><tig><term>{_text(term.source)}</term></tig></langSet>"
        f"<langSet xml:lang={quoteattr(target)}>{targets}</langSet></termEntry>\n"
    )


def _text(text: str) -> str:
    return escape(text.translate(_XML_ILLEGAL))


def _multiterm(glossary: Glossary, source: str, target: str) -> bytes:
    concepts = "".join(_concept(number, term, source, target) for number, term in enumerate(glossary.terms.values(), 1))
    return f'<?xml version="1.0" encoding="UTF-16"?>\n<mtf>\n{concepts}</mtf>\n'.encode("utf-16")


def _concept(number: int, term: Term, source: str, target: str) -> str:
    note = _field("Definition", term.note) if term.note else ""
    statuses = ["preferred", *[""] * len(term.variants)]
    if term.status == "forbidden":
        statuses = ["forbidden"] * len(term.targets)
    targets = "".join(
        f"<termGrp><term>{_text(text)}</term>{_field('Status', status) if status else ''}</termGrp>"
        for text, status in zip(term.targets, statuses, strict=True)
    )
    return (
        f"<conceptGrp><concept>{number}</concept>{note}"
        f"{_language_group(source, f'<termGrp><term>{_text(term.source)}</term></termGrp>')}"
        f"{_language_group(target, targets)}</conceptGrp>\n"
    )


def _language_group(language: str, terms: str) -> str:
    code = short_code(language)
    element = f"<language lang={quoteattr(code.upper())} type={quoteattr(english_name(code))}/>"
    return f"<languageGrp>{element}{terms}</languageGrp>"


def _field(kind: str, text: str) -> str:
    return f"<descripGrp><descrip type={quoteattr(kind)}>{_text(text)}</descrip></descripGrp>"
