"""What each constraint of an answer costs in model score, as the segment keeps it, the page shows it, the log has it.

Prices need not add up: what the constraints cost together differs from the sum of what each costs alone, the others
staying. A price may be negative, as beam search goes, and None where there is no translation to compare with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.segments.constraints import Constraint
from engine import Avoid, Pricing


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of the answer to decode request `number`, in the order of its constraints and bans."""

    number: int
    constraints: tuple[Constraint, ...]
    bans: tuple[Avoid, ...]
    pricing: Pricing

    def payload(self) -> dict[str, Any]:
        """As the log keeps it, with the best translation that nothing is asked of."""
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
        """As the page shows it: `singly` is the sum of the prices known, `together` what the total has beyond it."""
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
