"""Engines in other processes and on other machines: a client, what it sends, and replicas under Ray Serve."""

from engine.remote.ray_serve import ServedModels, serve_model
from engine.remote.remote_engine import RemoteEngine

__all__ = ["RemoteEngine", "ServedModels", "serve_model"]
