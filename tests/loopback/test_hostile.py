"""Each trial of the hostile web, crawled for real, ends as its catalogue says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from dowse.lab.trials import compare
from dowse.loopback.hostile import TRIALS, HostileServer, Trial
from tests.loopback.hostile import crawl_trial, serving


@pytest.fixture(scope="module")
def server() -> Iterator[HostileServer]:
    with serving() as running:
        yield running


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_each_trial_ends_as_expected(trial: Trial, server: HostileServer, tmp_path: Path) -> None:
    stop = asyncio.run(crawl_trial(server, trial, tmp_path / "crawl"))
    assert stop.kind == "empty"
    [finding] = compare(tmp_path / "crawl", [trial])
    assert finding.asked
    assert finding.wrong == (), f"expected {trial.expected}; found {finding.found}"
