"""Runs the tests of this folder with a build of the compiled core that checks its memory and its arithmetic.

    python -m tests.compiled.sanitized

An error of the memory (ASan) or of the arithmetic (UBSan) ends the process and is printed. Exit status 0: none. A race
between threads (TSan) is looked for in a program without Python (threads.cpp), whose own threads would be checked, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from engine.compiled.build import build, compile_with, compiler
from tests.compiled.conftest import SANITIZED

TESTS = (
    "test_products.py",
    "test_compiled_model.py",
    "test_compiled_decoder.py",
    "test_alignment.py",
    "test_compiled_search.py",
    "test_firefox.py",
)


def found_races() -> int:
    """The exit status of a program whose threads use one model; not 0 after a race or another result."""
    with tempfile.TemporaryDirectory() as folder:
        program = compile_with(build("threads", Path(folder)), Path(__file__).with_name("threads.cpp"), "threads")
        return subprocess.run([program], check=False).returncode


def failed_tests() -> int:
    """The exit status of pytest; not 0 if a test failed or a check ended the process."""
    command = compiler()
    assert command is not None, "the sanitizers need a C++ compiler"
    # Python has neither library, and ASan has to be loaded first; without the second one, it cannot follow exceptions.
    preloaded = [
        subprocess.run(
            [*command, f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("libasan.so", "libstdc++.so")
    ]
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            SANITIZED: str(build("sanitize", Path(folder))),
            "LD_PRELOAD": " ".join(preloaded),
            "ASAN_OPTIONS": "detect_leaks=0",  # Python leaves much behind at its end
        }
        paths = [str(Path(__file__).with_name(name)) for name in TESTS]
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *paths], env=environment, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(found_races() or failed_tests())
