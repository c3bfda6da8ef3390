"""Text to pieces and back, exactly. Independent of tensors, models and search."""

from engine.text.boundaries import (
    SENTENCE_CLOSERS,
    SENTENCE_ENDS,
    head_of_compound,
    is_digit,
    is_mark,
    is_sentence_start,
    is_unspaced,
    is_word_char,
    joins_words,
    occurrences,
    stands_alone,
    word_at,
    word_of_piece,
    words,
)
from engine.text.bpe import BytePairs
from engine.text.byte_pieces import (
    REPLACEMENT,
    begins_with_byte,
    breaks_character,
    byte_surface,
    bytes_of,
    ends_unfinished,
    has_bytes,
    join_bytes,
    read_surface,
    split_bytes,
    surface_of,
)
from engine.text.codec import Codec, DecodedPieces, EncodedPieces, TextCodec
from engine.text.compounds import COMPOUNDING, compound_head, is_compound
from engine.text.languages import short_code
from engine.text.moses_codec import MosesCodec
from engine.text.normalisation import IGNORABLE, NormalText, PlainForm, normalise
from engine.text.placeholders import PLACEHOLDER
from engine.text.sentencepiece_codec import SentencePieceCodec, read_pieces
from engine.text.sentences import sentence_spans
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
from engine.text.word_forms import FormList, form_list
