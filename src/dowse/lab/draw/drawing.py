"""A picture as values: lines, areas, dots, boxes and text, in pixels from its upper left corner.

Colours go by name, so that a page can have its own, in light and in dark; a file has those of :data:`COLOURS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["COLOURS", "SERIES", "Anchor", "Area", "Box", "Dot", "Drawing", "Line", "Mark", "Points", "Text"]

SERIES = ("c1", "c2", "c3", "c4", "c5", "c6", "c7")
"""Colours that tell curves apart, the first ones best: Okabe and Ito's without their yellow, too faint on white."""

COLOURS = {
    "ink": "#1b2230", "soft": "#5d6778", "line": "#e3e6ea", "card": "#ffffff", "accent": "#0072b2", "second": "#b45309",
    "c1": "#0072b2", "c2": "#d55e00", "c3": "#009e73", "c4": "#cc79a7", "c5": "#e69f00", "c6": "#56b4e9",
    "c7": "#000000",
}  # fmt: skip
"""Name -> colour on white paper. Any #rrggbb is a colour as well, the same on every paper."""

Points = tuple[tuple[float, float], ...]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Line:
    """Straight from point to point. ``dashes``: pixels on, off, ...; none: a whole line."""

    points: Points
    colour: str
    width: float = 1.0
    dashes: tuple[float, ...] = ()
    opacity: float = 1.0
    role: str = ""  # what it is in the picture, for who looks for it


@dataclass(frozen=True, slots=True)
class Area:
    """What lies within the points."""

    points: Points
    colour: str
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    radius: float
    colour: str


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    width: float
    height: float
    fill: str
    edge: str
    edge_width: float = 1.0
    rounding: float = 0.0  # radius of its corners


@dataclass(frozen=True, slots=True)
class Text:
    """One line. ``y`` is where its letters stand; ``anchor`` (start, middle, end) which part of it is at ``x``."""

    x: float
    y: float
    text: str
    size: float = 12.0
    colour: str = "soft"
    bold: bool = False
    anchor: Anchor = "start"
    angle: float = 0.0  # degrees, against the clock
    role: str = ""


Mark = Line | Area | Dot | Box | Text


@dataclass(frozen=True, slots=True)
class Drawing:
    """Marks, the later ones on top. ``told`` says what is seen, in a sentence."""

    width: int
    height: int
    marks: tuple[Mark, ...]
    told: str
