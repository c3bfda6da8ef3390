"""What can go wrong with a person's files and commands, as one tree.

    AppError
    ├── DocumentError      a document that cannot be opened or written
    ├── GlossaryError      a glossary that cannot be used at all
    ├── LogError           a log that cannot be read or written
    └── CommandError       a command of the page that cannot be carried out

Each message is meant for the person at the screen: it names the file or row and the cure. It is plain text, never HTML.
"""


class AppError(Exception):
    """The root: catch this to catch whatever the app raises on purpose."""


class DocumentError(AppError):
    """A document cannot be opened or written; the message names the file and the cure."""


class GlossaryError(AppError):
    """A glossary cannot be used; the message names the row or file and the cure."""


class LogError(AppError):
    """The log cannot be read or written; the message names the file and the cure."""


class CommandError(AppError):
    """A command that cannot be carried out; the message is for the person."""
