"""Takes README.md's picture of the app at work: python -m tests.e2e.take_picture [MODEL] [FILE]

Drives the real app as a person would; run it again when the page or the bundled model has changed.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from app.paths import MODEL_FOLDER
from tests.e2e.conftest import CHROMIUM_FLAGS, ROOT, App
from tests.e2e.screen import Screen

CONFIRMED = {
    8: "Ihr WLAN heißt jetzt „Harbor-2G“.",
    9: "Öffnen Sie die Einstellungen auf Ihrem Computer und wählen Sie dieses WLAN.",
    10: "Das Kennwort steht auf der Rückseite des Geräts.",
    11: "Bitte ändern Sie das Kennwort nach der ersten Anmeldung.",
    13: "Das kann bis zu 2 Minuten dauern.",
    14: "2. Installieren Sie die App",
}
EDITED = {12: "Wenn das Licht rot ist, schalten Sie den Router aus und wieder ein."}
OPEN = 16  # Double-click the file to start the installation.
PINNED = "mit der linken Maustaste"


def main(model: Path, picture: Path) -> None:
    """Post-edits a few segments, opens one with a pin and a term, and saves what is on the screen."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = App(model, Path(folder) / "log.sqlite")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS)
        try:
            page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
            screen = Screen(page, app.url)
            page.get_by_role("button", name="Use the sample glossary").click()
            for number, text in sorted({**CONFIRMED, **EDITED}.items()):
                screen.open_segment(number)
                screen.type_text(text)
                screen.wait_until_saved()
                if number in CONFIRMED:
                    screen.confirm()
            screen.open_segment(OPEN)
            screen.wait_for_proposal()
            page.get_by_label("Pin a phrase that is not in the proposal").fill(PINNED)
            page.keyboard.press("Enter")
            screen.wait_for_pin(PINNED)
            screen.words.first.click()
            screen.wait_for_proposal()
            screen.eventually(lambda: not page.locator(".status .btn:visible").count(), seconds=300)
            while page.locator(".banner .x").count():
                page.locator(".banner .x").first.click()
            screen.field.focus()
            page.mouse.move(700, 890)
            page.wait_for_timeout(500)
            page.screenshot(path=picture)
        finally:
            browser.close()
            app.stop()


if __name__ == "__main__":
    arguments = [Path(argument) for argument in sys.argv[1:]]
    main(*(arguments + [MODEL_FOLDER, ROOT / "data" / "screenshot.png"][len(arguments) :]))
