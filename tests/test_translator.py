"""The whole path from text to text on a small model of random weights: what holds whatever the weights say."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from engine import Avoid, InvalidRequest, Phrase, Placement, Request, SearchOptions, Translation, Translator
from engine.model import LoadedModel, ModelConfig, Transformer
from engine.text import TextCodec, normalise, occurrences

SOURCE = "The quick brown fox opens the settings dialog, doesn't it?"
OPTIONS = SearchOptions(beam=6, nbest=4)


def make_translator(codec: TextCodec, **settings) -> Translator:
    torch.manual_seed(17)
    sizes = {"model_size": 32, "num_heads": 2, "feed_forward_size": 48, "encoder_layers": 2, "decoder_layers": 1}
    changes = {name: settings[name] for name in ("decoder", "norm") if name in settings}
    max_pieces = settings.get("max_pieces", 256)
    config = ModelConfig(len(codec.vocabulary), ("en-de",), **sizes, max_pieces=max_pieces, **changes)
    model = Transformer(config)
    for parameter in model.parameters():  # sharper than at the start of training
        parameter.data.mul_(settings.get("sharpness", 2.0))
    return Translator(LoadedModel.of(config, codec, model.eval(), checksum="0" * 64), name="random")


@pytest.fixture(scope="module")
def translator(codec) -> Translator:
    return make_translator(codec)


def phrase_texts(codec: TextCodec) -> list[str]:
    return [
        "Einstellungen",
        "auf allen Knoten",
        "C++",
        "%s",
        "3,5 %",
        "„Übernehmen“",
        "Straße",
        ", dass",
        "(siehe unten)",
    ]


def test_texts_stand_for_requests_and_phrases(codec: TextCodec):
    translator, text = make_translator(codec), "a b"
    expected = translator.translate(Request(text)).hypotheses
    assert translator.translate(text).hypotheses == expected
    expected = [result.hypotheses for result in translator.translate_all([Request(text)] * 2)]
    assert [result.hypotheses for result in translator.translate_all([text, Request(text)])] == expected
    assert Request(text, phrases=["x", Phrase("y")]).phrases == (Phrase("x"), Phrase("y"))  # type: ignore[arg-type]


def test_model_computes_in_one_thread_unless_more_are_asked_for():
    try:
        for asked, expected in ((2, 2), (None, 2), (1, 1)):
            Translator.load("data/models/en-de", num_threads=asked)
            assert torch.get_num_threads() == expected
        torch.set_num_threads(2)
        Translator.load("data/models/en-de")
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(1)


def test_placements_point_at_every_phrase_in_every_hypothesis(translator, codec):
    rng = random.Random(1)
    for number in range(12):
        phrases = [Phrase(text) for text in rng.sample(phrase_texts(codec), rng.randint(1, 4))]
        result = translator.translate(Request(f"{SOURCE} {number}", phrases=phrases), OPTIONS)
        assert result.status == "complete", (phrases, result.reasons)
        assert result.hypotheses
        for hypothesis in result.hypotheses:
            assert [placement.phrase for placement in hypothesis.placements] == list(range(len(phrases)))
            for placement in hypothesis.placements:
                phrase = phrases[placement.phrase]
                assert hypothesis.text[placement.start : placement.end] == placement.form == phrase.text
                assert (placement.start, placement.end) in occurrences(hypothesis.text, phrase.text)
            assert hypothesis.unmet == ()


def test_n_best_list_is_distinct_and_sorted_by_the_scores_of_the_model(translator, codec):
    request = Request(SOURCE, phrases=[Phrase("Knoten"), Phrase("auf allen Seiten")])
    result = translator.translate(request, OPTIONS)
    scores = [hypothesis.score for hypothesis in result.hypotheses]
    assert scores == sorted(scores, reverse=True)
    assert len({hypothesis.text for hypothesis in result.hypotheses}) == len(result.hypotheses)
    model = translator._model
    source = torch.tensor([model.source_ids(codec.encode(SOURCE).ids, "en-de")])
    for hypothesis in result.hypotheses:
        expected = model.transformer.score(source, torch.tensor([source.shape[1]]), torch.tensor([hypothesis.tokens]))
        assert list(hypothesis.token_log_probs) == pytest.approx(expected[0].tolist(), abs=1e-4)
        assert hypothesis.log_prob == pytest.approx(sum(hypothesis.token_log_probs))
        assert hypothesis.score == pytest.approx(hypothesis.log_prob / len(hypothesis.tokens))
        written = [hypothesis.text[start:end] for start, end in hypothesis.token_spans]
        assert written == [codec.surfaces[token] for token in hypothesis.tokens]


def test_sentence_alone_equals_sentence_in_batch(translator):
    phrases = [(), (Phrase("Knoten"),), (Phrase("auf allen Seiten"), Phrase("C++")), (Phrase("%s", count=2),)]
    requests = [Request(SOURCE[: 12 + 9 * number], phrases=phrases[number % len(phrases)]) for number in range(6)]
    together = list(translator.translate_all(requests, OPTIONS, batch_size=3))
    for request, batched in zip(requests, together, strict=True):
        alone = translator.translate(request, OPTIONS)
        assert batched.request is request
        assert [h.text for h in batched.hypotheses] == [h.text for h in alone.hypotheses]
        assert [h.score for h in batched.hypotheses] == pytest.approx([h.score for h in alone.hypotheses], abs=1e-5)


def test_a_bad_request_in_a_batch_fails_alone_and_order_is_kept(translator):
    good = [Request(f"Open file {number}.") for number in range(4)]
    bad = Request("Open it.", direction="en-fr")
    seen = []
    results = list(translator.translate_all([good[0], bad, *good[1:]], OPTIONS, batch_size=2, progress=seen.append))
    assert [result.status for result in results] == ["complete", "failed", "complete", "complete", "complete"]
    assert "en-fr" in results[1].reasons[0].message
    assert "en-de" in results[1].reasons[0].message
    assert [result.request for result in results] == [good[0], bad, *good[1:]]
    assert seen == [1, 2, 3, 4, 5]


SHORT = replace(OPTIONS, beam=2, max_length_factor=0.3, max_length_offset=3)


def short_requests(count: int) -> list[Request]:
    return [Request(SOURCE[: 8 + 7 * number % 50], phrases=[Phrase("Seite")] * (number % 2)) for number in range(count)]


@pytest.mark.parametrize("schedule", ["stream", "batch", "fifo"])
def test_every_schedule_gives_the_same_translations_in_order(translator, schedule):
    requests = short_requests(13)
    results = list(translator.translate_all(requests, SHORT, batch_size=4, schedule=schedule))
    assert [result.request for result in results] == requests
    for request, result in zip(requests, results, strict=True):
        alone = translator.translate(request, SHORT)
        assert [h.text for h in result.hypotheses] == [h.text for h in alone.hypotheses]
        assert result.num_steps == alone.num_steps


def test_requests_with_options_of_their_own_share_a_batch(translator):
    own = [replace(SHORT, beam=5, nbest=3), replace(SHORT, beam=1, nbest=1), replace(SHORT, bank_threshold=1.0)]
    requests = short_requests(4)
    results = list(translator.translate_all([requests[0], *zip(requests[1:], own, strict=True)], SHORT))
    for request, options, result in zip(requests, [SHORT, *own], results, strict=True):
        alone = translator.translate(request, options)
        assert result.request is request
        assert [h.text for h in result.hypotheses] == [h.text for h in alone.hypotheses]


def test_at_most_two_windows_of_requests_are_held(translator):
    num_read, most_held = 0, 0

    def reading():
        nonlocal num_read
        for request in short_requests(60):
            num_read += 1
            yield request

    for num_given, _ in enumerate(translator.translate_all(reading(), SHORT, batch_size=1)):
        most_held = max(most_held, num_read - num_given)
    assert num_read == 60
    assert 8 < most_held <= 16


def test_a_line_that_crashes_fails_alone(translator, monkeypatch):
    def crash(wanted, options, interruption):
        if wanted.source == "crash":
            raise ValueError("a bug")
        return sentence(wanted, options, interruption)

    sentence = translator.pipeline.sentence
    monkeypatch.setattr(translator.pipeline, "sentence", crash)
    results = list(translator.translate_all([Request("one"), Request("crash"), Request("two")], SHORT))
    assert [result.status for result in results] == ["complete", "failed", "complete"]
    assert (results[1].reasons[0].kind, results[1].reasons[0].message) == ("crashed", "ValueError: a bug")


def test_remaining_requests_come_back_as_cancelled(translator):
    cancel = threading.Event()
    results = []
    for result in translator.translate_all(short_requests(20), SHORT, batch_size=1, cancel=cancel):
        results.append(result)
        if len(results) == 3:
            cancel.set()
    assert len(results) == 20
    assert [result.request for result in results] == short_requests(20)
    assert results[0].status == "complete"
    assert {result.status for result in results[-12:]} == {"cancelled"}
    assert all(result.reasons[0].kind == "cancelled" for result in results if result.status == "cancelled")


@pytest.mark.filterwarnings("ignore:out of memory")
def test_out_of_memory_halves_the_batch_and_translates_all_the_same(translator, monkeypatch):
    def open_(sentences):
        if len(sentences) > 2:
            raise torch.OutOfMemoryError("no room for 3 GiB")
        return opened(sentences)

    opened = translator.pipeline.decoder
    requests = short_requests(6)
    expected = list(translator.translate_all(requests, SHORT, batch_size=6))
    monkeypatch.setattr(translator.pipeline, "decoder", open_)
    results = list(translator.translate_all(requests, SHORT, batch_size=6))
    assert [result.status for result in results] == ["complete"] * 6
    for result, other in zip(results, expected, strict=True):
        assert [h.text for h in result.hypotheses] == [h.text for h in other.hypotheses]


def test_same_phrase_several_times_needs_as_many_occurrences(translator):
    phrases = [Phrase("Knoten"), Phrase("Seite"), Phrase(" Knoten ")]
    result = translator.translate(Request(SOURCE, phrases=phrases), OPTIONS)
    assert result.status == "complete"
    for hypothesis in result.hypotheses:
        assert hypothesis.text.count("Knoten") >= 2
        first, _, second = hypothesis.placements
        assert first.phrase == 0
        assert second.phrase == 2
        assert first.end <= second.start


def test_phrase_required_ten_times_occurs_ten_times(translator):
    result = translator.translate(Request(SOURCE, phrases=[Phrase("Knoten")] * 10), replace(OPTIONS, beam=3, nbest=2))
    assert result.status == "complete"
    for hypothesis in result.hypotheses:
        assert [placement.phrase for placement in hypothesis.placements] == list(range(10))
        assert len({placement.start for placement in hypothesis.placements}) == 10


def test_phrase_broken_off_by_the_prefix_is_written_again(translator):
    request = Request(SOURCE, prefix="Auf allen Kno, ", phrases=[Phrase("Auf allen Knoten")])
    result = translator.translate(request, replace(OPTIONS, beam=3, nbest=2))
    assert result.status == "complete"
    assert all(hypothesis.placements[0].start >= len("Auf allen Kno, ") for hypothesis in result.hypotheses)


def test_any_form_meets_the_phrase_and_is_reported(translator):
    phrase = Phrase("Keiner", forms=["Niemand", "Kein Mensch"])
    result = translator.translate(Request(SOURCE, phrases=[phrase]), OPTIONS)
    assert result.status == "complete"
    assert all(hypothesis.placements[0].form in phrase.all_forms for hypothesis in result.hypotheses)


def test_phrase_that_the_model_would_write_anyway_is_not_written_twice(translator):
    free = translator.translate(Request(SOURCE), OPTIONS).hypotheses[0]
    word = max(free.text.split(), key=len).strip(",.?!„“()")
    pinned = translator.translate(Request(SOURCE, phrases=[Phrase(word)]), OPTIONS).hypotheses[0]
    assert pinned.text.count(word) <= free.text.count(word)


def reason_of(result: Translation) -> tuple[str, str, int | None]:
    assert len(result.reasons) == 1
    return result.reasons[0].kind, result.reasons[0].message, result.reasons[0].phrase


def test_infeasible_request_is_reported_before_decoding(translator):
    unspellable = translator.translate(Request(SOURCE, phrases=[Phrase("Knoten"), Phrase("漢字")]), OPTIONS)
    assert unspellable.status == "infeasible"
    kind, message, phrase = reason_of(unspellable)
    assert (kind, phrase) == ("unspellable", 1)
    assert "漢字" in message
    assert "⁇" in message
    long_source = translator.translate(Request("word " * 2000), OPTIONS)
    assert (long_source.status, reason_of(long_source)[0]) == ("infeasible", "source_too_long")
    long_phrase = translator.translate(Request(SOURCE, phrases=[Phrase("Knoten " * 200)]), OPTIONS)
    assert (long_phrase.status, reason_of(long_phrase)[0]) == ("infeasible", "too_long")


def test_a_phrase_with_one_form_that_can_be_spelt_is_feasible(translator):
    result = translator.translate(Request(SOURCE, phrases=[Phrase("漢字", forms=["Zeichen"])]), OPTIONS)
    assert result.status == "complete"
    assert all(hypothesis.placements[0].form == "Zeichen" for hypothesis in result.hypotheses)


def test_source_that_the_model_cannot_read_is_reported(translator):
    result = translator.translate(Request("Press 漢字 now."), OPTIONS)
    assert result.status == "complete"
    assert result.unknown_source == ((6, 8),)


def test_every_phrase_is_placed_with_the_minimum_number_of_steps(codec):
    translator = make_translator(codec)
    options = SearchOptions(beam=2, nbest=2, max_length_factor=0.0, max_length_offset=1)
    phrases = [Phrase("auf allen Knoten"), Phrase("Einstellungen"), Phrase("C++")]
    request = Request(SOURCE, phrases=phrases, locked=["Knoten", "Seite"], suffix="3,5 %")
    result = translator.translate(request, options)
    assert result.status == "complete"


def test_cancel_and_deadline_give_the_best_so_far(translator):
    cancel = threading.Event()
    cancel.set()
    assert translator.translate(Request(SOURCE), OPTIONS, cancel=cancel).status == "cancelled"
    late = translator.translate(Request(SOURCE), OPTIONS, deadline_ms=0)
    assert late.status == "deadline"
    assert late.reasons[0].kind == "deadline"
    late_ones = translator.translate_all([Request(SOURCE), Request("Open it.")], OPTIONS, deadline_ms=0)
    assert [translation.status for translation in late_ones] == ["deadline", "deadline"]


def test_price_after_the_deadline_is_none(translator):
    request = Request(SOURCE, phrases=[Phrase("Knoten")], avoid=["Haus"])
    late = translator.price(request, OPTIONS, deadline_ms=0)
    assert (late.total, late.phrases, late.avoid) == (None, (None,), (None,))
    assert late.constrained.status == late.free.status == "deadline"
    assert translator.price(request, OPTIONS, deadline_ms=600_000).total is not None


def test_nan_weights_fail_with_the_cause(codec):
    broken = make_translator(codec)
    broken._model.transformer.output_bias.data[300] = torch.nan
    result = broken.translate(Request(SOURCE, phrases=[Phrase("Knoten")]), OPTIONS)
    assert result.status == "failed"
    assert result.reasons[0].kind == "not_a_number"


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: Phrase(""), "empty"),
        (lambda: Phrase("a", forms=[" "]), "empty"),
        (lambda: Phrase("a", count=0), "count"),
        (lambda: Phrase("a", boundary="middle"), "boundary"),
        (lambda: Request(" \n"), "blank"),
        (lambda: Request("a", phrases=[1]), "phrases"),
        (lambda: Request("a", avoid="b"), "list"),
        (lambda: Request("a", avoid=[" "]), "blank"),
        (lambda: Request("a", avoid=[1]), "avoid"),
        (lambda: SearchOptions(beam=0), "beam"),
        (lambda: SearchOptions(beam=10**9), "between 1 and 1000"),
        (lambda: SearchOptions(nbest=10**9), "nbest.*between 1 and 1000"),
        (lambda: SearchOptions(places_per_bank=-1), "places_per_bank"),
        (lambda: SearchOptions(places_per_bank=11), "between 0 and 10"),
        (lambda: SearchOptions(pruning_threshold=float("nan")), "pruning_threshold"),
        (lambda: SearchOptions(stopping="soon"), "stopping"),
        (lambda: SearchOptions(pruning="late"), "pruning"),
        (lambda: SearchOptions(crowding="none"), "crowding"),
    ],
)
def test_invalid_requests_are_refused_when_made(make, names):
    with pytest.raises(InvalidRequest, match=names):
        make()


def test_avoided_text_is_in_no_hypothesis(translator):
    free = translator.translate(Request(SOURCE), OPTIONS)
    words = {word.strip(",.?!„“()%;:") for hypothesis in free.hypotheses for word in hypothesis.text.split()} - {""}
    avoid = sorted(words, key=len)[-4:]
    result = translator.translate(Request(SOURCE, avoid=avoid, phrases=[Phrase("Knoten")]), OPTIONS)
    assert result.status == "complete"
    for hypothesis in result.hypotheses:
        assert not [word for word in avoid if occurrences(hypothesis.text, word)]


def test_avoid_in_any_case_is_found_in_any_case(translator):
    free = translator.translate(Request(SOURCE), OPTIONS).hypotheses[0].text
    word = max((word.strip(",.?!„“()%;:") for word in free.split()), key=len)
    result = translator.translate(Request(SOURCE, avoid=[Avoid(word.swapcase(), case="permissive")]), OPTIONS)
    for hypothesis in result.hypotheses:
        assert not occurrences(hypothesis.text.lower(), word.lower())


@pytest.mark.parametrize(
    "prefix",
    [
        "Der",
        "Der ",
        "Klicken Sie auf „Über",
        "In C++ (",
        "3,",
        "Öffnen Sie die Einstel",
        "Straßen",
        "  zwei",
        "Das\u00a0Haus ",
        "Das  Haus \t",
        "\u200bE\u2011Ma\u00ad",
        "O\u0308ffnen",
    ],
)
def test_every_hypothesis_begins_with_the_prefix(translator, prefix):
    result = translator.translate(Request(SOURCE, prefix=prefix, phrases=[Phrase("Knoten")]), OPTIONS)
    assert result.status == "complete"
    for hypothesis in result.hypotheses:
        assert hypothesis.text.startswith(normalise(prefix))
        assert "Knoten" in hypothesis.text


def test_phrase_in_the_prefix_counts_as_met(translator):
    request = Request(SOURCE, prefix="Alle Knoten ", phrases=[Phrase("Knoten")])
    result = translator.translate(request, OPTIONS)
    assert result.status == "complete"
    assert all(hypothesis.placements[0].start == 5 for hypothesis in result.hypotheses)


def test_avoided_text_is_allowed_only_inside_phrase_and_prefix(translator):
    request = Request(SOURCE, prefix="Alle Seiten ", phrases=[Phrase("auf allen Knoten")], avoid=["Seiten", "Knoten"])
    result = translator.translate(request, OPTIONS)
    assert result.status == "complete"
    for hypothesis in result.hypotheses:
        assert len(occurrences(hypothesis.text, "Knoten")) == len(occurrences(hypothesis.text, "auf allen Knoten"))
        assert occurrences(hypothesis.text, "Seiten") == [(5, 11)]


def test_conflict_of_phrase_and_avoid_is_reported(translator):
    result = translator.translate(
        Request(SOURCE, phrases=[Phrase("Haus"), Phrase("Knoten")], avoid=["Knoten"]), OPTIONS
    )
    assert (result.status, reason_of(result)[0], reason_of(result)[2]) == ("infeasible", "avoided", 1)
    other = translator.translate(
        Request(SOURCE, phrases=[Phrase("Knoten", forms=["Punkt"])], avoid=["Knoten"]), OPTIONS
    )
    assert other.status == "complete"
    assert {hypothesis.placements[0].form for hypothesis in other.hypotheses} == {"Punkt"}


@pytest.mark.parametrize(("prefix", "capital"), [("", True), ("Ja. ", True), ("Ja ", False), ("Ja: „", False)])
def test_capitalised_form_counts_at_the_beginning_of_a_sentence(translator, prefix, capital):
    phrase = Phrase("auf allen Knoten", case="auto")
    begun = translator.translate(Request(SOURCE, prefix=prefix + "Auf allen Knoten", phrases=[phrase]), OPTIONS)
    assert begun.status == "complete"
    for hypothesis in begun.hypotheses:
        (placement,) = hypothesis.placements
        assert hypothesis.text[placement.start : placement.end] == placement.form
        assert (placement.start == len(prefix)) is capital
    exact = replace(phrase, case="exact")
    plain = translator.translate(Request(SOURCE, prefix=prefix + "Auf allen Knoten", phrases=[exact]), OPTIONS)
    assert {hypothesis.placements[0].form for hypothesis in plain.hypotheses} == {"auf allen Knoten"}


def test_misspelling_equals_the_reason_of_the_infeasible_request(translator):
    for text in ("Knoten", "漢字", "Knoten 漢", "a"):
        status = translator.translate(Request(SOURCE, phrases=[Phrase(text)]), OPTIONS).status
        assert (translator.misspelling(text) is None) == (status != "infeasible")
    assert translator.misspelling("Knoten 漢") == "Knoten ⁇"


def test_prefix_that_cannot_be_spelt_is_reported(translator):
    result = translator.translate(Request(SOURCE, prefix="漢字"), OPTIONS)
    assert (result.status, reason_of(result)[0]) == ("infeasible", "unspellable")


@pytest.mark.parametrize(
    "phrases",
    [
        [Phrase("Knoten", forms=["Seite"]), Phrase("Knoten", forms=["Haus"])],
        [Phrase("Knoten"), Phrase("Knoten", boundary="start"), Phrase("Seite")],
        [Phrase("auf allen Knoten", case="auto"), Phrase("Auf allen Knoten", count=2)],
        [Phrase("Knoten", count=2), Phrase("Knoten", forms=["Haus"]), Phrase("Haus")],
    ],
)
def test_phrases_that_share_a_form_get_separate_occurrences(translator, phrases):
    result = translator.translate(Request(SOURCE, phrases=phrases), OPTIONS)
    assert result.status == "complete", result.reasons
    for hypothesis in result.hypotheses:
        spans = sorted((placement.start, placement.end) for placement in hypothesis.placements)
        sharing = [span for span in spans if hypothesis.text[slice(*span)] != "Seite" or len(phrases) == 2]
        assert all(end <= start for (_, end), (start, _) in pairwise(sharing))
        for number, phrase in enumerate(phrases):
            own = [placement for placement in hypothesis.placements if placement.phrase == number]
            assert len(own) == phrase.count
            for placement in own:
                assert placement.form.lower() in [form.lower() for form in phrase.all_forms]
                assert (placement.start, placement.end) in occurrences(hypothesis.text, placement.form, phrase.boundary)


def test_noun_is_met_by_a_compound_that_ends_with_it(translator):
    noun = Phrase("Datei", forms=["Dateien"], boundary="compound")
    begun = Request(SOURCE, prefix="Die Bilddatei ", phrases=(noun,))
    result = translator.translate(begun, OPTIONS)
    assert result.status == "complete"
    assert {hypothesis.placements for hypothesis in result.hypotheses} == {(Placement(0, "datei", 8, 13),)}
    result = translator.translate(replace(begun, phrases=(replace(noun, boundary="start"),)), OPTIONS)
    assert result.status == "complete"
    assert {placement.form for found in result.hypotheses for placement in found.placements} <= {*noun.all_forms}


@pytest.mark.parametrize("begun", ["Die Dateile ", "Die Xyzdatei "])
def test_noun_in_a_word_that_is_no_compound_is_written_again(translator, begun):
    request = Request(SOURCE, prefix=begun, phrases=(Phrase("Datei", boundary="compound"),))
    result = translator.translate(request, OPTIONS)
    assert result.status == "complete" and result.request is request
    for hypothesis in result.hypotheses:
        (placement,) = hypothesis.placements
        assert placement.start >= len(begun), hypothesis.text
        assert (placement.start, placement.end) in occurrences(hypothesis.text, "Datei")


@pytest.mark.parametrize("begun", ["Die Dateiliste ", "Die Bilddatei ", "Die Datei "])
def test_noun_in_a_compound_of_words_is_written_once(translator, begun):
    request = Request(SOURCE, prefix=begun, phrases=(Phrase("Datei", boundary="compound"),))
    result = translator.translate(request, OPTIONS)
    assert result.status == "complete"
    assert all(hypothesis.placements[0].end <= len(begun) for hypothesis in result.hypotheses)


def test_direction_that_the_model_lacks_is_refused(translator):
    with pytest.raises(InvalidRequest):
        translator.translate(Request(SOURCE, direction="de-en"), OPTIONS)


def test_phrases_are_met_under_all_search_options(translator):
    request = Request(SOURCE, phrases=[Phrase("Knoten")])
    for options in (
        replace(OPTIONS, finished="keep"),
        replace(OPTIONS, stopping="optimal", nbest=1),
        replace(OPTIONS, stopping="first_finished"),
        replace(OPTIONS, beam=1),
        replace(OPTIONS, pruning_threshold=None),
        replace(OPTIONS, pruning="first_finished"),
        replace(OPTIONS, beam=1, crowding="spread"),
    ):
        result = translator.translate(request, options)
        assert result.status == "complete", options
        assert all("Knoten" in hypothesis.text for hypothesis in result.hypotheses)


def test_score_of_tokens_equals_their_score_in_the_search(translator):
    result = translator.translate(Request(SOURCE, phrases=[Phrase("Knoten")]), OPTIONS)
    for hypothesis in result.hypotheses:
        scored = translator.score(SOURCE, tokens=hypothesis.tokens)
        assert scored.text == hypothesis.text
        assert scored.token_log_probs == pytest.approx(hypothesis.token_log_probs, abs=1e-4)
        assert scored.score == pytest.approx(hypothesis.score, abs=1e-4)


def test_score_of_a_text_uses_its_canonical_pieces(translator, codec):
    target = "Öffnen Sie die „Einstellungen“ (C++)."
    scored = translator.score(SOURCE, target)
    assert scored.text == target
    assert scored.tokens[:-1] == codec.encode(target).ids
    assert scored.log_prob == pytest.approx(translator.score(SOURCE, tokens=scored.tokens).log_prob)
    for wrong in ({}, {"target": "a", "tokens": [2]}, {"target": "漢字"}, {"tokens": []}, {"tokens": [10**6]}):
        with pytest.raises(InvalidRequest):
            translator.score(SOURCE, **wrong)


def test_price_is_the_difference_of_best_scores(translator):
    request = Request(SOURCE, phrases=[Phrase("Knoten"), Phrase("Einstellungen")], avoid=["Haus"])
    pricing = translator.price(request, OPTIONS)
    with_all = translator.translate(request, OPTIONS).hypotheses[0].score
    without = [
        translator.translate(replace(request, phrases=[phrase]), OPTIONS).hypotheses[0].score
        for phrase in reversed(request.phrases)
    ]
    assert pricing.phrases == pytest.approx([score - with_all for score in without], abs=1e-4)
    free = translator.translate(Request(SOURCE), OPTIONS).hypotheses[0].score
    assert pricing.total == pytest.approx(free - with_all, abs=1e-4)
    assert len(pricing.avoid) == 1
    impossible = translator.price(Request(SOURCE, phrases=[Phrase("漢字"), Phrase("Knoten")]), OPTIONS)
    assert (impossible.total, impossible.phrases) == (None, (None, None))


@pytest.mark.parametrize("place", [0.0, 0.4, 0.8])
def test_alternatives_are_other_words_with_sentences_that_meet_all_constraints(translator, place):
    request = Request(SOURCE, phrases=[Phrase("Knoten"), Phrase("auf allen Seiten")], avoid=["der"])
    hypothesis = translator.translate(request, OPTIONS).hypotheses[0]
    offset = int(place * len(hypothesis.text))
    while hypothesis.text[offset] == " ":
        offset += 1
    found = translator.alternatives(request, hypothesis, offset, 4, OPTIONS)
    start = offset
    while start and hypothesis.text[start - 1].isalnum() and hypothesis.text[start].isalnum():
        start -= 1
    assert found
    assert len({alternative.word for alternative in found}) == len(found)
    scores = [alternative.hypothesis.score for alternative in found]
    assert scores == sorted(scores, reverse=True)
    for alternative in found:
        text = alternative.hypothesis.text
        assert text.startswith(hypothesis.text[:start] + alternative.word)
        assert (0, len(alternative.word)) not in occurrences(hypothesis.text[start:], alternative.word)
        assert not alternative.hypothesis.unmet
        assert not occurrences(text, "der")


def test_alternatives_need_a_word(translator):
    hypothesis = translator.translate(Request(SOURCE, prefix="Das Haus "), OPTIONS).hypotheses[0]
    for offset in (-1, len(hypothesis.text), hypothesis.text.index(" ")):
        with pytest.raises(InvalidRequest, match="offset"):
            translator.alternatives(Request(SOURCE), hypothesis, offset)


@pytest.mark.parametrize(
    ("locked", "suffix"),
    [
        (["Klicken Sie", "auf allen Knoten"], ""),
        (["auf", "auf", "auf"], ""),
        ([], "des Geräts."),
        (["Öffnen", "(siehe unten)"], "3,5 %"),
        (["„Übernehmen“"], "Knoten"),
    ],
)
def test_locked_texts_are_in_order_and_the_suffix_is_at_the_end(translator, locked, suffix):
    request = Request(SOURCE, locked=locked, suffix=suffix, phrases=[Phrase("Knoten")], avoid=["der"], prefix="Bitte ")
    result = translator.translate(request, OPTIONS)
    assert result.status == "complete", result.reasons
    for hypothesis in result.hypotheses:
        texts = [*locked, *([suffix] if suffix else [])]
        assert [hypothesis.text[start:end] for start, end in hypothesis.locked] == texts
        assert all(end <= start for (_, end), (start, _) in pairwise(hypothesis.locked))
        assert hypothesis.text.endswith(suffix)
        assert hypothesis.text.startswith("Bitte ")
        assert "Knoten" in hypothesis.text
        assert not occurrences(hypothesis.text, "der")


def test_locked_text_that_cannot_be_spelt_is_reported(translator):
    for request in (Request(SOURCE, locked=["漢字"]), Request(SOURCE, suffix="漢字")):
        result = translator.translate(request, OPTIONS)
        assert (result.status, reason_of(result)[0]) == ("infeasible", "unspellable")
    with pytest.raises(InvalidRequest, match="locked"):
        Request(SOURCE, locked=["a", " "])


def test_beam_is_widened_for_many_constraint_tokens_sentence_by_sentence(translator):
    long = Request(SOURCE, phrases=[Phrase("auf allen Knoten"), Phrase("Einstellungen"), Phrase("(siehe unten)")])
    short = Request(SOURCE, phrases=[Phrase("Knoten")])
    narrow = replace(OPTIONS, beam=3, nbest=3, places_per_bank=2)
    num_tokens = translator.pipeline.prepare(long).num_tokens
    assert num_tokens > 3
    assert (narrow.beam_for(num_tokens), narrow.beam_for(0)) == (2 * num_tokens + 2, 3)
    together = list(translator.translate_all([long, short, Request(SOURCE)], narrow))
    wide = replace(OPTIONS, beam=2 * num_tokens + 2, nbest=3)
    alone = translator.translate(long, wide)
    assert [h.tokens for h in together[0].hypotheses] == [h.tokens for h in alone.hypotheses]
    for request, batched in zip([long, short, Request(SOURCE)], together, strict=True):
        alone = translator.translate(request, narrow)
        assert [h.text for h in alone.hypotheses] == [h.text for h in batched.hypotheses]
