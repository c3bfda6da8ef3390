"""Rules that correct the ends of sentences that a library finds; `sentence_rules.toml` has the words of each language.

Each mark at which a sentence may end is one candidate. The rules decide about it, or leave the decision to the library.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from engine.text.boundaries import SENTENCE_ENDS, is_unspaced

_DATA: Final = Path(__file__).with_suffix(".toml")
_QUOTES: Final = "\"'”’»«“‘›‹」』"
_BRACKETS: Final = {")": "(", "]": "[", "）": "（"}
_QUOTATIONS: Final = {"”": "“", "’": "‘", "」": "「", "』": "『", '"': '"'}  # of Chinese, Japanese and Korean
_FULL_WIDTH: Final = frozenset("。！？")
_MAX_WORDS: Final = 40  # characters before a mark in which the last words are looked for
_MAX_BRACKET: Final = 1000  # characters in brackets
_LETTERS: Final = 5  # of a word that is not an abbreviation, unless it is in a list
_SMALL: Final = "a-zß-öø-ÿα-ωа-я"
_CAPITAL: Final = "A-ZÀ-ÖØ-ÞΑ-ΩА-Я"
# The next word or number: opening marks, a dash with a space behind it, or the space before a closing mark of French.
_NEXT = re.compile(
    r"(?P<mark>[\"'“‘«»„‚”’‹›(\[{（「『¿¡–—-]*+[^\S\n]?)(?P<word>(?:[^\W\d_]|['’-](?=\w))*+)(?P<digits>\d*+)"
)
_GOES_ON_AFTER: Final = "–—-»” \u00a0\u202f"  # marks before a word in lower case with which a sentence goes on
_OPENING: Final = "([{\"'“‘«»„‚”’‹›/–—-"
_NAME_IN_LOWER_CASE = re.compile(r"[a-z]{1,5}[A-Z]")  # iPhone
_NUMBER = re.compile(r"\d{1,4}|[IVX]{1,7}")
_ORDINAL = re.compile(r"\d{1,3}|[IVX]{1,7}")
_ROMAN = re.compile(r"[IVX]{1,7}")
_COMPOUND_INITIAL = re.compile(rf"[{_CAPITAL}][a-z]?\.-[{_CAPITAL}][a-z]?")  # J.-P. Sartre
_SHORT_WORD = re.compile(rf"[^\W\d_][^\W\d_{_CAPITAL}]{{1,3}}")
_LIST_NUMBER = re.compile(r"\d{1,2}[.)]\s+[^\W\d_]")
_VOWELS: Final = frozenset("aeiouyäöüáéíóúýàèìòùâêîôûåæøœãõāēīūęąěůőűıăαεηιουωάέήίόύώаеёиоуыэюяіїє")


@dataclass(frozen=True, slots=True)
class SentenceRules:
    """The rules of one language; the file describes its fields. A language without words has only the common rules."""

    inside: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    before_numbers: frozenset[str] = frozenset()
    after_numbers: frozenset[str] = frozenset()
    at_end: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    counted_after: frozenset[str] = frozenset()
    goes_on: frozenset[str] = frozenset()
    after_quotation: re.Pattern[str] | None = None
    numbered: bool = False
    capital_nouns: bool = False
    vowelless: frozenset[str] = frozenset()
    consonants: bool = False
    question: re.Pattern[str] | None = None
    articles: frozenset[str] = frozenset()
    listed: frozenset[str] = field(init=False, repr=False)  # all abbreviations
    candidates: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Compiles the pattern of candidates: their marks, closing marks and white space.

        The library decides about a mark between a long word and a capital letter: leaving it out halves the time. The
        pattern matches at the first of several marks only, so it takes linear time.
        """
        object.__setattr__(self, "listed", self.inside | self.before_numbers | self.at_end)
        words = "|(?<=…)" + "".join(
            f"|(?<=(?i:{re.escape(word)}).)" for word in sorted(self.listed) if len(word) >= _LETTERS
        )
        brackets = re.escape("".join(_BRACKETS))
        pattern = (
            rf"(?P<marks>[.!?…。！？](?:(?<![{_SMALL}]{{{_LETTERS}}}.){words}|(?! [{_CAPITAL}]))(?<![.!?…]{{2}})"
            rf"(?:(?<=[。！？])[。！？]*+|(?<![。！？])[.!?…]*+))(?P<closers>[{_QUOTES}{brackets}]*+)"
            r"(?:\[\d{1,3}\])?(?P<space>\s*+)"
        )
        object.__setattr__(self, "candidates", re.compile(pattern))

    def corrected(self, text: str, starts: Iterable[int]) -> list[int]:
        """The starts of further sentences in `text`, ascending, from those that a library has found."""
        found = set(starts)
        for candidate in self.candidates.finditer(text):
            start, position = candidate.span()
            if position < len(text) and (is_end := self._is_end(text, candidate)) is not None:
                found.difference_update(range(start + 1, position + 1))
                if is_end:
                    found.add(position)
        return sorted(found)

    def _is_end(self, text: str, candidate: re.Match[str]) -> bool | None:
        """True if a sentence ends at a candidate, False if none does, None if the library decides."""
        marks, closers, space = candidate.group("marks", "closers", "space")
        start, position = candidate.span()
        if space.count("\n") > 1:
            return None
        if marks[-1] in _FULL_WIDTH or (closers and not space and self.after_quotation):
            return self._ends_full_width(text, position, closers)
        before = text[start - 1] if start else " "
        if not space:
            return self._ends_without_space(before, text[position]) if not closers and marks == "." else None
        following = _NEXT.match(text, position)
        assert following is not None
        mark, word, digits = following.group("mark", "word", "digits")
        is_dot = marks == "." and not closers
        words = text[max(0, start - _MAX_WORDS) : start].split() if is_dot else []
        if word and _is_lower(word[0]):
            is_list = len(word) == 1 and text.startswith(")", following.end())
            return None if is_list else self._ends_before_lower_case(mark, word, words)
        if not (word or digits):
            return None
        if closers and closers[-1] in _BRACKETS:
            return _is_sentence_in_brackets(text, start, _BRACKETS[closers[-1]]) or None
        if is_dot:
            if digits and word.isupper() and not self.before_numbers.isdisjoint(_names(words)):
                return False  # "Part No. AB-12"
            is_plain_number = len(digits) != 4 and _LIST_NUMBER.match(text, position) is None
            is_question = self.question is not None and self.question.match(text, position) is not None
            return self._ends_at_dot(words, word, 4 if is_plain_number else 2, is_question)
        is_number_after_question = bool(self.inside and digits and not closers) and marks[-1] in "!?"
        return is_number_after_question or (marks == "…" and not before.isspace()) or None

    def _ends_full_width(self, text: str, position: int, closers: str) -> bool | None:
        """Whether a sentence of Chinese or Japanese ends, also at the end of a quotation."""
        if closers and closers[-1] in _QUOTATIONS and self.after_quotation is not None:
            opening = text.rfind(_QUOTATIONS[closers[-1]], max(0, position - _MAX_BRACKET), position - len(closers))
            is_after_colon = opening > 0 and text[opening - 1] in "：:"
            return is_after_colon or self.after_quotation.match(text, position) is None
        return True if not closers and text[position] == "." else None

    def _ends_without_space(self, before: str, after: str) -> bool | None:
        """False if a dot without white space behind it is inside a word, such as ".NET" and "Dipl.-Ing."."""
        is_amount = after in "–—" and before.isdigit()  # "CHF 5'000.–"
        is_inside = (after.isalnum() and not is_unspaced(after)) or after == "-" or is_amount
        return False if is_inside and (after.isascii() or is_amount or not is_unspaced(before)) else None

    def _ends_before_lower_case(self, mark: str, word: str, words: list[str]) -> bool | None:
        """Whether a sentence ends before `mark` and a word in lower case; `words` are those before a dot."""
        if mark in ("'", "’") and mark + word in self.starters:  # Dutch: 's Avonds
            return True
        if mark.strip(_GOES_ON_AFTER):
            return None
        if not mark and _NAME_IN_LOWER_CASE.match(word):
            return self.inside.isdisjoint(_names(words))
        is_long = bool(words) and len(words[-1]) >= _LETTERS and _is_word(words[-1])
        return None if is_long and self.listed.isdisjoint(_names(words)) else False

    def _ends_at_dot(self, words: list[str], word: str, min_letters: int, is_question: bool) -> bool | None:
        """Whether a sentence ends at a dot behind `words`, before the capital letter of `word` or a number.

        Before a number, it ends only behind a word of at least `min_letters`, because abbreviations are short: fewer
        before a year or the number of a list item. With `is_question`, `word` is a verb that begins a question.
        """
        last = words[-1].lstrip(_OPENING) if words else ""
        names = _names(words)
        if word and len(last) > 1 and last.startswith("."):  # the end of a sentence that ends in ".pdf"
            return True
        if word and not self.at_end.isdisjoint(names):
            return word not in self.goes_on
        if word and (_COMPOUND_INITIAL.fullmatch(last) or self._is_section_number(words, last)):
            return False
        if word and self.inside and not self.numbered and len(last) > 1 and _ROMAN.fullmatch(last):
            return True  # "el siglo XIX. Murió": languages without a dot behind ordinals
        is_capital = bool(word) and last[:1].isupper()
        if is_capital and len(words) > 1 and not self.names.isdisjoint(names):
            return None
        if not self.after_numbers.isdisjoint(names) and len(words) > 1 and _counts(words[-2]):
            return (not self.capital_nouns or word.lower() in self.starters) if word else None
        if not self.inside.isdisjoint(names):
            return False
        if is_capital and len(last) == 1:  # an initial
            return (len(words) > 1 and word.lower() in self.starters) or None
        if not self.before_numbers.isdisjoint(names):
            return bool(word) and not (len(word) == 1 or _NUMBER.fullmatch(word))
        if last in self.vowelless:
            return bool(word) or None
        if self._is_abbreviation(words, last):
            return False
        if not word:
            if self.numbered and _NUMBER.fullmatch(last):
                return False
            return (bool(self.inside) and _is_word(last) and len(last) >= min_letters) or None
        if self.capital_nouns and _ORDINAL.fullmatch(last):
            before = words[-2].lstrip(_OPENING).lower() if len(words) > 1 else ""
            is_counted = before in self.counted_after or (before.endswith(".") and before[:-1] in self.before_numbers)
            may_be_noun = before in self.articles and word.endswith("t") and not word.endswith("st")
            is_question = is_question and not may_be_noun
            return is_counted or is_question or word.lower() in self.starters
        return None

    def _is_section_number(self, words: list[str], last: str) -> bool:
        """True for a Roman number of several digits at the start of a sentence: "II. Methods"."""
        if len(last) < 2 or _ROMAN.fullmatch(last) is None:
            return False
        return len(words) == 1 or (words[-2][-1] in ".!?" and self.listed.isdisjoint(_names([words[-2].rstrip(".")])))

    def _is_abbreviation(self, words: list[str], last: str) -> bool:
        """True for a short word without vowels that does not stand behind a number."""
        if self.consonants or not self.inside or _SHORT_WORD.fullmatch(last) is None:
            return False
        is_counted = len(words) > 1 and words[-2][-1].isdigit()
        return not is_counted and _VOWELS.isdisjoint(last.lower())


