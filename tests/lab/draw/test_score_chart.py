from __future__ import annotations

import numpy as np
import pytest

from dowse.lab.draw.drawing import Area, Drawing, Line, Text
from dowse.lab.draw.score_chart import score_chart
from dowse.lab.finished.score_spread import score_spread

SCORES = np.array([0.05] * 100 + [0.45] * 4 + [0.55] * 9 + [0.95])


def made(threshold: float = 0.5, width: int = 900) -> Drawing:
    return score_chart(score_spread(SCORES, threshold, "learned", 20), "chance", width=width)


def test_bars_are_as_high_as_the_roots_of_their_counts() -> None:
    bars = [mark for mark in made().marks if isinstance(mark, Area)]
    assert [bar.colour for bar in bars] == ["soft", "soft", "accent", "accent"]
    heights = [bar.points[0][1] - bar.points[1][1] for bar in bars]
    assert heights == pytest.approx([heights[0] * share for share in (1, 0.2, 0.3, 0.1)])


@pytest.mark.parametrize("width", [900, 400])
@pytest.mark.parametrize("threshold", [0.03, 0.5, 0.97])
def test_the_threshold_stands_between_what_is_relevant_and_what_is_not(threshold: float, width: int) -> None:
    drawing = made(threshold, width)
    [line] = [mark for mark in drawing.marks if isinstance(mark, Line) and mark.role == "threshold"]
    assert line.points[0][0] == line.points[1][0]
    x = line.points[0][0]
    for bar in (mark for mark in drawing.marks if isinstance(mark, Area)):
        left, right = bar.points[0][0], bar.points[2][0]
        assert left >= x if bar.colour == "accent" else right <= x
    relevant = int((threshold <= SCORES).sum())
    texts = [mark.text for mark in drawing.marks if isinstance(mark, Text)]
    assert f"{relevant} relevant, from {threshold:.2f} on" in texts
    assert f"{relevant} page" in drawing.told


def test_a_crawl_of_one_page_is_drawn() -> None:
    drawing = score_chart(score_spread(np.array([0.0]), 0.06, "similarity", 10), "similarity")
    assert "0 pages of 1 from the threshold 0.060 on" in drawing.told
