"""How each figure, with or without a bar, is read from the JSON of a benchmark's result."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from benchmarks import bars
from benchmarks.bars import Bar
from benchmarks.constraints_against_ctranslate2 import OF_PEOPLE
from benchmarks.speed import report as latency
from benchmarks.time_against_constraints import ratios

Results = Any  # a result's JSON
PAPER_ORDER = ("phr4", "phr3", "phr2", "rand4", "rand3", "rand2", "rand1", "none")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the page: what is measured and how its figure is read.

    `read` returns the figure from the JSON of a benchmark's result: a number for a row with a bar, otherwise a text.
    It raises LookupError if the figure is missing.
    """

    what: str
    benchmark: str
    read: Callable[[Results], Any]
    bar: Bar | None = None

    @classmethod
    def of(cls, bar: Bar, benchmark: str, read: Callable[[Results], float]) -> Row:
        return cls(bar.what, benchmark, read, bar)


def one(items: Sequence[Mapping[str, Any]], **wanted: Any) -> Mapping[str, Any]:
    """The first item with these values; LookupError if there is none."""
    for item in items:
        if all(item[name] == value for name, value in wanted.items()):
            return item
    raise LookupError(wanted)


def of_constraints(bar: Bar) -> Row:
    return Row.of(bar, "time_against_constraints", lambda results: ratios(results["cells"])[bar])


def whole_sentences(results: Results) -> str:
    most, none = (one(results["cells"], search="DBA", way="as used", count=count)["ms"] for count in (20, 0))
    return f"{most / none:.2f}"


def pin_over(results: Results, peer: str, pins: str = "pins") -> float:
    """The median over all pins of our time in 8 bits, on as many threads, divided by the peer's time."""
    return statistics.median(latency.ratio(row, f"int8, {peer[-1]}", peer, "wall_ms") for row in results[pins])


def median_pin(pins: str) -> Callable[[Results], float]:
    """The median of the milliseconds of pins in 8 bits on one thread."""
    return lambda results: statistics.median(latency.walls(results[pins], "int8, 1"))


def core_ratio(kind: str) -> Callable[[Results], float]:
    """The median ratio of one kind of request to CTranslate2."""
    return lambda results: one(results["cells"], kind=kind)["ratio"]


def core_document(threads: int) -> Callable[[Results], float]:
    """Sentences per second of processor time of a document, divided by CTranslate2's."""

    def found(results: Results) -> float:
        document = one(results["documents"], threads=threads)
        return document["pinpoint_per_cpu_s"] / document["ctranslate2_per_cpu_s"]

    return found


def of_peer(kind: str, threads: int) -> Row:
    what = f"the same: time / CTranslate2 {kind}, {threads} thread{'s' if threads > 1 else ''}"
    return Row(what, "latency", lambda results: f"{pin_over(results, f'CTranslate2 {kind}, {threads}'):.2f}")


def over_stream(method: str, field: str) -> Callable[[Results], float]:
    return lambda results: one(results["tables"], beam=50)["methods"][method][field]


def on_accelerator(read: Callable[[Results], float]) -> Callable[[Results], float]:
    """Wraps `read`: LookupError for a result that was measured on a CPU."""

    def found(results: Results) -> float:
        device = results.get("settings", {}).get("device") or results["environment"]["device"]
        if device.lower().startswith("cpu"):
            raise LookupError(device)
        return read(results)

    return found


def pairs_in_order(results: Results) -> int:
    bleu = {cell["set"]: cell["bleu"] for cell in results["cells"] if (cell["beam"], cell["pruning"]) == (10, 20)}
    return sum(bleu[first] > bleu[second] for first, second in pairwise(PAPER_ORDER))


