"""The exceptions that the engine raises, as one tree.

    EngineError
    ├── InvalidRequest     a request or an option that cannot be meant as it stands
    ├── ModelError         a model folder that is missing, broken or of an unknown kind
    └── TrainingError      a corpus or a training run that cannot go on

A phrase that was not met is not an error: it is data, reported in `Translation.reasons`.
"""


class EngineError(Exception):
    """The root: catch this to catch whatever the engine raises on purpose."""


class InvalidRequest(EngineError, ValueError):
    """A request or an option is wrong; the message names the field, its value and the cure."""


class ModelError(EngineError):
    """A model cannot be loaded; the message names the file and the cure."""


class TrainingError(EngineError):
    """Training cannot start or go on; the message names the file or setting and the cure."""
