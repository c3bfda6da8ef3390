"""The app's settings: one frozen dataclass, from which the flags and their help are made."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from app.paths import MODEL_FOLDER, default_log_path

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 7860
LogFormat = Literal["text", "json"]
HOST_VARIABLE: Final = "PINPOINT_HOST"
SHUTDOWN_VARIABLE: Final = "PINPOINT_SHUTDOWN_SECONDS"
LOG_FORMAT_VARIABLE: Final = "PINPOINT_LOG_FORMAT"
LOG_FORMATS: Final[tuple[LogFormat, ...]] = ("text", "json")
REGISTRY_VARIABLE: Final = "PINPOINT_MODEL_REGISTRY"
# Mozilla's public list of Firefox Translations models; the files are on the same server.
DEFAULT_MODEL_REGISTRY: Final = (
    "https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data/db/models.json"
)

_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9-]*")


def positive(text: str) -> int:
    """The value of a flag that is a positive integer."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive integer, found {text!r}")
    return int(text)


def program_name() -> str:
    """The command that the user typed: `pinpoint` if it is installed, else `python -m app`."""
    return "pinpoint" if Path(sys.argv[0]).stem == "pinpoint" else "python -m app"


@dataclass(frozen=True, slots=True)
class AppSettings:
    """The settings of the app at its start. `host` and `port` are also taken from PINPOINT_HOST and PORT.

    A field's metadata are the arguments of its flag. A field whose default is False becomes a switch; at most one
    switch of a `group` may be given. `{default}`, `{log}` and `{program}` in a help text are filled in.
    """

    model: Path = field(
        default=MODEL_FOLDER,
        metadata={
            "help": "a model's folder, or a name that `{program} models` lists (default: the bundled model)",
            "type": Path,
            "metavar": "MODEL",
        },
    )
    direction: str | None = field(
        default=None,
        metadata={
            "help": "language pair of new documents (default: the document's own, else the model's first)",
            "metavar": "en-de",
        },
    )
    document: Path | None = field(
        default=None, metadata={"help": "a document to open (default: the sample)", "type": Path, "metavar": "FILE"}
    )
    glossary: Path | None = field(
        default=None,
        metadata={"help": "a glossary for it: CSV, TSV, XLSX, TBX, UTX or TMX", "type": Path, "metavar": "FILE"},
    )
    log: Path | None = field(
        default=None,
        metadata={"help": "the log file of all sessions (default: {log})", "type": Path, "metavar": "FILE"},
    )
    host: str = field(default=DEFAULT_HOST, metadata={"help": "address to listen on (or PINPOINT_HOST)"})
    allow_host: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "another name under which browsers reach the app, such as a proxy's (may be repeated)",
            "metavar": "NAME",
            "action": "append",
        },
    )
    no_auth: bool = field(
        default=False,
        metadata={"help": "let everybody who reaches the address use the app, without the access token"},
    )
    person_header: str = field(
        default="",
        metadata={
            "help": "header in which a proxy that sends the access token names the person, such as X-Forwarded-User",
            "metavar": "NAME",
        },
    )
    port: int = field(
        default=DEFAULT_PORT,
        metadata={"help": "port to listen on (or PORT); if it is busy, the next free one is used", "type": int},
    )
    shutdown_seconds: int = field(
        default=30,
        metadata={
            "help": "how long requests on their way may take after SIGTERM or Ctrl+C (or PINPOINT_SHUTDOWN_SECONDS; "
            "default: {default}); a second signal ends them at once",
            "type": positive,
            "metavar": "N",
        },
    )
    log_format: LogFormat | None = field(
        default=None,
        metadata={
            "help": "write a line for each event, without texts and names, as text or json (or PINPOINT_LOG_FORMAT; "
            "default: only messages for the person who started the app)",
            "choices": LOG_FORMATS,
        },
    )
    api: bool = field(
        default=False,
        metadata={"help": "answer other programs, too, which need a key each (see `{program} keys`)"},
    )
    threads: int = field(
        default=1,
        metadata={
            "help": "processor threads of the model (default: {default}; more help if cores are idle)",
            "type": positive,
            "metavar": "N",
        },
    )
    device: str = field(
        default="cpu",
        metadata={"help": "where the model runs: cpu, or cuda for a GPU, in 16 bits (default: {default})"},
    )
    engine: str = field(
        default="here",
        metadata={
            "help": "who translates: here, this process; or ray, the copies that `{program} serve` has started "
            "(default: {default})",
            "choices": ("here", "ray"),
        },
    )
    model_registry: str = field(
        default=DEFAULT_MODEL_REGISTRY,
        metadata={
            "help": "address of the list of models that can be downloaded, such as a mirror's (or "
            "PINPOINT_MODEL_REGISTRY; default: Mozilla's Firefox Translations)",
            "metavar": "URL",
        },
    )
    no_fill: bool = field(
        default=False, metadata={"help": "offer exact matches of the translation memory without inserting them"}
    )
    no_browser: bool = field(default=False, metadata={"help": "do not open a browser", "group": "browser"})
    window: bool = field(
        default=False,
        metadata={
            "help": "open the page in its own window (needs Chrome, Edge or another Chromium)",
            "group": "browser",
        },
    )

    def __post_init__(self) -> None:
        """Raises ValueError for a setting that makes no sense."""
        if not 0 <= self.port <= 65535:
            raise ValueError(f"the port is {self.port}; it must be between 0 and 65535")
        if self.log_format not in (None, *LOG_FORMATS):
            raise ValueError(
                f"the format of the log is {self.log_format!r}; it must be one of {', '.join(LOG_FORMATS)}"
            )
        if self.threads < 1:
            raise ValueError(f"--threads is {self.threads}; it must be at least 1")
        if not _HEADER_NAME.fullmatch(self.person_header):
            raise ValueError(f"--person-header is {self.person_header!r}; it must be the name of a header")
        if self.person_header and self.no_auth:
            raise ValueError("--person-header needs the access token: start without --no-auth")
        check_registry(self.model_registry)


