"""Plural forms that only the target language has: offered, written in the file's own layout, and read again."""

from __future__ import annotations

import json
import plistlib
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.errors import CommandError
from app.formats.documents import Document
from app.formats.read_file import read_document
from app.formats.software.po_header import numbers_of_form
from app.formats.split_merge import split_segment
from app.reading import FileReader
from app.text.plural_forms import CATEGORIES, numbers_of

ICU = "{n, plural, one {# file} other {# files}}"
ANDROID = """<resources>
    <plurals name="files">
        <item quantity="one">%d file</item>
        <!-- all others -->
        <item quantity="other">%d files</item>
    </plurals>
</resources>
"""
STRINGSDICT = """<plist version="1.0"><dict><key>files</key><dict>
    <key>one</key>
    <string>%d file</string>
    <key>other</key>
    <string>%d files</string>
</dict></dict></plist>
"""
CATALOG = """{
  "sourceLanguage" : "en",
  "strings" : { "files" : { "localizations" : { "en" : { "variations" : { "plural" : {
    "one" : { "stringUnit" : { "state" : "translated", "value" : "%d file" } },
    "other" : { "stringUnit" : { "state" : "translated", "value" : "%d files" } }
  } } } } } },
  "version" : "1.0"
}
"""
I18NEXT = '{\n  "files_one": "{{count}} file",\n  "files_other": "{{count}} files"\n}\n'
RAILS = 'en:\n  files:\n    one: "%{count} file"\n    other: "%{count} files"  # all others\n'
TEMPLATE = """msgid ""
msgstr ""
"Language: \\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
"""
# name of the file, its text, and what it is where "few" and "many" are translated as F and M
FILES = [
    (
        "a.json",
        json.dumps({"key": ICU}),
        json.dumps({"key": ICU.replace("other", "few {F} many {M} other")}),
    ),
    (
        "a.arb",
        json.dumps({"a": "{n,plural,one{# file}other{# files}}"}),
        json.dumps({"a": "{n,plural,one{# file}few{F}many{M}other{# files}}"}),
    ),
    (
        "a.properties",
        "a = {n, plural, one {# file} \\\n  other {# files}}\n",
        "a = {n, plural, one {# file} \\\n  few {F} \\\n  many {M} \\\n  other {# files}}\n",
    ),
    ("a.yaml", f'a: "{ICU}"\n', f'a: "{ICU}"\n'.replace("other", "few {F} many {M} other")),
    (
        "b.yaml",
        "a: >-\n  {n, plural,\n    one {# file}\n    other {# files}\n  }\nb: 1 # x\n",
        "a: >-\n  {n, plural,\n    one {# file}\n    few {F}\n    many {M}\n    other {# files}\n  }\nb: 1 # x\n",
    ),
    ("rails.yml", RAILS, RAILS.replace("    other", '    few: "F"\n    many: "M"\n    other').replace("en:", "pl:")),
    (
        "flow.yml",
        "x:\n  a: {one: a file, other: files}\n",
        "x:\n  a: {one: a file, few: F, many: M, other: files}\n",
    ),
    (
        "i18next.json",
        I18NEXT,
        I18NEXT.replace('  "files_other"', '  "files_few": "F",\n  "files_many": "M",\n  "files_other"'),
    ),
    (
        "object.json",
        '{"a": {"one": "a file", "other": "files"}}',
        '{"a": {"one": "a file", "few": "F", "many": "M", "other": "files"}}',
    ),
    (
        "strings.xml",
        ANDROID,
        ANDROID.replace(
            '<item quantity="other">',
            '<item quantity="few">F</item>\n        <item quantity="many">M</item>\n        <item quantity="other">',
        ),
    ),
    (
        "a.stringsdict",
        STRINGSDICT,
        STRINGSDICT.replace(
            "<key>other",
            "<key>few</key>\n    <string>F</string>\n    <key>many</key>\n    <string>M</string>\n    <key>other",
        ),
    ),
]


def added(document: Document) -> dict[str, int]:
    """The segments of forms that the file lacks, by their notes."""
    return {segment.note: segment.index for segment in document.segments if "numbers such as" in segment.note}


def form(document: Document, category: str) -> int:
    return next(index for note, index in added(document).items() if re.search(rf"(?<![a-z]){category}(?![a-z])", note))


