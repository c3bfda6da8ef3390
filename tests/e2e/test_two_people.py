"""Two people in two browsers: who sees what, and who is where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Response, expect

from app.access.actor import OWNER, Actor
from app.formats.read_file import read_document
from app.glossary import Term
from app.models.style import Style
from app.reports.exports import EXPORTS
from app.sessions import Sessions
from app.ui.sign_in import SignIn
from app.workspace.workspace_exports import ALL_MEMORY, DOCUMENT
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.e2e.conftest import new_context, runs_again
from tests.e2e.hand_server import serve
from tests.e2e.screen import Screen

ANA = Actor.person("Ana")

TEXT = "Open the settings.\nThe router saves the file.\nDo not switch it off.\n"
SECRET = "Geheimnis"
TMX = (
    '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Old door.</seg></tuv>'
    f'<tuv xml:lang="de"><seg>Alte {SECRET}tür.</seg></tuv></tu></body></tmx>'
)
KEYS = {"key-of-the-first-person": "Ana", "key-of-the-second-person": "Ben"}


@dataclass(frozen=True)
class TwoPeople:
    """Ana, a project manager, and Ben, a translator in no project, each in a browser of their own."""

    sessions: Sessions
    ana: Screen
    ben: Screen


@contextmanager
def people_at_work(browser: Browser, folder: Path) -> Iterator[TwoPeople]:
    """An app with its log in that folder, open in two browsers."""
    found: list[Sessions] = []

    def prepare(sessions: Sessions) -> None:
        found.append(sessions)
        sessions.store.people.put("Ana", "manager")
        sessions.store.people.put("Ben", "translator")
        for name in KEYS.values():
            sessions.open_document(Actor.signed_in(name), TEXT.encode(), f"{name}.txt")

    sign_in = SignIn("t0ken-of-this-test_000", KEYS.get)
    with serve(ready_model(HandDecoder()), folder, on_start=prepare, sign_in=sign_in) as url:
        contexts = [new_context(browser) for _ in KEYS]
        ana, ben = (
            Screen(context.new_page(), f"{url}/?token={key}") for context, key in zip(contexts, KEYS, strict=True)
        )
        yield TwoPeople(found[0], ana, ben)
        for context in contexts:
            context.close()


@pytest.fixture(scope="module")
def shared_people(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoPeople]:
    with people_at_work(browser, tmp_path_factory.mktemp("people")) as people:
        yield people


@pytest.fixture
def two_people(
    request: pytest.FixtureRequest, shared_people: TwoPeople, browser: Browser, tmp_path: Path
) -> Iterator[TwoPeople]:
    """The people of the module; new ones for a test that runs again."""
    if not runs_again(request):
        yield shared_people
        return
    with people_at_work(browser, tmp_path) as people:
        yield people


def test_document_appears_for_a_person_who_is_made_a_member_and_goes_with_the_membership(two_people: TwoPeople):
    ana, ben = two_people.ana.page, two_people.ben.page
    expect(ana.locator(".person")).to_have_text("Ana")
    expect(ben.locator(".docinfo .name")).to_have_text("Ben.txt")
    documents = ben.get_by_role("dialog", name="Documents and projects")
    two_people.ben.field.press("Alt+o")
    expect(documents.get_by_role("button", name="Ben.txt", exact=True)).to_be_visible()
    expect(documents.get_by_role("button", name="Ana.txt", exact=True)).to_have_count(0)
    expect(documents.get_by_role("button", name="New project")).to_have_count(0)
    ben.keyboard.press("Escape")

    ana.locator(".docinfo .proj").click()
    row = ana.get_by_role("listitem").filter(has_text="New documents go here")
    expect(row).to_contain_text("1 member")
    row.get_by_role("button", name="Members").click()
    members = ana.get_by_role("dialog", name="Members of Ana")
    expect(members.get_by_role("listitem")).to_have_text(["Ana · project manager"])
    expect(members.get_by_role("combobox")).to_be_focused()
    ana.keyboard.press("Tab")
    ana.keyboard.press("Enter")
    expect(members.get_by_role("listitem")).to_have_text(["Ana · project manager", "Ben · translatorRemove"])
    expect(members.get_by_role("status")).to_have_text("Ben is a member now.")

    two_people.ben.field.press("Alt+o")
    documents.get_by_role("button", name="Ana.txt", exact=True).click()
    expect(ben.locator(".docinfo .name")).to_have_text("Ana.txt")
    ana.keyboard.press("Escape")
    anas = ana.get_by_role("dialog", name="Documents and projects")
    anas.get_by_role("tab", name="Documents").click()
    choice = anas.get_by_role("combobox", name="Person for Ana.txt")
    choice.select_option("Ben")
    expect(choice).to_be_focused()
    expect(choice).to_have_value("Ben")
    two_people.ben.field.press("Alt+o")
    documents.get_by_role("combobox", name="Project", exact=True).select_option("Assigned to me")
    expect(documents.get_by_role("button", name="Ana.txt", exact=True)).to_be_visible()
    expect(documents.get_by_role("button", name="Ben.txt", exact=True)).to_have_count(0)
    documents.get_by_role("combobox", name="Project", exact=True).select_option("All projects")
    anas.get_by_role("tab", name="Projects").click()
    row.get_by_role("button", name="Members").click()
    expect(documents.get_by_role("button", name="Delete Ana.txt")).to_have_count(0)
    expect(documents.get_by_role("button", name="Delete Ben.txt")).to_be_visible()
    ben.keyboard.press("Escape")

    members.get_by_role("button", name="Remove Ben").click()
    expect(members.get_by_role("listitem")).to_have_text(["Ana · project manager"])
    expect(ben.locator(".docinfo .name")).to_have_text("Ben.txt")
    ana.keyboard.press("Escape")
    expect(row).to_contain_text("1 member")
    ana.keyboard.press("Escape")


def test_only_people_with_the_right_can_add_models_in_the_dialog(two_people: TwoPeople):
    for screen, may in ((two_people.ana, True), (two_people.ben, False)):
        screen.page.locator(".model").click()
        models = screen.page.get_by_role("dialog", name="Models")
        expect(models).to_be_visible()
        for part in (".published:not(.ownmodel)", ".ownmodel", ".fetch"):
            expect(models.locator(part)).to_have_count(int(may))
        expect(models.get_by_text("ask one of them")).to_have_count(int(not may))
        screen.page.keyboard.press("Escape")


def test_project_manager_sees_the_activity_and_saves_it_as_a_table(two_people: TwoPeople, tmp_path: Path):
    ana = two_people.ana
    ana.type_text("Einstellungen")
    ana.wait_until_saved()
    ana.field.press("Alt+o")
    ana.page.get_by_role("button", name="Activity").click()
    dialog = ana.page.get_by_role("dialog", name="Activity")
    newest = dialog.get_by_role("row").nth(1)
    expect(newest).to_contain_text("Ana.txt")
    dialog.get_by_role("combobox", name="Kind").select_option("Text")
    expect(newest).to_contain_text("inserted")
    dialog.get_by_role("combobox", name="Person").select_option("Ana")
    expect(newest.get_by_role("cell").nth(1)).to_have_text("Ana")
    dialog.get_by_role("combobox", name="Kind").select_option("Export")
    expect(dialog.get_by_text("Nothing found.")).to_be_visible()
    dialog.get_by_role("combobox", name="Kind").select_option("All kinds")
    expect(newest).to_contain_text("inserted")
    with ana.page.expect_download() as started:
        dialog.get_by_role("link", name="Save as CSV").click()
    started.value.save_as(tmp_path / "activity.csv")
    assert ",Ana,Ana,Ana.txt," in (tmp_path / "activity.csv").read_text(encoding="utf-8-sig")
    ana.page.keyboard.press("Escape")


def test_terms_matches_and_reports_of_the_other_are_not_sent_to_a_browser(two_people: TwoPeople):
    sessions, ana, ben = two_people.sessions, two_people.ana, two_people.ben
    (summary,) = (one for one in sessions.store.sessions(OWNER) if one.document_name == "Ana.txt")
    anas = sessions.find(ANA, summary.token, shows=False)
    anas.glossaries.put(ANA, f"{SECRET} terms", [Term("settings", f"{SECRET}terms")])
    anas.glossaries.share(ANA, anas.terms.glossaries[0].id)
    anas.confirm(ANA, 0, f"{SECRET}text.")
    anas.memory.import_memory(ANA, TMX.encode(), "old.tmx")
    calls: list[Response] = []
    ben.page.on("response", lambda reply: calls.append(reply) if "/component_server" in reply.url else None)

    def open_document(screen: Screen, name: str) -> None:
        screen.field.press("Alt+o")
        screen.page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()
        expect(screen.page.locator(".docinfo .name")).to_have_text(name)

    def look_around(screen: Screen) -> str:
        """What a person sees of terms, memory and the report of a document with the same sources."""
        page, seen = screen.page, []
        screen.open_segment(1)
        page.locator(".gchip").click()
        page.get_by_role("menuitem", name="Glossaries of this document").click()
        glossaries = page.get_by_role("region", name="Glossaries")
        expect(glossaries.get_by_role("tab", name="Glossaries")).to_be_focused()
        seen.append(glossaries.inner_text())
        page.keyboard.press("Escape")
        page.get_by_role("tab", name="Memory").click()
        search = page.get_by_role("searchbox", name="Concordance search")
        for words in ("settings", "door", SECRET[:4]):
            search.fill(words)
            with page.expect_response(lambda reply: '"concordance"' in (reply.request.post_data or "")):
                search.press("Enter")
            page.wait_for_timeout(100)  # until it is drawn
            seen.append(page.locator(".side").inner_text())
        page.get_by_role("link", name="Report", exact=True).click()
        report = page.get_by_role("region", name="Session report")
        expect(report.locator(".kpis div").first).to_contain_text("Confirmed")
        seen.append(report.inner_text())
        page.keyboard.press("Escape")
        return "\n".join(seen)

    open_document(ben, "Ben.txt")
    assert SECRET not in look_around(ben)
    request = ben.page.context.request
    for kind in (*EXPORTS, DOCUMENT, *ALL_MEMORY):
        assert request.get(f"{ben.url}/download/{summary.token}/{kind}").status in (400, 404), kind
    asked = calls[-1].request.post_data_json
    for view in ("report", "replay"):
        data = {"token": summary.token, "view": view, "language": "en"}
        reply = request.post(calls[-1].url, data={**asked, "fn_name": "record", "data": data})
        assert reply.json()["error"]["kind"] == "unknown_session"
    sent = [call.text() for call in calls]
    assert len(sent) > 10 and not [text for text in sent if SECRET in text]
    ana.page.reload()
    open_document(ana, "Ana.txt")
    assert SECRET in look_around(ana), "who belongs to the project has them all"


@pytest.fixture
def together(two_people: TwoPeople) -> Iterator[TwoPeople]:
    """Both have Ana's document open, Ana in its first segment."""
    sessions = two_people.sessions
    (summary,) = (one for one in sessions.store.sessions(OWNER) if one.document_name == "Ana.txt")
    sessions.store.people.join("Ben", [summary.project_id])
    ben = two_people.ben
    ben.field.press("Alt+o")
    ben.page.get_by_role("dialog").get_by_role("button", name="Ana.txt", exact=True).click()
    expect(ben.page.locator(".docinfo .name")).to_have_text("Ana.txt")
    yield two_people
    sessions.store.people.leave("Ben", [summary.project_id])


