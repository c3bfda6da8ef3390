"""Two models as one, through the language between them: constraints bind in the second, alignments are multiplied."""

from __future__ import annotations

import copy
import threading
import time

import pytest
import torch

from engine import (
    DatastoreOptions,
    Follow,
    InvalidRequest,
    ModelError,
    Phrase,
    PivotTranslation,
    PivotTranslator,
    PriceQuestion,
    Request,
    SearchOptions,
    Translation,
    Translator,
    Worker,
)
from engine.decoding.aligner import through
from engine.decoding.loop import DecodingJob
from engine.interruption import Interruption
from engine.model import AlignmentHead, LoadedModel, ModelConfig, Transformer
from engine.text import TextCodec, occurrences

OPTIONS = SearchOptions(beam=5, nbest=3)
NARROW = SearchOptions(beam=2, nbest=2)
SOURCE = "Der rote Hund liegt im Schnee."


def make_translator(codec: TextCodec, direction: str, seed: int) -> Translator:
    torch.manual_seed(seed)
    config = ModelConfig(len(codec.vocabulary), (direction,), 32, 2, 48, 2, 1, max_pieces=256)
    model, head = Transformer(config), AlignmentHead(config.model_size, 16)
    for parameter in (*model.parameters(), *head.parameters()):
        parameter.data.mul_(2)
    head.query.weight.data.mul_(8)  # sure of itself, so that there are links
    loaded = LoadedModel.of(config, codec, model.eval(), checksum=str(seed) * 64, alignment=head.eval())
    return Translator(loaded, name=direction)


@pytest.fixture(scope="module")
def models(codec: TextCodec) -> tuple[Translator, Translator]:
    """Random models whose language between is English. The codec has direction pieces for German and English only."""
    return make_translator(codec, "de-en", 1), make_translator(codec, "en-de", 2)


@pytest.fixture(scope="module")
def both(models: tuple[Translator, Translator]) -> PivotTranslator:
    return PivotTranslator(*models, "de-en", "en-de")


def test_hypotheses_are_the_second_models_of_the_first_models_best_translation(both, models) -> None:
    phrases = (Phrase("Fahrrad"), Phrase("Apfel", forms=("Äpfel",)))
    result = both.translate(Request(SOURCE, phrases=phrases, avoid=("Haus",)), OPTIONS)
    first = models[0].translate(Request(SOURCE), SearchOptions(nbest=1)).hypotheses[0]
    second = models[1].translate(Request(first.text, phrases=phrases, avoid=("Haus",)), OPTIONS)
    assert (result.pivot, result.pivot_score) == (first.text, pytest.approx(first.score))
    assert both.precision == "float32+float32"
    assert result.status == second.status == "complete"
    assert [h.text for h in result.hypotheses] == [h.text for h in second.hypotheses]
    assert [h.score for h in result.hypotheses] == pytest.approx([h.score for h in second.hypotheses])
    for hypothesis in result.hypotheses:
        assert {p.phrase for p in hypothesis.placements} == {0, 1}
        assert not occurrences(hypothesis.text, "Haus")


def test_two_models_learn_in_the_second_one(both, models) -> None:
    confirmed = "Das ist ein Apfel und kein Fahrrad."
    stored = both.stored_pair(Request(SOURCE), confirmed, origin="here", least_fit=-100.0)
    between = models[0].translate(Request(SOURCE), SearchOptions(nbest=1)).hypotheses[0].text
    expected = models[1].stored_pair(Request(between), confirmed, least_fit=-100.0)
    assert torch.equal(stored.states_TE, expected.states_TE)
    datastore = both.datastore_of([stored], DatastoreOptions(reach=5.0))
    learned = both.translate(Request(SOURCE), OPTIONS, datastore=datastore)
    assert (learned.hypotheses[0].text, learned.learned_from) == (confirmed, ("here",))
    price = both.price(Request(SOURCE, phrases=[Phrase("Haus")]), OPTIONS, datastore=datastore)
    assert price.free.hypotheses[0].text == confirmed
    best = learned.hypotheses[0]
    found = both.alternatives(Request(SOURCE), best, 0, 1, NARROW, datastore=datastore)
    second = models[1].alternatives(Request(between), best, 0, 1, NARROW, datastore=datastore)
    assert [other.hypothesis.log_prob for other in found] == [other.hypothesis.log_prob for other in second]


