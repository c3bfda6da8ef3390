"""Amounts of money: their number is one word, and their sign is where the target language writes it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from app.tags.placement import Tag
from app.text.quantities.conventions import conventions_of
from app.text.quantities.quantity import Quantity
from app.text.quantities.quantity_reading import quantities


def amounts_in(source: str, target: str, direction: str | None) -> list[str]:
    """The numbers with a word such as "million" in a source and its translation; no tag is put into them."""
    if direction is None:
        return []
    texts = zip((source, target), direction.split("-", 1), strict=True)
    return [one.text for text, language in texts for one in quantities(text, language) if one.magnitude is not None]


def with_currencies_moved(tags: Sequence[Tag], source: str, direction: str | None) -> tuple[Tag, ...]:
    """The tags, with each sign of a currency on the side of its amount where the target language has it.

    `source` is the text without tags: "€ 1,250" becomes "1.250 €" in German.
    """
    if direction is None or not any(map(_is_currency, tags)):
        return tuple(tags)
    source_language, _, target_language = direction.partition("-")
    goes_first = conventions_of(target_language).puts_currency_first
    amounts = [one for one in quantities(source, source_language) if one.kind == "number"]
    moved = [_moved(tag, amounts, source, goes_first=goes_first) if _is_currency(tag) else tag for tag in tags]
    return tuple(moved) if sorted(moved, key=lambda tag: tag.at) == moved else tuple(tags)


def _is_currency(tag: Tag) -> bool:
    return all(unicodedata.category(character) == "Sc" for character in tag.text)


def _moved(tag: Tag, amounts: Sequence[Quantity], source: str, *, goes_first: bool) -> Tag:
    behind = next((one for one in amounts if source[tag.at : one.start].strip() == "" and tag.at <= one.start), None)
    before = next(
        (one for one in reversed(amounts) if one.end <= tag.at and source[one.end : tag.at].strip() == ""), None
    )
    if behind is not None and before is None and not goes_first:
        return replace(tag, at=behind.end, has_space_before=True, has_space_after=True)
    if before is not None and behind is None and goes_first:
        has_space_before = before.start > 0 and source[before.start - 1].isspace()
        return replace(tag, at=before.start, has_space_before=has_space_before, has_space_after=False)
    return tag
