"""Markup and code in every text that comes from outside, on every surface of the page: shown as text, never run.

60 payloads are sources, targets, notes, tags, terms, matches, comments, remarks, names and answers of the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from app.access.actor import OWNER
from app.log.project_tables import update_project
from app.sessions import Sessions
from app.ui.sign_in import SignIn
from engine import Request, Translation
from tests.app.hand_decoder import HandDecoder, ready_model, translation
from tests.e2e.conftest import new_context
from tests.e2e.hand_server import serve
from tests.e2e.screen import Screen

PAYLOADS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script/x>alert(1)</script\n>".replace("\n", " "),
    "</script><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</template><script>alert(1)</script>",
    "--><script>alert(1)</script>",
    "]]><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<!--<img src='--><img src=x onerror=alert(1)>'>",
    "<img src=x onerror=alert(1)>",
    "<img/src=x/onerror=alert(1)//",
    "<IMG SRC=x OnErRoR=alert(1)>",
    "<img src='x' onerror='alert(1)' style='display:none'>",
    '<img src="x` `<script>alert(1)</script>"` `>',
    "<img srcset=x onerror=alert(1)>",
    "<image src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><a xlink:href=javascript:alert(1)><text y=20>x</text></a></svg>",
    "<svg><use href='data:image/svg+xml,<svg id=x onload=alert(1)>#x'></svg>",
    "<svg><foreignObject><iframe srcdoc='<script>alert(1)</script>'></iframe></foreignObject></svg>",
    "<math><mi xlink:href=javascript:alert(1)>x</mi></math>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<body onload=alert(1)>",
    "<body onpageshow=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='&lt;script&gt;alert(1)&lt;/script&gt;'></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "<a href='&#106;avascript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<input autofocus onfocus=alert(1)>",
    "<select autofocus onfocus=alert(1)></select>",
    "<textarea autofocus onfocus=alert(1)></textarea>",
    "<details open ontoggle=alert(1)>x</details>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)></audio>",
    "<video poster=javascript:alert(1)></video>",
    "<link rel=stylesheet href=javascript:alert(1)>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<base href=//evil.example/>",
    "<style>@import 'javascript:alert(1)';*{background:url(javascript:alert(1))}</style>",
    "<div style='animation:x' onanimationstart=alert(1)>x</div>",
    "<x contenteditable onblur=alert(1) tabindex=0>x</x>",
    "<p onpointerenter=alert(1)>x</p>",
    '" autofocus onfocus=alert(1) x="',
    "' onmouseover=alert(1) x='",
    "`-alert(1)-`",
    "${alert(1)}",
    "{{constructor.constructor('alert(1)')()}}",
    "javascript:alert(1)//\\u003cscript\\u003ealert(1)\\u003c/script\\u003e&lt;img src=x onerror=alert(1)&gt;",
]
NAME = "<img src=x onerror=alert(1)>"
FILE = "_img src=x onerror=alert(1)_"  # the same as the name of a file
# What no part of the page has: these elements, handlers as attributes, and addresses that run.
FOREIGN = """names => {
  const elements = new Set(names), addresses = /^(href|src|action|formaction|data|xlink:href)$/i;
  const found = [...window.calls];
  // The editor puts empty images without a source beside tags and the completion.
  for (const element of document.querySelectorAll('.pinpoint :not(img.cm-widgetBuffer:not([src]))')) {
    if (elements.has(element.localName.toLowerCase())) found.push(element.outerHTML.slice(0, 200));
    for (const {name, value} of element.attributes) {
      const runs = addresses.test(name) && /^\\s*(javascript|data|vbscript):/i.test(value);
      if (runs || /^(on|srcdoc)/i.test(name)) found.push(`${element.localName} ${name}=${value.slice(0, 100)}`);
    }
  }
  return found;
}"""
ELEMENTS = ["script", "iframe", "frame", "object", "embed", "applet", "base", "meta", "link", "style", "img", "image"]
ELEMENTS += ["video", "audio", "source", "math", "marquee", "template", "x"]
CALLS = "window.calls = []; window.alert = text => window.calls.push(`alert(${text})`);"


class HostileModel(HandDecoder):
    """Answers at once, with payloads beside what was required.

    Which payload a segment gets depends on the order of the requests, and not each shows an alert: each text has two.
    """

    def submit(self, request: Request, *arguments: Any, **options: Any) -> Future[Translation]:
        future = super().submit(request, *arguments, **options)
        phrases = " ".join(phrase.text for phrase in request.phrases)
        number = len(self.requests)
        payloads = [PAYLOADS[(number + i) % len(PAYLOADS)] for i in range(3)]
        texts = [f"{request.prefix}{phrases} {payload} {NAME}" for payload in payloads]
        future.set_result(translation(request, *texts))
        return future

    def ask(self, *arguments: Any, **options: Any) -> Future[Any]:
        future = super().ask(*arguments, **options)
        future.set_result(None)
        return future


@pytest.fixture
def page(browser: Browser, tmp_path) -> Iterator[Page]:
    with serve(ready_model(HostileModel()), tmp_path) as url:
        context = new_context(browser, bypass_csp=True)
        page = context.new_page()
        page.add_init_script(CALLS)
        page.goto(url)
        yield page
        context.close()


def document() -> bytes:
    """An XLIFF file: each payload is a source, the content of a tag, and a note."""
    units = "".join(
        f'<trans-unit id="{n}"><source>{n} {escape(p)} <ph id="1">{escape(p)}</ph></source><note>{escape(p)}</note>'
        "</trans-unit>"
        for n, p in enumerate(PAYLOADS)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
        '<file source-language="en" target-language="de" datatype="plaintext" original="x"><body>'
        f"{units}</body></file></xliff>"
    ).encode()


def memory() -> bytes:
    """A TMX file in which the sources of the document have payloads as targets."""
    pairs = zip(enumerate(PAYLOADS), reversed(PAYLOADS), strict=True)
    return (
        '<tmx version="1.4"><header creationtool="x" creationtoolversion="1" segtype="sentence" o-tmf="x" '
        'adminlang="en" srclang="en" datatype="xml"/><body>'
        + "".join(
            f'<tu><tuv xml:lang="en"><seg>{n} {escape(p)} y</seg></tuv>'
            f'<tuv xml:lang="de"><seg>{escape(q)}</seg></tuv></tu>'
            for (n, p), q in pairs
        )
        + "</body></tmx>"
    ).encode()


def glossary() -> bytes:
    """Terms that occur in the document, with payloads as targets and notes."""
    rows = "".join(f"{n} {p}\t{q}\t{p}\n" for n, (p, q) in enumerate(pairwise(PAYLOADS)))
    return (rows + f"{PAYLOADS[13]}\n").encode()  # the last row has no target


def checked(surface: Locator) -> None:
    """The surface shows a payload as text, and nothing of any payload became an element or ran."""
    expect(surface.filter(has_text="alert(1)").first).to_be_visible()
    assert surface.page.evaluate(FOREIGN, ELEMENTS) == []


def test_payloads_are_shown_as_text_and_never_run_on_every_surface(page: Page):
    assert len(set(PAYLOADS)) == 60
    screen = Screen(page, page.url)
    keys = page.keyboard
    screen.upload("document", f"{NAME}.xlf", document())
    expect(page.locator(".docinfo .name")).to_have_text(f"{FILE}.xlf")
    screen.wait_for_proposal()
    others = page.get_by_role("button", name="Other translations, scores and prices")
    if others.get_attribute("aria-expanded") == "false":
        others.click()
    for surface in (".row .src", ".docinfo", ".field", ".nb", ".source", ".editor p.muted"):
        checked(page.locator(surface))
    screen.upload("memory", f"{NAME}.tmx", memory())
    checked(page.locator(".banner"))
    screen.upload("glossary", f"{NAME}.tsv", glossary())
    columns = page.get_by_role("dialog")
    checked(columns)
    columns.get_by_role("button", name="Continue").click()
    report = page.get_by_role("region", name=f"Import of {FILE}.tsv")
    checked(report)
    report.get_by_role("button", name="Keep all as they are").click()
    report.get_by_role("button", name="Use 59 terms").click()
    expect(page.locator(".gchip")).to_contain_text("59")
    expect(screen.field).to_be_visible()  # back from the report

    for number in range(1, 4):  # typed, pinned, commented, confirmed
        screen.open_segment(number)
        screen.wait_for_proposal()
        screen.type_text(PAYLOADS[-number])
        keys.press("Alt+k")
        keys.type(PAYLOADS[number])
        keys.press("Enter")
        page.get_by_role("textbox", name="Words to pin or ban").fill(PAYLOADS[12 + number])
        page.get_by_role("button", name="Pin", exact=True).click()
        screen.wait_for_proposal()
        checked(page.locator(".ledger"))
        checked(page.locator(".side .panel"))
        screen.confirm()
    for tab in ("Memory", "Preview"):
        page.get_by_role("tab", name=tab).click()
        checked(page.locator(".side .panel:visible"))
    page.locator(".scroll").first.evaluate("list => list.scrollTo(0, list.scrollHeight)")
    checked(page.locator(".row .src"))

    screen.field.focus()
    keys.press("Control+h")
    replace = page.get_by_role("dialog")
    replace.get_by_role("textbox").first.fill("alert(1)")
    checked(replace.locator("li"))
    keys.press("Escape")
    keys.press("Alt+o")
    documents = page.get_by_role("dialog", name="Documents and projects")
    documents.get_by_role("button", name="New project").press("Enter")
    page.get_by_label("Name", exact=True).fill(NAME)
    keys.press("Enter")
    checked(documents.get_by_role("listitem"))
    keys.press("Escape")
    keys.press("Escape")
    page.get_by_role("link", name="Glossaries").click()
    for tab in ("Glossaries", "Terms", "In the document"):
        page.locator(".page").get_by_role("tab", name=tab, exact=True).click()
        checked(page.locator(".page"))
    page.get_by_role("link", name="Report").click()
    expect(page.locator(".page .kpis")).to_be_visible()
    checked(page.locator(".page"))
    keys.press("Escape")
    screen.upload("document", f"{NAME}.docx", b"PK\x03\x04 damaged")
    checked(page.locator(".banner"))

    page.locator(".row .src").first.evaluate("(row, text) => { row.innerHTML = text; }", NAME)
    assert any("onerror" in found for found in page.evaluate(FOREIGN, ELEMENTS)), "a real element is found"
    screen.eventually(lambda: "alert(1)" in page.evaluate(FOREIGN, ELEMENTS))


def test_names_of_people_and_remarks_are_shown_as_text_to_others(browser: Browser, tmp_path: Path):
    translator, reviewer = PAYLOADS[13], PAYLOADS[20]
    keys = {"key-of-the-translator-0": translator, "key-of-the-reviewer-00": reviewer}
    found: list[Sessions] = []

    def prepare(sessions: Sessions) -> None:
        found.append(sessions)
        store = sessions.store
        store.people.put(translator, "translator")
        store.people.put(reviewer, "manager")
        workspace = sessions.open_document(OWNER, b"Open the settings.\nDo not switch it off.\n", f"{NAME}.txt")
        project = replace(workspace.project, name=PAYLOADS[14], has_review=True)
        with store.connection.transaction("switch the review on"):
            update_project(store.connection.db, project)
        workspace.use_project(project)
        for name in keys.values():
            store.people.join(name, [project.id])

    sign_in = SignIn("t0ken-of-this-test_000", keys.get)
    with serve(ready_model(HandDecoder()), tmp_path, on_start=prepare, sign_in=sign_in) as url:
        contexts = [new_context(browser, bypass_csp=True) for _ in keys]
        for context in contexts:
            context.add_init_script(CALLS)
        tom, rita = (
            Screen(context.new_page(), f"{url}/?token={key}") for context, key in zip(contexts, keys, strict=True)
        )
        for screen in (tom, rita):
            checked(screen.page.locator(".person"))
            screen.field.press("Alt+o")
            documents = screen.page.get_by_role("dialog")
            documents.get_by_role("button", name=f"{FILE}.txt", exact=True).click()
            expect(screen.page.locator(".docinfo .name")).to_have_text(f"{FILE}.txt")
        tom.open_segment(1)
        tom.type_text("Einstellungen öffnen.")
        tom.field.press("Control+Enter")
        rita.field.press("Alt+Shift+N")
        rita.expect_text("Einstellungen öffnen.")
        expect(rita.page.get_by_role("button", name="Return", exact=True)).to_be_enabled()
        rita.field.press("Alt+Shift+R")
        remark = rita.page.get_by_role("textbox", name="Remark on this segment")
        remark.fill(PAYLOADS[15])
        remark.press("Enter")
        tom.open_segment(1)
        conversation = tom.page.get_by_role("list", name="Remarks of translator and reviewer")
        expect(conversation).to_contain_text(PAYLOADS[15])
        expect(conversation).to_contain_text(reviewer)
        checked(conversation)
        checked(rita.page.locator(".here").first)  # Tom's segment
        rita.field.press("Alt+o")
        rita.page.get_by_role("button", name="Activity").click()
        checked(rita.page.get_by_role("dialog", name="Activity").get_by_role("row"))
        for context in contexts:
            context.close()
