"""The style of one document's translations: form of address, domain and numbers, as chosen by the translator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from app.access.actor import Actor
from app.i18n import Message
from app.models.style import Style, chosen_style, formalities_of, is_default_style
from app.segments.state import Json, SegmentState
from app.text.quantities.requirements import RequiredQuantity
from app.workspace.core import UnitOfWork, WorkspaceCore
from app.workspace.examples import examples_for
from engine import Request


class StyleChoice:
    """The style chosen for one document, kept in its log. It stays when another model translates."""

    def __init__(self, core: WorkspaceCore) -> None:
        self._core = core
        self.chosen = chosen_style(core.store, core.session_id)

    @property
    def asked(self) -> Style:
        """The part of the choice that the current model supports."""
        return self.chosen.known_to(self._core.model, self._core.direction)

    def request(self, segment: SegmentState) -> Request:
        """The request to the engine for a segment with its current constraints.

        A model that reads examples gets the most similar confirmed segments of the document.
        """
        request = self.asked.applied_to(segment.request(self._core.direction))
        engine = self._core.model.engine
        if engine is None or not engine.facts.reads_examples:
            return request
        return replace(request, examples=examples_for(segment.index, self._core.segments))

    def numbers_in(self, source: str) -> Sequence[RequiredQuantity]:
        """The numbers of a source that its translation must have."""
        return self.chosen.numbers_in(source, self._core.direction)

    def choose(
        self,
        actor: Actor,
        style: Style,
        on_change: Callable[[], None],
        also: Callable[[UnitOfWork], None] | None = None,
    ) -> None:
        """Keeps the choice, and calls `on_change` if requests to the model change. `also` adds to the command.

        Raises CommandError if the model does not support a newly chosen value.
        """
        core = self._core
        with core.command(actor) as work:
            style.besides(self.chosen).check(core.model, core.direction)
            if also is not None:
                also(work)
            if style == self.chosen:
                return
            before = self.asked
            work.log("style", asdict(style))
            work.then(lambda: self._chosen(style, before, on_change))

    def report_model(self) -> None:
        """Reports that the current model does not support the style that a person chose for the document."""
        core = self._core
        if self.asked != self.chosen and not is_default_style(core.store, core.session_id):
            core.report(
                Message(
                    "{name} does not support the form of address or the domain chosen for this document, and ignores "
                    "it. Your choice is kept for models that support it.",
                    name=core.model.name,
                )
            )

    def view(self) -> Json:
        """The choice and the possible choices, for the page."""
        model = self._core.model
        return {
            **asdict(self.chosen),
            "formalities": formalities_of(model, self._core.direction),
            "domains": list(model.domains),
        }

    def _chosen(self, style: Style, before: Style, on_change: Callable[[], None]) -> None:
        self.chosen = style
        if self.asked != before:
            on_change()
        self._core.touch()
