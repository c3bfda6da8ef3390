"""Plural forms that the target language needs and the file does not contain, such as the Polish "few".

Each is a segment; its source is the text of the form "other". Its place is one character of the word "other" in the
file. Each plural form has its own character, so that the place does not depend on the target language. A translated
form is written before "other", in the same layout. A form without a translation is not written, and programs use
"other" instead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from app.formats.base import Edit, Unit
from app.text.plural_forms import CATEGORIES, numbers_of

OTHER: Final = "other"
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class AddedForm:
    """A form that a language may need; `like` is the place of the text that is its source.

    `numbers` returns numbers for which a language uses the form; None if the language does not have the form. A
    translation is written at the offset `at`, between `before` and `after`.
    """

    unit: Unit
    like: Place
    numbers: Callable[[str], str | None]
    at: int = 0
    before: str = ""
    after: str = ""

    def edit(self, written: str) -> Edit:
        """The edit that adds the form with this text."""
        return self.at, self.at, self.before + written + self.after


@dataclass(frozen=True, slots=True)
class FixedPlural:
    """A plural to which no forms are added, because its form "other" contains further forms.

    `name` is its place for a note, `given` are the categories of its forms.
    """

    name: str
    given: frozenset[str]
    is_ordinal: bool

    def lacks_forms(self, language: str) -> bool:
        """True if a language has plural forms that this plural does not have."""
        missing = (category for category in CATEGORIES[:-1] if category not in self.given)
        return any(numbers_of(category, language, is_ordinal=self.is_ordinal) is not None for category in missing)


def added_forms(
    text: str,
    other: Unit,
    item: Place,
    keyword: int,
    *,
    given: Collection[str],
    joint: str,
    note: Callable[[str], str],
    is_ordinal: bool = False,
    path: str = "",
) -> Iterator[AddedForm]:
    """The plural forms, other than those in `given`, that a language may need beside an item of the form "other".

    `item` is the span of the item in the text, `keyword` the offset of the word "other" in it, `other` its segment.
    `joint` separates two items; `note` returns the note of a form, and `path` names the forms around them.
    """
    start, end = item
    for number, category in enumerate(CATEGORIES[:-1]):
        if category in given:
            continue
        place = keyword + number, keyword + number + 1
        yield AddedForm(
            Unit(*place, text[slice(*place)], note=note(category), whole=((0, 1),), form=path + category),
            (other.start, other.end),
            partial(numbers_of, category, is_ordinal=is_ordinal),
            start,
            text[start:keyword] + category + text[keyword + len(OTHER) : other.start],
            text[other.end : end] + joint,
        )


def space_before(text: str, start: int) -> str:
    """The white space that ends at an offset."""
    first = start
    while first and text[first - 1].isspace():
        first -= 1
    return text[first:start]


def by_place(forms: Iterable[AddedForm]) -> dict[Place, AddedForm]:
    """The forms by the places of their segments."""
    return {(form.unit.start, form.unit.end): form for form in forms}
