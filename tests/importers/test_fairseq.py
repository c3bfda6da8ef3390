"""fairseq's own folders: read as the same model from the hub is, cached, and refused with the cure where damaged."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch

from engine import Phrase, Request, Translator
from engine.importers.resolve import architecture_of, convert_folder, model_folder
from engine.model import load_model
from tests.importers.fairseq import HUB, change_checkpoint, save_fairseq, save_fairseq_spm
from tests.model.damage import check_refused, cut, drop, point, spoil

for library in ("sacremoses", "sentencepiece", "transformers"):
    pytest.importorskip(library)
CHECKPOINT = "checkpoint_best.pt"


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fairseq") / "wmt.en-de"
    save_fairseq(folder)
    return folder


@pytest.fixture
def damaged(theirs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(theirs, tmp_path / "theirs"))


def test_fairseq_folder_and_hub_model_convert_to_the_same_model(theirs: Path, tmp_path: Path) -> None:
    """Its equality with transformers is in test_against_transformers.py, that of its text in test_fsmt.py."""
    convert_folder(theirs, tmp_path / "ours")
    convert_folder(theirs.with_name(HUB), tmp_path / "twin")
    names = {path.name for path in (tmp_path / "twin").iterdir()}
    assert names == {path.name for path in (tmp_path / "ours").iterdir()}
    for name in names - {"origin.json"}:
        ours, twin = ((tmp_path / folder / name).read_bytes() for folder in ("ours", "twin"))
        assert ours.replace(b"madeupword0000</w>", b"madeupword0000") == twin, name


def test_it_is_converted_once_and_meets_pins(
    theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    assert architecture_of(theirs) == "fairseq"
    translator = Translator.load(theirs)
    assert translator.directions == ("en-de",)
    assert "converting" in capfd.readouterr().err
    [best, *_] = translator.translate(Request("The list is empty.", phrases=(Phrase("Dateien"),))).hypotheses
    assert [best.text[p.start : p.end] for p in best.placements] == ["Dateien"]
    [ours] = (tmp_path / "cache" / "models").iterdir()
    assert model_folder(theirs) == ours
    assert capfd.readouterr().err == ""


# -- what may be otherwise ---------------------------------------------------------------------------------------------


def test_merges_of_fastbpe_and_the_last_checkpoint_are_read(theirs: Path, damaged: Path, tmp_path: Path) -> None:
    merges = (damaged / "bpecodes").read_text(encoding="utf-8").splitlines()[1:]
    (damaged / "bpecodes").unlink()
    (damaged / "code").write_text("".join(f"{merge} 17\n" for merge in merges), encoding="utf-8")
    (damaged / CHECKPOINT).rename(damaged / "checkpoint_last.pt")
    (damaged / "checkpoint1.pt").write_bytes(b"of an earlier epoch")
    convert_folder(theirs, tmp_path / "whole")
    convert_folder(damaged, tmp_path / "ours")
    for name in ("bpe.codes", "model.safetensors"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_piece_that_overwrites_an_earlier_one_has_the_later_id(damaged: Path, tmp_path: Path) -> None:
    """fairseq's rule, with which some dictionaries give a special piece a number of its own."""
    path = damaged / "dict.de.txt"
    *lines, last = path.read_text(encoding="utf-8").splitlines()
    again = f"{lines[7].split(' ')[0]} 1 #fairseq:overwrite"
    path.write_text("\n".join([*lines, again, ""]), encoding="utf-8")
    convert_folder(damaged, tmp_path / "ours")
    pieces = (tmp_path / "ours" / "pieces.txt").read_text(encoding="utf-8").splitlines()
    assert last.startswith("madeupword") and pieces[-1] == pieces[7 + 4]
    assert load_model(tmp_path / "ours").codec.id_of(pieces[-1]) == len(pieces) - 1


# -- what is refused ---------------------------------------------------------------------------------------------------


def says(**settings: object) -> Callable[[Path], None]:
    """The checkpoint with other settings."""
    return lambda folder: change_checkpoint(folder / CHECKPOINT, lambda found: vars(found["args"]).update(settings))


def holds(**entries: object) -> Callable[[Path], None]:
    """The checkpoint with other entries."""
    return lambda folder: change_checkpoint(folder / CHECKPOINT, lambda found: found.update(entries))


def has(name: str, rows: int | None = None) -> Callable[[Path], None]:
    """The checkpoint with one weight more, or without it."""

    def change(found: dict[str, Any]) -> None:
        if rows is None:
            del found["model"][name]
        else:
            found["model"][name] = torch.ones(rows, 32)

    return lambda folder: change_checkpoint(folder / CHECKPOINT, change)