@pytest.mark.parametrize(("name", "text", "expected"), FILES, ids=[name for name, _, _ in FILES])
def test_missing_forms_are_offered_with_the_text_of_other_and_written_before_it(
    name: str, text: str, expected: str
) -> None:
    document = read_document(text.encode(), name, target="pl")
    sources = [segment.source for segment in document.segments]
    assert len(added(document)) == 2
    assert sources[-3:] == [sources[-1]] * 3, "few, many, other"
    assert document.export({}) == text.encode()
    exported = document.export_file({form(document, "few"): "F", form(document, "many"): "M"}, "pl").data
    assert exported.decode() == expected
    assert added(read_document(exported, name, target="pl")) == {}
    same = document.export({form(document, "few"): sources[-1]})
    assert len(same) > len(text.encode()), "a translation that is like the source is written"


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, text, _ in FILES] + [("a.xcstrings", CATALOG)])
@pytest.mark.parametrize("target", ["de", "fr", "ja", "tlh"])
def test_languages_without_more_forms_get_none(name: str, text: str, target: str) -> None:
    assert read_document(text.encode(), name, target=target).segments == read_document(text.encode(), name).segments


def test_each_language_gets_its_own_forms_and_ordinals_differ_from_cardinals() -> None:
    message = "{n, selectordinal, other {#th}} of {m, plural, other {# files}}".replace("#th", "the #th")
    documents = {
        target: [*added(read_document(json.dumps({"a": message}).encode(), "a.json", target=target))]
        for target in ("en", "ar", "de")
    }
    assert documents["en"] == [
        "Key: a · n: one · numbers such as 1, 21, 31",
        "Key: a · n: two · numbers such as 2, 22, 32",
        "Key: a · n: few · numbers such as 3, 23, 33",
        "Key: a · m: one · numbers such as 1",
    ]
    assert [note.split(" · ")[1] for note in documents["ar"]] == [f"m: {form}" for form in CATEGORIES[:-1]]
    assert len(documents["de"]) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"gender_one": "One", "gender_other": "Other"}',
        '{"a_other": "{{count}} files"}',
        '{"a": {"one": "1", "other": "files", "title": "A title"}}',
        '{"a": {"x_one": "a", "x_other": "{{count}} b"}, "a": "text"}',
        json.dumps({"a": "{n, plural, one {# file} other {{g, select, x {# a} other {# b}}}}"}),
    ],
)
def test_keys_that_only_look_like_forms_and_forms_in_forms_get_none(text: str) -> None:
    assert added(read_document(text.encode(), "a.json", target="pl")) == {}


NESTED = "{n, plural, one {# file} other {{g, select, x {# a} other {# b}}}}"
IN_SELECT = "{g, select, x {x {n, plural, one {a} other {b {m, plural, one {c} other {d}}}}} other {y}}"
INVERTED = "{g, select, x {{n, plural, one {# a} other {# as}}} other {{n, plural, one {# b} other {# bs}}}}"


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.json", json.dumps({"b": {"a": NESTED}}), "b.a (n)"),
        ("a.json", json.dumps({"a": IN_SELECT}), "a (g: x, n)"),
        ("a.arb", json.dumps({"a": NESTED}), "a (n)"),
        ("a.properties", f"a = {NESTED}\n", "a (n)"),
        ("a.yaml", f'b:\n  a: "{NESTED}"\n', "b.a (n)"),
        ("b.yaml", f"a: >-\n  {NESTED}\n", "a (n)"),
    ],
)
def test_note_names_a_plural_whose_other_contains_forms_if_the_target_needs_more(
    name: str, text: str, place: str
) -> None:
    notes = read_document(text.encode(), name, target="pl").notes
    assert any(f"were not added to {place}, because" in note for note in notes)
    for target in (None, "de", "tlh"):
        assert not any("not added" in note for note in read_document(text.encode(), name, target=target).notes)


def test_select_around_plurals_gets_forms_and_no_note() -> None:
    document = read_document(json.dumps({"a": INVERTED}).encode(), "a.json", target="pl")
    assert len(added(document)) == 4
    assert not any("not added" in note for note in document.notes)
    complete = json.dumps({"a": NESTED.replace("other {{", "few {F} many {M} other {{")}).encode()
    assert not any("not added" in note for note in read_document(complete, "a.json", target="pl").notes)


def test_value_with_an_anchor_is_not_there_twice() -> None:
    document = read_document(b"a:\n  one: a file\n  other: &x files\nb: *x\n", "a.yml", target="pl")
    assert added(document) == {}


def test_string_catalog_gets_the_forms_and_shows_those_that_it_has() -> None:
    document = read_document(CATALOG.encode(), "a.xcstrings", target="pl")
    exported = document.export_file(
        {form(document, "few"): "F", form(document, "many"): "M"}, "pl", drafts=[form(document, "many")]
    )
    plural = json.loads(exported.data)["strings"]["files"]["localizations"]["pl"]["variations"]["plural"]
    assert {name: unit["stringUnit"] for name, unit in plural.items()} == {
        "few": {"state": "translated", "value": "F"},
        "many": {"state": "needs_review", "value": "M"},
    }
    again = read_document(exported.data, "a.xcstrings", target="pl")
    assert [(segment.target, segment.state) for segment in again.segments] == [
        (None, "new"),
        ("F", "confirmed"),
        ("M", "edited"),
        (None, "new"),
    ]


