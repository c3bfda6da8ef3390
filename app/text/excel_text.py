"""Escapes in the texts of Excel workbooks: a character as `_xHHHH_`, with its code in hexadecimal (ST_Xstring).

Excel writes carriage returns so, and an underscore (`_x005F_`) before text that looks like such an escape.
"""

from __future__ import annotations

import re
from typing import Final

# Codes of characters that XML does not allow are left out; texts keep such an escape.
_CODE: Final = r"(?!(?i:000[0-8bcef]|001.|d[89a-f]..|fff[ef]))([0-9A-Fa-f]{4})"
_ESCAPE: Final = re.compile(f"_x{_CODE}_")
_BEFORE_ESCAPE: Final = re.compile(f"_(?=x{_CODE}_)")


def decoded(text: str) -> str:
    """The text with its escapes as characters.

    >>> decoded("one_x000D_two _x005F_x000D_ _x0007_")
    'one\\rtwo _x000D_ _x0007_'
    """
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def encoded(text: str) -> str:
    """The text as a workbook has it; `decoded` gives this text again.

    >>> encoded("_x000D_ a_b _x0007_")
    '_x005F_x000D_ a_b _x0007_'
    """
    return _BEFORE_ESCAPE.sub("_x005F_", text) if "_x" in text else text
