"""The log: every session, document and event, stored permanently in one SQLite file."""
