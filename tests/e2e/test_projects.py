"""Projects and the list of all documents: by keyboard, with names that nobody should give."""

from __future__ import annotations

from pathlib import Path

from openpyxl import load_workbook
from playwright.sync_api import Locator, expect

from tests.app.formats.srx_samples import srx
from tests.e2e.screen import DOCUMENT, Screen

HOSTILE = "<img src=x onerror=alert(1)> '; --"


def dialog_of(screen: Screen) -> Locator:
    return screen.page.get_by_role("dialog", name="Documents and projects")


def create_project(screen: Screen, name: str, client: str = "") -> None:
    """Creates a project by keyboard and closes the dialogs; new documents go into it."""
    screen.field.focus()
    screen.page.keyboard.press("Alt+o")
    expect(dialog_of(screen)).to_be_visible()
    dialog_of(screen).get_by_role("button", name="New project").press("Enter")
    expect(screen.page.get_by_label("Name", exact=True)).to_be_focused()
    screen.page.keyboard.type(name)
    screen.page.keyboard.press("Tab")
    screen.page.keyboard.type(client)
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("dialog", name="New project")).to_have_count(0)


def test_new_document_goes_into_the_new_project_and_is_moved_and_deleted_in_the_list(screen: Screen):
    page, dialog = screen.page, dialog_of(screen)
    screen.open_text(DOCUMENT, "before.txt")
    create_project(screen, HOSTILE, "ACME")
    row = dialog.get_by_role("listitem").filter(has_text=HOSTILE)
    expect(row).to_contain_text("New documents go here")
    expect(row).to_contain_text("0 documents")
    row.get_by_role("button", name=f"Glossaries of {HOSTILE}").press("Enter")
    expect(row).to_contain_text("Glossaries are shown with a document.")
    page.keyboard.press("Escape")
    screen.open_text(DOCUMENT, "after.txt")
    expect(page.locator(".docinfo .proj")).to_have_text(HOSTILE)
    expect(page.locator(".head .langs")).to_have_text("EN → DE · Sie")

    screen.field.focus()
    page.keyboard.press("Alt+o")
    search = dialog.get_by_role("searchbox", name="Search by name")
    expect(search).to_be_focused()
    page.keyboard.type("AFTER")
    rows = dialog.get_by_role("row").filter(has=page.get_by_role("button", name="Delete"))
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("0 / 4")
    choice = dialog.get_by_role("combobox", name="Project of after.txt")
    expect(choice.locator("option:checked")).to_have_text(f"{HOSTILE} (ACME)")
    choice.select_option("My project")
    expect(page.locator(".docinfo .proj")).to_have_text("My project")
    expect(choice).to_be_focused()

    search.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("before")
    expect(rows).to_have_count(1)
    rows.get_by_role("button", name="Delete before.txt").press("Enter")
    question = page.get_by_role("alertdialog", name="Delete before.txt?")
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    expect(rows).to_have_count(1)
    rows.get_by_role("button", name="Delete before.txt").press("Enter")
    question.get_by_role("button", name="Delete").press("Enter")
    expect(dialog.get_by_text("No document found.")).to_be_visible()
    expect(search).to_be_focused()
    page.keyboard.press("Escape")  # empties the search
    expect(search).to_have_value("")
    dialog.get_by_role("tab", name="Documents").press("ArrowRight")
    own = dialog.get_by_role("listitem").filter(has_text="My project")
    own.get_by_role("button", name="Use for new documents").press("Enter")
    expect(own).to_contain_text("New documents go here")
    page.keyboard.press("Escape")
    expect(screen.field).to_be_focused()


