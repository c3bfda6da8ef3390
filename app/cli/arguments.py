"""The commands, their flags, and what `--help` says of them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from app.paths import MODEL_FOLDER, default_log_path

# What `export` makes, by what is typed for it; "document" is the translated document.
EXPORT_KINDS: Final = {
    "document": "document",
    "jsonl": "log.jsonl",
    "csv": "log.csv",
    "xlsx": "report.xlsx",
    "tmx": "memory.tmx",
    "xliff": "segments.xlf",
    "tbx": "terms.tbx",
}
NEWEST: Final = "newest"

COMMANDS: Final = {
    "translate": "a document in, the same document translated out",
    "stats": "sessions with their figures: words, time, HTER, where the words came from",
    "export": "a session as a document, log, table, workbook, translation memory, XLIFF or term base",
    "import-log": "take an exported session log (JSONL) into the log again",
    "backup": "copy the whole log into a new file, also while the app is running",
}
OVERVIEW: Final = (
    "commands, each with a --help of its own:\n"
    + "".join(f"  {name:<12}{says}\n" for name, says in COMMANDS.items())
    + "\nWithout a command, the app opens in the browser."
)

_EXIT_STATUS = """\
exit status:
  0    done
  1    {partly}
  2    nothing could be done: wrong flags, a file that cannot be read or written
  130  Ctrl-C; nothing was written
"""
_TRANSLATE = """\
Every segment that has no translation yet is translated; what a file has already (XLIFF, PO, TMX, tables) stays. Terms
of the glossary must stand in the translation of each sentence that holds their source. A segment that stands in the
memory gets the translation that it has there; similar texts (70 % and more alike) are counted, not taken. The output
has the format of the input, with nothing else changed, and counts as a draft: in XLIFF and PO nothing is marked as
confirmed. A file that is there already is never written over.

examples:
  python -m app translate manual.docx -o manual.de.docx --glossary terms.tbx --memory project.tmx
  python -m app translate app.po -o app.de.po --model Helsinki-NLP/opus-mt-en-de --threads 4

Progress and what needs a look (terms not met, placeholders lost) go to standard error, by segment.

""" + _EXIT_STATUS.format(partly="written, but some segments need a look: no translation, a term or a placeholder lost")
_STATS = """\
Net time leaves out pauses longer than --idle seconds between two acts of a person. HTER is sacreBLEU's TER of the
first proposal that was seen against the confirmed text, over the segments whose text started from that proposal and
not from the memory or the file. Words are counted at white space; of languages without, such as Chinese, characters.
The log is only read.

examples:
  python -m app stats                  all sessions, the last worked on first
  python -m app stats 12 --idle 30     session 12, with another idle limit
  python -m app stats newest --json    all figures of the newest session, by segment

""" + _EXIT_STATUS.format(partly="not used")
_EXPORT = """\
kinds:
  document   the translated document, in the format it came in: what was confirmed or edited, and with
             --with-proposals also, as drafts, the proposals for all else, as far as they met all that was asked
  jsonl      every event, lossless; `import-log` takes it in again
  csv        a row for each segment: texts, times, effort, counts
  xlsx       an Excel workbook: the sums, the segments, the prices of pins, terms and bans
  tmx        the confirmed segments as a translation memory
  xliff      all segments with their states, whatever the document's format
  tbx        the terms that were made in the session, out of its pins

SESSION is a number as `stats` lists them, or "newest". The log is only read.

example:
  python -m app export newest xlsx -o report.xlsx

""" + _EXIT_STATUS.format(partly="not used")
_IMPORT = """\
The session comes back with all its events, under its old number where that is free. A file that was changed since it
was exported is refused, and so is a session that is in the log already.

example:
  python -m app import-log manual.log.jsonl

""" + _EXIT_STATUS.format(partly="not used")
_BACKUP = """\
The copy is one consistent moment of the log, checked before it counts. To go back to it, stop the app and start it
with --log FILE, or put the copy in the log's place. FILE must not exist. A log of an older Pinpoint, which the app
brings up to date at its next start, is copied as it is.

example:
  python -m app backup backups/2026-01-31.sqlite

""" + _EXIT_STATUS.format(partly="not used")


def program_name() -> str:
    """What the user typed to start the program: `pinpoint` where it is installed, else `python -m app`."""
    return "pinpoint" if Path(sys.argv[0]).stem == "pinpoint" else "python -m app"


def parse(arguments: list[str]) -> argparse.Namespace:
    """The flags of a command; `command` is its name. Exits with status 2 where they make no sense."""
    program = program_name()
    parser = argparse.ArgumentParser(
        prog=program, epilog=OVERVIEW, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, manual: str) -> argparse.ArgumentParser:
        says = COMMANDS[name]
        return commands.add_parser(
            name,
            help=says,
            description=says[0].upper() + says[1:] + ".",
            epilog=manual.replace("python -m app", program),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    translate = add("translate", _TRANSLATE)
    translate.add_argument(
        "document", type=Path, metavar="DOCUMENT", help="TXT, Markdown, DOCX, HTML, XLIFF, PO, TMX, CSV, TSV or SRT"
    )
    translate.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write (DOCUMENT.de.EXT)")
    translate.add_argument(
        "--memory", type=Path, metavar="FILE", help="texts that were translated before: TMX; equal ones are taken"
    )
    translate.add_argument(
        "--glossary", type=Path, action="append", metavar="FILE",
        help="terms that must be used: CSV, TSV, XLSX, TBX, UTX, TMX; give it once per file, the first counts most",
    )  # fmt: skip
    translate.add_argument("--dry-run", action="store_true", help="only say what the glossaries do to the document")
    translate.add_argument(
        "--model", type=Path, default=MODEL_FOLDER, metavar="MODEL", help="folder or hub id (the bundled)"
    )
    translate.add_argument("--direction", metavar="en-de", help="one of the model's directions (the document's)")
    translate.add_argument(
        "--formality",
        choices=("formal", "informal"),
        help="how German speaks to its reader, with Sie or du (as the model likes)",
    )
    translate.add_argument(
        "--domain", metavar="NAME", help="one that the model knows, as `python -m engine models` lists"
    )
    translate.add_argument("--beam", type=_positive, default=10, metavar="N", help="width of the search (10)")
    translate.add_argument("--threads", type=_positive, default=1, metavar="N", help="threads of the model (1)")
    translate.add_argument("--device", default="cpu", help="cuda: on a GPU, in 16 bits (cpu)")

    stats = add("stats", _STATS)
    stats.add_argument("session", nargs="?", metavar="SESSION", help='a number, or "newest"; without: all sessions')
    stats.add_argument("--idle", type=_positive, default=60, metavar="SECONDS", help="a longer pause is no work (60)")
    stats.add_argument("--json", action="store_true", help="everything, for other programs")

    export = add("export", _EXPORT)
    export.add_argument("session", metavar="SESSION")
    export.add_argument("kind", choices=EXPORT_KINDS, metavar="KIND", help=", ".join(EXPORT_KINDS))
    export.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write (named after the document)")
    export.add_argument(
        "--with-proposals", action="store_true", help="in the document, proposals stand where there is no other text"
    )

    importing = add("import-log", _IMPORT)
    importing.add_argument("file", type=Path, metavar="FILE")

    backup = add("backup", _BACKUP)
    backup.add_argument("file", type=Path, metavar="FILE")

    for command in (stats, export, importing, backup):
        command.add_argument("--log", type=Path, default=default_log_path(), help=f"the log ({default_log_path()})")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)
