"""Analysis of documents before work: words by how much of each segment is known already, and the price by a rate card.

Each segment is in one band: translated in the memory, a repetition of an earlier segment, similar to a source of the
memory, or new. The names of bands and the table of `analysis_csv` are those that other tools and offices read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from app.formats.documents import Export
from app.log.records import SavedSegment, SessionRecord
from app.precedence import giving_way
from app.text.nontranslatables import nontranslatables, without_markup
from app.text.words import count_words, counting_unit
from app.text.workbook import Cell, Sheet, csv_table, workbook

Band = Literal["exact", "repeated", "across", "95", "85", "75", "50", "new"]
BANDS: Final[tuple[Band, ...]] = get_args(Band)
MIN_RATE: Final = 50  # percent, of the least similar source that counts as a match
_FROM: Final[tuple[tuple[int, Band], ...]] = ((95, "95"), (85, "85"), (75, "75"), (MIN_RATE, "50"))
_TITLES: Final[dict[Band, str]] = {
    "exact": "100%",
    "repeated": "Repetitions",
    "across": "Repetitions of other documents",
    "95": "95% - 99%",
    "85": "85% - 94%",
    "75": "75% - 84%",
    "50": "50% - 74%",
    "new": "New",
}
# The columns of the log of Trados, which has no own one for repetitions of other documents, and the bands in them.
_LOG_COLUMNS: Final[tuple[tuple[str, tuple[Band, ...]], ...]] = (
    ("Context TM", ()),
    ("Repetitions", ("repeated", "across")),
    ("100%", ("exact",)),
    ("95% - 99%", ("95",)),
    ("85% - 94%", ("85",)),
    ("75% - 84%", ("75",)),
    ("50% - 74%", ("50",)),
    ("No Match", ("new",)),
    ("Total", BANDS),
)


@dataclass(slots=True)
class Count:
    """Segments with their words, characters without tags, and tags and placeholders."""

    num_segments: int = 0
    num_words: int = 0
    num_characters: int = 0
    num_placeables: int = 0

    def add(self, source: str) -> None:
        """Counts one more segment."""
        self.num_segments += 1
        self.num_words += count_words(source)
        self.num_characters += len(without_markup(source))
        self.num_placeables += len(nontranslatables(source))

    def __add__(self, other: Count) -> Count:
        return Count(*map(sum, zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class AnalysedDocument:
    """The counts of a document, by band."""

    session_id: int
    name: str
    counts: dict[Band, Count] = field(default_factory=lambda: {band: Count() for band in BANDS})

    def sum(self, bands: Sequence[Band] = BANDS) -> Count:
        """The segments in these bands together."""
        return sum((self.counts[band] for band in bands), Count())


@dataclass(frozen=True, slots=True)
class RateCard:
    """What a word of each band costs, in percent of the price of a new word."""

    percents: dict[Band, float]
    price: float = 0.0

    def num_weighted(self, counts: dict[Band, Count]) -> float:
        """The words as if all were new."""
        return sum(counts[band].num_words * self.percents[band] / 100 for band in BANDS)


@dataclass(frozen=True, slots=True)
class Analysis:
    """Documents in the order of the analysis: a later one repeats an earlier one. `unit`: what is counted."""

    documents: tuple[AnalysedDocument, ...]
    unit: str

    @property
    def total(self) -> dict[Band, Count]:
        """The counts of all documents together."""
        return {band: sum((one.counts[band] for one in self.documents), Count()) for band in BANDS}


def analysis_of(sessions: Iterable[SessionRecord], best_rate: Callable[[SessionRecord, SavedSegment], int]) -> Analysis:
    """The analysis of the documents of these sessions.

    `best_rate` returns the rate of a segment's best match in the memory in percent, and 0 without one. A source is
    looked up where it occurs first.
    """
    documents = []
    # By direction, source and form (such as a plural): the session where it occurs first, and those in the memory.
    first_in: dict[tuple[str, str, str], int] = {}
    exact: set[tuple[str, str, str]] = set()
    unit = "words"
    for session in sessions:
        document = AnalysedDocument(session.id, session.document.name)
        documents.append(document)
        unit = counting_unit(session.direction.partition("-")[0])
        forms = session.document.forms()
        for segment in giving_way(session.segments):
            if not segment.source:
                continue  # merged into another
            key = session.direction, segment.source, forms.get(segment.index, "")
            band: Band = "exact"
            if key not in first_in:
                rate = best_rate(session, segment)
                first_in[key] = session.id
                if rate == 100:
                    exact.add(key)
                else:
                    band = next((band for lowest, band in _FROM if rate >= lowest), "new")
            elif key not in exact:
                band = "repeated" if first_in[key] == session.id else "across"
            document.counts[band].add(segment.source)
    return Analysis(tuple(documents), unit)


def analysis_workbook(analysis: Analysis, card: RateCard) -> Export:
    """An Excel workbook: the quote by bands, and the words of each document."""
    total = analysis.total
    rows: list[list[Cell]] = []
    for band in BANDS:
        count, percent = total[band], card.percents[band]
        weighted = count.num_words * percent / 100
        numbers = [count.num_segments, count.num_words, count.num_characters, count.num_placeables]
        rows.append([_TITLES[band], *numbers, percent, round(weighted, 2), round(weighted * card.price, 2)])
    whole, weighted = sum(total.values(), Count()), card.num_weighted(total)
    numbers = list(dataclasses.astuple(whole))
    rows.append(["Total", *numbers, "", round(weighted, 2), round(weighted * card.price, 2)])
    unit = analysis.unit
    documents: list[list[Cell]] = []
    for one in analysis.documents:
        count = one.sum()
        by_band = [one.counts[band].num_words for band in BANDS]
        weighted = round(card.num_weighted(one.counts), 2)
        documents.append([one.name, count.num_segments, count.num_words, *by_band, weighted])
    head = ("band", "segments", unit, "characters", "placeables", "rate in percent", f"weighted {unit}", "price")
    names = [_TITLES[band] for band in BANDS]
    sheets = [
        Sheet("Analysis", rows, head, (32, 11, 11, 11, 11, 15, 15, 11)),
        Sheet("Documents", documents, ("document", "segments", unit, *names, f"weighted {unit}"), (40, 11, 11)),
    ]
    return Export("analysis.xlsx", workbook(sheets))


def analysis_csv(analysis: Analysis) -> Export:
    """The analysis as the CSV log of Trados, which other tools and offices read; one row for each document."""
    heads = [cell for title, _ in _LOG_COLUMNS for cell in (title, "", "", "")]
    names = ["Segments", "Words", "Placeables", "Percent"] * len(_LOG_COLUMNS)
    rows: list[list[Cell]] = [["", "", "", *heads], ["File", "Tagging Errors", "Chars/Word", *names]]
    for one in analysis.documents:
        whole = one.sum()
        row: list[Cell] = [one.name, 0, round(whole.num_characters / max(1, whole.num_words), 2)]
        for _, bands in _LOG_COLUMNS:
            count = one.sum(bands)
            percent = round(100 * count.num_words / max(1, whole.num_words))
            row += [count.num_segments, count.num_words, count.num_placeables, percent]
        rows.append(row)
    return Export("analysis.csv", csv_table(rows, delimiter=";"))
