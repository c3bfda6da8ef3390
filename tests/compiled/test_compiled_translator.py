"""Requests to a model in the compiled core: the compiled search gives what the batch search gives on the same model."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import pytest

from engine import Avoid, Follow, Phrase, Request, SearchOptions, Translator
from engine.bundled_data import DATA_FOLDER
from engine.decoding.loop import DecodingJob, decode_all
from engine.interruption import Interruption
from engine.search.batching import SearchStream
from engine.translation import Translation

SOURCE = "The old computer in the kitchen opens the file again, but it does not save the settings."
TEXT = "Der alte Computer in der Küche öffnet die Datei wieder, aber er speichert die Einstellungen nicht."
OPTIONS = SearchOptions(beam=6, nbest=4)
REQUESTS = {
    "plain": Request(SOURCE),
    "phrases": Request(SOURCE, phrases=(Phrase("Rechner"), Phrase("Küche", forms=("Kochecke",), case="auto"))),
    "boundaries": Request(SOURCE, phrases=(Phrase("Datei", boundary="compound"), Phrase("spei", boundary="anywhere"))),
    "counts": Request(SOURCE, phrases=(Phrase("die", count=2, max_count=2),)),
    "avoided": Request(SOURCE, avoid=(Avoid("Computer"), Avoid("DIE", case="permissive"))),
    "prefix": Request(SOURCE, prefix="Der alte Rech"),
    "locked": Request(SOURCE, locked=("Computer", "Datei"), suffix="nicht."),
    "follow": Request(SOURCE, phrases=(Phrase("Rechner"),), follow=Follow(TEXT)),
    "infeasible": Request(SOURCE, phrases=(Phrase("Datei"),), avoid=("Datei öffnen",), prefix="Datei zu. "),
}


@pytest.fixture(scope="module")
def translator(core) -> Translator:
    return Translator.load(DATA_FOLDER / "models" / "en-de", precision="int8")


def decoded(
    translator: Translator, request: Request, options: SearchOptions, **job
) -> tuple[Translation, SearchStream]:
    """The translation, and the search that has found it."""
    loop = translator.whole_loop(1, "batch")
    waiting = DecodingJob(request, options, **job)
    decode_all(loop, [waiting])
    return replace(waiting.result(), elapsed_ms=0.0), loop._search


@pytest.mark.parametrize("kind", REQUESTS)
@pytest.mark.parametrize(
    "more",
    [
        {},
        {
            "late_penalty": 2.0,
            "repetition_penalty": 1.0,
            "bank_threshold": 3.0,
            "max_children": 3,
            "crowding": "spread",
        },
    ],
)
def test_translation_is_that_of_the_batch_search(translator, kind, more, monkeypatch):
    options = replace(OPTIONS, **more)
    found, search = decoded(translator, REQUESTS[kind], options)
    monkeypatch.setattr(translator, "_search_compiled", lambda sentence: None)
    expected, batch_search = decoded(translator, REQUESTS[kind], options)
    assert found == expected
    counts = search.counts
    assert counts.num_compiled > 0
    assert replace(counts, num_compiled=0) == batch_search.counts


def test_request_with_a_datastore_is_decoded_by_the_batch_search(translator):
    pair = translator.stored_pair(Request(SOURCE), TEXT, origin=1)
    _, search = decoded(translator, Request(SOURCE), OPTIONS, datastore=translator.datastore_of([pair]))
    assert search.counts.num_compiled == 0
    assert search.counts.num_steps > 0


def test_cancelled_request_has_no_translation(translator):
    cancel = Event()
    cancel.set()
    found, search = decoded(translator, Request(SOURCE), OPTIONS, interruption=Interruption(cancel))
    assert found.status == "cancelled"
    assert search.counts.num_steps == 0
