"""Required texts beside the source: what the encoder reads, and everything that must not change by it.

The model is a random one, whose translations any other input of the encoder changes.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engine import Follow, ModelError, Phrase, Request, SearchOptions, Translator
from engine.model import AlignmentHead, LoadedModel, ModelConfig
from engine.model.checkpoint import Network, load_model
from engine.model.weights import save_weights
from engine.text import EOS, HINT_PIECE, TextCodec
from tests.decoding.test_prefix import assert_same
from tests.test_translator import SOURCE, make_translator

OPTIONS = SearchOptions(beam=4, nbest=3, max_length_factor=0, max_length_offset=8)
PINNED = Request(SOURCE, phrases=(Phrase("Knoten"), Phrase("die Seite")))
REQUESTS = (
    Request(SOURCE),
    PINNED,
    Request(SOURCE, phrases=PINNED.phrases[::-1]),
    Request(SOURCE, phrases=PINNED.phrases[:1]),
    Request(SOURCE, phrases=PINNED.phrases[:1], prefix="Die "),
    Request(SOURCE, locked=("Knoten", "C++"), suffix="an."),
    replace(PINNED, follow=Follow("Die Seite und alle Knoten.")),
    replace(PINNED, hints=False),
)
HINTS = [  # request, the texts that the model reads beside the source, why
    (Request(SOURCE), [], "nothing is required"),
    (PINNED, ["Knoten", "die Seite"], "phrases"),
    (replace(PINNED, hints=False), [], "not wanted"),
    (Request(SOURCE, phrases=(Phrase("Seite", count=2),)), ["Seite", "Seite"], "each occurrence"),
    (Request(SOURCE, phrases=(Phrase("Seite", forms=("Seiten",)), Phrase("an"))), ["an"], "one of several forms"),
    (Request(SOURCE, phrases=(Phrase("seite", case="auto"),)), ["seite"], "a capital at the beginning is no form"),
    (Request(SOURCE, phrases=(Phrase("Seite", boundary="compound"),)), ["Seite"], "nor is the end of a compound"),
    (Request(SOURCE, locked=("C++", "die Seite"), suffix="an."), ["C++", "die Seite", "an."], "in their order"),
    (Request(SOURCE, prefix="Die "), [], "the decoder reads the prefix"),
]


@pytest.fixture(scope="module")
def translator(codec: TextCodec) -> Translator:
    return make_translator(codec, hints=HINT_PIECE)


def source_with(translator: Translator, texts: list[str]) -> list[int]:
    """The encoder's input, put together by hand."""
    codec = translator._codec
    hints = [i for text in texts for i in (codec.id_of(HINT_PIECE), *codec.encode(text).ids)]
    return [codec.id_of("<en-de>"), *codec.encode(SOURCE).ids, EOS, *hints]


@pytest.mark.parametrize(("request_", "texts", "why"), HINTS)
def test_scores_use_the_source_with_its_hints(translator, request_, texts, why):
    source = source_with(translator, texts)
    found = translator.translate(request_, OPTIONS)
    assert found.hypotheses, why
    for hypothesis in found.hypotheses:
        scores = translator._model.transformer.score(
            torch.tensor([source]), torch.tensor([len(source)]), torch.tensor([hypothesis.tokens])
        )
        assert hypothesis.token_log_probs == pytest.approx(scores[0].tolist(), abs=1e-3), why


def test_a_model_without_hints_translates_as_if_none_were_wanted(codec):
    for request in REQUESTS:
        requests = [replace(request, hints=wanted) for wanted in (True, False)]
        first, second = (make_translator(codec).translate(each, OPTIONS) for each in requests)
        assert first.hypotheses == second.hypotheses


def test_sentence_with_hints_alone_equals_sentence_in_batch(translator, codec):
    expected = [make_translator(codec, hints=HINT_PIECE).translate(request, OPTIONS) for request in REQUESTS]
    for found, alone in zip(translator.translate_all(REQUESTS, OPTIONS, batch_size=5), expected, strict=True):
        assert_same(found, alone)


def test_cached_encoding_is_not_used_with_other_hints(translator, codec):
    rng = random.Random(3)
    expected = {request: make_translator(codec, hints=HINT_PIECE).translate(request, OPTIONS) for request in REQUESTS}
    for request in rng.choices(REQUESTS, k=12):
        assert_same(translator.translate(request, OPTIONS), expected[request])


def test_prices_are_computed_without_hints(translator):
    with_hints, without = (translator.price(replace(PINNED, hints=wanted), OPTIONS) for wanted in (True, False))
    assert with_hints == replace(without, constrained=with_hints.constrained, free=with_hints.free)
    assert with_hints.constrained.hypotheses == without.constrained.hypotheses
    assert with_hints.constrained.hypotheses != translator.translate(PINNED, OPTIONS).hypotheses


def test_a_learned_pair_does_not_depend_on_hints(translator):
    one, other = (
        translator.stored_pair(request, "Die Knoten.", origin=1, least_fit=-100.0)
        for request in (PINNED, Request(SOURCE))
    )
    assert one is not None
    assert other is not None
    assert torch.equal(one.states_TE, other.states_TE)


def test_hints_do_not_change_the_alignment_of_the_source(codec):
    plain = make_translator(codec, hints=HINT_PIECE)
    head = AlignmentHead(plain._model.config.model_size)
    head.query.weight.data.mul_(30)  # sure of itself, so that there are links
    transformer = plain._model.transformer
    translator = Translator(replace(plain._model, network=Network(lambda: (transformer, head.eval())), aligns=True))
    num_links = 0
    for hypothesis in translator.translate(PINNED, OPTIONS).hypotheses:
        assert translator.score(SOURCE, tokens=hypothesis.tokens).alignment == hypothesis.alignment
        assert all(0 <= start < end <= len(SOURCE) for start, end, *_ in hypothesis.alignment)
        num_links += len(hypothesis.alignment)
    assert num_links > 0


def test_hints_that_do_not_fit_beside_the_source_are_left_out(codec):
    num_pieces = len(codec.encode(SOURCE).ids) + 2
    longer = len(codec.encode("die Seite").ids) + 1
    for max_pieces, num_left in ((num_pieces, 0), (num_pieces + longer, longer)):
        translator = make_translator(codec, hints=HINT_PIECE, max_pieces=max_pieces)
        request = Request(SOURCE, phrases=(Phrase("die Seite"), Phrase("die Seite und alle Knoten")))
        assert len(translator.pipeline.prepare(request).hints) == num_left
        assert translator.translate(request, OPTIONS).status == "complete"


def test_separator_that_the_vocabulary_lacks_is_refused(codec, tmp_path: Path):
    model: LoadedModel = make_translator(codec)._model
    codec.save(tmp_path)
    save_weights(tmp_path / "model.safetensors", model.transformer)
    replace(model.config, hints="<hint>").save(tmp_path / "config.json")
    with pytest.raises(ModelError, match="<hint>"):
        load_model(tmp_path)
    replace(model.config, hints=HINT_PIECE).save(tmp_path / "config.json")
    assert load_model(tmp_path).hint_id == codec.id_of(HINT_PIECE)


@pytest.mark.parametrize("wrong", [{"hints": 3}, {"hints": "<ph1>", "source_vocabulary_size": 100}])
def test_hints_that_cannot_be_read_are_refused(wrong):
    with pytest.raises(ModelError, match="hints"):
        ModelConfig(100, ("en-de",), **wrong)
