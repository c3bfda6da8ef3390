"""Expected phrases: the model usually writes them, so they are required only where its translation lacks them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import Avoid, Follow, Phrase, Request, SearchOptions, Translator
from engine.decoding.loop import DecodingJob, decode_all
from engine.text import occurrences
from tests.interruptions import InterruptedBy

OPTIONS = SearchOptions(
    places_per_bank=2, late_penalty=5.0, repetition_penalty=3.0, draft_strength=3.0, reverse_weight=0.1, lexicon=True
)
FILES = Request("The server has 15 files.")
FELL = Request("The share fell by 7 points in 2019.")


@pytest.fixture(scope="module")
def bundled() -> Translator:
    return Translator.load("data/models/en-de")


def expecting(request: Request, *phrases: Phrase) -> Request:
    return replace(request, phrases=tuple(replace(phrase, is_expected=True) for phrase in phrases))


def test_phrase_that_the_model_writes_by_itself_changes_nothing(bundled: Translator):
    free = bundled.translate(FILES, OPTIONS)
    found = bundled.translate(expecting(FILES, Phrase("15", source_span=(15, 17))), OPTIONS)
    kept = [one for one in free.hypotheses if occurrences(one.text, "15")]
    assert [one.text for one in found.hypotheses] == [one.text for one in kept]
    assert found.num_steps == free.num_steps
    [placement] = found.hypotheses[0].placements
    assert (placement.phrase, placement.form, placement.aligned) == (0, "15", True)


def test_missing_phrase_takes_the_place_of_a_text_that_it_replaces_and_the_rest_stays(bundled: Translator):
    free = bundled.translate(FILES, OPTIONS).hypotheses[0].text
    found = bundled.translate(expecting(FILES, Phrase("16", replaces=("15",), source_span=(15, 17))), OPTIONS)
    assert found.status == "complete"
    assert found.hypotheses[0].text == free.replace("15", "16")


def test_missing_phrase_is_put_where_its_source_is_translated(bundled: Translator):
    request = expecting(FELL, Phrase("17", source_span=(18, 19)), Phrase("2018", source_span=(30, 34)))
    found = bundled.translate(request, OPTIONS)
    assert found.status == "complete"
    text = found.hypotheses[0].text
    assert occurrences(text, "17") and occurrences(text, "2018"), text
    assert all(not hypothesis.unmet for hypothesis in found.hypotheses)


@pytest.mark.parametrize("number", ["15", "16"])
def test_a_pin_is_put_into_a_followed_text_that_has_an_expected_phrase_or_lacks_it(bundled: Translator, number: str):
    """Without the expected phrase among those of the search, its occurrence in the text once had no number."""
    free = bundled.translate(FILES, OPTIONS).hypotheses[0].text
    request = expecting(FILES, Phrase(number, replaces=("15",), source_span=(15, 17)))
    pinned = replace(request, phrases=(Phrase("jetzt"), *request.phrases), follow=Follow(free))
    found = bundled.translate(pinned, OPTIONS)
    assert found.status == "complete"
    assert all(occurrences(one.text, "jetzt") and occurrences(one.text, number) for one in found.hypotheses)


@pytest.mark.parametrize(
    ("phrase", "others"),
    [
        (Phrase("Netz"), {"avoid": (Avoid("Netz"),)}),  # banned
        (Phrase("\U0001f99a"), {}),  # no piece of the model writes it
        (Phrase("x", forms=tuple(f"form {number}" for number in range(1001))), {}),  # too many forms
    ],
)
def test_phrase_that_cannot_be_written_makes_no_request_infeasible(bundled: Translator, phrase: Phrase, others):
    request = replace(FILES, **others)
    free = bundled.translate(request, OPTIONS)
    found = bundled.translate(expecting(request, phrase), OPTIONS)
    assert found.status == "complete"
    assert [one.text for one in found.hypotheses] == [one.text for one in free.hypotheses]


def test_other_phrases_are_required_in_any_case(bundled: Translator):
    request = replace(FILES, phrases=(Phrase("Akten"), Phrase("15", is_expected=True)))
    found = bundled.translate(request, OPTIONS)
    assert found.status == "complete"
    for hypothesis in found.hypotheses:
        assert {placement.phrase for placement in hypothesis.placements} == {0, 1}


def test_beginning_is_not_changed_by_a_phrase_that_replaces_a_text(bundled: Translator):
    request = expecting(replace(FILES, prefix="Der Server mit 15 Leuten hat "), Phrase("16", replaces=("15",)))
    found = bundled.translate(request, OPTIONS)
    assert all(hypothesis.text.startswith("Der Server mit 15 Leuten hat") for hypothesis in found.hypotheses)


def test_requests_alone_equal_the_same_in_a_batch(bundled: Translator):
    requests = [
        expecting(FILES, Phrase("16", replaces=("15",))),
        expecting(FILES, Phrase("15")),
        FELL,
        expecting(FELL, Phrase("17"), Phrase("2018")),
    ]
    alone = [bundled.translate(request, OPTIONS) for request in requests]
    together = list(bundled.translate_all(requests, OPTIONS))
    assert [[one.text for one in found.hypotheses] for found in alone] == [
        [one.text for one in found.hypotheses] for found in together
    ]


def test_expected_phrase_has_no_price(bundled: Translator):
    request = replace(FILES, phrases=(Phrase("Akten"), Phrase("15", is_expected=True)))
    pricing = bundled.price(request, OPTIONS)
    assert pricing.phrases[0] is not None and pricing.phrases[1] is None


def test_interrupted_repair_returns_the_translation_without_it(bundled: Translator):
    request = expecting(FILES, Phrase("16", replaces=("15",)))
    free = bundled.translate(FILES, OPTIONS).hypotheses[0].text
    texts = set()
    for most in range(5, 400, 20):
        looks: list[None] = []

        def interruption(most=most, looks=looks):
            looks.append(None)
            return "deadline" if len(looks) > most else None

        job = DecodingJob(request, OPTIONS, InterruptedBy(interruption))
        decode_all(bundled.decoding_loop(1), [job])
        texts |= {one.text for one in job.result().hypotheses[:1]}
    assert {free, free.replace("15", "16")} <= texts
