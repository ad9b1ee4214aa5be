"""Harvest curves as picture files. The only module that imports matplotlib, which is slow to load: import it late.

Every property is set on the figure itself, so neither pyplot nor another part of the process is touched.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure, SubFigure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from dowse.lab.chart import thinned
from dowse.lab.html import clean
from dowse.store.whole import write_whole

__all__ = ["Curve", "harvest_figure"]

WIDTH, HEIGHT = 900, 520  # pixels
_DPI = 100
_POINTS = 2_000
_INK, _SOFT, _GRID = "#1b2230", "#5d6778", "#e3e6ea"
# Okabe and Ito's palette without its yellow, which is too faint on white; beyond it the line styles change.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_STYLES = ("-", "--", "-.", ":")
_MARGIN, _LEFT, _BOTTOM, _TOP = 24.0, 78.0, 64.0, 58.0  # pixels; the title's lines come on top
_LABEL_WIDTH, _LABEL_STEP, _LINE = 184.0, 38.0, 24.0
# Tried in this order for what DejaVu cannot write.
_FALLBACKS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Source Han Sans",
    "PingFang SC", "Hiragino Sans", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei", "Droid Sans Fallback", "Arial Unicode MS", "Noto Sans Devanagari", "Noto Sans Bengali",
    "Noto Sans Tamil", "Noto Sans Thai", "Nirmala UI", "FreeSans",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Curve:
    """A crawl to draw: after ``pages[i]`` fetched pages, ``relevant[i]`` relevant ones."""

    label: str
    pages: NDArray[np.int64]
    relevant: NDArray[np.int64]

    @property
    def last(self) -> tuple[int, int]:
        """Pages fetched and relevant at its end."""
        return (int(self.pages[-1]), int(self.relevant[-1])) if len(self.pages) else (0, 0)


def harvest_figure(curves: Sequence[Curve], path: Path, *, title: str) -> None:
    """Draw relevant pages against fetched pages: SVG when ``path`` ends so, else PNG of 900 by 520 pixels.

    The file appears under its name once it is whole. Raises UserError when it cannot be written.
    """
    figure = Figure(figsize=(WIDTH / _DPI, HEIGHT / _DPI), dpi=_DPI, facecolor="white")
    font = _font(14.0, bold=True)
    lines = _fitted(title, WIDTH - 2 * _MARGIN, font, 2)
    _write(figure, _MARGIN, HEIGHT - 20, "\n".join(lines), font, _INK, va="top")
    axes = _axes(figure, curves, _TOP + _LINE * len(lines))
    if any(len(curve.pages) for curve in curves):
        _ideal(axes)
        for curve, look in zip(curves, _looks(), strict=False):
            _draw(axes, curve, *look)
        _end_labels(axes, curves)
    else:
        _write(figure, *_pixels(axes, 0.5, 0.5), "no page fetched yet", _font(12.0), _SOFT, ha="center", va="center")
    write_whole(path, lambda partial: _save(figure, partial, svg=path.suffix.lower() == ".svg"))


def _save(figure: Figure, path: Path, *, svg: bool) -> None:
    if svg:
        with matplotlib.rc_context({"svg.hashsalt": "dowse"}):  # the same crawl gives the same file
            FigureCanvasSVG(figure).print_figure(path, format="svg", metadata={"Date": None})
    else:
        FigureCanvasAgg(figure).print_figure(path, format="png", dpi=_DPI)


# -- the drawing -------------------------------------------------------------------------------------------------------


def _axes(figure: Figure, curves: Sequence[Curve], above: float) -> Axes:
    """Empty axes that hold every curve, ``above`` pixels from the top; the ideal line may leave there."""
    pages = max((curve.last[0] for curve in curves), default=0)
    found = max((curve.last[1] for curve in curves), default=0)
    width, height = WIDTH - _LEFT - _MARGIN - _LABEL_WIDTH, HEIGHT - _BOTTOM - above
    axes = figure.add_axes((_LEFT / WIDTH, _BOTTOM / HEIGHT, width / WIDTH, height / HEIGHT), facecolor="white")
    axes.set_xlim(0, max(pages, 1))
    axes.set_ylim(0, max(found, 1) * 1.06)
    for side, spine in axes.spines.items():
        spine.set(visible=side == "bottom", color=_SOFT, linewidth=1.0)
    axes.grid(visible=True, which="major", axis="y", color=_GRID, linewidth=1.0, linestyle="-")
    axes.set_axisbelow(True)
    axes.tick_params(axis="both", which="both", length=0, pad=7, labelsize=11, labelcolor=_SOFT,
                     labelfontfamily="DejaVu Sans")  # fmt: skip
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=6, integer=True, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    name = _font(11.5)
    _write(figure, _LEFT + width / 2, 14, "pages fetched", name, _INK, ha="center")
    _write(figure, _MARGIN, HEIGHT - above + 12, "relevant pages found", name, _INK)
    return axes


def _looks() -> Iterator[tuple[str, str]]:
    for number in count():
        yield _COLOURS[number % len(_COLOURS)], _STYLES[number // len(_COLOURS) % len(_STYLES)]


def _draw(axes: Axes, curve: Curve, colour: str, style: str) -> None:
    if not len(curve.pages):
        return
    drawn = thinned(len(curve.pages), _POINTS)
    xs = np.concatenate((np.zeros(1, np.int64), curve.pages[drawn]))
    ys = np.concatenate((np.zeros(1, np.int64), curve.relevant[drawn]))
    axes.plot(xs, ys, color=colour, linestyle=style, linewidth=2.2, marker="None", solid_capstyle="round",
              solid_joinstyle="round", clip_on=False, zorder=3)  # fmt: skip
    axes.plot(xs[-1:], ys[-1:], color=colour, marker="o", markersize=6, linestyle="None", clip_on=False, zorder=4)


def _ideal(axes: Axes) -> None:
    """The line on which every page is relevant, as far as the axes reach, with its name written along it."""
    (_, most_pages), (_, most_found) = axes.get_xlim(), axes.get_ylim()
    reach = min(most_pages, most_found)
    axes.plot((0, reach), (0, reach), color=_SOFT, linewidth=1.2, linestyle=(0, (1.5, 4)), marker="None", zorder=1)
    left, bottom = _pixels(axes, 0, 0)
    right, top = _pixels(axes, reach / most_pages, reach / most_found)
    angle = math.atan2(top - bottom, right - left)
    above = reach > 0.6 * most_pages  # a curve may come close from below; else keep away from the axis
    aside = 6 if above else -6
    x = right - 14 * math.cos(angle) - aside * math.sin(angle)
    y = top - 14 * math.sin(angle) + aside * math.cos(angle)
    _write(axes.figure, x, y, "every page relevant", _font(10.0), _SOFT, ha="right", va="bottom" if above else "top",
           rotation=math.degrees(angle), rotation_mode="anchor")  # fmt: skip


def _end_labels(axes: Axes, curves: Sequence[Curve]) -> None:
    """Each curve's name and last value at the right, level with its end or joined to it by a thin line."""
    most_pages, most_found = axes.get_xlim()[1], axes.get_ylim()[1]
    ends = [_pixels(axes, curve.last[0] / most_pages, curve.last[1] / most_found) for curve in curves]
    (right, bottom), (_, top) = _pixels(axes, 1, 0), _pixels(axes, 0, 1)
    places = _spread([y for _, y in ends], bottom, top)
    name, small = _font(11.5, bold=True), _font(10.0)
    for curve, (colour, _), (x, y), place in zip(curves, _looks(), ends, places, strict=False):
        pages, found = curve.last
        if pages and (right - x > 4 or abs(place - y) > 4):
            line = ((x + 5) / WIDTH, (right + 16) / WIDTH), (y / HEIGHT, place / HEIGHT)
            axes.figure.add_artist(Line2D(*line, color=colour, linewidth=0.8, alpha=0.55, marker="None"))
        told = f"{found:,} of {pages:,} ({found / pages:.0%})" if pages else "no page fetched"
        label = "".join(_fitted(curve.label, _LABEL_WIDTH - 16, name, 1))
        _write(axes.figure, right + 20, place + 1, label, name, colour, va="bottom")
        _write(axes.figure, right + 20, place - 2, told, small, _SOFT, va="top")


