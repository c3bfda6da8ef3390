"""The commands, their flags and their `--help` texts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from app.errors import GlossaryError
from app.glossary.reading.column_uses import Layout, layout_from
from app.paths import MODEL_FOLDER, default_log_path
from app.serving.api_limits import DEFAULT_CHARACTERS, DEFAULT_REQUESTS
from app.settings import add_flag, positive, program_name

# Kinds of `export` on the command line -> names in the app; "document" is the translated document, "zip" several.
EXPORT_KINDS: Final = {
    "document": "document",
    "jsonl": "log.jsonl",
    "csv": "log.csv",
    "xlsx": "report.xlsx",
    "tmx": "memory.tmx",
    "xliff": "segments.xlf",
    "tbx": "terms.tbx",
    "zip": "zip",
}
NEWEST: Final = "newest"

COMMANDS: Final = {
    "translate": "translate a document, or all of a folder, ZIP file or package, into new files of the same formats",
    "stats": "show statistics of sessions: words, time, HTER, origins of words",
    "export": "export a session as document, log, table, workbook, translation memory, XLIFF, term base or ZIP",
    "import-log": "import an exported session (JSONL) into the log",
    "backup": "copy the log and the keys into new files, even while the app is running",
    "verify": "check that the log of each session is complete and unchanged",
    "models": "list, download, install and remove translation models",
    "keys": "create, list and revoke the keys of other programs, for the HTTP API",
    "mcp": "give an assistant three tools (MCP): translate with constraints, look up terms, check",
    "dependencies": "list the packages that Pinpoint runs with, and their licences",
}
OVERVIEW: Final = (
    "commands (see `COMMAND --help`):\n"
    + "".join(f"  {name:<14}{summary}\n" for name, summary in COMMANDS.items())
    + "\nWithout a command, the app opens in the browser."
)

_EXIT_STATUS = """\
exit status:
  0    done
  1    {partly}
  2    failed: invalid flags, or a file that cannot be read or written
  130  interrupted with Ctrl-C; nothing was written
"""
_TRANSLATE = """\
Translates every segment without a translation; existing translations (XLIFF, PO, TMX, tables) are kept. Glossary
terms are required in the translation of each sentence that contains their source. Exact matches of the memory are used;
fuzzy matches (75 % or more) are only counted. The output has the format of the input, with nothing else changed, and is
a draft: in XLIFF and PO no translation is marked as confirmed. An existing file is never overwritten.

DOCUMENT may be a folder, a ZIP file, or a package of Trados (.sdlppx), memoQ (.mqxlz) or XLZ: each document in it is
translated. The output is a folder with the translated documents, the archive with them in their places and all else
unchanged, or the return package. What is not translated is named, with the reason.

examples:
  python -m app translate manual.docx -o manual.de.docx --glossary terms.tbx --memory project.tmx
  python -m app translate app.po -o app.de.po --model Helsinki-NLP/opus-mt-en-de --threads 4
  python -m app translate job.sdlppx --memory project.tmx
  python -m app translate manual.docx --model firefox-pt-en-tiny --then firefox-en-de-tiny --glossary pt-de.csv

Progress, notes about the file (text that is not offered, a guessed encoding) and problems by segment (terms not met,
placeholders lost) are written to standard error.

""" + _EXIT_STATUS.format(
    partly="written, but some segments have problems: no translation, or a missing term or placeholder; or one of\n"
    "       several documents cannot be read"
).replace("  130", "  3    with --strict: written, but the file has text that is not offered or cannot be read\n  130")
_STATS = """\
Net time excludes pauses of more than --idle seconds between two actions. HTER is sacreBLEU's TER of the first proposal
that was shown against the confirmed text, over the segments whose text started from that proposal, not from the memory
or the file. Words are separated by white space; for languages without it, such as Chinese, characters are counted. The
log is not changed.

examples:
  python -m app stats                  all sessions, most recent first
  python -m app stats 12 --idle 30     session 12 with another idle limit
  python -m app stats newest --json    all figures of the newest session by segment

