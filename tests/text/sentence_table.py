"""The table of sentences `tests/data/sentences.tsv`, and how well a splitter does on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

TABLE = Path(__file__).parent.parent / "data" / "sentences.tsv"

Splitter = Callable[[str, str], list[int]]  # text and language to the starts of further sentences


@dataclass(frozen=True)
class Row:
    """A text and the starts of its further sentences. `reason` is why the splitter is known to be wrong, or empty."""

    language: str
    kind: str
    text: str
    starts: list[int]
    reason: str

    def marked(self, starts: Iterable[int]) -> str:
        """The text with a mark at each of `starts`."""
        text = self.text
        for start in sorted(starts, reverse=True):
            text = f"{text[:start]}|{text[start:]}"
        return text


@dataclass
class Score:
    """Counts of breaks: found and right, found, and in the table; and the rows with every break right."""

    num_right: int = 0
    num_found: int = 0
    num_wanted: int = 0
    num_rows: int = 0
    num_exact_rows: int = 0

    @property
    def precision(self) -> float:
        """The share of the breaks found that are right; 1 if none was found."""
        return self.num_right / self.num_found if self.num_found else 1.0

    @property
    def recall(self) -> float:
        """The share of the breaks of the table that were found."""
        return self.num_right / self.num_wanted if self.num_wanted else 1.0

    def add(self, row: Row, found: list[int]) -> None:
        self.num_right += len({*found} & {*row.starts})
        self.num_found += len({*found})
        self.num_wanted += len(row.starts)
        self.num_rows += 1
        self.num_exact_rows += found == row.starts


@dataclass
class Scores:
    """The scores by language, and of all rows."""

    total: Score = field(default_factory=Score)
    by_language: dict[str, Score] = field(default_factory=dict)


def rows() -> list[Row]:
    """The rows of the table."""
    found = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        language, kind, marked, *reason = line.split("\t")
        parts = marked.split("|")
        starts = [sum(map(len, parts[:number])) for number in range(1, len(parts))]
        found.append(Row(language, kind, "".join(parts), starts, "".join(reason)))
    return found


def scores(split: Splitter, table: Iterable[Row]) -> Scores:
    """The scores of a splitter."""
    result = Scores()
    for row in table:
        found = split(row.text, row.language)
        for score in (result.total, result.by_language.setdefault(row.language, Score())):
            score.add(row, found)
    return result
