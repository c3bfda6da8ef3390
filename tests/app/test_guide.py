"""The commands that the administrator's guide prints, run as they are: from a shell, against a running app."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import deepl
import docx
import httpx
import pytest
from libretranslatepy import LibreTranslateAPI

from app.access.actor import OWNER
from app.log.store import LogStore
from app.paths import MODEL_FOLDER
from app.projects import Projects
from tests.app.test_mcp import Assistant
from tests.e2e.conftest import ForkedApp

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "administrators.md").read_text(encoding="utf-8")
BLOCKS = [
    re.sub(r"^ {4}", "", block, flags=re.MULTILINE)
    for block in re.findall(r"(?:(?<=\n\n)|(?<=^))(?: {4}.*\n)(?: {4}.*\n|\n(?= {4}))*", GUIDE)
]
PASSWORD = "seven green bicycles"
PRINTED = "http://127.0.0.1:7860"  # the address that the guide prints


def printed(text: str) -> list[str]:
    """The commands of the code blocks that contain a text; comments are left out."""
    found = [block for block in BLOCKS if text in block]
    assert found, f"the guide prints no {text!r}"
    lines = [line for block in found for line in block.replace("\\\n", " ").splitlines()]
    return [command for line in lines if (command := re.sub(r"(^|\s+)#.*", "", line).strip())]


class Shell:
    """Runs commands of the guide in a folder, with `pinpoint` on its path and the address of a running app."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address
        program = folder / "bin" / "pinpoint"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m app "$@"\n')
        program.chmod(0o755)
        self.variables = {
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PINPOINT_LOG": str(folder / "sessions.sqlite"),
            "PINPOINT_CACHE": str(folder / "cache"),
        }

    def run(self, command: str, *, typed: str = "", variables: Mapping[str, str] | None = None, **replaced: str) -> str:
        """What a printed command writes. `replaced` are places in it that a reader fills in."""
        for name, value in {PRINTED: self.address, **replaced}.items():
            command = command.replace(name, value)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env={**os.environ, **self.variables, **(variables or {})},
            input=typed,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def json(self, command: str, **replaced: str) -> Any:
        return json.loads(self.run(command, **replaced))


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkedApp]:
    folder = tmp_path_factory.mktemp("guide")
    app = ForkedApp(MODEL_FOLDER, folder / "sessions.sqlite", "--api")
    yield app
    app.stop()


@pytest.fixture(scope="module")
def shell(app: ForkedApp) -> Shell:
    end = time.monotonic() + 120
    while httpx.get(f"{app.url}/healthz").json()["status"] == "starting":  # the page is there before the model
        assert time.monotonic() < end
        time.sleep(0.1)
    return Shell(app.log.parent, app.url)


@pytest.fixture(scope="module")
def key(shell: Shell) -> str:
    """A key of Ana that may do what the examples of the API do."""
    shell.variables["KEY"] = shell.run("pinpoint keys create Ana --may-export").strip()
    return shell.variables["KEY"]


@pytest.fixture(scope="module")
def document(shell: Shell, key: str) -> Any:
    """What the server says about a document of 40 segments that was sent, once it is translated."""
    write_document(shell.folder / "manual.docx")
    send, show, _ = printed("/api/v1/documents ")
    document = shell.json(send)
    end = time.monotonic() + 120
    while document["state"] == "translating":
        assert time.monotonic() < end
        document = shell.json(show, ID=document["id"])
    return document


def test_each_printed_request_is_run_here() -> None:
    own = [f"/api/v1/{name}" for name in ("translate", "documents", "assignments", "projects", "sessions/3/deadline")]
    run_here = ("/healthz", *own, "/tmserver/")
    requests = [command for command in printed("curl ") if command.startswith("curl ")]
    assert [command for command in requests if not any(path in command for path in run_here)] == []


def test_health_is_asked_for(shell: Shell) -> None:
    (command,) = printed("/healthz")
    assert shell.json(command)["status"] in ("ok", "starting")


