"""Firefox Translations models (Bergamot): small Marian students with a recurrent decoder, one file of 8-bit weights.

A folder contains `model.XXYY.intgemm.alphas.bin` and `vocab.XXYY.spm`, or `srcvocab.XXYY.spm` and `trgvocab.XXYY.spm`;
XX and YY are the languages. The names may end in .gz or .zst. The lexical shortlist (`lex...bin`) is not used, because
it would forbid required words. The settings are inside the model file.

The decoder starts from a vector of zeros, so our `<s>` has this embedding. Vocabularies begin with `</s>` and `<unk>`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from engine.errors import ModelError
from engine.importers.conversion import Named, Plan, Weights, check_sentencepiece
from engine.importers.foreign_files import FIREFOX_MODEL, firefox_models
from engine.importers.marian_binary import COMPRESSED, SETTINGS, MarianBinary, read_marian_binary, read_unpacked
from engine.model.activations import OUTPUT, Ranges, WeightSteps
from engine.model.checkpoint import PIECES, SOURCE_PIECES, SOURCE_SPM, TARGET_SPM
from engine.model.config import ModelConfig

_LANGUAGE = re.compile(r"[a-z]{2,3}(_[a-z]{4})?")
_PIVOT = "en"  # one side of nearly all published models
_LARGEST_VOCABULARY = 2**26  # bytes; published ones have 1 to 2 MB
_IMPOSSIBLE = -60_000.0  # a logit without probability, which fits half precision
_MAX_PIECES = 512  # trained on sentences of up to 200 pieces; positions go on beyond
_SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
_EXPECTED: Mapping[str, tuple[str, ...]] = {  # settings that change the computation; those in brackets may be missing
    "type": ("transformer",),
    "transformer-decoder-autoreg": ("rnn",),
    "dec-cell": ("ssru",),
    "transformer-preprocess": ("",),
    "transformer-postprocess": ("dan",),
    "transformer-postprocess-emb": ("d",),
    "transformer-ffn-depth": ("2",),
    "transformer-ffn-activation": ("relu",),
    "[transformer-postprocess-top]": ("",),
    "[transformer-guided-alignment-layer]": ("last",),
    "[transformer-decoder-ffn-depth]": ("0", "2"),
    "[transformer-train-position-embeddings]": ("false",),
    "[transformer-tied-layers]": ("[]",),
    "[transformer-no-bias]": ("false",),
    "[transformer-no-affine]": ("false",),
    "[transformer-rnn-projection]": ("false",),
    "[transformer-no-projection]": ("false",),
    "[transformer-pool]": ("false",),
    "[layer-normalization]": ("false",),
    "[output-omit-bias]": ("false",),
    "[right-left]": ("false",),
    "[ulr]": ("false",),
    "[input-types]": ("[]",),
    "[lemma-dim-emb]": ("0",),
}
_NUMBERS = ("dim-emb", "enc-depth", "dec-depth", "transformer-heads", "transformer-dim-ffn")
_LARGEST_NUMBER = 65_536

# The names of a layer's items, by the names that all families share (conversion.py). Layers count from 1 in the file.
_ATTENTION = {"q_proj": "q", "k_proj": "k", "v_proj": "v", "out_proj": "o"}
_NORMS = {
    "self_attn_layer_norm": {"encoder": "self_Wo_ln", "decoder": "rnn_ffn_ln"},
    "encoder_attn_layer_norm": {"decoder": "context_Wo_ln"},
    "final_layer_norm": {"encoder": "ffn_ffn_ln", "decoder": "ffn_ffn_ln"},
}


def plan_firefox(folder: Path) -> Plan:
    """The conversion of such a folder. Raises ModelError with the wrong file and a solution."""
    files = firefox_models(folder)
    if len(files) > 1:
        names = ", ".join(path.name for path in files)
        raise ModelError(f"{folder} has several models ({names}); put each into a folder of its own")
    [path] = files
    direction = _direction(path)
    binary = read_marian_binary(path)
    settings = _settings(binary)
    source_table, target_table, has_two = _tables(binary)
    source_path, target_path = _vocabulary_files(folder, has_two=has_two)
    target_spm = read_unpacked(target_path, _LARGEST_VOCABULARY)
    source_spm = target_spm if source_path == target_path else read_unpacked(source_path, _LARGEST_VOCABULARY)
    target_pieces, hidden = _pieces(target_path, target_spm, target_table)
    source_pieces, source_hidden = _pieces(source_path, source_spm, source_table)

    config = ModelConfig(
        vocabulary_size=len(target_pieces),
        source_vocabulary_size=len(source_pieces) if has_two else None,
        directions=(direction,),
        direction_pieces={direction: None},
        model_size=settings["dim-emb"],
        num_heads=settings["transformer-heads"],
        feed_forward_size=settings["transformer-dim-ffn"],
        decoder_feed_forward_size=settings["transformer-decoder-dim-ffn"],
        encoder_layers=settings["enc-depth"],
        decoder_layers=settings["dec-depth"],
        max_pieces=_MAX_PIECES,
        norm="after",
        text="sentencepiece",
        hidden_pieces=tuple(sorted({*hidden, *source_hidden})),
        positions="tensor2tensor",
        decoder="ssru",
        guided_alignment=True,
    )
    weights = _weights(binary, config, (source_table[0], target_table[0]))

    def vocabulary(weights: Weights) -> Named:
        bias = torch.cat([torch.zeros(2), weights["output_bias"].flatten()])
        bias[[0, 1, 3]] = _IMPOSSIBLE  # padding, start and unknown are never written
        yield "output_bias", bias
        yield "embedding.weight", _with_start(weights["target_table"])
        if has_two:
            yield "source_embedding.weight", _with_start(weights["source_table"])

    texts = {PIECES: target_pieces, **({SOURCE_PIECES: source_pieces} if has_two else {})}
    spms = {SOURCE_SPM: source_spm, TARGET_SPM: target_spm}
    ranges, weight_steps = _quantisation(binary, config, target_table[0]) or (None, None)
    return Plan(config, texts, {}, vocabulary, weights, spms, ranges, weight_steps)


def _direction(path: Path) -> str:
    """The direction in a model's file name, which is the only place that names it."""
    match = FIREFOX_MODEL.fullmatch(path.name)
    assert match is not None
    pair = match["pair"]
    splits = [(pair[:at], pair[at:]) for at in range(2, len(pair) - 1)]
    found = [split for split in splits if all(map(_LANGUAGE.fullmatch, split))]
    if len(found) > 1:  # such as enfil
        found = [split for split in found if _PIVOT in split]
    if len(found) != 1:
        raise ModelError(
            f"{path}: its name has {pair!r} in place of the two languages; rename it so that it has them, as in "
            "model.enpt.intgemm.alphas.bin"
        )
    return "-".join(found[0])


