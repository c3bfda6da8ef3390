"""M2M100 and NLLB models: the pieces that transformers gives, any two languages, and pins met."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

from engine import Phrase, Request, SearchOptions, Translator
from engine.cli.models import list_models
from engine.errors import InvalidRequest, ModelError
from engine.importers.resolve import convert_folder
from engine.model import load_model
from engine.text import SentencePieceCodec
from tests.importers.imported import Imported
from tests.importers.m2m100 import learn_joint_spm, save_m2m100
from tests.model.damage import change, check_refused, cut, drop

pytest.importorskip("sentencepiece")
transformers = pytest.importorskip("transformers")
SOURCE = "The list of files is empty."
TEXTS = (
    SOURCE,
    "Zwei  Leerzeichen",
    "100 % „sicher“",
    "(a) [b] <c> C++ .NET",
    "漢字 und ß",
    "don't e-mail x_y",
    "%s {0}",
)


@pytest.fixture(scope="module", params=["m2m100", "nllb", "nllb-legacy"])
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return Imported.make(request.param, tmp_path_factory.mktemp(request.param))


@pytest.mark.parametrize("direction", ["en-de", "de-en"])
def test_pieces_of_a_source_and_its_language_equal_transformers(imported: Imported, direction: str) -> None:
    loaded = imported.loaded
    is_m2m100 = (imported.theirs / "vocab.json").exists()
    kind = transformers.M2M100Tokenizer if is_m2m100 else transformers.NllbTokenizer
    languages = ("en", "de") if is_m2m100 else ("eng_Latn", "deu_Latn")
    theirs = kind.from_pretrained(imported.theirs, src_lang=languages[direction == "de-en"])
    assert isinstance(loaded.codec, SentencePieceCodec)
    for text in TEXTS:
        ours = loaded.source_ids(loaded.codec.encode(text).ids, direction)
        # of SentencePiece's rules for characters, which in the originals stand in tokenizer.json
        given = text if is_m2m100 else loaded.codec.processor.normalize(text).replace("▁", " ").strip()
        assert imported.to_theirs(ours) == theirs(given).input_ids, text


def test_any_two_languages_make_a_direction_under_either_name(imported: Imported) -> None:
    translator = imported.translator
    num_languages = 100 if (imported.theirs / "vocab.json").exists() else 202
    assert len(translator.directions) == num_languages * (num_languages - 1)
    assert translator.directions[0] == "en-de"
    texts = {d: translator.translate(Request(SOURCE, direction=d)).hypotheses[0].text for d in ("en-de", "en-fr")}
    assert texts["en-de"] != texts["en-fr"]
    if num_languages == 202:
        named = translator.translate(Request(SOURCE, direction="eng_Latn-deu_Latn")).hypotheses[0]
        assert named.text == texts["en-de"]
        assert "zho_Hans-zho_Hant" in translator.directions
    for wrong in ("en-en", "en-xx", "en", "-", "en-de-fr"):
        assert wrong not in translator.directions
        with pytest.raises(InvalidRequest, match=r"this model translates between any two of en, de, "):
            translator.translate(Request(SOURCE, direction=wrong))


def test_a_listed_model_names_its_languages_instead_of_all_pairs(
    imported: Imported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path))
    shutil.copytree(imported.ours, tmp_path / "models" / "ours")
    as_json, table = io.BytesIO(), io.BytesIO()
    list_models(as_json, as_json=True)
    list_models(table, as_json=False)
    records = [json.loads(line) for line in as_json.getvalue().decode().splitlines()]
    [record] = [record for record in records if record.get("place") == "cached"]
    assert record["directions"] == [] and record["languages"][:2] == ["en", "de"]
    assert f"any two of {len(record['languages'])} languages" in table.getvalue().decode()


def test_pins_are_met_in_batches_of_several_languages(imported: Imported) -> None:
    """Sentences that begin with different languages share a batch, and each comes out as alone."""
    translator, options = imported.translator, SearchOptions(beam=5, nbest=2)
    requests = [
        Request(SOURCE, direction="en-de", phrases=(Phrase("Dateien"), Phrase("der Liste")), avoid=("die",)),
        Request("Eine Datei", direction="de-en", phrases=(Phrase("file"),)),
        Request("Eine Datei ist leer.", direction="de-fr", prefix="Le fi"),
    ]
    for request, found in zip(requests, translator.translate_all(requests, options), strict=True):
        alone = translator.translate(request, options)
        assert found.status == "complete" and found.hypotheses
        assert [h.tokens for h in found.hypotheses] == [h.tokens for h in alone.hypotheses]
        for hypothesis in found.hypotheses:
            placed = [hypothesis.text[p.start : p.end] for p in hypothesis.placements]
            assert placed == [phrase.text for phrase in request.phrases]
            assert hypothesis.text.startswith(request.prefix)
            again = translator.score(request.source, tokens=hypothesis.tokens, direction=request.direction)
            assert again.log_prob == pytest.approx(hypothesis.log_prob, abs=1e-3)
            assert not set(hypothesis.tokens[:-1]) & set(imported.loaded.codec.specials)


def test_8_bit_translations_have_nearly_the_same_single_precision_score(imported: Imported) -> None:
    plain, packed = imported.translator, Translator.load(imported.ours, precision="int8")
    request = Request(SOURCE, direction="en-de", phrases=(Phrase("Dateien"),))
    found = packed.translate(request).hypotheses[0]
    again = plain.score(SOURCE, tokens=found.tokens, direction="en-de")
    assert found.score == pytest.approx(again.score, abs=0.3)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An M2M100 folder, to be damaged in a copy."""
    folder = tmp_path_factory.mktemp("whole") / "theirs"
    save_m2m100(folder)
    return folder


