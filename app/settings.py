"""The app's settings: one frozen dataclass, from which the flags and their help are made."""

from __future__ import annotations

import argparse
import ipaddress
import json
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from app.paths import MODEL_FOLDER, default_log_path

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 7860
LogFormat = Literal["text", "json"]
LOG_FORMATS: Final[tuple[LogFormat, ...]] = ("text", "json")
REGISTRY_VARIABLE: Final = "PINPOINT_MODEL_REGISTRY"
# Mozilla's public list of Firefox Translations models; the files are on the same server.
DEFAULT_MODEL_REGISTRY: Final = (
    "https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data/db/models.json"
)

_NOT_IN_FILES: Final = ("config", "show_config")
_SWITCHES: Final = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9-]*")


def positive(text: str) -> int:
    """The value of a flag that is a positive integer."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive integer, found {text!r}")
    return int(text)


def program_name() -> str:
    """The command that the user typed: `pinpoint` if it is installed, otherwise `python -m app`."""
    return "pinpoint" if Path(sys.argv[0]).stem == "pinpoint" else "python -m app"


@dataclass(frozen=True, slots=True)
class AppSettings:
    """The settings of the app at its start: from flags, the environment, or the file `config`, in this order.

    A field's metadata are the arguments of its flag. A field whose default is False becomes a switch; at most one
    switch of a `group` may be given. `{default}`, `{log}` and `{program}` in a help text are filled in.
    """

    config: Path | None = field(
        default=None,
        metadata={
            "help": "a file with settings (TOML), which flags and variables of the environment replace",
            "type": Path,
            "metavar": "FILE",
        },
    )
    show_config: bool = field(
        default=False,
        metadata={"help": "print all settings in the format of this file, with the origin of each value, and exit"},
    )
    model: Path = field(
        default=MODEL_FOLDER,
        metadata={
            "help": "the folder of a model, or a name listed by `{program} models` (default: the bundled model)",
            "type": Path,
            "metavar": "MODEL",
        },
    )
    direction: str | None = field(
        default=None,
        metadata={
            "help": "language pair of new documents (default: that of the document, or else the first one of the "
            "model)",
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
    host: str = field(default=DEFAULT_HOST, metadata={"help": "address to listen on"})
    allow_host: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "another host name under which browsers reach the app, such as the name of a proxy (may be "
            "repeated)",
            "metavar": "NAME",
            "action": "append",
        },
    )
    no_auth: bool = field(
        default=False,
        metadata={"help": "do not ask for the access token: everybody who can reach the address can use the app"},
    )
    person_header: str = field(
        default="",
        metadata={
            "help": "header in which a proxy that sends the access token names the person, such as X-Forwarded-User",
            "metavar": "NAME",
        },
    )
    trust_proxy: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "address or network of a proxy that names the addresses of browsers in X-Forwarded-For, such as "
            "127.0.0.1 (may be repeated)",
            "metavar": "ADDRESS",
            "action": "append",
        },
    )
    port: int = field(
        default=DEFAULT_PORT,
        metadata={
            "help": "port to listen on (also PORT); if it is busy, the next free one is used, with --no-browser none",
            "type": int,
        },
    )
    shutdown_seconds: int = field(
        default=30,
        metadata={
            "help": "the app ends at most so long after SIGTERM or Ctrl+C, at least 1 (default: {default}); running "
            "requests are finished until 5 seconds before; a second signal ends them at once",
            "type": positive,
            "metavar": "N",
        },
    )
    log_format: LogFormat | None = field(
        default=None,
        metadata={
            "help": "write a line for each event, without texts and names, as text or json "
            "(default: only messages for the person who started the app)",
            "choices": LOG_FORMATS,
        },
    )
    api: bool = field(
        default=False,
        metadata={"help": "also answer other programs; each needs a key (see `{program} keys`)"},
    )
    threads: int = field(
        default=1,
        metadata={
            "help": "processor threads of the model (default: {default}; use more if cores are idle)",
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
            "help": "where translation runs: here (this process), or ray (copies started by `{program} serve`) "
            "(default: {default})",
            "choices": ("here", "ray"),
        },
    )
    model_registry: str = field(
        default=DEFAULT_MODEL_REGISTRY,
        metadata={
            "help": "address of the list of models that can be downloaded, such as on a mirror (default: "
            "Mozilla's Firefox Translations)",
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
        """Raises ValueError for a setting of the wrong type, or that makes no sense."""
        from engine import check_types  # here, as the commands that need no engine start faster without it

        check_types(self, ValueError)
        for setting in fields(self):
            choices, value = setting.metadata.get("choices"), getattr(self, setting.name)
            if choices and value is not None and value not in choices:
                raise ValueError(f"{setting.name} is {value!r}; it must be one of {', '.join(choices)}")
        if self.shutdown_seconds < 0:
            raise ValueError(f"--shutdown-seconds is {self.shutdown_seconds}; it must be at least 0")
        if not 0 <= self.port <= 65535:
            raise ValueError(f"the port is {self.port}; it must be between 0 and 65535")
        if self.threads < 1:
            raise ValueError(f"--threads is {self.threads}; it must be at least 1")
        if not _HEADER_NAME.fullmatch(self.person_header):
            raise ValueError(f"--person-header is {self.person_header!r}; it must be the name of a header")
        if self.person_header and self.no_auth:
            raise ValueError("--person-header needs the access token: start without --no-auth")
        for address in self.trust_proxy:
            check_network(address)
        check_registry(self.model_registry)


def check_network(address: str) -> str:
    """The address of a computer or a network; raises ValueError for another text."""
    try:
        ipaddress.ip_network(address)
    except ValueError as error:
        raise ValueError(
            f"--trust-proxy is {address!r}; it must be an address or a network, such as 10.0.0.0/8"
        ) from error
    return address


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


@dataclass(frozen=True, slots=True)
class Given:
    """A setting's value and its origin: `--port`, `PORT`, a line of a file, or "default"."""

    value: Any
    by: str


