"""The lexicon of a model, made of a dictionary and a corpus: which words, which forms, and the model's card."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from engine.errors import TrainingError
from engine.model import ModelConfig
from engine.model.lexicon import LEXICON, Lexicon, Lexicons
from engine.text import FormList
from engine.train.__main__ import main
from engine.train.lexicon_building import build_lexicon, read_forms
from tests.train.corpora import write_corpus

CARD = "# Model\n\n## Scores\n\nNone.\n\n## Reproduction\n\nCommands.\n"
ENTRIES = [
    "Ernte {f} | Ernten {pl} :: harvest | harvests",
    "ernten {vt} :: to harvest",
    "Ventil {n} [techn.]; Klappe {f} :: valve",
    "Server {m} :: server",
    "Datei {f} :: file",
    "Knoten {m} :: node",
    "Schneider {m} :: tailor",
    "zurückverwandelnd :: transmuting",
    "alter Baum :: old tree",
    "die :: the",
]
PAIRS = [
    ("The node is red.", "Der Knoten ist rot."),
    ("One node is blue.", "Ein Node ist blau."),  # the word is copied in most of its pairs
    ("My node is blue.", "Mein Node ist blau."),
    ("The stop is red.", "Der Halt ist rot."),
    ("Valve is a company.", "Valve ist eine Firma."),  # a name, not the word
    ("Valve is blue.", "Valve ist blau."),
    ("The server is red.", "Der Server ist rot."),
]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    ModelConfig(11, ("en-de", "de-en"), 8, 2, 8, 1, 1).save(folder / "config.json")
    (folder / "card.md").write_text(CARD, encoding="utf-8")
    return folder


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    path = tmp_path / "ding"
    path.write_text("# License :: GPL-2+\n" + "".join(f"{entry}\n" for entry in ENTRIES), encoding="utf-8")
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", [f"{en}\t{de}\tmade-up\tdocs" for en, de in PAIRS])


def built(model: Path, direction: str) -> Lexicon:
    lexicons = Lexicons.load(model / LEXICON)
    assert lexicons is not None
    lexicon = lexicons.of(direction)
    assert lexicon is not None
    return lexicon


def test_words_get_their_translations_in_all_forms(model: Path, corpus: Path, dictionary: Path) -> None:
    forms = FormList(b"Ventil\t0e 0en 0s\nernten\t2en 0d")
    assert build_lexicon(model, [corpus], dictionary, {"de": forms})["en-de"] == 6
    english, german = built(model, "en-de"), built(model, "de-en")
    assert set(english.forms("Harvest")) == {"Ernte", "ernten"}
    assert set(english.forms("valve")) == {"Ventil", "Ventile", "Ventilen", "Ventils", "Klappe"}
    assert set(german.forms("ernten")) == {"harvest", "harvests"}
    assert german.forms("Ernte") == ("harvest",)


def test_later_synonyms_are_for_words_without_a_first_one(model: Path, corpus: Path, dictionary: Path) -> None:
    with dictionary.open("a", encoding="utf-8") as file:
        file.write("Produktgarantie {f}; Garantie {f} :: guarantee; product; warranty\nTor {n} :: door; gate; valve\n")
    build_lexicon(model, [corpus], dictionary, {})
    lexicon = built(model, "en-de")
    assert "Garantie" in lexicon.forms("warranty")
    assert set(lexicon.forms("valve")) == {"Ventil", "Klappe"}


CASES = [
    ("en-de", "server", "its translation is the same word"),
    ("en-de", "transmuting", "its translation is rare"),
    ("en-de", "the", "a word that every model knows"),
    ("en-de", "old", "a phrase of two words"),
    ("de-en", "schneider", "a name in English texts"),
]


@pytest.mark.parametrize(("direction", "word", "reason"), CASES, ids=[reason for *_, reason in CASES])
def test_words_that_are_left_out(
    model: Path, corpus: Path, dictionary: Path, direction: str, word: str, reason: str
) -> None:
    build_lexicon(model, [corpus], dictionary, {})
    assert built(model, direction).forms(word) == (), reason


def test_words_that_may_stay_are_marked(model: Path, corpus: Path, dictionary: Path) -> None:
    with dictionary.open("a", encoding="utf-8") as file:
        file.write("Nachrichten {pl} :: news\nHalt {m} :: stop\nHinweis {m} :: tip-off\n")
    build_lexicon(model, [corpus] * 10, dictionary, {})
    lexicon = built(model, "en-de")
    words = {
        "node": "the corpus copies it",
        "news": "German texts have it",
        "stop": "German texts have it, but the corpus never copies it",
        "tip-off": "its parts are frequent",
        "valve": "the corpus copies only a name",
    }
    assert [word for word in words if lexicon.may_stay(word)] == ["node", "news"]
    assert lexicon.may_stay("Valve") and not lexicon.may_stay("Harvest")
    assert lexicon.forms("news") == ("Nachrichten",)


def test_words_of_the_corpus_are_known_if_they_occur_twice(model: Path, corpus: Path, dictionary: Path) -> None:
    build_lexicon(model, [corpus, corpus], dictionary, {})
    assert built(model, "en-de").is_word("Firma")
    build_lexicon(model, [corpus], dictionary, {})
    assert not built(model, "en-de").is_word("Firma") and built(model, "en-de").is_word("Rot")


def test_card_names_the_dictionary_once(model: Path, corpus: Path, dictionary: Path) -> None:
    for _ in range(2):
        build_lexicon(model, [corpus], dictionary, {})
    card = (model / "card.md").read_text(encoding="utf-8")
    assert card.count("\n## Lexicon\n") == 1 and "licence as stated: GPL-2+." in card
    assert card.index("## Scores") < card.index("## Lexicon") < card.index("## Reproduction")


def test_command_writes_the_lexicon(
    model: Path, corpus: Path, dictionary: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "forms").write_bytes(lzma.compress(b"Ventil\t0e"))
    arguments = [
        "lexicon",
        str(model),
        str(corpus),
        "--dictionary",
        str(dictionary),
        "--forms",
        str(tmp_path / "forms"),
    ]
    assert main(arguments) == 0
    assert "en-de: 6 words" in capsys.readouterr().out
    assert "Ventile" in built(model, "en-de").forms("valve")


def test_bad_input_is_named(model: Path, corpus: Path, dictionary: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="ding is not an xz-compressed list"):
        read_forms(dictionary)
    (model / "card.md").unlink()
    with pytest.raises(TrainingError, match=r"card\.md cannot be read"):
        build_lexicon(model, [corpus], dictionary, {})
    ModelConfig(11, ("en-fr",), 8, 2, 8, 1, 1).save(model / "config.json")
    with pytest.raises(TrainingError, match="neither from German to English nor back"):
        build_lexicon(model, [corpus], dictionary, {})
