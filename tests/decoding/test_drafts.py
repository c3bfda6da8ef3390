"""Terms that the word alignment doubts go into the translation without them, as further requests would put them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import Follow, Hypothesis, Phrase, Request, SearchOptions, Translator
from engine.decoding.loop import DecodingJob, decode_all
from tests.interruptions import InterruptedBy
from tests.test_translator import make_translator

PLAIN = SearchOptions(beam=10, nbest=3, places_per_bank=2, late_penalty=5.0, repetition_penalty=3.0)
OPTIONS = replace(PLAIN, draft_strength=3.0)


def request_with(source: str, *terms: tuple[str, str], **others) -> Request:
    """A request with a term for each (source word, required text)."""
    spans = [(source.index(word), source.index(word) + len(word)) for word, _ in terms]
    phrases = [Phrase(text, source_span=span) for span, (_, text) in zip(spans, terms, strict=True)]
    return Request(source, phrases=phrases, **others)


FILE = "The file could not be opened."
NODES = "Click on “Apply” to save the settings for all nodes."
LIST = "Select a printer from the list."
USER = "The server sends a message to the user."
NETWORK = "The password of the network was changed."
WITH_TERMS = [
    request_with(USER, ("user", "Kunde")),
    request_with(NODES, ("nodes", "Rechner")),
    request_with(NETWORK, ("network", "Firmennetz")),
    request_with(LIST, ("printer", "Ausgabegerät"), ("list", "Auflistung")),
]


@pytest.fixture(scope="module")
def bundled() -> Translator:
    return Translator.load("data/models/en-de")


def doubts(hypothesis: Hypothesis) -> int:
    return sum(placement.aligned is False or bool(placement.doubled) for placement in hypothesis.placements)


def test_misplaced_terms_take_the_place_of_the_words_that_translate_their_source(bundled: Translator) -> None:
    corrected = []
    for request in WITH_TERMS:
        plain, with_draft = (bundled.translate(request, options) for options in (PLAIN, OPTIONS))
        assert with_draft.status == "complete"
        assert doubts(with_draft.hypotheses[0]) <= doubts(plain.hypotheses[0])
        if doubts(plain.hypotheses[0]) and not doubts(with_draft.hypotheses[0]):
            corrected.append(with_draft.hypotheses[0].text)
    assert len(corrected) > 1, "which terms are misplaced depends on the model; find other sources"


@pytest.mark.parametrize(
    "request_",
    [
        *WITH_TERMS,
        request_with("The printer is out of paper.", ("printer", "Ausgabegerät")),
        request_with("The printer is out of paper.", ("printer", "Ausgabegerät"), prefix="Der "),
        request_with(LIST, ("printer", "Ausgabegerät"), avoid=["Wählen"]),
    ],
)
def test_best_of_three_requests_has_the_fewest_alignment_problems(bundled: Translator, request_: Request):
    first = bundled.translate(request_, PLAIN)
    draft = bundled.translate(replace(request_, phrases=()), PLAIN).hypotheses[0].text
    second = bundled.translate(replace(request_, follow=Follow(draft, OPTIONS.draft_strength)), PLAIN)
    is_better = doubts(second.hypotheses[0]) < doubts(first.hypotheses[0])
    assert bundled.translate(request_, OPTIONS).hypotheses == (second if is_better else first).hypotheses


NEEDS_NO_DRAFT = [
    (request_with(NODES, ("nodes", "Knoten")), "the term is where it belongs"),
    (Request(FILE, phrases=[Phrase("Akte")]), "the phrase has no place in the source"),
    (replace(WITH_TERMS[0], follow=Follow("Der Server sendet etwas.")), "it follows a text"),
    (Request(FILE), "there are no phrases"),
]


@pytest.mark.parametrize(("request_", "why"), NEEDS_NO_DRAFT)
def test_nothing_changes_if_no_draft_is_needed(bundled: Translator, request_: Request, why: str):
    plain, with_draft = (bundled.translate(request_, options) for options in (PLAIN, OPTIONS))
    assert with_draft.hypotheses == plain.hypotheses, why
    assert with_draft.num_steps == plain.num_steps, why


def test_model_without_word_alignment_makes_no_draft(codec):
    translator = make_translator(codec)
    request = WITH_TERMS[0]
    assert translator.translate(request, OPTIONS).hypotheses == translator.translate(request, PLAIN).hypotheses


def test_request_with_a_draft_alone_equals_the_same_in_a_batch(bundled: Translator):
    requests = [*WITH_TERMS, *(one for one, _ in NEEDS_NO_DRAFT)]
    alone = [bundled.translate(one, OPTIONS) for one in requests]
    together = list(bundled.translate_all(requests, OPTIONS))
    for ours, theirs in zip(alone, together, strict=True):
        assert theirs.request == ours.request
        assert [found.text for found in theirs.hypotheses] == [found.text for found in ours.hypotheses]


def test_interrupted_request_is_cancelled_and_at_its_deadline_has_the_translation_without_a_draft(bundled: Translator):
    texts_by_request = {
        one: [bundled.translate(one, o).hypotheses[0].text for o in (PLAIN, OPTIONS)] for one in WITH_TERMS
    }
    request, (first, expected) = next(item for item in texts_by_request.items() if item[1][0] != item[1][1])
    texts: dict[str, set[str]] = {"cancelled": set(), "deadline": set()}
    for why, found in texts.items():
        for most in range(5, 400, 35):
            looks: list[None] = []

            def interruption(most=most, looks=looks, why=why):
                looks.append(None)
                return why if len(looks) > most else None

            job = DecodingJob(request, OPTIONS, InterruptedBy(interruption))
            decode_all(bundled.decoding_loop(1), [job])
            translation = job.result()
            found.add(f"{translation.status} {translation.hypotheses[0].text if translation.hypotheses else ''}")
            assert job.has_ended
    assert f"complete {first}" in texts["deadline"]
    assert any(text.startswith("cancelled") for text in texts["cancelled"])
    assert {text for text in texts["cancelled"] if text.startswith("complete")} <= {f"complete {expected}"}


def test_price_and_alternatives_make_no_draft(bundled: Translator):
    request = WITH_TERMS[0]
    assert bundled.price(request, OPTIONS).total == bundled.price(request, PLAIN).total
    hypothesis = bundled.translate(request, PLAIN).hypotheses[0]
    ours, theirs = (bundled.alternatives(request, hypothesis, 0, options=one) for one in (OPTIONS, PLAIN))
    assert ours == theirs
