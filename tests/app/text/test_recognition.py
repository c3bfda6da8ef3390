"""The language of a text."""

from __future__ import annotations

import pytest

from app.text import recognition
from app.text.recognition import language_shares


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The window is closed again when you leave it."),
        ("de", "Das Fenster wird danach geschlossen."),
        ("pl", "Plik nie mógł zostać otwarty."),
        ("ja", "ファイルを開くことができませんでした。"),
        ("ar", "تعذر فتح الملف لأنه تالف."),
        ("de", "BITTE DIE TÜR NICHT ÖFFNEN UND DEN SCHALTER NICHT DRÜCKEN"),
        ("en", "Open {0} in <b>%(name)s</b> at https://example.org/a/b before you print the page 17."),
    ],
)
def test_the_language_of_a_sentence_is_recognised(language: str, text: str) -> None:
    assert next(iter(language_shares(text))) == language


@pytest.mark.parametrize(
    ("language", "text"),
    [("zh", "泵已关闭。请打开阀门并等待片刻。"), ("ar", "المضخة متوقفة. افتح الصمام وانتظر قليلا من فضلك.")],
)
def test_a_language_and_its_written_dialects_count_as_one(language: str, text: str) -> None:
    assert language_shares(text)[language] > 0.9


def test_each_part_of_a_mixed_text_counts() -> None:
    english, german = "Open the file before you print it. ", "Öffnen Sie die Datei, bevor Sie drucken. "
    shares = language_shares(english * 40 + german * 20)
    assert 0.5 < shares["en"] < 0.8
    assert 0.2 < shares["de"] < 0.5


@pytest.mark.parametrize("text", ["", "17 + 4", "…", "x" * 1_000_000, "\u0301" * 100_000])
def test_a_text_without_words_has_shares_that_are_probabilities(text: str) -> None:
    assert 0 <= sum(language_shares(text).values()) <= 1.001


def test_unused_model_is_forgotten_and_read_again() -> None:
    text = "Das Fenster wird danach geschlossen."
    before = language_shares(text)
    recognition.forget_idle()
    assert recognition._loaded.cache_info().currsize == 1
    recognition.forget_idle(0)
    assert recognition._loaded.cache_info().currsize == 0
    assert language_shares(text) == before
