from __future__ import annotations

import re
from importlib.resources import files

import pytest

from dowse.lab.blocks.legend import SHADES, shade, shades_told


@pytest.mark.parametrize("threshold", [0.0, 0.002, 0.06, 0.3, 0.7, 1.0])
def test_the_threshold_parts_grays_from_blues(threshold: float) -> None:
    scores = [n / 1000 for n in range(1001)]
    shades = [shade(score, threshold) for score in scores]
    assert shades == sorted(shades)
    assert shades[0] == 0
    for score, number in zip(scores[1:], shades[1:], strict=True):
        assert (number >= 3) == (score >= threshold)
        assert number >= 1
    assert max(shades) <= shades_told(threshold)[-1][0]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_shade_is_told_by_its_lightness_and_text_on_it_can_be_read() -> None:
    css = (files("dowse.lab.report") / "report.css").read_text(encoding="utf-8")
    long = {"#fff": "#ffffff"}
    schemes = [
        [long.get(colour, colour) for colour in re.findall(r"--r\d: (#\w+)", line)]
        for line in css.splitlines() if "--r5" in line and "background" not in line
    ]  # fmt: skip
    light, dark, printed = schemes
    assert tuple(light) == tuple(printed) == SHADES
    for shades, ink in ((light, "#1b2230"), (dark, "#e6e9ee")):
        assert all(contrast(shade, ink) >= 4.5 for shade in shades)
        lightness = [luminance(shade) for shade in shades]
        grays, blues = lightness[:3], lightness[3:]
        assert grays == sorted(grays, reverse=ink == "#1b2230")
        assert blues == sorted(blues, reverse=ink == "#1b2230")
