"""The page and person that wrote each text last, so that another page cannot replace a text it has not seen."""

from __future__ import annotations

from app.access.actor import Actor
from app.errors import CommandError
from app.i18n import Message
from app.segments.state import SegmentState


class OvertakenError(CommandError):
    """Another page has changed the edited text in the meantime; the person has to choose between both texts."""

    kind = "overtaken"


class Writers:
    """The page that wrote each segment last, and the pages whose newer text was refused."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[str, str]] = {}  # by segment: the page, and the name of the person
        self._refused: set[tuple[int, str]] = set()

    def check_edit(
        self, actor: Actor, segment: SegmentState, client: str, text: str | None, before: str | None
    ) -> None:
        """Raises OvertakenError if the text that was edited (`before`) is not the newest and another page wrote that.

        Without `before` the person has chosen the whole text, and it is not refused.
        """
        if before is None or before == segment.target or not self._is_overtaken(segment, client, text):
            return
        self._refused.add((segment.index, client))
        raise self._error(actor, segment)

    def check_confirmation(self, actor: Actor, segment: SegmentState, client: str, text: str) -> None:
        """Raises OvertakenError if an edit of the page was refused and the person has not chosen since."""
        if (segment.index, client) in self._refused and self._is_overtaken(segment, client, text):
            raise self._error(actor, segment)

    def wrote(self, actor: Actor, index: int, client: str) -> None:
        """Notes that the page has written the text of the segment."""
        self._last[index] = client, actor.name
        self._refused.discard((index, client))

    def _is_overtaken(self, segment: SegmentState, client: str, text: str | None) -> bool:
        last, _ = self._last.get(segment.index, ("", ""))
        return bool(last and client and last != client) and segment.target not in (None, text)

    def _error(self, actor: Actor, segment: SegmentState) -> OvertakenError:
        _, person = self._last.get(segment.index, ("", ""))
        if person not in ("", actor.name):
            return OvertakenError(
                Message(
                    "{name} has changed the segment in the meantime: “{text}”",
                    name=person,
                    text=segment.target or "",
                )
            )
        return OvertakenError(
            Message(
                "The segment was changed in another window in the meantime: “{text}”",
                text=segment.target or "",
            )
        )
