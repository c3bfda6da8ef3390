"""Texts in XML and HTML: their translatable paragraphs, and markup from the translations.

Tags inside a sentence stay in it: the translation protects them. Tags between paragraphs are copied. A CDATA section is
translated as a part of its paragraph; one that is a whole paragraph and contains tags or entities is read as HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, count
from typing import Final
from xml.parsers import expat

from app.serving.constrained_texts import Answer, ConstrainedText, TextHypothesis
from app.serving.markup_tokens import CDATA, CDATA_END, LINE_ENDS, MarkupToken, Outline, paired
from app.tags.insert import insert_tags

# What the protection of tags, or a reader of the answer, takes for a tag.
_TAG: Final = re.compile(r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[/!?]?[A-Za-z_:][^<>]*>", re.DOTALL)
_ANGLE: Final = re.compile("&([lg]t;)")
_NUMBERED: Final = re.compile(r"\{/?(\d+)\}")
_MARKED: Final = re.compile(rf"{_TAG.pattern}|&#?\w++;", re.DOTALL)
_SPLIT_END: Final = f"]]{CDATA_END}{CDATA}>"  # "]]>" as two CDATA sections
_PROLOGUE: Final = re.compile(r"\s*+(?:<\?xml\s[^<>]*\?>\s*+)?(?:<!DOCTYPE\s[^<>\[]*>)?")


@dataclass(frozen=True, slots=True)
class MarkedParagraph:
    """A text to translate, without entities.

    `markup_of` is the markup of each tag, and of each name that replaces lone tags or a copied element. A name is a
    number such as "{1}", which models copy like a placeholder.
    """

    text: str
    markup_of: tuple[tuple[str, str], ...] = ()
    has_entities: bool = False
    is_plain: bool = False

    @classmethod
    def of(cls, tokens: Sequence[MarkupToken]) -> MarkedParagraph:
        """The paragraph of these tokens, with a space for each line break."""
        tokens = paired(tokens)
        texts = [LINE_ENDS.sub(" ", token.raw) if token.kind == "text" else "" for token in tokens]
        names = _free_names(html.unescape("".join(texts)))
        replaced: list[tuple[str, str]] = []
        tags: list[str] = []
        parts: list[tuple[str, bool]] = []
        for first, last in _runs(tokens):
            token = tokens[first]
            raw = "".join(each.raw for each in tokens[first:last])
            if token.kind in ("text", "line end"):
                parts.append((texts[first] or raw, not token.is_literal))
                continue
            short = next(names) if last > first + 1 or token.is_word else _short_tag(tokens, first)
            if token.kind == "skipped" and parts and parts[-1][1]:  # attached, it is not a word for the model
                parts[-1] = parts[-1][0].rstrip(" "), True
            if short != raw:
                replaced.append((short, raw))
            if short[0] == "<":
                tags.append(short)
            parts.append((short, False))
        text = "".join(_unescaped(parts))
        has_entities = _TAG.findall(text) != tags  # such as "&lt;b&gt;": these stay, or they would become tags
        if has_entities:
            kept = [(_ANGLE.sub(r"&amp;\1", part), is_text) for part, is_text in parts]
            text = "".join(_unescaped(kept))
        raw_of = {**{tag: tag for tag in tags}, **dict(replaced)}
        return cls(text, tuple(raw_of.items()), has_entities)

    def constrained(self, item: ConstrainedText) -> ConstrainedText:
        """The constraints for this text, with names in place of markup."""
        return item.with_texts(self._named) if self.markup_of else item

    def answer(self, answer: Answer) -> Answer:
        """The answer with markup in place of names."""
        return replace(answer, hypotheses=tuple(map(self._hypothesis, answer.hypotheses))) if self.markup_of else answer

    def markup(self, translation: str) -> str:
        """The translation as markup: tags are unchanged, everything else is escaped."""
        if self.is_plain:
            return translation
        markup = dict(self.markup_of)
        parts = [(markup.get(part, part), part in markup) for part in self._parts(translation)]
        ends = [number for number, part in enumerate(parts) if part == (CDATA_END, True)]
        made: list[str] = []
        literal_until = -1
        for number, (part, is_markup) in enumerate(parts):
            if part == CDATA and is_markup:
                literal_until = next((end for end in ends if end > number), -1)
            is_literal = number <= literal_until
            if is_markup and (is_literal or part not in (CDATA, CDATA_END)):
                made.append(part)
            elif not is_markup:
                made.append(part.replace(CDATA_END, _SPLIT_END) if is_literal else self._escaped(part))
        return "".join(made)

    def _parts(self, text: str) -> list[str]:
        """The text, tags and names of a translation, in turn."""
        names = sorted((name for name, _ in self.markup_of), key=len, reverse=True)
        return re.split("(" + "|".join(map(re.escape, names)) + ")", text) if names else [text]

    def _escaped(self, text: str) -> str:
        text = html.escape(text, quote=False)
        return text.replace("&amp;lt;", "&lt;").replace("&amp;gt;", "&gt;") if self.has_entities else text

    def _named(self, text: str) -> str:
        for name, markup in self.markup_of:
            text = text.replace(markup, name)
        return text

    def _hypothesis(self, hypothesis: TextHypothesis) -> TextHypothesis:
        markup, start = dict(self.markup_of), 0
        found: list[tuple[int, int, str]] = []
        for part in self._parts(hypothesis.text):
            if part in markup:
                found.append((start, start + len(part), markup[part]))
            start += len(part)
        made = insert_tags(hypothesis.text, (), found)
        placements = []
        for placed in hypothesis.placements:
            start, end = made.span(placed.start, placed.end)
            text = "".join(markup.get(part, part) for part in self._parts(placed.text))
            placements.append(replace(placed, text=text, form=made.text[start:end], start=start, end=end))
        return replace(hypothesis, text=made.text, placements=tuple(placements))


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with markup, in parts: paragraphs, and the copied markup between them."""

    parts: tuple[MarkedParagraph | str, ...]

    @classmethod
    def of(cls, text: str, outline: Outline, *, is_whole: bool = False) -> MarkedText:
        """The paragraphs that `outline` finds; with `is_whole`, the text is one paragraph."""
        tokens = outline.tokens(text)
        if is_whole:
            return cls((MarkedParagraph.of(tokens),))
        boundaries = outline.boundaries(tokens)
        parts: list[MarkedParagraph | str] = []
        paragraph: list[MarkupToken] = []
        for at, token in enumerate(tokens):
            if at not in boundaries:
                paragraph.append(token)
                continue
            parts += [*_trimmed(paragraph, outline), token.raw]
            paragraph = []
        return cls((*parts, *_trimmed(paragraph, outline)))

    @classmethod
    def plain(cls, text: str) -> MarkedText:
        """A text without markup, as one paragraph."""
        return cls((MarkedParagraph(text, is_plain=True),))

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


