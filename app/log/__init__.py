"""The log: what happened, kept for good in one SQLite file."""
