"""Protects non-translatable text: strips it from a request to the engine and restores it in the answer.

Tags and signs are removed and placed again by word alignment (`app.tags.placement`). Addresses and formulas are
replaced by short names, which a model copies, whereas it would spell an address differently and translate parts of it.
Placeholders stay, because models know them; the suffix of an ordinal number behind one is removed, and the answer gets
the mark of its language. Neither names nor placeholders may occur more often than required.
Tags are also removed from pins, beginnings and locked texts; in the answer these have the user's own text, with tags.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from typing import NamedTuple

from app.tags.amounts import amounts_in, with_currencies_moved
from app.tags.constraint_texts import ADDRESS_NAME, LINE_BREAK, ConstraintTexts
from app.tags.insert import TaggedText, insert_tags
from app.tags.placement import CLOSING_MARKS, FixedSpan, Links, Span, Tag, place_tags, separates_words
from app.tags.source_characters import with_source_characters
from app.tags.strip import BareText, Cut
from app.text.line_breaks import breaks_between_lines
from app.text.nontranslatables import NonTranslatable, is_copied, kept_texts, nontranslatables
from app.text.ordinal_marks import OrdinalMark, ordinal_mark
from app.text.quantities.conventions import day_names
from app.text.quantities.quantity_forms import date_in_full
from app.text.quantities.quantity_reading import WHOLE_AMOUNT, quantities
from app.text.quantities.requirements import single_days
from engine import (
    Alternative,
    Avoid,
    Hypothesis,
    ListedText,
    Phrase,
    PivotTranslation,
    Placement,
    Pricing,
    Request,
    Translation,
    is_word_char,
    occurrences,
)

# "9:15 AM", but not of a range: models write "AM" behind a time in German, too.
_HALF_OF_DAY = re.compile(r"(?:[-–][ ]?)?\d{1,2}(?:[:.]\d\d)?[ ](?P<half>([AP])M(?:\.\Z)?)(?![\w.]|[ ]?[-–])")
_DATE_PART = re.compile(r"\w+|\W+")
_DAY_AND_MONTH = re.compile(
    r"(?:(?P<before>[^\W\d]{3,}) )?(?P<day>\d{1,2}\.?)(?:(?(before)| (?P<month>[^\W\d]{3,}))),? \d{4}"
)
MAX_TAGS = 200  # a source with more tags is translated with its tags
MAX_ADDRESSES = 200  # a source with more distinct addresses is translated without names for them


class _LineBreak(NamedTuple):
    r"""Tags "\n" or "<br>" between two lines that are not one sentence.

    The text of the tags, the number of the first, and the number behind the last one.

    The engine gets an empty line instead, which separates sentences.
    """

    text: str
    first: int
    behind: int


@dataclass(frozen=True)
class Protection:
    """`request` goes to the engine instead of `original`; `restore` converts the answer back."""

    original: Request
    request: Request
    _source: BareText = field(repr=False)
    _texts: ConstraintTexts = field(repr=False)
    _tags: tuple[Tag, ...] = ()
    _own: tuple[str, ...] = ()
    _breaks: tuple[_LineBreak, ...] = ()
    _ordinals: Mapping[str, OrdinalMark] = field(default_factory=dict)  # by the placeholder that is the number
    _phrases: tuple[int, ...] = ()  # indices in the original of the phrases in `request`
    _locked: tuple[int, ...] = ()

    @classmethod
    def of(cls, original: Request, own: tuple[str, ...] = ()) -> Protection:
        """The protection for a request whose source comes from the document, with its `Segment.placeholders`."""
        source, found = original.source, nontranslatables(original.source, own)
        markup = [element for element in found if element.is_markup or element.kind == "sign"]
        addresses = dict.fromkeys(element.text for element in found if element.kind == "address")
        names = _names(addresses, original) if len(addresses) <= MAX_ADDRESSES else {}
        if len(markup) > MAX_TAGS:
            markup = []
        cuts = [Cut(element.start, element.end, names[element.text]) for element in found if element.text in names]
        wordlike = _wordlike(markup)
        tag_cuts = _tag_cuts(markup, source, wordlike)
        breaks = tuple(_line_breaks(markup, source)) if original.split_sentences else ()
        for _, number, behind in breaks:
            start, end = markup[number].start, markup[behind - 1].end
            tag_cuts[number:behind] = [
                Cut(start, end, LINE_BREAK, is_tag=True),
                *[Cut(end, end, is_tag=True)] * (behind - number - 1),
            ]
        ordinals = _ordinals(found, original.direction)
        cuts += [
            Cut(element.start, element.end, html.unescape(element.text)) for element in found if element.kind == "mark"
        ]
        cuts += [
            Cut(suffix.start, suffix.end)
            for number, suffix in pairwise(found)
            if suffix.kind == "ordinal" and number.text in ordinals
        ]
        cuts += [Cut(*dash.span()) for dash in WHOLE_AMOUNT.finditer(source)]
        inline = [cut for element, cut in zip(markup, tag_cuts, strict=True) if element.is_markup]
        cuts += _in_full([element for element in found if not (inline and element.is_markup)], original, inline)
        bare = BareText.of(source, [*cuts, *tag_cuts]).stripped()
        is_needed = bool(cuts or tag_cuts) and any(map(is_word_char, bare.text))
        signs = {element.text for element in markup if element.kind == "sign"}
        kept = {text for text, _ in kept_texts(source, own) if text not in signs}
        if not is_needed:
            bounded = _bounded(original, kept)
            return cls(bounded, bounded, BareText.of(source), ConstraintTexts((), {}), _own=own, _ordinals=ordinals)
        texts = ConstraintTexts(tuple(element.text for element in markup), names, bool(breaks))
        tags = tuple(
            replace(
                _tag(element, _key_place(bare, place) if element.is_access_key else place, source, bool(cut.text)),
                number=number,
                keeps_spaces=number in wordlike,
            )
            for number, (element, cut, place) in enumerate(zip(markup, tag_cuts, bare.tag_places, strict=True))
        )
        if any(element.kind == "sign" for element in markup):
            tags = with_currencies_moved(tags, bare.text, original.direction)
        phrases = texts.phrases(original.phrases, bare)
        locked = {number: text for number, text in enumerate(map(texts.text, original.locked)) if text}
        request = replace(
            original,
            source=bare.text,
            phrases=tuple(phrases.values()),
            avoid=tuple(replace(item, text=texts.text(item.text) or item.text) for item in original.avoid),
            prefix=texts.bare(texts.completed(original.prefix)).text,
            locked=tuple(locked.values()),
            follow=original.follow and replace(original.follow, text=texts.text(original.follow.text)),
        )
        request = _bounded(request, {names.get(text, text) for text in kept})
        return cls(original, request, bare, texts, tags, own, breaks, ordinals, tuple(phrases), tuple(locked))

    @property
    def is_needed(self) -> bool:
        """True if `request` differs from the original."""
        return self.request is not self.original

    @property
    def copy(self) -> Translation | None:
        """The source, with its numbers converted, if it has no text to translate; None if the model must translate it.

        A pin, term or ban of the user that the source does not satisfy goes to the model.
        """
        original, text = self.original, _composed(self.original.source)
        if not is_copied(text, self._own) or original.avoid or original.suffix or original.follow:
            return None
        text = _with_numbers(text, original.phrases)
        for counted, suffix in reversed([*pairwise(nontranslatables(text, self._own))]):
            if suffix.kind == "ordinal" and (mark := self._ordinals.get(counted.text)):
                text = f"{text[: counted.start]}{mark.before}{counted.text}{mark.behind}{text[suffix.end :]}"
        placements: list[Placement] = []
        for number, phrase in enumerate(original.phrases):
            forms = map(_composed, phrase.all_forms)
            spans = [(form, *span) for form in forms for span in occurrences(text, form, phrase.boundary)]
            if len(spans) < phrase.count:
                return None
            placements += [Placement(number, *span) for span in spans[: phrase.count]]
        if original.prefix or original.locked:
            return None
        whole = Hypothesis(text, 0.0, 0.0, (0,), (0.0,), ((0, len(text)),), tuple(placements))
        return Translation(original, "complete", (whole,))

    def restore(self, translation: Translation) -> Translation:
        """The engine's answer converted to the original request: tags and addresses restored, indices mapped."""
        if not self.is_needed:
            hypotheses = tuple(map(self.restore_hypothesis, translation.hypotheses))
            return translation if hypotheses == translation.hypotheses else replace(translation, hypotheses=hypotheses)
        reasons = (
            replace(
                reason,
                message=self._texts.with_addresses(reason.message),
                phrase=None if reason.phrase is None else self._phrases[reason.phrase],
            )
            for reason in translation.reasons
        )
        relaxation = translation.relaxation
        if isinstance(translation, PivotTranslation) and translation.pivot is not None:
            translation = replace(translation, pivot=self._texts.with_addresses(translation.pivot))
        return replace(
            translation,
            request=self.original,
            hypotheses=tuple(map(self.restore_hypothesis, translation.hypotheses)),
            reasons=tuple(reasons),
            unknown_source=tuple(self._source.original_span(*span) for span in translation.unknown_source),
            relaxation=relaxation
            and replace(
                relaxation,
                phrases=tuple(self._phrases[number] for number in relaxation.phrases),
                locked=tuple(self._locked[number] for number in relaxation.locked),
            ),
        )

    def restore_pricing(self, pricing: Pricing) -> Pricing:
        """The prices for the phrases of the original; None for a phrase that is not in `request`."""
        if not self.is_needed:
            constrained, free = self.restore(pricing.constrained), self.restore(pricing.free)
            return replace(pricing, constrained=constrained, free=free)
        prices = dict(zip(self._phrases, pricing.phrases, strict=True))
        return replace(
            pricing,
            phrases=tuple(prices.get(number) for number in range(len(self.original.phrases))),
            constrained=self.restore(pricing.constrained),
            free=self.restore(pricing.free),
        )

    @staticmethod
    def piece_at(restored: Hypothesis, offset: int) -> int:
        """The number of the piece at an offset of a restored hypothesis, which has the pieces of the engine's."""
        return next((number for number, (_, end) in enumerate(restored.token_spans) if offset < end), 0)

    def phrase_number(self, number: int) -> int | None:
        """The number, in `request`, of a phrase of the original; None if it is not required of the engine."""
        if not self.is_needed:
            return number
        return self._phrases.index(number) if number in self._phrases else None

    def restore_alternative(self, alternative: Alternative, beginning: str) -> Alternative:
        """Restores an alternative continuation after `beginning` of a restored hypothesis."""
        hypothesis = self.restore_hypothesis(alternative.hypothesis, beginning)
        return replace(alternative, word=self._texts.with_addresses(alternative.word), hypothesis=hypothesis)

    def restore_hypothesis(self, hypothesis: Hypothesis, beginning: str | None = None) -> Hypothesis:
        """Restores one hypothesis; `beginning` is its forced prefix with tags, by default the original's prefix.

        Beginnings, pins and locked texts stay as the user has written them.
        """
        beginning = self._texts.completed(self.original.prefix) if beginning is None else beginning
        beginning = _composed(beginning)
        restored = self._with_tags(hypothesis, beginning) if self.is_needed else hypothesis
        own = [(0, len(beginning))] if restored.text.startswith(beginning) else []
        own += [(placement.start, placement.end) for placement in restored.placements]
        text = with_source_characters(self.original.source, restored.text, [*own, *restored.locked])
        return restored if text == restored.text else replace(restored, text=text)

    def _with_tags(self, hypothesis: Hypothesis, beginning: str) -> Hypothesis:
        begun = _composed(self._texts.bare(beginning).text)
        begins_at = len(begun) if hypothesis.text.startswith(begun) else 0
        literals = [(0, begins_at, beginning)] * bool(beginning and begins_at == len(begun))
        literals += self._literals(hypothesis, begins_at)
        literals += self._marked_numbers(hypothesis.text, literals)
        breaks = self._placed_breaks(hypothesis.text, literals)
        apart = {number for _, _, each in breaks if each for number in range(each.first, each.behind)}
        unused = [tag for tag in self._tags if tag.number not in apart]
        fixed = [FixedSpan(start, end, self._texts.take_tags(text, unused)) for start, end, text in sorted(literals)]
        for start, end, each in breaks:
            literals.append((start, end, each.text if each else " "))
            fixed.append(FixedSpan(start, end, frozenset(self._tags[each.first : each.behind] if each else ())))
        literals.sort()
        fixed.sort(key=lambda span: span.start)
        kept = [text for text, _ in kept_texts(self.original.source, self._own)]
        kept += amounts_in(self._source.text, hypothesis.text, self.original.direction)
        tags = place_tags(
            self._tags,
            self._source.text,
            hypothesis.text,
            hypothesis.alignment,
            fixed,
            begins_at,
            kept,
            hypothesis.weak_alignment,
        )
        addresses = self._texts.addresses_in(hypothesis.text, [(start, end) for start, end, _ in literals])
        addresses += self._marks(hypothesis.text, [(start, end) for start, end, _ in (*literals, *addresses)])
        made = insert_tags(hypothesis.text, tags, sorted([*literals, *addresses]))
        return replace(
            hypothesis,
            text=made.text,
            token_spans=tuple(made.span(*span) for span in hypothesis.token_spans),
            placements=self._restored_placements(hypothesis, made),
            alignment=self._restored_links(hypothesis.alignment, made),
            weak_alignment=self._restored_links(hypothesis.weak_alignment, made),
            listed=tuple(self._restored_listed(one, made) for one in hypothesis.listed),
            unmet=tuple(self._phrases[number] for number in hypothesis.unmet),
            locked=self._restored_locked(hypothesis, made),
        )

    def _literals(self, hypothesis: Hypothesis, begins_at: int) -> list[tuple[int, int, str]]:
        """Spans after `begins_at` to replace by the user's own text: locked texts and pins with tags, in order."""
        found: list[tuple[int, int, str]] = []
        for number, (start, end) in zip(self._locked, hypothesis.locked, strict=False):
            found.append((start, end, self.original.locked[number]))
        for placement in hypothesis.placements:
            phrase = self.original.phrases[self._phrases[placement.phrase]]
            tagged = (form for form in phrase.all_forms if self._texts.tag_spans(form))
            if text := next((form for form in tagged if _composed(self._texts.text(form)) == placement.form), None):
                found.append((placement.start, placement.end, text))
        apart: list[tuple[int, int, str]] = []
        for start, end, text in sorted(found):
            if start >= (apart[-1][1] if apart else begins_at):
                apart.append((start, end, text))
        return apart

    def _placed_breaks(
        self, text: str, literals: Sequence[tuple[int, int, str]]
    ) -> list[tuple[int, int, _LineBreak | None]]:
        """The spans of the empty lines outside of the literals, with their line breaks if the text has all of them."""
        spans = (
            [(at, at + len(LINE_BREAK)) for at, _ in occurrences(text, LINE_BREAK, "anywhere")] if self._breaks else []
        )
        is_complete = len(spans) == len(self._breaks)
        return [
            (start, end, self._breaks[number] if is_complete else None)
            for number, (start, end) in enumerate(spans)
            if not any(start < last and first < end for first, last, _ in literals)
        ]

    def _marks(self, text: str, excluded: Sequence[Span]) -> list[tuple[int, int, str]]:
        """The apostrophes and quotation marks of a text, with the entities that the source has for them."""
        found = nontranslatables(self.original.source, self._own)
        entities = {html.unescape(element.text): element.text for element in found if element.kind == "mark"}
        return [
            (at, at + 1, entities[character])
            for at, character in enumerate(text if entities else "")
            if character in entities and not any(start <= at < end for start, end in excluded)
        ]

    def _marked_numbers(self, text: str, excluded: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
        """The placeholders that are ordinal numbers, outside of the excluded spans, with the mark of the language."""
        found: list[tuple[int, int, str]] = []
        for number, mark in self._ordinals.items():
            for start, end in occurrences(text, self._texts.names.get(number, number), "anywhere"):
                before = "" if text.endswith(mark.before, 0, start) else mark.before
                behind = "" if text.startswith(mark.behind, end) else mark.behind
                if not any(start < last and first < end for first, last, _ in excluded):
                    found.append((start, end, before + number + behind))
        return found

    def _restored_links(self, links: Links, made: TaggedText) -> tuple[tuple[int, int, int, int], ...]:
        return tuple((*self._source.original_span(*link[:2]), *made.span(*link[2:])) for link in links)

    def _restored_listed(self, listed: ListedText, made: TaggedText) -> ListedText:
        start, end = made.span(listed.start, listed.end)
        source_span = self._source.original_span(*listed.source_span)
        return replace(listed, form=made.text[start:end], start=start, end=end, source_span=source_span)

    def _restored_placements(self, hypothesis: Hypothesis, made: TaggedText) -> tuple[Placement, ...]:
        restored = []
        for placement in hypothesis.placements:
            start, end = made.span(placement.start, placement.end)
            doubled = tuple(made.span(*span) for span in placement.doubled)
            number, form = self._phrases[placement.phrase], made.text[start:end]
            restored.append(replace(placement, phrase=number, form=form, start=start, end=end, doubled=doubled))
        return tuple(restored)

    def _restored_locked(self, hypothesis: Hypothesis, made: TaggedText) -> tuple[Span, ...]:
        """The spans of the locked texts; a locked text of tags only is found by its text."""
        spans = dict(zip(self._locked, (made.span(*span) for span in hypothesis.locked), strict=False))
        for number, text in enumerate(self.original.locked):
            if number not in self._locked and (start := made.text.find(text)) >= 0:
                spans[number] = start, start + len(text)
        complete = []
        for number in range(len(self.original.locked)):
            if number not in spans:
                break
            complete.append(spans[number])
        return tuple(complete)


def _bounded(request: Request, kept: Set[str]) -> Request:
    """The request with `max_count` set for each kept text, so that it does not occur more often than required.

    Not for a text that the user requires more often (in a beginning, locked text or another phrase), or that occurs
    inside another word of the source.
    """
    forms = (form for phrase in request.phrases for form in phrase.all_forms * phrase.count)
    required = "\n".join((request.prefix, *request.locked, request.suffix, *forms))

    def is_bounded(phrase: Phrase) -> bool:
        text, count = phrase.text, phrase.count
        if text not in kept or phrase.forms or phrase.max_count is not None:
            return False
        return required.count(text) <= 2 * count and request.source.count(text) <= count

    phrases = tuple(replace(p, max_count=p.count) if is_bounded(p) else p for p in request.phrases)
    doubled = (_doubled_month(form) for phrase in phrases if phrase.is_expected for form in phrase.all_forms)
    avoid = tuple(Avoid(text) for text in dict.fromkeys(doubled) if text)
    if phrases == request.phrases and not avoid:
        return request
    return replace(request, phrases=phrases, avoid=(*request.avoid, *avoid))


def _doubled_month(date: str) -> str | None:
    """What models write before the rest of a required date, as the month comes first in its source.

    >>> _doubled_month("3. April 2026"), _doubled_month("April 3, 2026")
    ('April 3. April', 'April 3 April')
    """
    found = _DAY_AND_MONTH.fullmatch(date)
    return found and f"{found['before'] or found['month']} {found['day']} {found['before'] or found['month']}"


def _ordinals(found: Sequence[NonTranslatable], direction: str | None) -> dict[str, OrdinalMark]:
    """The marks of the placeholders that have an English suffix in all their places: "{place}st"."""
    source, _, target = (direction or "").partition("-")
    if source != "en" or not any(element.kind == "ordinal" for element in found):
        return {}
    marks: dict[str, set[OrdinalMark | None]] = {}
    for number, element in enumerate(found):
        following = found[number + 1] if number + 1 < len(found) else None
        is_number = following is not None and following.kind == "ordinal"
        mark = ordinal_mark(following.text, target) if following is not None and is_number else None
        marks.setdefault(element.text, set()).add(mark)
    return {text: mark for text, own in marks.items() if len(own) == 1 and (mark := next(iter(own))) is not None}


def _in_full(kept: Sequence[NonTranslatable], original: Request, tags: Sequence[Cut]) -> Iterator[Cut]:
    """What the model reads in a more usual form: dates in digits or with a short month, short days, "AM" and "PM".

    A date with tags between its parts has a cut for each part. Nothing is written inside a text that is kept.
    """
    language = (original.direction or "").partition("-")[0]
    if not language:
        return
    bare = BareText.of(original.source, tags)
    source = bare.text

    def has_tag(start: int, end: int) -> bool:
        return any(start < tag.end and tag.start < end for tag in tags)

    written = [
        (one.start, one.end, date_in_full(one, source[max(0, one.start - 8) : one.start], language))
        for one in quantities(source, language)
    ]
    days = day_names(language, "wide")
    written += [(start, end, days[number]) for start, end, number in single_days(source, language)]
    written += [
        (*time.span("half"), f"{time[2].lower()}.m.") for time in _HALF_OF_DAY.finditer(source) if time[0][0].isdigit()
    ]
    for first, last, text in written:
        start, end = bare.original_span(first, last)
        if not text or any(one.start < end and start < one.end for one in kept):
            continue
        if not has_tag(start, end):
            yield Cut(start, end, text)
            continue
        parts, new = (_DATE_PART.findall(one) for one in (source[first:last], text))
        cuts = []
        for old, part in zip(parts, new, strict=False) if len(parts) == len(new) else ():
            cuts.append(Cut(*bare.original_span(first, first + len(old)), part))
            first += len(old)
        if not any(has_tag(cut.start, cut.end) for cut in cuts):
            yield from cuts


def _names(addresses: Iterable[str], request: Request) -> dict[str, str]:
    """Names by address. An address that the user has started to type or partly locked gets no name."""
    forms = (form for phrase in request.phrases for form in phrase.all_forms)
    used = "\n".join((request.source, request.prefix, *request.locked, *forms))
    free = (name for name in map(ADDRESS_NAME.format, count(1)) if name not in used)
    return {
        address: next(free)
        for address in addresses
        if not _ends_with_part(request.prefix, address) and not any(text in address for text in request.locked)
    }


def _ends_with_part(text: str, address: str) -> bool:
    """True if a text ends with the start of an address, at a word boundary."""
    for length in range(min(len(text), len(address) - 1), 0, -1):
        before = text[len(text) - length - 1 : len(text) - length]
        if text.endswith(address[:length]) and not (before and is_word_char(before)):
            return True
    return False


def _wordlike(markup: Sequence[NonTranslatable]) -> set[int]:
    """The numbers of signs, and of tags of pairs without text ("Press <0></0> now")."""
    found = {number for number, element in enumerate(markup) if element.kind == "sign"}
    opened: list[int] = []
    begin = 0  # the first of the tags without text between them
    for number, element in enumerate(markup):
        begin = begin if number and markup[number - 1].end == element.start else number
        if element.kind == "open":
            opened.append(number)
        elif element.kind == "close" and (first := opened.pop()) >= begin:
            found.update(range(first, number + 1))
    return found


def _tag_cuts(markup: Iterable[NonTranslatable], source: str, wordlike: Set[int]) -> list[Cut]:
    starts: dict[int, NonTranslatable] = {element.start: element for element in markup}
    ends: dict[int, NonTranslatable] = {element.end: element for element in starts.values()}
    cuts = []
    for number, element in enumerate(starts.values()):
        before, after = element.start, element.end
        while before in ends:
            before = ends[before].start
        while after in starts:
            after = starts[after].end
        is_apart = (
            element.kind in ("lone", "sign")
            and not element.is_access_key
            and separates_words(source[max(0, before - 1) : before], source[after : after + 1])
        )
        is_last = (element.kind == "lone" or number in wordlike) and source[after : after + 1] in CLOSING_MARKS
        start = element.start - (
            is_last and source[element.start - 1 : element.start] == " "
        )  # "180 °C." without its unit: "180."
        goes_on = is_apart and source.endswith("-", 0, start)  # the engine joins the word of both lines
        cuts.append(Cut(start, element.end, "\n" if goes_on else " " if is_apart else "", is_tag=True))
    return cuts


def _line_breaks(markup: Sequence[NonTranslatable], source: str) -> Iterator[_LineBreak]:
    if LINE_BREAK in source:
        return
    starts = {element.start: number for number, element in enumerate(markup)}
    ends = {element.end: number + 1 for number, element in enumerate(markup)}
    for start, end in breaks_between_lines(source):
        if start in starts and end in ends:
            yield _LineBreak(source[start:end], starts[start], ends[end])


def _key_place(bare: BareText, place: int) -> int:
    """The start of the word with the access key."""
    while place and is_word_char(bare.text[place - 1]):
        place -= 1
    return place


def _tag(element: NonTranslatable, place: int, source: str, separates_words: bool) -> Tag:
    kind = "lone" if element.kind == "sign" else element.kind
    assert kind == "open" or kind == "close" or kind == "lone"
    if element.is_access_key:  # works in any word: place it before the one aligned with its own
        return Tag(element.text, kind, place, True, False)
    before, after = source[max(0, element.start - 1) : element.start], source[element.end : element.end + 1]
    is_sign = element.kind == "sign"
    has_space_before, has_space_after = before.isspace(), after.isspace()
    if kind == "lone":  # at an edge of the text or before a closing mark, a space follows if another word follows
        has_space_before = has_space_before or (not before and has_space_after)
        is_last = after in CLOSING_MARKS or (not after and not is_sign)
        has_space_after = has_space_after or (has_space_before and is_last)
    return Tag(element.text, kind, place, has_space_before, has_space_after, separates_words)


def _with_numbers(text: str, phrases: Iterable[Phrase]) -> str:
    """A text without words, with its numbers in the format of the target language."""
    changes: list[tuple[int, int, str]] = []
    for phrase in phrases:
        if phrase.is_expected and not any(occurrences(text, form) for form in phrase.all_forms):
            spans = [span for other in phrase.replaces[:1] for span in occurrences(text, other)]
            changes += ((start, end, phrase.text) for start, end in spans)
    for start, end, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _composed(text: str) -> str:
    """The text in NFC, as in the engine's output."""
    return unicodedata.normalize("NFC", text)