def _spread(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Places as near to the wanted ones as the height of a label allows, in the same order, between the bounds.

    >>> _spread([100.0, 110.0, 300.0], 0, 400)
    [86.0, 124.0, 300.0]
    """
    step = min(_LABEL_STEP, (high - low) / max(1, len(wanted) - 1))
    groups: list[tuple[float, list[int]]] = []  # the middle of labels that touch each other, and they, upwards
    for index in sorted(range(len(wanted)), key=lambda i: (wanted[i], -i)):
        middle, members = wanted[index], [index]
        while groups and middle - groups[-1][0] < step * (len(members) + len(groups[-1][1])) / 2:
            members = groups.pop()[1] + members
            half = step * (len(members) - 1) / 2
            middle = min(max(sum(wanted[i] for i in members) / len(members), low + half), high - half)
        groups.append((middle, members))
    places = list(wanted)
    for middle, members in groups:
        for rank, index in enumerate(members):
            places[index] = middle + step * (rank - (len(members) - 1) / 2)
    return places


# -- pixels and text ---------------------------------------------------------------------------------------------------


def _pixels(axes: Axes, x: float, y: float) -> tuple[float, float]:
    """A place in the axes (0 to 1 each way) in pixels of the figure, from its lower left."""
    left, bottom, width, height = axes.get_position().bounds
    return WIDTH * (left + width * x), HEIGHT * (bottom + height * y)


def _write(
    figure: Figure | SubFigure, x: float, y: float, text: str, font: FontProperties, colour: str, **how: Any
) -> None:
    """Text at a pixel of the figure, taken literally: a dollar sign starts no formula."""
    figure.text(x / WIDTH, y / HEIGHT, text, fontproperties=font, color=colour, parse_math=False, usetex=False, **how)


@cache
def _font(size: float, *, bold: bool = False) -> FontProperties:
    known = set(fontManager.get_font_names())
    families = ["DejaVu Sans", *(name for name in _FALLBACKS if name in known)]
    return FontProperties(family=families, size=size, weight="bold" if bold else "normal")


def _writable(text: str, font: FontProperties) -> str:
    """The text with a box for each character no font can write (matplotlib would draw one too, and warn)."""
    faces = [get_font(fontManager.findfont(FontProperties(family=family))) for family in font.get_family()]
    return "".join(
        char if char == " " or any(face.get_char_index(ord(char)) for face in faces) else "□" for char in text
    )


def _width(text: str, font: FontProperties) -> float:
    """Pixels."""
    return float(text_to_path.get_text_width_height_descent(text, font, False)[0]) * _DPI / 72


def _fitted(text: str, width: float, font: FontProperties, most: int) -> list[str]:
    """The text in at most ``most`` lines of ``width`` pixels, cut where it is longer."""
    rest = _writable(clean(text[:2_000]), font)
    lines: list[str] = []
    while rest and _width(rest, font) > width:
        end = "…" if len(lines) == most - 1 else ""
        cut = max(1, bisect_right(range(len(rest)), width, key=lambda n: _width(rest[:n] + end, font)) - 1)
        if end:
            return [*lines, rest[:cut].rstrip() + end]
        space = rest.rfind(" ", 0, cut + 1)
        cut = space if space > cut // 2 else cut
        lines.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*lines, rest]