def _settings(binary: MarianBinary) -> dict[str, int]:
    """The sizes in a model's settings; ModelError names a setting that would be another computation."""
    found = _flat_yaml(binary.settings)
    for name, allowed in _EXPECTED.items():
        value = found.get(name.strip("[]"))
        if value is None and name.startswith("["):
            continue
        if value not in allowed:
            expected = " or ".join(repr(each) for each in allowed)
            raise ModelError(
                f"{binary.path}: {name.strip('[]')} is {value!r}, and {expected} is supported; use another model"
            )
    sizes = {name: _number(binary, name, found.get(name)) for name in _NUMBERS}
    decoder_ffn = found.get("transformer-decoder-dim-ffn", "0")
    name = "transformer-dim-ffn" if decoder_ffn == "0" else "transformer-decoder-dim-ffn"  # 0: as in the encoder
    sizes["transformer-decoder-dim-ffn"] = _number(binary, name, found.get(name))
    if sizes["dim-emb"] % (2 * sizes["transformer-heads"]) or sizes["dim-emb"] < 4:
        raise ModelError(
            f"{binary.path}: dim-emb is {sizes['dim-emb']} and transformer-heads {sizes['transformer-heads']}; each "
            "head needs the same even number of dimensions; download the file again"
        )
    return sizes


def _flat_yaml(text: str) -> dict[str, str]:
    """The settings of the top level as text; indented lines belong to lists, which are not needed."""
    pairs = (line.partition(":") for line in text.splitlines() if line[:1] not in (" ", "-", "#", ""))
    return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}


def _number(binary: MarianBinary, name: str, value: str | None) -> int:
    if value is None or not re.fullmatch(r"[0-9]{1,6}", value) or not 1 <= int(value) <= _LARGEST_NUMBER:
        raise ModelError(
            f"{binary.path}: {name} is {value!r}; a number from 1 to {_LARGEST_NUMBER} is expected; download it again"
        )
    return int(value)


