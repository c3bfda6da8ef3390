"""A request as the model reads it, and its translations with the characters that a person gave.

The model reads and writes the plain form of texts (`engine.text.normalisation`): ordinary spaces and hyphens. In the
translation, the prefix, phrases, locked texts and suffix have the characters of the request again, in NFC.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from engine.request import Request
from engine.text import Codec, NormalText, normalise
from engine.translation import Hypothesis, Placement

Span = tuple[int, int]


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
class RequestReading:
    """A request as it was given, and `request` as the model reads it. `source` is the way back to the given source."""

    given: Request
    request: Request
    source: NormalText
    _codec: Codec
    _prefix: GivenPrefix

    @classmethod
    def of(cls, given: Request, codec: Codec, source_codec: Codec | None = None) -> RequestReading:
        """Reads a request for a model. Raises InvalidRequest for a text that has only invisible characters."""
        source = (source_codec or codec).normal(given.source)
        prefix = GivenPrefix.of(given.prefix, codec)
        plain = codec.normalise
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
        return cls(given, request, source, codec, prefix)

    def given_source_spans(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """Spans of the source that the model reads as spans of the given source."""
        return tuple(self.source.given_span(*span) for span in spans)

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
            return tuple((*self.source.given_span(*link[:2]), *moved(link[2:])) for link in links)

        return replace(
            hypothesis,
            text=text,
            token_spans=tuple(map(moved, hypothesis.token_spans)),
            placements=tuple(map(placed, hypothesis.placements)),
            locked=tuple(map(moved, hypothesis.locked)),
            alignment=linked(hypothesis.alignment),
            weak_alignment=linked(hypothesis.weak_alignment),
        )

    def _characters(self, hypothesis: Hypothesis) -> tuple[str, list[str]]:
        """The white space before the text, and for each of its characters the text to write."""
        characters = [*hypothesis.text]
        for (start, end), given in self._required_texts(hypothesis):
            own = given.characters()
            if not given.is_plain and len(own) == end - start:
                for place, (plain, new) in enumerate(zip(given.plain.text, own, strict=True), start):
                    if new != plain:  # or the first letter may be a capital, as a sentence begins
                        characters[place] = new
        begun = 0
        for plain, char, new in zip(self._prefix.plain, hypothesis.text, self._prefix.characters, strict=False):
            if plain != char:
                break
            characters[begun] = new
            begun += 1
        return self._prefix.lead if begun or not self._prefix.plain else "", characters

    def _required_texts(self, hypothesis: Hypothesis) -> Iterator[tuple[Span, GivenText]]:
        """The places of phrases, locked texts and suffix, with the text that was given for each."""
        for placement in hypothesis.placements:
            for form in self.given.phrases[placement.phrase].all_forms:
                given = GivenText.of(form, self._codec)
                if given.plain.text[1:] == placement.form[1:]:
                    yield (placement.start, placement.end), given
                    break
        ordered = [*self.given.locked, *[self.given.suffix] * bool(self.request.suffix)]
        for span, text in zip(hypothesis.locked, ordered, strict=False):
            yield span, GivenText.of(text, self._codec)
