"""How good forecasts are: replays topics of a corpus and holds each forecast against what came.

    python -m bench.forecast CORPUS ... [--topics 8] [--budget 70%] [--strategy learning] [--by-query] [--all]
    python -m bench.forecast --cost

For each corpus, strategy and horizon it prints how many forecasts were held against what came (one every hundred
fetches of each crawl), which share of the outcomes lay inside their interval, how far off forecasts were (the sum of
the absolute errors over the sum of what came), and their bias: how much more was promised in all than came. Topics are
labels at even distances in the order of their names. A crawl starts at the pages of ``roots.csv`` where the corpus has
one, else at pages of the topic, and is told the label's name and examples, with ``--by-query`` the name alone. Links
that leave the corpus are not followed; with ``--all`` they are, and fail. A forecast whose fetches the budget cut short
is left out; where the crawl ran dry, what came until then is what came. ``--cost`` prints the CPU time a page instead,
by the number of URLs that wait.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from dowse.engine.assembly.join import Parts
from dowse.engine.life import Journal
from dowse.engine.life.forecasts import Forecasts
from dowse.frontier.frontier import Frontier
from dowse.lab.compare.comparison import fitting_labels
from dowse.lab.compare.each_topic import opened, topic_and_seeds
from dowse.lab.compare.plan import Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Corpus, SeedSet, Unfit
from dowse.lab.replay.corpus_web import CorpusWeb
from dowse.lab.replay.replay import Forgetful, replay
from dowse.model.budget import Budget, Purse
from dowse.model.clock import SystemClock
from dowse.model.forecast import Forecast, Interval
from dowse.model.page import Outcome
from dowse.model.records import PageRow
from dowse.model.topic import StrategyChoice
from dowse.model.url import canonical, fingerprint
from dowse.predict import build_strategy

EVERY = 100  # fetches between two forecasts that are held against what came
SEED_SETS = 2
PAGES = 20_000  # fetches timed for the cost
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Held:
    """One forecast, and what came."""

    strategy: str
    fetches: int
    relevant: Interval
    value: Interval
    relevant_came: float
    value_came: float


def forecasts(runs: TopicRuns, seeds: SeedSet, strategy: str) -> tuple[list[Forecast], bool]:
    """All forecasts of a crawl, and whether it ran dry."""
    made: list[Forecast] = []

    def watch(parts: Parts) -> None:
        parts.life.forecasts.on_look = made.append

    done = replay(runs.web, runs.workers, runs.topic_for(seeds, strategy), runs.scope, joined=watch)
    return made, done.stop.kind == "empty"


def held(made: list[Forecast], strategy: str, *, dry: bool) -> Iterator[Held]:
    """Each forecast against the totals of the later look at which its fetches are over."""
    at = {forecast.fetches: forecast for forecast in made}
    for forecast in made:
        for horizon in forecast.horizons if forecast.fetches % EVERY == 0 else ():
            later = at.get(forecast.fetches + horizon.fetches)
            if later is None and dry and forecast.fetches + horizon.fetches > made[-1].fetches:
                later = made[-1]
            if later is not None:
                yield Held(
                    strategy, horizon.fetches, horizon.relevant, horizon.value, later.relevant - forecast.relevant,
                    later.value - forecast.value,
                )  # fmt: skip


def roots(folder: Path, web: CorpusWeb) -> SeedSet | None:
    """The entry pages that the corpus names."""
    path = folder / "roots.csv"
    if not path.is_file():
        return None
    with path.open(encoding="utf-8", newline="") as file:
        urls = [canonical(row["url"]) for row in csv.DictReader(file)]
    pages = dict.fromkeys(web.number(url) for url in urls if url is not None)
    return SeedSet("roots", 0, tuple(page for page in pages if page >= 0), 0)


def of_corpus(folder: Path, plan: Plan, topics: int) -> list[Held]:
    corpus, web = opened(folder)
    given = roots(folder, web)
    found: list[Held] = []
    for label in chosen(corpus, plan, topics):
        print(f"{folder.name}: {label}", file=sys.stderr, flush=True)
        ready = topic_and_seeds(corpus, plan, label)
        if isinstance(ready, Unfit):
            continue
        topic, seed_sets = ready
        runs = TopicRuns(corpus, web, plan, topic)
        for seeds in (given,) if given else seed_sets:
            for strategy in plan.strategies:
                made, dry = forecasts(runs, seeds, strategy)
                found += held(made, strategy, dry=dry)
    return found


def chosen(corpus: Corpus, plan: Plan, topics: int) -> list[str]:
    labels = fitting_labels(corpus, plan)
    places = np.linspace(0, len(labels) - 1, min(topics, len(labels)))
    return [labels[round(place)] for place in places.tolist()]


def figures(rows: list[Held]) -> list[float]:
    """Coverage, relative error and bias, of relevant pages and of value."""
    found: list[float] = []
    for intervals, came in (
        ([row.relevant for row in rows], [row.relevant_came for row in rows]),
        ([row.value for row in rows], [row.value_came for row in rows]),
    ):
        inside = [one.low - 1e-9 <= real <= one.high + 1e-9 for one, real in zip(intervals, came, strict=True)]
        errors = [one.expected - real for one, real in zip(intervals, came, strict=True)]
        total = max(sum(came), 1.0)
        found += [sum(inside) / len(inside), sum(map(abs, errors)) / total, sum(errors) / total]
    return found


COLUMNS = ("relevant_inside", "relevant_off", "relevant_bias", "value_inside", "value_off", "value_bias")


def show(by_corpus: dict[str, list[Held]], strategies: tuple[str, ...]) -> list[dict[str, Any]]:
    """Print the table, and give its rows: those of each corpus, then the means over all."""
    found: list[dict[str, Any]] = []
    print("| corpus | strategy | next | forecasts | relevant: inside | off by | bias | value: inside | off by | bias |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    horizons = sorted({row.fetches for rows in by_corpus.values() for row in rows})
    means: dict[int, list[list[float]]] = {horizon: [] for horizon in horizons}
    line = "| {} | {} | {} | {} | {:.0%} | {:.0%} | {:+.0%} | {:.0%} | {:.0%} | {:+.0%} |".format
    for corpus, rows in by_corpus.items():
        for strategy in strategies:
            for horizon in horizons:
                these = [row for row in rows if row.strategy == strategy and row.fetches == horizon]
                if these:
                    means[horizon].append(figures(these))
                    print(line(corpus, strategy, horizon, len(these), *means[horizon][-1]))
                    named = dict(zip(COLUMNS, means[horizon][-1], strict=True))
                    found.append(
                        {"corpus": corpus, "strategy": strategy, "next": horizon, "forecasts": len(these), **named}
                    )
    for horizon in horizons:
        mean = np.mean(np.array(means[horizon]), axis=0).tolist()
        print(line("mean", "", horizon, "", *mean))
        found.append({"corpus": "mean", "next": horizon, **dict(zip(COLUMNS, mean, strict=True))})
    return found


def cost(waiting: int) -> float:
    """Milliseconds of CPU a page, with so many URLs waiting."""
    rng = np.random.default_rng(0)
    frontier = Frontier()
    for start in range(0, waiting, 10_000):
        urls = [f"http://h{number % 1000}.test/{number}" for number in range(start, start + 10_000)]
        prints = np.fromiter(map(fingerprint, urls), np.uint64, len(urls))
        frontier.add(urls, prints, depth=1, parent=-1, priorities=rng.random(len(urls)), now=0.0)
    strategy = build_strategy(StrategyChoice(), seed_number=0)
    journal = Journal(frontier, Purse(Budget()), SystemClock())
    journal.open(Forgetful(), strategy)
    forecasts = Forecasts(frontier, journal)
    page = partial(PageRow, url="", final_url="", fetched_at=0.0, outcome=Outcome.FETCHED, reason="", score=0.3)
    rows = [page(id=id, relevant=id % 5 == 0) for id in rng.integers(0, waiting, PAGES).tolist()]
    spent = []
    for _ in range(ROUNDS):
        started = time.process_time()
        for row in rows:
            forecasts.ended(row)
        spent.append(time.process_time() - started)
    return 1000 * min(spent) / PAGES


def main() -> None:
    parser = argparse.ArgumentParser(description="How good forecasts are.")
    parser.add_argument("corpus", nargs="*", type=Path)
    parser.add_argument("--topics", type=int, default=8)
    parser.add_argument("--budget", default="70%")
    parser.add_argument("--strategy", action="append")
    parser.add_argument("--by-query", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)  # corpora at a time
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--json", type=Path, help="write the figures")
    told = parser.parse_args()
    if told.cost:
        costs = []
        for waiting in (10_000, 100_000, 1_000_000):
            costs.append({"waiting": waiting, "cpu_ms": cost(waiting)})
            print(f"{waiting:>10,} waiting   {costs[-1]['cpu_ms']:.4f} ms CPU a page")
        write(costs, told.json)
        return
    strategies = tuple(told.strategy or ("learning",))
    plan = Plan(strategies, budget=told.budget, seed_sets=SEED_SETS, inside=not told.all, by_query=told.by_query)
    with ProcessPoolExecutor(told.jobs, mp_context=get_context("spawn")) as pool:
        found = pool.map(partial(of_corpus, plan=plan, topics=told.topics), told.corpus)
        write(show({folder.name: rows for folder, rows in zip(told.corpus, found, strict=True)}, strategies), told.json)


def write(rows: list[dict[str, Any]], path: Path | None) -> None:
    if path is not None:
        path.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
