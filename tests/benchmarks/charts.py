"""Line and scatter charts as SVG text: a frame, round ticks, a legend. Enough for a benchmark's figures, no more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

Point = tuple[float, float]

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 120, 36, 48
COLOURS = ("#444444", "#9ecae1", "#4292c6", "#2171b5", "#08306b", "#fdae6b", "#e6550d", "#a63603", "#31a354")


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
    legend_width: int = RIGHT,
) -> str:
    """An SVG document. Each series is drawn in the order of its points; `labels` stand beside points.

    Axes begin near the least values, or both at 0.
    """
    width = WIDTH - RIGHT + legend_width
    points = [point for line in series.values() for point in line]
    if from_zero or not points:
        points.append((0.0, 0.0))
    x_ticks = ticks(min(x for x, _ in points), max(x for x, _ in points))
    y_ticks = ticks(min(y for _, y in points), max(y for _, y in points))

    def place(point: Point) -> Point:
        x_share = (point[0] - x_ticks[0]) / (x_ticks[-1] - x_ticks[0])
        y_share = (point[1] - y_ticks[0]) / (y_ticks[-1] - y_ticks[0])
        return LEFT + x_share * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y_share * (HEIGHT - TOP - BOTTOM)

    parts = [_text(LEFT, 22, title, size=15), _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_label, "middle")]
    parts.append(f'<g transform="rotate(-90 16 {HEIGHT / 2})">{_text(16, HEIGHT / 2, y_label, "middle")}</g>')
    for tick in x_ticks:
        x, y = place((tick, y_ticks[0]))
        parts += [_line((x, y), place((tick, y_ticks[-1]))), _text(x, y + 18, f"{tick:g}", "middle")]
    for tick in y_ticks:
        x, y = place((x_ticks[0], tick))
        parts += [_line((x, y), place((x_ticks[-1], tick))), _text(x - 8, y + 4, f"{tick:g}", "end")]
    for number, (name, line) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        placed = [place(point) for point in line]
        if has_lines:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
            dashes = ' stroke-dasharray="6 3"' if name in marks_dashed else ""
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        opacity = 1 if has_lines or len(placed) < 50 else 0.5
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}" opacity="{opacity}"/>' for x, y in placed]
        if len(series) > 1:
            y = TOP + 12 + 18 * number
            parts.append(f'<circle cx="{WIDTH - RIGHT + 18}" cy="{y}" r="4" fill="{colour}"/>')
            parts.append(_text(WIDTH - RIGHT + 28, y + 4, name))
    for point, label in (labels or {}).items():
        x, y = place(point)
        parts.append(_text(x + 6, y - 6, label))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}" '
        f'font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )


def ticks(low: float, high: float, target: int = 6) -> list[float]:
    """Round numbers at even distances from at most `low` to at least `high`, about `target` of them.

    >>> ticks(0.3, 9.1)
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    """
    span = high - low or abs(high) or 1.0
    power = 10 ** math.floor(math.log10(span / target))
    step = power * min((1, 2, 5, 10), key=lambda factor: abs(span / (factor * power) - target))
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(number * step, 12) for number in range(first, max(last, first + 1) + 1)]


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="#222">{escape(text)}</text>'


def _line(start: Point, end: Point) -> str:
    return f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" stroke="#ddd"/>'
