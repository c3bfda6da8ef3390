"""Effort as actions and as seconds, by the keystroke-level model. The app's rule for completions has three constants.

Card, Moran and Newell 1980, "The keystroke-level model for user performance time with interactive systems",
Communications of the ACM 23(7): K 0.2 s for an average typist, P 1.1 s, H 0.4 s. M is 1.35 s there, here 1.2 s as in
later guides to the model. Reading a word again at 0.25 s is 240 words a minute, the usual rate of silent reading.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from app.segments.completion import DECIDE_S, KEY_S, READ_S

POINT_S = 1.1  # to point and click, or to point and select
HAND_S = 0.4  # from the keys to the mouse, or back


@dataclass(frozen=True, slots=True)
class Effort:
    """What a person did; efforts add up. `waiting_s` is the measured time of the engine's answers."""

    clicks: int = 0
    selections: int = 0
    keys: int = 0
    hand_moves: int = 0
    decisions: int = 0
    words_read: int = 0
    waiting_s: float = 0.0

    def __add__(self, other: Effort) -> Effort:
        return Effort(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    @property
    def actions(self) -> int:
        return self.clicks + self.selections + self.keys

    @property
    def seconds(self) -> float:
        return (
            POINT_S * (self.clicks + self.selections)
            + KEY_S * self.keys
            + HAND_S * self.hand_moves
            + DECIDE_S * self.decisions
            + READ_S * self.words_read
            + self.waiting_s
        )
