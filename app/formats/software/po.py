"""PO files of GNU gettext: only the strings of msgstr, fuzzy flags and translator comments are written.

A msgid is shown as written in the file, with `\\n` for a line break, but without backslashes before quotation marks.
White space and line breaks at its ends are layout. Each plural form is a segment. A draft gets the flag "fuzzy"; a
confirmed translation loses it. Obsolete entries (#~) stay unchanged. In a template, or a file without a plural rule,
the header is completed, and the plural forms that only the target language has are segments, too. If such a form is not
translated, it gets the text of the form before it, as a draft.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from app.errors import DocumentError
from app.formats.added_forms import AddedForm, Place, by_place
from app.formats.base import Comment, Edit, RawTags, Unit, UnitTranslation, WrittenFile, encode, one_line, splice
from app.formats.escapes import from_shown, shown
from app.formats.parsed_file import PairedFile
from app.formats.software.po_entries import PoEntry, flags_of, po_entries
from app.formats.software.po_header import (
    MAX_PLURALS,
    completed,
    first_form_is_one,
    has_rule,
    is_template,
    num_plurals,
    numbers_of_form,
    plural_rule,
)
from app.formats.software.po_markdown import MarkdownMessage, markdown_message
from app.formats.unit_notes import context_note, plural_note
from app.text.encoding import DecodedText, decode_text, encoding_label, unencodable

_CHARSET = re.compile(r"charset=([\w.:+-]+)", re.IGNORECASE)
_HEADER = r'^"{}:[ \t]*([\w.@-]+)[ \t]*(?:\\n)?"'
_TARGET = re.compile(_HEADER.format("Language"), re.MULTILINE | re.IGNORECASE)
_SOURCE = re.compile(_HEADER.format("X-Source-Language"), re.MULTILINE | re.IGNORECASE)
_NUM_FORMS = re.compile(r"\bnplurals\s*=\s*(\d)\b")
_WIDTH = 79


@dataclass(frozen=True, slots=True)
class MarkdownEntry:
    """A message in Markdown and the tags of its texts by place."""

    message: MarkdownMessage
    tags: Mapping[Place, dict[str, tuple[str, str | None]]]


@dataclass(frozen=True)
class PoFile(PairedFile):
    """A PO file; a place is the span of the quoted strings of one msgstr, or of a cell of a table in a msgid.

    `markdown` are the messages in Markdown by the offsets of their entries. `lacks_header` is true for a template, and
    for a file with plural forms without a plural rule: its header is completed when it is written in a language.
    """

    decoded: DecodedText
    entries: Sequence[PoEntry] = field(repr=False)
    units: Sequence[Unit] = field(repr=False)
    added: Mapping[Place, AddedForm] = field(default_factory=dict, repr=False)
    lacks_header: bool = False
    markdown: Mapping[int, MarkdownEntry] = field(default_factory=dict, repr=False)

    @cached_property
    def languages(self) -> tuple[str, str]:
        """The languages of the header; a missing source language is English, as in gettext."""
        target, source = (found[1] if (found := name.search(self.decoded.text)) else "" for name in (_TARGET, _SOURCE))
        return source or ("en" if target else ""), target

    @cached_property
    def header(self) -> str:
        """The value of the header; empty without one."""
        return _header(self.entries)

    def all_units(self, language: str | None = None) -> list[Unit]:
        """The units, in a language with fewer plural forms than the template only those that are written."""
        units = super().all_units(language)
        rule = plural_rule(language) if language and self.lacks_header else None
        if rule is None:
            return units
        number = num_plurals(rule)
        unwritten = {(one.start, one.end) for entry in self.entries for one in entry.targets[number - 1 : -1]}
        return [unit for unit in units if (unit.start, unit.end) not in unwritten]

    def source(self, start: int, end: int) -> str:
        """The source at this place. Raises LookupError if there is none."""
        form = self.added.get((start, end))
        return form.unit.source if form else super().source(start, end)

    def tags(self, start: int, end: int) -> RawTags:
        """The tags of the source at a place; only messages in Markdown have any."""
        return self._tags.get((start, end), {})

    @cached_property
    def _tags(self) -> dict[Place, dict[str, tuple[str, str | None]]]:
        return {place: tags for entry in self.markdown.values() for place, tags in entry.tags.items()}

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these strings and fuzzy flags; in UTF-8 if its own character set does not support them."""
        return self.write_with_comments(translations, (), language)

    def write_with_comments(
        self, translations: Sequence[UnitTranslation], comments: Sequence[Comment], language: str | None
    ) -> WrittenFile:
        """Like `write`, with the comments as translator comments ("# ...")."""
        text = self.decoded.text
        comment_texts = {(comment.start, comment.end): comment.text for comment in comments}
        changed = {(t.start, t.end): t for t in translations}
        line_end = match.group() if (match := re.search(r"\r\n|\r|\n", text)) else "\n"
        wraps = all(len(line) <= _WIDTH + 1 for line in text.splitlines() if line.endswith('"'))
        rule = plural_rule(language) if language and self.lacks_header else None
        number = num_plurals(rule) if rule else 0
        edits: list[Edit] = []
        for entry in self.entries:
            drafts: list[bool] = []
            markdown = self.markdown.get(entry.start)
            places = [*markdown.tags] if markdown else [(s.start, s.end) for s in entry.targets]
            if number and "msgid_plural" in entry.ids:
                places += _missing_places(entry)
            own = [comment_texts[place] for place in places if place in comment_texts]
            lines = [f"# {line}".rstrip() + line_end for comment in own for line in comment.splitlines()]
            if lines:
                edits.append((entry.head, entry.head, "".join(lines)))
            if markdown is not None:
                if any(place in changed for place in places):
                    edits += self._markdown_edits(entry, markdown, changed, line_end, wraps=wraps)
                continue
            targets = entry.targets
            if number and number < len(targets):  # one form for all numbers: the translation of the plural
                edits.append((targets[number - 1].end, targets[-1].end, ""))
                targets = targets[:number]
            for form, strings in enumerate(targets):
                new = changed.get((strings.start, strings.end))
                if form + 1 == number < len(entry.targets):
                    new = changed.get((entry.targets[-1].start, entry.targets[-1].end), new)
                if new is None:
                    drafts.append(entry.is_fuzzy(text))
                    continue
                drafts.append(not new.is_confirmed)
                source = entry.source_for(form, first_is_one=first_form_is_one(self.header))
                value = _with_ends_of(source, from_shown(one_line(new.text)))
                column = strings.start - max(text.rfind("\n", 0, strings.start), text.rfind("\r", 0, strings.start)) - 1
                edits.append((strings.start, strings.end, _quoted(value, column, line_end, wraps=wraps)))
            if number > len(targets) and "msgid_plural" in entry.ids:
                edits.append(self._missing_forms(entry, number, changed, drafts, line_end))
            if any(place in changed for place in places):
                edits += _fuzzy_edits(text, entry, any(drafts), line_end)
        if language and self.lacks_header:
            edits += self._edits_of_header(language, line_end)
        return self._encoded(splice(text, edits))

    def _markdown_edits(
        self,
        entry: PoEntry,
        markdown: MarkdownEntry,
        changed: Mapping[Place, UnitTranslation],
        line_end: str,
        *,
        wraps: bool,
    ) -> list[Edit]:
        """Writes the translation of a message in Markdown; cells of a table without a translation keep their source."""
        text, message, (strings,) = self.decoded.text, markdown.message, entry.targets
        given = message.given(strings.value)
        texts, drafts = [], []
        for number, (place, tags) in enumerate(markdown.tags.items()):
            new, own = changed.get(place), given[number]
            if new is not None:
                texts.append(message.marked_up(number, tags, from_shown(one_line(new.text))))
                drafts.append(not new.is_confirmed)
            else:
                texts.append(own[0] if own else message.value[slice(*message.texts[number])])
                drafts.append(entry.is_fuzzy(text) or own is None)
        value = _with_ends_of(message.value, message.with_texts(texts))
        edits = [(strings.start, strings.end, _quoted(value, len("msgstr "), line_end, wraps=wraps))]
        return edits + _fuzzy_edits(text, entry, any(drafts), line_end)

    def _edits_of_header(self, language: str, line_end: str) -> Iterator[Edit]:
        """Fills in the header of a template, or adds one."""
        entry = self.entries[0]
        if not entry.is_header:
            value = _quoted(completed("", language), 0, line_end, wraps=False)
            yield 0, 0, f'msgid ""{line_end}msgstr {value}{line_end}{line_end}'
            return
        value = completed(entry.targets[-1].value, language)
        yield entry.targets[-1].start, entry.targets[-1].end, _quoted(value, 0, line_end, wraps=False)
        yield from _fuzzy_edits(self.decoded.text, entry, False, line_end)

    def _missing_forms(
        self,
        entry: PoEntry,
        number: int,
        changed: Mapping[Place, UnitTranslation],
        drafts: list[bool],
        line_end: str,
    ) -> Edit:
        """Adds plural forms up to their number; `drafts` gets whether each is one."""
        last = entry.targets[-1]
        given = changed.get((last.start, last.end))
        text = given.text if given else shown(last.value)
        lines = ""
        for form, place in enumerate(_missing_places(entry)[: number - len(entry.targets)], len(entry.targets)):
            new = changed.get(place)
            drafts.append(not new.is_confirmed if new else bool(text))
            text = new.text if new else text
            value = _with_ends_of(entry.source_for(form, first_is_one=True), from_shown(one_line(text))) if text else ""
            lines += f"{line_end}msgstr[{form}] {_quoted(value, 10, line_end, wraps=False)}"
        return last.end, last.end, lines

    def _encoded(self, text: str) -> WrittenFile:
        header = _CHARSET.search(text)
        is_unset = header is not None and header[1].upper() == "CHARSET" and not text.isascii()
        if header is None or not (is_unset or unencodable(text, self.encoding)):
            return encode(text, self.encoding, self.mark)
        text = splice(text, [(header.start(1), header.end(1), "UTF-8")])
        note = None if is_unset else encode(text, self.encoding, self.mark).note
        return WrittenFile(text.encode("utf-8"), note)