def test_each_sees_in_which_segment_the_other_is_and_nothing_moves(together: TwoPeople):
    ana, ben = together.ana, together.ben
    mark_for_ana, mark_for_ben = ana.page.locator(".here"), ben.page.locator(".here")
    ana.open_segment(1)
    expect(mark_for_ben).to_have_attribute("title", "Also in this segment: Ana")
    ben.open_segment(3)
    expect(ana.row(3).locator("xpath=..").locator(".here")).to_have_text("BAlso in this segment: Ben")
    shown = "document.querySelectorAll('.row,.field,.actions')"
    places = f"() => [...{shown}].map(e => JSON.stringify(e.getBoundingClientRect()))"
    before = ana.page.evaluate(places)
    ben.open_segment(2)
    expect(ana.row(2).locator("xpath=..").locator(".here")).to_be_visible()
    expect(mark_for_ana).to_have_count(1)
    assert ana.page.evaluate(places) == before
    ben.open_segment(1)
    expect(ana.page.locator(".editor + .here")).to_have_text("BAlso in this segment: Ben")
    assert ana.page.evaluate(places) == before
    expect(ben.page.locator(".editor + .here")).to_have_text("AAlso in this segment: Ana")
    ben.page.get_by_role("button", name="Documents", exact=True).click()
    ben.page.get_by_role("menuitem", name="Sample document").click()
    expect(mark_for_ana).to_have_count(0)


