"""Word alignment of a source and its translation in characters, and whether required terms translate their source.

Converts the links of the alignment head, which are between pieces, to character spans.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from engine.model.checkpoint import LoadedModel
from engine.model.word_links import Floats, weak_links, word_links, word_probabilities
from engine.request import Phrase
from engine.text import DecodedPieces, is_word_char, words
from engine.translation import Placement

Span = tuple[int, int]
Alignment = tuple[tuple[int, int, int, int], ...]


def _word_probabilities(
    logits: Sequence[Floats], source_words: Sequence[Span], target_words: Sequence[Sequence[Span]]
) -> list[Floats]:
    return [word_probabilities(own, source_words, rows) for own, rows in zip(logits, target_words, strict=True)]


class AlignmentScores(NamedTuple):
    """How a model scores pairs of pieces, and pairs of words.

    `logits` gives, for the pieces of a source and of its targets, the logits (1 + pieces, S) of each target; row 0 is
    "no word". `word_probabilities` is that of `engine.model`, for several targets.
    """

    logits: Callable[[Sequence[int], Sequence[Sequence[int]]], Sequence[Floats]]
    word_probabilities: Callable[[Sequence[Floats], Sequence[Span], Sequence[Sequence[Span]]], Sequence[Floats]] = (
        _word_probabilities
    )


class WordAlignment(NamedTuple):
    """The aligned words of a translation, and likely partners of words that have none but punctuation."""

    links: Alignment
    weak_links: Alignment


def align(
    model: LoadedModel,
    scores: AlignmentScores,
    source: str,
    direction: str,
    marks: Sequence[str],
    targets: Sequence[Sequence[int]],
    decodings: Sequence[DecodedPieces],
) -> list[WordAlignment]:
    """The alignment of each target of `source`; `decodings` are the texts of `targets`.

    `scores` are those of the model's alignment head. The alignment of a target does not depend on the others, up to
    rounding.
    """
    encoding = (model.source_codec or model.codec).encode(source)
    source_ids = model.source_ids(encoding.ids, direction, marks)
    first = len(source_ids) - 1 - len(encoding.ids)  # the direction's piece, if there is one, and marks come first
    source_words = words(source, encoding.spans)
    columns = [(first + start, first + end) for start, end in source_words]
    logits = scores.logits(source_ids, targets)
    source_spans = [_characters(encoding.spans, word) for word in source_words]
    target_words = [
        [word for word in words(decoding.text, decoding.spans) if word[1] < len(logits_TS)]
        for logits_TS, decoding in zip(logits, decodings, strict=True)
    ]
    rows = [[(1 + start, 1 + end) for start, end in own] for own in target_words]
    found = scores.word_probabilities(logits, columns, rows)
    alignments = []
    for probabilities, own, decoding in zip(found, target_words, decodings, strict=True):
        target_spans = [_characters(decoding.spans, word) for word in own]
        links = word_links(probabilities)
        texts = [source[a:b] for a, b in source_spans], [decoding.text[a:b] for a, b in target_spans]
        links = repeated_words_in_order(links + namesakes(links, *texts), *texts)
        weak = weak_links(probabilities, *_unlinked_words(links, *texts))
        in_characters = (
            tuple((*source_spans[s], *target_spans[t]) for t, s in pairs) for pairs in (sorted(links), weak)
        )
        alignments.append(WordAlignment(*in_characters))
    return alignments


def _unlinked_words(
    links: Sequence[Span], source_words: Sequence[str], target_words: Sequence[str]
) -> tuple[list[int], list[int]]:
    """The places of unlinked words in both texts; punctuation is ignored."""
    sides = source_words, target_words
    sources, targets = ([place for place, text in enumerate(side) if _has_letters(text)] for side in sides)
    between = [link for link in links if link[0] in targets and link[1] in sources]
    linked_targets, linked_sources = {target for target, _ in between}, {source for _, source in between}
    return [s for s in sources if s not in linked_sources], [t for t in targets if t not in linked_targets]


@lru_cache(maxsize=4096)
def _has_letters(word: str) -> bool:
    """True if a word is not punctuation."""
    return any(map(is_word_char, word))


def namesakes(links: Sequence[Span], source_words: Sequence[str], target_words: Sequence[str]) -> list[Span]:
    """(target word, source word) of unlinked words that occur once in each text: names, which the head misses."""
    linked_targets, linked_sources = {target for target, _ in links}, {source for _, source in links}
    return [
        (place, source_words.index(word))
        for place, word in enumerate(target_words)
        if place not in linked_targets
        and source_words.count(word) == target_words.count(word) == 1
        and source_words.index(word) not in linked_sources
    ]


def repeated_words_in_order(
    links: Sequence[Span], source_words: Sequence[str], target_words: Sequence[str]
) -> list[Span]:
    """The links, with each place of a repeated source word linked to one place of its repeated translation, in order.

    The head sees little difference between two places of a word: in "Click Save to save it" it links "save" with both
    words of "Klicken Sie auf Speichern, um es zu speichern", and "Save" with neither. Links are changed only where a
    place has none, both words occur equally often (upper case or lower case), and neither is linked to other words.

    Args:
        links: pairs of a target word and a source word.
    """
    repeated = _places_of_repeated(source_words), _places_of_repeated(target_words)
    if not all(repeated):
        return list(links)
    changed = list(links)
    for sources in repeated[0]:
        for targets in repeated[1]:
            between = [link for link in changed if link[0] in targets or link[1] in sources]
            is_alone = all(target in targets and source in sources for target, source in between)
            is_incomplete = len({source for _, source in between}) < len(sources)
            if between and is_alone and is_incomplete and len(sources) == len(targets):
                changed = [link for link in changed if link not in between] + list(zip(targets, sources, strict=True))
    return changed


def _places_of_repeated(texts: Sequence[str]) -> list[list[int]]:
    """The places of each word that occurs at least twice, upper case or lower case."""
    folded = [text.casefold() for text in texts]
    if len(set(folded)) == len(folded):
        return []
    places: dict[str, list[int]] = {}
    for place, text in enumerate(folded):
        if is_word_char(texts[place][0]):
            places.setdefault(text, []).append(place)
    return [found for found in places.values() if len(found) > 1]


def with_alignment(
    placements: Sequence[Placement], phrases: Sequence[Phrase], alignment: Alignment, text: str
) -> tuple[Placement, ...]:
    """The placements with `aligned` and `doubled` set for phrases with a source span.

    Placements of phrases with the same text are first swapped if that aligns more of them with their own span.
    """
    placements = _each_at_its_span(placements, phrases, alignment)
    found = []
    for placement in placements:
        span = phrases[placement.phrase].source_span
        if span is None:
            found.append(placement)
            continue
        own = [(p.start, p.end) for p in placements if p.phrase == placement.phrase]
        is_aligned = any(_overlap(word, (placement.start, placement.end)) for word in _partners(span, alignment))
        doubled = _doubled(span, own, is_aligned, alignment, text)
        found.append(replace(placement, aligned=is_aligned, doubled=doubled))
    return tuple(found)


def _partners(span: Span, alignment: Alignment) -> list[Span]:
    """The distinct target words linked to a word in a source span, in order."""
    return sorted({(start, end) for *source, start, end in alignment if _overlap((source[0], source[1]), span)})


def _doubled(span: Span, own: Sequence[Span], is_aligned: bool, alignment: Alignment, text: str) -> tuple[Span, ...]:
    """Target words linked only to this source span, outside the required forms.

    Words right beside an aligned form are left out: most often they are its article.
    """
    strangers = {(start, end) for *source, start, end in alignment if not _overlap((source[0], source[1]), span)}
    return tuple(
        (start, end)
        for start, end in _partners(span, alignment)
        if is_word_char(text[start])
        and (start, end) not in strangers
        and not any((_touch if is_aligned else _overlap)((start, end), form) for form in own)
    )


def _each_at_its_span(
    placements: Sequence[Placement], phrases: Sequence[Phrase], alignment: Alignment
) -> list[Placement]:
    """The placements; placements of equal phrases are swapped if this aligns more of them with their own span."""
    assigned = list(placements)
    for one in range(len(assigned)):
        for other in range(one + 1, len(assigned)):
            a, b = assigned[one], assigned[other]
            if a.phrase == b.phrase or set(phrases[a.phrase].all_forms) != set(phrases[b.phrase].all_forms):
                continue
            swapped = replace(a, phrase=b.phrase), replace(b, phrase=a.phrase)
            if _num_aligned(swapped, phrases, alignment) > _num_aligned((a, b), phrases, alignment):
                assigned[one], assigned[other] = swapped
    return sorted(assigned, key=lambda p: (p.phrase, p.start))


def _num_aligned(placements: Sequence[Placement], phrases: Sequence[Phrase], alignment: Alignment) -> int:
    spans = ((placement, phrases[placement.phrase].source_span) for placement in placements)
    return sum(
        span is not None and any(_overlap(word, (p.start, p.end)) for word in _partners(span, alignment))
        for p, span in spans
    )


def _characters(spans: Sequence[Span], word: Span) -> Span:
    """The characters of a word that is given as a range of pieces."""
    return spans[word[0]][0], spans[word[1] - 1][1]


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _touch(one: Span, other: Span) -> bool:
    """True if two spans overlap or have at most one character between them."""
    return one[0] <= other[1] + 1 and other[0] <= one[1] + 1


def through(first: Alignment, second: Alignment) -> tuple[tuple[int, int, int, int], ...]:
    """The product of two alignments: words that share a partner in the language between, in the target's order.

    >>> through([(0, 3, 0, 5), (4, 8, 6, 9)], [(0, 5, 4, 7), (6, 9, 0, 3)])
    ((4, 8, 0, 3), (0, 3, 4, 7))
    """
    links = {
        ((target_start, target_end), (source_start, source_end))
        for source_start, source_end, start, end in first
        for other_start, other_end, target_start, target_end in second
        if start < other_end and other_start < end
    }
    return tuple((*source, *target) for target, source in sorted(links))
