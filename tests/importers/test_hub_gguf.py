"""GGUF files of the hub: listed, refused before they are downloaded, fetched, continued, checked, and removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import (
    ModelError,
    Translator,
    describe_model,
    is_hub_id,
    look_up,
    model_folder,
    remove_download,
    remove_model,
)
from engine.bundled_data import user_cache
from tests.importers.gguf_files import write_header
from tests.importers.hub import Hub, serving, use

HUB_ID = "team/tiny-GGUF"
SMALL, LARGE = f"{HUB_ID}/tiny-Q4.gguf", f"{HUB_ID}/tiny-Q8.gguf"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        "engine.importers.hub_gguf.check_gguf_download", lambda *_: None
    )  # llama.cpp may not be installed
    folder = tmp_path / "theirs"
    folder.mkdir()
    facts = {"general.architecture": "llama", "general.license": "mit"}
    write_header(folder / "tiny-Q4.gguf", facts)
    write_header(folder / "tiny-Q8.gguf", {**facts, "general.name": "x" * 4000})
    for other in ("tiny-F16-00001-of-00002.gguf", "mmproj-tiny.gguf", "README.md"):
        (folder / other).write_bytes(b"something else")
    with serving(Hub(folder, HUB_ID)) as hub:
        use(hub, tmp_path / "hub", monkeypatch)
        yield hub


def test_a_repository_of_gguf_files_lists_them_with_their_sizes(hub: Hub) -> None:
    found = look_up(HUB_ID)
    assert found.choices == {name: (hub.folder / name).stat().st_size for name in ("tiny-Q4.gguf", "tiny-Q8.gguf")}
    assert (found.num_bytes, found.licence) == (0, "apache-2.0")
    assert look_up(LARGE).sizes == {"tiny-Q8.gguf": (hub.folder / "tiny-Q8.gguf").stat().st_size}
    with pytest.raises(
        ModelError, match=rf"{HUB_ID} comes as GGUF files; name one .* such as {SMALL}: tiny-Q4.gguf \("
    ):
        model_folder(HUB_ID)
    (hub.folder / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    with pytest.raises(ModelError, match=f"{HUB_ID} comes as GGUF files; name one"):
        model_folder(HUB_ID)
    assert {*hub.fetched} <= {"config.json"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (f"{HUB_ID}/nothing.gguf", r"the hub does not have this file\); name one of its GGUF files"),
        (f"{HUB_ID}/tiny-F16-00001-of-00002.gguf", r"it is a part of a model\); name one of its GGUF files"),
        ("team/nothing/tiny-Q4.gguf", r"cannot be downloaded .* check the spelling"),
        ("team/tiny.gguf", r"is not a file; give the path of a GGUF file, or MAKER/MODEL/FILE.gguf"),
    ],
)
def test_a_file_that_the_hub_does_not_have_is_refused_with_those_that_it_has(hub: Hub, name: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        model_folder(name)
    assert hub.fetched == []


def test_names_that_lead_elsewhere_are_no_names_of_the_hub() -> None:
    assert is_hub_id(SMALL) and is_hub_id(HUB_ID)
    for name in (f"{HUB_ID}/../tiny.gguf", f"{HUB_ID}/a/tiny.gguf", f"{HUB_ID}/.gguf", f"/{SMALL}", f"{HUB_ID}/x.bin"):
        assert not is_hub_id(name), name


def test_a_file_is_fetched_once_and_described(hub: Hub) -> None:
    path = model_folder(SMALL)
    assert path.read_bytes() == (hub.folder / "tiny-Q4.gguf").read_bytes()
    entry = describe_model(path)
    assert (entry.name, entry.family, entry.licence, entry.problem) == (SMALL, "llama", "mit", "")
    hub.is_down = True
    assert model_folder(SMALL) == path
    assert hub.fetched == ["tiny-Q4.gguf"]


def test_a_download_that_was_cut_or_cancelled_is_continued(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 256)
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)  # between its own tries
    size = (hub.folder / "tiny-Q8.gguf").stat().st_size

    def cancel(num_bytes: int, total: int) -> None:
        if num_bytes > 1000:
            raise ModelError("loading was stopped")

    with pytest.raises(ModelError, match="loading was stopped"):
        model_folder(LARGE, cancel)
    hub.cut = "tiny-Q8.gguf"
    with pytest.raises(ModelError, match=f"{LARGE}.*check the connection and try again"):
        model_folder(LARGE)
    assert hub.starts[:2] == [0, 1024]
    hub.cut, told = "", []
    assert model_folder(LARGE, lambda *told_now: told.append(told_now)).stat().st_size == size
    assert hub.starts[-1] > size // 2
    assert told[-1] == (size, size)
    assert [*(user_cache() / "downloads").iterdir()] == []


def test_a_file_that_changed_meanwhile_is_downloaded_from_its_start(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 256)

    def cancel(num_bytes: int, total: int) -> None:
        if num_bytes > 1000:
            raise ModelError("loading was stopped")

    with pytest.raises(ModelError, match="loading was stopped"):
        model_folder(LARGE, cancel)
    write_header(hub.folder / "tiny-Q8.gguf", {"general.architecture": "llama", "general.name": "y" * 4000})
    assert model_folder(LARGE).read_bytes() == (hub.folder / "tiny-Q8.gguf").read_bytes()
    assert hub.starts == [0, 0]


def test_a_file_that_another_program_downloaded_is_used_and_stays(hub: Hub) -> None:
    from huggingface_hub import hf_hub_download

    theirs = Path(hf_hub_download(HUB_ID, "tiny-Q4.gguf"))
    assert model_folder(SMALL) == theirs
    assert describe_model(theirs).name == SMALL
    assert remove_download(theirs) == 0 and theirs.is_file()


def test_a_file_that_differs_from_its_checksum_is_not_kept(hub: Hub) -> None:
    hub.checksums["tiny-Q4.gguf"] = "0" * 64
    with pytest.raises(ModelError, match=r"tiny-Q4.gguf differs from its published checksum; download it again"):
        model_folder(SMALL)
    hub.checksums.clear()
    assert model_folder(SMALL).is_file()
    assert hub.fetched == ["tiny-Q4.gguf", "tiny-Q4.gguf"]


def test_a_file_that_cannot_be_computed_here_is_refused_before_it_is_downloaded(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.model.device.usable_device", lambda device: device)
    with pytest.raises(ModelError, match="a GGUF file is computed on the processor, not on cuda"):
        Translator.load(SMALL, "cuda")
    monkeypatch.undo()
    use(hub, hub.folder.parent / "hub", monkeypatch)
    monkeypatch.setattr("engine.importers.language_models.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=rf"{SMALL} needs llama.cpp, which is not installed; run pip install"):
        Translator.load(SMALL)
    monkeypatch.setattr("engine.importers.language_models.find_spec", lambda name: True)
    monkeypatch.setattr("engine.importers.language_models.available_bytes", lambda: 5_000_000_000)
    hub.sizes["tiny-Q4.gguf"] = 6_000_000_000
    with pytest.raises(
        ModelError, match=r"needs 7,?000 MB of memory, of which 5,?000 MB are free; use a file of up to 4"
    ):
        Translator.load(SMALL)
    assert hub.fetched == []


def test_a_file_is_removed_and_others_stay(hub: Hub) -> None:
    small, large = model_folder(SMALL), model_folder(LARGE)
    size = small.stat().st_size
    [removed] = remove_model(SMALL)
    assert (removed.name, removed.folder, removed.num_bytes) == (SMALL, small, size)
    assert large.is_file() and not small.exists()
    with pytest.raises(ModelError, match=f"no model {SMALL} is in"):
        remove_model(SMALL)
    assert remove_download(large) > 0 and not large.parent.exists()