""" + _EXIT_STATUS.format(partly="not used")
_EXPORT = """\
kinds:
  document   the translated document in its own format: confirmed and edited segments, with --with-proposals also
             the proposals for the other segments, as drafts, if they satisfy all constraints
  jsonl      every event, lossless; can be imported with `import-log`
  csv        a row for each segment: texts, times, effort, counts
  xlsx       an Excel workbook: totals, segments, costs of pins, terms and bans
  tmx        the confirmed segments as a translation memory
  xliff      all segments with their states, for any document format
  tbx        the terms added in the session
  zip        the translated documents that were opened together with this one: the ZIP file or package that they came
             from, with everything else in it unchanged, or a new ZIP file

SESSION is a number listed by `stats`, or "newest". The log is not changed.

example:
  python -m app export newest xlsx -o report.xlsx

""" + _EXIT_STATUS.format(partly="not used")
_IMPORT = """\
Imports the session with all its events, with its old number if that is free. Refuses a file that was changed after the
export, and a session that the log already contains.

example:
  python -m app import-log manual.log.jsonl

""" + _EXIT_STATUS.format(partly="not used")
_BACKUP = """\
The copy is a consistent snapshot of the log and is checked after writing. If the log has keys of the HTTP API, they are
copied into FILE.keys. To restore a copy, stop the app and start it with --log FILE, which also finds FILE.keys; or
replace the log and its .keys file by the copies. FILE must not exist. A log of an older Pinpoint, which the app updates
at its next start, is copied unchanged.

example:
  python -m app backup backups/2026-01-31.sqlite

""" + _EXIT_STATUS.format(partly="not used")
_VERIFY = """\
Each event has the hash of the one before it. A session whose events were removed, reordered or changed later is listed
with the first wrong event. The texts of segments and the glossaries have no hashes. The log is not changed.

example:
  python -m app verify --log backups/2026-01-31.sqlite

""" + _EXIT_STATUS.format(partly="a session is incomplete or was changed")
_DEPENDENCIES = """\
Lists the packages that Pinpoint needs on this system, and those that these need, with version and licence as the
packages state it. --sbom writes them as a bill of materials: CycloneDX 1.6, JSON. The same packages give the same file.

example:
  python -m app dependencies --sbom pinpoint.cdx.json

""" + _EXIT_STATUS.format(partly="not used")
_KEYS = """\
The HTTP API (start the app with --api) answers programs that send a key. With --sign-in, a person opens the page with
the key instead of the access token: the log names them, and each has a document of their own on the screen. A key is
shown once, when it is created; the file beside the log has only its hash. Keys of the same NAME belong to one
person and share glossaries. A key can be created and revoked while the app runs.

--address is for programs that cannot send a key, such as the plug-ins of OPUS-CAT: their requests from this address
count as requests with this key. Everybody who uses that computer can then do the same. Behind a proxy, all requests
come from the address of the proxy.

examples:
  python -m app keys create "Ana Trados"
  python -m app keys create "Ana Silva" --sign-in
  python -m app keys create Weblate --characters 10000000 --requests 3000
  python -m app keys create "Ben memoQ" --address 192.168.1.20
  python -m app keys list
  python -m app keys revoke 2

""" + _EXIT_STATUS.format(partly="not used")
_MCP = """\
Speaks the Model Context Protocol on standard input and output, for assistants that start programs. Nothing else is
written to standard output. The tools: translate (a text with required and banned texts, a beginning, several
translations), look_up_terms (of the glossaries, in a text) and check (a translation: numbers, placeholders, terms, …).
The terms of the glossaries are required in translations. The command ends with its input.

example, and the same in the settings of many assistants:
  python -m app mcp --glossary /home/ana/terms.tbx
  {"mcpServers": {"pinpoint": {"command": "pinpoint", "args": ["mcp", "--glossary", "/home/ana/terms.tbx"]}}}

