"""Phrases, bans, prefixes and alternatives in scripts without spaces, on imported pieces and random weights."""

from __future__ import annotations

import io
from functools import cache

import pytest
import torch

from engine import Avoid, Phrase, Request, SearchOptions, Translator
from engine.model import LoadedModel, ModelConfig, Transformer
from engine.text import EOS, SentencePieceCodec, TextCodec, is_unspaced, occurrences

sentencepiece = pytest.importorskip("sentencepiece")
OPTIONS = SearchOptions(beam=8, nbest=4)
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
SOURCE = "Open the file."
LINES = {
    "zh": "打开文件。学生学习中文。我们的文件在这里。请打开手机设置。我是学生，你是老师。学校的学生很多。文件打不开。",
    "ja": "ファイルを開く。学生は東京に行く。設定を開いてください。東京都の学校です。ファイルが開けません。",
    "th": "เปิดไฟล์ ภาษาไทย นักเรียนกินข้าว กาแฟร้อน เปิดการตั้งค่า ไฟล์อยู่ที่นี่ นักเรียนไทย ",
}
PHRASES = [("zh", "学生", "文件"), ("ja", "東京", "ファイル"), ("th", "ไทย", "กาแฟ")]


@cache
def translator_into(language: str) -> Translator:
    """Says something in that script, one character a piece."""
    text = LINES[language]
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([text, SOURCE, "a"]),
        model_writer=file,
        model_type="char",
        character_coverage=1.0,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    pieces = [processor.id_to_piece(i) for i in range(3, processor.vocab_size())]
    return translator_with(SentencePieceCodec(processor, (*SPECIAL, *pieces)), language)


def translator_with(codec: SentencePieceCodec | TextCodec, language: str) -> Translator:
    """Random weights that prefer the pieces of that script."""
    torch.manual_seed(5)
    sizes = {"model_size": 16, "num_heads": 2, "feed_forward_size": 24, "encoder_layers": 1, "decoder_layers": 1}
    name = f"en-{language}"
    config = ModelConfig(len(codec.surfaces), (name,), **sizes, max_pieces=64, direction_pieces={name: None})
    model = Transformer(config)
    for parameter in model.parameters():
        parameter.data.mul_(3.0)
    is_own = torch.tensor([any(map(is_unspaced, surface)) for surface in codec.surfaces])
    model.output_bias.data = torch.where(is_own, 0.0, -20.0)
    model.output_bias.data[EOS] = 3.0
    return Translator(LoadedModel.of(config, codec, model.eval(), checksum="0" * 64), name="random")


@pytest.mark.parametrize(("language", "phrase", "other"), PHRASES)
def test_phrases_between_letters_need_no_spaces(language: str, phrase: str, other: str):
    translator = translator_into(language)
    result = translator.translate(Request(SOURCE, phrases=(Phrase(phrase), Phrase(other))), OPTIONS)
    assert result.status == "complete"
    for hypothesis in result.hypotheses:
        for placement in hypothesis.placements:
            assert (placement.start, placement.end) in occurrences(hypothesis.text, placement.form)
    spaceless = [h for h in result.hypotheses if " " not in h.text.strip()]
    assert spaceless, [h.text for h in result.hypotheses]  # pieces that begin with a space are one way of two


@pytest.mark.parametrize("language", LINES)
def test_only_avoided_texts_are_missing(language: str):
    translator = translator_into(language)
    free = translator.translate(Request(SOURCE), OPTIONS).hypotheses[0].text
    place = next(i for i in range(1, len(free) - 2) if occurrences(free, free[i : i + 2]) and not free[i].isspace())
    banned = free[place : place + 2].strip()
    result = translator.translate(Request(SOURCE, avoid=(Avoid(banned),)), OPTIONS)
    assert result.status == "complete"
    assert not [h.text for h in result.hypotheses if occurrences(h.text, banned)]


def test_avoided_letter_is_allowed_with_a_vowel_sign():
    translator = translator_into("th")
    request = Request(SOURCE, phrases=(Phrase("กิน"),), avoid=(Avoid("ก"),))
    result = translator.translate(request, OPTIONS)
    assert result.status == "complete"
    assert all("กิน" in h.text and not occurrences(h.text, "ก") for h in result.hypotheses)


@pytest.mark.parametrize(("language", "phrase", "other"), PHRASES)
def test_prefix_may_end_at_any_letter(language: str, phrase: str, other: str):
    request = Request(SOURCE, prefix=other + phrase[:1], phrases=(Phrase(phrase),))
    result = translator_into(language).translate(request, OPTIONS)
    assert result.status == "complete"
    assert all(h.text.startswith(other + phrase[:1]) and phrase in h.text for h in result.hypotheses)


@pytest.mark.parametrize(("language", "phrase", "other"), PHRASES)
def test_alternatives_at_a_letter_keep_the_text_before_it(language: str, phrase: str, other: str):
    translator, request = translator_into(language), Request(SOURCE, phrases=(Phrase(phrase),))
    best = translator.translate(request, OPTIONS).hypotheses[0]
    offset = next(start for start, end in best.token_spans if end > start > 0)
    found = translator.alternatives(request, best, offset, 4, OPTIONS)
    assert found
    assert len({alternative.word for alternative in found}) == len(found)
    for alternative in found:
        assert alternative.hypothesis.text.startswith(best.text[:offset].rstrip())
        assert phrase in alternative.hypothesis.text


@pytest.mark.parametrize("language", LINES)
def test_alternatives_are_single_pieces_in_our_own_vocabulary_too(language: str):
    """Their marks glue all letters up to the next space into one chunk, which is a clause here and no word."""
    codec = TextCodec.learn([LINES[language], SOURCE], num_pieces=900, min_char_count=1)
    translator, request = translator_with(codec, language), Request(SOURCE)
    best = translator.translate(request, OPTIONS).hypotheses[0]
    offset = next(start for start, end in best.token_spans if end > start and is_unspaced(best.text[start]))
    words = [alternative.word for alternative in translator.alternatives(request, best, offset, 4, OPTIONS)]
    own = [word for word in words if all(map(is_unspaced, word))]
    assert own and set(own) <= set(codec.surfaces)