def certificate(compare: Callable[[float, float], float], field: str, which: Callable[..., float]) -> Any:
    """The minimum or maximum, over beams above 1, of optimal stopping compared with OpenNMT's rule."""

    def found(results: Results) -> float:
        cells, beams = results["cells"], {cell["beam"] for cell in results["cells"]} - {1}
        names = ("optimal, log-prob (3)", "OpenNMT (1)")
        sides = [[one(cells, variant=name, beam=beam)[field] for name in names] for beam in beams]
        return which(compare(optimal, opennmt) for optimal, opennmt in sides)

    return found


def items_met(results: Results) -> float:
    counts = [cell["satisfaction"] for cell in results["cells"] if cell["set"] != "none"]
    return 100 * sum(count["num_items_met"] for count in counts) / sum(count["num_items"] for count in counts)


def time_of_day(way: str, learning: str) -> Callable[[Results], float]:
    """Seconds of a way of working through documents, over those of plain post-editing without learning."""
    return lambda results: float(one(results["ways"], way=way, learning=learning)["seconds"][0])


def slowest_cancel(stage: str) -> Callable[[Results], float]:
    def found(results: Results) -> float:
        taken = [row["worst_ms"] for row in results["stages"] if row["stage"] == stage]
        if not taken:
            raise LookupError(stage)
        return float(max(taken))

    return found


def percentiles(results: Results) -> str:
    walls = latency.walls(results["pins"], "int8, 1")
    return f"{statistics.median(walls):.0f} ms, {latency.percentile_95(walls):.0f} ms"


def throughput(beam: int) -> Callable[[Results], str]:
    def found(results: Results) -> str:
        names = {"float32": "", "CTranslate2 float32, 2": " (its float32)", "CTranslate2 int8, 2": " (its int8)"}
        rates = {name: one(results["batches"], beam=beam, engine=name)["sentences_per_s"] for name in names}
        return ", ".join(f"{rates[name]:.0f}{whose}" for name, whose in names.items())

    return found


def against_transformers(has_phrases: bool) -> Callable[[Results], str]:
    """The range over all cells of transformers' time divided by Pinpoint's."""

    def found(results: Results) -> str:
        rows = [row for row in results["random_sentences"] if bool(row["phrases"]) == has_phrases]
        ours, theirs = ([row for row in rows if row["engine"] == name] for name in ("Pinpoint", "transformers"))
        times = [b["milliseconds"] / a["milliseconds"] for a, b in zip(ours, theirs, strict=True)]
        if not times:
            raise LookupError("phrases")
        return f"{min(times):.1f} to {max(times):.1f}, median {statistics.median(times):.1f}"

    return found


def lost_to_8_bits(results: Results) -> float:
    """The largest loss of BLEU in the compiled core among the test sets."""
    return float(max(measured["bleu"]["float32"] - measured["bleu"]["core"] for measured in results["sets"]))


def kept_right(results: Results) -> str:
    shares = {kind: found["arms"]["protected"]["share_right"] for kind, found in results["kinds"].items()}
    return ", ".join(f"{kind} {100 * share:g} %" for kind, share in shares.items())


def redecoded(requester: str, kind: str, field: str) -> Callable[[Results], float]:
    """The share of segments of all sets of the simulation, in percent."""

    def found(results: Results) -> float:
        rows = [one(found["redecodings"], kind=kind, requester=requester) for found in results["sets"]]
        return 100 * sum(row[field][0] * row["num_segments"] for row in rows) / sum(row["num_segments"] for row in rows)

    return found


def spoilt_most(requester: str) -> Callable[[Results], float]:
    return lambda results: max(redecoded(requester, kind, "hurt")(results) for kind in ("missing1", "missing3"))


def time_over_post_editing(name: str) -> Callable[[Results], float]:
    """Seconds of a way of working over those of post-editing, of all segments together."""

    def found(results: Results) -> float:
        ours, plain = (
            sum(sum(one(found["ways"], way=way, person="naive")["each"]["seconds"]) for found in results["sets"])
            for way in (name, "post-editing")
        )
        return ours / plain

    return found


