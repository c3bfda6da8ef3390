"""`python -m engine evaluate`: figures that other code computes the same, and files that do not belong together."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import sacrebleu

from engine import Phrase, Request, SearchOptions, Translator
from engine.__main__ import main
from engine.cli.evaluation import _read_glossary
from engine.evaluation import TermList

SOURCES = ["The settings dialog.", "Open the file.", "The file and the settings."]
REFERENCES = ["Der Dialog.", "Die Datei öffnen.", "Die Datei und die Einstellungen."]
QUICK = ["--beam", "2", "--max-length-factor", "0", "--max-length-offset", "4"]
OPTIONS = SearchOptions(beam=2, nbest=1, max_length_factor=0, max_length_offset=4)


class Files:
    """A test set on disk, and `evaluate` on it."""

    def __init__(self, folder: Path, model: Path) -> None:
        self.folder, self.model = folder, model
        self.messages = ""
        self.write("source", *SOURCES)
        self.write("reference", *REFERENCES)

    def write(self, name: str, *lines: str | bytes) -> None:
        encoded = [line if isinstance(line, bytes) else line.encode() for line in lines]
        (self.folder / name).write_bytes(b"".join(line + b"\n" for line in encoded))

    def run(self, *flags: str) -> tuple[int, str]:
        """Exit status and output; whatever files there are beside source and reference are given too."""
        given = [f"--{path.name}={path}" for path in sorted(self.folder.iterdir()) if path.suffix == ""]
        output, messages = io.BytesIO(), io.StringIO()
        status = main(["evaluate", "--model", str(self.model), *given, *QUICK, *flags], io.BytesIO(), output, messages)
        self.messages = messages.getvalue()
        return status, output.getvalue().decode()


@pytest.fixture
def files(tmp_path: Path, model: Path) -> Files:
    (tmp_path / "set").mkdir()
    return Files(tmp_path / "set", model)


def test_scores_are_sacrebleus_scores_of_the_engines_output(
    files: Files, translator: Translator, tmp_path: Path
) -> None:
    status, output = files.run("--json", "--direction", "de-en", "--output", str(tmp_path / "out.txt"))
    assert status == 0, files.messages
    found = json.loads(output)
    expected = [translator.translate(Request(text, direction="de-en"), OPTIONS).hypotheses[0].text for text in SOURCES]
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").split("\n")[:-1] == expected
    assert found["bleu"] == pytest.approx(sacrebleu.corpus_bleu(expected, [REFERENCES]).score, abs=1e-4)
    assert found["chrf"] == pytest.approx(sacrebleu.corpus_chrf(expected, [REFERENCES]).score, abs=1e-4)
    assert found["ter"] == pytest.approx(sacrebleu.corpus_ter(expected, [REFERENCES]).score, abs=1e-4)
    assert (found["num_segments"], found["statuses"], found["num_constrained"]) == (3, {"complete": 3}, 0)
    assert found["words_per_second"] == pytest.approx(found["segments_per_second"] * 11 / 3, rel=0.01)


def test_domain_and_formality_are_requested_for_every_segment_and_reported(
    files: Files, translator: Translator
) -> None:
    flags = ("--domain", "docs", "--formality", "informal")
    files.write("constraints", '{"phrases": ["Dialog"]}', "", '{"formality": "formal"}')
    status, output = files.run("--json", *flags)
    found = json.loads(output)
    requests = [
        Request(SOURCES[0], phrases=(Phrase("Dialog"),), domain="docs", formality="informal"),
        Request(SOURCES[1], domain="docs", formality="informal"),
        Request(SOURCES[2], domain="docs", formality="formal"),
    ]
    expected = [translator.translate(request, OPTIONS).hypotheses[0].text for request in requests]
    assert expected != [translator.translate(Request(text), OPTIONS).hypotheses[0].text for text in SOURCES]
    assert (status, found["domain"], found["formality"]) == (0, "docs", "informal")
    assert found["chrf"] == pytest.approx(sacrebleu.corpus_chrf(expected, [REFERENCES]).score, abs=1e-4)
    assert files.run(*flags)[1].splitlines()[0].endswith(", en-de, docs, informal")
    assert "domain" not in json.loads(files.run("--json")[1])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--domain", "law"), "--domain is 'law'; this model knows docs, software"),
        (("--formality", "formal", "--direction", "de-en"), "this model was trained without formality for de-en"),
    ],
)
def test_a_style_that_the_model_does_not_know_is_refused_before_anything(
    files: Files, flags: tuple[str, ...], message: str
) -> None:
    assert files.run(*flags) == (2, "")
    assert message in files.messages


@pytest.mark.parametrize(
    "rows",
    [
        ("file,Datei,Dateien", '"settings",Einstellungen', "settings dialog,Dialog"),
        ("de;note;en;forms", "Datei;x;file;Dateien", "Einstellungen;;settings", "Dialog;;settings dialog"),
        ("Source,Target,forms", "file,Datei,Dateien", "settings,Einstellungen", '"settings dialog","Dialog"'),
        ("target\tsource", "Datei\tfile", "Dateien\tfile", "Einstellungen\tsettings", "Dialog\tsettings dialog"),
    ],
)
def test_glossaries_are_read_with_any_delimiter_and_with_named_columns(tmp_path: Path, rows: tuple[str, ...]) -> None:
    path = tmp_path / "terms.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    expected = TermList({"file": ["Datei", "Dateien"], "settings": ["Einstellungen"], "settings dialog": ["Dialog"]})
    source = "The file of the settings dialog and settings."
    assert _read_glossary(str(path), "en-de").terms_in(source) == expected.terms_in(source)


def test_terms_and_constraints_are_required_and_counted(files: Files, translator: Translator) -> None:
    files.write("glossary", "file\tDatei\tDateien", "settings\tEinstellungen", "settings dialog\tDialog", "")
    files.write("constraints", '{"phrases": ["Der"], "text": "The settings dialog."}', "", '{"avoid": ["und"]}')
    status, output = files.run("--json")
    assert status == 0, files.messages
    found = json.loads(output)
    assert (found["num_terms"], found["num_terms_met"]) == (4, 4)  # the dialog's is the longer one, and alone
    assert (found["num_phrases"], found["num_phrases_met"]) == (5, 5)
    assert (found["num_constrained"], found["num_constrained_met"]) == (3, 3)
    assert found["num_window_segments"] == 3
    assert all(share == round(share, 4) for share in found["window_overlaps"].values())

    status, output = files.run("--json", "--unconstrained")
    free = json.loads(output)
    assert (free["num_terms"], free["num_phrases"], free["num_constrained"]) == (4, 0, 0)
    met = [translator.translate(Request(text), OPTIONS).hypotheses[0].text.count(term)
           for text, term in ((SOURCES[0], "Dialog"), (SOURCES[1], "Datei"))]  # fmt: skip
    assert met == [0, 0], "the random weights say what the terms ask for"
    assert free["num_terms_met"] == 0


def test_table_shows_shares_for_people(files: Files) -> None:
    files.write("glossary", "file\tDatei")
    _, output = files.run()
    rows = {line.split()[0]: line for line in output.splitlines()}
    assert list(rows) == [
        "model",
        "segments",
        "BLEU",
        "chrF",
        "TER",
        "constraints",
        "phrases",
        "terms",
        "overlap",
        "time",
    ]
    assert "2 of 2 (100.0 %)" in rows["terms"]
    assert "nrefs:1|case:mixed" in rows["BLEU"]


def test_untranslatable_segment_is_named_and_counts_as_empty(files: Files) -> None:
    files.write("constraints", "", '{"phrases": ["漢字"]}', "")
    status, output = files.run("--json")
    assert status == 1
    found = json.loads(output)
    assert (found["untranslated"], found["statuses"]) == ([2], {"complete": 2, "infeasible": 1})
    assert (found["num_phrases"], found["num_phrases_met"], found["num_constrained_met"]) == (1, 0, 0)
    assert "which count as empty lines: 1 of 3 (" in files.messages and "cannot be spelt" in files.messages


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("source", [], "source is empty; give a file with a segment a line"),
        ("source", SOURCES[:2], "reference has 3 lines and"),
        ("source", [*SOURCES[:2], "   "], "source, line 3 is blank"),
        ("reference", [*REFERENCES[:2], ""], "reference, line 3 is blank"),
        ("source", [SOURCES[0], b"Caf\xe9", SOURCES[2]], "source, line 2: the line is not UTF-8 (byte 4 is 0xe9)"),
        ("reference", ["\n".join(REFERENCES).encode("utf-16")], "not UTF-8"),
        ("constraints", ["{}"], "constraints has 1 lines and"),
        ("constraints", ["{}", "{", "{}"], "constraints, line 2: not JSON"),
        ("constraints", ['{"phrase": []}', "", ""], 'constraints, line 1: unknown key "phrase"'),
        ("constraints", ['{"phrases": [""]}', "", ""], "constraints, line 1: "),
        ("constraints", ['{"text": "Another."}', "", ""], 'constraints, line 1: "text" is not line 1 of'),
        ("constraints", ['{"direction": "en-de"}', "", ""], 'constraints, line 1: the key "direction" applies to all'),
        ("glossary", ["file"], "glossary, line 1: expected source<TAB>target[<TAB>other form...], found 'file'"),
        ("glossary", ["", "\tDatei"], "glossary, line 2: expected source"),
        ("glossary", [""], "glossary has no terms"),
    ],
)
def test_files_that_cannot_be_used_are_named(files: Files, name: str, lines: list[str | bytes], message: str) -> None:
    files.write(name, *lines)
    status, output = files.run()
    assert (status, output) == (2, "")
    assert message in files.messages


def test_missing_files_wrong_directions_and_overwritten_inputs_are_refused(files: Files) -> None:
    assert files.run("--glossary", "nowhere.tsv")[0] == 2
    assert "nowhere.tsv cannot be read: No such file" in files.messages
    assert files.run("--direction", "fr-de")[0] == 2
    assert "--direction is 'fr-de'; this model translates en-de, de-en" in files.messages
    assert files.run("--output", str(files.folder / "source"))[0] == 2
    assert "source is also the input" in files.messages
    assert (files.folder / "source").read_text(encoding="utf-8").startswith(SOURCES[0])


def test_terms_come_as_phrases_with_their_places() -> None:
    from engine.evaluation import EvaluationSegment

    glossary = TermList({"file": ["Datei", "Dateien"]})
    segment = EvaluationSegment(
        Request("File by file.", phrases=(Phrase("mit"),)), "", glossary.terms_in("File by file.")
    )
    phrases = segment.with_terms_required().request.phrases
    assert [(phrase.all_forms, phrase.source_span) for phrase in phrases] == [
        (("mit",), None), (("Datei", "Dateien"), (0, 4)), (("Datei", "Dateien"), (8, 12)),
    ]  # fmt: skip
