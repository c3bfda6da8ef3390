"""Files that were made to cost time or memory: each kind in any size, with what it repeats."""
# ruff: noqa: E501 - a table with a kind in each line

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

MANY = 100_000
MILLION = 1_000_000
TEXT_BYTES = 5 * 2**20  # of the largest text file that is opened
LONGEST_RANDOM = 200_000


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of hostile file: `make(size)` has `size` of `what`; `largest` is a size that somebody may try."""

    what: str
    name: str
    largest: int
    make: Callable[[int], bytes]


def _zip(parts: dict[str, str], stored: str = "") -> bytes:
    """An archive of these parts; the one named `stored` comes first and is not compressed."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(parts, key=lambda name: name != stored):
            method = zipfile.ZIP_STORED if name == stored else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name), parts[name], method)
    return target.getvalue()


_DECLARED = '<?xml version="1.0" encoding="UTF-8"?>\n'
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATED = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def _package(main: str, content: str, parts: dict[str, tuple[str, str]], relations: str = "") -> bytes:
    """An Office file: the main part with its content type, and other parts by name with theirs."""
    everything = {main: (content, parts.pop(main)[1])} | parts
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, (kind, _) in everything.items()
    )
    folder, _, file = main.rpartition("/")
    return _zip(
        {
            "[Content_Types].xml": f'{_DECLARED}<Types xmlns="{_TYPES}"><Default Extension="rels" ContentType="'
            f'application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>',
            "_rels/.rels": f'{_DECLARED}<Relationships xmlns="{_RELATED}"><Relationship Id="r1" '
            f'Type="{_OFFICE}/officeDocument" Target="{main}"/></Relationships>',
            f"{folder}/_rels/{file}.rels": f'{_DECLARED}<Relationships xmlns="{_RELATED}">{relations}</Relationships>',
            **{name: text for name, (_, text) in everything.items()},
        }
    )


def word(body: str) -> bytes:
    """A Word document with this body."""
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    text = f'{_DECLARED}<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    return _package("word/document.xml", kind, {"word/document.xml": (kind, text)})


def workbook(rows: str, texts: list[str]) -> bytes:
    """An Excel workbook of one sheet with these rows, and shared texts."""
    base = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    shared = "".join(f"<si><t>{text}</t></si>" for text in texts)
    parts = {
        "xl/workbook.xml": (
            f"{base}.sheet.main+xml",
            f'{_DECLARED}<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets><sheet name="A" sheetId="1" '
            'r:id="r1"/></sheets></workbook>',
        ),
        "xl/worksheets/sheet1.xml": (
            f"{base}.worksheet+xml",
            f'{_DECLARED}<worksheet xmlns="{_SHEET}"><sheetData>{rows}</sheetData></worksheet>',
        ),
        "xl/sharedStrings.xml": (f"{base}.sharedStrings+xml", f'{_DECLARED}<sst xmlns="{_SHEET}">{shared}</sst>'),
    }
    relations = (
        f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="r2" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    )
    return _package("xl/workbook.xml", f"{base}.sheet.main+xml", parts, relations)


def open_document(body: str, kind: str = "text") -> bytes:
    """An OpenDocument file with this body."""
    base = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'{_DECLARED}<office:document-content xmlns:office="{base}:office:1.0" xmlns:text="{base}:text:1.0" '
        f'xmlns:table="{base}:table:1.0" office:version="1.3"><office:body><office:{kind}>{body}</office:{kind}>'
        "</office:body></office:document-content>"
    )
    mimetype = f"application/vnd.oasis.opendocument.{kind}"
    return _zip(
        {"mimetype": mimetype, "content.xml": content, "META-INF/manifest.xml": f"{_DECLARED}<manifest/>"}, "mimetype"
    )


