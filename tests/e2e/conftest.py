"""Fixtures: the app with a tiny random model, in this process or in its own, and the system's Chromium."""

from __future__ import annotations

import io
import itertools
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from app.__main__ import main
from app.log.project_tables import Project, insert_project
from app.log.store import LogStore
from engine.model import ModelConfig, Transformer, save_weights
from engine.text import EOS, TextCodec
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.e2e.hand_server import HOST, loading, serve
from tests.e2e.screen import Screen
from tests.forked import ForkedProcess, Program

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Raster threads and renderers in reserve take 6 % more processor time than they save.
    "--num-raster-threads=1",
    "--disable-features=SpareRendererForSitePerProcess,IsolateOrigins,site-per-process",
    "--process-per-site",  # a tab of a page that is open elsewhere takes half of the processor time
]
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the quickest first
_NUMBERS = itertools.count(1)  # of documents
VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
START_SECONDS = 300  # it takes five on a quiet machine

expect.set_options(timeout=60_000)  # ms; replies may be slow on a busy machine


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In CI, a browser test that fails runs once more: on a busy machine, the browser itself hangs now and then.

    The summary lists it as RERUN.
    """
    if os.environ.get("CI") == "true":
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The report of a failed browser test contains the last commands and the visible text of its page."""
    report = yield
    screen = getattr(item, "funcargs", {}).get("screen")
    has_sections = hasattr(report.longrepr, "addsection")  # not if it is only a text
    if report.when == "call" and report.failed and has_sections and isinstance(screen, Screen):
        with suppress(PlaywrightError):  # the page is closed, or the browser hangs
            text = screen.report()
            report.longrepr.addsection("commands and text of the page", text)  # shown after a rerun, too
    return report


def find_chromium() -> str | None:
    """The path of a Chromium on this machine."""
    return next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


