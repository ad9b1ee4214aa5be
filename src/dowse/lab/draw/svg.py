"""A drawing as SVG: in a page, whose style sheet gives the colours, or as a file of its own, on white."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dowse.lab.draw.drawing import COLOURS, Area, Box, Dot, Drawing, Line, Mark, Points
from dowse.lab.html_markup import Html, element

__all__ = ["svg_file", "svg_in_page", "svg_marks"]

_SVG = "http://www.w3.org/2000/svg"
_FONT = "system-ui, sans-serif"
_FILE_FONT = "DejaVu Sans, Verdana, sans-serif"  # as files are painted, and their text was measured

Colour = Callable[[str], str]


def _of_page(colour: str) -> str:
    return f"var(--{colour},{COLOURS[colour]})" if colour in COLOURS else colour


def _of_file(colour: str) -> str:
    return COLOURS.get(colour, colour)


def svg_in_page(drawing: Drawing, *, class_: str = "", more: Iterable[Html] = ()) -> Html:
    """The picture for a page, as wide as there is room; ``more`` lies on top of it."""
    return element(
        "svg", *svg_marks(drawing.marks), *more, xmlns=_SVG, viewBox=f"0 0 {drawing.width} {drawing.height}",
        role="img", aria_label=drawing.told, class_=class_, font_family=_FONT,
    )  # fmt: skip


def svg_file(drawing: Drawing) -> str:
    """The picture as the text of a file."""
    paper = element("rect", width="100%", height="100%", style="fill:#fff")
    width, height = str(drawing.width), str(drawing.height)
    return element(
        "svg", paper, *svg_marks(drawing.marks, _of_file), xmlns=_SVG, width=width, height=height,
        viewBox=f"0 0 {width} {height}", role="img", aria_label=drawing.told, font_family=_FILE_FONT,
    )  # fmt: skip


def svg_marks(marks: Iterable[Mark], colour: Colour = _of_page) -> list[Html]:
    """The marks as SVG elements, one each."""
    return [_element(mark, colour) for mark in marks]


def _element(mark: Mark, colour: Colour) -> Html:
    match mark:
        case Line():
            style = f"fill:none;stroke:{colour(mark.colour)};stroke-width:{mark.width:g};stroke-linejoin:round"
            style += "" if mark.opacity == 1 else f";stroke-opacity:{mark.opacity:g}"
            dashes = " ".join(f"{length:.4g}" for length in mark.dashes)
            return element("polyline", points=_pairs(mark.points), style=style, stroke_dasharray=dashes,
                           class_=mark.role)  # fmt: skip
        case Area():
            style = f"fill:{colour(mark.colour)};fill-opacity:{mark.opacity:g};stroke:none"
            return element("polygon", points=_pairs(mark.points), style=style)
        case Dot():
            place = {"cx": f"{mark.x:.2f}", "cy": f"{mark.y:.2f}", "r": f"{mark.radius:g}"}
            return element("circle", **place, style=f"fill:{colour(mark.colour)}")
        case Box():
            style = f"fill:{colour(mark.fill)};stroke:{colour(mark.edge)};stroke-width:{mark.edge_width:g}"
            return element("rect", x=f"{mark.left:.2f}", y=f"{mark.top:.2f}", width=f"{mark.width:.2f}",
                           height=f"{mark.height:.2f}", rx=f"{mark.rounding:g}" if mark.rounding else "",
                           style=style)  # fmt: skip
    style = f"fill:{colour(mark.colour)};font-size:{mark.size:g}px;font-weight:{600 if mark.bold else 400}"
    turned = f"rotate({-mark.angle:.2f} {mark.x:.2f} {mark.y:.2f})" if mark.angle else ""
    return element("text", mark.text, x=f"{mark.x:.2f}", y=f"{mark.y:.2f}", text_anchor=mark.anchor, style=style,
                   transform=turned, class_=mark.role)  # fmt: skip


def _pairs(points: Points) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