def indesign(story: str) -> bytes:
    """An InDesign document with one frame and this story."""
    package = "http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging"
    spread = (
        f'{_DECLARED}<idPkg:Spread xmlns:idPkg="{package}"><Spread Self="s"><Page Self="p" Name="1" '
        'GeometricBounds="0 0 800 600" ItemTransform="1 0 0 1 0 0"/><TextFrame Self="f" ParentStory="u1" '
        'ItemTransform="1 0 0 1 0 0"/></Spread></idPkg:Spread>'
    )
    return _zip(
        {
            "mimetype": "application/vnd.adobe.indesign-idml-package",
            "designmap.xml": f'{_DECLARED}<Document xmlns:idPkg="{package}" Self="d"><idPkg:Spread '
            'src="Spreads/Spread_s.xml"/><idPkg:Story src="Stories/Story_u1.xml"/></Document>',
            "Spreads/Spread_s.xml": spread,
            "Stories/Story_u1.xml": f'{_DECLARED}<idPkg:Story xmlns:idPkg="{package}"><Story Self="u1">{story}</Story>'
            "</idPkg:Story>",
        },
        "mimetype",
    )


def _xliff(source: str) -> bytes:
    return (
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en" '
        f'target-language="de" datatype="plaintext"><body><trans-unit id="1"><source>{source}</source></trans-unit>'
        "</body></file></xliff>"
    ).encode()


