"""From a corpus to a model folder by the command line; what the folder says of itself."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
import safetensors.torch
import torch

from engine.errors import TrainingError
from engine.model import ModelConfig, Transformer, load_model, save_weights
from engine.train.__main__ import main
from engine.train.bundle import average, mix
from engine.train.data import PreparedData
from engine.train.held_out import score
from tests.train.corpora import PAIRS, write_corpus

CONFIG = ModelConfig(11, ("en-de",), 8, 2, 8, 1, 1)


def test_averaged_weights_are_the_mean(tmp_path: Path) -> None:
    paths = [tmp_path / f"{i}.safetensors" for i in range(3)]
    for seed, path in enumerate(paths):
        torch.manual_seed(seed)
        save_weights(path, Transformer(CONFIG), torch.float32)
    states = [safetensors.torch.load_file(path) for path in paths]
    for name, value in average(paths, CONFIG).state_dict().items():
        torch.testing.assert_close(value, (states[0][name] + states[1][name] + states[2][name]) / 3)


def test_nothing_to_average_is_an_error() -> None:
    with pytest.raises(TrainingError, match="no snapshots"):
        average([], CONFIG)


def test_a_share_of_an_earlier_model_is_mixed_in(tmp_path: Path) -> None:
    model, earlier = Transformer(CONFIG), Transformer(CONFIG)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    old = earlier.state_dict()
    mix(model, earlier, 0.25)
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, 0.75 * before[name] + 0.25 * old[name])
    for share in (0.0, 1.0, math.nan):
        with pytest.raises(TrainingError, match="between 0 and 1"):
            mix(model, earlier, share)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the commands have run: corpus, collected, work, run, model."""
    folder = tmp_path_factory.mktemp("made")
    corpus, work, run, model = (str(folder / name) for name in ("corpus", "work", "run", "model"))
    write_corpus(folder / "corpus")
    (folder / "model").mkdir()
    (folder / "model" / "alignment.safetensors").write_bytes(b"the head of earlier weights")
    (folder / "model" / "activations.json").write_text("ranges of earlier weights", encoding="utf-8")
    (folder / "ding").write_text("# License :: GPL-2+\nernten :: to harvest\n", encoding="utf-8")
    source = folder / "collected" / "pump"
    source.mkdir(parents=True)
    lines = ["source_id\trepo\tlicence\tdomain", "pump\tthere\tMIT\tdocs\n"]
    (source.parent / "SOURCES.tsv").write_text("\n".join(lines), encoding="utf-8")
    (source / "en.json").write_text('{"1": "Open the valve again now."}', encoding="utf-8")
    (source / "de.json").write_text('{"1": "Öffnen Sie jetzt wieder das Ventil."}', encoding="utf-8")
    shape = ["--model-size", "16", "--heads", "2", "--feed-forward", "16"]
    shape += ["--encoder-layers", "1", "--decoder-layers", "1"]
    commands = [
        ["collect", str(source.parent)],
        [
            "prepare",
            corpus,
            work,
            "--domain",
            "docs",
            "--domain",
            "everyday=5",
            "--pieces",
            "1200",
            "--dev",
            "dev/tiny",
            "--dictionary",
            str(folder / "ding"),
            "--more",
            str(source.parent),
        ],
        [
            "train",
            work,
            run,
            "--max-updates",
            "4",
            "--dev-every",
            "2",
            "--weight",
            "docs=2",
            "--threads",
            "1",
            *shape,
        ],
        ["average", work, run, model, "--last", "2", "--label", "A tiny model.", "--hardware", "a test"],
        ["evaluate", model, corpus, "--set", "dev/tiny", "--beam", "2", "--outputs", str(folder / "outputs")],
    ]
    for command in commands:
        assert main(command) == 0, command[0]
        assert math.ulp(0.0) * 1.0 > 0, f"{command[0]} left the smallest floats flushed to zero"
    return folder


