"""A previous text through the whole path: what is kept, what is reported, and what cannot be followed.

The model is a random one, which by itself would keep nothing.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import Follow, InvalidRequest, Phrase, Request, SearchOptions, Translator
from engine.decoding.constraints import PreparedRequest
from engine.request import MAX_FOLLOW_CHARACTERS, MAX_FOLLOW_STRENGTH
from tests.test_translator import make_translator

SOURCE = "Click on “Apply” to save the settings for all nodes."
SEEN = "Klicken Sie auf „Übernehmen“, um die Einstellungen für alle Knoten zu speichern."
OPTIONS = SearchOptions(beam=5, nbest=3)
STRONG = 1000.0


@pytest.fixture(scope="module")
def translator(codec) -> Translator:
    return make_translator(codec)


def without_time(translation):
    return replace(translation, elapsed_ms=0.0, request=None)


def test_strength_0_gives_the_translation_without_a_previous_text(translator):
    request = Request(SOURCE, phrases=[Phrase("Knoten")], avoid=["Übernehmen"])
    free = translator.translate(request, OPTIONS)
    followed = translator.translate(replace(request, follow=Follow(SEEN, strength=0)), OPTIONS)
    assert without_time(followed) == without_time(free)


@pytest.mark.parametrize("score", ["normalised", "log_prob"])
def test_text_that_nothing_contradicts_is_kept(translator, score):
    options = replace(OPTIONS, score=score)
    translation = translator.translate(Request(SOURCE, follow=Follow(SEEN, STRONG)), options)
    best, *others = translation.hypotheses
    assert best.text == SEEN
    assert best.change_penalty == 0.0
    assert all(other.change_penalty >= STRONG for other in others)


def test_scores_are_the_model_s_and_the_penalty_is_beside_them(translator):
    request = Request(SOURCE, phrases=[Phrase("Straße")], follow=Follow(SEEN, strength=3.0))
    translation = translator.translate(request, OPTIONS)
    for found in translation.hypotheses:
        scored = translator.score(SOURCE, tokens=found.tokens)
        assert found.log_prob == pytest.approx(scored.log_prob, abs=1e-3)
        assert found.score == pytest.approx(scored.score, abs=1e-4)
        assert found.change_penalty % 3.0 == 0.0
    ranked = [(found.log_prob - found.change_penalty) / len(found.tokens) for found in translation.hypotheses]
    assert ranked == sorted(ranked, reverse=True)
    assert [found.score - found.score_penalty for found in translation.hypotheses] == pytest.approx(ranked)
    free = translator.translate(replace(request, follow=None), OPTIONS)
    assert [found.score_penalty for found in free.hypotheses] == [0.0] * len(free.hypotheses)


def test_correction_in_its_place_keeps_all_other_words(translator):
    typed = SEEN.replace("alle Knoten", "jeden Rechner")
    request = Request(SOURCE, phrases=[Phrase("jeden Rechner")], follow=Follow(typed, STRONG))
    translation = translator.translate(request, OPTIONS)
    assert translation.status == "complete"
    assert translation.hypotheses[0].text == typed


def test_ban_changes_the_banned_word_and_no_other(translator):
    request = Request(SOURCE, avoid=["Einstellungen"], follow=Follow(SEEN, STRONG))
    text = translator.translate(request, OPTIONS).hypotheses[0].text
    before, after = SEEN.split("Einstellungen")
    assert text.startswith(before.rstrip())
    assert text.endswith(after.lstrip())
    assert "Einstellungen" not in text


def test_text_after_a_prefix_is_kept(translator):
    prefix = "Klicken Sie oft auf "
    request = Request(SOURCE, prefix=prefix, follow=Follow(SEEN, STRONG))
    best = translator.translate(request, OPTIONS).hypotheses[0]
    assert best.text == SEEN.replace("Klicken Sie auf ", prefix)
    assert best.change_penalty == 0.0  # nothing but the prefix differs


TYPED = "Klicken Sie die Taste „Übernehmen“, um die Einstellungen zu speichern. Die Datei"


@pytest.mark.parametrize(
    ("request_", "required"),
    [
        ({"phrases": [Phrase("die")]}, ["die", "die"]),
        ({"phrases": [Phrase("Einstellung", forms=("Einstellungen",)), Phrase("Knoten")]}, ["Einstellungen"]),
        ({"locked": ["Taste „Übernehmen“", "Datei"]}, ["Taste „Übernehmen“", "Datei"]),
        ({"phrases": [Phrase("die"), Phrase("Taste")], "prefix": "Sie können die "}, ["Taste"]),
        ({"locked": ["die"], "prefix": "Sie können die "}, ["die", "die"]),
        ({}, []),
    ],
)
def test_required_texts_that_the_previous_text_has_are_to_stay(codec, request_, required):
    """All of them, as the engine cannot know which one is meant; a phrase that the prefix has may be moved there."""
    request = Request(SOURCE, follow=Follow(TYPED), **request_)
    followed = PreparedRequest.of(request, "en-de", codec, 512).followed
    decoded, runs = codec.decode(followed.pieces), []
    for number in sorted(followed.required):
        start, end = decoded.spans[number]
        if runs and not decoded.text[runs[-1][1] : start].strip() and number - 1 in followed.required:
            runs[-1][1] = end
        else:
            runs.append([start, end])
    assert [decoded.text[start:end] for start, end in runs] == required


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "an empty text"),
        ("漢字 и кириллица", "unknown characters"),
        ("<b>Klicken</b> Sie auf {0} %s ", "tags and placeholders are text"),
        ("save " * 1500, "longer than this model could write"),
        ("  \n\t", "only spaces"),
    ],
)
def test_phrases_are_met_with_any_previous_text(translator, text, why):
    request = Request(SOURCE, phrases=[Phrase("Straße")], follow=Follow(text))
    translation = translator.translate(request, OPTIONS)
    assert translation.status == "complete", why
    assert all("Straße" in found.text for found in translation.hypotheses)


def test_contradictory_constraints_are_infeasible_as_without_a_previous_text(translator):
    request = Request(SOURCE, phrases=[Phrase("Knoten")], avoid=["Knoten"], follow=Follow(SEEN))
    translation = translator.translate(request, OPTIONS)
    assert translation.status == "infeasible"
    assert translation.relaxation.avoid == (0,)


def test_alternative_words_keep_the_rest_of_the_text(translator):
    request = Request(SOURCE, follow=Follow(SEEN, STRONG))
    seen = translator.translate(request, OPTIONS).hypotheses[0]
    offset = SEEN.index("alle")
    for found in translator.alternatives(request, seen, offset, count=3, options=OPTIONS):
        assert found.hypothesis.text.startswith(SEEN[:offset])
        assert found.hypothesis.text.endswith("Knoten zu speichern.")


def test_requests_with_and_without_a_previous_text_share_a_batch(translator):
    requests = [
        Request(SOURCE, follow=Follow(SEEN, strength=2.0)),
        Request(SOURCE),
        Request(SOURCE, phrases=[Phrase("Straße")], follow=Follow("Eine Straße.", STRONG)),
        Request("Save the settings.", phrases=[Phrase("Knoten")]),
    ]
    together = list(translator.translate_all(requests, OPTIONS))
    for request, translation in zip(requests, together, strict=True):
        alone = translator.translate(request, OPTIONS)
        assert [found.text for found in translation.hypotheses] == [found.text for found in alone.hypotheses]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": None}, "text is None; it must be a string"),
        ({"text": "wort " * 5000}, f"25,000 characters; at most {MAX_FOLLOW_CHARACTERS:,} .*split the segment"),
        ({"text": "a", "strength": -1}, "strength is -1; it must be between 0 and"),
        ({"text": "a", "strength": float("nan")}, "strength is nan"),
        ({"text": "a", "strength": 2 * MAX_FOLLOW_STRENGTH}, "strength is 2000000.0"),
    ],
)
def test_unusable_previous_text_is_refused_with_the_cure(given, message):
    with pytest.raises(InvalidRequest, match=message):
        Follow(**given)


def test_a_plain_string_is_refused_with_the_cure():
    with pytest.raises(InvalidRequest, match=r"follow is 'Ein Text'; wrap text in Follow"):
        Request(SOURCE, follow="Ein Text")
