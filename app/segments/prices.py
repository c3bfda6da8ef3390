"""Prices of constraints: how much model score each constraint of an answer costs.

Each price compares with the translation without that one constraint, so prices need not add up to the total. A price
can be negative, because beam search is approximate. It is None if there is no translation to compare with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.segments.resolved_constraints import Constraint
from engine import Avoid, Pricing


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices for the answer to decode request `number`, in the order of its constraints and bans."""

    number: int
    constraints: tuple[Constraint, ...]
    bans: tuple[Avoid, ...]
    pricing: Pricing

    def payload(self) -> dict[str, Any]:
        """JSON for the log, with the best unconstrained translation."""
        pricing = self.pricing
        free = pricing.free.hypotheses[0] if pricing.free.hypotheses else None
        return {
            "number": self.number,
            "total": pricing.total,
            "constraints": [
                {"text": constraint.text, "price": price}
                for constraint, price in zip(self.constraints, pricing.phrases, strict=True)
            ],
            "avoid": [
                {"text": ban.text, "case": ban.case, "price": price}
                for ban, price in zip(self.bans, pricing.avoid, strict=True)
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
                    "text": constraint.text,
                    "is_pinned": constraint.is_pinned,
                    "is_kept": not constraint.is_explicit,
                    "terms": list(constraint.term_keys),
                    "price": price,
                }
                for constraint, price in zip(self.constraints, self.pricing.phrases, strict=True)
            ],
            "bans": [
                {"text": ban.text, "case": ban.case, "price": price}
                for ban, price in zip(self.bans, self.pricing.avoid, strict=True)
            ],
        }
