"""What a shared crawl found is counted as what one engine found: by request, each page once."""

from __future__ import annotations

import numpy as np
import pytest
from bench.shards import figures

from dowse.lab.replay.recorded_transport import Exchange


def exchange(page: int, ended_s: float, *, is_page: bool = True) -> Exchange:
    return Exchange(f"http://h.test/{page}", page, 200, is_page, 1, 0.0, ended_s)


def test_a_page_counts_once_and_from_its_end() -> None:
    relevant = np.array([True, True, False, True])
    crawl = [exchange(0, 2.0), exchange(1, 1.0), exchange(0, 3.0), exchange(2, 4.0), exchange(-1, 0.5, is_page=False)]
    harvest, area, *_ = figures(crawl, relevant)
    assert harvest == 2 / 5
    assert area == pytest.approx((0 + 1 + 2 + 2 + 2) / 5 / 3)
