"""The commands that make training data and word lists: extend, collect, prepare, back-translate and others."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from engine.settings import add_flags, given_settings, settings_of
from engine.train.corpus import Selection
from engine.train.options import BackTranslateOptions, PrepareOptions


def add_data_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add them to the command line."""
    _add_extend(commands)
    _add_collect(commands)
    _add_prepare(commands)
    _add_back_translate(commands)
    _add_variants(commands)
    _add_lexicon(commands)
    _add_phrases(commands)


def _add_extend(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "extend",
        help="makes a trained model larger: placeholders and tags as pieces, more encoder layers",
        description="Add common placeholders and tags (%s, {0}, <b>) to a trained model's vocabulary, each as single "
        "pieces, and layers to its encoder, and write a model for further training: prepare --codec FOLDER, "
        "train --initial FOLDER.",
    )
    parser.add_argument("model", type=Path, help="model folder; it stays as it is")
    parser.add_argument("folder", type=Path, help="folder to write")
    parser.add_argument(
        "--encoder-layers",
        type=int,
        metavar="N",
        help="encoder layers of the larger model, a multiple of the model's (default: as many as it has)",
    )
    parser.set_defaults(action=_extend)


def _extend(options: argparse.Namespace) -> None:
    from engine.train.extend import extend

    pieces, layers = extend(options.model, options.folder, options.encoder_layers)
    print(f"{pieces:,} pieces and {layers} encoder layers added; the model is in {options.folder}, to be trained on")


def _add_collect(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "collect",
        help="make pairs from the German translations of free software",
        description="Cut the translations in the folders of a corpus' sources into pairs of sentences, and write them "
        "into its train.01.tsv.gz: gettext catalogs (*.mo, *.po), en.json with de.json, and the package descriptions "
        "of Debian (Translation-en, Translation-de).",
    )
    parser.add_argument("folder", type=Path, help="folder with SOURCES.tsv and a folder for each source in it")
    parser.set_defaults(action=_collect)


def _collect(options: argparse.Namespace) -> None:
    from engine.train.software_translations import collect

    for source_id, number in collect(options.folder).most_common():
        print(f"{source_id}: {number:,} pairs")


def _add_prepare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "prepare",
        help="select pairs, learn the pieces, write id arrays",
        description="Select pairs of a corpus, learn the joint pieces of both languages, write id arrays.",
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
    add_flags(parser, PrepareOptions)
    parser.set_defaults(action=_prepare)


def _prepare(options: argparse.Namespace) -> None:
    from engine.train.prepare import prepare

    max_words = {name: int(value or 100) for name, value in map(parsed_setting, options.domain)}
    selection = Selection(max_words, frozenset(options.without))
    prepare(options.corpus, options.work, PrepareOptions(selection, **given_settings(PrepareOptions, options)))


def _add_back_translate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "back-translate",
        help="make training pairs by back-translation",
        description="Translate one side of a corpus, or a text, back into the language to translate from; `prepare "
        "--synthetic` takes the pairs. The same command goes on where it was stopped.",
    )
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("corpus", type=Path, help="corpus folder")
    parser.add_argument("folder", type=Path, help="folder to write the pairs to; both directions may share it")
    parser.add_argument(
        "--domain", action="append", default=[], metavar="NAME[=WORDS]", help="only these of the corpus"
    )
    add_flags(parser, BackTranslateOptions)
    parser.add_argument("--device", default="cpu", help="cpu, cuda (default: cpu)")
    parser.add_argument(
        "--precision", choices=("float32", "half", "int8"), default="float32", help="of weights (default: float32)"
    )
    parser.set_defaults(action=_back_translate)


