"""The app's settings: one frozen dataclass, from which the flags and their help are made."""

from __future__ import annotations

import argparse
import ipaddress
import json
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from app.paths import MODEL_FOLDER, default_log_path
from engine import Setting, check_settings, check_types, setting, settings_of

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 7860
LogFormat = Literal["text", "json"]
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

    `{default}`, `{log}` and `{program}` in a help text are filled in.
    """

    config: Path | None = setting(
        None, "a file with settings (TOML), which flags and variables of the environment replace", metavar="FILE"
    )
    show_config: bool = setting(
        False, "print all settings in the format of this file, with the origin of each value, and exit"
    )
    model: Path = setting(
        MODEL_FOLDER,
        "the folder of a model, a GGUF file, or a name listed by `{program} models` (default: the bundled model)",
        metavar="MODEL",
    )
    direction: str | None = setting(
        None,
        "language pair of new documents (default: that of the document, or else the first one of the model)",
        metavar="en-de",
    )
    document: Path | None = setting(None, "a document to open (default: the sample)", metavar="FILE")
    glossary: Path | None = setting(None, "a glossary for it: CSV, TSV, XLSX, TBX, UTX or TMX", metavar="FILE")
    log: Path | None = setting(None, "the log file of all sessions (default: {log})", metavar="FILE")
    host: str = setting(DEFAULT_HOST, "address to listen on")
    allow_host: tuple[str, ...] = setting(
        (),
        "another host name under which browsers reach the app, such as the name of a proxy (may be repeated)",
        metavar="NAME",
        is_repeated=True,
    )
    no_auth: bool = setting(
        False, "do not ask for the access token: everybody who can reach the address can use the app"
    )
    person_header: str = setting(
        "",
        "header in which a proxy that sends the access token names the person, such as X-Forwarded-User",
        metavar="NAME",
    )
    trust_proxy: tuple[str, ...] = setting(
        (),
        "address or network of a proxy that names the addresses of browsers in X-Forwarded-For, such as 127.0.0.1"
        " (may be repeated)",
        metavar="ADDRESS",
        is_repeated=True,
    )
    oidc_issuer: str = setting(
        "",
        "address of a provider of OpenID Connect with which people sign in, such as https://login.example.org",
        metavar="URL",
    )
    oidc_client: str = setting("", "the id that the provider has given this server", metavar="ID")
    oidc_secret_file: Path | None = setting(
        None, "a file with the secret that the provider has given this server, if it has", metavar="FILE"
    )
    oidc_claim: str = setting(
        "email",
        "claim with a person's name, such as preferred_username; people must not be able to choose it (default: "
        "{default})",
        metavar="NAME",
    )
    oidc_group: tuple[str, ...] = setting(
        (),
        "a group of the provider whose members may sign in (may be repeated); people with a role may always",
        metavar="NAME",
        is_repeated=True,
    )
    oidc_groups_claim: str = setting("groups", "claim with the groups of a person (default: {default})", metavar="NAME")
    oidc_domain: tuple[str, ...] = setting(
        (),
        "domain of e-mail addresses with which people may sign in, such as example.org (may be repeated)",
        metavar="NAME",
        is_repeated=True,
    )
    oidc_hours: int = setting(
        12, "after so many hours, people sign in with the provider again (default: {default})", metavar="N", minimum=1
    )
    port: int = setting(
        DEFAULT_PORT,
        "port to listen on (also PORT); if it is busy, the next free one is used, with --no-browser none",
        minimum=0,
        maximum=65535,
    )
    shutdown_seconds: int = setting(
        30,
        "the app ends at most so long after SIGTERM or Ctrl+C, at least 1 (default: {default}); running requests "
        "are finished until 5 seconds before; a second signal ends them at once",
        metavar="N",
        minimum=1,
    )
    log_format: LogFormat | None = setting(
        None,
        "write a line for each event, without texts and names, as text or json (default: only messages for the "
        "person who started the app)",
    )
    tracing: bool = setting(
        False,
        "send traces of requests to the collector that the variables of OpenTelemetry name (needs the extra tracing; "
        "also with OTEL_TRACES_EXPORTER=otlp)",
    )
    api: bool = setting(False, "also answer other programs; each needs a key (see `{program} keys`)")
    threads: int = setting(
        1, "processor threads of the model (default: {default}; use more if cores are idle)", metavar="N", minimum=1
    )
    no_core: bool = setting(False, "decode in PyTorch in 32 bits instead of in the compiled core")
    device: str = setting("cpu", "where the model runs: cpu, or cuda for a GPU, in 16 bits (default: {default})")
    engine: Literal["here", "ray"] = setting(
        "here",
        "where translation runs: here (this process), or ray (copies started by `{program} serve`) (default: "
        "{default})",
    )
    model_registry: str = setting(
        DEFAULT_MODEL_REGISTRY,
        "address of the list of models that can be downloaded, such as on a mirror (default: Mozilla's Firefox "
        "Translations)",
        metavar="URL",
    )
    no_fill: bool = setting(False, "offer exact matches of the translation memory without inserting them")
    no_browser: bool = setting(False, "do not open a browser")
    window: bool = setting(False, "open the page in its own window (needs Chrome, Edge or another Chromium)")

    def __post_init__(self) -> None:
        """Raises ValueError for a setting of the wrong type, or that makes no sense."""
        check_types(self, ValueError)
        check_settings(self, ValueError)
        if not _HEADER_NAME.fullmatch(self.person_header):
            raise ValueError(f"--person-header is {self.person_header!r}; it must be the name of a header")
        if self.person_header and self.no_auth:
            raise ValueError("--person-header needs the access token: start without --no-auth")
        self._check_provider()
        for address in self.trust_proxy:
            check_network(address)
        check_registry(self.model_registry)

    def _check_provider(self) -> None:
        if not self.oidc_issuer:
            for name in ("oidc_client", "oidc_secret_file", "oidc_group", "oidc_domain"):
                if getattr(self, name):
                    flag = _SETTINGS[name].option_string
                    raise ValueError(f"{flag} needs the address of the provider: give it with --oidc-issuer")
            return
        if not is_safe_address(self.oidc_issuer):
            raise ValueError(f"--oidc-issuer is {self.oidc_issuer!r}; it must be an https address")
        if not self.oidc_client:
            raise ValueError("--oidc-issuer needs the id of this server at the provider: give it with --oidc-client")
        if self.no_auth or self.person_header:
            other = "--no-auth" if self.no_auth else "--person-header"
            raise ValueError(f"--oidc-issuer and {other} exclude each other: choose one way to sign in")


_SETTINGS: Final = {entry.name: entry for entry in settings_of(AppSettings)}


def check_network(address: str) -> str:
    """The address of a computer or a network; raises ValueError for another text."""
    try:
        ipaddress.ip_network(address)
    except ValueError as error:
        raise ValueError(
            f"--trust-proxy is {address!r}; it must be an address or a network, such as 10.0.0.0/8"
        ) from error
    return address


def is_safe_address(address: str) -> bool:
    """True for a web address to which secrets may be sent: by https, or on this computer."""
    try:
        parts = urlsplit(address)
        is_local = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
        return bool(parts.hostname) and (parts.scheme == "https" or is_local)
    except ValueError:
        return False


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
    either = parser.add_mutually_exclusive_group()
    for name in _SETTINGS:
        add_flag(either if name in ("no_browser", "window") else parser, name)


def add_flag(parser: argparse._ActionsContainer, name: str, **changes: Any) -> None:
    """Adds the flag of one setting, which is None if it is not given; `changes` replace arguments of the flag."""
    entry = _SETTINGS[name]
    meaning = help_of(entry, log=default_log_path(), program=program_name())
    arguments: dict[str, Any] = {"default": None, "help": meaning}
    if entry.kind is not bool:
        arguments["type"] = _flag_value(name) if entry.kind is int else Path if entry.kind is Path else None
    entry.add_flag(parser, **arguments | changes)


@cache
def _flag_value(name: str) -> Callable[[str], Any]:
    """Reads the value of a flag, as `type` of argparse does."""

    def read(text: str) -> Any:
        try:
            return _value_of(_SETTINGS[name], text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{text!r} is not possible; {error}") from None

    return read


def help_of(entry: Setting, log: object, program: str) -> str:
    """The meaning of a setting; the place of the log and the name of the program are filled in."""
    return entry.help.format(default=entry.default, log=log, program=program)


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
    for name, entry in _SETTINGS.items():
        # An empty address would mean all networks, so it counts as none.
        value = values.get(name)
        if value is not None and value is not False and value != "":
            found[name] = Given(tuple(value) if entry.is_repeated else value, entry.option_string)
        elif variable := next((one for one in variables_of(name) if environment.get(one)), None):
            found[name] = Given(_parsed(entry, environment[variable], variable), variable)
        elif by_file is not None and name in by_file:
            found[name] = by_file[name]
        else:
            found[name] = Given(entry.default, "default")
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
    known = {name: entry for name, entry in _SETTINGS.items() if name not in _NOT_IN_FILES}
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


def _from_file(entry: Setting, value: Any, place: str) -> Any:
    problem = None
    if entry.kind is tuple:
        is_right = isinstance(value, list) and all(isinstance(part, str) for part in value)
        problem, value = None if is_right else "it must be a list of texts in [ ]", tuple(value) if is_right else value
    elif entry.kind is bool:
        problem = None if isinstance(value, bool) else "it must be true or false"
    else:
        value = Path(value) if entry.kind is Path and isinstance(value, str) else value
        problem = entry.problem_of(value)
    if problem:
        raise ValueError(f"{place}: {entry.name} is {value!r}; {problem}")
    return value


def _parsed(entry: Setting, text: str, place: str) -> Any:
    """The value of a setting in a variable of the environment."""
    if entry.kind is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    try:
        return _value_of(entry, text)
    except ValueError as error:
        raise ValueError(f"{place} is {text!r}; {error}") from None


def _value_of(entry: Setting, text: str) -> Any:
    """The value in a text. The message of the ValueError is the end of a sentence: "it must be at least 1"."""
    if entry.kind is bool:
        if text.lower() not in _SWITCHES:
            raise ValueError(f"it must be one of {', '.join(_SWITCHES)}")
        return _SWITCHES[text.lower()]
    value: Any = text
    with suppress(ValueError):  # `problem_of` names the type
        value = entry.kind(text)
    if problem := entry.problem_of(value):
        raise ValueError(problem)
    return value
