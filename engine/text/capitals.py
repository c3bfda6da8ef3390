"""Text in capitals: where it is, how it is read, and how a translation is set in capitals again.

Models have seen few texts in capitals. They read such a text in sentence case, and the translation is set in capitals.
A word is read in its usual form: "LONDON" as "London", "STRASSE" as "Straße", "PDF" as it is.
"""

from __future__ import annotations

import lzma
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from engine.bundled_data import DATA_FOLDER
from engine.errors import ModelError
from engine.text.boundaries import is_sentence_start
from engine.text.case_model import CAPITALISED, CAPITALS, LISTED, OTHER, SMALL, START, TOKEN, WORDS, CaseModel, case_of
from engine.text.codec import Codec
from engine.text.normalisation import NormalText
from engine.text.packed_words import PackedEntries
from engine.text.placeholders import PLACEHOLDER
from engine.text.sentence_rules import rules_of

CASING_FOLDER = DATA_FOLDER / "casing"

Span = tuple[int, int]
LEAST_WORDS_OF_TEXT = 2  # in capitals, of a text that has no others
LEAST_WORDS_OF_RUN = 3  # in capitals, next to each other in a sentence: fewer may be abbreviations and names
_LEAST_LETTERS = 4  # of a single word that may be read in sentence case
_LONGEST_COMPOUND = 60  # letters
_FAR = 40  # characters between words that are looked at for the end of a sentence
_WORD_WITH_DOT = re.compile(r"([^\W\d_]+)\.\W*\Z")
_DOTTED = re.compile(r"(?<!\w)[^\W\d_]\.(?:[^\W\d_]\.)+\s+")  # "U.S. ", "p.m. "
_TOKEN = re.compile(r"\S+")
_WORD = re.compile(WORDS)
_WITH_APOSTROPHES = re.compile(rf"{WORDS}(?:['’]{WORDS})*")
# Function words of English, which some titles have with capitals: "The Art Of War". "May" and "Will" may be names.
_FUNCTION_WORDS = """
a an the of in on at to for from by with without about into onto over under up off out and or but nor as than if is are
am was were be been has have had do does did not can must your our my his her its their this that these those it you we
they how when where while before after until
"""
_SMALL_IN_TITLES = frozenset(_FUNCTION_WORDS.split())
_LEAST_WORDS_OF_TITLE = 3
_LEAST_LETTERS_OF_TITLE = 4  # a shorter word may be small in a title
_DOTTED_I = ("tr", "az")  # languages in which i and ı are different letters
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")


@dataclass(frozen=True, slots=True)
class Capitals:
    """The stretches of a text that are in capitals; `is_whole` if the text has no other words."""

    spans: tuple[Span, ...] = ()
    is_whole: bool = False


def is_in_capitals(text: str) -> bool:
    """True if a text has at least two letters with case and all are capitals; ß counts as one.

    Placeholders do not count, nor words with letters of both kinds inside (`iPhone`, addresses).
    """
    kinds = [_kind(token) for _, token in _tokens(text)]
    return any(kind == "capitals" for kind in kinds) and "small" not in kinds


def capitals_in(text: str, least_of_run: int = LEAST_WORDS_OF_RUN) -> Capitals:
    """The stretches of at least `least_of_run` words in capitals, or the whole text.

    >>> capitals_in("USER MANUAL").is_whole, capitals_in("NASA and IBM").spans
    (True, ())
    >>> text = "Press the key TO OPEN A FILE again."
    >>> [text[start:end] for start, end in capitals_in(text).spans]
    ['TO OPEN A FILE']
    """
    if not any(one.isupper() and other.isupper() for one, other in pairwise(text)):
        return Capitals()
    runs: list[list[tuple[Span, str]]] = [[]]
    is_whole = True
    for start, token in _tokens(text):
        kind = _kind(token)
        if kind == "small":
            is_whole = False
            runs.append([])
        elif kind in ("capitals", "letter") or runs[-1]:
            runs[-1].append(((start, start + len(token)), kind))
    if is_whole:
        num_words = sum(kind == "capitals" for _, kind in runs[-1])
        return Capitals(((0, len(text)),), is_whole=True) if num_words else Capitals()
    spans = []
    for run in runs:
        while run and run[-1][1] not in ("capitals", "letter"):
            run.pop()
        if sum(kind == "capitals" for _, kind in run) >= least_of_run:
            spans.append((run[0][0][0], run[-1][0][1]))
    return Capitals(tuple(spans))