@pytest.mark.parametrize(
    ("language", "texts", "forms", "is_fuzzy"),
    [
        ("pl", {0: "%d plik", 1: "%d pliki", 2: "%d plików"}, ["%d plik", "%d pliki", "%d plików"], False),
        ("pl", {0: "%d plik", 1: "%d pliki"}, ["%d plik", "%d pliki", "%d pliki"], True),
        ("pl", {}, ["", ""], False),
        ("de", {0: "%d Datei", 1: "%d Dateien"}, ["%d Datei", "%d Dateien"], False),
        ("ja", {0: "%d A"}, ["%d A"], False),
        ("ja", {}, ["", ""], False),
    ],
)
def test_template_has_the_forms_of_the_language(
    language: str, texts: dict[int, str], forms: list[str], is_fuzzy: bool, tmp_path: Path
) -> None:
    document = read_document(TEMPLATE.encode(), "a.pot", target=language)
    assert max(texts, default=0) < len(document.segments)
    if language == "ja":  # one form for all numbers
        assert [segment.source for segment in document.segments if "%d" in segment.source] == ["%d files"]
    exported = document.export_file(texts, language).data
    assert re.findall(r'msgstr\[\d\] "(.*)"', exported.decode()) == forms
    assert (b"#, fuzzy" in exported) == is_fuzzy
    if texts and shutil.which("msgfmt") is not None:
        (tmp_path / "a.po").write_bytes(exported)
        subprocess.run(["msgfmt", "-c", "-o", tmp_path / "a.mo", tmp_path / "a.po"], check=True, capture_output=True)


def test_comment_on_a_form_that_a_template_lacks_is_written() -> None:
    document = read_document(TEMPLATE.encode(), "a.pot", target="pl")
    exported = document.export_file({2: "%d plików"}, "pl", comments={2: "which files?"}).data.decode()
    assert '# which files?\nmsgid "%d file"' in exported


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, text, _ in FILES if not name.endswith("pot")])
def test_added_form_is_not_split(name: str, text: str) -> None:
    document = read_document(text.encode(), name, target="pl")
    with pytest.raises(CommandError):
        split_segment(document, form(document, "few"), 2)
    assert len(document.blocks()) >= len(document.segments)


TEXTS = st.text(st.sampled_from("abÜ€ '\"<>&@?#%{}:,\\|-"), min_size=1, max_size=10).filter(
    lambda text: text == text.strip() and "a" in text
)


@given(TEXTS)
def test_other_libraries_read_any_text_of_an_added_form(text: str) -> None:
    def exported(name: str, file: str) -> str:
        document = read_document(file.encode(), name, target="pl")
        return document.export({form(document, "few"): text}).decode()

    shown = text.replace("\\a", "a").replace("\\b", "b")  # escapes of control characters, which no other case has
    if shown == text:
        value = re.sub(r"\\\\", r"\\", text)
        assert json.loads(exported("a.json", I18NEXT))["files_few"] == value
        assert yaml.safe_load(exported("a.yml", RAILS))["en"]["files"]["few"] == value
        assert plistlib.loads(exported("a.stringsdict", STRINGSDICT).encode())["files"]["few"] == value
    items = ElementTree.fromstring(exported("strings.xml", ANDROID)).findall("plurals/item")
    assert [item.get("quantity") for item in items] == ["one", "few", "other"]


def test_rules_of_gettext_and_categories_agree() -> None:
    for language, forms in {"pl": "one few many", "ru": "one few many", "sl": "one two few", "ro": "one few"}.items():
        for number, category in enumerate(forms.split()):
            examples = numbers_of(category, language)
            assert examples is not None
            first = numbers_of_form(number, language)
            assert first is not None
            assert examples.split(", ")[0] == first.split(", ")[0], (language, category)


def test_plural_forms_are_the_forms_of_the_target_language() -> None:
    def notes(direction: str) -> dict[str, int]:
        return added(FileReader().document(I18NEXT.encode(), "a.json", lambda overview: direction))

    assert [note.partition(" · ")[0] for note in notes("en-pl")] == ["Key: files_few", "Key: files_many"]
    assert notes("en-de") == {}


def test_forms_of_ordinals_are_kept_and_those_of_the_target_language_are_added() -> None:
    data = json.dumps({"a": "{n, selectordinal, one {#st exit} other {#th exit}}"}).encode()
    sources = {
        target: [segment.source for segment in read_document(data, "a.json", target=target).segments]
        for target in ("de", "it")
    }
    assert sources["de"] == ["{n}st exit", "{n}th exit"], (
        "German needs only the form other, and keeps those of the file"
    )
    assert sources["it"] == ["{n}st exit", "{n}th exit", "{n}th exit"], "the Italian form many begins as other"
