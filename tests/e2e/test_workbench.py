"""The main workflow in the browser: pin, require terms, edit, confirm, export, continue."""

from __future__ import annotations

import csv
import re

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.screen import DOCUMENT, Screen, events

SOURCES = DOCUMENT.splitlines()
COUNT_FRAMES = """() => {
    const request = window.requestAnimationFrame;
    window.frames_requested = 0;
    window.requestAnimationFrame = callback => { window.frames_requested++; return request(callback); };
}"""


def test_sample_document_opens_with_its_glossary(screen: Screen):
    before = screen.token()
    screen.page.get_by_role("button", name="Documents").click()
    screen.page.get_by_role("menuitem", name="Sample document").click()
    screen.eventually(lambda: screen.token() != before)
    expect(screen.page.locator(".docinfo .name")).to_have_text("getting-started.txt")
    expect(screen.page.locator(".model")).to_have_text("random-en-de")
    screen.eventually(lambda: screen.page.locator(".row").count() >= 40)
    # An earlier session on the sample in which nothing was done is continued: that of the first start has its glossary.
    screen.page.locator(".gchip").click()
    screen.page.get_by_role("menuitem", name="Use the sample glossary").click()
    expect(screen.notes.filter(has_text="glossary.tsv")).to_contain_text("21 terms")
    expect(screen.page.locator(".gchip")).to_contain_text("21 terms")


def test_page_at_rest_draws_nothing(screen: Screen):
    screen.visit()
    screen.wait_for_proposal()
    screen.page.evaluate(COUNT_FRAMES)  # a running animation asks for its next frame here
    screen.page.wait_for_timeout(500)  # 30 frames
    assert screen.page.evaluate("window.frames_requested") == 0


def test_pinned_word_is_in_every_hypothesis(screen: Screen):
    screen.open_text(DOCUMENT)
    text = screen.words.nth(1).inner_text()
    screen.pin_word(1)
    screen.wait_for_pin(text)
    screen.wait_for_proposal()
    boxes = screen.boxes()
    assert boxes
    assert all(text in boxed for boxed in boxes)
    expect(screen.page.locator(".field .pin")).to_have_text(text)


def test_phrase_selected_with_the_mouse_is_one_pin_and_the_bar_releases_it(screen: Screen):
    screen.open_text(DOCUMENT)
    first, last = screen.words.nth(0), screen.words.nth(2)
    start, end = first.bounding_box(), last.bounding_box()
    assert start and end
    mouse, bar = screen.page.mouse, screen.page.get_by_role("toolbar", name="For the selected words")
    mouse.move(start["x"] + 1, start["y"] + start["height"] / 2)
    mouse.down()
    mouse.move(end["x"] + end["width"] - 2, end["y"] + end["height"] / 2, steps=5)
    mouse.up()
    bar.get_by_role("button", name="Pin").click()
    expect(screen.page.locator("li[data-pin]")).to_have_count(1)
    (phrase,) = screen.pins()
    assert len(phrase.split()) >= 2
    screen.wait_for_pin(phrase)
    screen.wait_for_proposal()
    assert phrase in screen.text()
    expect(screen.page.locator(".field .pin").first).to_be_visible()
    screen.page.locator(".field .pin .w, .field .w .pin").first.click()
    bar.get_by_role("button", name="Unpin").click()
    expect(screen.page.locator("li[data-pin]")).to_have_count(0)
    screen.wait_for_proposal()
    expect(screen.page.locator(".field .pin")).to_have_count(0)


def test_phrase_is_pinned_and_released_with_the_keyboard_alone(screen: Screen):
    screen.open_text(DOCUMENT)
    keyboard = screen.page.keyboard
    screen.field.focus()
    for key in ("Control+Home", *["Control+Shift+ArrowRight"] * 3, "Alt+p"):
        keyboard.press(key)
    expect(screen.page.locator("li[data-pin]")).to_have_count(1)
    (phrase,) = screen.pins()
    assert len(phrase.split()) >= 2
    screen.wait_for_pin(phrase)
    screen.wait_for_proposal()
    assert phrase in screen.text()
    screen.point_at(phrase)
    keyboard.press("Alt+p")
    expect(screen.page.locator("li[data-pin]")).to_have_count(0)
    expect(screen.field).to_be_focused()


