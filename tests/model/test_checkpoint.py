"""A model folder comes back as it was written, or says which file is wrong and what to do."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import safetensors.torch
import torch

from engine import text
from engine.errors import InvalidRequest, ModelError
from engine.model import ModelConfig, Transformer, load_model, save_weights
from engine.model.checkpoint import model_checksum
from engine.text import BOS, EOS, PAD, UNK, TextCodec


def small_config(vocabulary_size: int) -> ModelConfig:
    return ModelConfig(
        vocabulary_size=vocabulary_size,
        directions=("en-de", "de-en"),
        model_size=8,
        num_heads=2,
        feed_forward_size=8,
        encoder_layers=1,
        decoder_layers=1,
        max_pieces=32,
        length_ratios={"en-de": 1.1},
        training={"updates": 3},
    )


@pytest.fixture
def folder(tmp_path: Path, codec: TextCodec) -> Path:
    """A whole model folder with random weights in float32."""
    config = small_config(len(codec.vocabulary))
    codec.save(tmp_path)
    config.save(tmp_path / "config.json")
    torch.manual_seed(1)
    save_weights(tmp_path / "model.safetensors", Transformer(config), torch.float32)
    return tmp_path


def test_a_saved_model_loads_as_it_was(folder: Path, codec: TextCodec) -> None:
    loaded = load_model(folder)
    torch.manual_seed(1)
    original = Transformer(loaded.config)
    assert loaded.config == small_config(len(codec.vocabulary))
    assert not loaded.transformer.training
    assert len(loaded.checksum) == 64
    for name, value in original.state_dict().items():
        assert torch.equal(value, loaded.transformer.state_dict()[name]), name
    assert loaded.codec.vocabulary == codec.vocabulary


def test_nothing_is_drawn_for_weights_that_a_file_brings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes longer than reading them, and on the meta device a normal distribution imports PyTorch's compiler."""
    monkeypatch.setattr(torch.nn.init, "normal_", lambda *_, **__: pytest.fail("drawn"))
    before = torch.get_rng_state()
    transformer = load_model(folder).transformer
    assert torch.equal(torch.get_rng_state(), before)
    assert not any(value.is_meta for value in (*transformer.parameters(), *transformer.buffers()))
    assert all(parameter.requires_grad for parameter in transformer.parameters())


def test_weights_stay_when_the_file_is_written_again_in_its_place(folder: Path) -> None:
    transformer = load_model(folder).transformer
    before = {name: value.clone() for name, value in transformer.state_dict().items()}
    path = folder / "model.safetensors"
    with path.open("r+b") as file:
        file.seek(-1000, 2)
        file.write(b"?" * 1000)
    assert all(torch.equal(value, before[name]) for name, value in transformer.state_dict().items())


def test_half_precision_on_disk_is_float32_in_use(folder: Path) -> None:
    loaded = load_model(folder)
    save_weights(folder / "model.safetensors", loaded.transformer)
    again = load_model(folder).transformer
    for name, value in loaded.transformer.state_dict().items():
        assert again.state_dict()[name].dtype == torch.float32
        assert torch.equal(again.state_dict()[name], value.half().float()), name


def test_weights_beyond_half_precision_are_not_saved_as_infinity(folder: Path) -> None:
    model = load_model(folder).transformer
    with torch.no_grad():
        model.output_bias[0] = 1e6
    with pytest.raises(ModelError, match="output_bias does not fit"):
        save_weights(folder / "other.safetensors", model)
    assert not (folder / "other.safetensors").exists()


def test_a_source_is_direction_then_pieces_then_end(folder: Path) -> None:
    loaded = load_model(folder)
    de_en = loaded.codec.vocabulary.id_of("<de-en>")
    assert loaded.source_ids((50, 51), "de-en") == [de_en, 50, 51, EOS]
    with pytest.raises(InvalidRequest, match="'en-fr'; this model translates en-de, de-en"):
        loaded.source_ids((50,), "en-fr")


def test_the_model_and_the_vocabulary_agree_on_the_first_ids() -> None:
    assert (PAD, BOS, EOS, UNK) == (text.PAD, text.BOS, text.EOS, text.UNK)


def cut_in_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps({"embedding.weight": [1.0]}))


def lose_a_weight(path: Path) -> None:
    state = safetensors.torch.load_file(path)
    del state["output_bias"]
    safetensors.torch.save_file(state, path)


def reshape_a_weight(path: Path) -> None:
    state = safetensors.torch.load_file(path)
    safetensors.torch.save_file({**state, "output_bias": state["output_bias"][:-1].clone()}, path)


def add_a_weight(path: Path) -> None:
    state = safetensors.torch.load_file(path)
    safetensors.torch.save_file({**state, "zero": torch.zeros(1)}, path)