def lists(*lines: str) -> Callable[[Path], None]:
    """The target's dictionary with other lines."""
    return lambda folder: (folder / "dict.de.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def split_in_two(folder: Path) -> None:
    for number in (1, 2):
        shutil.copy(folder / CHECKPOINT, folder / f"model{number}.pt")
    (folder / CHECKPOINT).unlink()


def lower(folder: Path) -> None:
    path = folder / "dict.en.txt"
    path.write_text("".join(f"low{place} 1\n" for place in range(len(path.read_text().splitlines()))), encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: cut(f, CHECKPOINT), r"checkpoint_best\.pt cannot be read as a checkpoint \(.*\); download or copy"),
        (lambda f: spoil(f, CHECKPOINT), r"checkpoint_best\.pt cannot be read as a checkpoint"),
        (lambda f: point(f, CHECKPOINT), r"checkpoint_best\.pt is only a Git LFS pointer; run `git lfs pull`"),
        (
            holds(hook=os.system),
            r"best\.pt contains \w+\.system, which could run code .*; if you trust its publisher, load",
        ),
        (holds(extra_state={"val_loss": numpy.float64(2)}), r"best\.pt contains numpy\S*\.scalar, which could run"),
        (holds(args=None), r"best\.pt has neither args nor cfg, which fairseq checkpoints have; copy it again"),
        (holds(model=None), r"best\.pt does not contain weights under the key model; copy it again"),
        (
            split_in_two,
            r"has model1\.pt, model2\.pt; ensembles of models are not supported: rename one of them to model\.pt",
        ),
        # what other models say of themselves
        (
            says(arch="lstm_wiseman_iwslt_de_en"),
            r"arch is 'lstm_wiseman_iwslt_de_en'; models of transformer, .* are supported",
        ),
        (says(arch="fconv_wmt_en_de"), r"best\.pt: arch is 'fconv_wmt_en_de'; models of transformer"),
        (says(task="language_modeling"), r"best\.pt: task is 'language_modeling'; models of translation are supported"),
        (
            says(decoder_learned_pos=True),
            r"best\.pt: decoder_learned_pos is True; such models are not supported: use one",
        ),
        (says(layernorm_embedding=True), r"best\.pt: layernorm_embedding is True; such models are not supported"),
        (says(no_scale_embedding=True), r"best\.pt: no_scale_embedding is True; such models are not supported"),
        (says(activation_fn="gelu_accurate"), r"activation_fn is 'gelu_accurate'; models of relu, gelu are supported"),
        (says(tokenizer="nltk"), r"tokenizer is 'nltk'; models of moses, space are supported"),
        (says(decoder_normalize_before=True), r"encoder_normalize_before and decoder_normalize_before differ"),
        (says(decoder_attention_heads=2), r"encoder_attention_heads and decoder_attention_heads differ"),
        (says(encoder_layers="2"), r"best\.pt: encoder_layers is '2', not a number; copy it again"),
        (says(target_lang="../de"), r"best\.pt: target_lang is '\.\./de', not a language; copy it again"),
        # weights that are not those of their settings
        (
            says(encoder_layers=1),
            r"best\.pt: encoder\.layers\.1\..* does not belong to a transformer with its settings",
        ),
        (says(decoder_layers=3), r"best\.pt: decoder\.layers\.2\..* is missing, but its settings require it"),
        (says(decoder_embed_dim=64, encoder_embed_dim=64), r"the weights have .* the settings describe another model"),
        (
            says(encoder_normalize_before=True, decoder_normalize_before=True),
            r"best\.pt: decoder\.version is below 3, so a final layer norm is missing; such models are not supported",
        ),
        (
            has("decoder.adapter.weight", rows=3),
            r"decoder\.adapter\.weight does not belong to a transformer with its settings",
        ),
        (has("encoder.embed_tokens.weight"), r"encoder\.embed_tokens\.weight is missing, but its settings require it"),
        (
            has("encoder.embed_tokens.weight", rows=9),
            r"dict\.en\.txt has \d+ pieces .* and checkpoint_best\.pt 9; use",
        ),
        # text
        (lambda f: drop(f, "dict.en.txt"), r"dict\.en\.txt is missing; copy it from the binary data"),
        (lists("ein 7", "eins"), r"dict\.de\.txt line 2: expected a piece, a space and its count, found 'eins'"),
        (lists("ein 7", "zwei 5", "ein 4"), r"dict\.de\.txt line 3: 'ein' occurs twice"),
        (lists("<unk> 7"), r"dict\.de\.txt line 1: '<unk>' occurs twice"),
        (lists("ein 7"), r"dict\.de\.txt has 5 pieces with the special ones, and checkpoint_best\.pt \d+; use the"),
        (lower, r"dict\.en\.txt does not have capital letters; models of lower-cased text are not supported"),
        (lambda f: drop(f, "bpecodes"), r"has neither bpecodes, code, bpe\.codes nor one SentencePiece model .*; copy"),
        (lambda f: spoil(f, "bpecodes"), r"bpecodes line 1: expected two symbols"),
        (
            lambda f: (f / "bpecodes").write_text("e n\nen </w>\n", encoding="utf-8"),
            r"bpecodes has merges of subword-nmt before version 0\.2; such models are not supported",
        ),
    ],
)
def test_unreadable_content_is_named_with_the_cure(damaged: Path, damage: Callable[[Path], None], message: str) -> None:
    damage(damaged)
    check_refused(damaged, message)