def with_small_function_words(text: str, language: str) -> str:
    """An English title, in which each longer word has a capital letter, with small function words behind the first.

    >>> with_small_function_words("The Art Of War", "en"), with_small_function_words("He read The Art Of War.", "en")
    ('The Art of War', 'He read The Art Of War.')
    """
    if language != "en" or not text[:1].isupper():
        return text
    words = list(_WORD.finditer(text))
    if len(words) < _LEAST_WORDS_OF_TITLE or any(
        word[0].islower() and len(word[0]) >= _LEAST_LETTERS_OF_TITLE for word in words
    ):
        return text
    characters = [*text]
    for word in words[1:]:
        is_first = text[max(0, word.start() - 2) : word.start()].rstrip()[-1:] in (*".!?:\u2026", *"\"'“‘(")
        if word[0].istitle() and word[0].lower() in _SMALL_IN_TITLES and not is_first:
            characters[word.start()] = text[word.start()].lower()
    return "".join(characters)


def has_small_words(text: str) -> bool:
    """True if a text has a word in small letters, with a capital or without."""
    return any(_kind(token) == "small" for _, token in _tokens(text))


def num_words_in_capitals(text: str) -> int:
    """The words of at least two letters, all capitals."""
    return sum(_kind(token) == "capitals" for _, token in _tokens(text))


def capitals_of(word: str) -> str:
    """A word in capitals; ß and ẞ are SS, as texts in capitals have both."""
    return word.replace("ẞ", "SS").upper()


@cache
def usual_forms(language: str) -> Mapping[str, str]:
    """The usual forms of words of a language, by their capitals, see `UsualCase`; empty if there is no list.

    Raises ModelError for a damaged list.
    """
    path = CASING_FOLDER / f"{language}.txt.xz"
    if not path.is_file():
        return {}
    try:
        forms = lzma.decompress(path.read_bytes()).decode("utf-8").split("\n")
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} is damaged ({error}); install Pinpoint again") from error
    return PackedEntries.of((capitals_of(form), form) for form in forms)


@cache
def case_model(language: str) -> CaseModel | None:
    """The model of the case of words of a language; None if there is none. Raises ModelError if it is damaged."""
    path = CASING_FOLDER / f"{language}.weights.xz"
    if not path.is_file():
        return None
    try:
        return CaseModel.read(path.read_bytes())
    except (OSError, lzma.LZMAError, ValueError) as error:
        raise ModelError(f"{path} is damaged ({error}); install Pinpoint again") from error


