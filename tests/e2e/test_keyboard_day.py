"""Work by keyboard alone: many segments (20, in `make test-all` 100), two people at one server, and a Word document."""

from __future__ import annotations

import io
from pathlib import Path

from docx import Document as WordDocument
from playwright.sync_api import BrowserContext, expect

from tests.budget import rounds
from tests.e2e.screen import Screen, events

VERBS, THINGS = ("Open", "Save", "Close", "Delete", "Copy"), ("file", "folder", "window", "router", "network")
KINDS = ("new", "old", "first", "last")
NUM_SEGMENTS = rounds(short=20, full=100)
NUM_ROUNDS = NUM_SEGMENTS // 20  # each kind of edit is made once in 20 segments
LINES = [f"{verb} the {kind} {thing}" for kind in KINDS for thing in THINGS for verb in VERBS][:NUM_SEGMENTS]
# One query for all conditions: separate ones would take most of the time.
READY = """number => {
  const field = document.querySelector('#pinpoint-edit');
  return document.querySelector('.editor .no').textContent === number && field.value && document.activeElement === field
    && document.querySelector('.field').getAttribute('aria-busy') === 'false' && field.value;
}"""
LEFT = """number => document.querySelector('.editor .no').textContent !== number
  || [...document.querySelectorAll('.checks li')].some(finding => finding.offsetParent)
  || document.querySelector('.prog').textContent.includes('ALL / ALL')""".replace("ALL", str(NUM_SEGMENTS))
COUNT_POINTERS = "window.presses = 0; addEventListener('pointerdown', () => { window.presses++; }, true)"


def test_many_segments_are_post_edited_by_keyboard_alone(screen: Screen, tmp_path: Path):
    screen.open_text("\n".join(LINES) + "\n", "commands.txt")
    page, press = screen.page, screen.page.keyboard.press
    page.evaluate(COUNT_POINTERS)
    confirmed: list[str] = []
    pinned: set[int] = set()
    for n in range(NUM_SEGMENTS):
        text = page.wait_for_function(READY, arg=str(n + 1)).json_value()
        if n % 20 == 2:  # a word of the machine's is pinned
            for key in ("Home", "Control+ArrowRight", "ArrowRight", "ArrowRight", "Alt+p"):
                press(key)
            screen.eventually(lambda: len(screen.pins()) == 1)
            screen.wait_for_pin(screen.pins()[0])
            screen.wait_for_proposal()
            pinned.add(n)
            text = screen.text()
            assert screen.pins()[0] in text
        elif n % 20 == 6:  # the beginning is typed, the rest translated again
            press("Control+Home")
            page.keyboard.type("Also ")
            press("Alt+r")
            screen.eventually(lambda: page.locator("li[data-kept]").count() == 1)
            screen.wait_for_proposal()
            screen.eventually(lambda: screen.text().startswith("Also "))
            text = screen.text()
            assert text.startswith("Also ")
        elif n % 20 == 10:  # the second alternative of the first word
            for key in ("Home", "Alt+a"):
                press(key)
            expect(page.locator(".pop .alt").first).to_be_focused()
            press("2")
            screen.eventually(lambda: len(screen.pins()) == 1)
            screen.wait_for_proposal()
            pinned.add(n)
            text = screen.text()
        elif n % 20 == 14:  # typed, undone, redone
            press("Control+a")
            page.keyboard.insert_text("Von Hand am Modem")
            press("Control+z")
            screen.expect_text(text)
            press("Control+y")
            text = "Von Hand am Modem"
            screen.expect_text(text)
        confirmed.append(text)
        press("Control+Enter")
        page.wait_for_function(LEFT, arg=str(n + 1))
        if screen.findings.count():
            press("Control+Enter")
    expect(page.locator(".prog")).to_contain_text(f"{NUM_SEGMENTS} / {NUM_SEGMENTS}")

    press("Control+h")
    dialog = page.get_by_role("dialog")
    page.keyboard.type("Modem")
    press("Tab")
    page.keyboard.type("Router")
    dialog.get_by_label("Include confirmed segments").first.focus()
    press("Space")
    expect(dialog.get_by_role("status")).to_contain_text(f"{NUM_ROUNDS} match")
    dialog.get_by_role("button", name="Replace all").focus()
    press("Enter")
    expect(screen.notes.last).to_contain_text(f"Replaced {NUM_ROUNDS} match")
    assert screen.page.evaluate("window.presses") == 0, "no pointer was used"
    replaced = [text.replace("Modem", "Router") for text in confirmed]
    assert screen.download("Translated document", tmp_path).read_text(encoding="utf-8").splitlines() == replaced
    screen.field.focus()
    press("Control+z")
    expect(screen.notes.last).not_to_contain_text("Replaced")
    screen.wait_until_saved()
    assert screen.download("Translated document", tmp_path).read_text(encoding="utf-8").splitlines() == confirmed

    log = events(screen.download("Session log as JSONL", tmp_path))
    confirms = [event for event in log if event["type"] == "confirm"]
    assert [event["segment"] for event in confirms] == list(range(NUM_SEGMENTS))
    assert [event["payload"]["text"] for event in confirms] == confirmed
    assert {event["segment"] for event in log if event["type"] == "pin"} == pinned