def test_the_commands_make_a_model_that_loads(made: Path) -> None:
    loaded = load_model(made / "model")
    prepared = PreparedData.load(made / "work")
    assert loaded.config.directions == ("en-de",)
    assert loaded.config.vocabulary_size == prepared.vocabulary_size <= 1200
    assert loaded.config.training["updates"] == 4
    assert loaded.alignment is None
    assert loaded.config.length_ratios == {"en-de": prepared.facts["length_ratios"]["en-de"]}
    assert len((made / "outputs" / "dev.tiny.en-de.txt").read_text(encoding="utf-8").splitlines()) == len(PAIRS)


def test_card_lists_the_training_data(made: Path) -> None:
    card = (made / "model" / "card.md").read_text(encoding="utf-8")
    assert "A tiny model." in card
    assert "| made-up | here \\| there | CC0 | docs | 20 |" in card
    assert "1 more are words, phrases and short sentences of a dictionary." in card
    assert "| dictionary | ding (no version) | GPL-2+ | dictionary | 1 |" in card
    assert "| pump | there | MIT | docs | 1 |" in card
    assert "python -m engine.train collect COLLECTED\n" in card
    assert "--dictionary DING --more COLLECTED" in card
    assert "4 updates" in card
    assert "--weight docs=2" in card
    assert "minutes on a test" in card
    assert "GPL-3.0-or-later" in card
    assert "| dev/tiny | en-de | 20 |" in card
    assert "BLEU nrefs:1|" in card
    assert "chrF nrefs:1|" in card
    assert "Not measured yet" not in card


def test_card_names_the_share_of_an_earlier_model(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work, run, model = (str(made / name) for name in ("work", "run", "model"))
    mixed = made / "mixed"
    shares = ["--earlier", model, "--earlier-share", "0.25"]
    assert main(["average", work, run, str(mixed), *shares]) == 0
    card = (mixed / "card.md").read_text(encoding="utf-8")
    assert "the last snapshot, 0.75 of it, and 0.25 of the model that the training started from" in card
    assert "--last 1 --earlier EARLIER --earlier-share 0.25" in card
    assert load_model(mixed).config.training["earlier_share"] == 0.25
    (made / "foreign").mkdir()
    assert main(["average", work, run, str(made / "never"), "--earlier", str(made / "foreign")]) == 1
    assert "prepare the data with --codec" in capsys.readouterr().err
    assert not (made / "never").exists()


def test_perfect_and_foreign_translations_score_as_they_must() -> None:
    references = [de for _, de in PAIRS]
    assert score("set", "en-de", 1, references, references).bleu == pytest.approx(100)
    assert score("set", "en-de", 1, ["zzz"] * 20, references).bleu == 0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["prepare", "{0}/nowhere", "{0}/w", "--domain", "docs"], "SOURCES.tsv cannot be read"),
        (["prepare", "{0}/corpus", "{0}/w", "--domain", "poems"], "no pair is in the chosen domains"),
        (["train", "{0}/nowhere", "{0}/r", "--max-updates", "1"], "prepared.json is missing"),
        (["train", "{0}/work", "{0}/r"], "give max_minutes or max_updates"),
        (["average", "{0}/work", "{0}/nowhere", "{0}/m"], "config.json is missing"),
        (["evaluate", "{0}/model", "{0}/corpus", "--set", "dev/none"], "none.en is missing"),
    ],
)
def test_failed_command_prints_the_reason(
    made: Path, capsys: pytest.CaptureFixture[str], command: list[str], message: str
) -> None:
    assert main([part.format(made) for part in command]) == 1
    assert message in capsys.readouterr().err
    assert math.ulp(0.0) * 1.0 > 0, "the smallest floats are flushed to zero"


def test_training_needs_no_tokeniser() -> None:
    """A machine that trains has only torch, numpy and safetensors."""
    code = (
        "import sys\n"
        "for name in ('sacremoses', 'subword_nmt', 'sacrebleu', 'gradio'): sys.modules[name] = None\n"
        "import engine.train.__main__, engine.train.variants, engine.train.trainer, engine.train.bundle\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
