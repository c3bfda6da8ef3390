"""SentencePiece behind the codec's face: what it writes is what the library writes, and what it can't spell is told."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequest, ModelError
from engine.text import UNK, UNKNOWN_SURFACE, SentencePieceCodec, read_pieces

sentencepiece = pytest.importorskip("sentencepiece")
SAMPLE = Path(__file__).resolve().parents[1] / "data" / "corpus_sample.tsv"
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
TEXT = st.text("abcdefghijklmnopqrstuvwxyzäöüß ABCDEF.,!?-'\"%0123", max_size=60)


@pytest.fixture(scope="module")
def codec() -> SentencePieceCodec:
    """Pieces of the sample's German, learnt by the library itself."""
    rows = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").splitlines()[1:]]
    lines = [text for language, _, _, text in rows if language == "de"]
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=file, vocab_size=400, minloglevel=2
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    pieces = [processor.id_to_piece(i) for i in range(3, processor.vocab_size())]
    return SentencePieceCodec(processor, (*SPECIAL, *pieces))


@given(TEXT)
def test_decoded_text_equals_the_librarys(codec: SentencePieceCodec, text: str) -> None:
    encoding = codec.encode(text)
    if UNK not in encoding.ids:
        assert codec.decode(encoding.ids).text == codec.processor.decode([codec.pieces[i] for i in encoding.ids])


@given(st.text(st.characters(exclude_categories=())))
def test_every_piece_has_its_characters_and_unknown_ones_are_reported(codec: SentencePieceCodec, text: str) -> None:
    encoding = codec.encode(text)
    assert len(encoding.ids) == len(encoding.spans)
    ends = [0, *(end for _, end in encoding.spans)]
    assert all(before <= start <= end for before, (start, end) in zip(ends, encoding.spans, strict=False))
    assert ends[-1] <= len(text)
    assert bool(encoding.unknown) == (UNK in encoding.ids)
    if codec.spells(text):
        assert codec.respell(text) == codec.normalise(text)
    elif UNK in encoding.ids:
        assert UNKNOWN_SURFACE in codec.respell(text)


def test_a_source_codec_reads_quotes_that_it_has_no_pieces_for_as_those_of_ascii(codec: SentencePieceCodec) -> None:
    source = replace(codec, reads_ascii_marks=True)
    assert codec.encode("‟Mann‟ ― ").unknown
    assert source.encode("‟Mann‟ ― Frau") == source.encode('"Mann" - Frau') == codec.encode('"Mann" - Frau')


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("Ein Mann.", "Ein Mann."),
        ("zwei  Leerzeichen", "zwei Leerzeichen"),
        (" vorn und hinten ", "vorn und hinten"),
        ("ﬁnden …", "finden ..."),
        ("", ""),
    ],
)
def test_text_that_the_library_rewrites_is_shown_as_it_would_be_written(
    codec: SentencePieceCodec, text: str, spelt: str
) -> None:
    assert codec.respell(text) == spelt
    assert codec.spells(text) and codec.normalise(text) == spelt


def test_spaces_precede_words_and_never_start_the_text(codec: SentencePieceCodec) -> None:
    space, inner = codec.pieces.index("▁"), codec.pieces.index("n")
    word = next(i for i, piece in enumerate(codec.pieces) if piece.startswith("▁") and len(piece) > 2)
    surface = codec.surfaces[word]
    assert codec.decode([space, inner, word, inner, space, word]).text == f"n {surface}n {surface}"
    assert codec.decode([word, word]).spans == ((0, len(surface)), (len(surface) + 1, 2 * len(surface) + 1))


def test_special_pieces_write_nothing_and_foreign_ids_are_refused(codec: SentencePieceCodec) -> None:
    inner = codec.pieces.index("n")
    assert codec.decode([1, inner, 2, 0]).text == "n"
    with pytest.raises(InvalidRequest, match="out of range"):
        codec.decode([len(codec.pieces)])


def test_text_never_becomes_a_special_piece(codec: SentencePieceCodec) -> None:
    assert not set(codec.encode("</s> <pad> <s>").ids) & {0, 1, 2}


def test_a_broken_file_is_named_with_the_cure(tmp_path: Path) -> None:
    path = tmp_path / "source.spm"
    path.write_bytes(b"no model")
    with pytest.raises(ModelError, match=r"source\.spm is not an intact SentencePiece model.*copy the model again"):
        SentencePieceCodec.load(path, SPECIAL)


def test_pieces_end_at_line_feeds_alone(tmp_path: Path) -> None:
    pieces = ("<pad>", "\r", "a\u2028b", "\x85", "▁")
    (tmp_path / "pieces.txt").write_bytes("".join(f"{piece}\n" for piece in pieces).encode())
    assert read_pieces(tmp_path / "pieces.txt") == pieces
