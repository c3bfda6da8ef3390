"""XLIFF 1.2 and 2.x: only targets, their states and translator notes are written.

A segment is a trans-unit or a `<mrk mtype="seg">` of 1.2, or a segment of 2.x. Inline elements are shown as numbered
placeholders (`app.formats.inline`). Units with translate="no" and segments locked by a tool are shown,
as locked, only if a person asks for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from app.errors import DocumentError
from app.formats.base import Comment, Edit, RawTags, ReviewState, Unit, UnitTranslation, WrittenFile, one_line, splice
from app.formats.bilingual.xliff_gettext import (
    is_gettext,
    is_of_qt,
    plural_group,
    uses_approval,
)
from app.formats.bilingual.xliff_limits import num_unchecked, stated_limit
from app.formats.bilingual.xliff_notes import file_notes, form_of, note_of
from app.formats.bilingual.xliff_segments import (
    RETURNED_1,
    RETURNED_2,
    Entry,
    EntryPart,
    by_carrier,
    entries_1,
    entries_2,
    is_of_former_text,
    joint_review,
)
from app.formats.bilingual.xliff_tools import metadata_of_text
from app.formats.parsed_file import PairedFile
from app.formats.xml_text import Node, decode_xml, encode_xml, escape, tree, with_attribute
from app.i18n import Message
from app.text.encoding import DecodedText, shortened_list
from app.text.language_names import language_of
from app.text.text_limits import TextLimits

MAX_UNITS: Final = 60_000  # before those that are not translated are left out; a tree of them takes seconds
EXTRAS: Final[Mapping[str, Message]] = {"locked": Message("locked segments")}  # that can be chosen, with their names
_UNIT = re.compile(r"<(?:[\w.-]+:)?(?:trans-unit|segment)[\s/>]")
_NAMESPACE = "urn:oasis:names:tc:xliff:document:"
_STATES_1: Mapping[ReviewState, str] = {"approved": "signed-off", "returned": "needs-translation"}
_STATES_2: Mapping[ReviewState, str] = {"approved": "reviewed", "returned": "initial"}


@dataclass(frozen=True)
class XliffFile(PairedFile):
    """An XLIFF file; a place is the content of a source.

    `languages` are declared by the root (2.x) or by the `file` elements (1.x) whose texts are offered; `left_out` are
    the texts in other languages. `extras` is ("locked",) if the file has locked segments, shown or not.
    """

    decoded: DecodedText
    root: Node = field(repr=False)
    entries: Sequence[Entry] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    languages: tuple[str, str] = ("", "")
    left_out: Sequence[Unit] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()
    extras: Sequence[str] = ()
    has_locked: bool = False  # True if locked segments are among the units
    new_locks: Mapping[tuple[int, int], bool] = field(default_factory=dict, repr=False)  # to be written

    @property
    def is_version_2(self) -> bool:
        """True if this is XLIFF 2.x rather than 1.x."""
        return _version(self.root).startswith("2")

    @cached_property
    def _sources(self) -> dict[tuple[int, int], str]:
        return {(unit.start, unit.end): unit.source for unit in self._all_units}

    @property
    def _all_units(self) -> Sequence[Unit]:
        """The units in all languages: a document may have been opened in others than the file is read in again."""
        return [*self.units, *self.left_out]

    def with_targets_in(self, language: str) -> XliffFile:
        """The texts of the `file` elements with this target language; the file as it is if there are none."""
        others = [languages for languages in _pairs(self.entries) if language_of(languages[1]) == language]
        if not others or language_of(self.languages[1]) == language:
            return self
        return _read(self.decoded, self.root, others[0], with_locked=self.has_locked)

    def tags(self, start: int, end: int) -> RawTags:
        """The tags of the source at a place; empty if the place does not exist."""
        return self._tags.get((start, end), {})

    @cached_property
    def _tags(self) -> dict[tuple[int, int], RawTags]:
        parts = (part for entry in self.entries for part in entry.parts)
        return {(part.source.inner_start, part.source.inner_end): part.shown.tags for part in parts}

    def matches(self) -> Iterator[tuple[str, str, str]]:
        """Source, target and origin of the matches that the file has for its segments (`alt-trans`, `match`)."""
        for entry in self.entries:
            unit = entry.unit
            found = [*unit.nodes("alt-trans"), *(m for group in unit.nodes("matches") for m in group.nodes("match"))]
            for match in found if len(entry.parts) == 1 else ():
                target, source = match.first("target"), match.first("source")
                if target is None or match.attributes.get("alttranstype", "proposal") != "proposal":
                    continue
                (part,) = entry.parts
                text = part.inside(target, self.decoded.text).text
                original = part.inside(source, self.decoded.text).text if source else part.shown.text
                if text and original:
                    yield original, text, match.attributes.get("origin", "")

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these targets and their states; adds a missing target language."""
        return self.write_with_comments(translations, (), language)

    def write_with_comments(
        self, translations: Sequence[UnitTranslation], comments: Sequence[Comment], language: str | None
    ) -> WrittenFile:
        """Like `write`, with each comment as a note of its unit."""
        text = self.decoded.text
        changed = {(t.start, t.end): t for t in translations}
        edits: list[Edit] = []
        for entry in self.entries:
            new = [changed.get((part.source.inner_start, part.source.inner_end)) for part in entry.parts]
            if any(new):
                edits += self._entry_edits(entry, new)
        edits += self._group_edits(changed)
        edits += self._notes_edits(comments)
        if self.is_version_2 and language and "trgLang" not in self.root.attributes:
            tag = text[self.root.start : self.root.inner_start]
            edits.append((self.root.start, self.root.inner_start, with_attribute(tag, "trgLang", language)))
        for file in self.root.nodes("file") if language and not self.is_version_2 else ():
            if not file.attributes.get("target-language"):
                tag = with_attribute(text[file.start : file.inner_start], "target-language", language)
                edits.append((file.start, file.inner_start, tag))
        written = splice(text, edits)
        return WrittenFile(encode_xml(self._with_new_locks(written) if self.new_locks else written, self.decoded))

    @cached_property
    def locks(self) -> Mapping[tuple[int, int], bool]:
        """The locks by place, in files of tools, and where the file forbids the translation.

        Plain XLIFF has no other locks: programs drop the translation of a unit that gets translate="no".
        """
        return {
            _place(part): entry.is_locked(part)
            for entry in self.entries
            for part in entry.parts
            if part.tool_state is not None or not entry.is_translated
        }

    def with_locks(self, locks: Mapping[tuple[int, int], bool]) -> XliffFile:
        """The file that writes these locks."""
        return replace(self, new_locks=locks)

    def _with_new_locks(self, text: str) -> str:
        """The text of the file with translations, with the new locks; each other character stays."""
        tags: dict[int, tuple[Node, str]] = {}  # elements with new start tags, by their places
        forbidden: dict[int, tuple[Node, list[bool]]] = {}  # units with translate="no", and locks of their segments

        def tag_of(node: Node) -> str:
            return tags.get(node.start, (node, text[node.start : node.inner_start]))[1]

        entries = _entries(tree(text), text, with_locked=self.has_locked)
        for old, entry in zip(self.entries, entries, strict=True):
            locks = [self.new_locks.get(_place(part), old.is_locked(part)) for part in old.parts]
            if not old.is_translated:
                forbidden.setdefault(entry.unit.start, (entry.unit, []))[1].extend(locks)
            for state, members in by_carrier(entry, locks):
                is_locked = any(lock for _, lock in members)
                if is_locked != state.is_locked:
                    tags[state.carrier.start] = (
                        state.carrier,
                        state.with_lock(tag_of(state.carrier), is_locked=is_locked),
                    )
        for unit, locks in forbidden.values():
            if not any(locks):
                tags[unit.start] = unit, with_attribute(tag_of(unit), "translate", "yes")
        return splice(text, [(node.start, node.inner_start, tag) for node, tag in tags.values()])

    def _entry_edits(self, entry: Entry, new: Sequence[UnitTranslation | None]) -> Iterator[Edit]:
        text = self.decoded.text
        is_done = all(
            entry.is_done(part) if t is None else t.is_confirmed for part, t in zip(entry.parts, new, strict=True)
        )
        raws = [
            None if t is None else part.shown.raw(one_line(t.text)) for part, t in zip(entry.parts, new, strict=True)
        ]
        target, source = entry.target, entry.source
        review = joint_review(
            entry.review(part) if t is None else t.review for part, t in zip(entry.parts, new, strict=True)
        )
        state = (_STATES_2 if self.is_version_2 else _STATES_1).get(review) or (
            "translated" if is_done else "initial" if self.is_version_2 else "needs-review-translation"
        )
        has_state = not self.is_version_2 and not any(part.tool_state for part in entry.parts)
        can_fill = (
            target is not None
            and not target.is_empty_tag
            and all(p.target is not None and not p.target.is_empty_tag for p in entry.parts)
        )
        if can_fill:
            assert target is not None
            for part, raw in zip(entry.parts, raws, strict=True):
                assert part.target is not None
                if raw is not None:
                    yield part.target.inner_start, part.target.inner_end, raw
            tag = text[target.start : target.inner_start]
            yield target.start, target.inner_start, _target_tag(tag, target, state if has_state else None, review)
        else:
            content = self._whole_target(entry, raws)
            name = source.name[: len(source.name) - len(source.local)] + "target"
            tag = f"<{name}>" if target is None else text[target.start : target.inner_start].replace("/>", ">")
            tag = _target_tag(tag, target, state if has_state else None, review)
            element = f"{tag}{content}</{name}>"
            if target is not None:
                yield target.start, target.end, element
            else:
                first = source.start  # of the white space before it; a copy of the text before it would cost too much
                while text[first - 1] in " \t":
                    first -= 1
                line = f"\n{text[first : source.start]}" if text[first - 1] == "\n" else ""
                at = (entry.segmented or source).end
                yield at, at, line + element
        yield from self._state_edits(entry, new, state, review, is_done=is_done)

    def _state_edits(
        self,
        entry: Entry,
        new: Sequence[UnitTranslation | None],
        state: str,
        review: ReviewState,
        *,
        is_done: bool,
    ) -> Iterator[Edit]:
        owner = entry.owner
        tag = after = self.decoded.text[owner.start : owner.inner_start]
        if self.is_version_2 and (is_done or review or "state" in owner.attributes):
            sub_state = RETURNED_2 if review == "returned" else None
            after = with_attribute(with_attribute(tag, "state", state), "subState", sub_state)
        elif not self.is_version_2:
            is_final = is_done and self._approves_finished and not any(part.tool_state for part in entry.parts)
            after = _with_approval(owner, tag, is_approved=review == "approved" or (is_final and not review))
        for state_of_tool, members in by_carrier(entry, new):
            if all(t is None for _, t in members):
                continue
            value = state_of_tool.after(
                is_confirmed=all(entry.is_done(part) if t is None else t.is_confirmed for part, t in members),
                review=joint_review(entry.review(part) if t is None else t.review for part, t in members),
            )
            place = state_of_tool.carrier.start, state_of_tool.carrier.inner_start
            carrier = after if state_of_tool.carrier is owner else self.decoded.text[slice(*place)]
            carrier = with_attribute(carrier, state_of_tool.attribute, value)
            if any(t is not None and self._is_new(entry, part, t) for part, t in members):
                carrier = state_of_tool.with_origin(carrier)
            if state_of_tool.carrier is owner:
                after = carrier
            else:
                yield *place, carrier
        if after != tag:
            yield owner.start, owner.inner_start, after
        if any(t and self._is_new(entry, part, t) for part, t in zip(entry.parts, new, strict=True)):
            for meta in metadata_of_text(entry.unit):
                yield meta.start, meta.end, ""

    def _is_new(self, entry: Entry, part: EntryPart, translation: UnitTranslation) -> bool:
        """True if the text differs from the file's, or was confirmed after the file was made."""
        given = self._given.get((translation.start, translation.end))
        return translation.text != given or (translation.is_confirmed and not entry.is_done(part))

    @cached_property
    def reviews(self) -> Mapping[tuple[int, int], ReviewState]:
        """The reviewers' decisions that the file states, by place."""
        return {(unit.start, unit.end): unit.review for unit in self._all_units}

    @cached_property
    def _approves_finished(self) -> bool:
        """True if programs that read the file take only approved translations for finished."""
        return is_gettext(self.root) or uses_approval(self.root)

    def _group_edits(self, changed: Mapping[tuple[int, int], UnitTranslation]) -> Iterator[Edit]:
        """Approves the groups of plural forms whose forms are all finished, in files of the translate toolkit."""
        if is_of_qt(self.root):
            return
        forms: dict[int, tuple[Node, list[bool], list[bool]]] = {}
        for entry in self.entries:
            group = plural_group(entry.owner)
            for part in entry.parts if group else ():
                assert group is not None
                _, are_new, are_done = forms.setdefault(group.start, (group, [], []))
                new = changed.get((part.source.inner_start, part.source.inner_end))
                are_new.append(new is not None)
                are_done.append(new.is_confirmed if new else entry.is_done(part))
        for group, are_new, are_done in forms.values():
            tag = self.decoded.text[group.start : group.inner_start]
            after = _with_approval(group, tag, is_approved=all(are_done))
            if any(are_new) and after != tag:
                yield group.start, group.inner_start, after

    @cached_property
    def _given(self) -> dict[tuple[int, int], str | None]:
        return {(unit.start, unit.end): unit.target for unit in self._all_units}

    def _notes_edits(self, comments: Sequence[Comment]) -> Iterator[Edit]:
        """Adds notes: in 1.2 after the target, in 2.x before the segments of the unit."""
        comment_texts = {(comment.start, comment.end): comment.text for comment in comments}
        texts_of_unit: dict[int, tuple[Entry, list[str]]] = {}
        for entry in self.entries:
            for part in entry.parts:
                if text := comment_texts.get((part.source.inner_start, part.source.inner_end)):
                    unit = entry.unit
                    texts_of_unit.setdefault(unit.start, (entry, []))[1].append(text)
        for entry, texts in texts_of_unit.values():
            prefix = entry.source.name[: len(entry.source.name) - len(entry.source.local)]
            if not self.is_version_2:
                at = (entry.target or entry.segmented or entry.source).end
                yield (
                    at,
                    at,
                    "".join(f'<{prefix}note from="translator">{escape(text)}</{prefix}note>' for text in texts),
                )
                continue
            unit = entry.unit
            notes = "".join(f'<{prefix}note category="translator">{escape(text)}</{prefix}note>' for text in texts)
            group = unit.first("notes")
            if group is not None and not group.is_empty_tag:
                yield group.inner_end, group.inner_end, notes
            else:
                place = group or unit.nodes("originalData", "segment", "ignorable")[0]
                whole = f"<{prefix}notes>{notes}</{prefix}notes>"
                yield place.start, group.end if group else place.start, whole

    def _whole_target(self, entry: Entry, raws: Sequence[str | None]) -> str:
        """The content of a new target, or of one without all its segments."""
        text = self.decoded.text
        if entry.segmented is None:
            return raws[0] or ""
        base = entry.segmented.inner_start
        edits: list[Edit] = []
        for part, raw in zip(entry.parts, raws, strict=True):
            if raw is None:
                raw = text[part.target.inner_start : part.target.inner_end] if part.target else ""
            edits.append((part.source.inner_start - base, part.source.inner_end - base, raw))
        return splice(text[base : entry.segmented.inner_end], edits)


