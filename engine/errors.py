"""The exceptions that the engine raises, as one tree.

    EngineError
    ├── InvalidRequest     a request or an option with a wrong value
    ├── ModelError         a model folder that is missing, broken or of an unknown kind
    └── TrainingError      a corpus or a training run that cannot continue

An unmet phrase is not an error: it is data, reported in `Translation.reasons`.
"""


class EngineError(Exception):
    """The base class of every error that the engine raises on purpose."""


class InvalidRequest(EngineError, ValueError):
    """A request or an option is wrong; the message names the field, its value and how to fix it."""


class ModelError(EngineError):
    """A model cannot be loaded; the message names the file and how to fix it."""


class TrainingError(EngineError):
    """Training cannot start or continue; the message names the file or setting and how to fix it."""

    @classmethod
    def missing(cls, package: str, purpose: str) -> "TrainingError":
        """The error for a package of requirements-train.txt that is not installed."""
        return cls(
            f"{purpose} needs {package}, which is not installed; install the requirements of training: "
            "pip install 'pinpoint[train]', or pip install -r requirements-train.txt in a copy of the repository"
        )
