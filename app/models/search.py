"""How the engine is to search for what the app asks."""

from __future__ import annotations

from typing import Final

from engine import SearchOptions

# Two places of the beam for each bank: where many pieces of terms are required, one place is a greedy search for each
# number of them met. Of 566 segments of software documentation with terms, two gave BLEU 22.8 where one gave 22.6, for
# 4 % more rows.
SEARCH: Final = SearchOptions(places_per_bank=2)