def parse(data: bytes, name: str, extras: Sequence[str] = ()) -> XliffFile:
    """Parses an XLIFF file; `extras` are the kinds of further segments to show, out of `EXTRAS`.

    Raises DocumentError with the line number if it is not valid.
    """
    decoded = decode_xml(data, name)
    if sum(1 for _ in _UNIT.finditer(decoded.text)) > MAX_UNITS:
        raise DocumentError(
            "{name} has more than {limit:,} segments: split the file and open the parts one by one",
            name=name,
            limit=MAX_UNITS,
        )
    root = tree(decoded.text)
    version = _version(root)
    if root.local != "xliff" or version[:2] not in ("1.", "2."):
        found = f"<{root.name}>" if root.local != "xliff" else f"version {version!r}"
        raise DocumentError(
            "{name} is not an XLIFF 1.2 or 2.x file (root element: {found}): choose another file",
            name=name,
            found=found,
        )
    return _read(decoded, root, with_locked="locked" in extras)


def _read(
    decoded: DecodedText, root: Node, languages: tuple[str, str] | None = None, *, with_locked: bool
) -> XliffFile:
    """The file with the texts of these languages, by default the first ones that it declares for a text."""
    every = _entries(root, decoded.text, with_locked=True)
    extras = EXTRAS if any(entry.is_locked(part) for entry in every for part in entry.parts) else ()
    entries = [entry for entry in every if entry.is_translated or with_locked]
    pairs = _pairs(entries)
    chosen = languages or next(iter(pairs), _languages(root.first("file") or root))
    limits = {entry.owner.start: stated for entry in entries if (stated := _limit(entry))}
    units: list[Unit] = []
    left_out: list[Unit] = []
    for entry in entries:
        found = units if _is_same_pair(_languages(_declaring(entry)), chosen) else left_out
        found += _units(entry, decoded.text, limits.get(entry.owner.start), with_locked=with_locked)
    others = [" → ".join(code or "?" for code in pair) for pair in pairs if not _is_same_pair(pair, chosen)]
    not_offered = Message("Not offered: texts in {languages}.", languages=shortened_list(others)) if others else None
    num_limits = num_unchecked(root, decoded.text, {node.start for node, _ in limits.values()})
    notes = tuple(filter(None, (not_offered, *file_notes(root, entries, num_limits))))
    return XliffFile(decoded, root, entries, units, chosen, left_out, notes, tuple(extras), with_locked)


