"""Phrases that the previous text lacks: where they are put, against trying every place, and what stays as it is."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from engine import DatastoreOptions, Follow, Phrase, Request, SearchOptions, Translator, occurrences
from engine.decoding.placing import parts_of
from engine.errors import InvalidRequest
from engine.interruption import NEVER
from tests import budget
from tests.interruptions import InterruptedBy
from tests.reference.placing import slow_placed
from tests.test_translator import make_translator, phrase_texts

SOURCE = "Click on “Apply” to save the settings for all nodes."
SEEN = "Klicken Sie auf „Übernehmen“, um die Einstellungen für alle Knoten zu speichern."
OPTIONS = SearchOptions(beam=5, nbest=3)
STRONG = 1000.0


@pytest.fixture(scope="module")
def translator(codec) -> Translator:
    return make_translator(codec)


@pytest.fixture(scope="module")
def bundled() -> Translator:
    return Translator.load("data/models/en-de")


def followed_text(translator: Translator, request: Request) -> str:
    """The text that the search follows."""
    prepared = translator.pipeline.with_phrases_placed(translator.pipeline.prepare(request), NEVER)
    assert prepared.followed is not None
    return translator._codec.decode(prepared.followed.pieces).text


@pytest.mark.parametrize("decoder", ["attention", "ssru"])
def test_phrase_goes_where_the_whole_text_scores_best(codec, decoder):
    translator = make_translator(codec, **({"decoder": "ssru"} if decoder == "ssru" else {}))
    rng = random.Random(5)
    words = SEEN.split()
    for _ in range(budget.rounds(4, 40)):
        text = " ".join(rng.sample(words, rng.randint(1, 7)))
        phrase = rng.choice(["Straße", "C++", "auf allen Seiten", "%s"])
        request = Request(SOURCE, phrases=[Phrase(phrase)], follow=Follow(text))
        found = codec.encode(followed_text(translator, request)).ids
        (best, _), *_ = expected = slow_placed(translator, codec, SOURCE, text, phrase)
        near_best = [codec.decode(pieces).text for score, pieces in expected if score > best - 1e-3]
        assert codec.decode(found).text in near_best, (text, phrase)


def test_text_with_all_phrases_is_followed_unchanged(translator):
    request = Request(SOURCE, phrases=[Phrase("Knoten"), Phrase("alle")], follow=Follow(SEEN))
    assert followed_text(translator, request) == SEEN
    unplaced = replace(request, follow=Follow(SEEN, places_phrases=False))
    ours, theirs = (translator.translate(one, OPTIONS) for one in (request, unplaced))
    assert ours.hypotheses == theirs.hypotheses


def test_placing_looks_for_a_stop_between_readings_and_then_reads_no_more(translator):
    request = Request(SOURCE, phrases=[Phrase("Straße")], follow=Follow(SEEN))
    prepared = translator.pipeline.prepare(request)
    looks: list[int] = []

    def stops_at(number: int):
        looks.clear()

        def interruption():
            looks.append(len(looks) + 1)
            return "cancelled" if len(looks) == number else None

        return InterruptedBy(interruption)

    def placed(number: int):
        return translator.pipeline.with_phrases_placed(prepared, stops_at(number)).followed

    assert placed(10**6) != prepared.followed
    num_looks = len(looks)
    assert num_looks >= 3  # before the phrase, and before each of two readings
    for number in range(1, num_looks + 1):
        assert placed(number) == prepared.followed
        assert len(looks) == number


def test_text_is_unchanged_without_placing(translator):
    request = Request(SOURCE, phrases=[Phrase("Straße")], follow=Follow(SEEN, places_phrases=False))
    assert followed_text(translator, request) == SEEN


def test_all_phrases_are_in_the_text_and_in_every_translation(translator, codec):
    rng = random.Random(3)
    for number in range(budget.rounds(6, 60)):
        phrases = [Phrase(text) for text in rng.sample(phrase_texts(codec), rng.randint(1, 3))]
        request = Request(f"{SOURCE} {number}", phrases=phrases, avoid=["Klicken"], follow=Follow(SEEN))
        text = followed_text(translator, request)
        translation = translator.translate(request, OPTIONS)
        assert translation.status == "complete", translation.reasons
        for phrase in phrases:
            assert occurrences(text, phrase.text), (text, phrase)
            assert all(occurrences(found.text, phrase.text) for found in translation.hypotheses)


def test_translation_is_the_text_with_the_phrase_if_it_is_followed_closely(translator):
    request = Request(SOURCE, phrases=[Phrase("Straße"), Phrase("drei")], follow=Follow(SEEN, STRONG))
    best = translator.translate(request, OPTIONS).hypotheses[0]
    assert best.text == followed_text(translator, request)
    assert best.change_penalty == 0.0


def test_request_alone_equals_request_in_a_batch(translator):
    requests = [
        Request(SOURCE, phrases=[Phrase("Straße")], follow=Follow(SEEN)),
        Request(SOURCE),
        Request("Save the settings.", phrases=[Phrase("Knoten", count=2)], follow=Follow("Die Datei.")),
        Request(SOURCE, phrases=[Phrase("C++"), Phrase("%s")], follow=Follow(SEEN, 1.0)),
    ]
    together = list(translator.translate_all(requests, OPTIONS))
    for request, translation in zip(requests, together, strict=True):
        alone = translator.translate(request, OPTIONS)
        assert [found.text for found in translation.hypotheses] == [found.text for found in alone.hypotheses]


@pytest.mark.parametrize(
    ("changes", "kept", "why"),
    [
        ({"prefix": "Klicken Sie auf "}, ["Klicken Sie auf"], "a prefix that the text begins with"),
        ({"locked": ["die Einstellungen", "alle Knoten"]}, ["die Einstellungen", "alle Knoten"], "locked texts"),
        ({"suffix": "zu speichern."}, ["zu speichern."], "a suffix"),
    ],
)
def test_constraints_that_the_text_meets_are_not_touched(translator, changes, kept, why):
    request = Request(SOURCE, phrases=[Phrase(t) for t in ("Straße", "C++", "%s")], follow=Follow(SEEN), **changes)
    text = followed_text(translator, request)
    assert all(phrase.text in text for phrase in request.phrases), why
    places = [text.index(part) for part in kept]
    assert all(a < b for a, b in pairwise(places)), why


def test_text_that_does_not_begin_with_the_prefix_is_not_changed(translator):
    request = Request(SOURCE, prefix="Bitte ", phrases=[Phrase("Straße")], follow=Follow(SEEN))
    assert followed_text(translator, request) == SEEN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "Straße"),
        ("漢字", None),
        ("wort " * 300, None),
    ],
    ids=["empty", "unknown characters", "longer than the model writes"],
)
def test_any_text_can_be_followed(translator, text, expected):
    request = Request(SOURCE, phrases=[Phrase("Straße")], follow=Follow(text))
    if expected:
        assert followed_text(translator, request) == expected
    assert translator.translate(request, OPTIONS).status == "complete"


def test_phrase_that_must_occur_twice_is_put_in_twice(translator):
    request = Request(SOURCE, phrases=[Phrase("Straße", count=2)], follow=Follow("Die Straße ist lang."))
    assert len(occurrences(followed_text(translator, request), "Straße")) == 2


def test_capitalised_form_is_put_only_where_a_sentence_begins(translator):
    for text in ("Die Datei.", "Die Datei ist offen, weil alle Knoten da sind."):
        request = Request(SOURCE, phrases=[Phrase("straße", case="auto")], follow=Follow(text))
        placed = followed_text(translator, request)
        assert "straße" in placed or placed.startswith("Straße")


def test_placing_uses_the_datastore_like_the_search(translator):
    datastore = translator.datastore_of((), DatastoreOptions(least_fit=-100.0))
    for _ in range(2):
        datastore = translator.learn(Request(SOURCE), SEEN.replace("alle", "drei"), datastore)
    request = Request(SOURCE, phrases=[Phrase("drei")], follow=Follow(SEEN, STRONG))
    best = translator.translate(request, OPTIONS, datastore=datastore).hypotheses[0]
    assert best.text == SEEN.replace("alle", "drei")


def test_source_span_selects_the_replaced_word(bundled):
    source, seen = "The old house has a red door.", "Das alte Haus hat eine rote Tür."
    for phrase, span, expected in [
        ("Gebäude", (8, 13), "Das alte Gebäude hat eine rote Tür."),
        ("grüne", (20, 23), "Das alte Haus hat eine grüne Tür."),
        ("Pforte", (24, 28), "Das alte Haus hat eine rote Pforte."),
    ]:
        request = Request(source, phrases=[Phrase(phrase, source_span=span)], follow=Follow(seen))
        assert followed_text(bundled, request) == expected


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("„E-Mail“, 3,5", ["„", "E-Mail", "“", ",", "3,5"]),
        ("Das ist's (fast).", ["Das", "ist's", "(", "fast", ")", "."]),
        ("", []),
        ("…", ["…"]),
    ],
)
def test_parts_are_words_and_the_marks_around_them(codec, text, parts):
    decoding = codec.decode(codec.encode(text).ids)
    found = [decoding.text[decoding.spans[a][0] : decoding.spans[b - 1][1]] for a, b in parts_of(decoding)]
    assert found == parts


def test_places_are_texts_with_one_more_occurrence_each_elsewhere_and_the_best_is_where_it_is_placed(bundled):
    request = Request(SOURCE, phrases=[Phrase("sofort")], locked=["alle Knoten"], follow=Follow(SEEN))
    found = bundled.places(request, count=8)
    assert found[0].text == followed_text(bundled, request)
    assert len({one.text for one in found}) == len(found) == 8
    starts = [next(each.start for each in one.placements if each.phrase == 0) for one in found]
    assert len(set(starts[:3])) == 3
    for one, start in zip(found, starts, strict=True):
        assert one.text[start:].startswith("sofort")
        assert occurrences(one.text, "sofort") == [(start, start + len("sofort"))]
        assert "alle Knoten" in one.text
    assert bundled.places(request, count=2) == found[:2]


def test_text_that_has_the_phrase_gets_another_occurrence_unless_that_is_too_many(bundled):
    phrase = Phrase("Knoten", forms=["Knotens"])
    found = bundled.places(Request(SOURCE, phrases=["sofort", phrase], follow=Follow(SEEN)), phrase=1)
    assert found
    assert all(len(occurrences(one.text, "Knoten") + occurrences(one.text, "Knotens")) == 2 for one in found)
    only_one = Request(SOURCE, phrases=[replace(phrase, max_count=1)], follow=Follow(SEEN))
    assert bundled.places(only_one) == ()


def test_occurrence_beside_one_of_the_same_phrase_is_not_among_the_first_places(bundled):
    source, text = "You can change the password later.", "Sie können das Passwort später ändern."
    found = [each.text for each in bundled.places(Request(source, phrases=["später"], follow=Follow(text)), count=99)]
    are_doubled = ["später später" in text for text in found]
    assert True not in are_doubled[:5] and True in are_doubled


def test_places_keep_the_beginning_and_the_sentences_of_the_text(bundled):
    request = Request(
        f"Wait. {SOURCE}", phrases=["sofort"], prefix="Warten Sie. ", follow=Follow(f"Warten Sie. {SEEN}")
    )
    found = bundled.places(request)
    assert found
    assert all(one.text.startswith("Warten Sie. ") and "sofort" in one.text for one in found)
    assert bundled.places(replace(request, prefix="Bitte ")) == ()


def test_places_after_a_stop_are_none_and_without_a_text_are_refused(bundled):
    request = Request(SOURCE, phrases=["sofort"], follow=Follow(SEEN))
    assert bundled.places(request, deadline_ms=0.0) == ()
    with pytest.raises(InvalidRequest, match="give it as follow"):
        bundled.places(replace(request, follow=None))
    for number in (-1, 1):
        with pytest.raises(InvalidRequest, match=f"phrase is {number}"):
            bundled.places(request, phrase=number)
    with pytest.raises(InvalidRequest, match="number"):
        bundled.places(replace(request, phrases=[Phrase("2", is_expected=True)]))