def test_typed_phrase_is_pinned_and_in_every_hypothesis(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.get_by_label("Words to pin or ban").fill("ganz neue Wörter")
    screen.page.keyboard.press("Enter")
    screen.wait_for_pin("ganz neue Wörter")
    screen.wait_for_proposal()
    assert "ganz neue Wörter" in screen.text()
    screen.page.get_by_role("button", name="Unpin “ganz neue Wörter”").click()
    expect(screen.page.locator("li[data-pin]")).to_have_count(0)


def test_text_selected_in_the_field_is_pinned_by_key(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Das drahtlose Netz zuerst")
    screen.field.evaluate("area => area.setSelectionRange(4, 18)")
    screen.page.keyboard.press("Alt+p")
    screen.wait_for_pin("drahtlose Netz")
    screen.field.evaluate("area => area.setSelectionRange(21, 23)")
    screen.page.keyboard.press("Alt+p")
    screen.wait_for_pin("zuerst")  # part of a word would have to be a whole word
    screen.expect_text("Das drahtlose Netz zuerst")


def test_unspellable_pin_is_flagged_with_its_reason_and_nothing_is_lost(screen: Screen):
    screen.open_text(DOCUMENT)
    before = screen.text()
    screen.type_text("Mein Text")
    screen.page.get_by_label("Words to pin or ban").fill("Wort \U00012345")
    screen.page.keyboard.press("Enter")
    screen.wait_for_pin("Wort", "unmet")
    reason = screen.page.locator("li[data-pin] .why")
    expect(reason).not_to_be_empty()
    screen.expect_text("Mein Text")
    assert screen.hypothesis_texts()[0] == before
    expect(screen.page.locator(".said")).to_contain_text("last translation found")


def test_terms_of_an_uploaded_glossary_are_in_every_hypothesis(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.upload(
        "glossary", "terms.csv", b"source,target\nsettings,Einstellungen\nwireless network,WLAN\nmodem,Modem\n"
    )
    expect(screen.page.locator(".gchip")).to_contain_text("3 terms")
    expect(screen.page.locator(".ti[data-status]")).to_have_count(2)
    expect(screen.page.locator(".ti[data-status=met]")).to_have_count(2)
    screen.wait_for_proposal()
    assert all({"Einstellungen", "WLAN"} <= set(boxed) for boxed in screen.boxes())
    expect(screen.page.locator(".source .term")).to_have_count(2)
    screen.page.locator(".ti", has_text="WLAN").get_by_role("button", name="Ignore in this segment").click()
    expect(screen.page.locator(".ti[data-status=off]")).to_contain_text("WLAN")
    screen.wait_for_proposal()
    screen.eventually(lambda: screen.boxes() and all("WLAN" not in boxed for boxed in screen.boxes()))
    screen.page.locator(".ti", has_text="WLAN").get_by_role("button", name="Use again").click()
    expect(screen.page.locator(".ti[data-status=met]")).to_have_count(2)


def test_unusable_glossary_rows_are_listed_with_their_reasons(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.upload("glossary", "mixed.tsv", b"router\tRouter\nonly one column\nfile\tDatei\n\tleer\n")
    dialog = screen.page.get_by_role("region", name="Import of mixed.tsv")
    expect(dialog).to_contain_text("2 terms can be imported; 2 rows cannot.")
    expect(dialog.locator("tbody tr")).to_have_count(2)
    expect(dialog.locator("tbody tr").first).to_contain_text("only one column")
    dialog.get_by_role("button", name="Use 2 terms").click()
    expect(screen.page.locator(".gchip")).to_contain_text("2 terms")


def test_glossary_of_one_column_is_refused_and_the_current_one_stays(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.upload("glossary", "good.tsv", b"router\tRouter\n")
    expect(screen.page.locator(".gchip")).to_contain_text("1 term")
    screen.upload("glossary", "bad.csv", b"router\nsettings\n")
    expect(screen.page.locator(".banner.bad .say")).to_contain_text("1 column")
    expect(screen.page.locator(".gchip")).to_contain_text("good.tsv")


def test_hypothesis_fills_an_untouched_field_but_asks_before_replacing_typed_text(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.open_segment(3)  # its hypotheses are nearly as likely as the proposal
    screen.wait_for_proposal()
    texts = screen.hypothesis_texts()
    assert texts[0] == screen.text() and len(texts) == len(set(texts)) > 2
    screen.hypotheses.nth(2).click()
    screen.expect_text(texts[2])
    screen.type_text("Selbst getippt")
    first = texts[1]
    screen.hypotheses.nth(1).click()
    screen.expect_text("Selbst getippt")
    screen.page.get_by_role("button", name="Replace").click()
    screen.expect_text(first)
    screen.page.keyboard.press("Control+z")
    screen.expect_text("Selbst getippt")
    screen.page.keyboard.press("Control+Shift+z")
    screen.expect_text(first)


def test_undo_restores_pins_and_text(screen: Screen):
    screen.open_text(DOCUMENT)
    text = screen.words.nth(1).inner_text()
    screen.pin_word(1)
    screen.wait_for_pin(text)
    screen.field.focus()
    screen.page.keyboard.press("Control+z")
    expect(screen.page.locator("li[data-pin]")).to_have_count(0)
    screen.page.keyboard.press("Control+y")
    screen.wait_for_pin(text)


def test_late_reply_does_not_overwrite_typed_text(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.pin_word(1)  # a request is running
    screen.field.focus()
    screen.page.keyboard.press("Control+A")
    screen.page.keyboard.type("Das bleibt stehen", delay=15)
    screen.wait_for_proposal()
    screen.wait_until_saved()
    screen.expect_text("Das bleibt stehen")
    expect(screen.page.locator("li[data-pin]")).to_have_count(1)


def test_many_quick_pins_end_with_all_of_them_in_the_proposal(screen: Screen):
    screen.open_text(DOCUMENT)
    box = screen.page.get_by_label("Words to pin or ban")
    for text in ("eins", "zwei", "drei", "vier", "fünf", "sechs"):
        box.fill(text)
        screen.page.keyboard.press("Enter")
    screen.page.get_by_role("button", name="Unpin “zwei”").click()
    for text in ("eins", "drei", "vier", "fünf", "sechs"):
        screen.wait_for_pin(text)
    screen.wait_for_proposal()
    assert screen.pins() == ["eins", "drei", "vier", "fünf", "sechs"]
    assert all(set(boxed) == {"eins", "drei", "vier", "fünf", "sechs"} for boxed in screen.boxes())


def test_confirmed_segments_are_exported_and_still_there_after_reload(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT, "handbook.txt")
    screen.pin_word(1)
    (pin,) = (screen.eventually(lambda: len(screen.pins()) == 1), screen.pins())[1]
    screen.wait_for_pin(pin)
    screen.type_text("Öffnen Sie die Einstellungen.")
    screen.confirm()
    expect(screen.page.locator(".editor .no")).to_have_text("2")
    expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
    screen.wait_for_proposal()
    screen.type_text("=Der Router speichert die Datei.")
    screen.wait_until_saved()

    document = screen.download("Translated document", tmp_path)
    assert document.name == "handbook.de.txt"
    lines = document.read_text(encoding="utf-8").splitlines()
    assert lines == ["Öffnen Sie die Einstellungen.", "=Der Router speichert die Datei.", *SOURCES[2:]]

    log = events(screen.download("Session log as JSONL", tmp_path))
    kinds = {event["type"] for event in log}
    assert {"open", "focus", "decode_request", "decode_result", "pin", "insert", "confirm", "export"} <= kinds
    result = next(e for e in log if e["type"] == "decode_result" and e["payload"]["hypotheses"][0]["placements"])
    assert result["payload"]["hypotheses"][0]["placements"][0]["form"] == pin
    confirm = next(event for event in log if event["type"] == "confirm")
    assert confirm["payload"]["text"] == "Öffnen Sie die Einstellungen."

    table = screen.download("Session log as CSV", tmp_path)
    rows = list(csv.reader(table.read_text(encoding="utf-8-sig").splitlines()))
    assert rows[1][1] == "confirmed"
    assert "'=Der Router speichert die Datei." in rows[2]  # no formula

    screen.visit()
    expect(screen.page.locator(".docinfo .name")).to_have_text("handbook.txt")
    expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
    expect(screen.row(1).locator(".tgt")).to_have_text("Öffnen Sie die Einstellungen.")
    screen.expect_text("=Der Router speichert die Datei.")
    screen.open_segment(1)
    screen.expect_text("Öffnen Sie die Einstellungen.")
    screen.eventually(lambda: screen.pins() == [pin])


def test_keys_move_between_segments_and_the_list_can_be_filtered(screen: Screen):
    screen.open_text(DOCUMENT)
    number = screen.page.locator(".editor .no")
    screen.field.focus()
    screen.page.keyboard.press("Alt+ArrowDown")
    expect(number).to_have_text("2")
    screen.wait_for_proposal()
    screen.confirm()
    expect(number).to_have_text("3")
    screen.page.keyboard.press("Alt+ArrowUp")
    expect(number).to_have_text("2")
    screen.page.get_by_role("button", name="Reopen").click()
    expect(screen.page.locator(".prog")).to_contain_text("0 / 4")
    screen.confirm()
    expect(number).to_have_text("3")
    screen.page.get_by_role("button", name=re.compile(r"^Confirmed")).click()
    expect(number).to_have_text("2")  # the open segment did not belong there
    expect(screen.page.locator(".row")).to_have_count(0)
    screen.page.get_by_role("button", name=re.compile(r"^All")).click()
    screen.page.keyboard.press("Control+k")
    screen.page.keyboard.type("password")
    expect(screen.page.locator(".row")).to_have_count(1)  # the open segment stays while the search field has the focus
    screen.page.keyboard.press("Escape")
    expect(screen.page.locator(".row")).to_have_count(3)
    screen.page.keyboard.press("Alt+h")
    expect(screen.page.get_by_role("dialog").get_by_label("Search shortcuts")).to_be_focused()
    screen.page.keyboard.press("Escape")


def test_filter_chosen_while_a_confirmation_is_on_its_way_opens_that_segment(screen: Screen):
    page = screen.page
    screen.open_text(DOCUMENT)
    screen.type_text("Eins")
    screen.wait_until_saved()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route) if '"confirm"' in (route.request.post_data or "") else route.continue_()

    page.route("**/component_server**", hold)
    screen.confirm()
    screen.eventually(lambda: held)
    page.get_by_role("button", name=re.compile(r"^Confirmed")).click()
    expect(page.get_by_role("button", name=re.compile(r"^Confirmed"))).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".editor .no")).to_have_text("2")
    held[0].continue_()
    expect(page.locator(".editor .no")).to_have_text("1")
    expect(page.locator(".row")).to_have_count(0)
    page.unroute("**/component_server**")


def test_pretranslation_can_be_cancelled_and_resumed(screen: Screen):
    screen.open_text("\n".join(f"{line} Number {n}." for n in range(60) for line in SOURCES), "long.txt")
    status = screen.page.locator(".status")
    status.get_by_role("button", name="Cancel").click()
    resume = status.get_by_role("button", name="Resume")
    expect(resume).to_be_visible()
    screen.open_segment(3)  # the open segment is always decoded
    screen.wait_for_proposal()
    resume.click()
    expect(status.get_by_role("button", name="Cancel")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_follows_the_systems_light_or_dark_mode(screen: Screen, scheme: str):
    screen.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    screen.visit()
    background = screen.page.locator(".pinpoint").evaluate("element => getComputedStyle(element).backgroundColor")
    assert background == {"light": "rgb(245, 245, 242)", "dark": "rgb(20, 22, 25)"}[scheme]


def test_deleting_a_typed_letter_leaves_the_segment_untouched_and_arrows_move_through_the_list(screen: Screen):
    screen.open_text(DOCUMENT)
    page, keys = screen.page, screen.page.keyboard
    screen.field.focus()
    keys.press("End")  # a key of the text, although the list has it, too
    keys.type("x")
    screen.wait_until_saved()
    keys.press("Backspace")
    screen.wait_until_saved()
    keys.press("Alt+ArrowDown")
    expect(screen.row(1)).to_have_attribute("data-state", "pretranslated")
    stops = page.locator(".row[tabindex='0']")
    expect(stops).to_have_attribute("data-index", "2")
    stops.focus()
    keys.press("ArrowUp")
    expect(screen.field).to_be_focused()
    stops.focus()
    keys.press("Home")
    expect(screen.row(1)).to_be_focused()
    expect(stops).to_have_attribute("data-index", "0")


def test_confirmed_text_that_is_typed_again_is_confirmed_unless_the_person_took_the_confirmation_back(screen: Screen):
    screen.open_text(DOCUMENT)
    keys = screen.page.keyboard
    screen.confirm()
    for waits in (False, True):  # before the letter is sent, and after
        screen.open_segment(1)
        keys.press("End")
        keys.type("x")
        if waits:
            expect(screen.page.locator(".edit-grid .st")).to_have_attribute("title", "Current segment. Edited")
            screen.wait_until_saved()
        keys.press("Backspace")
        screen.wait_until_saved()
        keys.press("Alt+ArrowDown")
        expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
    screen.open_segment(1)
    screen.page.get_by_role("button", name="Reopen").click()
    keys.press("End")
    keys.type("x")
    screen.wait_until_saved()
    keys.press("Backspace")
    screen.wait_until_saved()
    keys.press("Alt+ArrowDown")
    expect(screen.row(1)).to_have_attribute("data-state", "edited")


def test_special_character_is_inserted_at_the_cursor_by_keyboard(screen: Screen):
    screen.open_text(DOCUMENT)
    keys = screen.page.keyboard
    screen.type_text("Preis 5")
    for _ in range(2):  # the one used last comes first
        keys.press("Alt+Shift+I")
        dialog = screen.page.get_by_role("dialog", name="Special characters")
        dialog.get_by_role("button", name="€").first.focus()
        keys.press("ArrowRight")
        expect(dialog.get_by_role("button", name="€").first).not_to_be_focused()
        keys.press("ArrowLeft")
        keys.press("Enter")
        expect(dialog).to_have_count(0)
    keys.type(".")
    screen.expect_text("Preis 5€€.")


def test_list_is_searched_by_a_regular_expression_and_sorted(screen: Screen):
    screen.open_text(DOCUMENT)
    page, keys = screen.page, screen.page.keyboard
    options = page.get_by_role("button", name="Search and order of the list")
    options.click()
    page.get_by_role("menuitemcheckbox", name="Regular expression").click()
    keys.type("^(you|do) .*(p|r)[a-z]+er")
    shown = page.locator(".row")
    expect(page.locator(".tools .found")).to_have_text("1 found")
    expect(shown.locator("mark")).to_have_text("Do not switch the router")
    keys.type("(")
    expect(page.locator(".tools .found")).to_have_text("not a regular expression")
    keys.press("Escape")
    options.click()
    page.get_by_role("menuitemcheckbox", name="Regular expression").click()
    expect(shown).to_have_count(3)
    options.click()
    page.get_by_role("menuitemradio", name="Source, alphabetical").press("Enter")
    expect(screen.field).to_be_focused()
    sources = [row.split()[0] for row in shown.locator(".src").all_inner_texts()]
    assert sources == ["Do", "The", "You"]  # the open segment is between the first two
    keys.press("Alt+ArrowDown")
    expect(page.locator(".editor .no")).to_have_text("2")
    options.click()
    expect(page.get_by_role("menuitemradio", name="Source, alphabetical")).to_have_attribute("aria-checked", "true")
    page.get_by_role("menuitemradio", name="As in the document").click()
