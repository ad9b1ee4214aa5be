"""The topics of a comparison in its report: a table a measure, a row a topic, a column a strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dowse.lab.by_topic import TopicMeasure, TopicRow
from dowse.lab.html import Html, clip, element, join, percent, table
from dowse.lab.tables import section

__all__ = ["topics_section"]

_TOPICS = 60
_TABLES: dict[TopicMeasure, tuple[str, Callable[[float], str], Callable[..., float]]] = {  # and which one is the best
    "auc": ("Area", "{:.3f}".format, max),
    "recall": ("Target recall", percent, max),
    "harvest": ("Harvest rate", percent, max),
    "target_length": ("Target length", "{:,.1f}".format, min),
}


def topics_section(rows: Sequence[TopicRow], strategies: Sequence[str]) -> list[Html]:
    """The first 60 topics, unless there is only one. The area is shown, the other measures unfold."""
    topics: dict[str, dict[str, TopicRow]] = {}
    for row in rows:
        topics.setdefault(row["topic"], {})[row["strategy"]] = row
    if len(topics) < 2:
        return []
    shown = dict(list(topics.items())[:_TOPICS])
    more = f" The first {len(shown)} of {len(topics):,} topics." if len(topics) > len(shown) else ""
    note = f"Means over seed sets; the best strategy of each topic in bold.{more}"
    parts = (
        element("details", element("summary", _TABLES[measure][0]), _table(shown, strategies, measure),
                open="open" if measure == "auc" else "")
        for measure in _TABLES
    )  # fmt: skip
    return section("Topic by topic", note, *parts)


def _table(topics: Mapping[str, Mapping[str, TopicRow]], strategies: Sequence[str], measure: TopicMeasure) -> Html:
    _, form, best_of = _TABLES[measure]
    lengths = measure == "target_length"
    cells = []
    for topic, own in topics.items():
        ranked = [row[measure] for row in own.values() if row["kind"] == "strategy"]
        known = [value for value in ranked if value is not None]
        best = best_of(known) if known else None
        row = [_cell(own.get(name), measure, form, best) for name in strategies]
        over = [_over(own)] if lengths else []
        cells.append((element("bdi", clip(topic, 60)), *over, *row))
    heads = [("over targets", "n")] if lengths else []
    return table([("topic", "wide"), *heads, *((clip(name, 24), "n") for name in strategies)], cells)


def _cell(row: TopicRow | None, measure: TopicMeasure, form: Callable[[float], str], best: float | None) -> Html:
    value = None if row is None else row[measure]
    if row is None or value is None:
        return join(("–",))
    return element("b", form(value)) if row["kind"] == "strategy" and value == best else join((form(value),))


def _over(own: Mapping[str, TopicRow]) -> str:
    """How many targets the lengths of a topic are sums of: the same for all that have one."""
    counts = [row["length_targets"] for row in own.values() if row["length_targets"] is not None]
    return f"{counts[0]:,.1f}" if counts else "–"
