"""Sie and du are told apart, and a model that has seen their tokens follows them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal
from unittest.mock import Mock

import pytest

from engine import InvalidRequest, Phrase, Request, SearchOptions, Translator
from engine.errors import TrainingError
from engine.model import ModelConfig
from engine.train.bundle import write_bundle
from engine.train.data import FORMALITIES_FILE, BatchSampler, PairSet, PreparedData
from engine.train.formality import formality_of
from engine.train.formality_scores import insert_formality_scores, measure_formality
from engine.train.held_out import SetScore
from engine.train.options import TrainOptions
from engine.train.prepare import prepare
from engine.train.score_table import insert_scores
from engine.train.trainer import Trainer
from tests.train.corpora import prepare_options, write_corpus

SENTENCES = [
    ("formal", "Klicken Sie auf die Datei.", "Click the file."),
    ("formal", "Sie können die Datei öffnen.", "You can open the file."),  # the English side says who
    ("formal", "Wie alt ist Ihr Kühlschrank?", "How old is your refrigerator?"),
    ("formal", "Ihre Datei wurde gespeichert.", "Your file has been saved."),
    ("formal", "Wir helfen Ihnen, wenn sie weint.", "We help you if she cries."),
    ("informal", "Falls du Linux verwendest, öffne ein Fenster.", "If you’re using Linux, open a window."),
    ("informal", "Dein Konto ist gesperrt.", "Your account is locked."),
    ("informal", "Hör dir das an!", "Listen to this!"),
    ("informal", "Wir lieben euch.", "We love you all."),
    (None, "Die Datei ist offen.", "The file is open."),
    (None, "Sie schläft.", "She sleeps."),
    (None, "Sie kommen. Sie bringen Ihnen Brot.", "They come. They bring them bread."),
    (None, "Drei Leute fliegen, bevor Sie ihre Schirme öffnen.", "Three people fly before they open their chutes."),
    (None, "Ihr habt recht.", "You are right."),  # several friends, or one lord
    (None, "Sie haben es.", "You said that they have it."),  # either
    (None, "„Kannst du?“, fragen Sie.", "“Can you?”, you ask."),  # both
    (None, "Ein Artist des Cirque du Soleil.", "An artist of the Cirque du Soleil."),
    (None, "Mit du -h sieht man mehr.", "With du -h one sees more."),
    (None, "Die Sie-Form ist höflich.", "That form is polite."),
    (None, "Das Verzeichnis usr/dir ist leer.", "The directory is empty."),
]
VERBS = [
    ("see", "sehen", "siehst"),
    ("know", "kennen", "kennst"),
    ("buy", "kaufen", "kaufst"),
]
THINGS = [("door", "die Tür"), ("house", "das Haus"), ("dog", "den Hund"), ("cat", "die Katze")]
UNSEEN = "You buy the dog."
TRIPLES = [
    (f"You {en} the {thing}.", f"Sie {formal} {das_ding}.", f"Du {informal} {das_ding}.")
    for en, formal, informal in VERBS
    for thing, das_ding in THINGS
]
OPTIONS = TrainOptions(
    max_updates=90,
    precision="float32",
    directions=("en-de", "de-en"),
    batch_pieces=150,
    warmup_updates=10,
    peak_lr=2e-2,
    dropout=0.0,
    label_smoothing=0.0,
    formality_tag_rate=0.9,
    domain_tag_rate=0.5,
    dev_every=1000,
)
SEARCH = SearchOptions(beam=3, nbest=2)


@pytest.mark.parametrize(("label", "german", "english"), SENTENCES)
def test_german_is_formal_informal_or_undecided(label: str | None, german: str, english: str) -> None:
    assert formality_of(german, english) == label


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The synthetic pairs, prepared: each source once with Sie and once with du."""
    folder = tmp_path_factory.mktemp("formality")
    pairs = [(en, de) for en, *both in TRIPLES if en != UNSEEN for de in both]
    lines = [f"{en}\t{de}\tmade-up\teveryday" for en, de in pairs]
    corpus = write_corpus(folder / "corpus", [*lines, "The sun is red.\tDie Sonne ist rot.\tmade-up\tdocs"])
    prepare(corpus, folder / "work", prepare_options())
    return folder / "work"


