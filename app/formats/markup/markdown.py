"""Markdown: paragraphs, headings, list items and table cells as sentences; emphasis and links are `{1}…{/1}`.

markdown-it-py parses the blocks (CommonMark with tables). Texts of their own, after all others, are inline notes, the
titles of links, images and link definitions, and attributes in HTML blocks. Code and link definitions are not shown. Of
front matter, titles and descriptions are (`app.formats.markup.front_matter`). The syntax of extensions is not shown
either: task boxes, callout types, heading ids, footnote labels, the code of MDX. If a translation would start a list or
a cell, or contains HTML that the source lacks, it is escaped.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.errors import DocumentError
from app.formats.base import Edit, RawTags, Unit, UnitTranslation, line_of, one_line, splice
from app.formats.blocks import PARAGRAPH, Block, code
from app.formats.markup.front_matter import FrontText, front_matter_of
from app.formats.markup.markdown_html import is_kept, texts_of_block, values_of_block
from app.formats.markup.markdown_inline import inner_texts, marked_up, pairs, shown, typed_html_as_text
from app.formats.markup.mdx import is_mdx, without_code
from app.formats.prose import ProseFile, blanked
from app.i18n import Message
from app.text.encoding import decode_text
from app.text.markdown_delimiters import TITLE
from app.text.nontranslatables import placeholder_spans

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_HARD_BREAK = re.compile(r"\\\Z|(?<! ) {2,}\Z")
# Lengths are limited, because a search through many unterminated openings would take quadratic time.
_WHOLE = re.compile(
    r"""(?<!`)`++[^`]{1,500}`+
    |!?\[[^\]]{0,500}\](?:\([^)]{0,500}\)|\[[^\]]{0,500}\])?""",
    re.VERBOSE,
)
# Layout: a task box or callout type before a paragraph, an id after a heading, the line with a container's name, and
# the start of a definition or footnote.
_LEAD = re.compile(r"\[[ xX]\][ \t]+|\[![A-Za-z]+\][ \t]*")
_HEADING_ID = re.compile(r"\{[#.:][^{}]*\}\Z")
# The line above a note or tab of MkDocs: `!!! note "Title"`, `??? tip`, `=== "Tab"`.
_NOTE_OF_MKDOCS = re.compile(
    r'(?:(?:!!!|\?\?\?\+?)[ \t]+[a-z-]+(?:[ \t]+(?:inline|end))*|===[!+]?)(?:[ \t]+"(?P<title>[^"]*)")?[ \t]*\Z'
)
_APART = re.compile(r":::.*|: +(?=\S)|\ufffc\^[^\]\s]+\]:[ \t]*")
# CommonMark would parse "[^1]: One" as a link definition, so the parser sees another character instead of the bracket.
_FOOTNOTE = re.compile(r"(?m)^([ \t>]*)\[(?=\^[^\]\s]+\]:)")
_FOOTNOTE_LABEL = re.compile(r"(?m)^([ \t>]*)\ufffc\^[^\]\s]+\]:")
_ENDS = frozenset(".!?…:;,)”\"’'»«*_")  # of sentences and their parts
_NOTE_MARK = re.compile(rf"(?<=[{''.join(sorted(_ENDS))}])\[\^[^\]\s]+\]")
_DEFINED_TITLE = re.compile(rf"(?<=\s)(?:{TITLE})\s*\Z", re.DOTALL)
_BRACKET = re.compile(r"`[^`]++`|(?<!\\)[\[\]]")  # not in code
_BARE_PIPE = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"[>\s]*(?:(?:[-+*]|\d{1,9}[.)])[>\s]+)*")  # of quotes and list items
_BLOCK_START = re.compile(r"(?:[-+*>]|#{1,6}|(\d{1,9}))(?(1)[.)])(?=\s|\Z)|>")
_NO_LETTERS = re.compile(r"[\W\d_]*\Z")
MAX_LINES = 100_000  # 5 MiB of 52 characters each; the time to parse a line hardly depends on its content
MAX_ITEMS = 30_000  # a list item takes parsing time of a few other lines
MAX_MARKS = 300_000  # of _INLINE_MARKS; 15 for each of the largest number of segments
_INLINE_MARKS = "*_`~["
_LIST_ITEM = re.compile(r"(?m)^[ \t>]*(?:[-+*]|\d{1,9}[.)])[ \t]")
_MAX_NESTING = 20  # more levels of quotes or lists than in real documents; each takes parsing time


@dataclass(frozen=True)
class MarkdownFile(ProseFile):
    """A Markdown file; `front` are the texts of its front matter by place.

    `inner` are the spans of notes and titles inside of other texts. Their places begin after the end of the file.
    """

    front: Mapping[tuple[int, int], FrontText] = field(default_factory=dict, repr=False)
    inner: Sequence[tuple[int, int]] = field(default=(), repr=False)

    def source(self, start: int, end: int) -> str:
        """The text from start to end as one line, as shown to the user."""
        text = self.front.get((start, end))
        return text.source if text else super().source(*self._span(start, end))

    def tags(self, start: int, end: int) -> RawTags:
        """The tags of the source at a place."""
        return {} if (start, end) in self.front else super().tags(*self._span(start, end))

    def describe(self, start: int) -> str:
        """The line number, from 1."""
        return super().describe(self._span(start, start)[0])

    def _edits(self, translations: Sequence[UnitTranslation], language: str | None) -> list[Edit]:
        in_front = [self.front[t.start, t.end].edit(t.text) for t in translations if (t.start, t.end) in self.front]
        behind = len(self.decoded.text)
        inner = [self._inner_edit(t) for t in translations if t.start > behind]
        others = [t for t in translations if (t.start, t.end) not in self.front and t.start < behind]
        return in_front + self._edits_around(inner, others)

    def _inner_edit(self, translation: UnitTranslation) -> Edit:
        """The translation of a note or title, in which the mark that would end it is escaped."""
        text = self.decoded.text
        start, end = self._span(translation.start, translation.end)
        opening = text[self.inner[bisect_right(self.inner, (start, len(text))) - 1][0] - 1]
        line = one_line(translation.text)
        if text[start - 2 : start - 1] == "=":  # an attribute of HTML
            return start, end, line.replace(opening, "&quot;" if opening == '"' else "&#39;")
        if opening == "[" and not _are_brackets_closed(line):
            line = _BRACKET.sub(lambda found: found[0] if found[0][0] == "`" else f"\\{found[0]}", line)
        line = self.mark_up(self._line(start, end), line)
        if opening != "[":
            line = re.sub(r"(?<!\\)[()]" if opening == "(" else rf"(?<!\\){opening}", r"\\\g<0>", line)
        return start, end, self.lay_out(text, start, end, line)

    def _span(self, start: int, end: int) -> tuple[int, int]:
        """The span of a place in the text."""
        behind = len(self.decoded.text) + 1
        return (start - behind, end - behind) if start >= behind else (start, end)


def parse(data: bytes, name: str, encoding: str | None = None) -> MarkdownFile:
    """Parses a Markdown file in any common encoding."""
    decoded = decode_text(data, name, DocumentError, encoding)
    text = decoded.text
    front = front_matter_of(text, name)
    begin = front.end
    starts = [match.start() for match in _LINE.finditer(text, begin)]
    _check_size(text[begin:], len(starts) - 1, name)  # the last start is the end
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table").disable(["inline", "text_join"])
    units: list[Unit] = []
    inner: list[tuple[int, int]] = []
    values: list[tuple[int, int]] = []  # of attributes
    joints: list[tuple[int, int]] = []
    cells: list[tuple[int, int]] = []
    blocks: list[Block] = []
    # One character for each line end, so that line numbers and offsets agree with the parser.
    body = re.sub(r"\r\n|\r", "\n", text[begin:]).replace("\0", "\ufffd")
    body = _FOOTNOTE.sub("\\1\ufffc", body)
    has_components = is_mdx(body, name)
    if has_components:
        body = without_code(body, is_mdx=True)
        parser.disable(["code", "html_block"])  # texts inside of components may be indented
    environment: dict[str, dict[str, Any]] = {}
    tokens = parser.parse(body, environment)
    labels = frozenset(environment.get("references", ()))
    if deep := next((token for token in tokens if token.nesting == 1 and token.level >= _MAX_NESTING - 1), None):
        raise DocumentError(
            "{name}, {place}: quotes or lists are nested too deeply: reduce the nesting and open the file again",
            name=name,
            place=line_of(text, starts[deep.map[0]] if deep.map else 0),
        )
    for block, token in _blocks(tokens):
        assert token.map is not None
        position = starts[token.map[0]]
        if block.kind == "code":
            blocks.append(code(token.content, position))
            continue
        num_before = len(units)
        limit = starts[token.map[1]] if token.map[1] < len(starts) else len(text)
        stretches = _stretches(text, token.content, position, limit, units)
        if token.type == "html_block":
            stretches = _html_stretches(text, position, limit, values)
        for start, end, soft, hard in stretches:
            source = blanked(text, start, end, sorted([*soft, *hard]))
            if token.type == "html_block" and shown(source, labels).text != source:
                continue  # signs that are Markdown elsewhere
            source = _NOTE_MARK.sub(lambda mark: " " * len(mark.group()), source)
            joints += soft
            found = inner_texts(source, labels)
            inner += [(start + first, start + last) for first, last in found]
            source = splice(source, [(s, e, " " * (e - s)) for s, e in _notes_after_sentences(source, found)])
            if _NO_LETTERS.match(source) or _NO_LETTERS.match(shown(source, labels).text):
                continue
            breaks = tuple((first - start, last - start) for first, last in hard)
            units.append(Unit(start, end, source, whole=_whole(source, labels), breaks=breaks))
            if block.kind == "cell":
                cells.append((start, end))
        if len(units) > num_before:
            blocks.append(block.at(units[num_before].start, units[-1].end))
    fields = [found.unit for found in front.texts]
    own_values = {span for span in values if not _is_in_unit(span, units)}
    inner = sorted(
        span for span in [*inner, *values, *_titles(environment, starts, text)] if not _NO_LETTERS.match(text, *span)
    )
    own = []
    for start, end in inner:
        within = joints[bisect_left(joints, (start, start)) : bisect_left(joints, (end, end))]
        source = blanked(text, start, end, within)
        own.append(Unit(start + len(text) + 1, end + len(text) + 1, source, whole=_whole(source, labels)))
    return MarkdownFile(
        decoded,
        [*fields, *units, *own],
        joints,
        show=lambda line: shown(line, labels).text,
        find_tags=lambda line: shown(line, labels).tags,
        mark_up=lambda line, translation: marked_up(line, labels, one_line(translation)),
        lay_out=lambda text, start, end, translation: _lay_out(
            cells, text, start, typed_html_as_text(text[start:end], translation, is_mdx=has_components)
        ),
        blocks=[
            *(Block("entry", field.start, field.end, label=field.note) for field in fields),
            *blocks,
            *(PARAGRAPH.at(unit.start, unit.end) for unit in own),
        ],
        read_texts=[
            *(
                (token.type, _FOOTNOTE_LABEL.sub(r"\1", token.content))
                for token in tokens
                if token.type in ("inline", "html_block")
            ),
            *(("inline", text[start:end]) for start, end in inner if (start, end) not in own_values),
        ],
        remarks=[front.problem, front.other],
        inner=inner,
        front={(found.unit.start, found.unit.end): found for found in front.texts},
    )


def _notes_after_sentences(source: str, found: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans of inline notes with their marks that follow the end of a sentence, out of the inner texts found."""
    for start, end in found:
        if source.startswith("^[", start - 2) and source[start - 3 : start - 2] in _ENDS:
            yield start - 2, end + 1


