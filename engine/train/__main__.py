"""`python -m engine.train`: make a model from a corpus, step by step."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.errors import EngineError
from engine.settings import add_flags, given_settings
from engine.train.data_commands import add_data_commands, parsed_setting
from engine.train.options import AlignOptions, TrainOptions


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m engine.train",
        description="Make a translation model from a corpus, step by step.",
        epilog="engine/train/README.md has the command lines of the bundled model.",
    )
    making = "extend | collect | prepare | back-translate | variants | train | average"
    metavar = f"{making} | align | lengths | evaluate | formality"
    commands = parser.add_subparsers(dest="command", required=True, metavar=metavar)
    add_data_commands(commands)
    _add_train(commands)
    _add_average(commands)
    _add_align(commands)
    _add_lengths(commands)
    _add_evaluate(commands)
    _add_formality(commands)
    options = parser.parse_args(arguments)
    try:
        options.action(options)
    except EngineError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _add_train(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "train",
        help="start or continue a training run",
        description="Start a training run, or continue it: the same command line resumes it exactly. Needs only "
        "torch, numpy and safetensors. SIGTERM ends it with a checkpoint.",
    )
    parser.add_argument("work", type=Path, help="the prepared folder")
    parser.add_argument("run", type=Path, help="folder of the run: checkpoints and snapshots")
    parser.add_argument("--initial", type=Path, metavar="MODEL", help="begin a new run with this model's weights")
    parser.add_argument("--device", default="cpu", help="cpu, cuda (default: cpu)")
    parser.add_argument(
        "--threads", type=int, default=0, help="processor threads; 0: as many as there are (default: 0)"
    )
    model = parser.add_argument_group("model")
    for flag, default in (
        ("--model-size", 256),
        ("--heads", 4),
        ("--feed-forward", 1024),
        ("--encoder-layers", 6),
        ("--decoder-layers", 2),
    ):
        model.add_argument(flag, type=int, default=default, metavar="N", help=f"(default: {default})")
    training = parser.add_argument_group("training (the learning rate reaches zero where the budget ends)")
    training.add_argument(
        "--weight",
        action="append",
        default=[],
        metavar="DOMAIN=TIMES",
        help="passes over each pair of the domain in an epoch (default: 1)",
    )
    add_flags(training, TrainOptions)
    parser.set_defaults(action=_train)


def _train(options: argparse.Namespace) -> None:
    import torch

    from engine.model.config import ModelConfig
    from engine.train.data import PreparedData
    from engine.train.trainer import Trainer

    torch.set_float32_matmul_precision("high")
    if options.threads:
        torch.set_num_threads(options.threads)
    weights = {name: float(value or 1) for name, value in map(parsed_setting, options.weight)}
    train_options = TrainOptions(**given_settings(TrainOptions, options), weights=weights)
    prepared = PreparedData.load(options.work)
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
    torch.set_flush_denormal(True)
    try:
        position = trainer.train()
    finally:
        torch.set_flush_denormal(False)  # a setting of the processor: it reaches every float of a caller that goes on
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
    parser.add_argument(
        "--earlier", type=Path, metavar="MODEL", help="mix in the weights of the model that the run started from"
    )
    parser.add_argument("--earlier-share", type=float, default=0.2, help="its share of every weight, 0 to 1")
    parser.add_argument("--name", default="Pinpoint model", help="title of the card")
    parser.add_argument("--label", default="", help="one sentence for the card that describes the model")
    parser.add_argument("--hardware", default="", help="what it was trained on, for the card")
    parser.set_defaults(action=_average)


def _average(options: argparse.Namespace) -> None:
    from engine.train.bundle import write_bundle

    write_bundle(
        options.work,
        options.run,
        options.model,
        options.last,
        options.name,
        options.label,
        options.hardware,
        (options.earlier, options.earlier_share) if options.earlier else None,
    )


def _add_align(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "align",
        help="train the word alignment of a model",
        description="Train the alignment head of a finished model, whose own weights stay as they are, and write it "
        "into the model folder. The first call for a prepared folder needs eflomal.",
    )
    parser.add_argument("work", type=Path, help="the prepared folder, of the model's pieces")
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("--device", default="cpu", help="cpu, cuda (default: cpu)")
    add_flags(parser, AlignOptions)
    parser.set_defaults(action=_align)


def _align(options: argparse.Namespace) -> None:
    from engine.train.alignment_training import align

    align_options = AlignOptions(**given_settings(AlignOptions, options))
    for score in align(options.work, options.model, align_options, options.device):
        print(score)


def _add_sets(
    parser: argparse.ArgumentParser,
    example: str,
    limit_help: str,
    *,
    beam: int = 5,
    action: str = "append",
) -> None:
    """The arguments of the commands that translate sets of a corpus. With the action "store" they take one set."""
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("corpus", type=Path, help="corpus folder")
    repeated = " (may be repeated)" if action == "append" else ""
    parser.add_argument(
        "--set",
        action=action,
        required=True,
        metavar="SET",
        help=f"a set of the corpus, such as {example}{repeated}",
    )
    parser.add_argument("--beam", type=int, default=beam, metavar="N", help=f"beam size (default: {beam})")
    parser.add_argument("--limit", type=int, metavar="N", help=f"{limit_help} (default: all)")


def _add_lengths(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "lengths",
        help="length reward and ratio from a development set, written into the model's configuration",
        description="Find the reward of the bounded length reward that gives the best BLEU on a development set, and "
        "the set's length ratio, and write both into the model's config.json.",
    )
    _add_sets(parser, "dev/multi30k.val", "translate only this many lines", beam=10, action="store")
    parser.add_argument(
        "--direction", default="en-de", metavar="en-de", help="language pair to translate (default: en-de)"
    )
    parser.add_argument(
        "--rewards", type=float, nargs="+", metavar="X", help="rewards to try (default: 0 to 2 in steps of 0.1)"
    )
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
    )
    _add_sets(parser, "test/newstest2014", "translate only this many lines of each set, and leave the card unchanged")
    parser.add_argument(
        "--direction", default="en-de", metavar="en-de", help="language pair to translate (default: en-de)"
    )
    parser.add_argument("--outputs", type=Path, metavar="FOLDER", help="folder to write the translations to")
    parser.set_defaults(action=_evaluate)


def _evaluate(options: argparse.Namespace) -> None:
    from engine.train.held_out import evaluate
    from engine.train.score_table import insert_scores

    scores = []
    for name in options.set:
        score = evaluate(
            options.model, options.corpus, name, options.direction, options.beam, options.limit, options.outputs
        )
        print(score.line, flush=True)
        scores.append(score)
    if options.limit is None:
        insert_scores(options.model / "card.md", scores)


def _add_formality(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "formality",
        help="measure how often German translations use the requested form of address, and write it into the card",
        description="Translate the lines of held-out sets whose reference says Sie or du, without a requested form, "
        "with Sie and with du, and count the forms in the translations.",
    )
    _add_sets(
        parser, "test/everyday.tatoeba", "translate only this many such lines of each set, and leave the card unchanged"
    )
    parser.set_defaults(action=_formality)


def _formality(options: argparse.Namespace) -> None:
    from engine.train.formality_scores import insert_formality_scores, measure_formality
    from engine.translator import Translator

    translator = Translator.load(options.model, num_threads=None)
    found = []
    for name in options.set:
        following = measure_formality(translator, options.corpus, name, options.beam, options.limit)
        print("\n".join(entry.row for entry in following), flush=True)
        found += following
    if options.limit is None:
        insert_formality_scores(options.model / "card.md", found)


if __name__ == "__main__":
    sys.exit(main())
