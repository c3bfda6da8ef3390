"""The modules on a pin's way: those with a function that runs from the key until the price is shown.

    python -m benchmarks.pin_path [--model FOLDER] [--list]

Runs the app in this process and pins the first word of a proposal in Chromium. Counts the files of `app` and `engine`
with Python's profiler, and the page's scripts with the browser's. Code that runs while a module is loaded is left out.
What the page and the server do at the same time, such as waiting for news, is in the count.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from playwright.sync_api import expect, sync_playwright

from app.paths import MODEL_FOLDER
from app.ui.page import STATIC_PATH
from tests.e2e.conftest import CHROMIUM_FLAGS, ROOT, find_chromium
from tests.e2e.hand_server import loading, serve
from tests.e2e.screen import Screen

TEXT = "The router saves the file when the light turns green.\n"
QUIET_SECONDS = 2.0  # for what still runs after the prices are shown


class ModuleProfiler:
    """Collects the Python files whose functions run while `is_counting`, in all threads that start after it is made."""

    def __init__(self) -> None:
        self.is_counting = False
        self.files: set[str] = set()
        threading.setprofile(self._on_call)

    def _on_call(self, frame: FrameType, event: str, _: Any) -> None:
        if self.is_counting and event == "call" and frame.f_code.co_name != "<module>":
            self.files.add(frame.f_code.co_filename)

    def modules(self, package: str) -> list[str]:
        """The files of a package, relative to the top folder."""
        folder = ROOT / package
        paths = (Path(name) for name in self.files)
        return sorted(str(path.relative_to(ROOT)) for path in paths if path.is_relative_to(folder))


def main(arguments: Sequence[str]) -> int:
    """Command line entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pin_path", description=__doc__)
    parser.add_argument("--model", type=Path, default=MODEL_FOLDER)
    parser.add_argument("--list", action="store_true", help="also print the modules")
    options = parser.parse_args(arguments)
    chromium = find_chromium()
    if chromium is None:
        print("pin_path: no Chromium on this machine: install it (apt install chromium)", file=sys.stderr)
        return 1
    profiler = ModuleProfiler()
    with (
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory() as scratch,
        serve(loading(options.model), Path(scratch)) as url,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        screen = Screen(browser.new_page(), url)
        screen.open_text(TEXT)
        scripts = scripts_of(screen, profiler, lambda: pin_and_wait(screen))
        screen.page.goto("about:blank")  # ends the request that waits for news
        browser.close()
    found = {"app": profiler.modules("app"), "engine": profiler.modules("engine"), "scripts": scripts}
    for name, modules in found.items():
        print(f"{name}: {len(modules)}")
        if options.list:
            print("".join(f"    {module}\n" for module in modules), end="")
    print(f"together: {sum(map(len, found.values()))}")
    return 0


def scripts_of(screen: Screen, profiler: ModuleProfiler, act: Callable[[], None]) -> list[str]:
    """The page's scripts with a function that runs during `act`; the profiler counts at the same time."""
    devtools = screen.page.context.new_cdp_session(screen.page)
    devtools.send("Profiler.enable")
    devtools.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
    devtools.send("Profiler.takePreciseCoverage")  # from here on, counts are those of `act`
    profiler.is_counting = True
    act()
    profiler.is_counting = False
    found = devtools.send("Profiler.takePreciseCoverage")["result"]
    return sorted(
        {
            script
            for each in found
            if STATIC_PATH in each["url"]
            for script in _have_run(each, screen.page.request.get(each["url"]).text())
        }
    )


def _have_run(coverage: dict[str, Any], text: str) -> set[str]:
    """The scripts of a file with a function that ran. The bundle has a comment with the name before each script."""
    names = [(found.start(), found[1]) for found in re.finditer(r"^/\* (\S+\.js) \*/$", text, re.MULTILINE)]
    names = names or [(0, coverage["url"].rpartition("/")[2])]
    places = [place for function in coverage["functions"] for place in function["ranges"] if place["count"]]
    starts = [place["startOffset"] for place in places if place["startOffset"] > 0]  # at 0, the file itself runs
    return {max(name for name in names if name[0] <= start)[1] for start in starts}


def pin_and_wait(screen: Screen) -> None:
    """Pins the first word, and waits until its price is shown."""
    screen.pin_word(0)
    expect(screen.page.locator("li[data-pin]")).to_have_attribute("data-status", "met")
    screen.wait_for_proposal()
    time.sleep(QUIET_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