def test_links_go_from_the_source_to_the_target_by_way_of_the_words_between(both, models) -> None:
    result = both.translate(Request(SOURCE), OPTIONS)
    first = models[0].translate(Request(SOURCE), SearchOptions(nbest=1)).hypotheses[0]
    second = models[1].translate(Request(first.text), OPTIONS)
    num_links = 0
    for hypothesis, between in zip(result.hypotheses, second.hypotheses, strict=True):
        expected = set()
        for place in range(len(first.text)):  # the product, character by character
            sources = {link[:2] for link in first.alignment if link[2] <= place < link[3]}
            targets = {link[2:] for link in between.alignment if link[0] <= place < link[1]}
            expected |= {(*source, *target) for source in sources for target in targets}
        assert set(hypothesis.alignment) == expected
        assert [link[2:] for link in hypothesis.alignment] == sorted(link[2:] for link in hypothesis.alignment)
        num_links += len(expected)
    assert num_links > 0


def test_a_phrase_with_a_source_span_is_judged_by_the_product(both) -> None:
    free = both.translate(Request(SOURCE), OPTIONS).hypotheses[0]
    start, end, target_start, target_end = next(
        link
        for link in free.alignment
        if free.text[link[2]].isalpha() and free.text.count(free.text[link[2] : link[3]]) == 1
    )
    phrase = Phrase(free.text[target_start:target_end], source_span=(start, end))
    result = both.translate(Request(SOURCE, phrases=(phrase,)), OPTIONS)
    for hypothesis in result.hypotheses:
        (placement,) = hypothesis.placements
        links = {link[:2] for link in hypothesis.alignment if link[2] < placement.end and placement.start < link[3]}
        assert placement.aligned == any(a < end and start < b for a, b in links)


def test_scores_prices_and_alternatives_come_from_the_second_model(both, models) -> None:
    request = Request(SOURCE, phrases=(Phrase("Apfel"),), prefix="Der ")
    result = both.translate(request, OPTIONS)
    second = Request(result.pivot, phrases=request.phrases, prefix="Der ")
    best = result.hypotheses[0]
    scored = both.score(SOURCE, tokens=best.tokens)
    assert scored.log_prob == pytest.approx(best.log_prob, abs=1e-4) and scored.alignment == best.alignment
    priced, alone = both.price(request, OPTIONS), models[1].price(second, OPTIONS)
    assert priced.phrases == pytest.approx(alone.phrases) and priced.total == pytest.approx(alone.total)
    assert priced.constrained.request == request and priced.constrained.pivot == result.pivot
    found = both.alternatives(request, best, best.text.index("Apfel"), 3, OPTIONS)
    expected = models[1].alternatives(second, best, best.text.index("Apfel"), 3, OPTIONS)
    assert [each.word for each in found] == [each.word for each in expected]
    assert both.misspelling("漢") == models[1].misspelling("漢")


def test_a_previous_translation_is_followed_in_the_second_model(both, models) -> None:
    free = both.translate(Request(SOURCE), OPTIONS)
    follow = Follow(free.hypotheses[1].text, strength=50.0)
    followed = both.translate(Request(SOURCE, follow=follow), OPTIONS)
    expected = models[1].translate(Request(free.pivot, follow=follow), OPTIONS)
    assert [h.text for h in followed.hypotheses] == [h.text for h in expected.hypotheses]
    assert followed.hypotheses[0].change_penalty == expected.hypotheses[0].change_penalty


def test_places_of_a_phrase_are_the_second_models(both, models) -> None:
    between = both.translate(Request(SOURCE), OPTIONS).pivot
    follow = Follow("Der Mann isst.")
    found = both.places(Request(SOURCE, phrases=["Apfel"], follow=follow))
    expected = models[1].places(Request(between, phrases=["Apfel"], follow=follow))
    assert found and [one.text for one in found] == [one.text for one in expected]


def test_statuses_of_the_first_model_are_reported_without_hypotheses(both, codec) -> None:
    cancel = threading.Event()
    cancel.set()
    result = both.translate(Request("Ein neuer Satz."), OPTIONS, cancel=cancel)
    assert result.status == "cancelled" and result.hypotheses == () and result.pivot is None
    result = both.translate(Request("Noch ein Satz."), OPTIONS, deadline_ms=0)
    assert result.status == "deadline" and result.hypotheses == ()


