"""Review by two people in two browsers: the translator confirms, the reviewer returns, later approves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.access.actor import OWNER
from app.log.project_tables import update_project
from app.sessions import Sessions
from app.ui.sign_in import SignIn
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.e2e.conftest import new_context
from tests.e2e.hand_server import serve
from tests.e2e.screen import Screen

TEXT = "Open the settings.\nThe router saves the file.\nDo not switch it off.\n"
KEYS = {"key-of-the-translator-0": "Tom", "key-of-the-reviewer-00": "Rita"}


@dataclass(frozen=True)
class Review:
    """Tom, a translator, and Rita, a reviewer, in the same document, each in a browser of their own."""

    sessions: Sessions
    tom: Screen
    rita: Screen


# What of the filters, the search and the actions is outside of the list, with the longer words of German.
OUTSIDE = """() => {
    const words = {'.seg [data-filter=returned] .t': 'Zurückgegeben', '.seg [data-filter=approved] .t': 'Freigegeben',
        '.seg [data-filter=to_review] .t': 'Zu revidieren'};
    for (const [name, word] of Object.entries(words)) document.querySelector(name).textContent = word;
    const end = document.querySelector('.doc').getBoundingClientRect().right;
    const labels = {'Re-translate the rest': 'Rest neu übersetzen', Alternatives: 'Alternativen', More: 'Mehr',
        Reopen: 'Wieder öffnen', Return: 'Zurückgeben', Approve: 'Freigeben', 'Confirm and next': 'Bestätigen'};
    for (const node of [...document.querySelectorAll('.actions .btn')].flatMap(button => [...button.childNodes]))
        if (node.nodeType === Node.TEXT_NODE) node.data = labels[node.data.trim()] ?? node.data;
    return [...document.querySelectorAll('.seg button, .tools .search, .actions .btn')]
        .filter(element => element.getClientRects().length && (element.getBoundingClientRect().right > end ||
            (element.matches('.btn') && element.scrollWidth > element.clientWidth)))
        .map(element => element.textContent);
}"""


@pytest.fixture
def review(browser: Browser, tmp_path: Path) -> Iterator[Review]:
    found: list[Sessions] = []

    def prepare(sessions: Sessions) -> None:
        found.append(sessions)
        store = sessions.store
        store.people.put("Tom", "translator")
        store.people.put("Rita", "reviewer")
        workspace = sessions.open_document(OWNER, TEXT.encode(), "shared.txt")
        project = replace(workspace.project, name="Shared", has_review=True)
        with store.connection.transaction("switch the review on"):
            update_project(store.connection.db, project)
        workspace.use_project(project)
        for name in KEYS.values():
            store.people.join(name, [project.id])

    sign_in = SignIn("t0ken-of-this-test_000", KEYS.get)
    with serve(ready_model(HandDecoder()), tmp_path, on_start=prepare, sign_in=sign_in) as url:
        contexts = [new_context(browser) for _ in KEYS]
        tom, rita = (
            Screen(context.new_page(), f"{url}/?token={key}") for context, key in zip(contexts, KEYS, strict=True)
        )
        for screen in (tom, rita):
            screen.field.press("Alt+o")
            screen.page.get_by_role("dialog").get_by_role("button", name="shared.txt", exact=True).click()
            expect(screen.page.locator(".docinfo .name")).to_have_text("shared.txt")
        yield Review(found[0], tom, rita)
        for context in contexts:
            context.close()


def chip(page: Page, name: str, number: int):
    return page.get_by_role("group", name="Show").get_by_role("button", name=re.compile(rf"^{name}\s*{number}$"))


def test_translator_confirms_reviewer_returns_translator_mends_reviewer_approves(review: Review):
    tom, rita = review.tom, review.rita
    expect(tom.page.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
    tom.open_segment(1)
    tom.type_text("Einstellungen öffnen.")
    tom.field.press("Control+Enter")
    expect(chip(rita.page, "To review", 1)).to_be_visible()

    rita.field.press("Alt+Shift+N")
    rita.expect_text("Einstellungen öffnen.")
    expect(rita.page.get_by_role("button", name="Return", exact=True)).to_be_enabled()
    rita.field.press("Alt+Shift+R")
    remark = rita.page.get_by_role("textbox", name="Remark on this segment")
    expect(remark).to_be_focused()
    remark.press("Enter")  # nothing is sent without a reason
    remark.fill("The user is addressed: <b>Öffnen Sie …</b>")
    remark.press("Enter")
    expect(chip(tom.page, "Returned", 1)).to_be_visible()
    expect(chip(rita.page, "To review", 0)).to_be_visible()

    chip(tom.page, "Returned", 1).click()
    tom.expect_text("Einstellungen öffnen.")
    conversation = tom.page.get_by_role("list", name="Remarks of translator and reviewer")
    expect(conversation).to_contain_text("Rita")
    expect(conversation).to_contain_text("The user is addressed: <b>Öffnen Sie …</b>")
    tom.field.press("Alt+Shift+K")
    answer = tom.page.get_by_role("textbox", name="Remark on this segment")
    answer.fill("Mended.")
    answer.press("Enter")
    expect(conversation.get_by_role("listitem")).to_have_count(2)
    expect(tom.field).to_be_focused()
    tom.type_text("Öffnen Sie die Einstellungen.")
    tom.field.press("Control+Enter")
    expect(chip(tom.page, "Returned", 0)).to_be_visible()
    expect(chip(rita.page, "To review", 1)).to_be_visible()

    approve, confirm = (
        rita.page.get_by_role("button", name=name)
        for name in (re.compile("^Approve$"), re.compile("^Confirm and next"))
    )
    rita.open_segment(2)
    rita.page.mouse.move(0, 0)  # a button under the pointer is darker
    colours = [each.evaluate("button => getComputedStyle(button).backgroundColor") for each in (confirm, approve)]
    rita.field.press("Alt+Shift+N")
    rita.open_segment(1)
    expect(approve).to_have_css("background-color", colours[0])  # the primary button where a text waits for review
    expect(confirm).to_have_css("background-color", colours[1])
    rita.expect_text("Öffnen Sie die Einstellungen.")
    expect(rita.page.get_by_text("Returned text: “Einstellungen öffnen.”")).to_be_visible()
    expect(rita.page.get_by_text("Mended.", exact=True)).to_be_visible()
    rita.field.press("Control+Shift+Enter")
    expect(chip(tom.page, "Approved", 1)).to_be_visible()
    expect(chip(rita.page, "Approved", 1)).to_be_visible()

    rita.field.press("Control+z")
    expect(chip(rita.page, "Approved", 0)).to_be_visible()
    rita.field.press("Control+Shift+Z")
    expect(chip(rita.page, "Approved", 1)).to_be_visible()
    for width in (1440, 1280, 1024):
        rita.page.set_viewport_size({"width": width, "height": 800})
        assert rita.page.evaluate(OUTSIDE) == [], width


def test_page_of_a_project_without_review_shows_nothing_of_it(review: Review):
    tom = review.tom
    (workspace,) = (one for one in review.sessions.workspaces.all() if one.document.name == "shared.txt")
    workspace.use_project(replace(workspace.project, has_review=False))
    expect(tom.page.get_by_role("button", name="To review")).to_have_count(0)
    expect(tom.page.get_by_role("button", name="Approved")).to_have_count(0)