def test_selected_rows_are_assigned_together_and_stay_selected_if_the_dialog_is_cancelled(together: TwoPeople):
    ana = together.ana.page
    toolbar = ana.get_by_role("toolbar", name="Selected segments")
    together.ana.open_segment(1)
    together.ana.row(3).click(modifiers=["Shift"])
    toolbar.get_by_role("button", name="Assign").click()
    dialog = ana.get_by_role("dialog", name="Assign segments")
    expect(dialog).to_contain_text("3 segments selected")
    dialog.get_by_role("button", name="Cancel").click()
    expect(toolbar).to_contain_text("3 segments selected")
    toolbar.get_by_role("button", name="Assign").click()
    dialog.get_by_label("Person").select_option("Ben")
    dialog.get_by_role("button", name="Assign", exact=True).click()
    expect(ana.get_by_text("3 segments are assigned to Ben.")).to_be_visible()
    expect(toolbar).to_be_hidden()
    together.ana.row(3).click(modifiers=["Shift"])  # the tests share a document
    toolbar.get_by_role("button", name="Assign").click()
    dialog.get_by_label("Person").select_option("Nobody")
    dialog.get_by_role("button", name="Assign", exact=True).click()
    expect(ana.locator(".row .who")).to_have_count(0)


def test_manager_assigns_a_part_which_its_person_finds_and_others_cannot_change(together: TwoPeople):
    ana, ben = together.ana.page, together.ben.page
    ana.get_by_role("button", name="Documents", exact=True).click()
    ana.get_by_role("menuitem", name="Assign segments").click()
    dialog = ana.get_by_role("dialog", name="Assign segments")
    first, last = (dialog.get_by_label(name).bounding_box() for name in ("From segment", "To segment"))
    assert first and last and first["y"] == last["y"] and first["x"] < last["x"]
    dialog.get_by_label("From segment").fill("2")
    dialog.get_by_label("Person").select_option("Ben")
    dialog.get_by_role("button", name="Assign").click()
    expect(ana.get_by_text("2 segments are assigned to Ben.")).to_be_visible()
    expect(ana.locator(".row .who")).to_have_count(2)
    ben.get_by_role("button", name="Mine 2").click()
    expect(ben.locator(".row .who")).to_have_count(1)  # the other one is open
    ben.get_by_role("button", name="All 3").click()
    ana.get_by_role("button", name="Documents", exact=True).click()
    ana.get_by_role("menuitem", name="Assign segments").click()
    dialog.get_by_label("To segment").fill("1")
    dialog.get_by_label("Person").select_option("Ana")
    dialog.get_by_role("button", name="Assign").click()
    expect(ana.get_by_text("1 segment is assigned to Ana.")).to_be_visible()
    together.ben.open_segment(1)
    expect(together.ben.field).to_have_attribute("aria-readonly", "true")
    expect(ben.locator(".cell-tgt")).to_contain_text("Assigned to Ana \u00b7 read only")
    before = together.ben.text()
    ben.keyboard.type("Meins")
    together.ben.expect_text(before)
    why = ben.locator(".banner", has_text="This segment is assigned to Ana.")
    for act in (
        lambda: ben.keyboard.press("Control+Enter"),
        lambda: ben.keyboard.press("Alt+r"),
        lambda: ben.keyboard.press("Alt+Shift+J"),
    ):
        act()
        expect(why).to_be_visible()
        why.locator(".x").click()
        expect(why).to_have_count(0)
    expect(ben.locator(".addpin input")).to_be_disabled()
    advice = ben.locator(".nbest .advice")  # to pin words by a click
    expect(advice).to_have_css("visibility", "hidden")
    together.ben.open_segment(2)
    expect(together.ben.field).to_be_editable()
    expect(advice).to_have_css("visibility", "visible")


