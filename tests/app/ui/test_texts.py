"""The interface texts: every language says the same things, and the scripts use exactly what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app.ui.server import STATIC_FOLDER
from engine.text.vocabulary import DOMAIN_PIECES

FILES = sorted(STATIC_FOLDER.glob("texts.*.json"))
TRANSLATED = [file for file in FILES if file.name != "texts.en.json"]
PLACEHOLDER = re.compile(r"\{\w+\}")
# t('key'), t(cond ? 'key' : 'other'), t({word: 'key'}[name]): any quoted string may be a key.
QUOTED = re.compile(r"'([a-z_]+(?:\.[a-z_]+)*)'")
# t('side.' + name), t(`scope.${scope}.done`): keys that are put together.
JOINED = re.compile(r"'([a-z_]+\.)' \+|`([a-z_]+\.(?:[^`]*))`")


def texts(file: Path) -> dict[str, str]:
    def refuse_repeats(pairs: list[tuple[str, str]]) -> dict[str, str]:
        keys = [key for key, _ in pairs]
        assert sorted(set(keys)) == sorted(keys)
        return dict(pairs)

    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=refuse_repeats)
    return found


ENGLISH = texts(STATIC_FOLDER / "texts.en.json")
SCRIPTS = "\n".join(file.read_text(encoding="utf-8") for file in sorted(STATIC_FOLDER.rglob("*.js")))


@pytest.mark.parametrize("file", TRANSLATED, ids=lambda file: file.name)
def test_language_has_every_text_with_the_same_placeholders(file: Path):
    translated = texts(file)
    assert sorted(translated) == sorted(ENGLISH)
    for key, english in ENGLISH.items():
        assert translated[key].strip(), key
        assert sorted(PLACEHOLDER.findall(translated[key])) == sorted(PLACEHOLDER.findall(english)), key


def test_each_language_of_the_menu_has_its_file():
    (menu,) = re.findall(r"LANGUAGES = \{(.*)\}", SCRIPTS)
    assert sorted(re.findall(r"(\w+): '", menu)) == sorted(file.name.split(".")[1] for file in FILES)


def test_each_domain_that_models_of_ours_are_trained_with_has_a_name():
    (domains,) = re.findall(r"const DOMAINS = \[(.*)\]", SCRIPTS)
    names = sorted(re.findall(r"'(\w+)'", domains))
    assert names == sorted(piece.strip("<>") for piece in DOMAIN_PIECES)
    assert [key for key in sorted(ENGLISH) if key.startswith("domain.")] == [f"domain.{name}" for name in names]


def test_plural_has_both_forms():
    for key in ENGLISH:
        for form, other in ((".one", ".many"), (".many", ".one")):
            if key.endswith(form) and key != "prices.one" and key != "replace.one":
                assert key.removesuffix(form) + other in ENGLISH


# Texts with a number and a plural noun that need one form only.
ALWAYS_PLURAL = {
    "glossaries.several": "shown from two glossaries on",
    "news.several": "shown from two documents on",
    "replace.shown": "the limit of the list",
}
NOUN_AFTER_NUMBER = re.compile(r"\{(\w+)\}(?: more| other)? (?!is\b|was\b)(\w{2,}s)\b(?!/)")
COUNTED_NOUNS = {found[2] for text in ENGLISH.values() for found in NOUN_AFTER_NUMBER.finditer(text) if found[1] == "n"}
# A plural noun or "are" behind a number, which may have any name.
PLURAL = re.compile(rf"\{{\w+\}}(?: more| other)? (?:{'|'.join(sorted(COUNTED_NOUNS))}|of them are)\b(?!/)")
# Texts of one noun that are not shown behind a number.
LABELS = {
    "record.keys.character": "before its number",
    "record.keys.command": "before its number",
    "record.keys.delete": "before its number",
    "event.key": "the kind of an event",
}


def test_text_with_a_number_and_a_plural_noun_has_both_forms():
    found = {key for key, text in ENGLISH.items() if PLURAL.search(text) and not key.endswith(".many")}
    assert {"segments", "terms", "words", "entries"} <= COUNTED_NOUNS
    assert found == set(ALWAYS_PLURAL)


def test_noun_that_is_shown_behind_a_number_has_both_forms():
    found = {key for key, text in ENGLISH.items() if text in COUNTED_NOUNS and not key.endswith(".many")}
    assert found <= set(LABELS)


def test_every_text_that_a_script_asks_for_exists():
    asked = set(re.findall(r"\bt\('([^']+)'[,)]", SCRIPTS))
    counted = {f"{key}.{form}" for key in re.findall(r"\btn\('([^']+)',", SCRIPTS) for form in ("one", "many")}
    assert len(asked) > 150
    assert sorted((asked | counted) - set(ENGLISH)) == []


def test_every_text_of_the_page_is_used_by_a_script():
    quoted = set(QUOTED.findall(SCRIPTS))
    prefixes = [left or re.sub(r"\$\{.*", "", right, flags=re.DOTALL) for left, right in JOINED.findall(SCRIPTS)]
    unused = [
        key
        for key in ENGLISH
        if key not in quoted
        and re.sub(r"\.(one|many)$", "", key) not in quoted
        and not key.startswith(tuple(prefix for prefix in prefixes if "." in prefix))
    ]
    assert unused == []