def parse(data: bytes, name: str) -> PoFile:
    """Parses a PO or POT file. Raises DocumentError with the line number if it is not valid."""
    decoded = _decoded(data, name)
    entries = list(po_entries(decoded.text, name))
    is_one = first_form_is_one(_header(entries))
    stated = _NUM_FORMS.search(_header(entries))
    num_forms = int(stated[1]) if stated else None
    units: list[Unit] = []
    markdown: dict[int, MarkdownEntry] = {}
    for entry in entries:
        if message := markdown_message(entry, decoded.text):
            found = list(_markdown_units(entry, message, decoded.text))
            units += [unit for unit, _ in found]
            markdown[entry.start] = MarkdownEntry(message, {(unit.start, unit.end): tags for unit, tags in found})
        else:
            units += _units(entry, decoded.text, is_one, num_forms)
    header = _header(entries)
    lacks_header = name.lower().endswith(".pot")
    if entries[:1] and entries[0].is_header:
        has_plurals = any("msgid_plural" in entry.ids for entry in entries)
        lacks_header = is_template(header) or (has_plurals and not has_rule(header))
    added = [form for entry in entries for form in _added(entry)] if lacks_header else []
    return PoFile(decoded, entries, units, by_place(added), lacks_header and bool(entries), markdown)


