"""What strategies cost: ``python -m bench.strategies CORPUS [STRATEGY ...] [--json FILE]``.

Replays a whole corpus (any folder with WARC files, a crawl of Dowse's among them) with each strategy, and keeps records
as a live crawl does. It begins at the pages of ``roots.csv``, or without such a file at one page of each host: a corpus
may be made of several webs that do not link to each other. Parsing and judging are done beforehand, so what is measured
is the engine: links looked up, candidates ranked, leased and written down. All strategies see the same pages, in an
order of their own; CPU time a page, the best of some rounds that take turns.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from pathlib import Path

from bench.corpus import topic_of
from dowse.judge import build_judge
from dowse.lab.compare.plan import parse_strategy
from dowse.lab.compare.topic_runs import Inside
from dowse.lab.corpus import Corpus, open_corpus
from dowse.lab.corpus.topics import roots
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.lab.replay.replay import replay
from dowse.model.budget import Budget
from dowse.model.topic import Politeness, Scope, Seeds, Topic, Traps
from dowse.model.url import split
from dowse.store import CrawlStore

STRATEGIES = (
    "bfs", "learning", "best-first", "weighted", "similar-link", "hybrid", "hybrid:maximise=efficiency", "tunnel",
    "shark-search",
)  # fmt: skip
ROUNDS = 3


def run(corpus: Corpus, web: CorpusWeb, pages: KnownPages, topic: Topic, strategy: str) -> tuple[float, int]:
    """CPU seconds of the crawl, and the pages it fetched."""
    with tempfile.TemporaryDirectory() as name, CrawlStore.create(Path(name) / "crawl", {}, 0.0) as store:
        chosen = Topic(
            query=topic.query, seeds=topic.seeds, strategy=parse_strategy(strategy), budget=Budget(seconds=1e9),
            politeness=Politeness(delay_s=0.0, obey_robots=False, connections_per_host=32),
            scope=Scope(traps=Traps(max_pattern_run=0)),
        )  # fmt: skip
        gc.collect()
        started = time.process_time()
        done = replay(web, pages, chosen, Inside(web), records=store)
        return time.process_time() - started, sum(exchange.is_page for exchange in done.exchanges)


def entries(corpus: Corpus, numbers: list[int]) -> tuple[str, ...]:
    """Where the whole corpus is reached from, as far as it can be."""
    first = {split(corpus.url(number)).host: number for number in reversed(numbers)}
    return tuple(map(corpus.url, roots(corpus) or sorted(first.values())))


def measure(folder: Path, strategies: tuple[str, ...], json_file: Path | None) -> None:
    corpus = open_corpus(folder)
    web = CorpusWeb(corpus)
    topic = topic_of(corpus, None)
    pages = KnownPages(web, corpus.digests(build_judge(topic), Inside(web), 5_000))
    numbers = [number for number in range(len(corpus)) if corpus.pages.is_page()[number]]
    links = sum(len(pages.digest(number).links) for number in numbers)
    print(f"{len(numbers):,} pages, {links / len(numbers):.0f} links inside a page")
    topic = Topic(query=topic.query, seeds=Seeds(urls=entries(corpus, numbers)))
    best = dict.fromkeys(strategies, (float("inf"), 0))
    for _ in range(ROUNDS):
        for strategy in strategies:
            best[strategy] = min(best[strategy], run(corpus, web, pages, topic, strategy))
    base_s, base_pages = best[strategies[0]]
    base = 1e3 * base_s / base_pages
    print(f"{'strategy':40s} {'pages':>7s} {'ms a page':>10s} {'above ' + strategies[0]:>12s}")
    for strategy, (seconds, count) in best.items():
        cost = 1e3 * seconds / count
        print(f"{strategy:40s} {count:7,} {cost:10.3f} {cost - base:+12.3f}")
    if json_file is not None:
        rows = [{"strategy": name, "pages": count, "cpu_ms": 1e3 * s / count} for name, (s, count) in best.items()]
        found = {"pages": len(numbers), "links_a_page": links / len(numbers), "rounds": ROUNDS, "strategies": rows}
        json_file.write_text(json.dumps(found, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("strategy", nargs="*")
    parser.add_argument("--json", type=Path, help="write the figures")
    options = parser.parse_args()
    measure(options.corpus, tuple(options.strategy) or STRATEGIES, options.json)


if __name__ == "__main__":
    main()
