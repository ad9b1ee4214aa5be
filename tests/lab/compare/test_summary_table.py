from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from dowse.lab.compare.run_results import RunResult, harvest_function, recall_function, run_result
from dowse.lab.compare.summary_table import shown_rows, summarise, summary_csv
from dowse.lab.measure.metrics import harvest_steps, recall_steps
from dowse.lab.measure.run import NO_PATH, Request, Run
from tests.lab import compared

SMALL = Run.of([0, 1, 1, 0, 1], target=[0, 1, 0, 0, 1], brought=[Request.ROBOTS, 0, 0, Request.ERROR, 0],
               wire_bytes=[5, 100, 100, 0, 100], ended_s=[1, 2, 3, 9, 10], distance=[-1, 1, 0, -1, 3],
               tunnel=[-1, 0, -1, -1, 2], gray=[0, 0, 0, 0, 1])  # fmt: skip


def small(strategy: str = "best-first", topic: str = "t", seed_set: str = "s", targets: int = 4) -> RunResult:
    return run_result(SMALL, strategy=strategy, topic=topic, seed_set=seed_set, targets=targets, budget_requests=10)


def test_a_result_tells_the_run_and_survives_json() -> None:
    result = small()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result == {
        "strategy": "best-first", "kind": "strategy", "topic": "t", "seed_set": "s", "targets": 4,
        "budget_requests": 10, "auc": pytest.approx((8 + 5) / 40), "recall": 0.5, "harvest": 1.0, "requests": 5,
        "pages": 3, "bytes": 305, "seconds": 10.0, "requests_to_50": 5, "requests_to_80": None, "requests_to_90": None,
        "without_page": {"robots": 1, "error": 1}, "curve": {"requests": [2, 5], "recall": [0.25, 0.5]},
        "relevant_at": [2, 3, 5], "without_page_at": [1, 4], "target_distances": [1, 3],
        "tunnels": [0, 2], "gray_tunnels": [2],
    }  # fmt: skip


def test_a_result_without_targets_or_requests() -> None:
    nothing = run_result(Run.of([]), strategy="bfs", topic="t", seed_set="s", targets=0, budget_requests=10)
    assert (nothing["auc"], nothing["recall"], nothing["harvest"], nothing["seconds"]) == (None, None, 0, 0)
    assert nothing["curve"] == {"requests": [], "recall": []}
    assert (nothing["relevant_at"], nothing["without_page_at"], nothing["target_distances"]) == ([], [], [])
    json.dumps(nothing, allow_nan=False)


def test_the_kept_curve_is_the_whole_curve() -> None:
    [kept] = recall_function([small()])
    assert kept.value(range(12)).tolist() == recall_steps(SMALL, 4).value(range(12)).tolist()
    [harvest] = harvest_function([small()])
    assert harvest.value(range(12)).tolist() == harvest_steps(SMALL).value(range(12)).tolist()


def test_distances_that_nobody_knows_are_none() -> None:
    one = Run.of([True, True], target=[True, True], distance=[2, NO_PATH])
    result = run_result(one, strategy="bfs", topic="t", seed_set="s", targets=2, budget_requests=10)
    assert result["target_distances"] is None


def test_a_row_a_strategy_the_best_first() -> None:
    results = compared.results()
    rows = summarise(results)
    assert {row["strategy"] for row in rows} == set(compared.SKILL)
    assert rows[0]["strategy"] == "oracle-path"
    means = [row["auc"]["mean"] or 0 for row in rows]
    assert means == sorted(means, reverse=True)
    by_name = {row["strategy"]: row for row in rows}
    one = {"mean": 1.0, "low": 1.0, "high": 1.0, "n": 12}
    assert by_name["bfs"]["auc_vs_bfs"] == pytest.approx(one)
    assert by_name["oracle-path"]["auc_vs_oracle"] == pytest.approx(one)
    assert by_name["bfs"]["wins_vs_bfs"] == 0.5
    assert by_name["hybrid"]["wins_vs_bfs"] == 1
    for row in rows:
        assert row["basis"] == "topics and seed sets"
        low, middle, high = row["auc"]["low"], row["auc"]["mean"], row["auc"]["high"]
        assert low is not None
        assert middle is not None
        assert high is not None
        assert low <= middle <= high
    assert summarise(results) == rows
    json.dumps(rows, allow_nan=False)


