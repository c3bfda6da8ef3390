"""Totals and deadlines of a project: set by a manager in their zone, seen by a translator, sorted, downloaded."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.access.actor import OWNER, Actor
from app.projects import ProjectDraft
from app.sessions import Sessions
from app.ui.sign_in import SignIn
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.e2e.conftest import VIEWPORT
from tests.e2e.hand_server import serve
from tests.e2e.screen import Screen

KEYS = {"key-of-the-manager-000": "Mia", "key-of-the-translator-0": "Tom"}
ZONE = "Pacific/Auckland"  # far from UTC


@dataclass(frozen=True)
class Office:
    """Mia, a manager, and Tom, a translator, with two documents of a project, each in a browser in New Zealand."""

    sessions: Sessions
    mia: Screen
    tom: Screen


@pytest.fixture
def office(browser: Browser, tmp_path: Path) -> Iterator[Office]:
    found: list[Sessions] = []

    def prepare(sessions: Sessions) -> None:
        found.append(sessions)
        people = sessions.store.people
        people.put("Mia", "manager")
        people.put("Tom", "translator")
        mia = Actor.person("Mia")
        first = sessions.open_document(mia, b"Own.\n", "own.txt")
        sessions.projects.create(mia, first, ProjectDraft("Doors"), "en-de")
        for name, text in (("a.txt", b"One door.\nTwo doors.\n"), ("b.txt", b"Three red doors.\n")):
            sessions.open_document(mia, text, name)
        project = next(one.project.id for one in sessions.store.projects(OWNER) if one.project.name == "Doors")
        people.join("Tom", [project])

    sign_in = SignIn("t0ken-of-this-test_000", KEYS.get)
    with serve(ready_model(HandDecoder()), tmp_path, on_start=prepare, sign_in=sign_in) as url:
        contexts = [browser.new_context(viewport=VIEWPORT, accept_downloads=True, timezone_id=ZONE) for _ in KEYS]
        mia, tom = (Screen(one.new_page(), f"{url}/?token={key}") for one, key in zip(contexts, KEYS, strict=True))
        yield Office(found[0], mia, tom)
        for context in contexts:
            context.close()


def open_projects(screen: Screen) -> None:
    screen.field.press("Alt+o")
    screen.page.get_by_role("tab", name="Projects").click()


def open_totals(screen: Screen) -> None:
    open_projects(screen)
    screen.page.get_by_role("button", name="Totals and deadlines: Doors").click()
    expect(screen.page.get_by_role("dialog", name="Totals and deadlines: Doors")).to_be_visible()


def names(page: Page) -> list[str]:
    """The documents in their order, without the sample, which a first visit opens."""
    found = page.locator("table.totals").first.locator("tbody td:first-child").all_inner_texts()
    return [name for name in found if name in ("a.txt", "b.txt")]


def test_manager_sets_deadlines_and_the_translator_sees_what_is_due(office: Office, tmp_path: Path):
    mia, tom = office.mia, office.tom
    open_totals(mia)
    dialog = mia.page.get_by_role("dialog", name="Totals and deadlines")
    field = dialog.get_by_label("Deadline of the project")
    field.fill("2026-03-06T01:00")
    field.press("Enter")
    expect(dialog.get_by_role("status")).to_have_text("The deadline is saved.")
    project = next(one.project for one in office.sessions.store.projects(OWNER) if one.project.name == "Doors")
    stored = datetime.fromtimestamp((project.deadline_ms or 0) / 1000, UTC)
    assert stored == datetime(2026, 3, 5, 12, tzinfo=UTC)
    is_over = project.deadline_ms is not None and project.deadline_ms < 1000 * time.time()
    assert is_over == (dialog.get_by_text("overdue").count() > 0)

    own = dialog.get_by_label("Deadline of b.txt")
    own.fill("9998-05-01T12:30")
    own.press("Enter")
    expect(dialog.locator("tr", has_text="b.txt")).not_to_contain_text("overdue")
    assert names(mia.page) == ["a.txt", "b.txt"]
    due = dialog.locator("table.totals").first.get_by_role("button", name="Due")
    due.click()
    assert names(mia.page) == ["a.txt", "b.txt"]
    due.click()
    assert names(mia.page) == ["b.txt", "a.txt"]
    expect(dialog.locator("th[aria-sort=descending]")).to_have_count(1)
    numbers = dialog.locator("tr", has_text="a.txt").locator("td.num").all_inner_texts()
    assert numbers == ["2", "0", "2", "4", "0", "4"], "segments and words: in all, done, to do"
    with mia.page.expect_download() as started:
        dialog.get_by_role("link", name="CSV").click()
    started.value.save_as(tmp_path / "totals.csv")
    assert ",2026-03-05 12:00," in (tmp_path / "totals.csv").read_text(encoding="utf-8-sig")

    own.fill("")
    own.press("Enter")
    expect(dialog.get_by_role("status")).to_have_text("The deadline is removed.")
    expect(dialog.locator("tr", has_text="b.txt")).to_contain_text("project: Mar 6, 2026, 1:00 AM")

    open_totals(tom)
    shown = tom.page.get_by_role("dialog", name="Totals and deadlines")
    expect(shown.locator("input")).to_have_count(0)  # only managers set deadlines
    expect(shown.locator("tr", has_text="a.txt")).to_contain_text("Mar 6, 2026, 1:00 AM")
    shown.get_by_role("button", name="a.txt").click()
    expect(tom.page.locator(".docinfo .name")).to_have_text("a.txt")
    tom.field.press("Alt+o")
    documents = tom.page.get_by_role("dialog", name="Documents and projects")
    expect(documents.locator("tr", has_text="a.txt")).to_contain_text("Mar 6, 2026, 1:00 AM")
    for screen in (mia, tom):
        screen.check_nothing_went_wrong()


def test_impossible_day_is_refused_in_the_dialog(office: Office):
    open_totals(office.mia)
    dialog = office.mia.page.get_by_role("dialog", name="Totals and deadlines")
    field = dialog.get_by_label("Deadline of the project")
    field.fill("0020-01-01T00:00")
    field.press("Enter")
    expect(dialog.get_by_role("status")).to_contain_text("1970 to 9999")
    field.press("Escape")
    expect(dialog).to_be_hidden()
    office.mia.check_nothing_went_wrong()
