"""How long the model is not free after a cancel or a deadline, at the worst moment, in each stage of a request.

    python -m benchmarks.cancelling [--model FOLDER] [--rounds 2] [--stages NAME ...] [--output FOLDER]

The requests are about the largest that the limits allow. An event that is never set counts the processor time between
two looks at it, and then, set at several moments, the time until the call returns: the worst case is the longest of the
first plus the longest of the second. Processor time, as other programs may use the processor; the better round counts,
as they also take its caches. Prints a table, and writes results.json.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

from app.collector import IdleCollector, keep_modules_out_of_collections
from app.models.loading import SEARCH
from app.paths import MODEL_FOLDER
from benchmarks.paper_dba import commit, environment, write_json
from engine import Avoid, Follow, Phrase, Request, SearchOptions, Translator

SAMPLE = Path(__file__).resolve().parents[1] / "tests" / "data" / "corpus_sample.tsv"
WIDE = SearchOptions(beam=1000, nbest=1000)
SENTENCE = "The file was opened by the server. "
Call = Callable[[Event], Any]


class Case(NamedTuple):
    """A request of a stage, and the seconds of processor time after which it is cancelled, one run each."""

    stage: str
    name: str
    call: Call
    cancelled_after: tuple[float, ...]


class Looks(Event):
    """Measures the processor time between looks. Counts as set after `seconds` of it."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._end = time.thread_time() + seconds
        self.latest = time.thread_time()
        self.longest_gap = 0.0
        self.is_cancelled = False

    def is_set(self) -> bool:
        now = time.thread_time()
        if not self.is_cancelled:
            self.longest_gap = max(self.longest_gap, now - self.latest)
            self.latest = now
            self.is_cancelled = now >= self._end
        return self.is_cancelled


def worst_ms(case: Case) -> float:
    """Milliseconds of processor time from a cancel to the return, at the worst moment that was seen."""
    gap = rest = 0.0
    for seconds in case.cancelled_after:
        looks = Looks(seconds)
        answer = case.call(looks)
        rest = max(rest, time.thread_time() - looks.latest)
        del answer  # the caller's, and millions of objects: freeing it is no part of the call
        gap = max(gap, looks.longest_gap)
    return 1000 * (gap + rest)


def cases(translator: Translator) -> Iterator[Case]:
    """The requests of all stages."""
    rng = random.Random(7)
    text = SAMPLE.read_text(encoding="utf-8")
    words = list(dict.fromkeys(re.findall(r"\b[a-z]{3,9}\b", text)))
    german = " ".join(line.split("\t")[1] for line in text.splitlines() if "\t" in line)
    longest, half = SENTENCE * 52, SENTENCE * 12

    def phrase(num_forms: int = 10, num_words: int = 4) -> Phrase:
        first, *forms = (" ".join(rng.choices(words, k=num_words)) for _ in range(num_forms))
        return Phrase(first, tuple(forms))

    def translated(request: Request, options: SearchOptions) -> Call:
        return lambda cancel: translator.translate(request, options, cancel=cancel)

    def priced(request: Request, options: SearchOptions) -> Call:
        return lambda cancel: translator.price(request, options, cancel=cancel)

    many, avoided = tuple(phrase() for _ in range(100)), tuple(map(Avoid, words[200:700]))
    pins, pinned = tuple(map(Phrase, words[:100])), tuple(map(Avoid, words[:400]))
    followed = Follow(german[:9_990])
    short, long = (0.0, 0.02, 0.3, 2.0), (0.0, 1.0, 8.0)
    most = Request(longest, phrases=many, avoid=avoided)
    limited = Request("Go.", phrases=(Phrase("a", max_count=3), *many[1:]), prefix="a " * 5000)
    some = Request(longest, phrases=tuple(phrase(10, 1) for _ in range(30)), avoid=avoided)
    sharing = Request(longest, phrases=tuple(Phrase(f"w{number}", (f"w{number + 1}",)) for number in range(12)))
    placed = Request(longest, phrases=pins, follow=Follow(german[:9_990], places_phrases=True))
    begun = Request(longest, phrases=pins[:20], prefix="Die Datei " * 1000 + "x")
    yield Case("preparing", "1,000 forms", translated(most, WIDE), short)
    yield Case("preparing", "a limit on occurrences", translated(limited, SEARCH), short)
    yield Case("search", "the widest beam", translated(Request(longest), WIDE), long)
    yield Case("search", "300 forms, 500 avoided", translated(some, WIDE), long)
    yield Case("search", "12 phrases that share forms", translated(sharing, WIDE), long)
    yield Case("search", "a long text followed", translated(Request(longest, follow=followed), WIDE), long)
    yield Case("search", "100 phrases placed in a long text", translated(placed, SEARCH), long)
    clashing = Request(longest, phrases=pins, avoid=pinned)
    yield Case("relaxation", "100 phrases avoided", translated(clashing, SEARCH), short)
    clashing = Request(longest, phrases=(*pins[:90], *many[:10]), avoid=pinned)
    yield Case("relaxation", "190 forms", translated(clashing, SEARCH), short)
    yield Case("alignment", "1,000 translations", translated(Request(half), WIDE), (1e9,))
    yield Case("prices", "a prefix of 10,001 characters", priced(begun, SEARCH), short)
    yield Case("prices", "600 constraints", priced(most, SEARCH), (*short, 8.0))
    yield Case("prices", "the widest beam", priced(Request(longest, phrases=pins), WIDE), (*short, 8.0))
    spans = [match.span() for match in re.finditer(r"\w+", half)][:40]
    misplaced = tuple(Phrase(word, source_span=span) for word, span in zip(words, spans, strict=False))
    yield Case("drafts", "40 terms", translated(Request(half, phrases=misplaced), SEARCH), (*long, 20.0))
    best = translator.translate(Request(half)).hypotheses[0]
    asked = Request(half, phrases=pins[:20], avoid=avoided)

    def alternatives(cancel: Event) -> Any:
        return translator.alternatives(asked, best, best.text.index("Datei"), 1000, WIDE, cancel=cancel)

    yield Case("alternatives", "1,000 with the widest beam", alternatives, (*short, 8.0))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cancelling", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--model", type=Path, default=MODEL_FOLDER)
    parser.add_argument("--precision", choices=("auto", "float32"), default="auto", help="float32: PyTorch")
    parser.add_argument("--rounds", type=int, default=2, help="the better one counts")
    parser.add_argument("--stages", nargs="+", help="only these")
    parser.add_argument("--output", type=Path, help="folder for results.json")
    options = parser.parse_args(arguments)
    keep_modules_out_of_collections()  # as the app does
    IdleCollector().begin()
    translator = Translator.load(options.model, precision=options.precision)  # and computes all in this thread
    translator.translate(Request(SENTENCE * 2))  # reads what is read once
    found: list[dict[str, Any]] = []
    for case in cases(translator):
        if options.stages and case.stage not in options.stages:
            continue
        ms = min(worst_ms(case) for _ in range(options.rounds))
        found.append({"stage": case.stage, "request": case.name, "worst_ms": round(ms, 1)})
        print(f"{case.stage:<13}{case.name:<40}{ms:8.1f} ms", flush=True)
    if options.output:
        facts = {"model": translator.name, "decoder": translator.decoder, "checksum": translator.checksum}
        facts["rounds"] = options.rounds
        results = {"commit": commit(), "environment": environment(), "settings": facts, "stages": found}
        options.output.mkdir(parents=True, exist_ok=True)
        write_json(options.output / "results.json", results)


if __name__ == "__main__":
    main()
