"""Byte fallback: the codec writes what the SentencePiece library writes, and the bytes of a character stay together."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import (
    UNK,
    SentencePieceCodec,
    bytes_of,
    ends_unfinished,
    has_bytes,
    join_bytes,
    read_surface,
    surface_of,
    word_at,
    words,
)
from engine.text.codec import decoded
from tests.text.byte_fallback import CONTROLS, SPECIAL, byte_codec

pytest.importorskip("sentencepiece")
TEXT = st.text(
    st.one_of(st.sampled_from("aehnrst EIMS,.-0137äß▁"), st.characters(exclude_categories=("Cs",))), max_size=40
)
NORMALISERS = ("nmt_nfkc", "identity")


def ids_of(codec: SentencePieceCodec, *pieces: str) -> list[int]:
    return [codec.id_of(piece) for piece in pieces]


def in_bytes(text: str) -> list[str]:
    return [f"<0x{value:02X}>" for value in text.encode()]


@pytest.mark.parametrize("normaliser", NORMALISERS)
@given(text=TEXT)
def test_any_text_has_the_pieces_of_the_library_and_decodes_as_there(normaliser: str, text: str) -> None:
    codec = byte_codec(normaliser)
    text = codec.normalise(text)
    encoding, expected = codec.encode(text), codec.processor.encode(text, out_type=str)
    assert [codec.pieces[i] for i in encoding.ids] == expected
    assert UNK not in encoding.ids and not encoding.unknown
    assert codec.decode(encoding.ids).text == codec.processor.decode(expected)


@given(st.lists(st.one_of(st.integers(0, 255), st.sampled_from([0xC3, 0xA9, 0xF0, 0x9F, 0x98, 0x80, "n", "▁die"]))))
def test_bytes_decode_as_in_the_library_even_where_they_spell_nothing(items: list[int | str]) -> None:
    codec = byte_codec()
    pieces = [item if isinstance(item, str) else f"<0x{item:02X}>" for item in items]
    decoding = codec.decode(ids_of(codec, *pieces))
    assert decoding.text == codec.processor.decode([codec.processor.piece_to_id(piece) for piece in pieces])
    assert len(decoding.spans) == len(pieces)
    covered = {place for start, end in decoding.spans for place in range(start, end)}
    assert all(place in covered or decoding.text[place] == " " for place in range(len(decoding.text)))
    surfaces = "".join(codec.surfaces[i] for i in ids_of(codec, *pieces))
    is_cut = bool(pieces) and pieces[-1].startswith("<") and not ends_with_whole_character(pieces)
    assert ends_unfinished(surfaces) == is_cut


def one_for_each(error: UnicodeError) -> tuple[str, int]:
    """Replaces each byte that is part of no character by one U+FFFD."""
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd", error.start + 1


codecs.register_error("one_for_each", one_for_each)
PIECES_OF_BYTES = st.lists(
    st.one_of(
        st.binary(max_size=5),
        st.tuples(st.text(st.characters(exclude_categories=("Cs",)), max_size=3), st.integers(0, 9)).map(
            lambda drawn: drawn[0].encode()[drawn[1] % (1 + len(drawn[0].encode())) :]
        ),
    ),
    max_size=8,
).map(lambda pieces: [piece for piece in pieces if piece])


def is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@given(PIECES_OF_BYTES)
def test_pieces_of_any_bytes_write_what_python_decodes(pieces: list[bytes]) -> None:
    surfaces = [surface_of(piece) for piece in pieces]
    expected = b"".join(pieces).decode(errors="one_for_each")
    assert join_bytes("".join(surfaces)) == expected
    assert [bytes_of(surface) for surface in surfaces] == pieces
    assert [has_bytes(surface) for surface in surfaces] == [not is_text(piece) for piece in pieces]
    written, unfinished = "", b""
    for surface in surfaces:
        characters, unfinished = read_surface(unfinished, surface)
        written += characters
    assert written + "\ufffd" * len(unfinished) == expected


@given(PIECES_OF_BYTES)
def test_each_piece_covers_the_characters_that_have_its_bytes(pieces: list[bytes]) -> None:
    decoding = decoded(range(len(pieces)), Pieces(tuple(map(surface_of, pieces))))
    text = b"".join(pieces).decode(errors="one_for_each")
    if text.startswith(" "):  # which a text does not begin with
        assert text.endswith(decoding.text)
        return
    assert decoding.text == text
    owners = [number for number, piece in enumerate(pieces) for _ in piece]
    place = 0
    covered: dict[int, list[int]] = {}
    for number, character in enumerate(text):
        is_broken = not b"".join(pieces)[place:].startswith(character.encode())
        num_bytes = 1 if is_broken else len(character.encode())
        for owner in owners[place : place + num_bytes]:
            covered.setdefault(owner, []).append(number)
        place += num_bytes
    for number, (start, end) in enumerate(decoding.spans):
        assert list(range(start, end)) == sorted(set(covered.get(number, [])))


@dataclass
class Pieces:
    """Pieces of the ids 0, 1, … that all glue to their left, as of byte-level BPE without spaces."""

    surfaces: tuple[str, ...]

    @property
    def glues_left(self) -> tuple[bool, ...]:
        return (True,) * len(self.surfaces)

    @property
    def glues_right(self) -> tuple[bool, ...]:
        return (False,) * len(self.surfaces)


def ends_with_whole_character(pieces: list[str]) -> bool:
    """True if no next byte could complete a character at the end."""
    run = b""
    for piece in pieces:
        run = run + bytes([int(piece[3:5], 16)]) if piece.startswith("<") else b""
    more = [bytes([0x80] * n) for n in (1, 2, 3)] + [bytes([0xBF] * n) for n in (1, 2, 3)]
    rests = [run[start:] for start in range(max(0, len(run) - 3), len(run))]
    return not any(is_character(rest + tail) for rest in rests for tail in more)


def is_character(sequence: bytes) -> bool:
    try:
        return len(sequence.decode()) == 1
    except UnicodeDecodeError:
        return False


@given(TEXT)
def test_all_bytes_of_a_character_cover_it_in_the_source_and_in_the_target(text: str) -> None:
    codec = byte_codec("identity")
    encoding = codec.encode(text)
    decoding = codec.decode(encoding.ids)
    for written, spans in ((text, encoding.spans), (decoding.text, decoding.spans)):
        assert len(spans) == len(encoding.ids)
        for (first, last), (start, end) in pairwise(spans):
            assert (start, end) == (first, last) or last <= start <= end <= len(written)
    for place, character in enumerate(decoding.text):
        covering = [i for i, (start, end) in enumerate(decoding.spans) if start <= place < end]
        names = [codec.pieces[encoding.ids[i]] for i in covering]
        assert names == in_bytes(character) or len(names) == (character != " " or len(names))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("die Straẞe 😀!", ["die", "Straẞe", "😀", "!"]),
        ("Café", ["Café"]),
        ("Łódź ist", ["Łódź", "ist"]),
        ("漢字", ["漢", "字"]),
        ("a😀b", ["a", "😀", "b"]),
    ],
)
def test_words_contain_all_bytes_of_their_characters(text: str, expected: list[str]) -> None:
    codec = byte_codec()
    encoding = codec.encode(text)
    for spans in (encoding.spans, codec.decode(encoding.ids).spans):
        found = words(text, spans)
        assert [text[spans[first][0] : spans[last - 1][1]] for first, last in found] == expected
        for first, last in found:
            ids = encoding.ids[first:last]
            assert codec.decode(ids).text == text[spans[first][0] : spans[last - 1][1]]
        for offset, character in enumerate(text):
            if character != " ":
                assert word_at(text, spans, offset) in found


def test_control_pieces_in_a_text_are_spelt_in_bytes_and_write_nothing() -> None:
    codec = byte_codec()
    text = f"das {CONTROLS[0]} und{CONTROLS[1]}"
    encoding = codec.encode(text)
    controls = set(ids_of(codec, *CONTROLS))
    assert not controls & set(encoding.ids) and UNK not in encoding.ids
    assert codec.decode(encoding.ids).text == text and codec.spells(text)
    assert controls <= set(codec.specials)
    assert codec.decode([*controls, codec.id_of("n")]).text == "n"


def test_names_of_bytes_are_text_where_the_vocabulary_has_no_byte_fallback() -> None:
    import io

    import sentencepiece

    file = io.BytesIO()
    lines = iter(["<0x41> a b c <0x41>"] * 20)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=lines, model_writer=file, vocab_size=20, hard_vocab_limit=False, minloglevel=2
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    codec = SentencePieceCodec(processor, (*SPECIAL, "▁", "<0x41>", "A"))
    assert codec.decode([5]).text == "<0x41>"
    assert codec.encode("漢").ids[-1] == UNK
