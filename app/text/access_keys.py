"""Access keys: a sign before the letter that opens a menu or button: "&File" (Qt, Windows), "_File" (GTK), "~File".

The sign occurs once in a short label. Only its context distinguishes it from other uses of the same sign, as in "AT&T",
"file_name" or "~/.profile".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

SIGNS = "&_~"
MAX_LABEL_CHARACTERS = 80
_PLACES = {
    "&": re.compile(r"(?<![^\s>(])&(?=[^\W_])(?![\w.-]+;)|(?<=[^\W\d_])&(?=[^\W\d_A-Z])(?![\w.-]+;)"),
    "_": re.compile(r"(?<![^\s>(])_(?=[^\W\d_])|(?<=\b[A-Z])_(?=[a-z]+\b)|(?<=\b[A-Z][a-z])_(?=[a-z]+\b)"),
    "~": re.compile(r"(?<![^\s>(])~(?=[^\W\d_])(?![\w-]*/)|(?<=[^\W\d_])~(?=[a-z])"),
}
_SENTENCE_END = re.compile(r"(?<![.])[.!]\s*\Z|[.!?]\s")


def access_key(text: str, taken: Sequence[tuple[int, int]] = ()) -> int | None:
    """The offset of the access key sign in a label, outside of the spans `taken`; None without exactly one.

    >>> access_key("Save &as…"), access_key("AT&T"), access_key("Select _all"), access_key("file_name")
    (5, None, 7, None)
    """
    if len(text) > MAX_LABEL_CHARACTERS or not any(sign in text for sign in SIGNS):
        return None
    if not _is_label("".join(c for at, c in enumerate(text) if not any(s <= at < e for s, e in taken))):
        return None
    found: list[int] = []
    for sign in SIGNS:
        places = [at for at, c in enumerate(text) if c == sign and not any(s <= at < e for s, e in taken)]
        if len(places) == 1:
            match = _PLACES[sign].search(text, places[0])
            found += [places[0]] if match and match.start() == places[0] else []
    return found[0] if len(found) == 1 else None


def key_signs(text: str, sign: str) -> list[int]:
    """The offsets of a sign before a letter or digit, or at the end of the text, as allowed in a translation."""
    return [match.start() for match in re.finditer(rf"{re.escape(sign)}(?=[^\W_]|\Z)", text)]


def key_difference(source: str, target: str, key: int | None) -> tuple[str, ...]:
    """The sign at offset `key` of the source, unless it precedes exactly one letter in the target."""
    if key is None:
        return ()
    sign = source[key]
    return () if sum(at + 1 < len(target) for at in key_signs(target, sign)) == 1 else (sign,)


def _is_label(text: str) -> bool:
    """True if the text starts with a capital letter and is not a sentence."""
    first = next((c for c in text if c.isalpha()), "")
    return first.isupper() and not _SENTENCE_END.search(text)
