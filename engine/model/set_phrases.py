"""Set phrases beside a model's weights: formulas of letters and terms that the model translates word by word.

    set_phrases.tsv   may be missing; a line for each entry
        en-de<TAB>-<TAB>^kind regards$<TAB>Mit freundlichen Grüßen|Freundliche Grüße
        en-de<TAB>informal<TAB>^dear Mr. {}$<TAB>Lieber Herr {}

The columns are the direction, the form of address ("-": any; "formal" also where none is asked for), the words of the
source in any case, and the accepted translations, the usual one first. "^" is the beginning of the sentence. "$" is its
end or a place before punctuation. "{}" is a name, which the translation has unchanged. A digit follows in place of "#".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from engine.errors import ModelError
from engine.request import Phrase, Request

SET_PHRASES: Final = "set_phrases.tsv"
_ADDRESSES: Final = "-", "formal", "informal"
_WORD: Final = re.compile(r"[^\W_]+")
_PARTICLES: Final = r"(?:(?:von|van|de|der|zu)\s+)*"
_NAME_WORD: Final = r"[^\W\d_a-zß-ÿ][\w'’.-]*"
_NAME: Final = rf"((?-i:{_PARTICLES}{_NAME_WORD}(?:\s+{_PARTICLES}{_NAME_WORD}){{0,2}}(?<!\.)))"
_AT_END: Final = r"(?=\s*(?:[,.:!;–-]|$))"


@dataclass(frozen=True, slots=True)
class SetPhrase:
    """One entry: its words of the source, its accepted translations, and the form of address that it is for."""

    source: str
    targets: tuple[str, ...]
    address: str

    @property
    def first_word(self) -> str:
        """The beginning of every text that has the entry, as `casefold` writes it; empty for a name."""
        found = _WORD.search(self.source.split()[0])
        return found[0].casefold() if found else ""


class SetPhrases:
    """The entries of each direction of a model."""

    def __init__(self, by_direction: Mapping[str, Sequence[SetPhrase]]) -> None:
        self._by_first_word: dict[tuple[str, str], list[SetPhrase]] = defaultdict(list)
        for direction, entries in by_direction.items():
            for entry in entries:
                self._by_first_word[direction, entry.first_word].append(entry)

    @classmethod
    def load(cls, path: Path) -> SetPhrases | None:
        """The entries in a file; None if there is no such file. Raises ModelError with the line at fault."""
        if not path.is_file():
            return None
        found: dict[str, list[SetPhrase]] = {}
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{path} is damaged ({error}); copy it again, or remove it: it is optional") from error
        for number, line in enumerate(lines, 1):
            columns = line.split("\t")
            if len(columns) != 4 or columns[1] not in _ADDRESSES or not all(map(str.strip, columns)):
                raise ModelError(
                    f"{path} line {number}: expected DIRECTION<TAB>ADDRESS<TAB>source<TAB>targets, where ADDRESS is -, "
                    "formal or informal; correct it, or remove the file: it is optional"
                )
            direction, address, source, targets = columns
            found.setdefault(direction, []).append(SetPhrase(source, tuple(targets.split("|")), address))
        return cls(found)

    def added_to(self, request: Request, direction: str) -> Request:
        """The request with its set phrases as further expected phrases, where nothing else in it decides the words.

        Constraints of a person or a glossary go first: an entry is left out if its words have another phrase, or if
        a phrase without a place in the source may be meant for them. Of a text that is followed, words that are not
        the entry's stay, as a person may have written them.
        """
        follow = request.follow
        if follow is None and (request.prefix or request.locked or request.suffix):
            return request
        words = {"", *(word.casefold() for word in _WORD.findall(request.source))}
        entries = (entry for word in sorted(words) for entry in self._by_first_word.get((direction, word), ()))
        suitable = (entry for entry in entries if _suits(entry, request))
        found = [(match, entry) for entry in suitable for match in _pattern(entry.source).finditer(request.source)]
        found.sort(key=lambda one: one[0].start() - one[0].end())  # longer ones first
        taken, is_unplaced = _taken(request)
        added: list[Phrase] = []
        for match, entry in () if is_unplaced else found:
            start, end = match.span()
            if any(start < last and first < end for first, last in taken):
                continue
            forms = [target.replace("{}", match[1]) if "{}" in target else target for target in entry.targets]
            banned = [one.text.lower() for one in request.avoid]
            forms = [form for form in forms if not any(text in form.lower() for text in banned)]
            if forms and (follow is None or any(form.lower() in follow.text.lower() for form in forms)):
                taken.append((start, end))
                added.append(
                    Phrase(forms[0], tuple(forms[1:]), case="auto", source_span=(start, end), is_expected=True)
                )
        return replace(request, phrases=(*request.phrases, *added)) if added else request


@lru_cache(maxsize=4096)
def _pattern(source: str) -> re.Pattern[str]:
    words = source.removeprefix("^").removesuffix("$").removesuffix("#").split()
    body = r"\s+".join(_NAME if word == "{}" else re.escape(word).replace("ß", "(?:ß|ss)") for word in words)
    before = r"^\s*" if source.startswith("^") else r"(?<!\w)(?<!\w-)"
    after = {"$": _AT_END, "#": r"(?=\s?\d)"}.get(source[-1], r"(?!\w)(?!-\w)")
    return re.compile(before + body + after, re.IGNORECASE)


def _suits(entry: SetPhrase, request: Request) -> bool:
    return entry.address == "-" or entry.address == (request.formality or "formal")


def _taken(request: Request) -> tuple[list[tuple[int, int]], bool]:
    """The places in the source that have another phrase, and True if a phrase may be meant for any place."""
    taken: list[tuple[int, int]] = []
    is_unplaced = False
    for phrase in request.phrases:
        if phrase.source_span is not None:
            taken.append(phrase.source_span)
        elif phrase.text in request.source:  # copied, as a placeholder is
            taken += (match.span() for match in re.finditer(re.escape(phrase.text), request.source))
        elif request.follow is None or phrase.text not in request.follow.text:
            is_unplaced = True
    return taken, is_unplaced