def test_new_assignment_is_shown_to_its_person_until_they_open_the_document(together: TwoPeople):
    ana, ben = together.ana, together.ben
    number = together.sessions.find(
        OWNER, ana.page.evaluate("sessionStorage['pinpoint:session']"), shows=False
    ).session_id
    ben.page.get_by_role("button", name="Documents", exact=True).click()
    ben.page.get_by_role("menuitem", name="Sample document").click()
    expect(ben.page.locator(".docinfo .name")).not_to_have_text("Ana.txt")
    together.sessions.assignments.assign(ANA, number, "Ben", (1, 3))
    notice = ben.page.locator(".banner", has_text="Ana assigned 3 segments of Ana.txt to you.")
    expect(notice).to_be_visible()
    expect(ben.field).to_be_focused()
    ben.page.reload()
    expect(notice).to_be_visible()
    expect(ben.page.locator(".newsmark")).to_be_visible()
    notice.get_by_role("button", name="Dismiss").click()
    ben.page.reload()
    ben.field.press("Alt+o")
    row = ben.page.get_by_role("dialog").get_by_role("row").filter(has_text="Ana.txt")
    expect(row.locator(".tag")).to_have_text("New")
    expect(notice).to_have_count(0)
    row.get_by_role("button", name="Ana.txt", exact=True).click()
    expect(ben.page.locator(".docinfo .name")).to_have_text("Ana.txt")
    expect(ben.page.locator(".newsmark")).to_be_hidden()
    expect(ben.page.locator(".banner", has_text="assigned")).to_have_count(0)
    together.sessions.assignments.assign(ANA, number, "", (3, 3))
    expect(ben.page.locator(".banner", has_text="1 segment of Ana.txt is no longer assigned to you.")).to_be_visible()


