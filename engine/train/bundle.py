"""Writes a model folder from a training run: averaged weights, codec, configuration, card."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import Any

import torch

from engine.errors import TrainingError
from engine.model.activations import ACTIVATIONS
from engine.model.checkpoint import CARD, CONFIG, WEIGHTS
from engine.model.config import ModelConfig
from engine.model.transformer import Transformer
from engine.model.weights import load_weights, save_weights
from engine.model.word_links import ALIGNMENT
from engine.train.corpus import synthetic_domain
from engine.train.data import CODEC_FILES, PreparedData, speaks_to_reader
from engine.train.options import TrainOptions
from engine.train.run_files import CHECKPOINT, OPTIONS, load_earlier, snapshots
from engine.train.score_table import SCORES_HEADING

LICENCE = "GPL-3.0-or-later"


def average(paths: Sequence[Path], config: ModelConfig) -> Transformer:
    """A model whose every weight is the mean over the given weight files."""
    if not paths:
        raise TrainingError("there are no snapshots to average; train the run first")
    total = {
        name: torch.zeros_like(value, dtype=torch.float64) for name, value in Transformer(config).state_dict().items()
    }
    for path in paths:
        for name, value in load_weights(path, config).state_dict().items():
            total[name] += value
    model = Transformer(config)
    model.load_state_dict({name: value / len(paths) for name, value in total.items()})
    return model.eval()


def mix(model: Transformer, earlier: Transformer, share: float) -> None:
    """Move every weight of `model` by `share`, 0 to 1, back towards the model from which its run continued.

    A model between the two may keep the strengths of the earlier one and lose little of the later training (Wortsman et
    al. 2022, Robust fine-tuning of zero-shot models).
    """
    if not 0 < share < 1:
        raise TrainingError(f"the earlier model's share is {share:g}; give one between 0 and 1")
    old = earlier.state_dict()
    model.load_state_dict({name: value.lerp(old[name], share) for name, value in model.state_dict().items()})


def write_bundle(
    work: Path,
    run: Path,
    folder: Path,
    num_snapshots: int,
    name: str,
    label: str = "",
    hardware: str = "",
    earlier: tuple[Path, float] | None = None,
) -> None:
    """Write a model folder from the newest snapshots of a run; its card has no scores yet.

    `earlier` is the folder of the model that the run went on from, and the share of its weights to mix in.
    """
    prepared = PreparedData.load(work)
    config = ModelConfig.load(run / CONFIG)
    options = TrainOptions.load(run / OPTIONS)
    chosen = snapshots(run)[-num_snapshots:]
    model = average(chosen, config)
    if earlier is not None:
        mix(model, load_earlier(earlier[0], work, config), earlier[1])
    try:
        position = torch.load(run / CHECKPOINT, weights_only=True)["position"]
    except (OSError, RuntimeError, KeyError) as error:
        raise TrainingError(f"{run / CHECKPOINT} cannot be read ({error}); the run is incomplete") from error
    config = replace(
        config,
        domains=tuple(prepared.domain_ids) if options.domain_tag_rate else (),
        formalities={d: tuple(prepared.formality_ids) for d in config.directions if speaks_to_reader(d)}
        if options.formality_tag_rate
        else {},
        length_ratios={d: prepared.facts["length_ratios"][d] for d in config.directions},
        training={
            **config.training,
            "updates": position["update"],
            "target_pieces": position["pieces"],
            "minutes": round(position["minutes"], 1),
            "pairs": prepared.facts["pairs"],
            "averaged_snapshots": len(chosen),
            **({"earlier_share": earlier[1]} if earlier else {}),
            "hardware": hardware,
        },
    )
    folder.mkdir(parents=True, exist_ok=True)
    for file in CODEC_FILES:
        partial = folder / f"{file}.partial"
        shutil.copyfile(work / file, partial)
        os.replace(partial, folder / file)
    config.save(folder / CONFIG)
    for file in (ALIGNMENT, ACTIVATIONS):  # they belong to earlier weights
        (folder / file).unlink(missing_ok=True)
    save_weights(folder / WEIGHTS, model)
    (folder / CARD).write_text(
        card(config, prepared.facts, prepared.max_pieces, model, options, name, label), encoding="utf-8"
    )


def card(
    config: ModelConfig,
    facts: Mapping[str, Any],
    max_pieces: int,
    model: Transformer,
    options: TrainOptions,
    name: str,
    label: str = "",
) -> str:
    """The model's card in Markdown: description, training data, and the commands that make it again."""
    num_parameters = sum(parameter.numel() for parameter in model.parameters())
    training = config.training
    settings = " ".join(f"--domain {d}={words}" for d, words in facts["max_words"].items())
    without = [f"--without {source}" for source in facts["without"]]
    shape = (
        f"--model-size {config.model_size} --heads {config.num_heads} --feed-forward {config.feed_forward_size} "
        f"--encoder-layers {config.encoder_layers} --decoder-layers {config.decoder_layers}"
    )
    sources = "\n".join(
        f"| {_cell(row['source_id'])} | {_cell(row['origin'])} | {_cell(row['licence'])} | {row['domain']} "
        f"| {row['pairs']:,} |"
        for row in facts["sources"]
    )
    has_earlier = "earlier" in training
    is_extended = has_earlier and not training["earlier"].keys().isdisjoint(("added_pieces", "added_encoder_layers"))
    more_layers = f" --encoder-layers {config.encoder_layers}" * (
        is_extended and "added_encoder_layers" in training["earlier"]
    )
    begun_with = "EXTENDED" if is_extended else "EARLIER"
    pieces = f"--codec {begun_with}" if has_earlier else f"--pieces {config.vocabulary_size}"
    if "placeholders" in facts:
        pieces += "" if has_earlier else f" --placeholders {facts['placeholders']}"
        pieces += f" --placeholder-rate {facts['placeholder_rate']:g} --tag-rate {facts['tag_rate']:g}"
    if facts.get("synthetic_pairs"):
        pieces += " --synthetic BACK"
    if facts.get("dictionary_pairs"):
        pieces += " --dictionary DING"
    if facts.get("join_rate"):
        pieces += f" --join-rate {facts['join_rate']:g}"
    collect = ""
    if facts.get("has_collected_pairs"):
        pieces += " --more COLLECTED"
        collect = "    python -m engine.train collect COLLECTED\n"
    share = training.get("earlier_share")
    mixed = "" if share is None else f" --earlier {begun_with} --earlier-share {share:g}"
    limits = ", ".join(f"{domain} (to {words} words)" for domain, words in facts["max_words"].items())
    return f"""# {name}

{fill(label or "A translation model for Pinpoint.", 120)}

| | |
|---|---|
| directions | {", ".join(config.directions)} |
{_tags(config)}\
| architecture | pre-norm Transformer, {config.encoder_layers} encoder and {config.decoder_layers} decoder layers, \
width {config.model_size}, {config.num_heads} heads, feed-forward {config.feed_forward_size}, \
one embedding table for source, target and output |
| vocabulary | {config.vocabulary_size:,} joint BPE pieces over Moses tokens with joiner marks\
{_placeholders(facts)} |
| parameters | {num_parameters / 1e6:.1f} million, stored in half precision |
| training | {training["updates"]:,} updates, {training["target_pieces"]:,} target pieces seen, \
{training["minutes"]:.0f} minutes on {training["hardware"] or "hardware not stated"}; \
{_snapshots(training["averaged_snapshots"])}{_share(training)}{_earlier(training.get("earlier"))} |
| licence | {LICENCE} |

{SCORES_HEADING}

Not measured yet.

## Training data

{facts["pairs"]:,} sentence pairs by human translators: {limits}.{_synthetic(facts)}{_dictionary(facts)}
Licences are quoted from the corpus list;
"none" means that the origin does not state one. Because many sources are under the GPL, LGPL or GFDL, the model
is published under {LICENCE}.

| source | origin | licence as stated | domain | pairs |
|---|---|---|---|---|
{sources}

## Reproduction

With the corpus in the folder `CORPUS`; engine/train/README.md explains the steps.

{_back_translations(facts, config.directions)}\
{f"    python -m engine.train extend EARLIER EXTENDED{more_layers}" + chr(10) if is_extended else ""}\
{collect}\
    python -m engine.train prepare CORPUS WORK {pieces} --max-pieces {max_pieces} \\
        {" ".join([settings, *without])}
{_variants(options, training.get("bpe_dropout"))}\
    python -m engine.train train WORK RUN{f" --initial {begun_with}" * has_earlier} \\
        {shape} \\
        {options.as_flags()}
    python -m engine.train average WORK RUN MODEL --last {training["averaged_snapshots"]}{mixed}
    python -m engine.train evaluate MODEL CORPUS --set test/newstest2014

Before `evaluate`, `align` and `lengths` finish the folder.
"""


