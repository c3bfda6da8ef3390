"""The page as a desktop app: its manifest, and the browser that shows it in a window of its own."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.ui import server, window
from app.ui.api import Api
from app.ui.lean_gradio import WithoutStubFiles
from app.ui.page import STATIC_PATH, head_of
from tests.app.ui.test_api import api  # noqa: F401 (a fixture)

ROOT = Path(__file__).resolve().parents[3]


def test_page_can_be_installed_as_an_app(api: Api):  # noqa: F811
    client = TestClient(server.build_server(api, host="127.0.0.1", port=0, sign_in=None), base_url="http://127.0.0.1")
    page = client.get("/")
    assert f'<link rel="manifest" href="{STATIC_PATH}/manifest.webmanifest">' in head_of(STATIC_PATH)
    assert f"{STATIC_PATH}/manifest.webmanifest" in page.text
    assert "manifest-src 'self'" in page.headers["content-security-policy"]
    reply = client.get(f"/{STATIC_PATH}/manifest.webmanifest")
    assert reply.headers["content-type"].startswith("application/manifest+json")
    manifest = json.loads(reply.text)
    assert manifest["display"] == "standalone" and manifest["start_url"] == manifest["scope"] == "../"
    for icon in manifest["icons"]:
        image = client.get(f"/{STATIC_PATH}/{icon['src']}")
        assert image.headers["content-type"].startswith(icon["type"])
        if icon["type"] == "image/png":
            assert "{}x{}".format(*struct.unpack(">II", image.content[16:24])) == icon["sizes"]


WINDOWS = {"PROGRAMFILES": r"C:\Program Files", "LOCALAPPDATA": r"C:\Users\a\AppData\Local"}
EDGE = r"C:\Program Files\Microsoft\Edge\Application\msedge.exe"
CHROME = r"C:\Users\a\AppData\Local\Google\Chrome\Application\chrome.exe"
MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


@pytest.mark.parametrize(
    ("platform", "installed", "expected"),
    [
        ("linux", {"chromium", "vivaldi"}, "chromium"),  # the first in the list
        ("linux", {"microsoft-edge", "firefox"}, "microsoft-edge"),
        ("linux", {"firefox"}, None),  # not of the Chromium family
        ("win32", {EDGE}, EDGE),
        ("win32", {EDGE, CHROME}, CHROME),
        ("win32", set(), None),
        ("darwin", {MAC_CHROME}, MAC_CHROME),
    ],
)
def test_browser_of_the_chromium_family_is_found(platform: str, installed: set[str], expected: str | None):
    found = window.find_chromium(platform, WINDOWS, lambda program: program if program in installed else None)
    assert found == expected


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was opened: ["browser", address] or a started program with its arguments."""
    calls: list[Any] = []
    monkeypatch.setattr(window.webbrowser, "open", lambda address: calls.append(["browser", address]))
    monkeypatch.setattr(subprocess, "Popen", lambda arguments, **_: calls.append(arguments))
    return calls


def test_window_is_opened_with_the_browser_found(opened: list[Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(window, "find_chromium", lambda: "/usr/bin/chromium")
    assert window.open_page("http://localhost:1", in_window=True) == ""
    assert window.open_page("http://localhost:2") == ""
    assert opened == [["/usr/bin/chromium", "--app=http://localhost:1"], ["browser", "http://localhost:2"]]


def test_default_browser_with_a_note_takes_the_place_of_a_missing_one(
    opened: list[Any], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(window, "find_chromium", lambda: None)
    assert "default browser" in window.open_page("http://localhost:1", in_window=True)

    def fail(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(window, "find_chromium", lambda: "/opt/chrome")
    monkeypatch.setattr(subprocess, "Popen", fail)
    assert "/opt/chrome (Permission denied) could not be started" in window.open_page("http://x", in_window=True)
    assert opened == [["browser", "http://localhost:1"], ["browser", "http://x"]]


def test_components_of_gradio_render_no_stub_files(monkeypatch: pytest.MonkeyPatch):
    """They would take half of the time until the page can be opened."""
    import gradio
    import jinja2

    monkeypatch.setattr(jinja2, "Template", pytest.fail)
    spec = WithoutStubFiles.find_spec("gradio.component_meta", gradio.__path__)
    assert spec and spec.loader
    fresh = module_from_spec(spec)
    spec.loader.exec_module(fresh)

    class Part(metaclass=fresh.ComponentMeta):  # type: ignore[misc]
        EVENTS = ()

    assert not Path(__file__).with_suffix(".pyi").exists()


@pytest.mark.full
def test_importing_the_page_renders_no_stub_files_of_gradio():
    code = """if True:
        import jinja2
        make, templates = jinja2.Template, []
        jinja2.Template = lambda text: templates.append(text) or make(text)
        import app.ui.page
        print(bool(templates), [text for text in templates if "contents" in text])
    """
    run = subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True, text=True)
    assert run.stdout == "True []\n"


def test_queue_of_gradio_is_not_started(api: Api, monkeypatch: pytest.MonkeyPatch):  # noqa: F811
    """It would look for work 1,000 times a second, which takes 5 % of a processor."""
    starts: list[object] = []
    monkeypatch.setattr("gradio.queueing.Queue.start", starts.append)
    with TestClient(server.build_server(api, host="127.0.0.1", port=0, sign_in=None).app):
        assert not starts
