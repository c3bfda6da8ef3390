"""A model by its hub id: fetched once, used without a connection afterwards, and refused with the cure."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import httpx
import huggingface_hub
import pytest
import safetensors.torch
import torch
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import hf_raise_for_status

from engine import Request, Translation, Translator
from engine.errors import ModelError
from engine.importers import conversion, install_model, known_models, model_folder
from engine.model import ModelConfig, Transformer, load_model, save_weights
from engine.text import TextCodec
from tests.importers.hub import Hub, serving, use
from tests.importers.marian import save_marian
from tests.model.damage import cut, drop

pytest.importorskip("transformers")


def test_a_model_of_the_hub_is_fetched_once_and_used_offline_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_marian(tmp_path / "theirs")
    with serving(Hub(tmp_path / "theirs", "team/opus-mt-en-de")) as hub:
        use(hub, tmp_path / "hub", monkeypatch)

        def translate(name: str = "team/opus-mt-en-de") -> tuple[str, Translation]:
            translator = Translator.load(name)
            return translator.name, translator.translate(Request("Hello"))

        nothing = "team/nothing-there is not a folder on this machine and cannot be downloaded"
        with pytest.raises(ModelError, match=rf"^{nothing} .*check the spelling of the name \(MAKER/MODEL\)"):
            translate("team/nothing-there")
        name, first = translate()
        assert (name, first.status) == ("opus-mt-en-de", "complete")
        assert {"model.safetensors", "vocab.json", "source.spm", "target.spm"} <= set(hub.fetched)
        hub.is_down = True
        assert translate()[1].hypotheses == first.hypotheses
        with pytest.raises(ModelError, match=rf"^{nothing} .*the connection"):
            translate("team/nothing-there")


def test_download_reports_progress_and_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub_id = "team/opus-mt-en-de"
    progress: list[tuple[int, int]] = []

    def stop(num_bytes: int, total: int) -> None:
        progress.append((num_bytes, total))
        if num_bytes > 5000:
            raise ModelError("enough")

    def has_weights() -> bool:
        return huggingface_hub.try_to_load_from_cache(hub_id, "model.safetensors") is not None

    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(huggingface_hub.constants, "DOWNLOAD_CHUNK_SIZE", 1000)
    save_marian(tmp_path / "theirs")
    with serving(Hub(tmp_path / "theirs", hub_id)) as hub:
        use(hub, tmp_path / "hub", monkeypatch)
        with monkeypatch.context() as patch:
            usage = namedtuple("usage", "total used free")(10**9, 10**9, 5_000)
            patch.setattr(shutil, "disk_usage", lambda _: usage)
            refusal = pytest.raises(ModelError, match=f"{hub_id} needs 1 MB more in .* 0 MB are free; free disk space")
            with refusal, pytest.warns(UserWarning, match="Not enough free disk space"):  # huggingface_hub warns, too
                Translator.load(hub_id)
        num_weights = (tmp_path / "theirs" / "model.safetensors").stat().st_size
        with pytest.raises(ModelError, match="enough"):
            Translator.load(hub_id, on_fetch=stop)
        assert not has_weights()
        assert max(progress)[0] < num_weights
        progress.clear()
        assert Translator.load(hub_id, on_fetch=lambda *found: progress.append(found)).name == "opus-mt-en-de"
        assert has_weights()
        assert len(progress) > num_weights / 1000
        num_bytes, total = max(progress)
        assert num_bytes == total
        progress.clear()
        assert Translator.load(hub_id, on_fetch=stop).name == "opus-mt-en-de"
        assert progress == [], "what is cached is not fetched again"


def test_argument_that_is_neither_folder_nor_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is not a folder; give the folder that contains"):
        model_folder(tmp_path / "nothing")


REQUEST = httpx.Request("GET", "http://127.0.0.1/team/model/resolve/main/source.spm")


def refused(status: int, code: str) -> Exception:
    """What huggingface_hub makes of such an answer."""
    response = httpx.Response(status, headers={"X-Error-Code": code}, request=REQUEST)
    with pytest.raises(httpx.HTTPError) as found:
        hf_raise_for_status(response)
    return found.value


BROKEN_OFF = httpx.ReadError("connection reset", request=REQUEST)
WRAPPED = huggingface_hub.errors.LocalEntryNotFoundError("Nothing is cached.\nMore.")
WRAPPED.__cause__ = refused(500, "")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            refused(403, "GatedRepo"),
            r"requires that you accept terms of use\); accept them on the model's page and log in",
        ),
        (refused(404, "RepoNotFound"), r"or you do not have access to it\); check the spelling of the name"),
        (BROKEN_OFF, r"source\.spm: connection reset\); check the connection and try again, or download"),
        (WRAPPED, r"source\.spm: Nothing is cached\.\); check the connection"),
        (httpx.ConnectError("no such host"), r"no such host\); check the connection"),  # knows no request
        (
            OSError(errno.ENOSPC, "No space left on device"),
            r"no disk space is left in .*\); free disk space, or set HF_HOME",
        ),
        (PermissionError(errno.EACCES, "Permission denied", "/cache"), r"/cache cannot be written\); .*set HF_HOME"),
        (HFValidationError("Cannot have -- in repo_id"), r"Cannot have -- in repo_id\); check the name$"),
    ],
)
def test_failed_download_is_named_with_the_cure(
    monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def fail(*_: object, local_files_only: bool, **__: object) -> str:
        raise huggingface_hub.errors.LocalEntryNotFoundError("nothing is here") if local_files_only else error

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fail)
    with pytest.raises(
        ModelError, match=r"^team/model is not a folder on this machine and cannot be downloaded \(.*" + message
    ):
        model_folder("team/model")


def test_files_missing_in_the_hub_cache_are_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As another program left it there, which read weights alone."""
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_marian(tmp_path / "whole")
    shutil.copytree(tmp_path / "whole", tmp_path / "part")
    (tmp_path / "part" / "source.spm").unlink()
    asked: list[bool] = []

    def give(*_: object, local_files_only: bool, **__: object) -> str:
        asked.append(local_files_only)
        return str(tmp_path / ("part" if local_files_only else "whole"))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", give)
    assert (model_folder("team/opus-mt-en-de") / "source.spm").is_file()
    assert asked == [True, False, False]


