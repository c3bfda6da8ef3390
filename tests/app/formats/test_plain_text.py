"""Plain text: which lines are one paragraph, and how a paragraph is wrapped again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.documents import Document
from app.formats.file_format import Reading
from app.formats.read_file import read_document

WRAPPED = """The installation program copies all files to your computer and creates
a shortcut on the desktop. Before you start, close all other programs;
otherwise, Windows may have to be restarted.
"""


def read(text: str, **reading: object) -> Document:
    return read_document(text.encode(), "a.txt", reading=Reading(**reading))  # type: ignore[arg-type]


def sources(text: str, **reading: object) -> list[str]:
    return [segment.source for segment in read(text, **reading).segments]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("If you need help,\nplease call us.", ["If you need help, please call us."]),  # inside a sentence
        ("Northwind Supply\n12 High Street\nLeeds", ["Northwind Supply", "12 High Street", "Leeds"]),  # an address
        ("- red\n- green and\n  blue", ["- red", "- green and blue"]),  # a list
        ("1. Open it.\n2. Close it.", ["1. Open it.", "2. Close it."]),
        ("Wait until\nit. Then go.", ["Wait until it.", "Then go."]),  # no item "it."
        ("Kind regards,\nTom Miller", ["Kind regards,", "Tom Miller"]),
        ("Choose a door\n\nin the wall", ["Choose a door", "in the wall"]),  # a blank line
        ("Choose a door\r\nin the wall.", ["Choose a door in the wall."]),
        ("roses\nlilies\npansies", ["roses", "lilies", "pansies"]),  # a list of words
        ("open the file\nclose the file.", ["open the file", "close the file."]),
    ],
)
def test_line_break_inside_a_sentence_does_not_end_a_segment(text: str, expected: list[str]):
    assert sources(text) == expected


def test_lines_that_a_program_has_wrapped_are_one_paragraph():
    german = (
        "Das Programm wird auf Ihren Computer kopiert. Schließen Sie vorher alle\n"
        "Programme, denn sonst muss Windows vielleicht neu gestartet werden, und\n"
        "Texte, die noch nicht gespeichert sind, gehen dabei verloren.\n"
    )
    assert sources(german)[1] == (
        "Schließen Sie vorher alle Programme, denn sonst muss Windows vielleicht neu gestartet werden, und Texte, die "
        "noch nicht gespeichert sind, gehen dabei verloren."
    )


def test_lines_of_a_similar_length_are_no_wrapped_paragraph():
    headings = [
        "The history of the harbour from its beginnings to 1850",
        "Ships, captains and sailors between the two world wars",
        "New cranes and what they have changed in the last years",
    ]
    assert sources("\n".join(headings)) == headings


def test_two_lines_are_joined_if_the_first_one_is_as_long_as_those_of_the_text():
    pair = "Double-click the icon on your desktop or select the entry from Start,\nPrograms, Northwind to begin.\n"
    assert sources(pair) == pair.splitlines()  # alone
    assert sources(f"{WRAPPED}\n{pair}")[-1] == pair.replace("\n", " ").strip()


def test_wrapped_paragraph_is_wrapped_at_the_width_of_the_text_again():
    document = read(f"Title\n\n  {WRAPPED.replace(chr(10), chr(10) + '  ').rstrip()}\n\nEnd.\n")
    translated = document.export({1: " ".join(["Wort"] * 20) + ".", 2: "Kurz."}).decode()
    assert translated == (
        "Title\n\n"
        "  Wort Wort Wort Wort Wort Wort Wort Wort Wort Wort Wort Wort Wort Wort\n"
        "  Wort Wort Wort Wort Wort Wort. Kurz.\n\nEnd.\n"
    )


def test_paragraph_of_a_text_that_is_not_wrapped_keeps_its_number_of_lines():
    text = "When the light is green,\r\nopen the lid.\r\n\r\nDone.\r\n"
    translated = read(text).export({0: "Wenn das Licht grün leuchtet, öffnen Sie den Deckel des Geräts."}).decode()
    assert translated == "Wenn das Licht grün leuchtet,\r\nöffnen Sie den Deckel des Geräts.\r\n\r\nDone.\r\n"


def test_quoted_lines_of_an_email_are_paragraphs_whose_marks_are_layout():
    text = "> If you need help,\n> please call us.\n>\n> > Who?\nif not now.\n>5 kg\n"
    assert sources(text) == ["If you need help, please call us.", "Who?", "if not now.", ">5 kg"]
    translated = read(text).export({0: "Wenn Sie Hilfe brauchen, rufen Sie an.", 1: "Wer?"}).decode()
    assert translated == "> Wenn Sie Hilfe\n> brauchen, rufen Sie an.\n>\n> > Wer?\nif not now.\n>5 kg\n"


def test_paragraph_of_very_long_lines_keeps_its_number_of_lines():
    text = f"Before you {'very ' * 60}\ncarefully open the lid, read this.\n"
    translated = read(text).export({0: "Lesen Sie dies " * 40 + "genau."}).decode()
    assert translated.count("\n") == 2 and translated.split() == ("Lesen Sie dies " * 40 + "genau.").split()


def test_lines_without_a_translation_stay_as_they_are():
    document = read(f"{WRAPPED}\n  Done.  \n")
    assert document.export({}).decode() == document.text
    assert document.export({2: "Fertig."}).decode() == f"{WRAPPED}\n  Fertig.  \n"
    only_last = read("One. Two goes\non here. Three.\n").export({2: "Drei."}).decode()
    assert only_last == "One. Two goes\non here. Drei.\n"


def test_no_break_space_and_double_space_survive_wrapping():
    text = (
        read("Take 5 pills\nevery day.\n").export({0: "Nehmen Sie 5\u00a0Pillen  täglich nach dem Essen ein."}).decode()
    )
    assert "5\u00a0Pillen" in text and "\n" in text.rstrip("\n")


def test_person_chooses_whether_line_breaks_end_segments():
    text = "If you need help,\nplease call us.\nThank you\n"
    assert sources(text, line_breaks="separate") == text.splitlines()
    assert sources(text, line_breaks="join") == ["If you need help, please call us.", "Thank you"]
    assert sources("One\nTwo\n\nThree\n", line_breaks="join") == ["One Two", "Three"]


def test_chinese_lines_are_not_joined_with_spaces():
    lines = ["安装程序会把所有文件复制到您的计算机上并在桌面上创建一个快捷方式" * 2] * 3
    assert sources("\n".join(lines)) == lines


@given(st.lists(st.sampled_from(["", " ", "If so,", "call us.", "  see the", "- item", "Leeds", "x " * 35, "\u00a0y"])))
def test_words_and_untranslated_lines_are_the_same_however_lines_are_joined(lines: list[str]):
    text = "\n".join(["Begin", *lines])
    document = read(text)
    assert document.export({}).decode() == text
    assert " ".join(segment.source for segment in document.segments).split() == text.split()
