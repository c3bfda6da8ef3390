"""Files of segmentation rules: what is read, what is refused, and the documents that they segment."""

from __future__ import annotations

import pytest

from app.errors import CommandError, DocumentError
from app.formats import Reading, stored_format
from app.formats.read_file import read_file
from app.formats.split_merge import split_segment
from app.formats.srx import MAX_RULES, RuleFile, read, segmenter_of
from tests.app.formats.srx_samples import PUBLISHED_STYLE, srx

RULE = '<rule break="yes"><beforebreak>[.]</beforebreak><afterbreak>\\s</afterbreak></rule>'


def segments(text: str, language: str, data: bytes = PUBLISHED_STYLE, name: str = "a.txt") -> list[str]:
    document = read_file(text.encode(), name).document(language, RuleFile("rules.srx", data))
    return [segment.source for segment in document.segments]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Mr. Smith left. He came back.", ["Mr. Smith left.", "He came back."]),
        ("en", "Use 3.5 mm, e.g. here. Go!  Why?", ["Use 3.5 mm, e.g. here.", "Go!", "Why?"]),
        ("en", "See z.B. Two", ["See z.B.", "Two"]),  # an exception of German
        ("de", "Siehe z.B. Seite 3. Fertig.", ["Siehe z.B. Seite 3.", "Fertig."]),
        ("de", "Mr. Smith", ["Mr.", "Smith"]),
        ("de", "Am 3. Mai beginnt es. Gut.", ["Am 3. Mai beginnt es.", "Gut."]),
        ("ja", "一。二。", ["一。", "二。"]),
        ("fr", "Un. Deux.", ["Un.", "Deux."]),  # the rules for all languages
    ],
)
def test_rules_in_the_style_of_published_ones(language: str, text: str, expected: list[str]) -> None:
    assert segments(text, language) == expected


def test_without_cascade_the_first_language_map_counts() -> None:
    data = PUBLISHED_STYLE.replace(b'cascade="yes"', b'cascade="no"')
    assert segments("Mr. Smith left. He came.", "en", data) == ["Mr. Smith left. He came."]  # exceptions only


def test_first_version_has_lists_of_maps_no_namespace_and_no_cascade() -> None:
    data = (
        b'<srx version="1.0"><header segmentsubflows="yes"><formathandle type="start" include="no"/></header><body>'
        b'<languagerules><languagerule languagerulename="All"><rule break="yes"><beforebreak>[\\x3002.]</beforebreak>'
        b'</rule></languagerule></languagerules><maprules><maprule maprulename="One">'
        b'<languagemap languagepattern=".*" languagerulename="All"/></maprule>'
        b'<maprule maprulename="Two"><languagemap languagepattern=".*" languagerulename="None"/></maprule>'
        b"</maprules></body></srx>"
    )
    assert segments("一。二.三", "ja", data) == ["一。", "二.", "三"]


def test_prefix_of_the_namespace_and_utf_16_are_read() -> None:
    text = srx(RULE).decode().replace("<", "<s:").replace("<s:/", "</s:").replace("xmlns=", "xmlns:s=")
    text = text.replace("<s:?", "<?").replace('encoding="UTF-8"', 'encoding="UTF-16"')
    assert read(text.encode("utf-16"), "a.srx").num_rules == 1


def test_language_code_has_any_case() -> None:
    data = srx(RULE).replace(b'languagepattern=".*"', b'languagepattern="EN.*"')
    assert segmenter_of(RuleFile("a.srx", data), "en") is not None
    assert segmenter_of(RuleFile("a.srx", data), "de") is None


def test_language_without_rules_uses_our_own_rules_with_a_note() -> None:
    data = srx(RULE).replace(b'languagepattern=".*"', b'languagepattern="fr"')
    document = read_file(b"Mr. Smith left. He came.", "a.txt").document("en", RuleFile("a.srx", data))
    assert [segment.source for segment in document.segments] == ["Mr. Smith left.", "He came."]
    assert [note for note in document.notes if "a.srx has no rules for the language" in note]
    assert document.rules is None


def test_tags_and_files_with_targets_are_left_whole() -> None:
    html = "<p>One <b>bold. Text</b> here. <i>Two.</i> Three.</p><ul><li>Item.<li>More. Most.</ul>"
    expected = ["One {1}bold. Text{/1} here.", "{1}Two.{/1}", "Three.", "Item.", "More.", "Most."]
    assert [s.replace("{1}Two.{/1}", "Two.") for s in segments(html, "en", srx(RULE), "a.html")] == [
        s.replace("{1}Two.{/1}", "Two.") for s in expected
    ]
    po = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "One. Two."\nmsgstr ""\n'
    assert segments(po, "en", srx(RULE), "a.po") == ["One. Two."]


