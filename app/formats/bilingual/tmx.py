"""TMX 1.1 to 1.4 as a document: units of a source and a target text; only targets are written.

The header states the source language; the target language is the first other one in the file. Inline elements are
shown as numbered placeholders (`app.formats.inline`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from xml.sax.saxutils import quoteattr

from app.errors import DocumentError
from app.formats.base import Edit, RawTags, Unit, UnitTranslation, WrittenFile, one_line, splice
from app.formats.code_pairs import sub_flows_note
from app.formats.inline import Shown, pieces_of, show
from app.formats.parsed_file import PairedFile
from app.formats.unit_notes import place_note
from app.formats.xml_text import Node, decode_xml, encode_xml, tree
from app.i18n import Message
from app.text.encoding import DecodedText, shortened_list

_PAIRED = ("hi",)
_PLACE_IN_FILE = {"prev", "next", "id", "path"}
_PLACE = ("file", "id", "path", "prev", "next")


@dataclass(frozen=True, slots=True)
class _Pair:
    """The variants of a unit; `target` is its segment in the target language, if any. `place`: see `own_place`."""

    variant: Node
    source: Node
    target: Node | None
    shown: Shown
    given: str | None
    place: str = ""


@dataclass(frozen=True)
class TmxFile(PairedFile):
    """A TMX file; a place is the content of a source."""

    decoded: DecodedText
    pairs: Sequence[_Pair] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    source_language: str
    target_language: str | None
    notes: tuple[str, ...] = ()

    @cached_property
    def languages(self) -> tuple[str, str]:
        """The languages of the variants shown."""
        return self.source_language, self.target_language or ""

    def tags(self, start: int, end: int) -> RawTags:
        """The tags of the source at a place; empty if the place does not exist."""
        return self._tags.get((start, end), {})

    @cached_property
    def _tags(self) -> dict[tuple[int, int], RawTags]:
        return {(pair.source.inner_start, pair.source.inner_end): pair.shown.tags for pair in self.pairs}

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these targets, in the file's target language or, if it has none, in `language`."""
        pairs = {(pair.source.inner_start, pair.source.inner_end): pair for pair in self.pairs}
        edits = (self._edit(pairs[new.start, new.end], new.text, language) for new in translations)
        return WrittenFile(encode_xml(splice(self.decoded.text, edits), self.decoded))

    def _edit(self, pair: _Pair, translation: str, language: str | None) -> Edit:
        if translation == pair.given:
            return pair.variant.end, pair.variant.end, ""
        raw = pair.shown.raw(one_line(translation))
        prefix = pair.source.name[: len(pair.source.name) - len(pair.source.local)]
        if pair.target is None:
            # "und" is the BCP 47 code for an undetermined language.
            tag = quoteattr(self.target_language or language or "und")
            at = pair.variant.end
            return at, at, f"<{prefix}tuv xml:lang={tag}><{prefix}seg>{raw}</{prefix}seg></{prefix}tuv>"
        if pair.target.is_empty_tag:
            return pair.target.start, pair.target.end, f"<{prefix}seg>{raw}</{prefix}seg>"
        return pair.target.inner_start, pair.target.inner_end, raw


def parse(data: bytes, name: str) -> TmxFile:
    """Parses a TMX file. Raises DocumentError with the line number if it is not valid."""
    decoded = decode_xml(data, name)
    root = tree(decoded.text)
    if root.local != "tmx":
        raise DocumentError(
            "{name} is not a TMX file (root element: <{root}>): choose another file", name=name, root=root.name
        )
    header = root.first("header")
    given = header.attributes.get("srclang", "") if header else ""
    units = [
        (
            own_place(unit),
            [
                (_language(variant), variant, segment)
                for variant in unit.nodes("tuv")
                if (segment := variant.first("seg"))
            ],
        )
        for unit in root.walk()
        if unit.local == "tu"
    ]
    languages = list(dict.fromkeys(language for _, unit in units for language, _, _ in unit))
    source = next((tag for tag in languages if _is_same(tag, given)), languages[0] if languages else "")
    target = next((tag for tag in languages if not _is_same(tag, source)), None)
    pairs = list(_pairs(units, source, target, decoded.text))
    # Units with a target count as confirmed.
    segments = [
        Unit(
            pair.source.inner_start,
            pair.source.inner_end,
            pair.shown.text,
            pair.given,
            pair.given is not None,
            place_note(pair.place) if pair.place else "",
            form=pair.place,
        )
        for pair in pairs
    ]
    notes = [*_notes(languages, len(units) - len(pairs), source, target), sub_flows_note(pair.source for pair in pairs)]
    return TmxFile(decoded, pairs, segments, source, target, tuple(filter(None, notes)))


def _notes(languages: Sequence[str], num_left_out: int, source: str, target: str | None) -> tuple[str, ...]:
    """Notes about texts of the file that are not offered."""
    others = [tag for tag in languages if not (_is_same(tag, source) or (target and _is_same(tag, target)))]
    notes = []
    if others:
        notes.append(Message("Not offered: texts in {languages}.", languages=shortened_list(others)))
    if num_left_out:
        notes.append(
            Message(
                "Not offered: units without a text in {language}, {count:,} in this file.",
                language=source,
                count=num_left_out,
            )
        )
    return tuple(notes)


def _pairs(
    units: Sequence[tuple[str, Sequence[tuple[str, Node, Node]]]], source: str, target: str | None, text: str
) -> Iterator[_Pair]:
    for place, unit in units:
        first = next(((variant, node) for tag, variant, node in unit if _is_same(tag, source)), None)
        if first is None:
            continue
        variant, node = first
        other = next((node for tag, _, node in unit if target and _is_same(tag, target)), None)
        shown = show(pieces_of(node, text, _PAIRED, keeps_lines=False))
        given = None
        if other is not None:
            inside = show(pieces_of(other, text, _PAIRED, keeps_lines=False), shown, hides=bool(shown.lead.strip()))
            shown.tags.update(inside.tags)
            given = inside.text or None
        if shown.text:
            yield _Pair(variant, node, other, shown, given, place)


def own_place(unit: Node) -> str:
    """The only place of a unit's text: its file, the texts before and after it, its key. Empty for a text of any place.

    OmegaT writes an alternative translation for one place so, beside the translation for all other places.
    """
    given = {prop.attributes.get("type", ""): " ".join(prop.content().split()) for prop in unit.nodes("prop")}
    found = [f"{name}: {given[name]}" for name in _PLACE if given.get(name)]
    return ", ".join(found) if "file" in given and given.keys() & _PLACE_IN_FILE else ""


def _language(variant: Node) -> str:
    return variant.attributes.get("xml:lang") or variant.attributes.get("lang") or ""


def _is_same(tag: str, other: str) -> bool:
    """True if two tags have the same language subtag: "en-US" and "en_GB"."""
    one, two = (text.replace("_", "-").partition("-")[0].lower() for text in (tag, other))
    return one == two
