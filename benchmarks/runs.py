"""The benchmarks with the settings of their kept results; runs them one after the other.

Each is a program of its own, run as one; what it lacks on this machine it says itself.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One program with the arguments of its kept result, which is `results.json` in the folder `name` below results.

    In `arguments`, {output} is that folder and {source} and {reference} are a test set; other names in braces are files
    that a person has to choose. `chapter` is the one of README.md, `environment` the one below build/ that it runs in
    where there is one, `program` its module below this folder unless that is named as the result.
    """

    name: str
    arguments: str
    chapter: str
    environment: str = ""
    program: str = ""

    @property
    def module(self) -> str:
        return f"benchmarks.{self.program or self.name.split('/')[0]}"

    def words(self, files: Mapping[str, str]) -> list[str]:
        """The arguments with these files in them; KeyError for one that is missing."""
        return [word.format_map(files) for word in shlex.split(self.arguments)]

    @property
    def python(self) -> str:
        own = ROOT / "build" / self.environment / "bin" / "python"
        return str(own) if self.environment and own.exists() else sys.executable


PAIRS = "{source} {reference}"
BENCHMARKS = (
    Benchmark("terms", "--output {output}/results.json", "Terms"),
    Benchmark("cancelling", "--output {output}", "A cancel"),
    Benchmark("appends", "--seconds 4 --output {output}", "The log"),
    Benchmark("opening", "--rounds 3 --output {output}", "Another's large document"),
    Benchmark("files", "--output {output}", "Large files", program="files.__main__"),
    Benchmark("capacity", "--output {output}", "People per core", program="capacity.__main__"),
    Benchmark("kernels", "--device cpu --output {output}", "The output layer: separate steps over the fused one"),
    Benchmark("prefix", "--sentences 4 --rounds 3 --output {output}", "Latency on a CPU"),
    Benchmark("page", "--output {output}", "The page"),
    Benchmark("keyboard", "--output {output}", "The page"),
    Benchmark("latency", "--output {output}", "Latency on a CPU", environment="ctranslate2-venv"),
    Benchmark(
        "constraints_against_ctranslate2",
        "--sentences 10 --rounds 5 --output {output}",
        "Constraints against CTranslate2",
        environment="ctranslate2-venv",
    ),
    Benchmark(
        "against_transformers",
        "--output {output}",
        "Another engine's constrained search (transformers)",
        environment="transformers-venv",
    ),
    Benchmark("language_models", "--minutes 60 --placed 100 --document 50 --output {output}", "A language model"),
    Benchmark("kernels/accelerator", "--device cuda --output {output}", "On a GPU"),
    Benchmark("streaming/accelerator", "--device cuda --sentences 300 --repeats 3 --output {output}", "On a GPU"),
    Benchmark(
        "time_against_constraints",
        f"{PAIRS} --sentences 6 --rounds 4 --counts 0 1 10 15 20 --grid-counts 10 --output {{output}}",
        "Time against constraints",
    ),
    Benchmark(
        "time_against_constraints/every_count",
        f"{PAIRS} --sentences 6 --rounds 4 --grid-counts 0 5 10 15 20 --output {{output}}",
        "Time against constraints",
    ),
    Benchmark(
        "stopping",
        f"{PAIRS} --sentences 32 --beams 1 2 5 10 20 --threads 1 --output {{output}}",
        "When to stop",
    ),
    Benchmark("quality", f"{PAIRS} --output {{output}}", "Latency on a CPU", program="speed.quality"),
    Benchmark(
        "streaming/plain",
        "{source} --sentences 48 --batch 8 --threads 1 --output {output}",
        "Streaming decoding (VAR-STREAM)",
    ),
    Benchmark(
        "streaming/constrained",
        "{source} --sentences 24 --batch 8 --beams 10 --constrained --threads 1 --output {output}",
        "Streaming decoding (VAR-STREAM)",
    ),
    Benchmark(
        "paper_dba/satisfaction",
        f"{PAIRS} --sets rand4 --beams 10 --pruning --batch 8 --threads 1 --output {{output}}",
        "The paper's experiments (dynamic beam allocation)",
    ),
    Benchmark(
        "paper_dba/beams",
        f"{PAIRS} --sentences 500 --beams 5 10 --pruning --batch 8 --threads 1 --output {{output}}",
        "The paper's experiments (dynamic beam allocation)",
    ),
    Benchmark(
        "simulation",
        f"--documents documents {PAIRS} --segments 60 --max-words 26 --minutes 12 --without-waiting --ways n-best "
        "pin replace typing ban alternatives --output {output}",
        "A simulated translator",
        program="simulation.__main__",
    ),
    Benchmark(
        "simulation/prefix",
        f"--documents documents {PAIRS} --segments 60 --max-words 26 --minutes 4 --without-waiting --kinds "
        "--corrections --ways prefix --output {output}",
        "A simulated translator",
        program="simulation.__main__",
    ),
    Benchmark(
        "simulation/completion",
        f"--documents documents {PAIRS} --segments 48 --max-words 26 --without-waiting --kinds "
        '--corrections --ways "grey completion" --output {output}',
        "A simulated translator",
        program="simulation.__main__",
    ),
    Benchmark(
        "simulation/completion_held_out",
        f"--documents documents {PAIRS} --documents everyday {{everyday}} {{everyday_reference}} "
        "--documents news {news} {news_reference} "
        "--documents encyclopedia@de-en {encyclopedia_reference} {encyclopedia} "
        "--segments 48 --max-words 26 --without-waiting --kinds --corrections "
        '--ways "grey completion" --output {output}',
        "A simulated translator",
        program="simulation.__main__",
    ),
    Benchmark(
        "simulation/offers",
        f"--documents documents {PAIRS} --segments 120 --max-words 26 --minutes 8 --without-waiting --kinds "
        '--corrections "placed, follow 1" "placed, follow 3" "order, follow 4" "behind, follow 1" "behind, follow 3" '
        '--ways "one pin" replace "typing, rest offered" "typing, changes" chips --output {output}',
        "A simulated translator",
        program="simulation.__main__",
    ),
    Benchmark(
        "learning/held_out",
        f"--documents test {PAIRS} {{documents}} --num-documents 3 --min-segments 70 --segments 70 "
        "--unrelated news {news} {news_reference} --unrelated captions {captions} {captions_reference} "
        "--unrelated everyday {everyday} {everyday_reference} "
        "--unrelated encyclopedia {encyclopedia} {encyclopedia_reference} --output {output}/results.json",
        "Learning from confirmed segments",
    ),
    Benchmark(
        "day",
        f"--documents test {PAIRS} {{documents}} --num-documents 6 --output {{output}}/results.json",
        "Whole documents",
    ),
    Benchmark("reranking", f"{PAIRS} --segments 200 --output {{output}}", "Ranking again by the reverse direction"),
    Benchmark("reranking/lexicon", f"{PAIRS} --segments 200 --of lexicon --output {{output}}", "Words of the lexicon"),
    Benchmark("score_words", "{test_sets} --segments 60 --output {output}", "Words for scores and prices"),
    Benchmark("terminology", f"{PAIRS} {{glossary}} --output {{output}}", "Terms"),
    Benchmark("protection", f"{PAIRS} --output {{output}}/results.json", "Placeholders, addresses, tags"),
    Benchmark("numbers", "{corpus} --output {output}/results.json", "Numbers, dates and times"),
)


