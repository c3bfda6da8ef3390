"""The commands, their flags and their `--help` texts."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final, get_args

from app.access.rights import ROLES
from app.cli import manuals
from app.errors import GlossaryError
from app.formats.soft_breaks import LineBreaksChoice
from app.glossary.reading.column_uses import Layout, layout_from
from app.glossary.reading.row_checks import RowDecision
from app.glossary.writing import KINDS as GLOSSARY_KINDS
from app.paths import MODEL_FOLDER, default_log_path
from app.serving.api_limits import DEFAULT_CHARACTERS, DEFAULT_REQUESTS, WEBHOOK_EVENTS
from app.settings import add_flag, positive, program_name

# Kinds of `export` on the command line -> names in the app; "document" is the translated document, "zip" several,
# "glossary" a glossary of the document for another tool.
EXPORT_KINDS: Final = {
    "document": "document",
    "jsonl": "log.jsonl",
    "csv": "log.csv",
    "xlsx": "report.xlsx",
    "tmx": "memory.tmx",
    "xliff": "segments.xlf",
    "tbx": "terms.tbx",
    "translog": "translog.xml",
    "tprdb": "tprdb.zip",
    "review": "review.docx",
    "review-open": "review-open.docx",
    "glossary": "glossary",
    "zip": "zip",
}
MEMORY_KINDS: Final = ("tmx", "xlsx", "csv")
NEWEST: Final = "newest"

COMMANDS: Final = {
    "translate": "translate a document, or all documents of a folder, ZIP file or package, into new files of the "
    "same formats",
    "stats": "show statistics of sessions: words, time, HTER, origins of words",
    "export": "export a session as document, log, table, workbook, translation memory, XLIFF, terms, glossary or ZIP",
    "import-review": "show what a reviewer changed in a table for review, and take it over",
    "memory": "export the translation memory of a language pair, or import a translation memory",
    "import-log": "import an exported session (JSONL) into the log",
    "backup": "copy the log and the keys into new files, even while the app is running",
    "verify": "check that the log of each session is complete and unchanged",
    "rescue": "copy the intact parts of a damaged log into a new one",
    "models": "list, download, install and remove translation models",
    "keys": "create, list and revoke the keys of other programs, for the HTTP API",
    "people": "give people roles and passwords, and make them members of projects",
    "assignments": "list assignments of documents to people, assign documents or parts of them, and end assignments",
    "deadlines": "list totals and deadlines of projects and documents, set deadlines, and remove them",
    "usage": "show what projects and API keys used in each month, and give projects budgets",
    "webhooks": "tell other programs that documents were finished, assigned or returned",
    "mcp": "give an assistant three tools (MCP): translate with constraints, look up terms, check",
    "demo": "show the engine and the editor in a page of plain Gradio, without a log",
    "serve": "run a model in several processes or on several machines (Ray Serve)",
    "dependencies": "list the packages that Pinpoint runs with, and their licences",
}
OVERVIEW: Final = (
    "commands (see `COMMAND --help`):\n"
    + "".join(f"  {name:<14}{summary}\n" for name, summary in COMMANDS.items())
    + "\nWithout a command, the app opens in the browser."
)


def parse(arguments: list[str]) -> argparse.Namespace:
    """The parsed flags; `command` is the name of the command. Exits with status 2 for invalid flags."""
    return build_parser().parse_args(arguments)


def _month(text: str) -> str:
    """A month such as 2026-11. Raises ValueError."""
    return datetime.strptime(text, "%Y-%m").strftime("%Y-%m")


def _columns(text: str) -> tuple[int, int]:
    """Two different column numbers, which count from 1, as numbers that count from 0."""
    source, target = (int(number) - 1 for number in text.split(","))
    if min(source, target) < 0 or source == target:
        raise ValueError(text)
    return source, target


def _segment_range(text: str) -> tuple[int, int]:
    """The numbers of the first and the last segment, such as 2-7; one number is both."""
    first, _, last = text.partition("-")
    found = positive(first), positive(last or first)
    if found[0] > found[1]:
        raise ValueError(text)
    return found


def _share(text: str) -> float:
    """A number that is not negative."""
    value = float(text)
    if not 0 <= value < 1000:
        raise ValueError(text)
    return value


def _add_glossary_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--glossary", type=Path, action="append", metavar="FILE",
        help="required terms: CSV, TSV, XLSX, TBX, MultiTerm XML, UTX or TMX; repeatable, the first glossary has "
        "priority",
    )  # fmt: skip
    parser.add_argument(
        "--glossary-proposals", choices=get_args(RowDecision), default="leave",
        help="what to do with rows of glossaries that list alternatives, have articles, labels or markup, or whose "
             "source is in every sentence: accept the proposal for the row, keep the row as it is, or leave it out and "
             "report it (default: leave)",
    )  # fmt: skip


def _add_model_flags(parser: argparse.ArgumentParser) -> None:
    add_flag(parser, "model", default=MODEL_FOLDER)
    add_flag(parser, "threads", default=1)
    add_flag(parser, "device", default="cpu")
    add_flag(parser, "no_core")


def _add_log_flag(*parsers: argparse.ArgumentParser) -> None:
    for parser in parsers:
        add_flag(parser, "log", default=default_log_path())


def _adder_of_actions(parser: argparse.ArgumentParser, what: str) -> Callable[[str, str], argparse.ArgumentParser]:
    """A function that adds an action, such as `create` of `keys`, with what it does."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help=what)
    return lambda name, summary: actions.add_parser(name, help=summary, description=_sentence(summary))


