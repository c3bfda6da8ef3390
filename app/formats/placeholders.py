"""Placeholders: what must stand in a translation as it stands in the source, such as `%s`, `{0}`, `<b>` and `&amp;`."""

from __future__ import annotations

import re
from collections import Counter

_PLACEHOLDER = re.compile(
    r"""
    %(?:\d+\$|\([\w.]+\))?[-+\#0']*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[Lqjzt])?[diouxXeEfFgGaAcsSp@%]  # %s, %(n)d
    | \$\{[^{}\s]+\} | \{\{[^{}]+\}\} | \{/?[\w.]*(?:[!:][^{}\s]*)?\}  # ${name}, {{name}}, {0}, {name:>5}, {}, {/1}
    | </?[A-Za-z][^<>]*>  # <b>, </b>
    | &(?:[A-Za-z]\w+|\#\d+|\#x[\dA-Fa-f]+);  # &amp;
    | (?<!\\)\\[nrt]  # \n, as PO files spell a line break
    """,
    re.VERBOSE,
)


def placeholder_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each placeholder in `text`, ascending."""
    return [match.span() for match in _PLACEHOLDER.finditer(text)]


def placeholders(text: str) -> list[str]:
    """The placeholders in `text`, in order: "Copy %s to <b>{0}</b>" -> ["%s", "<b>", "{0}", "</b>"]."""
    return [match.group() for match in _PLACEHOLDER.finditer(text)]


def placeholder_problem(source: str, target: str) -> str:
    """What `target` has too few or too many of, in a sentence; empty where nothing."""
    wanted, found = Counter(placeholders(source)), Counter(placeholders(target))
    says = []
    if missing := list((wanted - found).elements()):
        says.append(f"Placeholders missing: {' '.join(missing)}")
    if extra := list((found - wanted).elements()):
        says.append(f"Placeholders that the source does not have: {' '.join(extra)}")
    return ". ".join(says)
