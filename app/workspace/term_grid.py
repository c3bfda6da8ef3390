"""The terms of one glossary as a grid: filtered, page by page, and changed one at a time."""

from __future__ import annotations

from collections.abc import Sequence

from app.access.actor import Actor
from app.errors import CommandError
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.glossary.index.term_index import TermChanges
from app.glossary.model import Case, Matching, Status
from app.glossary.reading.row_checks import TermEntry, term_of, wrong_with
from app.segments.state import Json
from app.text.folding import folded, lower
from app.workspace.glossaries import GlossaryEditor

PAGE_ROWS = 100


def grid_rows(glossary: Glossary, text: str, offset: int) -> Json:
    """Up to PAGE_ROWS terms that contain `text` in source, targets or note, from number `offset` on."""
    text = lower(folded(text.strip()))
    numbers: Sequence[int] = list(glossary.terms)
    if text:
        numbers = [number for number in numbers if _contains(glossary.terms[number], text)]
    rows = [{"number": number, **_row(glossary.terms[number])} for number in numbers[offset : offset + PAGE_ROWS]]
    return {"num_rows": len(numbers), "num_terms": len(glossary), "offset": offset, "rows": rows}


def edit_term(
    actor: Actor,
    glossaries: GlossaryEditor,
    id_: int,
    number: int | None,
    *,
    source: str,
    target: str,
    variants: Sequence[str],
    status: Status,
    case: Case,
    matching: Matching,
    note: str,
) -> Json:
    """Changes the term of that number, or adds one (None). Raises CommandError if it cannot be used, or where the
    glossary already has another target for the same words."""
    language = glossaries.source_language
    edited: dict[int, Term] = {}

    def changes(glossary: Glossary) -> TermChanges:
        before = None if number is None else glossary.terms.get(number)
        if number is not None and before is None:
            raise CommandError("This term was deleted in the meantime.")
        entry = TermEntry(
            before.row if before else 0, "", source, target, tuple(variants), status, case, matching, note
        )
        term = term_of(entry, glossary.name)
        if wrong := wrong_with(term):
            raise CommandError(wrong[1])
        _check_rivals(glossary, number, term, language)
        edited.clear()
        edited[glossary.next_number() if number is None else number] = term
        return edited

    overview = glossaries.edit(actor, id_, changes)
    ((its_number, term),) = edited.items()
    return {**overview, "row": {"number": its_number, **_row(term)}}


def _check_rivals(glossary: Glossary, number: int | None, term: Term, language: str) -> None:
    """Raises CommandError if another term has the same source, and neither case nor status distinguishes them."""
    for other_number in glossary.terms.numbers_of(term.source, language):
        if other_number == number:
            continue
        other = glossary.terms[other_number]
        is_other_case = (term.is_case_exact or other.is_case_exact) and other.source != term.source
        is_beside = "forbidden" in (term.status, other.status) and (
            term.status != other.status or term.target != other.target
        )
        if not is_other_case and not is_beside:
            raise CommandError(
                "This glossary already has the target “{target}” for “{source}”: change that term, or add a "
                "variant to it.",
                source=other.source,
                target=other.target,
            )


def _contains(term: Term, text: str) -> bool:
    return any(text in lower(folded(own)) for own in (term.source, *term.targets, term.note))


def _row(term: Term) -> Json:
    return {
        "source": term.source,
        "target": term.target,
        "variants": list(term.variants),
        "status": term.status,
        "case": term.case,
        "matching": term.matching,
        "note": term.note,
    }