def test_fault_of_a_cached_model_is_reported_if_it_cannot_be_downloaded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_marian(tmp_path / "part")
    (tmp_path / "part" / "source.spm").unlink()

    def give(*_: object, local_files_only: bool, **__: object) -> str:
        if local_files_only:
            return str(tmp_path / "part")
        raise huggingface_hub.errors.OfflineModeIsEnabled("offline")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", give)
    with pytest.raises(ModelError, match=r"source\.spm is missing; download the folder again"):
        model_folder("team/opus-mt-en-de")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"model_type is None; models of marian"),
        (None, r"^team/model has no config\.json on the hub; use a model that `python -m engine models` lists"),
    ],
)
def test_of_a_model_that_is_not_read_nothing_but_its_configuration_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str] | None, message: str
) -> None:
    asked: list[list[str]] = []

    def give(*_: object, local_files_only: bool, allow_patterns: list[str], **__: object) -> str:
        if local_files_only:
            raise huggingface_hub.errors.LocalEntryNotFoundError("nothing is here")
        asked.append(allow_patterns)
        if settings is not None:
            (tmp_path / "config.json").write_text(json.dumps(settings), encoding="utf-8")
        return str(tmp_path)

    nothing = SimpleNamespace(siblings=[], card_data=None, sha="")
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", lambda *_, **__: nothing)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", give)
    with pytest.raises(ModelError, match=message):
        model_folder("team/model")
    assert asked == [["config.json", "tokenizer_config.json"]]


