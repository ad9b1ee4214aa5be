"""A drawing as PNG or PDF. The only module that imports matplotlib, an extra that is slow to load: import it late.

Everything is set on the figure itself, so neither pyplot nor another part of the process is touched.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.ft2font import FT2Font
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon, Rectangle
from matplotlib.text import Text as Written
from matplotlib.transforms import Affine2D

from dowse.lab.draw.drawing import COLOURS, Anchor, Area, Box, Dot, Drawing, Line, Mark

__all__ = ["paint"]

_DPI = 96  # a pixel of a drawing is one of a page
_POINT = 72 / _DPI  # in pixels
_SHARP = 2  # pixels of the file for one of a drawing
_HIGH = 1_500  # pixels: a longer picture has one for one
_ALIGNED: dict[Anchor, Literal["left", "center", "right"]] = {"start": "left", "middle": "center", "end": "right"}
# Tried in this order for what DejaVu cannot write.
_FALLBACKS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Source Han Sans",
    "PingFang SC", "Hiragino Sans", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei", "Droid Sans Fallback", "Arial Unicode MS", "Noto Sans Devanagari", "Noto Sans Bengali",
    "Noto Sans Tamil", "Noto Sans Thai", "Nirmala UI", "FreeSans",
)  # fmt: skip


def paint(drawing: Drawing, path: Path, *, pdf: bool) -> None:
    """Write the file, on white; the same drawing gives the same file."""
    figure = Figure(figsize=(drawing.width / _DPI, drawing.height / _DPI), dpi=_DPI, facecolor="white")
    to_figure = Affine2D().scale(1 / drawing.width, -1 / drawing.height).translate(0, 1) + figure.transFigure
    for place, mark in enumerate(drawing.marks):
        artist = _artist(mark)
        artist.set(transform=to_figure, zorder=place)
        figure.add_artist(artist)
    if pdf:
        FigureCanvasPdf(figure).print_figure(path, format="pdf", metadata={"CreationDate": None})
    else:
        dpi = _DPI * (_SHARP if drawing.height <= _HIGH else 1)
        FigureCanvasAgg(figure).print_figure(path, format="png", dpi=dpi)


def _artist(mark: Mark) -> Artist:
    match mark:
        case Line():
            xs, ys = zip(*mark.points, strict=True)
            width = mark.width * _POINT
            line = Line2D(xs, ys, color=_colour(mark.colour), linewidth=width, alpha=mark.opacity, marker="None",
                          solid_joinstyle="round", dash_joinstyle="round", dash_capstyle="butt")  # fmt: skip
            if mark.dashes:  # matplotlib has them in widths of the line
                line.set_linestyle((0, tuple(length / mark.width for length in mark.dashes)))
            return line
        case Area():
            return Polygon(mark.points, closed=True, facecolor=_colour(mark.colour), alpha=mark.opacity, linewidth=0)
        case Dot():
            return Circle((mark.x, mark.y), mark.radius, facecolor=_colour(mark.colour), linewidth=0)
        case Box():
            return Rectangle((mark.left, mark.top), mark.width, mark.height, facecolor=_colour(mark.fill),
                             edgecolor=_colour(mark.edge), linewidth=mark.edge_width * _POINT)  # fmt: skip
    font = _font(mark.size * _POINT, bold=mark.bold)
    return Written(mark.x, mark.y, _writable(mark.text), fontproperties=font, color=_colour(mark.colour),
                   horizontalalignment=_ALIGNED[mark.anchor], verticalalignment="baseline", rotation=mark.angle,
                   rotation_mode="anchor", parse_math=False, usetex=False)  # fmt: skip


def _colour(name: str) -> str:
    return COLOURS.get(name, name)


@cache
def _families() -> tuple[str, ...]:
    known = set(fontManager.get_font_names())
    return ("DejaVu Sans", *(name for name in _FALLBACKS if name in known))


@cache
def _font(size: float, *, bold: bool) -> FontProperties:
    return FontProperties(family=_families(), size=size, weight="bold" if bold else "normal")


@cache
def _faces() -> tuple[FT2Font, ...]:
    return tuple(get_font(fontManager.findfont(FontProperties(family=family))) for family in _families())


def _writable(text: str) -> str:
    """The text with a box for each character that no font can write (matplotlib would draw one too, and warn)."""
    return "".join(
        char if char == " " or any(face.get_char_index(ord(char)) for face in _faces()) else "□" for char in text
    )