@pytest.mark.parametrize(
    ("spoil", "name", "message"),
    [
        (drop, "model.safetensors", "neither model.safetensors nor pytorch_model.bin; download"),
        (cut, "model.safetensors", r"model\.safetensors cannot be read as weights .*download the folder again"),
        (cut, "vocab.json", r"vocab\.json cannot be read as JSON"),
        (drop, "vocab.json", r"vocab\.json is missing, which contains"),
        (drop, "sentencepiece.bpe.model", r"sentencepiece\.bpe\.model is missing; download"),
        (drop, "special_tokens_map.json", r"special_tokens_map\.json names its languages; download"),
        (lambda f, n: change(f, n, vocab_size=90), "config.json", r"vocabulary has \d+ pieces, config\.json says 90"),
        (lambda f, n: change(f, n, vocab_size=600), "config.json", r"model\.shared\.weight has 509 rows"),
        (lambda f, n: change(f, n, scale_embedding=False), "config.json", "scale_embedding is False; such models are"),
        (lambda f, n: change(f, n, decoder_start_token_id=0), "config.json", "decoder_start_token_id is 0"),
        (lambda f, n: change(f, n, model_type="nllb-moe"), "config.json", "'nllb-moe'; models of marian, m2m_100"),
        (lambda f, n: change(f, n, d_model=None), "config.json", r"config\.json: d_model is None, not a number"),
        (
            lambda f, n: change(f, n, vocab_size="many"),
            "config.json",
            r"config\.json or .* is damaged \(.*\); download",
        ),
        (
            lambda f, n: change(f, n, tokenizer_class="SMALL100Tokenizer"),
            "tokenizer_config.json",
            "'SMALL100Tokenizer'; such models are not supported",
        ),
    ],
)
def test_a_damaged_folder_is_named_with_the_cure(whole: Path, tmp_path: Path, spoil, name: str, message: str) -> None:
    shutil.copytree(whole, tmp_path / "theirs")
    spoil(tmp_path / "theirs", name)
    check_refused(tmp_path / "theirs", message)


def test_weights_in_several_files_are_read_together(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "theirs")
    convert_folder(tmp_path / "theirs", tmp_path / "whole")
    model = transformers.M2M100ForConditionalGeneration.from_pretrained(tmp_path / "theirs")
    drop(tmp_path / "theirs", "model.safetensors")
    model.save_pretrained(tmp_path / "theirs", max_shard_size="60KB")
    assert len(list((tmp_path / "theirs").glob("model-*.safetensors"))) > 1
    convert_folder(tmp_path / "theirs", tmp_path / "ours")
    assert load_model(tmp_path / "ours").checksum == load_model(tmp_path / "whole").checksum
    next((tmp_path / "theirs").glob("model-00002-*.safetensors")).unlink()
    with pytest.raises(ModelError, match=r"model-00002-.* is missing, which model\.safetensors\.index\.json names"):
        convert_folder(tmp_path / "theirs", tmp_path / "broken")


def test_a_broken_sentencepiece_model_of_an_nllb_folder_is_named(tmp_path: Path) -> None:
    save_m2m100(tmp_path / "theirs", "nllb")
    (tmp_path / "theirs" / "sentencepiece.bpe.model").write_bytes(learn_joint_spm()[:50])
    check_refused(tmp_path / "theirs", r"sentencepiece\.bpe\.model is not an intact SentencePiece model")