def settings_from(flags: argparse.Namespace, environment: Mapping[str, str]) -> AppSettings:
    """The settings from flags, the environment, a file, or the defaults, in this order of priority.

    Raises ValueError for a wrong one.
    """
    return AppSettings(**{name: given.value for name, given in given_settings(flags, environment).items()})


def given_settings(flags: argparse.Namespace, environment: Mapping[str, str]) -> dict[str, Given]:
    """Each setting with the origin of its value. Raises ValueError for an unknown or unreadable setting."""
    values = vars(flags)
    found: dict[str, Given] = {}
    by_file: Mapping[str, Given] | None = None
    for setting in fields(AppSettings):
        name, option = setting.name, "--" + setting.name.replace("_", "-")
        # An empty address would mean all networks, so it counts as none.
        value = values.get(name)
        if value is not None and value is not False and value != "":
            found[name] = Given(tuple(value) if isinstance(setting.default, tuple) else value, option)
        elif variable := next((one for one in variables_of(name) if environment.get(one)), None):
            found[name] = Given(_parsed(setting, environment[variable], variable), variable)
        elif by_file is not None and name in by_file:
            found[name] = by_file[name]
        else:
            found[name] = Given(setting.default, "default")
        if name == "config":
            path = found[name].value
            by_file = {} if path is None else _read_file(path)
    return found


def variables_of(name: str) -> tuple[str, ...]:
    """The variables of the environment that give a setting, the first one first.

    Not the variable HOST, which some shells and compilers set.
    """
    own = f"PINPOINT_{name.upper()}"
    return (own, "PORT") if name == "port" else (own,)


def as_toml(given: Mapping[str, Given]) -> str:
    """The settings as a configuration file, each with its origin as a comment."""
    lines = []
    for name, one in given.items():
        if name not in _NOT_IN_FILES:
            is_unset = one.value is None
            value = one.value if isinstance(one.value, bool | int | list | tuple) else str(one.value or "")
            text = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
            lines.append(f"{'# ' if is_unset else ''}{name} = {text}  # {one.by}")
    return "\n".join(lines) + "\n"


def _read_file(path: Path) -> dict[str, Given]:
    """The settings of a TOML file. Paths in it start at its folder. Raises ValueError with the line and the cure."""
    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as configuration: {error}") from error
    known = {setting.name: setting for setting in fields(AppSettings) if setting.name not in _NOT_IN_FILES}
    found = {}
    for key, value in content.items():
        name, place = key.replace("-", "_"), f"{path}, line {_line_of(key, text)}"
        if name not in known:
            similar = get_close_matches(name, known, 1)
            cure = f"did you mean {similar[0]}?" if similar else f"the settings are {', '.join(known)}"
            raise ValueError(f"{place}: there is no setting {key!r}: {cure}")
        if name in found:
            raise ValueError(f"{place}: {name} is given twice: remove one")
        found[name] = Given(_from_file(known[name], value, place), place)
    for name, given in found.items():
        if isinstance(given.value, Path) and (name != "model" or (path.parent / given.value).exists()):
            found[name] = replace(given, value=path.parent / given.value)
    return found


def _line_of(key: str, text: str) -> int:
    line = re.compile(rf"""\s*\[?\s*["']?{re.escape(key)}["']?\s*[=.\]]""")
    return next((number for number, one in enumerate(text.splitlines(), 1) if line.match(one)), 1)


def _from_file(setting: Field[Any], value: Any, place: str) -> Any:
    kind: type = type(setting.default) if isinstance(setting.default, bool | int | tuple) else str
    expected = {bool: "true or false", int: "a number", tuple: "a list of texts in [ ]", str: 'a text in " "'}[kind]
    is_right = type(value) is (list if kind is tuple else kind)
    if not is_right or (kind is tuple and not all(isinstance(part, str) for part in value)):
        raise ValueError(f"{place}: {setting.name} is {value!r}; it must be {expected}")
    if kind is bool or kind is tuple:
        return tuple(value) if kind is tuple else value
    return _parsed(setting, str(value), f"{place}: {setting.name}")


def _parsed(setting: Field[Any], text: str, place: str) -> Any:
    """A setting's value in a text, as its flag reads it."""
    if isinstance(setting.default, bool):
        if text.lower() not in _SWITCHES:
            raise ValueError(f"{place} is {text!r}; it must be one of {', '.join(_SWITCHES)}")
        return _SWITCHES[text.lower()]
    if isinstance(setting.default, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    kind = setting.metadata.get("type", str)
    try:
        value = kind(text)
    except (ValueError, argparse.ArgumentTypeError) as error:
        must = "a number" if kind is int else "a positive integer" if kind is positive else str(error)
        raise ValueError(f"{place} is {text!r}; it must be {must}") from None
    choices = setting.metadata.get("choices")
    if choices and value not in choices:
        raise ValueError(f"{place} is {text!r}; it must be one of {', '.join(choices)}")
    return value
