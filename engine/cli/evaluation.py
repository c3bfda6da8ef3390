"""`evaluate`: reads the files of a test set and writes the results as a table or as JSON."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import BinaryIO, TextIO

from engine.cli.jobs import Defaults, job
from engine.cli.lines import InputLine, LineProblem, RunError, check_output, open_file, parse_object, read_lines
from engine.cli.terminal import ProgressBar
from engine.errors import InvalidRequest
from engine.evaluation import Evaluation, EvaluationSegment, TermList, evaluate
from engine.evaluation.evaluate import best_text
from engine.model import offer_of
from engine.request import Request
from engine.translator import Translator

_MOST_NAMED = 10  # lines named in a warning
_NOT_PER_LINE = ("direction", "options")


def run_evaluation(
    flags: argparse.Namespace, defaults: Defaults, translator: Translator, output: BinaryIO, messages: TextIO
) -> bool:
    """Translate, measure and write the results. Returns whether every segment was translated; raises RunError."""
    inputs = (flags.source, flags.reference, flags.constraints, flags.glossary)
    if flags.output is not None:
        check_output(flags.output, *inputs)
    direction = defaults.direction or translator.directions[0]
    if direction not in translator.directions:
        raise RunError(f"--direction is {direction!r}; this model translates {offer_of(translator.directions)}")
    style = {"domain": translator.domains, "formality": translator.formalities.get(direction, ())}
    for name, offered in style.items():
        if (value := getattr(defaults, name)) is not None and value not in offered:
            knows = f"knows {', '.join(offered)}" if offered else f"was trained without {name} for {direction}"
            raise RunError(f"--{name} is {value!r}; this model {knows}; leave it out, or name another --model")
    sources = _read_lines(flags.source)
    segments = _segments(
        sources,
        _read_lines(flags.reference),
        None if flags.constraints is None else _read_lines(flags.constraints),
        None if flags.glossary is None else _read_glossary(flags.glossary, direction),
        replace(defaults, direction=direction),
        flags,
    )
    with open_file(flags.source, "rb") as source:
        bar = ProgressBar(messages, source)
        try:
            evaluation = evaluate(
                translator,
                segments,
                replace(defaults.options, nbest=1),
                batch_size=flags.batch_size,
                progress=lambda num_done: bar.show(num_done, sources[num_done - 1].end),
            )
        finally:
            bar.clear()
    if flags.output is not None:
        with open_file(flags.output, "wb") as file:
            for translation in evaluation.translations:
                file.write(best_text(translation).encode("utf-8", errors="replace") + b"\n")
    model = f"{translator.name} ({translator.checksum[:12]})"
    text = _json(evaluation, translator, defaults) if flags.json else _table(evaluation, model, defaults)
    output.write(text.encode("utf-8"))
    output.flush()
    _warn(evaluation, messages)
    return not evaluation.untranslated


# -- files -------------------------------------------------------------------------------------------------------------


def _read_lines(path: str) -> list[InputLine]:
    with open_file(path, "rb") as stream:
        lines = list(read_lines(stream))
    if not lines:
        raise RunError(f"{path} is empty; give a file with a segment a line")
    return lines


def _text(path: str, line: InputLine, *, may_be_blank: bool = False) -> str:
    try:
        text = line.text
    except LineProblem as error:
        raise RunError(f"{path}, line {line.number}: {error.message}") from error
    if not text.strip() and not may_be_blank:
        raise RunError(f"{path}, line {line.number} is blank; remove it from all files of the set")
    return text


def _segments(
    sources: Sequence[InputLine],
    references: Sequence[InputLine],
    constraints: Sequence[InputLine] | None,
    glossary: TermList | None,
    defaults: Defaults,
    flags: argparse.Namespace,
) -> list[EvaluationSegment]:
    for path, lines in ((flags.reference, references), (flags.constraints, constraints)):
        if lines is not None and len(lines) != len(sources):
            raise RunError(
                f"{path} has {len(lines):,} lines and {flags.source} has {len(sources):,}; they must match line by line"
            )
    segments = []
    for number, source in enumerate(sources):
        text = _text(flags.source, source)
        request = defaults.request(text)
        if constraints is not None:
            constrained = _constrained(text, constraints[number], defaults, flags)
            request = request if flags.unconstrained else constrained
        terms = glossary.terms_in(text) if glossary else ()
        segment = EvaluationSegment(request, _text(flags.reference, references[number]), terms)
        segments.append(segment if flags.unconstrained else segment.with_terms_required())
    return segments


def _constrained(source: str, line: InputLine, defaults: Defaults, flags: argparse.Namespace) -> Request:
    """The request for a source with the constraints of its line; a blank line has no constraints."""
    text = _text(flags.constraints, line, may_be_blank=True)
    try:
        found = parse_object(text) if text.strip() else {}
        if wrong := [key for key in _NOT_PER_LINE if key in found]:
            raise LineProblem("invalid", f'the key "{wrong[0]}" applies to all lines; give it as a flag')
        if found.get("text", source) != source:
            raise LineProblem("invalid", f'"text" is not line {line.number} of {flags.source}')
        return job({**found, "text": source}, defaults).request
    except LineProblem as error:
        raise RunError(f"{flags.constraints}, line {line.number}: {error.message}") from error
    except InvalidRequest as error:
        raise RunError(f"{flags.constraints}, line {line.number}: {error}") from error


def _read_glossary(path: str, direction: str) -> TermList:
    """Reads a glossary with one term per row: source, target, other forms. Rows with the same source are one term.

    Cells end at tabs, or where there are none at semicolons or commas; quotes then hold cells together. A first row
    that names the columns, "source" and "target" or the languages of the direction, defines their columns.
    """
    lines = [(line, text) for line in _read_lines(path) if (text := _text(path, line, may_be_blank=True)).strip()]
    delimiter = next((mark for mark in "\t;," if lines and mark in lines[0][1]), "\t")
    rows = [(line, text, _cells(text, delimiter)) for line, text in lines]
    order = _columns(rows[0][2], direction) if rows else None
    terms: dict[str, list[str]] = {}
    for line, text, cells in rows[order is not None :]:
        if order is not None:
            cells = [cells[place] if place < len(cells) else "" for place in order]
        source, *forms = cells
        forms = [form for form in forms if form]
        if not source or not forms:
            raise RunError(
                f"{path}, line {line.number}: expected source<TAB>target[<TAB>other form...], found {text!r}"
            )
        terms.setdefault(source, []).extend(forms)
    if not terms:
        raise RunError(f"{path} has no terms; write a row for each: source<TAB>target")
    return TermList(terms)


def _cells(row: str, delimiter: str) -> list[str]:
    if delimiter == "\t":
        return [cell.strip() for cell in row.split("\t")]
    return [cell.strip() for cell in next(csv.reader([row], delimiter=delimiter))]


def _columns(cells: Sequence[str], direction: str) -> tuple[int, ...] | None:
    """The indices of source, target and other forms if these cells are column names, otherwise None."""
    names = [cell.lower() for cell in cells]
    source, _, target = direction.lower().partition("-")
    for pair in (("source", "target"), (source, target)):
        if all(name in names for name in pair):
            first = tuple(names.index(name) for name in pair)
            return (*first, *(place for place, name in enumerate(names) if name in ("", "form", "forms")))
    return None


# -- what came out -----------------------------------------------------------------------------------------------------


def _json(evaluation: Evaluation, translator: Translator, asked: Defaults) -> str:
    flat = {
        field.name: getattr(evaluation, field.name)
        for field in fields(evaluation)
        if field.name not in ("scores", "translations")
    }
    record = {"model": translator.name, "checksum": translator.checksum, **_style(asked), **asdict(evaluation.scores)}
    record |= flat
    return json.dumps(_rounded(record), ensure_ascii=False) + "\n"


def _style(asked: Defaults) -> dict[str, str]:
    """Domain and formality of the whole set, where given."""
    return {name: value for name in ("domain", "formality") if (value := getattr(asked, name)) is not None}


def _rounded(value: object) -> object:
    """Numbers rounded to four decimals, also inside dictionaries."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def _table(evaluation: Evaluation, model: str, asked: Defaults) -> str:
    scores = evaluation.scores
    rows = [
        ("model", ", ".join([model, evaluation.direction, *_style(asked).values()])),
        ("segments", f"{evaluation.num_segments:,}"),
        ("BLEU", f"{scores.bleu:.1f}   {scores.signatures['bleu']}"),
        ("chrF", f"{scores.chrf:.1f}   {scores.signatures['chrf']}"),
        ("TER", f"{scores.ter:.1f}   {scores.signatures['ter']}"),
    ]
    if evaluation.num_constrained:
        shown = _share(evaluation.num_constrained_met, evaluation.num_constrained)
        rows.append(("constraints", f"{shown} segments met in full"))
    if evaluation.num_phrases:
        rows.append(("phrases", f"{_share(evaluation.num_phrases_met, evaluation.num_phrases)} met"))
    if evaluation.num_terms:
        rows.append(("terms", f"{_share(evaluation.num_terms_met, evaluation.num_terms)} in the translation"))
        overlaps = [
            f"{100 * share:.1f} % ({window} words on each side)"
            for window, share in evaluation.window_overlaps.items()
            if share is not None
        ]
        among = f"in {evaluation.num_window_segments:,} segments with a term in the reference"
        rows.append(("overlap", f"{', '.join(overlaps)}, {among}" if overlaps else "no term occurs in the reference"))
    rows.append(
        (
            "time",
            f"{evaluation.seconds:.1f} s, {evaluation.segments_per_second:.1f} segments/s, "
            f"{evaluation.words_per_second:.1f} words/s",
        )
    )
    return "".join(f"{name:<13}{value}\n" for name, value in rows)


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({100 * part / whole:.1f} %)"


def _warn(evaluation: Evaluation, messages: TextIO) -> None:
    """Print which lines have no translation, and the reason for the first."""
    numbers = evaluation.untranslated
    if numbers:
        shown = ", ".join(map(str, numbers[:_MOST_NAMED])) + (", ..." if len(numbers) > _MOST_NAMED else "")
        first = evaluation.translations[numbers[0] - 1]
        reason = first.reasons[0].message if first.reasons else first.status
        print(
            f"segments without a translation, which count as empty lines: {len(numbers):,} of "
            f"{evaluation.num_segments:,} ({shown}); the first because {reason}",
            file=messages,
        )
