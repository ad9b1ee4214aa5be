from __future__ import annotations

import json

from dowse.model.forecast import Forecast, Horizon, Interval

MADE = Forecast(
    fetches=150, judged=140, relevant=36, value=12.5, waiting=97, level=0.8, least_judged=50,
    horizons=(
        Horizon(100, 100, Interval(12.4, 6, 20), Interval(4.25, 3.5, 5.125)),
        Horizon(500, 120, Interval(14.0, 7, 23), Interval(5.0, 4.0, 6.5)),
    ),
)  # fmt: skip


def test_json_gives_an_equal_forecast_back() -> None:
    assert Forecast.from_json(json.loads(json.dumps(MADE.to_json()))) == MADE


def test_horizons_by_their_length() -> None:
    assert MADE.horizon(500) is MADE.horizons[1]
    assert MADE.horizon(1000) is None
