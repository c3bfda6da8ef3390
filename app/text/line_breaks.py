"""Line breaks inside paragraphs: which of them are inside a sentence."""

from __future__ import annotations

from typing import Final

_SENTENCE_ENDS: Final = ".!?…:;。！？：；؟۔।"
_CLOSING_MARKS: Final = "”“’»«›‹\"')]}）」』"
_OPENING_MARKS: Final = "„“”‚‘’»«›‹\"'([{¿¡（「『"


def is_inside_sentence(before: str, after: str) -> bool:
    """True if a line break between two texts is inside a sentence.

    The text after it goes on in lower case, and the text before it does not end a sentence.

    >>> is_inside_sentence("Need help choosing", "a product?"), is_inside_sentence("12 High Street", "Leeds")
    (True, False)
    """
    before, after = before.rstrip().rstrip(_CLOSING_MARKS), after.lstrip().lstrip(_OPENING_MARKS)
    return bool(before) and before[-1] not in _SENTENCE_ENDS and after[:1].islower()