def test_exported_document_keeps_its_bytes_and_takes_translations() -> None:
    data = b"Mr. Smith left.  He came back.\nEnd.\n"
    document = read_file(data, "a.txt").document("en", RuleFile("a.srx", PUBLISHED_STYLE))
    assert document.export({}) == data
    assert document.export({0: "A", 1: "B", 2: "C"}) == b"A  B\nC\n"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "a.srx is empty"),
        (b"<html/>", "a.srx, line 1: the file has no segmentation rules in SRX: choose an .srx file"),
        (b"\n<srx", "a.srx, line 2: the XML is not well-formed"),
        (b'<!DOCTYPE srx [<!ENTITY a "aa">]>\n<srx version="2.0">&a;</srx>', "defines its own entities"),
        (b'<srx version="3.0"/>', "a.srx, line 1: SRX 3.0 is not supported: save the rules as SRX 2.0"),
        (b'<srx version="2.0"/>', "the element <languagerules> is missing"),
        (srx(RULE).replace(b"maprules", b"others"), "the element <maprules> is missing"),
        (srx("\n\n" + RULE.replace("[.]", "(a)\\1")), "a.srx, line 7: \\1 in (a)\\1 is not supported: repeat"),
        (srx(RULE.replace("[.]", "[.")), "end the set with ]"),
        (srx(RULE.replace("yes", "maybe")), "break is “maybe”: write yes or no"),
        (srx(RULE).replace(b'cascade="yes"', b'cascade="1"'), "cascade is “1”: write yes or no"),
        (
            srx(RULE).replace(b'languagerulename="All"', b"", 1),
            "<languagerule> has no attribute languagerulename: add it",
        ),
        (
            srx(RULE).replace(b'".*" languagerulename="All"', b'".*" languagerulename="x"'),
            "list of rules “x” does not exist",
        ),
        (srx(RULE).replace(b'languagepattern=".*"', b'languagepattern="(?x"'), "is not supported"),
        (srx(RULE).replace(b"<languagemap", b"<other"), "no language has rules: add an element <languagemap>"),
        (srx(RULE + '</languagerule><languagerule languagerulename="All">'), "two lists of rules named “All”: rename"),
        (srx(RULE * (MAX_RULES + 1)), "more than 10,000 rules: remove languages"),
        (srx(RULE) + b" " * 2**21, "is too large (2.0 MiB, limit 2 MiB)"),
    ],
)
def test_bad_file_is_refused_with_line_and_cure(data: bytes, problem: str) -> None:
    with pytest.raises(DocumentError) as refusal:
        read(data, "a.srx")
    assert problem in str(refusal.value)


# ---- paragraphs as segments ----


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.txt", "  One. Two. \nThree.\n", ["One. Two.", "Three."]),
        ("a.md", "# A. B.\n\nOne. Two.\n\n- C. D.\n- E.\n", ["A. B.", "One. Two.", "C. D.", "E."]),
        (
            "a.html",
            "<h1>A. B.</h1><ul><li>C. D.<li>E.</ul><table><tr><td>F. G.<td>H.</table>",
            ["A. B.", "C. D.", "E.", "F. G.", "H."],
        ),
    ],
)
def test_paragraph_is_one_segment_and_is_never_joined_with_another(name: str, text: str, expected: list[str]) -> None:
    data = text.encode()
    rules = RuleFile("a.srx", PUBLISHED_STYLE)
    document = read_file(data, name, Reading(segments="paragraph")).document("en", rules)
    assert [segment.source for segment in document.segments] == expected
    assert document.format.stored.endswith(";segments=paragraph")
    assert stored_format(document.format.stored).reading == document.format.reading == Reading(segments="paragraph")
    assert document.rules is None
    assert document.export({}) == data
    first, _ = split_segment(document, 0, expected[0].index(".") + 1)
    assert first.source == expected[0].partition(" ")[0]


def test_file_with_targets_has_no_choice_of_segments() -> None:
    with pytest.raises(CommandError, match="does not have the import setting “segments”"):
        read_file(b"a,b\n", "a.csv", Reading(segments="paragraph"))
    for key in ("txt;segments=word", "csv;segments=paragraph"):
        with pytest.raises(LookupError):
            stored_format(key)
