"""Benchmarks run through on a random model: stopping, time against constraints, terms, what is not translated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks import (
    bars,
    day,
    figures,
    kernels,
    learning,
    protection,
    reranking,
    score_words,
    stopping,
    terminology,
    terms,
    time_against_constraints,
)
from benchmarks.dba.decoding import Pair
from benchmarks.speed import quality
from engine import Translator
from engine.model import ModelConfig, Transformer
from engine.model.weights import save_weights
from engine.text import TextCodec

SOURCES = ["A man in an orange hat.", "Two dogs run", "Press the key"]
REFERENCES = ["Ein Mann mit einem Hut.", "Zwei Hunde rennen", "Drücken Sie die Taste „Esc“."]


@pytest.fixture(scope="module")
def model(codec: TextCodec, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(5)
    sizes = {"model_size": 32, "num_heads": 2, "feed_forward_size": 48, "encoder_layers": 1, "decoder_layers": 1}
    config = ModelConfig(len(codec.vocabulary), ("en-de",), **sizes, max_pieces=96, length_ratios={"en-de": 1.2})
    config.save(folder / "config.json")
    codec.save(folder)
    transformer = Transformer(config)
    for parameter in transformer.parameters():
        parameter.data.mul_(2.0)
    save_weights(folder / "model.safetensors", transformer)
    return folder


def results_of(program, folder: Path, model: Path, *options: str) -> dict:
    for name, lines in (("source.en", SOURCES), ("reference.de", REFERENCES)):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [str(folder / "source.en"), str(folder / "reference.de")]
    output = folder / "results"
    assert program.main([*files, "--model", str(model), "--output", str(output), "--threads", "1", *options]) == 0
    assert (output / "tables.md").read_text(encoding="utf-8").startswith("# Results of")
    assert list(output.glob("*.svg"))
    return json.loads((output / "results.json").read_text(encoding="utf-8"))


def test_stopping_experiment_agrees_with_the_theorems(model, tmp_path):
    results = results_of(stopping, tmp_path, model, "--beams", "3", "--reward", "0.5")
    cells = {cell["variant"]: cell for cell in results["cells"]}
    assert list(cells) == list(stopping.VARIANTS)
    optimal, opennmt = cells["optimal, log-prob (3)"], cells["OpenNMT (1)"]
    assert optimal["log_prob"] >= opennmt["log_prob"]
    assert optimal["steps"] <= opennmt["steps"]
    to_the_end = cells["to the end, normalised"]
    assert cells["optimal, normalised"]["normalised"] == to_the_end["normalised"]
    assert max(cell["steps"] for cell in cells.values()) == to_the_end["steps"]
    assert to_the_end["expansions"] > to_the_end["steps"]


def test_time_against_constraints_compares_equal_steps(model, tmp_path):
    options = ("--counts", "0", "3", "--beam", "2", "--steps", "9", "--rounds", "1", "--sentences", "2")
    results = results_of(time_against_constraints, tmp_path, model, *options)
    assert len(results["cells"]) == 2 * 2 * 2
    rows = {}
    for cell in results["cells"]:
        assert cell["complete"] == len(results["settings"]["lines"])
        if cell["way"] == "equal steps":
            assert cell["steps"] == 9
            rows[cell["search"], cell["count"]] = cell["rows_per_step"]
    assert rows["DBA", 3] <= 2 < rows["grid", 3]
    assert not time_against_constraints.ratios(results["cells"]), "no bar is about 3 tokens"


def test_time_ratios_compare_equal_steps():
    times = {("DBA", 0): 2.0, ("DBA", 1): 4.0, ("DBA", 15): 5.0, ("DBA", 20): 8.0, ("grid", 15): 50.0}
    cells = [
        {"search": search, "way": way, "count": count, "ms_per_step": ms * factor}
        for (search, count), ms in times.items()
        for way, factor in (("equal steps", 1), ("as used", count + 1))
    ]
    assert time_against_constraints.ratios(cells) == {bars.MANY_TOKENS: 1.25, bars.CONSTRAINED: 4.0}


def test_drawn_constraints_have_the_requested_number_of_tokens(model):
    translator = Translator.load(model)
    pair = Pair(1, SOURCES[0], REFERENCES[0])
    for count in range(5):
        request = time_against_constraints.request_of(translator, pair, "en-de", count, seed=1)
        if request is not None:
            assert translator.pipeline.prepare(request).num_tokens == count
            assert all(phrase.text in REFERENCES[0] for phrase in request.phrases)
    assert time_against_constraints.request_of(translator, pair, "en-de", 90, seed=1) is None


def test_quality_compares_the_core_with_32_bit_weights(model, tmp_path):
    for name, lines in (("source.en", SOURCES), ("reference.de", REFERENCES)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [str(tmp_path / "source.en"), str(tmp_path / "reference.de")]
    output = ["--output", str(tmp_path / "results")]
    quality.main([*files, *files, "--model", str(model), "--limit", "2", "--beam", "2", *output])
    results = json.loads((tmp_path / "results" / "results.json").read_text(encoding="utf-8"))
    assert [measured["num_lines"] for measured in results["sets"]] == [2, 2]
    assert results["sets"][0]["bleu"] == results["sets"][1]["bleu"]
    assert list(results["sets"][0]["bleu"]) == ["float32", "core"]
    assert figures.lost_to_8_bits(results) == results["sets"][0]["bleu"]["float32"] - results["sets"][0]["bleu"]["core"]


def test_output_layer_is_timed_in_every_size(tmp_path, capsys):
    sizes = ("--rows", "2", "--vocabularies", "200", "300", "--widths", "3", "--rounds", "1")
    assert kernels.main([*sizes, "--device", "cpu", "--output", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["rows"]
    assert [(row["vocabulary_size"], row["has_masks"]) for row in rows] == [
        (200, False),
        (200, True),
        (300, False),
        (300, True),
    ]
    for row in rows:
        assert row["ratio"] == pytest.approx(row["separate_us"] / row["fused_us"]), "of a single round"
    if not torch.cuda.is_available():
        with pytest.raises(SystemExit):
            kernels.main(["--device", "cuda"])
        assert "take --device cpu" in capsys.readouterr().err


def test_required_terms_are_in_the_output(model, tmp_path):
    files = [tmp_path / name for name in ("source.en", "reference.de", "glossary.tsv")]
    contents = ["\n".join(SOURCES) + "\n", "\n".join(REFERENCES) + "\n", "hat\tHut\nkey\tTaste\ncat\tKatze\n"]
    for path, content in zip(files, contents, strict=True):
        path.write_text(content, encoding="utf-8")
    terminology.main([*map(str, files), "--model", str(model), "--output", str(tmp_path / "results")])
    results = json.loads((tmp_path / "results" / "results.json").read_text(encoding="utf-8"))
    assert (results["sentences"], results["terms_required"]) == (2, 2), "two lines hold a term, one each"
    shares = {name: arm["share_present"] for name, arm in results["arms"].items()}
    assert shares["none"] < shares["written"] == shares["forms"] == 1
    assert {arm["num_complete"] for arm in results["arms"].values()} == {2}
    assert results["environment"]["processor"]
    assert (tmp_path / "results" / "forms.md").exists()


def test_protected_text_is_in_the_output(model, tmp_path):
    text = "Press the key to save the file now and wait until all of it is there"
    lines = [f"{text} %s", f"{text} https://a.de/b", text.replace("key", "Harbor"), f"{text} {text}"]
    for name in ("source.en", "reference.de"):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    output = tmp_path / "results.json"
    files = [str(tmp_path / name) for name in ("source.en", "reference.de")]
    protection.main([*files, "--model", str(model), "--output", str(output)])
    results = json.loads(output.read_text(encoding="utf-8"))
    kinds = results["kinds"]
    assert {kind: found["sentences"] for kind, found in kinds.items()} == {"placeholders": 1, "addresses": 1, "tags": 1}
    for kind in ("placeholders", "addresses"):
        shares = {name: arm["share_right"] for name, arm in kinds[kind]["arms"].items()}
        assert shares == {"alone": 0, "phrases": 1, "protected": 1}, kind
    assert results["environment"]["processor"]


def test_term_index_equals_a_search_for_each_term(tmp_path):
    output = tmp_path / "results.json"
    terms.main(["--terms", "300", "--segments", "40", "--output", str(output)])  # compares some segments itself
    results = json.loads(output.read_text(encoding="utf-8"))
    assert (results["terms"], results["segments"]) == (300, 40)
    matching = results["matching"]
    assert matching["exact"]["hits"] <= matching["prefix"]["hits"] + matching["prefix"]["suppressed"]
    assert results["environment"]["processor"]


def test_learning_is_measured_over_documents_and_unrelated_sentences(model, tmp_path):
    lines = ["Open the file in the editor."] * 9
    goals = ["Drücken Sie die Taste im Editor."] * 9
    for name, texts in (("source", lines), ("reference", goals), ("documents", ["one\t5", "two\t4"])):
        (tmp_path / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    pair = [str(tmp_path / "source"), str(tmp_path / "reference")]
    output = tmp_path / "results.json"
    arguments = ["--documents", "docs", *pair, str(tmp_path / "documents"), "--unrelated", "other", *pair]
    sizes = ["--min-segments", "5", "--segments", "5", "--sentences", "4", "--beam", "2", "--least-fit", "-100"]
    assert learning.main([*arguments, *sizes, "--model", str(model), "--output", str(output)]) == 0
    results = json.loads(output.read_text(encoding="utf-8"))
    assert list(results["sets"]) == ["docs: one", "other"]
    assert results["documents"]["segments"] == 5
    assert results["documents"]["gain"][0] > 0, "the same segment comes again"
    assert results["unrelated"]["segments"] == 4
    assert results["cpu_ms"]["learn a segment"] > 0
    assert learning.main([*arguments, "--model", str(model), "--output", str(output)]) == 1, "no document is so long"


def test_day_takes_less_time_where_the_same_segment_comes_again_and_was_learned(tmp_path):
    for name, line in (
        ("source.en", "The settings are saved."),
        ("reference.de", "Die Einstellungen bleiben erhalten."),
    ):
        (tmp_path / name).write_text((line + "\n") * 4, encoding="utf-8")
    (tmp_path / "documents").write_text("one\t4\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("source.en", "reference.de", "documents")]
    output = tmp_path / "results.json"
    assert day.main(["--documents", "docs", *files, "--min-segments", "4", "--output", str(output)]) == 0
    results = json.loads(output.read_text(encoding="utf-8"))
    seconds = {(row["way"], row["learning"]): row["each_s"] for row in results["ways"]}
    assert seconds["post-editing", "without"] == [seconds["post-editing", "without"][0]] * 4
    assert seconds["post-editing", "with"][:2] == seconds["post-editing", "without"][:2], "one segment late"
    assert seconds["post-editing", "with"][2] == seconds["post-editing", "with"][3] == 0
    assert results["bleu"]["with"] > results["bleu"]["without"]
    assert day.main(["--documents", "docs", *files, "--output", str(output)]) == 1, "no document is so long"


def test_words_for_scores_are_measured_with_pins_that_fit_and_others(model, tmp_path, capsys):
    files = []
    for name, lines in (("source.en", SOURCES), ("reference.de", REFERENCES)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        files.append(str(tmp_path / name))
    score_words.main([*files, "--model", str(model), "--output", str(tmp_path / "results")])
    results = json.loads((tmp_path / "results" / "results.json").read_text(encoding="utf-8"))
    assert len(results["scored"]) == len(SOURCES)
    assert all(score < 0 <= agreement <= 100 for score, agreement in results["scored"])
    assert len(results["prices"]["fits"]) == len(results["prices"]["does not fit"]) == len(SOURCES)
    report = (tmp_path / "results" / "report.md").read_text(encoding="utf-8")
    assert report in capsys.readouterr().out
    assert sum(int(line.split(" | ")[1]) for line in report.split("\n\n")[0].splitlines()[2:]) == len(SOURCES)


@pytest.mark.parametrize(("option", "arm"), [("reverse_weight", "reranked"), ("lexicon", "with")])
def test_translations_are_compared_with_and_without_a_search_option(tmp_path, capsys, option, arm):
    files = []
    for name, lines in (("source.en", SOURCES), ("reference.de", REFERENCES)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        files.append(str(tmp_path / name))
    reranking.main([*files, "--segments", "2", "--of", option, "--output", str(tmp_path / "results")])
    rows = json.loads((tmp_path / "results" / "results.json").read_text(encoding="utf-8"))["rows"]
    assert [(row["set"], row["direction"], row["segments"]) for row in rows] == [
        ("source.en", "en-de", 2),
        ("reference.de", "de-en", 2),
    ]
    assert all(row[arm]["milliseconds"] > 0 and row["changed"] <= 2 for row in rows)
    assert (tmp_path / "results" / "report.md").read_text(encoding="utf-8") in capsys.readouterr().out
    with pytest.raises(SystemExit):
        reranking.main([files[0], "--output", str(tmp_path / "results")])
