"""Which pictures are written: the ending of a file's name says what it is, or it is refused."""

from __future__ import annotations

from pathlib import Path

from dowse.model.errors import UserError

__all__ = ["check_picture", "is_svg"]

_PNG, _SVG = ".png", ".svg"


def check_picture(out: Path) -> None:
    """UserError unless the name ends in .png or .svg, in letters of any size."""
    if out.suffix.lower() not in (_PNG, _SVG):
        raise UserError(f"cannot draw {out}: pictures are {_PNG} or {_SVG}, name one of them")


def is_svg(out: Path) -> bool:
    """Is this picture an SVG, and not a PNG?"""
    return out.suffix.lower() == _SVG
