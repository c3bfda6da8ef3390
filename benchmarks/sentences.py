"""Compares libraries that split texts into sentences, on the table `tests/data/sentences.tsv`.

    python -m benchmarks.sentences [--repeats N] [--output FOLDER]

A library that is not installed is left out. For a language that it lacks, a library splits as it does for English. Each
library is measured alone, and with the rules of `engine.text.sentence_rules` on top.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.paper_dba import commit, processor
from engine import sentence_spans
from engine.text.sentence_rules import rules_of
from tests.text.sentence_table import Row, Score, Splitter, rows, scores

KEPT = Path(__file__).parent / "results" / "sentences"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="the fastest of so many runs counts (%(default)s)")
    parser.add_argument("--output", type=Path, default=KEPT, help="folder of results.json (%(default)s)")
    options = parser.parse_args(arguments)
    table = rows()
    libraries: dict[str, Any] = {}
    for name, make in LIBRARIES.items():
        try:
            split = make()
            number = "" if name == "Pinpoint" else version(name)
        except (ImportError, PackageNotFoundError):
            print(f"{name}: not installed; see requirements-sentences.txt", file=sys.stderr)
            continue
        libraries[name] = {"version": number, **measured(split, table, options.repeats)}
        if name != "Pinpoint":
            libraries[name]["with_rules"] = figures(scores(corrected(split), table).total)
        print(f"{name}: {libraries[name]['all']}, {libraries[name]['seconds_per_1000_texts']} s", file=sys.stderr)
    result = {
        "commit": commit(),
        "processor": processor(),
        "num_texts": len(table),
        "num_languages": len({row.language for row in table}),
        "libraries": libraries,
    }
    options.output.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (options.output / "results.json").write_text(f"{text}\n", encoding="utf-8")


def measured(split: Splitter, table: Sequence[Row], repeats: int) -> dict[str, Any]:
    """Precision and recall of breaks and the share of exact rows, of all languages and of each, and the time."""
    result = scores(split, table)
    seconds = []
    for _ in range(repeats):
        started = time.process_time()
        for row in table:
            split(row.text, row.language)
        seconds.append(time.process_time() - started)
    return {
        "seconds_per_1000_texts": round(min(seconds) / len(table) * 1000, 4),
        "all": figures(result.total),
        "languages": {language: figures(score) for language, score in sorted(result.by_language.items())},
    }


def corrected(split: Splitter) -> Splitter:
    """The splitter with our rules on top; a number or mark belongs to the sentence after it."""

    def with_rules(text: str, language: str) -> list[int]:
        starts: list[int] = []
        begin = 0
        for start in rules_of(language).corrected(text, split(text, language)):
            if any(map(str.isalpha, text[begin:start])):
                starts.append(start)
                begin = start
        return starts

    return with_rules


def figures(score: Score) -> dict[str, float]:
    return {
        "precision": round(score.precision, 3),
        "recall": round(score.recall, 3),
        "exact": round(score.num_exact_rows / score.num_rows, 3),
    }


def starts_of(text: str, sentences: Iterable[str]) -> list[int]:
    """The starts of the sentences behind the first; one that the library has changed is passed over."""
    starts = []
    position = 0
    for sentence in sentences:
        start = text.find(sentence.strip(), position)
        if start >= 0 and sentence.strip():
            starts.append(start)
            position = start + len(sentence.strip())
    return starts[1:]


def _pinpoint() -> Splitter:
    return lambda text, language: [start for start, _ in sentence_spans(text, language)][1:]


def _sentencex() -> Splitter:
    from sentencex import segment

    return lambda text, language: starts_of(text, segment(language, text))


def _pysbd() -> Splitter:
    import pysbd
    from pysbd.languages import LANGUAGE_CODES

    segmenters = {code: pysbd.Segmenter(language=code, clean=False) for code in LANGUAGE_CODES}
    return lambda text, language: starts_of(text, segmenters.get(language, segmenters["en"]).segment(text))


def _syntok() -> Splitter:
    from syntok import segmenter

    def split(text: str, language: str) -> list[int]:
        sentences = [sentence for paragraph in segmenter.process(text) for sentence in paragraph]
        return [sentence[0].offset for sentence in sentences][1:]

    return split


def _sentence_splitter() -> Splitter:
    from sentence_splitter import SentenceSplitter, SentenceSplitterException

    splitters: dict[str, Any] = {}

    def split(text: str, language: str) -> list[int]:
        if language not in splitters:
            try:
                splitters[language] = SentenceSplitter(language="no" if language == "nb" else language)
            except SentenceSplitterException:
                splitters[language] = SentenceSplitter(language="en")
        return starts_of(text, splitters[language].split(text))

    return split


def _nupunkt() -> Splitter:
    from nupunkt import sent_tokenize

    return lambda text, language: starts_of(text, sent_tokenize(text))


def _blingfire() -> Splitter:
    from blingfire import text_to_sentences

    return lambda text, language: starts_of(text, text_to_sentences(text).split("\n"))


def _spacy() -> Splitter:
    import spacy

    pipelines: dict[str, Any] = {}

    def split(text: str, language: str) -> list[int]:
        if language not in pipelines:
            try:
                pipelines[language] = spacy.blank(language)
            except ImportError:
                pipelines[language] = spacy.blank("en")
            pipelines[language].add_pipe("sentencizer")
        return [sentence.start_char for sentence in pipelines[language](text).sents][1:]

    return split


LIBRARIES: dict[str, Callable[[], Splitter]] = {
    "Pinpoint": _pinpoint,
    "sentencex": _sentencex,
    "pysbd": _pysbd,
    "syntok": _syntok,
    "sentence-splitter": _sentence_splitter,
    "nupunkt": _nupunkt,
    "blingfire": _blingfire,
    "spacy": _spacy,
}

if __name__ == "__main__":
    main()
