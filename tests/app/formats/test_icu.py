"""ICU messages: the texts of their forms, and messages that are left as they are."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.icu import MAX_DEPTH, MAX_QUOTED, icu_message
from app.formats.read_file import read_document

FILES = "{count, plural, =0 {No files} one {# file of {name}} other {# files of {name}}} on {day, date, short}."


def texts(message: str) -> list[tuple[str, str]]:
    return [(message[one.start : one.end], one.path) for one in icu_message(message, 0, len(message)).texts]


def opened(message: str, target: dict[int, str]) -> tuple[list[tuple[str, str]], str]:
    """The segments of a file with this message, and the message with these translations."""
    document = read_document(json.dumps({"key": message}, ensure_ascii=False).encode(), "a.json")
    exported = json.loads(document.export(target))["key"]
    return [(segment.source, segment.note) for segment in document.segments], exported


def test_each_form_is_a_segment_with_its_note_and_the_rest_of_the_message_stays():
    segments, exported = opened(
        FILES, {0: "Keine Dateien", 2: "{count} Dateien von {name}", 3: "am {day, date, short}."}
    )
    assert segments == [
        ("No files", "Key: key · count: =0"),
        ("{count} file of {name}", "Key: key · count: one"),
        ("{count} files of {name}", "Key: key · count: other"),
        ("on {day, date, short}.", "Key: key"),
    ]
    assert exported == (
        "{count, plural, =0 {Keine Dateien} one {# file of {name}} other {# Dateien von {name}}} am {day, date, short}."
    )


def test_choices_of_java_are_segments_with_their_limits_as_notes():
    message = "There {0,choice,0#are no files|1#is one file|1<are {0,number,integer} files} here."
    segments, exported = opened(message, {1: "keine | Dateien", 3: "{0,number,integer} Dateien"})
    assert segments == [
        ("There", "Key: key"),
        ("are no files", "Key: key · 0: 0#"),
        ("is one file", "Key: key · 0: 1#"),
        ("are {0,number,integer} files", "Key: key · 0: 1<"),
        ("here.", "Key: key"),
    ]
    assert exported == ("There {0,choice,0#keine '|' Dateien|1#is one file|1<{0,number,integer} Dateien} here.")
    nested = "{n, choice, 0#no|1≤{m, plural, one {x|y} other {z}}}"
    assert [text for text, _ in texts(nested)] == ["no", "x|y", "z"]


def test_nested_forms_name_their_path_and_the_number_of_the_outer_plural():
    message = "{who, select, she {She has {n,plural, offset:1 one{# dog} other{# dogs}}.} other {They # left.}}"
    assert texts(message) == [
        ("She has ", "who: she"),
        ("# dog", "who: she, n: one"),
        ("# dogs", "who: she, n: other"),
        (".", "who: she"),
        ("They # left.", "who: other"),
    ]
    segments, _ = opened(message, {})
    assert ("They # left.", "Key: key · who: other") in segments, "no number outside of a plural"


@pytest.mark.parametrize(
    ("translation", "written"),
    [
        ("{n} Dateien", "# Dateien"),
        ("# Dateien", "'#' Dateien"),
        ("Datei's", "Datei's"),
        ("Dateien'", "Dateien''"),
        ("d'{name}", "d''{name}"),
        ("{name} { x", "{name} '{' x"),
        ("a } b", "a '}' b"),
        ("'{' bleibt", "'{' bleibt"),
    ],
)
def test_signs_of_the_syntax_in_a_translation_are_quoted(translation: str, written: str):
    _, exported = opened("{n, plural, other {# files}}", {0: translation})
    assert exported == f"{{n, plural, other {{{written}}}}}"
    segments, _ = opened(exported, {})
    assert [source for source, _ in segments] in ([translation], [written.replace("#", "{n}")], [written])


@pytest.mark.parametrize(
    ("translation", "written"),
    [
        ("'{name} ''x'' #' in {n} Dateien", "'{name} ''x'' #' in # Dateien"),
        ("l'{name} '{name} ''x'' #'", "l''{name} '{name} ''x'' #'"),
        ("{name}", "{name}"),
    ],
)
def test_quoted_part_of_several_characters_is_shown_and_written_as_it_is(translation: str, written: str):
    message = "{n, plural, one {a # file} other {'{name} ''x'' #' in # files}}"
    segments, exported = opened(message, {1: translation})
    assert [source for source, _ in segments] == ["a {n} file", "'{name} ''x'' #' in {n} files"]
    assert exported == f"{{n, plural, one {{a # file}} other {{{written}}}}}"


def test_text_with_many_different_quoted_parts_has_no_forms():
    def quoting(num: int) -> str:
        return "".join(f"'{{{number}}}' " for number in range(num))

    for num, is_split in ((MAX_QUOTED, True), (MAX_QUOTED + 1, False)):
        assert bool(texts(f"{{n, plural, other {{{quoting(num)}}}}}")) is is_split
    assert texts(f"{{n, plural, one {{{quoting(5) * 200}}} other {{{quoting(5)}}}}}")


def test_number_sign_in_a_select_form_inside_a_plural_is_an_ordinary_character():
    message = "{n, plural, other {{g, select, she {her # files} other {their # files}}}}"
    _, exported = opened(message, {0: "ihre # von {n} Dateien"})
    assert exported == message.replace("her # files", "ihre # von {n} Dateien")


@pytest.mark.parametrize(
    ("message", "source"),
    [
        ("{n, plural, other {# of {n} files}}", "{#} of {n} files"),
        ("{n, plural, offset:1 other {you and # others}}", "you and {#} others"),
        ("{n, plural, other {{m, selectordinal, other {the #th of}} # files}}", "{n} files"),
        ("{n, plural, other {{g, select, other {her # files}}}}", "her # files"),
        ("{n, plural, other {{g, select, other {{m, plural, other {her # files}}}}}}", "her {m} files"),
    ],
)
def test_number_is_shown_as_its_argument_where_both_are_the_same(message: str, source: str):
    segments, exported = opened(message, {})
    assert segments[-1][0] == source
    _, exported = opened(message, {len(segments) - 1: f"{source}!"})
    assert len(exported) == len(message) + 1


def test_doubled_apostrophes_are_shown_once_and_written_doubled():
    segments, exported = opened("{n, plural, other {Kids'' # rooms}}", {0: "L'ami {n}"})
    assert segments[0][0] == "Kids' {n} rooms"
    assert exported == "{n, plural, other {L''ami #}}"


@pytest.mark.parametrize(
    "message",
    [
        "Save {{name}}, plural, x",
        "{name} has {0} files, plural, of them",
        "{n, plural, one {# file} other {# files}",
        "{n, plural, one {# file}} }",
        "{n, plural, }",
        "{n, plural, one}",
        "{n, plural, other {a '{quoted' part}}",
        "{n, plural, one {the files'} other {the files'}}",
        "{n, plural, other {a '{line\nbreak}' part}}",
        "{n, choice, 0#none|1}",
        "{n, choice, 0#none|1#one",
        "{n, plural, one " * 200,
        "{n, plural, one {" * (MAX_DEPTH + 2) + "x" + "}}" * (MAX_DEPTH + 2),
    ],
)
def test_other_braces_and_damaged_messages_have_no_texts(message: str):
    assert texts(message) == []


PIECES = [
    "{n, plural,",
    "{g, select,",
    "one {",
    "other {",
    "}",
    "}}",
    "# files",
    "{name}",
    "''",
    "'",
    "'{'",
    " x ",
    ",",
]

TEXTS = st.sampled_from(["# files", "{name}", "x y", " l'ami ", "a''b", "'#' c", "{day, date, short} d"])
VALID = st.recursive(
    TEXTS,
    lambda inner: st.builds(
        lambda one, other, kind: f"{one} {{n, {kind}, one {{{one}}} other {{{other}}}}} {other}",
        inner, inner, st.sampled_from(["plural", "select", "selectordinal"]),
    ),
    max_leaves=6,
)  # fmt: skip


@given(st.one_of(VALID, st.lists(st.sampled_from(PIECES), max_size=14).map("".join)))
def test_texts_ascend_have_balanced_braces_and_are_written_back_unchanged(message: str):
    found = icu_message(message, 0, len(message)).texts
    assert all(one.end <= other.start for one, other in pairwise(found))
    for one in found:
        text = message[one.start : one.end].replace("'{'", "")
        assert text.count("{") == text.count("}")
    data = json.dumps({"key": message}).encode()
    document = read_document(data, "a.json") if any(map(str.isalpha, message)) else None
    assert document is None or document.export({}) == data
    if document is not None and found:
        again = document.export({segment.index: segment.source for segment in document.segments})
        assert texts(json.loads(again)["key"]) == texts(message)