# -- vocabularies ------------------------------------------------------------------------------------------------------

_Table = tuple[str, int]  # the name of a table of embeddings and its number of rows


def _tables(binary: MarianBinary) -> tuple[_Table, _Table, bool]:
    """The tables of sources and targets, and whether there are two; the items decide, as settings have been wrong."""
    names = ("Wemb",) if "Wemb" in binary.items else ("encoder_Wemb", "decoder_Wemb")
    for name in names:
        if name not in binary.items:
            raise ModelError(f"{binary.path}: item {name!r} is missing; download the file again")
    source, *_, target = [(name, len(binary.items[name].values)) for name in (names[0], names[-1])]
    return source, target, len(names) == 2


def _vocabulary_files(folder: Path, *, has_two: bool) -> tuple[Path, Path]:
    """The SentencePiece models of sources and targets: one for both, or one each."""

    def find(start: str) -> list[Path]:
        suffixes = (".spm", *(f".spm{suffix}" for suffix in COMPRESSED))
        found = (path for path in folder.iterdir() if path.name.startswith(f"{start}."))
        return sorted(path for path in found if path.name.endswith(suffixes))

    one, source, target = find("vocab"), find("srcvocab"), find("trgvocab")
    chosen = [source, target] if source or target or has_two else [one, one]
    for found, name in zip(
        chosen, ("srcvocab", "trgvocab") if chosen[0] is not one else ("vocab", "vocab"), strict=True
    ):
        if len(found) != 1:
            seen = ", ".join(path.name for path in found) or "none"
            raise ModelError(
                f"{folder}: one file {name}.XXYY.spm is expected beside the model, found {seen}; download the folder "
                "again"
            )
    return chosen[0][0], chosen[1][0]


