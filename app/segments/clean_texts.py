"""Texts that people send, made safe to store and write: on one line, without control characters, within limits."""

from __future__ import annotations

import re

from app.errors import CommandError

MAX_TARGET_CHARACTERS = 100_000
MAX_COMMENT_CHARACTERS = 2000
_LINE_BREAKS = re.compile(r"\r\n|[\r\n\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def one_line(text: str) -> str:
    """Makes a text safe to store and write: line breaks become spaces, control characters are removed.

    A lone surrogate becomes U+FFFD, so that no text is lost silently; the page shows a notice.
    """
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", _LINE_BREAKS.sub(" ", text)))


def clean_target(text: str) -> str:
    """A translation cleaned by `one_line`. Raises CommandError if it is too long."""
    if len(text) > MAX_TARGET_CHARACTERS:
        raise CommandError(
            "The text is too long ({count:,} characters, limit {limit:,}).",
            count=len(text),
            limit=MAX_TARGET_CHARACTERS,
        )
    return one_line(text)


def clean_comment(text: str) -> str:
    """A comment without control characters, its lines as they are; raises CommandError if it is too long."""
    if len(text) > MAX_COMMENT_CHARACTERS:
        raise CommandError(
            "The comment has {count:,} characters; it may have up to {limit:,}.",
            count=len(text),
            limit=MAX_COMMENT_CHARACTERS,
        )
    return "\n".join(one_line(line).rstrip() for line in text.splitlines()).strip()
