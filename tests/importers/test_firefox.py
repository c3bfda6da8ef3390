"""Imported Firefox Translations models: the results of a plain twin, all of our search on them, and their files."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
import zstandard

from engine import Phrase, Request, SearchOptions, Translator
from engine.decoding.phrases_in_pieces import prefix_in_pieces
from engine.importers.firefox import plan_firefox
from engine.importers.foreign_files import is_firefox
from engine.importers.marian_binary import read_marian_binary
from engine.importers.resolve import convert_folder
from engine.model import LoadedModel, load_model
from engine.model.alignment import GuidedAlignment
from engine.search.phrases import SentenceConstraints
from engine.search.prefix_avoid import PrefixAvoidAutomaton
from tests.importers.firefox import HEADS, Item, learn_firefox_spm, save_firefox
from tests.model.damage import check_refused
from tests.reference.firefox import Twin

pytest.importorskip("sentencepiece")
SOURCES = ("The list of files is empty.", "A man is riding a red bicycle.", "No")
OPTIONS = SearchOptions(beam=6, nbest=3)


@dataclass(frozen=True)
class Imported:
    """A model of random weights, its conversion, and its twin."""

    theirs: Path
    ours: Path
    loaded: LoadedModel
    twin: Twin

    @property
    def translator(self) -> Translator:
        return Translator(self.loaded)

    def source(self, text: str) -> list[int]:
        return self.loaded.source_ids(self.loaded.source_codec.encode(text).ids, "en-de")

    @classmethod
    def make(cls, folder: Path, **more: object) -> Imported:
        path = save_firefox(folder / "theirs", **more)  # type: ignore[arg-type]
        convert_folder(folder / "theirs", folder / "ours", torch.float32)
        twin = Twin(read_marian_binary(path), HEADS)
        return cls(folder / "theirs", folder / "ours", load_model(folder / "ours"), twin)


KINDS: dict[str, dict[str, object]] = {
    "shared": {},
    "separate": {"has_two_vocabularies": True},
    "four-layers": {"dec_depth": 4, "enc_depth": 3, "transformer_decoder_dim_ffn": 24},
}


@pytest.fixture(scope="module", params=KINDS)
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return Imported.make(tmp_path_factory.mktemp(request.param), **KINDS[request.param])


def theirs(ids: list[int]) -> list[int]:
    """Ids in the file: its vocabulary has neither padding nor `<s>`, and ends with 0."""
    assert min(ids) >= 2, ids
    return [number - 2 for number in ids]


def test_encoder_states_and_log_probabilities_equal_the_twin(imported: Imported) -> None:
    rng = np.random.default_rng(5)
    for text in SOURCES:
        source = imported.source(text)
        memory = imported.twin.encode(theirs(source))
        target = [*rng.integers(4, 302, 7).tolist(), 2]
        transformer, ids = imported.loaded.transformer, torch.tensor([source])
        found = transformer.encode(ids, torch.tensor([len(source)])).memory_BSE[0]
        np.testing.assert_allclose(found.numpy(), memory, atol=1e-4)
        expected = imported.twin.decode(memory, theirs(target[:-1]))[0][range(8), theirs(target)]
        scores = transformer.score(ids, torch.tensor([len(source)]), torch.tensor([target]))[0]
        np.testing.assert_allclose(scores.numpy(), expected, atol=2e-4)
        assert imported.translator.score(text, tokens=target, direction="en-de").log_prob == pytest.approx(
            float(expected.sum()), abs=1e-3
        )


def test_greedy_search_finds_the_twins_translation(imported: Imported) -> None:
    options = SearchOptions(beam=1, nbest=1, pruning_threshold=None, max_length_factor=0, max_length_offset=15)
    for text in SOURCES:
        [best] = imported.translator.translate(Request(text), options).hypotheses
        expected = imported.twin.greedy(theirs(imported.source(text)), 15)
        if expected[-1] != 0:  # our search ends every translation, the twin stops at the length limit
            expected = [*expected[:14], 0]
        assert theirs(list(best.tokens)) == expected


def test_pins_are_met_in_every_translation_and_scored_alike(imported: Imported) -> None:
    translator = imported.translator
    phrases = (Phrase("Dateien"), Phrase("Liste", forms=("Listen",)))
    result = translator.translate(Request(SOURCES[0], phrases=phrases, avoid=("die",)), OPTIONS)
    assert result.status == "complete" and len(result.hypotheses) == 3
    for hypothesis in result.hypotheses:
        texts = [hypothesis.text[p.start : p.end] for p in hypothesis.placements]
        assert texts[0] == "Dateien" and texts[1] in ("Liste", "Listen"), hypothesis.text
        assert "die" not in hypothesis.text.split()
        again = translator.score(SOURCES[0], tokens=hypothesis.tokens)
        assert again.log_prob == pytest.approx(hypothesis.log_prob, abs=1e-3)
        assert not set(hypothesis.tokens[:-1]) & {0, 1, 2, 3}


def test_prefix_locked_parts_alternatives_and_prices_work(imported: Imported) -> None:
    translator = imported.translator
    request = Request(SOURCES[1], prefix="Ein Mann", locked=("Rad",))
    result = translator.translate(request, OPTIONS)
    assert result.status == "complete"
    for hypothesis in result.hypotheses:
        assert hypothesis.text.startswith("Ein Mann") and "Rad" in hypothesis.text
        assert [hypothesis.text[start:end] for start, end in hypothesis.locked] == ["Rad"]
    scored = translator.score(SOURCES[1], "Ein Mann")
    others = translator.alternatives(Request(SOURCES[1]), scored, 4, 3, OPTIONS)
    assert others and all(other.hypothesis.text.startswith("Ein") for other in others)
    pricing = translator.price(Request(SOURCES[1], phrases=(Phrase("Rad"),), avoid=("Mann",)), OPTIONS)
    free, constrained = pricing.free.hypotheses[0], pricing.constrained.hypotheses[0]
    assert pricing.total == pytest.approx(free.score - constrained.score)
    assert pricing.phrases[0] is not None and pricing.avoid[0] is not None


def test_partly_typed_word_continues_in_any_pieces(imported: Imported) -> None:
    """As one piece that begins with it, or as two, whatever the pieces of the typed part are."""
    codec = imported.loaded.codec
    words = [n for n, text in enumerate(codec.surfaces) if text.isalpha() and not codec.glues_left[n]]
    ends = [n for n, text in enumerate(codec.surfaces) if text.isalpha() and codec.glues_left[n] and n > 3]
    rng = random.Random(3)
    pairs = [(rng.choice(words), rng.choice(ends)) for _ in range(40)]
    for pieces in [*((word,) for word in words), *pairs]:
        written = codec.decode(pieces).text
        for length in range(1, len(written) + 1):
            prefix, reasons = prefix_in_pieces(f"Ein {written[:length]}", codec)
            assert prefix is not None and not reasons
            guard = PrefixAvoidAutomaton(SentenceConstraints(prefix=prefix), codec)
            state = guard.start
            for piece in (*prefix.pieces, *pieces):
                allowed = guard.allowed(state)
                assert allowed is None or piece in allowed, (written[:length], written)
                following = guard.advance(state, piece)
                assert following is not None
                state = following


def test_sentences_in_a_batch_are_translated_as_alone(imported: Imported) -> None:
    requests = [
        Request(SOURCES[0], phrases=(Phrase("Dateien"),)),
        Request(SOURCES[1]),
        Request(SOURCES[2], prefix="Nein"),
        Request(SOURCES[1], avoid=("Mann",)),
    ]
    alone = [imported.translator.translate(request, OPTIONS).hypotheses for request in requests]
    for batch_size in (2, 4):
        together = imported.translator.translate_all(requests, OPTIONS, batch_size=batch_size)
        for one, among_others in zip(alone, together, strict=True):
            assert [h.tokens for h in one] == [h.tokens for h in among_others.hypotheses]
            scores = [h.score for h in among_others.hypotheses]
            assert [h.score for h in one] == pytest.approx(scores, abs=1e-4)


def test_a_folder_of_theirs_is_converted_once_when_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_firefox(tmp_path / "theirs")
    translator = Translator.load(tmp_path / "theirs")
    assert translator.directions == ("en-de",)
    assert translator.translate(Request(SOURCES[0])).hypotheses
    assert Translator.load(tmp_path / "theirs").checksum == translator.checksum
    assert len(list((tmp_path / "cache" / "models").iterdir())) == 1


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_files_give_the_same_model(tmp_path: Path, suffix: str) -> None:
    path = save_firefox(tmp_path / "theirs", has_two_vocabularies=True)
    convert_folder(tmp_path / "theirs", tmp_path / "first")
    compress = gzip.compress if suffix == ".gz" else zstandard.compress
    for file in list(path.parent.iterdir()):
        file.with_name(file.name + suffix).write_bytes(compress(file.read_bytes()))
        file.unlink()
    convert_folder(tmp_path / "theirs", tmp_path / "second")
    assert load_model(tmp_path / "first").checksum == load_model(tmp_path / "second").checksum


PAIRS = (  # in the file name, direction
    ("ende", "en-de"),
    ("pten", "pt-en"),
    ("enfil", "en-fil"),
    ("filen", "fil-en"),
    ("enzh_hant", "en-zh_hant"),
    ("zh_hanten", "zh_hant-en"),
)


@pytest.mark.parametrize(("pair", "direction"), PAIRS)
def test_the_direction_is_read_from_the_file_name(tmp_path: Path, pair: str, direction: str) -> None:
    save_firefox(tmp_path / "theirs", pair)
    assert plan_firefox(tmp_path / "theirs").config.directions == (direction,)


@pytest.mark.parametrize("pair", ["e", "en", "filde", "enxxxxde", "en_de"])
def test_a_file_name_without_two_languages_is_refused(tmp_path: Path, pair: str) -> None:
    save_firefox(tmp_path / "theirs", pair)
    check_refused(tmp_path / "theirs", rf"has '{pair}' in place of the two languages; rename it")


REFUSED = (  # settings, message
    ({"type": "amun"}, "type is 'amun', and 'transformer' is supported"),
    ({"transformer_decoder_autoreg": "self-attention"}, "transformer-decoder-autoreg is 'self-attention', and 'rnn'"),
    ({"dec_cell": "gru"}, "dec-cell is 'gru', and 'ssru'"),
    ({"dec_cell": None}, "dec-cell is None, and 'ssru'"),
    ({"transformer_preprocess": "n"}, "transformer-preprocess is 'n', and ''"),
    ({"transformer_postprocess_top": "n"}, "transformer-postprocess-top is 'n', and ''"),
    ({"transformer_ffn_activation": "swish"}, "transformer-ffn-activation is 'swish', and 'relu'"),
    ({"transformer_ffn_depth": 3}, "transformer-ffn-depth is '3', and '2'"),
    ({"transformer_tied_layers": "[1, 1]"}, "transformer-tied-layers is .*, and"),
    ({"transformer_train_position_embeddings": "true"}, "transformer-train-position-embeddings is 'true', and 'false'"),
    ({"transformer_no_bias": "true"}, "transformer-no-bias is 'true', and 'false'"),
    ({"transformer_guided_alignment_layer": 1}, "transformer-guided-alignment-layer is '1', and 'last'"),
)
WRONG = (
    ({"dim_emb": "many"}, "dim-emb is 'many'; a number from 1 to 65536"),
    ({"enc_depth": 0}, "enc-depth is '0'; a number"),
    ({"transformer_heads": 3}, "dim-emb is 16 and transformer-heads 3; each head needs"),
    ({"transformer_heads": 99999999}, "transformer-heads is '99999999'; a number"),
)


@pytest.mark.parametrize(("settings", "message"), [*REFUSED, *WRONG])
def test_a_setting_that_is_another_computation_is_refused_by_name(
    tmp_path: Path, settings: dict[str, object], message: str
) -> None:
    path = save_firefox(tmp_path / "theirs")
    save_with_settings(path, **settings)
    check_refused(tmp_path / "theirs", message)


def save_with_settings(path: Path, **settings: object) -> None:
    """Write the model in `path` again, with the same weights and other settings."""
    from tests.importers.firefox import TINY, random_weights, settings_item, settings_text, write_binary

    write_binary(path, [*random_weights(TINY, 300, ["Wemb"], 3.0), settings_item(settings_text(**settings))])


def without(name: str) -> Callable[[list[Item]], list[Item]]:
    return lambda items: [item for item in items if item.name != name]


def with_shape(name: str, shape: tuple[int, ...]) -> Callable[[list[Item]], list[Item]]:
    return lambda items: [Item(i.name, i.values.reshape(shape), i.multiplier) if i.name == name else i for i in items]


ITEMS = (
    (without("decoder_l2_rnn_Wf"), "item 'decoder_l2_rnn_Wf' is missing; download the file again"),
    (without("Wemb"), "item 'encoder_Wemb' is missing; download"),
    (without("decoder_ff_logit_out_b"), "item 'decoder_ff_logit_out_b' is missing"),
    (with_shape("encoder_l1_ffn_W1", (24, 16)), r"item 'encoder_l1_ffn_W1' has the shape \(24, 16\), and \(16, 24\)"),
    (lambda items: [*items, Item("decoder_l1_rnn_Wx", np.zeros((1, 2), np.float32))], "'decoder_l1_rnn_Wx' is unknown"),
)


@pytest.mark.parametrize(("change", "message"), ITEMS)
def test_items_that_do_not_fit_the_settings_are_refused_by_name(
    tmp_path: Path, change: Callable[[list[Item]], list[Item]], message: str
) -> None:
    save_firefox(tmp_path / "theirs", items=change)
    check_refused(tmp_path / "theirs", message)


def test_more_layers_in_the_file_than_in_the_settings_are_refused(tmp_path: Path) -> None:
    save_with_settings(save_firefox(tmp_path / "theirs"), dec_depth=1)
    check_refused(
        tmp_path / "theirs", r"item 'decoder_l2_.* is unknown: the model is of another kind, or special:model"
    )


def test_vocabularies_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = save_firefox(tmp_path / "theirs")
    folder, spm = path.parent, path.with_name("vocab.ende.spm")
    spm.write_bytes(b"no model")
    check_refused(folder, r"vocab\.ende\.spm is not a SentencePiece model")
    spm.unlink()
    check_refused(folder, r"one file vocab\.XXYY\.spm is expected beside the model, found none; download")
    for name in ("vocab.ende.spm", "vocab.deen.spm"):
        (folder / name).write_bytes(learn_firefox_spm("en", "de"))
    check_refused(folder, r"one file vocab\.XXYY\.spm is expected .*, found vocab\.deen\.spm, vocab\.ende\.spm")
    for name in ("vocab.ende.spm", "vocab.deen.spm"):
        (folder / name).unlink()
    (folder / "srcvocab.ende.spm").write_bytes(learn_firefox_spm("en"))
    check_refused(folder, r"one file trgvocab\.XXYY\.spm is expected beside the model, found none")


def test_a_vocabulary_of_another_size_or_order_is_refused(tmp_path: Path) -> None:
    from tests.importers.marian import learn_spm

    path = save_firefox(tmp_path / "theirs")
    path.with_name("vocab.ende.spm").write_bytes(learn_spm("en"))  # <unk>, <s>, </s> come first
    check_refused(path.parent, r"vocab\.ende\.spm begins with \['<unk>', '<s>'\], and </s>, <unk> are expected")

    def cut(items: list[Item]) -> list[Item]:
        return [Item(i.name, i.values[:299], i.multiplier) if i.name == "Wemb" else i for i in items]

    save_firefox(tmp_path / "smaller", items=cut)
    check_refused(tmp_path / "smaller", r"has 300 pieces, and Wemb of the model 299 rows; they belong to different")


def test_two_models_in_one_folder_are_refused(tmp_path: Path) -> None:
    path = save_firefox(tmp_path / "theirs")
    path.with_name("model.deen.intgemm.alphas.bin").write_bytes(path.read_bytes())
    check_refused(
        path.parent, r"has several models \(model\.deen.*, model\.ende.*\); put each into a folder of its own"
    )


def test_a_folder_without_such_a_model_is_not_one_of_theirs(tmp_path: Path) -> None:
    assert not is_firefox(tmp_path / "nothing")
    (tmp_path / "model.npz").write_bytes(b"")
    assert not is_firefox(tmp_path)
    (tmp_path / "model.enpt.intgemm8.bin.gz").write_bytes(b"")
    assert is_firefox(tmp_path)


# -- 8 bits ------------------------------------------------------------------------------------------------------------


def test_a_file_without_quantisers_has_no_steps(tmp_path: Path) -> None:
    def without_quantisers(items: list[Item]) -> list[Item]:
        return [item for item in items if not item.name.endswith("_QuantMultA")]

    save_firefox(tmp_path / "theirs", items=without_quantisers)
    convert_folder(tmp_path / "theirs", tmp_path / "ours")
    loaded = load_model(tmp_path / "ours")
    assert loaded.steps is None


def test_quantisers_that_cannot_be_right_are_refused(tmp_path: Path) -> None:
    for number, (name, value) in enumerate([("decoder_l1_rnn_Wf", 7.0), ("decoder_l2_ffn_W1", -3.0)]):

        def changed(items: list[Item], name: str = name, value: float = value) -> list[Item]:
            wrong = Item(f"{name}_QuantMultA", np.full((1, 1), value, np.float32))
            return [wrong if item.name == wrong.name else item for item in items]

        save_firefox(tmp_path / str(number), items=changed)
        check_refused(tmp_path / str(number), "_QuantMultA is .*; a positive number is expected, the same for all that")


# -- alignment ---------------------------------------------------------------------------------------------------------


def test_alignment_is_the_first_head_of_the_last_layer_in_the_twin(imported: Imported) -> None:
    loaded, source = imported.loaded, imported.source(SOURCES[0])
    assert isinstance(loaded.alignment, GuidedAlignment)
    memory = loaded.transformer.encode(torch.tensor([source]), torch.tensor([len(source)])).memory_BSE
    targets = [[7, 90, 31, 2], [7, 12, 2], [2]]
    found = loaded.alignment.logits(loaded.transformer, memory, source, targets)
    for target, logits_TS in zip(targets, found, strict=True):
        assert logits_TS.shape == (1 + len(target), len(source))
        expected = imported.twin.decode(imported.twin.encode(theirs(source)), theirs(target)[:-1])[1]
        np.testing.assert_allclose(np.exp(logits_TS[1:]), expected, atol=1e-4)
        assert len(set(logits_TS[0].tolist())) == 1, "no word is as likely for every source piece"


def test_links_are_whole_words_and_do_not_depend_on_other_translations(imported: Imported) -> None:
    translator = imported.translator
    hypotheses = translator.translate(Request(SOURCES[0], phrases=(Phrase("Dateien"),)), OPTIONS).hypotheses
    for hypothesis in hypotheses:
        assert translator.score(SOURCES[0], tokens=hypothesis.tokens).alignment == hypothesis.alignment
        for start, end, target_start, target_end in hypothesis.alignment:
            assert 0 <= start < end <= len(SOURCES[0])
            assert 0 <= target_start < target_end <= len(hypothesis.text)


def test_a_target_that_fills_the_model_loses_only_the_row_of_its_end(imported: Imported) -> None:
    loaded = imported.loaded
    source, most = imported.source("No"), loaded.config.max_pieces
    memory = loaded.transformer.encode(torch.tensor([source]), torch.tensor([len(source)])).memory_BSE
    assert loaded.alignment is not None
    [logits_TS] = loaded.alignment.logits(loaded.transformer, memory, source, [[30] * (most - 1) + [2]])
    assert logits_TS.shape == (most, len(source))
