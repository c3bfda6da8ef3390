"""The translation memory panel: matches inserted by key, search, import."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import BrowserContext, Route, expect

from tests.e2e.hand_server import loading, serve
from tests.e2e.screen import Screen, events

TEXT = "Zebras open the seventh file.\nZebras open the eighth file.\nNothing of the kind.\n"
TMX = """<tmx version="1.4"><header creationtool="x" creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en"
srclang="en" datatype="xml"/><body><tu><tuv xml:lang="en"><seg>Nothing of the kind.</seg></tuv>
<tuv xml:lang="de"><seg>Nichts &lt;img src=x onerror=alert(1)&gt; dergleichen.</seg></tuv></tu></body></tmx>"""


def test_confirmed_segment_is_offered_as_a_match_and_inserted_by_key(screen: Screen, tmp_path):
    screen.open_text(TEXT)
    screen.type_text("Zebras öffnen die siebte Datei.")
    screen.confirm()
    panel = screen.page.locator(".side .panel:visible")
    screen.page.get_by_role("tab", name="Memory").click()
    expect(panel.locator("[data-rate]")).to_have_attribute("data-rate", "86")
    expect(panel.locator("[data-rate] del")).to_have_text("seventh")
    expect(panel.locator("[data-rate] ins")).to_have_text("eighth")
    screen.open_segment(1)
    expect(screen.row(2).locator(".meta.match")).to_contain_text("86 %")
    expect(screen.row(2)).to_have_accessible_name(re.compile("Best match in the translation memory: 86 %"))
    fuzzy = screen.page.get_by_role("button", name="TM fuzzy")
    expect(fuzzy).to_have_text("TM fuzzy1")
    expect(screen.page.get_by_role("button", name="TM 100 %")).to_be_hidden()
    fuzzy.click()
    expect(screen.page.locator(".editor .no")).to_have_text("2")
    expect(screen.page.locator(".row")).to_have_count(0)
    screen.page.get_by_role("button", name="All 3").click()
    screen.open_segment(2)
    screen.page.get_by_label("Pre-fill from").fill("86")
    screen.page.get_by_label("Pre-fill from").press("Tab")
    screen.page.get_by_role("button", name="Pre-fill 1 segment").press("Enter")
    screen.expect_text("Zebras öffnen die siebte Datei.")
    expect(screen.page.get_by_text("86 % · TM")).to_be_visible()
    expect(screen.page.get_by_role("button", name="Pre-fill 0 segments")).to_be_disabled()
    expect(screen.page.get_by_role("button", name="pre-filled 100 % match")).to_be_hidden()
    screen.field.press("Control+z")
    expect(screen.page.get_by_role("button", name="Pre-fill 1 segment")).to_be_enabled()
    expect(screen.page.get_by_text("86 % · TM")).to_be_hidden()
    lowest = screen.page.get_by_label("Matches from")
    for rate, chosen, num_matches in (("10", "50", 1), ("87", "87", 0), ("75", "75", 1)):  # 50 is the lowest
        lowest.fill(rate)
        lowest.press("Tab")
        expect(lowest).to_have_value(chosen)
        expect(panel.locator("[data-rate='86']")).to_have_count(num_matches)  # documents of other tests have worse ones
    screen.field.focus()
    screen.page.keyboard.press("Alt+Shift+1")
    screen.expect_text("Zebras öffnen die siebte Datei.")
    screen.type_text("Zebras öffnen die achte Datei.")
    screen.confirm()

    expect(panel.locator(".lead").first).to_contain_text("No match in")
    screen.upload("memory", "old.tmx", TMX.encode())
    expect(screen.notes.last).to_contain_text("1 entry imported")
    expect(panel.locator("[data-rate='100']")).to_contain_text("Nichts <img src=x onerror=alert(1)> dergleichen.")
    screen.field.focus()
    screen.page.keyboard.press("Alt+M")
    screen.page.keyboard.type("SIEBTE")
    screen.page.keyboard.press("Enter")
    expect(panel.locator("mark")).to_have_text("siebte")
    screen.page.keyboard.press("Control+a")
    screen.page.keyboard.type("Giraffe")
    expect(panel.locator(".lead").last).to_contain_text("0 entries")
    screen.type_text("Die Giraffe schläft.")
    screen.confirm()
    screen.open_segment(1)
    expect(panel.locator("mark")).to_have_text("Giraffe")  # found without another search
    assert b"achte Datei" in screen.download("Memory of all documents (TMX)", tmp_path).read_bytes()
    log = events(screen.download("Session log as JSONL", tmp_path))
    from_memory = [
        (e["payload"]["text"], e["payload"].get("rate")) for e in log if e["payload"].get("origin") == "memory"
    ]
    assert from_memory == [("Zebras öffnen die siebte Datei.", 86)] * 2  # pre-filled, and inserted by key
    assert "memory_shown" in {event["type"] for event in log}
    screen.check_nothing_went_wrong()


def test_words_of_a_match_are_pinned_by_mouse_and_keys(screen: Screen):
    page = screen.page
    screen.open_text("Yaks open the seventh file.\nYaks open the eighth file.\n")
    screen.type_text("Yaks öffnen die siebte Datei.")
    screen.confirm()
    words = page.locator(".side .panel:visible .matches li:first-child .w")
    expect(words).to_have_text(["Yaks", "öffnen", "die", "siebte", "Datei"])
    words.nth(1).dblclick()
    screen.wait_for_pin("öffnen")
    expect(words.nth(1)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Space")
    screen.wait_for_pin("öffnen die")
    assert screen.pins() == ["öffnen die"], "a phrase replaces the pin that it contains"
    page.keyboard.press("End")
    page.keyboard.press("Alt+p")
    screen.wait_for_pin("Datei")
    words.nth(2).click()
    expect(words.nth(1)).to_have_attribute("aria-pressed", "false")
    screen.eventually(lambda: screen.pins() == ["Datei"])
    box, other = words.nth(0).bounding_box(), words.nth(3).bounding_box()
    assert box and other
    page.mouse.move(box["x"] + 3, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(other["x"] + 3, other["y"] + 5, steps=4)
    page.mouse.up()
    screen.wait_for_pin("Yaks öffnen die siebte")
    page.keyboard.press("Escape")
    expect(screen.field).to_be_focused()
    page.keyboard.press("Control+z")
    screen.eventually(lambda: screen.pins() == ["Datei"])
    screen.check_nothing_went_wrong()


def test_exact_matches_of_an_imported_memory_fill_segments_and_one_undo_removes_them(
    tabs: BrowserContext, model_folder: Path, tmp_path: Path
):
    with serve(loading(model_folder), tmp_path) as url:
        screen = Screen(tabs.new_page(), url)
        screen.open_text("Zebras sleep.\nNothing of the kind.\nZebras run.\n")
        held: list[Route] = []

        def hold(route: Route) -> None:
            """A file takes its time to be read."""
            held.append(route) if '"import_memory"' in (route.request.post_data or "") else route.continue_()

        screen.page.route("**/component_server**", hold)
        screen.upload("memory", "old.tmx", (TMX.replace("&lt;img src=x onerror=alert(1)&gt; ", "")).encode())
        screen.eventually(lambda: held)
        screen.type_text("Zebras schlafen.")
        screen.wait_until_saved()
        held[0].continue_()
        expect(screen.notes.last).to_contain_text("1 segment was pre-filled")
        screen.page.unroute("**/component_server**")
        expect(screen.page.locator(".row[data-index='1']")).to_contain_text("100 % TM")
        screen.page.locator(".row[data-index='1']").click()
        screen.expect_text("Nichts dergleichen.")
        expect(screen.page.get_by_text("100 % · TM")).to_be_visible()
        pin = screen.page.get_by_label("Words to pin or ban")
        for phrase, text in (("dergleichen", "Nichts dergleichen."), ("settings", None)):
            pin.fill(phrase)
            pin.press("Enter")
            screen.wait_for_pin(phrase)
            screen.wait_for_proposal()
            if text:  # it has what is asked for
                screen.expect_text(text)
        expect(screen.notes.last).to_contain_text("TM match was replaced by the model’s translation")
        screen.eventually(lambda: "settings" in screen.text())
        screen.field.press("Control+z")
        screen.expect_text("Nichts dergleichen.")
        assert screen.pins() == ["dergleichen"]
        screen.field.press("Control+z")
        screen.eventually(lambda: screen.pins() == [])
        screen.wait_for_proposal()
        proposed = screen.hypothesis_texts()[0]
        screen.field.press("Control+z")
        screen.expect_text(proposed)
        screen.field.press("Control+y")
        screen.expect_text("Nichts dergleichen.")
        lines = screen.download("Document with proposals", tmp_path).read_text(encoding="utf-8").splitlines()
        assert lines[1] == "Nichts dergleichen." and "Zebras sleep." not in lines
        screen.check_nothing_went_wrong()


def test_all_filled_matches_are_confirmed_by_one_button_and_undone_by_one_key(
    tabs: BrowserContext, model_folder: Path, tmp_path: Path
):
    with serve(loading(model_folder), tmp_path) as url:
        screen = Screen(tabs.new_page(), url)
        page = screen.page
        screen.open_text(TEXT)
        for text in ("Zebras öffnen die siebte Datei.", "Zebras öffnen die achte Datei."):
            screen.type_text(text)
            screen.confirm()
        screen.wait_until_saved()
        screen.open_text("New.\n" + TEXT, "second.txt")
        expect(screen.row(2)).to_have_attribute("data-state", "pretranslated")
        page.get_by_role("tab", name="Memory").click()
        button = page.get_by_role("button", name="Confirm all 2 pre-filled 100 % matches")
        button.press("Enter")
        for number in (2, 3):
            expect(screen.row(number)).to_have_attribute("data-state", "confirmed")
        expect(screen.notes.filter(has_text="2 segments are confirmed")).to_have_count(1)
        expect(button).to_be_hidden()
        expect(screen.field).to_be_focused()
        page.keyboard.press("Control+z")
        for number in (2, 3):
            expect(screen.row(number)).to_have_attribute("data-state", "pretranslated")
        expect(button).to_be_visible()
        screen.check_nothing_went_wrong()
