"""The column Term_Info of memoQ's tables: "CasePermissive;HalfPrefix;NonTerm" is how a term is matched, and a ban."""

from __future__ import annotations

import re
from typing import Final

from app.glossary.model import Case, Matching

_CASES: Final[dict[str, Case]] = {
    "casesense": "exact",
    "casesensitive": "exact",
    "casepermissive": "permissive",
    "caseinsense": "any",
}
_MATCHINGS: Final[dict[str, Matching]] = {
    "noprefix": "exact",
    "exact": "exact",
    "halfprefix": "lemma",
    "custom": "prefix",
}
_FORBIDDEN: Final = "NonTerm"
_MARK: Final = re.compile(r"[|*]")  # the rest of the word may differ


def read_source_info(info: str, source: str) -> tuple[str, Case, Matching]:
    """The source without the marks of a custom term, and how it is matched; the defaults without marks.

    >>> read_source_info("CaseInsense;Custom", "rout|er")
    ('rout', 'any', 'prefix')
    """
    parts = [part.strip().casefold() for part in info.split(";")]
    case: Case = next((_CASES[part] for part in parts if part in _CASES), "permissive")
    matching: Matching = next((_MATCHINGS[part] for part in parts if part in _MATCHINGS), "exact")
    if matching != "prefix":
        return source, case, matching
    *beginning, last = source.split(" ")
    plain = " ".join([*(_MARK.sub("", word) for word in beginning), _MARK.split(last)[0]])
    if _MARK.search(last) and not any(_MARK.search(word) for word in beginning) and plain.strip():
        return plain, case, "prefix"
    return _MARK.sub("", source), case, "lemma" if _MARK.search(source) else "exact"


def is_forbidden(info: str) -> bool:
    """True if the target with this Term_Info is banned."""
    return _FORBIDDEN.casefold() in (part.strip().casefold() for part in info.split(";"))


def source_info(case: Case, matching: Matching) -> str:
    """The matching of a source; memoQ's matching of word beginnings becomes matching in any form."""
    case_word = {"exact": "CaseSense", "permissive": "CasePermissive", "any": "CaseInsense"}[case]
    return f"{case_word};{'NoPrefix' if matching == 'exact' else 'HalfPrefix'}"


def target_info(*, is_forbidden: bool) -> str:
    """The matching of a target, and whether it is banned."""
    return "CasePermissive;HalfPrefix" + (f";{_FORBIDDEN}" if is_forbidden else "")
