"""Set phrases of a dictionary: which expressions a corpus translates one way, and which the model needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from engine.model.set_phrases import SET_PHRASES, SetPhrases
from engine.request import Request
from engine.text import FormList
from engine.train.phrase_mining import count_terms, mine_phrases, terms_of, unambiguous
from tests.train.corpora import write_corpus

ENTRIES = [
    "Arbeitsmarkt {m} | Arbeitsmärkte {pl} :: labour market; labor market | labour markets",
    "Gutschrift {f} | Gutschriften {pl} :: credit note | credit notes",
]
LABOUR = ("The labour market is open.", "Der Arbeitsmarkt ist offen.")
NOTE = ("We sent a credit note.", "Wir haben eine Gutschrift gesandt.")
TERMS = terms_of(
    [
        ("Arbeitsmarkt", "labour market"),
        ("Arbeitsmarkt", "labor market"),
        ("Gutschrift", "credit note"),
        ("Markt", "market place"),  # short
        ("Hauptbahnhof", "station"),  # one English word
        ("alter Schrank", "wardrobe unit"),  # two German words
    ]
)


def test_only_a_long_german_word_and_a_few_english_ones_are_a_term():
    assert dict(TERMS["en-de"]) == {
        "labour market": ["Arbeitsmarkt"],
        "labor market": ["Arbeitsmarkt"],
        "credit note": ["Gutschrift"],
    }
    assert dict(TERMS["de-en"]) == {"arbeitsmarkt": ["labour market", "labor market"], "gutschrift": ["credit note"]}


@pytest.mark.parametrize(
    ("pairs", "expected", "why"),
    [
        ([NOTE] * 4, {"en-de": {"credit note": "Gutschrift"}, "de-en": {"gutschrift": "credit note"}}, "clear"),
        ([NOTE] * 3, {"en-de": {}, "de-en": {}}, "too few pairs"),
        (
            [NOTE] * 4 + [("We sent a credit note.", "Wir haben einen Beleg gesandt.")] * 2,
            {"en-de": {}, "de-en": {"gutschrift": "credit note"}},
            "too often translated by other words",
        ),
        (
            [NOTE] * 4 + [("We gave a voucher.", "Wir gaben eine Gutschrift.")] * 5,
            {"en-de": {}, "de-en": {}},
            "the translation stands for other expressions, too",
        ),
    ],
)
def test_corpus_decides_what_is_unambiguous(
    pairs: list[tuple[str, str]], expected: dict[str, dict[str, str]], why: str
):
    assert unambiguous(count_terms(TERMS, pairs)) == expected, why


def test_inflected_words_count_as_translations():
    count = count_terms(TERMS, [("Two labour markets", "Zwei Arbeitsmärkte"), NOTE, ("A credit note", "Gutschriften")])
    assert count["en-de"]["credit note"].by_translation == {"Gutschrift": 2}
    assert "labour market" not in count["en-de"]  # the expression itself has to be as in the dictionary


def test_entries_are_those_that_the_model_gets_wrong_and_the_list_lacks(tmp_path: Path):
    corpus = write_corpus(tmp_path / "corpus", [f"{en}\t{de}\tmade-up\tdocs" for en, de in [LABOUR, NOTE] * 4])
    dictionary = tmp_path / "ding"
    dictionary.write_text("# License :: GPL-2+\n" + "".join(f"{entry}\n" for entry in ENTRIES), encoding="utf-8")
    model = tmp_path / "model"
    model.mkdir()
    first = "de-en\t-\t^gutschrift$\tCredit note\n"
    (model / SET_PHRASES).write_text(first, encoding="utf-8")

    def translate(texts: Sequence[str], direction: str) -> Iterable[str]:
        wrong = {"en-de": "Wir haben eine Kreditnote gesandt.", "de-en": "The work market is open."}
        return [wrong[direction] if "labour" not in text else "Am Arbeitsmarkt" for text in texts]

    forms = FormList(b"Gutschrift\t0en")
    assert mine_phrases(model, [corpus], dictionary, forms, translate) == {"en-de": 1, "de-en": 1}
    written = (model / SET_PHRASES).read_text(encoding="utf-8")
    assert written.startswith(first)
    assert written.splitlines()[1:] == [
        "en-de\t-\tcredit note\tGutschrift|Gutschriften",
        "de-en\t-\tarbeitsmarkt\tlabour market",
    ]
    entries = SetPhrases.load(model / SET_PHRASES)
    assert entries is not None
    [phrase] = entries.added_to(Request("Two credit note"), "en-de").phrases
    assert phrase.text == "Gutschrift"
    assert mine_phrases(model, [corpus], dictionary, forms, translate) == {"en-de": 0, "de-en": 0}
