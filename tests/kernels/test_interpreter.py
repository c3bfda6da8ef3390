"""The kernels on a machine without a GPU: run by Triton's interpreter, and compiled for GPUs that are not there."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.budget import is_full

KERNEL_TESTS = [Path(__file__).with_name(name) for name in ("test_output_layer_triton.py", "test_search_paths.py")]
ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("triton") is None,
        reason="triton is not installed; requirements-dev.txt has it for Linux on x86-64",
    ),
    pytest.mark.skipif("TRITON_INTERPRET" in os.environ, reason="the interpreter is chosen for the whole run"),
]


def test_kernels_pass_their_tests_in_the_interpreter() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, KERNEL_TESTS)]
    command += ["--full"] * is_full()
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TRITON_INTERPRET": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_kernels_compile_for_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    from tests.kernels.compile_kernels import compile_kernels

    compile_kernels(80, 10, is_bare=False)
    compile_kernels(80, 1, is_bare=True)
    assert len(list(tmp_path.rglob("*.cubin"))) == 4, "two kernels, each for two sets of inputs"