def _back_translate(options: argparse.Namespace) -> None:
    from engine.train.back_translate import back_translate
    from engine.translator import Translator

    max_words = {name: int(value or 100) for name, value in map(parsed_setting, options.domain)}
    given = {"selection": Selection(max_words) if max_words else None, **given_settings(BackTranslateOptions, options)}
    translator = Translator.load(options.model, options.device, options.precision, num_threads=None)
    outcome = back_translate(translator, options.corpus, options.folder, BackTranslateOptions(**given))
    state = "finished" if outcome.is_finished else "paused; the same command goes on"
    print(f"{state}: {outcome.num_lines:,} lines, {outcome.num_left_out:,} of this call's left out as not usable")


def _add_variants(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "variants",
        help="other encodings of the training sources, by BPE dropout",
        description="Write further encodings of each training source into a prepared folder, by BPE dropout, as "
        "`prepare --source-variants` does. Reads no text: needs only torch and numpy.",
    )
    parser.add_argument("work", type=Path, help="the prepared folder")
    for name, default in (("source_variants", 8), ("bpe_dropout", 0.1), ("num_workers", 2)):
        (described,) = (entry for entry in settings_of(PrepareOptions) if entry.name == name)
        replace(described, default=default).add_flag(parser)
    parser.set_defaults(action=_variants)


def _variants(options: argparse.Namespace) -> None:
    from engine.train.variants import write_variants

    write_variants(options.work, options.source_variants, options.bpe_dropout, options.workers)


def _add_lexicon(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "lexicon",
        help="make the lexicon of a model, for words that it does not translate",
        description="Select words of a German-English dictionary by their frequencies and by a corpus, and write them "
        "with the words of the corpus into the model folder, as lexicon.txt.xz.",
    )
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("corpus", type=Path, nargs="+", help="corpus folders, such as that of `prepare --more`")
    parser.add_argument("--dictionary", type=Path, required=True, metavar="FILE", help="in the format of Ding")
    parser.add_argument(
        "--forms", type=Path, metavar="FILE", help="list of the forms of German words, such as data/forms/de.txt.xz"
    )
    parser.set_defaults(action=_lexicon)


def _lexicon(options: argparse.Namespace) -> None:
    from engine.train.lexicon_building import build_lexicon, read_forms

    forms = {} if options.forms is None else {"de": read_forms(options.forms)}
    for direction, number in build_lexicon(options.model, options.corpus, options.dictionary, forms).items():
        print(f"{direction}: {number:,} words")


def _add_phrases(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "phrases",
        help="find set phrases for a model in a dictionary",
        description="Find German words and English expressions of a dictionary that a corpus translates by each other "
        "and that the model translates wrongly, and append them to the model's set_phrases.tsv.",
    )
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("corpus", type=Path, nargs="+", help="corpus folders, such as that of `prepare --more`")
    parser.add_argument("--dictionary", type=Path, required=True, metavar="FILE", help="in the format of Ding")
    parser.add_argument(
        "--forms",
        type=Path,
        required=True,
        metavar="FILE",
        help="list of the forms of German words: data/forms/de.txt.xz",
    )
    parser.set_defaults(action=_phrases)


def _phrases(options: argparse.Namespace) -> None:
    from engine.request import Request
    from engine.search_options import SearchOptions
    from engine.train.lexicon_building import read_forms
    from engine.train.phrase_mining import mine_phrases
    from engine.translator import Translator

    translator = Translator.load(options.model, num_threads=None)

    def translate(texts: Sequence[str], direction: str) -> Iterator[str]:
        requests = [Request(text, direction=direction) for text in texts]
        for translation in translator.translate_all(requests, SearchOptions(beam=2, nbest=1)):
            yield translation.hypotheses[0].text if translation.hypotheses else ""

    forms = read_forms(options.forms)
    for direction, number in mine_phrases(options.model, options.corpus, options.dictionary, forms, translate).items():
        print(f"{direction}: {number:,} phrases")


def parsed_setting(text: str) -> tuple[str, str]:
    """`NAME=VALUE`; the value is empty if none is given."""
    name, _, value = text.partition("=")
    return name, value
