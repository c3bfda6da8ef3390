"""The pieces of fast tokenizers: texts come back exactly, with the characters of each piece, at every place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.text import occurrences
from tests.budget import rounds

pytest.importorskip("transformers", reason="transformers is not installed; pip install 'pinpoint[transformers]'")

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from engine.transformers_models.tokenizer_codec import TokenizerCodec
from tests.transformers_models.tokenizers_of_tests import (
    SENTENCES,
    byte_level,
    sentencepiece_bpe,
    unigram,
    wrapped,
)

KINDS: dict[str, Callable[[], PreTrainedTokenizerFast]] = {
    "byte-level": byte_level,
    "bpe": sentencepiece_bpe,
    "bpe with a space first": lambda: sentencepiece_bpe(begins_with_space=True),
    "unigram": unigram,
    "unigram with bytes": lambda: unigram(has_bytes=True),
}
WITH_BYTES = [name for name in KINDS if name != "unigram"]
TEXT = st.text(
    st.one_of(
        st.sampled_from("abehinrst DHSTß,.-()„“0137日本東京é 🙂 "),
        st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co", "Zl", "Zp")),
    ),
    max_size=30,
)
WORDS = [
    "Haus",
    "Tür",
    "Straße",
    "3,5",
    "(wie",
    "„Guten Tag“",
    "日本",
    "京都",
    "neue Regeln",
    "é",
    "-los",
    "naïve",
    "🙂",
]


def codec_of(kind: str, num_more: int = 5) -> TokenizerCodec:
    tokenizer = KINDS[kind]()
    return TokenizerCodec(tokenizer, len(tokenizer) + num_more, (2, 4))


def names(tokenizer: PreTrainedTokenizerFast, ids: Sequence[int]) -> list[str]:
    return [str(name) for name in tokenizer.convert_ids_to_tokens(list(ids))]


@pytest.mark.parametrize("kind", WITH_BYTES)
@settings(max_examples=rounds(50, 3000))
@given(TEXT)
@example("日本 🙂é")
@example("</s> <|end|> <unk>")
def test_any_text_comes_back_exactly(kind: str, text: str) -> None:
    codec = codec_of(kind)
    text = codec.normalise(text)
    encoding = codec.encode(text)
    assert codec.spells(text) and not encoding.unknown
    assert codec.decode(encoding.ids).text == text
    assert not {*encoding.ids} & {*codec.specials}
    assert codec.normalise(text) == text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", SENTENCES)
def test_sentences_have_the_pieces_and_the_text_of_the_tokenizer(kind: str, text: str) -> None:
    codec, tokenizer = codec_of(kind), KINDS[kind]()
    ids = codec.encode(text).ids
    assert list(ids) == tokenizer.encode(text, add_special_tokens=False)
    assert codec.decode(ids).text == text == tokenizer.decode(ids).removeprefix(" ")


@pytest.mark.parametrize("kind", WITH_BYTES)
@settings(max_examples=rounds(50, 3000))
@given(TEXT, TEXT)
def test_each_piece_has_its_characters(kind: str, before: str, text: str) -> None:
    codec = codec_of(kind)
    text = codec.normalise(f"{before} {text}")
    encoding = codec.encode(text)
    place = 0
    for (start, end), piece in zip(encoding.spans, encoding.ids, strict=True):
        assert place <= end and start <= end <= len(text)
        if "\udc00" <= codec.surfaces[piece][:1] <= "\udcff":
            continue
        assert text[start:end].startswith(
            codec.surfaces[piece].rstrip("".join(map(chr, range(0xDC00, 0xDD00)))).lstrip(" ")
        )
        place = end
    covered = {place for start, end in encoding.spans for place in range(start, end)}
    assert all(place in covered or text[place] == " " for place in range(len(text)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_control_token_in_a_text_is_text(kind: str) -> None:
    codec = codec_of(kind)
    ids = codec.encode("Haus <|end|></s> Tür").ids
    assert 2 not in ids and 4 not in ids
    if kind in WITH_BYTES:
        assert codec.decode(ids).text == "Haus <|end|></s> Tür"


@pytest.mark.parametrize("kind", KINDS)
def test_special_pieces_padding_rows_and_line_ends_are_never_written(kind: str) -> None:
    tokenizer = KINDS[kind]()
    codec = codec_of(kind, num_more=7)
    padding = set(range(len(tokenizer), len(tokenizer) + 7))
    assert {*codec.specials} >= {0, 1, 2, 3, 4} | padding
    for piece in set(range(len(tokenizer))) - {*codec.specials}:
        written = tokenizer.decode([tokenizer.encode("x", add_special_tokens=False)[-1], piece])
        assert "\n" not in written, names(tokenizer, [piece])
    assert codec.end == 2 and codec.begin in codec.specials and codec.begin not in (2, 4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", WORDS)
def test_a_spelling_of_each_place_writes_the_form_as_the_tokenizer_does(kind: str, form: str) -> None:
    codec, tokenizer = codec_of(kind), KINDS[kind]()
    if not codec.spells(form):
        assert kind == "unigram"
        return
    spellings = codec.spellings(form)
    assert len(set(spellings)) == len(spellings)
    for ids in spellings:
        assert codec.decode(ids).text == form
    for text in (f"Das {form}", form, f"({form}"):
        ids = tuple(tokenizer.encode(text, add_special_tokens=False))
        assert any(ids[len(ids) - len(spelling) :] == spelling for spelling in spellings), names(tokenizer, ids)
    after_space = codec.decode((*codec.encode("Das").ids, *spellings[0])).text
    assert after_space == f"Das {form}"


def test_pieces_that_cut_characters_are_used_as_they_are() -> None:
    """Spelling them in single bytes makes texts far less likely."""
    codec, tokenizer = codec_of("byte-level"), byte_level()
    cutting = [
        piece
        for piece, surface in enumerate(codec.surfaces)
        if len(surface) > 1 and "\udc80" <= surface[-1] <= "\udcff"
    ]
    assert cutting, "the tokenizer of this test has no such pieces"
    text = SENTENCES[6]
    assert {*codec.encode(text).ids} & {*cutting}
    assert codec.decode(codec.encode(text).ids).text == text == tokenizer.decode(codec.encode(text).ids)


def test_an_unknown_character_is_reported_with_its_place() -> None:
    codec = codec_of("unigram")
    encoding = codec.encode("Das ☃ Haus")
    assert encoding.unknown == ((4, 5),)
    assert not codec.spells("☃") and codec.spells("Das Haus")


def test_a_tokenizer_of_word_pieces_is_refused_with_the_cure() -> None:
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "haus": 1, "##tür": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    with pytest.raises(ModelError, match=r"WordPiece.*use a model with byte-level BPE or SentencePiece"):
        TokenizerCodec(PreTrainedTokenizerFast(tokenizer_object=tokenizer), 3, (0,))


def test_a_tokenizer_that_marks_no_spaces_is_refused() -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0, "b</w>": 1, "ab</w>": 2}, [("a", "b</w>")], end_of_word_suffix="</w>"))
    with pytest.raises(ModelError, match="mark spaces neither with"):
        TokenizerCodec(wrapped(tokenizer), 8, (2,))


def test_a_tokenizer_without_a_fast_form_is_refused() -> None:
    class Slow:
        all_special_ids = ()

    with pytest.raises(ModelError, match="Slow has no fast form; load it with AutoTokenizer"):
        TokenizerCodec(Slow(), 3, (0,))  # type: ignore[arg-type]


def test_a_tokenizer_of_another_model_is_refused() -> None:
    with pytest.raises(ModelError, match="load the tokenizer of this model"):
        TokenizerCodec(byte_level(), 100, (2,))


def test_occurrences_are_found_at_word_boundaries_only() -> None:
    codec = codec_of("byte-level")
    assert occurrences(codec.decode(codec.encode("Haus und Hausen").ids).text, "Haus") == [(0, 4)]
