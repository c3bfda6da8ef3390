"""Unusable files and texts get a clear message, nothing is lost, and the app keeps working."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen

# Uploaded file, and part of the expected message.
REFUSED = [
    ("empty.txt", b"", "empty"),
    ("blank.txt", b"\n \n\t\n", "white space"),
    ("photo.txt", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "PNG picture"),
    ("tool.txt", bytes(range(256)) * 40, "binary"),
    ("letter.pdf", b"%PDF-1.7 ...", "files that end in .pdf"),
    ("huge.txt", b"One more line of text.\n" * 260_000, "5 MiB"),
]

ACCEPTED = [
    ("utf16.txt", "Grüße aus Köln".encode("utf-16"), "Grüße aus Köln"),
    ("latin1.txt", "Grüße aus Köln".encode("latin-1"), "Grüße aus Köln"),
    ("marked.txt", "Grüße aus Köln".encode("utf-8-sig"), "Grüße aus Köln"),
    ("../../<b>x.txt", b"Hello there", "Hello there"),
]


def test_unusable_documents_are_refused_and_the_open_document_stays(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Bleibt hier")
    for name, data, message in REFUSED:
        screen.upload("document", name, data)
        expect(screen.page.locator(".banner.bad .say").filter(has_text=message)).to_have_count(1)
        expect(screen.page.locator(".docinfo .name")).to_have_text("manual.txt")
        screen.expect_text("Bleibt hier")
    screen.wait_until_saved()


@pytest.mark.parametrize(("name", "data", "source"), ACCEPTED, ids=[case[0] for case in ACCEPTED])
def test_text_in_any_common_encoding_is_read(screen: Screen, name: str, data: bytes, source: str):
    screen.open_text(data, name, waits=False)
    expect(screen.page.locator("p.source")).to_have_text(source)


def test_segment_of_2000_words_is_shown_with_a_clear_message(screen: Screen):
    long = " ".join(["word"] * 2000)
    screen.open_text(f"{long}\nShort line.\n", "long.txt", waits=False)
    expect(screen.page.locator(".docinfo .name")).to_have_text("long.txt")
    expect(screen.page.locator(".said")).to_have_text("The source is too long for the model: split the segment.")
    screen.type_text("Von Hand übersetzt.")
    screen.confirm()
    expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
    screen.wait_for_proposal()


def test_pasted_line_breaks_become_spaces(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.field.click()
    screen.page.keyboard.press("Control+A")
    screen.page.keyboard.insert_text("Zeile eins\nZeile zwei")
    screen.expect_text("Zeile eins Zeile zwei")
    screen.page.keyboard.press("Enter")
    screen.expect_text("Zeile eins Zeile zwei")


def test_empty_translation_is_not_confirmed(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.field.click()
    screen.page.keyboard.press("Control+A")
    screen.page.keyboard.press("Delete")
    screen.page.keyboard.press("Control+Enter")
    expect(screen.notes).to_contain_text("Nothing to confirm")
    expect(screen.page.locator(".editor .no")).to_have_text("1")
