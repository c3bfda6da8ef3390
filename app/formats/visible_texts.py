"""The texts of a document that a reader sees, for its coverage (`app.formats.coverage`).

They are found without the reader of the format, so that a text that the reader misses lowers the coverage:

- text: all letters
- Markdown: paragraphs, headings, lists, tables and text in HTML, as the parser library divides the file, title and
  description of the front matter
- HTML: all text of the page, and the attributes with text for readers
- subtitles: the lines of text
- InDesign: the texts of frames that are shown
- Word, PowerPoint, Excel, OpenDocument: the texts of body, headers, notes, comments, drawings and charts, alternative
  texts, and in Word index entries, prompts and tips of fields, titles of content
  controls, lists of choices, and WordArt

Code, and text that the file declares as not to be translated, does not count. Files of strings and files with sources
and targets declare what is to be translated; they have no coverage.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from html import unescape
from typing import Any, Final

from app.errors import DocumentError
from app.formats.file_format import FormattedFile
from app.formats.markup.front_matter import FIELDS
from app.formats.markup.html_attributes import attributes, is_translated, texts
from app.formats.office.docx_drawings import alt_texts
from app.formats.office.docx_hidden import hidden_texts
from app.formats.office.office_package import OfficeKind, OfficePackage
from app.formats.prose import ProseFile
from app.formats.software.yaml_scalars import strings_of
from app.formats.xml_text import tree
from app.i18n import Message

_INLINE_CODE = re.compile(r"(`+)[^`]+\1")
_TAG = re.compile(r"<[A-Za-z/!?][^<>]*+>|\{\\[^{}]*\}")  # of Markdown and subtitles

# HTML: the text between tags, outside of invisible elements and of code
_HTML = re.compile(
    r"""(?P<skip><!--.*?(?:-->|\Z)|<[!?][^>]*+>?)
    |</(?P<end>[A-Za-z][^\s/>]*+)[^>]*+>?
    |<(?P<start>[A-Za-z][^\s/>]*+)(?P<rest>(?:=\s*+"[^"]*"|=\s*+'[^']*'|[^>])*+)>?""",
    re.VERBOSE | re.DOTALL,
)
_UNSEEN: Final = {"script", "style", "template", "noscript", "object", "iframe", "math", "code", "kbd", "samp", "var"}
_RAW: Final = {"script", "style", "iframe"}
_EMPTY: Final = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
}  # fmt: skip

# Markdown: front matter, and invisible marks of extensions
_FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*[\r\n](.*?)(?<=[\r\n])\1[ \t]*(?:[\r\n]|\Z)", re.DOTALL)
_FIELD_PATHS: Final = {(name,) for name in FIELDS}
_UNSEEN_MARKS = re.compile(r"(?m)^:::.*$|^\[![A-Za-z]+\]|^\[[ xX]\] |\{[#.:][^{}]*\}[ \t]*$|\[\^[^\]\s]+\]")

# Subtitles: the line of times, in SubRip with the number above it
_TIMES = re.compile(r"[ \t]*[\d:.,]+[ \t]*-[ -]*>[ \t]*[\d:.,]+.*")
_NUMBER_AND_TIMES = re.compile(rf"(?m)^(?:[ \t]*\d+[ \t]*\r*\n)?{_TIMES.pattern}$")

