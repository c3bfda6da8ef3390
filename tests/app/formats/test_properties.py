"""Java .properties: Translate Toolkit reads the same keys and the new texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from translate.storage.properties import javafile, javautf8file

from app.formats.escapes import from_utf16
from app.formats.read_file import read_document

FILE = r"""# Title of the page
! shown above
title = Power \
    cable  \

key\ one:It''s {0}\n
price=Don't '{0}' it
empty=
number=12
sp  A path C:\\x
umlaut=\u00fcber
=no key
"""


def test_values_with_letters_are_segments_and_keys_and_comments_are_notes() -> None:
    document = read_document(FILE.encode(), "a.properties")
    assert [(s.source, s.note) for s in document.segments] == [
        ("Power cable", "Key: title · Title of the page · shown above"),
        ("It's {0}", "Key: key one"),
        ("Don't '{0}' it", "Key: price"),  # an apostrophe alone quotes: nothing is doubled
        (r"A path C:\\x", "Key: sp"),
        ("über", "Key: umlaut"),
        ("no key", ""),
    ]


def test_only_the_translated_values_change() -> None:
    document = read_document(FILE.encode(), "a.properties")
    exported = document.export({0: "Netzkabel ß 😀", 1: "L'été {0}", 3: r"Ein Pfad C:\\x"}).decode()
    assert exported == FILE.replace("Power \\\n    cable", r"Netzkabel \u00df \ud83d\ude00").replace(
        "It''s {0}", r"L''\u00e9t\u00e9 {0}"
    ).replace("A path", "Ein Pfad")


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("ascii", r"\u00dc \u20ac"), ("latin-1", r"Ü \u20ac"), ("utf-8", "Ü €")],
)
def test_characters_outside_the_encoding_are_escaped(encoding: str, expected: str) -> None:
    start = "# plain\n" if encoding == "ascii" else "# é\n"
    document = read_document(f"{start}a=One\n".encode(encoding), "a.properties")
    assert document.export({0: "Ü €"}) == f"{start}a={expected}\n".encode(encoding)


WORDS = st.text(st.sampled_from("abcÜß€😀 '\"=:#!{}"), min_size=1, max_size=12).filter(
    lambda text: text.strip() == text and any(map(str.isalpha, text)) and "{" not in text
)


@given(st.lists(WORDS, min_size=1, max_size=5), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_another_library_reads_the_translations(texts: list[str], is_ascii: bool, line_end: str) -> None:
    start = "# plain" if is_ascii else "# é"
    data = line_end.join([start, *(f"key{number} = Text" for number in range(len(texts)))]).encode()
    written = read_document(data, "a.properties").export(dict(enumerate(texts)))
    parsed = (javafile if is_ascii else javautf8file).parsestring(written)
    assert [(unit.name, from_utf16(unit.source)) for unit in parsed.units if unit.name] == [
        (f"key{number}", text) for number, text in enumerate(texts)
    ]


@given(st.text(st.sampled_from("ab\\=: #!\n\r\tü"), max_size=40).filter(lambda text: any(map(str.isalpha, text))))
def test_writing_a_text_again_does_not_change_it(text: str) -> None:
    data = ("x=first\n" + text).encode()
    document = read_document(data, "a.properties")
    assert document.export({segment.index: segment.source for segment in document.segments}) == data


def test_backslash_at_the_end_of_the_file_is_read() -> None:
    assert [s.source for s in read_document(b"a=Text\nb\\", "a.properties").segments] == ["Text"]


def test_each_form_of_an_icu_message_is_offered_and_its_syntax_stays() -> None:
    data = (
        b"files={count, plural, =0 {No file} one {# file of {0}''s} other {# files \\u00e4}}\n"
        b"plain=It''s {0}\nchoice={0,choice,0#none|1#one}\n"
    )
    document = read_document(data, "a.properties")
    assert [(segment.source, segment.note) for segment in document.segments][:3] == [
        ("No file", "Key: files · count: =0"),
        ("{count} file of {0}'s", "Key: files · count: one"),
        ("{count} files ä", "Key: files · count: other"),
    ]
    assert document.export({}) == data
    written = document.export({0: "Keine Datei", 1: "{count} Datei {0}'s", 2: "{count} Dateien ö", 3: "Das ist's: {0}"})
    assert written.splitlines()[:2] == [
        b"files={count, plural, =0 {Keine Datei} one {# Datei {0}''s} other {# Dateien \\u00f6}}",
        b"plain=Das ist''s: {0}",
    ]
    assert [s.source for s in read_document(written, "a.properties").segments][1] == "{count} Datei {0}'s"


def test_repeated_keys_are_named() -> None:
    (note,) = read_document(b"a=One\nb=Two\na = Three\n", "a.properties").notes
    assert note.startswith("Keys that occur more than once: a. ")


def test_file_that_is_not_utf8_is_latin_1_as_in_java() -> None:
    data = "a=Größe für ¹ ³ º\n".encode("latin-1")
    document = read_document(data, "a.properties")
    assert (document.encoding, document.segments[0].source) == ("iso-8859-1", "Größe für ¹ ³ º")
    assert document.export({}) == data


def test_file_with_bytes_that_are_not_text_in_latin_1_is_of_windows() -> None:
    data = "a=„Größe“ – 5 €\n".encode("cp1252")
    document = read_document(data, "a.properties")
    assert (document.encoding, document.segments[0].source) == ("cp1252", "„Größe“ – 5 €")
    assert document.export({}) == data
