"""How translations speak: in which form of address, in the manner of which domain.

A person chooses it for a document, and the choice stays when another model translates; a model is asked only for what
it was trained with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol, get_args

from app.errors import CommandError
from app.i18n import Message
from engine import Formality, Request

if TYPE_CHECKING:
    from app.log.store import LogStore

FORMALITIES: Final[tuple[Formality, ...]] = get_args(Formality)


class Trained(Protocol):
    """What a model can be asked for: a `ModelHandle`, a `ModelEntry`, a `Translator`."""

    @property
    def name(self) -> str: ...

    @property
    def formalities(self) -> Mapping[str, Sequence[str]]: ...

    @property
    def domains(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Style:
    """What is chosen; None leaves it to the model."""

    formality: Formality | None = None
    domain: str | None = None

    def known_to(self, model: Trained, direction: str) -> Style:
        """What of it that model was trained with."""
        return Style(
            self.formality if self.formality in formalities_of(model, direction) else None,
            self.domain if self.domain in model.domains else None,
        )

    def check(self, model: Trained, direction: str) -> None:
        """Raises CommandError where that model was not trained with all of it."""
        formalities: Sequence[str] = formalities_of(model, direction)
        wanted = (("formality", self.formality, formalities), ("domain", self.domain, model.domains))
        for kind, value, offered in wanted:
            if value is not None and value not in offered:
                raise CommandError(
                    Message(
                        "{name} cannot be asked for {kind} {value!r} in {direction} (it knows {known}): leave it out, "
                        "or take a model that was trained with it.",
                        name=model.name,
                        kind=kind,
                        value=value,
                        direction=direction,
                        known=", ".join(offered) or Message("none"),
                    )
                )

    def besides(self, other: Style) -> Style:
        """What of it is not that of the other."""
        return Style(
            None if self.formality == other.formality else self.formality,
            None if self.domain == other.domain else self.domain,
        )

    def applied_to(self, request: Request) -> Request:
        """The same request, in this style."""
        return replace(request, formality=self.formality, domain=self.domain)


def formalities_of(model: Trained, direction: str) -> list[Formality]:
    """Which forms of address a model can be asked for in that direction."""
    offered = model.formalities.get(direction, ())
    return [formality for formality in FORMALITIES if formality in offered]


def chosen_style(store: LogStore, session_id: int) -> Style:
    """The style that a session's person chose last."""
    event = store.last_event(session_id, "style")
    if event is None:
        return Style()
    domain = event.payload.get("domain")
    named = {str(formality): formality for formality in FORMALITIES}
    return Style(named.get(str(event.payload.get("formality"))), domain if isinstance(domain, str) else None)
