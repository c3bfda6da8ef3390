"""Files of work with as many segments as a document may have, and the log of a session with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.records import NewEvent
from app.log.store import LogStore, SegmentUpdate
from benchmarks.files.hostile import indesign, open_document, word, workbook

NUM_WORDS = 95_000  # of the long Word document
_SENTENCE = "The service engineer must check pump number {} twice before the start."
_TRANSLATION = "Der Servicetechniker muss Pumpe {} vor dem Start zweimal prüfen."
_HEAD = '<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr><w:r><w:t xml:space="preserve">'
_BOLD = "</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>"
_PLAIN = '</w:t></w:r><w:r><w:t xml:space="preserve">'
_TAIL = "</w:t></w:r></w:p>"
_RANGE = "<CharacterStyleRange><Content>{}</Content><Br/></CharacterStyleRange>"
_UNIT = '<trans-unit id="{}"><source>{}</source></trans-unit>\n'
_XLIFF = (
    '<xliff version="1.2"><file original="a" source-language="en" target-language="de" datatype="plaintext"><body>\n'
)
_PO = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
_ASS = "[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Text\n"


def translation(number: int, source: str) -> str:
    """A translation with the tags of the source."""
    return _TRANSLATION.format("{1}" + str(number) + "{/1}" if "{1}" in source else number)


def _texts(size: int) -> list[str]:
    return [_SENTENCE.format(number) for number in range(size)]


def _entries(entry: str, before: str = "", after: str = "") -> Callable[[int], bytes]:
    """`entry` for each text, with its number and the text."""

    def made(size: int) -> bytes:
        return (before + "".join(entry.format(n, text) for n, text in enumerate(_texts(size))) + after).encode()

    return made


def _word(size: int) -> bytes:
    """A paragraph of three runs for each text."""
    return word("".join(f"{_HEAD}{_runs(number)}{_TAIL}" for number in range(size)))


def _runs(number: int) -> str:
    first, _, last = _SENTENCE.partition("pump number {}")
    return f"{first}{_BOLD}pump number {number}{_PLAIN}{last}"


def long_word() -> bytes:
    """A Word document of NUM_WORDS words in paragraphs of ten sentences, each with a bold part."""
    num_sentences = NUM_WORDS // len(_SENTENCE.split())
    starts = range(0, num_sentences, 10)
    paragraphs = (" ".join(map(_runs, range(start, min(start + 10, num_sentences)))) for start in starts)
    return word("".join(f"{_HEAD}{paragraph}{_TAIL}" for paragraph in paragraphs))


def _excel(size: int) -> bytes:
    rows = (f'<row r="{n}"><c r="A{n}" t="s"><v>{n - 1}</v></c></row>' for n in range(1, size + 1))
    return workbook("".join(rows), _texts(size))


def _open_text(size: int) -> bytes:
    return open_document("".join(f"<text:p>{text}</text:p>" for text in _texts(size)))


def _indesign(size: int) -> bytes:
    return indesign(f"<ParagraphStyleRange>{''.join(map(_RANGE.format, _texts(size)))}</ParagraphStyleRange>")


def _json(size: int) -> bytes:
    return json.dumps({f"key{number}": text for number, text in enumerate(_texts(size))}, indent=2).encode()


# By file name; each makes a file with this number of segments.
LARGE: Mapping[str, Callable[[int], bytes]] = {
    "a.docx": _word,
    "a.xlsx": _excel,
    "a.odt": _open_text,
    "a.idml": _indesign,
    "a.html": _entries('<p id="{}">{}</p>\n', "<html><body>\n", "</body></html>\n"),
    "a.md": _entries("{1}\n\n"),
    "a.txt": _entries("{1}\n"),
    "a.po": _entries('#: a.c:{}\nmsgid "{}"\nmsgstr ""\n\n', _PO),
    "a.xlf": _entries(_UNIT, _XLIFF, "</body></file></xliff>\n"),
    "a.xml": _entries('<p id="{}">{}</p>\n', "<doc>\n", "</doc>\n"),
    "a.json": _json,
    "a.yml": _entries("key{}: {}\n"),
    "a.properties": _entries("key{} = {}\n"),
    "a.strings": _entries('"key{}" = "{}";\n'),
    "a.resx": _entries('<data name="key{}"><value>{}</value></data>\n', "<root>\n", "</root>\n"),
    "strings.xml": _entries('<string name="key{}">{}</string>\n', "<resources>\n", "</resources>\n"),
    "a.csv": _entries("{1},\n", "en,de\n"),
    "a.srt": _entries("{}\n00:00:00,000 --> 00:00:01,000\n{}\n\n"),
    "a.vtt": _entries("{}\n00:00.000 --> 00:01.000\n{}\n\n", "WEBVTT\n\n"),
    "a.ass": _entries("Dialogue: {},0:00:00.00,0:00:01.00,D,{}\n", _ASS),
}


def logged_session(store: LogStore, size: int) -> int:
    """The number of a session in which each of `size` segments was translated, edited and confirmed."""
    document = read_document(LARGE["a.txt"](size), "a.txt")
    session = store.start_session(OWNER, document, "en-de").id
    for start in range(0, size, 1000):
        numbers = range(start, min(start + 1000, size))
        events = [event for number in numbers for event in _events(number)]
        texts = {number: translation(number, "") for number in numbers}
        updates = [(number, SegmentUpdate("confirmed", text, 1, {}, 0)) for number, text in texts.items()]
        store.append_all(OWNER, session, events, updates)
    return session


def _events(number: int) -> Iterator[NewEvent]:
    text = translation(number, "")
    proposal = text.replace("zweimal ", "")
    yield NewEvent("focus", {}, number, 0)
    yield NewEvent("decode_request", {"number": number}, number, 0)
    yield NewEvent(
        "decode_result", {"status": "complete", "hypotheses": [{"text": proposal, "score": -0.1}]}, number, 0
    )
    yield NewEvent("hypothesis_taken", {"text": proposal}, number, 0)
    yield NewEvent("edit", {"text": text}, number, 1)
    yield NewEvent("confirm", {}, number, 1)
