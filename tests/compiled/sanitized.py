"""Runs the tests of this folder with a build of the compiled core that checks its memory and its arithmetic.

    python -m tests.compiled.sanitized

An error of the memory (ASan) or of the arithmetic (UBSan) ends the process and is printed. Exit status 0: none.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from engine.compiled.build import build, compiler
from tests.compiled.conftest import SANITIZED

TESTS = (
    "test_products.py",
    "test_compiled_model.py",
    "test_compiled_decoder.py",
    "test_alignment.py",
    "test_compiled_search.py",
)


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
    sys.exit(failed_tests())