def _sentence(summary: str) -> str:
    return f"{summary[0].upper()}{summary[1:]}."


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
            description=_sentence(summary),
            epilog=manual.replace("python -m app", program),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    translate = add("translate", manuals.TRANSLATE)
    translate.add_argument(
        "document",
        type=Path,
        metavar="DOCUMENT",
        help="a file of any format that the app opens, a folder or a ZIP file",
    )
    translate.add_argument("-o", "--output", type=Path, metavar="FILE", help="output (default: DOCUMENT.de.EXT)")
    translate.add_argument(
        "--memory", type=Path, metavar="FILE",
        help="translation memory (TMX, SDLTM, XLSX, CSV or TSV); exact matches are used",
    )  # fmt: skip
    _add_glossary_flags(translate)
    translate.add_argument(
        "--glossary-columns", type=_glossary_columns, action="append", metavar="USES",
        help="the uses of the columns of a glossary table, such as source,ignore,target,note; with header: in front "
             "if the first row has names (default: by these names); repeatable, in the order of the glossaries",
    )  # fmt: skip
    translate.add_argument(
        "--encoding", metavar="NAME", help="encoding of a text file, such as cp1250 (default: UTF-8, or detected)"
    )
    translate.add_argument(
        "--columns", type=_columns, metavar="S,T",
        help="numbers of the columns of a table with sources and targets, such as 2,3 (default: by the header)",
    )  # fmt: skip
    translate.add_argument(
        "--also", type=lambda names: tuple(names.split(",")), metavar="TEXTS",
        help="texts of a Word document to translate too, separated by commas: comments, charts, diagrams, properties, "
        "hidden (index entries, prompts and tips, lists of choices, WordArt), placeholders (of content controls); of "
        "XLIFF: locked (locked segments are read, and stay as they are)",
    )  # fmt: skip
    translate.add_argument(
        "--rule", action="append", metavar="RULE",
        help="which parts of JSON, YAML or XML are translated, such as 'skip **.id', 'translate items.*.title', "
             "'inline b', 'paragraph note' or 'translate img/@alt'; repeatable; if several match, the last one "
             "applies",
    )  # fmt: skip
    translate.add_argument(
        "--segments", choices=("sentence", "paragraph"), default="sentence",
        help="the unit of a segment; files with sources and targets keep their segments (default: sentence)",
    )  # fmt: skip
    translate.add_argument(
        "--line-breaks", choices=get_args(LineBreaksChoice), default="automatic",
        help="whether a line break inside a paragraph ends a segment: by the lines around it, always, or never "
             "(default: automatic)",
    )  # fmt: skip
    translate.add_argument(
        "--srx", type=Path, metavar="FILE",
        help="segmentation rules (SRX); Pinpoint's own rules are used for languages without rules in the file",
    )  # fmt: skip
    translate.add_argument(
        "--strict", action="store_true",
        help="exit with status 3 if text is not offered, an encoding is guessed, or the model cannot read a character",
    )  # fmt: skip
    translate.add_argument(
        "--dry-run", action="store_true", help="only report which terms of the glossaries occur in the document"
    )
    translate.add_argument(
        "--then", type=Path, metavar="MODEL",
        help="a second model, which translates the output of the first one, for language pairs that no single model "
             "supports, such as pt-de through English",
    )  # fmt: skip
    add_flag(
        translate, "direction", help="language pair (default: that of the document, or else the first one of the model)"
    )
    translate.add_argument(
        "--formality", choices=("formal", "informal"),
        help="form of address in German: formal (Sie) or informal (du) (default: the model decides)",
    )  # fmt: skip
    translate.add_argument("--domain", metavar="NAME", help="a domain of the model, see `python -m engine models`")
    translate.add_argument(
        "--no-numbers", action="store_true",
        help="do not require the numbers, dates and times of the source, in the format of the target language",
    )  # fmt: skip
    translate.add_argument("--beam", type=positive, default=10, metavar="N", help="beam size (default: 10)")
    _add_model_flags(translate)

    stats = add("stats", manuals.STATS)
    stats.add_argument("session", nargs="?", metavar="SESSION", help='a number, or "newest" (default: all sessions)')
    stats.add_argument(
        "--idle", type=positive, default=60, metavar="SECONDS",
        help="longest pause in seconds that counts as work (default: 60)",
    )  # fmt: skip
    stats.add_argument("--json", action="store_true", help="all figures as JSON")

    export = add("export", manuals.EXPORT)
    export.add_argument("session", metavar="SESSION", help='a number, or "newest"')
    export.add_argument("kind", choices=EXPORT_KINDS, metavar="KIND", help=", ".join(EXPORT_KINDS))
    export.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="output file (default: named after the document)"
    )
    export.add_argument(
        "--with-proposals", action="store_true", help="fill untranslated segments of the documents with proposals"
    )
    export.add_argument(
        "--with-comments", action="store_true",
        help="with document: write comments on segments into Word documents, too; bilingual files always have them",
    )  # fmt: skip
    export.add_argument(
        "--as", dest="tool", choices=GLOSSARY_KINDS, metavar="TOOL",
        help=f"with glossary: the columns to write: {', '.join(GLOSSARY_KINDS)} (default: csv)",
    )  # fmt: skip
    export.add_argument(
        "--rows", default="", metavar="NUMBERS", help="with review: only these segments, such as 1-40,57"
    )
    export.add_argument(
        "--states", default="", metavar="STATES",
        help="with review: only segments in these states: new, pretranslated, edited, confirmed, approved, "
        "returned, locked",
    )  # fmt: skip
    export.add_argument("--named", metavar="NAME", help="with glossary: which one (default: the only one)")

    reviewed = add("import-review", manuals.IMPORT_REVIEW)
    reviewed.add_argument("session", metavar="SESSION", help='a number, or "newest"')
    reviewed.add_argument("file", type=Path, metavar="FILE", help="the Word document that came back")
    reviewed.add_argument("--apply", action="store_true", help="take over the changes without a problem")

    memory = add("memory", manuals.MEMORY)
    action = _adder_of_actions(memory, "what to do")
    saving = action("export", "write the memory to a file")
    saving.add_argument("kind", choices=MEMORY_KINDS, metavar="KIND", help=", ".join(MEMORY_KINDS))
    saving.add_argument("-o", "--output", type=Path, metavar="FILE", help="output file (default: memory.en-de.KIND)")
    reading = action("import", "import a translation memory (TMX, SDLTM, XLSX, CSV or TSV)")
    reading.add_argument("file", type=Path, metavar="FILE", help="the translation memory")
    reading.add_argument(
        "--project", type=positive, default=0, metavar="NUMBER",
        help="a number that `people projects` shows (default: for all projects)",
    )  # fmt: skip
    for command in (saving, reading):
        add_flag(command, "direction", help="the language pair", required=True)

    importing = add("import-log", manuals.IMPORT)
    importing.add_argument("file", type=Path, metavar="FILE", help="the exported session (JSONL)")

    backup = add("backup", manuals.BACKUP)
    backup.add_argument("file", type=Path, metavar="FILE", help="the new file")

    verify = add("verify", manuals.VERIFY)

    rescue = add("rescue", manuals.RESCUE)
    rescue.add_argument("file", type=Path, metavar="FILE", help="the new log")

    models = add("models", manuals.MODELS)
    models.add_argument("--direction", metavar="en-de", help="show the models for this language pair")
    models.add_argument("--update", action="store_true", help="read the list of models from the registry again")
    change = models.add_mutually_exclusive_group()
    change.add_argument(
        "--install", metavar="NAME", help="install a published model, a hub id, a folder, or a ZIP file of a folder"
    )
    change.add_argument("--remove", metavar="NAME", help="remove an installed model")
    models.add_argument("--json", action="store_true", help="the list as JSON lines")
    add_flag(models, "model_registry")

    serve = add("serve", manuals.SERVE)
    _add_model_flags(serve)
    serve.add_argument("--replicas", type=positive, default=1, metavar="N", help="copies of the model (default: 1)")
    serve.add_argument(
        "--most-replicas", type=positive, metavar="N",
        help="largest number of copies; more are started when the load is high",
    )  # fmt: skip
    serve.add_argument(
        "--gpus", type=_share, default=0.0, metavar="X", help="share of a GPU for each copy, such as 0.25"
    )

    dependencies = add("dependencies", manuals.DEPENDENCIES)
    dependencies.add_argument("--sbom", type=Path, metavar="FILE", help="write a bill of materials into this new file")

    mcp = add("mcp", manuals.MCP)
    _add_glossary_flags(mcp)
    _add_model_flags(mcp)

    demo = add("demo", manuals.DEMO)
    add_flag(demo, "model")
    add_flag(demo, "host", default="127.0.0.1")
    add_flag(demo, "port", default=7870)

    keys = add("keys", manuals.KEYS)
    action = _adder_of_actions(keys, "action on keys")
    create = action("create", "create a key and show it")
    create.add_argument("name", metavar="NAME", help="the person or program that gets the key")
    create.add_argument(
        "--requests", type=positive, default=DEFAULT_REQUESTS, metavar="N",
        help=f"maximum number of requests per minute (default: {DEFAULT_REQUESTS:,})",
    )  # fmt: skip
    create.add_argument(
        "--characters", type=positive, default=DEFAULT_CHARACTERS, metavar="N",
        help=f"maximum number of characters to translate per day, in UTC (default: {DEFAULT_CHARACTERS:,})",
    )  # fmt: skip
    create.add_argument("--may-export", action="store_true", help="also read the sessions of the page")
    create.add_argument("--sign-in", action="store_true", help="also open the page; the log then names the person")
    create.add_argument(
        "--role", choices=ROLES, help="with --sign-in: the role of the person (default: translator), see `people`"
    )
    create.add_argument(
        "--address", default="", metavar="IP", help="also answer requests without a key from this address"
    )
    create.add_argument(
        "--expires", default="", metavar="DATE", help="last day on which the key is valid (UTC), such as 2027-01-31"
    )
    create.add_argument(
        "--only-from", action="append", default=[], metavar="NETWORK",
        help="address or network from which the key can be used, such as 10.0.0.0/8 (may be repeated)",
    )  # fmt: skip
    listing = action("list", "list all keys, without their texts")
    listing.add_argument("--json", action="store_true", help="a JSON object for each key")
    revoke = action("revoke", "revoke a key immediately")
    revoke.add_argument("number", type=positive, metavar="NUMBER", help="the number that `keys list` shows")

    people = add("people", manuals.PEOPLE)
    action = _adder_of_actions(people, "action on people")
    roles = action("add", "give a person a role")
    removal = action("remove", "remove role, projects and password of a person, and revoke all their keys")
    forgetting = action(
        "forget", "delete keys and password of a person, and replace their name in the log by a pseudonym"
    )
    events = action("events", "write the events of a person in all documents to a file (JSON lines)")
    events.add_argument("-o", "--output", type=Path, metavar="FILE", help="output file (default: events.jsonl)")
    join = action("join", "make a person a member of projects")
    leave = action("leave", "end the membership in projects")
    password = action("password", "ask for a new password of a person, who is then signed out everywhere")
    password.add_argument("--delete", action="store_true", help="remove the password instead")
    signing_out = action("sign-out", "end all sign-ins of a person with a password or OpenID Connect")
    named = (roles, removal, forgetting, events, join, leave, password, signing_out)
    for command in named:
        command.add_argument("name", metavar="NAME", help="the name of the person")
    roles.add_argument("--role", choices=ROLES, default="translator", help="the role (default: translator)")
    roles.add_argument(
        "--project", type=positive, action="append", metavar="NUMBER", help="a project of theirs; repeatable"
    )
    for command in (join, leave):
        command.add_argument(
            "projects", type=positive, nargs="+", metavar="PROJECT", help="a number that `people projects` shows"
        )
    listed = action("list", "list all people with a role")
    listed.add_argument("--json", action="store_true", help="a JSON object for each person")
    known = action("projects", "list all projects, by number")

    assignments = add("assignments", manuals.ASSIGNMENTS)
    action = _adder_of_actions(assignments, "what to do")
    shown = action("list", "list the assignments")
    shown.add_argument("session", type=positive, nargs="?", metavar="SESSION", help="only this document")
    shown.add_argument("--json", action="store_true", help="a JSON object for each document")
    giving = action("assign", "assign a document, or a part of it")
    taking = action("take-back", "end the assignment of a document, or of a part of it")
    for command in (giving, taking):
        command.add_argument("session", type=positive, metavar="SESSION", help="a number that `assignments list` shows")
        command.add_argument(
            "--part", type=_segment_range, metavar="FIRST-LAST",
            help="only these segments, such as 1-40, as the page numbers them (default: the document, not its parts)",
        )  # fmt: skip
    giving.add_argument("name", metavar="NAME", help="a member of the document's project")

    deadlines = add("deadlines", manuals.DEADLINES)
    action = _adder_of_actions(deadlines, "what to do")
    due = action("list", "list what is to do in projects and documents, and when it is due")
    due.add_argument("project", type=positive, nargs="?", metavar="PROJECT", help="only this project")
    due.add_argument("--json", action="store_true", help="a JSON object for each project")
    dating = action("set", "set the deadline of a project or of a document")
    dating.add_argument(
        "time", metavar="TIME", help="such as 2026-12-04T17:00 in this computer's time zone, or 2026-12-04T17:00+01:00"
    )
    undating = action("remove", "remove a deadline; a document then has that of its project")
    for command in (dating, undating):
        whose = command.add_mutually_exclusive_group(required=True)
        whose.add_argument("--project", type=positive, metavar="NUMBER", help="a number that `people projects` shows")
        whose.add_argument("--session", type=positive, metavar="SESSION", help="a number that `assignments list` shows")
    _add_log_flag(due, dating, undating)

    usage = add("usage", manuals.USAGE)
    action = _adder_of_actions(usage, "what to do")
    used = action("list", "list the usage by month (UTC)")
    used.add_argument("--month", type=_month, metavar="YYYY-MM", help="only this month")
    used.add_argument("--json", action="store_true", help="a JSON object for each project and each key")
    used.add_argument("--csv", type=Path, metavar="FILE", help="write the usage of projects to this new file")
    budget = action("budget", "limit the words that are opened in a project in a month")
    budget.add_argument("project", type=positive, metavar="PROJECT", help="a number that `people projects` shows")
    limit = budget.add_mutually_exclusive_group(required=True)
    limit.add_argument("words", type=positive, nargs="?", metavar="WORDS", help="the budget")
    limit.add_argument("--none", action="store_true", help="remove the budget")
    _add_log_flag(used, budget)

    webhooks = add("webhooks", manuals.WEBHOOKS)
    action = _adder_of_actions(webhooks, "action on webhooks")
    adding = action("add", "add a webhook and show its secret")
    adding.add_argument("url", metavar="URL", help="where the deliveries are sent, such as https://example.org/hook")
    adding.add_argument(
        "--event", choices=WEBHOOK_EVENTS, action="append", default=[], help="only these events; repeatable"
    )
    adding.add_argument("--project", type=positive, default=0, metavar="NUMBER", help="only documents of this project")
    adding.add_argument(
        "--private", action="store_true", help="also allow addresses inside the network, and http without encryption"
    )
    watched = action("list", "list all webhooks, without their secrets")
    watched.add_argument("--json", action="store_true", help="a JSON object for each webhook")
    ending, testing = action("remove", "remove a webhook"), action("test", "send a delivery with the event test")
    for command in (ending, testing):
        command.add_argument("number", type=positive, metavar="NUMBER", help="the number that `webhooks list` shows")

    _add_log_flag(adding, watched, ending, testing)
    _add_log_flag(stats, export, reviewed, saving, reading, importing, backup, verify, rescue, create, listing, revoke)
    _add_log_flag(*named, listed, known, shown, giving, taking)
    return parser
