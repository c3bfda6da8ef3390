"""Small tokenizers of each kind, trained on a few German sentences."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

SPECIAL = ["<pad>", "<s>", "</s>", "<unk>", "<|end|>"]
SENTENCES = [
    "Die Regierung hat am Montag neue Regeln für den Handel beschlossen.",
    "Das Haus am See ist seit dem Sommer geschlossen, sagte der Besitzer.",
    "Wir haben die Tür des Hauses gestern Abend nicht abgeschlossen.",
    "Ein großer Teil der Straße wird im nächsten Jahr gebaut.",
    "Der Preis der Energie ist im letzten Jahr um 3,5 Prozent gestiegen.",
    "„Guten Tag“, sagte die Frau und schloss die Tür hinter sich.",
    "日本の首都は東京です。東京は大きい都市です。日本語の本を読む。",
    "Es regnete (wie immer) den ganzen Tag; niemand ging aus dem Haus.",
]


@cache
def byte_level(vocab_size: int = 460) -> PreTrainedTokenizerFast:
    """Byte-level BPE as of GPT-2, with pieces that cut characters."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES * 3, trainer)
    return wrapped(tokenizer)


@cache
def sentencepiece_bpe(vocab_size: int = 460, begins_with_space: bool = False) -> PreTrainedTokenizerFast:
    """BPE over "▁" with byte fallback: as of Gemma, or as of Llama 2 (`begins_with_space`)."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    prepended = [normalizers.Prepend("▁")] if begins_with_space else []
    tokenizer.normalizer = normalizers.Sequence([*prepended, normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("▁"), "merged_with_next")
    stripped = [decoders.Strip(" ", 1, 0)] if begins_with_space else []
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *stripped]
    tokenizer.decoder = decoders.Sequence(steps)
    byte_names = [f"<0x{value:02X}>" for value in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=[*SPECIAL, *byte_names], show_progress=False)
    tokenizer.train_from_iterator(SENTENCES * 3, trainer)
    state = json.loads(tokenizer.to_str())
    state["added_tokens"] = [added for added in state["added_tokens"] if not added["content"].startswith("<0x")]
    return wrapped(Tokenizer.from_str(json.dumps(state)))


@cache
def unigram(vocab_size: int = 300, has_bytes: bool = False) -> PreTrainedTokenizerFast:
    """Unigram over "▁" as of T5 and mBART, with byte fallback or with an unknown piece."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=vocab_size, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES * 3, trainer)
    if has_bytes:
        state: dict[str, Any] = json.loads(tokenizer.to_str())
        state["model"]["vocab"] += [[f"<0x{value:02X}>", -20.0] for value in range(256)]
        state["model"]["byte_fallback"] = True
        state["decoder"] = {
            "type": "Sequence",
            "decoders": [
                {"type": "ByteFallback"},
                {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            ],
        }
        tokenizer = Tokenizer.from_str(json.dumps(state))
    return wrapped(tokenizer)


def wrapped(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    import transformers

    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        clean_up_tokenization_spaces=False,
    )
