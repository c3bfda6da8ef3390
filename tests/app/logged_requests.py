"""Requests to the engine, rebuilt from the log."""

from __future__ import annotations

from typing import Any

from engine import Avoid, Follow, Phrase, Request


def request_of(requested: dict[str, Any], source: str) -> Request:
    """The request in the payload of a "decode_request" event; `source` if it has no other."""
    phrases = [
        Phrase(**{name: tuple(value) if isinstance(value, list) else value for name, value in phrase.items()})
        for phrase in requested["phrases"]
    ]
    rest = {name: requested[name] for name in ("prefix", "locked", "formality", "domain")}
    avoid = [Avoid(**ban) for ban in requested["avoid"]]
    follow = Follow(**requested["follow"]) if requested["follow"] else None
    return Request(requested.get("source", source), "en-de", phrases=phrases, avoid=avoid, follow=follow, **rest)