@dataclass(frozen=True)
class UsualCase:
    """The usual form of words that are given in capitals.

    `model` decides by the words around a word. `forms` has, by their capitals, the words that are not written in small
    letters ("LONDON": "London") or whose small letters are not certain ("GROSS": "groß"). In a language without a
    model, words are written as the translation model has them in the fewest pieces: abbreviations that it knows stay.
    """

    codec: Codec
    language: str
    forms: Mapping[str, str] = field(default_factory=dict)
    model: CaseModel | None = None

    @classmethod
    def of_language(cls, codec: Codec, language: str) -> UsualCase:
        return cls(codec, language, usual_forms(language), case_model(language))

    def knows(self, word: str) -> bool:
        """True if the usual form of a word in capitals has other letters and the model has a piece for it."""
        usual = self.sentence(word, [(0, len(word))], begins_sentence=False).text
        return (
            usual != word
            and len(word) >= _LEAST_LETTERS
            and (word in self.forms or len(self.codec.encode(usual).ids) == 1)
        )

    def sentence(self, text: str, spans: Sequence[Span], begins_sentence: bool = True) -> NormalText:
        """The text with its stretches in capitals in sentence case, and the way back."""
        parts: list[str] = []
        offsets: list[int] = []
        end = 0

        def take(start: int, stop: int, written: str) -> None:
            parts.append(written)
            offsets.extend(_places(text[start:stop], written, self.language, start))

        words = dict(_words_in(text, spans))
        for start, usual in self._usual(text, words, begins_sentence):
            take(end, start, text[end:start])
            end = start + len(words[start])
            take(start, end, usual)
        take(end, len(text), text[end:])
        return NormalText("".join(parts), (*offsets, len(text)))

    def _usual(self, text: str, words: Mapping[int, str], begins_sentence: bool) -> Iterator[tuple[int, str]]:
        """The usual forms of words, each with its place in the text."""
        if self.model is None:
            end = 0
            for start, word in words.items():
                between = "x" * bool(end) + text[max(end, start - _FAR) : start]
                starts = begins_sentence and is_sentence_start(between, len(between))
                usual = min((self._small(word), word), key=lambda form: len(self.codec.encode(form).ids))
                yield start, capitalised(usual, self.language) if starts else usual
                end = start + len(word)
            return
        found = [*TOKEN.finditer(text)]
        tokens = [capitals_of(match[0]) for match in found]
        glued = [match.start() == before for match, before in zip(found, [-1, *(m.end() for m in found)], strict=False)]
        given = [
            None if match.start() in words else case_of(match[0]) if match[0][0].isalpha() else OTHER for match in found
        ]
        first = next((place for place, case in enumerate(given) if case != OTHER), None)
        if begins_sentence and first is not None:
            given[first] = START
        dotted = {match.end() for match in _DOTTED.finditer(text)}  # behind them, the model has seen many new sentences
        cases = self.model.cases(tokens, glued, given, self.forms)
        for place, (match, case) in enumerate(zip(found, cases, strict=True)):
            if match.start() in words:
                if match.start() in dotted and capitals_of(match[0]) not in self.forms:
                    case = SMALL
                starts = case == SMALL and (
                    begins_sentence if place == first else self._begins_sentence(text, match.start())
                )
                yield match.start(), self._form(match[0], CAPITALISED if starts else case)

    def _begins_sentence(self, text: str, start: int) -> bool:
        """True behind the end of a sentence; a dot may belong to an abbreviation or an initial."""
        before = "x" + text[max(0, start - _FAR) : start]
        if not is_sentence_start(before, len(before)):
            return False
        word = _WORD_WITH_DOT.search(before)
        return word is None or (len(word[1]) > 1 and word[1].lower() not in rules_of(self.language).listed)

    def _form(self, word: str, case: int) -> str:
        if case == CAPITALS:
            return word
        if case == LISTED:
            return self.forms[capitals_of(word)]
        small = self._small(word)
        return capitalised(small, self.language) if case == CAPITALISED else small

    def _small(self, word: str) -> str:
        """Small letters; SS of German is ß where a listed word has it, or one at the end or beginning of a compound."""
        capitals = capitals_of(word)
        if self.language == "de" and "SS" in word and len(word) <= _LONGEST_COMPOUND:
            for length in range(len(word), _LEAST_LETTERS - 1, -1):
                for start in {len(word) - length, 0}:
                    part = capitals[start : start + length]
                    if "SS" in part and part in self.forms:
                        known = capitals[:start] + self.forms[part] + capitals[start + length :]
                        return lower(known, self.language)
        return lower(word, self.language)

    def variants(self, phrase: str) -> tuple[str, ...]:
        """The forms in which a phrase in capitals may be written; the phrase itself is the first."""
        if not is_in_capitals(phrase):
            return (phrase,)
        usual = self.sentence(phrase, [(0, len(phrase))], begins_sentence=False).text
        small = lower(phrase, self.language)
        each = _WITH_APOSTROPHES.sub(lambda word: capitalised(lower(word[0], self.language), self.language), phrase)
        return tuple(dict.fromkeys((phrase, usual, small, capitalised(small, self.language), each)))


def lower(text: str, language: str) -> str:
    """Small letters as the language has them: Turkish I is ı."""
    if language in _DOTTED_I:
        text = text.replace("İ", "i").replace("I", "ı")
    return text.lower()


def capitalised(word: str, language: str) -> str:
    """The word with a capital first letter: Turkish i is İ, Dutch ij is IJ."""
    if language == "nl" and word.startswith("ij"):
        return "IJ" + word[2:]
    return "".join(upper(word[:1], language)) + word[1:]


