"""The commands that make what a model is trained on: extend, prepare, back-translate, variants."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_data_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add them to the command line."""
    _add_extend(commands)
    _add_prepare(commands)
    _add_back_translate(commands)
    _add_variants(commands)


def _add_extend(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "extend",
        help="a trained model with the placeholders and tags of all documents as pieces",
        description="Add the placeholders and tags of all documents (%s, {0}, <b>) to a trained model's vocabulary, "
        "each as single pieces, and write a model to train on from: prepare --codec FOLDER, train --initial FOLDER.",
    )
    parser.add_argument("model", type=Path, help="model folder; it stays as it is")
    parser.add_argument("folder", type=Path, help="folder to write")
    parser.set_defaults(action=_extend)


def _extend(options: argparse.Namespace) -> None:
    from engine.train.extend import extend

    print(f"{extend(options.model, options.folder):,} pieces added; the model is in {options.folder}, to be trained on")


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

    max_words = {name: int(value or 100) for name, value in map(parsed_setting, options.domain)}
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

    max_words = {name: int(value or 100) for name, value in map(parsed_setting, options.domain)}
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


def parsed_setting(text: str) -> tuple[str, str]:
    """`NAME=VALUE`; the value is empty where none is given."""
    name, _, value = text.partition("=")
    return name, value


def _languages(text: str) -> tuple[str, str]:
    first, _, second = text.partition(",")
    return first, second
