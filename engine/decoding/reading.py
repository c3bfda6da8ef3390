"""A request as the model reads it, and its translations as a person wants to read them.

The model reads and writes the plain form of texts (`engine.text.normalisation`): ordinary spaces and hyphens. In the
translation, the prefix, phrases, locked texts and suffix have the characters of the request again, in NFC.

A source in capitals is read in sentence case, and so are the request's texts in capitals (`engine.text.capitals`). The
translation is set in capitals; of a source with a run of words in capitals, the words aligned with the run. If the
prefix or the text to follow has small letters, the person has decided against capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from engine.decoding.limits import MAX_FORMS
from engine.model.directions import languages_of
from engine.request import Avoid, Phrase, Request
from engine.text import Codec, NormalText, normalise, short_code
from engine.text.abbreviations import in_full
from engine.text.capitals import (
    LEAST_WORDS_OF_TEXT,
    Capitals,
    UsualCase,
    capitals_in,
    has_small_words,
    is_in_capitals,
    kept_spans,
    num_words_in_capitals,
    upper,
    with_small_function_words,
)
from engine.text.gender_signs import without_gender_signs
from engine.text.normalisation import with_lines_joined
from engine.translation import Hypothesis, ListedText, Placement

Span = tuple[int, int]
_WORD = re.compile(r"\w+")
_DOUBLED_DOT = re.compile(r"(?<=[^\W\d_])\.\.(?!\.)")


@dataclass(frozen=True, slots=True)
class GivenText:
    """A text in NFC as it was given, and its plain form. `plain.offsets` leads from the plain form to `text`."""

    text: str
    plain: NormalText

    @classmethod
    def of(cls, text: str, codec: Codec) -> GivenText:
        composed = normalise(text)
        return cls(composed, codec.normal(composed))

    @property
    def is_plain(self) -> bool:
        return self.plain.offsets is None

    def characters(self) -> list[str]:
        """For each character of the plain form, the text that was given for it."""
        return [self.text[slice(*self.plain.given_span(place, place + 1))] for place in range(len(self.plain.text))]


@dataclass(frozen=True, slots=True)
class GivenPrefix:
    """A prefix as it was given: its plain form keeps one space at the end, which closes the last word."""

    text: str
    plain: str
    lead: str  # white space before the first character
    characters: Sequence[str]

    @classmethod
    def of(cls, text: str, codec: Codec) -> GivenPrefix:
        given = GivenText.of(text, codec)
        if given.is_plain:
            return cls(given.text, given.text, "", given.text)
        characters, offsets = given.characters(), given.plain.offsets
        assert offsets is not None
        if not characters:
            return cls(given.text, "", given.text, "")
        tail = given.text[offsets[-1] :]
        if is_closed := any(map(str.isspace, tail)):
            characters.append(tail)
        else:
            characters[-1] += tail
        return cls(given.text, given.plain.text + " " * is_closed, given.text[: offsets[0]], characters)


@dataclass(frozen=True, slots=True)
class RequestReader:
    """Reads requests for one model. `aligns` if it aligns words: only then are runs of capitals found in a translation.

    Both codecs are the same unless sources have pieces of their own.
    """

    codec: Codec
    source_codec: Codec
    aligns: bool = False

    def read(self, given: Request, direction: str) -> RequestReading:
        """A request as the model reads it. Raises InvalidRequest for a text that has only invisible characters."""
        languages = [short_code(language) for language in languages_of(direction)]
        plain = self._plain(given, languages[0])
        cases = [
            UsualCase.of_language(codec, language)
            for codec, language in zip((self.source_codec, self.codec), languages, strict=True)
        ]
        capitals = self._capitals(plain.request.source, cases[0])
        return plain.in_sentence_case(capitals, *cases) if capitals.spans else plain

    def _plain(self, given: Request, language: str) -> RequestReading:
        codec = self.source_codec
        source = with_lines_joined(given.source, lambda word: len(codec.encode(word).ids), language)
        source = source.then(codec.normal(source.text))
        source = source.then(without_gender_signs(source.text, language))
        source = source.then(in_full(source.text, language))
        source = replace(source, text=with_small_function_words(source.text, language))
        prefix = GivenPrefix.of(given.prefix, self.codec)
        plain = self.codec.normalise
        request = replace(
            given,
            source=source.text,
            phrases=tuple(
                replace(
                    phrase,
                    text=plain(phrase.text),
                    forms=tuple(map(plain, phrase.forms)),
                    source_span=phrase.source_span and source.span_of(*phrase.source_span),
                )
                for phrase in given.phrases
            ),
            avoid=tuple(replace(item, text=plain(item.text)) for item in given.avoid),
            prefix=prefix.plain,
            locked=tuple(map(plain, given.locked)),
            suffix=plain(given.suffix),
            follow=given.follow and replace(given.follow, text=plain(given.follow.text)),
        )
        return RequestReading(given, request, source, self.codec, prefix)

    def _capitals(self, source: str, case: UsualCase) -> Capitals:
        """The stretches of the source to read in sentence case.

        A single word is such a text only if the model knows it: it may be an abbreviation.
        """
        found = capitals_in(source)
        if not found.is_whole:
            return found if self.aligns else Capitals()
        if num_words_in_capitals(source) >= LEAST_WORDS_OF_TEXT:
            return found
        [*words] = re.findall(r"[^\W\d_]+", source)
        return found if len(words) == 1 and case.knows(words[0]) else Capitals()


@dataclass(frozen=True, slots=True)
class RequestReading:
    """A request as it was given, and `request` as the model reads it. `source` is the way back to the given source.

    `capitals` are the stretches of the source that were in capitals, and `case` is the one of the target language then.
    If the prefix ends in capitals, `prefix_ignores_case`: the search chooses the case of its last word.
    """

    given: Request
    request: Request
    source: NormalText
    _codec: Codec
    _prefix: GivenPrefix
    capitals: Capitals = field(default_factory=Capitals)
    case: UsualCase | None = None
    prefix_ignores_case: bool = False

    def in_sentence_case(self, capitals: Capitals, source_case: UsualCase, case: UsualCase) -> RequestReading:
        """The reading of a source with these stretches in capitals; unchanged if all are abbreviations."""
        request = self.request
        cased = source_case.sentence(request.source, capitals.spans)
        if cased.text == request.source:
            return self
        spans = tuple(cased.span_of(*span) for span in capitals.spans)

        def in_capitals(text: str) -> tuple[Span, ...]:
            if capitals.is_whole:
                return () if has_small_words(text) or not text else ((0, len(text)),)
            return capitals_in(text, LEAST_WORDS_OF_TEXT).spans

        prefix_spans = in_capitals(request.prefix)
        follow = request.follow
        room = MAX_FORMS - sum(len(phrase.all_forms) for phrase in request.phrases)
        phrases: list[Phrase] = []
        for phrase in request.phrases:
            forms = [*dict.fromkeys(variant for form in phrase.all_forms for variant in case.variants(form))]
            forms = forms if len(forms) - len(phrase.all_forms) <= room else [*phrase.all_forms]
            room -= len(forms) - len(phrase.all_forms)
            span = phrase.source_span and cased.span_of(*phrase.source_span)
            phrases.append(replace(phrase, text=forms[0], forms=tuple(forms[1:]), source_span=span))
        return replace(
            self,
            request=replace(
                request,
                source=cased.text,
                phrases=tuple(phrases),
                avoid=tuple(
                    Avoid(item.text, "permissive" if capitals.is_whole or is_in_capitals(item.text) else item.case)
                    for item in request.avoid
                ),
                prefix=case.sentence(request.prefix, prefix_spans).text,
                follow=follow and replace(follow, text=case.sentence(follow.text, in_capitals(follow.text)).text),
            ),
            source=self.source.then(cased),
            capitals=replace(capitals, spans=spans),
            case=case,
            prefix_ignores_case=bool(prefix_spans) and prefix_spans[-1][1] >= len(request.prefix.rstrip()),
        )

    def variants(self, text: str) -> tuple[str, ...]:
        """The forms in which the model may write a locked text or suffix."""
        return (text,) if self.case is None else self.case.variants(text)

    def look_of(self, text: str) -> str:
        """Equal for two words of a translation that look the same to a person, as both are set in capitals."""
        return text if self.case is None else text.casefold()

    def given_source_spans(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """Spans of the source that the model reads as spans of the given source."""
        return tuple(map(self._given_source_span, spans))

    def _given_source_span(self, span: Sequence[int]) -> Span:
        """At least a character: "FYI" has fewer than the words that the model reads."""
        start, end = self.source.given_span(span[0], span[1])
        return start, max(end, start + 1)

    def plain(self, text: str) -> NormalText:
        """A text as the model writes it."""
        return self._codec.normal(text)

    def written(self, hypothesis: Hypothesis) -> Hypothesis:
        """A translation of `request` as one of the given request."""
        lead, characters = self._characters(hypothesis)
        if not lead and "".join(characters) == hypothesis.text and self.source.offsets is None:
            return hypothesis
        places = [*accumulate(map(len, characters), initial=len(lead))]
        text = lead + "".join(characters)

        def moved(span: Span) -> Span:
            return places[span[0]], places[span[1]]

        def placed(found: Placement) -> Placement:
            start, end = moved((found.start, found.end))
            doubled = tuple(map(moved, found.doubled))
            return replace(found, form=text[start:end], start=start, end=end, doubled=doubled)

        def linked(links: Sequence[tuple[int, int, int, int]]) -> tuple[tuple[int, int, int, int], ...]:
            return tuple((*self._given_source_span(link[:2]), *moved(link[2:])) for link in links)

        def written(found: ListedText) -> ListedText:
            start, end = moved((found.start, found.end))
            source_span = self._given_source_span(found.source_span)
            return replace(found, form=text[start:end], start=start, end=end, source_span=source_span)

        return replace(
            hypothesis,
            text=text,
            token_spans=tuple(map(moved, hypothesis.token_spans)),
            placements=tuple(map(placed, hypothesis.placements)),
            locked=tuple(map(moved, hypothesis.locked)),
            alignment=linked(hypothesis.alignment),
            weak_alignment=linked(hypothesis.weak_alignment),
            listed=tuple(map(written, hypothesis.listed)),
        )

    def _characters(self, hypothesis: Hypothesis) -> tuple[str, list[str]]:
        """The white space before the text, and for each of its characters the text to write."""
        characters = self._in_capitals(hypothesis) if self.case is not None else [*hypothesis.text]
        if not _DOUBLED_DOT.search(self.given.source):
            for dots in _DOUBLED_DOT.finditer(hypothesis.text):  # of a required text that ends with a dot: "2 p.m.."
                characters[dots.end() - 1] = ""
        for (start, end), given in self._required_texts(hypothesis):
            own = given.characters()
            if not given.is_plain and len(own) == end - start:
                for place, (plain, new) in enumerate(zip(given.plain.text, own, strict=True), start):
                    if new != plain:  # or the first letter may be a capital, as a sentence begins
                        characters[place] = new
        suffix = normalise(self.given.suffix)
        if self.request.suffix and len(hypothesis.locked) > len(self.given.locked):
            before = hypothesis.locked[-1][0] - 1
            if before >= 0 and characters[before] == " ":
                characters[before] = suffix[: len(suffix) - len(suffix.lstrip())] or " "
        begun = 0
        for plain, char, new in zip(self._prefix.plain, hypothesis.text, self._prefix.characters, strict=False):
            if self.look_of(plain) != self.look_of(char):
                break
            characters[begun] = new
            begun += 1
        return self._prefix.lead if begun or not self._prefix.plain else "", characters

    def _required_texts(self, hypothesis: Hypothesis) -> Iterator[tuple[Span, GivenText]]:
        """The places of phrases, locked texts and suffix, with the text that was given for each."""
        for placement in hypothesis.placements:
            for form in self.given.phrases[placement.phrase].all_forms:
                given = GivenText.of(form, self._codec)
                plain = given.plain.text
                if plain[1:] == placement.form[1:] or self.look_of(plain) == self.look_of(placement.form):
                    yield (placement.start, placement.end), given
                    break
        ordered = [*self.given.locked, *[self.given.suffix] * bool(self.request.suffix)]
        for span, text in zip(hypothesis.locked, ordered, strict=False):
            yield span, GivenText.of(text, self._codec)

    def _in_capitals(self, hypothesis: Hypothesis) -> list[str]:
        """The characters of a translation, set in capitals where the source is.

        Placeholders, and words with small letters that the source or a required text has so, stay.
        """
        text, given = hypothesis.text, self.given
        assert self.case is not None
        is_set = [False] * len(text)
        for start, end in self._stretches_in_capitals(hypothesis):
            is_set[start:end] = [True] * (end - start)
        kept = kept_spans(text, given.source)
        for (start, end), required in self._required_texts(hypothesis):
            if is_in_capitals(required.text):
                is_set[start:end] = [True] * (end - start)
            elif required.text in given.source or any(start == first for first, _ in hypothesis.locked):
                kept.append((start, end))
        for start, end in kept:
            is_set[start:end] = [False] * (end - start)
        required_texts = (given.prefix, given.suffix, *given.locked, *(p.text for p in given.phrases))
        eszett = "ẞ" if any("ẞ" in required for required in required_texts) else "SS"
        capitals = upper(text, self.case.language, eszett)
        return [capitals[place] if is_set[place] else char for place, char in enumerate(text)]

    def _stretches_in_capitals(self, hypothesis: Hypothesis) -> list[Span]:
        if not self.capitals.is_whole:
            return self._aligned_with_runs(hypothesis)
        written = self.given.prefix, self.given.follow.text if self.given.follow else ""
        return [] if any(map(has_small_words, written)) else [(0, len(hypothesis.text))]

    def _aligned_with_runs(self, hypothesis: Hypothesis) -> list[Span]:
        """The words of a translation that most often are aligned with a run in capitals, and those between them."""
        words = [match.span() for match in _WORD.finditer(hypothesis.text)]
        balance: list[int] = []
        for start, end in words:
            links = [(a, b) for a, b, first, last in hypothesis.alignment if first < end and start < last]
            inside = sum(
                any(a < run_end and run_start < b for run_start, run_end in self.capitals.spans) for a, b in links
            )
            balance.append(2 * inside - len(links))
        found: list[Span] = []
        is_open = False  # only unlinked words since the last one in capitals
        for (start, end), sign in zip(words, balance, strict=True):
            if sign > 0:
                found.append((found.pop()[0] if is_open else start, end))
            is_open = sign > 0 or (is_open and sign == 0)
        return found