def test_tokens_of_moses_in_front_of_a_sentencepiece_model_are_refused(tmp_path: Path) -> None:
    """They would be split otherwise than where it was trained."""
    save_fairseq_spm(tmp_path / "theirs")
    path = tmp_path / "theirs" / "model.pt"
    change_checkpoint(path, lambda found: found["cfg"].update(tokenizer={"_name": "moses"}))
    check_refused(
        tmp_path / "theirs", r"model\.pt: tokenizer is 'moses'; with spm\.model, such models are not supported"
    )


@pytest.mark.parametrize("is_new", [True, False])
def test_truncated_checkpoint_is_reported(damaged: Path, is_new: bool) -> None:
    """Both kinds of files that PyTorch has written: its reader of the older one raises whatever it meets."""
    path = damaged / CHECKPOINT
    found = torch.load(path, weights_only=False)
    found["model"] = {name: value[:1].clone() for name, value in found["model"].items() if "fc1" in name}
    torch.save(found, path, _use_new_zipfile_serialization=is_new)
    whole = path.read_bytes()
    for size in range(0, len(whole), 1 + len(whole) // 40):
        path.write_bytes(whole[:size])
        check_refused(damaged, r"best\.pt (cannot be read as a checkpoint \(.+\); download|contains \S+, which)")


def test_checkpoint_that_is_a_folder_is_reported(damaged: Path) -> None:
    (damaged / CHECKPOINT).unlink()
    (damaged / CHECKPOINT).mkdir()
    check_refused(damaged, r"checkpoint_best\.pt cannot be read \(.*directory")


def test_self_referencing_settings_are_read_only_to_the_depth_of_fairseq(damaged: Path, tmp_path: Path) -> None:
    """A file of a kilobyte can unfold to any size."""
    nested: dict[str, Any] = {}
    nested["itself"] = nested
    for _ in range(60):
        nested = {"one": nested, "other": nested}
    says(training=nested)(damaged)
    convert_folder(damaged, tmp_path / "ours")


def test_separate_output_layer_is_refused(damaged: Path) -> None:
    """In the name that it had in older versions."""
    rows = len((damaged / "dict.de.txt").read_text(encoding="utf-8").splitlines()) + 4
    has("decoder.output_projection.weight")(damaged)
    has("decoder.embed_out", rows)(damaged)
    check_refused(damaged, r"output_projection\.weight are not embeddings of the target")


def test_two_dictionaries_with_one_sentencepiece_model_are_refused(tmp_path: Path) -> None:
    save_fairseq_spm(tmp_path / "theirs")
    path = tmp_path / "theirs" / "dict.en.txt"
    first, second, *lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([second, first, *lines, ""]), encoding="utf-8")
    check_refused(
        tmp_path / "theirs", r"dict\.en\.txt and .*dict\.de\.txt differ; with spm\.model, such models are not"
    )


def test_nothing_of_a_pickle_is_run(damaged: Path, tmp_path: Path) -> None:
    class Harmful:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "harm"),)

    found = torch.load(damaged / CHECKPOINT, weights_only=False)
    for is_new in (True, False):  # both kinds of files that PyTorch has written
        torch.save({"first": Harmful(), **found}, damaged / CHECKPOINT, _use_new_zipfile_serialization=is_new)
        check_refused(damaged, r"best\.pt contains \w+\.mkdir, which could run code and is not loaded")
        assert not (tmp_path / "harm").exists()
    torch.save({name: found[name] for name in ("args", "model")}, damaged / CHECKPOINT)  # the cure
    convert_folder(damaged, tmp_path / "ours")