@lru_cache(maxsize=64)
def rules_of(language: str) -> SentenceRules:
    """The rules of a language code such as "de" or "de-AT"."""
    data = _data()
    own = data.get(language.lower().replace("_", "-").partition("-")[0], {})
    own = data[own["like"]] if "like" in own else own
    common = data["all"] if "inside" in own else {}
    fields: dict[str, Any] = {}
    for name in {*common, *own}:
        value = own.get(name, "")
        if isinstance(value, bool):
            fields[name] = value
        elif name in ("after_quotation", "question"):
            fields[name] = re.compile(value)
        else:
            fields[name] = frozenset(f"{value} {common.get(name, '')}".split())
    return SentenceRules(**fields)


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))


def _is_lower(character: str) -> bool:
    """True for a small letter of a script in which sentences begin with capitals; Georgian has no such capitals."""
    return character.islower() and character.title() != character


def _is_word(letters: str) -> bool:
    """True if letters before a dot may be a whole word: the last four of an abbreviation often have no vowel."""
    return letters.isalpha() and not _VOWELS.isdisjoint(letters[-4:].lower())


def _counts(word: str) -> bool:
    """True for a number or "per" before a counted word: "5 stk.", "pr. stk."."""
    return word.rstrip(".").isdigit() or word.lower() in ("pr.", "per")


def _names(words: list[str]) -> set[str]:
    """The forms in which the last of `words` may be in a list: "d'env" also as "env", "z. B" as "z.b"."""
    if not words:
        return set()
    last = words[-1].lstrip(_OPENING)
    names = {last}  # a single letter counts as it is: "s. Abb. 2" is German for "see", "Gruppe S" has a name
    last = last.lower()
    if len(last) > 1:
        names.add(last)
    for joint in "-'’":
        names.add(last.rpartition(joint)[2])
    if len(last) <= 3 and len(words) > 1 and len(words[-2]) <= 4:
        before = words[-2].lstrip(_OPENING).lower()
        names.add(f"{before}{last}" if before.endswith(".") else f"{before}_{last}")
    return names


def _is_sentence_in_brackets(text: str, end: int, opening: str) -> bool:
    """True if a sentence begins at the opening bracket that belongs to the closing one behind `end`."""
    bracket = text.rfind(opening, max(0, end - _MAX_BRACKET), end)
    if bracket < 0:
        return False
    before = text[max(0, bracket - _MAX_WORDS) : bracket].rstrip()
    return not before or before[-1] in SENTENCE_ENDS
