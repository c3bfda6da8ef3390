"""Learning through the whole path: what a person has confirmed comes back, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engine import (
    Avoid,
    Datastore,
    DatastoreOptions,
    Follow,
    InvalidRequest,
    LearningQuestion,
    Phrase,
    Request,
    SearchOptions,
    StoredPair,
    Translator,
    Worker,
)
from engine.decoding.loop import DecodingJob
from tests.test_translator import make_translator

SOURCE = "Click on “Apply” to save the settings for all nodes."
TARGET = "Klicken Sie auf „Übernehmen“, um die Einstellungen für alle Knoten zu speichern."
OTHER = "Open the dialog of the editor."
OPTIONS = SearchOptions(beam=5, nbest=3)
MODEL_FOLDER = Path(__file__).parents[2] / "data/models/en-de"
# Neighbours of all distances count, and whatever a random model makes of the source
WIDE = DatastoreOptions(share=0.9, reach=5.0, least_fit=-100.0)
PAIRS = (
    ("Open the file.", "Öffnen Sie die Datei."),
    ("The printer is not connected to the network.", "Der Drucker ist nicht mit dem Netzwerk verbunden."),
    ("All settings are saved in this folder.", "Alle Einstellungen werden in diesem Ordner gespeichert."),
    ("Two dogs are running on the beach.", "Zwei Hunde laufen am Strand."),
    ("You can change the password at any time.", "Sie können das Passwort jederzeit ändern."),
)
REQUESTS = {
    "free": Request(OTHER),
    "pins": Request(OTHER, phrases=[Phrase("Knoten"), Phrase("alle Seiten")]),
    "bans and terms": Request(OTHER, phrases=[Phrase("Straße", forms=("Straßen",))], avoid=[Avoid("Sie")]),
    "prefix": Request(OTHER, prefix="Klicken Sie auf den Kno"),
    "locked": Request(OTHER, locked=["Knoten", "Einstellungen"], suffix="speichern."),
    "previous text": Request(OTHER, phrases=[Phrase("Knoten")], follow=Follow(TARGET, 0.5)),
}


def contradictions(datastore: Datastore) -> list[StoredPair]:
    """Pairs with the states of the first one and other pieces, of which the model itself was sure."""
    first = datastore.pairs[0]
    shifted = [first.pieces_T.roll(shift) for shift in (1, 2, 3)]
    return [
        replace(first, pieces_T=pieces_T, log_probs_T=torch.full_like(first.log_probs_T, -0.1)) for pieces_T in shifted
    ]


def learned(translator: Translator) -> Datastore:
    return translator.learn(Request(SOURCE), TARGET, origin="first", options=WIDE)


@pytest.fixture(scope="module", params=["float32", "table", "ssru"])
def translator(request, codec) -> Translator:
    """A random model in each way of decoding, and one with a recurrence, as imported models may have."""
    made = make_translator(codec, **({"decoder": "ssru", "norm": "after"} if request.param == "ssru" else {}))
    return Translator(made._model, compaction_interval=2) if request.param == "table" else made


@pytest.fixture(scope="module")
def plain(codec) -> Translator:
    return make_translator(codec)


@pytest.fixture(scope="module")
def bundled() -> Translator:
    return Translator.load(MODEL_FOLDER)


@pytest.mark.parametrize("kind", REQUESTS)
def test_search_scores_equal_forced_decoding_with_the_datastore(translator, kind):
    datastore = learned(translator)
    translation = translator.translate(REQUESTS[kind], OPTIONS, datastore=datastore)
    assert translation.status == "complete"
    for found in translation.hypotheses:
        mixed = translator.score(OTHER, tokens=found.tokens, datastore=datastore)
        assert found.token_log_probs == pytest.approx(mixed.token_log_probs, abs=2e-3)
        assert found.log_prob != pytest.approx(translator.score(OTHER, tokens=found.tokens).log_prob, abs=0.1)


def test_confirmed_translation_comes_back(translator):
    best = translator.translate(Request(SOURCE), OPTIONS, datastore=learned(translator)).hypotheses[0]
    assert best.text == TARGET
    assert translator.translate(Request(SOURCE), OPTIONS).hypotheses[0].text != TARGET


def test_requests_without_a_datastore_are_unchanged_in_a_batch_with_others(translator):
    datastore = learned(translator)
    jobs = [*REQUESTS.values()]
    with_it = [translator.translate(request, OPTIONS, datastore=datastore) for request in jobs]
    loop = translator.decoding_loop(2 * len(jobs))
    decoding = [DecodingJob(request, OPTIONS, datastore=own) for request in jobs for own in (None, datastore)]
    for job in decoding:
        loop.add(job)
    while len(loop):
        loop.step()
    results = [job.result() for job in decoding]
    alone = [translator.translate(request, OPTIONS) for request in jobs]
    for found, expected in zip(results, [t for pair in zip(alone, with_it, strict=True) for t in pair], strict=True):
        assert [h.text for h in found.hypotheses] == [h.text for h in expected.hypotheses]
        assert [h.score for h in found.hypotheses] == pytest.approx([h.score for h in expected.hypotheses], abs=1e-3)


def test_optimal_stopping_equals_a_search_to_the_end(translator):
    datastore = learned(translator)
    for request in (REQUESTS["free"], REQUESTS["pins"]):
        found, expected = (
            translator.translate(
                request, replace(OPTIONS, stopping=stopping, pruning_threshold=None), datastore=datastore
            )
            for stopping in ("optimal", "all_finished")
        )
        assert [h.text for h in found.hypotheses] == [h.text for h in expected.hypotheses]


@pytest.mark.parametrize("use", ["free", "harmful", "empty"])
def test_a_datastore_that_is_not_used_changes_no_bit(translator, use):
    datastore = learned(translator)
    if use == "harmful":
        datastore = datastore.with_pairs([*datastore.pairs, *contradictions(datastore)])
        assert not datastore.is_helpful
    plain = translator.translate(REQUESTS["pins"], OPTIONS)
    unused = {"free": None, "harmful": datastore, "empty": datastore.with_pairs(())}[use]
    again = translator.translate(REQUESTS["pins"], OPTIONS, datastore=unused)
    assert replace(again, elapsed_ms=0.0) == replace(plain, elapsed_ms=0.0)


def test_cached_prefix_is_scored_by_the_datastore_of_the_request(plain):
    """The same prefix is read without a datastore, with one, with a larger one, and without again."""
    one = learned(plain)
    two = plain.learn(Request(OTHER), "Klicken Sie auf den Knoten.", one)
    for datastore in (None, one, two, None):
        found = plain.translate(REQUESTS["prefix"], OPTIONS, datastore=datastore).hypotheses[0]
        expected = plain.score(OTHER, tokens=found.tokens, datastore=datastore)
        assert found.token_log_probs == pytest.approx(expected.token_log_probs, abs=2e-3)


def test_alternatives_and_prices_use_the_datastore(plain):
    datastore = learned(plain)
    best = plain.translate(Request(SOURCE), OPTIONS, datastore=datastore).hypotheses[0]
    for alternative in plain.alternatives(Request(SOURCE), best, 0, 2, OPTIONS, datastore=datastore):
        tokens = alternative.hypothesis.tokens
        expected = plain.score(SOURCE, tokens=tokens, datastore=datastore)
        assert alternative.hypothesis.log_prob == pytest.approx(expected.log_prob, abs=1e-2)
    priced = plain.price(replace(REQUESTS["pins"], source=SOURCE), OPTIONS, datastore=datastore)
    assert priced.free.hypotheses[0].text == TARGET


def test_gain_is_the_log_probability_added_by_the_datastore(plain):
    datastore = learned(plain)
    assert datastore.gains == ()
    with_it = plain.score(OTHER, "Seite", datastore=datastore).log_prob
    [gain] = plain.learn(Request(OTHER), "Seite", datastore).gains
    assert gain == pytest.approx(with_it - plain.score(OTHER, "Seite").log_prob, abs=1e-3)


def test_translation_that_does_not_fit_its_source_is_not_learned(plain):
    strict = replace(WIDE, least_fit=100.0)
    datastore = plain.learn(Request(SOURCE), TARGET, options=strict)
    assert datastore.pairs == ()
    assert plain.learn(Request(OTHER), "Seite", datastore) is datastore
    fit = plain.score(SOURCE, TARGET).score - plain.score(".", TARGET).score
    for margin, is_learned in ((-0.01, True), (0.01, False)):
        assert (plain.stored_pair(Request(SOURCE), TARGET, least_fit=fit + margin) is not None) == is_learned


def test_wrong_translations_are_not_learned(bundled):
    for number, (source, target) in enumerate(PAIRS):
        assert bundled.stored_pair(Request(source, direction="en-de"), target) is not None
        wrong = PAIRS[number - 1][1]
        assert bundled.stored_pair(Request(source, direction="en-de"), wrong) is None


def test_datastore_that_contradicts_the_person_is_noticed_and_left_out(bundled):
    datastore = bundled.datastore_of((), DatastoreOptions(reach=0.5, least_fit=-100.0))
    for source, _ in PAIRS:
        datastore = bundled.learn(Request(source, direction="en-de"), "Die Katze schläft auf dem Sofa.", datastore)
    assert datastore.is_helpful  # nothing contradicts it yet
    for source, target in PAIRS:
        datastore = bundled.learn(Request(source, direction="en-de"), target, datastore)
        if not datastore.is_helpful:
            break
    assert not datastore.is_helpful
    request = Request("Save the file.", direction="en-de")
    free, unused = (bundled.translate(request, OPTIONS, datastore=own) for own in (None, datastore))
    assert unused.hypotheses == free.hypotheses


def test_a_pair_is_forgotten_as_if_it_had_never_been_learned(plain):
    first = learned(plain)
    both = plain.learn(Request(OTHER), "Seite", first, origin="second")
    again = both.with_pairs([pair for pair in both.pairs if pair.origin != "second"])
    found, expected = (plain.translate(REQUESTS["pins"], OPTIONS, datastore=own) for own in (again, first))
    assert replace(found, elapsed_ms=0.0) == replace(expected, elapsed_ms=0.0)


def test_translation_names_the_pairs_it_draws_from(plain):
    datastore = plain.learn(Request(OTHER), "%s", learned(plain), origin="second")
    assert plain.translate(Request(SOURCE), OPTIONS, datastore=datastore).learned_from == ("first",)
    assert plain.translate(Request(SOURCE), OPTIONS).learned_from == ()


def test_learning_is_deterministic(plain):
    one, other = learned(plain), learned(plain)
    assert torch.equal(one.pairs[0].states_TE, other.pairs[0].states_TE)
    assert torch.equal(one.pairs[0].pieces_T, other.pairs[0].pieces_T)


@pytest.mark.parametrize(
    ("request_", "target", "message"),
    [
        (Request(SOURCE), " ", "target is blank"),
        (Request(SOURCE), "Seite " * 300, "this model learns at most"),
        (Request("page " * 300), TARGET, "split the segment"),
        (Request(SOURCE, direction="en-fr"), TARGET, "en-fr"),
    ],
)
def test_unlearnable_translation_is_an_error(plain, request_, target, message):
    with pytest.raises(InvalidRequest, match=message):
        plain.learn(request_, target)


def test_datastore_of_another_model_is_refused(plain):
    other = Datastore("f" * 64)
    for use in (plain.translate, lambda request, datastore: plain.learn(request, TARGET, datastore)):
        with pytest.raises(InvalidRequest, match="learn the pairs again"):
            use(Request(SOURCE), datastore=other)


def test_characters_without_pieces_are_left_out(plain):
    datastore = plain.learn(Request(SOURCE), "Seite \U0001f600 Knoten", options=WIDE)
    never = plain._vocabulary.roles.never
    assert not set(datastore.pairs[0].pieces_T.tolist()) & set(never)


def test_worker_decodes_each_request_with_its_own_datastore(plain):
    datastore = learned(plain)
    with Worker(plain) as worker:
        plain = worker.submit(Request(SOURCE), OPTIONS)
        mixed = worker.submit(Request(SOURCE), OPTIONS, datastore=datastore)
        more = worker.ask(LearningQuestion(Request(OTHER), "Seite", "other", least_fit=-100.0), priority="document")
        assert mixed.result(60).hypotheses[0].text == TARGET != plain.result(60).hypotheses[0].text
        stored, empty = more.result(60)
        assert len(empty.with_pairs([stored]).pairs) == 1