def _missing_places(entry: PoEntry) -> list[Place]:
    """The places of the plural forms that an entry may lack, behind its last."""
    end = entry.targets[-1].end
    return [(end, end + 1 + form) for form in range(len(entry.targets), MAX_PLURALS)]


def _added(entry: PoEntry) -> Iterator[AddedForm]:
    """The plural forms that an entry of a template may lack in a language."""
    source = shown(entry.source_for(1, first_is_one=True).strip())
    if "msgid_plural" not in entry.ids or not source:
        return
    for form, place in enumerate(_missing_places(entry), len(entry.targets)):
        note = " · ".join([plural_note(form + 1), *_notes(entry)])
        yield AddedForm(Unit(*place, source, note=note, form=str(form + 1)), place, partial(numbers_of_form, form))


def _decoded(data: bytes, name: str) -> DecodedText:
    found = _CHARSET.search(data.decode("latin-1"))
    charset = found[1] if found else "UTF-8"
    if charset.upper() == "CHARSET":
        charset = "UTF-8"
    try:
        codec = codecs.lookup(charset).name
        is_text = codecs.lookup(charset)._is_text_encoding
    except LookupError:
        is_text = False
    if not is_text:
        raise DocumentError(
            "{name} declares the unknown character set {charset}: convert the file to UTF-8 and open it again",
            name=name,
            charset=charset,
        )
    if codec == "utf-8" or data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or not data:
        decoded = decode_text(data, name, DocumentError)
        if found and decoded.encoding not in ("utf-8", "utf-16-le", "utf-16-be"):
            raise DocumentError(
                "{name} declares UTF-8 but has another encoding: save it as UTF-8 and open it again", name=name
            )
        return decoded
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise DocumentError(
            "{name}, line {line}: byte 0x{byte:02X} is not valid in {encoding}, the declared character set: "
            "correct the line or the declaration and open the file again",
            name=name,
            line=line,
            byte=data[problem.start],
            encoding=encoding_label(codec),
        ) from problem
    if text.encode(codec) != data:
        raise DocumentError(
            "{name} cannot be saved again unchanged in {charset}: convert it to UTF-8 and open it again",
            name=name,
            charset=charset,
        )
    return DecodedText(text, codec, b"", None)