def _titles(
    environment: Mapping[str, Mapping[str, Any]], starts: Sequence[int], text: str
) -> Iterator[tuple[int, int]]:
    """The spans of the titles of link definitions."""
    for definition in environment.get("references", {}).values():
        first, last = definition["map"]
        end = starts[last] if last < len(starts) else len(text)
        title = _DEFINED_TITLE.search(text, starts[first], end) if definition["title"] else None
        if title is not None:
            yield title.start() + 1, title.start() + len(title.group().rstrip()) - 1


def _are_brackets_closed(line: str) -> bool:
    depth = 0
    for bracket in _BRACKET.findall(line):
        depth += {"[": 1, "]": -1}.get(bracket, 0)
        if depth < 0:
            return False
    return not depth


def _check_size(text: str, num_lines: int, name: str) -> None:
    """Raises DocumentError for a text that takes many seconds to parse."""
    for number, limit, what in (
        (num_lines, MAX_LINES, Message("lines")),
        (sum(1 for _ in _LIST_ITEM.finditer(text)), MAX_ITEMS, Message("list items")),
        (sum(map(text.count, _INLINE_MARKS)), MAX_MARKS, Message("signs such as * and `")),
    ):
        if number > limit:
            raise DocumentError(
                "{name} has more than {limit:,} {what}, the limit for Markdown: split the file and open the parts "
                "one by one",
                name=name,
                limit=limit,
                what=what,
            )


