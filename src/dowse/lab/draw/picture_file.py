"""Pictures as files: the ending of a name says what is written, or it is refused."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from dowse.lab.draw.drawing import Drawing
from dowse.lab.draw.svg import svg_file
from dowse.model.errors import UserError
from dowse.model.files import write_whole

__all__ = ["check_picture", "picture_ending", "save_picture"]

_SVG = ".svg"
_PAINTED = (".png", ".pdf")  # by matplotlib


def _can_paint() -> bool:
    return find_spec("matplotlib") is not None


def picture_ending() -> str:
    """Of pictures that nobody named: PNG, or SVG where matplotlib is not installed."""
    return _PAINTED[0] if _can_paint() else _SVG


def check_picture(out: Path) -> None:
    """UserError unless the name ends in .png, .svg or .pdf, in letters of any size, and that can be drawn here."""
    ending = out.suffix.lower()
    if ending not in (_SVG, *_PAINTED):
        raise UserError(f"cannot draw {out}: pictures are .png, .svg or .pdf, name one of them")
    if ending in _PAINTED and not _can_paint():
        raise UserError(
            f"cannot draw {out}: {ending} needs matplotlib: pip install 'dowse[plots]', or name a {_SVG} file"
        )


def save_picture(drawing: Drawing, out: Path) -> None:
    """Write a drawing as its name ends. The file appears once it is whole; UserError when it cannot be written, or see
    :func:`check_picture`."""
    check_picture(out)
    ending = out.suffix.lower()
    if ending == _SVG:
        text = svg_file(drawing)
        write_whole(out, lambda path: path.write_text(text, encoding="utf-8", newline="\n"))
        return
    from dowse.lab.draw.raster import paint  # matplotlib is slow to load

    write_whole(out, lambda path: paint(drawing, path, pdf=ending == ".pdf"))