def test_list_of_documents_follows_the_work_of_others_while_it_is_open(together: TwoPeople):
    ana, ben = together.ana, together.ben
    ben.field.press("Alt+o")
    documents = ben.page.get_by_role("dialog", name="Documents and projects")
    documents.get_by_role("searchbox").fill("txt")
    rows = documents.get_by_role("row")
    anas = rows.filter(has=ben.page.get_by_role("button", name="Ana.txt", exact=True))
    before = anas.locator("td").nth(3).inner_text()
    num_confirmed = int(before.split(" ")[0])
    num_rows = rows.count()
    ana.open_segment(3)
    ana.type_text("Nicht ausschalten.")
    ana.field.press("Control+Enter")
    expect(anas.locator("td").nth(3)).to_have_text(f"{num_confirmed + 1} / 3")
    project = together.sessions.find(ANA, ana.page.evaluate("sessionStorage['pinpoint:session']")).project
    added = together.sessions.opener.start_unshown(ANA, read_document(b"Two.", "added.txt"), "en-de", project, Style())
    new = rows.filter(has_text="added.txt")
    expect(new).to_be_visible()
    expect(rows).to_have_count(num_rows + 1)
    together.sessions.members.assign(ANA, added.session_id, "Ben")
    expect(new.locator("td").nth(6)).to_have_text("Ben")
    expect(new.locator(".tag")).to_have_text("New")
    expect(documents.get_by_role("searchbox")).to_be_focused()
    together.sessions.delete_unshown(ANA, added.session_id)
    expect(new).to_have_count(0)
    ben.page.keyboard.press("Escape")


