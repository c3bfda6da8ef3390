"""The style of translations: form of address, domain, and whether the numbers of the source are required.

The translator chooses it for a document, and the choice stays when the model changes; a request only has values that
the model was trained with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol, get_args

from app.deferred import Deferred
from app.errors import Checked, CommandError
from app.i18n import Message
from app.text.quantities.requirements import RequiredQuantity, required_quantities
from engine import Formality, Request

if TYPE_CHECKING:
    from app.log.store import LogStore

FORMALITIES: Final[tuple[Formality, ...]] = get_args(Formality)


class Trained(Protocol):
    """A model with the styles it was trained with: a `ModelHandle`, a `ModelEntry`, a `Translator`."""

    @property
    def name(self) -> str: ...

    @property
    def formalities(self) -> Mapping[str, Sequence[str]]: ...

    @property
    def domains(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Style(Checked):
    """A form of address and a domain; None leaves the choice to the model.

    With `requires_numbers`, translations have the numbers, dates and times of the source in their language's format.
    """

    formality: Formality | None = None
    domain: str | None = None
    requires_numbers: bool = True

    def known_to(self, model: Trained, direction: str) -> Style:
        """The part of this style that the model supports."""
        return Style(
            self.formality if self.formality in formalities_of(model, direction) else None,
            self.domain if self.domain in model.domains else None,
            self.requires_numbers,
        )

    def check(self, model: Trained, direction: str) -> None:
        """Raises CommandError if the model does not support the whole style."""
        formalities: Sequence[str] = formalities_of(model, direction)
        parts = (("formality", self.formality, formalities), ("domain", self.domain, model.domains))
        for kind, value, offered in parts:
            if value is not None and value not in offered:
                raise CommandError(
                    "{name} does not support the {kind} {value!r} for {direction} (supported: {known}): leave it "
                    "out, or choose a model that was trained with it.",
                    name=model.name,
                    kind=kind,
                    value=value,
                    direction=direction,
                    known=", ".join(offered) or Message("none"),
                )

    def besides(self, other: Style) -> Style:
        """The form of address and domain that differ from the other's, and whether this style requires the numbers."""
        return Style(
            None if self.formality == other.formality else self.formality,
            None if self.domain == other.domain else self.domain,
            self.requires_numbers,
        )

    def numbers_in(self, source: str, direction: str) -> Sequence[RequiredQuantity]:
        """The numbers, dates and times of a source that its translation must have, read when they are needed."""
        return Deferred(required_quantities, source, *direction.split("-", 1)) if self.requires_numbers else ()

    def applied_to(self, request: Request) -> Request:
        """The same request, in this style."""
        return replace(request, formality=self.formality, domain=self.domain)


def formalities_of(model: Trained, direction: str) -> list[Formality]:
    """The forms of address that a model supports in this direction."""
    offered = model.formalities.get(direction, ())
    return [formality for formality in FORMALITIES if formality in offered]


def is_default_style(store: LogStore, session_id: int) -> bool:
    """True if a session still has the style with which new documents of its project begin."""
    event = store.last_event(session_id, "style")
    return event is None or event.payload.get("is_default") is True


def chosen_style(store: LogStore, session_id: int) -> Style:
    """The style that was chosen last in a session."""
    event = store.last_event(session_id, "style")
    if event is None:
        return Style()
    domain = event.payload.get("domain")
    named = {str(formality): formality for formality in FORMALITIES}
    return Style(
        named.get(str(event.payload.get("formality"))),
        domain if isinstance(domain, str) else None,
        event.payload.get("requires_numbers", True) is not False,
    )
