"""BLEU and TER of languages that write no spaces, by whichever code a model has for them."""

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


@pytest.mark.parametrize("language", ["zh", "zho_Hans", "yue_Hant", "jpn_Jpan"])
def test_ter_counts_edits_of_characters_in_chinese_and_japanese(language: str) -> None:
    found = score(["我们明天在车站见面。"], ["我们后天在车站见面。"], language)
    assert found.ter == pytest.approx(10)  # one of ten characters, where a sentence as one word would be 100
    assert "norm:yes|punct:yes|asian:yes" in found.signatures["ter"]


def test_ter_counts_edits_of_words_in_other_languages() -> None:
    found = score(["Das rote Rad."], ["Das neue Rad."], "de")
    assert found.ter == pytest.approx(100 / 3)
    assert "norm:no|punct:yes|asian:no" in found.signatures["ter"]
