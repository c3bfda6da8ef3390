"""Signs for all genders in German words: "Benutzer:innen" is read as "Benutzerinnen", which models know."""

from __future__ import annotations

import re

from engine.text.normalisation import NormalText

# "Lehrer*innen", "Nutzer/-in"; "eine:n", "Jede/r"; "ein*e"; "KollegInnen".
_SIGN = re.compile(
    r"(?<![\w:/*-])[A-ZÄÖÜ][\wäöüß-]{1,60}?[a-zäöüß](?P<sign>[:*_·]|/-?)(?:innen|in(?![\w/]))"
    r"|(?<=[a-zäöüß]{2}e)(?P<ending>[:*_/]-?[rn])(?![\w:/*])"
    r"|(?<=[Ee]in)(?P<mark>[:*_/]-?)e(?![\w:/*])"
    r"|(?<=[a-zäöüß]{2})(?P<big>I)nnen(?!\w)"
)


def without_gender_signs(text: str, language: str) -> NormalText:
    """A German text with usual words in place of those with a sign, and the way back; other texts as they are.

    >>> without_gender_signs("Jede/r Lehrer*in und eine:n Nutzer/-in der KollegInnen", "de").text
    'Jede Lehrerin und eine Nutzerin der Kolleginnen'
    """
    if language != "de" or ("nnen" not in text and "in" not in text):
        return NormalText(text)
    parts: list[str] = []
    offsets: list[int] = []
    position = 0
    for match in _SIGN.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        parts += [text[position:start], "i" * bool(match["big"])]
        offsets += [*range(position, start), *range(start, end if match["big"] else start)]
        position = end
    if not position:
        return NormalText(text)
    return NormalText("".join([*parts, text[position:]]), (*offsets, *range(position, len(text) + 1)))
