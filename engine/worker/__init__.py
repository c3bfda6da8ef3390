"""The engine that runs in this process: the thread that owns the model, its queue and its tasks."""

from engine.worker.worker import Worker

__all__ = ["Worker"]
