"""BLEU of languages that write no spaces, by whichever code a model has for them."""

from __future__ import annotations

import pytest

from engine.evaluation import score


@pytest.mark.parametrize(
    ("language", "tokeniser"),
    [
        ("zh", "zh"),
        ("zho_Hans", "zh"),
        ("cmn_Hant", "zh"),
        ("yue_Hant", "zh"),
        ("jpn_Jpan", "char"),
        ("khm_Khmr", "char"),
        ("de", "13a"),
        ("", "13a"),
    ],
)
def test_bleu_cuts_words_as_the_target_language_writes_them(language: str, tokeniser: str) -> None:
    found = score(["文件是空的吗"], ["文件不是空的"], language)
    assert f"tok:{tokeniser}|" in found.signatures["bleu"]
    assert (found.bleu > 10) == (tokeniser != "13a")
