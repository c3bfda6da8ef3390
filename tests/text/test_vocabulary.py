"""What each piece writes follows from its spelling, and a broken file is named with its line."""

from __future__ import annotations

import pytest

from engine.errors import ModelError
from engine.text import (
    BOS,
    DIRECTION_PIECES,
    DOMAIN_PIECES,
    EOS,
    FORMALITY_PIECES,
    PAD,
    SPARE_PIECES,
    SPECIAL_PIECES,
    UNK,
    UNKNOWN_SURFACE,
    Vocabulary,
)

WRITTEN = [
    # piece, surface, glues left, glues right
    ("word", "word", False, False),
    ("wo@@", "wo", False, True),
    (".@@", ".", False, True),
    ("￭.", ".", True, False),
    ("(￭", "(", False, True),
    ("￭-￭", "-", True, True),
    ("￭...", "...", True, False),
    ("@", "@", False, False),
    ("￭@", "@", True, False),
    ("￭@￭", "@", True, True),
    ("<", "<", False, False),
    ("<￭", "<", False, True),
    ("￭>", ">", True, False),
    ("<U+0020>", " ", True, True),
    ("<U+000A>", "\n", True, True),
    ("<U+FFED>", "￭", True, True),
    ("<pad>", "", True, True),
    ("<s>", "", True, True),
    ("<en-de>", "", True, True),
    ("<ph15>", "", True, True),
    ("<unk>", UNKNOWN_SURFACE, False, False),
]


@pytest.fixture
def vocabulary():
    return Vocabulary((*SPECIAL_PIECES, *(piece for piece, *_ in WRITTEN if piece not in SPECIAL_PIECES)))


def test_text_of_each_piece_follows_from_its_spelling(vocabulary):
    ids = [vocabulary.id_of(piece) for piece, *_ in WRITTEN]
    written = [(vocabulary.surfaces[i], vocabulary.glues_left[i], vocabulary.glues_right[i]) for i in ids]
    assert written == [(surface, left, right) for _, surface, left, right in WRITTEN]


def test_special_pieces_have_the_ids_that_checkpoints_count_on(vocabulary):
    assert vocabulary.pieces_of([PAD, BOS, EOS, UNK]) == ["<pad>", "<s>", "</s>", "<unk>"]
    reserved = [*DIRECTION_PIECES, *DOMAIN_PIECES, *FORMALITY_PIECES, *SPARE_PIECES]
    assert vocabulary.ids_of(reserved) == list(range(4, 32))


def test_piece_that_is_not_there_is_unknown(vocabulary):
    assert vocabulary.get("absent") == UNK
    assert vocabulary.ids_of(["word", "absent"]) == [vocabulary.id_of("word"), UNK]
    assert "absent" not in vocabulary
    with pytest.raises(KeyError):
        vocabulary.id_of("absent")


def test_vocabulary_survives_saving_and_loading(vocabulary, tmp_path):
    vocabulary.save(tmp_path / "vocabulary.txt")
    assert Vocabulary.load(tmp_path / "vocabulary.txt") == vocabulary


def test_line_ends_of_windows_do_no_harm(vocabulary, tmp_path):
    path = tmp_path / "vocabulary.txt"
    path.write_bytes("\r\n".join(vocabulary.pieces).encode())
    assert Vocabulary.load(path) == vocabulary


SPECIALS = "\n".join(SPECIAL_PIECES) + "\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: expected the special piece <pad>, found 'the end of the file'"),
        ("a\nb\n", "line 1: expected the special piece <pad>, found 'a'"),
        (SPECIALS + "a\nb\na\n", "line 35: piece 'a' is already on line 33"),
        (SPECIALS + "a\n\nb\n", "line 34: '' is not a piece"),
        (SPECIALS + "￭\n", "line 33: '￭' is not a piece"),
        (SPECIALS + "@@\n", "line 33: '@@' is not a piece"),
        (SPECIALS + "a b\n", "line 33: 'a b' is not a piece"),
        (SPECIALS + "<U+110000>\n", "line 33: '<U\\+110000>' is not a piece"),
        (b"\xff\xfe", "cannot be read .*use the file that belongs to the model"),
        (None, "cannot be read"),
    ],
)
def test_broken_file_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "vocabulary.txt"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ModelError, match=rf"vocabulary\.txt.*{message}"):
        Vocabulary.load(path)
