"""FSMT models (wmt19): the same numbers and pieces as transformers gives, two vocabularies, and pins met."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch

from engine import Phrase, Request, SearchOptions, Translator
from engine.errors import ModelError
from engine.model import load_model
from engine.model.importing import convert_folder
from engine.text import UNKNOWN_ID, BytePairs, MosesCodec
from tests.model.fsmt import learn_merges_of_both, pieces_of, save_fsmt
from tests.model.marian import SAMPLE
from tests.model.reference import beam_search, states_and_log_probs

sacremoses = pytest.importorskip("sacremoses")
transformers = pytest.importorskip("transformers")
SOURCE = "The list of files is empty."
TEXTS = (
    SOURCE, "Zwei  Leerzeichen ", "100 % „sicher“ …", "(a) [b] <c> C++ .NET", "漢字 und ß", "don't e-mail x_y",
    "%s {0} A&B", "e.g. 3.5 and 10:30, usw.", "l' « été »",
)  # fmt: skip


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder of theirs, and what it was converted to."""
    folder = tmp_path_factory.mktemp("fsmt")
    save_fsmt(folder / "theirs")
    convert_folder(folder / "theirs", folder / "ours", torch.float32)
    return folder / "theirs", folder / "ours"


def swapped(ids: torch.Tensor) -> torch.Tensor:
    """Their ids of ours and ours of theirs: `<s>` and the padding change places."""
    return torch.where(ids < 2, 1 - ids, ids)


def test_encoder_states_and_log_probabilities_equal_those_of_transformers(both: tuple[Path, Path]) -> None:
    reference = transformers.FSMTForConditionalGeneration.from_pretrained(both[0]).eval()
    loaded = load_model(both[1])
    starts = loaded.starts(["en-de", "en-de"], torch.device("cpu"))
    assert starts is not None and starts.tolist() == [[2], [2]]
    sources = torch.randint(4, 300, (2, 9), generator=torch.Generator().manual_seed(1))
    targets = torch.randint(4, 300, (2, 7), generator=torch.Generator().manual_seed(2))
    states, log_probs = states_and_log_probs(reference, sources, targets, [2])
    lengths = torch.tensor([9, 9])
    torch.testing.assert_close(loaded.transformer.encode(sources, lengths).memory_BSE, states, atol=1e-4, rtol=1e-4)
    scores = loaded.transformer.score(sources, lengths, targets, starts)
    torch.testing.assert_close(scores, log_probs, atol=1e-4, rtol=1e-4)


def test_pieces_of_a_source_are_those_of_transformers(both: tuple[Path, Path]) -> None:
    loaded = load_model(both[1])
    theirs = transformers.FSMTTokenizer.from_pretrained(both[0])
    assert loaded.source_codec is not None
    for text in TEXTS:
        encoding = loaded.source_codec.encode(text)
        ours = loaded.source_ids(encoding.ids, "en-de")
        assert swapped(torch.tensor(ours)).tolist() == theirs(text).input_ids, text
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
def test_pieces_of_a_target_write_what_moses_writes(both: tuple[Path, Path], text: str) -> None:
    codec = load_model(both[1]).codec
    ids = codec.encode(text).ids
    theirs = transformers.FSMTTokenizer.from_pretrained(both[0])
    assert codec.decode(ids).text == theirs.decode(swapped(torch.tensor(ids)).tolist())


def test_text_that_moses_would_space_otherwise_is_not_spelt(both: tuple[Path, Path]) -> None:
    codec = load_model(both[1]).codec
    for text, spelt in (("Liste (leer).", True), ("Liste ,leer", False), ('"leer"', False), ("„leer“", False)):
        assert codec.spells(text) == spelt, text
    assert codec.respell("Liste ,leer") == "Liste, leer"


@pytest.mark.parametrize("beam", [1, 4])
def test_plain_beam_search_finds_what_it_finds_with_log_probabilities_of_transformers(
    both: tuple[Path, Path], beam: int
) -> None:
    reference = transformers.FSMTForConditionalGeneration.from_pretrained(both[0]).eval()
    translator, loaded = Translator.load(both[1]), load_model(both[1])
    assert loaded.source_codec is not None
    source = swapped(torch.tensor(loaded.source_ids(loaded.source_codec.encode(SOURCE).ids, "en-de"))).tolist()
    never = swapped(torch.tensor([piece for piece in loaded.codec.specials if piece != 2])).tolist()
    tokens, score = beam_search(reference, source, [2], beam, never, max_length=24)
    options = SearchOptions(beam=beam, nbest=1, pruning_threshold=None, max_length_factor=0, max_length_offset=24)
    [best] = translator.translate(Request(SOURCE, direction="en-de"), options).hypotheses
    assert list(best.tokens) == tokens
    assert best.score == pytest.approx(score, abs=1e-4)


def test_pins_avoids_and_prefixes_hold_at_word_boundaries(both: tuple[Path, Path]) -> None:
    translator = Translator.load(both[1])
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
    packed = Translator.load(both[1], precision="int8").translate(request).hypotheses[0]
    assert packed.score == pytest.approx(translator.score(SOURCE, tokens=packed.tokens).score, abs=0.3)


def drop(folder: Path, name: str) -> None:
    (folder / name).unlink()


def spoil(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"one\ntwo three\n")


def change(folder: Path, name: str, **settings: object) -> None:
    path = folder / name
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **settings}), encoding="utf-8")


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
    both: tuple[Path, Path], tmp_path: Path, damage, name: str, message: str
) -> None:
    shutil.copytree(both[0], tmp_path / "theirs")
    damage(tmp_path / "theirs", name)
    with pytest.raises(ModelError, match=message):
        convert_folder(tmp_path / "theirs", tmp_path / "ours")
    assert not (tmp_path / "ours").exists() and not (tmp_path / "ours.partial").exists()


def test_an_output_layer_of_its_own_is_refused(tmp_path: Path) -> None:
    save_fsmt(tmp_path / "theirs")
    model = transformers.FSMTForConditionalGeneration.from_pretrained(tmp_path / "theirs")
    model.model.decoder.output_projection.weight.data += 1
    model.save_pretrained(tmp_path / "theirs")
    with pytest.raises(ModelError, match=r"output_projection\.weight are no embeddings of the target"):
        convert_folder(tmp_path / "theirs", tmp_path / "ours")


def test_a_file_of_source_pieces_of_another_model_is_named(both: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.copytree(both[1], tmp_path / "ours")
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
        if UNKNOWN_ID in ids:
            continue
        tokens = tokeniser.tokenize(normaliser.normalize(text), aggressive_dash_splits=True)
        assert codec.decode(ids).text == moses.detokenize(tokens), text
        num_compared += 1
    assert num_compared > len(texts) / 2
