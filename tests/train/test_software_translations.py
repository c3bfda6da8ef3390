"""Pairs from the translations of free software: catalogs, JSON, package descriptions, and which texts are usable."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from translate.storage.mo import mofile

from engine.errors import TrainingError
from engine.train.corpus import Selection, read_pairs
from engine.train.prepare import prepare
from engine.train.software_translations import collect, sentence_pairs
from tests.train.corpora import PAIRS, prepare_options, write_corpus

EN, DE = "Open the valve with care.", "Öffnen Sie das Ventil vorsichtig."
SOURCES = "source_id\trepo\tlicence\tdomain\npump\tthe pump's repository\tMIT\tsoftware\n"

CASES = [
    (EN, DE, [(EN, DE)], "a sentence"),
    (
        f"{EN} The pump is off.",
        f"{DE} Die Pumpe ist aus.",
        [(EN, DE), ("The pump is off.", "Die Pumpe ist aus.")],
        "two",
    ),
    (
        f'"{EN}" The pump is off.',
        f"„{DE}“ Die Pumpe ist aus.",
        [(f'"{EN}"', f"„{DE}“"), ("The pump is off.", "Die Pumpe ist aus.")],
        "a quotation mark behind the full stop",
    ),
    (
        "Use e.g. A pump. It is quiet.",
        "Verwenden Sie z. B. Eine Pumpe. Sie ist leise.",
        [("Use e.g. A pump.", "Verwenden Sie z. B. Eine Pumpe.")],
        "an abbreviation does not end a sentence, and three words are too few",
    ),
    (
        f"{EN} The pump is off.",
        "Öffnen Sie das Ventil vorsichtig, die Pumpe ist dann aus.",
        [(f"{EN} The pump is off.", "Öffnen Sie das Ventil vorsichtig, die Pumpe ist dann aus.")],
        "other numbers of sentences stay together",
    ),
    (
        f"{EN}\n\nThe pump\nis off.",
        f"{DE}\n\nDie Pumpe\nist aus.",
        [(EN, DE), ("The pump is off.", "Die Pumpe ist aus.")],
        "paragraphs",
    ),
    (
        "Open the <b>valve</b> now",
        "Öffnen Sie das <b>Ventil</b>",
        [("Open the valve now", "Öffnen Sie das Ventil")],
        "tags",
    ),
    ("Open the <b>valve</b> now", "Öffnen Sie das Ventil", [], "other tags on each side"),
    ("Open <if>one</if><else>two</else> here", "Öffnen <if>eins</if><else>zwei</else>", [], "tags with alternatives"),
    ("_Open the valve now", "Ventil jetzt ö_ffnen", [("Open the valve now", "Ventil jetzt öffnen")], "keyboard marks"),
    (
        "Tom &amp; Ann's red pump",
        "Tom &amp; Anns rote Pumpe",
        [("Tom & Ann's red pump", "Tom & Anns rote Pumpe")],
        "entities",
    ),
    (
        "female^I open the valve.",
        "Ich öffne das Ventil.",
        [("I open the valve.", "Ich öffne das Ventil.")],
        "a context",
    ),
    (
        "%d of %s valves open",
        "%d von %s Ventilen offen",
        [("%d of %s valves open", "%d von %s Ventilen offen")],
        "directives",
    ),
    ("%d of %s valves open", "%s Ventile sind offen", [], "other directives"),
    ("Open the valve {name} now", "Öffnen Sie das Ventil {name}", [], "a variable"),
    ("Open valve now", "Ventil jetzt öffnen", [], "three words"),
    ("Open the valve with care.", "Open the valve with care!", [], "not translated"),
    ("Der Hund ist nicht da.", "Das Tier ist nicht da.", [], "German on the English side"),
    ("Open the valve with care and then wait.", "Auf!", [], "much shorter"),
    ("1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 9", [], "no letters"),
]


@pytest.mark.parametrize(("english", "german", "expected", "reason"), CASES, ids=[case[3] for case in CASES])
def test_usable_sentences_of_a_text(english: str, german: str, expected: list[tuple[str, str]], reason: str) -> None:
    assert sentence_pairs(english, german) == expected, reason


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "translations"
    (folder / "pump" / "deep").mkdir(parents=True)
    (folder / "SOURCES.tsv").write_text(SOURCES, encoding="utf-8")
    return folder


def collected(folder: Path) -> list[tuple[str, str, str, str]]:
    collect(folder)
    return [(pair.first, pair.second, pair.source_id, pair.domain) for pair in read_pairs(folder)]


def test_gettext_catalogs_are_read_without_fuzzy_and_obsolete_messages(folder: Path) -> None:
    compiled = mofile()
    compiled.addsourceunit("The pump is off now.").target = "Die Pumpe ist jetzt aus."
    compiled.savefile(str(folder / "pump" / "deep" / "pump.mo"))
    (folder / "pump" / "de.po").write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        f'msgctxt "menu"\nmsgid "{EN}"\nmsgstr "{DE}"\n\n'
        '#, fuzzy\nmsgid "Close the valve with care."\nmsgstr "Das ist ein anderer Satz."\n\n'
        'msgid "One valve is still open."\nmsgid_plural "%d valves are open."\n'
        'msgstr[0] "Ein Ventil ist noch offen."\nmsgstr[1] "%d Ventile sind offen."\n\n'
        '#~ msgid "This message is not used."\n#~ msgstr "Dieser Text ist nicht im Gebrauch."\n',
        encoding="utf-8",
    )
    assert collected(folder) == [
        (EN, DE, "pump", "software"),
        ("One valve is still open.", "Ein Ventil ist noch offen.", "pump", "software"),
        ("The pump is off now.", "Die Pumpe ist jetzt aus.", "pump", "software"),
    ]


def test_json_files_are_paired_by_key(folder: Path) -> None:
    for name, texts in (("en", {"a": {"b": EN}, "c": "Only in English here"}), ("de", {"a": {"b": DE}, "d": [1]})):
        (folder / "pump" / f"{name}.json").write_text(json.dumps(texts), encoding="utf-8")
    assert collected(folder) == [(EN, DE, "pump", "software")]


def test_package_descriptions_are_paired_by_paragraph_and_list_item(folder: Path) -> None:
    english = (
        "Package: pump\nDescription-md5: 12ab\nDescription-en: pump for very hot water\n"
        " Open the valve\n with care.\n .\n The pump has:\n  * a valve made of steel\n  * a motor with two speeds\n"
    )
    german = (
        "Package: pump\nDescription-md5: 12ab\nDescription-de: Pumpe für sehr heißes Wasser\n"
        " Öffnen Sie das Ventil\n vorsichtig.\n .\n Die Pumpe hat:\n"
        "  - ein Ventil aus Stahl\n  - einen Motor mit zwei Stufen\n"
    )
    other = "Package: tube\nDescription-md5: 34cd\nDescription-{}: a tube made of steel\n"
    (folder / "pump" / "Translation-en").write_text(f"{english}\n{other.format('en')} One.\n", encoding="utf-8")
    (folder / "pump" / "Translation-de").write_text(f"{german}\n{other.format('de')}", encoding="utf-8")
    assert [pair[:2] for pair in collected(folder)] == [
        ("pump for very hot water", "Pumpe für sehr heißes Wasser"),
        (EN, DE),
        ("a valve made of steel", "ein Ventil aus Stahl"),
        ("a motor with two speeds", "einen Motor mit zwei Stufen"),
    ]


def test_damaged_catalog_is_named_and_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pump" / "bad.mo").write_bytes(b"no catalog")
    (folder / "pump" / "en.json").write_text(json.dumps([EN]), encoding="utf-8")
    assert collected(folder) == []
    assert "bad.mo is left out" in capsys.readouterr().err


def test_errors_name_the_file_and_the_cure(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "pump" / "en.json").write_text("{", encoding="utf-8")
    (folder / "pump" / "de.json").write_text("{}", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"en\.json is not a JSON file"):
        collect(folder)
    (folder / "pump" / "de.json").unlink()
    (folder / "pump" / "de.po").write_text("", encoding="utf-8")
    for name in ("mo", "pypo"):
        monkeypatch.setitem(sys.modules, f"translate.storage.{name}", None)
    with pytest.raises(TrainingError, match=r"needs translate-toolkit.*pinpoint\[train\]"):
        collect(folder)
    (folder / "SOURCES.tsv").write_text(SOURCES.replace("software", ""), encoding="utf-8")
    with pytest.raises(TrainingError, match=r"SOURCES\.tsv line 2: domain is missing"):
        collect(folder)
    (folder / "SOURCES.tsv").write_text(SOURCES.replace("pump\t", "tube\t"), encoding="utf-8")
    with pytest.raises(TrainingError, match="tube is missing"):
        collect(folder)


def test_further_pairs_are_neither_repeated_nor_held_out(tmp_path: Path, folder: Path) -> None:
    (known, translation), (held_out, _) = PAIRS[12], PAIRS[15]
    corpus = write_corpus(tmp_path / "corpus", [f"{known}\t{translation}\tmade-up\tdocs"])
    texts = {"en": [EN, known, held_out], "de": [DE, translation, "Wir leben jetzt in Berlin."]}
    for language, side in texts.items():
        (folder / "pump" / f"{language}.json").write_text(json.dumps(dict(enumerate(side))), encoding="utf-8")
    assert len(collected(folder)) == 3
    options = prepare_options(more=folder, selection=Selection({"docs": 10, "software": 10}))
    prepared = prepare(corpus, tmp_path / "work", options)
    assert [(row["source_id"], row["licence"], row["pairs"]) for row in prepared.facts["sources"]] == [
        ("made-up", "CC0", 1),
        ("pump", "MIT", 1),
    ]