def test_segmentation_rules_are_chosen_for_a_project_downloaded_and_removed(screen: Screen, tmp_path: Path):
    page, dialog = screen.page, dialog_of(screen)
    text = "Pay 3 Euro etc. Then wait."
    create_project(screen, "Rules")
    row = dialog.get_by_role("listitem").filter(has_text="Rules")
    row.get_by_role("button", name="Edit Rules").press("Enter")
    form = page.get_by_role("dialog", name="Project", exact=True)
    rules = form.get_by_role("group", name="Segmentation rules")
    expect(rules).to_contain_text("Pinpoint's own")
    expect(rules.get_by_role("link", name="Download")).to_be_hidden()
    bad = srx('<rule break="yes"><beforebreak>(<![CDATA[<b>]]>)\\1</beforebreak></rule>')
    choose = rules.locator("input[type=file]")
    choose.set_input_files({"name": "bad.srx", "mimeType": "text/xml", "buffer": bad})
    expect(rules.get_by_role("status")).to_have_text(
        "bad.srx, line 5: \\1 in (<b>)\\1 is not supported: repeat the pattern of the group in its place"
    )
    good = srx('<rule break="yes"><beforebreak>etc\\.</beforebreak><afterbreak>\\s</afterbreak></rule>')
    choose.set_input_files({"name": f"{HOSTILE}.srx", "mimeType": "text/xml", "buffer": good})
    expect(rules.get_by_role("status")).to_contain_text("is used for documents opened from now on")
    expect(rules).to_contain_text("1 rule")
    with page.expect_download() as started:
        rules.get_by_role("link", name="Download").click()
    started.value.save_as(tmp_path / "again.srx")
    assert (tmp_path / "again.srx").read_bytes() == good
    form.get_by_role("button", name="Save").click()
    expect(row).to_contain_text(".srx \u00b7 1 rule")
    page.keyboard.press("Escape")
    screen.open_text(text, "with.txt")
    expect(page.locator(".row .src").first).to_have_text("Then wait.")

    screen.field.focus()
    page.keyboard.press("Alt+o")
    dialog.get_by_role("tab", name="Projects").click()
    row.get_by_role("button", name="Edit Rules").press("Enter")
    rules.get_by_role("button", name="Remove").press("Enter")
    expect(rules).to_contain_text("Pinpoint's own")
    form.get_by_role("button", name="Save").click()
    page.keyboard.press("Escape")


def test_project_is_renamed_and_deleted_after_a_question(screen: Screen):
    page, dialog = screen.page, dialog_of(screen)
    create_project(screen, "Manual")
    row = dialog.get_by_role("listitem").filter(has_text="Manual")
    row.get_by_role("button", name="Edit Manual").press("Enter")
    form = page.get_by_role("dialog", name="Project", exact=True)
    form.get_by_label("Name").fill("  ")
    page.keyboard.press("Enter")
    expect(form.get_by_role("alert")).to_have_text("The project has no name: type one.")
    form.get_by_label("Name").fill("Manuals")
    page.keyboard.press("Enter")
    expect(form).to_have_count(0)
    expect(dialog.get_by_role("button", name="Edit Manuals")).to_be_focused()
    page.keyboard.press("Escape")
    screen.open_text(DOCUMENT, "inside.txt")
    expect(page.locator(".docinfo .proj")).to_have_text("Manuals")
    page.locator(".docinfo .proj").press("Enter")
    dialog.get_by_role("button", name="Delete Manuals").press("Enter")
    question = page.get_by_role("alertdialog", name="Delete the project Manuals?")
    expect(question).to_contain_text("1 document")
    question.get_by_role("combobox", name="Move to").select_option("My project")
    question.get_by_role("button", name="Delete project").press("Enter")
    expect(question).to_have_count(0)
    expect(dialog.get_by_role("listitem").filter(has_text="Manuals")).to_have_count(0)
    expect(page.locator(".docinfo .proj")).to_have_text("My project")
    page.keyboard.press("Escape")


