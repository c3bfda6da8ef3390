"""The accelerator's way through the search, on a CPU: by the plain output layer, and by the kernels interpreted.

`test_interpreter.py` runs this file again in Triton's interpreter, which has to be chosen before Triton is imported.
"""

from __future__ import annotations

import os
from unittest.mock import Mock

import pytest
from torch import Tensor

from engine import InvalidRequest, SearchOptions, Translator
from engine.kernels import TopTokens, dispatch
from engine.kernels.output_layer import top_tokens_plain
from engine.model import LoadedModel
from tests.kernels.searches import (
    REQUESTS,
    SHORT_REQUESTS,
    assert_same,
    avoiding_its_words,
    small_codec,
    small_model,
)

IS_INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
OPTIONS = SearchOptions(beam=6, nbest=4, max_length_factor=0.5, max_length_offset=5)
SHORT = SearchOptions(beam=2, nbest=2, max_length_factor=0.0, max_length_offset=3)


@pytest.fixture(scope="module")
def model() -> LoadedModel:
    return small_model(small_codec())


@pytest.mark.skipif(IS_INTERPRETED, reason="that of the kernels is enough for their interpreter")
def test_search_with_the_fused_output_layer_equals_search_on_a_cpu(
    model: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Together, so that some end while others go on and join, and finished rows stay for so many steps."""
    requests = [*REQUESTS, avoiding_its_words(model, OPTIONS)]
    expected = list(Translator(model).translate_all(requests, OPTIONS))
    widths: list[int] = []

    def noted(logits_RV: Tensor, k: int, *rest: Tensor | None) -> TopTokens:
        widths.append(k)
        return top_tokens_plain(logits_RV, k, *rest)

    monkeypatch.setattr(dispatch, "top_tokens_plain", noted)
    translator = Translator(model, compaction_interval=4)
    found = list(translator.translate_all(requests, OPTIONS, batch_size=4, schedule="fifo"))
    assert_same(found, expected)
    assert {len(translation.hypotheses) for translation in found} == {OPTIONS.nbest}
    assert OPTIONS.beam in widths
    assert max(widths) > OPTIONS.beam, "more are looked at where too many of the best are forbidden"


@pytest.mark.skipif(not IS_INTERPRETED, reason="test_interpreter.py runs this")
def test_search_with_the_kernels_equals_search_on_a_cpu(model: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.kernels.output_layer_triton import top_tokens_fused

    expected = list(Translator(model).translate_all(SHORT_REQUESTS, SHORT))
    fused = Mock(side_effect=top_tokens_fused)
    monkeypatch.setattr(dispatch, "top_tokens_plain", fused)
    found = list(Translator(model, compaction_interval=3).translate_all(SHORT_REQUESTS, SHORT))
    assert_same(found, expected)
    assert [translation.status for translation in found] == ["complete"] * 2
    assert fused.called


@pytest.mark.skipif(IS_INTERPRETED, reason="no kernel takes part")
def test_alternatives_come_from_logits_too(model: LoadedModel) -> None:
    found = []
    for translator in (Translator(model), Translator(model, compaction_interval=2)):
        hypothesis = translator.translate(SHORT_REQUESTS[0], SHORT).hypotheses[0]
        found.append(translator.alternatives(SHORT_REQUESTS[0], hypothesis, 0, 2, SHORT))
    assert [each.word for each in found[0]] == [each.word for each in found[1]]
    assert len(found[0]) == 2


def test_compaction_interval_of_zero_is_refused(model: LoadedModel) -> None:
    with pytest.raises(InvalidRequest, match="compaction_interval is 0; it counts steps"):
        Translator(model, compaction_interval=0)
