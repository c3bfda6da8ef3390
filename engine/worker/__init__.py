"""The thread that owns the model: its queue, its tasks, and figures of its load."""

from engine.worker.worker import Worker
from engine.worker.worker_statistics import WorkerStatistics

__all__ = ["Worker", "WorkerStatistics"]
