"""M2M100 and NLLB folders as the hub has them, of random weights: what the tests of imported models read."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path
from typing import Literal

import torch

from tests.importers.marian import SAMPLE

Kind = Literal["m2m100", "nllb", "nllb-legacy"]
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")


@cache
def learn_joint_spm() -> bytes:
    """One model for both languages of the sample, of byte pairs, as these folders have."""
    import sentencepiece

    rows = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").splitlines()[1:]]
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(row[3] for row in rows), model_writer=file, model_type="bpe", vocab_size=400, minloglevel=2,
        normalization_rule_name="nmt_nfkc",
    )  # fmt: skip
    return file.getvalue()


def save_m2m100(folder: Path, kind: Kind = "m2m100", ending: float | None = None) -> None:
    """A folder as the hub has them; the more `ending`, the sooner the model ends."""
    ending = ending or {"m2m100": 7.5, "nllb": 10.5, "nllb-legacy": 11.5}[kind]
    import sentencepiece
    import transformers

    folder.mkdir()
    (folder / "sentencepiece.bpe.model").write_bytes(learn_joint_spm())
    processor = sentencepiece.SentencePieceProcessor(model_proto=learn_joint_spm())
    text = [processor.id_to_piece(number) for number in range(3, processor.vocab_size())]
    ids = {piece: number for number, piece in enumerate((*SPECIALS, *text))}
    if kind == "m2m100":
        from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES

        (folder / "vocab.json").write_text(json.dumps(ids), encoding="utf-8")
        codes = [f"__{code}__" for code in FAIRSEQ_LANGUAGE_CODES["m2m100"]]
        specials = {"additional_special_tokens": codes}
        (folder / "special_tokens_map.json").write_text(json.dumps(specials), encoding="utf-8")
        (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "M2M100Tokenizer"}', encoding="utf-8")
        size = len(ids) + len(codes) + 8  # rows that stand for nothing, as in the originals
    else:
        from transformers.convert_slow_tokenizer import generate_merges

        scores = {piece: processor.get_score(number) for number, piece in enumerate(text, start=3)}
        merges = generate_merges(ids, scores)
        tokeniser = transformers.NllbTokenizer(ids, merges, legacy_behaviour=kind == "nllb-legacy")
        tokeniser.save_pretrained(folder)
        size = len(tokeniser) + 2
    torch.manual_seed(3)
    config = transformers.M2M100Config(
        vocab_size=size, d_model=32, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48,
        max_position_embeddings=64, init_std=0.5,
    )  # fmt: skip
    model = transformers.M2M100ForConditionalGeneration(config).eval()
    for name, parameter in model.named_parameters():
        if "fc2" in name:
            parameter.data *= 3
        if "norm" in name or name.endswith("bias"):
            parameter.data += 0.1 * torch.randn_like(parameter)
    model.model.shared.weight.data *= 0.3  # or it says its last piece again and again
    last, end = model.model.decoder.layer_norm, model.model.shared.weight.data[2]
    last.weight.data *= 3
    last.bias.data += ending * end / end.norm()
    model.save_pretrained(folder)
