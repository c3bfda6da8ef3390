"""A text file with spans to translate: common code of plain text, Markdown and subtitles."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter

from app.formats.base import Edit, RawTags, Unit, UnitTranslation, WrittenFile, encode, one_line, splice
from app.formats.blocks import Block
from app.formats.parsed_file import TextFile
from app.text.encoding import DecodedText


@dataclass(frozen=True)
class ProseFile(TextFile):
    """A decoded file; a place is a span of its text.

    `joints` are line ends inside units, with the white space and marks around them; they are read as one space.
    `show` converts a line of the file to the source shown to the user, `find_tags` finds its tags, `mark_up` converts
    its translation back, and `lay_out` converts the result to the text that replaces the span from start to end.
    """

    decoded: DecodedText
    units: Sequence[Unit] = field(repr=False)
    joints: Sequence[tuple[int, int]] = field(default=(), repr=False)
    show: Callable[[str], str] = str
    find_tags: Callable[[str], RawTags] = lambda line: {}
    mark_up: Callable[[str, str], str] = lambda line, translation: translation
    lay_out: Callable[[str, int, int, str], str] = lambda text, start, end, translation: one_line(translation)
    blocks: Sequence[Block] = field(default=(), repr=False)
    remarks: Sequence[str | None] = ()
    read_texts: Sequence[tuple[str, str]] = field(default=(), repr=False)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """The note about a guessed encoding, and the remarks of the format, if any."""
        return tuple(filter(None, (self.decoded.note, *self.remarks)))

    def source(self, start: int, end: int) -> str:
        """The text from start to end as one line, as shown to the user."""
        return self.show(self._line(start, end))

    def tags(self, start: int, end: int) -> RawTags:
        """The tags of the source at a place."""
        return self.find_tags(self._line(start, end))

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with the spans replaced, in its own encoding if that supports all characters."""
        return encode(splice(self.decoded.text, self._edits(translations, language)), self.encoding, self.mark)

    def _edits(self, translations: Sequence[UnitTranslation], language: str | None) -> list[Edit]:
        return self._edits_around((), translations)

    def _edits_around(self, inner: Sequence[Edit], translations: Sequence[UnitTranslation]) -> list[Edit]:
        """Edits (ascending), which may be inside of translated spans, and the edits for translations."""
        edits: list[Edit] = []
        left = 0
        for t in translations:
            first = bisect_left(inner, t.start, left, key=itemgetter(0))
            last = bisect_left(inner, t.end, first, key=itemgetter(0))
            marked_up = self.mark_up(self._line(t.start, t.end, inner[first:last]), t.text)
            edits += inner[left:first]
            edits.append((t.start, t.end, self.lay_out(self.decoded.text, t.start, t.end, marked_up)))
            left = last
        return edits + list(inner[left:])

    def _line(self, start: int, end: int, inner: Sequence[Edit] = ()) -> str:
        first = bisect_left(self.joints, (start, start))
        joints = self.joints[first : bisect_left(self.joints, (end, end))]
        spans = [edge for first, last, _ in inner for edge in (first, last)]
        within = [(s, e, " ") for s, e in joints if bisect_right(spans, s) % 2 == 0]  # not inside of an edit
        return splice(self.decoded.text[start:end], [(s - start, e - start, new) for s, e, new in (*within, *inner)])


def blanked(text: str, start: int, end: int, joints: Sequence[tuple[int, int]]) -> str:
    """`text[start:end]` with its joints replaced by spaces of the same length, for sentence splitting."""
    return splice(text[start:end], [(s - start, e - start, " " * (e - s)) for s, e in joints])
