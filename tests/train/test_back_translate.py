"""Back-translation: what people wrote stays the target, all of it once, however often the work is broken off."""

from __future__ import annotations

import gzip
import json
import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import Hypothesis, Reason, Request, SearchOptions, Translation, Translator
from engine.errors import TrainingError
from engine.model import ModelConfig
from engine.text import SYNTHETIC_PIECE, TextCodec
from engine.train.__main__ import main
from engine.train.back_translate import back_translate, is_usable
from engine.train.bundle import write_bundle
from engine.train.corpus import Selection, read_synthetic
from engine.train.data import EOS, BatchSampler, PairSet, PreparedData
from engine.train.options import BackTranslateOptions, TrainOptions
from engine.train.prepare import prepare
from engine.train.trainer import Trainer
from tests.train.corpora import PAIRS, prepare_options, write_corpus

LANGUAGES = ("en", "de")


class Shouting:
    """Stands in for a translator where only the order of work matters: it writes the text in capitals."""

    directions = ("en-de", "de-en")
    checksum = "shouting"

    def __init__(self) -> None:
        self.num_asked = 0
        self.statuses = {"I am tired.": "infeasible"}
        self.reasons: tuple[Reason, ...] = ()

    def translate_all(self, requests, options, batch_size):
        for request in requests:
            self.num_asked += 1
            found = Hypothesis(request.source.upper(), 0.0, 0.0, (), (), ())
            status = self.statuses.get(request.source, "complete")
            yield Translation(request, status, (found,) * (status == "complete"), self.reasons)


class Stopped(Shouting):
    """Is told to end while it works."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._after = after

    def translate_all(self, requests, options, batch_size):
        for translation in super().translate_all(requests, options, batch_size):
            if self.num_asked == self._after:
                os.kill(os.getpid(), signal.SIGTERM)
            yield translation


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus")


def options(**changes: object) -> BackTranslateOptions:
    return replace(BackTranslateOptions("en-de", part_lines=7), **changes)


def test_every_line_is_translated_once_over_any_number_of_calls(corpus: Path, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    outcome = back_translate(Shouting(), corpus, whole, options())
    assert (outcome.num_lines, outcome.num_left_out, outcome.is_finished) == (40, 2, True)
    pairs = list(read_synthetic(whole, LANGUAGES))
    assert [pair.first for pair in pairs] == [en for en, _ in 2 * PAIRS if "tired" not in en]
    assert all(pair.second == pair.first.upper() for pair in pairs)
    assert {(pair.source_id, pair.domain) for pair in pairs} == {("made-up", "synthetic.de")}

    for number in range(1, 4):  # each call is over after its first line
        outcome = back_translate(Shouting(), corpus, broken, options(pause_after_minutes=1e-9))
        assert (outcome.num_lines, outcome.is_finished) == (number, False)
    assert back_translate(Shouting(), corpus, broken, options(limit=12)).num_lines == 12
    outcome = back_translate(Stopped(5), corpus, broken, options())
    assert (outcome.num_lines, outcome.is_finished) == (17, False)
    assert back_translate(Shouting(), corpus, broken, options()).is_finished
    assert list(read_synthetic(broken, LANGUAGES)) == pairs
    translator = Shouting()
    assert back_translate(translator, corpus, broken, options()).is_finished
    assert translator.num_asked == 0, "what is done is not done again"


def test_only_a_part_is_held_in_memory(corpus: Path, tmp_path: Path) -> None:
    text = tmp_path / "mono.en"
    text.write_text("".join(f"Line {number}.\n\n" for number in range(50)), encoding="utf-8")
    back_translate(Shouting(), corpus, tmp_path / "back", options(text=text, source_id="made-up", limit=45))
    sizes = []
    for path in sorted((tmp_path / "back").glob("*.tsv.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            sizes.append(len(list(lines)))
    assert sizes == [7, 7, 7, 7, 7, 7, 3]
    assert [pair.first for pair in read_synthetic(tmp_path / "back", LANGUAGES)] == [f"Line {n}." for n in range(45)]


def test_a_selection_of_the_corpus_and_the_other_side(corpus: Path, tmp_path: Path) -> None:
    chosen = options(direction="de-en", selection=Selection({"docs": 3}))
    back_translate(Shouting(), corpus, tmp_path / "back", chosen)
    pairs = list(read_synthetic(tmp_path / "back", LANGUAGES))
    assert [pair.second for pair in pairs] == [de for en, de in PAIRS if len(en.split()) <= 3]
    assert {pair.domain for pair in pairs} == {"synthetic.en"} and pairs[0].first == pairs[0].second.upper()


@pytest.mark.parametrize(
    ("text", "written", "usable"),
    [
        ("A line.", "Eine Zeile.", True),
        ("A line.", "", False),
        ("A line.", " ", False),
        ("A line.", "Eine\tZeile.", False),
        ("A line.", "Eine\nZeile.", False),
        ("Yes.", "Das ist durchaus wahr.", True),
        ("Yes.", "ja " * 20, False),
        ("word " * 20, "Wort", False),
    ],
)
def test_usable_texts_are_recognized(text: str, written: str, usable: bool) -> None:
    assert is_usable(text, written) == usable


def test_bad_settings_and_folders_are_named_with_the_cure(corpus: Path, tmp_path: Path) -> None:
    folder, text = tmp_path / "back", tmp_path / "mono.en"
    text.write_text("One line.\n", encoding="utf-8")
    back_translate(Shouting(), corpus, folder, options())
    with pytest.raises(TrainingError, match=r"synthetic\.de\.json is missing or is for another model, text or search"):
        back_translate(Shouting(), corpus, folder, options(beam=2))
    sorted(folder.glob("*.tsv.gz"))[2].unlink()
    with pytest.raises(TrainingError, match=r"000000021-000000028\.tsv\.gz does not follow on line 14; a part before"):
        back_translate(Shouting(), corpus, folder, options())
    with pytest.raises(
        TrainingError, match=r"SOURCES\.tsv has no line for source 'elsewhere'; add it with its licence"
    ):
        back_translate(Shouting(), corpus, tmp_path / "other", options(text=text, source_id="elsewhere"))
    failing = Shouting()
    failing.statuses, failing.reasons = {"The cat sleeps.": "failed"}, (Reason("crashed", "no memory"),)
    with pytest.raises(TrainingError, match=r"line 2 cannot be translated \(no memory\): 'The cat sleeps\.'"):
        back_translate(failing, corpus, tmp_path / "other", options())
    with pytest.raises(TrainingError, match="direction is 'en-fr'; it must be en-de or de-en"):
        options(direction="en-fr")
    with pytest.raises(TrainingError, match="text and source_id belong together"):
        options(text=text)
    with pytest.raises(TrainingError, match=r"does not contain synthetic\.en\.\*\.tsv\.gz"):
        list(read_synthetic(tmp_path, LANGUAGES))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learnt a little, in both directions, and the corpus beside it."""
    folder = tmp_path_factory.mktemp("back")
    prepare(write_corpus(folder / "corpus"), folder / "work", prepare_options())
    config = ModelConfig(PreparedData.load(folder / "work").vocabulary_size, ("en-de", "de-en"), 16, 2, 32, 1, 1)
    training = TrainOptions(
        ("en-de", "de-en"), max_updates=20, batch_pieces=400, warmup_updates=2, peak_lr=1e-2, precision="float32"
    )
    Trainer(folder / "work", folder / "run", config, training).train()
    write_bundle(folder / "work", folder / "run", folder / "model", 1, "A tiny model")
    return folder / "model"


