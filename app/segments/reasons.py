"""Why the engine could not do what was asked, told to a person in words that can be translated.

The engine says it in English sentences for programmers; here its kinds of reasons get messages of the page, which
name the cure that the page has. What the engine said is kept in the log.
"""

from __future__ import annotations

from app.i18n import Message
from engine import Reason


def reason_message(reason: Reason, text: str = "") -> Message:
    """The reason as a message; `text` is that of the phrase which it is about, if it is about one."""
    return (_of_phrase(reason, text) if text else None) or _of_segment(reason)


def _of_phrase(reason: Reason, text: str) -> Message | None:
    return {
        "avoided": Message(
            "“{text}” is required and banned at once: allow it again, or do not require it here.", text=text
        ),
        "too_often": Message(
            "“{text}” would stand more often than it may: change your text, or release something.", text=text
        ),
        "unspellable": Message(
            "The model cannot write “{text}” exactly so: pin another spelling, or release it.", text=text
        ),
        "not_placed": Message(
            "The model found no place for “{text}”: pin another form, or release something.", text=text
        ),
    }.get(reason.kind)


def _of_segment(reason: Reason) -> Message:
    said = {
        "unspellable": Message("The model cannot write exactly what is kept of your text: change it, or let it go."),
        "avoided": Message("Something is required and banned at once: allow it again, or do not require it here."),
        "too_often": Message("Something would stand more often than it may: change your text, or release something."),
        "too_long": Message("More is required here than the model can write: release something."),
        "source_too_long": Message("The source is too long for the model: split the segment."),
        "not_placed": Message("What is kept of your text found no place in its order: let some of it go."),
        "deadline": Message("The time was up before the search had ended; these are the best translations so far."),
        "cancelled": Message("The translation was cancelled; ask again."),
        "not_a_number": Message(
            "The model gave scores that are no numbers; its files may be damaged: use another model."
        ),
    }.get(reason.kind)
    return said or Message("This segment could not be translated: {why}", why=reason.message)
