"""A bilingual lexicon beside a model's weights, for the words that the model does not know.

    lexicon.txt.xz   may be missing; xz-compressed text with a line for each entry
        en-de<TAB>harvest<TAB>Ernte Ernten ernten    a word, and the words that translate it, in all their forms
        en-de<TAB>crew<TAB>= Mannschaft Besatzung    the same for a word that translations often have unchanged
        en-de<TAB>hardy<TAB>^ winterhart zäh         the same, if the word has a capital letter
        de<TAB>Ernte                                 a word of a language that a model translates into

Words of the source are in small letters. `python -m engine.train lexicon` makes the file.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import os
import re
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from engine.bundled_data import user_cache
from engine.errors import ModelError
from engine.model.directions import languages_of
from engine.text.packed_words import PackedEntries, WordSet

LEXICON: Final = "lexicon.txt.xz"
MAY_STAY: Final = "="  # before the forms of a word that translations often have unchanged
NAME_MAY_STAY: Final = "^"  # the same if the word has a capital letter, as it may be a name then
_MARKS: Final = MAY_STAY, NAME_MAY_STAY
MAX_BYTES: Final = 100 * 2**20  # unpacked
_ARRAYS_VERSION: Final = 1  # of the arrays that are stored for the next start
_LEAST_CACHED: Final = 2**20  # bytes
_MAX_CACHED: Final = 8  # models whose lexicons are stored so
_SHORTEST_PART: Final = 3  # letters of a part of a compound
_LINKS: Final = ("", "s", "n", "en", "es", "er")  # between the parts of a compound
_ZU: Final = re.compile(r"(?<=\w\w)zu(?=\w+n$)")
_DROPPED: Final = "e"  # at the end of a first part: "Farbrad" has "Farbe"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The entries of one direction: the forms by word, in one text with spaces between them.

    `known` has the words of the target language, in small letters, and `parts` those that form compounds: the words of
    the dictionary, because a corpus has many rare words that are none.
    """

    direction: str
    translations: Mapping[str, str]
    known: Container[str]
    parts: Container[str] = frozenset()

    @property
    def marks_names(self) -> bool:
        """True if the source language writes names with capital letters, and other words of a sentence without."""
        return languages_of(self.direction)[0] != "de"

    @property
    def has_articles(self) -> bool:
        """True if the articles of the target language agree with their nouns, as in German."""
        return languages_of(self.direction)[1] == "de"

    def forms(self, word: str) -> tuple[str, ...]:
        """The words that may translate a word of the source; empty for a word without an entry."""
        return tuple(form for form in self.translations.get(word.lower(), "").split() if form not in _MARKS)

    def may_stay(self, word: str) -> bool:
        """True if the word, copied from the source, may be its translation. It is given as the source has it.

        >>> lexicon = Lexicon("en-de", {"hardy": "^ zäh", "crew": "= Besatzung", "seal": "Siegel"}, frozenset())
        >>> [lexicon.may_stay(word) for word in ("hardy", "Hardy", "crew", "Seal", "Zaphod")]
        [False, True, True, False, True]
        """
        forms = self.translations.get(word.lower(), MAY_STAY)
        return forms.startswith(MAY_STAY) or (word[0].isupper() and forms.startswith(NAME_MAY_STAY))

    def is_word(self, word: str) -> bool:
        """True if the target language has the word, or a compound of such words.

        In German, so is the infinitive of a separable verb with "zu" in it.

        >>> lexicon = Lexicon("en-de", {}, frozenset({"ablesen"}), frozenset({"farbe", "rad", "rades"}))
        >>> lexicon.is_word("Farbrades"), lexicon.is_word("abzulesen"), lexicon.is_word("Lichtbulb")
        (True, True, False)
        """
        lower = word.lower()
        if lower in self.known:
            return True
        return languages_of(self.direction)[1] == "de" and (self._is_compound(lower) or self._is_infinitive(lower))

    def _is_infinitive(self, word: str) -> bool:
        """True for "abzulesen", if "ablesen" is a word."""
        verbs = (word[: match.start()] + word[match.end() :] for match in _ZU.finditer(word))
        return any(verb in self.known or self._is_compound(verb) for verb in verbs)

    def _is_compound(self, word: str) -> bool:
        for place in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            if word[place:] in self.parts and self._is_first_part(word[:place].removesuffix("-")):
                return True
        return False

    def _is_first_part(self, part: str) -> bool:
        stems = (part[: len(part) - len(link)] for link in _LINKS if part.endswith(link))
        return part + _DROPPED in self.parts or any(len(s) >= _SHORTEST_PART and s in self.parts for s in stems)


