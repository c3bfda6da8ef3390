"""Settings of the app: flags before variables before a file before defaults, and what is wrong with one."""

from __future__ import annotations

import math
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from app.__main__ import _parse
from app.access.openid import Provider
from app.cli.arguments import parse
from app.errors import AppError
from app.settings import AppSettings, variables_of
from engine.settings import is_of_type


@pytest.fixture(autouse=True)
def without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in fields(AppSettings):
        for variable in variables_of(setting.name):
            monkeypatch.delenv(variable, raising=False)


def written(folder: Path, text: str) -> list[str]:
    """The flags that name a file with this text."""
    path = folder / "pinpoint.toml"
    path.write_text(text, encoding="utf-8")
    return ["--config", str(path)]


def test_flag_goes_before_variable_before_file_before_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place = written(tmp_path, "port = 8001\nthreads = 3\nshutdown-seconds = 5\n")
    monkeypatch.setenv("PORT", "8002")
    monkeypatch.setenv("PINPOINT_THREADS", "4")
    found = _parse([*place, "--threads", "2"])
    assert (found.port, found.threads, found.shutdown_seconds, found.host) == (8002, 2, 5, "127.0.0.1")
    monkeypatch.setenv("PINPOINT_PORT", "8003")
    assert _parse(place).port == 8003
    assert _parse([*place, "--port", "0"]).port == 0, "0 is a port of its own: the system chooses"


VALUES: dict[str, tuple[str, str, Any]] = {
    "port": ("8000", "8000", 8000),
    "api": ("yes", "true", True),
    "no_fill": ("0", "false", False),
    "no_core": ("1", "true", True),
    "allow_host": ("a.example, b.example", '["a.example", "b.example"]', ("a.example", "b.example")),
    "trust_proxy": ("127.0.0.1, 10.0.0.0/8", '["127.0.0.1", "10.0.0.0/8"]', ("127.0.0.1", "10.0.0.0/8")),
    "log_format": ("json", '"json"', "json"),
    "engine": ("ray", '"ray"', "ray"),
    "person_header": ("X-Person", '"X-Person"', "X-Person"),
}


@pytest.mark.parametrize("name", VALUES)
def test_variable_and_file_give_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    text, toml, value = VALUES[name]
    assert getattr(_parse(written(tmp_path, f"{name} = {toml}")), name) == value
    monkeypatch.setenv(variables_of(name)[0], text)
    assert getattr(_parse([]), name) == value