@pytest.fixture(scope="module")
def translator(work: Path) -> Translator:
    config = ModelConfig(PreparedData.load(work).vocabulary_size, OPTIONS.directions, 32, 2, 64, 2, 1)
    Trainer(work, work.parent / "run", config, OPTIONS).train()
    write_bundle(work, work.parent / "run", work.parent / "model", 1, "A tiny model")
    return Translator.load(work.parent / "model")


def test_labels_are_prepared_with_the_pairs_and_counted(work: Path) -> None:
    prepared = PreparedData.load(work)
    assert prepared.facts["pairs_by_formality"] == {"formal": 11, "informal": 11}
    labels = PairSet.load(work / "train", prepared.languages).formalities
    assert labels is not None and labels.tolist() == [1, 2] * 11 + [0]


def test_a_model_that_has_seen_the_tokens_follows_them(translator: Translator) -> None:
    def best(english: str, formality: Literal["formal", "informal"] | None = None) -> str:
        return translator.translate(Request(english, formality=formality), SEARCH).hypotheses[0].text

    for english, formal, informal in TRIPLES:
        if english != UNSEEN:
            assert (best(english, "formal"), best(english, "informal")) == (formal, informal)
    assert best(UNSEEN, "formal").startswith("Sie ") and best(UNSEEN, "informal").startswith("Du ")
    assert best(UNSEEN, "formal").startswith("Sie "), "what was encoded is kept for each formality apart"
    assert best(TRIPLES[0][0]) in TRIPLES[0][1:]
    card = (translator.folder / "card.md").read_text(encoding="utf-8") if translator.folder else ""
    assert "| formality of en-de | formal, informal |" in card and "| domains | docs, everyday |" in card


def test_card_has_the_share_of_followed_formality_requests(translator: Translator, tmp_path: Path) -> None:
    known = [(en, formal) for en, formal, _ in TRIPLES if en != UNSEEN] + [("The sun is red.", "Die Sonne ist rot.")]
    for column, language in enumerate(("en", "de")):
        (tmp_path / f"set.{language}").write_text("".join(pair[column] + "\n" for pair in known), encoding="utf-8")
    found = measure_formality(translator, tmp_path, "set", beam=3)
    assert [entry.asked for entry in found] == [None, "formal", "informal"]
    assert all(entry.num_lines == len(known) - 1 == sum(entry.num_by_form.values()) for entry in found), (
        "one has no reader"
    )
    assert (found[1].num_by_form, found[2].num_by_form) == ({"formal": 11}, {"informal": 11})
    assert found[2].row == "| set | 11 | du | 0 | 11 | 0 |"
    assert [entry.num_lines for entry in measure_formality(translator, tmp_path, "set", limit=2)] == [2, 2, 2]

    card, other = tmp_path / "card.md", "\n## Training data\n\nMuch.\n"
    card.write_text(f"# A model\n\n## Scores\n\nNone.\n{other}", encoding="utf-8")
    insert_formality_scores(card, found)
    once = card.read_text(encoding="utf-8")
    assert once.startswith("# A model\n\n## Scores\n\nNone.\n\n## Sie and du\n\nTranslations of")
    assert once.endswith(f"{found[1].row}\n{found[2].row}\n{other}")
    insert_formality_scores(card, found)
    assert card.read_text(encoding="utf-8") == once, "the same figures take the place of the old"
    insert_scores(card, [SetScore("test/a", "en-de", 5, 5, 12.0, 30.0, ())])
    assert card.read_text(encoding="utf-8").endswith(once[once.index("\n## Sie") :])


