"""Glossaries that programs store in the server: each belongs to a person with a key, and only this person sees it.

A glossary has a dictionary for each language pair. They are in the file of the keys.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from app.errors import ApiError
from app.glossary import Term, TermMatcher
from app.glossary.glossary import Glossary, combined_matcher
from app.glossary.lemmas import with_forms
from app.glossary.reading.messy_rows import row_proposal
from app.glossary.reading.row_checks import Fix
from app.i18n import Message
from app.people_store import PeopleStore
from app.serving.api_limits import (
    MAX_ENTRIES,
    MAX_ENTRY_CHARACTERS,
    MAX_FINDINGS,
    MAX_GLOSSARIES,
    MAX_GLOSSARY_CHARACTERS,
    MAX_MATCHED_TERMS,
    MAX_MATCHERS_EACH,
    MAX_NAME,
)
from app.serving.keys import ApiFile, hash_of

_TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS glossary (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, created TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS dictionary (
        glossary TEXT NOT NULL REFERENCES glossary (id), source TEXT NOT NULL, target TEXT NOT NULL,
        entries TEXT NOT NULL, PRIMARY KEY (glossary, source, target))""",
)
# Entries are lines: SQLite counts them without reading them into memory. With "" as the id: of all glossaries.
_COUNT: Final = """SELECT glossary, source, target,
    length(entries) - length(replace(entries, char(10), '')) + 1 AS number
    FROM glossary JOIN dictionary ON glossary = id WHERE owner = ? AND (? = '' OR id = ?) ORDER BY source, target"""
Pair = tuple[str, str]  # source and target language, such as ("en", "de")
Entries = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ApiGlossary:
    """A glossary of a person. `num_entries` is the number of entries of each language pair."""

    id: str
    name: str
    created: str
    num_entries: Mapping[Pair, int]


