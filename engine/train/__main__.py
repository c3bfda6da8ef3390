"""`python -m engine.train`: make a model from a corpus, step by step."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import get_args

from engine.errors import EngineError
from engine.train.options import Optimiser, Schedule, TrainOptions

DEFAULTS = {entry.name: entry.default for entry in fields(TrainOptions)}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m engine.train",
        description="Make a translation model: prepare a corpus, train on it, average, align, lengths, evaluate.",
        epilog="engine/train/README.md has the command lines of the bundled models.",
    )
    metavar = "prepare | back-translate | variants | train | average | align | lengths | evaluate"
    commands = parser.add_subparsers(dest="command", required=True, metavar=metavar)
    _add_prepare(commands)
    _add_back_translate(commands)
    _add_variants(commands)
    _add_train(commands)
    _add_average(commands)
    _add_align(commands)
    _add_lengths(commands)
    _add_evaluate(commands)
    options = parser.parse_args(arguments)
    try:
        options.action(options)
    except EngineError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _add_prepare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "prepare",
        help="select pairs, learn the pieces, write id arrays",
        description="Select pairs of a corpus, learn the joint pieces of both languages, write id arrays.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("corpus", type=Path, help="folder with train.*.tsv.gz, dev/, SOURCES.tsv")
    parser.add_argument("work", type=Path, help="folder to write the prepared data to")
    parser.add_argument(
        "--domain",
        action="append",
        required=True,
        metavar="NAME[=WORDS]",
        help="a domain to take, with the most words of a source (default 100); give it once per domain",
    )
    parser.add_argument("--without", action="append", default=[], metavar="SOURCE_ID", help="a source to leave out")
    parser.add_argument("--languages", default="en,de", help="languages of the first and second column")
    parser.add_argument("--pieces", type=int, default=8000, help="size of the vocabulary")
    parser.add_argument("--codec", type=Path, metavar="MODEL", help="use this model's pieces instead of learning some")
    parser.add_argument("--max-pieces", type=int, default=40, help="longest side of a pair, in pieces")
    parser.add_argument("--codec-lines", type=int, default=400_000, help="lines to learn the pieces from")
    parser.add_argument("--dev", action="append", default=[], metavar="SET", help="a development set: dev/multi30k.val")
    parser.add_argument("--dev-pairs", type=int, default=500, help="most pairs of a development set")
    parser.add_argument("--workers", type=int, default=2, help="processes that encode")
    placeholders = parser.add_argument_group("placeholders and tags (%s, {0}, <b>)")
    placeholders.add_argument("--placeholders", type=int, default=0, help="how many the vocabulary holds, each whole")
    placeholders.add_argument(
        "--placeholder-rate", type=float, default=0.5, help="part of the pairs with some that get others of these"
    )
    placeholders.add_argument("--tag-rate", type=float, default=0.02, help="part of the pairs without that get tags")
    parser.add_argument("--synthetic", type=Path, metavar="FOLDER", help="take the pairs of `back-translate` too")
    _add_variant_settings(parser, 0)
    parser.set_defaults(action=_prepare)


def _add_variant_settings(parser: argparse.ArgumentParser, default: int) -> None:
    parser.add_argument(
        "--source-variants", type=int, default=default, help="further encodings of each training source"
    )
    parser.add_argument("--bpe-dropout", type=float, default=0.1, help="chance that one passes over a merge")


def _prepare(options: argparse.Namespace) -> None:
    from engine.train.corpus import Selection
    from engine.train.prepare import PrepareOptions, prepare

    max_words = {name: int(value or 100) for name, value in map(_setting, options.domain)}
    prepare(
        options.corpus,
        options.work,
        PrepareOptions(
            selection=Selection(max_words, frozenset(options.without)),
            languages=_languages(options.languages),
            num_pieces=options.pieces,
            max_pieces=options.max_pieces,
            codec_lines=options.codec_lines,
            dev_sets=tuple(options.dev),
            max_dev_pairs=options.dev_pairs,
            num_workers=options.workers,
            codec=options.codec,
            num_placeholders=options.placeholders,
            placeholder_rate=options.placeholder_rate,
            tag_rate=options.tag_rate,
            synthetic=options.synthetic,
            source_variants=options.source_variants,
            bpe_dropout=options.bpe_dropout,
        ),
    )


def _add_back_translate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "back-translate",
        help="pairs of which a model writes the source, from text in the target language",
        description="Translate one side of a corpus, or a text, back into the language to translate from; `prepare "
        "--synthetic` takes the pairs. The same command goes on where it was stopped.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("corpus", type=Path, help="corpus folder")
    parser.add_argument("folder", type=Path, help="folder to write the pairs to; both directions may share it")
    parser.add_argument("--direction", required=True, help="de-en: German that people wrote, English of the model's")
    parser.add_argument(
        "--domain", action="append", default=[], metavar="NAME[=WORDS]", help="only these of the corpus"
    )
    parser.add_argument("--text", type=Path, metavar="FILE", help="translate its lines instead of the corpus' side")
    parser.add_argument("--source-id", default="", help="what SOURCES.tsv calls the text of --text")
    parser.add_argument("--languages", default="en,de", help="languages of the first and second column")
    parser.add_argument("--limit", type=int, help="first lines only")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=64, help="lines translated at a time")
    parser.add_argument("--part-lines", type=int, default=5000, help="lines of a part, all held in memory")
    parser.add_argument("--pause-after-minutes", type=float, help="end this call then; the same call goes on")
    parser.add_argument("--device", default="cpu", help="cpu, cuda")
    parser.add_argument("--precision", choices=("float32", "half", "int8"), default="float32")
    parser.set_defaults(action=_back_translate)


def _back_translate(options: argparse.Namespace) -> None:
    from engine.train.back_translate import BackTranslateOptions, back_translate
    from engine.train.corpus import Selection
    from engine.translator import Translator

    max_words = {name: int(value or 100) for name, value in map(_setting, options.domain)}
    outcome = back_translate(
        Translator.load(options.model, options.device, options.precision),
        options.corpus,
        options.folder,
        BackTranslateOptions(
            direction=options.direction,
            languages=_languages(options.languages),
            selection=Selection(max_words) if max_words else None,
            text=options.text,
            source_id=options.source_id,
            limit=options.limit,
            beam=options.beam,
            batch_size=options.batch_size,
            part_lines=options.part_lines,
            pause_after_minutes=options.pause_after_minutes,
        ),
    )
    state = "finished" if outcome.is_finished else "paused; the same command goes on"
    print(f"{state}: {outcome.num_lines:,} lines, {outcome.num_left_out:,} of this call's left out as not usable")


def _add_variants(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "variants",
        help="other encodings of the training sources, by BPE dropout",
        description="Write further encodings of each training source into a prepared folder, by BPE dropout, as "
        "`prepare --source-variants` does. Reads no text: needs only torch and numpy.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("work", type=Path, help="the prepared folder")
    _add_variant_settings(parser, 8)
    parser.add_argument("--workers", type=int, default=2, help="processes that draw")
    parser.set_defaults(action=_variants)


def _variants(options: argparse.Namespace) -> None:
    from engine.train.variants import write_variants

    write_variants(options.work, options.source_variants, options.bpe_dropout, options.workers)


def _add_train(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "train",
        help="train, or go on training, a run",
        description="Train a run, or go on with it: the same command line resumes it exactly. Needs only torch, numpy "
        "and safetensors. SIGTERM ends it with a checkpoint.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("work", type=Path, help="the prepared folder")
    parser.add_argument("run", type=Path, help="folder of the run: checkpoints and snapshots")
    parser.add_argument("--initial", type=Path, metavar="MODEL", help="begin a new run with this model's weights")
    parser.add_argument("--device", default="cpu", help="cpu, cuda")
    parser.add_argument("--threads", type=int, default=0, help="processor threads; 0: as many as there are")
    parser.add_argument(
        "--adapt-threads", action="store_true", help="use fewer threads while other programs take the processor"
    )
    model = parser.add_argument_group("model")
    model.add_argument("--model-size", type=int, default=256)
    model.add_argument("--heads", type=int, default=4)
    model.add_argument("--feed-forward", type=int, default=1024)
    model.add_argument("--encoder-layers", type=int, default=6)
    model.add_argument("--decoder-layers", type=int, default=2)
    budget = parser.add_argument_group("budget (the learning rate reaches zero where it ends)")
    budget.add_argument("--max-minutes", type=float, help="minutes of the whole run, over all its calls")
    budget.add_argument("--max-updates", type=int, help="updates of the whole run")
    budget.add_argument("--pause-after-minutes", type=float, help="end this call then; the same call resumes")
    training = parser.add_argument_group("training")
    training.add_argument("--directions", default="en-de", help="one model learns them all: en-de,de-en")
    training.add_argument("--weight", action="append", default=[], metavar="DOMAIN=TIMES", help="passes per epoch")
    training.add_argument("--optimiser", choices=get_args(Optimiser), default=DEFAULTS["optimiser"])
    training.add_argument("--schedule", choices=get_args(Schedule), default=DEFAULTS["schedule"])
    for name, kind, text in (
        ("batch_pieces", int, "padded pieces of the longer side in a batch"),
        ("accumulate", int, "batches in an update"),
        ("peak_lr", float, "highest learning rate"),
        ("warmup_updates", int, "updates until it is reached"),
        ("weight_decay", float, "decay of the weights, times the learning rate"),
        ("label_smoothing", float, "probability spread over the vocabulary"),
        ("dropout", float, "part of the activations dropped (halves the speed on a CPU)"),
        ("r_drop", float, "weight of the difference between two readings with dropout (doubles the time; 0: none)"),
        ("domain_tag_rate", float, "part of the sources that carry their domain's token"),
        ("formality_tag_rate", float, "part of the sources of German with Sie or du that carry that token"),
        (
            "source_variants",
            int,
            "encodings to draw each source from, of those that `variants` wrote (0: only its own)",
        ),
        ("dev_every", int, "updates between development losses and snapshots"),
        ("checkpoint_minutes", float, "minutes between checkpoints"),
        ("keep_snapshots", int, "newest snapshots to keep"),
        ("seed", int, "of weights, order and dropout"),
    ):
        training.add_argument(f"--{name.replace('_', '-')}", type=kind, default=DEFAULTS[name], help=text)
    parser.set_defaults(action=_train)


def _train(options: argparse.Namespace) -> None:
    import torch

    from engine.model.config import ModelConfig
    from engine.train.data import Prepared
    from engine.train.loop import Trainer

    torch.set_flush_denormal(True)
    torch.set_float32_matmul_precision("high")
    if options.threads:
        torch.set_num_threads(options.threads)
    given = {entry.name: getattr(options, entry.name) for entry in fields(TrainOptions) if hasattr(options, entry.name)}
    given["directions"] = tuple(options.directions.split(","))
    given["weights"] = {name: float(value or 1) for name, value in map(_setting, options.weight)}
    train_options = TrainOptions(**given)
    prepared = Prepared.load(options.work)
    config = ModelConfig(
        vocabulary_size=prepared.vocabulary_size,
        directions=train_options.directions,
        model_size=options.model_size,
        num_heads=options.heads,
        feed_forward_size=options.feed_forward,
        encoder_layers=options.encoder_layers,
        decoder_layers=options.decoder_layers,
    )
    trainer = Trainer(options.work, options.run, config, train_options, options.device, options.initial)
    position = trainer.train()
    state = "finished" if trainer.is_finished else "paused; the same command goes on"
    print(f"{state}: {position.update:,} updates, {position.pieces:,} target pieces, {position.minutes:.1f} minutes")


def _add_average(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "average",
        help="write a model folder from a run's newest snapshots",
        description="Average the newest snapshots of a run and write a model folder with its card.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("work", type=Path, help="the prepared folder")
    parser.add_argument("run", type=Path, help="folder of the run")
    parser.add_argument("model", type=Path, help="model folder to write")
    parser.add_argument("--last", type=int, default=1, help="snapshots to average")
    parser.add_argument("--name", default="Pinpoint model", help="title of the card")
    parser.add_argument("--label", default="", help="one honest sentence for the card: what this model is")
    parser.add_argument("--hardware", default="", help="what it was trained on, for the card")
    parser.set_defaults(action=_average)


def _average(options: argparse.Namespace) -> None:
    from engine.train.bundle import write_bundle

    write_bundle(options.work, options.run, options.model, options.last, options.name, options.label, options.hardware)


def _add_align(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "align",
        help="teach a model which source words its words stand for",
        description="Train the alignment head of a finished model, whose own weights stay as they are, and write it "
        "into the model folder. The first call for a prepared folder needs eflomal.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("work", type=Path, help="the prepared folder, of the model's pieces")
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("--device", default="cpu", help="cpu, cuda")
    parser.add_argument("--pairs", type=int, default=30_000, help="pairs to learn from")
    parser.add_argument(
        "--counted-pairs", type=int, default=150_000, help="pairs to align by counting, once per prepared folder"
    )
    parser.set_defaults(action=_align)


def _align(options: argparse.Namespace) -> None:
    from engine.train.align import AlignOptions, align

    align_options = AlignOptions(pairs=options.pairs, counted_pairs=options.counted_pairs)
    for score in align(options.work, options.model, align_options, options.device):
        print(score)


def _add_lengths(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "lengths",
        help="length reward and ratio from a development set, written into the model's configuration",
        description="Find the reward of the bounded length reward that gives the best BLEU on a development set, and "
        "the set's length ratio, and write both into the model's config.json.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("corpus", type=Path, help="corpus folder")
    parser.add_argument("--set", required=True, metavar="SET", help="dev/multi30k.val, say")
    parser.add_argument("--direction", default="en-de")
    parser.add_argument("--beam", type=int, default=10)
    parser.add_argument("--limit", type=int, help="first lines of the set only")
    parser.add_argument("--rewards", type=float, nargs="+", help="rewards to try (0 to 2 in steps of 0.1)")
    parser.set_defaults(action=_lengths)


def _lengths(options: argparse.Namespace) -> None:
    from engine.train.lengths import REWARDS, estimate_lengths, store_lengths

    rewards = options.rewards or REWARDS
    estimate = estimate_lengths(
        options.model, options.corpus, options.set, options.direction, options.beam, options.limit, rewards
    )
    store_lengths(options.model, estimate)
    print(estimate.table)
    print(f"{options.direction}: reward {estimate.best.reward:g}, {estimate.ratio:.4f} target pieces a source piece")


def _add_evaluate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="BLEU and chrF on held-out sets, written into the card",
        description="Translate held-out sets with the engine and score them with sacrebleu.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("corpus", type=Path, help="corpus folder")
    parser.add_argument("--set", action="append", required=True, metavar="SET", help="test/newstest2014, say")
    parser.add_argument("--direction", default="en-de")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--limit", type=int, help="first lines of each set only; then the card stays as it is")
    parser.add_argument("--outputs", type=Path, help="folder for the translations")
    parser.set_defaults(action=_evaluate)


def _evaluate(options: argparse.Namespace) -> None:
    from engine.train.bundle import insert_scores
    from engine.train.evaluate import evaluate

    scores = []
    for name in options.set:
        score = evaluate(
            options.model, options.corpus, name, options.direction, options.beam, options.limit, options.outputs
        )
        print(score.line, flush=True)
        scores.append(score)
    if options.limit is None:
        insert_scores(options.model / "card.md", scores)


def _setting(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


def _languages(text: str) -> tuple[str, str]:
    first, _, second = text.partition(",")
    return first, second


if __name__ == "__main__":
    sys.exit(main())
