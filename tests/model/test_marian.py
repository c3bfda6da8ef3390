"""Imported MarianMT models: the numbers that transformers gives on the same weights, and all of our search on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from engine import Phrase, Request, SearchOptions, Translator
from engine.errors import ModelError
from engine.model import Transformer, load_model
from engine.model.importing import architecture_of, convert_folder
from tests.model.marian import save_marian

pytest.importorskip("sentencepiece")
transformers = pytest.importorskip("transformers")
SOURCE = "The list of files is empty."


@pytest.fixture(scope="module", params=["swish", "relu"])
def both(request, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder of theirs, and what it was converted to."""
    folder = tmp_path_factory.mktemp("marian")
    save_marian(folder / "theirs", request.param)
    convert_folder(folder / "theirs", folder / "ours", torch.float32)
    return folder / "theirs", folder / "ours"


def our_ids(theirs: Path, ours: Path) -> torch.Tensor:
    """By Marian's ids, ours."""
    ids = json.loads((theirs / "vocab.json").read_text(encoding="utf-8"))
    pieces = (ours / "pieces.txt").read_text(encoding="utf-8").split("\n")[:-1]
    return torch.tensor([pieces.index(piece) for piece in sorted(ids, key=ids.__getitem__)])


def test_encoder_states_and_logits_equal_those_of_transformers(both: tuple[Path, Path]) -> None:
    reference = transformers.MarianMTModel.from_pretrained(both[0]).eval()
    model = load_model(both[1]).transformer
    translated = our_ids(*both)
    pad = reference.config.pad_token_id
    sources = torch.randint(2, pad, (2, 9), generator=torch.Generator().manual_seed(1))
    targets = torch.randint(2, pad, (2, 7), generator=torch.Generator().manual_seed(2))
    starts = torch.full((2, 1), pad)
    with torch.inference_mode():
        theirs = reference(input_ids=sources, decoder_input_ids=torch.cat([starts, targets[:, :-1]], dim=1))
    lengths = torch.tensor([9, 9])
    memory = model.encode(translated[sources], lengths).memory_BSE
    torch.testing.assert_close(memory, theirs.encoder_last_hidden_state, atol=1e-4, rtol=1e-4)
    scores = model.score(translated[sources], lengths, translated[targets])
    log_probs = theirs.logits.log_softmax(-1).gather(2, targets[:, :, None])[:, :, 0]
    torch.testing.assert_close(scores, log_probs, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("beam", [1, 4])
def test_plain_beam_search_finds_what_transformers_finds(both: tuple[Path, Path], beam: int) -> None:
    reference = transformers.MarianMTModel.from_pretrained(both[0]).eval()
    translator = Translator.load(both[1])
    loaded = load_model(both[1])
    assert loaded.source_codec is not None
    source = loaded.source_ids(loaded.source_codec.encode(SOURCE).ids, "en-de")
    translated = our_ids(*both)
    back = {int(ours): theirs for theirs, ours in enumerate(translated.tolist())}
    forbidden = [[reference.config.pad_token_id], [1]]  # as ours: no padding, nothing unknown
    output = reference.generate(
        torch.tensor([[back[piece] for piece in source]]), num_beams=beam, do_sample=False, early_stopping=False,
        length_penalty=1.0, max_length=40, output_scores=True, return_dict_in_generate=True, bad_words_ids=forbidden,
        forced_eos_token_id=None,
    )  # fmt: skip
    options = SearchOptions(beam=beam, nbest=1, pruning_threshold=None)
    best = translator.translate(Request(SOURCE, direction="en-de"), options).hypotheses[0]
    tokens = translated[output.sequences[0, 1:]].tolist()
    assert tokens[-1] == 2, "ended by itself, not by the length limit"
    assert list(best.tokens) == tokens


def test_pins_are_met_and_placed_in_an_imported_model(both: tuple[Path, Path]) -> None:
    translator = Translator.load(both[1])
    assert translator.directions == ("en-de",)
    phrases = (Phrase("Dateien"), Phrase("der Liste"))
    result = translator.translate(Request(SOURCE, phrases=phrases, avoid=("die",)), SearchOptions(beam=10, nbest=3))
    assert result.status == "complete" and result.hypotheses
    for hypothesis in result.hypotheses:
        assert [hypothesis.text[p.start : p.end] for p in hypothesis.placements] == ["Dateien", "der Liste"]
        again = translator.score(SOURCE, tokens=hypothesis.tokens)
        assert again.log_prob == pytest.approx(hypothesis.log_prob, abs=1e-4)
        assert not set(hypothesis.tokens[:-1]) & {0, 1, 2, 3}


def test_a_folder_of_theirs_is_read_where_it_stands(both: tuple[Path, Path], tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    translator = Translator.load(both[0])
    assert translator.translate(Request(SOURCE)).hypotheses
    (converted,) = (tmp_path / "cache" / "models").iterdir()
    before = (converted / "model.safetensors").stat().st_mtime_ns
    assert Translator.load(both[0]).checksum == translator.checksum
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


def drop(folder: Path, name: str) -> None:
    (folder / name).unlink()


def damage(folder: Path, name: str) -> None:
    (folder / name).write_bytes((folder / name).read_bytes()[:100])


def shrink(folder: Path, name: str) -> None:
    ids = json.loads((folder / name).read_text(encoding="utf-8"))
    ids.popitem()
    (folder / name).write_text(json.dumps(ids), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "name", "message"),
    [
        (drop, "model.safetensors", "neither model.safetensors nor pytorch_model.bin; download"),
        (damage, "model.safetensors", r"model\.safetensors cannot be read as weights .*download the folder again"),
        (drop, "vocab.json", r"vocab\.json is missing; download"),
        (damage, "vocab.json", r"vocab\.json cannot be read as JSON"),
        (shrink, "vocab.json", r"vocab\.json has \d+ pieces, config\.json says \d+"),
        (drop, "source.spm", r"source\.spm is missing; download"),
    ],
)
def test_a_damaged_folder_is_named_with_the_cure(tmp_path: Path, change, name: str, message: str) -> None:
    save_marian(tmp_path / "theirs")
    change(tmp_path / "theirs", name)
    assert architecture_of(tmp_path / "theirs") == "marian"
    with pytest.raises(ModelError, match=message):
        convert_folder(tmp_path / "theirs", tmp_path / "ours")
    assert not (tmp_path / "ours").exists() and not (tmp_path / "ours.partial").exists()


def test_a_pickle_is_refused(tmp_path: Path) -> None:
    save_marian(tmp_path / "theirs")
    drop(tmp_path / "theirs", "model.safetensors")
    torch.save({"model.shared.weight": Transformer}, tmp_path / "theirs" / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"pytorch_model\.bin cannot be read as weights"):
        convert_folder(tmp_path / "theirs", tmp_path / "ours")


@pytest.mark.parametrize(
    ("name", "value"), [("scale_embedding", False), ("decoder_ffn_dim", 64), ("activation_function", "tanh")]
)
def test_an_architecture_that_is_not_ours_is_refused(tmp_path: Path, name: str, value: object) -> None:
    save_marian(tmp_path / "theirs")
    path = tmp_path / "theirs" / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), name: value}), encoding="utf-8")
    with pytest.raises(ModelError, match="such models are not read"):
        convert_folder(tmp_path / "theirs", tmp_path / "ours")
