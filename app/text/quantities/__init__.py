"""Numbers, amounts, dates and times in texts: how each language writes them, and what a translation must have."""
