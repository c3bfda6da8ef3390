"""The analysis of documents before work: bands, repetitions, the price, and the files for other tools."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from openpyxl import load_workbook

from app.access.actor import OWNER
from app.errors import CommandError
from app.reports.analysis import BANDS
from app.sessions import Sessions, analyses

KNOWN = b"The light of the router is green.\nOpen the settings of the printer and choose a network.\n"
FIRST = b"The light of the router is green.\nSave it.\nSave it.\nThe light of the router is green.\n"
SECOND = b"Save it.\nOpen the settings of the router and choose a network.\nOpen {name} now.\n"
USUAL = [10, 10, 10, 30, 60, 80, 100, 100]


@pytest.fixture
def documents(sessions: Sessions) -> list[int]:
    """Two documents of a project whose memory has the two sentences of `KNOWN`."""
    known = sessions.open_document(OWNER, KNOWN, "known.txt")
    for index, text in enumerate(("Das Licht des Routers ist grün.", "Öffnen Sie die Einstellungen.")):
        known.confirm(OWNER, index, text)
    opened = (sessions.open_document(OWNER, data, name) for data, name in ((FIRST, "a.txt"), (SECOND, "b.txt")))
    return [workspace.session_id for workspace in opened]


def words(document: dict[str, Any]) -> dict[str, int]:
    return {band: count["num_words"] for band, count in document["counts"].items() if count["num_segments"]}


def test_each_segment_is_counted_in_the_band_of_what_is_known_of_it(sessions: Sessions, documents: list[int]):
    made = sessions.analyses.make(OWNER, documents)
    first, second = made["documents"]
    assert made["unit"] == "words"
    assert words(first) == {"exact": 14, "new": 2, "repeated": 2}, "an exact match stays one where it is repeated"
    assert words(second) == {"across": 2, "85": 10, "new": 3}
    assert second["counts"]["new"]["num_placeables"] == 1
    (alone,) = sessions.analyses.make(OWNER, documents[1:])["documents"]
    assert words(alone) == {"new": 5, "85": 10}, "without the other document, nothing is repeated"


def test_workbook_has_the_price_by_the_rate_card(sessions: Sessions, documents: list[int]):
    key = sessions.analyses.make(OWNER, documents)["key"]
    book = load_workbook(io.BytesIO(sessions.analyses.workbook(OWNER, key, USUAL, 0.2).data))
    rows = {row[0]: row for row in book["Analysis"].iter_rows(values_only=True)}
    assert [rows["100%"][2], *rows["100%"][5:]] == [14, 10, 1.4, 0.28]
    weighted = 14 * 0.1 + 2 * 0.1 + 2 * 0.1 + 10 * 0.6 + 5
    assert rows["Total"][-2:] == (pytest.approx(weighted), pytest.approx(weighted * 0.2))
    assert [row[0] for row in book["Documents"].iter_rows(min_row=2, values_only=True)] == ["a.txt", "b.txt"]


def test_csv_is_the_log_that_other_tools_read(sessions: Sessions, documents: list[int]):
    key = sessions.analyses.make(OWNER, documents)["key"]
    text = sessions.analyses.csv(OWNER, key).data.decode("utf-8-sig")
    bands, names, _first, second = csv.reader(io.StringIO(text), delimiter=";")
    assert bands[3::4] == [
        *("Context TM", "Repetitions", "100%", "95% - 99%", "85% - 94%", "75% - 84%", "50% - 74%", "No Match"),
        "Total",
    ]
    assert names[:7] == ["File", "Tagging Errors", "Chars/Word", "Segments", "Words", "Placeables", "Percent"]
    assert len(bands) == len(names) == len(second)
    found = dict(zip(bands[3::4], second[4::4], strict=True))
    assert {band: int(number) for band, number in found.items() if number != "0"} == {
        "Repetitions": 2,
        "85% - 94%": 10,
        "No Match": 3,
        "Total": 15,
    }


def test_wrong_rates_forgotten_analyses_and_too_many_segments_are_refused(
    sessions: Sessions, documents: list[int], monkeypatch: pytest.MonkeyPatch
):
    key = sessions.analyses.make(OWNER, documents)["key"]
    for percents, price in ((USUAL[1:], 0.1), ([-1.0] * len(BANDS), 0.1), (USUAL, -1), ([float("nan")] * 8, 0.1)):
        with pytest.raises(CommandError, match="percentage"):
            sessions.analyses.workbook(OWNER, key, percents, price)
    with pytest.raises(CommandError, match="make it again"):
        sessions.analyses.csv(OWNER, "other")
    monkeypatch.setattr(analyses, "MAX_ANALYSED", 6)
    with pytest.raises(CommandError, match="more than 6 segments"):
        sessions.analyses.make(OWNER, documents)
