"""What a translation takes over from its source as it is: placeholders, tags, addresses.

Text that a program fills in (`%s`, `{0}`, `&amp;`) and an address (a URL, an e-mail address, a path, one word of code)
stand for words of the sentence: they are *kept*. A tag says something about the words around it ("{1}…{/1}",
"<b>…</b>", "<br/>", `\\n` in a PO file): it is *markup*, and so is the sign of an access key ("&File").
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
# Elements of HTML that stand inside a sentence. Any other lone "<name>" is a word: "git add <file>".
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
    """Something that is not translated, `text` from `start` to `end` of a source.

    A pair is an "open" and a "close", each naming the `partner` by its number; a tag without one is "lone".
    """

    start: int
    end: int
    text: str
    kind: Kind
    partner: int = -1

    @property
    def is_access_key(self) -> bool:
        """Whether it is the sign of one."""
        return self.text in SIGNS

    @property
    def is_markup(self) -> bool:
        """Whether it says something about the words around it, and is no word itself."""
        return self.kind in ("open", "close", "lone")


def placeholder_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each placeholder or tag in `text`, ascending."""
    return [match.span() for match in PLACEHOLDER.finditer(text)]


def placeholders(text: str) -> list[str]:
    """The placeholders and tags in `text`, in order: "Copy %s to <b>{0}</b>" -> ["%s", "<b>", "{0}", "</b>"]."""
    return [match.group() for match in PLACEHOLDER.finditer(text)]


@lru_cache(maxsize=1024)
def nontranslatables(text: str) -> tuple[NonTranslatable, ...]:
    """All that is not translated in `text`, in order and apart.

    >>> [(atom.text, atom.kind) for atom in atoms("Copy %s to {1}it{/1}.")]
    [('%s', 'placeholder'), ('{1}', 'open'), ('{/1}', 'close')]
    """
    matches = [(match.start(), -match.end(), is_address) for is_address, match in _matches(text)]
    found: list[NonTranslatable] = []
    for start, minus_end, is_address in sorted(matches):
        if not found or start >= found[-1].end:
            end = -minus_end
            found.append(NonTranslatable(start, end, text[start:end], "address" if is_address else "placeholder"))
    if (key := access_key(text, [(atom.start, atom.end) for atom in found])) is not None:
        place = bisect_left(found, key, key=lambda atom: atom.start)
        found.insert(place, NonTranslatable(key, key + 1, text[key], "lone"))
    paired = _paired(found)
    return tuple(replace(atom, kind="lone") if _is_lone_tag(atom, text) else atom for atom in paired)


def kept_texts(text: str) -> tuple[tuple[str, int], ...]:
    """Each text that is kept as it is, and how often it stands in `text`.

    >>> kept_texts("Copy %s and %s to /mnt/data.")
    (('%s', 2), ('/mnt/data', 1))
    """
    counts = Counter(atom.text for atom in nontranslatables(text) if not atom.is_markup)
    return tuple(counts.items())


def tag_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each tag in `text`, ascending."""
    return [(atom.start, atom.end) for atom in nontranslatables(text) if atom.is_markup]


def without_markup(text: str) -> str:
    """The text without its tags, as it is searched for words."""
    parts, position = [], 0
    for start, end in tag_spans(text):
        parts.append(text[position:start])
        position = end
    return "".join([*parts, text[position:]])


def placeholder_difference(source: str, target: str) -> dict[str, tuple[str, ...]]:
    """The placeholders "missing" in `target`, those "extra" there, and those that close out of "order".

    "changed" are the addresses that stand less often in `target`, "key" is the sign of an access key that works none.

    >>> placeholder_difference("{1}Open{/1} %s", "{/1}Öffnen{1}")
    {'missing': ('%s',), 'extra': (), 'order': ('{/1}',), 'changed': (), 'key': ()}
    """
    wanted, found = Counter(placeholders(source)), Counter(placeholders(target))
    early_in_source = set(_closed_early(source))
    addresses = dict.fromkeys(atom.text for atom in nontranslatables(source) if atom.kind == "address")
    key = next((atom.start for atom in nontranslatables(source) if atom.is_access_key), None)
    return {
        "missing": tuple((wanted - found).elements()),
        "extra": tuple((found - wanted).elements()),
        "order": tuple(text for text in _closed_early(target) if text in wanted and text not in early_in_source),
        "changed": tuple(text for text in addresses if target.count(text) < source.count(text)),
        "key": key_difference(source, target, key),
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


def _matches(text: str) -> list[tuple[bool, re.Match[str]]]:
    found = [(False, match) for match in PLACEHOLDER.finditer(text)]
    return found + [(True, match) for match in _ADDRESS.finditer(text) if _LETTER.search(match.group())]


def _paired(found: list[NonTranslatable]) -> list[NonTranslatable]:
    """The atoms with the pairs among them: a tag is closed by the next one of its name that is not taken."""
    paired = list(found)
    opened: list[tuple[str, int]] = []
    num_open: Counter[str] = Counter()
    for number, atom in enumerate(found):
        name = _TAG_NAME.match(atom.text) if atom.kind == "placeholder" and not atom.text.endswith("/>") else None
        if name is None:
            continue
        key = atom.text[0] + name[2]
        if not name[1]:
            opened.append((key, number))
            num_open[key] += 1
        elif num_open[key]:
            other = ""
            while other != key:
                other, first = opened.pop()
                num_open[other] -= 1
            paired[first] = replace(found[first], kind="open", partner=number)
            paired[number] = replace(atom, kind="close", partner=first)
    return paired


def _is_lone_tag(atom: NonTranslatable, text: str) -> bool:
    """Whether a placeholder is a tag that has no partner.

    A number in braces is one where it hangs on a word ("file{2}"); standing apart it is a word ("Copy {1} to {2}").
    """
    if atom.kind != "placeholder":
        return False
    if atom.text[0] == "\\" or atom.text.startswith(("{/", "</")) or atom.text.endswith("/>"):
        return True
    if atom.text[0] == "<":
        name = _TAG_NAME.match(atom.text)
        return name is not None and _MARKUP_NAME.match(name[2]) is not None
    if not _NUMBERED.match(atom.text):
        return False
    before, after = text[atom.start - 1 : atom.start], text[atom.end : atom.end + 1]
    return bool(before and not before.isspace() and before not in _OPENING_MARKS) or after.isalnum()


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
