"""A model in the compiled core is loaded and used without importing PyTorch."""

from __future__ import annotations

import subprocess
import sys

from engine.bundled_data import DATA_FOLDER

_PROGRAM = """
import sys
from pathlib import Path

from app.models.loading import SEARCH, ModelHandle
from engine import AlternativesQuestion, Follow, Phrase, PriceQuestion, Request, ScoreQuestion

handle = ModelHandle(Path(sys.argv[1]))
handle.load_in_background(1)
handle.wait()
engine = handle.engine
source = "The old computer opens the file again. It does not save the harvest."
free = engine.submit(Request(source), SEARCH).result()
best = free.hypotheses[0]
pinned = Request(source, phrases=(Phrase("Rechner", source_span=(8, 16)),), follow=Follow(best.text), avoid=("Ernte",))
assert engine.submit(pinned, SEARCH).result().status == "complete"
engine.ask(PriceQuestion(pinned, SEARCH)).result()
engine.ask(AlternativesQuestion(Request(source), best.tokens, 2, 3, SEARCH)).result()
engine.ask(ScoreQuestion(Request(source), best.text)).result()
assert best.alignment
assert engine.statistics().num_batched == {}
handle.close_before_exit()
print(handle.decoder, "torch" in sys.modules)
"""


def test_app_translates_and_answers_questions_without_pytorch(core) -> None:
    model = DATA_FOLDER / "models" / "en-de"
    command = [sys.executable, "-c", _PROGRAM, str(model)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("compiled core"), found.stdout
    assert found.stdout.rstrip().endswith("False")