""" + _EXIT_STATUS.format(partly="not used")
_MODELS = """\
Lists the models on this computer and those that can be downloaded. The registry is asked for its list only with
--update, or if the list was never read, with --direction or --install NAME. The list is then kept. Downloads are
checked; the same command continues an interrupted one. The licence is kept beside the model, as LICENSE.txt.

Without a network: download the files of a model elsewhere (model, vocabulary), put them into a folder of their own, and
give this folder, or a ZIP file of it, to --install.

examples:
  python -m app models --direction en-pt
  python -m app models --install firefox-en-pt-tiny
  python -m app models --install Helsinki-NLP/opus-mt-en-de
  python -m app models --install /media/usb/enpt.zip
  python -m app models --remove firefox-en-pt-tiny
  python -m app --model firefox-en-pt-tiny

""" + _EXIT_STATUS.format(partly="not used")


def parse(arguments: list[str]) -> argparse.Namespace:
    """The parsed flags; `command` is the name of the command. Exits with status 2 for invalid flags."""
    return build_parser().parse_args(arguments)


def _columns(text: str) -> tuple[int, int]:
    """Two different column numbers, which count from 1, as numbers that count from 0."""
    source, target = (int(number) - 1 for number in text.split(","))
    if min(source, target) < 0 or source == target:
        raise ValueError(text)
    return source, target


def _glossary_columns(text: str) -> Layout:
    """The use of the columns of a glossary."""
    try:
        return layout_from(text)
    except GlossaryError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from problem


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    program = program_name()
    parser = argparse.ArgumentParser(
        prog=program, epilog=OVERVIEW, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, manual: str) -> argparse.ArgumentParser:
        summary = COMMANDS[name]
        return commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            epilog=manual.replace("python -m app", program),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    translate = add("translate", _TRANSLATE)
    translate.add_argument(
        "document",
        type=Path,
        metavar="DOCUMENT",
        help="a file of any format that the app opens, a folder or a ZIP file",
    )
    translate.add_argument("-o", "--output", type=Path, metavar="FILE", help="output (default: DOCUMENT.de.EXT)")
    translate.add_argument(
        "--memory", type=Path, metavar="FILE", help="translation memory (TMX or SDLTM); exact matches are used"
    )
    translate.add_argument(
        "--glossary", type=Path, action="append", metavar="FILE",
        help="required terms: CSV, TSV, XLSX, TBX, MultiTerm XML, UTX or TMX; repeatable, the first glossary has "
        "priority",
    )  # fmt: skip
    translate.add_argument(
        "--glossary-columns", type=_glossary_columns, action="append", metavar="USES",
        help="the use of a glossary table's columns, such as source,ignore,target,note; with header: in front if the "
        "first row has names (default: by these names); repeatable, in the order of the glossaries",
    )  # fmt: skip
    translate.add_argument(
        "--encoding", metavar="NAME", help="encoding of a text file, such as cp1250 (default: UTF-8 or a guess)"
    )
    translate.add_argument(
        "--columns", type=_columns, metavar="S,T",
        help="numbers of a table's columns with sources and targets, such as 2,3 (default: by the header)",
    )  # fmt: skip
    translate.add_argument(
        "--strict", action="store_true",
        help="exit status 3 if text is not offered, an encoding is guessed, or the model cannot read a sign",
    )  # fmt: skip
    translate.add_argument(
        "--dry-run", action="store_true", help="only report what the glossaries match in the document"
    )
    add_flag(translate, "model", default=MODEL_FOLDER)
    translate.add_argument(
        "--then", type=Path, metavar="MODEL",
        help="a second model, which translates what the first one has translated: for a language pair that no single "
        "model has, such as pt-de through English",
    )  # fmt: skip
    add_flag(translate, "direction", help="language pair (default: the document's own, else the model's first)")
    translate.add_argument(
        "--formality",
        choices=("formal", "informal"),
        help="form of address in German, Sie or du (default: up to the model)",
    )
    translate.add_argument("--domain", metavar="NAME", help="a domain of the model, see `python -m engine models`")
    translate.add_argument("--beam", type=positive, default=10, metavar="N", help="beam size (default: 10)")
    add_flag(translate, "threads", default=1)
    add_flag(translate, "device", default="cpu")

    stats = add("stats", _STATS)
    stats.add_argument("session", nargs="?", metavar="SESSION", help='a number, or "newest" (default: all sessions)')
    stats.add_argument(
        "--idle", type=positive, default=60, metavar="SECONDS", help="longest pause that counts as work (default: 60)"
    )
    stats.add_argument("--json", action="store_true", help="all figures as JSON")

    export = add("export", _EXPORT)
    export.add_argument("session", metavar="SESSION", help='a number, or "newest"')
    export.add_argument("kind", choices=EXPORT_KINDS, metavar="KIND", help=", ".join(EXPORT_KINDS))
    export.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="output file (default: named after the document)"
    )
    export.add_argument(
        "--with-proposals", action="store_true", help="fill untranslated segments of the documents with proposals"
    )

    importing = add("import-log", _IMPORT)
    importing.add_argument("file", type=Path, metavar="FILE", help="the exported session (JSONL)")

    backup = add("backup", _BACKUP)
    backup.add_argument("file", type=Path, metavar="FILE", help="the new file")

    verify = add("verify", _VERIFY)

    models = add("models", _MODELS)
    models.add_argument("--direction", metavar="en-de", help="show the models of this language pair")
    models.add_argument("--update", action="store_true", help="read the list of models from the registry again")
    action = models.add_mutually_exclusive_group()
    action.add_argument(
        "--install", metavar="NAME", help="install a published model, a hub id, a folder, or a ZIP file of a folder"
    )
    action.add_argument("--remove", metavar="NAME", help="remove an installed model")
    models.add_argument("--json", action="store_true", help="the list as JSON lines")
    add_flag(models, "model_registry")

    dependencies = add("dependencies", _DEPENDENCIES)
    dependencies.add_argument("--sbom", type=Path, metavar="FILE", help="write a bill of materials into this new file")

    mcp = add("mcp", _MCP)
    mcp.add_argument(
        "--glossary", type=Path, action="append", metavar="FILE",
        help="required terms: CSV, TSV, XLSX, TBX, MultiTerm XML, UTX or TMX; repeatable, the first has priority",
    )  # fmt: skip
    add_flag(mcp, "model", default=MODEL_FOLDER)
    add_flag(mcp, "threads", default=1)
    add_flag(mcp, "device", default="cpu")

    keys = add("keys", _KEYS)
    actions = keys.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do with keys")
    create = actions.add_parser("create", help="create a key and show it", description="Create a key and show it.")
    create.add_argument("name", metavar="NAME", help="the person or program that gets the key")
    create.add_argument(
        "--requests", type=positive, default=DEFAULT_REQUESTS, metavar="N",
        help=f"most requests a minute (default: {DEFAULT_REQUESTS:,})",
    )  # fmt: skip
    create.add_argument(
        "--characters", type=positive, default=DEFAULT_CHARACTERS, metavar="N",
        help=f"most characters to translate a day, in UTC (default: {DEFAULT_CHARACTERS:,})",
    )  # fmt: skip
    create.add_argument("--may-export", action="store_true", help="also read the sessions of the page")
    create.add_argument("--sign-in", action="store_true", help="also open the page; the log then names the person")
    create.add_argument("--address", default="", metavar="IP", help="also answer requests without a key from here")
    listing = actions.add_parser("list", help="list all keys", description="List all keys, without their texts.")
    listing.add_argument("--json", action="store_true", help="a JSON object for each key")
    revoke = actions.add_parser("revoke", help="make a key void", description="Make a key void at once.")
    revoke.add_argument("number", type=positive, metavar="NUMBER", help="the number that `keys list` shows")

    for command in (stats, export, importing, backup, verify, create, listing, revoke):
        add_flag(command, "log", default=default_log_path())
    return parser
