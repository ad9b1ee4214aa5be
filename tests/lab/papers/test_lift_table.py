from __future__ import annotations

import csv
import io
from copy import deepcopy

import pytest

from dowse.lab.compare.summary_table import summarise
from dowse.lab.papers.lift_table import lift_csv, lift_rows, lift_text
from tests.lab import compared

RESULTS = compared.results(topics=3, seed_sets=2, budget=300)


def test_the_figures_are_those_of_the_summary() -> None:
    rows = {row.strategy: row for row in lift_rows(RESULTS, ("bfs", "best-first"))}
    for known in summarise(RESULTS):
        row = rows[known["strategy"]]
        assert row.harvest.mean == pytest.approx(known["harvest"]["mean"])
        assert row.area.mean == pytest.approx(known["auc"]["mean"])
        if row.strategy != "bfs":
            against = dict(row.against)["bfs"]
            assert (against.mean, against.low) == pytest.approx(
                (known["auc_vs_bfs"]["mean"], known["auc_vs_bfs"]["low"])
            )


def test_long_names_keep_their_columns_apart() -> None:
    name = "learning:form=paper, the best of five"
    runs = deepcopy(RESULTS)
    for run in runs:
        run["strategy"] = name if run["strategy"] == "bfs" else run["strategy"]
    lines = lift_text(lift_rows(runs, (name,)))
    assert f"  area against {name}" in lines[0]
    assert len({len(line) for line in lines if not line.startswith(name)}) == 1, "one below the other"
    assert any(line.startswith(f"{name}  ") for line in lines)


def test_as_text_and_as_bare_numbers() -> None:
    rows = lift_rows(RESULTS, ("bfs",))
    assert [row.lift.mean for row in rows] == sorted((row.lift.mean for row in rows), reverse=True)
    head, *lines = lift_text(rows)
    assert head.split("  ")[-1].strip() == "area against bfs"
    assert len(lines) == len(rows)
    assert lines[0].startswith(rows[0].strategy)
    found = list(csv.DictReader(io.StringIO(lift_csv(rows))))
    assert [line["strategy"] for line in found] == [row.strategy for row in rows]
    assert float(found[0]["mean_harvest"]) == rows[0].lift.mean
    [bfs] = [line for line in found if line["strategy"] == "bfs"]
    assert bfs["area_vs_bfs"] == ""
