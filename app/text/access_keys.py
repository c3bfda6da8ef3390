"""The sign before a letter that works a menu or a button by keyboard: "&File" (Qt, Windows), "_File" (GTK), "~File".

Such a sign stands in a short label, once. Nothing tells it from a sign of another meaning but where it stands: in
"AT&T", "file_name" or "~/.profile" it is none.
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
    """Where the sign stands in a label, outside of the stretches `taken`; None where there is none, or no one.

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
    """Where that sign stands before a letter or a digit, or ends the text: as a key's sign may in a translation."""
    return [match.start() for match in re.finditer(rf"{re.escape(sign)}(?=[^\W_]|\Z)", text)]


def key_difference(source: str, target: str, key: int | None) -> tuple[str, ...]:
    """The sign at `key` of a source where it stands before no letter of the target, or before several."""
    if key is None:
        return ()
    sign = source[key]
    return () if sum(at + 1 < len(target) for at in key_signs(target, sign)) == 1 else (sign,)


def _is_label(text: str) -> bool:
    """Whether it begins with a capital, as what one presses does, and is no sentence."""
    first = next((c for c in text if c.isalpha()), "")
    return first.isupper() and not _SENTENCE_END.search(text)
