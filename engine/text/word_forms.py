"""The forms that words take: the lists under data/forms, xz-compressed, and their file format.

A list is text with one line for each dictionary form, sorted by bytes, followed by a tab and the other forms:
"Konto<TAB>1en 1i 0s" means Konten, Konti, Kontos. The number counts the letters to drop from the end of the dictionary
form; "=" marks a form that is written in full.
"""

from __future__ import annotations

import lzma
import re
from functools import lru_cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_INSTALLED_FORMS = _ROOT / "pinpoint_data" / "forms"  # their place in a wheel
FORMS_FOLDER = _INSTALLED_FORMS if _INSTALLED_FORMS.is_dir() else _ROOT / "data" / "forms"

_DOUBLE_S = re.compile("ss")
_UMLAUTS = {"ä": "a", "ö": "o", "ü": "u", "Ä": "A", "Ö": "O", "Ü": "U"}


class FormList:
    """The form list of one language, searched by bisection of its text (7 MB for German)."""

    def __init__(self, text: bytes) -> None:
        self._text = b"\n" + text.strip(b"\n") + b"\n"

    def forms(self, word: str) -> tuple[str, ...]:
        """The other forms of a dictionary form; empty for any other word.

        A word that is not in the list may have the Swiss spelling, with "ss" in place of "ß".

        >>> FormList("Konto\\t1en 0s\\nStraße\\t0n".encode()).forms("Konto")
        ('Konten', 'Kontos')
        >>> FormList("Konto\\t1en 0s\\nStraße\\t0n".encode()).forms("Strasse")
        ('Strassen',)
        """
        found = self._listed(word)
        if found or "ss" not in word:
            return found
        places = (match.start() for match in _DOUBLE_S.finditer(word))
        listed = (self._listed(f"{word[:place]}ß{word[place + 2 :]}") for place in places)
        return tuple(form.replace("ß", "ss") for form in next(filter(None, listed), ()))

    def _listed(self, word: str) -> tuple[str, ...]:
        key = word.encode("utf-8", "replace")
        low, high = 0, len(self._text) - 1  # line ends; the line of the word, if any, is between them
        while low < high:
            start = self._text.rfind(b"\n", low, (low + high) // 2 + 1)
            end = self._text.find(b"\n", start + 1)
            lemma, _, forms = self._text[start + 1 : end].partition(b"\t")
            if lemma == key:
                return tuple(_written(word, form) for form in forms.decode("utf-8").split(" "))
            if lemma < key:
                low = end
            else:
                high = start
        return ()

    def dictionary_form(self, word: str) -> str | None:
        """The word of which this is a form: "grafischen" -> "grafisch"; None if the list has none.

        Finds forms that are as long or longer, with or without an umlaut: "Häusern" -> "Haus".
        """
        shorter = (word[:end] for end in range(len(word), max(len(word) - 4, 1), -1))
        candidates = (other for each in shorter for other in (each, _without_umlaut(each)) if other != word)
        return next((candidate for candidate in candidates if word in self.forms(candidate)), None)

    def knows(self, word: str) -> bool:
        """True if the list contains the word, as a dictionary form or as a form of one."""
        return bool(self.forms(word)) or self.dictionary_form(word) is not None


@lru_cache(maxsize=2)
def form_list(language: str) -> FormList | None:
    """The bundled form list of a language; None if there is none."""
    path = FORMS_FOLDER / f"{language}.txt.xz"
    if not language.isalpha() or not path.exists():
        return None
    return FormList(lzma.decompress(path.read_bytes()))


def _without_umlaut(word: str) -> str:
    """The word without its last umlaut."""
    at = max(map(word.rfind, _UMLAUTS))
    return word if at < 0 else word[:at] + _UMLAUTS[word[at]] + word[at + 1 :]


def _written(lemma: str, form: str) -> str:
    if form.startswith("="):
        return form[1:]
    num_digits = next((n for n, character in enumerate(form) if not character.isdigit()), len(form))
    return lemma[: len(lemma) - int(form[:num_digits])] + form[num_digits:]