def test_following_that_cannot_be_measured_is_refused(translator: Translator, tmp_path: Path) -> None:
    for language in ("en", "de"):
        (tmp_path / f"set.{language}").write_text("a\n", encoding="utf-8")
    with pytest.raises(TrainingError, match="set has no line whose reference says Sie or du"):
        measure_formality(translator, tmp_path, "set")
    with pytest.raises(TrainingError, match="without --formality-tag-rate"):
        measure_formality(Mock(formalities={}, name="plain"), tmp_path, "set")
    (tmp_path / "card.md").write_text("# A model\n", encoding="utf-8")
    with pytest.raises(TrainingError, match="has no line '## Scores'; write the card again"):
        insert_formality_scores(tmp_path / "card.md", [])
    with pytest.raises(TrainingError, match="cannot be read"):
        insert_formality_scores(tmp_path / "none.md", [])


def test_scores_prices_and_alternatives_use_the_requested_formality(translator: Translator) -> None:
    english, _, informal = TRIPLES[0]
    request = Request(english, formality="informal", phrases=(Phrase(informal.split()[-1].rstrip(".")),))
    best = translator.translate(request, SEARCH).hypotheses[0]
    scored = translator.score(english, tokens=best.tokens, formality="informal")
    assert scored.token_log_probs == pytest.approx(best.token_log_probs, abs=1e-4)
    du = translator.score(english, informal, formality="informal").log_prob
    assert du > translator.score(english, informal, formality="formal").log_prob + 1
    pricing = translator.price(request, SEARCH)
    assert pricing.free.hypotheses[0].text == pricing.constrained.hypotheses[0].text == informal
    [*others] = translator.alternatives(request, best, best.text.rindex(" ") + 1, 3, SEARCH)
    assert others and all(other.hypothesis.text.startswith("Du ") for other in others)


def test_untrained_style_is_refused_with_the_cure(translator: Translator) -> None:
    assert translator.domains == ("docs", "everyday")
    assert translator.formalities == {"en-de": ("formal", "informal")}
    assert translator.translate(Request("The sun is red.", domain="docs"), SEARCH).status == "complete"
    for request, message in (
        (Request("Red.", domain="poems"), r"domain is 'poems', but this model knows docs, everyday; leave it out"),
        (Request("Rot.", "de-en", formality="formal"), r"trained without formality for de-en; .*--formality-tag-rate"),
    ):
        with pytest.raises(InvalidRequest, match=message):
            translator.translate(request, SEARCH)
        [answer] = translator.translate_all([request], SEARCH)
        assert answer.status == "failed"
    with pytest.raises(InvalidRequest, match="formality is 'polite'; it must be one of formal, informal"):
        Request("Red.", formality="polite")  # type: ignore[arg-type]


def test_tokens_need_prepared_labels_and_a_direction_into_german(work: Path) -> None:
    prepared = PreparedData.load(work)
    pairs = PairSet.load(work / "train", prepared.languages)
    with pytest.raises(TrainingError, match=r"no formalities\.npy; run `python -m engine\.train prepare` again"):
        BatchSampler(replace(pairs, formalities=None), prepared, ("en-de",), 100, formality_tag_rate=0.5)
    with pytest.raises(TrainingError, match="no direction leads into 'de'; leave it out"):
        BatchSampler(pairs, prepared, ("de-en",), 100, formality_tag_rate=0.5)


def test_a_folder_prepared_without_labels_still_trains_without_tokens(work: Path, tmp_path: Path) -> None:
    labels = work / "train" / FORMALITIES_FILE
    content = labels.read_bytes()
    labels.unlink()
    try:
        config = ModelConfig(PreparedData.load(work).vocabulary_size, ("en-de",), 8, 2, 8, 1, 1)
        options = replace(OPTIONS, directions=("en-de",), formality_tag_rate=0.0, max_updates=1)
        assert Trainer(work, tmp_path / "run", config, options).train().update == 1
        write_bundle(work, tmp_path / "run", tmp_path / "model", 1, "Without")
        assert ModelConfig.load(tmp_path / "model" / "config.json").formalities == {}
    finally:
        labels.write_bytes(content)
