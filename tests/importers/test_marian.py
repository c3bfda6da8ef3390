"""Imported MarianMT models: all of our search on them, and their folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import safetensors.torch
import torch

from engine import ModelError, Phrase, Request, SearchOptions, Translator
from engine.importers.conversion import read_json
from engine.importers.marian import plan_marian
from engine.importers.resolve import architecture_of, convert_folder
from engine.model import Transformer, load_model, memory_check
from tests.importers.imported import Imported
from tests.importers.marian import save_marian
from tests.model.damage import change, change_weights, check_refused, cut, drop, point

sentencepiece = pytest.importorskip("sentencepiece")
transformers = pytest.importorskip("transformers")
SOURCE = "The list of files is empty."
SHARED = "model.shared.weight"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return Imported.make("marian", tmp_path_factory.mktemp("marian"))


def test_pins_are_met_and_placed_in_an_imported_model(imported: Imported) -> None:
    translator = imported.translator
    assert translator.directions == ("en-de",)
    phrases = (Phrase("Dateien"), Phrase("der Liste"))
    result = translator.translate(Request(SOURCE, phrases=phrases, avoid=("die",)), SearchOptions(beam=10, nbest=3))
    assert result.status == "complete" and result.hypotheses
    for hypothesis in result.hypotheses:
        assert [hypothesis.text[p.start : p.end] for p in hypothesis.placements] == ["Dateien", "der Liste"]
        again = translator.score(SOURCE, tokens=hypothesis.tokens)
        assert again.log_prob == pytest.approx(hypothesis.log_prob, abs=1e-4)
        assert not set(hypothesis.tokens[:-1]) & {0, 1, 2, 3}


def test_marian_folder_is_read_in_place(imported: Imported, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    translator = Translator.load(imported.theirs)
    assert translator.translate(Request(SOURCE)).hypotheses
    (converted,) = (tmp_path / "cache" / "models").iterdir()
    before = (converted / "model.safetensors").stat().st_mtime_ns
    assert Translator.load(imported.theirs).checksum == translator.checksum
    assert (converted / "model.safetensors").stat().st_mtime_ns == before, "converted once"


def test_a_model_of_many_languages_has_a_direction_for_each(tmp_path: Path) -> None:
    save_marian(tmp_path / "theirs", languages=("deu", "nld"))
    convert_folder(tmp_path / "theirs", tmp_path / "ours")
    translator = Translator.load(tmp_path / "ours")
    assert translator.directions == ("en-de", "en-nl")
    loaded = load_model(tmp_path / "ours")
    assert loaded.source_ids([7], "en-nl")[0] == loaded.codec.id_of(">>nld<<")
    texts = [translator.translate(Request(SOURCE, direction=d)).hypotheses[0].text for d in translator.directions]
    assert texts[0] != texts[1]


LANGUAGES = (  # of the tokeniser, the model's name, and the direction
    (("eng", "deu"), None, "en-de"),
    (("en-US", "ROMANCE"), None, "en-ROMANCE"),
    (("cat+oci+spa", "en"), None, "cat+oci+spa-en"),
    ((None, None), "/tmp/Helsinki-NLP/opus-mt-en-mul", "en-mul"),
    ((None, None), "en-de", "en-de"),
    ((None, None), "team/my-model", None),
)


def test_languages_come_from_the_tokeniser_or_the_name(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    save_marian(theirs)
    settings = read_json(theirs / "config.json")
    for (source, target), name, direction in LANGUAGES:
        change(theirs, "tokenizer_config.json", source_lang=source, target_lang=target)
        if direction is None:
            with pytest.raises(
                ModelError, match=r"tokenizer_config\.json does not name its languages; add source_lang and"
            ):
                plan_marian(theirs, {**settings, "_name_or_path": name})
        else:
            assert plan_marian(theirs, {**settings, "_name_or_path": name}).config.directions == (direction,)


def test_sources_may_have_a_vocabulary_of_their_own(tmp_path: Path) -> None:
    """As in opus-mt-tc-big-en-ko; the computation is compared in test_against_transformers.py."""
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    save_marian(theirs, languages=("deu", "nld"), has_two_vocabularies=True)
    convert_folder(theirs, ours)
    loaded, tokeniser = load_model(ours), transformers.MarianTokenizer.from_pretrained(theirs)
    source_pieces = (ours / "source_pieces.txt").read_text(encoding="utf-8").split("\n")
    assert loaded.source_codec is not None
    assert len(loaded.source_codec.surfaces) != len(loaded.codec.surfaces)
    found = loaded.source_ids(loaded.source_codec.encode(SOURCE).ids, "en-nl")
    their_ids = json.loads((theirs / "vocab.json").read_text(encoding="utf-8"))
    assert [their_ids[source_pieces[number]] for number in found] == tokeniser(f">>nld<< {SOURCE}").input_ids
    request = Request(SOURCE, direction="en-de", phrases=(Phrase("Dateien"),))
    [best, *_] = Translator.load(ours).translate(request).hypotheses
    assert [best.text[p.start : p.end] for p in best.placements] == ["Dateien"]

    (ours / "source_pieces.txt").unlink()
    with pytest.raises(ModelError, match=r"source_pieces\.txt cannot be read .*; convert the model again"):
        load_model(ours)
    drop(theirs, "target_vocab.json")
    check_refused(theirs, r"target_vocab\.json is missing; download")


def shrink(folder: Path, name: str) -> None:
    ids = json.loads((folder / name).read_text(encoding="utf-8"))
    ids.popitem()
    (folder / name).write_text(json.dumps(ids), encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "name", "message"),
    [
        (drop, "model.safetensors", "neither model.safetensors nor pytorch_model.bin; download"),
        (cut, "model.safetensors", r"model\.safetensors cannot be read as weights .*download the folder again"),
        (drop, "vocab.json", r"vocab\.json is missing; download"),
        (cut, "vocab.json", r"vocab\.json cannot be read as JSON"),
        (shrink, "vocab.json", r"vocab\.json has \d+ pieces, config\.json says \d+"),
        (drop, "source.spm", r"source\.spm is missing; download"),
        (cut, "target.spm", r"target\.spm is not a SentencePiece model .*; download"),
        (point, "source.spm", r"source\.spm is only a Git LFS pointer; run `git lfs pull`"),
        (point, "model.safetensors", r"model\.safetensors is only a Git LFS pointer"),
    ],
)
def test_a_damaged_folder_is_named_with_the_cure(tmp_path: Path, damage, name: str, message: str) -> None:
    save_marian(tmp_path / "theirs")
    damage(tmp_path / "theirs", name)
    assert architecture_of(tmp_path / "theirs") == "marian"
    check_refused(tmp_path / "theirs", message)


@pytest.mark.parametrize("name", ["source.spm", "model.safetensors"])
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    save_marian(tmp_path / "theirs")
    opened = Path.open

    def refuse(path: Path, *mode: str, **more: str) -> object:
        if path == tmp_path / "theirs" / name:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *mode, **more)

    monkeypatch.setattr(Path, "open", refuse)
    check_refused(tmp_path / "theirs", rf"{name} cannot be read \(.*Permission denied.*\); check its permissions, or")


@pytest.mark.parametrize("is_of_now", [True, False])
def test_weights_in_a_file_of_pytorchs_are_the_same(tmp_path: Path, is_of_now: bool) -> None:
    save_marian(tmp_path / "theirs")
    convert_folder(tmp_path / "theirs", tmp_path / "first")
    path = tmp_path / "theirs" / "model.safetensors"
    state = safetensors.torch.load_file(path)
    path.unlink()
    torch.save(state, path.with_name("pytorch_model.bin"), _use_new_zipfile_serialization=is_of_now)
    convert_folder(tmp_path / "theirs", tmp_path / "second")
    assert load_model(tmp_path / "first").checksum == load_model(tmp_path / "second").checksum


def test_a_pickle_is_refused(tmp_path: Path) -> None:
    save_marian(tmp_path / "theirs")
    drop(tmp_path / "theirs", "model.safetensors")
    torch.save({"model.shared.weight": Transformer}, tmp_path / "theirs" / "pytorch_model.bin")
    check_refused(tmp_path / "theirs", r"pytorch_model\.bin cannot be read .* which could run code and are not loaded")


def test_truncated_file_of_old_pytorch_is_reported(tmp_path: Path) -> None:
    save_marian(tmp_path / "theirs")
    drop(tmp_path / "theirs", "model.safetensors")
    path = tmp_path / "theirs" / "pytorch_model.bin"
    torch.save({f"weight{number}": torch.ones(3) for number in range(3)}, path, _use_new_zipfile_serialization=False)
    whole = path.read_bytes()
    for size in range(0, len(whole), 1 + len(whole) // 40):
        path.write_bytes(whole[:size])
        check_refused(tmp_path / "theirs", r"pytorch_model\.bin cannot be read as weights.*download the folder again")


@pytest.mark.parametrize(
    ("name", "value"), [("scale_embedding", False), ("decoder_attention_heads", 2), ("activation_function", "tanh")]
)
def test_an_architecture_that_is_not_ours_is_refused(tmp_path: Path, name: str, value: object) -> None:
    save_marian(tmp_path / "theirs")
    change(tmp_path / "theirs", "config.json", **{name: value})
    check_refused(tmp_path / "theirs", "such models are not supported")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("encoder_layers", 2, r"model\.safetensors has more than 2 encoder layers, .* describe another model"),
        ("decoder_layers", 3, r"model\.decoder\.layers\.2\..* is missing; the settings describe another model"),
        ("d_model", "32", r"config\.json: d_model is '32', not a number; download it again"),
        ("eos_token_id", 9999, r"config\.json: eos_token_id is 9999, no piece of vocab\.json"),
        ("vocab_size", None, r"vocab\.json has \d+ pieces, config\.json says None"),
        ("pad_token_id", 2, r"config\.json: its targets do not begin with the padding; such"),
    ],
)
def test_settings_that_do_not_match_the_weights_are_reported(
    tmp_path: Path, name: str, value: object, message: str
) -> None:
    save_marian(tmp_path / "theirs")
    change(tmp_path / "theirs", "config.json", **{name: value})
    check_refused(tmp_path / "theirs", message)


def test_settings_with_values_of_wrong_types_are_reported(tmp_path: Path) -> None:
    save_marian(tmp_path / "theirs")
    ids = json.loads((tmp_path / "theirs" / "vocab.json").read_text(encoding="utf-8"))
    texts = {piece: str(number) for piece, number in ids.items()}
    (tmp_path / "theirs" / "vocab.json").write_text(json.dumps(texts), encoding="utf-8")
    check_refused(tmp_path / "theirs", r"vocab\.json does not number its \d+ pieces from 0; download it again")
    (tmp_path / "theirs" / "vocab.json").write_text(json.dumps(ids), encoding="utf-8")
    change(tmp_path / "theirs", "tokenizer_config.json", source_lang=["en"])
    check_refused(tmp_path / "theirs", r"config\.json or another settings file is damaged .*; download")


def test_the_shared_embeddings_are_read_under_whichever_of_their_names(tmp_path: Path) -> None:
    """Files keep one of the names that a table has, and not all the same one."""
    save_marian(tmp_path / "theirs")
    convert_folder(tmp_path / "theirs", tmp_path / "first")
    change_weights(tmp_path / "theirs", lambda state: state.update({"lm_head.weight": state.pop(SHARED)}))
    convert_folder(tmp_path / "theirs", tmp_path / "second")
    assert load_model(tmp_path / "first").checksum == load_model(tmp_path / "second").checksum


def test_separate_output_layer_is_refused(tmp_path: Path) -> None:
    save_marian(tmp_path / "theirs")
    change(tmp_path / "theirs", "config.json", tie_word_embeddings=False)
    check_refused(tmp_path / "theirs", r"lm_head\.weight is missing")
    change_weights(tmp_path / "theirs", lambda state: state.update({"lm_head.weight": state[SHARED] + 1}))
    check_refused(tmp_path / "theirs", r"lm_head\.weight are not embeddings of the target")
    change_weights(tmp_path / "theirs", lambda state: state.update({"lm_head.weight": state[SHARED].clone()}))
    convert_folder(tmp_path / "theirs", tmp_path / "ours")


def test_bias_of_another_vocabulary_is_reported(tmp_path: Path) -> None:
    save_marian(tmp_path / "theirs")
    change_weights(tmp_path / "theirs", lambda state: state.update(final_logits_bias=torch.zeros(1, 7)))
    check_refused(tmp_path / "theirs", r"final_logits_bias has 7 rows, and the vocabulary \d+ pieces")


def test_memory_check_assumes_single_precision_for_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_marian(tmp_path / "theirs")
    change_weights(tmp_path / "theirs", lambda state: state.update({k: v.half() for k, v in state.items()}))
    convert_folder(tmp_path / "theirs", tmp_path / "ours")
    needed = 3 * 4 * memory_check.num_weights(tmp_path / "ours" / "model.safetensors")
    monkeypatch.setattr(memory_check, "available_bytes", lambda: needed - 1)
    check_refused(tmp_path / "theirs", r"theirs needs .* of memory to convert, and .* are free; close other programs")
    with pytest.raises(ModelError, match=r"^team/opus-mt-en-de needs"):  # its folder has a name that nobody knows
        convert_folder(tmp_path / "theirs", tmp_path / "again", origin="team/opus-mt-en-de")
    monkeypatch.setattr(memory_check, "available_bytes", lambda: needed)
    convert_folder(tmp_path / "theirs", tmp_path / "again")
