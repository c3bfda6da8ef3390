"""Phrases that come too late: behind as many sentences as the source has."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import numpy as np
import pytest

from engine.search.endings import SentenceEndings, num_sentences
from engine.search.phrases import SentenceConstraints
from engine.search.sentence import Sentence
from engine.search.stopping import Scoring
from engine.search_options import SearchOptions
from tests.budget import rounds
from tests.reference.matching import meets_all
from tests.reference.toy import END, ToyModel, ToyTexts, random_phrases, toy_stream

SENTENCES = ToyTexts(("a", "b", "a@@", "￭.", "￭!", "￭”", "1", "1@@", "￭.￭"))


def slow_late(tokens, phrases, max_sentences: int) -> int:
    """Words with a space before them that follow an ended sentence, the last allowed one or a later one, too early."""
    late = begun = 0
    for place, token in enumerate(tokens):
        before = SENTENCES.text(tokens[:place])
        is_word = SENTENCES.surfaces[token].isalnum() and not SENTENCES.glues_left[token]
        is_word &= not (place and SENTENCES.glues_right[tokens[place - 1]])
        if is_word and before and not before[-1].isalnum() and re.search(r"(!|(?<!\d)\.)”*$", before):
            begun += 1
            late += begun >= max_sentences and not meets_all(before, phrases)
    return late


def find(sentences, **settings):
    ended = toy_stream(ToyModel(SENTENCES.size, seed=3), SENTENCES, **settings).run(sentences)
    assert all(item.error is None for item in ended)
    return [item.result for item in ended]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("A file", 1),
        ("A file.", 1),
        ("A file. Another one.", 2),
        ("“Really?” “No!” He left…", 3),
        ("Version 3.5 of x.y", 1),
        ("Am 4. Juli 1943 begann es. Was?", 2),
        ("", 1),
    ],
)
def test_sentences_of_a_source_are_counted(text, count):
    assert num_sentences(text) == count


def test_late_beginnings_equal_their_definition():
    rng, num_late = random.Random(1), 0
    endings = SentenceEndings(SENTENCES)
    for _ in range(rounds(60, 500)):
        tokens = [rng.choice(SENTENCES.ids("a b ￭. ￭! ￭” 1 ￭.￭")) for _ in range(9)]
        phrases, most = [SENTENCES.phrase("b")], rng.randint(1, 2)
        counts = np.zeros((1, 3), dtype=np.int64)
        for place, token in enumerate(tokens):
            lacks = not meets_all(SENTENCES.text(tokens[:place]), phrases)
            counts = endings.after(counts, np.array([token]), np.array([most]), np.array([lacks]))
        assert counts[0, 2] == slow_late(tokens, phrases, most)
        num_late += int(counts[0, 2])
    assert num_late > 0


def random_sentences(rng: random.Random, late_penalty: float) -> list[Sentence]:
    found = []
    for number in range(6):
        phrases = random_phrases(SENTENCES, rng, max_phrases=2)
        options = SearchOptions(
            beam=rng.randint(1, 5), nbest=rng.randint(1, 3), late_penalty=late_penalty, pruning_threshold=None
        )
        length = sum(phrase.num_constraint_tokens for phrase in phrases) + rng.randint(4, 12)
        found.append(Sentence(SentenceConstraints(tuple(phrases)), length, options, Scoring(), number))
    return found


def results(found):
    return [[(item.tokens, item.log_prob, item.ranking_score) for item in result.hypotheses] for result in found]


def test_optimal_stopping_equals_running_to_the_end_and_alone_equals_in_batch():
    rng = random.Random(2)
    for _ in range(rounds(8, 60)):
        sentences = random_sentences(rng, rng.choice([0.5, 3.0, 100.0]))
        late = [replace(item, options=replace(item.options, stopping="all_finished")) for item in sentences]
        early = results(find(sentences, batch_size=3, refill_share=0.7))
        assert early == results(find(late, batch_size=6))
        assert early == [results(find([item]))[0] for item in sentences]


def test_every_phrase_is_met_however_large_the_penalty():
    rng, num_met = random.Random(4), 0
    for _ in range(rounds(10, 60)):
        sentences = random_sentences(rng, 1000.0)
        for sentence, result in zip(sentences, find(sentences), strict=True):
            for item in result.hypotheses:
                if result.outcome == "complete":
                    assert item.tokens[-1] == END
                    assert meets_all(SENTENCES.text(item.tokens), sentence.constraints.phrases)
                    num_met += 1
    assert num_met > 30


class EndsAtOnce(ToyModel):
    """Would write "a." and then end, and hardly ever anything else."""

    def log_probs(self, sentence, history):
        word, full_stop = SENTENCES.ids("a ￭.")
        values = super().log_probs(sentence, history) - (12.0 if len(history) <= 2 else 4.0)
        values[[word, full_stop, END][min(len(history), 3) - 1]] = 0.0
        return values.log_softmax(0)


@pytest.mark.parametrize(
    ("late_penalty", "max_sentences", "is_late"), [(0.0, 1, True), (20.0, 1, False), (20.0, 2, True)]
)
def test_phrase_comes_before_the_end_of_the_last_sentence(late_penalty, max_sentences, is_late):
    options = SearchOptions(beam=4, nbest=1, late_penalty=late_penalty)
    constraints = SentenceConstraints((SENTENCES.phrase("b"),))
    sentence = Sentence(constraints, 12, options, Scoring("log_prob"), 0, max_sentences=max_sentences)
    (ended,) = toy_stream(EndsAtOnce(SENTENCES.size, seed=1), SENTENCES).run([sentence])
    text = SENTENCES.text(ended.result.hypotheses[0].tokens)
    assert "b" in text
    assert (". " in text) == is_late, text