def time_of_sets(name: str, which: Callable[[list[float]], float]) -> Callable[[Results], float]:
    """The largest or mean ratio over the sets of the simulation, each by itself."""
    return lambda results: which(
        [one(found["ways"], way=name, person="naive")["seconds"][0] for found in results["sets"]]
    )


BARS = (
    Row.of(bars.OPUS_PIN, "latency", lambda results: pin_over(results, "CTranslate2 int8, 1", "opus_pins")),
    Row.of(bars.OPUS_PIN_MS, "latency", median_pin("opus_pins")),
    Row.of(bars.FIREFOX_PIN_MS, "latency", median_pin("firefox_pins")),
    *(Row.of(bar, "constraints_against_ctranslate2", core_ratio(kind)) for kind, bar in bars.CORE_PIN.items()),
    *(
        Row.of(bar, "constraints_against_ctranslate2", core_document(threads))
        for threads, bar in bars.CORE_DOCUMENT.items()
    ),
    Row.of(
        bars.CORE_ALTERNATIVES,
        "constraints_against_ctranslate2",
        lambda results: statistics.median(results["alternatives_cpu_ms"]),
    ),
    *map(of_constraints, (bars.CONSTRAINED, bars.MANY_TOKENS, bars.GRID)),
    Row.of(
        bars.BATCH_OVER_STREAM, "streaming/accelerator", on_accelerator(over_stream("VAR-BATCH", "time_over_stream"))
    ),
    Row.of(bars.FIXED_OVER_STREAM, "streaming/accelerator", on_accelerator(over_stream("FIXED", "time_over_stream"))),
    Row.of(
        bars.SAME_AS_BATCH,
        "streaming/plain",
        lambda results: min(
            100 * found["same_as_var_batch"]["VAR-STREAM"] / results["settings"]["num_sentences"]
            for found in results["tables"]
        ),
    ),
    Row.of(
        bars.FUSED,
        "kernels/accelerator",
        on_accelerator(lambda results: min(row["ratio"] for row in results["rows"])),
    ),
    Row.of(bars.PAGE, "page", lambda results: results["figures"]["page_s"]),
    Row.of(bars.TRANSLATION, "page", lambda results: results["figures"]["translation_s"]),
    Row.of(bars.MEMORY, "page", lambda results: results["figures"]["memory_large_mb"]),
    Row.of(
        bars.PIN_TO_SCREEN,
        "page",
        lambda results: statistics.median(pin["acknowledged"] for pin in results["figures"]["pins"]),
    ),
    *(Row.of(bar, "cancelling", slowest_cancel(stage)) for stage, bar in bars.CANCEL.items()),
    Row.of(bars.OTHERS_WAIT, "opening", lambda results: results["p95_opening_over_without"]),
    Row.of(bars.OPEN_FILE, "files", lambda results: max(each["open_s"] for each in results["files"].values())),
    Row.of(bars.EXPORT_FILE, "files", lambda results: max(each["export_s"] for each in results["files"].values())),
    Row.of(bars.EXPORT_WORD, "files", lambda results: results["long_word"]["export_s"]),
    Row.of(bars.REPORT, "files", lambda results: max(results["reports"].values())),
    Row.of(bars.EIGHT_BITS, "quality", lost_to_8_bits),
    Row.of(
        bars.TERMS, "terminology", lambda results: results["arms"]["none"]["bleu"] - results["arms"]["forms"]["bleu"]
    ),
    Row.of(bars.PLACED, "simulation", redecoded("order, follow 4", "missing1", "placed")),
    Row.of(bars.PLACED_THREE, "simulation", redecoded("order, follow 4", "missing3", "placed")),
    Row.of(bars.SPOILT, "simulation", spoilt_most("order, follow 4")),
    Row.of(bars.GUESSED, "simulation", redecoded("placed, follow 1", "missing1", "placed")),
    Row.of(bars.GUESSED_THREE, "simulation", redecoded("placed, follow 1", "missing3", "placed")),
    Row.of(bars.GUESSED_SPOILT, "simulation", spoilt_most("placed, follow 1")),
    Row.of(bars.PIN_TIME, "simulation", time_over_post_editing("one pin, longest missing word: placed, follow 1")),
    Row.of(bars.OFFER_TIME, "simulation/offers", time_over_post_editing("typing, rest offered: behind, follow 1")),
    *(
        Row.of(bar, f"simulation/{name}", time_of_sets("grey completion, two or more wrong places", max))
        for name, bar in bars.GREY_OFFER_TIME.items()
    ),
    *(
        Row.of(bar, f"simulation/{name}", time_of_sets("grey completion", max))
        for name, bar in bars.COMPLETION_TIME.items()
    ),
    *(
        Row.of(
            bar,
            f"simulation/{name}",
            time_of_sets("grey completion, known words without a decision", statistics.fmean),
        )
        for name, bar in bars.KNOWN_COMPLETION_TIME.items()
    ),
    Row.of(bars.DAY_TIME, "day", time_of_day("grey completion, two or more wrong places", "with")),
    Row.of(bars.LEARNED, "learning/held_out", lambda results: results["documents"]["gain"][0]),
    Row.of(bars.UNRELATED, "learning/held_out", lambda results: results["unrelated"]["gain"][0]),
    Row.of(bars.SATISFIED, "paper_dba/satisfaction", items_met),
    Row.of(bars.ORDER, "paper_dba/beams", pairs_in_order),
    Row.of(bars.CERTIFICATE_SCORE, "stopping", certificate(lambda a, b: a - b, "log_prob", min)),
    Row.of(bars.CERTIFICATE_STEPS, "stopping", certificate(lambda a, b: a / b, "steps", max)),
)