def _entries(root: Node, text: str, *, with_locked: bool) -> list[Entry]:
    is_version_1 = _version(root).startswith("1")
    entries = entries_1(root, text) if is_version_1 else entries_2(root, text)
    return [entry for entry in entries if entry.is_translated or with_locked]


def _place(part: EntryPart) -> tuple[int, int]:
    return part.source.inner_start, part.source.inner_end


def _declaring(entry: Entry) -> Node:
    """The element that declares the languages of an entry: its `file` (1.x) or the root (2.x)."""
    node = entry.unit
    while node.parent is not None and "source-language" not in node.attributes and "srcLang" not in node.attributes:
        node = node.parent
    return node


def _languages(node: Node) -> tuple[str, str]:
    """The source and target language that an element declares; "" if it declares none."""
    declared = node.attributes
    source, target = ("srcLang", "trgLang") if "srcLang" in declared else ("source-language", "target-language")
    return declared.get(source, ""), declared.get(target, "")


def _pairs(entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """The pairs of languages of the entries, each once, in the order of the file."""
    return list(dict.fromkeys(_languages(_declaring(entry)) for entry in entries))


def _is_same_pair(pair: tuple[str, str], other: tuple[str, str]) -> bool:
    """True if both are the same languages; the region is not compared; a missing language may be any."""
    codes = ((language_of(one) or one, language_of(two) or two) for one, two in zip(pair, other, strict=True))
    return all("" in both or both[0] == both[1] for both in codes)


def _version(root: Node) -> str:
    """The version that the root element states; by its namespace if it lacks the attribute."""
    return root.attributes.get("version") or root.attributes.get("xmlns", "").removeprefix(_NAMESPACE)


def _limit(entry: Entry) -> tuple[Node, TextLimits] | None:
    """The limit for the segment of an entry, and the element that states it; None for an entry of several segments."""
    return stated_limit(entry.owner) if len(entry.parts) == 1 else None


def _units(entry: Entry, text: str, limit: tuple[Node, TextLimits] | None, *, with_locked: bool) -> Iterator[Unit]:
    note, form = note_of(entry), form_of(entry)
    for part in entry.parts:
        is_locked = entry.is_locked(part)
        if not part.shown.text or part.is_protected or (is_locked and not with_locked):
            continue
        target = None
        if part.target is not None:
            target = part.inside(part.target, text).text or None
            if target == part.shown.text and not entry.is_done(part) and not is_locked:
                target = None  # the tool that created the file has copied the source
        place = part.source.inner_start, part.source.inner_end
        tags = tuple((number, 0) for number in part.shown.tags)
        limits = replace(limit[1], tags=tags) if limit else None
        is_done = target is not None and entry.is_done(part)
        review = entry.review(part) if target is not None else ""
        yield Unit(
            *place,
            part.shown.text,
            target,
            is_done,
            note,
            limits=limits,
            review=review,
            is_locked=is_locked,
            form=form,
        )


def _with_approval(node: Node, tag: str, *, is_approved: bool) -> str:
    """A start tag of 1.x with its approval, which a tag without one gets only if it is approved."""
    given = node.attributes.get("approved")
    if is_approved:
        return with_attribute(tag, "approved", "yes") if given != "yes" else tag
    return with_attribute(tag, "approved", "no") if given == "yes" else tag


def _target_tag(tag: str, target: Node | None, state: str | None, review: ReviewState) -> str:
    """A target's start tag of 1.2 with its state, if given, and without a qualifier of its former text."""
    tag = tag if state is None else with_attribute(tag, "state", state)
    if state is not None and review == "returned":
        return with_attribute(tag, "state-qualifier", RETURNED_1)
    qualifier = target.attributes.get("state-qualifier", "") if target else ""
    return with_attribute(tag, "state-qualifier", None) if is_of_former_text(qualifier) else tag