class App:
    """`python -m app` in its own process. A second App can open its database, `log`, after it ends."""

    def __init__(self, model: Path, log: Path, *flags: str) -> None:
        arguments = ["--model", str(model), "--log", str(log), "--port", "0", "--no-browser", "--threads", "1", *flags]
        self.log = log
        self.process = self._start(arguments)
        self.lines: list[str] = []
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.address = self._wait_for_address()  # signs in
        self.url = self.address.partition("/?")[0]

    def _start(self, arguments: list[str]) -> subprocess.Popen[bytes] | ForkedProcess:
        return subprocess.Popen(
            [sys.executable, "-m", "app", *arguments],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def kill(self) -> None:
        """Kills the process, as in a crash."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Stops the process as Ctrl+C does."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()

    def read_to_the_end(self) -> list[str]:
        """All lines that the app wrote, once its process has ended."""
        self._reader.join()
        return self.lines

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in io.TextIOWrapper(self.process.stdout, encoding="utf-8", errors="replace"):
            self.lines.append(line)
            self._queue.put(line)
        self._queue.put(None)

    def _wait_for_address(self) -> str:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            try:
                line = self._queue.get(timeout=1)
            except queue.Empty:
                continue
            if line is None:
                break
            if found := re.search(r"http://\S+", line):
                return found.group()
        self.kill()
        raise AssertionError("the app did not start:\n" + "".join(self.lines))


class ForkedApp(App):
    """The app in a process that starts much sooner."""

    def __init__(self, model: Path, log: Path, *flags: str, program: Program = main) -> None:
        """`program` starts the app, with its flags as the arguments."""
        self._program = program
        super().__init__(model, log, *flags)

    def _start(self, arguments: list[str]) -> ForkedProcess:
        return ForkedProcess(self._program, arguments)


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory, codec: TextCodec) -> Path:
    """A model that outputs random words; the page must work with any of them."""
    return save_random_model(tmp_path_factory.mktemp("models") / "random-en-de", codec)


def save_random_model(folder: Path, codec: TextCodec) -> Path:
    """A tiny model with random weights in a new folder, which decodes a sentence in a few milliseconds."""
    folder.mkdir()
    torch.manual_seed(1)
    sizes = {"model_size": 32, "num_heads": 2, "feed_forward_size": 48, "encoder_layers": 2, "decoder_layers": 1}
    formalities = {"en-de": ("formal", "informal")}
    config = ModelConfig(len(codec.vocabulary), ("en-de",), **sizes, domains=("docs",), formalities=formalities)
    model = Transformer(config)
    for name, parameter in model.named_parameters():  # or it would repeat one word
        parameter.data.mul_(0.3 if "embedding" in name else 5.0)
    pieces = zip(codec.vocabulary.surfaces, codec.vocabulary.glues_left, codec.vocabulary.glues_right, strict=True)
    is_word = [len(s) > 2 and s.isascii() and s.isalpha() and not left and not right for s, left, right in pieces]
    model.output_bias.data = torch.where(torch.tensor(is_word), 0.0, -12.0)
    model.output_bias.data[EOS] = 2.0
    config.save(folder / "config.json")
    codec.save(folder)
    save_weights(folder / "model.safetensors", model)
    return folder


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's Chromium. Without it the tests are skipped; in CI they fail.

    Its event loop runs in this thread until the fixture ends, and other tests need a loop of their own.
    """
    path = find_chromium()
    if path is None:
        message = "no Chromium on this machine: install it (apt install chromium) to run the browser tests"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@dataclass(frozen=True)
class SharedApp:
    """The app that the tests of a worker share. Nobody has to sign in, so both addresses are the same."""

    url: str

    @property
    def address(self) -> str:
        return self.url


@contextmanager
def serve_random_model(model_folder: Path, folder: Path) -> Iterator[SharedApp]:
    """An app in this process, for many tests. Each test opens its own document, and what other tests confirmed does not
    change its proposals: the memory does not fill it, and the model does not learn.

    Its first project leaves the form of address to the model: with a form, the random model translates at length.
    """
    store = LogStore.open(folder / "log.sqlite")
    with store.connection.transaction("make a project"):
        insert_project(store.connection.db, Project(0, "", "", "en-de", "", "", True, learns=False))
    store.close()
    with serve(loading(model_folder), folder, fills_from_memory=False) as url:
        yield SharedApp(url)


@pytest.fixture(scope="package")
def app(browser: Browser, model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedApp]:
    """One app for all tests of a worker."""
    with serve_random_model(model_folder, tmp_path_factory.mktemp("log")) as app:
        yield app


def new_context(browser: Browser, *, bypass_csp: bool = False) -> BrowserContext:
    """An empty browser profile that waits up to a minute for what a test expects.

    With `bypass_csp`, injected scripts run, so that a test finds them.
    """
    context = browser.new_context(viewport=VIEWPORT, accept_downloads=True, bypass_csp=bypass_csp)
    context.set_default_timeout(60_000)
    return context


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser profile for one test: nothing knows of the tabs of other tests."""
    context = new_context(browser)
    yield context
    context.close()


@pytest.fixture(scope="package")
def shared_context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser profile for all modules: what Gradio loads is then in its cache.

    An empty tab of the same site keeps the process of the page, which has compiled the scripts.
    """
    context = new_context(browser)
    empty = context.new_page()
    empty.route("**/*", lambda route: route.fulfill(body=""))
    empty.goto(f"http://{HOST}/")
    yield context
    context.close()


@pytest.fixture
def tabs(shared_context: BrowserContext) -> Iterator[BrowserContext]:
    """The shared profile, for tests with an app of their own. Their tabs are closed, and settings are not kept."""
    kept = shared_context.pages
    yield shared_context
    for page in shared_context.pages:
        if page not in kept:
            page.evaluate("localStorage.clear()")
            page.close()


@pytest.fixture(scope="package")
def tab(shared_context: BrowserContext) -> Iterator[Page]:
    """A tab for all modules: opening one takes as much processor time as loading the page."""
    page = shared_context.new_page()
    yield page
    page.close()


@pytest.fixture(scope="module")
def shared_page(app: SharedApp, tab: Page) -> Iterator[Page]:
    """One tab for the tests of a module, as empty as a new one."""
    yield tab
    tab.unroute_all()
    tab.emulate_media(color_scheme="null", reduced_motion="null")
    tab.set_viewport_size(VIEWPORT)
    if tab.url.startswith("http"):
        tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    tab.goto("about:blank")


@dataclass(frozen=True)
class HandApp:
    """The app in this process with a fake model, and one tab, for the tests of a module. Each opens a document."""

    decoder: HandDecoder
    url: str
    page: Page

    def open(self, text: str) -> Screen:
        """The page with a new document; `decoder` has only its requests."""
        screen = Screen(self.page, self.url)
        self.decoder.forget()
        screen.open_text(text, f"{next(_NUMBERS)}.txt", waits=False)
        return screen


@pytest.fixture(scope="module")
def hand_app(
    browser: Browser, shared_context: BrowserContext, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[HandApp]:
    decoder = HandDecoder()
    with serve(ready_model(decoder), tmp_path_factory.mktemp("hand"), fills_from_memory=False) as url:
        page = shared_context.new_page()
        yield HandApp(decoder, url, page)
        page.evaluate("localStorage.clear()")
        page.close()


def runs_again(request: pytest.FixtureRequest) -> bool:
    """True for a test that runs again after a failure (pytest-rerunfailures).

    It needs an app of its own: a shared one contains what the failed run made.
    """
    return getattr(request.node, "execution_count", 1) > 1


@pytest.fixture
def screen(
    request: pytest.FixtureRequest, app: SharedApp, shared_page: Page, model_folder: Path, tmp_path: Path
) -> Iterator[Screen]:
    """The page of the module. After the test it must have had no script error, dialog or foreign request."""
    with ExitStack() as stack:
        used = app
        if runs_again(request):
            used = stack.enter_context(serve_random_model(model_folder, tmp_path))
            shared_page.goto("about:blank")  # requests to the shared app would count as foreign
        screen = Screen(shared_page, used.address)
        yield screen
        screen.leave()
        screen.check_nothing_went_wrong()
        if used is not app:
            shared_page.goto("about:blank")
