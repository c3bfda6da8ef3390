"""The paper's experiments run through on a random model; what is drawn from a reference stands in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks.dba.constraints import SETS, draw, num_met, size_of, word_spans
from benchmarks.dba.measures import pearson
from benchmarks.paper_dba import main
from engine.model import ModelConfig, Transformer
from engine.model.weights import save_weights
from engine.text import TextCodec, normalise, occurrences

SOURCES = ["A man in an orange hat.", "Two dogs run", "Press the key", "The child, who is small, sleeps."]
REFERENCES = [
    "Ein Mann mit einem Hut.",
    "Zwei Hunde",
    "Drücken Sie die Taste „Esc“.",
    "Das Kind, das klein ist, schläft.",
]


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("Ein Hut, rot.", ["Ein", "Hut", "rot"]),  # punctuation at the edges goes
        ("E-Mail: 3,5 % – C++", ["E-Mail", "3,5", "C"]),  # inside it stays; alone it is no word
        ('"(Ja!)" …', ["Ja"]),
        ("   ", []),
    ],
)
def test_words_are_split_at_spaces_and_lose_outer_punctuation(reference, words):
    assert [reference[start:end] for start, end in word_spans(reference)] == words


@pytest.mark.parametrize("name", SETS)
def test_drawn_constraints_are_in_their_reference(corpus_sample, name):
    for line, sample in enumerate(corpus_sample[::3], start=1):
        reference = normalise(sample.text)
        drawn = draw(name, sample.text, line, seed=3)
        texts = [constraint.text for constraint in drawn]
        assert num_met(texts, reference) == len(texts)
        for constraint in drawn:
            assert (constraint.start, constraint.start + len(constraint.text)) in occurrences(
                reference, constraint.text
            )
        num_words = min(size_of(name), len(word_spans(reference)))
        assert len(texts) == (min(num_words, 1) if name.startswith("phr") else num_words), (reference, texts)


def test_draw_depends_on_line_and_seed_alone():
    reference = " ".join(f"w{number}" for number in range(50))
    assert draw("rand4", reference, 7, 1) == draw("rand4", reference, 7, 1)
    assert len({draw("rand4", reference, line, seed) for line in (7, 8) for seed in (1, 2)}) == 4


@pytest.mark.parametrize(
    ("texts", "output", "expected"),
    [
        (["der", "der"], "der Hund der Frau", 2),
        (["der", "der"], "der Hund", 1),  # asked for twice, stands once
        (["a b a", "a b a"], "a b a b a", 1),  # overlapping occurrences are one
        (["Hund"], "Hunde", 0),  # part of a longer word
        (["New York", "York City"], "New York City", 2),  # different texts may share words
    ],
)
def test_repeated_constraints_need_separate_occurrences(texts, output, expected):
    assert num_met(texts, output) == expected


def test_pearson_is_one_for_a_line_and_none_for_no_points():
    assert pearson([(0.0, 1.0), (0.5, 2.0), (1.0, 3.0)]) == 1
    assert pearson([(0.0, 1.0), (0.5, 0.0), (1.0, -1.0)]) == -1
    assert pearson([]) is None
    assert pearson([(0.0, 1.0), (1.0, 1.0)]) is None  # no variation


@pytest.fixture(scope="module")
def model(codec: TextCodec, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(5)
    sizes = {"model_size": 32, "num_heads": 2, "feed_forward_size": 48, "encoder_layers": 1, "decoder_layers": 1}
    config = ModelConfig(len(codec.vocabulary), ("en-de",), **sizes, max_pieces=96)
    config.save(folder / "config.json")
    codec.save(folder)
    save_weights(folder / "model.safetensors", Transformer(config))
    return folder


def run(folder: Path, model: Path, *options: str) -> int:
    for name, lines in (("source.en", SOURCES), ("reference.de", REFERENCES)):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = (str(folder / "source.en"), str(folder / "reference.de"))
    where = ("--model", str(model), "--output", str(folder / "results"))
    return main([*files, *where, "--sets", "rand3", "phr2", "--beams", "4", *options])


def test_experiment_resumes_where_it_stopped(model, tmp_path, capsys):
    assert run(tmp_path, model, "--pruning", "--batch", "4", "--timed", "1") == 0
    output = tmp_path / "results"
    results = json.loads((output / "results.json").read_text(encoding="utf-8"))
    assert [cell["set"] for cell in results["cells"]] == ["none", "rand3", "phr2"]
    for cell in results["cells"]:
        satisfaction = cell["satisfaction"]
        assert satisfaction["statuses"] == {"complete": 4}, cell
        assert satisfaction["num_sentences_met"] == 4
        assert satisfaction["num_items_met"] == satisfaction["num_items"] > 4
        assert cell["times"]["num_same_text"] == 1
    assert [one["num_sentences_with_fewer"] for one in results["sets"]] == [1, 0]  # "Zwei Hunde" has no third word
    assert results["references"]["num_scored"] == 4
    assert "rand3" in (output / "tables.md").read_text(encoding="utf-8")
    assert {path.stem for path in output.glob("*.svg")} == {"bleu_by_beam", "bleu_and_score"}

    # The second run decodes nothing: it keeps a mark left in a stored cell.
    path = output / "cells" / "rand3-k4-p20.json"
    marked = json.loads(path.read_text(encoding="utf-8")) | {"wall_s": 12345}
    path.write_text(json.dumps(marked), encoding="utf-8")
    (output / "cells" / "phr2-k4-p20.json").unlink()
    assert run(tmp_path, model, "--pruning", "--batch", "4", "--timed", "1") == 0
    again = json.loads((output / "results.json").read_text(encoding="utf-8"))
    assert [cell["wall_s"] == 12345 for cell in again["cells"]] == [False, True, False]
    assert [cell["bleu"] for cell in again["cells"]] == [cell["bleu"] for cell in results["cells"]]

    # Cells of other settings are never mixed in.
    capsys.readouterr()
    assert run(tmp_path, model, "--pruning", "--batch", "4", "--timed", "1", "--seed", "2") == 1
    assert "seed" in capsys.readouterr().err
