"""A hundred segments post-edited by keyboard alone, in the real app in Chromium: waiting times, and what moves.

    python -m benchmarks.keyboard [--model FOLDER] [--segments N] [--tree FOLDER] [--output FOLDER]

Times are measured in the page, from the key event to the frame after the change: from Alt+P on a word to its mark, and
to the new n-best list; from Ctrl+Enter to the next segment with the cursor in its field. In the open segment nothing
may move: the rows and the buttons below it are measured on every frame until the segment is confirmed. Writes
results.json and prints a table. `--tree` measures the app of another checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

import tests.e2e.conftest as browser_app
from app.paths import MODEL_FOLDER
from benchmarks.dba.report import table
from benchmarks.page import LONGEST_MS, environment, lines
from benchmarks.paper_dba import commit
from tests.e2e.screen import Screen

SIZE = {"width": 1440, "height": 900}
NUM_KINDS = 5  # of work on a segment, in turn: see `work_on`
# Collects `times`, in milliseconds, by name, and the farthest that anything moved in each segment, in pixels.
MEASURE = """() => {
  const measured = window.measured = {times: {lock: [], list: [], next: []}, moved: [], pointers: 0};
  const waits = {};
  const all = selector => document.querySelectorAll(selector).length;
  const isBusy = () => document.querySelector('.field').getAttribute('aria-busy') === 'true';
  const number = () => document.querySelector('.editor .no').textContent;
  addEventListener('pointerdown', () => { measured.pointers++; }, true);
  addEventListener('keydown', ({timeStamp: started, key, altKey, ctrlKey}) => {
    if (key === 'p' && altKey) {
      const before = all('.field .pin');
      let wasBusy = false;
      waits.lock = {started, isDone: () => all('.field .pin') > before};
      waits.list = {started, isDone: () => { wasBusy ||= isBusy(); return wasBusy && !isBusy(); }};
    }
    if (key === 'Enter' && ctrlKey) {
      const before = number();
      waits.next = {started, isDone: () => number() !== before && document.activeElement.id === 'pinpoint-edit'
        && document.activeElement.value};
    }
  }, true);
  new MutationObserver(() => {
    for (const [name, wait] of Object.entries(waits)) {
      if (!wait.isDone()) continue;
      delete waits[name];
      requestAnimationFrame(() => setTimeout(() => measured.times[name].push(performance.now() - wait.started)));
    }
  }).observe(document.querySelector('.pinpoint'), {subtree: true, childList: true, attributes: true});
}"""
# Follows the rows and buttons of one segment, frame by frame, until it is confirmed.
WATCH = """() => {
  const places = () => new Map([...document.querySelectorAll('.actions .btn, .row')].map(
    element => [element.dataset.index ?? element.textContent, element.getBoundingClientRect()]));
  const first = places(), number = document.querySelector('.editor .no').textContent;
  const seen = {number, pixels: 0};
  measured.moved.push(seen);
  let isOver = false;
  addEventListener('keydown', ({key, ctrlKey}) => { isOver ||= key === 'Enter' && ctrlKey; }, true);
  const look = () => {
    if (isOver || document.querySelector('.editor .no').textContent !== number) return;
    for (const [name, place] of places()) {
      const before = first.get(name);
      if (before) seen.pixels = Math.max(seen.pixels, Math.abs(place.top - before.top),
        Math.abs(place.left - before.left));
    }
    requestAnimationFrame(look);
  };
  look();
}"""
# The open segment has its proposal and prices, and the field has the focus.
READY = """number => document.querySelector('.editor .no').textContent === number
  && document.activeElement.id === 'pinpoint-edit' && document.activeElement.value
  && document.querySelector('.field').getAttribute('aria-busy') === 'false'
  && document.querySelector('.nbest').textContent.trim()"""
SETTLED = "() => document.querySelector('.field').getAttribute('aria-busy') === 'false'"
LEFT = """([number, total]) => document.querySelector('.editor .no').textContent !== number
  || [...document.querySelectorAll('.checks li')].some(finding => finding.offsetParent)
  || document.querySelector('.prog').textContent.includes(`${total} / ${total}`)"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, writes the results and prints them."""
    options = parse(arguments)
    chromium = browser_app.find_chromium()
    if chromium is None:
        print("keyboard: no Chromium on this machine: install it (apt install chromium)", file=sys.stderr)
        return 1
    if options.tree:
        browser_app.ROOT = options.tree.resolve()  # where the app is started
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as scratch:
        browser = playwright.chromium.launch(executable_path=chromium, args=browser_app.CHROMIUM_FLAGS)
        results = {
            "environment": {**environment(browser.version), "commit": commit(browser_app.ROOT)},
            "settings": {"model": options.model.name, "segments": options.segments, **SIZE},
            "figures": measure(browser.new_page(viewport=SIZE), options, Path(scratch)),  # type: ignore[arg-type]
        }
        results["environment"]["load_at_end"] = round(os.getloadavg()[0], 1)
        browser.close()
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(report_of(results))
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--model", type=Path, default=MODEL_FOLDER)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "keyboard")
    parser.add_argument("--segments", type=int, default=100)
    parser.add_argument("--tree", type=Path, help="checkout whose app is measured (this one)")
    return parser.parse_args(arguments)


