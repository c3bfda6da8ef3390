"""Rules for the keys of JSON and YAML and the elements of XML: what is offered, and that only that changes."""

from __future__ import annotations

import json

import pytest
import yaml

from app.errors import CommandError, DocumentError
from app.formats import Reading, stored_format
from app.formats.documents import Document
from app.formats.part_rules import PartRule, key_rules
from app.formats.read_file import read_document

CONTENT = {
    "id": "home",
    "meta": {"author": "Somebody", "tags": ["news"]},
    "items": [{"title": "First", "id": "one", "a.b": "Dotted"}, {"title": "Second", "id": "two", "a.b": "Dotted"}],
}
XML = (
    '<doc><title>Manual</title><note kind="info">Press <b>Start</b> or <b>Go</b>.</note><code>run it</code>'
    '<img alt="A cat" src="cat.png"/><row><b>Alone</b></row></doc>'
)

KEYS = [
    (["skip *"], []),
    (["skip meta"], ["home", "First", "one", "Dotted", "Second", "two", "Dotted"]),
    (["skip *", "translate items.*.title"], ["First", "Second"]),
    (["skip *", "translate items.1"], ["Second", "two", "Dotted"]),
    (["skip **.id"], ["Somebody", "news", "First", "Dotted", "Second", "Dotted"]),
    (["skip **.id", "translate id"], ["home", "Somebody", "news", "First", "Dotted", "Second", "Dotted"]),
    (["skip *", r"translate **.a\.b"], ["Dotted", "Dotted"]),
    (["skip *", "translate it*s.*.t*t*e"], ["First", "Second"]),
    (["skip *", "translate items.title"], []),
]


def by_rules(data: bytes, name: str, rules: list[str]) -> Document:
    return read_document(data, name, reading=Reading(rules=tuple(rules)))


@pytest.mark.parametrize(("rules", "offered"), KEYS)
@pytest.mark.parametrize("name", ["a.json", "a.yml"])
def test_the_last_rule_that_fits_a_key_decides_if_it_is_translated(
    name: str, rules: list[str], offered: list[str]
) -> None:
    data = (json.dumps(CONTENT) if name == "a.json" else yaml.safe_dump(CONTENT, sort_keys=False)).encode()
    if not offered:
        with pytest.raises(DocumentError, match="the rules leave no text to translate"):
            by_rules(data, name, rules)
        return
    document = by_rules(data, name, rules)
    assert [segment.source for segment in document.segments] == offered
    num_skipped = 9 - len(offered)
    assert document.notes == (
        f"Texts that are not offered because of the rules in the import settings: {num_skipped}.",
    )
    again = yaml.safe_load(document.export({segment.index: "NEW" for segment in document.segments}))
    assert json.dumps(again).count("NEW") == len(offered)
    assert stored_format(document.format.stored).reading == document.format.reading == Reading(rules=tuple(rules))


def test_parts_list_each_key_once_with_its_use_for_all_rules() -> None:
    data = json.dumps(CONTENT).encode()
    document = by_rules(data, "a.json", ["skip **.id"])
    assert [(part.name, part.use, part.num) for part in document.text_parts()] == [
        ("id", "skip", 1),
        ("meta.author", "translate", 1),
        ("meta.tags.*", "translate", 1),
        ("items.*.title", "translate", 2),
        ("items.*.id", "skip", 2),
        (r"items.*.a\.b", "translate", 2),
    ]
    for part in document.text_parts():  # each name is a pattern for that part
        found = by_rules(data, "a.json", ["skip *", f"translate {part.name}"])
        assert len(found.segments) == part.num


def test_a_text_with_rules_of_no_keys_has_no_parts() -> None:
    assert read_document(b"key = Text\n", "a.properties").text_parts() == ()
    assert read_document(b"<resources><string name='a'>Text</string></resources>", "a.xml").text_parts() == ()


ELEMENTS = [
    ([], ["Manual", "Press {1}Start{/1} or {2}Go{/2}.", "run it", "Alone"]),
    (["skip code"], ["Manual", "Press {1}Start{/1} or {2}Go{/2}.", "Alone"]),
    (["paragraph b"], ["Manual", "Press", "or", "Start", "Go", "run it", "Alone"]),
    (["skip *", "paragraph note"], ["Press {1}Start{/1} or {2}Go{/2}."]),
    (["skip *", "paragraph note", "skip b"], ["Press {1} or {2}."]),
    (["translate img/@alt"], ["Manual", "Press {1}Start{/1} or {2}Go{/2}.", "run it", "A cat", "Alone"]),
    (["translate @alt", "skip img/@alt"], ["Manual", "Press {1}Start{/1} or {2}Go{/2}.", "run it", "Alone"]),
    (["translate note/@kind", "skip title"], ["info", "Press {1}Start{/1} or {2}Go{/2}.", "run it", "Alone"]),
]


@pytest.mark.parametrize(("rules", "offered"), ELEMENTS)
def test_rules_decide_the_use_of_xml_elements(rules: list[str], offered: list[str]) -> None:
    document = by_rules(XML.encode(), "a.xml", rules)
    assert [segment.source for segment in document.segments] == offered
    changed = document.export({segment.index: segment.source.upper() for segment in document.segments})
    assert changed.decode().lower() == XML.lower()
    assert document.export({}) == XML.encode()


def test_parts_of_xml_are_elements_with_text_and_attributes() -> None:
    document = by_rules(XML.encode(), "a.xml", ["skip code", "translate img/@alt"])
    assert [(part.name, part.use, part.text) for part in document.text_parts()] == [
        ("title", "paragraph", "Manual"),
        ("note", "paragraph", "Press or ."),
        ("b", "inline", "Start"),
        ("code", "skip", "run it"),
        ("note/@kind", "skip", "info"),
        ("img/@alt", "translate", "A cat"),
        ("img/@src", "skip", "cat.png"),
    ]
    tried = document.text_parts(("skip *",))
    assert {part.use for part in tried} == {"skip"}


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("a.json", "drop id"),
        ("a.json", "skip"),
        ("a.json", "inline id"),
        ("a.json", "skip a.**.b"),
        ("a.json", "skip " + "x" * 300),
        ("a.xml", "translate b"),
        ("a.xml", "inline img/@alt"),
        ("a.xml", "skip a b"),
        ("a.csv", "skip a"),
        ("a.txt", "skip a"),
    ],
)
def test_invalid_rule_is_refused(name: str, rule: str) -> None:
    with pytest.raises(CommandError):
        read_document(b"{}", name, reading=Reading(rules=(rule,)))


def test_more_rules_than_a_person_writes_are_refused() -> None:
    with pytest.raises(CommandError, match="101 rules are more than 100"):
        key_rules(["skip a"] * 101)


def test_stars_take_no_more_time_than_the_key_is_long() -> None:
    rules = key_rules(["skip " + "a*" * 90 + "b"])
    assert rules.translates(["a" * 100_000])


def test_a_rule_is_a_use_and_a_pattern() -> None:
    assert PartRule("skip", "a").pattern == "a"
