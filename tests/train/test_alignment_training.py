"""Links by counting, and a head that learns them from a model that it leaves alone."""

from __future__ import annotations

import random
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine import Translator
from engine.errors import TrainingError
from engine.model import ModelConfig, Transformer, save_weights, word_links, word_probabilities
from engine.model.word_links import ALIGNMENT
from engine.train.__main__ import main
from engine.train.alignment_training import AlignmentTargets, score_head, train_head
from engine.train.data import EOS, BatchPlan, BatchSampler, Lines, PairSet, PreparedData
from engine.train.options import AlignOptions
from engine.train.prepare import prepare
from engine.train.statistical_links import LinkedPairs, WordCutter, align_texts, grow_diagonal
from tests.train.corpora import prepare_options, write_corpus

NUM_PIECES = 60
CUTTER = WordCutter([f"p{i}@@" if i % 5 == 4 else f"p{i}" for i in range(NUM_PIECES)])
PREPARED = PreparedData(("en", "de"), NUM_PIECES, {"en-de": 4, "de-en": 5}, ("docs",), {}, (), 20)
LINKS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8)


def linked(sides: list[tuple[list[int], list[int]]], links: list[list[tuple[int, int]]]) -> LinkedPairs:
    lines = {
        language: Lines.of([side[column] for side in sides], NUM_PIECES) for column, language in enumerate(("en", "de"))
    }
    flat = [[number for link in own for number in link] for own in links]
    return LinkedPairs(PairSet(lines, np.zeros(len(sides), dtype=np.uint8)), Lines.of(flat, 0))


# -- counting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forward", "backward", "expected"),
    [
        ({(0, 0), (1, 1)}, {(0, 0), (1, 1)}, {(0, 0), (1, 1)}),  # they agree
        ({(0, 0), (1, 1)}, {(0, 0)}, {(0, 0), (1, 1)}),  # grown along the diagonal
        ({(0, 0), (0, 1)}, {(0, 0)}, {(0, 0), (0, 1)}),  # grown to a word not yet linked
        ({(0, 0), (1, 1)}, {(0, 0), (1, 1), (0, 1)}, {(0, 0), (1, 1)}),  # both words are linked already
        ({(0, 0), (3, 3)}, {(0, 0)}, {(0, 0), (3, 3)}),  # far off, in the end, as both are free
        ({(0, 0), (0, 3)}, {(0, 0)}, {(0, 0)}),  # far off, and one is taken
        ({(2, 0)}, {(0, 2)}, {(2, 0), (0, 2)}),  # nothing agrees
    ],
)
def test_two_alignments_are_made_one(forward, backward, expected):
    assert grow_diagonal(forward, backward) == expected


@given(LINKS, LINKS)
def test_links_lie_between_intersection_and_union(forward, backward):
    links = grow_diagonal(forward, backward)
    assert forward & backward <= links <= forward | backward


def test_words_end_with_a_piece_that_does_not_go_on():
    assert CUTTER.words_of_pieces(np.array([1, 4, 9, 2, 3])).tolist() == [0, 1, 1, 1, 2]
    assert CUTTER.text(np.array([1, 4, 9, 2, 3])).split() == ["p1", "p4p9p2", "p3"]


def test_counting_finds_the_dictionary_of_sentences_word_by_word():
    pytest.importorskip("eflomal", reason="eflomal is an optional tool of training; see engine/train/README.md")
    rng = random.Random(1)
    first = [" ".join(rng.sample("abcdefghijklmnopqrst", 6)) for _ in range(300)]
    second = [" ".join(f"{word}{word}" for word in line.split()) for line in first]
    found = list(align_texts(first, second))
    num_right = sum(len(links & {(i, i) for i in range(6)}) for links in found)
    assert num_right >= 0.95 * 6 * 300
    assert sum(map(len, found)) <= 1.05 * 6 * 300


def test_error_without_the_alignment_tool_explains_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(TrainingError, match="pip install eflomal"):
        list(align_texts(["a"], ["b"]))


# -- learning ----------------------------------------------------------------------------------------------------------


def test_choices_to_learn_share_a_word_among_its_partners_and_their_pieces():
    pairs = linked([([10, 14, 11], [12, 13])], [[(0, 0), (1, 0)]])  # words: 10 | 14 11 and 12 | 13
    batches = BatchSampler(pairs.pairs, PREPARED, ["en-de"], 100)
    batch = batches.batch(BatchPlan(0, np.array([0])), np.random.default_rng(0))
    rows = AlignmentTargets.of(batch, pairs, PREPARED, CUTTER, "en-de", np.array([0]))
    to_source, to_target = rows.targets()
    # columns: <en-de> 10 14 11 </s>; rows: <s> 12 13 </s>
    assert to_source[0].tolist() == [[0] * 5, [0, 0.5, 0.25, 0.25, 0], [0, 0, 0, 0, 1], [0] * 5]
    assert to_target[0].tolist() == [[0] * 5, [0, 1, 1, 1, 0], [0] * 5, [0] * 5]
    assert list(rows.words_and_links()) == [([(1, 2), (2, 4)], [(1, 2), (2, 3)], {(0, 0), (0, 1)})]


def test_links_of_the_other_direction_are_turned_round():
    pairs = linked([([10, 14, 11], [12, 13])], [[(0, 1)]])
    batch = BatchSampler(pairs.pairs, PREPARED, ["de-en"], 100).batch(
        BatchPlan(0, np.array([0])), np.random.default_rng(0)
    )
    rows = AlignmentTargets.of(batch, pairs, PREPARED, CUTTER, "de-en", np.array([0]))
    assert list(rows.words_and_links()) == [([(1, 2), (2, 3)], [(1, 2), (2, 4)], {(0, 1)})]


