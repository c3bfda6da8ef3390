"""Non-translatable text, which a translation copies from its source: placeholders, addresses, tags.

Placeholders that a program fills in (`%s`, `{0}`, `&amp;`) and addresses (URLs, e-mail addresses, paths, one word of
code) stand for words of the sentence and are *kept*. Tags format the words around them ("{1}…{/1}", "<b>…</b>",
"<br/>", `\\n` in a PO file) and are *markup*, and so is the sign of an access key ("&File").
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from app.text.access_keys import SIGNS, access_key, key_difference
from engine import PLACEHOLDER

_ADDRESS = re.compile(
    r"""
    (?<![\w.+-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>"“”„«»‹›‘’`{}|\\^]*[\w/\#=&~]  # https://harbor.example/download
    | (?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+  # help@harbor.example
    | (?<![\w/.~:<-])(?:~/|\.{1,2}/|/(?=[\w.+-]+/))(?:[\w.+-]+/)*(?:[\w.+-]*\w|(?<=/))  # /etc/fstab, ~/.profile
    | (?<!\w)[A-Za-z]:\\(?:[\w.+-]+\\)*[\w.+-]*\w  # C:\Users\Public
    | (?<!`)`[^`\s]+`(?!`)  # `make`
    """,
    re.VERBOSE,
)
_TAG_NAME = re.compile(r"[{<](/?)([\w.:-]+)")
_NUMBERED = re.compile(r"\{/?\d+\}\Z")
# Inline elements of HTML. Any other lone "<name>" is a word: "git add <file>".
_MARKUP_NAME = re.compile(
    r"(?:a|abbr|b|bdi|bdo|big|br|cite|code|del|dfn|em|font|hr|i|img|ins|kbd|label|mark|p|q|s|samp|small|span|strike"
    r"|strong|sub|sup|tt|u|var|wbr)\Z",
    re.IGNORECASE,
)
_OPENING_MARKS = "([{„“”‚‘«»‹›\"'=<-/"
_LETTER = re.compile(r"[^\W_]")

Kind = Literal["open", "close", "lone", "placeholder", "address"]


@dataclass(frozen=True, slots=True)
class NonTranslatable:
    """A non-translatable `text` at `source[start:end]`.

    A pair is an "open" and a "close" whose `partner` is the index of the other; a tag without a partner is "lone".
    """

    start: int
    end: int
    text: str
    kind: Kind
    partner: int = -1

    @property
    def is_access_key(self) -> bool:
        """Whether it is the sign of an access key."""
        return self.text in SIGNS

    @property
    def is_markup(self) -> bool:
        """Whether it is a tag or access key rather than a word of the sentence."""
        return self.kind in ("open", "close", "lone")


def placeholder_spans(text: str) -> list[tuple[int, int]]:
    """The spans of the placeholders and tags in `text`, ascending."""
    return [match.span() for match in PLACEHOLDER.finditer(text)]


def placeholders(text: str) -> list[str]:
    """The placeholders and tags in `text`, in order: "Copy %s to <b>{0}</b>" -> ["%s", "<b>", "{0}", "</b>"]."""
    return [match.group() for match in PLACEHOLDER.finditer(text)]


@lru_cache(maxsize=1024)
def nontranslatables(text: str) -> tuple[NonTranslatable, ...]:
    """All non-translatable texts in `text`, in order and not overlapping.

    >>> [(element.text, element.kind) for element in nontranslatables("Copy %s to {1}it{/1}.")]
    [('%s', 'placeholder'), ('{1}', 'open'), ('{/1}', 'close')]
    """
    matches = [(match.start(), -match.end(), is_address) for is_address, match in _matches(text)]
    found: list[NonTranslatable] = []
    for start, minus_end, is_address in sorted(matches):
        if not found or start >= found[-1].end:
            end = -minus_end
            found.append(NonTranslatable(start, end, text[start:end], "address" if is_address else "placeholder"))
    if (key := access_key(text, [(element.start, element.end) for element in found])) is not None:
        place = bisect_left(found, key, key=lambda element: element.start)
        found.insert(place, NonTranslatable(key, key + 1, text[key], "lone"))
    paired = _paired(found)
    return tuple(replace(element, kind="lone") if _is_lone_tag(element, text) else element for element in paired)


def kept_texts(text: str) -> tuple[tuple[str, int], ...]:
    """The placeholders and addresses in `text`, with their counts.

    >>> kept_texts("Copy %s and %s to /mnt/data.")
    (('%s', 2), ('/mnt/data', 1))
    """
    counts = Counter(element.text for element in nontranslatables(text) if not element.is_markup)
    return tuple(counts.items())


def tag_spans(text: str) -> list[tuple[int, int]]:
    """The spans of the tags in `text`, ascending."""
    return [(element.start, element.end) for element in nontranslatables(text) if element.is_markup]


def without_markup(text: str) -> str:
    """The text without its tags, for word search."""
    parts, position = [], 0
    for start, end in tag_spans(text):
        parts.append(text[position:start])
        position = end
    return "".join([*parts, text[position:]])


def placeholder_difference(source: str, target: str) -> dict[str, tuple[str, ...]]:
    """Placeholders that are "missing" or "extra" in `target`, or closed before they are opened ("order").

    "changed" are the addresses that occur less often in `target`; "key" is the sign of a missing or repeated access
    key.

    >>> placeholder_difference("{1}Open{/1} %s", "{/1}Öffnen{1}")
    {'missing': ('%s',), 'extra': (), 'order': ('{/1}',), 'changed': (), 'key': ()}
    """
    expected, found = Counter(placeholders(source)), Counter(placeholders(target))
    early_in_source = set(_closed_early(source))
    addresses = dict.fromkeys(element.text for element in nontranslatables(source) if element.kind == "address")
    key = next((element.start for element in nontranslatables(source) if element.is_access_key), None)
    return {
        "missing": tuple((expected - found).elements()),
        "extra": tuple((found - expected).elements()),
        "order": tuple(text for text in _closed_early(target) if text in expected and text not in early_in_source),
        "changed": tuple(text for text in addresses if target.count(text) < source.count(text)),
        "key": key_difference(source, target, key),
    }


def placeholder_problem(source: str, target: str) -> str:
    """The missing and extra placeholders of `target` as a sentence; "" if there are none."""
    difference = placeholder_difference(source, target)
    problems = []
    if missing := difference["missing"]:
        problems.append(f"Placeholders missing: {' '.join(missing)}")
    if extra := difference["extra"]:
        problems.append(f"Placeholders not in the source: {' '.join(extra)}")
    return ". ".join(problems)


def _matches(text: str) -> list[tuple[bool, re.Match[str]]]:
    found = [(False, match) for match in PLACEHOLDER.finditer(text)]
    return found + [(True, match) for match in _ADDRESS.finditer(text) if _LETTER.search(match.group())]


def _paired(found: list[NonTranslatable]) -> list[NonTranslatable]:
    """Pairs the tags: a closing tag belongs to the nearest unpaired opening tag of the same name."""
    paired = list(found)
    opened: list[tuple[str, int]] = []
    num_open: Counter[str] = Counter()
    for number, element in enumerate(found):
        name = (
            _TAG_NAME.match(element.text) if element.kind == "placeholder" and not element.text.endswith("/>") else None
        )
        if name is None:
            continue
        key = element.text[0] + name[2]
        if not name[1]:
            opened.append((key, number))
            num_open[key] += 1
        elif num_open[key]:
            other = ""
            while other != key:
                other, first = opened.pop()
                num_open[other] -= 1
            paired[first] = replace(found[first], kind="open", partner=number)
            paired[number] = replace(element, kind="close", partner=first)
    return paired


def _is_lone_tag(element: NonTranslatable, text: str) -> bool:
    """Whether an unpaired placeholder is a tag.

    A number in braces is a tag if it is attached to a word ("file{2}"), else a word ("Copy {1} to {2}").
    """
    if element.kind != "placeholder":
        return False
    if element.text[0] == "\\" or element.text.startswith(("{/", "</")) or element.text.endswith("/>"):
        return True
    if element.text[0] == "<":
        name = _TAG_NAME.match(element.text)
        return name is not None and _MARKUP_NAME.match(name[2]) is not None
    if not _NUMBERED.match(element.text):
        return False
    before, after = text[element.start - 1 : element.start], text[element.end : element.end + 1]
    return bool(before and not before.isspace() and before not in _OPENING_MARKS) or after.isalnum()


def _closed_early(text: str) -> list[str]:
    """The closing placeholders ("{/1}", "</b>") without an opening one before them."""
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