def test_paths_of_a_file_start_at_its_folder_and_models_may_be_names(tmp_path: Path):
    found = _parse(written(tmp_path, 'log = "data/a.sqlite"\nmodel = "firefox-en-pt-tiny"\n'))
    assert (found.log, found.model) == (tmp_path / "data/a.sqlite", Path("firefox-en-pt-tiny"))
    (tmp_path / "own").mkdir()
    assert _parse(written(tmp_path, 'model = "own"')).model == tmp_path / "own"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\n# a comment\nprot = 1\n", "line 3: there is no setting 'prot': did you mean port?"),
        ("[server]\nport = 1\n", "line 1: there is no setting 'server'"),
        ('config = "other.toml"', "there is no setting 'config'"),
        ('port = "80"', "line 1: port is '80'; it must be between 0 and 65535"),
        ("port = true", "port is True; it must be between 0 and 65535"),
        ("api = 1", "api is 1; it must be true or false"),
        ('allow_host = "a"', "it must be a list of texts"),
        ("threads = 0", "line 1: threads is 0; it must be at least 1"),
        ('engine = "there"', "it must be one of here, ray"),
        ("log_format = 3", "it must be one of text, json"),
        ("no_fill = true\nno-fill = false", "line 2: no_fill is given twice"),
        ("port = = 1", "cannot be read as configuration"),
        ("port = 70000", "line 1: port is 70000; it must be between 0 and 65535"),
    ],
)
def test_error_of_a_file_names_the_line_and_the_cure(
    text: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit):
        _parse(written(tmp_path, text))
    assert problem in capsys.readouterr().err


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        ("PINPOINT_API", "maybe", "PINPOINT_API is 'maybe'; it must be one of 1, true, yes, 0, false, no"),
        ("PINPOINT_THREADS", "-1", "PINPOINT_THREADS is '-1'; it must be at least 1"),
        ("PINPOINT_LOG_FORMAT", "xml", "PINPOINT_LOG_FORMAT is 'xml'; it must be one of text, json"),
        ("PINPOINT_CONFIG", "/nowhere/pinpoint.toml", "/nowhere/pinpoint.toml cannot be read as configuration"),
    ],
)
def test_error_of_a_variable_names_it(
    variable: str, value: str, problem: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv(variable, value)
    with pytest.raises(SystemExit):
        _parse([])
    assert problem in capsys.readouterr().err


def test_shown_settings_are_a_file_that_gives_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    flags = ["--port", "8000", "--api", "--allow-host", 'a"b', "--log", str(tmp_path / "a.sqlite")]
    with pytest.raises(SystemExit) as ended:
        _parse([*flags, "--show-config"])
    shown = capsys.readouterr().out
    assert ended.value.code == 0 and "port = 8000  # --port" in shown and "threads = 1  # default" in shown
    assert tomllib.loads(shown)["allow_host"] == ['a"b']
    again = _parse(written(tmp_path, shown))
    given = _parse(flags)
    assert [getattr(again, one.name) for one in fields(AppSettings) if one.name != "config"] == [
        getattr(given, one.name) for one in fields(AppSettings) if one.name != "config"
    ]


def test_commands_use_the_log_of_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PINPOINT_LOG", str(tmp_path / "team.sqlite"))
    assert parse(["people", "list"]).log == tmp_path / "team.sqlite" == _parse([]).log


HOSTILE = (
    None, True, 0, -1, 1.5, 10**30, math.nan, math.inf, "", "10", "\ud800", b"10", [], [None], [1], (1,), (1, "2"),
    {}, {"a": 1}, {"a"}, object(), int, lambda: 1,
)  # fmt: skip


@pytest.mark.parametrize("name", [setting.name for setting in fields(AppSettings)])
def test_every_setting_refuses_hostile_values_by_name_or_has_its_declared_type(name: str):
    declared = get_type_hints(AppSettings)[name]
    refusals: list[str] = []
    for value in HOSTILE:
        try:
            AppSettings(**{name: value})
        except ValueError as error:
            refusals.append(str(error).replace("-", "_"))
            continue
        assert is_of_type(value, declared), (name, value)
    assert len(refusals) >= len(HOSTILE) - 5
    assert [refusal for refusal in refusals if name not in refusal] == []


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("threads", "2", "threads is '2'; it must be a whole number"),
        ("port", True, "port is True; it must be a whole number"),
        ("allow_host", "a.example", "allow_host is 'a.example'; it must be a tuple of a string"),
        ("engine", "there", "engine is 'there'; it must be one of here, ray"),
        ("trust_proxy", ("10.0.0.1/8",), "trust-proxy is '10.0.0.1/8'; it must be an address or a network"),
        ("trust_proxy", ("*",), "trust-proxy is '\\*'; it must be an address or a network"),
        ("shutdown_seconds", -1, "shutdown_seconds is -1; it must be at least 1"),
    ],
)
def test_error_of_a_setting_names_it_with_value_and_cure(name: str, value: object, message: str):
    with pytest.raises(ValueError, match=message):
        AppSettings(**{name: value})


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (["--oidc-client", "pinpoint"], "--oidc-client needs the address of the provider"),
        (["--oidc-issuer", "http://login.example.org", "--oidc-client", "a"], "--oidc-issuer is 'http://login"),
        (["--oidc-issuer", "https://login.example.org"], "give it with --oidc-client"),
        (["--oidc-issuer", "https://a.example", "--oidc-client", "a", "--no-auth"], "--no-auth exclude each other"),
        (["--oidc-issuer", "https://a.example", "--oidc-client", "a", "--oidc-hours", "0"], "at least 1"),
    ],
)
def test_provider_of_sign_ins_needs_https_and_a_client(
    flags: list[str], problem: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit):
        _parse(flags)
    assert problem in capsys.readouterr().err


def test_secret_of_the_provider_is_read_from_its_file(tmp_path: Path):
    file = tmp_path / "oidc.secret"
    flags = ["--oidc-issuer", "https://a.example", "--oidc-client", "a", "--oidc-secret-file", str(file)]
    with pytest.raises(AppError, match="cannot be read"):
        Provider.of(_parse(flags))
    file.write_text("\n", encoding="ascii")
    with pytest.raises(AppError, match="is empty"):
        Provider.of(_parse(flags))
    file.write_text("a secret\n", encoding="ascii")
    provider = Provider.of(_parse([*flags, "--oidc-domain", "@Example.org"]))
    assert provider is not None and (provider.secret, provider.domains) == ("a secret", {"example.org"})
    assert Provider.of(_parse([])) is None