def _snapshots(number: int) -> str:
    return "the last snapshot" if number == 1 else f"mean of the last {number} snapshots"


def _share(training: Mapping[str, Any]) -> str:
    share = training.get("earlier_share")
    return "" if share is None else f", {1 - share:g} of it, and {share:g} of the model that the training started from"


def _synthetic(facts: Mapping[str, Any]) -> str:
    """The card's text about machine-translated training data."""
    return "".join(
        f"\n{number:,} more of which a model wrote the side in {domain.split('.')[1]} (back-translation), all marked "
        "with a token."
        for domain, number in facts.get("synthetic_pairs", {}).items()
    )


def _dictionary(facts: Mapping[str, Any]) -> str:
    """The card's text about the entries of a dictionary."""
    number = facts.get("dictionary_pairs")
    return f"\n{number:,} more are words, phrases and short sentences of a dictionary." if number else ""


def _back_translations(facts: Mapping[str, Any], directions: Sequence[str]) -> str:
    """The commands that made the synthetic pairs, each with its line end."""
    languages = dict.fromkeys(language for direction in directions for language in direction.split("-"))
    commands = (
        f"    python -m engine.train back-translate EARLIER CORPUS BACK --direction {other}-{language}\n"
        for language in languages
        for other in languages
        if other != language and facts.get("synthetic_pairs", {}).get(synthetic_domain(language))
    )
    return "".join(commands)


def _placeholders(facts: Mapping[str, Any]) -> str:
    number = facts.get("placeholders")
    return f", {number} placeholders and tags among them, each a piece" if number else ""


def _variants(options: TrainOptions, dropout: float | None) -> str:
    """The command that made other encodings of the sources, with its line end, where the training drew from such."""
    if not options.source_variants:
        return ""
    settings = f"--source-variants {options.source_variants} --bpe-dropout {dropout:g}"
    return f"    python -m engine.train variants WORK {settings}\n"


def _tags(config: ModelConfig) -> str:
    """The card's lines on the style options of requests, each with its line end."""
    lines = f"| domains | {', '.join(config.domains)} |\n" if config.domains else ""
    for direction, names in config.formalities.items():
        lines += f"| formality of {direction} | {', '.join(names)} |\n"
    return lines


def _earlier(training: Mapping[str, Any] | None) -> str:
    """The amount of training that the initial model of this run had."""
    if training is None:
        return ""
    return (
        f"; started from a model of {training['updates']:,} updates and {training['target_pieces']:,} target pieces "
        f"({training['minutes']:.0f} minutes{_earlier(training.get('earlier'))})"
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
