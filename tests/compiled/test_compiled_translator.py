"""Requests to a model in the compiled core: the compiled search gives what the batch search gives on the same model."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import pytest
import torch

from engine import Avoid, Follow, Phrase, Request, SearchOptions, Translator, Worker
from engine.bundled_data import DATA_FOLDER
from engine.compiled.c_interface import CoreError
from engine.decoding import precision_trial
from engine.decoding.loop import DecodingJob, decode_all
from engine.interruption import Interruption
from engine.model import compiled_model
from engine.model.compiled_model import KERNEL_NAMES
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
    "prefix": Request(SOURCE, prefix="Der alte Rech"),
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
    monkeypatch.setattr(translator, "_search_compiled", lambda sentences: ())
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
        monkeypatch.setattr(torch, "get_num_threads", lambda number=num_threads: number)
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
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
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


def test_automatic_precision_is_the_core_and_counts_its_searches(core, monkeypatch):
    monkeypatch.setattr(compiled_model, "core", lambda: core)
    monkeypatch.setattr(precision_trial, "_time_ratio", None)  # a trial would fail
    translator = Translator.load(FOLDER, precision="auto")
    assert (
        translator.decoder == f"compiled core, 8 bits ({KERNEL_NAMES[translator._model.transformer.compiled.kernels]})"
    )
    pair = translator.stored_pair(Request(SOURCE), TEXT, origin=1)
    with Worker(translator) as worker:
        worker.submit(Request(SOURCE), OPTIONS).result()
        worker.submit(Request(SOURCE), OPTIONS, datastore=translator.datastore_of([pair])).result()
        statistics = worker.statistics()
        assert worker.facts.decoder == translator.decoder
    assert (statistics.num_compiled, statistics.num_batched) == (1, 1)


def test_automatic_precision_says_why_the_core_does_not_decode(core, monkeypatch):
    monkeypatch.setattr(compiled_model, "core", lambda: core)
    turned_off = Translator.load(FOLDER, precision="auto", is_compiled=False)
    assert (turned_off.precision, turned_off.decoder) == ("float32", "PyTorch: the compiled core is turned off")
    monkeypatch.setattr(core, "kernels", lambda: {"avx2": False, "plain": True})
    without_instructions = Translator.load(FOLDER, precision="auto")
    assert without_instructions.precision == "float32"
    assert "no fast products for this processor" in without_instructions.decoder
    monkeypatch.setattr(compiled_model, "core", lambda: None)
    assert Translator.load(FOLDER, precision="auto").decoder == "PyTorch: the compiled core has not been built"


def test_damaged_core_does_not_keep_a_model_from_loading(monkeypatch):
    def damaged():
        raise CoreError("core.so cannot be loaded")

    monkeypatch.setattr(compiled_model, "core", damaged)
    translator = Translator.load(FOLDER, precision="auto")
    assert translator.decoder == "PyTorch: core.so cannot be loaded"