def test_button_of_a_project_keeps_the_focus_while_the_list_changes(together: TwoPeople):
    ben = together.ben
    ben.field.press("Alt+o")
    documents = ben.page.get_by_role("dialog", name="Documents and projects")
    documents.get_by_role("tab", name="Documents").press("ArrowRight")
    project = documents.get_by_role("listitem").first
    (before,) = map(int, re.findall(r"(\d+) document", project.inner_text()))
    button = project.get_by_role("button", name="Documents", exact=True)
    button.focus()
    shared = together.sessions.find(ANA, together.ana.token()).project
    added = together.sessions.opener.start_unshown(ANA, read_document(b"Two.", "added.txt"), "en-de", shared, Style())
    together.sessions.members.assign(ANA, added.session_id, "Ben")
    expect(project).to_contain_text(f"{before + 1} documents")
    expect(button).to_be_focused()
    together.sessions.delete_unshown(ANA, added.session_id)
    expect(project).to_contain_text(f"{before} document")
    expect(button).to_be_focused()
    ben.page.keyboard.press("Escape")


def test_refused_text_is_shown_until_its_person_chooses_and_can_be_kept_later(together: TwoPeople):
    ana, ben = together.ana, together.ben
    for screen in (ana, ben):
        screen.open_segment(3)
    ben.page.context.set_offline(True)
    ben.type_text("Bens Text.")
    ana.type_text("Anas Text.")
    ana.wait_until_saved()
    ben.page.context.set_offline(False)
    question = ben.page.locator(".banner", has_text="Ana has changed the segment in the meantime: “Anas Text.”")
    expect(question).to_contain_text("Your text, which is not saved: “Bens Text.”")
    expect(question.get_by_role("button")).to_have_text(["Keep my text", "Use the other text"])
    expect(ben.page.locator(".status [data-kind]")).to_have_text("Not saved: choose a text")
    ben.open_segment(2)
    ben.open_segment(3)
    ben.expect_text("Anas Text.")
    question.get_by_role("button", name="Keep my text").click()
    expect(question).to_have_count(0)
    ben.expect_text("Bens Text.")
    ana.expect_text("Bens Text.")
    ben.wait_until_saved()


def test_segment_opened_again_before_its_text_is_refused_shows_the_stored_text(together: TwoPeople):
    ana, ben = together.ana, together.ben
    for screen in (ana, ben):
        screen.open_segment(3)
    ben.page.context.set_offline(True)
    ben.type_text("Bens späterer Text.")
    ana.type_text("Anas späterer Text.")
    document = together.sessions.find(OWNER, ana.token())
    ana.eventually(lambda: document.segments[2].target == "Anas späterer Text.")
    ben.open_segment(2)
    ben.open_segment(3)
    ben.page.context.set_offline(False)
    question = ben.page.locator(".banner", has_text="Your text, which is not saved: “Bens späterer Text.”")
    expect(question).to_be_visible()
    ben.expect_text("Anas späterer Text.")
    question.get_by_role("button", name="Use the other text").click()
    expect(question).to_have_count(0)
    ben.expect_text("Anas späterer Text.")
    ben.wait_until_saved()
