from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from dowse.cli.display import JsonDisplay, PlainDisplay
from dowse.cli.live import LiveDisplay
from dowse.engine.loop.progress import Progress
from dowse.model.forecast import Forecast
from tests.model.test_forecast import MADE


def progress(forecast: Forecast | None) -> Progress:
    return Progress(
        elapsed_s=8.5, pages=150, relevant=36, harvest=0.24, harvest_now=0.28, pages_per_s=19.7, requests=161,
        bytes=242_100, waiting=97, sites=14, in_flight=1, parsing=0, outcomes={"fetched": 150}, best_sites=[],
        budget_left={"pages": 0.5}, waits_for="nothing", value=12.5, forecast=forecast,
    )  # fmt: skip


def test_plain_lines_end_with_the_forecast(capsys: pytest.CaptureFixture[str]) -> None:
    display = PlainDisplay()
    display.show(progress(MADE))
    assert capsys.readouterr().err.endswith("waits for nothing; next 500: about 14 (7 to 23)\n")
    display.show(progress(None))
    assert capsys.readouterr().err.endswith("waits for nothing\n")


def test_the_live_picture_has_a_line_for_it() -> None:
    console = Console(file=io.StringIO(), width=120)
    display = LiveDisplay(console)
    for forecast, line in ((MADE, "forecast   next 500: about 14 (7 to 23)"), (None, "forecast   none yet")):
        with console.capture() as shown:
            console.print(display._picture(progress(forecast)))
        assert line in [row.rstrip() for row in shown.get().splitlines()]


def test_programs_get_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    JsonDisplay().show(progress(MADE))
    assert Forecast.from_json(json.loads(capsys.readouterr().out)["forecast"]) == MADE


@pytest.mark.parametrize(
    ("unpublished", "trouble", "told"),
    [
        (None, "", ""),
        (0, "", ""),
        (1, "", "1 page not published yet"),
        (340, "db: refused\x1b[2J", "340 pages not published yet: db: refused\\x1b[2J"),
        (0, "db: refused", "db: refused"),
    ],
)
def test_how_far_the_database_is_behind_is_shown(
    unpublished: int | None, trouble: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    now = replace(progress(None), unpublished=unpublished, publish_trouble=trouble)
    PlainDisplay().show(now)
    assert f"97 waiting,{f' {told},' if told else ''} budget:" in capsys.readouterr().err
    console = Console(file=io.StringIO(), width=120)
    with console.capture() as shown:
        console.print(LiveDisplay(console)._picture(now))
    rows = [row.rstrip() for row in shown.get().splitlines() if row.startswith("database")]
    assert rows == ([] if unpublished is None else [f"database   {told or 'everything is published'}"])
    JsonDisplay().show(now)
    assert json.loads(capsys.readouterr().out)["unpublished"] == unpublished


def test_a_run_of_visits_shows_how_many_of_the_due_pages_are_done(capsys: pytest.CaptureFixture[str]) -> None:
    now = replace(progress(None), due=120, visited=30, changed=4)
    told = "30 of 120 due pages visited (25%), 4 changed"
    PlainDisplay().show(now)
    assert f"8.5 s  {told}; 150 pages" in capsys.readouterr().err
    console = Console(file=io.StringIO(), width=120)
    with console.capture() as shown:
        console.print(LiveDisplay(console)._picture(now))
        console.print(LiveDisplay(console)._picture(progress(None)))
    rows = [row.rstrip() for row in shown.get().splitlines() if row.startswith("visits")]
    assert rows == [f"visits     {told}"]
    PlainDisplay().show(replace(now, due=0, visited=0, changed=0))
    assert "0 of 0 due pages visited (100%)" in capsys.readouterr().err