@pytest.mark.usefixtures("key")
def test_texts_are_translated_with_curl(shell: Shell) -> None:
    (command,) = printed("/api/v1/translate -H")
    (answer,) = shell.json(command)["texts"]
    assert answer["status"] == "complete" and len(answer["translations"]) == 3
    assert all("Dokument" in each["text"] for each in answer["translations"])


def test_documents_are_translated_with_curl(shell: Shell, document: Any) -> None:
    fetch = printed("/api/v1/documents ")[-1]
    assert document["state"] == "translated"
    shell.run(fetch, ID=document["id"])
    made = docx.Document(str(shell.folder / "manual.de.docx"))
    assert len(made.paragraphs) == 40 and "Datei" in made.paragraphs[0].text


def test_documents_are_assigned_with_curl(shell: Shell, document: Any) -> None:
    sessions = shell.json(f'curl {PRINTED}/api/v1/sessions -H "Authorization: Bearer $KEY"')["sessions"]
    (number,) = [each["id"] for each in sessions if each["document"] == "manual.docx"]
    (project,) = re.findall(r"^ *(\d+) .*Ana \(API\)", shell.run("pinpoint people projects"), re.MULTILINE)
    shell.run(f"pinpoint people add Ben && pinpoint people join Ben {project}")
    listing, assigning, taking = printed("/api/v1/assignments")
    here = {"assignments/3": f"assignments/{number}"}
    assert shell.json(assigning, **here)["parts"] == [{"person": "Ben", "first": 1, "last": 40}]
    assert shell.json(taking, **here)["parts"] == [{"person": "Ben", "first": 1, "last": 20}]
    assert [each["parts"] for each in shell.json(listing)["documents"] if each["session"] == number] == [
        [{"person": "Ben", "first": 1, "last": 20}]
    ]


def test_deadlines_are_set_read_and_removed_with_curl(shell: Shell, document: Any) -> None:
    found = httpx.get(f"{shell.address}/api/v1/sessions", headers={"authorization": f"Bearer {shell.variables['KEY']}"})
    number = next(each["id"] for each in found.json()["sessions"] if each["document"] == "manual.docx")
    listing, reading, of_project, of_document, removing = printed("/api/v1/projects ")
    projects = shell.json(listing)["projects"]
    (project,) = [each["id"] for each in projects if each["name"] == "Ana (API)"]
    here = {"projects/2/": f"projects/{project}/", "sessions/3/": f"sessions/{number}/"}
    assert shell.json(of_project, **here)["deadline"] == "2026-12-04T16:00:00Z"
    assert shell.json(of_document, **here)["documents"][0]["due"] == "2026-12-03T11:00:00Z"
    (row,) = shell.json(reading, **here)["documents"]
    assert (row["deadline"], row["amount"]["num_segments"]) == ("2026-12-03T11:00:00Z", 40)
    assert shell.json(removing, **here)["documents"][0]["due"] == "2026-12-04T16:00:00Z"
    shown = shell.run(f"pinpoint deadlines list {project}")
    assert "manual.docx: 40 of 40 segments to do, due 2026-12-04T16:00:00Z, as the project" in shown


@pytest.mark.usefixtures("key")
def test_entries_are_added_to_the_memory_and_looked_up_with_curl(shell: Shell) -> None:
    look_up, add = (command for command in printed("/tmserver/") if command.startswith("curl "))
    shell.run(add)
    assert [(each["source"], each["target"]) for each in shell.json(look_up)] == [
        ("Open the file.", "Öffnen Sie die Datei.")
    ]


@pytest.mark.full
def test_commands_for_documents_and_backups_run(shell: Shell, document: Any) -> None:
    (shell.folder / "terms.tbx").write_text(TERMS, encoding="utf-8")
    (shell.folder / "project.tmx").write_text(MEMORY, encoding="utf-8")
    shell.run("pinpoint export newest jsonl")
    shell.run("pinpoint backup damaged.sqlite && rm -f manual.de.docx")
    needs_a_download = ("firefox-", "job.sdlppx")
    commands = [
        each for each in printed("pinpoint translate manual.docx -o") if not any(map(each.count, needs_a_download))
    ]
    assert len(commands) == 7
    for command in commands:
        # An exported session is imported into a log that does not have it yet.
        log = {} if "import-log" not in command else {"PINPOINT_LOG": str(shell.folder / "other.sqlite")}
        shell.run(command, variables=log)
    made = docx.Document(str(shell.folder / "manual.de.docx"))
    assert "Akte" in made.paragraphs[0].text and made.paragraphs[7].text == "Akte Nummer 7 aufmachen."
    assert (shell.folder / "backups" / "today.sqlite.keys").exists()


