"""The time that documents take with learning and grey completion together, against plain post-editing, by simulation.

    python -m benchmarks.day --documents docs TEST.en TEST.de DOCUMENTS.txt [--num-documents N] --output FILE

A simulated person (`simulation/`) works through documents in order. Without learning, every proposal is the model's
own; with it, proposals and completions know the goals of the segments before, as in the app, but not the one directly
before (see `learning.py`). Each document begins with nothing learned. Answers take no time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from app.models.loading import SEARCH
from benchmarks.learning import learn, long_documents
from benchmarks.paper_dba import Progress, commit, environment, file_checksum, write_json
from benchmarks.simulation.completing import Completing
from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.effort import Effort
from benchmarks.simulation.protocols import PostEditing, Segment, WayOfWorking, effort_of, free_texts
from benchmarks.simulation.statistics import bleu, bleu_gain, ratio
from engine import EngineError, Request, SearchOptions, Translation, Translator

WAYS: tuple[WayOfWorking, ...] = (
    PostEditing(),
    Completing("grey completion"),
    Completing("grey completion, two or more wrong places", least_edits=2),
    Completing(
        "grey completion, two or more wrong places, known words without a decision", is_known_free=True, least_edits=2
    ),
)
PLAIN = (PostEditing().name, "without")


class Learner:
    """A translator that knows the goals of the segments confirmed before, except the last one."""

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self._datastore = translator.datastore_of(())
        self._last: Segment | None = None

    def confirm(self, segment: Segment) -> None:
        """Learns the segment before, and keeps this one for the next call."""
        if (last := self._last) is not None:
            self._datastore = learn(self._translator, last.source, last.goal, last.direction, self._datastore)
        self._last = segment

    def translate(self, request: Request, options: SearchOptions) -> Translation:
        return self._translator.translate(request, options, datastore=self._datastore)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    torch.set_num_threads(1)
    try:
        run(options)
    except (EngineError, OSError, UnicodeDecodeError, ValueError) as error:
        print(f"day: {error}", file=sys.stderr)
        return 1
    return 0


def run(options: argparse.Namespace) -> None:
    """Simulates all documents, and writes the result as JSON after each."""
    translator = Translator.load(options.model)
    name, *files = options.documents
    documents = long_documents(*files, options)
    results: dict[str, Any] = {
        "environment": environment(),
        "commit": commit(),
        "model": {"name": translator.name, "checksum": translator.checksum},
        "files": {Path(file).name: file_checksum(Path(file)) for file in files},
        "settings": {key: getattr(options, key) for key in ("direction", "min_segments", "segments", "seed")},
        "documents": [],
    }
    work = Work()
    for number, document in enumerate(documents, start=1):
        progress = Progress(f"{name}, {number} of {len(documents)}: {document[0].document}")
        for place, segment in enumerate(work.through(document, translator), start=1):
            progress.show(f"{place} of {len(document)}, {segment.source[:40]}")
        progress.close()
        results["documents"].append({"name": document[0].document, "segments": len(document)})
        write_json(options.output, results | work.figures(options.seed))


class Work:
    """What a person did, segment by segment, without and with learning."""

    def __init__(self) -> None:
        self._goals: list[str] = []
        self._texts: dict[str, list[str]] = {"without": [], "with": []}
        self._efforts: dict[tuple[str, str], list[Effort]] = {
            (way.name, arm): [] for way in WAYS for arm in self._texts
        }

    def through(self, document: Sequence[Segment], translator: Translator) -> Iterator[Segment]:
        """Yields each segment of a document once it is done in all ways."""
        learner = Learner(translator)
        engines = {"without": Engine(translator, SEARCH, False), "with": Engine(learner, SEARCH, False)}
        for segment in document:
            for arm, engine in engines.items():
                self._texts[arm].append(free_texts(segment, engine)[0])
                for way in WAYS:
                    self._efforts[way.name, arm].append(effort_of(way, segment, engine, is_oracle=False))
                engine.forget()
            self._goals.append(segment.goal)
            learner.confirm(segment)
            yield segment

    def figures(self, seed: int) -> dict[str, Any]:
        """BLEU without and with learning, and the time of each way over that of plain post-editing without learning."""
        plain = [one.seconds for one in self._efforts[PLAIN]]
        return {
            "bleu": {arm: bleu(texts, self._goals) for arm, texts in self._texts.items()},
            "bleu_gain": bleu_gain(self._texts["with"], self._texts["without"], self._goals, seed),
            "seconds_a_segment": round(sum(plain) / len(plain), 2),
            "ways": [
                {
                    "way": name,
                    "learning": arm,
                    "seconds": ratio([one.seconds for one in own], plain, seed),
                    "actions": ratio([one.actions for one in own], [one.actions for one in self._efforts[PLAIN]], seed),
                    "each_s": [round(one.seconds, 2) for one in own],
                }
                for (name, arm), own in self._efforts.items()
            ],
        }


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.day", description=(__doc__ or "").split("\n\n", maxsplit=1)[0]
    )
    parser.add_argument("--model", type=Path, default=Path("data/models/en-de"), help="model folder (%(default)s)")
    parser.add_argument(
        "--documents",
        nargs=4,
        required=True,
        metavar=("NAME", "SOURCE", "REFERENCE", "DOCUMENTS"),
        help="a name, sources and references, one a line, and a file of NAME<TAB>LINES for each document",
    )
    parser.add_argument("--direction", default="en-de")
    parser.add_argument("--num-documents", type=int, help="documents (default: all)")
    parser.add_argument("--min-segments", type=int, default=24, help="shorter documents are left out (%(default)s)")
    parser.add_argument("--segments", type=int, default=60, help="most segments of each document (%(default)s)")
    parser.add_argument("--max-words", type=int, default=40, help="longer segments are left out (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the resamples (%(default)s)")
    parser.add_argument("--output", type=Path, required=True, help="file for the results")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
