"""SentencePiece vocabularies with byte fallback and user-defined control pieces, learnt from the German sample."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

from engine.text import SentencePieceCodec

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "corpus_sample.tsv"
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
CONTROLS = ("__source__", "__target__")


@cache
def byte_codec(normaliser: str = "nmt_nfkc") -> SentencePieceCodec:
    """A codec whose text never contains CONTROLS as pieces; the processor's pieces 0 and 1 are `</s>` and `<unk>`."""
    import sentencepiece

    rows = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").splitlines()[1:]]
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([text for language, _, _, text in rows if language == "de"][:300]),
        model_writer=file,
        vocab_size=500,
        byte_fallback=True,
        split_digits=True,
        user_defined_symbols=list(CONTROLS),
        normalization_rule_name=normaliser,
        bos_id=-1,
        eos_id=0,
        unk_id=1,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    pieces = [processor.id_to_piece(number) for number in range(2, processor.vocab_size())]
    return SentencePieceCodec(processor, (*SPECIAL, *pieces), frozenset(CONTROLS))
