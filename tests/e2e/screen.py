"""The page as the tests use it: actions and elements by name; the selectors are only here."""

from __future__ import annotations

import json
import re
import sys
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakSet

from playwright.sync_api import Dialog, Locator, Page, Request, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

DOCUMENT = """Open the settings and select the wireless network.
The router saves the file when the light turns green.
You can change the password of the network later.
Do not switch the router off during the update.
"""
SERVER_CALLS = re.compile("/component_server")  # the page's questions and commands
_prepared: WeakSet[Page] = WeakSet()  # the tabs that have the scripts of `Screen`


class Screen:
    """One browser tab with the workbench in it."""

    def __init__(self, page: Page, address: str, *, shows_marks: bool = False) -> None:
        """`address` has the access token. `shows_marks`: the page explains itself, as on the first visit."""
        self.page = page
        self.address = address
        self.url = address.partition("/?")[0]
        self.dialogs: list[str] = []
        self.errors: list[str] = []
        self.foreign_requests: list[str] = []
        self.unanswered_requests: list[Request] = []
        self.messages: deque[str] = deque(maxlen=20)  # the last commands
        self._has_own_document = False
        self._listeners = {
            "dialog": self._on_dialog,
            "pageerror": self._on_error,
            "request": self._on_request,
            "requestfinished": self._on_answer,
            "requestfailed": self._on_answer,
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)  # type: ignore[call-overload]
        if page not in _prepared:  # 300 of these scripts make a load take 0.41 instead of 0.29 seconds
            _prepared.add(page)
            if not shows_marks:
                page.add_init_script("localStorage.setItem('pinpoint:welcomed', 'yes')")
            page.add_init_script("localStorage['pinpoint:details'] ??= 'shown'")
        if not self._is_clean():
            self.visit()

    # ---- the page and its document ----

    def visit(self) -> None:
        """Loads the page and waits until the edit field is visible.

        If the load times out, it is tried once more. A warning contains the unanswered requests, the connections and
        all threads.
        """
        try:
            self.page.goto(self.address)
        except PlaywrightTimeoutError as error:
            unanswered = [request.url for request in self.unanswered_requests]
            report = f"{error}\nunanswered: {unanswered}\n{_connections(self.url)}\n{_stacks_of_threads()}"
            warnings.warn(report, stacklevel=2)
            self.page.goto("about:blank")  # or the first load would end the second
            self.page.goto(self.address)
        expect(self.field).to_be_visible()

    def leave(self) -> None:
        """Removes the listeners, so that the next test can use the page."""
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)

    def report(self) -> str:
        """The last commands to the server, and the text of the page as a person sees it."""
        text = self.page.locator("body").inner_text(timeout=5_000)
        return "\n".join([*self.messages, f"session {self.token()}", text])

    def _is_clean(self) -> bool:
        """True if the page is loaded and has no open dialog, question or filter, once its notices are dismissed."""
        if not self.page.url.startswith(self.url):
            return False
        self.page.evaluate("document.querySelectorAll('.banner .x').forEach(cross => cross.click())")
        for left in (
            "dialog[open]",
            ".banner",
            ".ask:not([hidden])",
            ".seg button:not(:first-child)[aria-pressed=true]",
        ):
            if self.page.locator(left).count():
                return False
        return self.page.locator(".tools .search input").input_value() == ""

    def open_text(self, text: str | bytes, name: str = "manual.txt", *, waits: bool = True) -> None:
        """Uploads a document; with `waits`, waits for its first proposal."""
        data = text.encode("utf-8") if isinstance(text, str) else text
        before = self.token()
        self.upload("document", name, data)
        self.eventually(lambda: self.token() != before)
        if not self._has_own_document:  # the documents of earlier tests need no tabs
            self.page.evaluate("document.querySelectorAll('.doctab:not(.on) .x').forEach(cross => cross.click())")
        self._has_own_document = True
        if waits:
            expect(self.page.locator(".docinfo .name")).to_have_text(name)
            self.wait_for_proposal()

    def upload(self, kind: str, name: str, data: bytes) -> None:
        self.page.locator(f"input[data-kind={kind}]").set_input_files(
            {"name": name, "mimeType": "text/plain", "buffer": data}
        )

    def download(self, label: str, folder: Path) -> Path:
        """Chooses an export from the menu and saves it in a folder."""
        self.page.get_by_role("button", name="Export").click()
        with self.page.expect_download() as started:
            self.page.get_by_role("menuitem", name=label).click()
        path = folder / started.value.suggested_filename
        started.value.save_as(path)
        return path

    # ---- the open segment ----

    @property
    def field(self) -> Locator:
        return self.page.locator("#pinpoint-edit")

    def text(self) -> str:
        """The text of the edit field, without the completion shown behind it."""
        return str(self.field.evaluate("field => field.value"))

    def expect_text(self, expected: str | re.Pattern[str]) -> None:
        """Waits until the edit field has this text, or one that matches the pattern."""
        text, end = self.text(), time.monotonic() + 60
        while not (expected.search(text) if isinstance(expected, re.Pattern) else text == expected):
            assert time.monotonic() < end, f"the text is {text!r}, not {expected!r}"
            self.page.wait_for_timeout(50)
            text = self.text()

    def expect_other_text(self, text: str) -> None:
        """Waits until the edit field has another text."""
        self.eventually(lambda: self.text() != text)

    @property
    def box(self) -> Locator:
        """The element around the edit field, which is busy while the machine's text is about to change."""
        return self.page.locator(".field")

    @property
    def words(self) -> Locator:
        """The words of the edit field that the machine wrote."""
        return self.box.locator(".w")

    def select(self, text: str) -> None:
        """Selects a part of the edit field's text."""
        start = self.text().index(text)
        script = "(field, [start, end]) => { field.focus(); field.setSelectionRange(start, end); }"
        self.field.evaluate(script, [start, start + len(text)])

    def select_source(self, *words: str) -> None:
        """Selects from the first to the last of these words in the source, where no field has the focus then."""
        self.page.evaluate(
            """words => {
                const [first, ...others] = [...document.querySelectorAll('.source .sw')].filter(word =>
                    words.includes(word.textContent));
                document.activeElement.blur();
                getSelection().setBaseAndExtent(first, 0, others.at(-1), 1);
            }""",
            words,
        )

    def point_at(self, text: str) -> None:
        """Sets the caret into a word of the edit field."""
        self.select(text)
        self.field.evaluate("field => field.setSelectionRange(field.selectionStart + 1, field.selectionStart + 1)")

    def pin(self, text: str) -> None:
        """Pins words of the edit field, or releases their pin."""
        self.select(text)
        self.page.keyboard.press("Alt+p")

    def ban(self, text: str) -> None:
        """Bans words of the edit field."""
        self.select(text)
        self.page.keyboard.press("Alt+Shift+b")

    def pin_word(self, number: int) -> None:
        """Pins a word of the machine's, or releases its pin."""
        self.words.nth(number).click()
        self.page.keyboard.press("Alt+p")

    def ban_word(self, number: int) -> None:
        """Bans a word of the machine's."""
        self.words.nth(number).click()
        self.page.keyboard.press("Alt+Shift+b")

    @property
    def hypotheses(self) -> Locator:
        """The hypotheses that are listed."""
        return self.page.locator(".nb")

    @property
    def notes(self) -> Locator:
        return self.page.locator(".banner .say")

    def wait_for_proposal(self) -> None:
        """Waits until the open segment has a text and the reply to its last request."""
        self.eventually(self.text)
        expect(self.box).to_have_attribute("aria-busy", "false")

    def pins(self) -> list[str]:
        """The pinned phrases, as listed under the source."""
        return [str(pin.get_attribute("data-pin")) for pin in self.page.locator("li[data-pin]").all()]

    def wait_for_pin(self, text: str, status: str = "met") -> None:
        pin = self.page.locator("li[data-pin]").filter(has=self.page.locator(".what", has_text=text))
        expect(pin).to_have_attribute("data-status", status)

    def bans(self) -> list[str]:
        """The banned words, as listed under the source."""
        return [str(ban.get_attribute("data-ban")) for ban in self.page.locator("li[data-ban]").all()]

    def wait_for_ban(self, text: str, status: str = "kept") -> None:
        ban = self.page.locator("li[data-ban]").filter(has=self.page.locator(".what", has_text=text))
        expect(ban).to_have_attribute("data-status", status)

    def hypothesis_texts(self) -> list[str]:
        """The n-best list, best first."""
        return [str(row.get_attribute("title")) for row in self.hypotheses.all()]

    def boxes(self) -> list[list[str]]:
        """The boxed texts of each hypothesis that is listed."""
        return [row.locator(".bx").all_inner_texts() for row in self.hypotheses.all()]

    def open_segment(self, number: int) -> None:
        """Opens a segment by its number in the list."""
        if self.page.locator(".editor .no").inner_text() != str(number):
            self.row(number).click()
        expect(self.page.locator(".editor .no")).to_have_text(str(number))

    def row(self, number: int) -> Locator:
        return self.page.locator(f'.row[data-index="{number - 1}"]')

    def wait_until_saved(self) -> None:
        """Waits until the status bar shows that all typed text is stored."""
        expect(self.page.locator(".status [data-kind]")).to_have_attribute("data-kind", "ok")

    def type_text(self, text: str) -> None:
        """Replaces the text of the edit field, key by key; again if a proposal came before the first letter."""
        self.field.click()

        def replaces_all() -> bool:
            self.page.keyboard.press("Control+A")
            self.page.keyboard.type(text[0])
            return self.text() == text[0]

        self.eventually(replaces_all)
        self.page.keyboard.type(text[1:])

    @property
    def findings(self) -> Locator:
        """The visible findings of the checks for the open segment."""
        return self.page.locator(".checks:visible li")

    def confirm(self) -> None:
        """Confirms the open segment, which is not confirmed, ignoring findings."""
        number = self.page.locator(".editor .no")
        before, reopen = number.inner_text(), self.page.get_by_role("button", name="Reopen")
        expect(reopen).to_be_hidden()  # or it would be taken for the confirmation below
        self.page.keyboard.press("Control+Enter")
        self.eventually(lambda: self.findings.count() or number.inner_text() != before or reopen.is_visible())
        if self.findings.count():
            self.page.keyboard.press("Control+Enter")
            self.eventually(lambda: number.inner_text() != before or reopen.is_visible())

    # ---- behind the screen ----

    def token(self) -> str:
        return str(self.page.evaluate("sessionStorage.getItem('pinpoint:session')"))

    def eventually(self, claim: Callable[[], Any], seconds: float = 60) -> None:
        """Waits until `claim` returns something true."""
        end = time.monotonic() + seconds
        while not claim():
            assert time.monotonic() < end, f"still not true after {seconds} seconds"
            self.page.wait_for_timeout(50)

    def check_nothing_went_wrong(self) -> None:
        assert self.dialogs == []
        assert self.errors == []
        assert self.foreign_requests == []

    def _on_dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _on_error(self, error: Any) -> None:
        self.errors.append(str(error))

    def _on_answer(self, request: Request) -> None:
        if request in self.unanswered_requests:
            self.unanswered_requests.remove(request)

    def _on_request(self, request: Request) -> None:
        self.unanswered_requests.append(request)
        message = request.post_data or ""
        if "/component_server" in request.url and '"fn_name":"changes"' not in message:
            self.messages.append(message[:400])
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.netloc != urlsplit(self.url).netloc:
            self.foreign_requests.append(request.url)


def _connections(url: str) -> str:
    """The connections from and to the port of this URL, in Linux's format, with "own" for those of this process."""
    table, descriptors = Path("/proc/net/tcp"), Path("/proc/self/fd")
    if not table.exists():
        return ""
    own = {path.resolve().name for path in descriptors.iterdir()}
    port = f":{urlsplit(url).port:04X} "
    lines = [line.rstrip() for line in table.read_text().splitlines() if port in line]
    return "\n".join(line + " own" * (f"socket:[{line.split()[9]}]" in own) for line in lines)


def _stacks_of_threads() -> str:
    """The five innermost calls of each thread of this process, in which the app may run."""
    stacks = (traceback.format_stack(frame)[-5:] for frame in sys._current_frames().values())
    return "\n".join("".join(stack) for stack in stacks)


def events(jsonl: Path) -> list[dict[str, Any]]:
    """The events of an exported session log."""
    lines = [json.loads(line) for line in jsonl.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["record"] == "event"]