# Office files: parts with text, elements with text, and elements whose text is there twice or not seen
_OFFICE: Final = OfficeKind("Office", "", "", Message("a Word document"))  # for messages; the file was read before
_PARTS = re.compile(
    r"""(?:wordprocessingml\.(?:(?:document|template)\.main|header|footer|footnotes|endnotes|comments)
    |presentationml\.(?:slide|notesSlide|comments)|spreadsheetml\.(?:worksheet|sharedStrings|comments)
    |drawingml\.(?:chart|diagramData)|openxmlformats-officedocument\.drawing)\+xml$""",
    re.VERBOSE,
)
_TEXT = re.compile(r"<(?:\w+:)?(?:t|text|v)(?:\s[^>]*)?(?<!/)>([^<]*)<")
_NUMBER = re.compile(r"[-+\d.]+[eE][-+]?\d+")
# Names in the charts of a workbook, which are texts of its cells
_OF_CELLS = re.compile(r"<(c:(?:multiLvlS|s)trRef)>.*?</\1>", re.DOTALL)
# Prompts to the author in masters and layouts
_PROMPT = re.compile(r"<p:sp>(?:(?!</p:sp>).)*<p:ph\b.*?</p:sp>", re.DOTALL)
_PROPERTY = re.compile(r"<\w+:(title|subject|description|keywords|category)>([^<]*)<")
_TWICE = re.compile(r"<(\w+:Fallback|\w+:moveFrom|(?:\w+:)?rPh)\b[^>]*(?<!/)>.*?</\1>", re.DOTALL)
_DELETED = re.compile(  # also forms, and the settings of indexes
    r"<(text:tracked-changes|office:forms|text:[\w-]+-source)\b[^>]*(?<!/)>.*?</\1>", re.DOTALL
)
_FIELD = re.compile(
    r"<text:([\w-]*(?:ref|number|count|date|time|get|title|name|initials|chapter|sequence))\b[^>]*(?<!/)>[^<]*</text:\1>"
)
_NOTE = re.compile(r"<text:note\b.*?</text:note>|<office:annotation\b.*?</office:annotation>", re.DOTALL)
_PARAGRAPH_END = re.compile(r"</(?:text:[ph]|svg:\w+)>|<text:(?:tab|line-break)\b[^>]*>")
# InDesign: frames, and invisible elements of stories
_FRAME = re.compile(r"<Text(?:Frame|Path)\b[^>]*>")
_ATTRIBUTE = re.compile(r"""\b(ParentStory|ItemLayer|Visible)=["']([^"']*)""")
_HIDDEN_LAYER = re.compile(r"""<Layer\b(?=[^>]*\sVisible=["']false)[^>]*\sSelf=["']([^"']*)""")
_UNSEEN_IN_STORY = re.compile(
    r"""<(Note|HiddenText|Change\b[^>]*"DeletedText)\b.*?</(?:Note|HiddenText|Change)>""", re.DOTALL
)
_ALTERNATIVE = re.compile(r"""<ObjectExportOption\b(?=[^>]*"SourceCustom")[^>]*\sCustomAltText="(?!\$ID/)([^"]*)""")
_CONTENT = re.compile(r"<Content>(.*?)</Content>", re.DOTALL)
_XML_TAG = re.compile(r"<[^<>]*>")
_DESCRIBED = re.compile(r"<(?:\w+:docPr|p:cNvPr|xdr:cNvPr)\b[^>]*>")


def of_text(document: FormattedFile) -> Iterator[str]:
    """The lines of a plain text."""
    yield from document.text.splitlines()


def of_subrip(document: FormattedFile) -> Iterator[str]:
    """The lines of subtitles, without their numbers and times."""
    yield from _TAG.sub(" ", _NUMBER_AND_TIMES.sub("", document.text)).splitlines()


def of_webvtt(document: FormattedFile) -> Iterator[str]:
    """The lines below the times of each block up to an empty line; other blocks are notes and styles."""
    for block in re.split(r"(?:\r*\n|\r)[ \t]*(?:\r*\n|\r)", document.text):
        lines = block.splitlines()
        times = next((number for number, line in enumerate(lines) if _TIMES.fullmatch(line)), None)
        if times is not None:
            yield _TAG.sub(" ", unescape("\n".join(lines[times + 1 :])))


def of_markdown(document: FormattedFile) -> Iterator[str]:
    """The texts between the marks of blocks, which only the parser library finds, with the front matter's fields."""
    yield from (_INLINE_CODE.sub("", line) for line in _front_matter_texts(document.text))
    parsed = document.parsed
    assert isinstance(parsed, ProseFile)
    for kind, content in parsed.read_texts:
        if kind == "html_block":
            yield from _seen_in_html(content)
        else:
            line = _INLINE_CODE.sub("", parsed.show(_UNSEEN_MARKS.sub("", content)))
            yield unescape(_TAG.sub(" ", line))


def _front_matter_texts(text: str) -> Iterator[str]:
    """The texts of front matter in YAML, TOML or JSON that readers see; none if it is not valid."""
    found = _FRONT_MATTER.match(text)
    try:
        if found and found[1] == "---":
            strings = strings_of(found[2], "")
            yield from (scalar.value for scalar, is_key in strings if not is_key and scalar.path[-1:] in _FIELD_PATHS)
            return
        data: Any = tomllib.loads(found[2]) if found else {}
        if text.startswith("{"):
            content, end = json.JSONDecoder(parse_int=str).raw_decode(text)
            data = {} if text[end:].partition("\n")[0].strip() else content
    except (DocumentError, ValueError, RecursionError):
        return
    waiting = [data]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield from (item[name] for name in FIELDS if isinstance(item.get(name), str))
        waiting += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()


def of_html(document: FormattedFile) -> Iterator[str]:
    """The text of the page, and its attributes with text for readers."""
    return _seen_in_html(document.text)


