"""Requests to a model in the compiled core: the compiled search gives what the batch search gives on the same model."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from threading import Event

import pytest

from engine import Avoid, Follow, Phrase, Request, SearchOptions, Translator, Worker
from engine.bundled_data import DATA_FOLDER
from engine.decoding.loop import DecodingJob, decode_all
from engine.interruption import Interruption
from engine.search.batching import SearchStream
from engine.search.compiled import CompiledSearch
from engine.translation import Translation

SOURCE = "The old computer in the kitchen opens the file again, but it does not save the settings."
TEXT = "Der alte Computer in der Küche öffnet die Datei wieder, aber er speichert die Einstellungen nicht."
FOLDER = DATA_FOLDER / "models" / "en-de"
OPTIONS = SearchOptions(beam=6, nbest=4)
REQUESTS = {
    "plain": Request(SOURCE),
    "phrases": Request(SOURCE, phrases=(Phrase("Rechner"), Phrase("Küche", forms=("Kochecke",), case="auto"))),
    "boundaries": Request(SOURCE, phrases=(Phrase("Datei", boundary="compound"), Phrase("spei", boundary="anywhere"))),
    "counts": Request(SOURCE, phrases=(Phrase("die", count=2, max_count=2),)),
    "avoided": Request(SOURCE, avoid=(Avoid("Computer"), Avoid("DIE", case="permissive"))),
    "shared forms": Request(SOURCE, phrases=(Phrase("Datei", forms=("Akte",)), Phrase("Akte", forms=("Datei",)))),
    "avoided within required": Request(SOURCE, phrases=(Phrase("alte Rechner"),), avoid=("Rechner", "alte", "es")),
    "prefix": Request(SOURCE, prefix="Der alte Rech"),
    "prefix and avoided": Request(SOURCE, prefix="Der alte Compu", avoid=("die Datei", "Computer")),
    "locked": Request(SOURCE, locked=("Computer", "Datei"), suffix="nicht."),
    "follow": Request(SOURCE, phrases=(Phrase("Rechner"),), follow=Follow(TEXT)),
    "infeasible": Request(SOURCE, phrases=(Phrase("Datei"),), avoid=("Datei öffnen",), prefix="Datei zu. "),
}


@pytest.fixture(scope="module")
def translator(core) -> Translator:
    return Translator.load(FOLDER, precision="int8")


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
    monkeypatch.setattr(translator.pipeline, "is_compiled", lambda sentence: False)
    core = translator.pipeline._core
    monkeypatch.setattr(translator.pipeline, "decoder", lambda ones: core.decoder([one.source for one in ones]))
    expected, batch_search = decoded(translator, REQUESTS[kind], options)
    assert found == expected
    counts = search.counts
    assert counts.num_compiled > 0
    assert replace(counts, num_compiled=0) == batch_search.counts


def test_sentences_in_several_threads_have_the_translations_of_one(core, monkeypatch):
    requests = [
        (replace(request, source=f"{number}: {request.source}"), OPTIONS)
        for number, request in enumerate((*REQUESTS.values(), *REQUESTS.values()))
    ]
    requests.insert(3, (Request(SOURCE), replace(OPTIONS, beam=2)))
    requests.insert(3, (Request(SOURCE), OPTIONS))  # of the same source
    found = []
    for num_threads in (1, 3):
        translator = Translator.load(FOLDER, precision="int8")
        monkeypatch.setattr("engine.translator.num_threads", lambda number=num_threads: number)
        found.append([replace(one, elapsed_ms=0.0) for one in translator.translate_all_whole(requests)])
        assert len(translator._compiled_searches) == num_threads
    assert found[0] == found[1]


def test_error_in_a_thread_fails_no_other_sentence(translator, monkeypatch):
    def run(search, steps, sentence):
        if sentence.source.source == "Two.":
            raise OSError("broken")
        return searched(search, steps, sentence)

    searched = CompiledSearch.run
    monkeypatch.setattr(CompiledSearch, "run", run)
    monkeypatch.setattr("engine.translator.num_threads", lambda: 3)
    requests = [(Request(text), OPTIONS) for text in ("One.", "Two.", "Three.", "Four.")]
    statuses = [one.status for one in translator.translate_all_whole(requests)]
    assert statuses == ["complete", "failed", "complete", "complete"]


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


def test_statistics_count_what_the_core_has_searched_and_what_batches_have_for_each_reason(translator):
    pair = translator.stored_pair(Request(SOURCE), TEXT, origin=1)
    before, batched_before = translator.num_compiled, Counter(translator.num_batched)
    with Worker(translator) as worker:
        worker.submit(Request(SOURCE), OPTIONS).result()
        worker.submit(Request(SOURCE), OPTIONS, datastore=translator.datastore_of([pair])).result()
        statistics = worker.statistics()
        assert worker.facts.decoder == translator.decoder
    assert statistics.num_compiled == before + 1
    assert Counter(statistics.num_batched) - batched_before == {"learned segments": 1}


def test_statistics_say_that_pytorch_decodes_a_model_that_is_not_in_the_core():
    translator = Translator.load(FOLDER, precision="float32")
    with Worker(translator) as worker:
        worker.submit(Request("The house is old."), SearchOptions(beam=1)).result()
        statistics = worker.statistics()
    assert (statistics.num_compiled, statistics.num_batched) == (0, {"PyTorch: the precision is float32": 1})