def set_entry(name: str, value: object) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), name: value}), encoding="utf-8")

    return change


DAMAGE: list[tuple[str, Callable[[Path], None], str]] = [
    ("model.safetensors", Path.unlink, "is missing"),
    ("model.safetensors", cut_in_half, "not an intact safetensors file.*copy the model folder again"),
    ("model.safetensors", pickled, "not an intact safetensors file"),
    ("model.safetensors", lose_a_weight, "output_bias is missing; config.json describes another model"),
    ("model.safetensors", reshape_a_weight, "output_bias has shape .*different models"),
    ("model.safetensors", add_a_weight, "zero is unknown"),
    ("config.json", Path.unlink, "is missing"),
    ("config.json", cut_in_half, "cannot be read as JSON"),
    ("config.json", lambda path: path.write_bytes(b"\xff\xfe\x00"), "cannot be read as JSON"),
    ("config.json", lambda path: path.write_text("[1]"), "kind is 'list'"),
    ("config.json", set_entry("kind", "marian"), "kind is 'marian'.*not a model of this program"),
    ("config.json", set_entry("colour", "red"), "unknown entry 'colour'"),
    ("config.json", set_entry("hints", "<ph1>"), "set this entry to null"),
    ("config.json", set_entry("model_size", 9), "model_size is 9 and num_heads 2"),
    ("config.json", set_entry("encoder_layers", "six"), "encoder_layers is 'six'"),
    ("config.json", set_entry("directions", []), "directions is empty"),
    ("config.json", set_entry("directions", ["ende"]), "direction 'ende' is not of the form"),
    ("config.json", set_entry("directions", "en-de"), "directions is 'en-de'; it must be a list of strings"),
    ("config.json", set_entry("directions", ["en-fr"]), "asks for the piece <en-fr>, which the vocabulary.* lacks"),
    ("config.json", set_entry("direction_pieces", ["<en-de>"]), "direction_pieces is .*a piece, or null, for each"),
    ("config.json", set_entry("direction_pieces", {"en-de": None}), "direction_pieces lacks de-en"),
    ("config.json", set_entry("direction_pieces", {"en-de": None, "de-en": "<x>"}), "the piece <x>"),
    ("config.json", set_entry("domains", "docs"), "domains is 'docs'; it must be a list of strings"),
    ("config.json", set_entry("domains", ["law"]), "asks for the piece <law>.*different models"),
    ("config.json", set_entry("formalities", None), "formalities is None; it must be an object with a list"),
    ("config.json", set_entry("formalities", ["formal"]), "formalities is .*; it must be an object with a list"),
    ("config.json", set_entry("formalities", {"en-de": ["polite"]}), "must be among formal, informal"),
    ("config.json", set_entry("languages", {"en": 1}), "languages is .*a piece for each language"),
    ("config.json", set_entry("length_ratios", [1.1]), "length_ratios is .*a number for each direction"),
    ("config.json", set_entry("source_vocabulary_size", "many"), "source_vocabulary_size is 'many'"),
    ("config.json", set_entry("decoder_feed_forward_size", 0), "decoder_feed_forward_size is 0; it must be"),
    ("config.json", set_entry("vocabulary_size", 7), "vocabulary.txt has .*7.*different models"),
    ("vocabulary.txt", Path.unlink, "vocabulary.txt"),
    ("bpe.codes", Path.unlink, "bpe.codes"),
]


@pytest.mark.parametrize(("file", "damage", "message"), DAMAGE, ids=[f"{row[0]}: {row[2][:30]}" for row in DAMAGE])
def test_a_damaged_folder_names_the_file_and_the_cure(
    folder: Path, file: str, damage: Callable[[Path], None], message: str
) -> None:
    damage(folder / file)
    with pytest.raises(ModelError, match=message) as caught:
        load_model(folder)
    assert str(folder) in str(caught.value)


def test_error_for_a_missing_folder_lists_the_expected_files(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"is not a folder; give the folder that contains config.json"):
        load_model(tmp_path / "nowhere")


def test_checksum_changes_with_weights_configuration_and_text_but_not_with_the_card(folder: Path) -> None:
    """It is that of what `sha256sum` lists."""
    names = ("model.safetensors", "config.json", "vocabulary.txt", "bpe.codes")
    listed = "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    first = load_model(folder).checksum
    assert first == hashlib.sha256(listed.encode()).hexdigest()
    (folder / "card.md").write_text("A card", encoding="utf-8")
    assert load_model(folder).checksum == first
    found = {first}
    for name in names[1:]:
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(before.replace(b"\n", b"\r\n") if name == "vocabulary.txt" else before + b"\n")
        found.add(model_checksum(folder))
        (folder / name).write_bytes(before)
    assert len(found) == 4
