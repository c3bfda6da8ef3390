"""The benchmark of streaming decoding, run through on the bundled model."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.streaming import CORPUS_SAMPLE, METHODS, SAME_OUTPUT, main, sources_of

MODEL = Path(__file__).parents[2] / "data" / "models" / "en-de"
SOURCES = ["A dog.", "Two dogs run in the snow.", "A man in an orange hat stares at something.", "Children play."]


def test_methods_with_equal_pruning_expand_the_same_rows_and_agree(tmp_path):
    source = tmp_path / "source.en"
    source.write_text("\n".join(SOURCES) + "\n", encoding="utf-8")
    sizes = ("--beams", "3", "--batch", "2", "--threads", "1", "--constrained")
    assert main([str(source), "--model", str(MODEL), "--output", str(tmp_path / "results"), *sizes]) == 0
    results = json.loads((tmp_path / "results" / "results.json").read_text(encoding="utf-8"))
    assert results["settings"]["num_constrained"] == 2
    (table,) = results["tables"]
    methods = table["methods"]
    assert list(methods) == [method.name for method in METHODS]
    assert {row["num_complete"] for row in methods.values()} == {len(SOURCES)}
    assert len({methods[name]["num_expansions"] for name in SAME_OUTPUT}) == 1
    assert table["same_as_var_batch"] == dict.fromkeys(SAME_OUTPUT, len(SOURCES))
    assert methods["GREEDY"]["num_expansions"] < methods["VAR-STREAM"]["num_expansions"]
    assert "Times are of a CPU" in (tmp_path / "results" / "streaming.md").read_text(encoding="utf-8")


def test_corpus_sample_is_the_default_source():
    sources = sources_of(CORPUS_SAMPLE)
    assert len(sources) == 870
    assert not any("\t" in source for source in sources)


def test_unreadable_source_is_reported(tmp_path, capsys):
    assert main([str(tmp_path / "none.en"), "--model", str(MODEL), "--output", str(tmp_path)]) == 1
    assert "none.en" in capsys.readouterr().err