def upper(text: str, language: str, eszett: str = "SS") -> list[str]:
    """Capitals for each character of a text, as the language has them.

    German ß becomes SS: both SS and ẞ are right since 2017, but SS is what typesetters, Word and browsers write and
    every font has. Greek capitals have no accents, but keep the diaeresis, also where an accent alone separated the
    vowels. Turkish i is İ.

    >>> "".join(upper("Straße", "de")), "".join(upper("Μάιος, ή", "el")), "".join(upper("izin", "tr"))
    ('STRASSE', 'ΜΑΪΟΣ, Ή', 'İZİN')
    """
    capitals = []
    for place, char in enumerate(text):
        if char == "ß":
            capitals.append(eszett)
        elif language in _DOTTED_I and char == "i":
            capitals.append("İ")
        elif language == "el" and _GREEK.match(char):
            capitals.append(_greek_capital(text, place))
        else:
            capitals.append(char.upper())
    return capitals


def _greek_capital(text: str, place: int) -> str:
    """A Greek letter as a capital without its accent; the word ή ("or") alone keeps it."""
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if text[place] in "ήΉ" and not before.isalpha() and not after.isalpha():
        return "Ή"
    letter = unicodedata.normalize("NFD", text[place])
    base, has_two_dots = letter[0], "\u0308" in letter
    if base in "ιυ" and before and _has_accent(before) and unicodedata.normalize("NFD", before)[0] in "αεου":
        has_two_dots = True  # άι is not a diphthong
    return unicodedata.normalize("NFC", base.upper() + "\u0308" * has_two_dots)


def _has_accent(char: str) -> bool:
    return any(mark in "\u0300\u0301\u0342" for mark in unicodedata.normalize("NFD", char)[1:])


def kept_spans(text: str, source: str) -> list[Span]:
    """The stretches of a translation that are never set in capitals: placeholders, and words that the source has so."""
    words = {token.strip(".,;:!?()[]\"'„“”«»") for _, token in _tokens(source) if _kind(token) in ("small", "mixed")}
    found = [match.span() for match in PLACEHOLDER.finditer(text)]
    for start, token in _tokens(text):
        bare = token.strip(".,;:!?()[]\"'„“”«»")
        if bare and bare in words:
            first = start + token.index(bare)
            found.append((first, first + len(bare)))
    return found


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """The stretches between white space; placeholders are left out."""
    bare = PLACEHOLDER.sub(lambda match: " " * len(match[0]), text)
    return ((match.start(), match[0]) for match in _TOKEN.finditer(bare))


def _kind(token: str) -> str:
    """ "capitals", a single capital "letter", "small" letters, "mixed" letters (`iPhone`, `a.txt`), or ""."""
    letters = [char for char in token if char.isalpha() and char != "ß"]
    num_small = sum(unicodedata.category(char) == "Ll" for char in letters)
    num_capitals = sum(unicodedata.category(char) == "Lu" for char in letters)
    if num_small:
        inside = token.strip(".,;:!?()[]{}\"'„“”‚‘’«»‹›…-–—/")
        is_mixed = any(char.isupper() for char in inside[1:]) or any(char in "./\\@_<>{}=#$" for char in inside)
        return "mixed" if is_mixed or any(map(str.isdigit, inside)) else "small"
    if any(map(str.isdigit, token)) and num_capitals:
        return "mixed"
    return "capitals" if num_capitals > 1 else "letter" if num_capitals else ""


def _words_in(text: str, spans: Sequence[Span]) -> Iterator[tuple[int, str]]:
    """The words in capitals in these stretches of a text, in order."""
    for first, last in spans:
        for start, token in _tokens(text[first:last]):
            is_small = any(unicodedata.category(char) == "Ll" and char != "ß" for char in token)
            if _kind(token) and not is_small and not any(char in "_@\\" for char in token):
                yield from ((first + start + match.start(), match[0]) for match in _WORD.finditer(token))


def _places(given: str, written: str, language: str, start: int) -> Iterator[int]:
    """The offset, in a text in which `given` begins at `start`, of each character of `written`."""
    if len(given) == len(written):
        yield from range(start, start + len(given))
        return
    place = start
    for capitals in upper(written, language):
        yield min(place, start + len(given) - 1)
        place += len(capitals)
