"""The texts of a request in pieces: phrases in each accepted form, locked texts, suffix and prefix; avoided texts.

The texts are those that the model reads (`engine.decoding.reading`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.request import Avoid, Phrase, Request
from engine.search.phrases import AvoidedText, Prefix, Spelling, TrackedPhrase
from engine.text import Codec, head_of_compound, joins_words
from engine.translation import Reason

_Kind = tuple[frozenset[str], tuple[str, str, bool]]  # phrases with the same key are merged


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Avoided texts: exact ones, and lower-case ones that ignore case."""

    exact: frozenset[str]
    folded: frozenset[str]

    @classmethod
    def of(cls, avoided: Sequence[AvoidedText]) -> Forbidden:
        """The avoided texts of a request."""
        return cls(
            frozenset(item.text for item in avoided if not item.ignores_case),
            frozenset(item.text.lower() for item in avoided if item.ignores_case),
        )

    def __contains__(self, form: str) -> bool:
        return form in self.exact or form.lower() in self.folded


def prefix_in_pieces(text: str, codec: Codec, ignores_case: bool = False) -> tuple[Prefix | None, list[Reason]]:
    """The prefix with the pieces of all but its last word, which may continue; a space after it closes that word.

    `ignores_case`: the last word may be written in any case.
    """
    if not text:
        return None, []
    closed = text[:-1] if text.endswith(" ") else ""
    if closed and codec.spells(closed):
        return Prefix(text, codec.encode(closed).ids), []
    if not codec.spells(text):
        written = codec.respell(text)
        message = f"the prefix cannot be spelt by this model, which would write {written!r}; change it"
        return None, [Reason("unspellable", message)]
    ids = codec.encode(text).ids
    last = len(ids) - 1
    while last > 0 and _goes_on(ids[last - 1], ids[last], codec):
        last -= 1
    if last > 1 and codec.surfaces[ids[last - 1]] == " ":
        last -= 1  # a space of its own, where another piece may begin with it
    return Prefix(text, ids[:last], ignores_case), []


def _goes_on(piece: int, following: int, codec: Codec) -> bool:
    """True if two neighbouring pieces belong to one word."""
    ends, begins = codec.surfaces[piece], codec.surfaces[following]
    is_joined = codec.glues_right[piece] or codec.glues_left[following]
    return is_joined and joins_words(ends[-1]) and joins_words(begins[0])


def avoided_texts(avoid: Sequence[Avoid]) -> tuple[AvoidedText, ...]:
    """The avoided texts, each once."""
    texts = (AvoidedText(item.text, item.case == "permissive") for item in avoid)
    return tuple(dict.fromkeys(texts))


def groups_of_equals(phrases: Sequence[Phrase]) -> list[tuple[int, ...]]:
    """Indices of equal phrases, grouped: each group becomes one phrase with a higher count."""
    groups: dict[_Kind, list[int]] = {}
    for number, phrase in enumerate(phrases):
        key = frozenset(phrase.all_forms), (phrase.boundary, phrase.case, phrase.is_expected)
        groups.setdefault(key, []).append(number)
    return [tuple(numbers) for numbers in groups.values()]


def tracked_phrase(
    phrases: Sequence[Phrase], numbers: tuple[int, ...], forbidden: Forbidden, codec: Codec
) -> tuple[TrackedPhrase | None, list[Reason]]:
    """One phrase for all of `numbers`; None, with the reasons, if no form can be spelt or all are avoided."""
    phrase = phrases[numbers[0]]
    forms = tuple(form for form in dict.fromkeys(phrase.all_forms) if form not in forbidden)
    if not forms:
        message = f"{phrase.text!r} is both required and avoided; remove it from phrases or from avoid"
        return None, [Reason("avoided", message, number) for number in numbers]
    spellable = [form for form in forms if codec.spells(form)]
    if not spellable:
        written = codec.respell(forms[0])
        message = f"{forms[0]!r} cannot be spelt by this model, which would write {written!r}; reword the phrase"
        return None, [Reason("unspellable", message, number) for number in numbers]
    capitals = _capitalised(spellable) if phrase.case == "auto" else []
    initial = frozenset(range(len(spellable), len(spellable) + len(capitals)))
    spellable = [*spellable, *(form for form in capitals if codec.spells(form))]
    spellings = [
        Spelling.of(index, pieces, codec) for index, form in enumerate(spellable) for pieces in codec.spellings(form)
    ]
    asked = [phrases[number] for number in numbers]
    count, max_count = sum(same.count for same in asked), None
    if any(same.max_count is not None for same in asked):
        max_count = sum(same.count if same.max_count is None else same.max_count for same in asked)
    boundary = phrase.boundary
    texts = (*spellable, *dict.fromkeys(map(head_of_compound, spellable if boundary == "compound" else ())))
    heads = frozenset(range(len(spellable), len(texts)))
    boundary = "start" if boundary == "compound" else boundary
    return TrackedPhrase(texts, tuple(spellings), boundary, count, max_count, initial, heads), []


def _capitalised(forms: Sequence[str]) -> list[str]:
    """The forms with a capital first letter that are not among the forms."""
    capitals = (form[0].upper() + form[1:] for form in forms)
    return [form for form in dict.fromkeys(capitals) if form not in forms]


def ordered_phrases(
    request: Request, variants: Callable[[str], Sequence[str]], codec: Codec
) -> tuple[list[TrackedPhrase], list[Reason]]:
    """The locked texts and the suffix as phrases with an order; reasons for texts that cannot be spelt.

    `variants` are the forms in which such a text may be written, itself the first.
    """
    phrases: list[TrackedPhrase] = []
    reasons: list[Reason] = []
    texts = [(text, False) for text in request.locked] + [(request.suffix, True)] * bool(request.suffix)
    for turn, (form, ends_text) in enumerate(texts):
        if not codec.spells(form):
            kind = "suffix" if ends_text else "locked text"
            message = f"the {kind} {form!r} cannot be spelt by this model, which would write {codec.respell(form)!r}"
            reasons.append(Reason("unspellable", f"{message}; change it"))
        forms = (form, *(other for other in variants(form)[1:] if codec.spells(other)))
        spellings = tuple(
            Spelling.of(number, pieces, codec) for number, one in enumerate(forms) for pieces in codec.spellings(one)
        )
        phrases.append(TrackedPhrase(forms, spellings, turn=turn, ends_text=ends_text))
    return phrases, reasons
