"""FSMT folders as the hub has them, of random weights: what the tests of imported models read."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import torch

from engine.text.bpe import learn_merges
from tests.importers.marian import SAMPLE

SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")


@cache
def _tokens(language: str) -> Counter[str]:
    from sacremoses import MosesPunctNormalizer, MosesTokenizer

    rows = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").splitlines()[1:]]
    normaliser, tokeniser = MosesPunctNormalizer(lang=language), MosesTokenizer(lang=language)
    return Counter(
        token
        for own, _, _, text in rows
        if own == language
        for token in tokeniser.tokenize(normaliser.normalize(text), aggressive_dash_splits=True, escape=True)
    )


@cache
def learn_merges_of_both() -> tuple[tuple[str, str], ...]:
    return tuple(learn_merges(_tokens("en") + _tokens("de"), 300))


@cache
def pieces_of(language: str) -> tuple[str, ...]:
    """What the merges make of the language's tokens, all single characters, and marks that every test needs."""
    from engine.text.bpe import BytePairs

    merges = BytePairs(learn_merges_of_both())
    found: Counter[str] = Counter()
    for token in (*_tokens(language), "&quot;", "&apos;", "&apos;s", "@-@", "&amp;", "(", ")", "Dateien", "Liste"):
        *inner, last = merges.split(token)
        found.update([*(piece.removesuffix("@@") for piece in inner), last + "</w>"])
        found.update([*token[:-1], token[-1] + "</w>"])
    return tuple(sorted(found))


def save_fsmt(folder: Path, languages: tuple[str, str] = ("en", "de"), ending: float = 6.0) -> None:
    """A folder as the hub has them; the more `ending`, the sooner the model ends."""
    import transformers

    folder.mkdir()
    sizes = []
    for name, language in zip(("vocab-src.json", "vocab-tgt.json"), languages, strict=True):
        ids = {piece: number for number, piece in enumerate((*SPECIALS, *pieces_of(language), "madeupword0000"))}
        (folder / name).write_text(json.dumps(ids), encoding="utf-8")
        sizes.append(len(ids))
    merges = "".join(f"{first} {second} 17\n" for first, second in learn_merges_of_both())
    (folder / "merges.txt").write_text(merges, encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"langs": languages}), encoding="utf-8")
    torch.manual_seed(3)
    config = transformers.FSMTConfig(
        langs=list(languages), src_vocab_size=sizes[0], tgt_vocab_size=sizes[1], d_model=32, encoder_layers=2,
        decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=96,  # wmt19: twice
        decoder_ffn_dim=48, max_position_embeddings=64, init_std=0.4,
    )  # fmt: skip
    model = transformers.FSMTForConditionalGeneration(config).eval()
    for name, parameter in model.named_parameters():
        if "norm" in name or name.endswith("bias"):
            parameter.data += 0.1 * torch.randn_like(parameter)
    embeddings, last = model.model.decoder.embed_tokens.weight.data, model.model.decoder.layers[-1].final_layer_norm
    embeddings *= 0.5
    last.bias.data += ending * embeddings[2] / embeddings[2].norm()
    model.model.decoder.output_projection.weight.data = embeddings.clone()
    model.save_pretrained(folder)
