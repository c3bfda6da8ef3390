"""Glossaries that programs keep in the server: each belongs to a person, who has a key, and nobody else sees it.

A glossary has a dictionary for each language pair. They are in the file of the keys.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from app.errors import ApiError
from app.glossary import Term, TermMatcher
from app.glossary.glossary import Glossary, combined_matcher
from app.glossary.lemmas import with_forms
from app.i18n import Message
from app.serving.keys import ApiFile

MAX_GLOSSARIES: Final = 500  # of a person
MAX_ENTRIES: Final = 20_000  # of a dictionary
MAX_ENTRY_CHARACTERS: Final = 500
MAX_NAME: Final = 200
_TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS glossary (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, created TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS dictionary (
        glossary TEXT NOT NULL REFERENCES glossary (id), source TEXT NOT NULL, target TEXT NOT NULL,
        entries TEXT NOT NULL, PRIMARY KEY (glossary, source, target))""",
)
Pair = tuple[str, str]  # source and target language, such as ("en", "de")
Entries = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ApiGlossary:
    """A glossary of a person. `dictionaries` has the entries, target by source, of each language pair."""

    id: str
    name: str
    created: str
    dictionaries: Mapping[Pair, Entries]


class ApiGlossaries:
    """The glossaries of all people. Thread-safe. What is not `owner`'s does not exist for `owner`."""

    def __init__(self, file: ApiFile) -> None:
        self._connection = file.connection
        with self._connection.transaction(Message("write the glossary")):
            for table in _TABLES:
                self._connection.db.execute(table)

    def create(self, owner: str, name: str, dictionaries: Mapping[Pair, Entries]) -> ApiGlossary:
        """A new glossary. Raises ApiError for impossible entries, and if there are too many."""
        check_name(name)
        texts = {pair: _written(entries) for pair, entries in dictionaries.items()}
        number = f"{secrets.token_hex(4)}-{secrets.token_hex(2)}-{secrets.token_hex(2)}-{secrets.token_hex(6)}"
        created = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._connection.transaction(Message("write the glossary")):
            count = "SELECT count(*) AS number FROM glossary WHERE owner = ?"
            if self._connection.rows(Message("read the glossaries"), count, (owner,))[0]["number"] >= MAX_GLOSSARIES:
                raise ApiError("used_up", f"There can be {MAX_GLOSSARIES} glossaries: delete one.")
            self._connection.insert("glossary", id=number, owner=owner, name=name, created=created)
            for (source, target), text in texts.items():
                self._connection.insert("dictionary", glossary=number, source=source, target=target, entries=text)
        return ApiGlossary(number, name, created, dict(dictionaries))

    def all_of(self, owner: str) -> list[ApiGlossary]:
        """The glossaries of a person, oldest first."""
        query = "SELECT * FROM glossary WHERE owner = ? ORDER BY created, id"
        rows = self._connection.rows(Message("read the glossaries"), query, (owner,))
        return [ApiGlossary(row["id"], row["name"], row["created"], self._dictionaries(row["id"])) for row in rows]

    def find(self, owner: str, number: str) -> ApiGlossary:
        """A glossary of a person. Raises ApiError if the person has none with this id."""
        query = "SELECT * FROM glossary WHERE owner = ? AND id = ?"
        rows = self._connection.rows(Message("read the glossaries"), query, (owner, number))
        if not rows:
            raise ApiError("not_found", "There is no glossary with this id.")
        return ApiGlossary(number, rows[0]["name"], rows[0]["created"], self._dictionaries(number))

    def rename(self, owner: str, number: str, name: str) -> None:
        """Gives a glossary another name. Raises ApiError."""
        check_name(name)
        self.find(owner, number)
        with self._connection.transaction(Message("write the glossary")):
            self._connection.db.execute("UPDATE glossary SET name = ? WHERE id = ?", (name, number))

    def put(self, owner: str, number: str, pair: Pair, entries: Entries) -> None:
        """Replaces the entries of a language pair; without entries, there is no dictionary of it. Raises ApiError."""
        self.find(owner, number)
        text = _written(entries) if entries else ""
        with self._connection.transaction(Message("write the glossary")):
            key = (number, *pair)
            self._connection.db.execute("DELETE FROM dictionary WHERE glossary = ? AND source = ? AND target = ?", key)
            if text:
                source, target = pair
                self._connection.insert("dictionary", glossary=number, source=source, target=target, entries=text)

    def delete(self, owner: str, number: str) -> None:
        """Deletes a glossary. Raises ApiError."""
        self.find(owner, number)
        with self._connection.transaction(Message("delete the glossary")):
            self._connection.db.execute("DELETE FROM dictionary WHERE glossary = ?", (number,))
            self._connection.db.execute("DELETE FROM glossary WHERE id = ?", (number,))

    def matcher(self, owner: str, number: str, pair: Pair) -> TermMatcher:
        """Finds the terms of a glossary in a text. Raises ApiError if it has none for these languages."""
        entries = self.find(owner, number).dictionaries.get(pair)
        if entries is None:
            raise ApiError("invalid", f"The glossary has no entries for {'-'.join(pair)}.")
        return _matcher(_written(entries), pair)

    def _dictionaries(self, number: str) -> dict[Pair, Entries]:
        query = "SELECT * FROM dictionary WHERE glossary = ? ORDER BY source, target"
        rows = self._connection.rows(Message("read the glossaries"), query, (number,))
        return {(row["source"], row["target"]): _read(row["entries"]) for row in rows}


def check_name(name: str) -> None:
    """Raises ApiError for an impossible name of a glossary."""
    if not name.strip() or not name.isprintable() or len(name) > MAX_NAME:
        raise ApiError("invalid", f"The name of a glossary has 1 to {MAX_NAME} characters.")


def _written(entries: Entries) -> str:
    """The entries as lines with a tabulator. Raises ApiError for impossible ones."""
    if not 0 < len(entries) <= MAX_ENTRIES:
        raise ApiError("invalid", f"A dictionary has 1 to {MAX_ENTRIES:,} entries, not {len(entries):,}.")
    for pair in entries.items():
        for text in pair:
            if not text.strip() or not text.isprintable() or len(text) > MAX_ENTRY_CHARACTERS:
                message = f"A term has 1 to {MAX_ENTRY_CHARACTERS} characters on one line: {text[:60]!r}"
                raise ApiError("invalid", message)
    return "\n".join(f"{source}\t{target}" for source, target in entries.items())


def _read(text: str) -> dict[str, str]:
    pairs = (line.partition("\t") for line in text.split("\n") if line)
    return {source: target for source, _, target in pairs}


@lru_cache(maxsize=16)
def _matcher(entries: str, pair: Pair) -> TermMatcher:
    source, target = pair
    terms = [Term(word, text) for word, text in _read(entries).items()]
    return combined_matcher((), [Glossary.of(1, "", with_forms(terms, target))], source)
