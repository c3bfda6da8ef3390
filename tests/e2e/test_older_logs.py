"""Documents in the logs of earlier versions open in the page with their texts, pins, bans and terms."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from app.access.actor import OWNER
from app.log.store import LogStore
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.e2e.conftest import ROOT
from tests.e2e.hand_server import serve
from tests.e2e.screen import Screen

# The first has no projects yet; the second is the last one with a text area under the proposal.
LOGS = sorted((ROOT / "tests" / "data").glob("log_*.sql"))


@pytest.mark.parametrize("script", LOGS, ids=[path.stem for path in LOGS])
def test_document_of_an_earlier_version_opens_with_its_texts_and_constraints(
    tabs: BrowserContext, tmp_path: Path, script: Path
):
    path = tmp_path / "log.sqlite"
    old = sqlite3.connect(path)
    old.executescript(script.read_text(encoding="utf-8"))
    old.close()
    with serve(ready_model(HandDecoder()), tmp_path) as url:
        screen = Screen(tabs.new_page(), url)
        screen.page.get_by_role("button", name="Documents").click()
        screen.page.get_by_role("menuitem", name="manual.txt").click()
        expect(screen.page.locator(".docinfo .name")).to_have_text("manual.txt")
        expect(screen.page.locator(".prog")).to_contain_text("1 / 3")
        for number, text, pin, ban in (
            (1, "Öffnen Sie den Dialog.", "Dialog", "Öffne"),
            (2, "Der Router speichert halb", "speichert", "Akte"),
        ):
            screen.open_segment(number)
            screen.expect_text(text)
            screen.eventually(lambda pin=pin: screen.pins() == [pin])
            assert screen.bans() == [ban]
            expect(screen.page.locator(".field .pin")).to_have_text(pin)
        expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
        terms = screen.page.locator("#pinpoint-panel-terms .ti")
        expect(terms.filter(has_text="router")).to_contain_text("Used")
        expect(terms.filter(has_text="file")).to_contain_text("Use again")
        screen.field.click()
        screen.page.keyboard.press("End")
        screen.page.keyboard.type(" fertig")
        screen.wait_until_saved()
        assert screen.download("Translated document", tmp_path).read_text(encoding="utf-8").splitlines() == [
            "Öffnen Sie den Dialog.",
            "Der Router speichert halb fertig",
            "You can change the password later.",
        ]
        screen.check_nothing_went_wrong()
    store = LogStore.open(path)
    session = next(one for one in store.sessions(OWNER) if one.document_name == "manual.txt")
    assert store.verify_chain(session.id).is_intact
    store.close()