def _seen_in_html(text: str) -> Iterator[str]:
    position = start = 0
    hidden: list[str] = []  # names of the open invisible elements, and of elements of the same name inside
    while match := _HTML.search(text, position):
        if not hidden:
            yield unescape(text[start : match.start()])
        position = start = match.end()
        name = (match["start"] or match["end"] or "").lower()
        if match["end"] is not None:
            if hidden and hidden[-1] == name:
                hidden.pop()
        elif match["start"] is not None:
            found = attributes(match["rest"], match.start("rest"))
            is_unseen = name in _UNSEEN or is_translated(found) is False
            if name in _RAW:
                end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(text, position)
                position = start = end.start() if end else len(text)
            if name not in _EMPTY and (hidden[-1] == name if hidden else is_unseen):
                hidden.append(name)
            if not hidden or (len(hidden) == 1 and is_translated(found) is not False):
                yield from (unescape(value.raw) for value in texts(name, found))
    if not hidden:
        yield unescape(text[start:])


def of_office(document: FormattedFile) -> Iterator[str]:
    """The texts of Word, PowerPoint and Excel; those of properties if they are offered."""
    package = OfficePackage(document.data, "document", _OFFICE)
    slides = [part for part, kind in package.content_types().items() if kind.endswith("presentationml.slide+xml")]
    layouts = {each.part for slide in slides for each in package.relations(slide).values() if "Layout" in each.kind}
    masters = {each.part for layout in layouts for each in package.relations(layout).values() if "Master" in each.kind}
    shown_on_slides = layouts | masters
    for part, kind in package.content_types().items():
        is_master = part in shown_on_slides
        if (_PARTS.search(kind) or is_master) and package.has(part):
            xml = _TWICE.sub("", package.xml(part).text)
            xml = _PROMPT.sub("", xml) if is_master else xml
            xml = _OF_CELLS.sub("", xml) if part.startswith("xl/charts/") else xml
            yield from (
                unescape(value)
                for value in _TEXT.findall(xml)
                if not value.startswith("#") and not _NUMBER.fullmatch(value)
            )
            if "wordprocessingml" in kind:
                whole = package.xml(part).text
                yield from hidden_texts(tree(whole), whole)
            for tag in _DESCRIBED.findall(xml):
                yield from alt_texts(tree(tag if tag.endswith("/>") else f"{tag[:-1]}/>"))
    if "properties" in (document.format.reading.extras or ()):
        yield from (unescape(value) for _, value in _PROPERTY.findall(package.xml("docProps/core.xml").text))


def of_opendocument(document: FormattedFile) -> Iterator[str]:
    """The text of body, headers and footers, without deleted text and fields, which the program writes itself."""
    package = OfficePackage(document.data, "document", _OFFICE)
    for part, around in (("content.xml", "body"), ("styles.xml", "master-styles")):
        xml = package.xml(part).text if package.has(part) else ""
        content = re.search(rf"<office:{around}\b.*</office:{around}>", xml, re.DOTALL)
        if content:
            xml = _FIELD.sub("", _DELETED.sub("", content.group()))
            for paragraph in _PARAGRAPH_END.split("".join([_NOTE.sub("", xml), *_NOTE.findall(xml)])):
                yield unescape(_XML_TAG.sub(" ", paragraph))


def of_indesign(document: FormattedFile) -> Iterator[str]:
    """The text of stories that a visible frame shows; a group that is hidden hides none here."""
    package = OfficePackage(document.data, "document", _OFFICE)
    hidden = {*_HIDDEN_LAYER.findall(package.xml("designmap.xml").text)}
    parts = {name: package.xml(name).text for name in package.names if name.endswith(".xml") and "/" in name}
    shown = set()
    for xml in parts.values():
        for frame in _FRAME.findall(xml):
            found = dict(_ATTRIBUTE.findall(frame))
            if found.get("Visible") != "false" and found.get("ItemLayer") not in hidden:
                shown.add(found.get("ParentStory"))
    for name, xml in parts.items():
        yield from map(unescape, _ALTERNATIVE.findall(xml))
        if name.startswith("Stories/") and name[len("Stories/Story_") : -len(".xml")] in shown:
            for text in _CONTENT.findall(_UNSEEN_IN_STORY.sub("", xml)):
                yield unescape(_XML_TAG.sub(" ", text))


def without_tags(offered: str) -> str:
    """Offered subtitles without their tags."""
    return _TAG.sub(" ", offered)


def markdown_as_seen(offered: str) -> str:
    """Offered Markdown without code, tags and character references."""
    return unescape(_TAG.sub(" ", _INLINE_CODE.sub("", offered)))
