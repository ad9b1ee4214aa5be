"""Speed, memory and CPU time. What is timed runs alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from bench.figures.declared.comparisons import NAMES, strategy_name
from bench.figures.declared.verdicts import kept_numbers
from bench.figures.figure import Figure, Measurement
from bench.figures.tables import table
from bench.speed.report import Report

__all__ = ["COSTS", "FRONTIER", "LEARNING", "SPEED"]

_EXAMPLES = 3


def kept_speed(told: Mapping[str, Any]) -> Any:
    """Everything, but of pages that nobody asked for a few: no table counts them."""

    def short(run: Mapping[str, Any]) -> dict[str, Any]:
        return {**run, "beyond": run["beyond"][:_EXAMPLES]}

    results = [{**one, "runs": list(map(short, one["runs"]))} for one in told["results"]]
    memory = {name: list(map(short, runs)) for name, runs in told["memory"].items()}
    return kept_numbers({**told, "results": results, "memory": memory})


SPEED = Measurement("speed", "python -m bench.speed --rounds 2 --large --without scrapy-css", 8.3, kept_speed)
_STRATEGIES = Measurement("cost-strategies", "python -m bench.strategies docsweb", 1.8, kept_numbers)
LEARNING = Measurement("cost-learning", "python -m bench.learning --most 6", 0.2, kept_numbers)
FRONTIER = Measurement(
    "frontier-scale", "python -m bench.frontier --most 1000000", 3.0, kept_numbers, picture="frontier-scale.png"
)
_STORE = Measurement("cost-store", "python -m bench.store", 0.2, kept_numbers)
_PUBLISH = Measurement("cost-publish", "python -m bench.publish", 1.0, kept_numbers)
_FORECAST = Measurement("cost-forecast", "python -m bench.forecast --cost", 0.2, kept_numbers)
_TRACES = Measurement(
    "cost-traces", "python -m bench.traces --accesses 10500000 --pages 5000", 3.0, kept_numbers
)  # fmt: skip
_LAB = tuple(
    Measurement(f"lab-speed-{corpus}", f"python -m bench.corpus {corpus}", minutes, kept_numbers)
    for corpus, minutes in (("wikispeedia", 0.6), ("docsweb", 0.6), ("webkb", 0.3))
)


def _section(name: str, found: Sequence[Any]) -> str:
    """One of the tables of ``bench.speed``."""
    return Report.of(found[0]).sections()[name]


def _strategies(found: Sequence[Any]) -> str:
    [one] = found
    base = one["strategies"][0]["cpu_ms"]
    rows = [
        [strategy_name(row["strategy"]), f"{row['cpu_ms']:.2f}", f"{row['cpu_ms'] - base:+.2f}"]
        for row in one["strategies"]
    ]
    reached = min(row["pages"] for row in one["strategies"])
    web = f"{reached:,} pages of {one['pages']:,}, with {one['links_a_page']:.0f} links inside each"
    note = f"Each fetched {web}; best of {one['rounds']} rounds."
    return f"{table(['strategy', 'CPU ms a page', 'above `bfs`'], rows)}\n\n{note}"


def _learning(found: Sequence[Any]) -> str:
    rows = [
        [f"{row['waiting']:,}", f"{row['cpu_ms']:.2f}", f"{row['learner_bytes']:.0f}", f"{row['frontier_bytes']:.0f}"]
        for row in found[0]
    ]
    return table(["waiting URLs", "CPU ms a judged page", "bytes a URL", "and in the frontier"], rows, left=0)


_FRONTIER_COLUMNS = {
    "push_us": ("push, µs", ".1f"), "rerank_us": ("re-rank, µs", ".1f"), "lease_us": ("lease, µs", ".0f"),
    "page_us": ("page, µs", ".0f"), "ram_a_url": ("RAM a URL, bytes", ".0f"), "peak_ratio": ("peak", ".2f"),
    "resume_s": ("resume, s", ".1f"), "resume_us": ("resume, µs a URL", ".1f"),
    "resume_ram_a_url": ("its RAM a URL", ".0f"), "resume_peak_ratio": ("its peak", ".2f"),
}  # fmt: skip


def _frontier(found: Sequence[Any]) -> str:
    rows = [
        [row["shape"], f"{row['waiting']:,}", *(format(row[key], form) for key, (_, form) in _FRONTIER_COLUMNS.items())]
        for row in found[0]
    ]
    heads = ["hosts", "waiting URLs", *(head for head, _ in _FRONTIER_COLUMNS.values())]
    hosts = found[0][0]["hosts"]
    a_host = max(row["ram_a_host"] for row in found[0])
    picture = f"![The frontier as waiting URLs grow](images/{FRONTIER.picture})"
    return (
        f"{table(heads, rows)}\n\n{hosts:,} hosts are known, each of which takes up to {a_host:.0f} bytes.\n\n{picture}"
    )


def _store(found: Sequence[Any]) -> str:
    [one] = found
    size, share = one["compose"]["page_bytes"] / 1e3, one["compose"]["stored_share"]
    rows = [[f"compose a WARC record: a page of {size:.0f} KB, stored as {share:.0%}", f"{one['compose']['ms']:.2f}"]]
    for row in one["commits"]:
        what = (
            f"commit {row['what']}: {row['links']:,} links, {row['new']:,} new URLs, {row['priorities']:,} priorities"
        )
        rows.append([f"{what}, {one['pages']} pages", f"{row['best_ms'] / one['pages']:.2f}"])
    rows.append(["note what was spent", f"{one['note_us'] / 1e3:.4f}"])
    return table(["what", "CPU ms a page"], rows)


def _publish(found: Sequence[Any]) -> str:
    [one] = found
    rows = [[row["database"], f"{row['new_per_s']:,.0f}", f"{row['again_per_s']:,.0f}"] for row in one["databases"]]
    note = f"{one['pages']:,} made-up pages, on one machine with the database."
    return f"{table(['database', 'new pages a second', 'pages judged again'], rows)}\n\n{note}"


def _traces(found: Sequence[Any]) -> str:
    [one] = found
    read, told = one["import"], one["evidence"]
    rows = [
        ["import: lines a second of CPU time", f"{read['lines'] / read['cpu_s']:,.0f}"],
        ["import: memory at the most, MB", f"{read['most_mb']:,.0f}"],
        ["stored, bytes an access", f"{read['stored']:.1f}"],
        ["open the folder, s", f"{told['load_s']:.2f}"],
        ["evidence: memory beside the traces, bytes a URL", f"{told['bytes_a_url']:.1f}"],
        ["evidence: a judged page, CPU ms", f"{told['judged_ms']:.2f}"],
        ["evidence: a page valued, CPU ms", f"{told['valued_ms']:.3f}"],
        ["the strategy: learn from a judged page, CPU ms", f"{told['rank_ms']:.2f}"],
        ["the strategy: find what to propose there, CPU ms", f"{told['propose_ms']:.2f}"],
        [f"the strategy: value {told['revised']:.0f} that wait anew, CPU ms", f"{told['revise_ms']:.2f}"],
        ["the strategy: value up to 20 proposals, CPU ms", f"{told['rank_proposed_ms']:.2f}"],
        ["records: bytes a candidate", f"{told['bytes_a_candidate']:.0f}"],
    ]
    log = (
        f"A made-up Squid log: {told['accesses']:,} accesses by {told['users']:,} people to {told['urls']:,} URLs,"
        f" {told['accesses_a_page']:.0f} to each of {told['pages']:,} judged pages."
    )
    return f"{table(['what', 'figure'], rows)}\n\n{log}"


def _forecast(found: Sequence[Any]) -> str:
    return table(
        ["waiting", "CPU ms a page"], [[f"{row['waiting']:,}", f"{row['cpu_ms']:.3f}"] for row in found[0]], left=0
    )  # fmt: skip


def _lab(found: Sequence[Any]) -> str:
    lines: list[tuple[str, list[str]]] = [
        ("read and parse it the first time, s", [f"{one['index_s'] + one['parse_s']:.1f}" for one in found]),
        ("pages a second, on all cores", [f"{one['pages'] / (one['index_s'] + one['parse_s']):,.0f}" for one in found]),
        ("what is kept, MB", [f"{one['cache_bytes'] / 1e6:.0f}" for one in found]),
        ("open it again, s", [f"{one['open_again_s']:.2f}" for one in found]),
        ("a page for a topic, CPU ms", [f"{one['digest_ms']:.2f}" for one in found]),
        ("the same page in the next run, CPU ms", [f"{one['digest_again_ms']:.3f}" for one in found]),
        ("pages as a live crawl reads them", [f"{one['equal']:.0f} of {one['compared']:.0f}" for one in found]),
    ]
    for strategy in ("learning", "bfs"):
        done = [(one[f"{strategy}_requests"], one[f"{strategy}_s"], one[f"{strategy}_virtual_s"]) for one in found]
        lines += [
            (f"replay with `{strategy}`, requests a second", [f"{count / took:,.0f}" for count, took, _ in done]),
            (
                f"a live, polite crawl with `{strategy}` takes, times as long",
                [f"{live / took:,.0f}" for _, took, live in done],
            ),
        ]
    heads = [f"{name}, {one['pages']:,.0f} pages" for name, one in zip(NAMES.values(), found, strict=True)]
    return table(["", *heads], [[name, *cells] for name, cells in lines])


COSTS = (
    Figure("speed", "docs/performance.md", (SPEED,), partial(_section, "speed")),
    Figure("core", "docs/performance.md", (SPEED,), partial(_section, "core")),
    Figure("stages", "docs/performance.md", (SPEED,), partial(_section, "stages")),
    Figure("memory", "docs/performance.md", (SPEED,), partial(_section, "memory")),
    Figure("cost-strategies", "docs/performance.md", (_STRATEGIES,), _strategies),
    Figure("cost-learning", "docs/performance.md", (LEARNING,), _learning),
    Figure("cost-traces", "docs/traces.md", (_TRACES,), _traces),
    Figure("frontier-scale", "docs/performance.md", (FRONTIER,), _frontier),
    Figure("cost-store", "docs/performance.md", (_STORE,), _store),
    Figure("cost-publish", "docs/database.md", (_PUBLISH,), _publish),
    Figure("cost-forecast", "docs/forecast.md", (_FORECAST,), _forecast),
    Figure("lab-speed", "docs/performance.md", _LAB, _lab),
)
