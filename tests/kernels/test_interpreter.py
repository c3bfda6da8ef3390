"""The kernels on a machine without a GPU: run by Triton's interpreter, and compiled for GPUs that are not there."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL_TESTS = [Path(__file__).with_name(name) for name in ("test_output_layer_triton.py", "test_search_paths.py")]
ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("triton") is None,
        reason="triton is not installed; requirements-dev.txt has it for Linux on x86-64",
    ),
    pytest.mark.skipif("TRITON_INTERPRET" in os.environ, reason="the interpreter is chosen for the whole run"),
]


def run(*arguments: str, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_kernels_pass_their_tests_in_the_interpreter() -> None:
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, KERNEL_TESTS), TRITON_INTERPRET="1")


def test_kernels_compile_for_a_gpu(tmp_path: Path) -> None:
    run("-m", "tests.kernels.compile_kernels", "80", TRITON_CACHE_DIR=str(tmp_path))
