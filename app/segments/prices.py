"""Prices of constraints: how much model score each constraint of an answer costs.

Each price compares with the translation without that one constraint, so prices need not add up to the total. A price
can be negative, because beam search is approximate. It is None if there is no translation to compare with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.segments.resolved_constraints import ResolvedConstraints
from engine import Pricing


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices for the answer to decode request `number`, in the order of the texts that it asked for."""

    number: int
    asked: ResolvedConstraints
    pricing: Pricing

    def payload(self) -> dict[str, Any]:
        """JSON for the log, with the best unconstrained translation."""
        pricing = self.pricing
        free = pricing.free.hypotheses[0] if pricing.free.hypotheses else None
        return {
            "number": self.number,
            "total": pricing.total,
            "constraints": [
                {"text": one.text, "price": price}
                for one, price in zip(self.asked.required, pricing.phrases, strict=True)
            ],
            "avoid": [
                {"text": ban.text, "case": ban.case, "price": price}
                for ban, price in zip(self.asked.banned, pricing.avoid, strict=True)
            ],
            "free": {"text": free.text, "score": free.score} if free else None,
        }

    def view(self) -> dict[str, Any]:
        """JSON for the page: `singly` is the sum of the known prices, `together` is the total minus that sum."""
        total = self.pricing.total
        singly = sum(price for price in (*self.pricing.phrases, *self.pricing.avoid) if price is not None)
        return {
            "total": total,
            "singly": singly,
            "together": None if total is None else total - singly,
            "constraints": [
                {
                    "text": one.text,
                    "is_pinned": one.is_pinned,
                    "is_kept": not one.is_explicit,
                    "terms": list(one.term_keys),
                    "price": price,
                }
                for one, price in zip(self.asked.required, self.pricing.phrases, strict=True)
            ],
            "bans": [
                {"text": ban.text, "case": ban.case, "price": price}
                for ban, price in zip(self.asked.banned, self.pricing.avoid, strict=True)
            ],
        }