def run(
    benchmarks: Sequence[Benchmark], results: Path, files: Mapping[str, str], tell: Callable[[str], None]
) -> dict[str, str]:
    """Runs the benchmarks into folders of `results`; returns the error of each by name, "" without one."""
    outcomes = {}
    for benchmark in benchmarks:
        output = results / benchmark.name
        try:
            words = benchmark.words({**files, "output": str(output)})
        except KeyError as error:
            is_of_test_set = error.args[0] in ("source", "reference")
            cure = "give --test-set SOURCE REFERENCE" if is_of_test_set else f"run it by itself: {benchmark.module}"
            outcomes[benchmark.name] = f"it needs a {error.args[0]}; {cure}"
        else:
            tell(f"{benchmark.name}: {benchmark.module} {' '.join(words)}")
            outcomes[benchmark.name] = _failure([benchmark.python, "-m", benchmark.module, *words], tell)
        if outcomes[benchmark.name]:
            tell(f"{benchmark.name}: not measured: {outcomes[benchmark.name]}")
    return outcomes


def _failure(command: Sequence[str], tell: Callable[[str], None]) -> str:
    """Runs a program, passes on its output and returns the last line if it failed, otherwise ""."""
    last = ""
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            tell(line.rstrip())
            last = line.strip() or last
    return (last or f"it ended with status {process.returncode}") if process.returncode else ""
