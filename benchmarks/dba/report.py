"""The results as Markdown tables and SVG charts, numbered like the tables and figures of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.charts import chart
from benchmarks.dba.decoding import Cell

MIN_GROUP = 5  # sentences behind a point of the chart of times
TIME_COLUMNS = (("ms_per_sentence", 0), ("steps_per_sentence", 1), ("ms_per_step", 2))
PHRASES = ("phr2", "phr3", "phr4")
Figures = Mapping[str, Any]


def write_report(folder: Path, results: Figures, decoded: Mapping[Cell, Figures]) -> None:
    """Write tables.md and the charts that the cells at hand allow."""
    cells = results["cells"]
    at_paper = [cell for cell in cells if cell["pruning"] == results["search"]["pruning"]]
    main_beam = 10 if any(cell["beam"] == 10 for cell in at_paper) else at_paper[-1]["beam"]
    at_main = [cell for cell in at_paper if cell["beam"] == main_beam]
    sections = [
        heading(results),
        "## Constraint sets\n\n" + sets_table(results["sets"], main_beam),
        "## Constraint tokens (paper: table 2)\n\nSentences by their number of constraint tokens, C.\n\n"
        + histogram(results["sets"]),
        "## Satisfaction\n\nCounted in the texts of all n-best items.\n\n" + satisfaction_table(cells),
        "## BLEU by beam (figure 5)\n\nWith the half-width of the 95 % interval (1,000 resamples of the sentences).\n\n"
        + grid(at_paper, "set", "beam", with_interval),
        "## chrF by beam\n\n" + grid(at_paper, "set", "beam", lambda c: f"{c['chrf']:.1f}"),
        f"## Model score and BLEU, k = {main_beam} (figure 8)\n\n" + scores_table(at_main, results["references"]),
        "## Placement (figure 7)\n\nPearson's r of where a constraint begins in reference and output, as shares of "
        "their lengths; in brackets over those that stand once in both.\n\n"
        + grid(at_paper, "set", "beam", with_unique, skip="none"),
    ]
    sections.append("## Constraint tokens against beam\n\n" + width_table(at_paper))
    if any(cell["times"] for cell in at_paper):
        sections.append("## Time by constraint tokens (figure 4)\n\n" + times_table(at_paper))
    pruned = pruning_cells(cells)
    if pruned:
        beam = pruned[0]["beam"]
        sections.append(
            f"## BLEU by pruning threshold, k = {beam} (table 3)\n\n0 is off. In brackets steps a sentence.\n\n"
            + grid(pruned, "set", "pruning", lambda c: f"{c['bleu']:.1f} ({c['mean_steps']:.0f})")
        )
    (folder / "tables.md").write_text("\n\n".join(sections) + "\n", encoding="utf-8")
    for name, svg in charts(results, at_paper, at_main, pruned, decoded):
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")


def heading(results: Figures) -> str:
    settings, environment = results["settings"], results["environment"]
    lines = [
        "# Results of paper_dba",
        f"{settings['num_lines']:,} sentences of {settings['source']['name']}, {settings['direction']}, "
        f"model {settings['model']} (SHA-256 {settings['model_checksum'][:12]}), seed {settings['seed']}, "
        f"{settings['nbest']}-best. Finished hypotheses keep their places; pruning threshold "
        f"{results['search']['pruning']:g} unless the table varies it.",
        f"{environment['processor']}, {environment['threads']} threads; Python {environment['python']}, "
        f"torch {environment['torch']}, sacrebleu {environment['sacrebleu']}; commit {', '.join(results['commits'])}.",
        f"BLEU {results['metrics']['BLEU']}, chrF {results['metrics']['chrF']}.",
    ]
    return "\n\n".join(lines)


def sets_table(sets: Sequence[Figures], beam: int) -> str:
    rows = [
        (
            one["set"],
            one["num_constraints"],
            one["num_sentences_with_fewer"],
            one["num_tokens"],
            f"{one['mean_tokens']:.2f}",
            percent(one["share_in_unconstrained_by_beam"].get(str(beam))),
        )
        for one in sets
    ]
    header = ("set", "constraints", "sentences with fewer words", "tokens", "tokens a sentence")
    return table((*header, f"stand in the unconstrained output (k = {beam})"), rows)


def histogram(sets: Sequence[Figures]) -> str:
    counts = [{int(c): n for c, n in one["sentences_by_tokens"].items()} for one in sets]
    rows: list[tuple[object, ...]] = [(number, *(count.get(number, 0) for count in counts)) for number in range(1, 11)]
    rows.append(("11+", *(sum(n for c, n in count.items() if c > 10) for count in counts)))
    rows.append(("mean", *(f"{one['mean_tokens']:.2f}" for one in sets)))
    return table(("C", *(one["set"] for one in sets)), rows)


def satisfaction_table(cells: Sequence[Figures]) -> str:
    rows = []
    for cell in cells:
        counts = cell["satisfaction"]
        if cell["set"] != "none":
            rows.append(
                (
                    cell["set"],
                    cell["beam"],
                    f"{cell['pruning']:g}",
                    of(counts["num_sentences_met"], counts["num_sentences"]),
                    of(counts["num_items_met"], counts["num_items"]),
                    of(counts["num_constraints_met_in_best"], counts["num_constraints"]),
                    ", ".join(f"{n} {status}" for status, n in counts["statuses"].items()),
                )
            )
    header = ("set", "k", "pruning", "sentences with all in every item", "items with all", "constraints in the best")
    return table((*header, "status"), rows)


def scores_table(cells: Sequence[Figures], references: Figures) -> str:
    rows: list[tuple[object, ...]] = [
        (
            cell["set"],
            f"{cell['sum_score']:.1f}",
            f"{cell['mean_score']:.3f}",
            f"{cell['mean_log_prob']:.2f}",
            f"{cell['mean_output_tokens']:.1f}",
            f"{cell['bleu']:.1f}",
        )
        for cell in cells
    ]
    if references["num_scored"]:
        row = (f"{references['sum_score']:.1f}", f"{references['mean_score']:.3f}")
        rows.append((f"reference ({references['num_scored']})", *row, f"{references['mean_log_prob']:.2f}", "", ""))
    return table(("set", "sum of scores", "mean score", "mean log-probability", "tokens", "BLEU"), rows)


def width_table(cells: Sequence[Figures]) -> str:
    rows = []
    for cell in cells:
        for name, group in cell["by_width"].items():
            if cell["set"] != "none" and group["num"] >= MIN_GROUP and group["r"] is not None:
                places = (f"{group[f'mean_place_in_{side}']:.2f}" for side in ("reference", "output"))
                rows.append(
                    (cell["set"], cell["beam"], name, group["num"], group["bleu"], f"{group['r']:.2f}", *places)
                )
    note = "Where constraints begin, as shares of the text, in sentences with fewer tokens than the beam, and others."
    header = ("set", "k", "C", "sentences", "BLEU", "r", "mean place in reference", "in output")
    return f"{note}\n\n" + table(header, rows)


def times_table(cells: Sequence[Figures]) -> str:
    rows = []
    for cell in cells:
        for count, times in {"all": cell["times"], **cell["times"]["by_tokens"]}.items() if cell["times"] else ():
            if times["num"] >= MIN_GROUP and not (cell["set"] == "none" and count != "all"):
                steps, per_step = f"{times['steps_per_sentence']:.1f}", f"{times['ms_per_step']:.2f}"
                rows.append(
                    (cell["set"], cell["beam"], count, times["num"], f"{times['ms_per_sentence']:.0f}", steps, per_step)
                )
    note = (
        f"One sentence at a time, its source encoded beforehand; C with fewer than {MIN_GROUP} sentences left out.\n\n"
    )
    return note + table(("set", "k", "C", "sentences", "ms a sentence", "steps", "ms a step"), rows)


def charts(
    results: Figures,
    at_paper: Sequence[Figures],
    at_main: Sequence[Figures],
    pruned: Sequence[Figures],
    decoded: Mapping[Cell, Figures],
) -> Iterable[tuple[str, str]]:
    """Yields (name, SVG) of each chart."""
    by_beam = lines(at_paper, "beam")
    yield "bleu_by_beam", chart("BLEU by beam", "beam k", "BLEU", by_beam, marks_dashed=PHRASES)
    points = {(cell["sum_score"], cell["bleu"]): cell["set"] for cell in at_main}
    title = f"BLEU and model score, k = {at_main[0]['beam']}"
    yield "bleu_and_score", chart(title, "sum of scores", "BLEU", {"": list(points)}, has_lines=False, labels=points)
    for cell, content in decoded.items():
        if (cell.set_name, cell.beam, cell.pruning) == ("phr3", at_main[0]["beam"], results["search"]["pruning"]):
            places = [(p["reference"], p["output"]) for record in content["records"] for p in record["places"]]
            title = f"Where {cell.set_name} begins, k = {cell.beam}"
            yield (
                "placement",
                chart(title, "in the reference", "in the output", {"": places}, has_lines=False, from_zero=True),
            )
    timed = {
        f"{cell['set']} k={cell['beam']}": [
            (float(count), times["ms_per_step"])
            for count, times in cell["times"]["by_tokens"].items()
            if times["num"] >= MIN_GROUP
        ]
        for cell in at_paper
        if cell["times"] and cell["set"] in ("none", "rand3", "rand4")
    }
    timed = {name: points for name, points in timed.items() if points}
    if timed:
        yield "time_by_tokens", chart("Time by constraint tokens", "C", "ms a step", timed, from_zero=True)
    if pruned:
        by_threshold = lines([cell for cell in pruned if cell["pruning"]], "pruning")
        yield "pruning", chart("BLEU by pruning threshold", "threshold", "BLEU", by_threshold, marks_dashed=PHRASES)


def lines(cells: Sequence[Figures], key: str) -> dict[str, list[tuple[float, float]]]:
    """BLEU of each set as a line over `key`."""
    names = dict.fromkeys(cell["set"] for cell in cells)
    return {name: sorted((float(c[key]), c["bleu"]) for c in cells if c["set"] == name) for name in names}


def pruning_cells(cells: Sequence[Figures]) -> list[Figures]:
    """The cells of the beam at which several thresholds were tried."""
    beams = [beam for beam in {c["beam"] for c in cells} if len({c["pruning"] for c in cells if c["beam"] == beam}) > 1]
    return [cell for cell in cells if cell["beam"] in beams]


def grid(cells: Sequence[Figures], row: str, column: str, show: Any, skip: str = "") -> str:
    """A table with a row for each value of `row` and a column for each of `column`."""
    columns = sorted({cell[column] for cell in cells})
    found = {(cell[row], cell[column]): show(cell) for cell in cells if cell[row] != skip}
    names = dict.fromkeys(name for name, _ in found)
    rows = [(name, *(found.get((name, value), "") for value in columns)) for name in names]
    return table((row, *(f"{column} {value:g}" for value in columns)), rows)


def with_interval(cell: Figures) -> str:
    return f"{cell['bleu']:.1f}" + (f" ± {cell['bleu_ci95']:.1f}" if cell["bleu_ci95"] is not None else "")


def with_unique(cell: Figures) -> str:
    placement = cell["placement"]
    if placement["r"] is None:
        return f"– ({placement['num']})"
    unique = "–" if placement["r_unique"] is None else f"{placement['r_unique']:.2f}"
    return f"{placement['r']:.2f} of {placement['num']} ({unique} of {placement['num_unique']})"


def of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}" + (f" ({100 * part / whole:.2f} %)" if whole else "")


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in (header, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(header), *lines[1:]])
