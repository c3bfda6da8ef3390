"""Short, familiar names of inline tags: "**" and "<b>" are "B", "[" is "link"."""

from __future__ import annotations

import re

from app.formats.base import RawTags

MAX_CONTENT_CHARACTERS = 200
_MARKS = {"**": "B", "__": "B", "*": "I", "_": "I", "~~": "S", "![": "image", "[": "link", "<": "link"}
_ELEMENTS = {
    "b": "B", "strong": "B", "i": "I", "em": "I", "u": "U", "s": "S", "del": "S", "strike": "S",
    "sub": "sub", "sup": "sup", "a": "link", "hyperlink": "link", "img": "image", "drawing": "image", "pict": "image",
    "br": "line break", "lb": "line break", "tab": "tab", "code": "code", "kbd": "key",
    "footnoteReference": "footnote", "endnoteReference": "footnote",
}  # fmt: skip
# Formats of a run in Word, and hints of XLIFF and TMX; the first that is found names the tag.
_HINTS = (
    (re.compile(r"<w:(?:footnote|endnote)Reference\b"), "footnote"),
    (re.compile(r"<Footnote\b"), "footnote"),
    (re.compile(r"<(?:HyperlinkTextSource|CrossReferenceSource)\b"), "link"),
    (re.compile(r"<CharacterStyleRange\b[^>]*\sFontStyle=[\"'][^\"']*Bold"), "B"),
    (re.compile(r"<CharacterStyleRange\b[^>]*\sFontStyle=[\"'][^\"']*(?:Italic|Oblique)"), "I"),
    (re.compile(r"<a:hlink(?:Click|MouseOver)\b"), "link"),
    (re.compile(r"<a:br\b"), "line break"),
    (re.compile(r"<a:rPr\b[^>]*\sb=[\"']1"), "B"),
    (re.compile(r"<a:rPr\b[^>]*\si=[\"']1"), "I"),
    (re.compile(r"<a:rPr\b[^>]*\su=[\"'](?!none)"), "U"),
    (re.compile(r"<w:hyperlink\b|\bctype=[\"'](?:x-)?link|\btype=[\"']link"), "link"),
    (re.compile(r"<w:(?:drawing|pict)\b|\bctype=[\"']image"), "image"),
    (re.compile(r"<w:tab\b"), "tab"),
    (re.compile(r"<w:br\b|\bctype=[\"']lb"), "line break"),
    (re.compile(r"<w:b/>|<w:b w:val=[\"'](?:1|true)|\bc?type=[\"'](?:x-)?(?:bold|fmt:b)|\bsubType=[\"']xlf:b"), "B"),
    (
        re.compile(r"<w:i/>|<w:i w:val=[\"'](?:1|true|on)|\bc?type=[\"'](?:x-)?(?:italic|fmt:i)|\bsubType=[\"']xlf:i"),
        "I",
    ),
    (re.compile(r"<w:u\b|\bc?type=[\"'](?:x-)?underlined?|\bsubType=[\"']xlf:u"), "U"),
)
_PROTECTED = re.compile(r"<(?:\w+:)?mrk\b[^>]*\b(?:mtype|translate)=[\"'](?:protected|no)[\"'][^>]*>([^<]+)<")
_SHOWN = re.compile(r"\b(?:equiv-text|equiv|disp|dispStart)=(?:\"([^\"]+)\"|'([^']+)')")
_ELEMENT = re.compile(r"<(?:\w+:)?([A-Za-z][\w.-]*)")
_CODE = re.compile(r"(`+) ?(.+?) ?\1", re.DOTALL)
_KEPT_WORDS = re.compile(r"<(?:\w+:)?g\b[^>]*>([^<>]+)</(?:\w+:)?g>")  # of Android
_MAX_NAME_CHARACTERS = 24


def tag_name(start: str) -> str:
    """The name of a tag by its raw start tag; empty if the name would not be more useful than its number.

    >>> [tag_name(raw) for raw in ("**", "[", '<a href="x">', "`docker build`", "<w:r><w:rPr><w:i/></w:rPr>")]
    ['B', 'link', 'link', 'docker build', 'I']
    """
    raw = start.strip()
    if code := _CODE.fullmatch(raw):
        return _short(code[2])
    if kept := _KEPT_WORDS.fullmatch(raw):
        return _short(kept[1])
    if raw in _MARKS:
        return _MARKS[raw]
    if protected := _PROTECTED.match(raw):
        return _short(protected[1].strip())
    if found := next((name for hint, name in _HINTS if hint.search(raw)), ""):
        return found
    if shown := _SHOWN.search(raw):
        return _short(shown[1] or shown[2])
    element = _ELEMENT.match(raw)
    if element is None:
        return "image" if raw.startswith("![") else "link" if raw.startswith("[") else ""
    return _ELEMENTS.get(element[1], "")


def named_tags(tags: RawTags) -> dict[str, dict[str, str]]:
    """{"name", "content"} by number; the content is the raw start tag and, for a link, its address.

    >>> named_tags({"1": ("[", "](https://example.org)")})
    {'1': {'name': 'link', 'content': '[…](https://example.org)'}}
    """
    return {
        number: {"name": tag_name(start), "content": _content(start, end)[:MAX_CONTENT_CHARACTERS]}
        for number, (start, end) in tags.items()
    }


def _content(start: str, end: str | None) -> str:
    return start.strip() if end is None else f"{start.strip()}…{end.strip()}"


def _short(text: str) -> str:
    return text if len(text) <= _MAX_NAME_CHARACTERS else text[: _MAX_NAME_CHARACTERS - 1] + "…"
