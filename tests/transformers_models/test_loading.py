"""Folders of models of transformers: loaded if they are safe and fit, else refused with the cure before reading."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("transformers", reason="transformers is not installed; pip install 'pinpoint[transformers]'")

from engine import ModelError, Phrase, Request, SearchOptions, Translator
from engine.text import occurrences
from tests.transformers_models.models_of_tests import model_of
from tests.transformers_models.tokenizers_of_tests import byte_level, unigram

REQUEST = Request("The house.", direction="en-de", phrases=(Phrase("Haus"),))
OPTIONS = SearchOptions(beam=3, nbest=2, max_length_offset=3)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "llama-of-tests"
    model_of("llama", len(byte_level())).save_pretrained(folder)
    byte_level().save_pretrained(folder)
    return folder


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / saved.name))


def change(path: Path, **values: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | values), encoding="utf-8")


def test_a_folder_translates_as_the_model_in_memory(folder: Path) -> None:
    loaded = Translator.load(folder)
    given = Translator.from_transformers(model_of("llama", len(byte_level())), byte_level(), languages=["en", "de"])
    found, expected = (one.translate(REQUEST, OPTIONS).hypotheses for one in (loaded, given))
    assert [one.text for one in found] == [one.text for one in expected]
    assert all(occurrences(one.text, "Haus") for one in found)
    assert (loaded.name, loaded.folder, loaded.precision) == ("llama-of-tests", folder, "float32")
    assert loaded.decoder == "transformers (tree)" and "de-fr" in loaded.directions


def test_an_encoder_decoder_model_is_loaded(tmp_path: Path) -> None:
    model_of("t5", len(unigram())).save_pretrained(tmp_path / "t5")
    unigram().save_pretrained(tmp_path / "t5")
    translator = Translator.load(tmp_path / "t5", precision="auto")
    assert translator.decoder == "transformers (rows)"
    assert all("Haus" in one.text for one in translator.translate(REQUEST, OPTIONS).hypotheses)


def test_a_prompt_file_in_the_folder_names_the_prompt_and_the_languages(folder: Path) -> None:
    (folder / "prompt.toml").write_text('languages = ["en", "de"]\ntext = "<{source}>"\n', encoding="utf-8")
    translator = Translator.load(folder)
    assert [*translator.directions] == ["en-de", "de-en"]
    pipeline = translator.pipeline
    ids = pipeline.prepare(REQUEST).prompt.ids  # type: ignore[attr-defined]
    assert byte_level().decode(list(ids)) == "<The house.>"
    (folder / "prompt.toml").write_text('languages = "de"\ntext = "<{source}>"\n', encoding="utf-8")
    with pytest.raises(ModelError, match=r"languages is 'de'; give a list of codes"):
        Translator.load(folder)


def test_a_model_in_16_bits_is_used_where_32_do_not_fit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Translator.load(folder, precision="half").precision == "bfloat16"
    monkeypatch.setattr(
        "engine.transformers_models.model_folders.available_bytes", lambda device: 500_000_000 + 200_000
    )
    assert Translator.load(folder, precision="auto").precision == "bfloat16"


def test_a_model_that_does_not_fit_is_refused_with_the_size_of_one_that_does(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.transformers_models.model_folders.available_bytes", lambda device: 500_000_100)
    monkeypatch.setitem(sys.modules, "transformers", None)  # nothing is read
    with pytest.raises(ModelError, match="needs 500 MB of memory, of which 500 MB are free; there is room"):
        Translator.load(folder)


def test_a_folder_whose_model_needs_code_is_refused(folder: Path) -> None:
    for file in ("config.json", "tokenizer_config.json"):
        before = (folder / file).read_text(encoding="utf-8")
        change(folder / file, auto_map={"AutoModelForCausalLM": "modeling.Model"})
        (folder / "modeling.py").write_text("raise SystemExit('code of a stranger ran')", encoding="utf-8")
        with pytest.raises(ModelError, match=r"needs program code .* \(auto_map\), which .* never"):
            Translator.load(folder)
        (folder / file).write_text(before, encoding="utf-8")


def test_pickled_weights_are_refused(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="there are no weights; save the model as safetensors"):
        Translator.load(folder)
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    with pytest.raises(ModelError, match=r"pytorch_model.bin is pickled, and reading it would run code"):
        Translator.load(folder)


def test_a_folder_without_a_fast_tokenizer_is_refused(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"has no tokenizer.json, the fast form"):
        Translator.load(folder)


def test_damaged_weights_are_named(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(ModelError, match=r"model.safetensors is not an intact safetensors file"):
        Translator.load(folder)


def test_a_missing_library_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ModelError, match=r"pip install 'pinpoint\[transformers\]'"):
        Translator.load(folder)


def test_8_bit_weights_are_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match="8-bit weights are for models in Pinpoint's own format"):
        Translator.load(folder, precision="int8")


def test_the_library_is_imported_only_for_its_models() -> None:
    code = "import sys, engine; engine.Translator, engine.constrained_generate; print('transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
