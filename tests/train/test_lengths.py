"""Length ratio and reward of a model, against searches for each reward."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sacrebleu.metrics.bleu import BLEU

from engine import Request, SearchOptions, Translator
from engine.errors import InvalidRequest
from engine.model import ModelConfig
from engine.train.__main__ import main
from engine.train.lengths import LengthEstimate, Trial, estimate_lengths
from tests.train.corpora import PAIRS, write_corpus

BUNDLED = Path(__file__).parents[2] / "data" / "models" / "en-de"
BEAM = 4
# Beyond what the model has learnt, so that it is in doubt how much to write. In no step of their searches may two
# candidates be alike but for rounding, which differs with what else is in the batch.
HARD = [
    (
        "The committee has not yet decided whether the budget will be approved next year.",
        "Der Ausschuss hat noch nicht entschieden, ob der Haushalt im nächsten Jahr gebilligt wird.",
    ),
    (
        "Nobody could explain why the prices of wheat had fallen so quickly.",
        "Niemand konnte erklären, warum die Weizenpreise so schnell gefallen waren.",
    ),
    (
        "Quantum effects limit how small a transistor can be.",
        "Quanteneffekte begrenzen, wie klein ein Transistor sein kann.",
    ),
    (
        "Scientists have measured how quickly the glaciers of the Alps are melting.",
        "Wissenschaftler haben gemessen, wie schnell die Gletscher der Alpen schmelzen.",
    ),
]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A copy of the bundled model without lengths of its own."""
    folder = Path(shutil.copytree(BUNDLED, tmp_path / "model"))
    config = ModelConfig.load(folder / "config.json")
    object.__setattr__(config, "length_ratios", {})
    object.__setattr__(config, "length_rewards", {})
    config.save(folder / "config.json")
    return folder


def test_one_search_to_the_end_gives_the_result_of_every_reward(model: Path, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    long = [(source, f"{target} {target}") for source, target in HARD]  # so that every further token has its reward
    for column, language in enumerate(("en", "de")):
        text = "".join(pair[column] + "\n" for pair in long)
        (corpus / "dev" / f"hard.{language}").write_text(text, encoding="utf-8")
    rewards = (0.0, 2.0, 5.0)
    estimate = estimate_lengths(model, corpus, "dev/hard", beam=BEAM, rewards=rewards)
    requests = [Request(source) for source, _ in long]
    references = [target for _, target in long]
    translator = Translator.load(model)
    for trial, reward in zip(estimate.trials, rewards, strict=True):
        options = SearchOptions(
            beam=BEAM, nbest=1, score="bounded_length_reward", length_reward=reward, length_ratio=estimate.ratio
        )
        outputs = [found.hypotheses[0].text for found in translator.translate_all(requests, options)]
        expected = BLEU().corpus_score(outputs, [references])
        assert trial == Trial(reward, expected.score, expected.ratio)
    assert estimate.trials[0].length_ratio < estimate.trials[-1].length_ratio


def test_command_stores_the_values_that_the_search_uses(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    request, options = Request(PAIRS[0][0]), SearchOptions(beam=2, nbest=1, score="bounded_length_reward")
    with pytest.raises(InvalidRequest, match=r"engine\.train lengths"):
        Translator.load(model).translate(request, options)
    command = ["lengths", str(model), str(corpus), "--set", "dev/tiny", "--limit", "2", "--beam", "2"]
    assert main([*command, "--rewards", "0.7"]) == 0
    assert "| 0.7 |" in capsys.readouterr().out
    config = ModelConfig.load(model / "config.json")
    assert config.length_rewards == {"en-de": 0.7}
    assert 0.5 < config.length_ratios["en-de"] < 2
    translator = Translator.load(model)
    best = translator.translate(request, options).hypotheses[0]
    num_source_pieces = len(translator._codec.encode(request.source).ids)
    target_length = config.length_ratios["en-de"] * num_source_pieces
    assert best.score == pytest.approx(best.log_prob + 0.7 * min(len(best.tokens), target_length))


def test_best_trial_is_of_equals_the_least_reward() -> None:
    estimate = LengthEstimate("en-de", 1.0, (Trial(0.0, 20.0, 0.8), Trial(0.5, 21.0, 0.9), Trial(0.9, 21.0, 1.0)))
    assert estimate.best == Trial(0.5, 21.0, 0.9)
    assert "| 0.5 | 21.00 | 0.900 |" in estimate.table