def _header(entries: Sequence[PoEntry]) -> str:
    return next((entry.targets[0].value for entry in entries[:1] if entry.is_header), "")


def _units(entry: PoEntry, text: str, first_is_one: bool, num_forms: int | None) -> Iterator[Unit]:
    """The units of an entry; `num_forms` is the number of plural forms by the header, None in a template."""
    if entry.is_header:
        return
    notes = _notes(entry)
    for form, strings in enumerate(entry.targets):
        source = shown(entry.source_for(form, first_is_one=first_is_one).strip())
        if not source:
            continue
        target = shown(strings.value.strip()) or None
        of_all = num_forms if num_forms == len(entry.targets) else None
        plural = [plural_note(form + 1, of_all)] if "msgid_plural" in entry.ids else []
        is_confirmed = target is not None and not entry.is_fuzzy(text)
        note = " · ".join([*plural, *notes])
        number = str(form + 1) if plural else ""
        yield Unit(strings.start, strings.end, source, target, is_confirmed, note, form=number)


def _markdown_units(
    entry: PoEntry, message: MarkdownMessage, text: str
) -> Iterator[tuple[Unit, dict[str, tuple[str, str | None]]]]:
    """The units of a message in Markdown with their tags. The place of a cell is in the msgid."""
    (strings,) = entry.targets[:1]
    note = " · ".join(_notes(entry))
    for number, (span, given) in enumerate(zip(message.texts, message.given(strings.value), strict=True)):
        content = message.content(number)
        target = shown(given[1].text) if given and strings.value.strip() else None
        at = entry.ids["msgid"].start + 1  # the quoted string is at least as long as its value
        place = (at + span[0], at + span[1]) if message.is_table else (strings.start, strings.end)
        is_confirmed = target is not None and not entry.is_fuzzy(text)
        tags = {**content.tags, **(given[1].tags if given else {})}
        yield Unit(*place, shown(content.text), target, is_confirmed, note), tags


def _notes(entry: PoEntry) -> list[str]:
    context = [context_note(shown(entry.ids["msgctxt"].value))] if "msgctxt" in entry.ids else []
    return context + entry.comments


def _with_ends_of(source: str, target: str) -> str:
    """The target with the outer white space of the source; msgfmt requires the same line breaks at both ends."""
    lead = source[: len(source) - len(source.lstrip())]
    return lead + target.strip() + source[len(source.rstrip()) :]


def _quoted(value: str, column: int, line_end: str, *, wraps: bool) -> str:
    """The value as quoted strings, wrapped as gettext would do."""

    def quote(part: str) -> str:
        return '"' + shown(part).replace('"', '\\"') + '"'

    whole = quote(value)
    if "\n" not in value[:-1] and (not wraps or column + len(whole) <= _WIDTH):
        return whole
    lines = ['""']
    for part in re.findall(r"[^\n]*\n|[^\n]+", value):
        line = ""
        for word in re.findall(r"\S*\s+|\S+", part) if wraps else [part]:
            if line and len(quote(line + word)) > _WIDTH:
                lines.append(quote(line))
                line = ""
            line += word
        lines.append(quote(line))
    return line_end.join(lines)


def _fuzzy_edits(text: str, entry: PoEntry, is_fuzzy: bool, line_end: str) -> list[Edit]:
    if is_fuzzy == entry.is_fuzzy(text):
        return []
    if is_fuzzy:
        if entry.flags is None:
            return [(entry.start, entry.start, f"#, fuzzy{line_end}")]
        start = text.index("#,", entry.flags[0]) + 2
        return [(start, start, " fuzzy,")]
    assert entry.flags is not None
    start, end = entry.flags
    left = [flag for flag in flags_of(text[start:end]) if flag != "fuzzy"]
    line = text[start:end]
    ending = line[len(line.rstrip("\r\n")) :]
    kept = f"#, {', '.join(left)}{ending}" if left else ""
    return [(start, end, kept), *((s, e, "") for s, e in entry.previous)]