def test_links_are_correct_behind_a_mark_and_with_other_encodings():
    """A synthetic source begins with its mark; heads learn from canonical pieces, whatever variants there are."""
    pairs = linked([([10, 14, 11], [12, 13])], [[(0, 0), (1, 1)]])
    others = {"en": Lines.of([[19, 14, 19, 11]], NUM_PIECES)}
    marked = replace(pairs.pairs, domains=np.ones(1, dtype=np.uint8), variants=others)
    prepared = replace(PREPARED, domains=("docs", "synthetic.en"), synthetic_ids={"synthetic.en": 6})
    batches = BatchSampler(marked, prepared, ["en-de", "de-en"], 100)
    [drawn] = batches.epoch(0)
    batch = batches.batch(drawn, np.random.default_rng(0))
    assert batch.source_BS.tolist() == [[4, 6, 10, 14, 11, EOS]]
    rows = AlignmentTargets.of(batch, LinkedPairs(marked, pairs.links), prepared, CUTTER, "en-de", drawn.pairs)
    to_source, _ = rows.targets()
    assert to_source[0, 1:3].tolist() == [[0, 0, 1, 0, 0, 0], [0, 0, 0, 0.5, 0.5, 0]]
    assert list(rows.words_and_links()) == [([(2, 3), (3, 5)], [(1, 2), (2, 3)], {(0, 0), (1, 1)})]


def copies(num_pairs: int, seed: int) -> LinkedPairs:
    """Sentences that are their own translation, every word linked to itself."""
    rng = random.Random(seed)
    singles = [i for i in range(16, NUM_PIECES) if i % 5 != 4]
    sides, links = [], []
    for _ in range(num_pairs):
        words = [
            [rng.randrange(19, 59, 5), piece] if rng.random() < 0.3 else [piece] for piece in rng.sample(singles, 6)
        ]
        sentence = [piece for word in words for piece in word]
        sides.append((sentence, sentence))
        links.append([(i, i) for i in range(len(words))])
    return linked(sides, links)


def test_head_of_a_frozen_model_learns_that_copies_lie_on_the_diagonal():
    torch.manual_seed(2)
    sizes = {"model_size": 32, "num_heads": 2, "feed_forward_size": 32, "encoder_layers": 1, "decoder_layers": 1}
    model = Transformer(ModelConfig(NUM_PIECES, ("en-de", "de-en"), **sizes, max_pieces=32)).eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    options = AlignOptions(pairs=2400, batch_pieces=300, peak_lr=2e-2)
    head = train_head(model, copies(1000, seed=1), PREPARED, CUTTER, options)
    for score in score_head(model, head, copies(100, seed=2), PREPARED, CUTTER, "copies"):
        assert score.f1 > 0.95, score
    sentence = [17, 24, 30, 41]  # 24 goes on
    source = [4, *sentence, 2]
    memory = model.encode(torch.tensor([source]), torch.tensor([len(source)])).memory_BSE
    words = [(1, 2), (2, 4), (4, 5)]
    [logits] = head.logits(model, memory, source, [[*sentence, 2]])
    assert word_links(word_probabilities(logits, words, words)) == [(0, 0), (1, 1), (2, 2)]
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.fixture
def work(tmp_path):
    """A prepared folder with a model of its pieces in random weights beside it."""
    work, folder = tmp_path / "work", tmp_path / "model"
    prepare(write_corpus(tmp_path / "corpus"), work, prepare_options())
    folder.mkdir()
    sizes = {"model_size": 16, "num_heads": 2, "feed_forward_size": 16, "encoder_layers": 1, "decoder_layers": 1}
    config = ModelConfig(PreparedData.load(work).vocabulary_size, ("en-de",), **sizes, max_pieces=64)
    config.save(folder / "config.json")
    save_weights(folder / "model.safetensors", Transformer(config))
    for file in ("vocabulary.txt", "bpe.codes"):
        (folder / file).write_bytes((work / file).read_bytes())
    return work


def diagonal(first, second):
    return [{(i, i) for i in range(min(len(a.split()), len(b.split())))} for a, b in zip(first, second, strict=True)]


def test_command_writes_a_head_that_the_translator_takes_and_keeps_the_links(work, monkeypatch, capsys):
    monkeypatch.setattr("engine.train.statistical_links.align_texts", diagonal)
    folder = work.parent / "model"
    assert main(["align", str(work), str(folder), "--pairs", "200"]) == 0
    assert "tiny en-de: precision" in capsys.readouterr().out
    assert Translator.load(folder)._model.alignment is not None
    (folder / ALIGNMENT).unlink()
    monkeypatch.setattr("engine.train.statistical_links.align_texts", None)  # not called again
    assert main(["align", str(work), str(folder), "--pairs", "200"]) == 0
    assert (folder / ALIGNMENT).exists()


def test_command_leaves_nothing_where_counting_fails(work, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "eflomal", None)
    assert main(["align", str(work), str(work.parent / "model")]) == 1
    assert "pip install eflomal" in capsys.readouterr().err
    assert not (work / "links").exists()
    assert not (work.parent / "model" / ALIGNMENT).exists()


def test_command_refuses_a_model_of_other_pieces(work, capsys):
    (work.parent / "model" / "vocabulary.txt").write_text("other\n", encoding="utf-8")
    assert main(["align", str(work), str(work.parent / "model")]) == 1
    assert "--codec" in capsys.readouterr().err
