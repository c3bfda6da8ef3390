"""Compounds of a language with a form list: whether the other parts of a word are words of the language.

"Netzkabelstecker" is a compound with "Netzkabel", because "Stecker" is a word; "Netzkabelle" is not.
"""

from __future__ import annotations

from functools import lru_cache

from engine.text.word_forms import form_list

COMPOUNDING = frozenset({"de"})  # the languages with rules for compounds here
MAX_LETTERS = 60  # of the other parts; the time to divide them grows with the square
_MIN_LETTERS = 3  # of a part
_LINKS = ("", "s", "es", "n", "en", "er", "e", "ens", "ns")  # between two parts: "Arbeit-s-platz"
_LEFT_OUT = ("", "e", "en", "n")  # at the end of a first part: "Sprach(e)paket", "Schreib(en)schutz"
# First parts that have no forms and are therefore in no form list.
_PARTS_WITHOUT_FORMS = (
    "ab an anti auf aus außen auto bei bio co dauer direkt doppel durch eigen ein einzel end erst extra "
    "fehl fern fort frei frisch ganz gegen gesamt groß halb haupt her hin hinter hoch in innen klein kurz "
    "lang live mehr meta mikro mini mit mittel multi nach neben neu nicht nieder not ober offline online "
    "öko pro rein rück schnell selbst sonder spezial statt sub super teil über ultra um um unter ur vor "
    "voll web weg weiter wieder zentral zu zurück zusammen zusatz zwei zwischen "
)
_FIRST_PARTS = frozenset(_PARTS_WITHOUT_FORMS.split())


@lru_cache(maxsize=20_000)
def is_compound(word: str, start: int, end: int, language: str) -> bool:
    """True if `word[start:end]` is the first or last part of a compound of the language.

    >>> is_compound("Netzkabelstecker", 0, 9, "de"), is_compound("Netzkabelle", 0, 9, "de")
    (True, False)
    """
    before, after = word[:start].lower(), word[end:].lower()
    if language not in COMPOUNDING or bool(before) == bool(after) or len(before or after) > MAX_LETTERS:
        return False
    if before:
        return _can_begin(before, language)
    return any(after.startswith(link) and _can_end(after[len(link) :], language) for link in _LINKS)


def compound_head(noun: str, language: str) -> str:
    """The last part of a compound noun, with a capital: "Netzkabel" -> "Kabel"; "" if it is not a compound.

    The longest known word wins.
    """
    for at in range(_MIN_LETTERS, min(len(noun), MAX_LETTERS) - _MIN_LETTERS + 1):
        head = noun[at].upper() + noun[at + 1 :]
        if _knows(head, language) and _can_begin(noun[:at].lower(), language):
            return head
    return ""


def _can_end(letters: str, language: str) -> bool:
    """True if the letters are a word, or first parts and a word."""
    if len(letters) < _MIN_LETTERS:
        return False
    return _knows(letters, language) or any(
        _knows(letters[at:], language) and _can_begin(letters[:at], language)
        for at in range(_MIN_LETTERS, len(letters) - _MIN_LETTERS + 1)
    )


def _can_begin(letters: str, language: str) -> bool:
    """True if the letters are one or more first parts of a compound."""
    ends = {0}  # the places where a part may begin
    for end in range(2, len(letters) + 1):
        if any(start in ends and _is_first_part(letters[start:end], language) for start in range(end - 1)):
            ends.add(end)
    return len(letters) in ends


@lru_cache(maxsize=100_000)
def _is_first_part(letters: str, language: str) -> bool:
    if letters in _FIRST_PARTS:
        return True
    stems = (letters.removesuffix(link) for link in _LINKS if letters.endswith(link))
    return any(
        _knows(stem + left_out, language)
        for stem in stems
        if len(stem) >= _MIN_LETTERS
        for left_out in (_LEFT_OUT if stem == letters else ("",))
    )


@lru_cache(maxsize=100_000)
def _knows(word: str, language: str) -> bool:
    """True if the form list contains the word, with a capital or without."""
    forms = form_list(language)
    return forms is not None and any(map(forms.knows, {word, word[:1].upper() + word[1:]}))