def _pieces(path: Path, spm: bytes, table: _Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pieces of a SentencePiece model in our order, and the pieces that never occur in texts."""
    processor = check_sentencepiece(path, spm)
    size = processor.vocab_size()
    if size != table[1]:
        raise ModelError(
            f"{path} has {size} pieces, and {table[0]} of the model {table[1]} rows; they belong to different models: "
            "download the folder again"
        )
    theirs = [processor.id_to_piece(number) for number in range(size)]
    if theirs[:2] != ["</s>", "<unk>"]:
        raise ModelError(f"{path} begins with {theirs[:2]}, and </s>, <unk> are expected; use another model")
    pieces = (*_SPECIAL, *theirs[2:])
    if len(set(pieces)) < len(pieces) or any("\n" in piece for piece in pieces):
        raise ModelError(f"{path} has a piece twice, or one with a line break; use another model")
    is_hidden = (
        processor.is_control(number) or (piece.startswith("__") and piece.endswith("__") and len(piece) > 4)
        for number, piece in enumerate(theirs[2:], start=2)
    )
    return pieces, tuple(piece for piece, hidden in zip(theirs[2:], is_hidden, strict=True) if hidden)


def _with_start(table_VE: Tensor) -> Tensor:
    """Rows of zeros for padding and `<s>` before the rows of the file."""
    return torch.cat([table_VE.new_zeros(2, table_VE.shape[1]), table_VE])


# -- weights -----------------------------------------------------------------------------------------------------------


def _weights(binary: MarianBinary, config: ModelConfig, tables: tuple[str, str]) -> Weights:
    """The weights by FSMT's names; ModelError for an item that would not be used."""
    found: dict[str, Tensor] = {}
    used: set[str] = set()

    def take(name: str, shape: tuple[int, ...]) -> Tensor:
        if name not in binary.items:
            raise ModelError(f"{binary.path}: item {name!r} is missing; download the file again")
        item = binary.items[name]
        if tuple(item.values.shape) != shape:
            raise ModelError(
                f"{binary.path}: item {name!r} has the shape {tuple(item.values.shape)}, and {shape} follows from "
                f"{SETTINGS}; download the file again"
            )
        used.add(name)
        return item.weights()

    def product(name: str, num_inputs: int, num_outputs: int) -> Tensor:
        """A matrix (outputs, inputs): 8-bit items are stored so, although their shape is (inputs, outputs)."""
        weight = take(name, (num_inputs, num_outputs))
        is_quantised = binary.items[name].values.dtype == torch.int8
        return weight.reshape(num_outputs, num_inputs) if is_quantised else weight.T.contiguous()

    def vector(name: str, size: int) -> Tensor:
        return take(name, (1, size)).flatten()

    size = config.model_size
    for name in dict.fromkeys(tables):
        found[name] = take(name, (len(binary.items[name].values), size))
    for side, num_layers, ffn in (
        ("encoder", config.encoder_layers, config.feed_forward_size),
        ("decoder", config.decoder_layers, config.decoder_feed_forward_size or config.feed_forward_size),
    ):
        for layer in range(num_layers):
            theirs, ours = f"{side}_l{layer + 1}_", f"model.{side}.layers.{layer}."
            attentions = {"encoder": ("self_attn", "self"), "decoder": ("encoder_attn", "context")}[side]
            for our_part, part in _ATTENTION.items():
                name = f"{ours}{attentions[0]}.{our_part}."
                found[name + "weight"] = product(f"{theirs}{attentions[1]}_W{part}", size, size)
                found[name + "bias"] = vector(f"{theirs}{attentions[1]}_b{part}", size)
            if side == "decoder":
                gates = [product(f"{theirs}rnn_{name}", size, size) for name in ("W", "Wf")]
                found[ours + "recurrence.weight"] = torch.cat(gates)
                found[ours + "recurrence.bias"] = torch.cat([torch.zeros(size), vector(f"{theirs}rnn_bf", size)])
            for number, inputs, outputs in ((1, size, ffn), (2, ffn, size)):
                found[f"{ours}fc{number}.weight"] = product(f"{theirs}ffn_W{number}", inputs, outputs)
                found[f"{ours}fc{number}.bias"] = vector(f"{theirs}ffn_b{number}", outputs)
            for norm, names in _NORMS.items():
                if side in names:
                    found[f"{ours}{norm}.weight"] = vector(f"{theirs}{names[side]}_scale", size)
                    found[f"{ours}{norm}.bias"] = vector(f"{theirs}{names[side]}_bias", size)
    found["source_table"], found["target_table"] = found[tables[0]], found[tables[1]]
    found["output_bias"] = vector("decoder_ff_logit_out_b", config.vocabulary_size - 2)
    unused = sorted(name for name in binary.items if name not in used and not name.endswith("_QuantMultA"))
    if unused:
        raise ModelError(
            f"{binary.path}: item {unused[0]!r} is unknown: the model is of another kind, or {SETTINGS} is wrong; "
            "use another model"
        )
    return Weights(binary.path, found)


def _quantisation(binary: MarianBinary, config: ModelConfig, table: str) -> tuple[Ranges, WeightSteps] | None:
    """The steps of the decoder's 8-bit products, as Marian rounds their inputs and weights; None if the file has none.

    Marian rounds an input x to round(alpha x), between -127 and 127. Our range has one more step at its lower end.
    """
    names: dict[str, tuple[str, ...]] = {OUTPUT: (table,)}  # the items of each product, which read the same input
    for layer in range(config.decoder_layers):
        theirs = f"decoder_l{layer + 1}_"
        names[f"{layer}.recurrence.gates"] = (f"{theirs}rnn_W", f"{theirs}rnn_Wf")
        names[f"{layer}.feed_forward.inner"] = (f"{theirs}ffn_W1",)
        names[f"{layer}.feed_forward.outer"] = (f"{theirs}ffn_W2",)
    ranges, weight_steps = {}, {}
    for product, items in names.items():
        if any(
            binary.items[name].values.dtype != torch.int8 or f"{name}_QuantMultA" not in binary.items for name in items
        ):
            return None
        # one number each; the output layer's is an 8-bit item
        alphas = {float(binary.items[f"{name}_QuantMultA"].weights().flatten()[0]) for name in items}
        alpha = min(alphas)
        if len(alphas) > 1 or not 1e-6 < alpha < 1e6:
            raise ModelError(
                f"{binary.path}: {items[0]}_QuantMultA is {alpha}; a positive number is expected, the same for all "
                "that read one input; download the file again"
            )
        ranges[product] = (-128 / alpha, 127 / alpha)
        weight_steps[product] = tuple(1 / binary.items[name].multiplier for name in items)
    return ranges, weight_steps
