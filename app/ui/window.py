"""Opens the page: in a window of its own, as a desktop app has it, or in the default browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Final

# Browsers of the Chromium family, which can show a page without tabs and address bar (`--app=`).
_COMMANDS: Final = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    *("microsoft-edge", "brave-browser", "vivaldi"),
)
_MAC_APPS: Final = ("Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser", "Vivaldi")
_WINDOWS_FOLDERS: Final = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
_WINDOWS_PROGRAMS: Final = (
    "Google/Chrome/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
    "Chromium/Application/chrome.exe",
    "BraveSoftware/Brave-Browser/Application/brave.exe",
    "Vivaldi/Application/vivaldi.exe",
)


def find_chromium(
    platform: str = sys.platform,
    environment: Mapping[str, str] = os.environ,
    is_program: Callable[[str], str | None] = shutil.which,
) -> str | None:
    """The path of an installed browser of the Chromium family, or None. `is_program` returns a program's path."""
    return next(filter(None, map(is_program, map(str, _candidates(platform, environment)))), None)


def _candidates(platform: str, environment: Mapping[str, str]) -> Iterator[str | PurePath]:
    if platform == "win32":
        for program in _WINDOWS_PROGRAMS:
            for name in _WINDOWS_FOLDERS:
                if folder := environment.get(name):
                    yield PureWindowsPath(folder, program)
    elif platform == "darwin":
        for app in _MAC_APPS:
            yield PurePosixPath("/Applications", f"{app}.app", "Contents/MacOS", app)
    else:
        yield from _COMMANDS


def open_page(address: str, *, in_window: bool = False) -> str:
    """Opens the page; returns a note for the terminal if it is not shown as requested, otherwise an empty text."""
    if not in_window:
        webbrowser.open(address)
        return ""
    browser = find_chromium()
    try:
        if browser is not None:
            quiet = subprocess.DEVNULL
            subprocess.Popen([browser, f"--app={address}"], stdin=quiet, stdout=quiet, stderr=quiet, close_fds=True)
            return ""
    except OSError as error:
        browser = f"{browser} ({error.strerror})"
    webbrowser.open(address)
    if browser is None:
        return "--window needs Chrome, Edge, Chromium, Brave or Vivaldi; the default browser is used instead."
    return f"--window: {browser} could not be started; the default browser is used instead."
