"""Who acts: a person, the owner of the installation, or Pinpoint itself.

There is no default and no ambient actor. The actor is made where a request or a command enters (the server of the page,
the HTTP API, the command line) and passed on as an argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from app.errors import CommandError, check_fields

MAX_NAME: Final = 100  # characters of a person's name


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts. The log names a person by `name`; it names neither the owner nor Pinpoint, whose `name` is empty."""

    kind: Literal["person", "owner", "system"]
    name: str

    def __post_init__(self) -> None:
        check_fields(self)
        if (self.kind == "person") != bool(self.name):
            raise ValueError(f"a person has a name, the owner and Pinpoint have none: {self.kind} {self.name!r}")

    @classmethod
    def person(cls, name: str) -> Actor:
        """The person with this name, who signed in or has a key."""
        return cls("person", name)

    @classmethod
    def signed_in(cls, name: str) -> Actor:
        """Who signed in under this name; the access token of the installation has the name "" and is the owner's."""
        return cls.person(name) if name else OWNER


# Who started the app, or has its access token, or runs its command line: may do everything.
OWNER: Final = Actor("owner", "")

# Background work of the app that nobody asked for, such as storing answers of the model: may do everything.
SYSTEM: Final = Actor("system", "")


def check_actor(actor: object) -> None:
    """Raises TypeError unless this is an actor: work without one is a programming error."""
    if not isinstance(actor, Actor):
        raise TypeError(f"this work needs an actor, not {actor!r}")


def is_name(text: str) -> bool:
    """True if a person can have this name."""
    return text.isprintable() and 0 < len(text) <= MAX_NAME


def checked_name(name: str) -> str:
    """A person's name without spaces around it. Raises CommandError for an impossible one."""
    name = name.strip()
    if not is_name(name):
        raise CommandError("{name!r} is not a valid name: give 1 to {count} characters", name=name, count=MAX_NAME)
    return name
