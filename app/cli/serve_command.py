"""The command `serve`: several processes or machines translate with a model, under Ray Serve."""

from __future__ import annotations

import argparse

from app.settings import program_name
from engine import serve_model


def serve(flags: argparse.Namespace) -> int:
    """Starts the replicas of a model, or changes their number; returns 0."""
    name = serve_model(
        flags.model,
        replicas=flags.replicas,
        most_replicas=flags.most_replicas,
        device=flags.device,
        threads=flags.threads,
        gpus=flags.gpus,
        is_compiled=not flags.no_core,
    )
    print(f"{name} is ready: `{program_name()} --engine ray` uses it.")
    return 0
