"""A file is exported in its own format; only the translation differs."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

from docx import Document as WordDocument
from playwright.sync_api import expect

from app.formats.archive import pack
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
    screen.expect_text("Datei.")
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


def test_columns_and_encoding_of_a_table_are_chosen_in_the_page(screen: Screen, tmp_path: Path):
    data = "Bild|Deutsch neu|Text|Nr\na b||Žluté okno běží.|1\nc d||Druhá věta.|2\n".encode("cp1250")
    screen.open_text(data, "list.csv")
    expect(screen.notes.filter(has_text="Windows-1250")).to_be_visible()
    expect(screen.row(2)).to_contain_text("a b")
    screen.page.get_by_role("button", name="Import settings").first.click()
    dialog = screen.page.get_by_role("dialog", name="Import settings")
    expect(dialog.get_by_label("Encoding")).to_have_value("cp1250")
    expect(dialog.get_by_role("row").nth(2)).to_contain_text("Žluté okno běží.")
    dialog.get_by_label("Source").select_option("Column 3")
    dialog.get_by_label("Target").select_option("Column 3")
    expect(dialog.get_by_role("alert")).to_have_text("Choose two different columns.")
    dialog.get_by_label("Target").select_option("Column 2")
    dialog.get_by_role("button", name="Import again").click()
    expect(screen.row(2)).to_contain_text("Žluté okno běží.")
    expect(screen.notes.filter(has_text="The file was imported again.")).to_be_visible()
    screen.open_segment(2)
    screen.type_text("Gelbes Fenster.")
    screen.confirm()
    screen.wait_until_saved()
    exported = screen.download("Translated document", tmp_path)
    assert exported.read_bytes() == data.replace(b"a b|", b"a b|Gelbes Fenster.")


def test_comments_of_a_word_document_are_chosen_in_the_page(screen: Screen):
    word = WordDocument()
    word.add_comment(word.add_paragraph("One house.").add_run(" Two doors."), "Is it so?", author="A")
    stream = io.BytesIO()
    word.save(stream)
    screen.open_text(stream.getvalue(), "letter.docx")
    expect(screen.row(2)).to_contain_text("Two doors.")
    expect(screen.notes.filter(has_text="Not offered: comments")).to_be_visible()
    screen.page.get_by_role("button", name="Import settings").first.click()
    dialog = screen.page.get_by_role("dialog", name="Import settings")
    expect(dialog.get_by_role("button", name="Import again")).to_be_disabled()
    dialog.get_by_role("group", name="Offer these texts too").get_by_label("Comments").check()
    dialog.get_by_role("button", name="Import again").click()
    expect(screen.row(3)).to_contain_text("Is it so?")


def test_tags_in_the_edit_field_are_marked_and_named(screen: Screen):
    screen.open_text("Open the **settings** now.\n", "notes.md")
    text = "Öffnen {1}Sie{/1} {7}!"
    screen.type_text(text)
    tags = screen.page.locator(".field .chip")
    expect(tags).to_have_text(["{1}", "{/1}"])
    expect(tags.last).to_have_attribute("title", re.compile(r"^B \{/1\}: "))
    screen.page.keyboard.press("Home")
    for _ in range(text.index("{1}")):
        screen.page.keyboard.press("ArrowRight")
    expect(screen.field).to_have_attribute("aria-description", re.compile(r"^B \{1\}: "))
    expect(screen.page.locator(".tagnote")).to_have_text(re.compile(r"^B \{1\}: "))
    # A tag is passed in one step, and removed as a whole.
    caret = "field => field.selectionStart"
    screen.page.keyboard.press("ArrowRight")
    assert screen.field.evaluate(caret) == text.index("{1}") + len("{1}")
    screen.page.keyboard.press("Backspace")
    screen.expect_text(text.replace("{1}", ""))
    expect(tags).to_have_text(["{/1}"])
    screen.page.keyboard.press("Control+z")
    screen.expect_text(text)
    screen.page.keyboard.press("Home")
    for _ in range(text.index("{1}")):
        screen.page.keyboard.press("ArrowRight")
    screen.page.keyboard.press("Delete")
    screen.expect_text(text.replace("{1}", ""))
    screen.page.keyboard.press("Control+z")
    screen.expect_text(text)
    # By keys: a tag of the source shows its content while it has the focus, and Enter inserts it.
    for key in ("Control+End", "Control+ArrowUp", "Home", *["ArrowRight"] * 2):
        screen.page.keyboard.press(key)
    chip = screen.page.locator(".source .chip").first
    expect(chip).to_be_focused()
    assert "**" in chip.evaluate("chip => getComputedStyle(chip, '::after').content")
    screen.page.keyboard.press("Enter")
    screen.expect_text(text + "{1}")
    expect(screen.field).to_be_focused()


def test_tag_between_spaces_of_the_source_is_inserted_by_key(screen: Screen):
    screen.open_text("<p>Press <img src='a.png'> now.</p>\n", "image.html")
    screen.type_text("Drücken ")
    screen.page.locator(".source .chip").press("Enter")
    screen.expect_text("Drücken {1}")
    expect(screen.field).to_be_focused()


def test_files_of_a_zip_are_opened_together_and_exported_in_their_places(screen: Screen, tmp_path: Path):
    page = screen.page
    job = pack({"Job/a.txt": b"Open the settings.\n", "Job/logo.png": b"\x89PNG", "Job/b.txt": b"Save it.\n"})
    screen.upload("document", "job.zip", job)
    opened = page.get_by_role("dialog", name="Opened files")
    expect(opened.get_by_role("status")).to_have_text("2 documents were opened. 1 file was not opened.")
    expect(opened.get_by_role("row", name="Job/logo.png")).to_contain_text("does not read files that end in .png")
    expect(opened.get_by_role("row", name="Job/b.txt")).to_contain_text("1 segment")
    expect(page.locator(".docinfo .name")).to_have_text("a.txt")
    expect(opened).to_contain_text("The first one is shown; the others are in the tabs.")
    tabs = page.get_by_role("tablist", name="Open documents").get_by_role("tab")
    expect(tabs.filter(has_text="b.txt")).to_have_attribute("aria-label", "b.txt, 0 of 1 confirmed")
    page.keyboard.press("Escape")
    expect(screen.field).to_be_focused()
    page.get_by_role("button", name="Export").click()
    document = page.get_by_role("menuitem", name="Translated document")
    expect(document).to_contain_text("1 segment of 1 is not translated; the file keeps its source")
    page.keyboard.press("Escape")
    screen.type_text("Einstellungen öffnen.")
    screen.confirm()
    screen.wait_until_saved()

    page.get_by_role("button", name="Export").click()
    expect(document).to_contain_text("All segments are translated")
    page.get_by_role("menuitem", name="Translated files as ZIP").click()
    dialog = page.get_by_role("dialog", name="Translated files as ZIP")
    expect(dialog.get_by_role("row", name="Job/a.txt")).to_contain_text("1 / 1")
    with page.expect_download() as started:
        dialog.get_by_role("button", name="Make the ZIP file").click()
    expect(dialog.get_by_role("row")).to_have_count(1)
    expect(dialog.get_by_role("row", name="Job/b.txt")).to_contain_text("Segments that are not confirmed: 1 of 1.")
    expect(dialog.get_by_role("status")).to_contain_text("1 other file of the archive is included unchanged.")
    assert started.value.suggested_filename == "job.de.zip"
    started.value.save_as(tmp_path / "job.de.zip")
    with zipfile.ZipFile(tmp_path / "job.de.zip") as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    assert contents == {
        "Job/a.txt": "Einstellungen öffnen.\n".encode(),
        "Job/logo.png": b"\x89PNG",
        "Job/b.txt": b"Save it.\n",
    }
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_paragraphs_are_chosen_as_segments(screen: Screen) -> None:
    screen.open_text("One house. Two houses.\nThree houses.", "a.txt")
    expect(screen.page.locator(".row")).to_have_count(2)  # besides the open one
    screen.page.get_by_role("button", name="Documents", exact=True).click()
    screen.page.get_by_role("menuitem", name="Import settings").click()
    dialog = screen.page.get_by_role("dialog", name="Import settings")
    again = dialog.get_by_role("button", name="Import again")
    expect(again).to_be_disabled()
    dialog.get_by_role("combobox", name="Segments").select_option("Paragraphs")
    again.click()
    expect(screen.page.locator(".row")).to_have_count(1)
    expect(screen.page.locator(".row .src").last).to_have_text("Three houses.")


def test_keys_of_a_json_file_are_chosen_in_the_page_and_kept_for_the_project(screen: Screen, tmp_path: Path):
    data = '{"id": "home", "items": [{"title": "One house.", "id": "first"}, {"title": "Two doors.", "id": "second"}]}'
    screen.open_text(data, "page.json")
    screen.page.get_by_role("button", name="Documents").click()
    screen.page.get_by_role("menuitem", name="Import settings").click()
    dialog = screen.page.get_by_role("dialog", name="Import settings")
    again = dialog.get_by_role("button", name="Import again")
    expect(again).to_be_disabled()
    dialog.get_by_label("items.*.id", exact=True).focus()
    dialog.get_by_label("items.*.id", exact=True).select_option("Do not translate")
    rules = dialog.get_by_label("Rules, one in each line")
    expect(rules).to_have_value("skip items.*.id")
    expect(dialog.get_by_label("items.*.id", exact=True)).to_be_focused()
    rules.fill("drop everything")
    expect(dialog.get_by_role("alert").first).to_contain_text("'drop everything' is not a rule")
    expect(again).to_be_disabled()
    rules.fill("skip **.id")
    expect(dialog.get_by_label("id", exact=True)).to_have_value("skip")
    expect(dialog.get_by_label("items.*.title", exact=True)).to_have_value("translate")
    dialog.get_by_label("Read new files of this format in the project the same way").check()
    again.click()
    expect(screen.page.locator(".cell-src")).to_contain_text("One house.")
    expect(
        screen.notes.filter(has_text="Texts that are not offered because of the rules in the import settings: 3.")
    ).to_be_visible()
    screen.type_text("Ein Haus.")
    screen.confirm()
    screen.wait_until_saved()
    exported = screen.download("Translated document", tmp_path)
    assert exported.read_text() == data.replace("One house.", "Ein Haus.")
    screen.open_text('{"id": "other", "title": "A door."}', "other.json")
    expect(screen.page.locator(".cell-src")).to_contain_text("A door.")
    screen.page.get_by_role("button", name="Import settings").first.click()
    expect(rules).to_have_value("skip **.id")
    expect(again).to_be_disabled()
    rules.fill("")
    expect(dialog.get_by_label("id", exact=True)).to_have_value("translate")
    dialog.get_by_label("Read new files of this format in the project the same way").uncheck()
    again.click()
    expect(screen.row(2)).to_contain_text("A door.")


def test_elements_of_an_xml_file_are_chosen_in_the_page(screen: Screen):
    data = '<doc><note kind="info">Press <b>Start</b> or <b>Go</b>.</note><code>run it</code><img alt="A cat"/></doc>'
    screen.open_text(data, "doc.xml")
    expect(screen.row(2)).to_contain_text("run it")
    screen.page.get_by_role("button", name="Import settings").first.click()
    dialog = screen.page.get_by_role("dialog", name="Import settings")
    expect(dialog.get_by_role("button", name="Import again")).to_be_disabled()
    expect(dialog.get_by_label("b", exact=True)).to_have_value("inline")
    dialog.get_by_label("code", exact=True).select_option("Do not translate")
    dialog.get_by_label("img/@alt", exact=True).select_option("Translate")
    expect(dialog.get_by_label("Rules, one in each line")).to_have_value("skip code\ntranslate img/@alt")
    dialog.get_by_role("button", name="Import again").click()
    expect(screen.row(2)).to_contain_text("A cat")