def test_a_model_of_ours_is_fetched_with_all_its_files(
    codec: TextCodec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, size = tmp_path / "model", len(codec.vocabulary)
    codec.save(model)
    config = ModelConfig(
        size, ["en-de"], model_size=8, num_heads=2, feed_forward_size=8, encoder_layers=1, decoder_layers=1
    )
    config.save(model / "config.json")
    save_weights(model / "model.safetensors", Transformer(config))

    def give(*_: object, local_files_only: bool, allow_patterns: list[str], **__: object) -> str:
        wanted = [path for path in model.iterdir() if any(fnmatch(path.name, pattern) for pattern in allow_patterns)]
        (tmp_path / "ours").mkdir(exist_ok=True)
        for path in () if local_files_only else wanted:
            shutil.copy(path, tmp_path / "ours")
        return str(tmp_path / "ours")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", give)
    assert load_model(model_folder("team/model")).checksum == load_model(model).checksum


def test_download_interrupted_between_weight_files_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of torch's files, which are fetched only where there are no others."""
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_marian(tmp_path / "theirs")
    path = tmp_path / "theirs" / "model.safetensors"
    weights = list(safetensors.torch.load_file(path).items())
    path.unlink()
    parts = {f"pytorch_model-0000{number}-of-00002.bin": dict(weights[number - 1 :: 2]) for number in (1, 2)}
    for name, part in parts.items():
        torch.save(part, path.with_name(name))
    index = {"weight_map": {key: name for name, part in parts.items() for key in part}}
    path.with_name("pytorch_model.bin.index.json").write_text(json.dumps(index), encoding="utf-8")
    last = path.with_name(max(parts))
    last.rename(tmp_path / last.name)
    asked: list[bool] = []

    def give(*_: object, local_files_only: bool, allow_patterns: list[str], **__: object) -> str:
        asked.append(local_files_only)
        if any(fnmatch(last.name, pattern) for pattern in allow_patterns) and not local_files_only:
            (tmp_path / last.name).rename(last)
        return str(tmp_path / "theirs")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", give)
    assert load_model(model_folder("team/opus-mt-en-de")).config.encoder_layers == 3
    assert asked == [True, False, False, False]  # configuration, all that is always wanted, torch's files
    path.with_name("pytorch_model.bin.index.json").write_text('{"weight_map": []}', encoding="utf-8")
    with pytest.raises(
        ModelError, match=r"pytorch_model\.bin\.index\.json does not name any files of weights; download it"
    ):
        model_folder(tmp_path / "theirs")


def test_a_converted_model_whose_weights_were_removed_or_cut_is_converted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_marian(tmp_path / "theirs")
    ours = model_folder(tmp_path / "theirs")
    checksum = load_model(ours).checksum
    for damage in (drop, cut):
        damage(ours, "model.safetensors")
        assert model_folder(tmp_path / "theirs") == ours
        assert load_model(ours).checksum == checksum


def test_two_programs_that_convert_one_model_at_once_do_not_disturb_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_marian(tmp_path / "theirs")
    both, save = Barrier(2), conversion.save_weights

    def save_together(*given: Any) -> None:
        both.wait(60)  # each has begun its folder
        save(*given)
        both.wait(60)  # and has all in it

    monkeypatch.setattr(conversion, "save_weights", save_together)
    with ThreadPoolExecutor(2) as programs:
        ours = set(programs.map(model_folder, [tmp_path / "theirs"] * 2))
    assert list((tmp_path / "cache" / "models").iterdir()) == list(ours)
    assert load_model(ours.pop()).config.encoder_layers


def test_leftovers_of_a_killed_program_are_removed_but_not_files_in_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_marian(tmp_path / "theirs")
    ours = model_folder(tmp_path / "theirs")
    shutil.rmtree(ours)
    for name, age_seconds in (("old", 200_000), ("new", 0)):
        folder = ours.with_name(f"{ours.name}.{name}.partial")
        folder.mkdir()
        (folder / "config.json").touch()
        for path in (folder / "config.json", folder):
            os.utime(path, (path.stat().st_mtime - age_seconds,) * 2)
    assert model_folder(tmp_path / "theirs") == ours
    assert sorted(path.name for path in ours.parent.iterdir()) == [ours.name, f"{ours.name}.new.partial"]


def test_installed_model_is_found_by_its_name_with_the_files_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_marian(tmp_path / "theirs")
    installed = install_model(tmp_path / "theirs", "ours-en-de", {"LICENSE.txt": "terms"})
    assert model_folder("ours-en-de") == installed
    assert (installed / "LICENSE.txt").read_text() == "terms"
    again = install_model(installed, "copy-en-de")
    [copy, original] = known_models(tmp_path / "no bundled ones")
    assert ([copy.name, original.name], copy.folder) == (["copy-en-de", "ours-en-de"], again)
    install_model(tmp_path / "theirs", "ours-en-de")
    assert not (installed / "LICENSE.txt").exists(), "the new model replaces the old one as a whole"
    assert sorted(path.name for path in installed.parent.iterdir()) == ["copy-en-de", "ours-en-de"]


def test_model_that_cannot_be_installed_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_marian(tmp_path / "theirs")
    (tmp_path / "theirs" / "target.spm").write_bytes(b"damaged")
    with pytest.raises(ModelError, match=r"target\.spm"):
        install_model(tmp_path / "theirs", "ours-en-de")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"config\.json"):
        install_model(tmp_path / "empty", "ours-en-de")
    with pytest.raises(ModelError, match="is not a folder"):
        install_model(tmp_path / "gone", "ours-en-de")
    models = tmp_path / "cache" / "models"
    assert not models.exists() or list(models.iterdir()) == []