def _xliff_tags(size: int) -> bytes:
    return _xliff("".join(f'word <g id="{number}">bold</g> ' for number in range(size // 2)))


def _story(ranges: str) -> str:
    return f'<ParagraphStyleRange AppliedParagraphStyle="n">{ranges}</ParagraphStyleRange>'


def _yaml_bomb(size: int) -> bytes:
    lines = ["a0: &a0 [text here, text here]"]
    lines += [f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 9)}]" for number in range(1, max(size, 2))]
    return "\n".join(lines).encode()


def _random_markdown(size: int, signs: str = "*_~`[]()<>!|#-+>\\{}&:.0 \n\n\tab$^=\"'/") -> bytes:
    random = Random(size)
    return "".join(random.choices(signs, k=size)).encode()


def _repeated(text: str, before: str = "", after: str = "") -> Callable[[int], bytes]:
    return lambda size: (before + text * size + after).encode()


def _numbered(text: str, before: str = "", after: str = "") -> Callable[[int], bytes]:
    """`text` with each number in the place of "#"."""
    return lambda size: (before + "".join(text.replace("#", str(number)) for number in range(size)) + after).encode()


def _nested(
    opening: str, closing: str, before: str = "", inside: str = "text", after: str = ""
) -> Callable[[int], bytes]:
    return lambda size: (before + opening * size + inside + closing * size + after).encode()


def _fitting(text: str) -> int:
    """How many times the text fits in the largest text file."""
    return (TEXT_BYTES - 1000) // len(text)


_PO_HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
_ASS_HEADER = "[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Text\n"
_RUN = '<w:r><w:rPr><w:b w:val="{}"/></w:rPr><w:t xml:space="preserve">word </w:t></w:r>'
_RANGE = '<CharacterStyleRange FontStyle="#"><Content>word </Content></CharacterStyleRange>'
_MARKS = (
    "<!-- x", "_a_a_a ", "*a ", "**a ", "[a ", "![a](b ", "`a", "``a ` ", "~~a", "<a ", "[a][", "![", "a](b) ", "_*a ", "*a_ ",
    "{{< a", "[a](<b", "&a", "\\", "http://a", "![[", "*_", "a**b", "***a b*** ",
)  # fmt: skip

KINDS = (
    Kind("elements in one segment", "a.xml", MANY, _repeated("<b>a</b> ", "<a><p>", "</p></a>")),
    Kind("empty elements in one segment", "a.xml", MANY, _repeated("a<b/>", "<a><p>", "</p></a>")),
    Kind("elements in one another", "a.xml", MANY, _nested("<b>", "</b>", "<a>", after="</a>")),
    Kind("attributes of one element", "a.xml", MANY, _numbered(' a#="b"', "<a><p", ">text</p></a>")),
    Kind("namespaces of one element", "a.xml", MANY, _numbered(' xmlns:a#="b"', "<a><p", ">text</p></a>")),
    Kind("runs in one paragraph", "a.docx", MANY, lambda size: word(f"<w:p>{''.join(_RUN.format(n % 2) for n in range(size))}</w:p>")),
    Kind("runs of one look", "a.docx", MANY, lambda size: word(f"<w:p>{_RUN.format(1) * size}</w:p>")),
    Kind("tables in one another", "a.docx", 10_000, lambda size: word("<w:tbl><w:tr><w:tc>" * size + "<w:p><w:r><w:t>text</w:t></w:r></w:p>" + "<w:p/></w:tc></w:tr></w:tbl>" * size)),
    Kind("paragraphs", "a.docx", MANY, lambda size: word("<w:p><w:r><w:t>Some text.</w:t></w:r></w:p>" * size)),
    Kind("cells", "a.xlsx", MILLION, lambda size: workbook("".join(f"<row>{'<c><v>1</v></c>' * 1000}</row>" for _ in range(size // 1000 or 1)), ["text"])),
    Kind("cells with text", "a.xlsx", MILLION, lambda size: workbook("".join("<row>" + '<c t="s"><v>0</v></c>' * 1000 + "</row>" for _ in range(size // 1000 or 1)), ["text"])),
    Kind("different texts", "a.xlsx", MILLION, lambda size: workbook("".join(f'<row><c t="s"><v>{n}</v></c></row>' for n in range(size)), [f"text {n}" for n in range(size)])),
    Kind("rich runs in one text", "a.xlsx", MANY, lambda size: workbook('<row><c t="s"><v>0</v></c></row>', ["</t></si><si>" + "<r><rPr><b/></rPr><t>a</t></r><r><t>b</t></r>" * (size // 2) + "</si><si><t>"])),
    Kind("times that a cell is repeated", "a.ods", 16_384, lambda size: open_document('<table:table>' + (f'<table:table-row table:number-rows-repeated="{size}"><table:table-cell table:number-columns-repeated="{size}"><text:p>word</text:p></table:table-cell></table:table-row>') * 100 + "</table:table>", "spreadsheet")),
    Kind("spans in one paragraph", "a.odt", MANY, lambda size: open_document(f"<text:p>{'<text:span>a</text:span> b ' * size}</text:p>")),
    Kind("spans in one another", "a.odt", 10_000, lambda size: open_document(f"<text:p>{'<text:span>' * size}text{'</text:span>' * size}</text:p>")),
    Kind("spaces of one element", "a.odt", 10**9, lambda size: open_document(f'<text:p>a<text:s text:c="{size}"/>b</text:p>')),
    Kind("ranges in one paragraph", "a.idml", MANY, lambda size: indesign(_story("".join(_RANGE.replace("#", str(n % 3)) for n in range(size))))),
    Kind("paragraphs in one range", "a.idml", MANY, lambda size: indesign(_story("<CharacterStyleRange>" + "<Content>word</Content><Br/>" * size + "</CharacterStyleRange>"))),
    Kind("ranges in one another", "a.idml", 10_000, lambda size: indesign("<ParagraphStyleRange>" * size + "<CharacterStyleRange><Content>word</Content></CharacterStyleRange>" + "</ParagraphStyleRange>" * size)),
    Kind("<b> in one another", "a.html", MANY, _nested("<b>", "</b>")),
    Kind("<b> without end", "a.html", MANY, _repeated("<b>text ")),
    Kind("<b> beside each other", "a.html", MANY, _repeated("<b>a</b> ", "<p>", "</p>")),
    Kind("</p> without start", "a.html", MANY, _repeated("</p>a ")),
    Kind("<div> in one another", "a.html", MANY, _nested("<div>", "</div>")),
    Kind("attributes of one tag", "a.html", MANY, _numbered(' a#="b"', "<p", ">text</p>")),
    Kind("<script>", "a.html", MANY, _repeated("<script>", "<p>text</p>")),
    Kind("<!--", "a.html", MILLION, _repeated("<!--", "<p>text</p>")),
    Kind("<", "a.html", MILLION, _repeated("<", "<p>text</p>")),
    Kind("tables in one another", "a.html", 10_000, _repeated("<table><tr><td>", "<p>text</p>")),
    Kind("lines of one entry", "a.po", MILLION, _repeated('"a"\n', f'{_PO_HEADER}msgid ""\n', 'msgstr ""\n')),
    Kind("lines of one entry with escapes", "a.po", 700_000, _repeated('"\\n"\n', f'{_PO_HEADER}msgid ""\n', 'msgstr ""\n')),
    Kind("lines of comments", "a.po", MILLION, _repeated("#. a\n", _PO_HEADER, 'msgid "text"\nmsgstr ""\n')),
    Kind("plural forms", "a.po", MANY, _numbered('msgstr[#] ""\n', f'{_PO_HEADER}msgid "a"\nmsgid_plural "b"\n')),
    Kind("entries", "a.po", _fitting('msgid "a#####"\nmsgstr ""\n\n'), _numbered('msgid "a#"\nmsgstr ""\n\n', _PO_HEADER)),
    Kind("columns", "a.csv", MILLION, _repeated("a,", "", "a\n")),
    Kind("columns of three rows", "a.csv", MILLION, lambda size: b"\n".join([b"a," * size + b"a"] * 3)),
    Kind("rows", "a.csv", MILLION, _repeated("a,b\n")),
    Kind("quotes", "a.csv", MILLION, _repeated('"', "a,")),
    Kind("open quotes", "a.csv", MILLION, _repeated('"a\n', "a,b\n")),
    Kind("tags in one segment", "a.xlf", MANY, _xliff_tags),
    Kind("tags in one another", "a.xlf", 10_000, lambda size: _xliff('<g id="1">' * size + "text" + "</g>" * size)),
    Kind("units", "a.xlf", MANY, _numbered('<trans-unit id="#"><source>text</source></trans-unit>', '<xliff version="1.2"><file source-language="en" target-language="de"><body>', "</body></file></xliff>")),
    Kind("groups in one another", "a.xlf", 10_000, _nested('<group id="1">', "</group>", '<xliff version="1.2"><file source-language="en" target-language="de"><body>', '<trans-unit id="1"><source>text</source></trans-unit>', "</body></file></xliff>")),
    Kind("tags in one segment", "a.tmx", MANY, _repeated("a<ph>b</ph>", '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>', '</seg></tuv><tuv xml:lang="de"><seg>b</seg></tuv></tu></body></tmx>')),
    Kind("languages of one unit", "a.tmx", MANY, _repeated('<tuv xml:lang="de"><seg>b</seg></tuv>', '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>a</seg></tuv>', "</tu></body></tmx>")),
    Kind("characters of random Markdown", "a.md", LONGEST_RANDOM, _random_markdown),
    Kind("characters of random Markdown in one line", "a.md", LONGEST_RANDOM, lambda size: _random_markdown(size, "*_~`[]()<>!\\{}& ab")),
    Kind("characters of random tables", "a.md", LONGEST_RANDOM, lambda size: b"a|b\n-|-\n" + _random_markdown(size, "|`*\\ a\n")),
    Kind("characters of random MDX", "a.mdx", LONGEST_RANDOM, _random_markdown),
    *(Kind(f"times {mark!r}", "a.md", _fitting(mark) // 5, _repeated(mark)) for mark in _MARKS),
    *(Kind(f"lines of {mark!r}", "a.md", MANY, _repeated(f"{mark}\n")) for mark in ("- a", "> a", "1. a", "[a]: b", "a", "|a|", "    a", "```", "***", "<b>", "- [ ] a")),
    Kind("lists in one another", "a.md", 1000, lambda size: "".join(f"{'  ' * level}- a\n" for level in range(size)).encode()),
    Kind("quotes in one another", "a.md", MANY, _repeated("> ", "", "a\n")),
    Kind("list items in one another", "a.md", MANY, _repeated("- ", "", "a\n")),
    Kind("columns of a table", "a.md", MANY, lambda size: b"|a" * size + b"|\n" + b"|-" * size + b"|\n" + b"|b" * size + b"|\n"),
    Kind("rows of a table", "a.md", MANY - 2, _repeated("|a|b|\n", "|a|b|\n|-|-|\n")),
    Kind("empty cells of short rows", "a.md", 50_000, lambda size: b"|a" * 1000 + b"|\n" + b"|-" * 1000 + b"|\n" + b"|b|\n" * size),
    Kind("lines of front matter", "a.md", MANY, _repeated("title: a\n", "---\n", "---\ntext\n")),
    Kind("link definitions with one another", "a.md", 20_000, _numbered("[a#]: b\n[a#]\n\n")),
    Kind("<A> in one another", "a.mdx", 20_000, _nested("<A>\n\n", "</A>\n\n", inside="text\n\n")),
    Kind("{ in one another", "a.mdx", MANY, _repeated("{", "text ")),
    Kind("imports", "a.mdx", 50_000, _repeated('import a from "b"\n', "", "\ntext\n")),
    Kind("objects in one another", "a.json", MANY, _nested('{"a":', "}", inside='"text"')),
    Kind("lists in one another", "a.json", MILLION, _nested("[", "]", inside='"text"')),
    Kind("entries", "a.json", 300_000, _numbered('"#":"text",', "{", '"z":"text"}')),
    Kind("digits of a number", "a.json", MILLION, _repeated("9", '{"a":"text","b":', "}")),
    Kind("escapes in one text", "a.json", 800_000, _repeated("\\u0061", '{"a":"', '"}')),
    Kind("cases of a message in one another", "a.json", 20_000, lambda size: json.dumps({"a": "{a, select, other {" * size + "text" + "}}" * size}).encode()),
    Kind("cases of a message", "a.arb", MANY, lambda size: json.dumps({"a": "{a, select, " + "".join(f"c{n} {{text {n}}} " for n in range(size)) + "other {text}}"}).encode()),
    Kind("arguments of a message", "a.arb", MANY, lambda size: json.dumps({"a": "{a, select, other {x " + "{b} " * size + "}}"}).encode()),
    Kind("levels of aliases", "a.yml", 12, _yaml_bomb),
    Kind("mappings in one another", "a.yml", 1000, lambda size: "".join(f"{' ' * level}a:\n" for level in range(size)).encode() + b" " * size + b"b: text\n"),
    Kind("lists in one another in a line", "a.yml", MANY, _nested("[", "]", "a: ", "text")),
    Kind("entries", "a.yml", MANY, _numbered("a#: text\n")),
    Kind("aliases", "a.yml", MANY, _repeated("- *a\n", "a: &a text\nb:\n")),
    Kind("lines of one text", "a.yml", MANY, _repeated("  a\n", "a: |\n")),
    Kind("lines of one plain text", "a.yml", MANY, _repeated("  a\n", "a: b\n")),
    Kind("characters of one line", "a.properties", TEXT_BYTES - 1000, _repeated("a", "a=")),
    Kind("entries", "a.properties", MILLION, _repeated("a=b\n")),
    Kind("continued lines", "a.properties", MILLION, _repeated("a\\\n", "a=")),
    Kind("backslashes", "a.properties", TEXT_BYTES - 1000, _repeated("\\", "a=")),
    Kind("characters of one line", "a.strings", TEXT_BYTES - 1000, _repeated("a", '"a" = "', '";')),
    Kind("entries", "a.strings", 400_000, _repeated('"a" = "b";\n')),
    Kind("open comments", "a.strings", MILLION, _repeated("/*", '"a" = "b";')),
    Kind("quotes", "a.strings", MILLION, _repeated('"')),
    Kind("characters of one line", "a.vtt", TEXT_BYTES - 1000, _repeated("a", "WEBVTT\n\n00:00.000 --> 00:01.000\n")),
    Kind("subtitles", "a.vtt", 150_000, _repeated("00:00.000 --> 00:01.000\na\n\n", "WEBVTT\n\n")),
    Kind("tags in one subtitle", "a.vtt", MANY, _repeated("<b>a</b>", "WEBVTT\n\n00:00.000 --> 00:01.000\n")),
    Kind("< in one subtitle", "a.vtt", MILLION, _repeated("<", "WEBVTT\n\n00:00.000 --> 00:01.000\na")),
    Kind("empty lines", "a.vtt", MILLION, _repeated("\n", "WEBVTT\n\n00:00.000 --> 00:01.000\na")),
    Kind("characters of one line", "a.ass", TEXT_BYTES - 1000, _repeated("a", f"{_ASS_HEADER}Dialogue: 0,0:00:00.00,0:00:01.00,D,")),
    Kind("subtitles", "a.ass", 120_000, _repeated("Dialogue: 0,0:00:00.00,0:00:01.00,D,a\n", _ASS_HEADER)),
    Kind("override blocks in one subtitle", "a.ass", MANY, _repeated("{\\b1}a", f"{_ASS_HEADER}Dialogue: 0,0:00:00.00,0:00:01.00,D,")),
    Kind("{ in one subtitle", "a.ass", MILLION, _repeated("{", f"{_ASS_HEADER}Dialogue: 0,0:00:00.00,0:00:01.00,D,a")),
    Kind("characters of one line", "a.srt", TEXT_BYTES - 1000, _repeated("a", "1\n00:00:00,000 --> 00:00:01,000\n")),
    Kind("subtitles", "a.srt", 120_000, _repeated("1\n00:00:00,000 --> 00:00:01,000\na\n\n")),
    Kind("lines of one subtitle", "a.srt", MILLION, _repeated("a\n", "1\n00:00:00,000 --> 00:00:01,000\n")),
    Kind("tags in one subtitle", "a.srt", MANY, _repeated("<i>a</i>", "1\n00:00:00,000 --> 00:00:01,000\n")),
    Kind("characters of one line", "a.txt", TEXT_BYTES - 1000, _repeated("a")),
    Kind("sentences of one line", "a.txt", MILLION, _repeated("A b. ")),
    Kind("full stops", "a.txt", TEXT_BYTES - 1000, _repeated(".")),
    Kind("quotes", "a.txt", MILLION, _repeated('."')),
    Kind("lines", "a.txt", MILLION, _repeated("a\n")),
    Kind("abbreviations", "a.txt", MILLION, _repeated("e.g. ")),
    Kind("placeholders in one line", "a.txt", MILLION, _repeated("%s")),
    Kind("{ in one line", "a.txt", MILLION, _repeated("{a ")),
    Kind("addresses in one line", "a.txt", 200_000, _repeated("http://a.b/c ")),
    Kind("numbers in one line", "a.txt", MILLION, _repeated("1.2,")),
    Kind("entries", "a.resx", MANY, _numbered('<data name="a#"><value>text</value></data>', "<root>", "</root>")),
    Kind("entries", "a.stringsdict", 50_000, _numbered("<key>a#</key><string>text</string>", '<plist version="1.0"><dict>', "</dict></plist>")),
    Kind("dictionaries in one another", "a.stringsdict", 10_000, _nested("<key>a</key><dict>", "</dict>", '<plist version="1.0"><dict>', "<key>a</key><string>b</string>", "</dict></plist>")),
    Kind("entries", "a.xcstrings", 100_000, _numbered('"a#":{},', '{"sourceLanguage":"en","version":"1.0","strings":{', '"z":{}}}')),
    Kind("strings", "strings.xml", MANY, _numbered('<string name="a#">text</string>', "<resources>", "</resources>")),
    Kind("tags in one string", "strings.xml", MANY, _repeated("<b>a</b> ", '<resources><string name="a">', "</string></resources>")),
)  # fmt: skip
