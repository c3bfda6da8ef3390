"""The lexicon file of a model: round trip, damage, and the words that a language has."""

from __future__ import annotations

import errno
import lzma
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.model import lexicon as lexicon_module
from engine.model.checkpoint import model_checksum
from engine.model.lexicon import LEXICON, Lexicon, Lexicons, save_lexicons

WORDS = st.text("abcäöß", min_size=1, max_size=6)


@given(
    entries=st.dictionaries(WORDS, st.lists(WORDS, min_size=1, max_size=3, unique=True), min_size=1, max_size=5),
    words=st.sets(WORDS, max_size=5),
    others=st.lists(WORDS, max_size=5),
)
def test_entries_and_words_come_back_from_their_file(tmp_path_factory, entries, words, others):
    path = tmp_path_factory.mktemp("model") / LEXICON
    save_lexicons(path, {"en-fr": entries}, {"fr": words})
    lexicons = Lexicons.load(path)
    assert lexicons is not None and lexicons.of("fr-en") is None and [*path.parent.iterdir()] == [path]
    lexicon = lexicons.of("en-fr")
    assert lexicon is not None
    written = words.union(*entries.values())
    for word in (*entries, *words, *others):
        assert lexicon.forms(word) == tuple(entries.get(word, ()))
        assert lexicon.is_word(word) == (word in written)


def test_unpacked_lexicon_is_stored_for_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(lexicon_module, "_LEAST_CACHED", 1)
    path = tmp_path / LEXICON
    save_lexicons(path, {"en-de": {"crew": ["=", "Crew"], "wheel": ["Rad", "Räder"]}}, {"de": ["ich"]})
    unpacked, kept = Lexicons.load(path), [*(tmp_path / "cache" / "lexicons").iterdir()]
    with monkeypatch.context() as context:
        context.setattr(Lexicons, "parse", None)  # the stored one needs no parser
        stored = Lexicons.load(path)
    kept[0].write_bytes(kept[0].read_bytes()[:-100])
    for lexicons in (unpacked, stored, Lexicons.load(path)):
        assert lexicons is not None and (lexicon := lexicons.of("en-de")) is not None
        assert dict(lexicon.translations) == {"crew": "= Crew", "wheel": "Rad Räder"}
        assert [lexicon.is_word(word) for word in ("Räder", "ich", "Radrad", "wheel")] == [True, True, True, False]
    save_lexicons(path, {"en-de": {"crew": ["Mannschaft"]}}, {})
    changed = Lexicons.load(path)
    assert changed is not None and len([*kept[0].parent.iterdir()]) == 2
    assert (lexicon := changed.of("en-de")) is not None and lexicon.forms("crew") == ("Mannschaft",)


def test_lexicon_that_cannot_be_stored_is_read_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_the_disk(file: Path, **arrays: Any) -> None:
        Path(file).write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(lexicon_module, "_LEAST_CACHED", 1)
    monkeypatch.setattr(np, "savez", fill_the_disk)
    path = tmp_path / LEXICON
    save_lexicons(path, {"en-de": {"wheel": ["Rad"]}}, {})
    lexicons = Lexicons.load(path)
    assert lexicons is not None and (lexicon := lexicons.of("en-de")) is not None
    assert lexicon.forms("wheel") == ("Rad",)
    assert [*(tmp_path / "cache" / "lexicons").iterdir()] == []


def test_model_without_the_file_has_no_lexicon(tmp_path: Path) -> None:
    assert Lexicons.load(tmp_path / LEXICON) is None


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "is incomplete or too large"),
        (b"no xz file", "is damaged"),
        (lzma.compress(b"de\tErnte")[:-9], "is incomplete or too large"),
        (lzma.compress(b"de\tErnte" * 200), "is incomplete or too large"),
        (lzma.compress(b"de\t\xff"), "is damaged"),
        (lzma.compress(b"de\tErnte\nen-de\tharvest"), "line 2: expected DIRECTION"),
        (lzma.compress(b"de\tErnte\tErnten"), "line 1: expected DIRECTION"),
        (lzma.compress(b"\n"), "line 1: expected DIRECTION"),
    ],
)
def test_damaged_file_is_named_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, named: str
) -> None:
    monkeypatch.setattr(lexicon_module, "MAX_BYTES", 1000)
    (tmp_path / LEXICON).write_bytes(content)
    with pytest.raises(ModelError, match=rf"{re.escape(LEXICON)} {named}.*optional"):
        Lexicons.load(tmp_path / LEXICON)


PARTS = frozenset({"farbe", "rad", "rades", "datei", "sicherheit", "lager", "ei"})
KNOWN = PARTS | {"tante", "nant"}
CASES = [
    ("Rad", True, "a word"),
    ("RADES", True, "capitals"),
    ("Farbrad", True, "the first part without its last letter"),
    ("Dateilager", True, "parts side by side"),
    ("Sicherheitslager", True, "an s between the parts"),
    ("Sicherheits-Lager", True, "a hyphen behind it"),
    ("Lichtrad", False, "an unknown first part"),
    ("Dateibulb", False, "an unknown last part"),
    ("Radei", False, "a last part of two letters"),
    ("Tantenant", False, "parts that the dictionary lacks"),
    ("", False, "nothing"),
]


@pytest.mark.parametrize(("word", "expected", "reason"), CASES, ids=[reason for _, _, reason in CASES])
def test_german_has_the_words_of_the_list_and_their_compounds(word: str, expected: bool, reason: str) -> None:
    assert Lexicon("en-de", {}, KNOWN, PARTS).is_word(word) == expected, reason


def test_english_has_no_compounds() -> None:
    lexicon = Lexicon("de-en", {}, frozenset({"color", "wheel"}))
    assert lexicon.is_word("Wheel") and not lexicon.is_word("colorwheel")


def test_word_that_may_stay_has_its_forms_too() -> None:
    lexicon = Lexicon("en-de", {"crew": "= Besatzung", "harvest": "Ernte", "hardy": "^ zäh"}, frozenset())
    assert (lexicon.forms("Crew"), lexicon.forms("hardy")) == (("Besatzung",), ("zäh",))
    assert [lexicon.may_stay(word) for word in ("Crew", "Harvest", "other")] == [True, False, True]


def test_translations_depend_on_the_lexicon(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    before = model_checksum(tmp_path)
    save_lexicons(tmp_path / LEXICON, {"en-de": {"harvest": ["Ernte"]}}, {"de": ["Ernte"]})
    assert model_checksum(tmp_path) != before
