"""Pairs get other placeholders and tags, the same on both sides; nothing else of them changes."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import TrainingError
from engine.text import PLACEHOLDER, TextCodec
from engine.text.placeholders import COMMON
from engine.train.augmentation import PlaceholderAugmentation, joined
from engine.train.corpus import SentencePair
from engine.train.data import PairSet, PreparedData
from engine.train.prepare import prepare
from tests.train.corpora import prepare_options, write_corpus

WORDS = st.lists(st.sampled_from([*COMMON, "%x", "{other}", "Datei", "Linux", "(Linux)", "5", "."]), max_size=6)


@given(WORDS, st.randoms(use_true_random=False))
def test_exchanged_pairs_differ_only_in_their_placeholders(words: list[str], rng: random.Random) -> None:
    pair = SentencePair(" ".join(words), " ".join(reversed(words)), "source", "docs")
    made = PlaceholderAugmentation(COMMON, 1, 0).augment(pair, rng)
    first, second = PLACEHOLDER.findall(made.first), PLACEHOLDER.findall(made.second)
    assert first == second[::-1] and set(first) <= set(COMMON)
    assert Counter(Counter(first).values()) == Counter(Counter(PLACEHOLDER.findall(pair.first)).values())
    assert PLACEHOLDER.sub("", made.first) == PLACEHOLDER.sub("", pair.first)
    assert (made.source_id, made.domain) == ("source", "docs")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Open Linux now.", "Jetzt Linux öffnen.", r"Open (<.+>|{\d})Linux(</.+>|{/\d}) now\."),  # a word of both
        ("Open it.", "Öffnen.", r"(<.+>|{\d})Open it\.(</.+>|{/\d})"),  # none: all
        ("Linux or Linux", "Linux oder Linux", r"(<.+>|{\d})Linux or Linux(</.+>|{/\d})"),  # not once
        ("Copy %s.", "Kopieren.", r"Copy %s\."),  # the sides differ: left alone
    ],
)
def test_tags_enclose_the_same_words_on_both_sides(first: str, second: str, expected: str) -> None:
    made = PlaceholderAugmentation(COMMON, 1, 1).augment(
        SentencePair(first, second, "source", "docs"), random.Random(1)
    )
    assert re.fullmatch(expected, made.first)
    assert PLACEHOLDER.sub("", made.first) == PLACEHOLDER.sub("", first)
    assert PLACEHOLDER.sub("", made.second) == PLACEHOLDER.sub("", second)
    if first[:4] != "Copy":
        assert PLACEHOLDER.findall(made.first) == PLACEHOLDER.findall(made.second)


def test_every_known_placeholder_is_drawn_and_shares_are_as_requested() -> None:
    augmentation, rng = PlaceholderAugmentation(COMMON, 0.5, 0.25), random.Random(1)
    with_some, without = (
        SentencePair("Copy %s.", "%s kopieren.", "s", "d"),
        SentencePair("Copy it.", "Kopieren.", "s", "d"),
    )
    made = [augmentation.augment(pair, rng) for pair in (with_some, without) for _ in range(4000)]
    seen = Counter(text for pair in made for text in PLACEHOLDER.findall(pair.first))
    assert set(seen) == set(COMMON)
    assert 1900 < sum(pair != with_some for pair in made[:4000]) < 2100  # 1,960 expected, as one in fifty draws %s
    assert 900 < sum(pair != without for pair in made[4000:]) < 1100


def test_nothing_is_changed_at_rate_zero_and_without_placeholders() -> None:
    pair, bare = SentencePair("Copy %s.", "%s kopieren.", "s", "d"), SentencePair("Copy.", "Kopieren.", "s", "d")
    for augmentation in (PlaceholderAugmentation(COMMON, 0, 0), PlaceholderAugmentation((), 1, 1)):
        assert [augmentation.augment(pair, random.Random(1)), augmentation.augment(bare, random.Random(1))] == [
            pair,
            bare,
        ]


def test_neighbouring_sentences_of_one_source_are_joined_without_headings() -> None:
    texts = ["First one.", "A heading", "Is it the second?", "The “third.”", "%s", "Four."]
    pairs = [SentencePair(text, f"de {text}", source, "d") for text in texts for source in ("s", "t")]
    made = list(joined(pairs, 1 / 3, random.Random(1)))
    assert [pair.source_id for pair in made] == ["s", "t"]  # every three sentences, and the fourth waits for more
    both, three = "First one. Is it the second?", "First one. Is it the second? The “third.”"
    for pair in made:
        assert pair.first in (both, three)
        assert pair.second == " ".join(f"de {text}" for text in texts if text in pair.first)
    assert not list(joined(pairs, 0, random.Random(1)))


def test_prepared_pairs_have_placeholders_as_single_pieces(tmp_path: Path) -> None:
    lines = [f"Copy %{n}$s to {{9}}.\t%{n}$s nach {{9}} kopieren.\tmade-up\tdocs" for n in (1, 2) for _ in range(20)]
    corpus = write_corpus(tmp_path / "corpus", lines)
    options = prepare_options(num_placeholders=len(COMMON), placeholder_rate=0.5)
    prepared = prepare(corpus, tmp_path / "work", options)
    codec = TextCodec.load(tmp_path / "work")
    pairs = PairSet.load(tmp_path / "work" / "train", ("en", "de"))
    assert prepared.facts["placeholders"] == len(COMMON) and prepared.facts["tag_rate"] == 0.02
    texts = [codec.decode(pairs.lines["en"][i].tolist()).text for i in range(len(pairs))]
    assert 5 < sum(not re.fullmatch(r"Copy %[12]\$s to \{9\}\.", text) for text in texts) < 35
    held = set(COMMON)
    for i, text in enumerate(texts):
        written = [codec.surfaces[piece] for piece in pairs.lines["en"][i]]
        assert [piece for piece in written if piece in held] == PLACEHOLDER.findall(text)
    assert PreparedData.load(tmp_path / "work") == prepared


def test_settings_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    for changes in ({"num_placeholders": -1}, {"tag_rate": 1.5}, {"placeholder_rate": -0.1}):
        with pytest.raises(TrainingError, match=r"it must be (at least 0|between 0 and 1)"):
            prepare_options(**changes)
    with pytest.raises(TrainingError, match=r"the pieces are those of .*; leave one out"):
        prepare_options(num_placeholders=5, codec=tmp_path)
