"""A glossary as a file: CSV or TSV with a header and escaped formulas, or TBX (ISO 30042:2008).

Reading the file again gives the same terms, except that TBX has no place for matching and case.
"""

from __future__ import annotations

import csv
import io
from xml.sax.saxutils import escape, quoteattr

from app.errors import CommandError
from app.formats.documents import Export
from app.glossary.glossary import Glossary
from app.glossary.model import Term
from app.i18n import Message
from app.text.encoding import escape_formula, safe_name

_HEADER = ("source", "target", "variants", "status", "case", "matching", "note")
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_FORBIDDEN = "deprecatedTerm-admn-sts"
_XML_ILLEGAL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535, *range(55296, 57344)), "�")


def write_glossary(glossary: Glossary, ending: str, direction: str) -> Export:
    """The glossary as "csv", "tsv" or "tbx". Raises CommandError for any other ending."""
    if ending in _DELIMITERS:
        data = _table(glossary, _DELIMITERS[ending])
    elif ending == "tbx":
        data = _tbx(glossary, *direction.split("-", 1))
    else:
        kinds = ", ".join((*_DELIMITERS, "tbx"))
        raise CommandError(Message("There is no export {kind!r}; choose one of {kinds}.", kind=ending, kinds=kinds))
    stem = glossary.name.rpartition(".")[0] or glossary.name
    return Export(safe_name(f"{stem}.{ending}", f"glossary.{ending}"), data)


def _table(glossary: Glossary, delimiter: str) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(_HEADER)
    for term in glossary.terms.values():
        cells = ("|".join(term.variants), term.status, term.case, term.matching, term.note)
        writer.writerow(escape_formula(cell) for cell in (term.source, term.target, *cells))
    return b"\xef\xbb\xbf" + file.getvalue().encode("utf-8", "replace")


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
