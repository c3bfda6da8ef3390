"""The editor as a component in a page of plain Gradio, with the events and values that functions get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from app.ui.constraint_editor import ConstraintEditor, EditorValue
from app.ui.lean_gradio import gr

VALUE: EditorValue = {"source": "<b>A</b> red bicycle", "text": "Ein 𝄞 rotes Fahrrad", "pins": ["rotes"], "bans": []}


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    def picked(event: gr.SelectData) -> str:
        return f"{event.index} {event.value}"

    with gr.Blocks() as page:
        editor = ConstraintEditor(VALUE, label="First", interactive=True)
        ConstraintEditor(VALUE, label="Second", interactive=False)
        shown, selected = gr.JSON(elem_id="shown"), gr.Textbox(label="Selected")
        editor.submit(lambda value: value, editor, shown)
        editor.select(picked, None, selected)
        gr.Button("Set").click(lambda: {**VALUE, "text": "Neu"}, None, editor)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    options: Any = {"prevent_thread_lock": True, "quiet": True, "ssr_mode": False}
    page.launch(server_name="127.0.0.1", **options)
    yield page.local_url
    page.close(verbose=False)


def test_functions_get_the_edited_text_with_pins_bans_and_selected_words(tabs: BrowserContext, address: str):
    page = tabs.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(address)
    first, second = page.get_by_role("textbox", name="First"), page.get_by_role("textbox", name="Second")
    expect(first.locator(".pin")).to_have_text("rotes")
    expect(page.locator(".part .source").first).to_have_text(VALUE["source"])
    first.focus()
    first.press("End")
    first.press_sequentially("x")
    first.press("Alt+Shift+B")
    value = {**VALUE, "text": "Ein 𝄞 rotes Fahrradx", "bans": ["Fahrradx"]}
    for text in (value["text"], *value["bans"]):
        expect(page.locator("#shown")).to_contain_text(text)
    expect(first.locator(".banned")).to_have_text("Fahrradx")
    first.locator(".pin").dblclick()
    expect(page.get_by_role("textbox", name="Selected")).to_have_value("[6, 11] rotes")  # counted in code points
    expect(second).to_have_attribute("aria-readonly", "true")
    page.get_by_role("button", name="Set", exact=True).click()
    expect(first).to_have_text("Neu")
    assert errors == []
    page.close()
