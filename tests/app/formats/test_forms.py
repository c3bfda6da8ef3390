"""Forms of one message, such as plural forms, are known in every format that has them."""

from __future__ import annotations

import pytest

from app.formats.read_file import read_document

PO = b"""msgid ""
msgstr "Plural-Forms: nplurals=3; plural=n;\\n"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
msgstr[2] ""

msgid "%d files"
msgstr ""
"""
XLIFF = b"""<xliff version="1.2"><file source-language="en" datatype="x" original="x"><body>
<group restype="x-gettext-plurals"><trans-unit id="1[0]"><source>%d file</source></trans-unit>
<trans-unit id="1[1]"><source>%d files</source></trans-unit>
<trans-unit id="1[2]"><source>%d files</source></trans-unit></group>
<trans-unit id="2"><source>%d files</source></trans-unit></body></file></xliff>"""
OF_XCODE = b"""<xliff version="1.2"><file source-language="en" datatype="x" original="x"><body>
<trans-unit id="%lld files|==|plural.one"><source>%lld file</source></trans-unit>
<trans-unit id="%lld files|==|plural.other"><source>%lld file</source></trans-unit>
<trans-unit id="/%d files:dict/files:dict/few:dict/:string"><source>%d files</source></trans-unit>
<trans-unit id="%lld files"><source>%lld files</source></trans-unit></body></file></xliff>"""
CASES = b"""<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.2"
 srcLang="en" trgLang="de" xmlns:c="urn:oasis:names:tc:xliff:pgs:1.0"><file id="f">
<unit id="1" c:switch="gender:host"><segment c:case="feminine">
<source>Hello</source></segment><segment c:case="other"><source>Hello</source></segment></unit></file></xliff>"""
STRINGSDICT = b"""<plist version="1.0"><dict><key>files</key><dict>
<key>NSStringLocalizedFormatKey</key><string>%#@n@</string><key>n</key><dict>
<key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
<key>one</key><string>%d file</string><key>other</key><string>%d files</string></dict></dict></dict></plist>"""
XCSTRINGS = b"""{"sourceLanguage": "en", "strings": {"Open": {}, "%lld files": {"localizations": {"en": {"variations": {
"plural": {"one": {"stringUnit": {"state": "new", "value": "file"}},
"other": {"stringUnit": {"state": "new", "value": "files"}}}}}}}}, "version": "1.0"}"""
ANDROID = b"""<resources><string name="a">files</string><plurals name="b"><item quantity="one">file</item>
<item quantity="other">files</item></plurals><string-array name="c"><item>files</item></string-array></resources>"""
ARB = b"""{"files": "{n, plural, one {a file} other {some files}}", "plain": "some files",
"he": "{who, select, male {his file} other {their file}}"}"""
I18NEXT = b"""{"file_one": "{{count}} file", "file_other": "{{count}} files", "rate_one": "first", "other": "Others"}"""
RAILS = b"""en:
  files:
    one: "%{count} file"
    other: "%{count} files"
  other: Others
"""


@pytest.mark.parametrize(
    ("name", "data", "forms"),
    [
        ("a.po", PO, ["1", "2", "3", ""]),
        ("a.xlf", XLIFF, ["1", "2", "3", ""]),
        ("a.xlf", OF_XCODE, ["plural.one", "plural.other", "few", ""]),
        ("a.xlf", CASES, ["host = feminine", "host = other"]),
        ("a.stringsdict", STRINGSDICT, ["one", "other"]),
        ("a.xcstrings", XCSTRINGS, ["", "plural.one", "plural.other"]),
        ("strings.xml", ANDROID, ["", "one", "other", ""]),
        ("a.arb", ARB, ["n: one", "n: other", "", "who: male", "who: other"]),
        ("a.json", I18NEXT, ["one", "other", "", ""]),
        ("a.yml", RAILS, ["one", "other", ""]),
    ],
)
def test_forms_of_messages_are_known(name: str, data: bytes, forms: list[str]):
    document = read_document(data, name)
    known = document.forms()
    assert [known.get(segment.index, "") for segment in document.segments] == forms


@pytest.mark.parametrize(
    ("name", "data", "added"),
    [
        ("strings.xml", ANDROID, {"few", "many"}),
        ("a.arb", ARB, {"n: few", "n: many"}),
        ("a.yml", RAILS, {"few", "many"}),
        ("a.xcstrings", XCSTRINGS, {"plural.few", "plural.many"}),
    ],
)
def test_added_forms_differ_from_each_other_and_from_the_given_ones(name: str, data: bytes, added: set[str]):
    given = read_document(data, name).forms().values()
    assert {*read_document(data, name, target="pl").forms().values()} == {*given} | added
