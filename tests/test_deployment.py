"""The files of `docs/deployment`: every path, flag, variable, port and address in them exists in the project."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.cli.arguments import parse
from app.formats.archive import MAX_ARCHIVE_BYTES
from app.models.registry import MAX_MODEL_BYTES
from app.paths import default_log_path
from app.serving.api_limits import ANSWER_SECONDS, MAX_DOCUMENT_BYTES
from app.serving.session_api import KEEP_ALIVE_SECONDS
from app.settings import AppSettings, add_flags, settings_from, variables_of
from app.ui.server import HEALTH_PATH

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "deployment"


def containerfile() -> str:
    """With continued lines joined."""
    text = (FOLDER / "Containerfile").read_text(encoding="utf-8")
    return re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))


def environment() -> dict[str, str]:
    (line,) = re.findall(r"^ENV (.*)$", containerfile(), re.MULTILINE)
    return dict(pair.split("=", 1) for pair in line.split())


def list_of(instruction: str) -> list[str]:
    found = re.search(rf"^{instruction} (\[.*\])$", containerfile(), re.MULTILINE)
    assert found
    words: list[str] = json.loads(found[1])
    return words


def compose() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
    return content


def kubernetes() -> dict[str, Any]:
    """The resources of kuberay.yaml by kind."""
    content = yaml.safe_load_all((FOLDER / "kuberay.yaml").read_text(encoding="utf-8"))
    return {resource["kind"]: resource for resource in content}


def containers() -> tuple[Any, Any]:
    """The containers of the app and of a model."""
    spec = kubernetes()["RayCluster"]["spec"]
    groups = (spec["headGroupSpec"], *spec["workerGroupSpecs"])
    app, model = (container for group in groups for container in group["template"]["spec"]["containers"])
    return app, model


def commands_of_the_app() -> list[list[str]]:
    """The arguments of each `python -m app` in kuberay.yaml."""
    script = containers()[0]["args"][0].replace("\\\n", " ")
    return [shlex.split(found) for found in re.findall(r"python -m app ([^;\n]*)", script)]


def service() -> dict[str, list[str]]:
    """The values of each directive of pinpoint.service, with continued lines joined."""
    text = (FOLDER / "pinpoint.service").read_text(encoding="utf-8").replace("\\\n", "")
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


def service_variables() -> dict[str, str]:
    return dict(pair.split("=", 1) for line in service()["Environment"] for pair in line.split())


def app_settings(flags: list[str], variables: dict[str, str] | None = None) -> Any:
    """Exits for a flag that the app lacks. The variables are those of the image, unless others are given."""
    parser = argparse.ArgumentParser()
    add_flags(parser)
    return settings_from(parser.parse_args(flags), environment() if variables is None else variables)


@pytest.mark.parametrize(
    "flags",
    [list_of("CMD"), compose()["services"]["pinpoint"]["command"], commands_of_the_app()[1]],
    ids=["image", "compose", "kubernetes"],
)
def test_app_takes_the_flags_and_variables(flags: list[str]) -> None:
    settings = app_settings(flags)
    assert (settings.host, settings.port, settings.log_format) == ("0.0.0.0", 7860, "json")
    assert settings.log.is_relative_to("/data") and not settings.no_auth


def test_variables_are_read_by_the_app_or_its_libraries() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "app").rglob("*.py"))
    code += "".join(path.read_text(encoding="utf-8") for path in (ROOT / "engine").rglob("*.py"))
    own = {name for name in environment() if name.startswith(("PINPOINT_", "XDG_")) or name == "PORT"}
    assert own == {"XDG_DATA_HOME", "PINPOINT_CACHE", "PINPOINT_HOST", "PORT", "PINPOINT_LOG_FORMAT",
                   "PINPOINT_SHUTDOWN_SECONDS"}  # fmt: skip
    of_settings = {variable for setting in fields(AppSettings) for variable in variables_of(setting.name)}
    assert [name for name in own - of_settings - {"XDG_DATA_HOME"} if f'"{name}"' not in code] == []


def test_log_is_on_the_volume_also_without_the_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", environment()["XDG_DATA_HOME"])
    if default_log_path().drive == "" and "Library" not in default_log_path().parts:
        assert default_log_path().is_relative_to("/data")


def test_copied_paths_exist_and_packages_are_checked_by_their_hashes() -> None:
    copied = re.findall(r"^COPY (?!--from)(\S+) ", containerfile(), re.MULTILINE)
    assert copied == ["requirements.lock", "requirements-server.lock", "app", "engine", "data"]
    assert [path for path in copied if not (ROOT / path).exists()] == []
    for lock in ("requirements.lock", "requirements-server.lock"):
        assert f"--require-hashes -r /build/{lock}" in containerfile()


def test_port_and_health_address_equal_the_app() -> None:
    port = environment()["PORT"]
    assert f"EXPOSE {port}" in containerfile()
    assert f"http://127.0.0.1:{port}{HEALTH_PATH}" in containerfile()
    assert f"pinpoint:{port}" in compose()["services"]["proxy"]["command"]


def test_container_is_not_root_and_writes_only_to_its_volume() -> None:
    service = compose()["services"]["pinpoint"]
    assert re.search(r"^USER [1-9]\d*$", containerfile(), re.MULTILINE) and "VOLUME /data" in containerfile()
    assert service["read_only"] and service["volumes"] == ["pinpoint:/data"] and service["cap_drop"] == ["ALL"]
    assert "ports" not in service, "only the proxy is reached from outside"
    grace = int(service["stop_grace_period"].removesuffix("s"))
    assert grace > int(environment()["PINPOINT_SHUTDOWN_SECONDS"])
    build = service["build"]
    assert (FOLDER / build["context"] / build["dockerfile"]).resolve() == FOLDER / "Containerfile"


def test_service_of_systemd_takes_the_flags_and_writes_only_to_its_folder() -> None:
    (command,), (state,) = service()["ExecStart"], service()["StateDirectory"]
    program, *flags = shlex.split(command)
    settings, folder = app_settings(flags, service_variables()), Path("/var/lib") / state
    assert (settings.host, settings.port, settings.api, settings.log_format) == ("127.0.0.1", 7860, True, "json")
    assert not settings.no_auth and settings.no_browser and settings.trust_proxy == ("127.0.0.1",)
    written = {"HOME", "XDG_DATA_HOME", "PINPOINT_CACHE", "PINPOINT_LOG"}
    assert [name for name in written if not Path(service_variables()[name]).is_relative_to(folder)] == []
    assert {*service_variables()} - written == {"PINPOINT_LOG_FORMAT", "PINPOINT_SHUTDOWN_SECONDS"}
    assert int(service()["TimeoutStopSec"][0]) > settings.shutdown_seconds
    guide = (ROOT / "docs" / "administrators.md").read_text(encoding="utf-8")
    assert program in guide and service_variables()["PINPOINT_LOG"] in guide
    assert service()["User"][0] in guide


def test_ray_cluster_runs_the_app_and_copies_of_the_model() -> None:
    cluster, (app, model) = kubernetes()["RayCluster"]["spec"], containers()
    serving, starting = commands_of_the_app()
    flags = parse(serving)
    (workers,) = cluster["workerGroupSpecs"]
    assert (flags.replicas, flags.most_replicas) == (workers["minReplicas"], workers["maxReplicas"])
    assert app_settings(starting).engine == "ray" and app_settings(starting).log.is_relative_to("/data")
    assert f"ray[serve]=={cluster['rayVersion']}\n" in (ROOT / "requirements-server.txt").read_text(encoding="utf-8")
    assert all("$KUBERAY_GEN_RAY_START_CMD" in one["args"][0] for one in (app, model))
    assert cluster["authOptions"] == {"mode": "token"}


def test_kubernetes_reaches_the_app_and_its_volume() -> None:
    resources, (app, _) = kubernetes(), containers()
    (port,) = app["ports"]
    assert str(port["containerPort"]) == environment()["PORT"]
    assert app["readinessProbe"]["httpGet"] == {"path": HEALTH_PATH, "port": port["containerPort"]}
    assert resources["Service"]["spec"]["ports"][0]["targetPort"] == port["name"]
    assert app["volumeMounts"][0]["mountPath"] == "/data"
    pod = resources["RayCluster"]["spec"]["headGroupSpec"]["template"]["spec"]
    claim = resources["PersistentVolumeClaim"]["metadata"]["name"]
    assert pod["volumes"][0]["persistentVolumeClaim"]["claimName"] == claim
    assert pod["terminationGracePeriodSeconds"] > int(environment()["PINPOINT_SHUTDOWN_SECONDS"])
    assert f"USER {pod['securityContext']['runAsUser']}\n" in containerfile()


def test_proxy_of_the_guide_allows_all_requests_of_the_app() -> None:
    guide = (ROOT / "docs" / "administrators.md").read_text(encoding="utf-8")
    for seconds in re.findall(r"proxy_read_timeout (\d+)s;", guide):
        assert int(seconds) > max(ANSWER_SECONDS, KEEP_ALIVE_SECONDS)
    (gigabytes,) = re.findall(r"client_max_body_size (\d+)g;", guide)
    assert int(gigabytes) * 2**30 >= max(MAX_MODEL_BYTES, MAX_ARCHIVE_BYTES)
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", guide)
    assert int(megabytes) * 2**20 >= MAX_DOCUMENT_BYTES


def test_proxy_of_the_guide_passes_on_the_keys_of_programs() -> None:
    """The block of the page replaces `Authorization`."""
    guide = (ROOT / "docs" / "administrators.md").read_text(encoding="utf-8")
    ((addresses, block),) = re.findall(r"location ~ (\S+) \{(.*?)\n    \}", guide, re.DOTALL)
    assert "Authorization" not in block
    paths = ["/api/v1/usage", "/v2/translate", "/v3/languages", "/translate", "//translate", "/languages", "/detect"]
    paths += ["/listPairs", "/list", "/listLanguageNames", "/MTRestService/TranslateJson"]
    assert [path for path in paths if not re.search(addresses, path)] == []
    page = ["/", "/status", "/gradio_api/component_server", "/download/x/log", "/archive/x", "/sign-in", "/account"]
    assert [path for path in page if re.search(addresses, path)] == []
