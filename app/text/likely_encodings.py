"""Guesses the encoding of a text without a byte order mark from its bytes beyond ASCII."""

from __future__ import annotations

import re

_UTF8_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}",
)
_HIGH_WORD = re.compile(rb"[\xa3\xa8\xb3\xb8\xc0-\xff]{4,}")  # of letters that are Cyrillic in either encoding
# In Windows-1250 inside of words ą, ł, ż, where Windows-1252 has superscript digits and an inverted question mark
_POLISH_WORD = re.compile(rb"[A-Za-z\x80-\xff][\xb9\xb3\xbf][a-z]")
_CZECH_WITH_CARON = {0xEC, 0xF8}  # ě, ř; in Windows-1252 ì, ø
_CZECH_OR_SLAVIC = {0x9A, 0x9E}  # š, ž
_WESTERN = {0xE0, 0xE4, 0xE5, 0xE6, 0xE7, 0xEA, 0xF6, 0xFC}  # letters of Western languages that Czech does not have
_HUNGARIAN = {0xF5, 0xFB}  # ő, ű; in Windows-1252 õ, û
_NORTHERN = {0xE3, 0xE4, 0xE7, 0xEA}  # letters of languages with õ or û
_HIGH_PAIR = re.compile(rb"[\x80-\xff]{2}")
_DOS_CYRILLIC = {*range(0x80, 0xB0), *range(0xE0, 0xF2)}
_MIN_PAIRS = 3


def likely_encodings(data: bytes) -> tuple[str, ...]:
    """The codecs to try for a text that is not UTF-8, the most probable first; the last one reads any bytes."""
    likeliest = (*_cyrillic(data), *_east_asian(data), *_central_european(data))
    return (*likeliest, "cp1252", *_not_western(data), "iso-8859-1")


def is_damaged_utf8(data: bytes) -> bool:
    """True if most non-ASCII bytes form UTF-8 characters; another encoding would decode them as garbage."""
    num_high = _num_high(data)
    num_in_sequences = sum(len(match.group()) for match in _UTF8_SEQUENCE.finditer(data))
    return num_in_sequences >= 3 * (num_high - num_in_sequences)


def _cyrillic(data: bytes) -> tuple[str, ...]:
    """The encoding of a text in Cyrillic letters, most of them small; none for other texts.

    Such a text has whole words of non-ASCII letters, and the small letters of the two encodings do not overlap.
    """
    words = b"".join(_HIGH_WORD.findall(data))
    num_high = _num_high(data)
    if 2 * len(words) < num_high:
        return ()
    in_1251 = sum(map(words.count, range(0xE0, 0x100)))
    in_koi8 = sum(map(words.count, range(0xC0, 0xE0)))
    return ("cp1251",) if in_1251 > 0.8 * len(words) else ("koi8-r",) if in_koi8 > 0.8 * len(words) else ()


def _east_asian(data: bytes) -> tuple[str, ...]:
    """The encoding of a text in which all bytes beyond ASCII are pairs that Chinese, Japanese or Korean texts have."""
    pairs = _HIGH_PAIR.findall(data)
    if len(pairs) < _MIN_PAIRS or _num_high(data) != 2 * len(pairs):
        return ()
    num_kana = sum(pair[0] in (0xA4, 0xA5) for pair in pairs)
    num_hangul = sum(0xB0 <= pair[0] <= 0xC8 for pair in pairs)
    num_letters = sum(pair[0] >= 0xB0 for pair in pairs)
    if 5 * num_kana > len(pairs):
        return ("euc_jp",)
    if num_hangul >= _MIN_PAIRS and 100 * num_hangul > 97 * num_letters:
        return ("euc_kr",)
    return ("gb18030",) if _decodes(data, "gb2312") and num_letters >= _MIN_PAIRS else ()


def _central_european(data: bytes) -> tuple[str, ...]:
    """Windows-1250 for a text with Polish letters that would be signs inside of words, or Czech or Hungarian ones."""
    high = set(data) - {*range(0x80)}
    if 3 * len(_HIGH_PAIR.findall(data)) > _num_high(data):
        return ()  # most letters of these languages are ASCII
    is_polish = len(_POLISH_WORD.findall(data)) >= _MIN_PAIRS
    is_czech = bool(high & _CZECH_WITH_CARON and high & _CZECH_OR_SLAVIC) and not high & _WESTERN
    is_hungarian = high >= _HUNGARIAN and not high & _NORTHERN
    return ("cp1250",) if is_polish or is_czech or is_hungarian else ()


def _not_western(data: bytes) -> tuple[str, ...]:
    """The encoding of a text that Windows-1252 does not read, if it is likely."""
    if _decodes(data, "shift_jis"):
        num_letters = sum("\u3040" <= letter <= "\u9fff" for letter in data.decode("shift_jis"))
        if num_letters >= max(_MIN_PAIRS, _num_high(data) // 4):
            return ("shift_jis",)
    num_cyrillic = sum(byte in _DOS_CYRILLIC for byte in data)
    if num_cyrillic > 0.8 * _num_high(data) and 2 * len(_HIGH_PAIR.findall(data)) > 0.5 * num_cyrillic:
        return ("cp866",)
    return ("cp1250",) if 4 * len(_HIGH_PAIR.findall(data)) <= _num_high(data) else ()


def _num_high(data: bytes) -> int:
    return len(data) - len(data.translate(None, bytes(range(0x80, 0x100))))


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
