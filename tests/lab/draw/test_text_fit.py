from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from dowse.lab.draw.text_fit import fitted, text_width

LATIN = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=80)


@given(st.text(st.characters(exclude_categories=()), max_size=200), st.floats(30, 900), st.integers(1, 7))
def test_lines_fit_and_lose_nothing_but_the_end(text: str, width: float, most: int) -> None:
    lines = fitted(text, width, 12, most=most)
    assert 1 <= len(lines) <= most
    assert all(text_width(line, 12) <= width for line in lines)
    if not lines[-1].endswith("…"):
        assert "".join(lines).replace(" ", "") == "".join(fitted(text, 1e9, 12)).replace(" ", "")


@given(LATIN, st.booleans())
def test_the_estimate_is_near_what_a_font_says(text: str, bold: bool) -> None:
    font = FontProperties(family="DejaVu Sans", size=12, weight="bold" if bold else "normal")
    text = "mean recall of the targets " + " ".join(text.split())
    width = text_to_path.get_text_width_height_descent(text.strip(), font, False)[0]
    assert 0.94 * width <= text_width(text, 12, bold=bold) <= 1.2 * width
