"""A comparison topic by topic: one row for each topic and strategy, means over its seed sets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Literal, TypedDict

from dowse.lab.compare.run_results import Kind, RunResult, by_strategy
from dowse.lab.compare.target_lengths import Lengths, comparable
from dowse.model.shown import table_cell

__all__ = ["TopicMeasure", "TopicRow", "topic_rows", "topics_csv"]

TopicMeasure = Literal["auc", "recall", "harvest", "target_length"]


class TopicRow(TypedDict):
    """None: there was nothing to take a mean of."""

    topic: str
    strategy: str
    kind: Kind
    seed_sets: int
    auc: float | None
    recall: float | None
    harvest: float | None
    target_length: float | None  # links from the seeds, summed over the same number of targets for all strategies
    length_targets: float | None  # that number; a mean over seed sets as well


def topic_rows(results: Sequence[RunResult]) -> list[TopicRow]:
    """Topics and strategies in the order in which they first come."""
    topics: dict[str, list[RunResult]] = {}
    for result in results:
        topics.setdefault(result["topic"], []).append(result)
    lengths = comparable(results)
    return [
        _row(topic, strategy, own, lengths)
        for topic, of_topic in topics.items()
        for strategy, own in by_strategy(of_topic).items()
    ]


def _row(topic: str, strategy: str, own: list[RunResult], lengths: Lengths) -> TopicRow:
    sums = lengths.sums(strategy, topic)
    return {
        "topic": topic,
        "strategy": strategy,
        "kind": own[0]["kind"],
        "seed_sets": len(own),
        "auc": _mean(result["auc"] for result in own),
        "recall": _mean(result["recall"] for result in own),
        "harvest": _mean(result["harvest"] for result in own),
        "target_length": _mean(sums.values()),
        "length_targets": _mean(lengths.targets[cell] for cell in sums),
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def topics_csv(rows: Sequence[TopicRow]) -> str:
    """A line a topic and strategy, with the bare numbers; empty where there is none."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(TopicRow.__annotations__), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "topic": table_cell(row["topic"])} for row in rows)
    return text.getvalue()
