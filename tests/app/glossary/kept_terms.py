"""The terms of a glossary file, those of messy rows as they are in the file."""

from __future__ import annotations

from app.glossary import Term
from app.glossary.reading.glossary_file import GlossaryImport
from app.glossary.reading.row_checks import decided


def kept_terms(imported: GlossaryImport) -> tuple[Term, ...]:
    """All terms of a file, as if a person had kept each messy row as it is."""
    return decided(imported.terms, [(report, "keep") for report in imported.held])
