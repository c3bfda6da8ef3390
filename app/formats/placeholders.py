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
_TAG_NAME = re.compile(r"[{<](/?)([\w.:-]+)")


def placeholder_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each placeholder in `text`, ascending."""
    return [match.span() for match in _PLACEHOLDER.finditer(text)]


def placeholders(text: str) -> list[str]:
    """The placeholders in `text`, in order: "Copy %s to <b>{0}</b>" -> ["%s", "<b>", "{0}", "</b>"]."""
    return [match.group() for match in _PLACEHOLDER.finditer(text)]


def placeholder_difference(source: str, target: str) -> dict[str, tuple[str, ...]]:
    """The placeholders "missing" in `target`, those "extra" there, and those that close out of "order".

    >>> placeholder_difference("{1}Open{/1} %s", "{/1}Öffnen{1}")
    {'missing': ('%s',), 'extra': (), 'order': ('{/1}',)}
    """
    wanted, found = Counter(placeholders(source)), Counter(placeholders(target))
    early = _closed_early(target)
    return {
        "missing": tuple((wanted - found).elements()),
        "extra": tuple((found - wanted).elements()),
        "order": tuple(text for text in early if text in wanted and text not in _closed_early(source)),
    }


def placeholder_problem(source: str, target: str) -> str:
    """What `target` has too few or too many of, in a sentence; empty where nothing."""
    difference = placeholder_difference(source, target)
    says = []
    if missing := difference["missing"]:
        says.append(f"Placeholders missing: {' '.join(missing)}")
    if extra := difference["extra"]:
        says.append(f"Placeholders that the source does not have: {' '.join(extra)}")
    return ". ".join(says)


def _closed_early(text: str) -> list[str]:
    """The closing placeholders ("{/1}", "</b>") that come before what they close, or without it."""
    opened: Counter[str] = Counter()
    early = []
    for placeholder in placeholders(text):
        name = _TAG_NAME.match(placeholder)
        if name is None:
            continue
        if not name[1]:
            opened[name[2]] += 1
        elif opened[name[2]]:
            opened[name[2]] -= 1
        else:
            early.append(placeholder)
    return early
