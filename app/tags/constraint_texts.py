"""Constraint texts as the engine gets them, and back: without the source's tags, with names instead of addresses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from app.tags.insert import insert_tags
from app.tags.placement import Span, Tag
from app.tags.strip import BareText, Cut
from app.text.access_keys import SIGNS, key_signs
from app.text.line_breaks import breaks_between_lines
from app.text.nontranslatables import nontranslatables, placeholder_spans
from engine import Phrase

ADDRESS_NAME = "URL{}"  # replaces an address: models copy it, and it has few pieces
LINE_BREAK = "\n\n"  # an empty line separates sentences
_ANY_NAME = re.compile(ADDRESS_NAME.format(r"\d+"))


@dataclass(frozen=True)
class ConstraintTexts:
    """Converts the constraint texts of one request; `tag_texts` are the tags of its source."""

    tag_texts: tuple[str, ...]
    names: Mapping[str, str]  # by address
    has_line_breaks: bool = False  # those between lines are `LINE_BREAK` for the engine

    @cached_property
    def _any_address(self) -> re.Pattern[str]:
        """Matches any address, the longest first."""
        return re.compile("|".join(re.escape(address) for address in sorted(self.names, key=len, reverse=True)))

    @cached_property
    def _addresses(self) -> dict[str, str]:
        """The addresses by name."""
        return {name: address for address, name in self.names.items()}

    def phrases(self, phrases: Iterable[Phrase], source: BareText) -> dict[int, Phrase]:
        """The phrases for the engine by index, without those of only tags and duplicates after tag removal."""
        converted: dict[int, Phrase] = {}
        all_forms: set[tuple[str, ...]] = set()
        for number, phrase in enumerate(phrases):
            forms = tuple(dict.fromkeys(form for form in map(self.text, phrase.all_forms) if form))
            is_other = forms != phrase.all_forms
            if not forms or (is_other and forms in all_forms):
                continue
            all_forms.add(forms)
            span = phrase.source_span and source.span_of(*phrase.source_span)
            phrase = replace(phrase, source_span=span)
            if is_other:
                boundary = "word" if phrase.text in self.names else phrase.boundary
                phrase = replace(phrase, text=forms[0], forms=forms[1:], boundary=boundary)
            converted[number] = phrase
        return converted

    def text(self, text: str) -> str:
        """Constraint text without tags; "" if it consists of tags only."""
        bare = self.bare(text)
        return bare.text.strip() if bare.tag_places else bare.text

    def bare(self, text: str) -> BareText:
        """The text without tags and addresses."""
        tags = self.tag_spans(text)
        starts = {start for start, _ in breaks_between_lines(text)} if self.has_line_breaks else set()
        cuts = [Cut(start, end, LINE_BREAK if start in starts else "", is_tag=True) for start, end in tags]
        if self.names:
            cuts += [
                Cut(*match.span(), self.names[match.group()])
                for match in self._any_address.finditer(text)
                if not any(match.start() < end and start < match.end() for start, end in tags)
            ]
        return BareText.of(text, cuts)

    def tag_spans(self, text: str) -> list[Span]:
        """The spans of the source's tags in a text."""
        if text in self.tag_texts:
            return [(0, len(text))]  # alone, it may be no sign: "$"
        spans = [(start, end) for start, end in placeholder_spans(text) if text[start:end] in self.tag_texts]
        others = [element for element in nontranslatables(text) if element.kind == "sign" or element.is_markup]
        spans += [
            span
            for element in others
            if element.text in self.tag_texts and (span := (element.start, element.end)) not in spans
        ]
        keys = {at for sign in SIGNS if sign in self.tag_texts for at in key_signs(text, sign)}
        return sorted([*spans, *((at, at + 1) for at in keys if not any(s <= at < e for s, e in spans))])

    def completed(self, beginning: str) -> str:
        """A beginning with its last tag completed if it is only partly typed."""
        unused = Counter(self.tag_texts) - Counter(beginning[start:end] for start, end in self.tag_spans(beginning))
        for length in range(min(len(beginning), max(map(len, unused), default=0)), 0, -1):
            for text in unused:
                if len(text) > length and beginning.endswith(text[:length]):
                    return beginning + text[length:]
        return beginning

    def take_tags(self, text: str, unused: list[Tag]) -> frozenset[Tag]:
        """The tags in a text, removed from `unused`."""
        taken = []
        for start, end in self.tag_spans(text):
            if tag := next((tag for tag in unused if tag.text == text[start:end]), None):
                unused.remove(tag)
                taken.append(tag)
        return frozenset(taken)

    def addresses_in(self, text: str, excluded: Iterable[Span]) -> list[tuple[int, int, str]]:
        """The names in a text (start, end, address), outside of the excluded spans."""
        spans = list(excluded)
        return [
            (match.start(), match.end(), address)
            for match in _ANY_NAME.finditer(text)
            if (address := self._addresses.get(match.group()))
            and not any(match.start() < end and start < match.end() for start, end in spans)
        ]

    def with_addresses(self, text: str) -> str:
        """A text from the engine with names replaced by their addresses."""
        return insert_tags(text, (), sorted(self.addresses_in(text, ()))).text
