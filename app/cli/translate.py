"""The command `translate`: translates a document without a page or a log."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from app.cli.glossary_check import glossary_report
from app.cli.log_commands import bytes_of, check_output, write
from app.errors import CommandError, GlossaryError
from app.formats import Reading, format_of, srx
from app.formats.documents import Document, Export, Segment, with_language
from app.formats.read_file import ReadFile, read_file
from app.formats.soft_breaks import line_breaks_of
from app.formats.srx import RuleFile
from app.glossary import Term, TermMatcher
from app.glossary.glossary import Glossary, combined_matcher
from app.glossary.lemmas import with_forms
from app.glossary.reading.column_uses import Layout
from app.glossary.reading.glossary_file import read_glossary
from app.glossary.reading.row_checks import RowDecision, decided, undecided
from app.i18n import Message, counted
from app.log.records import SegmentStateName
from app.models.document_direction import Decision, decide, facing
from app.models.loading import SEARCH, load_translator
from app.models.pivot_models import routes_through
from app.models.style import Style
from app.reports.translated_document import translated_document
from app.segments.findings import findings_of, unmet_texts
from app.segments.proposal_view import DecodingResult
from app.segments.state import SegmentLock, SegmentState
from app.tags.protect import Protection
from app.text.encoding import codec_of, shortened_list
from app.text.language_names import english_name
from app.text.words import count_words
from app.tm.index import MemoryIndex
from app.tm.memory_file import read_memory
from app.tm.prefill import index_of_pairs, prefill
from app.tm.used_forms import with_used_forms
from engine import AnyTranslator, Hypothesis, PivotTranslator, Translation, offer_of

STRICT = 3  # exit status
_REASONS = {"stated": "stated in the file", "text": "detected in the text", "first": "the model's first direction"}


def translate(flags: argparse.Namespace) -> int:
    """Translates the document into a new file; returns 1 if a translation or a term in one is missing.

    With --strict, returns 3 if there is a note about the file, or text that the model cannot read.
    """
    path: Path = flags.document
    data = bytes_of(path)
    run = TranslateRun(flags)
    document, direction = run.document(data, path.name)
    if flags.dry_run:
        print("\n".join(run.dry_run(document, direction)))
        return 0
    output = _output(flags.output, path, direction)
    check_output(output)
    made = run.translated(document, direction)
    for note in document.notes:
        say(note)
    write(output, made.export.data)
    for problem in made.problems:
        say(problem)
    print(output)
    return exit_status(flags.strict, len(document.notes), made.num_unread, has_problems=bool(made.problems))


def exit_status(is_strict: bool, num_notes: int, num_unread: int, *, has_problems: bool) -> int:
    """The exit status; prints the reason if it is that of --strict."""
    if is_strict and (num_notes or num_unread):
        say(
            f"--strict: {counted(num_notes, 'note')} about the file, {counted(num_unread, 'segment')} with characters "
            "that the model cannot read"
        )
        return STRICT
    return 1 if has_problems else 0


@dataclass(frozen=True, slots=True)
class DraftedDocument:
    """A translated document, a line for each problem, and how many segments have text that the model cannot read."""

    export: Export
    problems: list[str]
    num_unread: int


class TranslateRun:
    """The models, glossaries and memory of one run of the command, for one document or several."""

    def __init__(self, flags: argparse.Namespace) -> None:
        """Loads the models. Raises AppError or EngineError."""
        os.environ.setdefault("OMP_NUM_THREADS", str(flags.threads))
        self._flags = flags
        self._first = load_translator(flags.model, flags.device)
        self._second = None if flags.then is None else load_translator(flags.then, flags.device)
        self._routes = {} if self._second is None else routes_through(self._first, self._second)
        self._style = Style(flags.formality, flags.domain, not flags.no_numbers)
        self._pivots: dict[str, PivotTranslator] = {}
        self._glossaries: dict[str, TermMatcher] = {}
        self._memories: dict[str, MemoryIndex | None] = {}
        self._rules = None if flags.srx is None else RuleFile(flags.srx.name, bytes_of(flags.srx))
        if self._rules is not None:
            srx.read(self._rules.data, self._rules.name)  # an error is reported once, and before any document

    def document(self, data: bytes, name: str) -> tuple[Document, str]:
        """The document, and the direction in which it is translated. Raises AppError."""
        file = read_file(data, name, _reading(self._flags, name))
        directions = tuple(self._routes) if self._second is not None else self._first.directions
        direction = _direction(self._flags.direction, file, directions)
        self._style.check(self._translator(direction), direction)
        source, _, target = direction.partition("-")
        return facing(file, direction).document(source, self._rules, target), direction

    def dry_run(self, document: Document, direction: str) -> list[str]:
        """The matches of the glossaries in the document."""
        return glossary_report(document, self._glossary(direction), self._translator(direction))

    def translated(self, document: Document, direction: str) -> DraftedDocument:
        """Translates every segment that has no translation."""
        flags, glossary = self._flags, self._glossary(direction)
        memory = self._memory(direction)
        formed = _formed(memory, direction)
        segments = [_segment(document, index, glossary, formed) for index in range(len(document.segments))]
        segments = [replace(one, numbers=self._style.numbers_in(one.source, direction)) for one in segments]
        todo = [one for one in segments if document.segments[one.index].target is None and not one.lock]
        known = {} if memory is None else _remembered(memory, flags.memory.name, todo)
        todo = [segment for segment in todo if segment.index not in known]
        protections = [
            Protection.of(self._style.applied_to(segment.request(direction)), segment.placeholders) for segment in todo
        ]
        copies = [protection.copy for protection in protections]
        asked = [protection for protection, copy in zip(protections, copies, strict=True) if copy is None]
        progress = _Progress(len(asked))
        nbest = flags.beam if any(segment.limits and segment.limits.max_characters for segment in todo) else 1
        options = replace(SEARCH, beam=flags.beam, nbest=nbest)
        translator = self._translator(direction)
        answers = translator.translate_all([p.request for p in asked], options, progress=progress.show)
        restored = iter([protection.restore(answer) for protection, answer in zip(asked, answers, strict=True)])
        translations = [copy or next(restored) for copy in copies]
        progress.end()
        made, problems = drafted(document, todo, translations, direction, known)
        num_unread = sum(bool(answer.unknown_source) for answer in translations)
        return DraftedDocument(made, [*_lacking(segments, known), *problems], num_unread)

    def _translator(self, direction: str) -> AnyTranslator:
        if self._second is None:
            return self._first
        if direction not in self._pivots:
            self._pivots[direction] = PivotTranslator(self._first, self._second, *self._routes[direction])
        return self._pivots[direction]

    def _glossary(self, direction: str) -> TermMatcher:
        if direction not in self._glossaries:
            paths, layouts = self._flags.glossary or [], self._flags.glossary_columns or []
            decision = self._flags.glossary_proposals
            self._glossaries[direction] = glossary_matcher(paths, direction, layouts, decision)
        return self._glossaries[direction]

    def _memory(self, direction: str) -> MemoryIndex | None:
        if direction not in self._memories:
            path = self._flags.memory
            self._memories[direction] = None if path is None else index_of_pairs(_pairs(path, direction))
        return self._memories[direction]


def drafted(
    document: Document,
    segments: Sequence[SegmentState],
    translations: Sequence[Translation],
    direction: str,
    known: Mapping[int, str],
) -> tuple[Export, list[str]]:
    """The document with these translations and those in `known` (by segment) as drafts, and a line for each problem."""
    texts = dict(known)
    problems: list[str] = []
    for segment, translation in zip(segments, translations, strict=True):
        where = f"segment {segment.index + 1}"
        if not translation.hypotheses:
            reason = "; ".join(each.message for each in translation.reasons) or translation.status
            problems.append(f"{where} is not translated: {reason}")
            continue
        best = shortened(segment, translation.hypotheses)
        if best is not translation.hypotheses[0]:
            say(f"{where}: the best translation exceeds the length limit; a shorter one was used")
        texts[segment.index] = best.text
        missing = [translation.request.phrases[number].text for number in best.unmet]
        if missing:
            problems.append(f"{where} lacks {', '.join(missing)}")
        if unread := _unread(segment.source, translation):
            problems.append(f"{where} contains characters that the model cannot read: {unread}")
        shown = replace(segment, shown=DecodingResult(replace(translation, hypotheses=(best,))))
        found = [finding for finding in findings_of(shown, best.text, direction) if finding.check != "terms"]
        problems += [f"{where}, to check: {finding.message}" for finding in found if finding.is_error]
        for finding in found:
            if (finding.check == "limits" or finding.kind == "position") and not finding.is_error:
                say(f"{where}: {finding.message}")
    states = [
        SegmentState(
            s.index,
            s.source,
            0,
            state=_state(s.state, s.index in texts),
            target=texts.get(s.index, s.target),
            lock=_lock(s),
        )
        for s in document.segments
    ]
    made = translated_document(document, states, direction.partition("-")[2])
    serious = ("Placeholders", "saved as UTF-8", "Lists of data validation")
    return made, [*problems, *([made.note] if made.note and any(text in made.note for text in serious) else [])]


def shortened(segment: SegmentState, hypotheses: Sequence[Hypothesis]) -> Hypothesis:
    """The first hypothesis that fits the limit of the segment and lacks no other phrases than the best one.

    The best one if none does.
    """
    best = hypotheses[0]
    if segment.limits is None:
        return best
    fitting = (each for each in hypotheses if segment.limits.allows(each.text) and set(each.unmet) <= set(best.unmet))
    return next(fitting, best)


def _unread(source: str, translation: Translation) -> str:
    """The texts of the source that the model has no pieces for, as a list."""
    return shortened_list(dict.fromkeys(source[start:end] for start, end in translation.unknown_source))


class _Progress:
    """Shows progress on standard error: in place on a terminal, else one line for each tenth."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.started = time.monotonic()
        self.last_tenth = 0
        self.is_terminal = sys.stderr.isatty()

    def show(self, done: int) -> None:
        tenth = 10 * done // max(1, self.total)
        if not self.is_terminal and tenth == self.last_tenth:
            return
        self.last_tenth = tenth
        rate = done / max(1e-9, time.monotonic() - self.started)
        text = f"{done:,} of {counted(self.total, 'segment')}, {rate:.1f} a second"
        print(f"\r{text:<60}" if self.is_terminal else text, end="" if self.is_terminal else "\n", file=sys.stderr)
        sys.stderr.flush()

    def end(self) -> None:
        if self.is_terminal:
            print(file=sys.stderr)


