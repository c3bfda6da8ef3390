"""Line and scatter charts as SVG, drawn by Matplotlib in one style; the same points give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import StringIO

import matplotlib as mpl

Point = tuple[float, float]

COLOURS = ("#444444", "#9ecae1", "#4292c6", "#2171b5", "#08306b", "#fdae6b", "#e6550d", "#a63603", "#31a354")
MANY_POINTS = 50  # from here on, points of a scatter chart are drawn half transparent
STYLE = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.prop_cycle": mpl.cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "grid.color": "#dddddd",
    "lines.markersize": 4,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "pinpoint",  # ids of clip paths and markers do not change from run to run
}


def chart(
    title: str,
    x_label: str,
    y_label: str,
    series: Mapping[str, Sequence[Point]],
    *,
    has_lines: bool = True,
    marks_dashed: Sequence[str] = (),
    labels: Mapping[Point, str] | None = None,
    from_zero: bool = False,
) -> str:
    """An SVG document with one line, or one set of points, for each series; several series get a legend.

    Args:
        series: points by the name of their series, connected in this order.
        has_lines: False draws points only.
        marks_dashed: names of the series whose lines are dashed.
        labels: texts beside points.
        from_zero: both axes begin at 0, instead of near the smallest values.
    """
    from matplotlib.figure import Figure  # a second of processor time, and most who import this draw nothing
    from matplotlib.ticker import MaxNLocator

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7, 4.2), layout="constrained")
        axes = figure.subplots()
        for name, points in series.items():
            line = ("--" if name in marks_dashed else "-") if has_lines else "none"
            alpha = 0.5 if not has_lines and len(points) >= MANY_POINTS else 1
            axes.plot(*zip(*points, strict=True), linestyle=line, marker="o", alpha=alpha, label=name)
        for point, label in (labels or {}).items():
            axes.annotate(label, point, xytext=(5, 4), textcoords="offset points", fontsize="small")
        if from_zero:
            axes.set_xlim(left=0)
            axes.set_ylim(bottom=0)
        if all(float(x).is_integer() for points in series.values() for x, _ in points):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        figure.suptitle(title, x=0, ha="left")
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        if len(series) > 1:
            figure.legend(loc="outside right center", frameon=False, fontsize="small")
        svg = StringIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in svg.getvalue().splitlines()) + "\n"