def test_two_people_work_at_the_same_time_without_seeing_each_other(
    screen: Screen, context: BrowserContext, tmp_path: Path
):
    other = Screen(context.new_page(), screen.address)
    people = [screen, other]
    for name, person in zip(("anna", "berta"), people, strict=True):
        person.open_text("".join(f"{name.title()} opens file {n}.\n" for n in (1, 2)), f"{name}.txt")
    for n in (1, 2):
        for name, person in zip(("anna", "berta"), people, strict=True):
            expect(person.page.locator(".editor .no")).to_have_text(str(n))
            person.wait_for_proposal()
            person.type_text(f"{name}s Satz {n}.")
        for person in people:  # both requests run at the same time
            person.page.keyboard.press("Control+Enter")
    for name, person in zip(("anna", "berta"), people, strict=True):
        expect(person.page.locator(".prog")).to_contain_text("2 / 2")
        expect(person.page.locator(".docinfo .name")).to_have_text(f"{name}.txt")
        text = person.download("Translated document", tmp_path).read_text(encoding="utf-8")
        assert text == "".join(f"{name}s Satz {n}.\n" for n in (1, 2))
        person.check_nothing_went_wrong()


def test_word_document_is_post_edited_by_keys_over_a_reload_and_exported(screen: Screen, tmp_path: Path):
    word = WordDocument()
    for verb in (*VERBS, "Move", "Print", "Rename", "Share", "Lock", "Check", "Reset"):
        paragraph = word.add_paragraph(f"{verb} the ")
        paragraph.add_run("wireless").bold = True
        paragraph.add_run(" network.")
    stream = io.BytesIO()
    word.save(stream)
    screen.open_text(stream.getvalue(), "commands.docx")
    page, press = screen.page, screen.page.keyboard.press
    page.evaluate(COUNT_POINTERS)
    confirmed: list[str] = []
    for n in range(12):
        page.wait_for_function(READY, arg=str(n + 1))
        assert "{1}" in screen.text() and "{/1}" in screen.text()
        if n == 1:
            for key in ("Control+Home", "Alt+p"):
                press(key)
            screen.eventually(lambda: len(screen.pins()) == 1)
            screen.wait_for_proposal()
        elif n == 2:
            for key in ("Control+Home", "Alt+a"):
                press(key)
            expect(page.locator(".pop .alt").first).to_be_focused()
            press("1")
            screen.eventually(lambda: len(screen.pins()) == 1)
            screen.wait_for_proposal()
        elif n == 3:
            press("Control+a")
            page.keyboard.type("Also ")
            press("Alt+c")
            expect(page.locator(".field .ghost")).to_be_visible()
            press("Tab")
            screen.eventually(lambda: len(screen.text()) > len("Also "))
            page.keyboard.type(" {1}dort{/1}.")
        elif n == 4:
            for key in ("Control+Home", "Control+Shift+ArrowRight", "Control+ArrowUp", "End", "Alt+Shift+p"):
                press(key)
            dialog = page.get_by_role("dialog", name="Add a term")
            expect(dialog.get_by_label("Source words")).to_have_value("network")
            expect(dialog.get_by_label("Translation")).to_have_value(screen.text().split()[0])
            press("Enter")
            expect(screen.notes.last).to_contain_text("is now required in the whole document")
            expect(screen.field).to_be_focused()
            screen.wait_for_proposal()
        elif n == 5:
            press("Alt+h")
            expect(page.get_by_role("dialog")).to_be_visible()
            for key in ("Escape", "Control+Home"):
                press(key)
            page.keyboard.type("Dann ")
            screen.eventually(lambda: screen.text().startswith("Dann "))
        elif n == 6:
            text = screen.text()
            press("Control+a")
            page.keyboard.type("Weg")
            press("Control+z")
            screen.expect_text(text)
        elif n == 7:
            press("End")
            page.keyboard.type(" Neu")
            screen.wait_until_saved()
            assert page.evaluate("window.presses") == 0, "no pointer was used"
            screen.visit()
            page.evaluate(COUNT_POINTERS)
            expect(page.locator(".editor .no")).to_have_text("8")
            assert screen.text().endswith(" Neu")
            screen.field.focus()
        confirmed.append(screen.text())
        press("Control+Enter")
        page.wait_for_function(LEFT.replace(f"{NUM_SEGMENTS} / {NUM_SEGMENTS}", "12 / 12"), arg=str(n + 1))
        if screen.findings.count():
            press("Control+Enter")
    expect(page.locator(".prog")).to_contain_text("12 / 12")
    assert page.evaluate("window.presses") == 0, "no pointer was used"
    exported = WordDocument(str(screen.download("Translated document", tmp_path))).paragraphs
    assert [one.text for one in exported] == [text.replace("{1}", "").replace("{/1}", "") for text in confirmed]
    bold = [[run.text for run in one.runs if run.bold] for one in exported]
    assert bold == [[text.partition("{1}")[2].partition("{/1}")[0]] for text in confirmed]
