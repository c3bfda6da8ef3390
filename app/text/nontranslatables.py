"""Non-translatable text, which a translation copies from its source: placeholders, addresses, tags.

Placeholders that a program fills in (`%s`, `{0}`, `&amp;`), addresses (URLs, e-mail addresses, paths, options,
variables, one word of code, ICU messages), formulas ("H₂O", "m²"), signs ("€", "°C", "✓") and labels of a list ("a)")
stand for words of the sentence and are *kept*, and so is an empty element such as "<1/>" or "<icon/>". `own` are
texts that are placeholders by the convention of the file that the text is from (`app.text.placeholder_conventions`).
Tags format the words around them ("{1}…{/1}", "<b>…</b>", "<br/>", `\\n` in a PO file) and are *markup*, and so is
the sign of an access key ("&File"). The English suffix of an ordinal number behind a placeholder ("{place}st") is
neither: translations have the mark of their language (`app.text.ordinal_marks`).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from app.text.access_keys import SIGNS, access_key, key_difference
from app.text.markdown_delimiters import delimiters
from app.text.placeholder_conventions import ANYWHERE
from engine import PLACEHOLDER

_ADDRESS = re.compile(
    r"""
    (?<![\w.+-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>"“”„«»‹›‘’`{}|\\^]*[\w/\#=&~]  # https://harbor.example/download
    | (?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+  # help@harbor.example
    | (?<![\w/.~:<-])(?:~/|\.{1,2}/|/(?=[\w.+-]+/))(?:[\w.+-]+/)*(?:[\w.+-]*\w|(?<=/))  # /etc/fstab, ~/.profile
    | (?<![\w./\\-])\.(?:ht(?:access|passwd)|git[a-z]{0,12}|env|ssh|gnupg|netrc|profile|bash_[a-z]{1,12}|vim|emacs
        |\w{1,20}(?:rc|ignore|config|attributes))(?:\.\w{1,20}){0,3}(?![\w-])  # .htaccess, .env.local
    # C:\Users\Public, C:\Program Files\App
    | (?<!\w)[A-Za-z]:\\(?:[\w.+-]++(?:[ ][\w.+()-]++){0,3}\\)*[\w.+-]*\w
    | (?<!`)`[^`\s]+`(?!`)  # `make`
    | (?<![\w-])--[A-Za-z][\w-]*  # --dry-run
    | (?<![\w$])\$(?:[A-Za-z_]\w*+(?![{$])|\([A-Za-z_][\w.]*\))  # $HOME, $(OutDir)
    | \{%[^{}]*%\}  # {% if user %}
    | <(?:\d{2,}:)?\d\d:\d\d\.\d{3}>  # the time of a word in WebVTT
    | (?<!\w)[A-Z]{2}\d\d(?:[ \u00a0]?[A-Z\d]{4}){3,7}(?:[ \u00a0]?[A-Z\d]{1,3})?(?!\w)  # IBAN
    | (?:(?<=BIC[ ])|(?<=BIC:[ ])|(?<=SWIFT[ ])|(?<=SWIFT:[ ]))[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?(?!\w)
    # AB-1234/56, SN-00123-A, ISO/IEC-27001, 4711-B, but not MAY-2026
    | (?<![\w/.-])(?=(?:[\w/-]*?\d){3})(?:(?!JAN|FEB|MAR|APR|MAY|MAI|JUN|JUL|AUG|SEP|O[CK]T|NOV|DE[CZ])[A-Z]{1,4}\d*
        (?:[-/](?:\d+[A-Z]?|[A-Z]{1,3}\d*))+|\d{3,}(?:[-/]\d+)*-[A-Z]{1,2})(?!\w|[-/.]\w)
    | (?<![\w/.-])[A-Z]{2,4}/(?!or\b)[a-zäöüß]{2,3}(?![\w/])  # AB/mü, the signs of an author and a typist
    | (?<![\w.,])\d+(?:\.\d+)+-[A-Z](?![\w-])  # 12.345.678-A
    | (?<![\w/-])F(?:1[0-2]|[1-9])(?![\w/-])  # the key F5
    # Hauptstr. 14
    | (?<![\w-])[A-ZÄÖÜ][\w-]*(?:[Ss]tra(?:ß|ss)e|[Ss]tr\.|[Gg]asse|[Aa]llee)[ \u00a0]\d{1,4}[a-z]?(?!\w)
    # {count, plural, one {# file} other {# files}}
    | \{\s*+\w++\s*+,\s*+(?:plural|select|selectordinal|choice)\s*+,(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\}
    | \{\s*+\w++\s*+,\s*+(?:number|date|time|spellout|ordinal|duration)\s*+(?:,[^{}]*+)?\}  # {day, date, short}
    """,
    re.VERBOSE,
)
_TAG_NAME = re.compile(r"[{<](/?)([\w.:-]+)")
_ESCAPED_TAG = re.compile(r"&lt;/?[A-Za-z][\w:-]*(?:\s[^<>&]*+(?:&quot;[^<>&]*+)*+)?/?&gt;")
# "{% if user %}", "{% endif %}", "{{#list}}", "{{/list}}", "&lt;b&gt;", "&lt;/b&gt;": the end and the name.
_PAIRED_NAME = re.compile(r"(?:\{%-?\s*(?P<end>end)?|\{\{~?[#^]|(?P<slash>\{\{~?/|&lt;/)|&lt;)(?P<name>\w+)")
_TAG_ALONE = re.compile(r"\{%-?\s*(?:else|elif|elseif|elsif|empty|plural|when)\b|\{\{~?else\b|<\d")
# Entities of an apostrophe inside a word, and of quotation marks.
_ENTITY_OF_MARK = re.compile(
    r"(?<=\w)&(?:\#39|\#x27|apos|rsquo|\#8217|\#x2019);(?=\w)|&(?:quot|\#34|\#x22|ldquo|rdquo);"
)
NUMBERED_TAG = re.compile(r"\{/?(\d+)\}")  # of a segment: {1}, {/1}
_NUMBERED = re.compile(r"(?:\{/?\d+\}|<\d+\s*>)\Z")
# Inline elements of HTML. Any other lone "<name>" is a word: "git add <file>".
_MARKUP_NAME = re.compile(
    r"(?:a|abbr|b|bdi|bdo|big|br|cite|code|del|dfn|em|font|hr|i|img|ins|kbd|label|mark|p|q|s|samp|small|span|strike"
    r"|strong|sub|sup|tt|u|var|wbr)\Z",
    re.IGNORECASE,
)
# Signs whose category is not enough: bullets, section and paragraph signs.
_OTHER_SIGNS = frozenset("§¶•‣◦†‡")
_SIGN_CATEGORIES = frozenset({"Sc", "So", "Sm", "No"})
_MICRO = "µ\u03bc"  # micro sign and mu
_JOINING = frozenset("\ufe0e\ufe0f\u200d\u20e3\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")  # of emoji
_DEGREES = re.compile(r"°[CFKR](?!\w)")
_FOOTNOTE = re.compile(r"[^\W\d_]{4,}")  # a word before a raised number; formulas and units are shorter
# A raised number behind a word: "file<sup>1</sup>". In "km<sup>2</sup>" it belongs to the unit.
_FOOTNOTE_NUMBER = re.compile(
    r"(?<=[^\W\d_]{4})(?:<sup>\d{1,3}</sup>|\{(\d{1,4})\}\d{1,3}\{/\1\})(?!\w)", re.IGNORECASE
)
# "$1,250" and "1.250 $", but not "$1", which may be a placeholder.
_DOLLAR = re.compile(
    r"(?<![\w$])\$(?=[ ]?\d)(?!\d(?![\d.,]*\d|[kmb]|[ ]?(?:[mb]illi|trilli|thousand)))"
    r"|(?:(?<=\d)|(?<=\d[ ]))(?<!\$\d)\$(?![\w{($])"
)
_INCH = re.compile(r'(?<=\d)"')
_BLANK = re.compile(r"(?<!\w)_{3,}(?!\w)")  # to be filled in
# +49 (0)30 1234567-89, (030) 1234567, 0800/123456
_PHONE = re.compile(
    r"(?<![\w+.,-])(?:\+\d{1,3}[ \u00a0/-]?(?:\(\d{1,4}\)[ \u00a0]?)?\d{2,5}|\(0\d{1,4}\)|0\d{2,4})"
    r"(?:[ \u00a0/-]{1,3}\d{2,9}){1,5}(?![\w.,]*\w)"
)
# The label of a heading or of an item of a list: "a)", "(iii)", "2)", "B.", "IV.", "B.2"; not "1.", an ordinal number.
_LIST_LABEL = re.compile(
    r"^(?:\(?(?:[A-Za-z]|[ivx]{2,5}|[IVX]{2,5}|\d{1,3})\)|(?:[A-Z]|[IVX]{2,5})\.|[A-Z](?:\.\d{1,2}){1,3}\.?)"
    r"(?=[ \t\u00a0]+[^\W\d_])",
    re.MULTILINE,
)
_OPENING_MARKS = "([{„“”‚‘«»‹›\"'=<-/+&|*×→"
_MARKDOWN = re.compile(r"[*_`~]|==|\]\(")
_CLOSING_BRACKETS = ")]}"
_LETTER = re.compile(r"[^\W_]")
_ORDINAL_SUFFIX = re.compile(r"(?:st|nd|rd|th)(?![\w'’])")

Kind = Literal["open", "close", "lone", "placeholder", "address", "sign", "ordinal", "mark"]


@dataclass(frozen=True, slots=True)
class NonTranslatable:
    """A non-translatable `text` at `source[start:end]`.

    A pair is an "open" and a "close" whose `partner` is the index of the other; a tag without a partner is "lone". A
    formula, or a placeholder that models do not know, is an "address", because a model copies it by a name; a "sign" is
    put next to the same words again. An "ordinal" is the suffix of an ordinal number behind a placeholder; a
    "mark" is the entity of an apostrophe inside a word ("It&#39;s") or of a quotation mark, read as the mark.
    """

    start: int
    end: int
    text: str
    kind: Kind
    partner: int = -1

    @property
    def is_access_key(self) -> bool:
        """True if it is the sign of an access key."""
        return self.kind == "lone" and self.text in SIGNS

    @property
    def is_markup(self) -> bool:
        """True if it is a tag or access key rather than a word of the sentence."""
        return self.kind in ("open", "close", "lone")

    @property
    def is_kept(self) -> bool:
        """True if it stands for words of the sentence, and the translation has it, too."""
        return not self.is_markup and self.kind not in ("ordinal", "mark")


def placeholder_spans(text: str, own: tuple[str, ...] = ()) -> list[tuple[int, int]]:
    """The spans of the placeholders and tags in `text`, ascending."""
    return [match.span() for match in _placeholder_pattern(own).finditer(text)]


def placeholders(text: str, own: tuple[str, ...] = ()) -> list[str]:
    """The placeholders and tags in `text`, in order: "Copy %s to <b>{0}</b>" -> ["%s", "<b>", "{0}", "</b>"]."""
    return [match.group() for match in _placeholder_pattern(own).finditer(text)]


@lru_cache(maxsize=256)
def _placeholder_pattern(own: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"{_named_pattern(own).pattern}|{PLACEHOLDER.pattern}", re.VERBOSE)


@lru_cache(maxsize=256)
def _named_pattern(own: tuple[str, ...]) -> re.Pattern[str]:
    """The placeholders that models do not know, so that a name replaces them in requests."""
    longest_first = sorted(own, key=len, reverse=True)
    parts = [re.escape(text) + (r"(?!\w)" if text[-1:].isalnum() else "") for text in longest_first]
    return re.compile("|".join([*parts, ANYWHERE.pattern]), re.VERBOSE)


@lru_cache(maxsize=1024)
def nontranslatables(text: str, own: tuple[str, ...] = ()) -> tuple[NonTranslatable, ...]:
    """All non-translatable texts in `text`, in order and not overlapping.

    >>> [(element.text, element.kind) for element in nontranslatables("Copy %s to {1}it{/1}.")]
    [('%s', 'placeholder'), ('{1}', 'open'), ('{/1}', 'close')]
    """
    found: list[NonTranslatable] = []
    for start, minus_end, _, kind in sorted(
        [*_matches(text, own), *_signs(text), *_signs_at_digits(text), *_markdown(text)]
    ):
        if not found or start >= found[-1].end:
            end = -minus_end
            found.append(NonTranslatable(start, end, text[start:end], kind))
    if (key := access_key(text, [(element.start, element.end) for element in found])) is not None:
        place = bisect_left(found, key, key=lambda element: element.start)
        found.insert(place, NonTranslatable(key, key + 1, text[key], "lone"))
    paired = _with_ordinals(_paired(found), text)
    return tuple(
        replace(element, kind=_kind_of_lone(paired, number, text))
        if element.kind == "placeholder" or (element.partner < 0 and element.kind in ("open", "close"))
        else element
        for number, element in enumerate(paired)
    )


def kept_texts(text: str, own: tuple[str, ...] = ()) -> tuple[tuple[str, int], ...]:
    """The placeholders, addresses and signs in `text`, with their counts.

    >>> kept_texts("Copy %s and %s to /mnt/data.")
    (('%s', 2), ('/mnt/data', 1))
    """
    counts = Counter(element.text for element in nontranslatables(text, own) if element.is_kept)
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


def placeholder_difference(source: str, target: str, own: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """Placeholders that are "missing" or "extra" in `target`, or in the wrong order ("order").

    The order is wrong for an end before its beginning, and for ends without a beginning in another order than in the
    source. "changed" are the addresses and signs that occur less often in `target`; "key" is the sign of a missing or
    repeated access key.

    >>> placeholder_difference("{1}Open{/1} %s", "{/1}Öffnen{1}")
    {'missing': ('%s',), 'extra': (), 'order': ('{/1}',), 'changed': (), 'key': ()}
    """
    expected, found = (Counter(_placeholders_without_marks(text, own)) for text in (source, target))
    lone_ends, early = _closed_early(source), _closed_early(target)
    kept_ends = [text for text in early if text in set(lone_ends)]
    swapped = [text for text, before in zip(kept_ends, lone_ends, strict=False) if text != before]
    addresses = dict.fromkeys(
        element.text
        for element in nontranslatables(source, own)
        if element.text not in expected and (element.kind in ("address", "sign") or element.text.startswith("{%"))
    )
    key = next((element.start for element in nontranslatables(source) if element.is_access_key), None)
    return {
        "missing": tuple((expected - found).elements()),
        "extra": tuple((found - expected).elements()),
        "order": (
            *(text for text in early if text in expected and text not in lone_ends),
            *(swapped if len(kept_ends) == len(lone_ends) else ()),
        ),
        "changed": tuple(text for text in addresses if target.count(text) < source.count(text)),
        "key": key_difference(source, target, key),
    }


def _placeholders_without_marks(text: str, own: tuple[str, ...]) -> list[str]:
    return placeholders(_ENTITY_OF_MARK.sub("'", text) if "&" in text else text, own)


def placeholder_problem(source: str, target: str, own: tuple[str, ...] = ()) -> str:
    """The missing and extra placeholders of `target` as a sentence; "" if there are none."""
    difference = placeholder_difference(source, target, own)
    problems = []
    if missing := difference["missing"]:
        problems.append(f"Placeholders missing: {' '.join(missing)}")
    if extra := difference["extra"]:
        problems.append(f"Placeholders not in the source: {' '.join(extra)}")
    return ". ".join(problems)


def is_copied(text: str, own: tuple[str, ...] = ()) -> bool:
    """True if a translation of the text is the text itself: it has no letters outside of kept texts and tags.

    >>> is_copied("10 °C ± 0.5 %"), is_copied("✓"), is_copied("5 V")
    (True, True, False)
    """
    position = 0
    for element in nontranslatables(text, own):
        if _has_letter(text[position : element.start]):
            return False
        position = element.end
    return not _has_letter(text[position:])


def _matches(text: str, own: tuple[str, ...]) -> Iterator[tuple[int, int, int, Kind]]:
    for match in _named_pattern(own).finditer(text):
        yield match.start(), -match.end(), 0, "address"
    for match in PLACEHOLDER.finditer(text):
        yield match.start(), -match.end(), 0, "placeholder"
    for match in _FOOTNOTE_NUMBER.finditer(text):
        yield match.start(), -match.end(), 0, "sign"
    for match in _LIST_LABEL.finditer(text):
        yield match.start(), -match.end(), 2, "sign"
    for match in _BLANK.finditer(text):
        yield match.start(), -match.end(), 2, "address"
    for match in _PHONE.finditer(text):
        if sum(map(str.isdigit, match.group())) > 6:
            yield match.start(), -match.end(), 1, "address"
    for match in _ADDRESS.finditer(text):
        if _LETTER.search(match.group()):
            yield match.start(), -match.end(), 1, "lone" if _TAG_ALONE.match(match.group()) else "address"
    if "&" in text:
        for match in _ENTITY_OF_MARK.finditer(text):
            yield match.start(), -match.end(), -1, "mark"
        for match in _ESCAPED_TAG.finditer(text):
            yield match.start(), -match.end(), 0, "placeholder"


def _markdown(text: str) -> Iterator[tuple[int, int, int, Kind]]:
    """The delimiters of Markdown around words, and its code: strings of software and texts of programs have them, too.

    At letters and around names of programs ("__init__"), such signs belong to formulas, fields and names.
    """
    if not _MARKDOWN.search(text):
        return
    found = delimiters(text)
    for pair in found.pairs:
        before, behind = text[max(0, pair.start - 1) : pair.start], text[pair.end : pair.end + 1]
        inner = text[pair.inner_start : pair.inner_end]
        is_link = text[pair.start] in "[!"
        is_name = text[pair.start : pair.inner_start] == "__" and inner.isidentifier()
        is_emphasis = not behind.isalnum() and inner[:1] not in _CLOSING_BRACKETS and inner[-1:] not in "([{"
        if not is_name and not before.isalnum() and (is_link or is_emphasis):
            yield pair.start, -pair.inner_start, 3, "open"
            yield pair.inner_end, -pair.end, 3, "close"
    for start, end in found.codes:
        if text[start] == "`":
            yield start, -end, 0, "address"


def _signs(text: str) -> Iterator[tuple[int, int, int, Kind]]:
    """The signs that models do not know or turn into others, and the formulas and units with such signs."""
    if text.isascii():
        return
    at = 0
    while at < len(text):
        if not _is_sign(text[at]):
            at += 1
            continue
        start, end = at, at + 1
        while end < len(text) and (_is_sign(text[end]) or text[end] in _JOINING):
            end += 1
        kind: Kind = "sign"
        if degrees := _DEGREES.match(text, end - 1):
            end = degrees.end()
        elif unicodedata.category(text[at]) == "No" or text[at] in _MICRO:
            word_start, word_end = _word_around(text, start, end)
            if _FOOTNOTE.fullmatch(text, word_start, start) is None or word_end > end:
                start, end = word_start, word_end
                kind = "address" if _has_letter(text[start:end]) else "sign"
        yield start, -end, 2, kind
        at = end


def _signs_at_digits(text: str) -> Iterator[tuple[int, int, int, Kind]]:
    """Dollars, which models write twice ("$1.250 $"), and inches, unless these marks may be quotation marks."""
    signs = [*_DOLLAR.finditer(text)] if "$" in text else []
    if inches := [*_INCH.finditer(text)] if '"' in text else []:
        signs += inches if (text.count('"') - len(inches)) % 2 == 0 else []
    for match in signs:
        yield match.start(), -match.end(), 2, "sign"


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))


def _is_sign(character: str) -> bool:
    if character < "\x80":
        return False
    return character in _OTHER_SIGNS or character in _MICRO or unicodedata.category(character) in _SIGN_CATEGORIES


def _word_around(text: str, start: int, end: int) -> tuple[int, int]:
    while start and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return start, end


def _paired(found: list[NonTranslatable]) -> list[NonTranslatable]:
    """Pairs the tags: a closing tag belongs to the nearest unpaired opening tag of the same name."""
    paired = list(found)
    opened: list[tuple[str, int]] = []
    num_open: Counter[str] = Counter()
    for number, element in enumerate(found):
        if (name := _name_of_pair(element)) is None:
            continue
        key, is_end = name
        if not is_end:
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


def _name_of_pair(element: NonTranslatable) -> tuple[str, bool] | None:
    """The name that both tags of a pair have, and whether an element is the end; None if it has no partner.

    >>> _name_of_pair(NonTranslatable(0, 11, "{% endif %}", "address"))
    ('%if', True)
    """
    text = element.text
    if element.kind in ("open", "close"):  # of Markdown
        return "[" if text[0] in "![]" else text, element.kind == "close"
    if element.kind not in ("placeholder", "address") or text.endswith(("/>", "/&gt;")):
        return None
    if text.startswith(("{%", "{{", "&lt;")):
        name = _PAIRED_NAME.match(text)
        return None if name is None else (f"{text[1]}{name['name']}", bool(name["end"] or name["slash"]))
    name = _TAG_NAME.match(text) if element.kind == "placeholder" else None
    return None if name is None else (text[0] + name[2], bool(name[1]))


def _with_ordinals(found: Sequence[NonTranslatable], text: str) -> list[NonTranslatable]:
    """The same elements with the suffixes of ordinal numbers: "st" of "{place}st", but not of "21{1}st{/1}"."""
    made: list[NonTranslatable] = []
    num_added = 0
    places: list[int] = []  # of the given elements in the new list
    for element in found:
        places.append(len(made))
        made.append(element)
        is_word = element.kind in ("placeholder", "address") and not element.text.startswith(("<", "&", "\\", "{/"))
        is_apart = not text[max(0, element.start - 1) : element.start].isalnum()
        if is_word and is_apart and (suffix := _ORDINAL_SUFFIX.match(text, element.end)):
            made.append(NonTranslatable(*suffix.span(), suffix[0], "ordinal"))
            num_added += 1
    if not num_added:
        return made
    return [replace(each, partner=places[each.partner]) if each.partner >= 0 else each for each in made]


def _around(found: Sequence[NonTranslatable], number: int, text: str) -> tuple[str, str]:
    """The characters before and after an element, without the paired tags next to it."""
    first = last = number
    while first and found[first - 1].partner >= 0 and found[first - 1].end == found[first].start:
        first -= 1
    while last + 1 < len(found) and found[last + 1].partner >= 0 and found[last + 1].start == found[last].end:
        last += 1
    return text[max(0, found[first].start - 1) : found[first].start], text[found[last].end : found[last].end + 1]


def _kind_of_lone(found: Sequence[NonTranslatable], number: int, text: str) -> Kind:
    """ "lone" for a tag, "address" for an empty element in place of a word ("Click <icon/>"), else "placeholder"."""
    element = found[number]
    if element.kind in ("open", "close"):
        return "lone"
    if not _is_lone_tag(found, number, text):
        return "placeholder"
    name = _TAG_NAME.match(element.text)
    is_empty = element.text[0] == "<" and element.text.endswith("/>")
    if not is_empty or name is None or _MARKUP_NAME.match(name[2]) or (len(name[2]) == 1 and name[2].isalpha()):
        return "lone"
    return "lone" if _is_attached(found, number, text) else "address"


def _is_lone_tag(found: Sequence[NonTranslatable], number: int, text: str) -> bool:
    """True if an unpaired placeholder is a tag.

    A number in brackets is a tag if it is attached to a word ("file{2}"), otherwise a word ("Copy {1} to {2}").
    """
    element = found[number]
    if number + 1 < len(found) and found[number + 1].kind == "ordinal":
        return False
    if element.text[0] == "\\" or element.text.startswith(("{/", "</", "&lt;/")) or element.text.endswith("/>"):
        return True
    if _ESCAPED_TAG.fullmatch(element.text):
        return _MARKUP_NAME.match(element.text[4:-4].split()[0].rstrip("/")) is not None
    if element.text[0] == "<" and not _NUMBERED.match(element.text):
        name = _TAG_NAME.match(element.text)
        return name is not None and _MARKUP_NAME.match(name[2]) is not None
    return _NUMBERED.match(element.text) is not None and _is_attached(found, number, text)


def _is_attached(found: Sequence[NonTranslatable], number: int, text: str) -> bool:
    """True if an element touches a word, or the end of a sentence before it."""
    before, after = _around(found, number, text)
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
