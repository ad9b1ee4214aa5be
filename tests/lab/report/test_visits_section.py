"""The report of a crawl whose pages were visited again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dowse.lab.draw.drawing import Box, Line
from dowse.lab.draw.visits_chart import VisitsOverTime, visits_chart
from dowse.lab.report.crawl_report import write_report
from dowse.loopback import in_thread
from dowse.store import VisitRun
from tests.engine.servers import page
from tests.engine.test_revisit import began, visit, web
from tests.lab.report.test_crawl_report import Reader, check_harmless


def test_it_tells_what_visits_found_and_how_fresh_they_kept_it(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        assert "Visits" not in Reader(write_report(tmp_path).read_text()).text
        server.web = web({"/1": page("fresh", "solar", ["/3"]), "/2": None})
        visit(topic, tmp_path)
        visit(topic, tmp_path)
    text = write_report(tmp_path).read_text()
    read = Reader(text)
    check_harmless(text, read)
    assert (
        "8 visits in 2 runs to pages that the crawl had: 5 found them unchanged, 1 changed, 2 not there; 1 page of 4"
        in read.text
    )
    assert text.count('class="fresh"') == 2, "one line, in the broad picture and in the narrow one"
    assert "expected to be as on the web" in text


def runs(*counts: tuple[int, int, int]) -> list[VisitRun]:
    return [VisitRun("", 86_400.0 * day, *found, not_asked=0, new=0, gone=0) for day, found in enumerate(counts, 1)]


def test_bars_are_as_high_as_their_visits_and_lines_as_the_share() -> None:
    at = np.array([0.0, 86_400.0, 3 * 86_400.0])
    told = VisitsOverTime(at, {"all pages": np.array([np.nan, 1.0, 0.5])}, runs((10, 5, 0), (30, 0, 1)), 0.0)
    drawing = visits_chart(told)
    [line] = [mark for mark in drawing.marks if isinstance(mark, Line) and mark.role == "fresh"]
    (_, top), (_, half) = line.points
    assert len(line.points) == 2, "nothing was held at first"
    grid = sorted(mark.points[0][1] for mark in drawing.marks if isinstance(mark, Line) and not mark.role)[:5]
    assert (top, half) == pytest.approx((grid[0], grid[2])), "the lines of 100 and 50 per cent"
    bars = [mark for mark in drawing.marks if isinstance(mark, Box) and mark.height != 9]
    assert [bar.height / bars[0].height for bar in bars] == pytest.approx([1, 0.5, 3, 0.1])
    assert bars[0].top == pytest.approx(bars[1].top + bars[1].height), "what changed stands on what did not"
    assert "on average: all pages 75%. Visits: 40 unchanged, 5 changed, 1 not there" in drawing.told


def test_very_many_runs_share_bars() -> None:
    many = runs(*[(2, 1, 0)] * 1000)
    drawing = visits_chart(VisitsOverTime(np.array([0.0, 1e8]), {"all pages": np.array([1.0, 1.0])}, many, 0.0))
    bars = [mark for mark in drawing.marks if isinstance(mark, Box) and mark.height != 9]
    assert len(bars) <= 120
    assert "2,000 unchanged, 1,000 changed" in drawing.told
