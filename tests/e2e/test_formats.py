"""A file is exported in its own format; only the translation differs."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.screen import Screen

PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

#. Button of the first page
msgid "Open the %s"
msgstr ""

#, fuzzy
msgid "Save the file."
msgstr "Datei."

msgid "Done"
msgstr "Fertig"
"""


def test_po_file_is_post_edited_and_exported(screen: Screen, tmp_path: Path):
    screen.open_text(PO, "app.po")
    expect(screen.row(2)).to_have_attribute("data-state", "edited")
    expect(screen.row(3)).to_have_attribute("data-state", "confirmed")
    expect(screen.page.locator(".cell-src")).to_contain_text("Button of the first page")
    screen.type_text("Öffnen")
    screen.wait_until_saved()
    screen.open_segment(2)
    expect(screen.row(1)).to_contain_text("Placeholders missing: %s")
    screen.open_segment(1)
    screen.type_text("%s öffnen")
    screen.confirm()
    expect(screen.page.locator(".editor .no")).to_have_text("2")
    expect(screen.field).to_have_value("Datei.")
    screen.type_text("Speichern Sie die Datei.")
    screen.confirm()
    expect(screen.page.locator(".prog")).to_contain_text("3 / 3")
    exported = screen.download("Translated document", tmp_path)
    assert exported.name == "app.de.po"
    assert exported.read_text(encoding="utf-8") == (
        PO.replace('%s"\nmsgstr ""', '%s"\nmsgstr "%s öffnen"')
        .replace("#, fuzzy\n", "")
        .replace('"Datei."', '"Speichern Sie die Datei."')
    )
