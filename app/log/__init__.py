"""The log: every session, document and event, stored permanently in one SQLite file."""

from app.lean_imports import hidden

with hidden("pandas"):  # 32 MB; it may be given tables of it, which the log has none of
    import sqlite_utils  # noqa: F401 (the modules of the log import it again)
