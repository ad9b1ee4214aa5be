"""Figures on traces, against counting by hand."""

from __future__ import annotations

import pytest
from hypothesis import given

from dowse.model.traces import IDLE_S
from dowse.traces import Coverage, covered, describe, summary
from tests.model.test_traces import ROWS, Row, made


@given(ROWS)
def test_figures(rows: list[Row]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary, "_AT_ONCE", 3)
        found = describe(made(rows), top=3)
    rows = sorted(rows)
    sessions = sum(
        place == 0 or rows[place - 1][0] != user or at - rows[place - 1][1] > IDLE_S
        for place, (user, at, _) in enumerate(rows)
    )
    assert (found.users, found.sessions, found.accesses) == (len({row[0] for row in rows}), sessions, len(rows))
    assert found.pages == len({row[2] for row in rows})
    assert found.hosts == bool(rows)
    assert found.top_hosts == ((("a.org", len(rows)),) if rows else ())
    assert (found.first, found.last) == ((min(r[1] for r in rows), max(r[1] for r in rows)) if rows else (0, 0))


def test_coverage(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = made([(1, 5, 0)])
    urls = [(url, number % 2 == 0) for number, url in enumerate([*traces.urls, "http://b.org/", "http://c.org/"])]
    assert covered(traces, urls) == Coverage(4, 3, 4, 3)
    assert covered(traces, []) == Coverage(0, 0, 0, 0)
