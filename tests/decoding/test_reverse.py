"""Ranking again by the reverse direction, against scores that the translator computes for each translation alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import Follow, Hypothesis, Phrase, Request, SearchOptions, Translator
from engine.search_options import NUM_RERANKED, Score

PLAIN = SearchOptions(beam=10, nbest=NUM_RERANKED)
OPTIONS = replace(PLAIN, reverse_weight=0.5)
SOURCES = ["The file could not be opened.", "Click on “Apply” to save the settings for all nodes.", "A man eats bread."]


@pytest.fixture(scope="module")
def bundled() -> Translator:
    return Translator.load("data/models/en-de")


def ranking(hypothesis: Hypothesis) -> float:
    return hypothesis.score - hypothesis.score_penalty


@pytest.mark.parametrize("score", ["normalised", "log_prob"])
@pytest.mark.parametrize("request_", [*map(Request, SOURCES), Request(SOURCES[0], phrases=(Phrase("Akte"),))])
def test_translations_are_ranked_by_both_directions(bundled: Translator, request_: Request, score: Score) -> None:
    plain = bundled.translate(request_, replace(PLAIN, score=score))
    expected = {}
    for one in plain.hypotheses:
        back = bundled.score(one.text, request_.source, direction="de-en")
        reverse_score = back.score if score == "normalised" else back.log_prob
        expected[one.text] = (one.log_prob, reverse_score, ranking(one) + OPTIONS.reverse_weight * reverse_score)
    found = bundled.translate(request_, replace(OPTIONS, score=score))
    assert found.status == "complete"
    for one in found.hypotheses:
        assert (one.log_prob, one.reverse_score, ranking(one)) == pytest.approx(expected[one.text], abs=1e-4)
    ranked = [ranking(one) for one in found.hypotheses]
    assert ranked == sorted(ranked, reverse=True) and len(ranked) == len(expected)


def test_ranking_again_changes_the_first_translation_of_some_source(bundled: Translator) -> None:
    requests = [*map(Request, SOURCES)]
    plain, ranked = (
        [translation.hypotheses[0].text for translation in bundled.translate_all(requests, options)]
        for options in (PLAIN, replace(OPTIONS, reverse_weight=100.0))
    )
    assert plain != ranked


def test_first_translation_is_the_same_with_a_short_list(bundled: Translator) -> None:
    options = replace(OPTIONS, reverse_weight=2.0)
    for source in SOURCES:
        whole = bundled.translate(Request(source), options).hypotheses
        assert bundled.translate(Request(source), replace(options, nbest=1)).hypotheses == whole[:1]


def test_reverse_scores_are_only_computed_for_free_translations(
    bundled: Translator,
) -> None:
    follow = Follow("Die Datei war nicht zu öffnen.")
    for request_, options in [
        (Request(SOURCES[0]), PLAIN),
        (Request(SOURCES[0], prefix="Die "), OPTIONS),
        (Request(SOURCES[0], follow=follow), OPTIONS),
    ]:
        found = bundled.translate(request_, options)
        assert found.hypotheses and all(one.reverse_score is None for one in found.hypotheses)


def test_model_of_one_direction_ranks_as_without(bundled: Translator) -> None:
    model = replace(bundled._model, config=replace(bundled._model.config, directions=("en-de",)))
    one_way = Translator(model)
    for source in SOURCES:
        found = one_way.translate(Request(source), replace(OPTIONS, reverse_weight=100.0))
        plain = one_way.translate(Request(source), PLAIN)
        assert found.hypotheses == plain.hypotheses


def test_prices_compare_translations_of_the_search_alone(bundled: Translator) -> None:
    request_ = Request(SOURCES[0], phrases=(Phrase("Akte"),))
    assert bundled.price(request_, OPTIONS).total == bundled.price(request_, PLAIN).total
