"""YAML: PyYAML reads the same keys and the new texts, and all other bytes stay, comments too."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import DocumentError
from app.formats.documents import Segment
from app.formats.read_file import read_document, read_file
from app.formats.software import yaml_scalars
from tests.app.work import growth
from tests.budget import rounds

ICU = "You {n, plural, one {# file seen} other {# files seen}}"
FILE = r"""# Texts of the shop
---
en:
  cart:   # the basket
    title: "Your cart\tis \"empty\""
    hint: &hint 'It''s free'
    again: *hint
    items:
      one: "%{count} item"
      other: "%{count} items"
    number: 12
    is_on: yes
    when: 2024-01-01
    text: |-
      First line.

      Third line.
    folded: >
      One long
      sentence.

      Another one.
    list: [Plain words, 'quoted', "x: y", 7]
    ? complex
    : Value of it
  plain: Press OK, then wait   # not this
  "k": ''
"""


def test_strings_with_letters_are_segments_and_their_keys_are_notes() -> None:
    document = read_document(FILE.encode(), "en.yml")
    assert [(s.source, s.note.removeprefix("Key: en.")) for s in document.segments] == [
        (r'Your cart\tis "empty"', "cart.title"),
        ("It's free", "cart.hint"),
        ("%{count} item", "cart.items.one"),
        ("%{count} items", "cart.items.other"),
        ("First line.", "cart.text"),
        ("Third line.", "cart.text"),
        ("One long sentence.", "cart.folded"),
        ("Another one.", "cart.folded"),
        ("Plain words", "cart.list.0"),
        ("quoted", "cart.list.1"),
        ("x: y", "cart.list.2"),
        ("Value of it", "cart.complex"),
        ("Press OK, then wait", "plain"),
    ]
    assert document.export({}) == FILE.encode()
    assert read_file(FILE.encode(), "en.yml").languages == ("en", "")


def test_only_the_texts_and_the_language_change_and_styles_stay() -> None:
    document = read_document(FILE.encode(), "en.yml")
    texts = {1: "So geht's", 4: "Eins: # 1", 5: "Drei.", 6: "Ein Satz.", 7: "Noch einer.", 8: "Worte", 12: "OK drücken"}
    written = document.export_file(texts, "de").data.decode()
    assert written == (
        FILE.replace("\nen:", "\nde:")
        .replace("'It''s free'", "'So geht''s'")
        .replace("First line.", "Eins: # 1")
        .replace("Third line.", "Drei.")
        .replace("      One long\n      sentence.\n\n      Another one.", "      Ein Satz.\n\n      Noch einer.")
        .replace("Plain words", "Worte")
        .replace("Press OK, then wait", "OK drücken")
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a: b", '"a: b"'),
        ("yes", '"yes"'),
        ("- Nein", '"- Nein"'),
        ("Wort # kein Kommentar", '"Wort # kein Kommentar"'),
        (r"Zwei\nZeilen", r'"Zwei\nZeilen"'),
        ("[Klammer]", '"[Klammer]"'),
        ('*Stern "x"', r'"*Stern \"x\""'),
        ("Öffnen, bitte", "Öffnen, bitte"),
    ],
)
def test_plain_text_that_would_be_something_else_gets_quotes(text: str, written: str) -> None:
    assert read_document(b"k: Open\n", "a.yaml").export({0: text}).decode() == f"k: {written}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("k: [Open, b]", 'k: ["Auf, zu", b]'), ("no: {a: Open}", 'no: {a: "Auf, zu"}'), ("- Open", "- Auf, zu")],
)
def test_comma_inside_of_brackets_gets_quotes(text: str, expected: str) -> None:
    assert read_document(text.encode(), "a.yml").export({0: "Auf, zu"}).decode() == expected


@pytest.mark.parametrize("line_end", ["\r\n", "\n"])
def test_blocks_keep_their_line_ends_and_comments(line_end: str) -> None:
    data = "a: |  # all\n  One\n  two\n# end\nb: >-\n\n   Three\n\nc: Four\n".replace("\n", line_end).encode()
    document = read_document(data, "a.yml")
    assert document.export({}) == data
    assert [s.source for s in document.segments][:3] == ["One", "two", "Three"]
    written = document.export({0: "Eins", 1: "zwei", 2: "Drei"})
    assert written == data.replace(b"One", b"Eins").replace(b"two", b"zwei").replace(b"Three", b"Drei")


def test_indented_lines_of_a_folded_block_are_not_joined() -> None:
    data = "a: >2\n    One\n  two\n  three\n\n  four\n   five\n\nb: |\n\tx\n"
    data = data.replace("\tx", "  C:\\new {x}")
    document = read_document(data.encode(), "a.yml")
    sources = ["One", "two three", "four", "five", "C:\\new {x}"]
    assert [s.source for s in document.segments] == sources
    written = document.export({index: source.upper() for index, source in enumerate(sources)}).decode()
    assert yaml.safe_load(written) == {key: value.upper() for key, value in yaml.safe_load(data).items()}


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Co", "Cn")), min_size=1, max_size=12)
VALUES = st.recursive(
    TEXTS | st.integers() | st.none() | st.booleans(),
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=8,
)


def replaced(value: Any, new: str) -> Any:
    if isinstance(value, dict):
        return {key: replaced(inner, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [replaced(inner, new) for inner in value]
    if not isinstance(value, str) or not any(map(str.isalpha, value)):
        return value
    return value[: len(value) - len(value.lstrip())] + new + value[len(value.rstrip()) :]


@settings(max_examples=rounds(40, 200))
@given(st.dictionaries(TEXTS, VALUES), TEXTS.map(str.strip).filter(bool), st.sampled_from([None, True, False]))
def test_all_texts_are_translated_and_the_rest_is_equal(content: dict[str, Any], new: str, flow: bool | None) -> None:
    content = {"first": "One", "second": "Two\nlines\n", **content}
    data = yaml.safe_dump(content, default_flow_style=flow, allow_unicode=True, sort_keys=False).encode()
    document = read_document(data, "a.yml")
    assert document.export({}) == data
    texts = {segment.index: new.replace("\\", "\\\\") for segment in document.segments}
    assert yaml.safe_load(document.export(texts)) == replaced(content, new)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: x\n b: [", "line 2, column 3: this is not valid YAML"),
        (b"a: 'x", "line 1, column 6: this is not valid YAML"),
        (b"a: " + b"[" * 200 + b"x" + b"]" * 200, "nested more than 100 levels deep"),
        (b"a: " + b"[" * 100_000, "nested more than|not valid YAML"),
        (b"a: 12\nb: true", "contains no text"),
        (b"a: *none", "contains no text"),
        (b"", "is empty"),
        (b"a: b\x01b more text", "not valid YAML"),
    ],
)
def test_bad_file_is_refused_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(data, "a.yml")


def test_file_with_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_scalars, "MAX_NODES", 10)
    with pytest.raises(DocumentError, match="more than 10 values"):
        read_document(b"- x\n" * 20, "a.yml")


def test_aliases_that_would_expand_to_a_billion_texts_are_not_followed() -> None:
    lines = ["a0: &a0 [Ha, ha]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))]
    assert len(read_document("\n".join(lines).encode(), "a.yml").segments) == 2


@pytest.mark.parametrize("line", ["a: [", "- - ", "&a ", "! ", "a: |\n  x", "'a", "? "])
def test_reading_takes_linear_time(line: str) -> None:
    def read(size: int) -> None:
        with suppress(DocumentError):
            read_document(f"{line}\n".encode() * 20 * size, "a.yml")

    assert growth(read, 10) < 2.5


@pytest.mark.parametrize("value", ["&x Files", '&x "Files"', "&x !!str Files", "!!str Files"])
def test_anchor_and_tag_of_a_translated_value_stay(value: str) -> None:
    document = read_document(f"a: {value}\nb: x\n".encode(), "a.yml")
    assert document.export({0: "Dateien"}).decode() == f"a: {value}\nb: x\n".replace("Files", "Dateien")


@pytest.mark.parametrize("value", [ICU, f'"{ICU}"', f"'{ICU}'"], ids=["plain", "double", "single"])
def test_a_message_that_an_older_log_has_as_one_segment_is_exported(value: str) -> None:
    data = f"a: {value}\nb: x\n".encode()
    document = read_document(data, "a.yml")
    whole = Segment(0, ICU, 3, 3 + len(value))
    older = replace(document, segments=(whole, replace(document.segments[-1], index=1)))
    assert older.export({}) == data
    translation = ICU.replace("You", "Sie").replace("files", "Dateien")
    assert yaml.safe_load(older.export({0: translation, 1: "y"})) == {"a": translation, "b": "y"}


def test_forms_of_icu_messages_are_segments_in_every_style() -> None:
    block = "|\n  You {n, plural,\n    one {# file seen}\n    other {# files\n    seen}}"
    for value in (ICU, f'"{ICU}"', f"'{ICU}'", block, block.replace("|", ">-")):
        data = f"a: {value}\nb: x\n".encode()
        document = read_document(data, "a.yml")
        assert [segment.source for segment in document.segments] == ["You", "{n} file seen", "{n} files seen", "x"]
        assert document.export({}) == data
        new = document.export({0: 'Sie: "', 2: "'{n} Dateien"})
        expected = "Sie: \" {n, plural, one {# file seen} other {'# Dateien}}"
        assert "".join(yaml.safe_load(new)["a"].split()) == "".join(expected.replace("'#", "''#").split())
        assert yaml.safe_load(new)["b"] == "x"


@pytest.mark.parametrize(("key", "new"), [("en", "de"), ("pt-BR", "de"), ("foo", "foo"), ("api", "api")])
def test_a_single_key_becomes_the_target_language_only_if_it_is_a_language(key: str, new: str) -> None:
    document = read_document(f"{key}:\n  path: Text\n".encode(), "config.yml")
    assert document.export_file({0: "Weg"}, "de").data.decode() == f"{new}:\n  path: Weg\n"


MESSAGES = [
    r'"{n, plural, one {\u00dcber # file} other {It\x27s\t # files}} caf\u00e9"',
    "'{n, plural, one {# file} other {It''s # files}} it''s'",
    '"{n, plural, one {# file}\\\n   other {# files}}"',
    "'{n, plural,\n   one {# file}\n\n   other {# files}}'",
    "{n: '{n, plural, one {# file}\r\n   other {# files}}'}",
]


@pytest.mark.parametrize("raw", MESSAGES)
def test_the_rest_of_a_message_keeps_its_bytes(raw: str) -> None:
    """Escapes, quotation marks and line breaks of the forms that are not translated stay."""
    file = f"a: {raw}\n"
    document = read_document(file.encode(), "a.yml")
    start = raw.index("one {") + len("one {")
    exported = document.export({0: "neu {n}"})
    assert exported.decode() == file.replace(raw[start : raw.index("}", start)], "neu #", 1)


def test_new_text_of_a_message_is_escaped_for_its_quotation_marks() -> None:
    for raw in ("'{n, plural, one {a} other {b}}'", '"{n, plural, one {a} other {b}}"'):
        document = read_document(f"k: {raw}\n".encode(), "a.yml")
        exported = document.export({0: r'It´s "x" and \\y', 1: r"two\nlines"})
        again = yaml.safe_load(exported)["k"]
        assert again == '{n, plural, one {It´s "x" and \\y} other {two\nlines}}'


@pytest.mark.parametrize(
    ("text", "repeated"),
    [
        ("menu:\n  open: Open\n  open: Open it\nother:\n  open: Open\n", "menu.open"),
        ("---\nopen: Open\nopen: Open it\n", "open"),
        ("open: Open\n---\nopen: Open it\n", None),  # in two documents
        ("- open: Open\n- open: Open it\n", None),
    ],
)
def test_repeated_keys_are_named(text: str, repeated: str | None) -> None:
    notes = read_document(text.encode(), "en.yml").notes
    assert [note.split(": ")[1].split(". ")[0] for note in notes] == ([repeated] if repeated else [])


# Valid by YAML 1.2.2, but libyaml, which follows YAML 1.1, refuses them; with the texts that are offered.
REFUSED_BY_LIBYAML = [
    ("%YAML 1.3\n---\na: One\n", ["One"]),  # 6.8.1: a newer version is read with a warning
    ("%FOO bar  # of the future\n--- 'One'\n", ["One"]),  # 6.8: unknown directives are ignored
    ("a: &b.c One\nd: *b.c\ne: &é Two\nf: *é\n", ["One", "Two"]),  # 6.9.2: names of anchors
    ("a: &b:c 'One'\nd: *b:c\ne: 'See &x.y'\n", ["One", "See &x.y"]),
    ("-\tOne\n-\t-\tTwo\n  -\tThree\n", ["One", "Two", "Three"]),  # 6.1: tabs separate
    ("a: One\n\t\nb: Two\n \t# comment\nc: Three\n", ["One", "Two", "Three"]),
    ("a: |\n \tOne\nc:\n \tTwo\n\n \t more\n", ["One", "Two\\nmore"]),
    ("---\nOne\n...\n# comment\na: Two\n...\n", ["One", "Two"]),  # 9.2: bare documents
    ("a: [ ::One, :two words, x:y, ':z z' ]\n", ["::One", ":two words", "x:y", ":z z"]),  # 7.3.3
    ('a: {:"b.c": One, :d: Two}\n', ["One", "Two"]),  # symbols of Ruby as keys
    ("a: { 'b'\n : One, c\n  :\n Two}\n", ["One", "Two"]),  # 7.4.2: a line break behind a key in brackets
    ("a: \"One\x7f\"\n-x: 'Two\x80'\n", ["One\x7f", "Two\x80"]),  # 5.1
    ("\ufeff%TAG ! tag:example.com,2000:\n%X\n---\na: !!str One\n", ["One"]),
]


@pytest.mark.parametrize(("text", "sources"), REFUSED_BY_LIBYAML)
def test_valid_yaml_that_the_library_refuses_is_read(text: str, sources: list[str]) -> None:
    with pytest.raises(yaml.YAMLError):
        list(yaml.parse(text.removeprefix("\ufeff"), Loader=yaml.CSafeLoader))
    document = read_document(text.encode(), "a.yml")
    assert [segment.source for segment in document.segments] == sources
    assert document.export({segment.index: segment.source for segment in document.segments}) == text.encode()
    written = document.export({segment.index: f"New {segment.index}" for segment in document.segments})
    assert [segment.source for segment in read_document(written, "a.yml").segments] == [
        f"New {segment.index}" for segment in document.segments
    ]


@pytest.mark.parametrize(
    "text", ["a:\n\tb: One\n", "a: 'One\n", "%YAML 2.0\n---\na: One\n", "a: One: two\n", "%a: b\n"]
)
def test_invalid_yaml_is_refused(text: str) -> None:
    with pytest.raises(DocumentError, match="not valid YAML"):
        read_document(text.encode(), "a.yml")


@pytest.mark.parametrize("part", ["-\t", "\t", "&a.b ", "[:", "%a\n", "...\n", "'a'\n", ": ", "\x7f", "? \t"])
def test_refusing_takes_linear_time(part: str) -> None:
    def refuse(size: int) -> None:
        with suppress(DocumentError):
            read_document(b"a: 'b\n" + part.encode() * size, "a.yml")

    assert growth(refuse, 700) < 2.5


RAILS = """:en:
  date:
    order: [ :year, :month, :day ]
    long: ":year"
    symbols:
      - :month  # read by the program
      - :"two words"
      - ! ':text'
    tagged: !ruby/symbol year
    old: !ruby/sym month
  :"errors.blank": can't be blank
  ? :'errors.full'
  : Fill it in
"""


def test_symbols_of_ruby_are_not_texts() -> None:
    document = read_document(RAILS.encode(), "en.yml")
    assert [segment.source for segment in document.segments] == [":year", ":text", "can't be blank", "Fill it in"]
    assert read_file(RAILS.encode(), "en.yml").languages == ("en", "")
    written = document.export_file({2: "darf nicht leer sein"}, "de").data.decode()
    assert written == RAILS.replace(":en:", ":de:").replace("can't be blank", "darf nicht leer sein")