def _segment(document: Document, index: int, glossary: TermMatcher, formed: Callable[[Term], Term]) -> SegmentState:
    place = document.segments[index]
    source = place.source
    hits = tuple(replace(hit, term=formed(hit.term)) for hit in glossary.find(source))
    return SegmentState(
        index,
        source,
        count_words(source),
        hits=hits,
        limits=place.limits,
        placeholders=place.placeholders,
        lock=_lock(place),
    )


def _lock(segment: Segment) -> SegmentLock | None:
    return SegmentLock(is_of_file=True) if segment.is_locked else None


def _formed(memory: MemoryIndex | None, direction: str) -> Callable[[Term], Term]:
    """A function that adds the forms found in the memory to a term."""
    source, _, target = direction.partition("-")

    @cache
    def formed(term: Term) -> Term:
        return term if memory is None else with_used_forms(term, memory, source, target)

    return formed


def _state(given: str, is_new: bool) -> SegmentStateName:
    return "edited" if is_new or given == "edited" else "confirmed" if given == "confirmed" else "new"


def glossary_matcher(
    paths: Sequence[Path], direction: str, layouts: Sequence[Layout] = (), decision: RowDecision = "leave"
) -> TermMatcher:
    """A matcher of the terms in these files; for the same words, the earlier file wins.

    `layouts` are the columns of the first files, `decision` is the one on all messy rows.

    Raises GlossaryError, also for more layouts than files.
    """
    if len(layouts) > len(paths):
        raise GlossaryError("there are more --glossary-columns than --glossary: give one for each glossary")
    source, _, target = direction.partition("-")
    glossaries = []
    for number, (path, layout) in enumerate(zip_longest(paths, layouts)):
        read = read_glossary(bytes_of(path), path.name, direction, layout)
        for error in read.errors:
            say(f"{path}, row {error.row}: {error.message}")
        for report in read.held if decision == "leave" else ():
            say(f"{path}, row {report.row}: {undecided(report)}")
        for note in read.notes:
            say(f"{path}: {note}")
        if read.held and decision == "leave":
            say(f"{path}: to use the proposals: --glossary-proposals accept; the rows as they are: keep")
        terms = decided(read.terms, ((report, decision) for report in read.held))
        glossaries.append(Glossary.of(number, path.name, with_forms(terms, target)))
    return combined_matcher((), glossaries, source)


