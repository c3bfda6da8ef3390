"""Glossaries in the page: import preview, order by keys and mouse, terms edited in the grid."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.e2e.screen import DOCUMENT, Screen
from tests.e2e.test_accessibility import AXE, findings

CLIENT = (
    "settings\tEinstellungen\nrouter\tRouter\nfile\tDatei\nfile\tAkte\nonly one column\n"
    "menu\tGrafische Oberfläche\nrouter\tRouter\nlight\t\n"
)


def open_glossaries(screen: Screen) -> Locator:
    screen.page.locator(".gchip").click()
    screen.page.get_by_role("menuitem", name="Glossaries of this document").click()
    page = screen.page.get_by_role("region", name="Glossaries")
    expect(page.get_by_role("tab", name="Glossaries")).to_be_focused()
    return page


def test_glossary_import_is_previewed_by_row_and_used_with_the_chosen_fixes(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.upload("glossary", "client.tsv", CLIENT.encode())
    dialog = screen.page.get_by_role("region", name="Import of client.tsv")
    expect(dialog).to_contain_text("Nothing has been changed so far.")
    rejected = dialog.locator("tbody tr[data-verdict=rejected]")
    expect(rejected).to_have_count(3)
    expect(rejected.nth(1)).to_contain_text("1 column")
    with screen.page.expect_download() as download:
        dialog.get_by_role("link", name="Rows as CSV").click()
    assert download.value.suggested_filename == "client.attention.csv"
    expect(screen.page.locator(".gchip")).not_to_contain_text("term")
    screen.page.evaluate(AXE.read_text(encoding="utf-8"))
    assert findings(screen.page) == []
    dialog.get_by_role("button", name="Use “Akte”").click()
    dialog.get_by_role("button", name="Use “grafische Oberfläche”").press("Enter")
    dialog.get_by_role("button", name="Duplicates").click()
    expect(dialog.locator("tbody tr")).to_contain_text(["the same as row 2"])
    dialog.get_by_role("button", name="Needs attention").click()
    dialog.get_by_role("textbox", name="Row 8: target for “light”").fill("Licht")
    expect(dialog.get_by_role("button", name="Use “Akte”")).to_have_attribute("aria-pressed", "true")
    screen.page.reload()  # the choices are kept
    expect(dialog.get_by_role("textbox", name="Row 8: target for “light”")).to_have_value("Licht")
    dialog.get_by_role("button", name="Use 5 terms").click()
    expect(screen.page.locator(".gchip")).to_contain_text("5 terms")
    screen.open_segment(2)
    expect(screen.page.locator(".ti", has_text="file → Akte")).to_contain_text("client.tsv")


def test_proposals_for_messy_rows_are_accepted_kept_and_undone_by_keys(screen: Screen):
    screen.open_text(DOCUMENT)
    messy = "grinder\tMahlwerk / Mühle\nthe file\tdie Datei\nin\tin\nmenu\tMenü (n)\nrouter\tRouter\n"
    screen.upload("glossary", "messy.tsv", messy.encode())
    page = screen.page.get_by_role("region", name="Import of messy.tsv")
    rows = page.locator("tbody tr[data-verdict=held]")
    expect(rows).to_have_count(4)
    expect(rows.nth(0)).to_contain_text("seems to list alternatives")
    expect(page.get_by_role("status").filter(has_text="not used until")).to_contain_text("4 rows")
    screen.page.evaluate(AXE.read_text(encoding="utf-8"))
    assert findings(screen.page) == []
    first = rows.nth(0).get_by_role("button", name="Use “Mahlwerk | Mühle”")
    first.focus()
    first.press("a")
    expect(first).to_have_attribute("aria-pressed", "true")
    expect(rows.nth(0)).to_contain_text("Fixed")
    file = rows.nth(1).get_by_role("button", name="Use “file → Datei”")
    expect(file).to_be_focused()  # the next row
    file.press("k")
    expect(rows.nth(1)).to_contain_text("Kept as it is")
    expect(page.get_by_role("button", name="Use 3 terms")).to_be_enabled()
    screen.page.keyboard.press("Control+z")
    expect(rows.nth(1)).to_contain_text("To decide")
    expect(page.get_by_role("button", name="Use 2 terms")).to_be_enabled()
    screen.page.reload()  # the choices are kept
    expect(rows.nth(0)).to_contain_text("Fixed")
    page.get_by_role("button", name="Accept all proposals").click()
    expect(page.get_by_text("All rows are decided.")).to_be_visible()
    expect(page.get_by_role("button", name="Use 4 terms")).to_be_enabled()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Use 2 terms")).to_be_enabled()
    page.get_by_role("button", name="Accept all proposals").click()
    rows.nth(3).get_by_role("button", name="Keep as it is").press("ArrowUp")
    page.get_by_role("button", name="Use 4 terms").click()
    expect(screen.page.locator(".gchip")).to_contain_text("4 terms")
    screen.open_segment(2)
    expect(screen.page.locator(".ti", has_text="file → Datei")).to_contain_text("messy.tsv")


def test_glossary_is_saved_for_another_tool_and_the_page_lists_lost_data(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.upload("glossary", "client.csv", b"source,target,variants,status\nfile,Datei,Akte,\nfile,Feile,,forbidden\n")
    expect(screen.page.locator(".gchip")).to_contain_text("client.csv")
    screen.page.get_by_role("button", name="Export").click()
    screen.page.get_by_role("menuitem", name="Glossary for other tools").click()
    page = screen.page.get_by_role("region", name="Glossaries")
    page.get_by_role("button", name="Save client.csv as a file").click()
    dialog = screen.page.get_by_role("dialog", name="Save client.csv as a file")
    rows = dialog.get_by_role("row")
    expect(rows.filter(has_text="memoQ")).to_contain_text("keeps everything")
    expect(rows.filter(has_text="DeepL")).to_contain_text("other targets (1). Forbidden terms are left out (1)")
    screen.page.evaluate(AXE.read_text(encoding="utf-8"))
    assert findings(screen.page) == []
    with screen.page.expect_download() as download:
        dialog.get_by_role("link", name="Save client.csv as memoQ (CSV)").click()
    assert download.value.suggested_filename == "client.memoq.csv"
    assert b"NonTerm" in download.value.path().read_bytes()
    dialog.get_by_role("button", name="Close").last.click()
    expect(page.get_by_role("button", name="Save client.csv as a file")).to_be_focused()


def test_glossaries_are_reordered_by_keys_and_mouse_and_terms_edited_in_the_grid(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.upload("glossary", "client.tsv", b"file\tDatei\n")
    expect(screen.page.locator(".gchip")).to_contain_text("client.tsv")
    many = "".join(f"word {n}\tWort {n}\n" for n in range(1, 1500))
    screen.upload("glossary", "general.tsv", f"file\tAkte\n{many}".encode())
    expect(screen.page.locator(".gchip")).to_contain_text("2 glossaries")
    screen.open_segment(2)
    term = screen.page.locator(".ti[data-status]", has_text="file →")
    expect(term).to_contain_text("Akte")

    dialog = open_glossaries(screen)
    names = dialog.locator(".glist b")
    dialog.get_by_role("checkbox", name="Use client.tsv").press("Alt+ArrowUp")
    expect(names).to_have_text(["client.tsv", "general.tsv"])
    expect(dialog.get_by_role("checkbox", name="Use client.tsv")).to_be_focused()
    expect(term).to_contain_text("Datei")
    dialog.locator(".glist li").last.drag_to(dialog.locator(".glist li").first)
    expect(names).to_have_text(["general.tsv", "client.tsv"])
    dialog.get_by_role("checkbox", name="Use general.tsv").uncheck()
    expect(term).to_contain_text("Datei")
    dialog.get_by_role("button", name="Undo the last change").click()
    expect(term).to_contain_text("Akte")

    dialog.get_by_role("tab", name="Terms").click()
    cells = dialog.get_by_role("gridcell")
    cells.nth(1).click()
    screen.page.keyboard.press("Enter")
    screen.page.keyboard.type("Ordner")
    screen.page.keyboard.press("Enter")
    expect(term).to_contain_text("Ordner")
    expect(cells.nth(1)).to_be_focused()
    screen.page.keyboard.press("Home")
    screen.page.keyboard.type("word 7")  # typing replaces the cell
    screen.page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("already has the target “Wort 7” for “word 7”")
    expect(dialog.get_by_role("textbox", name="Source: file")).to_have_value("word 7")
    screen.page.keyboard.press("Escape")
    expect(cells.nth(0)).to_have_text("file")
    screen.page.keyboard.press("Control+End")
    last = dialog.get_by_role("row", name="word 1499")
    expect(last).to_be_visible()
    expect(last).to_have_attribute("aria-rowindex", "1501")
    assert dialog.get_by_role("row").count() < 60, "only visible rows are drawn"
    screen.page.keyboard.press("Delete")
    expect(dialog.locator(".gfilter")).to_contain_text("1,499 terms")
    dialog.get_by_label("Filter").fill("wort 77")
    expect(dialog.locator(".gfilter")).to_contain_text("11 of 1,499 terms")
    dialog.get_by_label("Source of a new term").fill("light")
    dialog.get_by_label("Target of a new term").fill("Licht")
    screen.page.keyboard.press("Enter")
    expect(dialog.locator(".gfilter")).to_contain_text("of 1,500 terms")
    screen.page.evaluate(AXE.read_text(encoding="utf-8"))
    assert findings(screen.page) == []

    dialog.get_by_role("tab", name="In the document").click()
    expect(dialog.locator(".impact li").first).to_contain_text("1segment with a term, of 4 in the document")
    assert findings(screen.page) == []
    screen.page.reload()
    expect(dialog.get_by_role("tab", name="In the document")).to_have_attribute("aria-selected", "true")
    expect(dialog.locator(".impact li").first).to_be_visible()
    screen.page.keyboard.press("Escape")
    expect(screen.field).to_be_focused()


COLUMNS = (
    "Entry_ID;Entry_Client;English;English_Def;German;German_Def;German_Term_Forbidden\n"
    "1;Acme;router;a device;Router;ein Gerät;False\n2;Acme;file;data;Akte;Daten;True\n"
)


def test_columns_of_a_term_base_are_proposed_changed_by_the_person_and_kept_for_the_next_file(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.upload("glossary", "office.csv", COLUMNS.encode())
    dialog = screen.page.get_by_role("dialog", name="Columns of office.csv")

    def use(column: str) -> Locator:
        return dialog.get_by_label(f"{column}: used for", exact=True)

    expect(use("English")).to_have_value("source")
    expect(use("German")).to_have_value("target")
    expect(use("Entry_ID")).to_have_value("ignore")
    expect(use("English_Def")).to_have_value("note")
    expect(dialog.locator("tbody tr").nth(4)).to_contain_text("Akte")
    go = dialog.get_by_role("button", name="Continue")
    use("German_Def").select_option("target")
    expect(dialog.get_by_role("alert")).to_have_text("Two columns are used for “Target term”: choose one of them.")
    expect(go).to_be_disabled()
    use("German_Def").select_option("ignore")
    expect(dialog.get_by_role("alert")).to_have_count(0)  # an empty alert is hidden
    expect(go).to_be_enabled()
    use("German_Term_Forbidden").select_option("forbidden")
    screen.page.evaluate(AXE.read_text(encoding="utf-8"))
    assert findings(screen.page) == []
    go.click()
    expect(screen.page.locator(".gchip")).to_contain_text("2 terms")
    screen.open_segment(2)
    expect(screen.page.locator(".ti", has_text="router → Router")).to_be_visible()
    expect(screen.page.locator(".ti", has_text="Akte")).to_contain_text("Forbidden")

    screen.upload("glossary", "home.csv", COLUMNS.replace("router;a device;Router", "light;a lamp;Licht").encode())
    expect(screen.page.get_by_role("region", name="Import of home.csv")).to_be_visible()  # without a question
    change = screen.page.get_by_role("button", name="Change columns")
    assert change.evaluate("button => button.scrollWidth <= button.clientWidth"), "the text is inside of the button"
    change.click()
    again = screen.page.get_by_role("dialog", name="Columns of home.csv")
    expect(again.get_by_label("German_Term_Forbidden: used for", exact=True)).to_have_value("forbidden")
    again.get_by_role("button", name="Cancel").click()
    expect(again).to_have_count(0)


def test_tag_behind_a_term_is_a_chip(screen: Screen):
    screen.open_text("Open the **settings** of the `%s` router.\n", "notes.md")
    screen.upload("glossary", "client.tsv", b"settings\tEinstellungen\nrouter\tRouter\n")
    expect(screen.page.locator(".source .term")).to_have_count(2)
    expect(screen.page.locator(".source .chip")).to_have_text(["{1}", "{/1}"])
