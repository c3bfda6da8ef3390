"""A request in the model's terms: source pieces, tracked phrases, and what stands in the way of any translation.

Between the request, which speaks of text, and the search, which speaks of pieces; and back again, from a finished text
to the place of each phrase in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import InvalidRequest
from engine.request import Phrase, Placement, Reason, Request, SearchOptions
from engine.search.phrases import Spelling, TrackedPhrase
from engine.text import TextCodec, is_word_char, occurrences

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Constraints:
    """What the search needs to know of one request.

    `phrases[i]` stands for the request's phrases `members[i]`: the same text asked for several times is one phrase
    with a count. `obstacles` say why no translation can meet the request; empty where one can.
    """

    source: str
    direction: str
    source_ids: tuple[int, ...]
    unknown_source: tuple[Span, ...]
    phrases: tuple[TrackedPhrase, ...]
    members: tuple[tuple[int, ...], ...]
    asked: tuple[Phrase, ...]
    obstacles: tuple[Reason, ...]

    @classmethod
    def of(cls, request: Request, direction: str, codec: TextCodec, max_pieces: int) -> Constraints:
        """For a model of `max_pieces`. Raises InvalidRequest for what this engine cannot do yet."""
        _refuse_unsupported(request)
        encoding = codec.encode(request.source)
        obstacles: list[Reason] = []
        if len(encoding.ids) + 2 > max_pieces:  # the direction and the end are pieces too
            message = (
                f"the source has {len(encoding.ids)} pieces, the model reads at most {max_pieces - 2}; "
                "split the segment"
            )
            obstacles.append(Reason("source_too_long", message))
        phrases: list[TrackedPhrase] = []
        members: list[tuple[int, ...]] = []
        for numbers in _group(request.phrases, codec):
            tracked, reasons = _tracked(request.phrases, numbers, codec)
            obstacles += reasons
            if tracked:
                phrases.append(tracked)
                members.append(numbers)
        num_tokens = sum(phrase.num_constraint_tokens for phrase in phrases)
        if num_tokens + 1 > max_pieces:
            last = max(number for numbers in members for number in numbers)
            message = (
                f"the phrases have {num_tokens} pieces, the model writes at most {max_pieces - 1}; "
                f"take some away, {request.phrases[last].text!r} for instance"
            )
            obstacles.append(Reason("too_long", message, last))
        return cls(
            source=request.source,
            direction=direction,
            source_ids=encoding.ids,
            unknown_source=encoding.unknown,
            phrases=tuple(phrases),
            members=tuple(members),
            asked=request.phrases,
            obstacles=tuple(obstacles),
        )

    def max_length(self, options: SearchOptions, max_pieces: int, num_tokens: int) -> int:
        """The most tokens that the translation may have, the end included."""
        by_source = int(options.max_length_factor * len(self.source_ids)) + options.max_length_offset
        return min(max_pieces, max(1, by_source) + num_tokens)

    def place(self, text: str) -> tuple[tuple[Placement, ...], tuple[int, ...]]:
        """Where each required occurrence stands in a text, by phrase, and which phrases lack one.

        Occurrences are found in the finished text itself, earliest end first, whatever the search believed.
        """
        placements: list[Placement] = []
        unmet: list[int] = []
        for phrase, members in zip(self.phrases, self.members, strict=True):
            spans = _apart([span for form in phrase.forms for span in occurrences(text, form, phrase.boundary)])
            for member in members:
                count = self.asked[member].count
                taken, spans = spans[:count], spans[count:]
                placements += (Placement(member, text[start:end], start, end) for start, end in taken)
                if len(taken) < count:
                    unmet.append(member)
        return tuple(sorted(placements, key=lambda p: (p.phrase, p.start))), tuple(sorted(unmet))

    def not_placed(self, phrase: int) -> Reason:
        """Why a phrase is missing from a translation that the search gave up on."""
        text = self.asked[phrase].text
        message = f"{text!r} found no place within the length limit; raise max_length_offset or take a phrase away"
        return Reason("not_placed", message, phrase)


def _refuse_unsupported(request: Request) -> None:
    for name, value in (("avoid", request.avoid), ("prefix", request.prefix)):
        if value:
            raise InvalidRequest(f"{name} is {value!r}, which this version cannot honour yet; leave it out")
    for phrase in request.phrases:
        if phrase.case == "auto":
            raise InvalidRequest(f"phrase {phrase.text!r}: case 'auto' is not there yet; use 'exact'")


def _forms(phrase: Phrase, codec: TextCodec) -> tuple[str, ...]:
    """The phrase's texts as the output writes them: NFC, without space around them, each once."""
    return tuple(dict.fromkeys(codec.normalise(form.strip()) for form in phrase.all_forms))


def _group(phrases: Sequence[Phrase], codec: TextCodec) -> list[tuple[int, ...]]:
    """Numbers of phrases that ask for the same, together: they need separate occurrences."""
    groups: dict[tuple[frozenset[str], str], list[int]] = {}
    owner: dict[str, tuple[frozenset[str], str]] = {}
    for number, phrase in enumerate(phrases):
        key = frozenset(_forms(phrase, codec)), phrase.boundary
        for form in key[0]:
            other = owner.setdefault(form, key)
            if other != key:
                first = phrases[groups[other][0]].text
                raise InvalidRequest(
                    f"phrases {first!r} and {phrase.text!r} both take {form!r} but differ otherwise; "
                    "give them the same forms and boundary, or no form in common"
                )
        groups.setdefault(key, []).append(number)
    return [tuple(numbers) for numbers in groups.values()]


def _tracked(
    phrases: Sequence[Phrase], numbers: tuple[int, ...], codec: TextCodec
) -> tuple[TrackedPhrase | None, list[Reason]]:
    """One phrase for all of `numbers`; None, with the reasons, where the model can spell none of its forms."""
    phrase = phrases[numbers[0]]
    forms = _forms(phrase, codec)
    spellable = [form for form in forms if codec.spells(form)]
    if not spellable:
        written = codec.respell(forms[0])
        message = f"{forms[0]!r} cannot be spelt by this model, which would write {written!r}; reword the phrase"
        return None, [Reason("unspellable", message, number) for number in numbers]
    spellings = [
        Spelling.of(index, pieces, codec) for index, form in enumerate(spellable) for pieces in _spellings(form, codec)
    ]
    count = sum(phrases[number].count for number in numbers)
    return TrackedPhrase(tuple(spellable), tuple(spellings), phrase.boundary, count), []


def _spellings(form: str, codec: TextCodec) -> list[tuple[int, ...]]:
    """The canonical pieces of a form: after a space and, where it begins with punctuation, right after a word."""
    alone = codec.encode(form).ids
    if is_word_char(form[0]):
        return [alone]
    word = codec.encode("a").ids
    attached = codec.encode("a" + form).ids
    follows = attached[: len(word)] == word and codec.spells("a" + form) and attached[len(word) :] != alone
    return [alone, attached[len(word) :]] if follows else [alone]


def _apart(spans: list[Span]) -> list[Span]:
    """The spans that do not overlap, chosen by earliest end."""
    chosen: list[Span] = []
    for start, end in sorted(set(spans), key=lambda span: (span[1], span[0])):
        if not chosen or start >= chosen[-1][1]:
            chosen.append((start, end))
    return chosen
