"""Other places of a pin in a text: the question to the engine, and its answer for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import takewhile

from app.errors import CommandError
from app.segments.clean_texts import clean_target, one_line
from app.segments.state import Json, SegmentState
from app.tags.protect import Protection
from engine import Hypothesis, PlacesQuestion, Request

MAX_PLACES = 8


@dataclass(frozen=True, slots=True)
class PinQuestion:
    """A question for places of `pin`: in `text` without the occurrence that moves, or for one more in all of `text`."""

    segment: SegmentState
    pin: str
    text: str
    protection: Protection


def question_for(
    segment: SegmentState, request_of: Callable[[SegmentState], Request], pin: str, text: str, moved: int | None
) -> PinQuestion:
    """The question about a pin in a text of the segment; `moved` is where the occurrence begins that moves.

    Raises CommandError if the pin is blank, too long or not there.
    """
    pin, text = one_line(pin).strip(), clean_target(text)
    rest = text
    if not pin or (moved is not None and (moved < 0 or not text.startswith(pin, moved))):
        raise CommandError("The text has changed: try again.")
    if moved is not None:
        before, behind = text[:moved], text[moved + len(pin) :]
        rest = before + (behind.lstrip(" ") if not before or before.endswith(" ") else behind)
    others = [other for other in segment.constraints.pins if other != pin]
    constraints = replace(segment.constraints, pins=(pin, *others), prefix="", follow=rest)
    asked = replace(segment, constraints=constraints.cleaned())
    return PinQuestion(segment, pin, text, Protection.of(request_of(asked), asked.placeholders))


def to_engine(question: PinQuestion) -> PlacesQuestion | None:
    """The question without tags; None if the text has no words, or the pin is a tag."""
    protection = question.protection
    number = protection.phrase_number(0)
    if protection.copy is not None or number is None or protection.request.follow is None:
        return None
    return PlacesQuestion(protection.request, number, MAX_PLACES)


def places_view(question: PinQuestion, found: Iterable[Hypothesis]) -> Json:
    """The texts with the pin at other places, best first: the whole text, and where the new occurrence is in it."""
    rows: list[Json] = []
    follow = question.protection.original.follow
    rest = follow.text if follow else ""
    for hypothesis in map(question.protection.restore_hypothesis, found):
        num_common = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(rest, hypothesis.text, strict=False))
        )
        places = [(each.start, each.end) for each in hypothesis.placements if each.phrase == 0]
        if hypothesis.text == question.text or not places:
            continue  # the place that it is moved from
        start, end = max((place for place in places if place[0] <= num_common), default=places[0])
        rows.append({"text": hypothesis.text, "start": start, "end": end})
    return {"pin": question.pin, "rows": rows}