def test_one_deadline_counts_for_both_models(both, models, monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request("Die Zeit ist knapp.", phrases=(Phrase("Zeit"),))
    hypothesis = both.translate(request, OPTIONS).hypotheses[0]
    clock, decode, passed_s = time.perf_counter, models[0].decode, [0.0]

    def slow(job: DecodingJob) -> Translation:
        """The first model takes 100 seconds."""
        translation = decode(job)
        passed_s[0] += 100.0
        return translation

    monkeypatch.setattr(models[0], "decode", slow)
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + passed_s[0])
    for deadline_ms, is_in_time in ((60_000, False), (600_000, True)):
        both._requests._kept.clear()
        priced = both.price(request, OPTIONS, deadline_ms=deadline_ms)
        assert priced.constrained.status == ("complete" if is_in_time else "deadline")
        both._requests._kept.clear()
        assert bool(both.alternatives(request, hypothesis, 0, options=OPTIONS, deadline_ms=deadline_ms)) == is_in_time
    result = both.translate(Request("Wort " * 400), OPTIONS)
    assert result.status == "infeasible" and result.reasons[0].kind == "source_too_long"
    with pytest.raises(InvalidRequest, match=r"de-en found no translation \(infeasible\): the source has"):
        both.score("Wort " * 400, "Wort")


def test_infeasible_constraints_are_the_second_models(both) -> None:
    result = both.translate(Request(SOURCE, phrases=(Phrase("漢字"),)), OPTIONS)
    assert result.status == "infeasible" and result.reasons[0].kind == "unspellable"
    assert result.relaxation is not None and result.relaxation.phrases == (0,)
    assert result.pivot and result.request.source == SOURCE


def test_unknown_characters_are_reported_for_the_original_source(both) -> None:
    result = both.translate(Request("Der 漢 Hund."), OPTIONS)
    assert result.unknown_source == ((4, 5),)


def test_directions_that_do_not_fit_are_refused(models, both) -> None:
    assert both.directions == ("de-de",)
    with pytest.raises(ModelError, match="model en-de does not translate de-en; choose another model"):
        PivotTranslator(models[1], models[0], "de-en", "en-de")
    with pytest.raises(ModelError, match="de-en and de-en do not follow each other"):
        PivotTranslator(models[0], models[0], "de-en", "de-en")
    with pytest.raises(InvalidRequest, match="direction is 'de-en'; these models translate de-de"):
        both.translate(Request(SOURCE, direction="de-en"))


def texts_and_scores(translation: Translation) -> tuple:
    return translation.status, [(h.text, pytest.approx(h.score, abs=1e-4)) for h in translation.hypotheses]


REQUESTS = [
    Request(SOURCE),
    Request("Ein Haus."),
    Request(SOURCE, phrases=(Phrase("Fahrrad"),), avoid=("Haus",)),
    Request("Wort " * 400),
    Request("Der Hund mit 3.5 Metern.", phrases=(Phrase("3.5"), Phrase("Apfel"))),
    Request(SOURCE, prefix="Der "),
    Request(SOURCE, phrases=(Phrase("漢字"),)),
    Request("Ein Apfel.", domain="unknown"),
    Request("Eine Birne.", direction="en-de"),
]


@pytest.fixture(scope="module")
def alone(both) -> list[PivotTranslation | InvalidRequest]:
    """The answer to each of REQUESTS alone, or its error."""
    answers: list[PivotTranslation | InvalidRequest] = []
    for request in REQUESTS:
        try:
            answers.append(both.translate(request, NARROW))
        except InvalidRequest as error:
            answers.append(error)
    assert [isinstance(answer, InvalidRequest) for answer in answers] == [False] * 7 + [True] * 2
    return answers


def test_requests_in_a_batch_get_the_same_answers_as_alone(models, alone) -> None:
    fresh = PivotTranslator(*models, "de-en", "en-de")
    progress: list[int] = []
    together = list(fresh.translate_all(REQUESTS, NARROW, batch_size=3, progress=progress.append))
    assert progress == list(range(1, len(REQUESTS) + 1))
    assert [answer.request for answer in together] == REQUESTS
    for expected, answer in zip(alone, together, strict=True):
        if isinstance(expected, InvalidRequest):
            assert (answer.status, answer.reasons[0].kind) == ("failed", "invalid")
        else:
            assert texts_and_scores(answer) == texts_and_scores(expected)
            assert answer.reasons == expected.reasons


