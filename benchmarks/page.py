"""Waiting times in the page: start, a large document, a pin, scrolling. Drives the real app in Chromium.

    python -m benchmarks.page [--model FOLDER] [--output FOLDER]

Writes report.md and results.json to the folder and prints the report.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from app.paths import MODEL_FOLDER
from benchmarks import bars
from benchmarks.dba.report import table
from benchmarks.paper_dba import commit, processor
from benchmarks.speed.app_start import peak_memory_mb
from engine import sentence_spans
from tests.e2e.conftest import CHROMIUM_FLAGS, ROOT, App, find_chromium
from tests.e2e.screen import Screen

CORPUS = ROOT / "tests" / "data" / "corpus_sample.tsv"
LONGEST_MS = 180_000

# From the press until the server has acknowledged the pin and the frame that shows it is drawn.
PIN_TO_SCREEN = """word => new Promise(done => {
  const saved = document.querySelector('.status [data-kind]'), started = performance.now();
  let painted = null, wasSaving = false;
  new MutationObserver((_, observer) => {
    if (painted === null && document.querySelector('li[data-pin]')) painted = performance.now() - started;
    if (saved.dataset.kind === 'warn') wasSaving = true;
    if (!wasSaving || saved.dataset.kind !== 'ok') return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => done({painted, acknowledged: performance.now() - started})));
  }).observe(document.querySelector('.pinpoint'), {subtree: true, childList: true, attributes: true});
  for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
    word.dispatchEvent(new (type.startsWith('p') ? PointerEvent : MouseEvent)(type, {bubbles: true, cancelable: true, button: 0}));
  }
})"""  # noqa: E501
# A wheel turned for so many frames; then the lengths of the frames in milliseconds.
SCROLL = """({frames, step}) => new Promise(done => {
  const list = document.querySelector('.scroll'), lengths = [];
  let before = performance.now();
  const frame = now => {
    lengths.push(now - before);
    before = now;
    list.scrollTop += step;
    if (lengths.length <= frames) requestAnimationFrame(frame); else done(lengths.slice(1));
  };
  requestAnimationFrame(frame);
})"""
# To a far place, as by dragging the bar: until a row stands in the middle of the window.
JUMP = """part => new Promise(done => {
  const list = document.querySelector('.scroll'), {x, y, width, height} = list.getBoundingClientRect(), started = performance.now();
  list.scrollTop = part * (list.scrollHeight - height);
  const look = () => {
    if (document.elementFromPoint(x + width / 2, y + height / 2)?.closest('.row')) done(performance.now() - started);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""  # noqa: E501


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, writes the report and prints it."""
    parser = argparse.ArgumentParser(description="Measure the page in Chromium.")
    parser.add_argument("--model", type=Path, default=MODEL_FOLDER)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "page")
    parser.add_argument("--pins", type=int, default=50, help="presses to take the median of")
    parser.add_argument("--segments", type=int, default=20_000, help="of the large document")
    options = parser.parse_args(arguments)
    chromium = find_chromium()
    if chromium is None:
        print("page: no Chromium on this machine: install it (apt install chromium)", file=sys.stderr)
        return 1
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as scratch:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        results = {
            "environment": environment(browser.version),
            "settings": {"model": options.model.name, "pins": options.pins, "segments": options.segments},
            "figures": measure(browser, options, Path(scratch)),
        }
        results["environment"]["load_at_end"] = round(os.getloadavg()[0], 1)
        browser.close()
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(write_report(options.output, results))
    return 0


def environment(chromium: str) -> dict[str, Any]:
    """The machine and what runs on it."""
    return {
        "processor": processor(),
        "num_processors": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("gradio", "torch", "playwright")},
        "chromium": chromium,
        "commit": commit(),
    }


def measure(browser: Browser, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """All figures; seconds, milliseconds and MB as their names say."""
    started = time.perf_counter()
    app = App(options.model, scratch / "log.sqlite")
    try:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(LONGEST_MS)
        screen = Screen(page, app.address)
        figures: dict[str, Any] = {"page_s": time.perf_counter() - started}
        screen.wait_for_proposal()
        figures["translation_s"] = time.perf_counter() - started
        figures["memory_at_start_mb"] = peak_memory_mb(app.process.pid)
        figures["open_2000_s"] = time_to_open(page, lines(2_000), "two-thousand.txt")
        stop_pretranslation(page)
        figures["pins"] = [pin_to_screen(screen) for _ in range(options.pins)]
        cpu_s = processor_seconds(app.process.pid)
        figures["open_large_s"] = time_to_open(page, lines(options.segments), "large.txt")
        figures["open_large_server_cpu_s"] = processor_seconds(app.process.pid) - cpu_s
        figures["memory_large_mb"] = peak_memory_mb(app.process.pid)
        figures["frames_while_translating_ms"] = page.evaluate(SCROLL, {"frames": 200, "step": 150})
        stop_pretranslation(page)
        figures["frames_ms"] = page.evaluate(SCROLL, {"frames": 200, "step": 150})
        places = random.Random(1)
        figures["jumps_ms"] = [page.evaluate(JUMP, places.random()) for _ in range(20)]
        figures["search_s"] = time_to_search(page)
        return figures
    finally:
        app.stop()


def lines(count: int) -> bytes:
    """So many sentences of the sample corpus, numbered, so that no two are the same."""
    table = [line.split("\t") for line in CORPUS.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    texts = [columns[3] for columns in table if columns[0] == "en"]
    sentences = [text for text in texts if len(sentence_spans(f"1. {text}", "en")) == 1]
    return "".join(f"{n + 1}. {sentences[n % len(sentences)]}\n" for n in range(count)).encode()


def time_to_open(page: Page, data: bytes, name: str) -> float:
    """Seconds from choosing a file until its rows and the edit field of the first segment can be used."""
    started = time.perf_counter()
    page.locator("input[data-kind=document]").set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})
    page.wait_for_function(
        "name => document.querySelector('.docinfo .name')?.textContent === name && document.querySelector('.row') "
        "&& document.activeElement?.id === 'pinpoint-edit'",
        arg=name,
    )
    return time.perf_counter() - started


def processor_seconds(pid: int) -> float:
    """Processor seconds of a process so far, in all threads; NaN if the system does not report them."""
    path = Path(f"/proc/{pid}/stat")
    if not path.exists():
        return float("nan")
    fields = path.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stop_pretranslation(page: Page) -> None:
    """Cancels pretranslation and waits until running requests are done."""
    page.locator(".status .btn", has_text="Cancel").click()
    page.locator(".status .btn", has_text="Resume").wait_for()
    page.locator(".field[aria-busy=false]").wait_for()


def pin_to_screen(screen: Screen) -> dict[str, float]:
    """Milliseconds from a press on a word to the pin on the screen, and to its acknowledgement; then releases it."""
    screen.wait_for_proposal()
    word = screen.words.first.element_handle()
    times: dict[str, float] = screen.page.evaluate(PIN_TO_SCREEN, word)
    screen.wait_for_proposal()
    screen.page.keyboard.press("Control+z")
    screen.page.wait_for_function("!document.querySelector('li[data-pin]')")
    screen.wait_for_proposal()
    return times


def time_to_search(page: Page) -> float:
    """Seconds from the last letter of a search to its rows."""
    page.keyboard.press("Control+k")
    page.keyboard.type("1999")
    started = time.perf_counter()
    page.wait_for_function("document.querySelectorAll('.scroll ol').length === 1")
    return time.perf_counter() - started


def write_report(folder: Path, results: dict[str, Any]) -> str:
    """Write report.md and return it."""
    report = report_of(results)
    (folder / "report.md").write_text(report, encoding="utf-8")
    return report


def report_of(results: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    figures, machine = results["figures"], results["environment"]
    acknowledged = sorted(pin["acknowledged"] for pin in figures["pins"])
    painted = sorted(pin["painted"] for pin in figures["pins"] if pin["painted"] is not None)

    def frames(lengths: list[float]) -> str:
        late = sum(length > 50 for length in lengths)
        return f"{statistics.median(lengths):.0f} ms; {late} of {len(lengths)} over 50 ms; longest {max(lengths):.0f}"

    count = f"{results['settings']['segments']:,} segments"
    rows = [
        ("command to usable page", bars.PAGE.shown(figures["page_s"]), bars.PAGE),
        ("command to first translation", bars.TRANSLATION.shown(figures["translation_s"]), bars.TRANSLATION),
        ("server's peak memory, sample document", bars.MEMORY.shown(figures["memory_at_start_mb"]), bars.MEMORY),
        (f"the same, {count}", bars.MEMORY.shown(figures["memory_large_mb"]), bars.MEMORY),
        ("open 2,000 segments", f"{figures['open_2000_s']:.1f} s", ""),
        (
            f"open {count}",
            f"{figures['open_large_s']:.1f} s, {figures['open_large_server_cpu_s']:.1f} of the server's processor time",
            "",
        ),
        (
            "pin to screen and acknowledged, 2,000 segments open, median",
            f"{statistics.median(acknowledged):.0f} ms (95 %: {acknowledged[int(0.95 * (len(acknowledged) - 1))]:.0f})",
            bars.PIN_TO_SCREEN,
        ),
        ("pin drawn, median", f"{statistics.median(painted):.0f} ms", ""),
        (f"frames while scrolling {count}, median", frames(figures["frames_ms"]), ""),
        ("the same while pre-translating", frames(figures["frames_while_translating_ms"]), ""),
        ("jump to a far place, median", f"{statistics.median(figures['jumps_ms']):.0f} ms", ""),
        (f"search in {count}", f"{figures['search_s']:.1f} s", ""),
    ]
    head = (
        f"Model {results['settings']['model']}; {machine['processor']}, {machine['num_processors']} cores, load "
        f"{machine['load_average']} to {machine['load_at_end']}; Chromium {machine['chromium']}, gradio "
        f"{machine['gradio']}, torch {machine['torch']}; commit {machine['commit']}."
    )
    return f"# The page\n\n{head}\n\n{table(('what', 'measured', 'bar'), rows)}\n"


if __name__ == "__main__":
    sys.exit(main())
