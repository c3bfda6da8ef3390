"""MarianMT folders as the hub has them, of random weights: what the tests of imported models read."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path

import torch

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "corpus_sample.tsv"


@cache
def learn_spm(language: str, *, byte_fallback: bool = False) -> bytes:
    rows = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").splitlines()[1:]]
    import sentencepiece

    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(text for own, _, _, text in rows if own == language),
        model_writer=file,
        vocab_size=300 + 256 * byte_fallback,
        byte_fallback=byte_fallback,
        minloglevel=2,
    )
    return file.getvalue()


def save_marian(
    folder: Path,
    activation: str = "swish",
    languages: tuple[str, ...] = (),
    ending: float = 4.0,
    *,
    has_two_vocabularies: bool = False,
    byte_fallback: bool = False,
) -> None:
    """A folder as the hub has them: random weights, two SentencePiece models, one vocabulary for both or two.

    With "relu" as the later, larger ones are (tc-big): pieces are numbered by their names, special ones among them.
    """
    import sentencepiece
    import transformers

    folder.mkdir()
    source = {"</s>": 0, "<unk>": 1}
    ids = dict(source) if has_two_vocabularies else source
    for language, name, found in (("en", "source.spm", source), ("de", "target.spm", ids)):
        (folder / name).write_bytes(learn_spm(language, byte_fallback=byte_fallback))
        processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / name))
        for number in range(3, processor.vocab_size()):
            found.setdefault(processor.id_to_piece(number), len(found))
    for language in languages:
        source[f">>{language}<<"] = len(source)
    if activation == "relu":
        source.update({piece: number for number, piece in enumerate(sorted(source))})
    names = {"vocab.json": source, "target_vocab.json": ids} if has_two_vocabularies else {"vocab.json": ids}
    for name, found in names.items():
        found["<pad>"] = len(found)
        (folder / name).write_text(json.dumps(found), encoding="utf-8")
    tokeniser = {"source_lang": "eng", "target_lang": "deu", "separate_vocabs": has_two_vocabularies}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokeniser), encoding="utf-8")
    torch.manual_seed(3)
    config = transformers.MarianConfig(
        vocab_size=len(source), decoder_vocab_size=len(ids), share_encoder_decoder_embeddings=not has_two_vocabularies,
        d_model=32, encoder_layers=3, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=64,
        activation_function=activation, scale_embedding=True, pad_token_id=ids["<pad>"],
        eos_token_id=ids["</s>"], forced_eos_token_id=ids["</s>"],
        decoder_start_token_id=ids["<pad>"], init_std=0.4,
    )  # fmt: skip
    model = transformers.MarianMTModel(config).eval()
    for name, parameter in model.named_parameters():
        if "norm" in name or name.endswith("bias"):
            parameter.data += 0.1 * torch.randn_like(parameter)
    model.final_logits_bias += 0.1 * torch.randn_like(model.final_logits_bias)
    model.final_logits_bias[0, ids["</s>"]] += ending  # the more, the sooner
    model.save_pretrained(folder)


def save_trained_marian(folder: Path, ending: float = 0.0) -> None:
    """The same after it has learnt some pairs by heart: as sure of its words as a trained model is."""
    import transformers

    save_marian(folder, ending=ending)
    tokeniser = transformers.MarianTokenizer.from_pretrained(folder)
    model = transformers.MarianMTModel.from_pretrained(folder)
    bias = model.final_logits_bias.clone()
    model.final_logits_bias.zero_()
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1 and "position" not in name:
            parameter.data *= 0.3  # from so far away it would learn slowly
    rows = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").splitlines()[1:]]
    english, german = ([row[3] for row in rows if row[0] == language][:8] for language in ("en", "de"))
    batch = tokeniser(english, text_target=german, return_tensors="pt", padding=True, truncation=True, max_length=16)
    batch["labels"][batch["labels"] == tokeniser.pad_token_id] = -100
    model.train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for _ in range(50):
        optimiser.zero_grad()
        model(**batch).loss.backward()
        optimiser.step()
    model.final_logits_bias.copy_(bias)
    model.eval().save_pretrained(folder)