def _lay_out(cells: Sequence[tuple[int, int]], text: str, start: int, line: str) -> str:
    """The translation, which is one line, escaped so that it does not start a cell, list or quote."""
    nearest = bisect_right(cells, (start, len(text))) - 1
    if nearest >= 0 and start < cells[nearest][1]:
        return _BARE_PIPE.sub(r"\\|", line)
    before = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]
    begins = _MARKS.fullmatch(before) and not _BLOCK_START.match(text, start)
    found = _BLOCK_START.match(line) if begins else None
    if found is None:
        return line
    at = len(found[1] or "")
    return f"{line[:at]}\\{line[at:]}"


def _blocks(tokens: list[Token]) -> Iterator[tuple[Block, Token]]:
    """All tokens with text, each with its block, without positions."""
    depth = table = row = column = 0
    around = PARAGRAPH
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open", "bullet_list_close", "ordered_list_close"):
            depth += token.nesting
        elif token.type == "heading_open":
            around = Block("heading", level=int(token.tag[1:]))
        elif token.type == "table_open":
            table += 1
        elif token.type == "tr_open":
            row, column = row + 1, 0
        elif token.type in ("td_open", "th_open"):
            around = Block("cell", row=(table, row), column=column)
            column += 1
        elif token.type == "paragraph_open":
            around = Block("item", level=depth) if depth else PARAGRAPH
        elif token.map and token.type == "inline":
            yield around, token
        elif token.map and token.type in ("fence", "code_block"):
            yield Block("code"), token
        elif token.map and token.type == "html_block" and not is_kept(token.content):
            yield PARAGRAPH, token