def test_worker_takes_two_models_as_one(models, alone) -> None:
    with Worker(PivotTranslator(*models, "de-en", "en-de")) as worker:
        futures = [
            worker.submit(request, NARROW, priority="document" if number % 2 else "interactive")
            for number, request in enumerate(REQUESTS)
        ]
        asked = worker.ask(PriceQuestion(REQUESTS[2], NARROW))
        for expected, request, future in zip(alone, REQUESTS, futures, strict=True):
            if isinstance(expected, InvalidRequest):
                assert isinstance(future.exception(60), InvalidRequest)
            else:
                answer = future.result(60)
                assert texts_and_scores(answer) == texts_and_scores(expected)
                assert (answer.request, answer.pivot) == (request, expected.pivot)
        assert asked.result(60).constrained.pivot == alone[2].pivot
        facts = worker.facts
    assert (facts.pivot, facts.directions, facts.folder) == ("en", ("de-de",), None)


def test_cancelled_request_ends_in_either_model(models) -> None:
    both = PivotTranslator(*models, "de-en", "en-de")
    for num_steps in (0, 1, 200):  # 200: the first model has ended by then
        cancel = threading.Event()
        loop = both.decoding_loop(4)
        job = DecodingJob(Request(SOURCE), NARROW, Interruption(cancel))
        loop.add(job)
        for _ in range(num_steps):
            if not loop.inner._in_second:
                loop.step()
        cancel.set()
        assert loop.interrupt() == [job]
        assert job.result().status == "cancelled"
        assert len(loop) == 0


def test_source_is_translated_into_the_language_between_only_once(models, monkeypatch) -> None:
    both = PivotTranslator(*models, "de-en", "en-de")
    loop = both.decoding_loop(4)
    encoded: list[str] = []
    prepare = models[0].pipeline.prepare
    monkeypatch.setattr(
        models[0].pipeline,
        "prepare",
        lambda request, *more: (encoded.append(request.source), prepare(request, *more))[1],
    )
    for phrases in ((), (Phrase("Fahrrad"),)):
        loop.add(DecodingJob(Request(SOURCE, phrases=phrases), NARROW))
        while len(loop):
            loop.step()
    assert encoded == [SOURCE]


def test_required_numbers_of_the_source_stay_in_the_language_between(both) -> None:
    source = "Der Hund mit 3.5 Metern und 7 Beinen."
    required = both.translate(Request(source, phrases=(Phrase("3.5", max_count=1), Phrase("Hund"))), NARROW)
    assert occurrences(required.pivot, "3.5")
    free = both.translate(Request(source), NARROW)
    assert free.pivot != required.pivot
    words = both.translate(Request(source, phrases=(Phrase("Hund"), Phrase("9"))), NARROW)
    assert words.pivot == free.pivot, "plain words and what the source does not have are required of the second only"


def test_pivot_offers_forms_of_address_of_the_second_model(models) -> None:
    second = copy.copy(models[1])
    second.formalities = {"en-de": ("formal", "informal"), "en-fr": ("formal",)}
    assert PivotTranslator(models[0], second, "de-en", "en-de").formalities == {"de-de": ("formal", "informal")}


@pytest.mark.parametrize(
    ("first", "second", "product"),
    [
        ([], [(0, 1, 0, 1)], ()),
        ([(0, 3, 0, 5)], [(5, 6, 0, 2)], ()),
        ([(0, 3, 0, 5), (4, 8, 6, 9)], [(0, 5, 4, 7), (6, 9, 0, 3)], ((4, 8, 0, 3), (0, 3, 4, 7))),
        (
            [(0, 3, 0, 5), (4, 8, 0, 5)],
            [(0, 5, 0, 3), (0, 5, 4, 6)],
            ((0, 3, 0, 3), (4, 8, 0, 3), (0, 3, 4, 6), (4, 8, 4, 6)),
        ),
    ],
)
def test_the_product_of_alignments_joins_partners_of_one_word(first, second, product) -> None:
    assert through(first, second) == product
