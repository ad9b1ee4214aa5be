from __future__ import annotations

from dataclasses import replace

from dowse.lab.report.crawl_tables import forecast as table
from dowse.lab.wording import forecast_line, forecast_sentence, telling_horizons, too_early
from dowse.model.forecast import Horizon, Interval
from tests.model.test_forecast import MADE


def test_what_cannot_be_reached_is_said() -> None:
    assert (
        forecast_sentence(MADE.horizons[0]) == "100 more fetches: about 12 (6 to 20) relevant, value 4.2 (3.5 to 5.1)"
    )
    assert forecast_sentence(MADE.horizons[1]).startswith("500 more fetches, 120 in reach: about 14 (7 to 23)")


def test_a_longer_horizon_that_reaches_no_further_is_not_told() -> None:
    longer = Horizon(1000, 120, Interval(14.0, 7, 23), Interval(5.0, 4.0, 6.5))
    assert telling_horizons(replace(MADE, horizons=(*MADE.horizons, longer))) == list(MADE.horizons)


def test_one_line_for_a_display() -> None:
    assert forecast_line(None) == ""
    assert forecast_line(MADE) == "next 500: about 14 (7 to 23)"
    early = replace(MADE, judged=12, horizons=())
    assert forecast_line(early) == too_early(early) == "too early to tell: 12 of at least 50 pages judged"


def test_a_table_for_a_report() -> None:
    heading, note, rows = map(str, table(MADE))
    assert "Forecast" in heading
    assert "80%" in note
    assert rows.count("<tr>") == 3
    assert "about 14 (7 to 23)" in rows
    assert "Too early to tell: 12 of" in str(table(replace(MADE, judged=12, horizons=()))[-1])
    assert table(replace(MADE, waiting=0)) == table(None) == []