class Lexicons:
    """The lexicon of each direction of a model."""

    def __init__(self, by_direction: Mapping[str, Lexicon]) -> None:
        self._by_direction = by_direction

    @classmethod
    def load(cls, path: Path) -> Lexicons | None:
        """The lexicons in a file; None if there is no such file. Raises ModelError for a damaged one."""
        if not path.is_file():
            return None
        damaged = f"{path} is {{}}; copy it again, or remove it: it is optional"
        try:
            packed = path.read_bytes()
            cached = _cached(packed)
            with suppress(OSError, EOFError, ValueError, TypeError, zipfile.BadZipFile):
                return cls._read(cached)
            unpacker = lzma.LZMADecompressor(memlimit=512 * 2**20)
            unpacked = unpacker.decompress(packed, MAX_BYTES)
        except (OSError, lzma.LZMAError) as error:
            raise ModelError(damaged.format(f"damaged ({error})")) from error
        if not unpacker.eof:
            raise ModelError(damaged.format("incomplete or too large"))
        try:
            found = cls.parse(io.TextIOWrapper(io.BytesIO(unpacked), "utf-8", newline="\n"), str(path))
        except UnicodeDecodeError as error:
            raise ModelError(damaged.format(f"damaged ({error})")) from error
        if len(unpacked) >= _LEAST_CACHED:
            with suppress(OSError):  # of a folder that is read-only or full: it is unpacked again the next time
                found._write(cached)
        return found

    @classmethod
    def _read(cls, cached: Path) -> Lexicons:
        """The lexicons in a file of `_write`."""
        with np.load(cached, allow_pickle=False) as arrays:
            by_part: defaultdict[str, dict[str, npt.NDArray[Any]]] = defaultdict(dict)
            for name in arrays.files:
                part, _, argument = name.rpartition(" ")
                by_part[part][argument] = arrays[name]
        directions = dict.fromkeys(part.partition(" ")[0] for part in by_part)
        return cls(
            {
                one: Lexicon(
                    one,
                    PackedEntries(**by_part[f"{one} entries"]),
                    WordSet(**by_part[f"{one} known"]),
                    WordSet(**by_part[f"{one} parts"]),
                )
                for one in directions
            }
        )

    def _write(self, cached: Path) -> None:
        """Stores the lexicons for the next start; a model is then loaded in a quarter of the time."""
        arrays: dict[str, npt.NDArray[Any]] = {}
        for one, lexicon in self._by_direction.items():
            parts = {"entries": lexicon.translations, "known": lexicon.known, "parts": lexicon.parts}
            for part, of_part in parts.items():
                assert isinstance(of_part, PackedEntries | WordSet)
                arrays |= {f"{one} {part} {name}": array for name, array in of_part.arrays().items()}
        cached.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="new-", dir=cached.parent) as scratch:
            partial = Path(scratch) / cached.name
            np.savez(partial, **arrays)  # type: ignore[arg-type]
            os.replace(partial, cached)
        newest_first = sorted(cached.parent.glob("*.npz"), key=lambda path: -path.stat().st_mtime)
        for old in newest_first[_MAX_CACHED:]:
            old.unlink()

    @classmethod
    def parse(cls, lines: Iterable[str], name: str = LEXICON) -> Lexicons:
        """The lexicons in the lines of a file of this name. Raises ModelError with the line at fault."""
        entries: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        words: defaultdict[str, list[str]] = defaultdict(list)
        for number, line in enumerate(lines, 1):
            match line.rstrip("\n").split("\t"):
                case [direction, word, forms] if "-" in direction:
                    entries[direction].append((word, forms))
                case [language, word] if "-" not in language:
                    words[language].append(word)
                case _:
                    raise ModelError(
                        f"{name} line {number}: expected DIRECTION<TAB>word<TAB>forms or LANGUAGE<TAB>word; make it "
                        "again with `python -m engine.train lexicon`, or remove it: it is optional"
                    )
        found = {}
        for direction, own in entries.items():
            forms = " ".join(forms.lstrip("".join(_MARKS)) for _, forms in own)
            parts = WordSet.of(set(forms.lower().split()))
            known = WordSet.of(words[languages_of(direction)[1]], parts)
            found[direction] = Lexicon(direction, PackedEntries.of(own), known, parts)
        return cls(found)

    def of(self, direction: str) -> Lexicon | None:
        """The lexicon of a direction; None if the file has no entries for it."""
        return self._by_direction.get(direction)


def _cached(packed: bytes) -> Path:
    """The file with the arrays of a packed lexicon."""
    return user_cache() / "lexicons" / f"{_ARRAYS_VERSION}-{hashlib.sha256(packed).hexdigest()[:32]}.npz"


def save_lexicons(
    path: Path, translations: Mapping[str, Mapping[str, Iterable[str]]], words: Mapping[str, Iterable[str]]
) -> None:
    """Write a lexicon file: the forms by source word by direction, and the words of each target language."""
    lines = [
        f"{direction}\t{word}\t{' '.join(forms)}"
        for direction, entries in translations.items()
        for word, forms in sorted(entries.items())
    ]
    lines += [f"{language}\t{word}" for language, own in words.items() for word in sorted(own)]
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(lzma.compress("\n".join(lines).encode("utf-8"), preset=9))
    os.replace(partial, path)