def _pairs(path: Path, direction: str) -> list[tuple[str, str]]:
    source, _, target = direction.partition("-")
    read = read_memory(bytes_of(path), path.name, source, target)
    for note in read.notes:
        say(f"{path}: {note}")
    return read.pairs


def _remembered(memory: MemoryIndex, name: str, segments: Sequence[SegmentState]) -> dict[int, str]:
    """The exact matches in the memory of that name, by segment."""
    taken = prefill(memory, [segment.source for segment in segments])
    say(
        f"Segments with exact matches in {name}: {len(taken.texts):,} of {len(segments):,}. "
        f"With only fuzzy matches, which are not used: {taken.num_similar:,}"
    )
    return {segments[place].index: text for place, text in taken.texts.items()}


def _lacking(segments: Sequence[SegmentState], known: Mapping[int, str]) -> Iterator[str]:
    """A line for each segment whose exact match lacks a term."""
    for index, text in known.items():
        if missing := unmet_texts(segments[index], text):
            yield f"segment {index + 1}, from the memory, lacks {', '.join(missing)}"


def _direction(given: str | None, file: ReadFile, directions: Sequence[str]) -> str:
    """The given direction, otherwise that of the document, which is reported if the model has several."""
    if given is not None:
        if given not in directions:
            raise CommandError(
                "this model does not support {direction!r}; it translates {offer}",
                direction=given,
                offer=offer_of(directions),
            )
        return given
    decision = decide(file.overview(), directions, file.languages)
    if decision.note:
        raise _unsupported(file, decision, directions)
    if len(directions) > 1:
        say(f"{decision.direction}: {_REASONS[decision.reason]} (change it with --direction)")
    return decision.direction


