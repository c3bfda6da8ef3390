"""Requests to the model and its answers as the log keeps them."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from app.models.loading import ModelHandle
from app.segments.state import SegmentState
from app.tags.protect import Protection
from engine import PivotTranslation, Priority, Request, SearchOptions, Translation


def request_payload(
    segment: SegmentState, priority: Priority, protection: Protection, options: SearchOptions, model: ModelHandle
) -> dict[str, Any]:
    """The payload of a "decode_request" event: the translator's constraints, and the request to the model.

    The two differ where the text is protected.
    """
    request = protection.request
    return {
        "number": segment.requested,
        "priority": priority,
        "constraints": [asdict(constraint) for constraint in segment.resolved.required],
        **_constraints(protection.original),
        **({"asked": {"source": request.source, **_constraints(request)}} if protection.is_needed else {}),
        "options": asdict(options),
        "model": model.checksum,
        "num_threads": model.num_threads,
        "device": model.device,
        "precision": model.precision,
    }


def result_payload(number: int, translation: Translation, known_prompts: set[str]) -> dict[str, Any]:
    """The payload of a "decode_result" event; the request is in its own event.

    A prompt has its text where its hash is not one of `known_prompts`, and is one of them afterwards.
    """
    prompts = []
    for text in translation.prompts:
        checksum = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        prompts.append({"hash": checksum} if checksum in known_prompts else {"hash": checksum, "text": text})
        known_prompts.add(checksum)
    between: dict[str, Any] = {}
    if isinstance(translation, PivotTranslation):
        between = {"pivot": translation.pivot, "pivot_score": translation.pivot_score}
    return {
        **between,
        **({"prompts": prompts} if prompts else {}),
        "number": number,
        "status": translation.status,
        "elapsed_ms": round(translation.elapsed_ms, 3),
        "num_steps": translation.num_steps,
        "reasons": [asdict(reason) for reason in translation.reasons],
        "hypotheses": [
            {
                "text": h.text,
                "score": h.score,
                "log_prob": h.log_prob,
                "tokens": list(h.tokens),
                "token_log_probs": [round(value, 5) for value in h.token_log_probs],
                "placements": [asdict(placement) for placement in h.placements],
                "unmet": list(h.unmet),
                **({"listed": [asdict(text) for text in h.listed]} if h.listed else {}),
            }
            for h in translation.hypotheses
        ],
    }


def _constraints(request: Request) -> dict[str, Any]:
    """A request without its source."""
    return {
        "phrases": [asdict(phrase) for phrase in request.phrases],
        "avoid": [asdict(ban) for ban in request.avoid],
        "prefix": request.prefix,
        "locked": list(request.locked),
        "follow": asdict(request.follow) if request.follow else None,
        "formality": request.formality,
        "domain": request.domain,
    }
