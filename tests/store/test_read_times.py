from __future__ import annotations

from pathlib import Path

import pytest

from dowse.model.batch import Batch
from dowse.model.http import Timings
from dowse.store import CrawlReader, CrawlStore
from dowse.store.read_times import stage_times
from tests.store.made import WALL, page


def test_stage_times_are_those_of_the_paper(tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path, {}, WALL) as store:
        store.commit(
            Batch(
                pages=[
                    page(1, timings=Timings(0.1, 0.2, 0.6, 1.0), parse_s=0.06, judge_s=0.04),
                    page(2, timings=Timings(0.0, 0.0, 0.4, 1.8), parse_s=0.06, judge_s=0.04),
                    page(3, status=0, timings=Timings(9, 9, 99, 99)),  # no response: not a page of the table
                ]
            )
        )
    with CrawlReader(tmp_path) as reader:
        found = stage_times(reader)
    assert found.pages == 2
    assert {stage.name: (round(stage.total_s, 9), round(stage.mean_s, 9)) for stage in found.stages} == {
        "connection": (1.0, 0.5),
        "download": (1.8, 0.9),
        "processing": (0.2, 0.1),
        "overall": (3.0, 1.5),
    }
    shares = [stage.share for stage in found.stages]
    assert shares == pytest.approx([1 / 3, 0.6, 1 / 15, 1.0])
    assert [(part.name, round(part.total_s, 9)) for part in found.parts] == [
        ("dns", 0.1), ("connect", 0.2), ("wait", 0.7), ("transfer", 1.8), ("parse", 0.12), ("judge", 0.08),
    ]  # fmt: skip
