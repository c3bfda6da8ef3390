"""Text to pieces and back, exactly. Knows nothing of tensors, models or search."""

from engine.text.boundaries import (
    NUMBER_JOINERS,
    SENTENCE_CLOSERS,
    SENTENCE_ENDS,
    SENTENCE_OPENERS,
    Standing,
    head_of_compound,
    is_digit,
    is_left_boundary,
    is_mark,
    is_right_boundary,
    is_sentence_start,
    is_unspaced,
    is_word_char,
    joins_words,
    occurrences,
    stands_alone,
)
from engine.text.bpe import BytePairs
from engine.text.codec import Codec, Decoding, Encoding, TextCodec
from engine.text.moses import MosesCodec
from engine.text.normal import normalise
from engine.text.placeholders import PLACEHOLDER
from engine.text.sentencepieces import SentencePieceCodec, read_pieces
from engine.text.vocabulary import (
    BOS,
    DIRECTION_PIECES,
    DOMAIN_PIECES,
    EOS,
    FORMALITY_PIECES,
    PAD,
    SPARE_PIECES,
    SPECIAL_PIECES,
    SYNTHETIC_PIECE,
    UNK,
    UNKNOWN_SURFACE,
    Vocabulary,
)
from engine.text.words import word_at, words

__all__ = [
    "BOS",
    "DIRECTION_PIECES",
    "DOMAIN_PIECES",
    "EOS",
    "FORMALITY_PIECES",
    "NUMBER_JOINERS",
    "PAD",
    "PLACEHOLDER",
    "SENTENCE_CLOSERS",
    "SENTENCE_ENDS",
    "SENTENCE_OPENERS",
    "SPARE_PIECES",
    "SPECIAL_PIECES",
    "SYNTHETIC_PIECE",
    "UNK",
    "UNKNOWN_SURFACE",
    "BytePairs",
    "Codec",
    "Decoding",
    "Encoding",
    "MosesCodec",
    "SentencePieceCodec",
    "Standing",
    "TextCodec",
    "Vocabulary",
    "head_of_compound",
    "is_digit",
    "is_left_boundary",
    "is_mark",
    "is_right_boundary",
    "is_sentence_start",
    "is_unspaced",
    "is_word_char",
    "joins_words",
    "normalise",
    "occurrences",
    "read_pieces",
    "stands_alone",
    "word_at",
    "words",
]