def test_synthetic_pairs_are_trained_on_in_their_direction_alone_and_marked(model: Path, tmp_path: Path) -> None:
    corpus, back = model.parent / "corpus", tmp_path / "back"
    for direction in ("de-en", "en-de"):
        command = ["back-translate", str(model), str(corpus), str(back), "--direction", direction, "--limit", "9"]
        assert main([*command, "--beam", "1"]) == 0
    translator = Translator.load(model)
    made = list(read_synthetic(back, LANGUAGES))
    for pair in made:
        source, direction = (pair.second, "de-en") if pair.domain == "synthetic.en" else (pair.first, "en-de")
        best = translator.translate(Request(source, direction=direction), SearchOptions(beam=1)).hypotheses[0].text
        assert best == (pair.first if direction == "de-en" else pair.second)

    prepared = prepare(corpus, tmp_path / "work", prepare_options(codec=model, synthetic=back, max_pieces=200))
    num_made = Counter(pair.domain for pair in made)
    assert (prepared.facts["pairs"], prepared.facts["synthetic_pairs"]) == (40, num_made)
    assert prepared.domains == ("docs", "everyday", *sorted(num_made))
    pairs, codec = PairSet.load(tmp_path / "work" / "train", LANGUAGES), TextCodec.load(model)
    mark = codec.id_of(SYNTHETIC_PIECE)
    batches = BatchSampler(pairs, prepared, ("en-de", "de-en"), 300)
    seen: Counter[tuple[str, str]] = Counter()
    for drawn in batches.epoch(0):
        batch = batches.batch(drawn, np.random.default_rng(0))
        for row, pair in enumerate(drawn.pairs):
            domain = prepared.domains[pairs.domains[pair]]
            direction = ("en-de", "de-en")[drawn.direction]
            seen[domain, direction] += 1
            head = batch.source_BS[row].tolist()[: 2 if domain in num_made else 1]
            assert head == [codec.id_of(f"<{direction}>"), mark][: len(head)]
            assert (mark in batch.source_BS[row].tolist()) == (domain in num_made)
            assert EOS in batch.target_BT[row].tolist()
    expected = {(domain, direction): 20 for domain in ("docs", "everyday") for direction in ("en-de", "de-en")}
    assert seen == expected | {("synthetic.en", "en-de"): num_made["synthetic.en"]} | {
        ("synthetic.de", "de-en"): num_made["synthetic.de"]
    }


def test_card_names_synthetic_data(model: Path, tmp_path: Path) -> None:
    back_translate(Shouting(), model.parent / "corpus", tmp_path / "back", options())
    prepare(model.parent / "corpus", tmp_path / "work", prepare_options(codec=model, synthetic=tmp_path / "back"))
    config = ModelConfig(PreparedData.load(tmp_path / "work").vocabulary_size, ("en-de",), 8, 2, 8, 1, 1)
    training = TrainOptions(max_updates=1, batch_pieces=400, domain_tag_rate=0.5, weights={"synthetic.de": 0.5})
    Trainer(tmp_path / "work", tmp_path / "run", config, training).train()
    write_bundle(tmp_path / "work", tmp_path / "run", tmp_path / "made", 1, "A model")
    card = (tmp_path / "made" / "card.md").read_text(encoding="utf-8")
    assert "40 sentence pairs by human translators" in card and "--synthetic BACK" in card
    assert "more of which a model wrote the side in de (back-translation), all marked with a token." in card
    assert "engine.train back-translate EARLIER CORPUS BACK --direction en-de\n" in card
    config_of_model = json.loads((tmp_path / "made" / "config.json").read_text(encoding="utf-8"))
    assert config_of_model["domains"] == ["docs", "everyday"], "nobody asks for a synthetic source"
