"""Texts in XML and HTML: their translatable paragraphs, and markup from the translations.

Tags inside a sentence stay in it: the translation protects them. Tags between paragraphs are copied.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from xml.parsers import expat

Markup = Literal["xml", "html"]
# Elements of HTML that begin or end a paragraph.
_BLOCKS: Final = (
    "address|article|aside|blockquote|body|br|caption|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|"
    "head|header|hr|html|legend|li|main|nav|ol|option|p|pre|section|select|summary|table|tbody|td|tfoot|th|thead|title|tr|ul"
)
# A comment without an end goes to the end of the text, as in browsers; else each "<!--" would be searched in vain.
_COMMENT: Final = r"<!--.*?(?:-->|\Z)"
_TAG: Final = re.compile(_COMMENT + r"|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[/!?]?[A-Za-z_:][^<>]*>", re.DOTALL)
_PROLOGUE: Final = re.compile(r"\s*+(?:<\?xml\s[^<>]*\?>\s*+)?(?:<!DOCTYPE\s[^<>\[]*>)?")
# The opening tags of elements that are copied.
_CODE: Final = re.compile(r"<(script|style|code|kbd|samp|var)\b[^<>]*>", re.IGNORECASE)
_KEPT: Final = re.compile(
    r"""<(\w+)\b[^<>]*\b(?:translate=["']no["']|class=["'](?=[^"'<>]*\bnotranslate\b)[^"'<>]*+["'])[^<>]*>""",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class MarkedParagraph:
    """A text to translate, without entities; `kept` are the elements that its lone tags replace."""

    text: str
    tags: tuple[str, ...]
    kept: tuple[tuple[str, str], ...]
    has_entities: bool
    is_plain: bool = False

    def markup(self, translation: str) -> str:
        """The translation as markup: tags are unchanged, everything else is escaped."""
        if self.is_plain:
            return translation
        parts = re.split("(" + "|".join(map(re.escape, self.tags)) + ")", translation) if self.tags else [translation]
        escaped = "".join(part if part in self.tags else self._escaped(part) for part in parts)
        for name, element in self.kept:
            escaped = escaped.replace(name, element)
        return escaped

    def _escaped(self, text: str) -> str:
        text = html.escape(text, quote=False)
        return text.replace("&amp;lt;", "&lt;").replace("&amp;gt;", "&gt;") if self.has_entities else text


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with markup, in parts: paragraphs, and the copied markup between them."""

    parts: tuple[MarkedParagraph | str, ...]

    @classmethod
    def of(
        cls, text: str, kind: Markup, ignored: Sequence[str] = (), splitting: Sequence[str] = (), *, is_whole: bool
    ) -> MarkedText:
        """`ignored` are elements that are copied, `splitting` those that separate paragraphs, besides those of HTML.

        With `is_whole`, the text is one paragraph.
        """
        kept: list[tuple[str, str]] = []
        openings = [_KEPT, _CODE] if kind == "html" else []
        if ignored:
            names = "|".join(map(re.escape, ignored))
            openings.insert(0, re.compile(rf"<({names})(?:\s[^<>]*)?(?<!/)>"))
        for opening in openings:
            text = _without_elements(text, opening, kept)
        blocks = "|".join([*([_BLOCKS] if kind == "html" else []), *map(re.escape, splitting)])
        if is_whole or not blocks:
            return cls((_paragraph(text, kept),))
        flags = re.DOTALL | (re.IGNORECASE if kind == "html" else 0)
        tag = rf"</?(?:{blocks})(?:\s[^<>]*)?/?>|{_COMMENT}|<![A-Z][^<>]*>"
        parts: list[MarkedParagraph | str] = []
        copied = 0
        for match in re.finditer(rf"(?:{tag})(?:\s*(?:{tag}))*|\Z", text, flags):
            before = text[copied : match.start()]
            # White space around a paragraph is copied.
            start, end = len(before) - len(before.lstrip()), len(before.rstrip())
            if start < end:
                parts += [before[:start], _paragraph(before[start:end], kept), before[end:]]
            else:
                parts.append(before)
            parts.append(match[0])
            copied = match.end()
        return cls(tuple(parts))

    @classmethod
    def plain(cls, text: str) -> MarkedText:
        """A text without markup, as one paragraph."""
        return cls((MarkedParagraph(text, (), (), has_entities=False, is_plain=True),))

    @property
    def paragraphs(self) -> list[MarkedParagraph]:
        """The paragraphs to translate, in order."""
        return [part for part in self.parts if isinstance(part, MarkedParagraph)]

    def markup(self, translations: Iterable[str]) -> str:
        """The text with the translations of its paragraphs."""
        left = iter(translations)
        return "".join(part.markup(next(left)) if isinstance(part, MarkedParagraph) else part for part in self.parts)


def xml_problem(text: str) -> str:
    """The first place at which the tags of a text are not those of XML, with the reason; empty if they all are.

    Entities are not checked, so that texts with "&nbsp;" or a lone "&" are accepted.

    >>> xml_problem("Save <b>all</i>")
    'character 14: mismatched tag'
    """
    root = "<x>"
    prologue = _PROLOGUE.match(text)
    start = prologue.end() if prologue else 0
    blank = " " * start + text[start:].replace("&", " ")  # of the same length, for the place
    data = f"{root}{blank}</x>".encode()
    parser = expat.ParserCreate("utf-8")
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        place = len(data[: parser.ErrorByteIndex].decode(errors="ignore")) - len(root) + 1
        return f"character {max(1, min(place, len(text)))}: {expat.ErrorString(error.code)}"
    return ""


def _without_elements(text: str, opening: re.Pattern[str], kept: list[tuple[str, str]]) -> str:
    """The text with a lone tag for each element that begins with `opening`; the elements are added to `kept`.

    An element without an end tag stays. One search for each name finds that: the time is linear in the text.
    """
    parts: list[str] = []
    copied = 0
    unclosed: set[str] = set()
    for match in opening.finditer(text):
        name = match[1]
        if match.start() < copied or name in unclosed:
            continue
        closing = re.compile(rf"</{re.escape(name)}\s*>", opening.flags).search(text, match.end())
        if closing is None:
            unclosed.add(name)
            continue
        tag = f'<kept id="{len(kept)}"/>'
        kept.append((tag, text[match.start() : closing.end()]))
        parts += [text[copied : match.start()], tag]
        copied = closing.end()
    return "".join([*parts, text[copied:]])


def _paragraph(text: str, kept: Iterable[tuple[str, str]]) -> MarkedParagraph:
    tags = _TAG.findall(text)
    plain = _unescaped(text)
    has_entities = _TAG.findall(plain) != tags  # such as "&lt;b&gt;": these stay, or they would become tags
    if has_entities:
        plain = _unescaped(text.replace("&lt;", "&amp;lt;").replace("&gt;", "&amp;gt;"))
    own = tuple((name, element) for name, element in kept if name in tags)
    return MarkedParagraph(plain, tuple(sorted(set(tags), key=len, reverse=True)), own, has_entities)


def _unescaped(text: str) -> str:
    """The text without entities, except inside of tags."""
    parts = re.split(f"({_TAG.pattern})", text, flags=re.DOTALL)
    return "".join(part if number % 2 else html.unescape(part) for number, part in enumerate(parts))
