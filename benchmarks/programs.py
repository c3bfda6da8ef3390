"""What the benchmarks that run in one process have in common: threads, errors and the exit status."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import torch

from engine import EngineError


def run_program(name: str, options: argparse.Namespace, run: Callable[[argparse.Namespace], None]) -> int:
    """Runs a benchmark and returns its exit status. `options.threads` of 0 or None leaves the choice to PyTorch."""
    if options.threads:
        torch.set_num_threads(options.threads)
    try:
        run(options)
    except (EngineError, OSError, UnicodeDecodeError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    return 0
