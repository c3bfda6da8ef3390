"""Facts of language models, read from headers alone: size, memory, licence, languages; damaged headers are refused."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from engine import ModelError, describe_model
from tests.importers.gguf_files import write_header

VALUES: dict[str, str | int | list[str]] = {
    "general.architecture": "llama",
    "general.license": "apache-2.0",
    "llama.context_length": 8192,
    "tokenizer.ggml.tokens": ["<s>", "a", "b"],
}


def write_folder(folder: Path, **config: object) -> Path:
    """A folder of a model of transformers with 24 weights."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", **config}), encoding="utf-8")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: apache-2.0\n---\n# A model\nlicense: mit\n")
    header = json.dumps({"weights": {"dtype": "F16", "shape": [6, 4], "data_offsets": [0, 48]}}).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(48))
    return folder


def test_a_gguf_file_is_described_from_its_header(tmp_path: Path) -> None:
    entry = describe_model(write_header(tmp_path / "small.Q4.gguf", VALUES))
    assert (entry.name, entry.family, entry.licence, entry.problem) == ("small.Q4", "llama", "apache-2.0", "")
    assert (entry.num_parameters, entry.num_bytes) == (36, entry.folder.stat().st_size)
    assert entry.needed_bytes == entry.num_bytes + 1_000_000_000
    assert "en-de" in entry.directions and "de-fr" in entry.directions


def test_a_folder_is_described_from_its_settings(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "small")
    (folder / "prompt.toml").write_text('languages = ["en-de"]\ntext = "{source}"\n', encoding="utf-8")
    entry = describe_model(folder)
    assert (entry.name, entry.family, entry.licence, entry.problem) == ("small", "llama", "apache-2.0", "")
    assert (entry.num_parameters, entry.needed_bytes) == (24, 48 + 500_000_000)
    assert [*entry.directions] == ["en-de"]


def test_a_folder_that_needs_code_is_described_by_its_problem(tmp_path: Path) -> None:
    entry = describe_model(write_folder(tmp_path / "small", auto_map={"AutoModelForCausalLM": "modeling.Model"}))
    assert "needs program code that comes with the model" in entry.problem
    assert not entry.directions


def test_a_model_too_large_is_refused_with_the_size_of_one_that_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.importers.catalogue.available_bytes", lambda device: 4_500_000_000)
    describe_model(write_header(tmp_path / "small.gguf", VALUES)).check_memory()
    huge = write_header(tmp_path / "huge.gguf", VALUES, shapes=[(100_000, 70_000)])
    with huge.open("r+b") as file:
        file.truncate(4_200_000_000)  # sparse
    with pytest.raises(ModelError, match=r"huge.gguf has 7.0 billion weights and needs 5,200 MB .* up to 5.8 billion"):
        describe_model(huge).check_memory()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04", "is not a GGUF file"),
        (b"GGUF", "it ends in the middle of its header"),
        (b"GGUF" + struct.pack("<IQQ", 9, 0, 0), "its version is 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "a number of .* is too large"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**62), "is too large"),
        (b"GGUF" + struct.pack("<IQQQI", 3, 0, 1, 0, 77), "is not an intact GGUF file"),
        # a list of numbers that would be longer than the file
        (b"GGUF" + struct.pack("<IQQQIIQ", 3, 0, 1, 0, 9, 12, 4_000_000), "it ends in the middle"),
        # lists in lists are not in the format of any model
        (b"GGUF" + struct.pack("<IQQQIIQ", 3, 0, 1, 0, 9, 9, 1), "is not an intact GGUF file"),
    ],
)
def test_damaged_headers_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    entry = describe_model(path)
    with pytest.raises(ModelError, match=message):
        raise ModelError(entry.problem)