def test_the_figures_are_means_over_topics() -> None:
    results = compared.results(topics=2, seed_sets=2)
    [row] = [row for row in summarise(results) if row["strategy"] == "hybrid"]
    own = [result for result in results if result["strategy"] == "hybrid"]
    assert row["auc"]["mean"] == pytest.approx(np.mean([result["auc"] for result in own if result["auc"] is not None]))
    assert row["bytes"]["mean"] == pytest.approx(np.mean([result["bytes"] for result in own]))
    assert row["requests"] == {"mean": 600, "low": 600, "high": 600, "n": 4}


def test_links_a_target_are_of_as_many_targets_for_all() -> None:
    short = small("hybrid") | {"target_distances": [4]}
    far = small("random", seed_set="s") | {"target_distances": [], "kind": "baseline"}
    rows = {row["strategy"]: row["links_per_target"]["mean"] for row in summarise([small(), short, far])}
    assert rows == {"best-first": 1.0, "hybrid": 4.0, "random": None}


def test_tunnels_are_shares_of_what_each_run_found() -> None:
    """One run found two pages, one of them through a gray tunnel of two; another three, through black ones of 1 and 3;
    the last found nothing to speak of."""
    runs = [
        small(topic="t"), small(topic="u") | {"tunnels": [1, 0, 3], "gray_tunnels": []},
        small(topic="v") | {"tunnels": [], "gray_tunnels": []},
    ]  # fmt: skip
    [row] = summarise(runs)
    assert row["through_tunnels"]["mean"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert row["tunnel_length"]["mean"] == pytest.approx((2 + 2) / 2)
    assert row["gray_tunnels"]["mean"] == pytest.approx((1 + 0) / 2)
    assert row["tunnel_length"]["n"] == 2
    heads, [shown] = shown_rows([row], tunnels=True)
    assert heads == ["strategy", "through tunnels", "tunnel length", "gray"]
    assert [text for text, _ in shown] == ["best-first", "58.3 %", "2.00", "50.0 %"]


def test_one_run_has_no_interval_and_no_references() -> None:
    [row] = summarise([small()])
    assert row["auc"] == {"mean": pytest.approx(13 / 40), "low": None, "high": None, "n": 1}
    assert row["auc_vs_oracle"] == {"mean": None, "low": None, "high": None, "n": 0}
    assert row["wins_vs_bfs"] is None
    assert row["basis"] == "nothing"
    assert summarise([]) == []


def test_the_same_run_twice_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="best-first ran twice on topic 't', seed set 's'"):
        summarise([small(), small()])


def test_csv_has_the_bare_numbers() -> None:
    rows = summarise(compared.results(topics=2, seed_sets=1))
    read = list(csv.DictReader(io.StringIO(summary_csv(rows))))
    assert [line["strategy"] for line in read] == [row["strategy"] for row in rows]
    for line, row in zip(read, rows, strict=True):
        assert float(line["auc"]) == row["auc"]["mean"]
        assert float(line["auc_vs_bfs_high"]) == row["auc_vs_bfs"]["high"]
        assert int(line["bytes_n"]) == 2
    lonely = next(csv.DictReader(io.StringIO(summary_csv(summarise([small()])))))
    assert (lonely["auc_low"], lonely["auc_vs_oracle"]) == ("", "")


def test_rows_to_read() -> None:
    heads, rows = shown_rows(summarise([small("bfs", seed_set=str(n)) for n in range(3)]))
    assert heads == [
        "strategy", "area", "of the oracle", "against bfs", "recall", "harvest", "links a target", "requests",
        "downloaded",
    ]  # fmt: skip
    assert rows == [[
        ("bfs", ""), ("0.325", "0.325–0.325"), ("", ""), ("1.00 x", "1.00–1.00"), ("50.0 %", "50.0–50.0"),
        ("100.0 %", "100.0–100.0"), ("2.00", "2.00–2.00"), ("5", "5–5"), ("305 B", "305 B–305 B"),
    ]]  # fmt: skip