def test_glossary_of_a_document_is_shared_with_its_project_merged_and_deleted(screen: Screen):
    page = screen.page
    create_project(screen, "Terms")
    page.keyboard.press("Escape")
    screen.open_text(DOCUMENT, "first.txt")
    screen.upload("glossary", "base.tsv", b"router\tRouter\n")
    screen.notes.filter(has_text="base.tsv").wait_for()
    page.get_by_role("button", name="Use it in the whole project Terms").press("Enter")
    expect(screen.notes.filter(has_text="glossary of the project Terms now")).to_have_count(1)
    screen.select_source("wireless", "network")
    page.keyboard.press("Alt+Shift+p")
    term = page.get_by_role("dialog", name="Add a term")
    expect(term.get_by_role("button")).to_have_text(["", "Cancel", "Only in this document", "Add to the project"])
    page.keyboard.type("Funknetz")
    page.keyboard.press("Enter")
    expect(page.locator(".gchip")).to_contain_text("2 terms")
    page.keyboard.press("Control+z")
    expect(page.locator(".gchip")).to_contain_text("1 term")
    screen.open_text(DOCUMENT, "second.txt")
    expect(page.locator(".gchip")).to_contain_text("1 term")
    screen.upload("glossary", "more.tsv", b"file\tDatei\n")
    expect(page.locator(".gchip")).to_contain_text("2 glossaries")

    page.locator(".gchip").click()
    page.get_by_role("menuitem", name="Glossaries of this document").click()
    dialog = page.get_by_role("region", name="Glossaries")
    base = dialog.get_by_role("listitem").filter(has_text="base.tsv")
    expect(base.locator(".tag")).to_have_text("Project")
    dialog.get_by_role("combobox", name="Merge more.tsv into another glossary").select_option("base.tsv")
    expect(dialog.get_by_role("listitem")).to_have_count(1)
    expect(base).to_contain_text("2 terms")
    dialog.get_by_role("button", name="Delete base.tsv from the project").press("Enter")
    question = page.get_by_role("alertdialog", name="Delete the glossary base.tsv?")
    expect(question).to_contain_text("2 terms will no longer be required")
    question.get_by_role("button", name="Delete").press("Enter")
    expect(dialog.get_by_role("listitem")).to_have_count(0)
    dialog.get_by_role("button", name="Undo the last change").press("Enter")
    expect(base).to_contain_text("2 terms")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.press("Alt+o")
    documents = dialog_of(screen)
    documents.get_by_role("tab", name="Documents").press("ArrowRight")
    own = documents.get_by_role("listitem").filter(has_text="My project")
    own.get_by_role("button", name="Use for new documents").press("Enter")
    expect(own).to_contain_text("New documents go here")
    expect(own.get_by_role("button").first).to_be_focused()
    documents.get_by_role("button", name="Glossaries of Terms").press("Enter")
    expect(dialog.get_by_role("listitem")).to_contain_text(["base.tsv"])
    expect(page.locator(".docinfo .name")).to_have_text("second.txt")
    page.keyboard.press("Escape")


def test_analysis_counts_repetitions_and_is_priced_by_rates_that_stay(screen: Screen, tmp_path: Path):
    screen.open_text("Save it.\nSave it.\nHarvest barley beside rivers.\n", "analysed.txt")
    page = screen.page
    for is_new in (True, False):
        page.get_by_role("button", name="Documents").click()
        page.get_by_role("menuitem", name="Analysis and quote").click()
        dialog = page.get_by_role("dialog", name="Analysis before work")
        numbers = dialog.locator("[data-band=repeated] td")
        expect(numbers.first).to_have_text("1")
        if is_new:
            dialog.get_by_label("Repetitions: rate in percent").fill("50")
            dialog.get_by_label("Price of a new word").fill("0.5")
        expect(numbers.last).to_have_text("1.0")
        expect(dialog.get_by_text("Price: 3.50")).to_be_visible()  # 6 new words, 2 at half the price
        if is_new:
            page.keyboard.press("Escape")
            expect(screen.field).to_be_focused()
    with page.expect_download() as started:
        dialog.get_by_role("link", name="Excel workbook").click()
    started.value.save_as(tmp_path / "analysis.xlsx")
    table = load_workbook(tmp_path / "analysis.xlsx")["Analysis"]
    assert [row[-1] for row in table.iter_rows(min_row=2, values_only=True)][-2:] == [3.0, 3.5]
    with page.expect_download() as started:
        dialog.get_by_role("link", name="CSV log").click()
    assert started.value.suggested_filename == "analysis.csv"
    page.keyboard.press("Escape")