def measure(page: Page, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """The times in milliseconds by name, how far things moved in each segment in pixels, and presses of the pointer."""
    page.set_default_timeout(LONGEST_MS)
    app = browser_app.App(options.model, scratch / "log.sqlite")
    try:
        screen = Screen(page, app.address)
        screen.open_text(lines(options.segments), "day.txt")
        page.wait_for_function("() => !document.querySelector('.row .wait')")  # all are translated
        page.keyboard.press("Escape")
        page.evaluate(MEASURE)
        for number in range(1, options.segments + 1):
            page.wait_for_function(READY, arg=str(number))
            page.evaluate(WATCH)
            work_on(page, number % NUM_KINDS)
            page.keyboard.press("Control+Enter")
            page.wait_for_function(LEFT, arg=[str(number), options.segments])
            if screen.findings.count():
                page.keyboard.press("Control+Enter")
        page.wait_for_function(LEFT, arg=["", options.segments])
        figures: dict[str, Any] = page.evaluate("measured")
        assert figures["pointers"] == 0, "no pointer was used"
        return figures
    finally:
        app.stop()


def work_on(page: Page, kind: int) -> None:
    """One kind of work on the open segment: two pins, a ban, a typed correction, another hypothesis, an alternative."""
    press = page.keyboard.press
    if kind == 0:
        for number in range(2):
            for key in ("Home", *["Control+ArrowRight"] * number, "ArrowRight", "ArrowRight", "Alt+p"):
                press(key)
            page.wait_for_function(SETTLED)
    elif kind == 1:
        for key in ("End", "Alt+Shift+b"):
            press(key)
        page.wait_for_function(SETTLED)
    elif kind == 2:
        press("Control+End")
        page.keyboard.type(" und mehr")
    elif kind == 3:
        press("Control+ArrowDown")
        press("2")
    else:
        for key in ("Home", "Alt+a"):
            press(key)
        page.locator(".pop .alt, .pop .say").first.wait_for()
        press("1")
        page.wait_for_function(SETTLED)
        press("Escape")


def report_of(results: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    figures, machine = results["figures"], results["environment"]
    names = {"lock": "Alt+P to the mark", "list": "Alt+P to the new n-best list", "next": "confirm to the next segment"}
    rows = []
    for name, what in names.items():
        times = sorted(figures["times"][name])
        middle, late = (statistics.median(times), times[int(0.95 * (len(times) - 1))]) if times else (0, 0)
        rows.append((what, str(len(times)), f"{middle:.0f} ms", f"{late:.0f} ms", f"{max(times, default=0):.0f} ms"))
    pixels = [seen["pixels"] for seen in figures["moved"]]
    moved = f"{sum(pixel > 0 for pixel in pixels)} of {len(pixels)} segments, at most {max(pixels, default=0):.0f} px"
    head = (
        f"{results['settings']['segments']} segments, model {results['settings']['model']}; {machine['processor']}, "
        f"{machine['num_processors']} cores, load {machine['load_average']} to {machine['load_at_end']}; Chromium "
        f"{machine['chromium']}; commit {machine['commit']}."
    )
    return f"{head}\n\n{table(('what', 'times', 'median', '95 %', 'longest'), rows)}\n\nMoved: {moved}.\n"


if __name__ == "__main__":
    sys.exit(main())
