"""Attributes of HTML tags: which contain readable text, which forbid translation, and how to write a value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from app.formats.base import Edit, splice
from app.formats.xml_text import escape

_ATTRIBUTE = re.compile(r"""([^\s=/>"']++)(?:\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++)))?""")
_ANYWHERE = frozenset(
    {"title", "aria-label", "aria-description", "aria-placeholder", "aria-roledescription", "aria-valuetext"}
)
_IN = {
    "alt": {"img", "area", "input"},
    "placeholder": {"input", "textarea"},
    "label": {"option", "optgroup", "track"},
    "abbr": {"th"},
}
# The title of these elements is the name of a style sheet.
_UNTITLED = {"link", "style"}
_BUTTONS = {"submit", "button", "reset"}
_META = {
    "description", "keywords", "og:title", "og:description", "og:image:alt", "twitter:title", "twitter:description",
    "twitter:image:alt",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """The raw value of an attribute without quotes, and its span in the file; `quote` is "" for an unquoted value."""

    name: str
    raw: str
    start: int
    end: int
    quote: str

    def edit(self, edits: Sequence[Edit]) -> Edit:
        """The edit of the file that replaces spans of `raw` by unescaped texts. An unquoted value gets quotes."""
        quote = self.quote or '"'
        reference = "&quot;" if quote == '"' else "&#39;"
        written = splice(self.raw, [(s, e, escape(text).replace(quote, reference)) for s, e, text in edits])
        return self.start, self.end, written if self.quote else f'"{written}"'


def attributes(rest: str, start: int) -> dict[str, Value]:
    """The attributes of a tag by lower-case name; `rest` is the tag after its name, at offset `start`.

    If a name is repeated, the first one counts, as in browsers.
    """
    found: dict[str, Value] = {}
    for match in _ATTRIBUTE.finditer(rest):
        number = match.lastindex or 1
        name = match[1].lower()
        if number > 1 and name not in found:
            quote = {2: '"', 3: "'"}.get(number, "")
            found[name] = Value(name, match[number], start + match.start(number), start + match.end(number), quote)
    return found


def is_translated(values: Mapping[str, Value]) -> bool | None:
    """True if the tag declares its element as translatable, False if not; None without a declaration."""
    declared = values["translate"].raw.strip().lower() if "translate" in values else ""
    if declared in ("yes", "no"):
        return declared == "yes"
    return False if "class" in values and "notranslate" in values["class"].raw.split() else None


def texts(tag: str, values: Mapping[str, Value]) -> list[Value]:
    """The values with readable text, in order; `tag` is the lower-case name of the element."""

    def given(name: str) -> str:
        return unescape(values[name].raw).strip().lower() if name in values else ""

    def is_text(name: str) -> bool:
        if name in _ANYWHERE:
            return tag not in _UNTITLED
        if name == "value":
            return tag == "input" and given("type") in _BUTTONS
        if name == "content":
            return tag == "meta" and (given("name") in _META or given("property") in _META)
        return tag in _IN.get(name, ())

    return [v for name, v in values.items() if is_text(name) and any(c.isalpha() for c in unescape(v.raw))]


class Zones:
    """Tracks, tag by tag, whether the current text is to be translated, by nested elements that declare it."""

    def __init__(self) -> None:
        self._zones: list[tuple[str, bool]] = []
        self._depths: dict[str, list[int]] = {}  # for each name, how deep in tags of that name its zones are

    @property
    def is_on(self) -> bool:
        """True if the current text is to be translated."""
        return not self._zones or self._zones[-1][1]

    @property
    def depth(self) -> int:
        """The number of open elements that change whether text is to be translated."""
        return len(self._zones)

    def start(self, name: str, declared: bool | None) -> None:
        """Enters an element, which may declare whether it is to be translated."""
        if declared is not None and declared != self.is_on:
            self._zones.append((name, declared))
            self._depths.setdefault(name, []).append(1)
        elif self._depths.get(name):
            self._depths[name][-1] += 1

    def end(self, name: str) -> None:
        """Leaves an element; the end of a zone also ends zones inside it that were left open."""
        depths = self._depths.get(name)
        if not depths:
            return
        depths[-1] -= 1
        closed = "" if depths[-1] == 0 else name
        while closed != name:
            closed, _ = self._zones.pop()
            self._depths[closed].pop()
