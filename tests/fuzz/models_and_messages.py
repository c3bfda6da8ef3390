"""Readers for the fuzzer beyond files of the user: models of several kinds, messages of the page, lines of the engine.

Each returns where the input is answered or refused, and raises for anything else.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from app.access.actor import OWNER
from app.errors import AppError, CommandError
from app.log.store import LogStore
from app.models.local_models import install_from_disk
from app.paths import SAMPLES_FOLDER
from app.sessions import Sessions
from app.ui.api import Api
from engine import EngineError, Request, SearchOptions, Translation, Translator
from engine.cli.jobs import Defaults, job
from engine.cli.lines import LineProblem, parse_object
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.importers.firefox import save_firefox
from tests.importers.marian import save_marian

DEADLINE_MS = 3000.0
REQUESTS: tuple[dict[str, Any], ...] = (
    {"text": "Open the settings.", "phrases": ["Datei", {"text": "rot", "forms": ["rote"], "count": 2}]},
    {
        "text": "The {0} router saves 20 files.",
        "avoid": ["x", {"text": "Haus", "case": "permissive"}],
        "prefix": "Der",
        "locked": ["und"],
        "suffix": ".",
        "follow": {"text": "Der Router.", "strength": 1.5, "places_phrases": True},
        "options": {"beam": 4, "nbest": 2, "max_length_factor": 2.0},
    },
    {"text": "One.", "phrases": [{"text": "a", "case": "auto", "boundary": "compound", "max_count": 1}]},
)
MESSAGES: tuple[dict[str, Any], ...] = (
    {"name": "open", "segment": 0},
    {"name": "leave", "segment": 0},
    {
        "name": "edit",
        "segment": 1,
        "text": "Neue Datei",
        "origin": "typed",
        "rank": 0,
        "reported": {"before": "", "changes": [[0, 0, "Neue ", "typed"], [5, 0, "Datei", "paste"]]},
    },
    {
        "name": "constrain",
        "segment": 0,
        "constraints": {
            "pins": ["Datei"],
            "terms_off": ["1"],
            "bans": [{"text": "Haus", "case": "exact"}],
            "prefix": "Die",
            "locked": ["rot"],
            "follow": "Die Datei",
            "pin_sources": [{"text": "Datei", "start": 0, "end": 3}],
        },
        "origin": "person",
    },
    {"name": "confirm", "segment": 0, "text": "Fertig"},
    {"name": "reopen", "segment": 0},
    {"name": "comment", "segment": 0, "text": "Why?"},
    {"name": "split", "segment": 0, "offset": 5},
    {"name": "merge", "segment": 0},
    {"name": "keys", "segment": 0, "counts": {"character": 3}},
    {"name": "idle", "segment": 0, "idle_ms": 5},
    {"name": "add_term", "source": "router", "target": "Router"},
    {
        "name": "replace",
        "find": "a",
        "replacement": "b",
        "matches_case": False,
        "whole_words": False,
        "in_confirmed": False,
        "segments": [0, 1],
    },
    {"name": "import_glossary", "file": "a.tsv", "data": "YQli"},
    {"name": "open_document", "file": "a.txt", "data": "T25lLgpUd28u"},
    {"name": "choose_checks", "off": []},
    {"name": "choose_style", "formality": None, "domain": None},
    {"name": "create_project", "title": "A", "client": "", "direction": "en-de"},
    {"name": "list_documents"},
)


def packed(folder: Path) -> bytes:
    """A ZIP file of a folder."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, f"model/{path.name}")
    return target.getvalue()


@cache
def models() -> dict[str, list[bytes]]:
    """Models of random weights by kind, as ZIP files; "model-own" is a converted one."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        save_firefox(folder / "firefox")
        save_marian(folder / "marian")
        with patch.dict(os.environ, {"PINPOINT_CACHE": str(folder)}):
            own = install_from_disk(folder / "marian")
        return {
            "model-firefox": [packed(folder / "firefox")],
            "model-marian": [packed(folder / "marian")],
            "model-own": [packed(own)],
        }


def read_model(data: bytes) -> None:
    """Installs, loads and uses a model."""
    with TemporaryDirectory() as temporary, patch.dict(os.environ, {"PINPOINT_CACHE": temporary}):
        archive = Path(temporary) / "model.zip"
        archive.write_bytes(data)
        try:
            translator = Translator.load(install_from_disk(archive))
            translator.translate(Request("One file."), SearchOptions(), deadline_ms=DEADLINE_MS)
        except EngineError as error:
            raise AppError(str(error)) from error
        left = [path.name for path in Path(temporary).rglob("*") if path.name.endswith((".partial", ".replaced"))]
        assert not left, left


def line_reader() -> Callable[[bytes], None]:
    """Reads a line of the engine's `translate` and translates it with a small model of random weights."""
    with TemporaryDirectory() as temporary, patch.dict(os.environ, {"PINPOINT_CACHE": temporary}):
        save_firefox(Path(temporary) / "firefox")
        translator = Translator.load(install_from_disk(Path(temporary) / "firefox"))

    def read(data: bytes) -> None:
        try:
            wanted = job(parse_object(data.decode("utf-8", "replace")), Defaults(SearchOptions()))
            found = translator.translate(wanted.request, wanted.options, deadline_ms=DEADLINE_MS)
        except (LineProblem, EngineError) as error:
            raise AppError(str(error)) from error
        _check_translation(found)

    return read


def _check_translation(found: Translation) -> None:
    assert all(reason.kind != "crashed" for reason in found.reasons), found.reasons
    if found.status == "complete":
        best = found.hypotheses[0]
        assert not best.unmet and best.text.startswith(found.request.prefix)
        assert all(phrase in best.text for phrase in found.request.locked)


def temporary_store() -> LogStore:
    """A new log, which is closed and removed when the process ends."""
    folder = TemporaryDirectory(prefix="pinpoint-fuzz-")
    store = LogStore.open(Path(folder.name) / "log.sqlite")
    atexit.register(folder.cleanup)
    atexit.register(store.close)  # before the folder is removed
    return store


def message_reader() -> Callable[[bytes], None]:
    """Sends a message to the functions that the page calls; a command comes with the right token."""

    @cache
    def server() -> tuple[LogStore, Api]:
        store = temporary_store()
        sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
        sessions.open_document(OWNER, b"Open the settings.\nThe router saves the file.\n", "manual.txt")
        return store, Api(sessions)

    def read(data: bytes) -> None:
        store, api = server()
        try:
            message = json.loads(data)
        except (ValueError, RecursionError) as error:  # what the server refuses
            raise CommandError(str(error)) from error
        if isinstance(message, dict) and message.get("token") == "right":
            message["token"] = api.hello(OWNER, {})["token"]
        reply = api.command(OWNER, message)
        assert reply["ok"] or reply["error"]["kind"] != "internal", reply
        json.dumps(reply, allow_nan=False)
        if reply["ok"] and len(store.sessions(OWNER)) > 20:
            for summary in store.sessions(OWNER)[1:]:
                if summary.token != reply["token"]:
                    store.delete_session(summary.id)

    return read


def messages() -> list[bytes]:
    """Messages as a page sends them; `message_reader` puts the token in."""
    base = {"token": "right", "client": "", "sequence": 0, "since": -1, "open": None, "detail_since": -1}
    return [json.dumps({**base, **message}).encode() for message in MESSAGES]


def lines() -> list[bytes]:
    """Lines of the engine's `translate`."""
    return [json.dumps(line).encode() for line in REQUESTS]