def _unescaped(parts: Iterable[tuple[str, bool]]) -> Iterator[str]:
    """The texts, with characters in place of their entities in those that may have entities."""
    return (html.unescape(part) if has_entities else part for part, has_entities in parts)


def _trimmed(tokens: Sequence[MarkupToken], outline: Outline) -> Iterator[MarkedParagraph | str]:
    """The paragraph of the tokens, and what is copied before and after it: white space, and comments and such."""
    first, last = 0, len(tokens)
    while first < last and _is_copied(tokens[first]):
        first += 1
    while last > first and _is_copied(tokens[last - 1]):
        last -= 1
    inner = list(tokens[first:last])
    if not any(token.has_text for token in inner):
        yield "".join(token.raw for token in tokens)
        return
    before, after = "".join(token.raw for token in tokens[:first]), "".join(token.raw for token in tokens[last:])
    for edge, strip in ((0, str.lstrip), (-1, str.rstrip)):
        if inner[edge].kind == "text":
            text = strip(inner[edge].raw)
            if edge:
                after = inner[edge].raw[len(text) :] + after
            else:
                before += inner[edge].raw[: len(inner[edge].raw) - len(text)]
            inner[edge] = replace(inner[edge], raw=text)
    if [token.name for token in inner] == [CDATA, "", CDATA] and _MARKED.search(inner[1].raw):
        content = MarkedText.of(inner[1].raw, replace(outline, kind="html"))
        yield from (before + CDATA, *content.parts, CDATA_END + after)
    else:
        yield from (before, MarkedParagraph.of(inner), after)


def _is_copied(token: MarkupToken) -> bool:
    return token.kind == "skipped" or (token.kind == "text" and not token.has_text)


def _runs(tokens: Sequence[MarkupToken]) -> Iterator[tuple[int, int]]:
    """The spans of the tokens; tags without text inside and between them, such as "<b><x/></b>", have one span."""
    num_others = [0, *accumulate(not (token.is_word or token.kind in ("open", "close")) for token in tokens)]

    def end_of(first: int) -> int:
        if tokens[first].kind == "open":
            last = tokens[first].partner + 1
            return last if num_others[last] == num_others[first] else first
        return first + tokens[first].is_word

    first = 0
    while first < len(tokens):
        last = first
        while last < len(tokens) and (end := end_of(last)) > last:
            last = end
        last = max(last, first + 1)
        yield first, last
        first = last


def _short_tag(tokens: Sequence[MarkupToken], at: int) -> str:
    """The tag; for a CDATA section, or attributes with ">", whose end the protection would miss, a tag without them."""
    token = tokens[at]
    opening = token if token.kind != "close" else tokens[token.partner]
    if ">" not in opening.raw[:-1] and opening.name != CDATA:
        return token.raw
    return f"</t{token.partner}>" if token.kind == "close" else f"<t{at}>"


def _free_names(text: str) -> Iterator[str]:
    """Names that do not occur in the text."""
    taken = {match[1] for match in _NUMBERED.finditer(text)}
    return (f"{{{number}}}" for number in count(1) if str(number) not in taken)