def _unsupported(file: ReadFile, decision: Decision, directions: Sequence[str]) -> CommandError:
    """The error for a document in languages that the model does not translate."""
    if decision.is_other_text:
        found = Message("the text seems to be in {language}", language=english_name(decision.languages[0]))
    else:
        found = Message("the file states {stated}", stated=" → ".join(code or "?" for code in file.languages))
    return CommandError(
        "{name}: {found}, and this model translates {offer}; choose another model with --model (`pinpoint models "
        "--direction {needed}` lists some), or give the languages with --direction",
        name=file.name,
        found=found,
        offer=offer_of(directions),
        needed=decision.needed_direction or "…",
    )


def _output(given: Path | None, source: Path, direction: str) -> Path:
    output = given or source.with_name(with_language(source.name, direction.partition("-")[2]))
    suffixes = (source.suffix.lower(), Path(with_language(source.name, "x")).suffix.lower())
    if output.suffix.lower() not in suffixes:
        raise CommandError(
            "{path}: the output has the same format as the input, so its name must end in {suffix!r}",
            path=output,
            suffix=source.suffix,
        )
    if output.resolve() == source.resolve():
        raise CommandError("{path} is the document itself: choose another file with -o", path=output)
    return output


def _reading(flags: argparse.Namespace, name: str) -> Reading:
    """The import settings for a document of this name. Raises CommandError (encoding) or DocumentError (name)."""
    encoding = None if flags.encoding is None else codec_of(flags.encoding)
    if flags.encoding is not None and encoding is None:
        raise CommandError("{encoding!r} is not a known encoding", encoding=flags.encoding)
    is_by_paragraph = flags.segments == "paragraph" and not format_of(name).is_paired
    rules = None if flags.rule is None else tuple(flags.rule)
    segments: Literal["paragraph"] | None = "paragraph" if is_by_paragraph else None
    line_breaks = line_breaks_of(flags.line_breaks) if format_of(name).has_line_breaks else None
    return Reading(encoding, flags.columns, flags.also, segments, rules, line_breaks)


def say(text: str) -> None:
    """Writes a line to standard error."""
    print(text, file=sys.stderr)
