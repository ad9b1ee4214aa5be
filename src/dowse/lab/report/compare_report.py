"""A comparison on one HTML page: which strategy finds the most for the least, how sure that is, how it was measured.

The page is self-contained (no script, nothing loaded from anywhere). The same results give the same page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dowse.lab.compare.mean_curves import mean_curves
from dowse.lab.compare.run_results import BASELINE, ORACLE, RunResult
from dowse.lab.compare.summary_table import SummaryRow, shown_rows, summarise
from dowse.lab.compare.topic_table import TopicMeasure, TopicRow, topic_rows
from dowse.lab.draw.strategies_chart import Look, looks
from dowse.lab.html_markup import Html, bar, clip, document, element, join, section, table
from dowse.lab.report.recall_figure import legend, recall_svg, swatch
from dowse.lab.report.settings_text import toml_like
from dowse.lab.wording import counted, human_bytes, percent
from dowse.model.files import write_whole

__all__ = ["write_compare_report"]

_TOPICS = 60
_TABLES: dict[TopicMeasure, tuple[str, Callable[[float], str], Callable[..., float]]] = {  # and which one is the best
    "auc": ("Area", "{:.3f}".format, max),
    "recall": ("Target recall", percent, max),
    "harvest": ("Harvest rate", percent, max),
    "target_length": ("Target length", "{:,.1f}".format, min),
}
_MEASURED = (
    ("recall", "the share of the target pages that were fetched. Targets are relevant pages held back from the crawler:"
     " it is never told of them."),
    ("area", "the mean recall over the whole budget of requests, from 0 to 1. It is high when targets are found early."
     " A target counts from the end of the request that brought it."),
    ("harvest", "the share of relevant pages among the pages fetched."),
    ("target length", "how many links lie between the seeds and the targets found, along the way that the crawl took,"
     " summed. Who finds more goes farther, so with each topic and set of seeds it is taken over the same number of"
     " targets, the first ones each found: the fewest that any strategy or bfs found there. A reference that found"
     " fewer has none; links a target is the same for each target."),
    ("tunnel", "irrelevant pages in a row on the way that the crawl took, right before a relevant page; their number is"
     " its length. Through tunnels: the share of the relevant pages found, seeds left out, that have one before them."
     " A tunnel is gray when all its links stand in content blocks that are on the topic by themselves."),
    ("requests", "everything sent is charged: pages, redirects, robots.txt, HEAD, errors and links that leave the"
     " recorded set."),
    (ORACLE, "the reachable oracle: it knows which pages are targets, but must find its way to them by links. It takes"
     " a target as soon as one is discovered, and else the shortest way to the next. No crawler can know so much."),
    ("interval", "95 %: topics are resampled, then the seed sets of each; every topic weighs the same. Ratios compare"
     " strategies on the same topics and seeds, resampled together."),
)  # fmt: skip


def write_compare_report(
    results: Sequence[RunResult], out: Path, *, title: str, version: str = "", settings: Mapping[str, Any] | None = None
) -> Path:
    """Write the page, whole or not at all; returns where. ``settings`` are shown as they are. Raises UserError when the
    file cannot be written."""
    page = _page(results, title, version, settings or {})
    write_whole(out, lambda path: path.write_text(page, encoding="utf-8", newline="\n"))
    return out


def _page(results: Sequence[RunResult], title: str, version: str, settings: Mapping[str, Any]) -> str:
    name = clip(title, 160) or "A comparison"
    rows = summarise(results)
    styles = looks((row["strategy"], row["kind"]) for row in rows)
    body = [
        _head(name, version, results),
        _figures(results, rows),
        *_curves(results, styles),
        *_strategies(rows, styles),
        *_tunnels(rows, styles),
        *_topics(topic_rows(results), [row["strategy"] for row in rows]),
        *_measured(),
        *_settings(settings),
    ]
    return document(f"{name} – Dowse comparison", body)


def _head(name: str, version: str, results: Sequence[RunResult]) -> Html:
    told = [counted(len({result["topic"] for result in results}), "topic"), counted(len(results), "run")]
    told.append(f"Dowse {version}".strip())
    return element(
        "header",
        element("p", "Dowse strategy comparison", class_="brand"),
        element("h1", element("bdi", name)),
        element("p", " · ".join(told), class_="soft"),
    )


def _figures(results: Sequence[RunResult], rows: Sequence[SummaryRow]) -> Html:
    best = next((row for row in rows if row["kind"] == "strategy" and row["auc"]["mean"] is not None), None)
    budgets = sorted({result["budget_requests"] for result in results})
    seed_sets = len({(result["topic"], result["seed_set"]) for result in results})
    figures = [
        ("best strategy", clip(best["strategy"], 24) if best else "–", "by the area under its recall"),
        ("of the oracle", _ratio(best, "oracle"), "of its area under recall"),
        (f"against {BASELINE}", _ratio(best, "bfs"), "area under recall"),
        ("recall", percent(best["recall"]["mean"] or 0.0) if best else "–", "of the best, at the end"),
        ("strategies", f"{len(rows):,}", f"{sum(row['kind'] != 'strategy' for row in rows)} of them references"),
        ("seed sets", f"{seed_sets:,}", "over all topics"),
        ("budget", "–".join(f"{budget:,}" for budget in budgets[:1] + budgets[1:][-1:]) or "–", "requests a run"),
        ("replayed", human_bytes(sum(result["bytes"] for result in results)),
         counted(sum(result["requests"] for result in results), "request")),
    ]  # fmt: skip
    cells = (
        element("div", element("dt", what), element("dd", value, element("small", note)))
        for what, value, note in figures
    )
    return element("dl", *cells, class_="figures")


def _ratio(row: SummaryRow | None, against: str) -> str:
    mean = None if row is None else (row["auc_vs_oracle"] if against == "oracle" else row["auc_vs_bfs"])["mean"]
    if mean is None:
        return "–"
    return percent(mean) if against == "oracle" else f"{mean:.2f} x"


def _curves(results: Sequence[RunResult], styles: Mapping[str, Look]) -> list[Html]:
    budget = max((result["budget_requests"] for result in results), default=1)
    curves = mean_curves(results, budget)
    note = (
        "Mean recall over topics and seed sets against requests: the higher and the earlier, the better. Shaded: 95 %"
        " intervals. Dashed: references. Point at the chart for its values."
    )
    figure = element(
        "figure",
        recall_svg(curves, styles, class_="broad"),
        recall_svg(curves, styles, width=400, height=400, readings=12, class_="narrow"),
        legend(curves, styles, class_="narrow"),
    )
    return section("Recall by requests", note, figure)


def _strategies(rows: Sequence[SummaryRow], styles: Mapping[str, Look]) -> list[Html]:
    if not rows:
        return []
    heads, shown = shown_rows(rows)
    cells = (
        (_name(row["strategy"], styles), _bar(row["auc"]["mean"], texts[1]), *(_figure(*text) for text in texts[2:]))
        for row, texts in zip(rows, shown, strict=True)
    )
    columns = [(heads[0], "w"), *((head, "n") for head in heads[1:])]
    basis = rows[0]["basis"]
    note = (
        "Each mean with its 95 % interval below it."
        if basis == "topics and seed sets"
        else "One run each: there is nothing to take an interval from."
        if basis == "nothing"
        else f"Each mean with its 95 % interval below it, from {basis} only: there was no choice of the other."
    )
    classes = ("" if row["kind"] == "strategy" else "reference" for row in rows)
    return section("Strategies", note, table(columns, cells, classes))


def _tunnels(rows: Sequence[SummaryRow], styles: Mapping[str, Look]) -> list[Html]:
    told = [row for row in rows if row["through_tunnels"]["mean"] is not None]
    if not told:
        return []
    heads, shown = shown_rows(told, tunnels=True)
    cells = (
        (_name(row["strategy"], styles), *(_figure(*text) for text in texts[1:]))
        for row, texts in zip(told, shown, strict=True)
    )
    note = "How each came to the relevant pages: over relevant ones, or through chains of irrelevant ones."
    classes = ("" if row["kind"] == "strategy" else "reference" for row in told)
    return section("Tunnels", note, table([(heads[0], "w"), *((head, "n") for head in heads[1:])], cells, classes))


def _name(strategy: str, styles: Mapping[str, Look]) -> Html:
    return join((swatch(styles[strategy]), element("bdi", clip(strategy, 40))))


def _figure(mean: str, interval: str) -> Html:
    return join((mean or "–", *((element("span", interval, class_="sub"),) if interval else ())))


def _bar(share: float | None, text: tuple[str, str]) -> Html:
    shown = _figure(*text)
    return shown if share is None else join((bar(share, text[0]), element("span", text[1], class_="sub")))


def _measured() -> list[Html]:
    items = (join((element("dt", term), element("dd", meaning))) for term, meaning in _MEASURED)
    return section("How it was measured", "", element("dl", *items, class_="terms"))


def _settings(settings: Mapping[str, Any]) -> list[Html]:
    tables = toml_like(dict(settings))
    if not tables:
        return []
    blocks = (element("span", join(lines, "\n")) for lines in tables)
    return section("Settings", "What the comparison was told. Long lists are cut.", element("pre", join(blocks)))


# -- topic by topic ----------------------------------------------------------------------------------------------------


def _topics(rows: Sequence[TopicRow], strategies: Sequence[str]) -> list[Html]:
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
