"""The sentences of a source, and the white space between their translations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from engine.model.directions import languages_of
from engine.request import Request
from engine.text import PLACEHOLDER, is_word_char, sentence_spans, short_code

Span = tuple[int, int]
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a pair, which sentencex refuses
# Tabs, several spaces, or the dots of a table of contents.
_SPACE = r"[^\S\n\r]"
_DOTS = rf"(?:\.{{4}}|\.(?:{_SPACE}\.){{3}})(?:{_SPACE}?\.)*+"
_RUN_OF_SPACES = re.compile(rf"{_SPACE}?(?:\t|{_SPACE}|{_DOTS}){_SPACE}*+")
_LEAST_SPACES = 3  # between two columns; others in the same row may have two
_END_OF_LABEL = re.compile(r"[\d.:)]\Z")  # of a number or a term before its text, such as "Fig. 2" or "Weight:"
_WITHOUT_SPACES = frozenset({"zh", "ja", "yue"})  # languages without spaces between sentences


def sentences_of(request: Request, direction: str) -> Sequence[Span]:
    """The spans of the source's sentences, without white space around them; at most one if it is not divided.

    No sentence ends inside a placeholder or inside the `source_span` of a phrase.
    """
    if not request.split_sentences:
        return ()
    terms = tuple(phrase.source_span for phrase in request.phrases if phrase.source_span is not None)
    return _sentences(request.source, languages_of(direction)[0], terms)


@lru_cache(maxsize=256)
def _sentences(source: str, language: str, terms: Sequence[Span]) -> Sequence[Span]:
    placeholders = (match.span() for match in PLACEHOLDER.finditer(source))
    whole = _apart(sorted((*placeholders, *terms)))
    sentences: list[Span] = []
    for start, end in _cells(source, _spans(source, language, whole), whole):
        has_words = any(map(is_word_char, source[start:end]))
        if sentences and not (has_words and any(map(is_word_char, source[slice(*sentences[-1])]))):
            sentences[-1] = sentences[-1][0], end  # marks alone are not a sentence
        else:
            sentences.append((start, end))
    return tuple(sentences)


def target_sentences(text: str, direction: str) -> list[Span]:
    """The spans of the sentences of a translation."""
    return _spans(text, languages_of(direction)[1], [match.span() for match in PLACEHOLDER.finditer(text)])


def gaps_between(source: str, sentences: Sequence[Span], direction: str) -> tuple[str, ...]:
    """The white space between the translations of the sentences: the source's.

    A target language with spaces between sentences gets one where the source has none; for one without, a single
    space is left out.
    """
    has_spaces = short_code(languages_of(direction)[1]) not in _WITHOUT_SPACES
    gaps = (source[end:start] for (_, end), (start, _) in pairwise(sentences))
    return tuple(gap or " " if has_spaces else gap.replace(" ", "") if gap == " " else gap for gap in gaps)


def _cells(source: str, sentences: Sequence[Span], whole: Sequence[Span]) -> Iterator[Span]:
    """The sentences; a row of a table is divided at its tabs and wide spaces, which the translation keeps then.

    In a row, no cell goes on in lower case, but behind a colon, and none behind a cell of words ends with a full stop.

    >>> source = "Weight:\\t5 kg"
    >>> [source[start:end] for start, end in _cells(source, [(0, len(source))], [])]
    ['Weight:', '5 kg']
    """
    for start, end in sentences:
        runs = [
            run.span()
            for run in _RUN_OF_SPACES.finditer(source, start, end)
            if run[0] != " " and start < run.start() and run.end() < end
            if not any(first < run.end() and run.start() < last for first, last in whole)
        ]
        edges = [start, *(edge for run in runs for edge in run), end]
        cells = list(zip(edges[::2], edges[1::2], strict=True))
        is_wide = any("\t" in source[first:last] or last - first >= _LEAST_SPACES for first, last in runs)
        is_sentence = any(
            source[first].islower() and source[last - 1] != ":" for (_, last), (first, _) in pairwise(cells)
        ) or (
            source[end - 1] in ".!?" and any(not _END_OF_LABEL.search(source[first:last]) for first, last in cells[:-1])
        )
        yield from cells if is_wide and not is_sentence else [(start, end)]


def _spans(text: str, language: str, whole: Sequence[Span]) -> list[Span]:
    return sentence_spans(_SURROGATE.sub("\ufffd", text), short_code(language), whole)


def _apart(spans: Sequence[Span]) -> list[Span]:
    """The spans in order, overlapping ones merged."""
    merged: list[Span] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
