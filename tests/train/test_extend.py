"""A trained model gets placeholders as pieces and more encoder layers, and computes what it computed before."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine.errors import TrainingError
from engine.model import ModelConfig, Transformer, load_model
from engine.model.weights import save_weights
from engine.text import TextCodec
from engine.text.placeholders import COMMON
from engine.train.__main__ import main
from engine.train.extend import extend
from tests.train.corpora import PAIRS, write_corpus


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model with random weights, whose vocabulary has no placeholder."""
    folder = tmp_path_factory.mktemp("model")
    codec = TextCodec.learn([text for pair in PAIRS for text in pair], 1200)
    codec.save(folder)
    training = {"updates": 3, "target_pieces": 1000, "minutes": 0.5}
    config = ModelConfig(len(codec.vocabulary), ("en-de",), 16, 2, 16, 1, 1, training=training)
    config.save(folder / "config.json")
    torch.manual_seed(1)
    transformer = Transformer(config)
    torch.nn.init.normal_(transformer.output_bias)
    save_weights(folder / "model.safetensors", transformer, torch.float32)
    return folder


@pytest.fixture(scope="module")
def extended(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("extended")
    assert extend(model, folder) == (4 * len(COMMON), 0)
    return folder


def test_every_placeholder_is_one_piece_and_other_text_is_unchanged(model: Path, extended: Path) -> None:
    old, new = TextCodec.load(model), TextCodec.load(extended)
    assert new.vocabulary.placeholders == list(COMMON)
    assert new.vocabulary.pieces[: len(old.vocabulary)] == old.vocabulary.pieces
    for text in COMMON:
        for spelling in (text, f"({text})", f"a {text}.", f"({text} b"):
            ids = new.encode_ids(spelling)
            assert [new.surfaces[i] for i in ids if i >= len(old.vocabulary)] == [text]
            assert new.decode(ids).text == spelling
    for pair in PAIRS:
        for text in pair:
            assert new.encode_ids(text) == old.encode_ids(text)


def test_probabilities_of_the_models_own_pieces_are_unchanged(model: Path, extended: Path) -> None:
    old, new = load_model(model), load_model(extended)
    source = torch.tensor([old.source_ids(old.codec.encode(PAIRS[0][0]).ids, "en-de")])
    target = torch.tensor([[1, *old.codec.encode(PAIRS[0][1]).ids]])
    with torch.no_grad():
        logits = [
            loaded.transformer.project(loaded.transformer(source, torch.tensor([source.shape[1]]), target))
            for loaded in (old, new)
        ]
    size = old.config.vocabulary_size
    torch.testing.assert_close(logits[1][..., :size], logits[0])


def test_new_piece_starts_as_the_mean_of_the_pieces_that_spelt_it(model: Path, extended: Path) -> None:
    old, new = load_model(model), load_model(extended)
    before, after = old.transformer.embedding.weight, new.transformer.embedding.weight
    for text in ("%s", "%1$s", "{name}", "</strong>"):
        parts = list(old.codec.encode(text).ids)
        assert len(parts) > 1
        for spelling in (text, f"￭{text}", f"{text}￭", f"￭{text}￭"):
            piece = new.codec.id_of(spelling)
            torch.testing.assert_close(after[piece], before[parts].mean(dim=0))
            assert new.transformer.output_bias[piece] == old.transformer.output_bias.min()


def test_deeper_encoder_computes_the_same_at_first(model: Path, tmp_path: Path) -> None:
    assert extend(model, tmp_path / "deep", encoder_layers=3) == (4 * len(COMMON), 2)
    old, new = load_model(model), load_model(tmp_path / "deep")
    assert (old.config.encoder_layers, new.config.encoder_layers) == (1, 3)
    for source, _ in PAIRS[:3]:
        ids = torch.tensor([old.source_ids(old.codec.encode(source).ids, "en-de")])
        with torch.no_grad():
            torch.testing.assert_close(new.transformer.memory(ids, None), old.transformer.memory(ids, None))
    added = dict(new.transformer.encoder[2].named_parameters())
    for name, below in old.transformer.encoder[0].named_parameters():
        is_output = name.startswith(("attention.out.", "feed_forward.outer."))
        assert torch.equal(added[name], torch.zeros_like(below) if is_output else below), name


def test_number_of_layers_must_be_a_multiple(model: Path, tmp_path: Path) -> None:
    extend(model, tmp_path / "two", encoder_layers=2)
    for layers in (1, 3):
        with pytest.raises(TrainingError, match=f"--encoder-layers is {layers}; give a multiple of 2"):
            extend(tmp_path / "two", tmp_path / "other", encoder_layers=layers)
    assert not (tmp_path / "other").exists()


def test_training_continues_from_the_extended_model_and_the_card_names_it(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, grown, work, run, made = (str(tmp_path / name) for name in ("corpus", "extended", "work", "run", "made"))
    lines = [f"Copy {text} to here.\t{text} hierher kopieren.\tmade-up\tdocs" for text in ("%s", "{3}") * 10]
    write_corpus(tmp_path / "corpus", lines)
    shape = ["--model-size", "16", "--heads", "2", "--feed-forward", "16"]
    shape += ["--encoder-layers", "2", "--decoder-layers", "1"]
    for command in (
        ["extend", str(model), grown, "--encoder-layers", "2"],
        ["prepare", corpus, work, "--domain", "docs", "--codec", grown, "--workers", "1"],
        ["train", work, run, "--initial", grown, "--max-updates", "2", "--threads", "1", *shape],
        ["average", work, run, made, "--earlier", grown, "--earlier-share", "0.25"],
    ):
        assert main(command) == 0, command[0]
    assert load_model(Path(made)).codec.encode("Copy {3}").ids[-1] == TextCodec.load(grown).vocabulary.id_of("{3}")
    card = (Path(made) / "card.md").read_text(encoding="utf-8")
    assert f"{len(COMMON)} placeholders and tags among them" in card
    steps = [line.split() for line in card.splitlines() if "engine.train" in line]
    assert steps[0] == ["python", "-m", "engine.train", "extend", "EARLIER", "EXTENDED", "--encoder-layers", "2"]
    assert steps[1][5:8] == ["WORK", "--codec", "EXTENDED"] and steps[2][5:8] == ["RUN", "--initial", "EXTENDED"]
    assert steps[3][-4:] == ["--earlier", "EXTENDED", "--earlier-share", "0.25"]

    assert main(["extend", grown, str(tmp_path / "again")]) == 1
    assert "placeholders already" in capsys.readouterr().err
    assert not (tmp_path / "again").exists()


def test_a_model_with_foreign_pieces_is_refused(tmp_path: Path) -> None:
    ModelConfig(11, ("en-de",), 8, 2, 8, 1, 1, text="sentencepiece").save(tmp_path / "config.json")
    with pytest.raises(TrainingError, match="an imported model, whose pieces are fixed"):
        extend(tmp_path, tmp_path / "out")