class ApiGlossaries:
    """The glossaries of all people. Thread-safe. A person cannot see that another person's glossary exists."""

    def __init__(self, file: ApiFile) -> None:
        self._connection = file.connection
        self._matchers = PeopleStore[TermMatcher](MAX_MATCHERS_EACH, MAX_MATCHED_TERMS)
        with self._writing():
            for table in _TABLES:
                self._connection.db.execute(table)

    def create(self, owner: str, name: str, dictionaries: Mapping[Pair, Entries]) -> ApiGlossary:
        """A new glossary. Raises ApiError for impossible entries, and if there are too many."""
        _check_name(name)
        number = str(uuid.uuid4())
        created = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._writing():
            count = "SELECT count(*) AS number FROM glossary WHERE owner = ?"
            if self._rows(count, owner)[0]["number"] >= MAX_GLOSSARIES:
                raise ApiError("used_up", f"There can be {MAX_GLOSSARIES} glossaries: delete one.")
            self._connection.insert("glossary", id=number, owner=owner, name=name, created=created)
            for pair, entries in dictionaries.items():
                self._replace(owner, number, pair, entries)
        return ApiGlossary(number, name, created, {pair: len(entries) for pair, entries in dictionaries.items()})

    def all_of(self, owner: str, number: str = "") -> list[ApiGlossary]:
        """The glossaries of a person, oldest first; with `number`, only the glossary with this id."""
        query = "SELECT * FROM glossary WHERE owner = ? AND (? = '' OR id = ?) ORDER BY created, id"
        rows = self._rows(query, owner, number, number)
        counts: dict[str, dict[Pair, int]] = {}
        for row in self._rows(_COUNT, owner, number, number):
            counts.setdefault(row["glossary"], {})[row["source"], row["target"]] = row["number"]
        return [ApiGlossary(row["id"], row["name"], row["created"], counts.get(row["id"], {})) for row in rows]

    def find(self, owner: str, number: str) -> ApiGlossary:
        """A glossary of a person. Raises ApiError if the person has none with this id."""
        self._check_owner(owner, number)
        (found,) = self.all_of(owner, number)
        return found

    def entries(self, owner: str, number: str, pair: Pair) -> Entries:
        """The entries of a language pair. Raises ApiError if the person has no such dictionary."""
        self._check_owner(owner, number)
        text = self._text(number, pair)
        if not text:
            raise ApiError("not_found", "The glossary has no dictionary of this language pair.")
        return _read(text)

    def change(self, owner: str, number: str, name: str | None, added: Mapping[Pair, Entries]) -> ApiGlossary:
        """Renames a glossary, unless `name` is None, and adds entries. Raises ApiError without changing anything."""
        with self._writing():
            self._check_owner(owner, number)
            if name is not None:
                _check_name(name)
                self._connection.db.execute("UPDATE glossary SET name = ? WHERE id = ?", (name, number))
            for pair, entries in added.items():
                self._replace(owner, number, pair, {**_read(self._text(number, pair)), **entries})
            return self.find(owner, number)

    def put(self, owner: str, number: str, pair: Pair, entries: Entries) -> None:
        """Replaces the entries of a language pair. Raises ApiError."""
        with self._writing():
            self._check_owner(owner, number)
            self._replace(owner, number, pair, entries)

    def delete_pair(self, owner: str, number: str, pair: Pair) -> None:
        """Deletes the entries of a language pair. Raises ApiError if there are none."""
        with self._writing():
            self.entries(owner, number, pair)
            self._delete_dictionary(number, pair)

    def delete(self, owner: str, number: str) -> None:
        """Deletes a glossary. Raises ApiError."""
        with self._writing():
            self._check_owner(owner, number)
            self._connection.db.execute("DELETE FROM dictionary WHERE glossary = ?", (number,))
            self._connection.db.execute("DELETE FROM glossary WHERE id = ?", (number,))

    def joined_entries(self, owner: str, numbers: Sequence[str], pair: Pair) -> Entries:
        """The entries of several glossaries for a language pair; of one source, the first glossary counts.

        Raises ApiError if none of them has entries for these languages.
        """
        return _read(self._joined_text(owner, numbers, pair))

    def matcher(self, owner: str, numbers: Sequence[str], pair: Pair) -> TermMatcher:
        """Finds the `joined_entries` in a text. Raises ApiError."""
        text = self._joined_text(owner, numbers, pair)
        key = hash_of(text), pair
        if (matcher := self._matchers.get(owner, key)) is None:
            matcher = _matcher(text, pair)
            self._matchers.put(owner, key, matcher, text.count("\n") + 1)
        return matcher

    def _joined_text(self, owner: str, numbers: Sequence[str], pair: Pair) -> str:
        """The lines of several dictionaries; of two with the same source, the last one counts."""
        for number in numbers:
            self._check_owner(owner, number)
        texts = [text for number in numbers if (text := self._text(number, pair))]
        if not texts:
            which = "The glossary has" if len(numbers) == 1 else "The glossaries have"
            raise ApiError("invalid", f"{which} no entries for {'-'.join(pair)}.")
        return "\n".join(reversed(texts))

    def _check_owner(self, owner: str, number: str) -> None:
        if not self._rows("SELECT 1 FROM glossary WHERE owner = ? AND id = ?", owner, number):
            raise ApiError("not_found", "There is no glossary with this id.")

    def _replace(self, owner: str, number: str, pair: Pair, entries: Entries) -> None:
        """Writes the entries of a language pair, inside a transaction. Raises ApiError."""
        text = _written(entries)
        source, target = pair
        self._delete_dictionary(number, pair)
        stored = "SELECT coalesce(sum(length(entries)), 0) AS number FROM glossary JOIN dictionary ON glossary = id "
        if self._rows(stored + "WHERE owner = ?", owner)[0]["number"] + len(text) > MAX_GLOSSARY_CHARACTERS:
            most = f"{MAX_GLOSSARY_CHARACTERS:,}"
            raise ApiError("used_up", f"All glossaries of a person can have {most} characters: delete one.")
        self._connection.insert("dictionary", glossary=number, source=source, target=target, entries=text)

    def _delete_dictionary(self, number: str, pair: Pair) -> None:
        query = "DELETE FROM dictionary WHERE glossary = ? AND source = ? AND target = ?"
        self._connection.db.execute(query, (number, *pair))

    def _text(self, number: str, pair: Pair) -> str:
        """The stored lines of a dictionary; "" if there is none."""
        query = "SELECT entries FROM dictionary WHERE glossary = ? AND source = ? AND target = ?"
        rows = self._rows(query, number, *pair)
        return str(rows[0]["entries"]) if rows else ""

    def _rows(self, query: str, *parameters: str) -> list[dict[str, Any]]:
        return self._connection.rows(Message("read the glossaries"), query, parameters)

    def _writing(self) -> AbstractContextManager[None]:
        return self._connection.transaction(Message("write the glossary"))


def findings_in(dictionaries: Mapping[Pair, Entries]) -> list[dict[str, Any]]:
    """What a person should look at in these entries, which are used as given, with proposals; at most MAX_FINDINGS."""
    found: list[dict[str, Any]] = []
    for (source_language, target_language), entries in dictionaries.items():
        for number, (source, target) in enumerate(entries.items(), 1):
            term = Term(source, target, number)
            proposal = row_proposal(term, source_language, target_language)
            if proposal is None:
                continue
            pair = {"source_lang": source_language, "target_lang": target_language, "entry": number}
            texts = {"source": source, "target": target, "message": str(proposal.message)}
            found.append({**pair, **texts, "proposal": Fix(term, proposal.becomes).text})
            if len(found) == MAX_FINDINGS:
                return found
    return found


def _check_name(name: str) -> None:
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


def _matcher(entries: str, pair: Pair) -> TermMatcher:
    source, target = pair
    terms = [Term(word, text) for word, text in _read(entries).items()]
    return combined_matcher((), [Glossary.of(1, "", with_forms(terms, target))], source)