def check_registry(address: str) -> str:
    """The address of a list of models; raises ValueError unless it is a web address."""
    try:
        parts = urlsplit(address)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_usable = False
    if not is_usable:
        raise ValueError(f"--model-registry is {address!r}; it must be an http or https address of a models.json")
    return address


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Adds a flag for each setting."""
    groups = {"browser": parser.add_mutually_exclusive_group()}
    for setting in fields(AppSettings):
        add_flag(groups.get(setting.metadata.get("group", ""), parser), setting.name)


def add_flag(parser: argparse._ActionsContainer, name: str, **changes: Any) -> None:
    """Adds the flag of one setting, which is None if it is not given; `changes` replace arguments of the flag."""
    (setting,) = (setting for setting in fields(AppSettings) if setting.name == name)
    arguments = {key: value for key, value in setting.metadata.items() if key != "group"} | changes
    arguments["help"] = arguments["help"].format(
        default=setting.default, log=default_log_path(), program=program_name()
    )
    arguments |= {"action": "store_true"} if setting.default is False else {"default": changes.get("default")}
    parser.add_argument("--" + name.replace("_", "-"), **arguments)


def settings_from(flags: argparse.Namespace, environment: Mapping[str, str]) -> AppSettings:
    """The settings that the flags give, else the environment, else the defaults. Raises ValueError for a wrong one."""
    given = {name: value for name, value in vars(flags).items() if value is not None}
    # Not the variable HOST, which some shells and compilers set; an empty address would mean all of them.
    given["host"] = given.get("host") or environment.get(HOST_VARIABLE) or DEFAULT_HOST
    given["allow_host"] = tuple(given.get("allow_host", ()))
    given.setdefault("model_registry", environment.get(REGISTRY_VARIABLE) or DEFAULT_MODEL_REGISTRY)
    if "port" not in given and (port := environment.get("PORT")) is not None:
        if not port.isdecimal():
            raise ValueError(f"PORT is {port!r}; it must be a number")
        given["port"] = int(port)
    given.setdefault("log_format", environment.get(LOG_FORMAT_VARIABLE) or None)
    if "shutdown_seconds" not in given and (seconds := environment.get(SHUTDOWN_VARIABLE)):
        if not seconds.isdecimal() or int(seconds) < 1:
            raise ValueError(f"{SHUTDOWN_VARIABLE} is {seconds!r}; it must be a positive integer")
        given["shutdown_seconds"] = int(seconds)
    return AppSettings(**given)
