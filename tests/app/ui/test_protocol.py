"""The types of the protocol: the file for the page's scripts is up to date, and replies have these shapes."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from app.sessions import Sessions
from app.ui.api import Api
from app.ui.page_state import SnapshotReply
from app.ui.typescript import FILE, protocol_types
from tests.app.hand_decoder import HandDecoder, settle
from tests.app.ui.test_api import api, message  # noqa: F401 (a fixture)

SHAPE = TypeAdapter(SnapshotReply)


def checked(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply, which has exactly the fields that its type describes."""
    SHAPE.validate_json(json.dumps(reply))
    return reply


def test_types_of_the_page_are_up_to_date():
    assert FILE.read_text(encoding="utf-8") == protocol_types(), "run python -m app.ui.typescript"


def test_shape_refuses_an_unknown_field_at_any_depth(api: Api):  # noqa: F811
    reply = checked(api.hello({}))
    for place in (reply, reply["model"]["style"], reply["rows"][0]):
        place["extra"] = 1
        errors = [error["type"] for error in _errors(reply)]
        assert errors == ["extra_forbidden"]
        del place["extra"]


def _errors(reply: dict[str, Any]) -> list[Any]:
    try:
        SHAPE.validate_json(json.dumps(reply))
    except ValueError as error:
        return error.errors()  # type: ignore[attr-defined]
    return []


def test_replies_have_the_shapes_of_the_protocol(api: Api):  # noqa: F811
    token = checked(api.hello({}))["token"]
    workspace = api.sessions.find(token)
    decoder: Any = workspace.model.decoder
    assert isinstance(decoder, HandDecoder) and isinstance(api.sessions, Sessions)
    api.sessions.import_glossary(workspace, b"router\tRouter\nfile\tDatei\n", "terms.tsv")
    constraints = {"terms_off": [], "bans": [{"text": "rot", "case": "exact"}], "beginning": "", "locked": []}
    for name, fields in (
        ("open", {"segment": 1}),
        ("constrain", {"segment": 1, "pins": ["Router"], "origin": "person", **constraints}),
        ("comment", {"segment": 1, "text": "please check"}),
        ("edit", {"segment": 1, "text": "Der Router", "origin": "typed"}),
        ("check", {"segment": 1, "text": "Der Router"}),
        ("confirm", {"segment": 1, "text": "Der  Router"}),
        ("matches", {"segment": 0}),
        ("split", {"segment": 1, "offset": 4}),
        ("open_sample", {}),
    ):
        reply = api.command(message(api, name, open=1, **fields))
        assert reply["ok"], (name, reply)
        checked(reply)
        if name != "open_sample":
            decoder.answer_all()
            settle(workspace)
            checked(workspace.snapshot(-1, 1, -1))
