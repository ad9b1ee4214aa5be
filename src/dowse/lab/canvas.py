"""Pictures as files, drawn in pixels. The only module that imports matplotlib, which is slow to load: import it late.

Every property is set on the figure itself, so neither pyplot nor another part of the process is touched.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from dowse.lab.picture import check_picture, is_svg
from dowse.model.files import write_whole
from dowse.model.shown import shown

__all__ = ["COLOURS", "INK", "SOFT", "Canvas", "Dashes", "Panel", "fitted", "text_width"]

INK, SOFT, _GRID = "#1b2230", "#5d6778", "#e3e6ea"
# Okabe and Ito's palette without its yellow, which is too faint on white.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
Dashes = str | tuple[float, tuple[float, ...]]
Numbers = NDArray[np.integer[Any]] | NDArray[np.floating[Any]]
_DPI = 100
# Tried in this order for what DejaVu cannot write.
_FALLBACKS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Source Han Sans",
    "PingFang SC", "Hiragino Sans", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei", "Droid Sans Fallback", "Arial Unicode MS", "Noto Sans Devanagari", "Noto Sans Bengali",
    "Noto Sans Tamil", "Noto Sans Thai", "Nirmala UI", "FreeSans",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Panel:
    """Axes from 0 to ``most_x`` and ``most_y``, in a rectangle of the canvas."""

    axes: Axes
    left: float
    bottom: float
    width: float
    height: float
    most_x: float
    most_y: float

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Where a value lies on the canvas, from its lower left."""
        return self.left + self.width * x / self.most_x, self.bottom + self.height * y / self.most_y

    def line(
        self, xs: Numbers, ys: Numbers, colour: str, *, dashes: Dashes = "-", width: float = 2.2, layer: float = 3
    ) -> None:
        self.axes.plot(xs, ys, color=colour, linestyle=dashes, linewidth=width, marker="None", solid_capstyle="round",
                       solid_joinstyle="round", clip_on=False, zorder=layer)  # fmt: skip

    def band(self, xs: Numbers, low: Numbers, high: Numbers, colour: str) -> None:
        self.axes.fill_between(xs, low, high, color=colour, alpha=0.13, linewidth=0, zorder=2)

    def dot(self, x: float, y: float, colour: str) -> None:
        self.axes.plot((x,), (y,), color=colour, marker="o", markersize=6, linestyle="None", clip_on=False, zorder=4)


def _whole(value: float, _: int | None) -> str:
    return f"{value:,.0f}"


def _fraction(value: float, _: int | None) -> str:
    return f"{value:.3g}"


def _percent(value: float, _: int | None) -> str:
    return f"{100 * value:.3g} %"


class Canvas:
    """A white picture, measured in pixels from its lower left."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI, facecolor="white")

    def panel(
        self, left: float, bottom: float, width: float, height: float, *, most_x: float, most_y: float,
        percents: bool = False, ticks: int = 6, text_size: float = 11,
    ) -> Panel:  # fmt: skip
        """Empty axes with grid lines at round values; whole numbers (fractions where all is below
        2), or ``percents`` of 1 upwards."""
        place = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        axes = self._figure.add_axes(place, facecolor="white")
        axes.set_xlim(0, most_x)
        axes.set_ylim(0, most_y)
        for side, spine in axes.spines.items():
            spine.set(visible=side == "bottom", color=SOFT, linewidth=1.0)
        axes.grid(visible=True, which="major", axis="y", color=_GRID, linewidth=1.0, linestyle="-")
        axes.set_axisbelow(True)
        axes.tick_params(axis="both", which="both", length=0, pad=7, labelsize=text_size, labelcolor=SOFT,
                         labelfontfamily="DejaVu Sans")  # fmt: skip
        upward = _percent if percents else _fraction if most_y < 2 else _whole
        for axis, form in ((axes.xaxis, _whole), (axes.yaxis, upward)):
            axis.set_major_locator(MaxNLocator(nbins=ticks, integer=form is _whole, steps=[1, 2, 5, 10]))
            axis.set_major_formatter(FuncFormatter(form))
        return Panel(axes, left, bottom, width, height, most_x, most_y)

    def write(
        self, x: float, y: float, text: str, size: float, colour: str = INK, *, bold: bool = False, **how: Any
    ) -> None:
        """Text at a pixel, taken literally: a dollar sign starts no formula."""
        font = _font(size, bold=bold)
        self._figure.text(x / self.width, y / self.height, text, fontproperties=font, color=colour, parse_math=False,
                          usetex=False, **how)  # fmt: skip

    def rule(
        self, start: tuple[float, float], end: tuple[float, float], colour: str, *, width: float = 0.8,
        strength: float = 0.55, dashes: tuple[float, ...] = (),
    ) -> None:  # fmt: skip
        """A line from pixel to pixel, in front of the panels."""
        xs, ys = (start[0] / self.width, end[0] / self.width), (start[1] / self.height, end[1] / self.height)
        line = Line2D(xs, ys, color=colour, linewidth=width, alpha=strength, marker="None")
        if dashes:
            line.set_linestyle((0, dashes))
        self._figure.add_artist(line)

    def box(
        self, left: float, bottom: float, width: float, height: float, fill: str, *, edge: str, edge_width: float = 1.0
    ) -> None:
        """A filled rectangle, behind text and rules."""
        corner = (left / self.width, bottom / self.height)
        self._figure.add_artist(Rectangle(corner, width / self.width, height / self.height, facecolor=fill,
                                          edgecolor=edge, linewidth=edge_width, zorder=0.5))  # fmt: skip

    def save(self, path: Path) -> None:
        """SVG or PNG, as ``path`` ends. The file appears under its name once it is whole; raises UserError when it
        cannot be written, or ends in something else."""
        check_picture(path)
        write_whole(path, lambda partial: self._save(partial, svg=is_svg(path)))

    def _save(self, path: Path, *, svg: bool) -> None:
        if svg:
            with matplotlib.rc_context({"svg.hashsalt": "dowse"}):  # the same curves give the same file
                FigureCanvasSVG(self._figure).print_figure(path, format="svg", metadata={"Date": None})
        else:
            FigureCanvasAgg(self._figure).print_figure(path, format="png", dpi=_DPI)


# -- text that fits ----------------------------------------------------------------------------------------------------


def fitted(text: str, width: float, size: float, *, bold: bool = False, most: int = 1) -> list[str]:
    """The text in at most ``most`` lines of ``width`` pixels, cut where it is longer."""
    rest = _writable(shown(text[:2_000]), _font(size, bold=bold))
    lines: list[str] = []
    while True:
        ends = list(accumulate(_advance(char, size, bold) for char in rest))
        if not ends or ends[-1] <= width:
            return [*lines, rest]
        if len(lines) == most - 1:
            cut = max(1, bisect_right(ends, width - _advance("…", size, bold)))
            return [*lines, rest[:cut].rstrip() + "…"]
        cut = max(1, bisect_right(ends, width))
        space = rest.rfind(" ", 0, cut + 1)
        cut = space if space > cut // 2 else cut
        lines.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """How many pixels a line of text takes, about."""
    return sum(_advance(char, size, bold) for char in _writable(shown(text), _font(size, bold=bold)))


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


@lru_cache(maxsize=10_000)
def _advance(char: str, size: float, bold: bool) -> float:
    """How many pixels a character takes in a line: a text is as wide as its characters, but for some kerning."""
    font = _font(size, bold=bold)
    pair, one = (text_to_path.get_text_width_height_descent(text, font, False)[0] for text in (char + "x", "x"))
    return float(pair - one) * _DPI / 72
