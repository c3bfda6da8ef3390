"""Language models by their hub id: looked up, refused before weights are downloaded, fetched, checked and loaded."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("transformers", reason="transformers is not installed; pip install 'pinpoint[transformers]'")

from engine import (
    ModelError,
    Phrase,
    Request,
    SearchOptions,
    Translator,
    describe_model,
    look_up,
    model_folder,
    remove_download,
    remove_model,
)
from tests.importers.hub import Hub, serving, use
from tests.transformers_models.models_of_tests import model_of
from tests.transformers_models.tokenizers_of_tests import byte_level

HUB_ID = "team/tower-tiny"
REQUEST = Request("The house.", direction="en-de", phrases=(Phrase("Haus"),))
SETTINGS = {"config.json", "tokenizer_config.json"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "theirs"
    model_of("llama", len(byte_level())).save_pretrained(folder)
    tokenizer = byte_level()
    tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
    tokenizer.save_pretrained(folder)
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    (folder / "consolidated.safetensors").write_bytes(b"the weights once more")
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n# Tower", encoding="utf-8")
    return folder


@pytest.fixture
def hub(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    with serving(Hub(Path(shutil.copytree(saved, tmp_path / "theirs")), HUB_ID)) as hub:
        use(hub, tmp_path / "hub", monkeypatch)
        yield hub


def test_the_size_and_licence_of_a_model_are_known_before_it_is_downloaded(hub: Hub) -> None:
    found = look_up(HUB_ID)
    assert found.licence == "apache-2.0" and hub.fetched == []
    assert found.num_bytes == sum((hub.folder / name).stat().st_size for name in found.sizes)
    assert "model.safetensors" in found.sizes and not {"pytorch_model.bin", "consolidated.safetensors"} & {*found.sizes}
    with pytest.raises(ModelError, match=r"team/nothing .* cannot be downloaded .* check the spelling"):
        look_up("team/nothing")


def test_a_model_is_fetched_once_with_its_name_and_without_pickled_weights(hub: Hub) -> None:
    translator = Translator.load(HUB_ID)
    assert not {"pytorch_model.bin", "consolidated.safetensors"} & {*hub.fetched}
    assert translator.name == "tower-tiny"
    found = translator.translate(REQUEST, SearchOptions(beam=3, nbest=2, max_length_offset=3))
    assert all("Haus" in one.text for one in found.hypotheses)
    assert found.prompts[0].startswith("Translate the following text from English into German.")  # that of its family
    assert translator.folder is not None
    entry = describe_model(translator.folder)
    assert (entry.name, entry.licence, entry.problem) == (HUB_ID, "apache-2.0", "")
    hub.is_down = True
    assert Translator.load(HUB_ID).name == "tower-tiny"


def test_what_was_downloaded_is_removed_and_files_of_other_programs_stay(hub: Hub, tmp_path: Path) -> None:
    from huggingface_hub import hf_hub_download

    theirs = Path(hf_hub_download(HUB_ID, "pytorch_model.bin"))
    folder = model_folder(HUB_ID)
    shared = folder.parent / "another revision" / "tokenizer.json"
    shared.parent.mkdir()
    shared.symlink_to((folder / "tokenizer.json").resolve())
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    [removed] = remove_model(HUB_ID)
    kept = {"pytorch_model.bin", "tokenizer.json"}
    assert removed.num_bytes == sum(size for name, size in sizes.items() if name not in kept)
    assert theirs.is_file() and [*folder.iterdir()] == [theirs]
    assert shared.is_file()
    with pytest.raises(ModelError, match=f"no model {HUB_ID} is in"):
        remove_model(HUB_ID)

    shutil.rmtree(folder.parent.parent)
    folder = model_folder(HUB_ID)
    elsewhere = tmp_path / "elsewhere" / folder.parent.parent.name / "snapshots" / folder.name
    shutil.copytree(folder, elsewhere)
    assert remove_download(elsewhere) == 0 and elsewhere.exists()
    assert remove_download(folder) == sum(sizes.values()) - sizes["pytorch_model.bin"]
    assert not folder.parent.parent.exists()


def test_a_file_that_differs_from_its_checksum_is_not_kept(hub: Hub) -> None:
    hub.checksums["model.safetensors"] = "0" * 64
    with pytest.raises(ModelError, match=r"model.safetensors differs from its published checksum; download it again"):
        Translator.load(HUB_ID)
    hub.checksums.clear()
    hub.fetched.clear()
    Translator.load(HUB_ID)
    assert hub.fetched == ["model.safetensors"]


def change(path: Path, **values: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | values), encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: change(folder / "config.json", auto_map={"AutoModel": "m.M"}), r"needs program code .*never"),
        (
            lambda folder: change(folder / "tokenizer_config.json", auto_map={"AutoTokenizer": "t.T"}),
            r"needs program code .*never",
        ),
        (lambda folder: [path.unlink() for path in folder.glob("*.safetensors")], r"pytorch_model.bin is pickled"),
        (lambda folder: (folder / "tokenizer.json").unlink(), r"has no tokenizer.json, the fast form"),
        (
            lambda folder: change(folder / "config.json", architectures=["BertForMaskedLM"]),
            r"is a BertForMaskedLM, which writes no text",
        ),
        (None, r"needs 50\d MB of memory, of which 400 MB are free"),
    ],
)
def test_a_model_that_cannot_be_used_is_refused_before_its_weights_are_downloaded(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], object] | None, message: str
) -> None:
    if spoil is None:
        monkeypatch.setattr("engine.importers.language_models.available_bytes", lambda: 400_000_000)
    else:
        spoil(hub.folder)
    with pytest.raises(ModelError, match=f"{HUB_ID}.*{message}"):
        Translator.load(HUB_ID)
    assert {*hub.fetched} <= SETTINGS
