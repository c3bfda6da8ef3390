"""Reads a parallel corpus: gzipped TSV training files and paired text files for development and test.

    train.*.tsv.gz   source, target, source_id, domain; no header
    dev/, test/      NAME.LANGUAGE, one sentence a line
    SOURCES.tsv      source_id, repo, licence, pairs, words_en, words_de, domain; with a header

Pairs of which a model wrote one side have files of the same format in a folder of their own, `synthetic.en.*.tsv.gz`
where it wrote the English; that is their domain too. Checks and selects lines; independent of pieces.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.errors import TrainingError

HELD_OUT_WORDS: Final = 6  # so many words in a row of a held-out sentence exclude a pair


@dataclass(frozen=True, slots=True)
class SentencePair:
    """One training pair, in the column order of the corpus."""

    first: str
    second: str
    source_id: str
    domain: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Selects pairs: by domain, each with a maximum number of words of the first side, without some sources."""

    max_words: Mapping[str, int]
    without: frozenset[str] = frozenset()

    def wants(self, pair: SentencePair) -> bool:
        limit = self.max_words.get(pair.domain)
        if limit is None or pair.source_id in self.without:
            return False
        return len(pair.first.split()) <= limit and len(pair.second.split()) <= 2 * limit


def training_files(corpus: Path) -> list[Path]:
    files = sorted(corpus.glob("train.*.tsv.gz"))
    if not files:
        raise TrainingError(f"{corpus} does not contain train.*.tsv.gz; give the folder of the corpus")
    return files


def read_pairs(corpus: Path) -> Iterator[SentencePair]:
    """All training pairs. Raises TrainingError with the file and line of a malformed pair."""
    yield from _read_files(training_files(corpus))


def synthetic_domain(language: str) -> str:
    """The domain of pairs whose side in `language` a model wrote."""
    return f"synthetic.{language}"


def read_synthetic(folder: Path, languages: tuple[str, str]) -> Iterator[SentencePair]:
    """All pairs of a folder that back-translation wrote, for both written languages."""
    domains = [synthetic_domain(language) for language in languages]
    files = {domain: sorted(folder.glob(f"{domain}.*.tsv.gz")) for domain in domains}
    if not any(files.values()):
        raise TrainingError(
            f"{folder} does not contain {domains[0]}.*.tsv.gz or {domains[1]}.*.tsv.gz; make some with "
            "`python -m engine.train back-translate`"
        )
    for domain, paths in files.items():
        for pair in _read_files(paths):
            if pair.domain != domain:
                raise TrainingError(
                    f"{folder}: a pair of {domain}.*.tsv.gz is of domain {pair.domain!r}; make it again"
                )
            yield pair


def _read_files(paths: Sequence[Path]) -> Iterator[SentencePair]:
    for path in paths:
        try:
            with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
                for number, line in enumerate(lines, start=1):
                    yield _parse(path, number, line.rstrip("\r\n"))
        except UnicodeDecodeError as error:
            raise TrainingError(f"{path} is not UTF-8 ({error.reason}); convert it") from error
        except (OSError, EOFError, zlib.error) as error:
            raise TrainingError(f"{path} cannot be read ({error}); copy it again") from error


def _parse(path: Path, number: int, line: str) -> SentencePair:
    columns = line.split("\t")
    if len(columns) != 4:
        raise TrainingError(
            f"{path} line {number}: expected source<TAB>target<TAB>source_id<TAB>domain, found {len(columns)} columns"
        )
    for name, value in zip(("source", "target", "source_id", "domain"), columns, strict=True):
        if not value.strip():
            raise TrainingError(f"{path} line {number}: {name} is empty; fill it or drop the line")
    return SentencePair(*columns)


def read_set(corpus: Path, name: str, languages: tuple[str, str]) -> list[tuple[str, str]]:
    """The pairs of a development or test set, such as "dev/multi30k.val"."""
    sides = []
    for language in languages:
        path = corpus / f"{name}.{language}"
        try:
            sides.append(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))
        except FileNotFoundError:
            raise TrainingError(f"{path} is missing; name a set as in dev/multi30k.val") from None
        except (OSError, UnicodeDecodeError) as error:
            raise TrainingError(f"{path} cannot be read as UTF-8 ({error})") from error
    if len(sides[0]) != len(sides[1]):
        raise TrainingError(
            f"{corpus / name}: {len(sides[0])} lines in .{languages[0]}, {len(sides[1])} in .{languages[1]}; "
            "the sides must match line by line"
        )
    return list(zip(*sides, strict=True))


def read_licences(corpus: Path) -> dict[str, tuple[str, str]]:
    """Origin and licence of every source, word for word as SOURCES.tsv states them."""
    return {row["source_id"]: (row["repo"], row["licence"]) for row in _read_sources(corpus)}


def read_domains(corpus: Path) -> dict[str, str]:
    """The domain of every source."""
    return {row["source_id"]: row["domain"] for row in _read_sources(corpus)}


def _read_sources(corpus: Path) -> list[dict[str, str]]:
    path, columns = corpus / "SOURCES.tsv", {"source_id", "repo", "licence", "domain"}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(f"{path} cannot be read as UTF-8 ({error}); it names the licence of each source") from error
    for number, row in enumerate(rows, 2):
        if missing := sorted(name for name in columns if not row.get(name)):
            raise TrainingError(f"{path} line {number}: {missing[0]} is missing; the model's card names each source")
    return rows


class HeldOut:
    """The sentences of held-out sets, to keep them out of the training data."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self._sentences: set[str] = set()
        self._runs: set[str] = set()
        for sentence in sentences:
            words = _words(sentence)
            self._sentences.add(" ".join(words))
            self._runs.update(_runs(words))

    @classmethod
    def of(cls, corpus: Path, languages: tuple[str, str]) -> HeldOut:
        """The sentences of all sets in dev/ and test/."""
        suffix = f".{languages[0]}"
        files = [path for folder in ("dev", "test") for path in sorted((corpus / folder).glob(f"*{suffix}"))]
        names = [f"{path.parent.name}/{path.name.removesuffix(suffix)}" for path in files]
        return cls(text for name in names for pair in read_set(corpus, name, languages) for text in pair)

    def contains(self, text: str) -> bool:
        """Whether a text of three words or more is a held-out sentence, or has a long run of words of one."""
        words = _words(text)
        return (len(words) >= 3 and " ".join(words) in self._sentences) or not self._runs.isdisjoint(_runs(words))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _runs(words: list[str]) -> Iterator[str]:
    return (" ".join(words[i : i + HELD_OUT_WORDS]) for i in range(len(words) - HELD_OUT_WORDS + 1))
