"""Painted pictures, read back as pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

BLUE, VERMILLION = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)
TITLES = {
    "empty": "", "words": "long " * 80, "one word": "W" * 600, "han": "鈣鈦礦太陽能電池" * 40,
    "arabic": "خلايا شمسية \u202e x",
    "formula": "$5 and \\frac{1}{0} $x_{", "control": "a\x00\x1b\nb\ud800", "emoji": "🌞 \U0010ffff",
}  # fmt: skip


def pixels(path: Path) -> NDArray[np.uint8]:
    """The picture of a PNG as rows of pixels (matplotlib brings the library that reads it)."""
    with Image.open(path) as picture:
        assert picture.format == "PNG"
        return np.asarray(picture.convert("RGBA"))


def where(picture: NDArray[np.uint8], colour: tuple[int, int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    ys, xs = np.nonzero((picture[:, :, :3] == colour).all(axis=2))
    return xs, ys
