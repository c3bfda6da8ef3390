"""Limits on the size of one request, checked in linear time before any other work on the request.

The numbers that come with a question are checked here too.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from engine.errors import InvalidRequest
from engine.request import Request
from engine.search_options import MAX_NBEST
from engine.settings import is_of_type
from engine.translation import Reason, ReasonKind

MAX_SOURCE_CHARACTERS: Final = 20_000
MAX_REQUIRED: Final = 100  # occurrences of phrases, and locked texts; most models write 256 pieces
MAX_AVOIDED: Final = 500
MAX_FORMS: Final = 1_000  # of all phrases
MAX_CHARACTERS: Final = 50_000  # of all texts but the source
# Phrases that share a form: their occurrences are assigned again with each piece, in time that grows with all ways to
# overlap.
MAX_SHARING: Final = 12


def excess(request: Request) -> Reason | None:
    """The first limit that the request exceeds; None if it exceeds none."""
    phrases = request.phrases
    num_characters = len(request.prefix) + len(request.suffix) + sum(map(len, request.locked))
    num_characters += sum(len(item.text) for item in request.avoid)
    num_characters += sum(len(form) for phrase in phrases for form in phrase.all_forms)
    num_required = sum(phrase.count for phrase in phrases) + len(request.locked)
    checks: tuple[tuple[ReasonKind, str, int, int, str], ...] = (
        ("source_too_long", "characters in the source", len(request.source), MAX_SOURCE_CHARACTERS, "split it"),
        ("too_many", "required texts", num_required, MAX_REQUIRED, "remove phrases"),
        ("too_many", "avoided texts", len(request.avoid), MAX_AVOIDED, "remove some"),
        ("too_many", "forms of phrases", sum(len(phrase.all_forms) for phrase in phrases), MAX_FORMS,
         "give fewer forms"),
        ("too_many", "characters in the constraints", num_characters, MAX_CHARACTERS, "shorten them"),
        ("too_many", "phrases with a form in common", _most_sharing(request), MAX_SHARING, "remove some"),
    )  # fmt: skip
    for kind, what, number, most, cure in checks:
        if number > most:
            return Reason(kind, f"the request has {number:,} {what}, at most {most:,} are possible; {cure}")
    return None


def _most_sharing(request: Request) -> int:
    """The size of the largest set of different phrases that share a form, directly or through others."""
    leader: dict[object, object] = {}

    def leader_of(item: object) -> object:
        while (above := leader.setdefault(item, item)) != item:
            leader[item] = leader[above]
            item = above
        return item

    kinds = {(frozenset(phrase.all_forms), phrase.boundary, phrase.case) for phrase in request.phrases}
    for kind in kinds:
        for form in kind[0]:
            leader[leader_of(form)] = leader_of(kind)
    return max(Counter(map(leader_of, kinds)).values(), default=0)


def check_count(count: object) -> None:
    """Raises InvalidRequest unless the count is a whole number from 1 to MAX_NBEST."""
    if not is_of_type(count, int) or not 1 <= count <= MAX_NBEST:  # type: ignore[operator]
        raise InvalidRequest(f"count is {count!r}; it must be a whole number between 1 and {MAX_NBEST}")