def test_commands_of_an_upgrade_run(shell: Shell, document: Any) -> None:
    commands = printed("backups/before.sqlite")
    assert len(commands) == 3
    for command in commands:
        shell.run(command)


@pytest.mark.full
def test_commands_for_keys_and_people_run(tmp_path: Path) -> None:
    """In the order of the guide, with a log of its own in which nobody has a role yet."""
    shell = Shell(tmp_path, "")
    store = LogStore.open(tmp_path / "sessions.sqlite")
    for number in range(5):
        Projects(store, list).add_unchosen(OWNER, f"Project {number}", "en-de")
    store.close()
    commands = [each for each in printed("pinpoint keys ") + printed("pinpoint people ") if " --api" not in each]
    assert len(commands) > 15
    shown = {}
    for command in commands:
        shown[command] = shell.run(command, typed=f"{PASSWORD}\n{PASSWORD}\n")
    assert "Ana OmegaT" in shown["pinpoint keys list"] and "Weblate (revoked" in shell.run("pinpoint keys list")
    assert "Project 4" in shown["pinpoint people projects"]
    people = shell.run("pinpoint people list")
    assert "Ana Silva" in people and "ben@example.org" not in people


def test_deepl_example_runs(app: ForkedApp, key: str) -> None:
    (example,) = [block for block in BLOCKS if "deepl.DeepLClient" in block]
    names: dict[str, Any] = {"deepl": deepl, "key": key}
    exec(
        example.replace(PRINTED, app.url).replace("translator.translate_text", "answer = translator.translate_text"),
        names,
    )
    assert "Dokument" in names["answer"].text


def test_libretranslatepy_connects_with_the_documented_settings(app: ForkedApp, key: str) -> None:
    assert "| libretranslatepy | the server's address as URL, the key as `api_key` |" in GUIDE
    assert "Datei" in LibreTranslateAPI(app.url, api_key=key).translate("Open the file.", "en", "de")


def test_settings_of_an_assistant_start_the_command(tmp_path: Path) -> None:
    (example,) = re.findall(r"^\{\"mcpServers.*$", GUIDE, re.MULTILINE)
    server = json.loads(example)["mcpServers"]["pinpoint"]
    assert server["command"] == "pinpoint" and server["args"][0] == "mcp"
    terms = tmp_path / "terms.tbx"
    terms.write_text(TERMS, encoding="utf-8")
    flags = [str(terms) if flag.endswith(".tbx") else flag for flag in server["args"][1:]]
    assistant = Assistant(*flags)
    assistant.ask("initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo={"name": "test"})
    assert assistant.call("look_up_terms", text="Open the file.", source="en", target="de")["terms"]
    assistant.process.stdin.close()
    assert assistant.process.wait(60) == 0


def write_document(path: Path) -> None:
    document = docx.Document()
    for number in range(40):
        document.add_paragraph(f"Open file {number}.")
    document.save(str(path))


TERMS = """<?xml version="1.0" encoding="UTF-8"?>
<martif type="TBX" xml:lang="en"><text><body><termEntry>
<langSet xml:lang="en"><tig><term>file</term></tig></langSet>
<langSet xml:lang="de"><tig><term>Akte</term></tig></langSet>
</termEntry></body></text></martif>
"""
MEMORY = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en" datatype="plaintext" segtype="sentence"/><body><tu>
<tuv xml:lang="en"><seg>Open file 7.</seg></tuv><tuv xml:lang="de"><seg>Akte Nummer 7 aufmachen.</seg></tuv>
</tu></body></tmx>
"""
