"""What the engine is asked and what it answers, as the log keeps it: enough to ask the same again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from engine import Request, Translation


def request_payload(request: Request) -> dict[str, Any]:
    """What is asked about a source, as the log keeps it."""
    return {
        "phrases": [asdict(phrase) for phrase in request.phrases],
        "avoid": [asdict(ban) for ban in request.avoid],
        "prefix": request.prefix,
        "locked": list(request.locked),
        "formality": request.formality,
        "domain": request.domain,
    }


def result_payload(number: int, translation: Translation) -> dict[str, Any]:
    """An answer as the log keeps it: everything but the request, which stands in its own event."""
    return {
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
            }
            for h in translation.hypotheses
        ],
    }