WITHOUT_BAR = (
    Row("translation after a changed pin: median, 95th percentile", "latency", percentiles),
    *(of_peer(*peer) for peer in (("int8", 2), ("float32", 1), ("float32", 2))),
    Row("sentences per second in a batch, beam 5 (and CTranslate2 with 2 threads)", "latency", throughput(5)),
    Row("the same, beam 50", "latency", throughput(50)),
    *(
        Row(
            f"compiled core: processor time / CTranslate2 int8 without constraints, {kind}",
            "constraints_against_ctranslate2",
            lambda results, kind=kind: f"{core_ratio(kind)(results):.2f}",  # type: ignore[misc]
        )
        for kind in OF_PEOPLE
    ),
    Row(
        "share of a decoder step that reading or multiplying the weights needs",
        "latency",
        lambda results: f"{100 * latency.share_of_roof(results['loops'][0], 'float32'):.0f} %",
    ),
    Row(
        "time of a sentence with 20 constraint tokens / without constraints, default settings",
        "time_against_constraints",
        whole_sentences,
    ),
    Row("time of constrained search, transformers / Pinpoint", "against_transformers", against_transformers(True)),
    Row("time of plain beam search, transformers / Pinpoint", "against_transformers", against_transformers(False)),
    Row(
        "expanded rows, FIXED / VAR-STREAM, beam 50",
        "streaming/plain",
        lambda results: f"{over_stream('FIXED', 'expansions_over_stream')(results):.1f}",
    ),
    Row(
        "time of the output layer on a CPU, separate steps / plain reference, median of all sizes",
        "kernels",
        lambda results: f"{statistics.median(row['ratio'] for row in results['rows']):.2f}",
    ),
    Row(
        "time of a request with half of its translation given, read in one pass / piece by piece",
        "prefix",
        lambda results: (
            f"{one(results['summary'], precision='float32', share=0.5)['over_step_by_step']['in one pass']:.2f}"
        ),
    ),
    Row(
        "processor time of finding terms in all segments",
        "terms",
        lambda results: (
            f"{results['matching']['exact']['cpu_seconds_to_search']:.1f} s for {results['segments']:,} segments and "
            f"{results['terms']:,} terms"
        ),
    ),
    Row("protected content kept unchanged in the app", "protection", kept_right),
)
