"""FSMT models (wmt19): the pieces that transformers gives, two vocabularies, and pins met."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from engine import Phrase, Request, SearchOptions, Translator
from engine.errors import ModelError
from engine.importers.resolve import convert_folder
from engine.model import load_model
from engine.text import UNK, BytePairs, MosesCodec
from tests.importers.fsmt import learn_merges_of_both, pieces_of, save_fsmt
from tests.importers.imported import Imported
from tests.importers.marian import SAMPLE
from tests.model.damage import change, change_weights, check_refused, drop, spoil

sacremoses = pytest.importorskip("sacremoses")
transformers = pytest.importorskip("transformers")
SOURCE = "The list of files is empty."
TABLES = [
    f"model.{name}.weight" for name in ("encoder.embed_tokens", "decoder.embed_tokens", "decoder.output_projection")
]
TEXTS = (
    SOURCE, "Zwei  Leerzeichen ", "100 % „sicher“ …", "(a) [b] <c> C++ .NET", "漢字 und ß", "don't e-mail x_y",
    "%s {0} A&B", "e.g. 3.5 and 10:30, usw.", "l' « été »",
)  # fmt: skip


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return Imported.make("fsmt", tmp_path_factory.mktemp("fsmt"))


def test_pieces_of_a_source_equal_transformers(imported: Imported) -> None:
    loaded = imported.loaded
    theirs = transformers.FSMTTokenizer.from_pretrained(imported.theirs)
    assert loaded.source_codec is not None
    for text in TEXTS:
        encoding = loaded.source_codec.encode(text)
        ours = loaded.source_ids(encoding.ids, "en-de")
        assert imported.to_theirs(ours) == theirs(text).input_ids, text
        ends = [0, *(end for _, end in encoding.spans)]
        assert all(before <= start <= end for before, (start, end) in zip(ends, encoding.spans, strict=False)), text
        assert ends[-1] <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "Die Liste ist leer.",
        'Er sagte: "Ich komme" und "geht" (heute), E-Mail!',
        "Die Datei [1] kostet $ 5; 3,5 % A & B?",
        "Eine E-Mail-Liste: leer.",
        "Was ... (a)?! 'x' y",
    ],
)
def test_pieces_of_a_target_are_detokenized_like_moses(imported: Imported, text: str) -> None:
    codec = imported.loaded.codec
    ids = codec.encode(text).ids
    theirs = transformers.FSMTTokenizer.from_pretrained(imported.theirs)
    assert codec.decode(ids).text == theirs.decode(imported.to_theirs(ids))


def test_text_that_moses_would_space_otherwise_is_not_spelt(imported: Imported) -> None:
    codec = imported.loaded.codec
    for text, spelt in (("Liste (leer).", True), ("Liste ,leer", False), ('"leer"', False), ("„leer“", False)):
        assert codec.spells(text) == spelt, text
    assert codec.respell("Liste ,leer") == "Liste, leer"


def test_pins_avoids_and_prefixes_are_respected_at_word_boundaries(imported: Imported) -> None:
    translator = imported.translator
    assert translator.directions == ("en-de",)
    request = Request(SOURCE, phrases=(Phrase("Dateien"), Phrase("E-Mail")), avoid=("die",), prefix="Die List")
    result = translator.translate(request, SearchOptions(beam=10, nbest=3))
    assert result.status == "complete" and result.hypotheses
    for hypothesis in result.hypotheses:
        placed = [hypothesis.text[p.start : p.end] for p in hypothesis.placements]
        assert placed == ["Dateien", "E-Mail"]
        assert hypothesis.text.startswith("Die List")
        assert "die" not in hypothesis.text.split()
        again = translator.score(SOURCE, tokens=hypothesis.tokens)
        assert again.log_prob == pytest.approx(hypothesis.log_prob, abs=1e-3)
    packed = Translator.load(imported.ours, precision="int8").translate(request).hypotheses[0]
    assert packed.score == pytest.approx(translator.score(SOURCE, tokens=packed.tokens).score, abs=0.3)


@pytest.mark.parametrize(
    ("damage", "name", "message"),
    [
        (drop, "model.safetensors", "neither model.safetensors nor pytorch_model.bin; download"),
        (drop, "vocab-src.json", r"vocab-src\.json is missing; download"),
        (spoil, "vocab-tgt.json", r"vocab-tgt\.json cannot be read as JSON"),
        (drop, "merges.txt", r"merges\.txt is missing; download"),
        (spoil, "merges.txt", r"merges\.txt line 1: expected two symbols and a space between, found 'one'"),
        (lambda f, n: change(f, n, tgt_vocab_size=90), "config.json", r"vocab-tgt\.json has \d+ pieces, config\.json"),
        (lambda f, n: change(f, n, langs=["en"]), "config.json", r"langs is \['en'\], not two languages"),
        (lambda f, n: change(f, n, do_lower_case=True), "tokenizer_config.json", "do_lower_case is true; such models"),
    ],
)
def test_a_damaged_folder_is_named_with_the_cure(
    imported: Imported, tmp_path: Path, damage, name: str, message: str
) -> None:
    shutil.copytree(imported.theirs, tmp_path / "theirs")
    damage(tmp_path / "theirs", name)
    check_refused(tmp_path / "theirs", message)


def test_separate_output_layer_is_refused(tmp_path: Path) -> None:
    save_fsmt(tmp_path / "theirs")
    model = transformers.FSMTForConditionalGeneration.from_pretrained(tmp_path / "theirs")
    model.model.decoder.output_projection.weight.data += 1
    model.save_pretrained(tmp_path / "theirs")
    check_refused(tmp_path / "theirs", r"output_projection\.weight are not embeddings of the target")


def test_embeddings_are_read_under_whichever_of_their_names(imported: Imported, tmp_path: Path) -> None:
    """Files keep one of the names that a table has: of the targets' and the output's or, if all are tied, of three."""
    theirs = tmp_path / "theirs"
    shutil.copytree(imported.theirs, theirs)
    convert_folder(theirs, tmp_path / "all")
    change_weights(theirs, lambda state: state.pop(TABLES[1]))
    convert_folder(theirs, tmp_path / "two")
    assert load_model(tmp_path / "two").checksum == load_model(tmp_path / "all").checksum
    change_weights(theirs, lambda state: state.pop(TABLES[2]))
    check_refused(theirs, r"model\.decoder\.embed_tokens\.weight is missing")
    shutil.copy(theirs / "vocab-src.json", theirs / "vocab-tgt.json")
    size = len(json.loads((theirs / "vocab-src.json").read_text(encoding="utf-8")))
    change(theirs, "config.json", tie_word_embeddings=True, tgt_vocab_size=size)
    for before, name in pairwise((TABLES[0], *TABLES)):
        change_weights(theirs, lambda state, before=before, name=name: state.update({name: state.pop(before)}))
        convert_folder(theirs, tmp_path / name)
        transformer = load_model(tmp_path / name).transformer
        assert transformer.source_embedding is not None
        assert torch.equal(transformer.source_embedding.weight, transformer.embedding.weight)


def test_a_file_of_source_pieces_of_another_model_is_named(imported: Imported, tmp_path: Path) -> None:
    shutil.copytree(imported.ours, tmp_path / "ours")
    with (tmp_path / "ours" / "source_pieces.txt").open("a", encoding="utf-8") as file:
        file.write("more</w>\n")
    with pytest.raises(ModelError, match=r"source_pieces\.txt has \d+ pieces, config\.json says \d+"):
        load_model(tmp_path / "ours")


@pytest.mark.parametrize("language", ["de", "en"])
def test_real_text_is_put_together_as_moses_does(language: str) -> None:
    rows = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").splitlines()[1:]]
    texts = [row[3] for row in rows if row[0] == language][::4]
    specials = ("<pad>", "<s>", "</s>", "<unk>")
    codec = MosesCodec(language, BytePairs(learn_merges_of_both()), (*specials, *pieces_of(language)))
    normaliser = sacremoses.MosesPunctNormalizer(lang=language, pre_replace_unicode_punct=True)
    tokeniser, moses = sacremoses.MosesTokenizer(lang=language), sacremoses.MosesDetokenizer(lang=language)
    num_compared = 0
    for text in texts:
        ids = codec.encode(text).ids
        if UNK in ids:
            continue
        tokens = tokeniser.tokenize(normaliser.normalize(text), aggressive_dash_splits=True)
        assert codec.decode(ids).text == moses.detokenize(tokens), text
        num_compared += 1
    assert num_compared > len(texts) / 2