def _html_stretches(
    text: str, position: int, limit: int, values: list[tuple[int, int]]
) -> Iterator[tuple[int, int, list[tuple[int, int]], list[tuple[int, int]]]]:
    """As `_stretches`, for an HTML block; the spans of its attributes are added to `values`."""
    values += values_of_block(text, position, limit)
    for start, end, soft in texts_of_block(text, position, limit):
        yield start, end, soft, []


def _is_in_unit(span: tuple[int, int], units: Sequence[Unit]) -> bool:
    nearest = bisect_right(units, span[0], key=lambda unit: unit.start) - 1
    return nearest >= 0 and span[0] < units[nearest].end


def _stretches(
    text: str, content: str, position: int, limit: int, before: list[Unit]
) -> Iterator[tuple[int, int, list[tuple[int, int]], list[tuple[int, int]]]]:
    """Start, end, line ends and hard line breaks of the parts of `content` between two offsets of the text."""
    if before:
        position = max(position, before[-1].end)  # cells of one row share their line
    start = -1
    end = position
    soft: list[tuple[int, int]] = []
    hard: list[tuple[int, int]] = []
    is_after_hard = False
    for number, line in enumerate(content.split("\n")):
        if note := _NOTE_OF_MKDOCS.match(line):
            if start >= 0:
                yield start, end, soft, hard
                start, soft, hard = -1, [], []
            at = text.find(note["title"], end, limit) if note["title"] else -1
            if at >= 0:
                end = at + len(note["title"])
                yield at, end, [], []
            continue
        if apart := _APART.match(line):
            if start >= 0:
                yield start, end, soft, hard
                start, soft, hard = -1, [], []
            line = line[apart.end() :]
        elif number == 0 and (lead := _LEAD.match(line)):
            line = line[lead.end() :]
        is_hard = _HARD_BREAK.search(line)
        words = _HEADING_ID.sub("", line[: is_hard.start()] if is_hard else line).strip()
        if not words:
            continue
        at = text.find(words, end, limit)
        if at < 0:
            words = words.replace("|", "\\|")  # a pipe in a cell
            at = text.find(words, end, limit)
        if at < 0:
            break  # the parser has changed the text, such as a tab in the indentation of a list: leave it untranslated
        if start >= 0:
            (hard if is_after_hard else soft).append((end, at))
        else:
            start = at
        end = at + len(words)
        is_after_hard = is_hard is not None
    if start >= 0:
        yield start, end, soft, hard


def _whole(source: str, labels: Collection[str]) -> tuple[tuple[int, int], ...]:
    """The merged spans of links, code, emphasis and placeholders, in which no sentence ends, ascending."""
    spans = [*(match.span() for match in _WHOLE.finditer(source)), *placeholder_spans(source)]
    spans += [(start - 1, end + 1) for start, end in inner_texts(source, labels)]
    spans = sorted([*spans, *((pair.start, pair.end) for pair in pairs(source, labels))])
    apart: list[tuple[int, int]] = []
    for start, end in spans:
        if apart and start < apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        else:
            apart.append((start, end))
    return tuple(apart)
