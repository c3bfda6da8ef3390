"""A text file with stretches to translate: what plain text, Markdown and subtitles have in common."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.formats.base import TextFile, Unit, UnitTranslation, WrittenFile, encode, one_line, splice
from app.text.encoding import DecodedText


@dataclass(frozen=True)
class ProseFile(TextFile):
    """A decoded file; a place is a stretch of its text.

    `joints` are line breaks inside units, with the white space and marks around them: they read as one space.
    `show` tells what is shown of a stretch, as one line, and `mark_up` makes a translation of that line the file's own
    again; `lay_out` makes the result the text that replaces the stretch from start to end.
    """

    decoded: DecodedText
    units: Sequence[Unit] = field(repr=False)
    joints: Sequence[tuple[int, int]] = field(default=(), repr=False)
    show: Callable[[str], str] = str
    mark_up: Callable[[str, str], str] = lambda line, translation: translation
    lay_out: Callable[[str, int, int, str], str] = lambda text, start, end, translation: one_line(translation)
    is_paired: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be guessed."""
        return (self.decoded.note,) if self.decoded.note else ()

    def source(self, start: int, end: int) -> str:
        """The text from start to end, as one line, as it is shown."""
        return self.show(self._line(start, end))

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with the stretches replaced, in its own encoding where that can hold them."""
        text = self.decoded.text
        edits = []
        for t in translations:
            marked_up = self.mark_up(self._line(t.start, t.end), t.text)
            edits.append((t.start, t.end, self.lay_out(text, t.start, t.end, marked_up)))
        return encode(splice(text, edits), self.encoding, self.mark)

    def _line(self, start: int, end: int) -> str:
        first = bisect_left(self.joints, (start, start))
        within = [(s - start, e - start, " ") for s, e in self.joints[first : bisect_left(self.joints, (end, end))]]
        return splice(self.decoded.text[start:end], within)


def blanked(text: str, start: int, end: int, joints: Sequence[tuple[int, int]]) -> str:
    """`text[start:end]` with spaces for its joints, as long as it was: what sentences are found in."""
    return splice(text[start:end], [(s - start, e - start, " " * (e - s)) for s, e in joints])
