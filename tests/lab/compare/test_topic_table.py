from __future__ import annotations

import csv
import io
import json

import pytest

from dowse.lab.compare.topic_table import topic_rows, topics_csv
from tests.lab import compared
from tests.lab.compare.test_target_lengths import run


def test_a_row_a_topic_and_strategy_with_means_over_seed_sets() -> None:
    results = [
        run("best-first", [1, 2, 3], "a", "1") | {"recall": 0.5, "harvest": 0.2, "auc": 0.1},
        run("best-first", [2], "a", "2") | {"recall": 0.7, "harvest": 0.4, "auc": None},
        run("best-first", [], "b", "1") | {"recall": None, "harvest": 0.0, "auc": None},
        run("bfs", [4, 4], "a", "1"), run("bfs", [1, 1], "a", "2"), run("random", [7, 7], "a", "1"),
        run("random", [], "a", "2"),
    ]  # fmt: skip
    rows = {(row["topic"], row["strategy"]): row for row in topic_rows(results)}
    assert list(rows) == [("a", "best-first"), ("a", "bfs"), ("a", "random"), ("b", "best-first")]
    assert rows["a", "best-first"] == {
        "topic": "a", "strategy": "best-first", "kind": "strategy", "seed_sets": 2, "auc": 0.1,
        "recall": pytest.approx(0.6), "harvest": pytest.approx(0.3), "target_length": (3 + 2) / 2,
        "length_targets": (2 + 1) / 2,
    }  # fmt: skip
    assert rows["a", "bfs"]["target_length"] == (8 + 1) / 2
    assert (rows["a", "random"]["target_length"], rows["a", "random"]["length_targets"]) == (None, None)
    nothing = rows["b", "best-first"]
    assert (nothing["recall"], nothing["auc"], nothing["target_length"], nothing["harvest"]) == (None, None, None, 0)


def test_the_file_has_the_bare_numbers() -> None:
    rows = topic_rows(compared.results(topics=3, seed_sets=2))
    assert len(rows) == 3 * len(compared.SKILL)
    json.dumps(rows, allow_nan=False)
    read = list(csv.DictReader(io.StringIO(topics_csv(rows))))
    assert [(line["topic"], line["strategy"]) for line in read] == [(row["topic"], row["strategy"]) for row in rows]
    for line, row in zip(read, rows, strict=True):
        assert float(line["harvest"]) == row["harvest"]
        assert line["target_length"] == ("" if row["target_length"] is None else str(row["target_length"]))
    assert topics_csv([]).startswith("topic,strategy,kind,seed_sets,")
