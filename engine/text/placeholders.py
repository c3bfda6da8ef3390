"""Placeholders and tags (`%s`, `{0}`, `<b>`, `&amp;`), which a vocabulary may contain as single pieces.

Such a vocabulary contains each of them in four spellings, like marks: alone, glued on the left, on the right, or on
both sides. A vocabulary without them splits such text into words and marks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from engine.text.vocabulary import is_free

PLACEHOLDER = re.compile(
    r"""
    (?!(?<=\d)%ig)  # "20%ige Lösung"
    %(?:\d+\$|\([\w.]+\))?[-+\#0']*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[Lqjzt])?[diouxXeEfFgGaAcsSp@%]  # %s, %(n)d
    | [$%]\{[^{}\s]+\} | \{\{[^{}]+\}\} | \{/?[\w.]*(?:[!:][^{}\s]*)?\} | \{\#\}
       # ${name}, %{name}, {{name}}, {0}, {:>5}, {/1}; {#} is the number in a plural form of an ICU message
    | </?[A-Za-z][^<>]*> | </?\d+\s*+/?>  # <b>, </b>; <0>, </0>, <1/> stand for elements in i18next and Lingui
    | &(?:[A-Za-z]\w+|\#\d+|\#x[\dA-Fa-f]+);  # &amp;
    | (?<!\\)\\[nrt]  # \n, as PO files spell a line break
    """,
    re.VERBOSE,
)

# Common in documents, whether or not in the corpus; a vocabulary with placeholders has these before the corpus' own.
COMMON = (
    *("%s", "%d", "%i", "%u", "%f", "%c", "%%", "{}", "{name}", "{count}", "%(name)s", "%{name}", "%{count}"),
    *(f"%{number}${kind}" for kind in "sd" for number in range(1, 6)),
    *(f"{{{number}}}" for number in range(10)),
    *(f"{{/{number}}}" for number in range(1, 6)),
    *("&amp;", "&lt;", "&gt;", "&quot;", "&nbsp;", "<br>", "<br/>"),
    *(f"<{slash}{name}>" for name in ("a", "b", "i", "u", "em", "strong", "code", "p", "span") for slash in ("", "/")),
)


def pattern_of(placeholders: Iterable[str]) -> re.Pattern[str] | None:
    """Finds these texts; if one begins with another, the longer one. None if there are no texts.

    A conversion behind a digit is not found: in `50%ige`, `%i` is text.
    """
    texts = sorted(placeholders, key=lambda text: (-len(text), text))
    if not texts:
        return None
    return re.compile(
        "|".join(r"(?<!\d)" * (text[0] == "%" and text[-1].isalpha()) + re.escape(text) for text in texts)
    )


def choose_placeholders(chunk_counts: Mapping[str, int], number: int, min_count: int) -> list[str]:
    """At most `number` placeholders for a vocabulary: the common ones, then the most frequent.

    `chunk_counts` counts the chunks between spaces in the lines to learn from.
    """
    counts: Counter[str] = Counter()
    for chunk, count in chunk_counts.items() if number else ():
        for text in PLACEHOLDER.findall(chunk):
            counts[text] += count
    frequent = sorted(counts, key=lambda text: (-counts[text], text))
    wanted = dict.fromkeys([*COMMON, *(text for text in frequent if counts[text] >= min_count and is_free(text))])
    return [*wanted][:number]
